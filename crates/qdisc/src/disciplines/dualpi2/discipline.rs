//! `dualpi2` as a registered discipline: description, checks, queue, tc.

use super::config::{Dualpi2Config, LowLatency, Native, Overload, in_256ths, limit_on, whole_percent};
use super::queue::Dualpi2;
use crate::discipline::LinkView;
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability};

impl Discipline for Dualpi2Config {
    const ABOUT: About = About {
        family: "delay",
        summary: "Two queues, one for low-latency (L4S) flows and one for classic ones, with coupled drops and marks.",
        citation: "RFC 9332; De Schepper et al., CoNEXT 2016",
        ecn: "marks ECT(1) by delay and coupling, ECT(0) by the square; drops both on overload",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["dualpi2"];
    type Queue<P: Packet> = Dualpi2<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Some(Limit::Packets(0) | Limit::Bytes(Bytes(0)))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if self.memory_limit == Some(Bytes::ZERO) {
            return Err(("memory_limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if self.k <= 0.0 {
            return Err(("k", format!("{} does not couple the queues; it must be positive", self.k)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Dualpi2<P> {
        Dualpi2::new(self, link)
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut config = Self::linux();
        let (mut max_rtt, mut typical_rtt) = (None, None);
        while let Some(word) = words.next_word() {
            match word {
                "limit" => config.limit = Some(Limit::Packets(words.count()?)),
                "memlimit" => config.memory_limit = Some(words.size()?),
                "coupling_factor" => config.k = words.count32()?.into(),
                "step_thresh" => config.step_from_tc(words)?,
                "min_qlen_step" => config.min_qlen_step = words.count()?,
                "drop_on_overload" => config.overload = Overload::Drop,
                "overflow" => config.overload = Overload::Overflow,
                "drop_enqueue" => config.drop_early = true,
                "drop_dequeue" => config.drop_early = false,
                "l4s_ect" => config.low_latency = LowLatency::L4s,
                "any_ect" => config.low_latency = LowLatency::AnyEct,
                "classic_protection" => config.classic_protection = whole_percent(words.percent()?),
                "max_rtt" => max_rtt = Some(words.time()?),
                "typical_rtt" => typical_rtt = Some(words.time()?),
                "target" => config.target = words.time()?,
                "tupdate" => config.tupdate = words.time()?,
                "alpha" => config.alpha = in_256ths(words.number()?),
                "beta" => config.beta = in_256ths(words.number()?),
                // There are no aggregates to split.
                "split_gso" | "no_split_gso" => {}
                _ => return Err(words.unknown(TC_WORDS)),
            }
        }
        config.tune(max_rtt, typical_rtt).map_err(|why| words.error(why))?;
        Ok(config)
    }

    fn explicit(&self, link: &LinkView) -> Self {
        Self {
            limit: Some(limit_on(self.limit, link)),
            p_cmax: Some(Probability::clamped(self.p_cmax())),
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let is_step = self.native == Native::Step;
        let line = TcLine::new("dualpi2")
            .packets("limit", self.limit)
            .size("memlimit", self.memory_limit)
            .count("coupling_factor", self.k.round().clamp(1.0, 255.0) as u64)
            .time("step_thresh", (is_step && self.step_packets.is_none()).then_some(self.step_thresh));
        let line = match self.step_packets {
            Some(n) if is_step => line.flag(&format!("step_thresh {}p", n.min(u64::from(u32::MAX))), true),
            _ => line,
        };
        Some(
            line.count("min_qlen_step", self.min_qlen_step)
                .flag(
                    match self.overload {
                        Overload::Drop => "drop_on_overload",
                        Overload::Overflow => "overflow",
                    },
                    true,
                )
                .flag(if self.drop_early { "drop_enqueue" } else { "drop_dequeue" }, true)
                .flag(
                    match self.low_latency {
                        LowLatency::L4s => "l4s_ect",
                        LowLatency::AnyEct => "any_ect",
                    },
                    true,
                )
                .percent("classic_protection", self.classic_protection)
                .time("target", self.target)
                .time("tupdate", self.tupdate.max(Duration::from_micros(1)))
                .number("alpha", in_256ths(self.alpha))
                .number("beta", in_256ths(self.beta)),
        )
    }
}

const TC_WORDS: &[&str] = &[
    "limit",
    "memlimit",
    "coupling_factor",
    "step_thresh",
    "min_qlen_step",
    "drop_on_overload",
    "overflow",
    "drop_enqueue",
    "drop_dequeue",
    "l4s_ect",
    "any_ect",
    "classic_protection",
    "max_rtt",
    "typical_rtt",
    "target",
    "tupdate",
    "alpha",
    "beta",
    "split_gso",
    "no_split_gso",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Dualpi2Config, TcError> {
        Dualpi2Config::from_tc("dualpi2", &mut TcWords::new(line))
    }

    #[test]
    fn a_tc_line_reads_as_tc_reads_it() {
        let c = read(
            "limit 2000 memlimit 1mb coupling_factor 3 step_thresh 5p min_qlen_step 2 overflow drop_enqueue any_ect \
             classic_protection 25% target 20ms tupdate 32ms alpha 0.3 beta 3.2 no_split_gso",
        )
        .unwrap();
        assert_eq!((c.limit, c.memory_limit), (Some(Limit::Packets(2000)), Some(Bytes(1 << 20))));
        assert_eq!((c.k, c.step_packets, c.min_qlen_step), (3.0, Some(5), 2));
        assert_eq!((c.overload, c.low_latency), (Overload::Overflow, LowLatency::AnyEct));
        assert!(c.drop_early && c.classic_protection.get() == 0.25);
        assert_eq!((c.target, c.tupdate), (Duration::from_millis(20), Duration::from_millis(32)));
        // 0.3 * 256 = 76.8 and 3.2 * 256 = 819.2: tc sends 76 and 819.
        assert_eq!((c.alpha, c.beta), (76.0 / 256.0, 819.0 / 256.0));
        let c = read("step_thresh 2ms").unwrap();
        assert_eq!((c.step_packets, c.step_thresh), (None, Duration::from_millis(2)));
        assert_eq!(read("").unwrap(), Dualpi2Config::linux());
        for wrong in ["step_thresh 5x", "step_thresh", "classic_protection 101%", "alpha x", "limti 5"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn round_trips_set_target_interval_and_gains() {
        // tc-dualpi2: target = typical_rtt, tupdate = min(typical_rtt, max_rtt / 3); RFC 9332 Appendix A.1's gains.
        let c = read("max_rtt 200ms typical_rtt 30ms").unwrap();
        assert_eq!((c.target, c.tupdate), (Duration::from_millis(30), Duration::from_millis(30)));
        // 0.1 * 0.03 / 0.04 = 0.075 is 19/256; 0.3 / 0.2 = 1.5.
        assert_eq!((c.alpha, c.beta), (19.0 / 256.0, 1.5));
        let c = read("max_rtt 120ms").unwrap();
        assert_eq!(c.target, Duration::from_millis(20));
        assert_eq!(read("typical_rtt 20ms").unwrap(), c);
        assert!(read("max_rtt 10ms typical_rtt 20ms").is_err());
    }

    #[test]
    fn impossible_combinations_are_named() {
        let base = Dualpi2Config::default;
        let bad = [
            ("limit", Dualpi2Config { limit: Some(Limit::Packets(0)), ..base() }),
            ("memory_limit", Dualpi2Config { memory_limit: Some(Bytes::ZERO), ..base() }),
            ("tupdate", Dualpi2Config { tupdate: Duration::ZERO, ..base() }),
            ("beta", Dualpi2Config { beta: -1.0, ..base() }),
            ("k", Dualpi2Config { k: 0.0, ..base() }),
        ];
        for (param, config) in bad {
            assert_eq!(crate::disciplines::QdiscConfig::Dualpi2(config).validate().unwrap_err().0, param);
        }
    }
}
