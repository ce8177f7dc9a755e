//! RRED: robust RED.
//!
//! Zhang, Yin, Cai, Chen, "RRED: robust RED algorithm to counter low-rate denial-of-service attacks", IEEE
//! Communications Letters 14(5), 2010. TCP pauses after a loss, so a flow that keeps sending within `period` of a drop
//! is considered an attacker. Flows are counted in one bin at each of several levels. A bin gains for an arrival after
//! that period and loses for one within it. If none of a packet's bins is at zero or better, the packet is dropped
//! before RED sees it.
//!
//! Where the letter's text differs, the author's ns-2 code decides. A drop by RED sets the time of the last drop for
//! all flows, and for the bins of the flow that lost the packet (which may not be the arriving one). A drop by the
//! filter sets only the latter. "Within" does not include the end of the period. Choices: before the first drop,
//! nothing is within the period (in the code, time zero counts as a drop). The lowest score is -1, as in the author's
//! scripts (the code's default of -10 is not what was published).
//!
//! Differences: the hash is salted and has another key at each level; `hash = "leodos"` is the author's, which is
//! linear in the addresses. A mark does not count as a drop unless `marks_count` is set, so with ECN the filter learns
//! only from overflow.
//!
//! A flow is flagged while its packets are filtered. RRED does not stop a flood: with constant drops, every flow runs
//! out of credit.

use super::red::{Red, red_based};
use crate::classifier::{Flags, bin_at, salted};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Sink};
use crate::flow_hash::FlowBy;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{DropReason, Duration, FlowKey, Instant, Packet};

tailrace_core::choices! {
    /// Hash that places flows in bins.
    pub enum BinHash {
        /// A hash of the fields that `flow` names, with a random part, different at each level.
        Salted = "salted",
        /// `source * 2^level + destination`, modulo the number of bins, as in the author's code.
        Leodos = "leodos",
    }
}

red_based! {
    /// Parameters of `rred`.
    pub struct RredConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "ns-2 since 2001, as in the author's scripts";
        /// The packet that is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "all";
        /// `T*`, for how long after a drop arriving packets are suspicious. If it is too small, attacks get through;
        /// if it is too large, TCP flows are hit.
        period: Duration = Duration::from_millis(10), "Zhang et al. 2010; drop_related_period_";
        /// Number of levels of bins, each with a hash of its own. With more, fewer innocent flows are caught, but each
        /// packet costs more computing time.
        levels: u32 = 2, "author's code, hash_levels_";
        /// Number of bins of each level. With too few, innocent flows share bins with attackers.
        bins: u32 = 23, "author's code, hash_bins_";
        /// The highest score: so many suspicious packets in a row may a good flow send. If it is too large, attacks
        /// get through.
        credit: u32 = 10, "Zhang et al. 2010; score_max_";
        /// Depth to which the score may fall below zero: so many unsuspicious packets a bad flow must send before it
        /// is let in again. If it is too large, innocent flows stay out.
        debt: u32 = 1, "author's scripts, score_min_ = -1";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow.
        flow: FlowBy = FlowBy::SrcDst, "author's code";
        /// Hash that assigns flows to bins.
        hash: BinHash = BinHash::Salted, "the author's hash can be foreseen";
        /// Whether an ECN mark counts as a drop, too.
        marks_count: bool = false, "not in Zhang et al. 2010";
    }
}

const MOST_LEVELS: u32 = 16;
const MOST_BINS: u32 = 1 << 14;

impl Discipline for RredConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED behind a filter that drops packets of flows that keep sending right after drops.",
        citation: "Zhang, Yin, Cai and Chen, IEEE Communications Letters 14(5), 2010",
        ecn: "with `ecn` RED marks within the band; the filter drops",
        per_flow_state: "none; bins shared by flows that collide, and at most 4096 flags",
    };
    /// tc does not know it.
    const CLASSIFIES: bool = true;
    type Queue<P: Packet> = Rred<P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        for (name, n, most) in [("levels", self.levels, MOST_LEVELS), ("bins", self.bins, MOST_BINS)] {
            if !(1..=most).contains(&n) {
                return Err((name, format!("must be 1 to {most}, is {n}")));
            }
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Rred<P> {
        Rred {
            queue: Managed::new(self.limit, self.ecn, self.drop, Red::new(&self.red(), link)),
            filter: Filter {
                levels: self.levels,
                width: self.bins,
                period: self.period,
                credit: i64::from(self.credit),
                debt: -i64::from(self.debt),
                by: self.flow,
                hash: self.hash,
                salt: None,
                bins: vec![Bin::default(); (self.levels * self.bins) as usize],
                last_drop: None,
            },
            marks_count: self.marks_count,
            flags: Flags::new(),
            filtered: 0,
        }
    }
}

