//! Changes that queues and middleboxes make to the bytes of a packet. Checksums that were right stay right.
//!
//! All functions take a packet that [`Ipv4Packet::new_checked`] accepts; others stay unchanged.

use crate::checksum::{InternetChecksum, update};
use crate::ipv4::Ipv4Packet;
use crate::tcp::{self, TcpPacket};
use tailrace_core::packet::protocol;
use tailrace_core::{Dscp, Ecn};

/// Sets class and ECN codepoint (RFC 2474, RFC 3168).
pub fn set_traffic_class(packet: &mut [u8], dscp: Dscp, ecn: Ecn) {
    if Ipv4Packet::new_checked(&packet[..]).is_err() {
        return;
    }
    let before = u16::from_be_bytes([packet[0], packet[1]]);
    packet[1] = dscp.0 << 2 | ecn as u8;
    let after = u16::from_be_bytes([packet[0], packet[1]]);
    patch(packet, IP_CHECKSUM, before, after);
}

/// Writes what `content` begins with over the payload of a TCP segment that is all zeros, and makes its checksum right for it.
pub fn fill_payload(packet: &mut [u8], content: &[u8]) {
    let Ok(view) = Ipv4Packet::new_checked(&packet[..]) else { return };
    let (header, total) = (view.header_len(), usize::from(view.total_len()));
    if view.protocol() != protocol::TCP || view.is_fragment() {
        return;
    }
    let Ok(segment) = TcpPacket::new_checked(view.payload()) else { return };
    let from = header + segment.header_len();
    let content = &content[..content.len().min(total - from)];
    packet[from..from + content.len()].copy_from_slice(content);
    let sum = !InternetChecksum::new().bytes(content).checksum();
    patch(packet, header + TCP_CHECKSUM, 0, sum);
}

/// Changes the first byte of a TCP or UDP payload, if there is one, and the transport's checksum with it.
pub fn alter_payload(packet: &mut [u8]) {
    let Ok(view) = Ipv4Packet::new_checked(&packet[..]) else { return };
    let (header, total, number) = (view.header_len(), usize::from(view.total_len()), view.protocol());
    if view.fragment_offset() != 0 {
        return;
    }
    let (payload, field) = match number {
        protocol::TCP => match TcpPacket::new_checked(view.payload()) {
            Ok(segment) => (header + segment.header_len(), header + TCP_CHECKSUM),
            Err(_) => return,
        },
        protocol::UDP => (header + crate::udp::HEADER_LEN, header + UDP_CHECKSUM),
        _ => return,
    };
    if payload >= total {
        return;
    }
    // The word that the byte is a half of, as the checksum sees it.
    let word = |packet: &[u8]| match (payload - header) % 2 {
        0 => u16::from(packet[payload]) << 8,
        _ => u16::from(packet[payload]),
    };
    let before = word(packet);
    packet[payload] ^= 0xaa;
    let after = word(packet);
    let absent = number == protocol::UDP && packet[field..field + 2] == [0, 0];
    if !absent {
        patch(packet, field, before, after);
        if number == protocol::UDP && packet[field..field + 2] == [0, 0] {
            // Zero says of a datagram that it has none (RFC 768).
            packet[field..field + 2].fill(0xff);
        }
    }
}

/// Takes the TCP options of one kind out, and returns by how many bytes the packet has become shorter.
pub fn strip_tcp_option(packet: &mut Vec<u8>, kind: u8) -> usize {
    let Ok(view) = Ipv4Packet::new_checked(&packet[..]) else { return 0 };
    let (header, src, dst) = (view.header_len(), view.src(), view.dst());
    if view.protocol() != protocol::TCP || view.is_fragment() {
        return 0;
    }
    let Ok(segment) = TcpPacket::new_checked(view.payload()) else { return 0 };
    let was_right = segment.verify_checksum(src, dst);
    let kept = without(segment.options(), kind);
    let from = header + tcp::HEADER_LEN;
    let removed = segment.options().len() - kept.len();
    if removed == 0 {
        return 0;
    }
    let total = usize::from(view.total_len()) - removed;
    packet.splice(from..from + kept.len() + removed, kept.iter().copied());
    packet.truncate(total);
    packet[header + tcp::DATA_OFFSET] =
        ((tcp::HEADER_LEN + kept.len()) as u8 / 4) << 4 | (packet[header + tcp::DATA_OFFSET] & 0x0f);
    let before = u16::from_be_bytes([packet[2], packet[3]]);
    packet[2..4].copy_from_slice(&(total as u16).to_be_bytes());
    patch(packet, IP_CHECKSUM, before, total as u16);
    if was_right {
        let field = header + TCP_CHECKSUM;
        packet[field..field + 2].fill(0);
        let length = (total - header) as u16;
        let sum =
            InternetChecksum::new().pseudo_header(src, dst, protocol::TCP, length).bytes(&packet[header..]);
        packet[field..field + 2].copy_from_slice(&sum.checksum().to_be_bytes());
    }
    removed
}

