//! A packet and a sink for tests and benchmarks of disciplines, also of those outside this crate.

use crate::discipline::Sink;
use tailrace_core::{Bytes, DropReason, Dscp, Ecn, FlowKey, Instant, Label, Packet};

/// A packet with an identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestPacket {
    /// Distinguishes packets.
    pub id: u64,
    /// Size.
    pub size: Bytes,
    /// Codepoint.
    pub ecn: Ecn,
    /// Flow.
    pub flow: FlowKey,
    /// Label.
    pub label: Label,
    /// DiffServ codepoint.
    pub dscp: Dscp,
}

impl TestPacket {
    /// Packet `id` of flow number `flow`: distinct addresses and ports a flow.
    pub fn new(id: u64, flow: u32, size: u64) -> Self {
        let key = FlowKey { src: flow, dst: 1 << 24, src_port: flow as u16, dst_port: 80, protocol: 6 };
        Self { id, size: Bytes(size), flow: key, ..Self::default() }
    }
    /// The same packet with another codepoint.
    pub fn with_ecn(self, ecn: Ecn) -> Self {
        Self { ecn, ..self }
    }
}

impl Packet for TestPacket {
    fn size(&self) -> Bytes {
        self.size
    }
    fn flow(&self) -> FlowKey {
        self.flow
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn dscp(&self) -> Dscp {
        self.dscp
    }
    fn label(&self) -> Label {
        self.label
    }
    fn set_label(&mut self, label: Label) {
        self.label = label;
    }
}

/// A sink that keeps everything.
#[derive(Clone, Debug)]
pub struct Collector<P> {
    /// Packets dropped, in order.
    pub dropped: Vec<(P, DropReason, Instant)>,
    /// Packets marked, in order, as they were after the mark.
    pub marked: Vec<(P, Instant)>,
    /// Flows flagged and cleared, in order.
    pub flagged: Vec<(FlowKey, bool, Instant)>,
}

impl<P> Default for Collector<P> {
    fn default() -> Self {
        Self { dropped: Vec::new(), marked: Vec::new(), flagged: Vec::new() }
    }
}

impl<P: Clone> Sink<P> for Collector<P> {
    fn dropped(&mut self, packet: P, reason: DropReason, now: Instant) {
        self.dropped.push((packet, reason, now));
    }
    fn marked(&mut self, packet: &P, now: Instant) {
        self.marked.push((packet.clone(), now));
    }
    fn flagged(&mut self, flow: FlowKey, flagged: bool, now: Instant) {
        self.flagged.push((flow, flagged, now));
    }
}

/// A sink that only counts: no allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Packets dropped.
    pub dropped: u64,
    /// Packets marked.
    pub marked: u64,
}

impl<P> Sink<P> for Counter {
    fn dropped(&mut self, _packet: P, _reason: DropReason, _now: Instant) {
        self.dropped += 1;
    }
    fn marked(&mut self, _packet: &P, _now: Instant) {
        self.marked += 1;
    }
}
