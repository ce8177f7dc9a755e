//! Properties of every registered discipline, whatever its parameters: they run over the registry.

use crate::configurations::{configuration, link};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tailrace_core::params::Value;
use tailrace_core::text::Quantity;
use tailrace_core::{Bytes, Duration, Ecn, Instant, Limit, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Backlog, Cx, LinkView, PluginConfig, Qdisc, QdiscConfig, QueueDiscipline, disciplines};

#[derive(Clone, Debug)]
enum Step {
    Enqueue { flow: u32, size: u64, ecn: Ecn },
    Dequeue,
    Wait(Duration),
    Change(LinkView),
}

fn step() -> impl Strategy<Value = Step> {
    let ecn = (0u8..4).prop_map(Ecn::from_bits);
    prop_oneof![
        5 => (0u32..12, prop_oneof![Just(0u64), 40u64..1515, 60_000u64..70_000], ecn)
            .prop_map(|(flow, size, ecn)| Step::Enqueue { flow, size, ecn }),
        3 => Just(Step::Dequeue),
        2 => prop_oneof![0u64..2_000, 0u64..20_000_000, 0u64..5_000_000_000]
            .prop_map(|ns| Step::Wait(Duration::from_nanos(ns))),
        1 => link().prop_map(Step::Change),
    ]
}

/// Everything observable of a run.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    offered: Vec<(TestPacket, Instant)>,
    delivered: Vec<(TestPacket, Instant)>,
    dropped: Vec<TestPacket>,
    marked: Vec<TestPacket>,
    states: Vec<u64>,
}

fn run(config: &QdiscConfig, link: &LinkView, steps: &[Step], seed: u64) -> Outcome {
    let mut queue: Qdisc<TestPacket> = config.build(link);
    let (mut rng, mut sink, mut now) = (Rng::new(seed), Collector::default(), Instant::ZERO);
    let mut outcome = Outcome::default();
    let mut state = vec![f64::NAN; queue.state_names().len()];
    for (id, step) in steps.iter().enumerate() {
        let mut cx = Cx { now, rng: &mut rng, sink: &mut sink };
        match step {
            Step::Enqueue { flow, size, ecn } => {
                let packet = TestPacket::new(id as u64, *flow, *size).with_ecn(*ecn);
                outcome.offered.push((packet, now));
                queue.enqueue(packet, &mut cx);
            }
            Step::Dequeue => {
                let backlog = queue.backlog();
                let out = queue.dequeue(&mut cx);
                if out.is_none() && queue.backlog().packets > 0 {
                    assert!(queue.poll_timeout().is_some(), "held packets without saying until when");
                }
                assert!(queue.backlog().packets <= backlog.packets);
                outcome.delivered.extend(out);
            }
            Step::Wait(d) => {
                now += *d;
                cx.now = now;
                if queue.poll_timeout().is_some_and(|t| t <= now) {
                    queue.handle_timeout(&mut cx);
                    assert!(queue.poll_timeout().is_none_or(|t| t > now), "the timer stands still");
                } else {
                    queue.handle_timeout(&mut cx); // spurious: must be harmless
                }
            }
            Step::Change(link) => {
                let backlog = queue.backlog();
                queue.link_changed(link, &mut cx);
                assert_eq!(queue.backlog(), backlog, "a change of the link is no loss");
            }
        }
        queue.state(&mut state);
        outcome.states.extend(state.iter().map(|x| x.to_bits()));
        assert!(state.iter().all(|x| x.is_finite()), "{:?} {state:?}", queue.state_names());
        balance(&queue, &outcome, &sink);
        assert!(within(queue.backlog(), limit(config)), "{:?}", queue.backlog());
    }
    outcome.dropped = sink.dropped.iter().map(|(p, ..)| *p).collect();
    outcome.marked = sink.marked.iter().map(|(p, _)| *p).collect();
    outcome
}

/// The hard limit, where the configuration states one.
fn limit(config: &QdiscConfig) -> Option<Limit> {
    match config.get("limit") {
        Some(Value::Text(text)) => Limit::parse(&text).ok(),
        _ => None,
    }
}

fn within(backlog: Backlog, limit: Option<Limit>) -> bool {
    match limit {
        Some(Limit::Packets(n)) => backlog.packets <= n,
        Some(Limit::Bytes(b)) => backlog.bytes <= b,
        None => true,
    }
}

/// In = out + dropped + queued, in packets and in bytes.
fn balance(queue: &Qdisc<TestPacket>, outcome: &Outcome, sink: &Collector<TestPacket>) {
    let offered = outcome.offered.iter().map(|(p, _)| p);
    let gone = || outcome.delivered.iter().map(|(p, _)| p).chain(sink.dropped.iter().map(|(p, ..)| p));
    let bytes = |p: &TestPacket| p.size.get();
    let backlog = queue.backlog();
    assert_eq!(offered.clone().count() as u64, gone().count() as u64 + backlog.packets);
    assert_eq!(offered.map(bytes).sum::<u64>(), gone().map(bytes).sum::<u64>() + backlog.bytes.get());
}

/// These serve the newest first, or requests by level, by design.
const REORDER: [&str; 3] = ["codel_lifo", "fq_codel_lifo", "netfence"];

/// These keep packets of different codepoints in different queues, by design: order holds within each.
const BY_CODEPOINT: [&str; 1] = ["dualpi2"];

