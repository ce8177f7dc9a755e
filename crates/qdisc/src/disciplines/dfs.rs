//! DFS: deterministic fair sharing.
//!
//! Bedi, Roy, Shiva, "Mitigating congestion based DoS attacks with an enhanced AQM technique", Computer Communications
//! 56, 2015 (online 2014); a shorter form in GLOBECOM 2013. Each flow may have a weighted fair share of the buffer
//! waiting, `(b / n) (b / q - 1)`, smoothed. A flow above this share is signalled, and its unfairness p_m rises. If it
//! does not reduce its rate within a few steps, it is judged by its rate. At the top it is marked as malicious: all its
//! packets are dropped until its rate is below the fair one, `C / n`. No decision uses a random number.
//!
//! Flows are pairs of addresses; ports do not count. Marked flows are kept in an array (the Cache), all others in a
//! B-tree, or here by default in a hash table. A record is removed when its flow has been silent for one or two
//! `prune_interval`.
//!
//! Choices where the paper contradicts itself or says nothing:
//! - `n` is the number of records, including marked flows: so the fair rate of §5.2 is 45 Mbit/s / 450.
//! - The share is sampled at each arrival, before anything is decided; an empty queue gives the whole buffer.
//! - An arrival that finds no room changes nothing else, and gets no record (Algorithm 1 lacks a return).
//! - `sz` is what waits without the arriving packet. With it, flows with a single packet at a time would be found
//!   guilty.
//! - `p_m` stays within its thresholds, and the mark is set when it reaches `max_th` (Algorithm 1; Algorithm 3 asks for
//!   more). Without bounds it would take hours to forgive what a flood collects in seconds.
//! - `p_m` falls in steps if nothing waits, and a reset needs `min_th` (Algorithm 3; the text resets immediately). It
//!   falls without waiting for `freeze_time`.
//! - A rate is stored from the first excess on (Algorithm 3). It is measured over windows of arrivals (`record`),
//!   including the link's overhead; until the first window is over, `p_m` of a trending flow does not change.
//! - A flow that was forgiven down to the tolerance keeps its mark until it is reset; meanwhile its packets are
//!   admitted.
//! - The packet that makes its flow malicious is itself admitted. No packet is first marked and then dropped.
//! - Lines 4 to 16 of Algorithm 3: see `process`.
//!
//! What to expect: with few flows and without small windows, a TCP flow in its first slow start can be mistaken for a
//! flood, and is blocked until one to three timeouts have lowered its rate; in the paper's simulations, windows are
//! ns-2's 20 packets. With many more flows than packets fit into the buffer, the queue is full and losses are those of
//! drop-tail: a flow with one packet at a time is never signalled.
//!
//! Differences: no packet is admitted beyond the limit, while the paper admits a packet if `q < b` (the same if packets
//! have one size that divides `b`). The number of records is limited. Packets that cannot be marked are dropped by
//! default (`non_ect`), as sections 1.2 and 4.3.1 say and the algorithm does not.
//!
//! A flow is flagged from its mark until its reset, or until its record is removed.

mod config;
mod discipline;
mod fair_share;
mod process;
mod record;
mod repository;

pub use self::config::{Departures, DfsConfig, NonEct, Store};
use self::fair_share::FairShare;
use self::process::{Decision, Measure, Rules};
use self::record::{Key, Record, pack, unpack};
use self::repository::{Handle, Repository};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::flow_hash::FlowBy;
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::{DropReason, Duration, Instant, Limit, Packet, Rate};

/// A packet whose flow has no record.
const UNCOUNTED: Handle = Handle::MAX;

#[derive(Debug)]
struct Waiting<P> {
    packet: P,
    arrival: Instant,
    /// Where it is counted.
    record: Handle,
}

/// The discipline.
#[derive(Debug)]
pub struct Dfs<P> {
    fifo: VecDeque<Waiting<P>>,
    backlog: Backlog,
    limit: Limit,
    repository: Repository,
    share: FairShare,
    rules: Rules,
    by: FlowBy,
    /// `C`, where it is not the link's.
    rate: Option<Rate>,
    link: LinkView,
    non_ect: NonEct,
    ecn: bool,
    departures: Departures,
    prune_interval: Duration,
    last_prune: Instant,
    /// Flows marked at present.
    marked: u32,
}

impl<P: Packet> Dfs<P> {
    /// `C / n`, bit/s.
    #[inline]
    fn fair_rate(&self) -> f64 {
        let capacity = self.rate.unwrap_or(self.link.rate);
        capacity.as_bps() as f64 / f64::from(self.repository.len().max(1))
    }

    /// Algorithm 2.
    #[inline]
    fn purge(&mut self, cx: &mut Cx<'_, P>) {
        if cx.now.saturating_since(self.last_prune) <= self.prune_interval {
            return;
        }
        let mut from = 0;
        while let Some(record) = self.repository.next_unseen_since(self.last_prune, from) {
            self.forget(record, cx);
            from = record + 1;
        }
        self.last_prune = cx.now;
    }

