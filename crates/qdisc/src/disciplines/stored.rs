//! StoRED: stochastic RED. **Experimental**: a reconstruction, of which only the idea is the authors'.
//!
//! Chen, Zhou, Bensaou, "Stochastic RED and its applications", ICC 2007. As in stochastic fair queueing, a hash that
//! changes with time puts flows into bins, but there is a single queue: a bin only counts how many of the waiting
//! packets belong to it. RED's probability is weighted with that count, so a flow that fills the queue loses more than
//! its proportional share.
//!
//! The text of the paper was not available, only its abstract and what others say about it. Interpretation: RED's
//! probability, for the average of the whole queue, is multiplied by the number of the bin's packets divided by the
//! mean of the bins that have any, and each bin spreads its own signals. If the average is at `max_th` or above, a bin
//! with more than two packets and more than twice the mean loses the packet. A bin without packets loses nothing
//! between the thresholds. Both counts are of the current queue, so with a single bin it is RED itself. When the hash
//! changes, packets stay in the bin in which they were counted. Weights for adjustable fairness, and the form that
//! favours web traffic, are left out, since nothing is known about them. Compare it with other disciplines, not with
//! published figures.

use super::red::{Red, Spread, red_based};
use crate::control::Ticker;
use crate::discipline::{Aqm, Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::flow_hash::{FlowBy, SaltedHash, check_perturb};
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use std::collections::VecDeque;
use tailrace_core::{Bytes, Duration, Instant, Packet, Rng};

red_based! {
    /// Parameters of `stored`.
    pub struct StoredConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "ns-2 since 2001; ns-3";
        /// Number of bins. With too few, innocent flows share a bin with a flow that fills the queue; more only cost
        /// memory. With a single one this is RED.
        bins: u32 = 128, "SFQ's divisor at the time";
        /// After which time the hash changes; zero means never. If it is too small, flows escape from their counts;
        /// if it is too large, flows that share a bin do so for long.
        perturb: Duration = Duration::from_secs(20), "reconstruction";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow.
        flow: FlowBy = FlowBy::FiveTuple, "reconstruction";
    }
}

const MOST_BINS: u32 = 1 << 16;
/// Room of a bin above `max_th`: packets, and times the mean.
const SAFE_PACKETS: f64 = 2.0;
const SAFE_SHARES: f64 = 2.0;

impl Discipline for StoredConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED with a probability that grows with the flow's own part of the queue (experimental).",
        citation: "Chen, Zhou and Bensaou, ICC 2007 (reconstruction)",
        ecn: "with `ecn` RED marks within the band; what holds a bin to its share drops",
        per_flow_state: "none; bins shared by flows that collide",
    };
    type Queue<P: Packet> = Stored<P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        check_perturb(self.perturb)?;
        if !(1..=MOST_BINS).contains(&self.bins) {
            return Err(("bins", format!("must be 1 to {MOST_BINS}, is {}", self.bins)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Stored<P> {
        let red = Red::new(&self.red(), link);
        let bin = Bin { packets: 0, spread: red.spread().clone() };
        let law = Bins { red, bins: vec![bin; self.bins as usize], active: 0, arriving: 0 };
        Stored {
            // The bins of waiting packets are kept in the order of a FIFO, so only arrivals may be dropped.
            queue: Managed::new(self.limit, self.ecn, DropEnd::Tail, law),
            waiting: VecDeque::new(),
            by: self.flow,
            bins: self.bins,
            hash: SaltedHash::default(),
            perturb: (!self.perturb.is_zero()).then(|| Ticker::new(self.perturb, self.perturb)),
        }
    }
}

/// The discipline: RED with bins.
#[derive(Debug)]
pub struct Stored<P> {
    queue: Managed<Bins, P>,
    /// The bins of the packets that wait, in their order.
    waiting: VecDeque<u32>,
    by: FlowBy,
    bins: u32,
    hash: SaltedHash,
    perturb: Option<Ticker>,
}

impl<P: Packet> QueueDiscipline<P> for Stored<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let bin = self.hash.bucket(self.by.key(packet.flow()), self.bins, cx.rng);
        self.queue.law_mut().arriving = bin as usize;
        let before = self.queue.backlog().packets;
        self.queue.enqueue(packet, cx);
        if self.queue.backlog().packets > before {
            self.queue.law_mut().add(bin);
            self.waiting.push_back(bin);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let next = self.queue.dequeue(cx)?;
        let bin = self.waiting.pop_front().expect("one for each packet that waits");
        self.queue.law_mut().remove(bin);
        Some(next)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.perturb.as_ref().map(Ticker::next)
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        if self.perturb.as_mut().is_some_and(|perturb| perturb.ticks(cx.now)) {
            self.hash = SaltedHash::default();
        }
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.queue.link_changed(link, cx);
    }

    fn state_names(&self) -> &'static [&'static str] {
        Bins::state_names()
    }

    fn state(&self, out: &mut [f64]) {
        self.queue.state(out);
    }
}

#[derive(Clone, Debug)]
struct Bin {
    /// Packets that wait.
    packets: u64,
    spread: Spread,
}

/// The law.
#[derive(Clone, Debug)]
struct Bins {
    red: Red,
    bins: Vec<Bin>,
    /// Bins with packets.
    active: u32,
    /// The bin of the packet that arrives.
    arriving: usize,
}

impl Bins {
    fn add(&mut self, bin: u32) {
        let bin = &mut self.bins[bin as usize];
        self.active += u32::from(bin.packets == 0);
        bin.packets += 1;
    }

    fn remove(&mut self, bin: u32) {
        let bin = &mut self.bins[bin as usize];
        bin.packets -= 1;
        self.active -= u32::from(bin.packets == 0);
    }
}

impl Aqm for Bins {
    fn on_enqueue(&mut self, size: Bytes, backlog: Backlog, now: Instant, rng: &mut Rng) -> Verdict {
        self.red.observe(backlog, now);
        let bin = &mut self.bins[self.arriving];
        let mean = backlog.packets as f64 / f64::from(self.active.max(1));
        let held = bin.packets as f64;
        if self.red.average() >= self.red.thresholds().1 && held > SAFE_PACKETS.max(SAFE_SHARES * mean) {
            bin.spread.restart();
            return Verdict::Drop;
        }
        let factor = if mean > 0.0 { held / mean } else { 1.0 };
        self.red.judge_part(&mut bin.spread, factor, size, backlog, rng)
    }

    fn on_overlimit(&mut self, _now: Instant) {
        self.bins[self.arriving].spread.restart();
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.on_idle(now);
    }

    fn link_changed(&mut self, link: &LinkView, now: Instant) {
        self.red.link_changed(link, now);
    }

    fn state_names() -> &'static [&'static str] {
        &["average_packets", "average_bytes", "drop_probability", "max_p", "active_bins"]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.red.state(red);
        own[0] = f64::from(self.active);
    }
}

#[cfg(test)]
mod tests;
