//! PI: the proportional-integral controller of the queue length.
//!
//! Hollot, Misra, Towsley, Gong, "On Designing Improved Controllers for AQM Routers Supporting TCP Flows", INFOCOM
//! 2001. At a fixed rate, the signal probability changes by `a (q - q_ref) - b (q_old - q_ref)`, so that the queue
//! settles at its reference length whatever the load.
//!
//! The coefficients are for one capacity, number of flows and round trip (3750 packets/s, 60, 246 ms). For others they
//! must be computed again: the gain of the control loop grows with the cube of the capacity. If a full queue drops a
//! packet, the law is not asked (as in ns-2). Choice: 170 updates per second as in ns-2, although the paper's text may
//! say 160; both round to the same coefficients. Linux does not have PI.

use crate::discipline::{Aqm, Backlog, LinkView, Verdict};
use crate::managed::{DropEnd, Managed};
use crate::periodic_timer::PeriodicTimer;
use crate::pi_controller::PiController;
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Rng};

tailrace_core::parameters! {
    /// Parameters of `pi`.
    pub struct PiConfig {
        /// The most that may wait in the queue. If it is too close to `target`, packets are dropped for want of room
        /// and the controller has no effect.
        limit: Limit = Limit::Packets(200), "Bedi et al. 2014: 200 KB of 1 KB packets";
        /// The queue length that the controller steers towards. If it is too small, the link has nothing to send at
        /// times; if it is too large, packets wait longer than they need to.
        target: Limit = Limit::Packets(50), "ns-2 qref_; Bedi et al. 2014 have 100, Hollot et al. 2001 200";
        /// The weight of the present queue length, for each packet that it is away from `target`. It must be larger
        /// than `b`. If it is too large, the queue swings up and down.
        a: f64 = 0.000_018_22, "Hollot et al. 2001; ns-2 a_";
        /// The weight of the queue length at the last update, for each packet that it was away from `target`. If it
        /// is too close to `a`, a lasting distance from `target` is not removed.
        b: f64 = 0.000_018_16, "Hollot et al. 2001; ns-2 b_";
        /// Number of updates per second. The values of `a` and `b` belong to it.
        frequency: f64 = 170.0, "ns-2 w_", in 0.001..=100000.0: "so rare an update follows nothing | each update takes computing time";
        /// The mean size of a packet, which converts between packets and bytes.
        mean_pktsize: Bytes = Bytes(500), "ns-2 mean_pktsize_", in "1 B"..="65535 B": "packets have a size | no IP packet is larger";
        /// Whether the queue length is counted as its bytes over `mean_pktsize`, instead of packets.
        queue_in_bytes: bool = false, "ns-2 queue_in_bytes_";
        /// Whether large packets are dropped or marked more often than small ones, in proportion to their size over
        /// `mean_pktsize`. RFC 7141 advises against it.
        probability_in_bytes: bool = false, "ns-2 bytes_; RFC 7141";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "ns-2 setbit_";
    }
}

