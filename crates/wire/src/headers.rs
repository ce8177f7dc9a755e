//! IP and transport header of a packet whose payload is all zeros and need not exist.

use crate::checksum::InternetChecksum;
use crate::error::WireError;
use crate::payload::Payload;
use crate::tcp::{OptionWords, TcpRepr};
use crate::udp::UdpRepr;
use crate::{checksum, ipv4, ipv4::Ipv4Repr, tcp, udp};
use tailrace_core::packet::protocol;

/// The headers of one packet, and how many zero bytes follow them. Checksums are those of the whole packet.
///
/// ```
/// use tailrace_wire::{PacketHeaders, Ipv4Repr, UdpRepr};
/// let ip = Ipv4Repr::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), 0, 0);
/// let headers = PacketHeaders::udp(ip, &UdpRepr { src_port: 5000, dst_port: 6000 }, 1000)?;
/// assert_eq!((headers.as_bytes().len(), headers.payload_len(), headers.packet_len()), (28, 1000, 1028));
/// # Ok::<(), tailrace_wire::WireError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PacketHeaders {
    /// Behind the headers are zeros.
    bytes: [u8; ROOM],
    len: usize,
    payload_len: usize,
}

impl PacketHeaders {
    /// Headers of a TCP segment; `ip.protocol` and `ip.payload_len` are filled in here.
    pub fn tcp(mut ip: Ipv4Repr, tcp: &TcpRepr, payload_len: usize) -> Result<Self, WireError> {
        let mut headers = Self::empty(payload_len);
        let transport = &mut headers.bytes[ip.header_len()..];
        ip.protocol = protocol::TCP;
        headers.len = tcp.emit(ip.src, ip.final_destination(), Payload::Zeros(payload_len), transport)?;
        headers.precede(ip)
    }
    /// The same of most segments: without options of IP, and of TCP's with those that these words are. Such headers are words, so
    /// that their checksums are sums of fields. Options in `ip` and `tcp` do not count, and of the payload only as much as has
    /// room in a packet.
    #[inline(always)]
    pub fn tcp_of_words(ip: Ipv4Repr, tcp: &TcpRepr, options: &OptionWords, payload_len: usize) -> Self {
        let header_len = tcp::HEADER_LEN + options.len();
        let payload_len = payload_len.min(ipv4::MAX_PACKET_LEN - ipv4::HEADER_LEN - header_len);
        let length = header_len + payload_len;
        let sum = InternetChecksum::new().pseudo_header(ip.src, ip.dst, protocol::TCP, length as u16);
        let sum = options.words().iter().fold(sum, |sum, two| sum.pair(*two));
        let ip = Ipv4Repr { protocol: protocol::TCP, payload_len: length, ..ip };
        let mut headers = Self { len: ipv4::HEADER_LEN + header_len, ..Self::empty(payload_len) };
        let (words, _) = headers.bytes.as_chunks_mut();
        words[..5]
            .copy_from_slice(&ip.words(ipv4::HEADER_LEN, InternetChecksum::new()).map(u32::to_be_bytes));
        words[5..10].copy_from_slice(&tcp.words(header_len, sum).map(u32::to_be_bytes));
        words[10..20].copy_from_slice(&options.words().map(u32::to_be_bytes));
        headers
    }
    /// Headers of a UDP datagram; `ip.protocol` and `ip.payload_len` are filled in here.
    pub fn udp(ip: Ipv4Repr, udp: &UdpRepr, payload_len: usize) -> Result<Self, WireError> {
        let mut headers = Self::empty(payload_len);
        let transport = &mut headers.bytes[ip.header_len()..];
        headers.len = udp.emit(ip.src, ip.final_destination(), Payload::Zeros(payload_len), transport)?;
        headers.precede(Ipv4Repr { protocol: protocol::UDP, ..ip })
    }
    /// The packet after a middlebox has changed its payload: the first byte is no zero, and the transport's checksum is
    /// right again. Without payload it is as it was.
    pub fn altered(mut self) -> Self {
        if self.payload_len > 0 {
            let datagram = self.bytes[9] == protocol::UDP;
            let field = usize::from(self.bytes[0] & 15) * 4 + if datagram { 6 } else { 16 };
            let word = u16::from_be_bytes([self.bytes[field], self.bytes[field + 1]]);
            let word = match checksum::update(word, 0, u16::from(ALTERED) << 8) {
                // Zero says of a datagram that it has none (RFC 768).
                0 if datagram => 0xffff,
                word => word,
            };
            self.bytes[field..field + 2].copy_from_slice(&word.to_be_bytes());
            self.bytes[self.len] = ALTERED;
            self.len += 1;
            self.payload_len -= 1;
        }
        self
    }
    /// The headers' bytes, and the first of a changed payload.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
    /// The same bytes in a place for any headers, with zeros behind them.
    #[inline]
    pub(crate) const fn and_zeros(&self) -> &[u8; ROOM] {
        &self.bytes
    }
    /// Zero bytes behind the headers.
    pub const fn payload_len(&self) -> usize {
        self.payload_len
    }
    /// Length of the whole packet, at most 65535.
    pub const fn packet_len(&self) -> usize {
        self.len + self.payload_len
    }
    /// The whole packet, zeros included.
    pub fn to_packet(&self) -> Vec<u8> {
        let mut packet = self.as_bytes().to_vec();
        packet.resize(self.packet_len(), 0);
        packet
    }

