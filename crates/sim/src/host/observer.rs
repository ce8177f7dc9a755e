//! Observer of packets in the network: counts them for their flows, records, captures and classifies them.

use crate::host::flow::Flow;
use crate::host::hosts::World;
use crate::packet::sim_packet::SimPacket;
use crate::stats::loss_counters::LossCounters;
use tailrace_core::{DropReason, Duration, FlowKey, Instant};
use tailrace_net::{LinkId, NodeId, Observer};

impl Observer<SimPacket> for World {
    fn dropped(&mut self, link: LinkId, pkt: SimPacket, reason: DropReason, at: Instant) {
        if !self.foreign.is_empty() {
            self.record_departure(&pkt, at);
        }
        self.captures.dropped(link, &pkt, &self.options, reason, at);
        if reason.is_loss() {
            self.count_drop(&pkt);
        } else {
            pkt.release(&mut self.options);
        }
        self.recorder.dropped(link, self.flow_of(&pkt), reason, at);
    }

    fn marked(&mut self, link: LinkId, pkt: &SimPacket, at: Instant) {
        self.count_loss(pkt, LossCounters::MARKED);
        self.captures.marked(link, pkt);
        self.recorder.marked(link, self.flow_of(pkt), at);
    }

    fn unroutable(&mut self, _node: NodeId, pkt: SimPacket, at: Instant) {
        if !self.foreign.is_empty() {
            self.record_departure(&pkt, at);
        }
        self.count_drop(&pkt);
        self.recorder.unroutable(self.flow_of(&pkt), at);
    }

    fn flagged(&mut self, link: LinkId, flow: FlowKey, flagged: bool, at: Instant) {
        let concerned =
            self.classifiers.record((link, flow, flagged), at, self.flows.iter().map(Flow::classified));
        // A key of several flows makes one event, of the first flow.
        self.recorder.flagged(link, concerned.first().copied(), flagged, at);
    }

    fn transmitted(&mut self, link: LinkId, pkt: &SimPacket, _sojourn: Duration, at: Instant) {
        self.captures.on_link(link, pkt, &self.options, at);
    }

    fn left(&mut self, _link: LinkId, pkt: &SimPacket, ends: Instant) {
        self.record_departure(pkt, ends);
    }
}
