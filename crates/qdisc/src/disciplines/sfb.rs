//! SFB: stochastic fair BLUE.
//!
//! Feng, Kandlur, Saha, Shin, "Stochastic fair blue: a queue management algorithm for enforcing fairness", INFOCOM
//! 2001. Each packet is counted in one bin at each of several levels. A bin that fills raises its probability, an empty
//! one lowers it, and a packet is signalled with the smallest probability of its bins. A flow that has reached the top
//! in all its bins does not respond to signals; such flows share a penalty box.
//!
//! There are two implementations, chosen by `form`; each of their values and choices is a parameter, too:
//!
//! | | `linux` (`net/sched/sch_sfb.c`) | `lanl` (port to ns-2 by Los Alamos, used for the published runs) |
//! |---|---|---|
//! | a bin is lowered by | an arrival that finds it empty | the departure that empties it |
//! | full bins drop | if all bins of the packet are full | if any of them is |
//! | changes of a bin | with every packet | at most one in 100 ms |
//! | signal | drops also ECN-capable packets above 1/2 | marks; drops nothing early |
//! | penalty box | token bucket; counted in the bins | one packet each 50 ms; not counted |
//! | moving hash | the next bins learn unresponsive flows, for `warmup` | the next bins learn all flows |
//!
//! The paper's own version is `linux` with `overflow = "any"`, `early = "signal"` and a `freeze`. Choices: a full bin
//! drops at `max`, not at `target`; "probability one" is `penalise`.
//!
//! Linux fills its bucket only when it is empty, and each look at it restarts its clock. So a flow that keeps sending
//! faster than `penalty_rate` gets nothing at all after the first second or two. This is modelled.
//!
//! Differences: the hash is salted, and its digits are the bins, except for `hash = "lanl"` (`hash.rs`: linear in the
//! addresses and ports). Probabilities are in parts of 10^9 (Linux: of 65 535). Packets remember where they were
//! counted, so a change of the hash leaves no bin with a wrong count; LANL omits as many departures as packets were
//! waiting. The bins that a change retires start anew with `lanl` and keep their numbers with `linux`, as there.

mod bin_layout;
mod bins;
mod config;
mod discipline;
mod hash;

use self::bins::{Bank, Count, PARTS, Rules};
pub use self::config::{Early, Form, Overflow, SfbConfig, Warm};
pub use self::hash::BinHash;
use crate::classifier::{Flags, salted};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::flow_hash::FlowBy;
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::{DropReason, Duration, FlowKey, Instant, Limit, Packet, Rng};

/// The banks that have counted a packet.
type Counted = [Option<Count>; 2];

#[derive(Debug)]
struct Waiting<P> {
    packet: P,
    arrival: Instant,
    counted: Counted,
}

/// The discipline.
#[derive(Debug)]
pub struct Sfb<P> {
    fifo: VecDeque<Waiting<P>>,
    backlog: Backlog,
    banks: [Bank; 2],
    /// The bank that decides.
    active: usize,
    /// Drawn with the first packet, and kept, for the places of flags.
    salt: Option<u64>,
    by: FlowBy,
    flags: Flags,
    rules: Rules,
    limit: Limit,
    ecn: bool,
    form: Form,
    early: Early,
    overflow: Overflow,
    warm: Warm,
    penalise: u32,
    rehash: Duration,
    warmup: Duration,
    rehashed: Instant,
    penalty: Penalty,
    /// Packets that the penalty box refused.
    penalised: u64,
    /// Number of banks that have been given a hash.
    seeded: u64,
}

impl<P: Packet> Sfb<P> {
    /// Draws the first salts, and changes them when their time has come.
    #[inline]
    fn keep_hash_moving(&mut self, now: Instant, rng: &mut Rng) {
        if self.salt.is_none() {
            self.salt = Some(rng.next_u64());
            for bank in 0..self.banks.len() {
                self.reseed(bank, rng);
            }
        }
        if self.rehash > Duration::ZERO && now.saturating_since(self.rehashed) > self.rehash {
            self.rehashed = now;
            let retired = self.active;
            self.active = 1 - retired;
            self.reseed(retired, rng);
            if self.warm == Warm::Always {
                self.banks[retired].restart(self.rules.initial);
            }
        }
    }

    fn reseed(&mut self, bank: usize, rng: &mut Rng) {
        let salt = rng.next_u64();
        let seed = if self.rules.hash == BinHash::Lanl { self.seeded } else { salt };
        self.seeded += 1;
        self.banks[bank].reseed(seed);
    }

    /// Whether the bins of the next hash learn from this packet.
    #[inline]
    fn trains_next(&self, inelastic: bool, now: Instant) -> bool {
        match self.warm {
            Warm::Always => true,
            Warm::Inelastic => {
                let left = self.rehash.saturating_sub(now.saturating_since(self.rehashed));
                inelastic && self.rehash > Duration::ZERO && left < self.warmup
            }
        }
    }

    /// The place of a flag does not move with the hash of the bins: it must be found again.
    #[inline]
    fn flag(&mut self, flow: FlowKey, inelastic: bool, cx: &mut Cx<'_, P>) {
        let salt = self.salt.unwrap_or_default();
        self.flags.set(flow, || salted(flow, salt), inelastic, cx);
    }

    fn overflows(&self, full: u32) -> bool {
        match self.overflow {
            Overflow::Any => full > 0,
            Overflow::All => full == self.rules.levels,
        }
    }

