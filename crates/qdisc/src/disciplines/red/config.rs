//! Parameters of `red`, their spelling in tc, and which of them go together.

use super::gred::{Gred, RedQueue};
use super::law::{Red, auto_bottom};
use super::levels::Levels;
use crate::discipline::LinkView;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::math::pow;
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability, Rate};

tailrace_core::choices! {
    /// Which weight `weight = "auto"` computes; `C` is the link's rate in packets a second.
    pub enum AutoWeight {
        /// A time constant of ten round trips: `1 - exp(-1 / (10 rtt C))`, with `rtt = max(100 ms, 3 (delay + 1/C))`;
        /// `C` is the link's rate in packets per second.
        Rtt = "rtt",
        /// A time constant of one second: `1 - exp(-1/C)`.
        Second = "second",
        /// A time constant of 100 ms: `1 - exp(-10/C)`.
        TenthSecond = "tenth_second",
    }
}

tailrace_core::choices! {
    /// How packets since the last signal spread the signals.
    pub enum CountForm {
        /// Packets since the last drop or mark, without the present one: the gaps are uniform on 1 to 1/p, both
        /// included.
        Analysis = "analysis",
        /// The present packet counts, too: the gaps are uniform on 1 to 1/p, without 1/p itself.
        Figure2 = "figure2",
        /// As `figure2`, but the first packet after the average has entered the range between the thresholds is never
        /// hit. With `probability_in_bytes`, whole mean packets are counted, and the size is applied last.
        Ns2 = "ns2",
        /// One random number for each drop or mark, not for each packet: a packet is hit when `count p` reaches it.
        /// Gaps are as with `analysis`; the first packet in the range only draws the number. `wait` has no effect.
        Linux = "linux",
    }
}

tailrace_core::choices! {
    /// How often the average decays over idle time.
    pub enum IdleForm {
        /// Once for each packet that could have been sent meanwhile.
        Paper = "paper",
        /// Once more than that, for the packet that arrives at the empty queue.
        Ns2 = "ns2",
    }
}

tailrace_core::choices! {
    /// What makes `max_p` adapt.
    pub enum AdaptOn {
        /// A timer, after each `interval`.
        Timer = "timer",
        /// The first packet that arrives an `interval` after the last change, as in ns-2 and ns-3; on an idle link
        /// `max_p` does not change.
        Arrival = "arrival",
    }
}

