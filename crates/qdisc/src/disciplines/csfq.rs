//! CSFQ: core-stateless fair queueing.
//!
//! Stoica, Shenker, Zhang, "Core-stateless fair queueing: achieving approximately fair bandwidth allocations in high
//! speed networks", SIGCOMM 1998; ToN 11(1), 2003. Routers at the edge estimate the rate of each flow and write it into
//! its packets. Every router drops a packet labelled `r` with probability `1 - alpha/r`. The fair share `alpha` is
//! computed only from the link's rates of arrival and acceptance. So core routers share a link fairly among flows that
//! they cannot distinguish.
//!
//! With `role = "edge"`, a queue estimates and labels, and then does what a core router does; with `role = "core"` it
//! uses the labels that it finds. A packet without a label passes a core without being dropped by the law. The label is
//! the rate divided by the flow's weight in bit/s, as an `f32` (an error of at most 6·10^-8); a packet that might have
//! been dropped leaves with a label of at most `alpha`. Weights belong to the edge: flows that enter through an edge
//! with `weight = 2` get twice the share of others further on.
//!
//! Choices where the paper leaves something open:
//! - `alpha` starts unset. It is unset again when an uncongested window ends with less than `low_water` of the buffer
//!   used (the paper's second amendment). While it is unset, nothing is dropped; the first packet that finds more
//!   waiting sets it to the largest label seen since, or to half the link's rate if there was none. The authors'
//!   simulator and its public derivatives do the same.
//! - An overflow lowers `alpha` by `overflow_step`, and by no more than `overflow_most` between two updates (the first
//!   amendment).
//! - Accepted packets are those that the law admits, even if the buffer then has no room; otherwise a full buffer would
//!   hide the excess.
//! - The largest label of an uncongested window is that of packets as labelled here (edge) or as they arrived (core).
//! - The first packet of a flow counts as if it followed another immediately: `l/K`.
//! - Rates include the link's overhead; those in labels are measured on the edge's link.
//!
//! Difference: the edge's table has a maximum size, `flows`; a flow that was removed from it starts anew. Linux does
//! not have CSFQ.

mod config;
mod rates;

pub use self::config::{CsfqConfig, CsfqRole};
use self::rates::{Edge, FairShare};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::{Bytes, DropReason, Instant, Label, Limit, Packet};

/// The label that stands for a rate in bit/s, and back. [`Label::NONE`] is no rate.
#[inline]
pub fn label_of(bps: f64) -> Label {
    // A rate so small that it rounds to zero must not look like none.
    Label((bps as f32).max(f32::MIN_POSITIVE).to_bits())
}

/// The rate in a label, bit/s; `None` where there is none, or none that a rate can be.
#[inline]
pub fn rate_of(label: Label) -> Option<f64> {
    let bps = f32::from_bits(label.0);
    (bps.is_finite() && bps > 0.0).then(|| f64::from(bps))
}

/// The discipline.
#[derive(Debug)]
pub struct Csfq<P> {
    fifo: VecDeque<(P, Instant)>,
    backlog: Backlog,
    limit: Limit,
    low_water: f64,
    ecn: bool,
    /// Where flows are told apart.
    edge: Option<Edge>,
    share: FairShare,
    link: LinkView,
}

impl<P: Packet> Csfq<P> {
    fn new(config: &CsfqConfig, link: &LinkView) -> Self {
        Self {
            fifo: VecDeque::new(),
            backlog: Backlog::default(),
            limit: config.limit,
            low_water: config.low_water.get(),
            ecn: config.ecn,
            edge: (config.role == CsfqRole::Edge).then(|| Edge::new(config)),
            share: FairShare::new(config, link),
            link: *link,
        }
    }

    /// Whether as much waits as keeps an uncongested link from passing everything.
    #[inline]
    fn is_filled(&self) -> bool {
        match self.limit {
            Limit::Packets(n) => self.backlog.packets as f64 >= self.low_water * n as f64,
            Limit::Bytes(b) => self.backlog.bytes.as_f64() >= self.low_water * b.as_f64(),
        }
    }

    fn push(&mut self, packet: P, now: Instant) {
        self.backlog.packets += 1;
        self.backlog.bytes += packet.size();
        self.fifo.push_back((packet, now));
    }
}

impl<P: Packet> QueueDiscipline<P> for Csfq<P> {
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        let wire = self.link.wire_size(size);
        if let Some(edge) = &mut self.edge {
            packet.set_label(label_of(edge.normalised_rate(packet.flow(), wire, cx.now, cx.rng)));
        }
        let label = rate_of(packet.label()).unwrap_or(0.0);
        let p = self.share.drop_probability(label);
        let verdict = if p > 0.0 && p > cx.rng.uniform() { Verdict::Signal } else { Verdict::Pass };
        let fate = fate(verdict, self.ecn, packet.ecn());
        self.share.observe((wire, label), fate != Fate::Drop, self.is_filled(), cx.now);
        if fate == Fate::Drop {
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        if !self.backlog.has_room(self.limit, size) {
            self.share.overflow();
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        if p > 0.0 {
            packet.set_label(label_of(self.share.relabelled(label)));
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        self.push(packet, cx.now);
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let (packet, arrival) = self.fifo.pop_front()?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        Some((packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn link_changed(&mut self, link: &LinkView, _cx: &mut Cx<'_, P>) {
        self.link = *link;
        self.share.link_changed(link);
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["fair_share_bps", "arrival_bps", "accepted_bps", "flows"]
    }

    fn state(&self, out: &mut [f64]) {
        let [share, arriving, accepted] = self.share.state();
        let flows = self.edge.as_ref().map_or(0, Edge::flows);
        out.copy_from_slice(&[share, arriving, accepted, flows as f64]);
    }
}

/// A packet's bits.
#[inline]
fn bits(size: Bytes) -> f64 {
    size.as_f64() * 8.0
}

#[cfg(test)]
mod tests;