    /// Linux: bins, overflow, penalty box, signal.
    #[inline]
    fn judge_linux(&mut self, flow: FlowKey, counted: &mut Counted, cx: &mut Cx<'_, P>) -> Verdict {
        let (active, next) = (self.active, 1 - self.active);
        let key = self.by.key(flow);
        let (seen, count) = self.banks[active].arrive(key, &self.rules, cx.now);
        counted[active] = Some(count);
        let inelastic = seen.least_p >= self.penalise;
        self.flag(flow, inelastic, cx);
        if self.overflows(seen.full) {
            return Verdict::Drop;
        }
        if self.trains_next(inelastic, cx.now) {
            counted[next] = Some(self.banks[next].arrive(key, &self.rules, cx.now).1);
        }
        if inelastic {
            let admitted = self.penalty.admits(cx.now);
            self.penalised += u64::from(!admitted);
            return if admitted { Verdict::Pass } else { Verdict::Drop };
        }
        self.signal(seen.least_p, cx.rng)
    }

    /// LANL: penalty box, bins, overflow, mark.
    fn judge_lanl(&mut self, flow: FlowKey, counted: &mut Counted, cx: &mut Cx<'_, P>) -> Verdict {
        let (active, next) = (self.active, 1 - self.active);
        let key = self.by.key(flow);
        let inelastic = self.banks[active].least_p(key, &self.rules) >= self.penalise;
        let trains_next = self.trains_next(inelastic, cx.now);
        self.flag(flow, inelastic, cx);
        if inelastic {
            if self.penalty.admits(cx.now) {
                return Verdict::Pass;
            }
            self.banks[active].punish(key, &self.rules, cx.now);
            if trains_next {
                self.banks[next].punish(key, &self.rules, cx.now);
            }
            self.penalised += 1;
            return Verdict::Drop;
        }
        let (seen, count) = self.banks[active].arrive(key, &self.rules, cx.now);
        counted[active] = Some(count);
        if trains_next {
            counted[next] = Some(self.banks[next].arrive(key, &self.rules, cx.now).1);
        }
        if self.overflows(seen.full) {
            return Verdict::Drop;
        }
        self.signal(seen.least_p, cx.rng)
    }

    /// A packet that was counted is dropped instead of let in.
    fn refuse(&mut self, packet: P, reason: DropReason, counted: Counted, cx: &mut Cx<'_, P>) {
        for (bank, count) in self.banks.iter_mut().zip(counted) {
            if let Some(count) = count {
                bank.take_back(count, &self.rules);
            }
        }
        cx.sink.dropped(packet, reason, cx.now);
    }

    /// Decides by one random number.
    #[inline]
    fn signal(&self, p: u32, rng: &mut Rng) -> Verdict {
        let chance = rng.below(u64::from(PARTS));
        if chance >= u64::from(p) {
            return Verdict::Pass;
        }
        match self.early {
            Early::Linux if chance < 2 * u64::from(p.saturating_sub(PARTS / 2)) => Verdict::Drop,
            Early::Linux | Early::Signal => Verdict::Signal,
            Early::MarkOnly if self.ecn => Verdict::MarkOnly,
            Early::MarkOnly => Verdict::Pass,
        }
    }
}

impl<P: Packet> QueueDiscipline<P> for Sfb<P> {
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        // Linux looks at the limit before anything else, LANL after everything.
        if self.form == Form::Linux && !self.backlog.has_room(self.limit, size) {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        self.keep_hash_moving(cx.now, cx.rng);
        let mut counted = [None; 2];
        let verdict = match self.form {
            Form::Linux => self.judge_linux(packet.flow(), &mut counted, cx),
            Form::Lanl => self.judge_lanl(packet.flow(), &mut counted, cx),
        };
        let fate = fate(verdict, self.ecn, packet.ecn());
        if fate == Fate::Drop {
            return self.refuse(packet, DropReason::Aqm, counted, cx);
        }
        if !self.backlog.has_room(self.limit, size) {
            return self.refuse(packet, DropReason::Overlimit, counted, cx);
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        self.fifo.push_back(Waiting { packet, arrival: cx.now, counted });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let Waiting { packet, arrival, counted } = self.fifo.pop_front()?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        for (bank, count) in self.banks.iter_mut().zip(counted) {
            if let Some(count) = count {
                bank.remove(count, &self.rules, cx.now);
            }
        }
        Some((packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn link_changed(&mut self, _link: &LinkView, _cx: &mut Cx<'_, P>) {}

    fn state_names(&self) -> &'static [&'static str] {
        &["max_bin_packets", "max_probability", "mean_probability", "penalised"]
    }

    fn state(&self, out: &mut [f64]) {
        let (packets, max, mean) = self.banks[self.active].summary();
        out.copy_from_slice(&[packets, max, mean, self.penalised as f64]);
    }
}

/// The rate limit that all unresponsive flows share.
#[derive(Clone, Debug)]
enum Penalty {
    /// A packet in each interval.
    Spaced { interval: Duration, next: Instant },
    /// Linux's token bucket, in whole packets.
    Bucket { rate: u32, burst: u32, tokens: u32, since: Instant },
}

/// Linux forgets older time than this.
const MOST_AGE: Duration = Duration::from_secs(10);

impl Penalty {
    fn admits(&mut self, now: Instant) -> bool {
        match self {
            Self::Spaced { interval, next } => {
                let admits = now >= *next;
                if admits {
                    *next = now.saturating_add(*interval);
                }
                admits
            }
            Self::Bucket { rate, burst, tokens, since } => {
                if *tokens == 0 {
                    let age = now.saturating_since(*since).min(MOST_AGE).as_nanos();
                    let filled = u128::from(age) * u128::from(*rate) / 1_000_000_000;
                    *tokens = u32::try_from(filled).map_or(*burst, |n| n.min(*burst));
                    *since = now;
                }
                let admits = *tokens > 0;
                *tokens -= u32::from(admits);
                admits
            }
        }
    }
}

#[cfg(test)]
mod tests;
