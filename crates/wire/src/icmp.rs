//! ICMP (RFC 792): what hosts and routers answer to packets that are for none of their sockets, or have come too far.

use crate::checksum::InternetChecksum;
use crate::ipv4::{Ipv4Packet, Ipv4Repr};
use crate::udp::UdpPacket;
use core::net::Ipv4Addr;
use tailrace_core::Dscp;
use tailrace_core::packet::protocol;

/// Bytes of the header of the messages here.
const HEADER_LEN: usize = 8;
const ECHO_REPLY: u8 = 0;
const UNREACHABLE: u8 = 3;
/// Code of destination unreachable: port.
const PORT: u8 = 3;
/// Code of destination unreachable: fragmentation needed.
const FRAGMENTATION_NEEDED: u8 = 4;
const SOURCE_QUENCH: u8 = 4;
const REDIRECT: u8 = 5;
const ECHO: u8 = 8;
const TIME_EXCEEDED: u8 = 11;
/// Code of time exceeded: TTL in transit.
const IN_TRANSIT: u8 = 0;
const PARAMETER_PROBLEM: u8 = 12;
/// Most bytes of an error, its IP header included (RFC 1812 §4.3.2.3).
const LONGEST_ERROR: usize = 576;

/// Writes the answer to an echo request; false if the packet is none, or damaged. Fragments are not put together.
///
/// ```
/// use tailrace_wire::{Ipv4Packet, icmp};
/// let request = icmp::echo_request([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), (7, 1), &[1, 2, 3]);
/// let mut reply = Vec::new();
/// assert!(icmp::echo_reply(&Ipv4Packet::new_checked(&request[..])?, &mut reply));
/// let reply = Ipv4Packet::new_checked(&reply[..])?;
/// assert_eq!((reply.dst(), &reply.payload()[4..]), ([10, 0, 0, 1].into(), &[0, 7, 0, 1, 1, 2, 3][..]));
/// # Ok::<(), tailrace_wire::WireError>(())
/// ```
pub fn echo_reply(request: &Ipv4Packet<&[u8]>, reply: &mut Vec<u8>) -> bool {
    let message = request.payload();
    let is_echo =
        request.protocol() == protocol::ICMP && !request.is_fragment() && message.len() >= HEADER_LEN;
    if !is_echo || message[..2] != [ECHO, 0] || InternetChecksum::new().bytes(message).checksum() != 0 {
        return false;
    }
    let envelope = IcmpAddressing { dscp: request.dscp(), ..IcmpAddressing::back(request) };
    write(envelope, [ECHO_REPLY, 0], &message[4..], reply)
}

/// Writes the error that there is no socket for a datagram; false if the packet is none, or damaged. Of the datagram it tells as
/// much as there is room for (RFC 1812 §4.3.2.3).
pub fn port_unreachable(datagram: &Ipv4Packet<&[u8]>, error: &mut Vec<u8>) -> bool {
    let is_whole = datagram.protocol() == protocol::UDP && !datagram.is_fragment();
    let Some(udp) = UdpPacket::new_checked(datagram.payload()).ok().filter(|_| is_whole) else {
        return false;
    };
    if !udp.verify_checksum(datagram.src(), datagram.dst()) {
        return false;
    }
    report(IcmpAddressing::back(datagram), datagram, ([UNREACHABLE, PORT], 0), error)
}

/// Writes the error of the router with address `from` that a packet's time to live is over; false if the packet must have none: it
/// is an error itself, or not the first fragment (RFC 1812 §4.3.2.7).
pub fn time_exceeded(from: Ipv4Addr, packet: &Ipv4Packet<&[u8]>, error: &mut Vec<u8>) -> bool {
    let envelope = IcmpAddressing { src: from, ..IcmpAddressing::back(packet) };
    may_be_reported(packet) && report(envelope, packet, ([TIME_EXCEEDED, IN_TRANSIT], 0), error)
}

/// Writes the error of the router with address `from` that the next link carries no more than `mtu` bytes of a packet that must not be
/// cut (RFC 1191 §4); false if the packet must have none.
pub fn fragmentation_needed(
    (from, mtu): (Ipv4Addr, u16),
    packet: &Ipv4Packet<&[u8]>,
    error: &mut Vec<u8>,
) -> bool {
    let envelope = IcmpAddressing { src: from, ..IcmpAddressing::back(packet) };
    may_be_reported(packet) && report(envelope, packet, ([UNREACHABLE, FRAGMENTATION_NEEDED], mtu), error)
}

