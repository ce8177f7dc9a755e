//! `pie` as a registered discipline: description, checks, queue, tc.

use super::config::{DelayFrom, Form, PieConfig};
use super::law::Pie;
use crate::discipline::LinkView;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, Limit, Packet};

impl Discipline for PieConfig {
    const ABOUT: About = About {
        family: "delay",
        summary: "Drops or marks arriving packets with a probability that a controller sets to hold the waiting time at a target.",
        citation: "RFC 8033; Pan et al., HPSR 2013",
        ecn: "with `ecn` marks while the probability is at most `mark_ecnth`, else drops",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["pie"];
    type Queue<P: Packet> = Managed<Pie, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if (self.bytemode || self.form == Form::Docsis) && self.mean_pktsize() == Bytes::ZERO {
            return Err((
                "mean_pktsize",
                "the mean packet size cannot be zero where the probability scales with it".into(),
            ));
        }
        if self.dq_threshold == Bytes::ZERO {
            return Err(("dq_threshold", "a rate cannot be measured over nothing".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Managed<Pie, P> {
        Managed::new(self.limit, self.ecn, DropEnd::Tail, Pie::new(self))
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        // tc configures Linux\'s PIE.
        let mut config = Self { form: Form::Linux, ..Self::default() };
        while let Some(word) = words.next_word() {
            match word {
                "limit" => config.limit = Limit::Packets(words.count()?),
                "target" => config.target = words.time()?,
                "tupdate" => config.tupdate = words.time()?,
                // tc counts both in sixteenths.
                "alpha" => config.alpha = f64::from(words.count32()?) / 16.0,
                "beta" => config.beta = f64::from(words.count32()?) / 16.0,
                "ecn" => config.ecn = true,
                "noecn" => config.ecn = false,
                "bytemode" => config.bytemode = true,
                "nobytemode" => config.bytemode = false,
                "dq_rate_estimator" => config.delay_from = DelayFrom::Rate,
                "no_dq_rate_estimator" => config.delay_from = DelayFrom::Timestamps,
                _ => return Err(words.unknown(&TC_WORDS)),
            }
        }
        Ok(config)
    }

    fn explicit(&self, _link: &LinkView) -> Self {
        Self { burst: Some(self.burst()), mean_pktsize: Some(self.mean_pktsize()), ..self.clone() }
    }

    fn to_tc(&self) -> Option<TcLine> {
        Some(
            TcLine::new("pie")
                .packets("limit", self.limit)
                .time("target", self.target)
                .time("tupdate", self.tupdate)
                .count("alpha", sixteenths(self.alpha))
                .count("beta", sixteenths(self.beta))
                .flag(if self.ecn { "ecn" } else { "noecn" }, true)
                .flag("bytemode", self.bytemode)
                .flag("dq_rate_estimator", self.delay_from == DelayFrom::Rate),
        )
    }
}

/// A gain as tc counts it, from 0 to 32.
pub(crate) fn sixteenths(gain: f64) -> u64 {
    (gain.clamp(0.0, 2.0) * 16.0 + 0.5) as u64
}

const TC_WORDS: [&str; 11] = [
    "limit",
    "target",
    "tupdate",
    "alpha",
    "beta",
    "ecn",
    "noecn",
    "bytemode",
    "nobytemode",
    "dq_rate_estimator",
    "no_dq_rate_estimator",
];

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Duration;

    #[test]
    fn a_tc_line_reads_as_tc_reads_it() {
        let line = "limit 2000 target 20ms tupdate 30ms alpha 4 beta 40 ecn bytemode dq_rate_estimator";
        let c = PieConfig::from_tc("pie", &mut TcWords::new(line)).unwrap();
        assert_eq!((c.limit, c.target), (Limit::Packets(2000), Duration::from_millis(20)));
        assert_eq!((c.tupdate, c.alpha, c.beta), (Duration::from_millis(30), 0.25, 2.5));
        assert!(c.ecn && c.bytemode && c.delay_from == DelayFrom::Rate && c.form == Form::Linux);
        // tc-pie(8): alpha 2 and beta 20 are the defaults.
        let c = PieConfig::from_tc("pie", &mut TcWords::new("")).unwrap();
        assert_eq!((c.alpha, c.beta, c.ecn), (2.0 / 16.0, 20.0 / 16.0, false));
        assert!(PieConfig::from_tc("pie", &mut TcWords::new("targte 5ms")).is_err());
    }

    #[test]
    fn impossible_combinations_are_named() {
        let base = PieConfig::default;
        let bad = [
            ("limit", PieConfig { limit: Limit::Packets(0), ..base() }),
            ("tupdate", PieConfig { tupdate: Duration::ZERO, ..base() }),
            ("alpha", PieConfig { alpha: -0.1, ..base() }),
            ("mean_pktsize", PieConfig { bytemode: true, mean_pktsize: Some(Bytes::ZERO), ..base() }),
            ("dq_threshold", PieConfig { dq_threshold: Bytes::ZERO, ..base() }),
        ];
        for (param, config) in bad {
            assert_eq!(crate::disciplines::QdiscConfig::Pie(config).validate().unwrap_err().0, param);
        }
    }
}
