//! The law of RED: the average, the signal probability, and where signals fall.

use super::config::{AdaptOn, AutoWeight, CountForm, IdleForm, RedConfig};
use crate::discipline::{Aqm, Backlog, LinkView, Verdict};
use tailrace_core::math::{exp, pow};
use tailrace_core::{Bytes, Duration, Instant, Probability, Rate, Rng};

/// The law. Averages and thresholds are in packets or bytes, as `in_bytes` says.
#[derive(Clone, Debug)]
pub struct Red {
    in_bytes: bool,
    min_th: f64,
    max_th: f64,
    weight: f64,
    gentle: bool,
    guard: u64,
    spread: Spread,
    /// On the signal probability; other than 1 only within [`Red::judge_part`].
    factor: f64,
    mark_p: Option<f64>,
    /// Verdict within the band, and beyond it.
    early: Verdict,
    forced: Verdict,
    avpkt: f64,
    /// Packets a second, for idle time.
    idle_rate: f64,
    /// 1 where ns-2's additional decay is wanted.
    idle_extra: f64,
    adapt: Option<Adapt>,
    crossings: Option<Crossings>,
    curve: Curve,
    /// Configuration from which a change of the link is computed.
    config: Box<RedConfig>,

    /// Linux: the average, and how far it is above `min_th`, count in whole units only. A byte matters to nobody, a packet
    /// does: CHOKe's average is half a packet too large.
    whole: bool,
    average: f64,
    idle_since: Option<Instant>,
    max_p: f64,
    drop_probability: f64,
}

impl Red {
    /// The law with the parameters of `config` on `link`.
    pub fn new(config: &RedConfig, link: &LinkView) -> Self {
        let OnLink { min_th, max_th, weight, idle_rate, bottom } = OnLink::of(config, link);
        let signal = if config.nodrop { Verdict::MarkOnly } else { Verdict::Signal };
        Self {
            in_bytes: config.in_bytes(),
            min_th,
            max_th,
            weight,
            gentle: config.gentle,
            guard: config.guard,
            spread: Spread::new(config),
            factor: 1.0,
            mark_p: config.mark_p.map(|p| p.get()),
            early: signal,
            // Linux: `nodrop` spares packets that are not ECN-capable within the band and beyond it.
            forced: if config.harddrop { Verdict::Drop } else { signal },
            avpkt: config.avpkt.as_f64(),
            idle_rate,
            idle_extra: f64::from(u8::from(config.idle == IdleForm::Ns2)),
            adapt: config.adaptive.then(|| Adapt::new(config, bottom)),
            crossings: None,
            curve: Curve::Linear,
            config: Box::new(config.clone()),
            whole: config.count == CountForm::Linux && !config.in_bytes(),
            average: 0.0,
            idle_since: Some(Instant::ZERO),
            max_p: config.max_p.get(),
            drop_probability: 0.0,
        }
    }

    /// The law with a slope that rises by the square (NLRED).
    pub(crate) fn nonlinear(self) -> Self {
        Self { curve: Curve::Quadratic, ..self }
    }

    /// The law with a `max_p` that changes where the average crosses a threshold (self-configuring RED).
    pub(crate) fn self_configuring(self, crossings: Crossings) -> Self {
        Self { crossings: Some(crossings), ..self }
    }

    /// Makes the law as if it had been made with `config` for `link`; its observations stay. A silence that lasts
    /// counts wholly at the new rate.
    pub(crate) fn follow(&mut self, config: &RedConfig, link: &LinkView) {
        self.take_up(OnLink::of(config, link));
    }

    fn take_up(&mut self, on_link: OnLink) {
        let OnLink { min_th, max_th, weight, idle_rate, bottom } = on_link;
        (self.min_th, self.max_th, self.weight, self.idle_rate) = (min_th, max_th, weight, idle_rate);
        if let Some(adapt) = &mut self.adapt {
            adapt.bottom = bottom;
        }
    }

