//! REM: random exponential marking.
//!
//! Athuraliya, Li, Low, Yin, "REM: Active Queue Management", IEEE Network 15(3), 2001. REM computes a price, which
//! rises while more packets arrive than the link can serve, or more wait than should, and falls otherwise. Arrivals are
//! signalled with probability 1 - phi^-price. Along a path, prices add up in that exponent, so a sender reacts to their
//! sum.
//!
//! Choices: the price depends on the offered load, including dropped packets (`price = "backlog"` measures no rates and
//! considers what was admitted). Packets are signalled on arrival, whether ECN-capable or not; `signal_at =
//! "departure"` is ns-2's marking, which never signals packets that are not ECN-capable. The price is limited to the
//! value at which the probability is 0.9999. No source has this limit, but under a flood the price would grow without
//! bound and take as long to fall again. Linux does not have REM.

use crate::discipline::{Aqm, Backlog, LinkView, Verdict};
use crate::managed::{DropEnd, Managed};
use crate::periodic_timer::PeriodicTimer;
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::math::{exp, ln};
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Probability, Rng};

tailrace_core::choices! {
    /// Input of the price.
    pub enum PriceForm {
        /// By how much arrivals exceed the link's capacity, plus `alpha` times by how much the backlog exceeds
        /// `target`.
        Rate = "rate",
        /// The same, with the change of the backlog in place of arrivals and capacity.
        Backlog = "backlog",
    }
}

tailrace_core::choices! {
    /// Where packets are signalled.
    pub enum SignalAt {
        /// When they arrive: marked if they are ECN-capable and `ecn` is on, otherwise dropped.
        Arrival = "arrival",
        /// When they leave, if `ecn` is on: ECN-capable packets are marked, others pass. Without `ecn` as `arrival`.
        Departure = "departure",
    }
}

tailrace_core::parameters! {
    /// Parameters of `rem`.
    pub struct RemConfig {
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law.
        limit: Limit = Limit::Packets(50), "ns-2 Queue limit_";
        /// The step by which the price changes at an update. If it is too small, REM needs minutes; if it is too
        /// large, the queue swings up and down.
        gamma: f64 = 0.001, "Athuraliya et al. 2001; ns-2 rgamma_", in 0.0..=1000000.0: "the price would run away, as it has the wrong sign | the price would jump with each update";
        /// The base of the exponential that turns the price into a probability. A larger one makes the same price a
        /// larger probability.
        phi: f64 = 1.001, "Athuraliya et al. 2001; ns-2 rphi_";
        /// The weight of the backlog beside that of the rate. If it is too small, the backlog stays; if it is too
        /// large, delays are short but part of the link may be unused.
        alpha: f64 = 0.1, "Athuraliya et al. 2001; ns-2 queue/rem.cc", in 0.0..=1000000.0: "the price would run away, as it has the wrong sign | the price would jump with each update";
        /// The backlog that REM steers towards. If it is too small, the link has nothing to send at times; if it is
        /// too large, packets wait longer than they need to.
        target: Limit = Limit::Packets(20), "Athuraliya et al. 2001; ns-2 pbo_";
        /// The time between two updates of the price. In one second the backlog changes the price by `gamma` times
        /// `alpha` divided by this.
        interval: Duration = Duration::from_millis(2), "ns-2 pupdtime_", in "10 us"..="1000 s": "each update takes computing time | so rare an update follows nothing";
        /// The weight of the newest interval in the average of arrivals, from 0 to 1; with 1 only the newest counts.
        /// If it is too small, REM reacts late.
        weight: Probability = Probability::ONE, "ns-2 inw_";
        /// The mean size of a packet, which converts bytes into packets.
        mean_pktsize: Bytes = Bytes(1000), "ns-2 pmtu, 1000 bytes", in "1 B"..="65535 B": "packets have a size | no IP packet is larger";
        /// Whether bytes over `mean_pktsize` are counted instead of packets. The probability of a packet is then in
        /// proportion to its size, too.
        bytes: bool = false, "ns-2 qib_";
        /// Quantity that changes the price.
        price: PriceForm = PriceForm::Rate, "ns-2; Athuraliya et al. 2001 give both";
        /// When packets are dropped or marked.
        signal_at: SignalAt = SignalAt::Arrival, "Athuraliya et al. 2001; ns-2 marks on departure";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "ns-2 markpkts_";
    }
}

