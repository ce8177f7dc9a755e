//! BLUE: marks by loss and idleness, not by queue length.
//!
//! Feng, Shin, Kandlur, Saha, "The BLUE Active Queue Management Algorithms", ToN 10(4), 2002 (UM CSE-TR-387-99).
//! Arrivals are signalled with a probability. It rises by `increment` when the queue overflows and falls by `decrement`
//! when the link is idle; two changes are at least `freeze_time` apart.
//!
//! Choices: idleness is a state, not an event. A packet that arrives at an idle link causes one decrement for each
//! `freeze_time` of silence (`idle = "event"` causes one for each event, as the paper's pseudo-code does). Otherwise a
//! probability of 1 would never fall, because nothing would enter the queue. With `stamps = "separate"`, increments and
//! decrements do not wait for each other, as in the ns-2 code of the authors' LANL distribution. Linux does not have
//! BLUE by itself.

use crate::discipline::{Aqm, Backlog, LinkView, Verdict};
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Probability, Rng};

tailrace_core::choices! {
    /// Minimum time between changes of the probability, by their cause.
    pub enum Stamps {
        /// Since the last change in either direction.
        Shared = "shared",
        /// Since the last change in the same direction.
        Separate = "separate",
    }
}

tailrace_core::choices! {
    /// Effect of silence on the probability.
    pub enum IdleForm {
        /// It is lowered once for each `freeze_time` that the link was idle.
        State = "state",
        /// It is lowered once when the link becomes idle, and once for each packet that arrives at the idle link, but
        /// at most once per `freeze_time`.
        Event = "event",
    }
}

tailrace_core::parameters! {
    /// Parameters of `blue`.
    pub struct BlueConfig {
        /// The most that may wait in the queue. If it is too small, the queue overflows and the probability rises
        /// although the link is not full.
        limit: Limit = Limit::Packets(200), "ALTQ blue; Bedi et al. 2014: 200 KB of 1 KB packets";
        /// By how much the probability rises when the queue overflows. If it is too small, the queue overflows for a
        /// long time; if it is too large, the probability swings up and down.
        increment: Probability = Probability::clamped(0.0025), "Feng et al. 2002; LANL ns-2 port";
        /// By how much the probability falls when the link is idle. It should be much smaller than `increment`; if it
        /// is too large, the probability falls too soon.
        decrement: Probability = Probability::clamped(0.00025), "Feng et al. 2002; LANL ns-2 port";
        /// The shortest time between two changes of the probability; about a round-trip time. If it is too small, the
        /// probability changes again before senders have answered the last change.
        freeze_time: Duration = Duration::from_millis(100), "Feng et al. 2002; LANL ns-2 port", in "1 us"..="1000 h": "there must be some time between changes | the probability would never change";
        /// From this many packets or bytes on, an arriving packet counts as an overflow although there is room.
        /// `"auto"` turns this off.
        loss_at: Option<Limit> = None, "Feng et al. 2002, variant without a value";
        /// The probability at the start.
        initial: Probability = Probability::ZERO, "Feng et al. 2002";
        /// From which earlier change the `freeze_time` counts.
        stamps: Stamps = Stamps::Shared, "Feng et al. 2002";
        /// Effect of an idle link on the probability.
        idle: IdleForm = IdleForm::State, "no source; see the description";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "Feng et al. 2002 marks and drops";
        /// The packet that is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "Feng et al. 2002; ALTQ: random";
    }
}

impl Discipline for BlueConfig {
    const ABOUT: About = About {
        family: "blue",
        summary: "Drops or marks packets with a probability that rises when the queue overflows and falls when the link is idle.",
        citation: "Feng, Shin, Kandlur and Saha, ToN 10(4), 2002",
        ecn: "marks instead of dropping with `ecn`; overflow drops",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Blue, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Managed<Blue, P> {
        Managed::new(self.limit, self.ecn, self.drop, Blue::new(self))
    }
}

/// The law.
#[derive(Clone, Debug)]
pub struct Blue {
    increment: f64,
    decrement: f64,
    freeze: Duration,
    loss_at: Option<Limit>,
    stamps: Stamps,
    idle: IdleForm,
    probability: f64,
    /// Last changes upwards and downwards; `None`: never.
    raised: Option<Instant>,
    lowered: Option<Instant>,
    /// Since when the link has been idle.
    idle_since: Option<Instant>,
}

impl Blue {
    /// The law with the parameters of `config`.
    pub fn new(config: &BlueConfig) -> Self {
        Self {
            increment: config.increment.get(),
            decrement: config.decrement.get(),
            freeze: config.freeze_time,
            loss_at: config.loss_at,
            stamps: config.stamps,
            idle: config.idle,
            probability: config.initial.get(),
            raised: None,
            lowered: None,
            idle_since: Some(Instant::ZERO),
        }
    }