    /// The average, in the unit of the thresholds.
    #[inline]
    pub(crate) fn average(&self) -> f64 {
        self.average
    }

    /// The thresholds, in their unit.
    #[inline]
    pub(crate) fn thresholds(&self) -> (f64, f64) {
        (self.min_th, self.max_th)
    }

    /// The weight of a new sample in the average.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// The first half of [`Aqm::on_enqueue`]: an arrival finds `backlog`, and the average and `max_p` follow.
    #[inline]
    pub(crate) fn observe(&mut self, backlog: Backlog, now: Instant) {
        self.update_average(backlog, now);
        // ns-2: an average within its target leaves the next change due at once.
        if let Some(adapt) = &mut self.adapt
            && adapt.on == AdaptOn::Arrival
            && now >= adapt.next
            && adapt.step(self.average, self.min_th, self.max_th, &mut self.max_p)
        {
            adapt.next = now.saturating_add(adapt.interval);
        }
        if let Some(crossings) = &mut self.crossings {
            crossings.step(self.average, self.min_th, self.max_th, &mut self.max_p);
        }
    }

    /// The second half: the verdict on the packet whose arrival [`Red::observe`] saw.
    #[inline]
    pub(crate) fn judge(&mut self, size: Bytes, backlog: Backlog, rng: &mut Rng) -> Verdict {
        if self.average < self.min_th || backlog.packets < self.guard {
            self.drop_probability = 0.0;
            self.spread.leave();
            return Verdict::Pass;
        }
        if self.mark_p.is_none() && self.is_beyond_band() {
            self.drop_probability = 1.0;
            self.spread.restart();
            return self.forced;
        }
        self.drop_probability = (self.probability() * self.factor).min(1.0);
        if self.factor == 0.0 {
            return Verdict::Pass;
        }
        if !self.spread.signals(self.drop_probability, size, rng) {
            return Verdict::Pass;
        }
        if self.mark_p.is_some_and(|limit| self.drop_probability > limit) {
            Verdict::Drop
        } else {
            self.early
        }
    }

    /// Variant of [`Red::judge`] for one part of the traffic, which spreads its own signals and has a probability
    /// `factor` times as high. With a factor of zero the packet passes uncounted: distances between signals are even
    /// only among packets of like probability.
    #[inline]
    pub(crate) fn judge_part(
        &mut self,
        part: &mut Spread,
        factor: f64,
        size: Bytes,
        backlog: Backlog,
        rng: &mut Rng,
    ) -> Verdict {
        std::mem::swap(&mut self.spread, part);
        self.factor = factor;
        let verdict = self.judge(size, backlog, rng);
        self.factor = 1.0;
        std::mem::swap(&mut self.spread, part);
        verdict
    }

    /// Initial state of a part of the traffic.
    pub(crate) fn spread(&self) -> &Spread {
        &self.spread
    }

    /// Variant of [`Red::judge`], with an average larger by `extra`.
    pub(super) fn judge_above(
        &mut self,
        extra: f64,
        size: Bytes,
        backlog: Backlog,
        rng: &mut Rng,
    ) -> Verdict {
        let own = self.average;
        self.average += extra;
        let verdict = self.judge(size, backlog, rng);
        self.average = own;
        verdict
    }

    /// Whether the transmitter had nothing to send when this was last told.
    pub(super) fn is_idle(&self) -> bool {
        self.idle_since.is_some()
    }

    /// The average, and since when there is silence.
    pub(super) fn measured(&self) -> (f64, Option<Instant>) {
        (self.average, self.idle_since)
    }

    /// Takes over what another level has measured.
    pub(super) fn set_measured(&mut self, (average, idle_since): (f64, Option<Instant>)) {
        (self.average, self.idle_since) = (average, idle_since);
    }

