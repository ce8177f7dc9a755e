//! Packet captures: pcapng files of the packets that hosts send and receive and that links carry and drop.

use crate::ground::output::CaptureFile;
use crate::packet::flow_end::PacketOwner;
use crate::packet::frame_encode::{bytes_of, headers_of, plain_headers, usual_headers};
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use std::collections::VecDeque;
use tailrace_core::{DropReason, Ecn, Instant, Packet};
use tailrace_net::{Address, Graph, LinkId, NodeId};
use tailrace_scenario::model::{CapturePoint, NodeIndex, Scenario};
use tailrace_transport::segment::SeqNumber;
use tailrace_wire::PacketHeaders;
use tailrace_wire::pcapng::{
    CaptureInterface, CapturedPacket, InterfaceId, LinkType, PcapngWriter, SnapLength,
};

/// All captures of a run. Empty for most runs, and then every call returns at once.
#[derive(Debug)]
pub(crate) struct Captures {
    taps: Vec<CaptureTap>,
    /// Taps of each node and of each pair of links; empty lists for others. Hundreds of hosts may be captured, and each packet
    /// belongs to few of them.
    by_node: Vec<Vec<u32>>,
    by_link: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct CaptureTap {
    /// Name of the file without its extension.
    stem: String,
    writer: PcapngWriter<Vec<u8>>,
    /// For a link: one interface a direction; for a node both are the same.
    interfaces: [InterfaceId; 2],
    /// Packets that the link's queues have marked and not yet sent or dropped.
    marked: VecDeque<QueueMark>,
    /// Buffer for a packet's bytes.
    bytes: Vec<u8>,
}

/// A packet marked by the queue of one of two links and still in it. CE alone does not tell where it was marked: an earlier link
/// or a host may have set it.
#[derive(Debug, PartialEq)]
struct QueueMark {
    link: LinkId,
    to: PacketOwner,
    sent_at: Instant,
    seq: SeqNumber,
}

impl QueueMark {
    fn of(link: LinkId, pkt: &SimPacket) -> Self {
        Self { link, to: pkt.to, sent_at: pkt.sent_at, seq: pkt.seq }
    }
}

impl Captures {
    /// The captures that the scenario asks for.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let places = |of_nodes: bool, number: usize| {
            let are_captured =
                scenario.captures.iter().any(|c| matches!(c.at, CapturePoint::Node(_)) == of_nodes);
            vec![Vec::new(); if are_captured { number } else { 0 }]
        };
        let mut all = Self {
            taps: Vec::with_capacity(scenario.captures.len()),
            by_node: places(true, scenario.nodes.len()),
            by_link: places(false, scenario.links.len()),
        };
        for (c, number) in scenario.captures.iter().zip(0..) {
            let mut tap = CaptureTap::new(scenario, c.at, c.snaplen);
            tap.stem = vacant(&tap.stem, &all.taps);
            all.taps.push(tap);
            match c.at {
                CapturePoint::Node(n) => all.by_node[n.0 as usize].push(number),
                CapturePoint::Link(l) => all.by_link[l.0 as usize].push(number),
            }
        }
        all
    }

    /// Captures a packet that reaches a host.
    #[inline]
    pub(crate) fn at_node(&mut self, node: NodeId, pkt: &SimPacket, options: &OptionsArena, at: Instant) {
        if !self.by_node.is_empty() {
            self.write_at_node(node, pkt, options, at);
        }
    }

    /// Captures a packet sent by a host from this address; nothing leaves from an address that the host no longer has.
    #[inline]
    pub(crate) fn at_sender(
        &mut self,
        (source, graph): (Address, &Graph),
        pkt: &SimPacket,
        options: &OptionsArena,
        at: Instant,
    ) {
        if !self.by_node.is_empty()
            && let Some(node) = graph.holder(source)
        {
            self.write_at_node(node, pkt, options, at);
        }
    }

    #[cold]
    fn write_at_node(&mut self, node: NodeId, pkt: &SimPacket, options: &OptionsArena, at: Instant) {
        for tap in &self.by_node[node.0 as usize] {
            self.taps[*tap as usize].write(0, pkt, options, at, None);
        }
    }

    /// Records that a link's queue marked a packet, to be sent or dropped later.
    #[inline]
    pub(crate) fn marked(&mut self, link: LinkId, pkt: &SimPacket) {
        for tap in self.by_link.get(link.0 as usize / 2).into_iter().flatten() {
            self.taps[*tap as usize].marked.push_back(QueueMark::of(link, pkt));
        }
    }

    /// Captures a packet that a link starts to send.
    pub(crate) fn on_link(&mut self, link: LinkId, pkt: &SimPacket, options: &OptionsArena, at: Instant) {
        for tap in self.by_link.get(link.0 as usize / 2).into_iter().flatten() {
            let tap = &mut self.taps[*tap as usize];
            let comment = if tap.take_mark(link, pkt) { Some("mark: ce") } else { None };
            tap.write(link.0 as usize & 1, pkt, options, at, comment);
        }
    }

    /// Captures a packet that a link dropped.
    #[inline]
    pub(crate) fn dropped(
        &mut self,
        link: LinkId,
        pkt: &SimPacket,
        options: &OptionsArena,
        reason: DropReason,
        at: Instant,
    ) {
        if !self.by_link.is_empty() {
            self.write_dropped(link, pkt, options, reason, at);
        }
    }

    #[cold]
    fn write_dropped(
        &mut self,
        link: LinkId,
        pkt: &SimPacket,
        options: &OptionsArena,
        reason: DropReason,
        at: Instant,
    ) {
        for tap in self.by_link.get(link.0 as usize / 2).into_iter().flatten() {
            let tap = &mut self.taps[*tap as usize];
            tap.take_mark(link, pkt);
            let comment =
                if reason.is_loss() { format!("drop: {}", reason.name()) } else { reason.name().to_string() };
            tap.write(link.0 as usize & 1, pkt, options, at, Some(&comment));
        }
    }

    /// Takes the bytes since the previous call; concatenated they make the files.
    pub(crate) fn take(&mut self) -> Vec<CaptureFile> {
        let file = |t: &mut CaptureTap| {
            // Capacity of the previous part: the next is mostly as long and need not grow.
            let room = Vec::with_capacity(t.writer.output_mut().len());
            let bytes = std::mem::replace(t.writer.output_mut(), room);
            CaptureFile { name: format!("{}.pcapng", t.stem), bytes }
        };
        self.taps.iter_mut().map(file).collect()
    }
}

