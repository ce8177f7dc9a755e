//! COBALT: CoDel and BLUE in alternation.
//!
//! Høiland-Jørgensen, Täht, Morton, "Piece of CAKE", LANMAN 2018; Palmei et al., "Design and Evaluation of COBALT Queue
//! Discipline", LANMAN 2019; as in ns-3 `cobalt-queue-disc.cc`, which was ported from Linux `sch_cake.c`. COBALT
//! combines CoDel and BLUE. CoDel's schedule signals responsive senders; when the queue is good again, its count
//! decreases step by step instead of being forgotten. For senders that do not respond, a BLUE probability rises with
//! overflows and falls when the queue becomes empty. It drops packets, ECN-capable or not.
//!
//! Choice: the probability also rises while the delay exceeds `blue_threshold` (as in ns-3; `"auto"` turns this off).
//! Differences: square roots are exact, instead of a cache of 16 and one Newton step for each change; the two agree to
//! a thousandth. The CE threshold and the L4S mode of ns-3 are left out.
//!
//! A flood can lock TCP out for minutes after its end. BLUE's probability falls by `decrement` only when the queue is found
//! empty, so at most once for each packet that comes, and a TCP flow whose retransmissions are dropped hardly sends any.
//! `docs/howto/after-a-flood.md` has the measurement, and what it depends on.

use crate::discipline::{Aqm, Backlog, LinkView, Verdict};
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::math::sqrt;
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Probability, Rng};

tailrace_core::parameters! {
    /// Parameters of `cobalt`.
    pub struct CobaltConfig {
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law. A larger limit only costs memory.
        limit: Limit = Limit::Packets(1000), "ns-3 CobaltQueueDisc";
        /// The waiting time in the queue that is acceptable: while packets wait no longer, none is dropped or marked.
        /// It is also the shortest time between two changes of BLUE's probability. If it is too small, the link has
        /// nothing to send at times; if it is too large, packets always wait.
        target: Duration = Duration::from_millis(5), "ns-3 CobaltQueueDisc; CAKE";
        /// The time between the first drops or marks. It should be about the longest usual round-trip time. If it is
        /// too small, short bursts lose packets; if it is too large, the law reacts late.
        interval: Duration = Duration::from_millis(100), "ns-3 CobaltQueueDisc; CAKE", in "2 us"..="1000 s": "the times between drops or marks are fractions of it, and each takes computing time | a law so slow would never act";
        /// Whether ECN-capable packets are marked instead of dropped when CoDel's part of the law signals congestion.
        /// BLUE's part always drops.
        ecn: bool = true, "CAKE";
        /// By how much BLUE's drop probability rises when the queue overflows. If it is too small, a flood fills the
        /// buffer; if it is too large, more is dropped than needed.
        increment: Probability = Probability::clamped(1.0 / 256.0), "ns-3 CobaltQueueDisc; CAKE";
        /// By how much BLUE's drop probability falls when the queue is empty. If it is too small, drops go on after a
        /// flood; if it is too large, the flood comes back.
        decrement: Probability = Probability::clamped(1.0 / 4096.0), "ns-3 CobaltQueueDisc; CAKE";
        /// If packets wait longer than this, BLUE's drop probability rises even without an overflow. If it is too
        /// small, BLUE acts before CoDel can. `"auto"` turns this off.
        blue_threshold: Option<Duration> = Some(Duration::from_millis(400)), "ns-3 CobaltQueueDisc";
    }
}

impl Discipline for CobaltConfig {
    const ABOUT: About = About {
        family: "delay",
        summary: "CoDel, with BLUE's drop probability against flows that do not slow down.",
        citation: "Palmei et al., LANMAN 2019; Høiland-Jørgensen et al., LANMAN 2018",
        ecn: "CoDel's schedule marks instead of dropping with `ecn`; BLUE drops all alike",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Cobalt, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Managed<Cobalt, P> {
        Managed::new(self.limit, self.ecn, DropEnd::Tail, Cobalt::new(self))
    }
}

/// Constants of all laws of one configuration. Times are in nanoseconds, signed so that differences may be negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Acceptable sojourn; also the least time between changes of BLUE's probability.
    pub(crate) target: i64,
    /// Time between the first signals.
    pub(crate) interval: i64,
    increment: f64,
    decrement: f64,
    blue_threshold: Option<i64>,
}

