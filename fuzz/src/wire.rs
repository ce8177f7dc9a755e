//! Headers from any bytes: no panic, and what was read is written so that it reads the same; also options of Multipath TCP.

use tailrace_core::Ecn;
use tailrace_wire::tcp::mptcp::{KIND, MptcpOption};
use tailrace_wire::tcp::{RawOptions, options};
use tailrace_wire::{
    Ipv4Packet, Ipv4Repr, Payload, TcpOptions, TcpPacket, TcpRepr, UdpPacket, UdpRepr, icmp, rewrite,
};

/// Tries one input.
pub fn run(data: &[u8]) {
    let Some((&which, data)) = data.split_first() else { return };
    match which % 4 {
        0 => ipv4(data),
        1 => tcp(data),
        2 => udp(data),
        _ => drop(tcp_options(data)),
    }
}

fn ipv4(data: &[u8]) {
    let Ok(packet) = Ipv4Packet::new_checked(data) else { return };
    let mut rewritten = data.to_vec();
    rewrite::set_traffic_class(&mut rewritten, packet.dscp(), Ecn::Ce);
    rewrite::alter_payload(&mut rewritten);
    rewrite::strip_tcp_option(&mut rewritten, KIND);
    assert!(Ipv4Packet::new_checked(&rewritten[..]).is_ok(), "what was rewritten can be read");
    let repr = Ipv4Repr::parse(&packet);
    let _ = (packet.verify_checksum(), repr.final_destination());
    if !packet.is_fragment() {
        let mut written = [0; 128];
        let len = repr.emit(&mut written).expect("what was read can be written");
        let mut whole = written[..len].to_vec();
        whole.extend_from_slice(packet.payload());
        let again = Ipv4Packet::new_checked(&whole[..]).expect("what was written can be read");
        assert_eq!(Ipv4Repr::parse(&again), repr);
        assert!(again.verify_checksum());
    }
    let mut answer = Vec::new();
    if icmp::echo_reply(&packet, &mut answer) || icmp::port_unreachable(&packet, &mut answer) {
        let answer = Ipv4Packet::new_checked(&answer[..]).expect("an answer can be read");
        assert!(answer.verify_checksum() && answer.dst() == packet.src());
    }
    match packet.protocol() {
        6 => tcp(packet.payload()),
        17 => udp(packet.payload()),
        _ => {}
    }
}

const SRC: std::net::Ipv4Addr = std::net::Ipv4Addr::new(10, 0, 0, 1);
const DST: std::net::Ipv4Addr = std::net::Ipv4Addr::new(10, 0, 0, 2);

fn tcp(data: &[u8]) {
    let Ok(packet) = TcpPacket::new_checked(data) else { return };
    let _ = packet.verify_checksum(SRC, DST);
    let Ok(repr) = TcpRepr::parse(&packet) else { return };
    let mut written = [0; 128];
    let len = repr
        .emit(SRC, DST, Payload::Bytes(packet.payload()), &mut written)
        .expect("what was read can be written");
    let mut whole = written[..len].to_vec();
    whole.extend_from_slice(packet.payload());
    let again = TcpPacket::new_checked(&whole[..]).expect("what was written can be read");
    assert_eq!(TcpRepr::parse(&again), Ok(repr));
    assert!(again.verify_checksum(SRC, DST));
    tcp_options(packet.options());
}

fn udp(data: &[u8]) {
    let Ok(packet) = UdpPacket::new_checked(data) else { return };
    let _ = packet.verify_checksum(SRC, DST);
    let repr = UdpRepr::parse(&packet);
    let mut written = [0; 8];
    repr.emit(SRC, DST, Payload::Bytes(packet.payload()), &mut written)
        .expect("what was read can be written");
    let mut whole = written.to_vec();
    whole.extend_from_slice(packet.payload());
    let again = UdpPacket::new_checked(&whole[..]).expect("what was written can be read");
    assert_eq!(UdpRepr::parse(&again), repr);
    assert!(again.verify_checksum(SRC, DST));
}

fn tcp_options(data: &[u8]) -> Option<()> {
    let parsed = TcpOptions::parse(data).ok()?;
    let encoded = parsed.encode().expect("what was read can be written");
    assert!(encoded.as_bytes().len() <= options::MAX_OPTIONS_LEN);
    assert_eq!(TcpOptions::parse(encoded.as_bytes()), Ok(parsed));
    for (kind, data) in parsed.raw.iter() {
        if kind == KIND
            && let Ok(option) = MptcpOption::parse(data)
        {
            let mut raw = RawOptions::default();
            option.push(&mut raw).expect("an option that fitted once");
            let written: Vec<_> = raw.iter().collect();
            let [(KIND, bytes)] = written[..] else { panic!("one option became {written:?}") };
            assert_eq!(MptcpOption::parse(bytes), Ok(option));
        }
    }
    Some(())
}
