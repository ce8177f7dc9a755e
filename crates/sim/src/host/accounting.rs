//! Statistics of hosts: what is counted when packets are sent, arrive, are lost or delivered.

use crate::ground::scope::Open;
use crate::host::hosts::World;
use crate::packet::sim_packet::SimPacket;
use crate::stats::flow_stats::FlowTally;
use crate::stats::loss_counters::Fates;
use crate::stats::window_start::FlowCut;

use crate::stats::window_start::{common, length};
use tailrace_core::Instant;

impl World {
    /// A window begins: what counts so far is remembered.
    pub(crate) fn begin(&mut self, open: Open, now: Instant) {
        self.begun[open] = Some(now);
        let cut = |flow| FlowCut { at: self.tally(flow), ..FlowCut::default() };
        self.cuts[open] = (0..self.flows.len()).map(cut).collect();
        self.flows.iter_mut().filter_map(|flow| flow.paths.as_mut()).for_each(|paths| paths.begin(open));
        for socket in self.sockets.iter_mut() {
            let waiting = socket.waiting();
            socket.early.set(open, waiting);
        }
        self.flows.iter_mut().for_each(|flow| flow.silence.begin(open, now));
        if let Some(bins) = &mut self.bins {
            bins.begin(open);
        }
        self.cut_playback(open, now);
        self.verdicts.begin(open);
    }

    /// A packet is lost or marked. Of a flow those count that carry data, in the window in which they were sent; of copies that
    /// links have made, none.
    pub(crate) fn befall(&mut self, pkt: &SimPacket, fate: Fates) {
        if pkt.is_copy() {
            return;
        }
        let Some(flow) = self.flows.get_mut(pkt.to.flow()) else {
            if let Some(tally) = self.foreign.tally_mut(pkt.to) {
                tally.lost_packets += fate.lost;
                tally.marked_packets += fate.marked;
            }
            return;
        };
        if pkt.payload == 0 {
            return;
        }
        flow.tally.lost_packets += fate.lost;
        flow.tally.marked_packets += fate.marked;
        let before = self.begun.map(|begun| begun.is_some_and(|begun| pkt.sent_at <= begun));
        for open in Open::BOTH.into_iter().filter(|open| before[*open]) {
            self.cuts[open][pkt.to.flow()].before.add(fate);
        }
        let over = if before[Open::Part] { self.late.note(pkt.to.flow(), pkt.sent_at, fate) } else { None };
        if let Some(paths) = &mut flow.paths {
            paths.befall(pkt, &self.options, fate, (before, over));
        }
    }

    fn cut(&self, flow: usize, open: Open) -> FlowCut {
        self.cuts[open].get(flow).copied().unwrap_or_default()
    }

    /// A flow's counters in a window.
    pub(crate) fn window_tally(&self, flow: usize, open: Open) -> FlowTally {
        let cut = self.cut(flow, open);
        let mut tally = self.tally(flow).since(&cut.at);
        tally.lost_packets -= cut.before.lost;
        tally.marked_packets -= cut.before.marked;
        tally
    }

    /// What a flow's applications got in a window, of which `tally` is what was counted, but no more than came for them in
    /// it, each byte once.
    pub(crate) fn goodput_bytes(&self, flow: usize, tally: &FlowTally, open: Open) -> u64 {
        let mut came = tally.delivered_bytes - self.cut(flow, open).delivered_before;
        for socket in self.sockets_of(flow) {
            let waiting = socket.waiting();
            came += length(&waiting) - common(socket.early.of(open), &waiting);
            came -= socket.delivered_early(open);
        }
        came.min(tally.delivered_bytes)
    }
}
