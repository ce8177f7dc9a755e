//! Random configurations and links for the tests that run over the registry.

use proptest::prelude::*;
use tailrace_core::params::{Kind, Value};
use tailrace_core::{Bytes, Duration, Rate};
use tailrace_qdisc::{LinkView, QdiscConfig};

/// Values at and beyond the edges of what a parameter of this kind can be.
pub(crate) fn extremes(kind: Kind) -> Vec<Value> {
    let texts = |words: &[&str]| words.iter().map(|w| Value::Text((*w).into())).collect();
    match kind {
        Kind::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Kind::Count => [0, 1, 2, 7, 1 << 14, i64::from(u32::MAX), i64::MAX].map(Value::Integer).to_vec(),
        Kind::Number => [-1.0, 0.0, 1e-12, 0.5, 1.0, 3.0, 1e12].map(Value::Float).to_vec(),
        Kind::Duration => texts(&["0 s", "1 ns", "1 ms", "100 ms", "1 h", "100000 h"]),
        Kind::Rate => texts(&["0 bit/s", "1 bit/s", "1 Mbit/s", "1000000 Gbit/s"]),
        Kind::Bytes => texts(&["0 B", "1 B", "1000 B", "1 GB", "1000000000 GB"]),
        Kind::Limit => texts(&[
            "0 packets",
            "1 packet",
            "5 packets",
            "1000000000000 packets",
            "0 B",
            "1 B",
            "10 kB",
            "1000000000 GB",
        ]),
        Kind::Probability => [0.0, 1e-9, 0.02, 0.5, 1.0].map(Value::Float).to_vec(),
        Kind::Dscp => [0, 8, 46, 63].map(Value::Integer).to_vec(),
        Kind::Address
        | Kind::Distribution
        | Kind::Sizes
        | Kind::Counts
        | Kind::Steps
        | Kind::Rates
        | Kind::Loss
        | Kind::Queue => {
            unreachable!("no discipline has one")
        }
        Kind::Text => texts(&[
            "other",
            "CS0 min 2p max 5p limit 7p",
            "CS0 min 2p prio 1; other min 1p max 9p prob 0.5 prio 2",
            "udp; dport 80, EF quantum 300 B: sfq; tcp sport 3: codel; other: fq",
            "pie",
            "nonsense",
        ]),
        Kind::Choice(words) => texts(words),
    }
}

/// The default of discipline `name`, with some parameters at random extremes where these go together.
pub(crate) fn configuration(name: &'static str) -> impl Strategy<Value = QdiscConfig> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..6).prop_map(
        move |choices| {
            let mut config = QdiscConfig::default_of(name).expect("registered");
            let params = config.params();
            for (which, value) in choices {
                let param = &params[which.index(params.len())];
                let mut values = extremes(param.kind);
                if param.auto {
                    values.push(Value::Text("auto".into()));
                }
                let mut changed = config.clone();
                if changed.set(param.name, &values[value.index(values.len())]).is_ok()
                    && changed.validate().is_ok()
                {
                    config = changed;
                }
            }
            config
        },
    )
}

/// Links from the slowest to the fastest.
pub(crate) fn link() -> impl Strategy<Value = LinkView> {
    let rate = prop_oneof![Just(1u64), Just(1_500_000), Just(45_000_000), Just(100_000_000_000)];
    (rate, 0u64..1_000, prop_oneof![Just(0u64), Just(38), Just(65_536)]).prop_map(|(bps, ms, overhead)| {
        LinkView::new(Rate::from_bps(bps), Duration::from_millis(ms)).with_overhead(Bytes(overhead))
    })
}
