//! PI2: PIE's controller with a squared output.
//!
//! De Schepper, Bondarenko, Tsang, Briscoe, "PI2: A Linearized AQM for both Classic and Scalable TCP", CoNEXT 2016. A
//! plain proportional-integral controller of the queueing delay computes a probability p'. Classic traffic is signalled
//! with its square, which compensates the square root in TCP's rate, so that no table of scaling factors is needed.
//! Scalable congestion controls (ECT(1)) are marked with `k p'` and share the queue fairly.
//!
//! Choices: the delay is that of the last departure, or zero if it left the queue empty. Beyond `mark_limit`, classic
//! ECN-capable packets are dropped instead of marked. Scalable packets, which are then marked with certainty if `k` =
//! 2, are also dropped with the classic probability (RFC 9332 §4.1 requires this under overload). Linux has PI2 only as
//! part of `dualpi2`.

use crate::discipline::{Aqm, Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::managed::{DropEnd, Managed};
use crate::periodic_timer::PeriodicTimer;
use crate::pi_controller::{PiController, departure_delay};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, Duration, Ecn, Instant, Limit, Packet, Probability, Rng};

tailrace_core::parameters! {
    /// Parameters of `pi2`.
    pub struct Pi2Config {
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law. A larger limit only costs memory.
        limit: Limit = Limit::Packets(10_000), "Linux sch_dualpi2";
        /// The waiting time that the controller steers towards. If it is too small, the link has nothing to send at
        /// times; if it is too large, packets wait longer than they need to.
        target: Duration = Duration::from_millis(15), "RFC 9332 Appendix A; CoNEXT 2016 has 20 ms";
        /// The time between two updates of the probability. If it is too small, the probability follows every short
        /// variation of the queue; if it is too large, it reacts late.
        tupdate: Duration = Duration::from_millis(16), "RFC 9332 Appendix A; CoNEXT 2016 has 32 ms", in "10 us"..="1000 s": "each update takes computing time | so rare an update follows nothing";
        /// Change of the probability for each second that the delay is away from `target`, per update. A larger value
        /// reacts faster; if it is too large, the delay swings up and down.
        alpha: f64 = 0.16, "RFC 9332 Appendix A: 0.1 T / RTT_max^2 at 100 ms", in 0.0..=1000000.0: "it would drive the delay away from the target, as it has the wrong sign | it would overshoot with each update";
        /// Change of the probability for each second by which the delay has grown or shrunk since the last update. If
        /// it is too small, the delay overshoots; if it is too large, short variations are amplified.
        beta: f64 = 3.2, "Linux sch_dualpi2: 819/256", in 0.0..=1000000.0: "it would drive the delay away from the target, as it has the wrong sign | it would overshoot with each update";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = true, "CoNEXT 2016";
        /// Whether packets with ECT(1) or CE belong to scalable senders (as of L4S) and are marked more often. If
        /// false, they are treated as classic ones.
        scalable: bool = true, "CoNEXT 2016 §5; RFC 9331";
        /// The coupling factor: scalable packets are marked with `k` times the probability p'. If it is too large,
        /// scalable flows get too little beside classic ones.
        k: f64 = 2.0, "CoNEXT 2016 §5; RFC 9332", in 0.0..=1000000.0: "a probability is not negative | every packet would be marked at once";
        /// Above this classic probability ECN-capable packets are dropped like others, not marked.
        mark_limit: Probability = Probability::clamped(0.25), "CoNEXT 2016";
        /// While no more than two packets of this size wait, nothing is dropped or marked.
        mean_pktsize: Bytes = Bytes(1000), "PIE, ns-3 MeanPktSize";
    }
}