impl Rule {
    /// The rule that `config` states.
    pub(crate) fn new(config: &CobaltConfig) -> Self {
        Self {
            target: nanos(config.target),
            interval: nanos(config.interval),
            increment: config.increment.get(),
            decrement: config.decrement.get(),
            blue_threshold: config.blue_threshold.map(nanos),
        }
    }
}

/// Verdict on a packet: CoDel's schedule and BLUE's chance speak independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// Mark it, or drop it where it is not ECN-capable.
    pub(crate) signal: bool,
    /// Drop it in any case.
    pub(crate) blue: bool,
}

/// State of the law for a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    count: u32,
    dropping: bool,
    /// While `count` is not zero the next signal, or the next step down; else when the count is stale.
    drop_next: i64,
    drop_probability: f64,
    /// Last change of the probability.
    blue_timer: i64,
    /// The count has never changed since the queue was first used, and Linux has no root of it yet: no interval is waited.
    hasty: bool,
}

impl State {
    /// Linux's initial state: the stored root is zero until the count first goes up or down, so that a queue that was
    /// never used before signals with the second late packet.
    pub(crate) fn hasty() -> Self {
        Self { hasty: true, ..Self::default() }
    }

    /// A packet leaves after `sojourn`; more than `acceptable` of it is too much.
    #[inline(always)]
    pub(crate) fn decide(
        &mut self,
        rule: &Rule,
        sojourn: i64,
        acceptable: i64,
        now: i64,
        rng: &mut Rng,
    ) -> Decision {
        // Whether the schedule lags is judged by the one that was in force, or by the one that a signal or a step
        // made.
        let before = self.drop_next;
        let had_due = self.due(now);
        let signal = self.codel(rule, sojourn > acceptable, now);
        let late = now > if had_due { self.drop_next } else { before };
        if rule.blue_threshold.is_some_and(|threshold| sojourn > threshold) {
            self.raise_blue(rule, now);
        }
        let blue = self.drop_probability > 0.0 && rng.uniform() < self.drop_probability;
        if self.count == 0 {
            self.drop_next = now.saturating_add(rule.interval);
        } else if late && !blue && !signal {
            self.drop_next = now;
        }
        Decision { signal, blue }
    }

    /// The packet for which the schedule signalled was marked and goes on, which ends the dequeue: what the
    /// schedule still owes is forgiven.
    #[inline]
    pub(crate) fn on_marked(&mut self, now: i64) {
        self.drop_next = self.drop_next.max(now);
    }