impl Discipline for PiConfig {
    const ABOUT: About = About {
        family: "price",
        summary: "Drops or marks packets with a probability that a controller sets to hold the queue at a given length.",
        citation: "Hollot, Misra, Towsley and Gong, INFOCOM 2001",
        ecn: "marks instead of dropping with `ecn`; overflow drops",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Pi, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if self.b < 0.0 {
            return Err(("b", format!("{} is negative; it is subtracted", self.b)));
        }
        if self.a < self.b {
            return Err(("a", format!("{} is below b; the queue would run away from its target", self.a)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Managed<Pi, P> {
        Managed::new(self.limit, self.ecn, DropEnd::Tail, Pi::new(self))
    }
}

/// The law. The queue is in packets, or in bytes over the mean packet size.
#[derive(Clone, Debug)]
pub struct Pi {
    limit: Limit,
    mean: f64,
    queue_in_bytes: bool,
    probability_in_bytes: bool,
    controller: PiController,
    timer: PeriodicTimer,
    probability: f64,
}

impl Pi {
    /// The law with the parameters of `config`.
    pub fn new(config: &PiConfig) -> Self {
        let mean = config.mean_pktsize.as_f64();
        let reference = match config.target {
            Limit::Packets(n) => n as f64,
            Limit::Bytes(b) => b.as_f64() / mean,
        };
        let interval = Duration::from_secs_f64(1.0 / config.frequency);
        Self {
            limit: config.limit,
            mean,
            queue_in_bytes: config.queue_in_bytes,
            probability_in_bytes: config.probability_in_bytes,
            // a (q - q_ref) - b (q_old - q_ref) = (a - b) (q - q_ref) + b (q - q_old).
            controller: PiController { alpha: config.a - config.b, beta: config.b, reference, previous: 0.0 },
            timer: PeriodicTimer::new(interval, interval),
            probability: 0.0,
        }
    }

    fn queue(&self, backlog: Backlog) -> f64 {
        if self.queue_in_bytes { backlog.bytes.as_f64() / self.mean } else { backlog.packets as f64 }
    }
}

impl Aqm for Pi {
    #[inline]
    fn on_enqueue(&mut self, size: Bytes, backlog: Backlog, _now: Instant, rng: &mut Rng) -> Verdict {
        if !backlog.has_room(self.limit, size) {
            return Verdict::Pass;
        }
        let scale = if self.probability_in_bytes { size.as_f64() / self.mean } else { 1.0 };
        if rng.bernoulli(self.probability * scale) { Verdict::Signal } else { Verdict::Pass }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.timer.deadline())
    }

    fn handle_timeout(&mut self, backlog: Backlog, now: Instant) {
        if self.timer.restart_if_expired(now) {
            let queue = self.queue(backlog);
            self.probability = (self.probability + self.controller.increment(queue)).clamp(0.0, 1.0);
            self.controller.store_sample(queue);
        }
    }

    fn state_names() -> &'static [&'static str] {
        &["drop_probability"]
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
    use tailrace_core::{Ecn, Rate};

    fn backlog(packets: u64) -> Backlog {
        Backlog { packets, bytes: Bytes(1000 * packets) }
    }

    fn at_100() -> PiConfig {
        PiConfig { target: Limit::Packets(100), ..PiConfig::default() }
    }

    #[test]
    fn a_queue_pinned_100_above_its_reference_needs_100_seconds_for_a_tenth() {
        // The first update adds a * 100 + b * 100 (q_old = 0, as in ns-2), each further one (a - b) * 100 = 6e-6, 170 a
        // second: 0.003638 + 6e-6 (170 s - 1) = 0.00465 after 1 s, 0.1056 after 100 s.
        let mut law = Pi::new(&at_100());
        let mut seen = Vec::new();
        for update in 1..=25_500 {
            law.handle_timeout(backlog(200), law.timer.deadline());
            if [1, 10, 50, 100, 150].contains(&(update / 170)) && update % 170 == 0 {
                seen.push(law.probability);
            }
        }
        // Bedi et al. 2014, Table 3: saturated for the whole of their run.
        for (p, expected) in seen.iter().zip([0.004_65, 0.013_83, 0.054_63, 0.105_63, 0.156_63]) {
            assert!((p - expected).abs() < 1e-4, "{seen:?}");
        }
        assert_eq!(seen.len(), 5);
    }

    #[test]
    fn updates_come_170_times_a_second() {
        let mut law = Pi::new(&PiConfig::default());
        let mut updates = 0;
        // The interval is rounded to 5 882 353 ns, so the 170th comes 10 ns late.
        while law.poll_timeout().unwrap() <= Instant::from_millis(1001) {
            law.handle_timeout(backlog(0), law.timer.deadline());
            updates += 1;
        }
        assert_eq!(updates, 170);
    }

    #[test]
    fn the_step_is_that_of_the_paper() {
        let mut law = Pi { probability: 0.5, ..Pi::new(&at_100()) };
        for (old, new) in [(0.0, 40), (40.0, 180), (180.0, 180), (180.0, 90)] {
            let before = law.probability;
            law.handle_timeout(backlog(new), law.timer.deadline());
            let step = 0.000_018_22 * (new as f64 - 100.0) - 0.000_018_16 * (old - 100.0);
            assert!((law.probability - before - step).abs() < 1e-15);
        }
    }

    #[test]
    fn the_probability_rests_at_the_reference_and_stays_within_bounds() {
        let mut law = Pi { probability: 0.3, ..Pi::new(&at_100()) };
        law.controller.previous = 100.0;
        law.handle_timeout(backlog(100), law.timer.deadline());
        assert_eq!(law.probability, 0.3);
        law.handle_timeout(backlog(1_000_000), law.timer.deadline());
        assert_eq!(law.probability, 1.0);
        law.handle_timeout(backlog(0), law.timer.deadline());
        assert_eq!(law.probability, 0.0);
    }

    #[test]
    fn bytes_count_as_mean_packets_where_asked() {
        let bytes = PiConfig { queue_in_bytes: true, ..PiConfig::default() };
        assert_eq!(Pi::new(&bytes).queue(backlog(100)), 200.0);
        assert_eq!(Pi::new(&PiConfig::default()).queue(backlog(100)), 100.0);
        let target = PiConfig { target: Limit::Bytes(Bytes(25_000)), ..PiConfig::default() };
        assert_eq!(Pi::new(&target).controller.reference, 50.0);
        // A 1000-byte packet is twice the mean: certain at one half.
        let scaled = PiConfig { probability_in_bytes: true, ..PiConfig::default() };
        let mut law = Pi { probability: 0.5, ..Pi::new(&scaled) };
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            assert_eq!(law.on_enqueue(Bytes(1000), backlog(9), Instant::ZERO, &mut rng), Verdict::Signal);
        }
    }

    #[test]
    fn ecn_marks_and_the_full_queue_drops() {
        let config = PiConfig { ecn: true, limit: Limit::Packets(5), ..PiConfig::default() };
        let mut queue = config.build(&LinkView::new(Rate::from_mbit(10), Duration::ZERO));
        queue.law_mut().probability = 1.0;
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..10 {
            let ecn = if id < 8 { Ecn::Ect0 } else { Ecn::NotEct };
            queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(ecn), &mut cx);
        }
        queue.dequeue(&mut cx);
        queue.enqueue(TestPacket::new(10, 0, 1000), &mut cx);
        // Five marked fill the queue; five find it full; the last finds room and is not ECN-capable.
        assert_eq!((sink.marked.len(), sink.dropped.len()), (5, 6));
        assert_eq!(sink.dropped[4].1, tailrace_core::DropReason::Overlimit);
        assert_eq!(sink.dropped[5].1, tailrace_core::DropReason::Aqm);
    }
}