/// Message of an impossible failure: writing to a `Vec` does not fail, and packets are within pcapng's bounds.
const IN_MEMORY: &str = "a capture in memory takes every packet";

impl CaptureTap {
    fn new(scenario: &Scenario, at: CapturePoint, snaplen: u32) -> Self {
        let mut writer = PcapngWriter::new(Vec::new()).expect(IN_MEMORY);
        let mut interface = |name: &str| {
            let interface = CaptureInterface {
                name,
                link_type: LinkType::Ipv4,
                snap: SnapLength::Bytes(snaplen),
                rate: None,
            };
            writer.add_interface(&interface).expect(IN_MEMORY)
        };
        let (name, interfaces) = match at {
            CapturePoint::Node(n) => {
                let name = &scenario.nodes[n.0 as usize].name;
                let id = interface(name);
                (name, [id, id])
            }
            CapturePoint::Link(l) => {
                let link = &scenario.links[l.0 as usize];
                let end = |n: NodeIndex| &scenario.nodes[n.0 as usize].name;
                let way = |from, to| format!("{}:{}->{}", link.name, end(from), end(to));
                let ids = [interface(&way(link.a, link.b)), interface(&way(link.b, link.a))];
                (&link.name, ids)
            }
        };
        Self { stem: file_stem(name), writer, interfaces, marked: VecDeque::new(), bytes: Vec::new() }
    }

    /// Whether `link` has marked `pkt`, which now leaves its queue. Packets mostly leave in the order of their marks.
    fn take_mark(&mut self, link: LinkId, pkt: &SimPacket) -> bool {
        if pkt.ecn() != Ecn::Ce {
            return false;
        }
        let mark = QueueMark::of(link, pkt);
        let place = self.marked.iter().position(|other| *other == mark);
        place.and_then(|at| self.marked.remove(at)).is_some()
    }

    fn write(
        &mut self,
        way: usize,
        pkt: &SimPacket,
        options: &OptionsArena,
        at: Instant,
        comment: Option<&str>,
    ) {
        let interface = self.interfaces[way];
        if pkt.is_plain_segment() {
            self.write_headers(interface, &plain_headers(pkt), at, comment);
        } else {
            self.write_other(interface, pkt, options, at, comment);
        }
    }

    #[inline(never)]
    fn write_other(
        &mut self,
        interface: InterfaceId,
        pkt: &SimPacket,
        options: &OptionsArena,
        at: Instant,
        comment: Option<&str>,
    ) {
        if let Some(headers) = usual_headers(pkt, options) {
            self.write_headers(interface, &headers, at, comment);
        } else if pkt.has_bytes(options) {
            bytes_of(pkt, options, &mut self.bytes);
            let capture = CapturedPacket { interface, at, data: &self.bytes, zeros: 0, comment };
            self.writer.write(&capture).expect(IN_MEMORY);
        } else {
            self.write_headers(interface, &headers_of(pkt, options), at, comment);
        }
    }

    #[inline]
    fn write_headers(
        &mut self,
        interface: InterfaceId,
        headers: &PacketHeaders,
        at: Instant,
        comment: Option<&str>,
    ) {
        if comment.is_none() {
            self.writer.write_headers(interface, at, headers).expect(IN_MEMORY);
        } else {
            let (data, zeros) = (headers.as_bytes(), headers.payload_len());
            self.writer.write(&CapturedPacket { interface, at, data, zeros, comment }).expect(IN_MEMORY);
        }
    }
}

/// `src[3]` names a file `src-3`.
fn file_stem(name: &str) -> String {
    name.replace('[', "-").replace(']', "").replace(['/', '\\', ':', '>'], "_")
}

/// The stem, or the first unused of `stem-2`, `stem-3`...: names of different places can give the same stem.
fn vacant(stem: &str, taps: &[CaptureTap]) -> String {
    let numbered = (2..).map(|n| format!("{stem}-{n}"));
    std::iter::once(stem.to_string())
        .chain(numbered)
        .find(|s| taps.iter().all(|t| t.stem != *s))
        .expect("there are more numbers than captures")
}