    /// The limit made the queue drop a packet.
    pub(crate) fn on_overlimit(&mut self, rule: &Rule, now: i64) {
        self.raise_blue(rule, now);
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// The queue was to be served and is empty. Whether that ends BLUE's drops.
    #[inline]
    pub(crate) fn on_idle(&mut self, rule: &Rule, now: i64) -> bool {
        self.dropping = false;
        if self.due(now) {
            self.step_down(rule);
        }
        self.blue_is_active() && self.lower_blue(rule, now)
    }

    /// Lowers the probability, which is not zero; whether it is now.
    fn lower_blue(&mut self, rule: &Rule, now: i64) -> bool {
        if self.blue_may_change(rule, now) {
            self.drop_probability = (self.drop_probability - rule.decrement).max(0.0);
            self.blue_timer = now;
        }
        !self.blue_is_active()
    }

    /// Whether nothing is left to remember.
    pub(crate) fn at_rest(&self, now: i64) -> bool {
        self.count == 0 && now >= self.drop_next && !self.blue_is_active()
    }

    /// Whether BLUE drops from this queue.
    pub(crate) fn blue_is_active(&self) -> bool {
        self.drop_probability > 0.0
    }

    /// `t + interval / sqrt(count)`; a count of zero is as one.
    fn control_law(&self, rule: &Rule, t: i64) -> i64 {
        let gap = rule.interval as f64 / sqrt(f64::from(self.count.max(1)));
        t.saturating_add((gap + 0.5) as i64)
    }

    fn due(&self, now: i64) -> bool {
        self.count > 0 && now >= self.drop_next
    }

    /// Whether the probability may change: it was left alone for a target.
    fn blue_may_change(&self, rule: &Rule, now: i64) -> bool {
        now - self.blue_timer > rule.target
    }

    fn raise_blue(&mut self, rule: &Rule, now: i64) {
        if self.blue_may_change(rule, now) {
            self.drop_probability = (self.drop_probability + rule.increment).min(1.0);
            self.blue_timer = now;
        }
    }

    /// CoDel's part: whether the packet is to be signalled.
    #[inline]
    fn codel(&mut self, rule: &Rule, over: bool, now: i64) -> bool {
        let due = self.due(now);
        if over {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = if self.hasty { now } else { self.control_law(rule, now) };
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        due && self.step(rule, now)
    }

    /// The schedule has come to its next signal, which is given, or steps down; whether the packet is to be signalled.
    fn step(&mut self, rule: &Rule, now: i64) -> bool {
        if self.dropping {
            self.count = self.count.saturating_add(1);
            self.hasty = false;
            self.drop_next = self.control_law(rule, self.drop_next);
            return true;
        }
        self.step_down(rule);
        while self.due(now) {
            self.step_down(rule);
        }
        false
    }

    fn step_down(&mut self, rule: &Rule) {
        self.count -= 1;
        self.hasty = false;
        self.drop_next = self.control_law(rule, self.drop_next);
    }
}

/// The law.
#[derive(Clone, Debug)]
pub struct Cobalt {
    rule: Rule,
    state: State,
}

impl Cobalt {
    /// The law with the parameters of `config`.
    pub fn new(config: &CobaltConfig) -> Self {
        Self { rule: Rule::new(config), state: State::default() }
    }
}

impl Aqm for Cobalt {
    #[inline]
    fn on_dequeue(
        &mut self,
        _size: Bytes,
        sojourn: Duration,
        _backlog: Backlog,
        now: Instant,
        rng: &mut Rng,
    ) -> Verdict {
        match self.state.decide(&self.rule, nanos(sojourn), self.rule.target, at(now), rng) {
            Decision { blue: true, .. } => Verdict::Drop,
            Decision { signal: true, .. } => Verdict::Signal,
            _ => Verdict::Pass,
        }
    }

    #[inline]
    fn on_signalled(&mut self, marked: bool, now: Instant) {
        if marked {
            self.state.on_marked(at(now));
        }
    }

    fn on_overlimit(&mut self, now: Instant) {
        self.state.on_overlimit(&self.rule, at(now));
    }

    fn on_idle(&mut self, now: Instant) {
        self.state.on_idle(&self.rule, at(now));
    }

    fn state_names() -> &'static [&'static str] {
        &["count", "dropping", "drop_probability"]
    }

    fn state(&self, out: &mut [f64]) {
        let State { count, dropping, drop_probability, .. } = self.state;
        out.copy_from_slice(&[f64::from(count), f64::from(u8::from(dropping)), drop_probability]);
    }
}

/// `d` as a signed number of nanoseconds.
pub(crate) fn nanos(d: Duration) -> i64 {
    i64::try_from(d.as_nanos()).unwrap_or(i64::MAX)
}

/// `t` as a signed number of nanoseconds.
pub(crate) fn at(t: Instant) -> i64 {
    i64::try_from(t.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{Ecn, Rate};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    #[test]
    fn a_queue_that_was_never_used_signals_with_the_second_late_packet_in_linux() {
        let rule = Rule::new(&CobaltConfig::default());
        let mut rng = Rng::new(1);
        let ms = 1_000_000;
        let mut signalled = |mut state: State| -> Vec<i64> {
            // The first comes in time. Then a packet each 10 ms, and each has waited for 20: longer than the target of 5 ms.
            state.decide(&rule, 0, 5 * ms, 0, &mut rng);
            let signals = |n: &i64| state.decide(&rule, 20 * ms, 5 * ms, n * 10 * ms, &mut rng).signal;
            (1..=40).filter(signals).collect()
        };
        // The first interval is waited, then 100 / sqrt(2), 100 / sqrt(3) and so on.
        assert_eq!(signalled(State::default())[..3], [11, 19, 24]);
        // Linux: the second late packet, and 100 / sqrt(2) from the first on.
        assert_eq!(signalled(State::hasty())[..3], [2, 9, 14]);
    }

    struct Bench {
        queue: Managed<Cobalt, TestPacket>,
        rng: Rng,
        sink: Collector<TestPacket>,
    }

    impl Bench {
        fn new(config: &CobaltConfig) -> Self {
            Self { queue: config.build(&LINK), rng: Rng::new(1), sink: Collector::default() }
        }
        fn enqueue(&mut self, n: u64, ecn: Ecn, now: Instant) {
            for id in 0..n {
                let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
                self.queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(ecn), &mut cx);
            }
        }
        fn dequeue(&mut self, now: Instant) {
            let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
            self.queue.dequeue(&mut cx);
        }
        fn drop_probability(&self) -> f64 {
            self.queue.law().state.drop_probability
        }
    }

    #[test]
    fn marks_come_when_ns3_expects_them() {
        // ns-3 cobalt-queue-disc-test-suite: 20 packets at zero; dequeues at 2 target, past the interval twice, and
        // at two intervals more.
        let mut b = Bench::new(&CobaltConfig::default());
        b.enqueue(20, Ecn::Ect0, Instant::ZERO);
        let marks = [10, 210, 210, 420].map(|ms| {
            b.dequeue(Instant::from_millis(ms));
            b.sink.marked.len()
        });
        assert_eq!(marks, [0, 1, 2, 3]);
        assert!(b.sink.dropped.is_empty());
    }

    #[test]
    fn sojourn_beyond_the_threshold_raises_the_probability_to_60_steps() {
        // ns-3 cobalt-queue-disc-test-suite, enhanced BLUE: 200 packets at zero, 100 dequeues 10 ms apart. The
        // sojourn exceeds 400 ms from the 41st on, so 60 steps of 1/256.
        for (threshold, expected) in [(Some(Duration::from_millis(400)), 0.234375), (None, 0.0)] {
            let mut b = Bench::new(&CobaltConfig { blue_threshold: threshold, ..Default::default() });
            b.enqueue(200, Ecn::Ect0, Instant::ZERO);
            for k in 1..=100 {
                b.dequeue(Instant::from_millis(10 * k));
            }
            assert_eq!(b.drop_probability(), expected);
            // The mean probability over the last 60 dequeues is 0.119: 8 packets are dropped on average.
            let drops = b.sink.dropped.len();
            assert!(if expected > 0.0 { (1..20).contains(&drops) } else { drops == 0 }, "{drops}");
        }
    }

    #[test]
    fn blue_drops_capable_packets_too() {
        let certain = CobaltConfig { increment: Probability::clamped(1.0), ..Default::default() };
        let mut b = Bench::new(&CobaltConfig { limit: Limit::Packets(5), ..certain });
        b.enqueue(6, Ecn::Ect0, Instant::from_millis(10));
        assert_eq!(b.drop_probability(), 1.0);
        b.dequeue(Instant::from_millis(11));
        assert_eq!((b.sink.dropped.len(), b.sink.marked.len()), (6, 0));
    }

    #[test]
    fn overflows_raise_and_idling_lowers_at_most_once_a_target() {
        let mut b = Bench::new(&CobaltConfig { limit: Limit::Packets(1), ..Default::default() });
        b.enqueue(4, Ecn::Ect0, Instant::from_millis(10));
        assert_eq!(b.drop_probability(), 1.0 / 256.0);
        b.enqueue(1, Ecn::Ect0, Instant::from_millis(15));
        assert_eq!(b.drop_probability(), 1.0 / 256.0);
        b.enqueue(1, Ecn::Ect0, Instant::from_millis(16));
        assert_eq!(b.drop_probability(), 2.0 / 256.0);
        for ms in [30, 31, 34, 36] {
            b.dequeue(Instant::from_millis(ms)); // the first delivers; the others find nothing
        }
        assert_eq!(b.drop_probability(), 2.0 / 256.0 - 1.0 / 4096.0);
        b.dequeue(Instant::from_millis(37));
        assert_eq!(b.drop_probability(), 2.0 / 256.0 - 2.0 / 4096.0);
    }

    #[test]
    fn the_count_winds_down_when_the_queue_is_good_again() {
        let mut law = Cobalt::new(&CobaltConfig::default());
        let mut rng = Rng::new(1);
        let mut ask = |law: &mut Cobalt, sojourn, ms| {
            let sojourn = Duration::from_millis(sojourn);
            law.on_dequeue(Bytes(1000), sojourn, Backlog::default(), Instant::from_millis(ms), &mut rng)
        };
        law.state.count = 4;
        law.state.drop_next = 1_000_000_000;
        // Steps at 1000 ms (then three are left: 57.7 ms), 1057.7 (two: 70.7) and 1128.4 (one: 100), next 1228.4.
        assert_eq!(ask(&mut law, 1, 1_200), Verdict::Pass);
        assert_eq!((law.state.count, law.state.drop_next / 1_000), (1, 1_228_445));
        assert_eq!(ask(&mut law, 1, 1_229), Verdict::Pass);
        assert_eq!((law.state.count, law.state.drop_next), (0, 1_329_000_000));
    }
}