/// Options but for those of one kind, padded to a multiple of four; as they are where they cannot be read.
fn without(options: &[u8], kind: u8) -> Vec<u8> {
    const END: u8 = 0;
    const NOP: u8 = 1;
    let (mut kept, mut at, mut found) = (Vec::with_capacity(options.len()), 0, false);
    while at < options.len() && options[at] != END {
        let len = match (options[at], options.get(at + 1)) {
            (NOP, _) => 1,
            (_, Some(len)) if usize::from(*len) >= 2 && at + usize::from(*len) <= options.len() => {
                usize::from(*len)
            }
            _ => return options.to_vec(),
        };
        if options[at] == kind {
            found = true;
        } else {
            kept.extend_from_slice(&options[at..at + len]);
        }
        at += len;
    }
    if !found {
        return options.to_vec();
    }
    while kept.last() == Some(&NOP) {
        kept.pop();
    }
    kept.resize(kept.len().next_multiple_of(4), END);
    kept
}

/// Corrects the checksum at `field` for a word that has changed (RFC 1624).
fn patch(packet: &mut [u8], field: usize, before: u16, after: u16) {
    let sum = u16::from_be_bytes([packet[field], packet[field + 1]]);
    packet[field..field + 2].copy_from_slice(&update(sum, before, after).to_be_bytes());
}

const IP_CHECKSUM: usize = 10;
const TCP_CHECKSUM: usize = 16;
const UDP_CHECKSUM: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::mptcp::{self, MptcpOption};
    use crate::{Ipv4Repr, PacketHeaders, RawOptions, TcpOptions, TcpRepr, UdpPacket, UdpRepr};
    use proptest::prelude::*;

    fn ip() -> Ipv4Repr {
        Ipv4Repr::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), 0, 0)
    }

    fn holds(packet: &[u8]) -> bool {
        let view = Ipv4Packet::new_checked(packet).unwrap();
        let right = match view.protocol() {
            protocol::TCP => {
                TcpPacket::new_checked(view.payload()).unwrap().verify_checksum(view.src(), view.dst())
            }
            _ => UdpPacket::new_checked(view.payload()).unwrap().verify_checksum(view.src(), view.dst()),
        };
        right && view.verify_checksum()
    }

    proptest! {
        #[test]
        fn checksums_stay_right(
            payload in 0..60_usize, seq: u32, dscp in 0..64_u8, stamps: bool, bytes in prop::array::uniform32(any::<u8>()),
        ) {
            let mut raw = RawOptions::default();
            MptcpOption::Fail { dsn: 7 }.push(&mut raw).unwrap();
            let options = TcpOptions { timestamps: stamps.then_some((1, 2)), raw, ..TcpOptions::default() };
            let tcp = TcpRepr { seq, src_port: 5, dst_port: 6, options, ..TcpRepr::default() };
            let plain = TcpRepr { options: TcpOptions { raw: RawOptions::default(), ..options }, ..tcp };
            let datagram = UdpRepr { src_port: 7, dst_port: seq as u16 };
            for headers in [PacketHeaders::tcp(ip(), &tcp, payload), PacketHeaders::udp(ip(), &datagram, payload)] {
                let mut packet = headers.unwrap().to_packet();
                let before = packet.clone();
                set_traffic_class(&mut packet, Dscp(dscp), Ecn::Ce);
                prop_assert!(holds(&packet));
                let view = Ipv4Packet::new_checked(&packet[..]).unwrap();
                prop_assert_eq!((view.dscp(), view.ecn()), (Dscp(dscp), Ecn::Ce));
                alter_payload(&mut packet);
                prop_assert!(holds(&packet));
                let changed = packet.iter().zip(&before).skip(20).filter(|(a, b)| a != b).count();
                prop_assert_eq!(changed > 0, payload > 0);
            }
            let mut packet = PacketHeaders::tcp(ip(), &tcp, payload).unwrap().to_packet();
            // A fail option has 12 bytes.
            prop_assert_eq!(strip_tcp_option(&mut packet, mptcp::KIND), 12);
            prop_assert!(holds(&packet));
            let view = Ipv4Packet::new_checked(&packet[..]).unwrap();
            let segment = TcpPacket::new_checked(view.payload()).unwrap();
            prop_assert_eq!(TcpRepr::parse(&segment).unwrap(), plain);
            prop_assert_eq!(segment.payload().len(), payload);
            prop_assert_eq!(strip_tcp_option(&mut packet, mptcp::KIND), 0);
            let content = vec![bytes[0]; payload];
            fill_payload(&mut packet, &content);
            prop_assert!(holds(&packet));
            prop_assert!(packet.ends_with(&content));
            // Whatever the bytes are, nothing panics.
            let mut any = bytes.to_vec();
            set_traffic_class(&mut any, Dscp(dscp), Ecn::Ce);
            alter_payload(&mut any);
            fill_payload(&mut any, &bytes);
            strip_tcp_option(&mut any, mptcp::KIND);
        }
    }
}