    /// The later change of those that `own` has to wait for.
    fn last_change(&self, own: Option<Instant>) -> Option<Instant> {
        match self.stamps {
            Stamps::Shared => self.raised.max(self.lowered),
            Stamps::Separate => own,
        }
    }

    /// Whether a change may follow the one at `last`.
    fn is_thawed(&self, last: Option<Instant>, now: Instant) -> bool {
        last.is_none_or(|last| now.saturating_since(last) > self.freeze)
    }

    fn raise(&mut self, now: Instant) {
        if self.is_thawed(self.last_change(self.raised), now) {
            self.probability = (self.probability + self.increment).min(1.0);
            self.raised = Some(now);
        }
    }

    /// Lowers the probability once for idleness seen at `now`.
    fn lower(&mut self, now: Instant) {
        if self.is_thawed(self.last_change(self.lowered), now) {
            self.probability = (self.probability - self.decrement).max(0.0);
            self.lowered = Some(now);
        }
    }

    /// The decrements of a silence that has lasted since `since`: one a whole `freeze_time`. The rest of the time
    /// counts on.
    fn lower_for_silence(&mut self, since: Instant, now: Instant) {
        let start = self.last_change(self.lowered).map_or(since, |last| last.max(since));
        let periods = now.saturating_since(start).as_nanos() / self.freeze.as_nanos();
        if periods > 0 {
            self.probability = (self.probability - periods as f64 * self.decrement).max(0.0);
            self.lowered = Some(start.saturating_add(self.freeze.saturating_mul(periods)));
        }
    }
}

impl Aqm for Blue {
    #[inline]
    fn on_enqueue(&mut self, size: Bytes, backlog: Backlog, now: Instant, rng: &mut Rng) -> Verdict {
        if let Some(since) = self.idle_since
            && backlog.packets == 0
        {
            match self.idle {
                IdleForm::State => self.lower_for_silence(since, now),
                IdleForm::Event => self.lower(now),
            }
        }
        if self.loss_at.is_some_and(|at| !backlog.has_room(at, size)) {
            self.raise(now);
        }
        if rng.bernoulli(self.probability) { Verdict::Signal } else { Verdict::Pass }
    }

    #[inline]
    fn on_dequeue(
        &mut self,
        _size: Bytes,
        _sojourn: Duration,
        _backlog: Backlog,
        _now: Instant,
        _rng: &mut Rng,
    ) -> Verdict {
        self.idle_since = None;
        Verdict::Pass
    }

    fn on_overlimit(&mut self, now: Instant) {
        self.raise(now);
    }

    #[inline]
    fn on_idle(&mut self, now: Instant) {
        // Later polls of the same silence are no news.
        if self.idle_since.is_none() {
            self.idle_since = Some(now);
            self.lower(now);
        }
    }