tailrace_core::parameters! {
    /// Parameters of `red`.
    pub struct RedConfig {
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law. A larger limit only costs memory.
        limit: Limit = Limit::Packets(50), "ns-2 Queue limit_";
        /// Below this average queue length no packet is dropped or marked. If it is too small, the link has nothing
        /// to send at times. `"auto"`: a third of `max_th` if that is given, else what the link sends in half of
        /// `target_delay`, at least 5 packets.
        min_th: Option<Limit> = None, "ns-2 thresh_ = 0";
        /// The average queue length at which the signal probability is `max_p`. If it is too close to `min_th`, the
        /// queue swings up and down. `"auto"`: three times `min_th`.
        max_th: Option<Limit> = None, "ns-2 maxthresh_ = 0";
        /// The probability with which a packet is dropped or marked when the average is `max_th`. If it is too small,
        /// the average grows past `max_th`; if it is too large, the link has nothing to send at times.
        max_p: Probability = Probability::clamped(0.02), "Floyd and Jacobson 1993; tc; ns-3";
        /// The weight of the newest queue length in the average, from 0 to 1. If it is too small, RED reacts late; if
        /// it is too large, short bursts lose packets.
        weight: Option<Probability> = None, "ns-2 q_weight_ = -1";
        /// How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` for an adaptive queue,
        /// otherwise `"rtt"`.
        auto_weight: Option<AutoWeight> = None, "ns-2; ns-3 for adaptive";
        /// The mean size of a packet. It converts between packets and bytes, and says how many packets the link could
        /// have sent while the queue was empty.
        avpkt: Bytes = Bytes(1000), "tc red";
        /// While the queue is empty, the average falls as if packets were sent at this rate. If it is too small, the
        /// average stays high for too long. `"auto"` is the link's rate.
        bandwidth: Option<Rate> = None, "Floyd and Jacobson 1993";
        /// The waiting time that thresholds set to `"auto"` aim at. If it is too small, the link has nothing to send
        /// at times; if it is too large, queues are long.
        target_delay: Duration = Duration::from_millis(5), "ns-2 targetdelay_";
        /// Whether the average queue length is counted in bytes rather than packets. `"auto"` takes the unit of
        /// `min_th`, or if that is not given of `max_th`, or else of `limit`.
        queue_in_bytes: Option<bool> = None, "tc counts bytes, Floyd and Jacobson 1993 packets";
        /// Whether large packets are dropped or marked more often than small ones, in proportion to their size over
        /// `avpkt`. RFC 7141 advises against it.
        probability_in_bytes: bool = false, "RFC 7141";
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "ns-2 since 2001; ns-3";
        /// Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is the signal
        /// probability. Drops and marks are then fewer and more evenly spread.
        wait: bool = false, "Floyd and Jacobson 1993";
        /// How the packets since the last drop or mark are counted, which spreads drops and marks over time.
        count: CountForm = CountForm::Analysis, "Floyd and Jacobson 1993, analysis";
        /// While fewer packets than this wait, none is dropped or marked, whatever the average is. ns-2 has the same
        /// rule, in the unit of the queue; Linux and the paper have none.
        guard: u64 = 2, "ns-2 queue/red.cc";
        /// How the average falls while the queue is empty.
        idle: IdleForm = IdleForm::Paper, "Floyd and Jacobson 1993";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "tc, ns-2, ns-3";
        /// Whether ECN-capable packets are dropped, not marked, when the average is above the range in which RED
        /// signals at random.
        harddrop: bool = true, "ns-3 UseHardDrop";
        /// The signal probability above which ECN-capable packets are dropped even between the thresholds. It
        /// replaces the rule of `harddrop`. `"auto"` turns this off.
        mark_p: Option<Probability> = None, "off; ns-2 mark_p_ is 0.1";
        /// Whether packets that are not ECN-capable are let in where the law would drop them early. Needs `ecn`.
        nodrop: bool = false, "Linux sch_red";
        /// Whether `max_p` adapts to hold the average midway between the thresholds (Adaptive RED).
        adaptive: bool = false, "Floyd and Jacobson 1993";
        /// With `adaptive`: the time between two changes of `max_p`. If it is too small, `max_p` swings up and down.
        interval: Duration = Duration::from_millis(500), "Floyd, Gummadi, Shenker 2001", in "10 us"..="1000 s": "each update takes computing time";
        /// With `adaptive`: the largest step by which `max_p` is raised at once; a step is never more than a quarter
        /// of `max_p`.
        alpha: Probability = Probability::clamped(0.01), "Floyd, Gummadi, Shenker 2001";
        /// With `adaptive`: the factor by which `max_p` is lowered. Below 0.83 the average may jump across its
        /// target.
        beta: Probability = Probability::clamped(0.9), "Floyd, Gummadi, Shenker 2001";
        /// With `adaptive`: the largest value of `max_p`.
        top: Probability = Probability::clamped(0.5), "Floyd, Gummadi, Shenker 2001";
        /// With `adaptive`: the smallest value of `max_p`. `"auto"` is 80 kbit/s divided by the link's rate, at most
        /// 0.01.
        bottom: Option<Probability> = Some(Probability::clamped(0.01)), "Floyd, Gummadi, Shenker 2001";
        /// With `adaptive`: what makes `max_p` change.
        adapt_on: AdaptOn = AdaptOn::Timer, "Floyd, Gummadi, Shenker 2001; Linux";
        /// Levels with thresholds of their own, each for some DiffServ codepoints (GRED), separated by semicolons. A
        /// level begins with names or numbers of codepoints, or `other` for those that no level names. Then come any
        /// of `min`, `max`, `limit` (`30p`, `15kB`), `prob` and `prio`: `"AF11 min 30p max 60p; AF12 AF13 min 20p max
        /// 40p prob 0.1; other max 30p"`. What a level leaves out is as for the whole queue. `"auto"`: one level for
        /// all packets.
        levels: Option<Levels> = None, "Linux sch_gred has none";
        /// With `levels`: whether the average of a level includes those of the levels with a smaller `prio` (8 if not
        /// given). If two have the same `prio`, all levels share one average.
        grio: bool = false, "tc gred";
        /// Which packet is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "all";
    }
}