    fn forget(&mut self, at: Handle, cx: &mut Cx<'_, P>) {
        let Record { key, marked, .. } = *self.repository.record(at);
        self.repository.remove(at);
        if marked {
            self.report(key, false, cx);
        }
    }

    fn report(&mut self, key: Key, flagged: bool, cx: &mut Cx<'_, P>) {
        self.marked = if flagged { self.marked + 1 } else { self.marked - 1 };
        cx.sink.flagged(unpack(key), flagged, cx.now);
    }

    /// A record for a new flow, if need be in the place of another.
    fn remember(&mut self, key: Key, cx: &mut Cx<'_, P>) -> Handle {
        if self.repository.is_full()
            && let Some(other) = self.repository.find_dispensable()
        {
            self.forget(other, cx);
        }
        let record = Record::new(key, self.rules.min_th, cx.now);
        self.repository.insert(record, cx.rng).unwrap_or(UNCOUNTED)
    }

    /// Lines 4 to 13 of Algorithm 1, for a flow with a record and a packet that fits.
    #[inline]
    fn judge(&mut self, at: Handle, measure: &Measure, cx: &mut Cx<'_, P>) -> Decision {
        let record = self.repository.record_mut(at);
        let was_marked = record.marked;
        let decision = self.rules.process(record, measure);
        let Record { key, marked, cached, unfairness, .. } = *record;
        if marked != was_marked {
            self.report(key, marked, cx);
        }
        if cached && unfairness <= self.rules.min_th {
            self.repository.demote(at, cx.rng);
        } else if !cached && unfairness >= self.rules.max_th {
            self.repository.promote(at);
        }
        decision
    }

    /// Applies a decision to a packet.
    #[inline]
    fn verdict(&self, decision: Decision) -> Verdict {
        match (decision, self.non_ect) {
            (Decision::Allow, _) => Verdict::Pass,
            (Decision::Drop, _) => Verdict::Drop,
            (Decision::Signal, NonEct::Drop) => Verdict::Signal,
            (Decision::Signal, NonEct::Pass) if self.ecn => Verdict::MarkOnly,
            (Decision::Signal, NonEct::Pass) => Verdict::Pass,
        }
    }

    fn admit(&mut self, packet: P, record: Handle, now: Instant) {
        let size = packet.size();
        if record != UNCOUNTED {
            self.repository.record_mut(record).waiting += size.get();
        }
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        self.fifo.push_back(Waiting { packet, arrival: now, record });
    }
}

impl<P: Packet> QueueDiscipline<P> for Dfs<P> {
    /// Algorithm 1.
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        self.purge(cx);
        let (now, size) = (cx.now, packet.size());
        let share = self.share.sample(self.backlog.bytes.get(), self.repository.len());
        let key = pack(self.by.key(packet.flow()));
        let found = self.repository.find(key);
        if let Some(at) = found {
            let record = self.repository.record_mut(at);
            record.seen = now;
            if let Some(rate) = &mut record.rate {
                rate.arrive(self.link.wire_size(size), self.rules.bitrate_window, now);
            }
        }
        if !self.backlog.has_room(self.limit, size) {
            cx.sink.dropped(packet, DropReason::Overlimit, now);
            return;
        }
        let Some(at) = found else {
            let record = self.remember(key, cx);
            self.admit(packet, record, now);
            return;
        };
        let measure = Measure { share, fair_rate: self.fair_rate(), now };
        let decision = self.judge(at, &measure, cx);
        match fate(self.verdict(decision), self.ecn, packet.ecn()) {
            Fate::Drop => {
                cx.sink.dropped(packet, DropReason::Aqm, now);
                return;
            }
            Fate::Mark { fresh: true } => {
                packet.set_ce();
                cx.sink.marked(&packet, now);
            }
            Fate::Mark { fresh: false } | Fate::Admit => {}
        }
        self.admit(packet, at, now);
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let Waiting { packet, arrival, record } = self.fifo.pop_front()?;
        let size = packet.size();
        self.backlog.packets -= 1;
        self.backlog.bytes -= size;
        let record = match self.departures {
            Departures::Remember => record,
            Departures::LookUp if record == UNCOUNTED => UNCOUNTED,
            Departures::LookUp => {
                let key = pack(self.by.key(packet.flow()));
                self.repository.find_departing(key).unwrap_or(UNCOUNTED)
            }
        };
        if record != UNCOUNTED {
            // The record of packets without bytes may be gone, or another's.
            let waiting = &mut self.repository.record_mut(record).waiting;
            *waiting = waiting.saturating_sub(size.get());
        }
        Some((packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn link_changed(&mut self, link: &LinkView, _cx: &mut Cx<'_, P>) {
        self.link = *link;
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["average_wfs_bytes", "scaling_factor", "flows", "marked_flows", "cached_flows", "fair_rate_bps"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[
            self.share.average(),
            self.share.factor(),
            f64::from(self.repository.len()),
            f64::from(self.marked),
            f64::from(self.repository.cached()),
            self.fair_rate(),
        ]);
    }
}

#[cfg(test)]
mod tests;