/// Whether there may be an error about a packet (RFC 1812 §4.3.2.7).
fn may_be_reported(packet: &Ipv4Packet<&[u8]>) -> bool {
    let is_error = packet.protocol() == protocol::ICMP
        && packet.payload().first().is_none_or(|kind| {
            matches!(*kind, UNREACHABLE | SOURCE_QUENCH | REDIRECT | TIME_EXCEEDED | PARAMETER_PROBLEM)
        });
    !is_error && packet.fragment_offset() == 0
}

/// An echo request with an identifier, a number and data.
pub fn echo_request(src: Ipv4Addr, dst: Ipv4Addr, (id, number): (u16, u16), data: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let rest = [&id.to_be_bytes()[..], &number.to_be_bytes(), data].concat();
    write(IcmpAddressing { src, dst, dscp: Dscp(0) }, [ECHO, 0], &rest, &mut packet);
    packet
}

/// Where a message goes.
#[derive(Clone, Copy)]
struct IcmpAddressing {
    src: Ipv4Addr,
    dst: Ipv4Addr,
    dscp: Dscp,
}

impl IcmpAddressing {
    /// Back to the sender of a packet, with the precedence of errors and what else the packet's class says (RFC 1812 §4.3.2.5;
    /// Linux, `icmp_send`).
    fn back(to: &Ipv4Packet<&[u8]>) -> Self {
        let dscp = Dscp(INTERNETWORK_CONTROL | to.dscp().0 & 0b111);
        Self { src: to.dst(), dst: to.src(), dscp }
    }
}

/// The precedence of errors (RFC 791 §3.1), in the high three bits of the DiffServ codepoint.
const INTERNETWORK_CONTROL: u8 = 6 << 3;

/// An error, with the size that one of its kinds tells, and as much of the packet that it is about as there is room for.
fn report(
    envelope: IcmpAddressing,
    about: &Ipv4Packet<&[u8]>,
    (kind, mtu): ([u8; 2], u16),
    error: &mut Vec<u8>,
) -> bool {
    let mut told = [0; LONGEST_ERROR - crate::ipv4::HEADER_LEN - 4];
    let packet = &about.into_inner()[..usize::from(about.total_len())];
    let len = packet.len().min(told.len() - 4);
    told[2..4].copy_from_slice(&mtu.to_be_bytes());
    told[4..4 + len].copy_from_slice(&packet[..len]);
    write(envelope, kind, &told[..4 + len], error)
}