/// Each packet leaves once, unchanged but for a reported mark and its label, with its time of arrival, in order within its flow.
fn faithful(outcome: &Outcome, name: &str) {
    let offered: BTreeMap<u64, (TestPacket, Instant)> =
        outcome.offered.iter().map(|(p, t)| (p.id, (*p, *t))).collect();
    let mut seen = BTreeMap::new();
    for (packet, arrival) in &outcome.delivered {
        let (original, when) = offered[&packet.id];
        assert_eq!(*arrival, when);
        let marked = outcome.marked.iter().any(|m| m.id == packet.id);
        let expected = if marked { original.with_ecn(Ecn::Ce) } else { original };
        assert_eq!(*packet, TestPacket { label: packet.label, ..expected });
        let queue = if BY_CODEPOINT.contains(&name) { original.ecn as u8 } else { 0 };
        let last = seen.insert((packet.flow, queue), packet.id);
        assert!(last < Some(packet.id) || REORDER.contains(&name), "flow {:?} out of order", packet.flow);
    }
    let mut gone: Vec<u64> =
        outcome.delivered.iter().map(|(p, _)| p.id).chain(outcome.dropped.iter().map(|p| p.id)).collect();
    gone.sort_unstable();
    assert!(gone.windows(2).all(|w| w[0] < w[1]), "a packet left twice");
    for marked in &outcome.marked {
        let (original, _) = offered[&marked.id];
        assert!(original.ecn.is_capable(), "a Not-ECT packet was marked");
        assert_ne!(original.ecn, Ecn::Ce, "a CE packet counted as a new mark");
    }
    let mut marks: Vec<u64> = outcome.marked.iter().map(|p| p.id).collect();
    marks.sort_unstable();
    assert!(marks.windows(2).all(|w| w[0] < w[1]), "a packet was marked twice");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn every_discipline_conserves_orders_and_repeats(
        link in link(),
        steps in prop::collection::vec(step(), 1..300),
        seed in any::<u64>(),
        configs in QdiscConfig::names().iter().map(|n| configuration(n)).collect::<Vec<_>>(),
    ) {
        for config in &configs {
            let outcome = run(config, &link, &steps, seed);
            faithful(&outcome, config.name());
            prop_assert_eq!(outcome, run(config, &link, &steps, seed));
        }
    }
}

#[test]
fn every_default_is_valid_described_and_reads_back() {
    for info in tailrace_qdisc::catalog() {
        let config = QdiscConfig::default_of(info.name).expect("in the catalog");
        assert_eq!(config.name(), info.name);
        assert_eq!(config.validate(), Ok(()));
        let mut copy = config.clone();
        for param in info.params {
            let parameter = format!("{}.{}", info.name, param.name);
            assert!(!param.required, "{parameter} is required: a discipline's parameters have defaults");
            assert!(param.doc.trim().len() > 20, "{parameter} is not described");
            assert!(!param.source.is_empty(), "{parameter} does not say where its default comes from");
            copy.set(param.name, &config.get(param.name).expect("listed")).expect("reads back");
        }
        assert_eq!(copy, config);
        for text in [info.family, info.summary, info.citation, info.ecn, info.per_flow_state] {
            assert!(!text.is_empty(), "a field of `ABOUT` of {} is empty", info.name);
        }
    }
}

#[test]
fn a_packet_larger_than_any_limit_is_dropped_not_lost() {
    let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
    for name in QdiscConfig::names() {
        let mut config = QdiscConfig::default_of(name).expect("registered");
        if config.set("limit", &Value::Text("1500 B".into())).is_err() || config.validate().is_err() {
            continue;
        }
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue: Qdisc<TestPacket> = config.build(&link);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        queue.enqueue(TestPacket::new(0, 0, 1501), &mut cx);
        assert_eq!(queue.backlog().bytes, Bytes::ZERO, "{name}");
        assert_eq!(sink.dropped.len(), 1, "{name}");
    }
}

/// Disciplines that between them use all that a packet has and a sink takes, as ones from outside.
fn from_outside(config: &QdiscConfig) -> PluginConfig {
    macro_rules! one_of {
        ($($name:literal => $config:ty),+) => {
            match config.name() {
                $( $name => PluginConfig::named::<$config>("outside"), )+
                other => unreachable!("{other}"),
            }
        };
    }
    let mut outside = one_of! {
        "droptail" => disciplines::droptail::DroptailConfig,
        "codel" => disciplines::codel::CodelConfig,
        "choke" => disciplines::choke::ChokeConfig,
        "sfb" => disciplines::sfb::SfbConfig,
        "fq_pie" => disciplines::fq_pie::FqPieConfig,
        "csfq" => disciplines::csfq::CsfqConfig,
        "cake" => disciplines::cake::CakeConfig
    };
    for param in config.params() {
        let value = config.get(param.name).expect("in its table");
        outside.set(param.name, &value).expect("its own value");
    }
    outside
}

proptest! {
    #[test]
    fn a_discipline_from_outside_does_what_it_does_within(
        config in prop::sample::select(vec!["droptail", "codel", "choke", "sfb", "fq_pie", "csfq", "cake"])
            .prop_flat_map(configuration),
        link in link(),
        steps in prop::collection::vec(step(), 1..200),
        seed in any::<u64>(),
    ) {
        let outside = QdiscConfig::Plugin(from_outside(&config));
        prop_assert_eq!(outside.classifies(), config.classifies());
        prop_assert_eq!(outside.validate(), Ok(()));
        prop_assert_eq!(run(&outside, &link, &steps, seed), run(&config, &link, &steps, seed));
    }
}