impl Discipline for Pi2Config {
    const ABOUT: About = About {
        family: "delay",
        summary: "As PIE, but classic packets are dropped or marked with the square of the controller's probability.",
        citation: "De Schepper et al., CoNEXT 2016",
        ecn: "with `ecn` marks ECT(0) by the square up to `mark_limit`, ECT(1) and CE by `k` times the root",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Pi2Queue<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Pi2Queue<P> {
        Pi2Queue { inner: Managed::new(self.limit, self.ecn, DropEnd::Tail, Pi2::new(self)) }
    }
}

/// The law in its FIFO; it is told each arrival's codepoint.
#[derive(Clone, Debug)]
pub struct Pi2Queue<P> {
    inner: Managed<Pi2, P>,
}

impl<P: Packet> QueueDiscipline<P> for Pi2Queue<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.inner.law_mut().arriving = packet.ecn();
        self.inner.enqueue(packet, cx);
    }
    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.inner.dequeue(cx)
    }
    fn backlog(&self) -> Backlog {
        self.inner.backlog()
    }
    fn poll_timeout(&self) -> Option<Instant> {
        self.inner.poll_timeout()
    }
    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.inner.handle_timeout(cx);
    }
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.inner.link_changed(link, cx);
    }
    fn state_names(&self) -> &'static [&'static str] {
        self.inner.state_names()
    }
    fn state(&self, out: &mut [f64]) {
        self.inner.state(out);
    }
}

/// The law. Delays are in seconds.
#[derive(Clone, Debug)]
pub struct Pi2 {
    limit: Limit,
    ecn: bool,
    scalable: bool,
    k: f64,
    mark_limit: f64,
    floor: u64,
    controller: PiController,
    timer: PeriodicTimer,
    /// Codepoint of the packet that comes next to [`Aqm::on_enqueue`].
    arriving: Ecn,
    delay: f64,
    /// p'.
    root: f64,
}

impl Pi2 {
    fn new(config: &Pi2Config) -> Self {
        Self {
            limit: config.limit,
            ecn: config.ecn,
            scalable: config.scalable,
            k: config.k,
            mark_limit: config.mark_limit.get(),
            floor: config.mean_pktsize.get().saturating_mul(2),
            controller: PiController {
                alpha: config.alpha,
                beta: config.beta,
                reference: config.target.as_secs_f64(),
                previous: 0.0,
            },
            timer: PeriodicTimer::new(config.tupdate, config.tupdate),
            arriving: Ecn::NotEct,
            delay: 0.0,
            root: 0.0,
        }
    }

    fn classic(&self) -> f64 {
        self.root * self.root
    }
}

impl Aqm for Pi2 {
    #[inline]
    fn on_enqueue(&mut self, size: Bytes, backlog: Backlog, _now: Instant, rng: &mut Rng) -> Verdict {
        if backlog.bytes.get() <= self.floor || !backlog.has_room(self.limit, size) {
            return Verdict::Pass;
        }
        let overload = self.classic() > self.mark_limit;
        let is_scalable = self.ecn && self.scalable && matches!(self.arriving, Ecn::Ect1 | Ecn::Ce);
        // The square without a multiplication: both of two draws must be below the root (CoNEXT 2016 §4).
        let (first, second) = (rng.uniform(), rng.uniform());
        let classic = first.max(second) < self.root;
        match (is_scalable, overload) {
            (_, true) if classic => Verdict::Drop,
            (false, _) if classic => Verdict::Signal,
            (true, _) if first < self.k * self.root => Verdict::Signal,
            _ => Verdict::Pass,
        }
    }