    #[inline]
    fn update_average(&mut self, backlog: Backlog, now: Instant) {
        match self.idle_since.take() {
            Some(since) if backlog.packets == 0 => self.average = self.decayed(since, now),
            _ => {
                let queue = if self.in_bytes { backlog.bytes.as_f64() } else { backlog.packets as f64 };
                self.average += self.weight * (queue - self.counted(self.average));
            }
        }
    }

    /// Part of `amount` that counts.
    #[inline]
    fn counted(&self, amount: f64) -> f64 {
        if self.whole { amount.floor() } else { amount }
    }

    /// The average after a silence: as many samples of an empty queue as packets could have been sent.
    fn decayed(&self, since: Instant, now: Instant) -> f64 {
        let packets = (now.saturating_since(since).as_secs_f64() * self.idle_rate).floor();
        self.average * pow(1.0 - self.weight, packets + self.idle_extra)
    }

    /// Signal probability at the present average, before it is spread.
    #[inline]
    fn probability(&self) -> f64 {
        let x = self.counted(self.average - self.min_th) / (self.max_th - self.min_th);
        let (x, top) = match self.curve {
            Curve::Linear => (x, self.max_p),
            // The areas under both curves are equal: the integral of 1.5 x^2 over 0..1 is that of x.
            Curve::Quadratic => (x * x, 1.5 * self.max_p),
        };
        if self.average < self.max_th {
            (top * x).min(1.0)
        } else if self.gentle {
            (top + (1.0 - top).max(0.0) * (self.average - self.max_th) / self.max_th).min(1.0)
        } else {
            1.0
        }
    }

    /// Whether the average is so large that every packet is signalled.
    #[inline]
    fn is_beyond_band(&self) -> bool {
        self.average >= if self.gentle { 2.0 * self.max_th } else { self.max_th }
    }
}

impl Aqm for Red {
    #[inline]
    fn on_enqueue(&mut self, size: Bytes, backlog: Backlog, now: Instant, rng: &mut Rng) -> Verdict {
        self.observe(backlog, now);
        self.judge(size, backlog, rng)
    }

    fn on_overlimit(&mut self, _now: Instant) {
        self.spread.restart();
    }

    #[inline]
    fn on_idle(&mut self, now: Instant) {
        // Only the first of several polls of an empty queue starts the silence.
        self.idle_since.get_or_insert(now);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.adapt.as_ref().filter(|a| a.on == AdaptOn::Timer).map(|a| a.next)
    }

    fn handle_timeout(&mut self, _backlog: Backlog, now: Instant) {
        let average = self.idle_since.map_or(self.average, |since| self.decayed(since, now));
        if let Some(adapt) = &mut self.adapt
            && adapt.on == AdaptOn::Timer
            && now >= adapt.next
        {
            adapt.step(average, self.min_th, self.max_th, &mut self.max_p);
            adapt.next = now.saturating_add(adapt.interval);
        }
    }

    fn link_changed(&mut self, link: &LinkView, _now: Instant) {
        self.take_up(OnLink::of(&self.config, link));
    }

    fn state_names() -> &'static [&'static str] {
        &["average_packets", "average_bytes", "drop_probability", "max_p"]
    }

    fn state(&self, out: &mut [f64]) {
        let (packets, bytes) = if self.in_bytes {
            (self.average / self.avpkt, self.average)
        } else {
            (self.average, self.average * self.avpkt)
        };
        out.copy_from_slice(&[packets, bytes, self.drop_probability, self.max_p]);
    }
}

/// Values that RED takes from its link where the configuration does not state them.
struct OnLink {
    min_th: f64,
    max_th: f64,
    weight: f64,
    idle_rate: f64,
    bottom: f64,
}

impl OnLink {
    fn of(config: &RedConfig, link: &LinkView) -> Self {
        let mean = config.avpkt;
        let packets_per_sec = link.packets_per_sec(mean).max(f64::MIN_POSITIVE);
        let (min_th, max_th) = thresholds(config, packets_per_sec);
        let stated = |rate: Rate| rate.bytes_per_sec() / mean.as_f64();
        Self {
            min_th,
            max_th,
            weight: config.weight.map_or_else(|| auto_weight(config, link, packets_per_sec), |w| w.get()),
            idle_rate: config.bandwidth.map_or_else(|| link.packets_per_sec(mean), stated),
            bottom: config.bottom.unwrap_or_else(|| auto_bottom(link)).get(),
        }
    }
}

