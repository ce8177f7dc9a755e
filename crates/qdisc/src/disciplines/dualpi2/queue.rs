//! The two queues, their laws and the coupling.

use super::config::{Chance, DelayOf, Dualpi2Config, LowLatency, Native, Overload, limit_on};
use super::scheduler::{Scheduler, Which};
use crate::control::{Controller, Ticker};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::{Bytes, DropReason, Duration, Ecn, Instant, Limit, Packet, Rng};

/// The discipline.
#[derive(Debug)]
pub struct Dualpi2<P> {
    limit: Limit,
    stated_limit: Option<Limit>,
    memory: Bytes,
    low_latency: LowLatency,
    min_qlen_step: u64,
    drop_early: bool,
    low: Lane<P>,
    classic: Lane<P>,
    /// Backlog of both queues.
    backlog: Backlog,
    scheduler: Scheduler,
    law: Law,
}

/// L or C with its packets.
#[derive(Debug)]
struct Lane<P> {
    fifo: VecDeque<Waiting<P>>,
    /// Sum of `recur`.
    count: f64,
}

#[derive(Clone, Copy, Debug)]
struct Waiting<P> {
    packet: P,
    arrival: Instant,
    /// Whether the step may mark it.
    step: bool,
}

impl<P> Lane<P> {
    const fn new() -> Self {
        Self { fifo: VecDeque::new(), count: 0.0 }
    }

    #[inline]
    fn delay(&self, now: Instant) -> Option<Duration> {
        self.fifo.front().map(|head| now.saturating_since(head.arrival))
    }
}

impl<P: Packet> Dualpi2<P> {
    pub(super) fn new(config: &Dualpi2Config, link: &LinkView) -> Self {
        Self {
            limit: limit_on(config.limit, link),
            stated_limit: config.limit,
            memory: config.memory_limit.unwrap_or(Bytes(u64::MAX)),
            low_latency: config.low_latency,
            min_qlen_step: config.min_qlen_step,
            drop_early: config.drop_early,
            low: Lane::new(),
            classic: Lane::new(),
            backlog: Backlog::default(),
            scheduler: Scheduler::new(config),
            law: Law::new(config),
        }
    }

    #[inline]
    fn classify(&self, ecn: Ecn) -> Which {
        let low = match self.low_latency {
            LowLatency::L4s => matches!(ecn, Ecn::Ect1 | Ecn::Ce),
            LowLatency::AnyEct => ecn.is_capable(),
        };
        if low { Which::Low } else { Which::Classic }
    }

    /// Takes the packet whose turn it is, and says whether the other queue holds any.
    #[inline]
    fn take(&mut self, now: Instant) -> Option<(Which, Waiting<P>, bool)> {
        let (low, classic) = (self.low.delay(now), self.classic.delay(now));
        let which = self.scheduler.choose(low, classic)?;
        let (lane, contended) = match which {
            Which::Low => (&mut self.low, classic.is_some()),
            Which::Classic => (&mut self.classic, low.is_some()),
        };
        let taken = lane.fifo.pop_front()?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= taken.packet.size();
        Some((which, taken, contended))
    }
}

/// Marks `packet` or passes it on as it is; `false` where it must die.
#[inline]
fn admit<P: Packet>(verdict: Verdict, packet: &mut P, cx: &mut Cx<'_, P>) -> bool {
    match fate(verdict, true, packet.ecn()) {
        Fate::Drop => return false,
        Fate::Mark { fresh: true } => {
            packet.set_ce();
            cx.sink.marked(packet, cx.now);
        }
        Fate::Mark { fresh: false } | Fate::Admit => {}
    }
    true
}

impl<P: Packet> QueueDiscipline<P> for Dualpi2<P> {
    #[inline]
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        if !self.backlog.has_room(self.limit, size) || self.backlog.bytes + size > self.memory {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        let which = self.classify(packet.ecn());
        let lane = match which {
            Which::Low => &mut self.low,
            Which::Classic => &mut self.classic,
        };
        if self.drop_early {
            let verdict = self.law.coupled(which, 0.0, self.backlog.bytes, &mut lane.count, cx.rng);
            if !admit(verdict, &mut packet, cx) {
                cx.sink.dropped(packet, DropReason::Aqm, cx.now);
                return;
            }
        }
        let step = lane.fifo.len() as u64 >= self.min_qlen_step;
        lane.fifo.push_back(Waiting { packet, arrival: cx.now, step });
        self.backlog.packets += 1;
        self.backlog.bytes += size;
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        while let Some((which, mut taken, contended)) = self.take(cx.now) {
            let (lane, native) = match which {
                Which::Low => {
                    let sojourn = cx.now.saturating_since(taken.arrival);
                    let left = self.low.fifo.len() as u64;
                    (&mut self.low, self.law.native(sojourn, left, taken.step))
                }
                Which::Classic => (&mut self.classic, 0.0),
            };
            let verdict = if self.drop_early {
                self.law.signal_if(native, &mut lane.count, cx.rng)
            } else {
                self.law.coupled(which, native, self.backlog.bytes, &mut lane.count, cx.rng)
            };
            if !admit(verdict, &mut taken.packet, cx) {
                cx.sink.dropped(taken.packet, DropReason::Aqm, cx.now);
                continue;
            }
            if contended {
                self.scheduler.charge(which, taken.packet.size());
            }
            return Some((taken.packet, taken.arrival));
        }
        self.scheduler.reset();
        None
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.law.ticker.next())
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        if self.law.ticker.ticks(cx.now) {
            let delay = |lane: &Lane<P>| lane.delay(cx.now).map_or(0.0, Duration::as_secs_f64);
            self.law.update(delay(&self.classic), delay(&self.low));
        }
    }

    fn link_changed(&mut self, link: &LinkView, _cx: &mut Cx<'_, P>) {
        self.limit = limit_on(self.stated_limit, link);
    }

    fn state_names(&self) -> &'static [&'static str] {
        &[
            "base_probability",
            "drop_probability",
            "coupled_probability",
            "classic_delay_s",
            "low_latency_delay_s",
            "classic_packets",
            "low_latency_packets",
        ]
    }

    fn state(&self, out: &mut [f64]) {
        let law = &self.law;
        let packets = |lane: &Lane<P>| lane.fifo.len() as f64;
        out.copy_from_slice(&[
            law.base,
            law.classic,
            law.coupled,
            law.delays[0],
            law.delays[1],
            packets(&self.classic),
            packets(&self.low),
        ]);
    }
}

