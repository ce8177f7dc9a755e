//! Parameters of `pie` and their spelling in tc.

use super::law::Pie;
use crate::discipline::LinkView;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability};

tailrace_core::choices! {
    /// Whose PIE where they differ.
    pub enum Form {
        /// RFC 8033.
        Rfc = "rfc",
        /// Linux `net/sched/sch_pie.c`.
        Linux = "linux",
        /// RFC 8034, for cable modems.
        Docsis = "docsis",
    }
}

tailrace_core::choices! {
    /// What starts the time in which nothing is signalled.
    pub enum Burst {
        /// A quiet queue: the allowance is full again once delays are short and the probability is zero.
        Rfc = "rfc",
        /// The first early drop after the queue has been a third full; before that nothing is signalled.
        Docsis = "docsis",
    }
}

tailrace_core::choices! {
    /// Where the queueing delay comes from.
    pub enum DelayFrom {
        /// The time the last packet to leave had waited; zero where it left the queue empty.
        Timestamps = "timestamps",
        /// Backlog over a measured rate of departure.
        Rate = "rate",
    }
}

tailrace_core::parameters! {
    /// Parameters of `pie`.
    pub struct PieConfig {
        /// Whose PIE where they differ: gives every `"auto"` below its value. A tc line is Linux's.
        form: Form = Form::Rfc, "RFC 8033";
        /// Most that may wait. Too small: drops come from the limit, not from the law. Too large: only memory.
        limit: Limit = Limit::Packets(1000), "Linux sch_pie";
        /// Queueing delay that the controller aims at. Too small: the link idles. Too large: standing queue.
        target: Duration = Duration::from_millis(15), "RFC 8033 Appendix A, QDELAY_REF";
        /// Time between updates of the probability. Too small: noise is followed. Too large: slow reaction.
        tupdate: Duration = Duration::from_millis(15), "RFC 8033 §4.2, T_UPDATE", in "10 us"..="1000 s": "each tick is an event";
        /// Gain of the distance from `target`, 1/s. Too small: slow. Too large: oscillation.
        alpha: f64 = 0.125, "RFC 8033 §4.2", in 0.0..=1000000.0: "the controller would drive the delay away";
        /// Gain of the trend of the delay, 1/s. Too small: overshoot. Too large: noise is amplified.
        beta: f64 = 1.25, "RFC 8033 §4.2", in 0.0..=1000000.0: "the controller would drive the delay away";
        /// Time at the start of a burst in which nothing is signalled. Too large: floods enter unhindered.
        max_burst: Duration = Duration::from_millis(150), "RFC 8033 §4.4, MAX_BURST";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = false, "Linux sch_pie";
        /// Above this probability ECN-capable packets are dropped, too. Too large: a flood of ECN-capable packets
        /// is not held.
        mark_ecnth: Probability = Probability::clamped(0.1), "RFC 8033 §5.1";
        /// Nothing is signalled while no more than two packets of this size wait; unit of `bytemode`. Too large: a
        /// standing queue of that size is never seen. `"auto"`: 1000 bytes (rfc), 1024 (docsis), 1514 (linux).
        mean_pktsize: Option<Bytes> = None, "ns-3 MeanPktSize; RFC 8034; Linux: the device's MTU";
        /// Scale the probability by packet size over `mean_pktsize`. RFC 7141 advises against it.
        bytemode: bool = false, "RFC 7141; Linux sch_pie";
        /// Space signals evenly: none before the accumulated probability is 0.85, one at the latest at 8.5.
        derandomize: bool = true, "RFC 8033 §5.4; Linux";
        /// Largest increase of the probability in one update once it is 0.1; 1 turns the cap off.
        max_step: Probability = Probability::clamped(0.02), "RFC 8033 §5.5";
        /// What starts the burst allowance; `"auto"` goes by `form`. With `docsis` a short queue is never signalled.
        burst: Option<Burst> = None, "RFC 8033 §4.4; RFC 8034 Appendix A";
        /// With `burst = "docsis"`: quiet time after which the queue has to be a third full again. Too small: every
        /// burst is spared.
        burst_reset: Duration = Duration::from_secs(1), "RFC 8034 Appendix A, BURST_RESET_TIMEOUT";
        /// Hold the probability at zero while the burst allowance lasts, as ns-2 and ns-3 do.
        hold_in_burst: bool = false, "RFC 8033 Appendix A";
        /// Where the queueing delay comes from.
        delay_from: DelayFrom = DelayFrom::Timestamps, "Linux sch_pie; RFC 8033 §4.3 allows both";
        /// Bytes over which the rate of departure is measured, where it is. Too small: noise. Too large: no
        /// measurement at all, and with it no delay.
        dq_threshold: Bytes = Bytes(1 << 14), "RFC 8033 §5.2";
    }
}

impl Discipline for PieConfig {
    const ABOUT: About = About {
        family: "delay",
        summary: "Signals arrivals with a probability that a controller of the queueing delay sets.",
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
        // What tc configures is Linux's PIE.
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

impl PieConfig {
    /// The parameters of RFC 8034 Appendix A.
    pub fn docsis() -> Self {
        Self {
            target: Duration::from_millis(10),
            tupdate: Duration::from_millis(16),
            alpha: 0.25,
            beta: 2.5,
            max_burst: Duration::from_millis(142),
            form: Form::Docsis,
            ..Self::default()
        }
    }

    /// Unit of size; Linux takes the device's MTU with its header.
    pub(crate) fn mean_pktsize(&self) -> Bytes {
        self.mean_pktsize.unwrap_or(match self.form {
            Form::Rfc => Bytes(1000),
            Form::Linux => Bytes(1514),
            Form::Docsis => Bytes(1024),
        })
    }

    /// What starts the burst allowance.
    pub(super) fn burst(&self) -> Burst {
        self.burst.unwrap_or(if self.form == Form::Docsis { Burst::Docsis } else { Burst::Rfc })
    }
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
            assert_eq!(crate::QdiscConfig::Pie(config).validate().unwrap_err().0, param);
        }
    }
}
