//! The UDP header (RFC 768).

use crate::checksum::InternetChecksum;
use crate::error::{WireError, at_most, require};
use crate::ipv4::u16_at;
use crate::payload::Payload;
use core::net::Ipv4Addr;
use core::ops::Range;
use tailrace_core::packet::protocol;

/// Bytes of the header.
pub const HEADER_LEN: usize = 8;

/// A view of bytes as a UDP datagram.
///
/// ```
/// use tailrace_wire::{Payload, UdpPacket, UdpRepr};
/// let (src, dst) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
/// let mut buffer = [0; 108];
/// UdpRepr { src_port: 5000, dst_port: 6000 }.emit(src, dst, Payload::Zeros(100), &mut buffer)?;
/// assert!(UdpPacket::new_checked(&buffer[..])?.verify_checksum(src, dst));
/// # Ok::<(), tailrace_wire::WireError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct UdpPacket<T> {
    buffer: T,
}

impl<T: AsRef<[u8]>> UdpPacket<T> {
    /// A view whose every accessor is safe: the length field fits the bytes. Bytes behind it are ignored.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        let bytes = buffer.as_ref();
        require(NAME, HEADER_LEN, bytes.len())?;
        let length = usize::from(u16_at(bytes, LENGTH));
        if length < HEADER_LEN {
            return Err(WireError::Malformed { header: NAME, field: "length" });
        }
        require(NAME, length, bytes.len())?;
        Ok(Self { buffer })
    }
    /// Source port.
    pub fn src_port(&self) -> u16 {
        u16_at(self.bytes(), SRC_PORT)
    }
    /// Destination port.
    pub fn dst_port(&self) -> u16 {
        u16_at(self.bytes(), DST_PORT)
    }
    /// Length of header and payload.
    pub fn length(&self) -> u16 {
        u16_at(self.bytes(), LENGTH)
    }
    /// Checksum as it stands; zero means that the sender computed none.
    pub fn checksum(&self) -> u16 {
        u16_at(self.bytes(), CHECKSUM)
    }
    /// The payload, up to the length.
    pub fn payload(&self) -> &[u8] {
        &self.bytes()[HEADER_LEN..usize::from(self.length())]
    }
    /// Whether the checksum is right, or absent, for a datagram between these addresses.
    pub fn verify_checksum(&self, src: Ipv4Addr, dst: Ipv4Addr) -> bool {
        let sum = InternetChecksum::new().pseudo_header(src, dst, protocol::UDP, self.length());
        self.checksum() == 0 || sum.bytes(&self.bytes()[..usize::from(self.length())]).checksum() == 0
    }

    fn bytes(&self) -> &[u8] {
        self.buffer.as_ref()
    }
}

/// A UDP header as values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UdpRepr {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
}

impl UdpRepr {
    /// The values in a datagram. The checksum is not looked at: ask [`UdpPacket::verify_checksum`].
    pub fn parse<T: AsRef<[u8]>>(packet: &UdpPacket<T>) -> Self {
        Self { src_port: packet.src_port(), dst_port: packet.dst_port() }
    }
    /// Writes the header, with length and checksum for `payload`, to the start of `buffer`, and returns its length.
    /// The payload itself is the caller's to write, or to leave away.
    pub fn emit(
        &self,
        src: Ipv4Addr,
        dst: Ipv4Addr,
        payload: Payload<'_>,
        buffer: &mut [u8],
    ) -> Result<usize, WireError> {
        let length = payload.len().saturating_add(HEADER_LEN);
        at_most("udp datagram", length, 0xffff)?;
        at_most("udp header", HEADER_LEN, buffer.len())?;
        let header = &mut buffer[..HEADER_LEN];
        header[SRC_PORT].copy_from_slice(&self.src_port.to_be_bytes());
        header[DST_PORT].copy_from_slice(&self.dst_port.to_be_bytes());
        header[LENGTH].copy_from_slice(&(length as u16).to_be_bytes());
        header[CHECKSUM].fill(0);
        let sum = InternetChecksum::new().pseudo_header(src, dst, protocol::UDP, length as u16).bytes(header);
        // RFC 768: a computed zero is sent as all ones, since zero means "no checksum".
        let checksum = match payload.add_to(sum).checksum() {
            0 => 0xffff,
            other => other,
        };
        header[CHECKSUM].copy_from_slice(&checksum.to_be_bytes());
        Ok(HEADER_LEN)
    }
}

const NAME: &str = "udp";
const SRC_PORT: Range<usize> = 0..2;
const DST_PORT: Range<usize> = 2..4;
const LENGTH: Range<usize> = 4..6;
const CHECKSUM: Range<usize> = 6..8;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SRC: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
    const DST: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

    /// By hand: pseudo-header 0a00 + 0001 + 0a00 + 0002 + 0011 + 000a = 141e, header 1388 + 1770 + 000a = 2b02,
    /// payload 6869; together a789, whose complement is 5876.
    #[test]
    fn a_known_datagram_is_emitted_to_the_byte() {
        let mut buffer = *b"--------hi";
        UdpRepr { src_port: 5000, dst_port: 6000 }
            .emit(SRC, DST, Payload::Bytes(b"hi"), &mut buffer)
            .unwrap();
        assert_eq!(buffer, [0x13, 0x88, 0x17, 0x70, 0x00, 0x0a, 0x58, 0x76, b'h', b'i']);
        assert!(UdpPacket::new_checked(buffer).unwrap().verify_checksum(SRC, DST));
    }

    /// 0a00 + 0001 + 0a00 + 0002 + 0011 + 0008 + 0008 = 1424, so a source port of ebdb makes the sum ffff.
    #[test]
    fn a_checksum_of_zero_is_sent_as_all_ones() {
        let mut buffer = [0; 8];
        UdpRepr { src_port: 0xebdb, dst_port: 0 }.emit(SRC, DST, Payload::Zeros(0), &mut buffer).unwrap();
        let packet = UdpPacket::new_checked(buffer).unwrap();
        assert_eq!(packet.checksum(), 0xffff);
        assert!(packet.verify_checksum(SRC, DST));
    }

    #[test]
    fn an_absent_checksum_is_accepted_and_a_wrong_one_is_not() {
        let mut buffer = [0x13, 0x88, 0x17, 0x70, 0x00, 0x08, 0, 0];
        assert!(UdpPacket::new_checked(buffer).unwrap().verify_checksum(SRC, DST));
        buffer[7] = 1;
        assert!(!UdpPacket::new_checked(buffer).unwrap().verify_checksum(SRC, DST));
    }

    proptest! {
        #[test]
        fn parse_inverts_emit(src_port: u16, dst_port: u16, payload in prop::collection::vec(any::<u8>(), 0..200)) {
            let repr = UdpRepr { src_port, dst_port };
            let mut buffer = vec![0xff; HEADER_LEN];
            buffer.extend(&payload);
            repr.emit(SRC, DST, Payload::Bytes(&payload), &mut buffer).unwrap();
            let packet = UdpPacket::new_checked(&buffer).unwrap();
            prop_assert_eq!(UdpRepr::parse(&packet), repr);
            prop_assert_eq!(packet.payload(), &payload[..]);
            prop_assert!(packet.verify_checksum(SRC, DST));
        }

        #[test]
        fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..40), plausible: bool) {
            if plausible && bytes.len() > 5 {
                bytes[4] = 0;
                bytes[5] &= 0x1f;
            }
            if let Ok(packet) = UdpPacket::new_checked(&bytes[..]) {
                let _ = (UdpRepr::parse(&packet), packet.payload().len(), packet.verify_checksum(SRC, DST));
            }
        }
    }
}
