//! Properties of every registered kind of fault and every loss process.

use tailrace_core::params::{Kind, ParamInfo, ParamType as _, SetError, Value};
use tailrace_core::{Duration, Rate, Rng};
use tailrace_impair::{FaultConfig, LinkCondition, LinkState, LossConfig, LossProcess, faults, losses};

/// A value of each kind that a link can bear.
fn sample(p: &ParamInfo) -> Option<Value> {
    let text = |t: &str| Some(Value::Text(t.into()));
    let fits = |value: &Value| p.check(value).is_ok();
    match p.kind {
        Kind::Rate => text("1 Mbit/s"),
        Kind::Bytes => text("1000 B"),
        Kind::Limit => text("5 packets"),
        Kind::Duration | Kind::Distribution => text("10 ms"),
        Kind::Count => Some(Value::Integer(5)),
        Kind::Probability | Kind::Number => Some(Value::Float(0.5)).filter(fits),
        Kind::Loss => Some(Value::Float(0.1)),
        Kind::Queue => text("codel"),
        Kind::Address => text("192.0.2.7"),
        Kind::Text if p.name == "rows" => {
            let rows = ["0 s, 1 Mbit/s, 9 ms, 5 %, pfifo limit 20", "5 ms, 2 Mbit/s, 1 ms, 0, red"];
            text(&format!("time, rate, delay, loss, queue; {}", rows.join("; ")))
        }
        Kind::Text => text("uniform(1 Mbit/s, 2 Mbit/s)"),
        Kind::Bool
        | Kind::Sizes
        | Kind::Counts
        | Kind::Steps
        | Kind::Rates
        | Kind::Dscp
        | Kind::Choice(_) => None,
    }
}

/// Sets what must be stated, and with `all` what may be.
fn state(
    of: &str,
    params: &[ParamInfo],
    all: bool,
    mut set: impl FnMut(&str, &Value) -> Result<(), SetError>,
) {
    for p in params {
        assert!(p.doc.trim().ends_with('.'), "{of}.{}", p.name);
        assert!(p.required || p.source.len() > 3, "{of}.{}: where is its default from?", p.name);
        match sample(p).filter(|_| p.required || all) {
            Some(value) => set(p.name, &value).unwrap_or_else(|e| panic!("{of}.{}: {e:?}", p.name)),
            None => assert!(!p.required, "{of}: `{}` is required and has no sample", p.name),
        }
    }
}

fn fault(name: &str, all: bool) -> FaultConfig {
    let mut config = FaultConfig::default_of(name).expect("registered");
    state(name, config.params(), all, |key, value| config.set(key, value));
    assert_eq!(config.validate(), Ok(()), "{name}");
    config
}

#[test]
fn every_fault_is_described_and_its_values_read_back() {
    for info in faults::catalog() {
        assert!(info.summary.ends_with('.'), "{}", info.name);
        let config = fault(info.name, true);
        assert_eq!(config.title(), format!("a fault of kind {:?}", info.name));
        let mut copy = FaultConfig::default_of(info.name).unwrap();
        for p in info.params {
            // The keys that all faults have are read first.
            assert!(
                ![
                    "name",
                    "at",
                    "until",
                    "link",
                    "host",
                    "interface",
                    "direction",
                    "every",
                    "count",
                    "back_every",
                    "overlap",
                    "router",
                    "kind"
                ]
                .contains(&p.name),
                "{}.{}",
                info.name,
                p.name
            );
            copy.set(p.name, &config.get(p.name).unwrap()).unwrap();
        }
        assert_eq!(copy, config);
    }
}

#[test]
fn every_fault_changes_something_of_a_link_and_says_what() {
    let link = LinkCondition::new(Rate::from_mbit(10), Duration::from_millis(5), LossConfig::default());
    for info in faults::catalog() {
        for all in [false, true] {
            let config = fault(info.name, all);
            let shaped = config.applied_to(link.clone());
            let of = config.changed_fields();
            assert_eq!(shaped.set(), of, "{}", info.name);
            assert_ne!(of, link.set(), "{} does nothing", info.name);
            // Fields that it does not name stay unchanged, whatever the condition before.
            let worse = LinkCondition::new(Rate::from_mbit(1), Duration::ZERO, LossConfig::default());
            for (before, after) in [(&link, &shaped), (&worse, &config.applied_to(worse.clone()))] {
                let same = |named: bool, same: bool| assert!(named || same, "{}", info.name);
                same(of.state, before.state() == after.state());
                same(of.rate, before.rate() == after.rate());
                same(of.delay, before.delay() == after.delay());
                same(of.loss, before.loss() == after.loss());
                let (was, is) = (before.netem(), after.netem());
                same(of.duplication, was.duplication == is.duplication);
                same(of.corruption, was.corruption == is.corruption);
                same(of.reordering, was.reordering == is.reordering);
                same(of.queue, before.queue() == after.queue());
                same(of.address, before.address() == after.address());
            }
        }
    }
}