impl Discipline for RedConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "Drops or marks packets at random, with a probability that grows with the average queue length.",
        citation: "Floyd and Jacobson, ToN 1(4), 1993; Floyd, Gummadi and Shenker, 2001 (adaptive)",
        ecn: "with `ecn` marks within the band; `harddrop`, `mark_p` and `nodrop` say where it drops",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["red"];
    type Queue<P: Packet> = RedQueue<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if self.avpkt == Bytes::ZERO {
            return Err(("avpkt", "the mean packet size cannot be zero".into()));
        }
        if self.bandwidth.is_some_and(|r| r.as_bps() == 0) {
            return Err(("bandwidth", "the rate cannot be zero".into()));
        }
        if let (Some(min), Some(max)) = (self.min_th, self.max_th)
            && self.in_unit(min) >= self.in_unit(max)
        {
            return Err(("min_th", format!("{min} is not below max_th, {max}")));
        }
        for (name, th) in [("min_th", self.min_th), ("max_th", self.max_th)] {
            if th.is_some_and(|th| self.in_unit(th) <= 0.0) {
                return Err((name, "a threshold of zero signals every packet".into()));
            }
        }
        if self.nodrop && !self.ecn {
            return Err(("nodrop", "has a meaning only with ecn".into()));
        }
        if self.adaptive && self.interval == Duration::ZERO {
            return Err(("interval", "max_p cannot adapt in no time".into()));
        }
        if self.grio && self.levels.is_none() {
            return Err(("grio", "has a meaning only with levels".into()));
        }
        if let Some(levels) = &self.levels {
            if self.adaptive || self.drop != DropEnd::Tail {
                return Err(("levels", "neither adapt max_p nor drop elsewhere than at the tail".into()));
            }
            for level in levels.iter() {
                level.red(self).validate().map_err(|(name, why)| ("levels", format!("{name}: {why}")))?;
            }
        }
        if self.bottom.is_some_and(|b| b > self.top) {
            return Err(("bottom", "lies above top".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> RedQueue<P> {
        match &self.levels {
            None => RedQueue::Plain(Managed::new(self.limit, self.ecn, self.drop, Red::new(self, link))),
            Some(levels) => RedQueue::Other(Gred::new(self, levels, link)),
        }
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut tc = Tc::default();
        while let Some(word) = words.next_word() {
            tc.word(word, words)?;
        }
        tc.finish(words)
    }

    fn explicit(&self, link: &LinkView) -> Self {
        let red = Red::new(self, link);
        let (min, max) = red.thresholds();
        let unit = if self.in_bytes() { 1.0 } else { self.avpkt.as_f64() };
        let bytes = |th: f64| Limit::Bytes(Bytes((th * unit + 0.5) as u64));
        Self {
            min_th: self.min_th.or(Some(bytes(min))),
            max_th: self.max_th.or(Some(bytes(max))),
            weight: Some(Probability::clamped(red.weight())),
            auto_weight: None,
            bandwidth: self.bandwidth.or_else(|| Some(link.rate_for(self.avpkt))),
            queue_in_bytes: Some(self.in_bytes()),
            bottom: self.bottom.or_else(|| Some(auto_bottom(link))),
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let bytes = |limit: Limit| match limit {
            Limit::Packets(n) => Bytes(n.saturating_mul(self.avpkt.get())),
            Limit::Bytes(b) => b,
        };
        let min = self.min_th.map_or(Bytes::ZERO, bytes);
        Some(
            TcLine::new("red")
                .size("limit", bytes(self.limit))
                .size("min", min)
                .size("max", self.max_th.map(bytes))
                .size("avpkt", self.avpkt)
                .count("burst", tc_burst(self.weight, min, self.avpkt))
                .probability("probability", self.max_p)
                .rate("bandwidth", self.bandwidth)
                .flag("ecn", self.ecn)
                .flag("harddrop", self.harddrop)
                .flag("nodrop", self.nodrop),
        )
    }
}

impl RedConfig {
    /// Whether the average is in bytes.
    pub(super) fn in_bytes(&self) -> bool {
        self.queue_in_bytes
            .unwrap_or_else(|| matches!(self.min_th.or(self.max_th).unwrap_or(self.limit), Limit::Bytes(_)))
    }

    /// A threshold in the unit of the average.
    pub(super) fn in_unit(&self, threshold: Limit) -> f64 {
        match (threshold, self.in_bytes()) {
            (Limit::Packets(n), false) => n as f64,
            (Limit::Packets(n), true) => n as f64 * self.avpkt.as_f64(),
            (Limit::Bytes(b), true) => b.as_f64(),
            (Limit::Bytes(b), false) => b.as_f64() / self.avpkt.as_f64(),
        }
    }
}

/// A tc line while it is read. tc works in bytes, without `gentle`, and turns `burst` into the weight.
struct Tc {
    config: RedConfig,
    limit: Option<Bytes>,
    min: Option<Bytes>,
    max: Option<Bytes>,
    burst: Option<u64>,
}

impl Default for Tc {
    fn default() -> Self {
        let config = RedConfig {
            bandwidth: Some(Rate::from_mbit(10)),
            queue_in_bytes: Some(true),
            gentle: false,
            count: CountForm::Linux,
            guard: 0,
            harddrop: false,
            ..RedConfig::default()
        };
        Self { config, limit: None, min: None, max: None, burst: None }
    }
}

impl Tc {
    fn word(&mut self, word: &str, words: &mut TcWords<'_>) -> Result<(), TcError> {
        let config = &mut self.config;
        match word {
            "limit" => self.limit = Some(words.size()?),
            "min" => self.min = Some(words.size()?),
            "max" => self.max = Some(words.size()?),
            "burst" => self.burst = Some(words.count()?),
            "avpkt" => config.avpkt = words.size()?,
            "probability" => config.max_p = words.probability()?,
            "bandwidth" => config.bandwidth = Some(words.rate()?),
            "ecn" => config.ecn = true,
            "harddrop" => config.harddrop = true,
            "nodrop" => config.nodrop = true,
            // iproute2 hands this on among the newer flags, and the kernel starts its timer by the older ones: `max_p` stays.
            "adaptive" | "adaptative" => {}
            _ => {
                return Err(words.unknown(&[
                    "limit",
                    "min",
                    "max",
                    "burst",
                    "avpkt",
                    "probability",
                    "bandwidth",
                    "ecn",
                    "harddrop",
                    "nodrop",
                    "adaptive",
                ]));
            }
        }
        Ok(())
    }

    /// tc's own defaults for what was left out (`tc-red(8)`): max a quarter of the limit, min a third of max,
    /// burst `(2 min + max) / (3 avpkt)`.
    fn finish(self, words: &TcWords<'_>) -> Result<RedConfig, TcError> {
        let mut config = self.config;
        let limit = self.limit.ok_or_else(|| words.error("red needs a limit, such as \"limit 200kb\""))?;
        if config.avpkt == Bytes::ZERO {
            return Err(words.error("avpkt cannot be zero"));
        }
        let max = self.max.unwrap_or(Bytes(limit.get() / 4));
        let min = self.min.unwrap_or(Bytes(max.get() / 3));
        let default_burst =
            || (2 * u128::from(min.get()) + u128::from(max.get())) / (3 * u128::from(config.avpkt.get()));
        let burst = self.burst.unwrap_or_else(|| u64::try_from(default_burst()).unwrap_or(u64::MAX));
        let log = weight_log(min, burst, config.avpkt).ok_or_else(|| {
            words.error(format!(
                "burst {burst} is too small for min {} and avpkt {}",
                min.get(),
                config.avpkt.get()
            ))
        })?;
        config.limit = Limit::Bytes(limit);
        config.min_th = Some(Limit::Bytes(min));
        config.max_th = Some(Limit::Bytes(max));
        config.weight = Some(Probability::clamped(pow(0.5, f64::from(log))));
        Ok(config)
    }
}

/// The smallest `log` (from 1 to 31) for which a burst of `burst` packets onto an empty queue stays below `min` with
/// weight `W = 2^-log`: `burst + 1 - min/avpkt <= (1 - (1-W)^burst) / W`, the design bound of Floyd and Jacobson 1993.
pub(crate) fn weight_log(min: Bytes, burst: u64, avpkt: Bytes) -> Option<u32> {
    let excess = burst as f64 + 1.0 - min.as_f64() / avpkt.as_f64();
    if excess < 1.0 {
        return None;
    }
    (1..32).find(|log| {
        let w = pow(0.5, f64::from(*log));
        excess <= (1.0 - pow(1.0 - w, burst as f64)) / w
    })
}

/// The burst that tc turns into the power of two nearest to `weight`: the largest of those it takes for the same.
pub(crate) fn tc_burst(weight: Option<Probability>, min: Bytes, avpkt: Bytes) -> u64 {
    let weight = weight.map_or(0.0, |w| w.get());
    // The middle between two powers of two, on the scale of their logarithms.
    let nearest = (1..31).find(|log| weight > pow(0.5, f64::from(*log) + 0.5)).unwrap_or(31);
    let too_short = |burst: u64| (burst as f64) < min.as_f64() / avpkt.as_f64();
    let fits =
        |burst: u64| too_short(burst) || weight_log(min, burst, avpkt).is_some_and(|log| log <= nearest);
    let (mut low, mut high) = (1, u64::from(u32::MAX));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<RedConfig, TcError> {
        let mut words = TcWords::new(text);
        RedConfig::from_tc("red", &mut words)
    }

    #[test]
    fn burst_becomes_the_weight_of_the_table_in_linux() {
        // include/net/red.h, for min/avpkt = 32: W = 2^-5 allows bursts of 57, 2^-7 of 101, 2^-9 of 190; the exact
        // bound of the last is 189.54.
        for (log, burst) in [(5, 57), (7, 101), (9, 189)] {
            assert_eq!(weight_log(Bytes(32_000), burst, Bytes(1000)), Some(log));
            assert_eq!(weight_log(Bytes(32_000), burst + 1, Bytes(1000)), Some(log + 1));
        }
    }

    #[test]
    fn a_tc_line_reads_as_tc_reads_it() {
        let c = parse(
            "limit 200kb min 15kb max 45kb avpkt 1000 burst 20 ecn adaptive probability 0.02 bandwidth 10mbit",
        )
        .unwrap();
        assert_eq!(c.limit, Limit::Bytes(Bytes(204_800)));
        assert_eq!(
            (c.min_th, c.max_th),
            (Some(Limit::Bytes(Bytes(15_360))), Some(Limit::Bytes(Bytes(46_080))))
        );
        assert!(c.ecn && !c.adaptive && !c.gentle && !c.harddrop);
        assert_eq!(c.bandwidth, Some(Rate::from_mbit(10)));
        // 20 + 1 - 15.36 = 5.64 <= (1 - (1-W)^20)/W first for W = 1/8: 7.45 (1/4: 3.99).
        assert_eq!(c.weight, Some(Probability::clamped(0.125)));
        assert_eq!(c.validate(), Ok(()));
    }

    #[test]
    fn what_a_tc_line_leaves_out_gets_the_defaults_of_tc() {
        let c = parse("limit 400000 avpkt 1000").unwrap();
        assert_eq!(c.max_th, Some(Limit::Bytes(Bytes(100_000))));
        assert_eq!(c.min_th, Some(Limit::Bytes(Bytes(33_333))));
        assert!(parse("min 15kb").unwrap_err().message.contains("needs a limit"));
        assert!(parse("limit 200kb min 15kb max 45kb burst 2").unwrap_err().message.contains("burst"));
        let e = parse("limit 200kb mni 15kb").unwrap_err();
        assert_eq!((e.offset, e.len), (12, 3));
        assert!(e.message.contains("\"min\""), "{}", e.message);
    }

    #[test]
    fn impossible_combinations_are_named() {
        let base = RedConfig::default;
        let th = |n| Some(Limit::Packets(n));
        let bad = [
            ("min_th", RedConfig { min_th: th(15), max_th: th(15), ..base() }),
            // 20 packets of 1000 bytes are not below 15 kB.
            ("min_th", RedConfig { min_th: th(20), max_th: Some(Limit::Bytes(Bytes(15_000))), ..base() }),
            ("max_th", RedConfig { max_th: th(0), ..base() }),
            ("avpkt", RedConfig { avpkt: Bytes::ZERO, ..base() }),
            ("nodrop", RedConfig { nodrop: true, ..base() }),
            ("limit", RedConfig { limit: Limit::Packets(0), ..base() }),
            ("interval", RedConfig { adaptive: true, interval: Duration::ZERO, ..base() }),
            ("bottom", RedConfig { top: Probability::ZERO, ..base() }),
        ];
        for (param, config) in bad {
            assert_eq!(config.validate().unwrap_err().0, param);
        }
    }
}
