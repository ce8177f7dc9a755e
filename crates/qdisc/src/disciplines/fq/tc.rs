//! The words of tc for Linux's `fq`.

use super::{Form, FqConfig};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::Limit;

const WORDS: [&str; 17] = [
    "limit",
    "flow_limit",
    "quantum",
    "initial_quantum",
    "orphan_mask",
    "refill_delay",
    "buckets",
    "low_rate_threshold",
    "defrate",
    "timer_slack",
    "horizon",
    "horizon_cap",
    "horizon_drop",
    "pacing",
    "nopacing",
    "maxrate",
    "ce_threshold",
];

/// Reads the words of a line. Those that concern the pacing of sockets are read and do nothing.
pub(super) fn read(words: &mut TcWords<'_>) -> Result<FqConfig, TcError> {
    let mut config = FqConfig { form: Form::Linux, ..FqConfig::default() };
    while let Some(word) = words.next_word() {
        match word {
            "limit" => config.limit = Some(Limit::Packets(words.count()?)),
            "flow_limit" => config.flow_limit = Some(Limit::Packets(words.count()?)),
            "quantum" => config.quantum = words.size()?,
            "initial_quantum" => config.initial_quantum = words.size()?,
            "orphan_mask" => config.flows = Some(words.count32()?.saturating_add(1)),
            "refill_delay" => config.refill_delay = words.time()?,
            "buckets" => drop(words.count()?),
            "low_rate_threshold" | "defrate" => drop(words.rate()?),
            "timer_slack" | "horizon" => drop(words.time()?),
            "pacing" | "nopacing" | "horizon_cap" | "horizon_drop" => {}
            "maxrate" | "ce_threshold" => {
                return Err(
                    words.error("what holds packets back or looks at how long they were is not supported")
                );
            }
            _ => return Err(words.unknown(&WORDS)),
        }
    }
    Ok(config)
}

/// The line for `config`, whose values are written out.
pub(super) fn write(config: &FqConfig) -> TcLine {
    let line = TcLine::new("fq")
        .packets("limit", config.limit())
        .size("quantum", config.quantum)
        .size("initial_quantum", config.initial_quantum)
        .count("orphan_mask", u64::from(config.flows.unwrap_or(1024).saturating_sub(1)))
        .time("refill_delay", config.refill_delay);
    match config.flow_limit {
        Some(limit) => line.packets("flow_limit", limit),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Discipline as _;
    use tailrace_core::Bytes;

    #[test]
    fn a_tc_line_is_the_fq_of_linux() {
        let line = "limit 500 flow_limit 20 quantum 1514 initial_quantum 4542 orphan_mask 255 refill_delay 10ms nopacing";
        let c = FqConfig::from_tc("fq", &mut TcWords::new(line)).unwrap();
        assert_eq!((c.limit(), c.flow_limit()), (Limit::Packets(500), Some(Limit::Packets(20))));
        assert_eq!((c.quantum, c.initial_quantum, c.flows()), (Bytes(1514), Bytes(4542), Some(256)));
        assert_eq!(c.refill_delay.as_millis(), 10);
        // tc-fq(8), and what `tc qdisc show` prints of a bare fq.
        let c = FqConfig::from_tc("fq", &mut TcWords::new("")).unwrap();
        assert_eq!((c.limit(), c.flow_limit()), (Limit::Packets(10_000), Some(Limit::Packets(100))));
        assert_eq!((c.quantum, c.initial_quantum, c.flows()), (Bytes(3028), Bytes(15_140), Some(1024)));
        assert!(
            FqConfig::from_tc("fq", &mut TcWords::new("maxrate 1mbit")).unwrap_err().message.contains("back")
        );
    }
}