#[test]
fn stages_of_a_fault_change_no_more_than_it_says_and_repeat() {
    let mut some = false;
    for info in faults::catalog() {
        let config = fault(info.name, true);
        let of = config.changed_fields();
        let stages = || {
            let (mut profile, mut rng) = (config.profile()?, Rng::new(3));
            let next = |_| {
                let (stage, lasts) = profile.next(&mut rng);
                lasts.map(|lasts| (stage, lasts))
            };
            Some((Vec::from_iter((0..20).map_while(next)), rng != Rng::new(3)))
        };
        let Some((found, drew)) = stages() else {
            assert!(!config.is_random(), "{}", info.name);
            continue;
        };
        some = true;
        assert_eq!(stages(), Some((found.clone(), drew)), "{}", info.name);
        assert!(config.is_random() || !drew, "{}", info.name);
        for (stage, _) in found {
            let mut link = LinkCondition::default();
            stage.apply(&mut link);
            let set = link.set();
            let fits = [
                (set.state, of.state),
                (set.rate, of.rate),
                (set.delay, of.delay),
                (set.loss, of.loss),
                (set.queue, of.queue),
            ];
            assert!(fits.iter().all(|(set, of)| !set || *of), "{}: {stage:?}", info.name);
        }
    }
    assert!(some);
}

#[test]
fn after_effects_are_declared_and_change_the_link() {
    let link = LinkCondition::new(Rate::from_mbit(10), Duration::from_millis(5), LossConfig::default());
    for info in faults::catalog() {
        let config = fault(info.name, true);
        let mut after = link.clone();
        config.apply_after(&mut after);
        assert_eq!(after == link, config.after_effect().is_zero(), "{}", info.name);
    }
    let mut down = FaultConfig::default_of("down").unwrap();
    assert!(down.after_effect().is_zero());
    down.set("route_delay", &Value::Text("2 s".into())).unwrap();
    let mut after = link;
    down.apply_after(&mut after);
    assert_eq!((after.state(), after.is_unrouted()), (LinkState::Up, true));
}

#[test]
fn a_link_that_is_down_and_silent_is_down_in_either_order() {
    let kinds = ["down", "blackhole"].map(|name| fault(name, true));
    for order in [[0, 1], [1, 0]] {
        let link = order.iter().fold(LinkCondition::default(), |link, i| kinds[*i].applied_to(link));
        assert_eq!(link.state(), LinkState::Down);
    }
}

#[test]
fn impossible_link_values_are_refused() {
    let wrong = |kind: &str, key: &str, value: Value| {
        FaultConfig::default_of(kind).unwrap().set(key, &value).is_err()
    };
    assert!(wrong("rate", "value", Value::Text("0 bit/s".into())));
    assert!(wrong("delay", "value", Value::Text("87601 h".into())));
    assert!(wrong("loss", "value", Value::Float(1.5)));
    assert!(wrong("queue", "value", Value::Text("rod".into())));
    // A value that was never set, or was set without a check, is found by `validate`.
    assert_eq!(FaultConfig::default_of("rate").unwrap().validate().unwrap_err().0, "value");
    let mut labels = FaultConfig::default_of("queue").unwrap();
    labels.set("value", &Value::Text("netfence".into())).unwrap();
    assert!(labels.validate().unwrap_err().1.contains("netfence cannot begin"));
    let never = losses::periodic::PeriodicConfig { every: 0 };
    assert_eq!(LossConfig::Periodic(never).validate().unwrap_err().0, "every");
}

#[test]
fn every_loss_process_is_described_and_repeats() {
    for info in losses::catalog() {
        assert!(info.summary.ends_with('.'), "{}", info.name);
        let mut config = LossConfig::default_of(info.name).expect("registered");
        state(info.name, info.params, true, |key, value| config.set(key, value));
        assert_eq!(config.validate(), Ok(()));
        assert_eq!(config.title(), format!("loss {:?}", info.name));
        assert_eq!(LossConfig::from_value(&config.to_value()), Ok(config.clone()));
        let lost = |config: &LossConfig| {
            let (mut process, mut rng) = (config.build(Rng::new(8)), Rng::new(7));
            let lost: Vec<u64> = (1..=1000)
                .filter(|nth| process.loses(*nth, tailrace_core::Instant::from_millis(*nth), &mut rng))
                .collect();
            (lost, rng != Rng::new(7))
        };
        let (once, again) = (lost(&config), lost(&config));
        assert_eq!(once, again);
        assert!(!once.0.is_empty() && once.0.len() < 1000, "{}", info.name);
        assert_eq!(once.1, config.is_random(), "{}", info.name);
        assert!(!config.is_none());
    }
    assert!(LossConfig::default().is_none() && !LossConfig::default().is_random());
}
