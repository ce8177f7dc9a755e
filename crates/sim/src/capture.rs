//! Packet captures: pcapng files of what hosts send and receive and of what links carry and drop.

use crate::frame::{bytes_of, headers_of};
use crate::output::CaptureFile;
use crate::packet::{OptionsArena, Owner, SimPacket};
use std::collections::VecDeque;
use tailrace_core::{DropReason, Ecn, Instant, Packet};
use tailrace_net::{Address, Graph, LinkId, NodeId};
use tailrace_scenario::model::{CapturePoint, NodeIndex, Scenario};
use tailrace_transport::segment::SeqNumber;
use tailrace_wire::pcapng::{Capture, Interface, InterfaceId, LinkType, Snap, Writer};

/// All captures of a run. Empty for most runs, and then every call returns at once.
#[derive(Debug)]
pub(crate) struct Captures {
    taps: Vec<Tap>,
}

#[derive(Debug)]
struct Tap {
    point: Point,
    /// Name of the file without its extension.
    stem: String,
    writer: Writer<Vec<u8>>,
    /// For a link: one interface a direction; for a node both are the same.
    interfaces: [InterfaceId; 2],
    /// Packets that the link's queues have marked and not yet sent or dropped.
    marked: VecDeque<Mark>,
    /// The packet that is being written, where it has bytes.
    bytes: Vec<u8>,
}

/// A packet that waits behind one of two links with a mark. CE alone does not tell whose mark it is: an earlier link's, or
/// that of a host.
#[derive(Debug, PartialEq)]
struct Mark {
    link: LinkId,
    to: Owner,
    sent_at: Instant,
    seq: SeqNumber,
}

impl Mark {
    fn of(link: LinkId, pkt: &SimPacket) -> Self {
        Self { link, to: pkt.to, sent_at: pkt.sent_at, seq: pkt.seq }
    }
}

#[derive(Debug)]
enum Point {
    Node { node: NodeId, addresses: Vec<Address> },
    Link { forward: LinkId },
}

impl Captures {
    /// The captures that the scenario asks for.
    pub(crate) fn new(scenario: &Scenario, graph: &Graph) -> Self {
        let mut taps: Vec<Tap> = Vec::with_capacity(scenario.captures.len());
        for c in &scenario.captures {
            let mut tap = Tap::new(scenario, graph, c.at, c.snaplen);
            tap.stem = vacant(&tap.stem, &taps);
            taps.push(tap);
        }
        Self { taps }
    }

    /// A packet has reached a host.
    #[inline]
    pub(crate) fn at_node(&mut self, node: NodeId, pkt: &SimPacket, options: &OptionsArena, at: Instant) {
        for tap in &mut self.taps {
            if matches!(tap.point, Point::Node { node: n, .. } if n == node) {
                tap.write(0, pkt, options, at, None);
            }
        }
    }

    /// A host sends a packet.
    #[inline]
    pub(crate) fn at_sender(
        &mut self,
        source: Address,
        pkt: &SimPacket,
        options: &OptionsArena,
        at: Instant,
    ) {
        for tap in &mut self.taps {
            if matches!(&tap.point, Point::Node { addresses, .. } if addresses.contains(&source)) {
                tap.write(0, pkt, options, at, None);
            }
        }
    }

    /// An interface has another address.
    pub(crate) fn readdress(&mut self, old: Address, new: Address) {
        for tap in &mut self.taps {
            if let Point::Node { addresses, .. } = &mut tap.point {
                addresses.iter_mut().filter(|address| **address == old).for_each(|address| *address = new);
            }
        }
    }

    /// A link's queue marked a packet, which it will send or drop.
    #[inline]
    pub(crate) fn marked(&mut self, link: LinkId, pkt: &SimPacket) {
        for tap in self.taps.iter_mut().filter(|tap| tap.watches(link)) {
            tap.marked.push_back(Mark::of(link, pkt));
        }
    }

    /// A link starts to send a packet.
    pub(crate) fn on_link(&mut self, link: LinkId, pkt: &SimPacket, options: &OptionsArena, at: Instant) {
        self.at_link(link, pkt, options, at, None);
    }

