//! AVQ: adaptive virtual queue.
//!
//! Kunniyur, Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active Queue Management",
//! SIGCOMM 2001; ToN 12(2), 2004. A counter represents a queue on a slower, virtual link. A packet that would overflow
//! this virtual queue is signalled. The capacity of the virtual link adapts until arrivals settle at a share `gamma` of
//! the real link's capacity.
//!
//! Choices where the paper is unclear or others differ: the capacity is a token bucket, limited after the refill and
//! before the arrival's cost, as in the paper (`clamp = "ns2"`: once, at the end). A dropped packet neither costs nor
//! refills, so without ECN the capacity follows the admitted packets, as ns-2 documents (`adapt_to = "offered"`: every
//! arrival counts). Packets that are not ECN-capable are dropped where others are marked; ns-2 lets them pass.
//!
//! Difference: packets at the head are never marked (ns-2 `markfront_`). Linux does not have AVQ.

use crate::discipline::{Aqm, Backlog, LinkView, Verdict};
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, Instant, Limit, Packet, Probability, Rng};

tailrace_core::choices! {
    /// When the virtual capacity is held within zero and the link's.
    pub enum Clamp {
        /// It is cut to the upper limit after it was refilled, and to the lower limit after the packet was charged.
        Paper = "paper",
        /// It is cut to both limits after both.
        Ns2 = "ns2",
    }
}

tailrace_core::choices! {
    /// Arrivals that move the virtual capacity.
    pub enum AdaptTo {
        /// Only those that the law does not drop.
        Admitted = "admitted",
        /// All of them.
        Offered = "offered",
    }
}

tailrace_core::parameters! {
    /// Parameters of `avq`.
    pub struct AvqConfig {
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law.
        limit: Limit = Limit::Packets(50), "ns-2 Queue limit_";
        /// The share of the link's rate that arrivals settle at. If it is too small, part of the link is unused; at 1
        /// the queue is not kept short.
        gamma: Probability = Probability::clamped(0.98), "Kunniyur and Srikant 2001; ns-2 gamma_";
        /// Speed of adaptation of the virtual capacity, per second. If it is too large for the round-trip time, the
        /// rate swings up and down; if it is too small, AVQ reacts late.
        alpha: f64 = 0.15, "Kunniyur and Srikant 2001; ns-2 queue/vq.cc", in 0.0..=1000000.0: "the capacity would run away, as it has the wrong sign | the capacity would jump with each packet";
        /// The virtual capacity at the start, as a share of the link's rate.
        initial: Probability = Probability::ONE, "Kunniyur and Srikant 2001; ns-2 ecnlim_ is 0.8";
        /// The length of the virtual queue. If it is too small, short bursts lose packets. As in the real queue, the
        /// link's overhead takes no room. `"auto"` is `limit`.
        virtual_limit: Option<Limit> = None, "Kunniyur and Srikant 2001; ns-2 buflim_";
        /// Whether packets are counted by their bytes, with the link's overhead. If false, each counts as a packet of
        /// `mean_pktsize`.
        bytes: bool = true, "ns-2 queue_in_bytes_";
        /// The mean size of a packet, which converts between packets and bytes. The link's overhead is added to it.
        mean_pktsize: Bytes = Bytes(1000), "ns-2 mean_pktsize_", in "1 B"..="65535 B": "packets have a size | no IP packet is larger";
        /// When the virtual capacity is cut to lie between zero and the link's rate.
        clamp: Clamp = Clamp::Paper, "Kunniyur and Srikant 2001";
        /// Arriving packets that change the virtual capacity.
        adapt_to: AdaptTo = AdaptTo::Admitted, "ns-2 queue/vq.cc";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "ns-2 markpkts_; Kunniyur and Srikant 2001 mark";
    }
}