    fn state_names() -> &'static [&'static str] {
        &["mark_probability"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.probability]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{DropReason, Ecn, Rate};

    const FULL: Backlog = Backlog { packets: 200, bytes: Bytes(200_000) };

    fn arrive(law: &mut Blue, backlog: Backlog, ms: u64) {
        law.on_enqueue(Bytes(1000), backlog, Instant::from_millis(ms), &mut Rng::new(1));
    }

    /// The time of the first millisecond at which sustained overflow has brought the probability to `p`.
    fn reached(config: &BlueConfig, p: f64) -> u64 {
        let mut law = Blue::new(config);
        (0..100_000)
            .find(|&ms| {
                law.on_overlimit(Instant::from_millis(ms));
                law.probability > p - 1e-9
            })
            .unwrap()
    }

    #[test]
    fn sustained_overflow_raises_by_a_fortieth_a_second() {
        // Feng et al. 2002: 0.0025 each 100 ms: 0.4 after 160 steps, 1 after 400; the first step is at once. "More than"
        // freeze_time at a resolution of 1 ms makes 101 ms a step.
        let config = BlueConfig::default();
        assert_eq!(reached(&config, 0.4), 159 * 101);
        assert_eq!(reached(&config, 1.0), 399 * 101);
        // And never more than 1.
        let mut law = Blue { probability: 0.999, ..Blue::new(&config) };
        law.on_overlimit(Instant::ZERO);
        assert_eq!(law.probability, 1.0);
    }

    #[test]
    fn four_hundred_seconds_of_silence_take_everything_back() {
        let silent = |idle, ms| {
            let mut law =
                Blue { probability: 1.0, ..Blue::new(&BlueConfig { idle, ..BlueConfig::default() }) };
            arrive(&mut law, Backlog::default(), ms);
            law.probability
        };
        // 0.00025 each 100 ms.
        assert!((silent(IdleForm::State, 200_000) - 0.5).abs() < 1e-9);
        assert!(silent(IdleForm::State, 400_000) < 1e-9);
        // In the event form the same silence is worth one step.
        assert!((silent(IdleForm::Event, 400_000) - 0.999_75).abs() < 1e-9);
    }

    #[test]
    fn no_part_of_a_silence_is_lost_between_dropped_arrivals() {
        // An arrival each 150 ms, each dropped: in 30 s 300 decrements, not 200.
        let mut law = Blue { probability: 1.0, ..Blue::new(&BlueConfig::default()) };
        for i in 1..=200 {
            arrive(&mut law, Backlog::default(), 150 * i);
        }
        assert!((law.probability - (1.0 - 300.0 * 0.000_25)).abs() < 1e-9, "{}", law.probability);
    }

    #[test]
    fn a_probability_of_one_comes_down_although_nothing_is_queued() {
        let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
        let config = BlueConfig { initial: Probability::ONE, ..BlueConfig::default() };
        let mut queue = config.build(&link);
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let admitted = (0..100_000).find(|&id| {
            let now = Instant::from_millis(id * 10);
            let mut cx = Cx { now, rng: &mut rng, sink: &mut sink };
            queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
            queue.backlog().packets > 0
        });
        assert!(admitted.is_some());
    }

    #[test]
    fn a_busy_link_is_not_idle() {
        let mut law = Blue { probability: 0.5, ..Blue::new(&BlueConfig::default()) };
        law.on_dequeue(Bytes(1000), Duration::ZERO, Backlog::default(), Instant::ZERO, &mut Rng::new(1));
        // Empty, but a packet is being sent.
        arrive(&mut law, Backlog::default(), 10_000);
        assert_eq!(law.probability, 0.5);
        law.on_idle(Instant::from_millis(10_001));
        assert_eq!(law.probability, 0.499_75);
        law.on_idle(Instant::from_millis(20_000));
        assert_eq!(law.probability, 0.499_75);
    }

    #[test]
    fn shared_stamps_freeze_both_directions_separate_ones_each_its_own() {
        let after = |stamps| {
            let mut law = Blue::new(&BlueConfig { stamps, ..BlueConfig::default() });
            law.idle_since = None;
            law.on_overlimit(Instant::from_millis(1000));
            law.on_idle(Instant::from_millis(1050));
            law.probability
        };
        assert_eq!(after(Stamps::Shared), 0.0025);
        assert_eq!(after(Stamps::Separate), 0.0025 - 0.000_25);
    }

    #[test]
    fn a_backlog_above_loss_at_counts_as_loss() {
        let config = BlueConfig { loss_at: Some(Limit::Packets(150)), ..BlueConfig::default() };
        let mut law = Blue::new(&config);
        arrive(&mut law, Backlog { packets: 149, bytes: Bytes(149_000) }, 1000);
        assert_eq!(law.probability, 0.0);
        arrive(&mut law, FULL, 1000);
        assert_eq!(law.probability, 0.0025);
    }

    #[test]
    fn ecn_marks_by_probability_and_overflow_drops() {
        let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
        let config = BlueConfig {
            initial: Probability::ONE,
            ecn: true,
            limit: Limit::Packets(3),
            ..BlueConfig::default()
        };
        let mut queue = config.build(&link);
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..4 {
            queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(Ecn::Ect0), &mut cx);
        }
        queue.enqueue(TestPacket::new(4, 0, 1000), &mut cx);
        assert_eq!(sink.marked.len(), 3);
        let reasons: Vec<_> = sink.dropped.iter().map(|(p, reason, _)| (p.id, *reason)).collect();
        assert_eq!(reasons, [(3, DropReason::Overlimit), (4, DropReason::Aqm)]);
    }
}