/// The laws of both queues. Delays are in seconds.
#[derive(Debug)]
struct Law {
    k: f64,
    delay_of: DelayOf,
    native: Native,
    min_th: Duration,
    range: Duration,
    th_len: u64,
    step_thresh: Duration,
    step_packets: Option<u64>,
    min_backlog: Bytes,
    chance: Chance,
    overload: Overload,
    p_cmax: f64,
    p_lmax: f64,
    controller: Controller,
    ticker: Ticker,
    /// p'.
    base: f64,
    /// p_C.
    classic: f64,
    /// p_CL.
    coupled: f64,
    /// Classic and low-latency delay at the last update.
    delays: [f64; 2],
}

impl Law {
    fn new(config: &Dualpi2Config) -> Self {
        Self {
            k: config.k,
            delay_of: config.delay_of,
            native: config.native,
            min_th: config.min_th,
            range: config.range,
            th_len: config.th_len,
            step_thresh: config.step_thresh,
            step_packets: config.step_packets,
            min_backlog: config.min_backlog,
            chance: config.chance,
            overload: config.overload,
            p_cmax: config.p_cmax(),
            p_lmax: config.p_lmax.get(),
            controller: Controller {
                alpha: config.alpha,
                beta: config.beta,
                reference: config.target.as_secs_f64(),
                old: 0.0,
            },
            ticker: Ticker::new(config.tupdate, config.tupdate),
            base: 0.0,
            classic: 0.0,
            coupled: 0.0,
            delays: [0.0; 2],
        }
    }

    /// Update (`dualpi2_update` of RFC 9332).
    fn update(&mut self, classic: f64, low: f64) {
        let delay = match self.delay_of {
            DelayOf::Greatest => classic.max(low),
            DelayOf::Classic => classic,
        };
        // Beyond 1/k the classic probability would outgrow the coupled one, which cannot exceed 1.
        let most = match self.overload {
            Overload::Drop => 1.0,
            Overload::Overflow => (1.0 / self.k).min(1.0),
        };
        self.base = (self.base + self.controller.change(delay)).clamp(0.0, most);
        self.controller.remember(delay);
        self.coupled = (self.k * self.base).min(1.0);
        self.classic = self.base * self.base;
        self.delays = [classic, low];
    }

    /// The low-latency queue's own probability for a packet that waited for `sojourn`, with `left` behind it.
    #[inline]
    fn native(&self, sojourn: Duration, left: u64, step: bool) -> f64 {
        match self.native {
            Native::Ramp if left > self.th_len && sojourn > self.min_th => {
                let above = sojourn.saturating_sub(self.min_th);
                if above >= self.range { 1.0 } else { above.as_secs_f64() / self.range.as_secs_f64() }
            }
            Native::Step if step => {
                let beyond = self.step_packets.map_or(sojourn > self.step_thresh, |most| left > most);
                f64::from(u8::from(beyond))
            }
            _ => 0.0,
        }
    }

    /// The verdict on a packet of queue `which`, where `native` is that queue's own probability, `waiting` what waits
    /// beside the packet, and `count` its queue's.
    #[inline]
    fn coupled(&self, which: Which, native: f64, waiting: Bytes, count: &mut f64, rng: &mut Rng) -> Verdict {
        if waiting < self.min_backlog {
            return self.signal_if(native, count, rng);
        }
        let drops = self.overload == Overload::Drop;
        match which {
            Which::Low if drops && self.coupled >= self.p_lmax => {
                // Marking is saturated: back to classic drops, and marks for the rest.
                if self.squared(count, rng) {
                    Verdict::Drop
                } else {
                    self.signal_if(self.coupled, count, rng)
                }
            }
            Which::Low => self.signal_if(native.max(self.coupled), count, rng),
            Which::Classic if !self.squared(count, rng) => Verdict::Pass,
            Which::Classic if drops && self.classic >= self.p_cmax => Verdict::Drop,
            Which::Classic => Verdict::Signal,
        }
    }

    /// A signal with probability `p`.
    #[inline]
    fn signal_if(&self, p: f64, count: &mut f64, rng: &mut Rng) -> Verdict {
        let signal = match self.chance {
            Chance::Recur => recur(count, p),
            Chance::Random => rng.bernoulli(p),
        };
        if signal { Verdict::Signal } else { Verdict::Pass }
    }

    /// Whether the classic probability hits.
    #[inline]
    fn squared(&self, count: &mut f64, rng: &mut Rng) -> bool {
        match self.chance {
            Chance::Recur => recur(count, self.classic),
            // Two lots for the square, as Linux draws them.
            Chance::Random => rng.bernoulli(self.base) && rng.bernoulli(self.base),
        }
    }
}

/// True with a certain likelihood, evenly spaced (`recur` of RFC 9332).
#[inline]
fn recur(count: &mut f64, likelihood: f64) -> bool {
    *count += likelihood;
    let hit = *count > 1.0;
    if hit {
        *count -= 1.0;
    }
    hit
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