/// The floor of an adaptive `max_p` (ns-2): one over the packets of 1000 bytes that the link sends in 100 ms.
pub(super) fn auto_bottom(link: &LinkView) -> Probability {
    let rate = link.rate_for(Bytes(1000)).as_bps().max(1);
    Probability::clamped((80_000.0 / rate as f64).min(0.01))
}

/// Thresholds in the unit of the average.
fn thresholds(config: &RedConfig, packets_per_sec: f64) -> (f64, f64) {
    let unit = if config.in_bytes() { config.avpkt.as_f64() } else { 1.0 };
    let given = |th: Option<_>| th.map(|th| config.in_unit(th));
    match (given(config.min_th), given(config.max_th)) {
        (Some(min), Some(max)) => (min, max),
        (Some(min), None) => (min, 3.0 * min),
        (None, Some(max)) => (max / 3.0, max),
        (None, None) => {
            let min = unit * (config.target_delay.as_secs_f64() * packets_per_sec / 2.0).max(5.0);
            (min, 3.0 * min)
        }
    }
}

fn auto_weight(config: &RedConfig, link: &LinkView, packets_per_sec: f64) -> f64 {
    let default = if config.adaptive { AutoWeight::Second } else { AutoWeight::Rtt };
    let samples = match config.auto_weight.unwrap_or(default) {
        AutoWeight::Rtt => {
            let rtt = (3.0 * (link.delay.as_secs_f64() + 1.0 / packets_per_sec)).max(0.1);
            10.0 * rtt * packets_per_sec
        }
        AutoWeight::Second => packets_per_sec,
        AutoWeight::TenthSecond => packets_per_sec / 10.0,
    };
    1.0 - exp(-1.0 / samples)
}

/// Spreads signals: from the probability `p` of one in `1/p` packets makes distances that are uniform, not geometric.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    form: CountForm,
    wait: bool,
    /// Mean packet size where the probability scales with size.
    scale: Option<f64>,
    /// Packets since the last signal; `None` outside the band.
    count: Option<u64>,
    count_bytes: u64,
    /// Linux: the random number that `count p` must reach.
    threshold: f64,
}

impl Spread {
    fn new(config: &RedConfig) -> Self {
        Self {
            form: config.count,
            wait: config.wait,
            scale: config.probability_in_bytes.then(|| config.avpkt.as_f64()),
            count: None,
            count_bytes: 0,
            threshold: 0.0,
        }
    }

    /// The average left the band downwards.
    #[inline]
    fn leave(&mut self) {
        self.count = None;
    }

    /// A packet was dropped by force.
    pub(crate) fn restart(&mut self) {
        // Linux counts a new visit to the band after a forced signal.
        self.count = if self.form == CountForm::Linux { None } else { Some(0) };
        self.count_bytes = 0;
    }

    /// Whether this packet is signalled, given the probability `p` of the present average.
    fn signals(&mut self, p: f64, size: Bytes, rng: &mut Rng) -> bool {
        let relative = self.scale.map_or(1.0, |mean| size.as_f64() / mean);
        let signal = match self.form {
            CountForm::Analysis => {
                let before = self.count.unwrap_or(0);
                self.count = Some(before + 1);
                rng.bernoulli(self.uniformised(p * relative, before as f64))
            }
            CountForm::Figure2 => {
                let count = self.count.map_or(0, |c| c + 1);
                self.count = Some(count);
                rng.bernoulli(self.uniformised(p * relative, count as f64))
            }
            CountForm::Ns2 => return self.signals_ns2(p, relative, size, rng),
            CountForm::Linux => return self.signals_linux(p * relative, rng),
        };
        if signal {
            self.count = Some(0);
        }
        signal
    }