    /// A link dropped a packet.
    #[inline]
    pub(crate) fn dropped(
        &mut self,
        link: LinkId,
        pkt: &SimPacket,
        options: &OptionsArena,
        reason: DropReason,
        at: Instant,
    ) {
        if !self.taps.is_empty() {
            self.at_link(link, pkt, options, at, Some(reason));
        }
    }

    fn at_link(
        &mut self,
        link: LinkId,
        pkt: &SimPacket,
        options: &OptionsArena,
        at: Instant,
        dropped: Option<DropReason>,
    ) {
        for tap in self.taps.iter_mut().filter(|tap| tap.watches(link)) {
            let marked = tap.take_mark(link, pkt);
            let comment = match dropped {
                Some(reason) => Some(format!("drop: {}", reason.name())),
                None => marked.then(|| "mark: ce".to_owned()),
            };
            tap.write(link.0 as usize & 1, pkt, options, at, comment.as_deref());
        }
    }

    /// What has been written since the last time: the parts make the files.
    pub(crate) fn take(&mut self) -> Vec<CaptureFile> {
        let file = |t: &mut Tap| CaptureFile {
            name: format!("{}.pcapng", t.stem),
            bytes: std::mem::take(t.writer.output_mut()),
        };
        self.taps.iter_mut().map(file).collect()
    }
}

/// Writing to a `Vec` does not fail, and what is written is within pcapng's bounds.
const IN_MEMORY: &str = "a capture in memory takes every packet";

impl Tap {
    fn new(scenario: &Scenario, graph: &Graph, at: CapturePoint, snaplen: u32) -> Self {
        let mut writer = Writer::new(Vec::new()).expect(IN_MEMORY);
        let mut interface = |name: &str| {
            let interface =
                Interface { name, link_type: LinkType::Ipv4, snap: Snap::Bytes(snaplen), rate: None };
            writer.add_interface(&interface).expect(IN_MEMORY)
        };
        let (point, name, interfaces) = match at {
            CapturePoint::Node(n) => {
                let (node, name) = (NodeId(n.0), &scenario.nodes[n.0 as usize].name);
                let id = interface(name);
                (Point::Node { node, addresses: graph.addresses(node).collect() }, name, [id, id])
            }
            CapturePoint::Link(l) => {
                let link = &scenario.links[l.0 as usize];
                let end = |n: NodeIndex| &scenario.nodes[n.0 as usize].name;
                let way = |from, to| format!("{}:{}->{}", link.name, end(from), end(to));
                let ids = [interface(&way(link.a, link.b)), interface(&way(link.b, link.a))];
                (Point::Link { forward: LinkId(l.0 * 2) }, &link.name, ids)
            }
        };
        Self { point, stem: file_stem(name), writer, interfaces, marked: VecDeque::new(), bytes: Vec::new() }
    }

    fn watches(&self, link: LinkId) -> bool {
        matches!(self.point, Point::Link { forward } if forward.0 == link.0 & !1)
    }

    /// Whether `link` has marked `pkt`, which now leaves its queue. Most leave in the order of their marks.
    fn take_mark(&mut self, link: LinkId, pkt: &SimPacket) -> bool {
        if pkt.ecn() != Ecn::Ce {
            return false;
        }
        let mark = Mark::of(link, pkt);
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
        let headers;
        let (data, zeros) = if pkt.has_bytes(options) {
            bytes_of(pkt, options, &mut self.bytes);
            (self.bytes.as_slice(), 0)
        } else {
            headers = headers_of(pkt, options);
            (headers.as_bytes(), headers.payload_len())
        };
        let capture = Capture { interface, at, data, zeros, comment };
        self.writer.write(&capture).expect(IN_MEMORY);
    }
}

/// `src[3]` names a file `src-3`.
fn file_stem(name: &str) -> String {
    name.replace('[', "-").replace(']', "").replace(['/', '\\', ':', '>'], "_")
}

/// `stem`, or the first of `stem-2`, `stem-3`... where others have it: different places can have one spelling.
fn vacant(stem: &str, taps: &[Tap]) -> String {
    let numbered = (2..).map(|n| format!("{stem}-{n}"));
    std::iter::once(stem.to_string())
        .chain(numbered)
        .find(|s| taps.iter().all(|t| t.stem != *s))
        .expect("there are more numbers than captures")
}
