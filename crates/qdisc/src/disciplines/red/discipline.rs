//! `red` as a registered discipline: description, checks, queue, tc.

use super::config::{CountForm, RedConfig};
use super::gred::{Gred, RedQueue};
use super::law::{Red, auto_bottom};
use crate::discipline::LinkView;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::math::pow;
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability, Rate};

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
                self.of_level(level)
                    .validate()
                    .map_err(|(name, why)| ("levels", format!("{name}: {why}")))?;
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
        if limit < config.avpkt {
            let (limit, avpkt) = (limit.get(), config.avpkt.get());
            let packets = u128::from(limit) * u128::from(avpkt);
            return Err(words.error(format!(
                "limit {limit} is {limit} bytes to tc, less than one packet (avpkt {avpkt}): for {limit} packets write limit {packets}"
            )));
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