/// A message of a type and code, with what follows its checksum; false if it is too long.
fn write(envelope: IcmpAddressing, kind: [u8; 2], rest: &[u8], packet: &mut Vec<u8>) -> bool {
    let len = 4 + rest.len();
    let IcmpAddressing { src, dst, dscp } = envelope;
    let ip = Ipv4Repr { dscp, ..Ipv4Repr::new(src, dst, protocol::ICMP, len) };
    packet.clear();
    packet.resize(ip.header_len(), 0);
    if ip.emit(packet).is_err() {
        return false;
    }
    let checksum = InternetChecksum::new().bytes(&kind).bytes(rest).checksum();
    packet.extend_from_slice(&kind);
    packet.extend_from_slice(&checksum.to_be_bytes());
    packet.extend_from_slice(rest);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PacketHeaders, UdpRepr};
    use proptest::prelude::*;

    const A: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
    const B: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

    fn datagram(payload: usize) -> Vec<u8> {
        let ip = Ipv4Repr::new(A, B, protocol::UDP, 0);
        PacketHeaders::udp(ip, &UdpRepr { src_port: 5000, dst_port: 9 }, payload).unwrap().to_packet()
    }

    fn sound(packet: &[u8]) -> Ipv4Packet<&[u8]> {
        let ip = Ipv4Packet::new_checked(packet).unwrap();
        assert!(ip.verify_checksum() && InternetChecksum::new().bytes(ip.payload()).checksum() == 0);
        assert_eq!((ip.src(), ip.dst(), ip.protocol()), (B, A, protocol::ICMP));
        ip
    }

    #[test]
    fn an_error_tells_what_it_is_about_as_far_as_there_is_room() {
        for (payload, told) in [(0, 28), (100, 128), (1472, 548)] {
            let (sent, mut error) = (datagram(payload), Vec::new());
            assert!(port_unreachable(&Ipv4Packet::new_checked(&sent[..]).unwrap(), &mut error));
            let ip = sound(&error);
            assert_eq!(ip.payload()[..2], [3, 3]);
            assert_eq!(ip.payload()[8..], sent[..told]);
        }
    }

    #[test]
    fn a_router_tells_of_a_packet_that_has_come_too_far_in_its_own_name() {
        let (from, mut error) = (Ipv4Addr::new(10, 0, 0, 9), Vec::new());
        let request = echo_request(A, B, (7, 1), b"data");
        let ip = Ipv4Repr { dscp: Dscp(0b101_010), ..Ipv4Repr::new(A, B, protocol::UDP, 0) };
        let classed =
            PacketHeaders::udp(ip, &UdpRepr { src_port: 5000, dst_port: 9 }, 30).unwrap().to_packet();
        for (sent, dscp) in [(request, 0b110_000), (classed, 0b110_010)] {
            let about = Ipv4Packet::new_checked(&sent[..]).unwrap();
            assert!(time_exceeded(from, &about, &mut error));
            let ip = Ipv4Packet::new_checked(&error[..]).unwrap();
            assert!(ip.verify_checksum() && InternetChecksum::new().bytes(ip.payload()).checksum() == 0);
            assert_eq!((ip.src(), ip.dst(), ip.dscp()), (from, A, Dscp(dscp)));
            assert_eq!((&ip.payload()[..2], &ip.payload()[8..]), (&[11, 0][..], &sent[..]));
            // No ICMP error answers an ICMP error.
            let mut again = Vec::new();
            assert!(!time_exceeded(from, &ip, &mut again));
            assert!(!fragmentation_needed((from, 600), &ip, &mut again));
        }
    }

    #[test]
    fn a_router_tells_how_much_the_next_link_carries() {
        let (sent, mut error) = (datagram(1000), Vec::new());
        assert!(fragmentation_needed((B, 576), &Ipv4Packet::new_checked(&sent[..]).unwrap(), &mut error));
        let told = sound(&error).payload().to_vec();
        // RFC 1191 §4: unused, then the next hop's MTU.
        assert_eq!((&told[..2], &told[4..8]), (&[3, 4][..], &[0, 0, 2, 64][..]));
        assert_eq!(told[8..], sent[..548]);
    }

    #[test]
    fn only_the_first_fragment_causes_an_icmp_error() {
        let (mut packet, mut error) = (datagram(8), Vec::new());
        for (fragment, told) in [([0x20, 0], true), ([0x20, 1], false), ([0, 1], false)] {
            packet[6..8].copy_from_slice(&fragment);
            let about = Ipv4Packet::new_checked(&packet[..]).unwrap();
            assert_eq!(time_exceeded(B, &about, &mut error), told);
        }
    }

    #[test]
    fn damaged_or_other_icmp_messages_have_no_answer() {
        let mut out = Vec::new();
        let request = echo_request(A, B, (7, 1), b"data");
        let mut reply = Vec::new();
        assert!(echo_reply(&Ipv4Packet::new_checked(&request[..]).unwrap(), &mut reply));
        assert_eq!(sound(&reply).payload()[4..], request[24..]);
        // No answer is answered.
        assert!(!echo_reply(&Ipv4Packet::new_checked(&reply[..]).unwrap(), &mut out));
        for mut damaged in [request, datagram(8)] {
            *damaged.last_mut().unwrap() ^= 1;
            let ip = Ipv4Packet::new_checked(&damaged[..]).unwrap();
            assert!(!echo_reply(&ip, &mut out) && !port_unreachable(&ip, &mut out));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_answer_or_none(mut bytes in prop::collection::vec(any::<u8>(), 20..80), icmp: bool) {
            bytes[0] = 0x45;
            (bytes[6], bytes[7], bytes[9]) = (0, 0, if icmp { 1 } else { 17 });
            let len = bytes.len() as u16;
            bytes[2..4].copy_from_slice(&len.to_be_bytes());
            let mut out = Vec::new();
            let ip = Ipv4Packet::new_checked(&bytes[..]).unwrap();
            let answered = echo_reply(&ip, &mut out)
                || port_unreachable(&ip, &mut out)
                || time_exceeded(B, &ip, &mut out);
            prop_assert!(!answered || Ipv4Packet::new_checked(&out[..]).unwrap().verify_checksum());
        }
    }
}