    #[inline]
    fn on_dequeue(
        &mut self,
        _size: Bytes,
        sojourn: Duration,
        backlog: Backlog,
        _now: Instant,
        _rng: &mut Rng,
    ) -> Verdict {
        self.delay = departure_delay(sojourn, backlog.packets);
        Verdict::Pass
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.timer.deadline())
    }

    fn handle_timeout(&mut self, _backlog: Backlog, now: Instant) {
        if self.timer.restart_if_expired(now) {
            self.root = (self.root + self.controller.increment(self.delay)).clamp(0.0, 1.0);
            self.controller.store_sample(self.delay);
        }
    }

    fn state_names() -> &'static [&'static str] {
        &["drop_probability", "base_probability", "queue_delay_s"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.classic(), self.root, self.controller.previous]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITING: Backlog = Backlog { packets: 100, bytes: Bytes(100_000) };

    /// A law that has seen 30 ms for ever.
    fn late(config: &Pi2Config) -> Pi2 {
        let mut law = Pi2::new(config);
        let sojourn = Duration::from_millis(30);
        law.on_dequeue(Bytes(1000), sojourn, WAITING, Instant::ZERO, &mut Rng::new(1));
        law.controller.previous = 0.030;
        law
    }

    /// Shares of marks-or-drops and of drops among 100 000 arrivals with codepoint `ecn` at p' = `root`.
    fn shares(config: &Pi2Config, root: f64, ecn: Ecn) -> (f64, f64) {
        let mut law = Pi2 { root, arriving: ecn, ..late(config) };
        let (mut rng, mut signals, mut drops) = (Rng::new(3), 0, 0);
        for _ in 0..100_000 {
            match law.on_enqueue(Bytes(1000), WAITING, Instant::ZERO, &mut rng) {
                Verdict::Signal => signals += 1,
                Verdict::Drop => drops += 1,
                _ => {}
            }
        }
        (f64::from(signals) / 1e5, f64::from(drops) / 1e5)
    }

    #[test]
    fn a_constant_delay_of_30_ms_reaches_a_quarter_after_105_updates() {
        // 0.16 (30 ms - 15 ms) = 0.0024 an update; 104 of them are 0.2496, and the square of a quarter is 6.25 %.
        let mut law = late(&Pi2Config::default());
        for update in 1..=105 {
            let now = law.timer.deadline();
            assert_eq!(now, Instant::from_millis(16 * update));
            law.handle_timeout(WAITING, now);
            assert_eq!(law.root >= 0.25, update == 105, "{update}: {}", law.root);
        }
        assert!((law.classic() - 0.252 * 0.252).abs() < 1e-12);
    }

    #[test]
    fn the_trend_counts_and_silence_unwinds() {
        let mut law = late(&Pi2Config::default());
        law.controller.previous = 0.010;
        law.handle_timeout(WAITING, law.timer.deadline());
        // 0.0024 + 3.2 (30 ms - 10 ms).
        assert!((law.root - 0.0664).abs() < 1e-12);
        law.on_dequeue(
            Bytes(1000),
            Duration::from_millis(30),
            Backlog::default(),
            Instant::ZERO,
            &mut Rng::new(1),
        );
        law.handle_timeout(Backlog::default(), law.timer.deadline());
        assert_eq!(law.root, 0.0);
    }

    #[test]
    fn classic_gets_the_square_and_scalable_twice_the_root() {
        // Standard deviations: 0.0008 for 6.25 %, 0.0016 for 50 %.
        let config = Pi2Config::default();
        for ecn in [Ecn::NotEct, Ecn::Ect0] {
            let (signals, drops) = shares(&config, 0.25, ecn);
            assert!((signals - 0.0625).abs() < 0.004 && drops == 0.0, "{signals} {drops}");
        }
        for ecn in [Ecn::Ect1, Ecn::Ce] {
            let (signals, drops) = shares(&config, 0.25, ecn);
            assert!((signals - 0.5).abs() < 0.008 && drops == 0.0, "{signals} {drops}");
        }
        // Without the distinction, and without ECN, ECT(1) is classic.
        for config in [
            Pi2Config { scalable: false, ..Pi2Config::default() },
            Pi2Config { ecn: false, ..Pi2Config::default() },
        ] {
            let (signals, _) = shares(&config, 0.25, Ecn::Ect1);
            assert!((signals - 0.0625).abs() < 0.004, "{signals}");
        }
    }

    #[test]
    fn above_a_quarter_ecn_does_not_save_from_drops() {
        let config = Pi2Config::default();
        for ecn in [Ecn::NotEct, Ecn::Ect0] {
            let (signals, drops) = shares(&config, 0.6, ecn);
            assert!(signals == 0.0 && (drops - 0.36).abs() < 0.008, "{signals} {drops}");
        }
        // Scalable packets that are not dropped are marked: 2 p' exceeds 1.
        let (signals, drops) = shares(&config, 0.6, Ecn::Ect1);
        assert!((drops - 0.36).abs() < 0.008 && (signals + drops - 1.0).abs() < 1e-12, "{signals} {drops}");
    }

    #[test]
    fn two_packets_may_always_wait() {
        let mut law = Pi2 { root: 1.0, ..late(&Pi2Config::default()) };
        let mut ask = |bytes| {
            let backlog = Backlog { packets: 2, bytes: Bytes(bytes) };
            law.on_enqueue(Bytes(1000), backlog, Instant::ZERO, &mut Rng::new(1))
        };
        assert_eq!(ask(2000), Verdict::Pass);
        assert_eq!(ask(2001), Verdict::Drop);
    }
}
