//! A real IPv4 packet in a buffer, as queue disciplines and the fabric see packets.

use crate::error::WireError;
use crate::ipv4::Ipv4Packet;
use tailrace_core::packet::protocol;
use tailrace_core::{Bytes, Dscp, Ecn, FlowKey, Packet};

/// An IPv4 packet behind [`tailrace_core::Packet`]: owned (`Ipv4Frame<Vec<u8>>`) or borrowed (`Ipv4Frame<&mut [u8]>`).
///
/// Size is the IP total length. Marking rewrites the ECN bits and corrects the header checksum incrementally.
/// Fragments of a datagram share a flow key with ports zero, since only the first carries ports, and a flow's
/// fragments should not be spread over queues.
///
/// ```
/// use tailrace_core::{Ecn, Packet};
/// use tailrace_wire::{Ipv4Frame, Ipv4Repr};
/// let mut buffer = vec![0; 20];
/// let ecn = Ecn::Ect0;
/// Ipv4Repr { ecn, ..Ipv4Repr::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), 1, 0) }.emit(&mut buffer)?;
/// let mut frame = Ipv4Frame::parse(buffer)?;
/// frame.set_ce();
/// assert_eq!(frame.ecn(), Ecn::Ce);
/// assert!(Ipv4Frame::parse(frame.into_inner()).is_ok(), "the checksum is right again");
/// # Ok::<(), tailrace_wire::WireError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ipv4Frame<B = Vec<u8>> {
    packet: Ipv4Packet<B>,
}

impl<B: AsRef<[u8]>> Ipv4Frame<B> {
    /// The packet at the start of `buffer`. As RFC 1812 §5.2.2 asks of a router, version, lengths and header checksum
    /// are verified; what lies behind the IP header is not.
    pub fn parse(buffer: B) -> Result<Self, WireError> {
        let packet = Ipv4Packet::new_checked(buffer)?;
        if !packet.verify_checksum() {
            return Err(WireError::Checksum { header: "ipv4" });
        }
        Ok(Self { packet })
    }
    /// The packet as its header's fields.
    pub const fn packet(&self) -> &Ipv4Packet<B> {
        &self.packet
    }
    /// Gives the bytes back.
    pub fn into_inner(self) -> B {
        self.packet.into_inner()
    }

    /// Source and destination port, which stand at the same place in TCP and UDP; zeros where there are none.
    fn ports(&self) -> (u16, u16) {
        let has_ports =
            matches!(self.packet.protocol(), protocol::TCP | protocol::UDP) && !self.packet.is_fragment();
        match *self.packet.payload() {
            [a, b, c, d, ..] if has_ports => (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])),
            _ => (0, 0),
        }
    }
}

impl<B: AsRef<[u8]> + AsMut<[u8]>> Packet for Ipv4Frame<B> {
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.packet.total_len()))
    }
    fn flow(&self) -> FlowKey {
        let (src_port, dst_port) = self.ports();
        FlowKey {
            src: self.packet.src().into(),
            dst: self.packet.dst().into(),
            src_port,
            dst_port,
            protocol: self.packet.protocol(),
        }
    }
    fn ecn(&self) -> Ecn {
        self.packet.ecn()
    }
    fn set_ce(&mut self) {
        self.packet.set_ecn(Ecn::Ce);
    }
    fn dscp(&self) -> Dscp {
        self.packet.dscp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ipv4Repr, PacketHeaders, TcpRepr, UdpRepr};

    fn ip(ecn: Ecn) -> Ipv4Repr {
        Ipv4Repr {
            ecn,
            dscp: Dscp(46),
            ..Ipv4Repr::new([192, 0, 2, 1].into(), [198, 51, 100, 7].into(), 0, 0)
        }
    }

    #[test]
    fn a_frame_shows_size_flow_and_codepoints_of_its_header() {
        let tcp = TcpRepr { src_port: 49152, dst_port: 443, ..TcpRepr::default() };
        let frame =
            Ipv4Frame::parse(PacketHeaders::tcp(ip(Ecn::Ect1), &tcp, 1000).unwrap().to_packet()).unwrap();
        let flow = FlowKey {
            src: 0xc000_0201,
            dst: 0xc633_6407,
            src_port: 49152,
            dst_port: 443,
            protocol: protocol::TCP,
        };
        assert_eq!(frame.flow(), flow);
        assert_eq!((frame.size(), frame.ecn(), frame.dscp()), (Bytes(1040), Ecn::Ect1, Dscp(46)));
    }

    #[test]
    fn marking_changes_the_ecn_bits_and_the_checksum_only() {
        let udp = UdpRepr { src_port: 1, dst_port: 2 };
        for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
            let mut buffer = PacketHeaders::udp(ip(ecn), &udp, 10).unwrap().to_packet();
            Ipv4Frame::parse(&mut buffer[..]).unwrap().set_ce();
            assert_eq!(buffer, PacketHeaders::udp(ip(Ecn::Ce), &udp, 10).unwrap().to_packet());
        }
    }

    #[test]
    fn fragments_share_a_flow_without_ports() {
        let mut first = ip(Ecn::NotEct);
        (first.dont_fragment, first.more_fragments) = (false, true);
        let udp = UdpRepr { src_port: 1, dst_port: 2 };
        let last = Ipv4Repr { more_fragments: false, fragment_offset: 1, ..first };
        let flows = [first, last]
            .map(|ip| Ipv4Frame::parse(PacketHeaders::udp(ip, &udp, 8).unwrap().to_packet()).unwrap().flow());
        assert_eq!((flows[0].src_port, flows[0].dst_port), (0, 0));
        assert_eq!(flows[0], flows[1]);
    }

    #[test]
    fn a_transport_header_that_is_cut_off_has_no_ports() {
        let mut buffer = vec![0xff; 23];
        Ipv4Repr { protocol: protocol::TCP, payload_len: 3, ..ip(Ecn::NotEct) }.emit(&mut buffer).unwrap();
        assert_eq!(Ipv4Frame::parse(buffer).unwrap().flow().src_port, 0);
    }

    #[test]
    fn a_wrong_header_checksum_is_refused() {
        let mut buffer = PacketHeaders::udp(ip(Ecn::NotEct), &UdpRepr::default(), 0).unwrap().to_packet();
        buffer[8] ^= 1;
        assert_eq!(Ipv4Frame::parse(buffer).unwrap_err(), WireError::Checksum { header: "ipv4" });
    }
}
