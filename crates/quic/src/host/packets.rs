//! Packets that leave a host: datagrams with headers of IPv4 and UDP.

use core::net::SocketAddrV4;
use std::collections::VecDeque;
use tailrace_core::packet::protocol;
use tailrace_core::{Dscp, Ecn};
use tailrace_wire::{Ipv4Repr, Payload, UdpRepr};

/// Header bytes of IPv4 and of both.
const IP_HEADER: usize = 20;
const HEADERS: usize = 28;

/// Largest number of buffers that are kept for later packets.
const SPARE: usize = 64;

/// Addresses and traffic class of datagrams.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) from: SocketAddrV4,
    pub(super) to: SocketAddrV4,
    pub(super) traffic_class: u8,
}

/// Packets that wait for the simulator to take them, with their interfaces.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    packets: VecDeque<(usize, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
}

impl Outbox {
    /// Sends bytes as datagrams of `segment` bytes. Without an interface, whose address is gone, they are dropped.
    pub(super) fn send(&mut self, interface: Option<usize>, place: Place, bytes: &[u8], segment: usize) {
        let Some(interface) = interface else { return };
        for payload in bytes.chunks(segment.max(1)) {
            let mut packet = self.spare.pop().unwrap_or_default();
            encode(place, payload, &mut packet);
            self.packets.push_back((interface, packet));
        }
    }

    /// Moves the next packet into `packet`, whose buffer is kept.
    pub(super) fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        let (interface, bytes) = self.packets.pop_front()?;
        let spare = std::mem::replace(packet, bytes);
        if self.spare.len() < SPARE {
            self.spare.push(spare);
        }
        Some(interface)
    }
}

fn encode(Place { from, to, traffic_class }: Place, payload: &[u8], packet: &mut Vec<u8>) {
    packet.resize(HEADERS + payload.len(), 0);
    packet[HEADERS..].copy_from_slice(payload);
    let (dscp, ecn) = (Dscp(traffic_class >> 2), Ecn::from_bits(traffic_class));
    let datagram = HEADERS - IP_HEADER + payload.len();
    let ip = Ipv4Repr { dscp, ecn, ..Ipv4Repr::new(*from.ip(), *to.ip(), protocol::UDP, datagram) };
    let udp = UdpRepr { src_port: from.port(), dst_port: to.port() };
    ip.emit(packet).expect("it has room");
    udp.emit(*from.ip(), *to.ip(), Payload::Bytes(payload), &mut packet[IP_HEADER..]).expect("it has room");
}