/// The discipline: the filter before RED.
#[derive(Debug)]
pub struct Rred<P> {
    queue: Managed<Red, P>,
    filter: Filter,
    marks_count: bool,
    flags: Flags,
    /// Packets that the filter dropped.
    filtered: u64,
}

impl<P: Packet> QueueDiscipline<P> for Rred<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let salt = *self.filter.salt.get_or_insert_with(|| cx.rng.next_u64());
        let flow = packet.flow();
        let passes = self.filter.passes(flow, cx.now);
        self.flags.set(flow, || salted(flow, salt), !passes, cx);
        if !passes {
            self.filter.touch(flow, cx.now);
            self.filtered += 1;
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        let mut tap = Tap { sink: cx.sink, filter: &mut self.filter, marks_count: self.marks_count };
        self.queue.enqueue(packet, &mut Cx { now: cx.now, rng: cx.rng, sink: &mut tap });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.queue.dequeue(cx)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.queue.link_changed(link, cx);
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["average_packets", "average_bytes", "drop_probability", "max_p", "filtered", "mean_score"]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.queue.state(red);
        own.copy_from_slice(&[self.filtered as f64, self.filter.mean_score()]);
    }
}

/// Between RED and the sink: tells the filter who lost a packet.
struct Tap<'a, P> {
    sink: &'a mut dyn Sink<P>,
    filter: &'a mut Filter,
    marks_count: bool,
}

impl<P: Packet> Sink<P> for Tap<'_, P> {
    fn dropped(&mut self, packet: P, reason: DropReason, now: Instant) {
        self.filter.red_dropped(packet.flow(), now);
        self.sink.dropped(packet, reason, now);
    }
    fn marked(&mut self, packet: &P, now: Instant) {
        if self.marks_count {
            self.filter.red_dropped(packet.flow(), now);
        }
        self.sink.marked(packet, now);
    }
    fn flagged(&mut self, flow: FlowKey, flagged: bool, now: Instant) {
        self.sink.flagged(flow, flagged, now);
    }
}

#[derive(Clone, Debug, Default)]
struct Bin {
    score: i64,
    last_drop: Option<Instant>,
}

/// Detection and filter.
#[derive(Clone, Debug)]
struct Filter {
    levels: u32,
    width: u32,
    period: Duration,
    credit: i64,
    debt: i64,
    by: FlowBy,
    hash: BinHash,
    /// Drawn with the first packet.
    salt: Option<u64>,
    bins: Vec<Bin>,
    /// Last drop by RED, of any flow.
    last_drop: Option<Instant>,
}

impl Filter {
    /// The bin of `flow` at each level.
    #[inline]
    fn places(&self, flow: FlowKey) -> impl Iterator<Item = usize> + use<> {
        let (width, by_addresses) = (self.width, self.hash == BinHash::Leodos);
        let hash = salted(self.by.key(flow), self.salt.unwrap_or_default());
        (0..self.levels).map(move |level| {
            let bin = if by_addresses {
                (flow.src << level).wrapping_add(flow.dst) % width
            } else {
                bin_at(hash, level, width)
            };
            (level * width + bin) as usize
        })
    }

    /// Scores an arrival; whether it may go on to RED.
    fn passes(&mut self, flow: FlowKey, now: Instant) -> bool {
        let mut passes = false;
        for place in self.places(flow) {
            let bin = &mut self.bins[place];
            let last = self.last_drop.max(bin.last_drop);
            if last.is_some_and(|t| now.saturating_since(t) < self.period) {
                bin.score = (bin.score - 1).max(self.debt);
            } else {
                bin.score = (bin.score + 1).min(self.credit);
            }
            passes |= bin.score >= 0;
        }
        passes
    }

    /// A packet of `flow` was dropped just now.
    fn touch(&mut self, flow: FlowKey, now: Instant) {
        for place in self.places(flow) {
            self.bins[place].last_drop = Some(now);
        }
    }

    fn red_dropped(&mut self, flow: FlowKey, now: Instant) {
        self.last_drop = Some(now);
        self.touch(flow, now);
    }

    fn mean_score(&self) -> f64 {
        self.bins.iter().map(|bin| bin.score).sum::<i64>() as f64 / self.bins.len() as f64
    }
}

#[cfg(test)]
mod tests;