impl Discipline for AvqConfig {
    const ABOUT: About = About {
        family: "price",
        summary: "Drops or marks packets that would overflow an imagined queue on a slower link, whose rate adapts.",
        citation: "Kunniyur and Srikant, SIGCOMM 2001; ToN 12(2), 2004",
        ecn: "marks instead of dropping with `ecn`; overflow of the real queue drops",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Avq, P>;

    fn validate(&self) -> Result<(), Invalid> {
        for (name, limit) in [("limit", Some(self.limit)), ("virtual_limit", self.virtual_limit)] {
            if matches!(limit, Some(Limit::Packets(0) | Limit::Bytes(Bytes(0)))) {
                return Err((name, "no packet could ever wait; the limit must be larger".into()));
            }
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Managed<Avq, P> {
        Managed::new(self.limit, self.ecn, DropEnd::Tail, Avq::new(self, link))
    }
}

/// The law. Quantities are in bytes on the wire, or in packets; capacities a second.
#[derive(Clone, Debug)]
pub struct Avq {
    config: AvqConfig,
    link: LinkView,
    /// Bytes on the wire in what is counted.
    unit: f64,
    alpha: f64,
    gamma: f64,
    clamp: Clamp,
    offered: bool,
    capacity: f64,
    virtual_limit: f64,

    virtual_queue: f64,
    virtual_capacity: f64,
    /// The last arrival, and the last that moved the capacity.
    last: Option<Instant>,
    adapted: Option<Instant>,
    /// Cost of the signalled arrival if it is not dropped.
    pending: f64,
}

impl Avq {
    /// The law with the parameters of `config` on `link`.
    pub fn new(config: &AvqConfig, link: &LinkView) -> Self {
        let mean = config.mean_pktsize;
        let wire = link.wire_size(mean).as_f64();
        let unit = if config.bytes { 1.0 } else { wire };
        let capacity = link.rate.bytes_per_sec() / unit;
        let virtual_limit = match config.virtual_limit.unwrap_or(config.limit) {
            Limit::Packets(n) => n as f64 * wire / unit,
            Limit::Bytes(b) => link.wire_bytes(b, mean) / unit,
        };
        Self {
            config: config.clone(),
            link: *link,
            unit,
            alpha: config.alpha,
            gamma: config.gamma.get(),
            clamp: config.clamp,
            offered: config.adapt_to == AdaptTo::Offered,
            capacity,
            virtual_limit,
            virtual_queue: 0.0,
            virtual_capacity: capacity * config.initial.get(),
            last: None,
            adapted: None,
            pending: 0.0,
        }
    }

    /// The virtual link serves what it can until `now`.
    #[inline]
    fn serve(&mut self, now: Instant) {
        let served = self.virtual_capacity * seconds_since(self.last, now);
        self.virtual_queue = (self.virtual_queue - served).max(0.0);
        self.last = Some(now);
    }

    /// Refills the virtual capacity for the time since it last moved, and takes the arrival's cost.
    fn adapt(&mut self, size: f64, now: Instant) {
        let refilled = self.virtual_capacity
            + self.alpha * self.gamma * self.capacity * seconds_since(self.adapted, now);
        let cost = self.alpha * size;
        self.virtual_capacity = match self.clamp {
            Clamp::Paper => (refilled.min(self.capacity) - cost).max(0.0),
            Clamp::Ns2 => (refilled - cost).clamp(0.0, self.capacity),
        };
        self.adapted = Some(now);
    }
}

/// Zero before the first.
fn seconds_since(last: Option<Instant>, now: Instant) -> f64 {
    last.map_or(0.0, |last| now.saturating_since(last).as_secs_f64())
}

impl Aqm for Avq {
    #[inline]
    fn on_enqueue(&mut self, size: Bytes, _backlog: Backlog, now: Instant, _rng: &mut Rng) -> Verdict {
        let size = if self.config.bytes { self.link.wire_size(size).as_f64() } else { 1.0 };
        self.serve(now);
        let overflows = self.virtual_queue + size > self.virtual_limit;
        if !overflows {
            self.virtual_queue += size;
        }
        if self.offered || !overflows {
            self.adapt(size, now);
            self.pending = 0.0;
        } else {
            // Whether it costs is known once it is marked or dropped.
            self.pending = size;
        }
        if overflows { Verdict::Signal } else { Verdict::Pass }
    }

    #[inline]
    fn on_signalled(&mut self, marked: bool, now: Instant) {
        if marked && !self.offered {
            self.adapt(self.pending, now);
        }
    }

    /// The virtual capacity keeps its share of the link's; it is refilled for the time since its last change at the new
    /// rate.
    fn link_changed(&mut self, link: &LinkView, now: Instant) {
        let fresh = Self::new(&self.config, link);
        if self.last.is_some() {
            self.serve(now);
            self.virtual_capacity *= fresh.capacity / self.capacity;
        } else {
            self.virtual_capacity = fresh.virtual_capacity;
        }
        (self.link, self.unit) = (fresh.link, fresh.unit);
        (self.capacity, self.virtual_limit) = (fresh.capacity, fresh.virtual_limit);
    }

    fn state_names() -> &'static [&'static str] {
        &["virtual_capacity_bps", "virtual_queue_bytes"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.virtual_capacity * self.unit * 8.0, self.virtual_queue * self.unit]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{Duration, Ecn, Rate};

    fn link() -> LinkView {
        // 1250 packets of 1000 bytes a second.
        LinkView::new(Rate::from_mbit(10), Duration::ZERO)
    }

    /// Arrivals of 1000 bytes, `rate` a second from time zero on, for `seconds`; returns how many were signalled.
    fn load(law: &mut Avq, rate: u64, seconds: u64, marks: bool) -> u64 {
        let mut signals = 0;
        for i in 1..=rate * seconds {
            let now = Instant::from_nanos(i * 1_000_000_000 / rate);
            if law.on_enqueue(Bytes(1000), Backlog::default(), now, &mut Rng::new(1)) == Verdict::Signal {
                law.on_signalled(marks, now);
                signals += 1;
            }
        }
        signals
    }

    /// A law that has adapted at time zero.
    fn started(config: &AvqConfig) -> Avq {
        Avq { last: Some(Instant::ZERO), adapted: Some(Instant::ZERO), ..Avq::new(config, &link()) }
    }

    #[test]
    fn an_overload_of_1300_packets_a_second_takes_11_a_second_from_the_capacity() {
        // dC/dt = alpha (gamma 1250 - 1300) = -11.25 packets/s^2, from 1250 to 1238.75 in the first second; the first
        // refill finds the bucket full and is lost: 0.15 * 0.98 * 1250 / 1300 = 0.1413.
        for bytes in [false, true] {
            let unit = if bytes { 1000.0 } else { 1.0 };
            let mut law = started(&AvqConfig { bytes, adapt_to: AdaptTo::Offered, ..AvqConfig::default() });
            load(&mut law, 1300, 1, false);
            assert!((law.virtual_capacity / unit - (1238.75 - 0.141_346)).abs() < 1e-3);
            // ns-2's clamp loses nothing.
            let config =
                AvqConfig { bytes, clamp: Clamp::Ns2, adapt_to: AdaptTo::Offered, ..AvqConfig::default() };
            let mut law = started(&config);
            load(&mut law, 1300, 1, false);
            assert!((law.virtual_capacity / unit - 1238.75).abs() < 1e-6);
        }
    }

    #[test]
    fn below_gamma_the_capacity_is_the_links_and_nothing_is_signalled() {
        let mut law = started(&AvqConfig { initial: Probability::clamped(0.95), ..AvqConfig::default() });
        // 1200 < 0.98 * 1250 = 1225: from 1187.5 up by 3.75 a second, at the link's after 17 s, bar the last cost.
        assert_eq!(load(&mut law, 1200, 30, false), 0);
        assert!(law.virtual_capacity > 1_250_000.0 - 151.0 && law.virtual_capacity <= 1_250_000.0);
    }

    #[test]
    fn without_marks_admitted_arrivals_settle_at_gamma() {
        // In the long run AVQ admits as much as the virtual link serves, and that settles at gamma C = 1225 a second.
        let mut law = started(&AvqConfig::default());
        let dropped = load(&mut law, 2500, 200, false);
        let admitted = (2500 * 200 - dropped) as f64 / 200.0;
        assert!((admitted / 1225.0 - 1.0).abs() < 0.01, "{admitted}");
        assert!((law.virtual_capacity / 1_225_000.0 - 1.0).abs() < 0.02, "{}", law.virtual_capacity);
    }

    #[test]
    fn marks_that_do_not_help_close_the_virtual_link() {
        // Twice the rate: alpha (1225 - 2500) = -191 a second: zero after 7 s, and nearly all are marked from then on.
        let mut law = started(&AvqConfig::default());
        load(&mut law, 2500, 10, true);
        assert!(law.virtual_capacity < 1000.0, "{}", law.virtual_capacity);
        // With drops the same load leaves it open.
        let mut law = started(&AvqConfig::default());
        load(&mut law, 2500, 10, false);
        assert!(law.virtual_capacity > 1_150_000.0, "{}", law.virtual_capacity);
    }

    #[test]
    fn the_virtual_queue_is_a_counter_with_a_limit() {
        let config = AvqConfig { virtual_limit: Some(Limit::Packets(3)), alpha: 0.0, ..AvqConfig::default() };
        let mut law = Avq::new(&config, &link());
        let mut ask = |us: u64| {
            law.on_enqueue(Bytes(1000), Backlog::default(), Instant::from_nanos(us * 1000), &mut Rng::new(1))
        };
        let verdicts = [0, 0, 0, 0].map(&mut ask);
        assert_eq!(verdicts, [Verdict::Pass, Verdict::Pass, Verdict::Pass, Verdict::Signal]);
        // 1.25 bytes a microsecond: 799 make no room for 1000 bytes, one more does. The signalled one did not count.
        assert_eq!(ask(799), Verdict::Signal);
        assert_eq!(ask(800), Verdict::Pass);
        assert_eq!(ask(800), Verdict::Signal);
    }

    #[test]
    fn ecn_marks_what_is_capable_and_the_rest_is_dropped() {
        let config = AvqConfig { ecn: true, virtual_limit: Some(Limit::Packets(2)), ..AvqConfig::default() };
        let mut queue = config.build(&link());
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..6 {
            let ecn = if id % 2 == 0 { Ecn::Ect0 } else { Ecn::NotEct };
            queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(ecn), &mut cx);
        }
        assert_eq!(sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [3, 5]);
    }

    #[test]
    fn when_the_link_changes_the_virtual_one_has_served_till_then_and_keeps_its_share() {
        let config = AvqConfig { initial: Probability::clamped(0.5), alpha: 0.0, ..AvqConfig::default() };
        let mut law = started(&config);
        for _ in 0..10 {
            law.on_enqueue(Bytes(1000), Backlog::default(), Instant::ZERO, &mut Rng::new(1));
        }
        // Half of 1.25 MB/s takes 5000 bytes in 8 ms, half of 5 MB/s the rest in 2 ms.
        law.link_changed(&LinkView::new(Rate::from_mbit(40), Duration::ZERO), Instant::from_millis(8));
        assert!((law.virtual_queue - 5000.0).abs() < 1e-6 && law.virtual_capacity == 2_500_000.0);
        law.on_enqueue(Bytes(1000), Backlog::default(), Instant::from_millis(10), &mut Rng::new(1));
        assert!((law.virtual_queue - 1000.0).abs() < 1e-6, "{}", law.virtual_queue);
    }

    #[test]
    fn a_long_silence_overflows_nothing() {
        let mut law = started(&AvqConfig::default());
        let now = Instant::MAX;
        assert_eq!(law.on_enqueue(Bytes(1000), Backlog::default(), now, &mut Rng::new(1)), Verdict::Pass);
        assert_eq!((law.virtual_queue, law.virtual_capacity), (1000.0, 1_250_000.0 - 150.0));
    }
}