    fn signals_ns2(&mut self, p: f64, relative: f64, size: Bytes, rng: &mut Rng) -> bool {
        let Some(count) = self.count else {
            (self.count, self.count_bytes) = (Some(1), size.get());
            return false;
        };
        self.count = Some(count + 1);
        self.count_bytes += size.get();
        let counted = self.scale.map_or((count + 1) as f64, |mean| (self.count_bytes as f64 / mean).floor());
        let signal = rng.bernoulli(self.uniformised(p, counted) * relative);
        if signal {
            (self.count, self.count_bytes) = (Some(0), 0);
        }
        signal
    }

    fn signals_linux(&mut self, p: f64, rng: &mut Rng) -> bool {
        let Some(count) = self.count else {
            (self.count, self.threshold) = (Some(0), rng.uniform_positive());
            return false;
        };
        self.count = Some(count + 1);
        let signal = (count + 1) as f64 * p >= self.threshold;
        if signal {
            (self.count, self.threshold) = (Some(0), rng.uniform_positive());
        }
        signal
    }

    /// `p / (1 - count p)`; with `wait` nothing for `1/p` packets, then `p / (2 - count p)`.
    #[inline]
    fn uniformised(&self, p: f64, count: f64) -> f64 {
        let passed = count * p;
        let whole = match (self.wait, passed < 1.0) {
            (true, true) => return 0.0,
            (true, false) => 2.0,
            (false, _) => 1.0,
        };
        if passed < whole { p / (whole - passed) } else { 1.0 }
    }
}

/// Adaptive RED: additive increase, multiplicative decrease of `max_p`.
#[derive(Clone, Debug)]
struct Adapt {
    on: AdaptOn,
    interval: Duration,
    alpha: f64,
    beta: f64,
    top: f64,
    bottom: f64,
    next: Instant,
}

impl Adapt {
    fn new(config: &RedConfig, bottom: f64) -> Self {
        Self {
            on: config.adapt_on,
            interval: config.interval,
            alpha: config.alpha.get(),
            beta: config.beta.get(),
            top: config.top.get(),
            bottom,
            next: Instant::ZERO.saturating_add(config.interval),
        }
    }

    /// Moves `max_p` where the average is outside the middle fifth of the band; returns whether it did.
    fn step(&self, average: f64, min_th: f64, max_th: f64, max_p: &mut f64) -> bool {
        let band = max_th - min_th;
        if average > min_th + 0.6 * band && *max_p < self.top {
            *max_p = (*max_p + self.alpha.min(*max_p / 4.0)).min(1.0);
        } else if average < min_th + 0.4 * band && *max_p > self.bottom {
            *max_p *= self.beta;
        } else {
            return false;
        }
        true
    }
}

/// Self-configuring RED: a factor on `max_p` for each crossing of a threshold.
#[derive(Clone, Debug)]
pub(crate) struct Crossings {
    /// Divides `max_p` where the average falls below `min_th`.
    pub(crate) alpha: f64,
    /// Multiplies it where the average rises above `max_th`.
    pub(crate) beta: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    pub(crate) status: Status,
}

/// Where the average was last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Below,
    Between,
    Above,
}

impl Crossings {
    #[inline]
    fn step(&mut self, average: f64, min_th: f64, max_th: f64, max_p: &mut f64) {
        if average > min_th && average < max_th {
            self.status = Status::Between;
        } else if average < min_th && self.status != Status::Below {
            self.status = Status::Below;
            *max_p = (*max_p / self.alpha).max(self.bottom);
        } else if average > max_th && self.status != Status::Above {
            self.status = Status::Above;
            *max_p = (*max_p * self.beta).min(self.top);
        }
    }
}

/// Shape of the signal probability between the thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Curve {
    Linear,
    /// By the square, to 1.5 `max_p` at `max_th`.
    Quadratic,
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