impl Discipline for RemConfig {
    const ABOUT: About = About {
        family: "price",
        summary: "Drops or marks packets by a price that rises while too much arrives or waits; the probability grows with the price.",
        citation: "Athuraliya, Li, Low and Yin, IEEE Network 15(3), 2001",
        ecn: "marks instead of dropping with `ecn`, on arrival or departure",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Rem, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        // Closer to 1 its logarithm is lost in rounding.
        if self.phi < 1.0 + 1e-9 {
            return Err(("phi", format!("{} is not above 1; no price would give a signal", self.phi)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Managed<Rem, P> {
        Managed::new(self.limit, self.ecn, DropEnd::Tail, Rem::new(self, link))
    }
}

/// The law. Quantities are in packets, or in bytes over the mean packet size.
#[derive(Clone, Debug)]
pub struct Rem {
    limit: Limit,
    gamma: f64,
    alpha: f64,
    ln_phi: f64,
    target: f64,
    weight: f64,
    mean: f64,
    bytes: bool,
    form: PriceForm,
    /// Whether packets are marked as they leave.
    departure: bool,
    interval: Duration,
    mean_pktsize: Bytes,
    link: LinkView,
    /// Packets that the link serves in an interval.
    capacity: f64,
    timer: PeriodicTimer,

    /// Arrivals in this interval, and their average over intervals.
    arrived: f64,
    average: f64,
    old_backlog: f64,
    price: f64,
    probability: f64,
}

/// 1 - phi^-price is 0.9999 where price ln(phi) is this: ln(10^4).
const LARGEST_EXPONENT: f64 = 9.210_340_371_976_184;

impl Rem {
    /// The law with the parameters of `config` on `link`.
    pub fn new(config: &RemConfig, link: &LinkView) -> Self {
        let mean = config.mean_pktsize.as_f64();
        let target = match config.target {
            Limit::Packets(n) => n as f64,
            Limit::Bytes(b) => b.as_f64() / mean,
        };
        Self {
            limit: config.limit,
            gamma: config.gamma,
            alpha: config.alpha,
            ln_phi: ln(config.phi),
            target,
            weight: config.weight.get(),
            mean,
            bytes: config.bytes,
            form: config.price,
            departure: config.signal_at == SignalAt::Departure && config.ecn,
            interval: config.interval,
            mean_pktsize: config.mean_pktsize,
            link: *link,
            capacity: capacity(config.interval, config.mean_pktsize, link),
            timer: PeriodicTimer::new(config.interval, config.interval),
            arrived: 0.0,
            average: 0.0,
            old_backlog: 0.0,
            price: 0.0,
            probability: 0.0,
        }
    }

    /// Share of the link that a packet of `size` takes, in packets of mean size.
    #[inline]
    fn share_of_mean(&self, size: Bytes) -> f64 {
        self.link.wire_size(size).as_f64() / self.link.wire_size(self.mean_pktsize).as_f64()
    }

    fn update(&mut self, backlog: Backlog) {
        let waiting = if self.bytes { backlog.bytes.as_f64() / self.mean } else { backlog.packets as f64 };
        self.average += self.weight * (self.arrived - self.average);
        let surplus = match self.form {
            PriceForm::Rate => self.average - self.capacity,
            PriceForm::Backlog => waiting - self.old_backlog,
        };
        // With the rates' difference as the backlog's change, b - (1 - alpha) b_old - alpha b* weighs the old backlog.
        let excess = match self.form {
            PriceForm::Rate => waiting - self.target,
            PriceForm::Backlog => self.old_backlog - self.target,
        };
        let price = self.price + self.gamma * (surplus + self.alpha * excess);
        self.price = price.clamp(0.0, LARGEST_EXPONENT / self.ln_phi);
        self.probability = 1.0 - exp(-self.price * self.ln_phi);
        self.arrived = 0.0;
        self.old_backlog = waiting;
    }

    #[inline]
    fn signals(&self, size: Bytes, rng: &mut Rng) -> bool {
        let scale = if self.bytes { size.as_f64() / self.mean } else { 1.0 };
        rng.bernoulli(self.probability * scale)
    }
}

/// Packets of mean size that `link` sends in `interval`.
fn capacity(interval: Duration, mean: Bytes, link: &LinkView) -> f64 {
    interval.as_secs_f64() * link.rate.bytes_per_sec() / link.wire_size(mean).as_f64()
}

impl Aqm for Rem {
    #[inline]
    fn on_enqueue(&mut self, size: Bytes, backlog: Backlog, _now: Instant, rng: &mut Rng) -> Verdict {
        self.arrived += if self.bytes { self.share_of_mean(size) } else { 1.0 };
        if !self.departure && backlog.has_room(self.limit, size) && self.signals(size, rng) {
            return Verdict::Signal;
        }
        Verdict::Pass
    }

    #[inline]
    fn on_dequeue(
        &mut self,
        size: Bytes,
        _sojourn: Duration,
        _backlog: Backlog,
        _now: Instant,
        rng: &mut Rng,
    ) -> Verdict {
        if self.departure && self.signals(size, rng) { Verdict::MarkOnly } else { Verdict::Pass }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.timer.deadline())
    }

    fn handle_timeout(&mut self, backlog: Backlog, now: Instant) {
        if self.timer.restart_if_expired(now) {
            self.update(backlog);
        }
    }

    fn link_changed(&mut self, link: &LinkView, _now: Instant) {
        self.link = *link;
        self.capacity = capacity(self.interval, self.mean_pktsize, link);
    }

    fn state_names() -> &'static [&'static str] {
        &["price", "mark_probability"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.price, self.probability]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{Ecn, Rate};

    fn link() -> LinkView {
        LinkView::new(Rate::from_mbit(45), Duration::ZERO)
    }

    fn backlog(packets: u64) -> Backlog {
        Backlog { packets, bytes: Bytes(1000 * packets) }
    }

    fn tick(law: &mut Rem, arrived: f64, waiting: u64) {
        law.arrived = arrived;
        law.handle_timeout(backlog(waiting), law.timer.deadline());
    }

    #[test]
    fn a_price_of_ten_is_a_probability_of_a_hundredth() {
        // 1 - 1.001^-p: 0.01, 0.1 and 0.5 at ln(1/(1-m)) / ln 1.001 = 10.055, 105.41 and 693.49.
        for (price, probability) in [(10.055, 0.01), (105.413, 0.1), (693.494, 0.5)] {
            let mut law = Rem { price, ..Rem::new(&RemConfig::default(), &link()) };
            tick(&mut law, 11.25, 20);
            assert!((law.probability - probability).abs() < 1e-5, "{price}: {}", law.probability);
        }
    }

    #[test]
    fn at_capacity_eighty_packets_too_many_raise_the_price_by_four_a_second() {
        // 45 Mbit/s, 1 KB, 2 ms: capacity 11.25. 0.001 * 0.1 * (100 - 20) = 0.008 a tick; 0.1 is reached after
        // 105.41 / 4 = 26.4 s.
        let mut law = Rem::new(&RemConfig::default(), &link());
        assert!((law.capacity - 11.25).abs() < 1e-12);
        for _ in 0..500 {
            tick(&mut law, 11.25, 100);
        }
        assert!((law.price - 4.0).abs() < 1e-9);
        let ticks = 500
            + (1..)
                .find(|_| {
                    tick(&mut law, 11.25, 100);
                    law.probability >= 0.1
                })
                .unwrap();
        assert_eq!(ticks, 13_177);
    }

    #[test]
    fn the_price_rests_where_rate_and_backlog_are_met_and_decays_in_silence() {
        let mut law = Rem { price: 50.0, ..Rem::new(&RemConfig::default(), &link()) };
        tick(&mut law, 11.25, 20);
        assert_eq!(law.price, 50.0);
        // gamma (c + alpha b*) = 0.001 (11.25 + 2) a tick.
        tick(&mut law, 0.0, 0);
        assert!((law.price - (50.0 - 0.013_25)).abs() < 1e-12);
        for _ in 0..4000 {
            tick(&mut law, 0.0, 0);
        }
        assert_eq!((law.price, law.probability), (0.0, 0.0));
    }

    #[test]
    fn the_backlog_form_needs_no_rates() {
        // gamma (b - (1 - alpha) b_old - alpha b*) = 0.001 (50 - 0.9 * 40 - 2) = 0.012.
        let config = RemConfig { price: PriceForm::Backlog, ..RemConfig::default() };
        let mut law = Rem { old_backlog: 40.0, ..Rem::new(&config, &link()) };
        tick(&mut law, 1e6, 50);
        assert!((law.price - 0.012).abs() < 1e-12);
    }

    #[test]
    fn arrivals_count_once_dropped_or_not_and_a_flood_meets_the_cap() {
        let mut queue = RemConfig { limit: Limit::Packets(1), ..RemConfig::default() }.build(&link());
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        (0..10).for_each(|id| queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx));
        assert_eq!(queue.law().arrived, 10.0);
        let mut law = Rem::new(&RemConfig::default(), &link());
        for _ in 0..100 {
            tick(&mut law, 1e6, 50);
        }
        assert!((law.probability - 0.9999).abs() < 1e-9);
        assert!((law.price - 9214.9).abs() < 0.1, "{}", law.price);
    }

    #[test]
    fn a_filter_averages_arrivals() {
        let config = RemConfig { weight: Probability::clamped(0.25), ..RemConfig::default() };
        let mut law = Rem::new(&config, &link());
        tick(&mut law, 40.0, 20);
        assert_eq!(law.average, 10.0);
        tick(&mut law, 30.0, 20);
        assert_eq!(law.average, 15.0);
    }

    /// Marks and drops among 2000 packets, one waiting at a time, at a probability of one half.
    fn outcome(config: &RemConfig, ecn: Ecn) -> (usize, usize) {
        let mut queue = config.build(&link());
        queue.law_mut().probability = 0.5;
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..2000 {
            queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(ecn), &mut cx);
            queue.dequeue(&mut cx);
        }
        (sink.marked.len(), sink.dropped.len())
    }

    #[test]
    fn ecn_marks_and_ns2_spares_packets_that_cannot_be_marked() {
        let arrival = RemConfig { ecn: true, ..RemConfig::default() };
        let departure = RemConfig { signal_at: SignalAt::Departure, ..arrival.clone() };
        // Standard deviation 22.
        let half = |n: usize| (900..1100).contains(&n);
        for config in [&arrival, &departure] {
            let (marked, dropped) = outcome(config, Ecn::Ect0);
            assert!(half(marked) && dropped == 0, "{marked} {dropped}");
        }
        let (marked, dropped) = outcome(&arrival, Ecn::NotEct);
        assert!(marked == 0 && half(dropped), "{marked} {dropped}");
        assert_eq!(outcome(&departure, Ecn::NotEct), (0, 0));
        let (marked, dropped) = outcome(&RemConfig { ecn: false, ..departure }, Ecn::Ect0);
        assert!(marked == 0 && half(dropped), "{marked} {dropped}");
    }
}