    /// None yet.
    #[inline(always)]
    const fn empty(payload_len: usize) -> Self {
        Self { bytes: [0; ROOM], len: 0, payload_len }
    }
    /// Writes IP's header before the transport's, which is in its place.
    #[inline(always)]
    fn precede(mut self, mut ip: Ipv4Repr) -> Result<Self, WireError> {
        ip.payload_len = self.packet_len();
        self.len += ip.emit(&mut self.bytes)?;
        Ok(self)
    }
}

/// First byte of a payload that was changed on the way.
const ALTERED: u8 = 0xaa;
const MAX_HEADERS_LEN: usize = ipv4::HEADER_LEN + ipv4::MAX_OPTIONS_LEN + tcp::MAX_HEADER_LEN;
/// For the longest, and one byte of payload.
pub(crate) const ROOM: usize = MAX_HEADERS_LEN + 1;
const _: () = assert!(udp::HEADER_LEN <= tcp::MAX_HEADER_LEN);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::flags;
    use crate::tcp::mptcp::{self, MptcpOption};
    use crate::{Ipv4Packet, TcpPacket, UdpPacket};
    use proptest::prelude::*;
    use tailrace_core::Dscp;

    fn ip() -> Ipv4Repr {
        Ipv4Repr::new([10, 1, 2, 3].into(), [10, 3, 2, 1].into(), 0, 0)
    }

    proptest! {
        #[test]
        fn checksums_hold_over_the_materialised_packet(payload_len in 0..3000usize, seq: u32, src_port: u16, dst_port: u16) {
            let tcp = TcpRepr { src_port, dst_port, seq, flags: flags::ACK, ..TcpRepr::default() };
            let bytes = PacketHeaders::tcp(ip(), &tcp, payload_len).unwrap().to_packet();
            let packet = Ipv4Packet::new_checked(&bytes).unwrap();
            prop_assert!(packet.verify_checksum());
            let segment = TcpPacket::new_checked(packet.payload()).unwrap();
            prop_assert!(segment.verify_checksum(packet.src(), packet.dst()));
            prop_assert_eq!(segment.payload().len(), payload_len);
            let bytes = PacketHeaders::tcp(ip(), &tcp, payload_len).unwrap().altered().to_packet();
            let packet = Ipv4Packet::new_checked(&bytes).unwrap();
            let segment = TcpPacket::new_checked(packet.payload()).unwrap();
            prop_assert!(packet.verify_checksum() && segment.verify_checksum(packet.src(), packet.dst()));
            prop_assert_eq!(segment.payload().len(), payload_len);
            prop_assert_eq!(segment.payload().iter().any(|b| *b != 0), payload_len > 0);

            let bytes = PacketHeaders::udp(ip(), &UdpRepr { src_port, dst_port }, payload_len).unwrap().to_packet();
            let packet = Ipv4Packet::new_checked(&bytes).unwrap();
            let datagram = UdpPacket::new_checked(packet.payload()).unwrap();
            prop_assert!(packet.verify_checksum() && datagram.verify_checksum(packet.src(), packet.dst()));
            prop_assert_eq!(datagram.payload().len(), payload_len);
            let bytes = PacketHeaders::udp(ip(), &UdpRepr { src_port, dst_port }, payload_len).unwrap().altered().to_packet();
            let packet = Ipv4Packet::new_checked(&bytes).unwrap();
            let datagram = UdpPacket::new_checked(packet.payload()).unwrap();
            prop_assert!(packet.verify_checksum() && datagram.verify_checksum(packet.src(), packet.dst()));
        }
    }

    proptest! {
        #[test]
        fn headers_of_words_are_those_of_fields(
            (seq, ack) in any::<(u32, u32)>(), (window, flags, ae) in any::<(u16, u8, bool)>(), dscp in 0..64u8,
            timestamps: Option<(u32, u32)>, sack in prop::collection::vec(any::<(u32, u32)>(), 0..=4), payload_len in 0..3000usize,
            dss in prop::option::of(mptcp::tests::signals()),
        ) {
            let ip = Ipv4Repr { dscp: Dscp(dscp), ..ip() };
            let mut tcp = TcpRepr { src_port: 5, dst_port: 6, seq, ack, window, flags, ae, ..TcpRepr::default() };
            let words = timestamps.map_or(OptionWords::NONE, |(value, echo)| OptionWords::timestamps(value, echo));
            let words = if sack.is_empty() { Some(words) } else { words.and_sack(sack.iter().copied()) };
            let words = match dss {
                Some((data_ack, mapping, data_fin)) => words.and_then(|w| w.and_dss(data_ack, mapping, data_fin)),
                None => words,
            };
            let of_words = words.map(|words| PacketHeaders::tcp_of_words(ip, &tcp, &words, payload_len).to_packet());
            tcp.options.timestamps = timestamps;
            sack.iter().for_each(|(left, right)| tcp.options.sack.push(*left, *right));
            if let Some((data_ack, mapping, data_fin)) = dss {
                MptcpOption::Dss { data_ack, mapping, data_fin }.push(&mut tcp.options.raw).unwrap();
            }
            // Options that fit only without NOPs are left to the other writer.
            let of_fields = PacketHeaders::tcp(ip, &tcp, payload_len).ok().map(|headers| headers.to_packet());
            prop_assert!(of_words.is_none() || of_words == of_fields);
            let aligned = timestamps.map_or(0, |_| 12) + sack.len() * 8 + if sack.is_empty() { 0 } else { 4 };
            let signal = (tcp.options.raw.as_bytes().len()).next_multiple_of(4);
            prop_assert_eq!(of_words.is_some(), aligned + signal <= tcp::options::MAX_OPTIONS_LEN);
        }
    }

    #[test]
    fn a_payload_without_room_is_cut() {
        let headers =
            PacketHeaders::tcp_of_words(ip(), &TcpRepr::default(), &OptionWords::timestamps(1, 2), 1 << 20);
        assert_eq!((headers.packet_len(), headers.as_bytes().len()), (65535, 52));
        assert!(Ipv4Packet::new_checked(headers.to_packet()).unwrap().verify_checksum());
    }

    /// A host that takes the packet in sums over the addresses that it then has, as the sender did.
    #[test]
    fn the_transports_checksum_is_over_the_last_destination_of_a_source_route() {
        let tcp = TcpRepr { seq: 7, flags: flags::ACK, ..TcpRepr::default() };
        let end = [10, 9, 9, 9].into();
        let stops = [[10, 3, 2, 2].into(), end];
        let segments = [0, 1, 2].map(|passed| {
            let options = crate::Ipv4Options::loose_source_route(&stops, passed).unwrap();
            let dst = if passed == 2 { end } else { ip().dst };
            let bytes = PacketHeaders::tcp(Ipv4Repr { options, dst, ..ip() }, &tcp, 100).unwrap().to_packet();
            let packet = Ipv4Packet::new_checked(&bytes).unwrap();
            assert!(packet.verify_checksum());
            assert_eq!((packet.header_len(), bytes.len()), (32, 152));
            let segment = TcpPacket::new_checked(packet.payload()).unwrap();
            assert!(segment.verify_checksum(packet.src(), end));
            packet.payload().to_vec()
        });
        assert!(segments[0] == segments[1] && segments[1] == segments[2]);
    }

    #[test]
    fn the_longest_packet_has_65535_bytes() {
        let longest = PacketHeaders::udp(ip(), &UdpRepr::default(), 65535 - 28).unwrap();
        assert_eq!(longest.packet_len(), 65535);
        assert!(PacketHeaders::udp(ip(), &UdpRepr::default(), 65535 - 27).is_err());
        assert!(PacketHeaders::tcp(ip(), &TcpRepr::default(), 65535 - 39).is_err());
        assert!(PacketHeaders::tcp(ip(), &TcpRepr::default(), usize::MAX).is_err());
    }
}
