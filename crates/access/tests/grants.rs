//! Properties of every registered kind of grants.

use std::sync::Arc;
use tailrace_access::{GrantConfig, GrantProcess as _, LinkSchedule, grants};
use tailrace_core::params::{Kind, Value};
use tailrace_core::{Bytes, Duration, Instant, Rng};

/// A kind with what it needs to be stated.
fn stated(name: &str) -> GrantConfig {
    let mut config = GrantConfig::default_of(name).expect("registered");
    for p in config.params().iter().filter(|p| p.required) {
        let value = match p.kind {
            Kind::Rates => Value::List(["3 Mbit/s", "9 Mbit/s"].map(|r| Value::Text(r.into())).to_vec()),
            other => panic!("{name}.{}: no value of a {other:?}", p.name),
        };
        config.set(p.name, &value).unwrap();
    }
    config
}

/// The same with some keys at values of their kind, as far as they make sense together.
fn varied(name: &str, rng: &mut Rng) -> GrantConfig {
    let mut config = stated(name);
    for p in config.params().iter().filter(|p| !p.required) {
        let value = match p.kind {
            Kind::Probability => Value::Float(rng.uniform()),
            Kind::Duration => Value::Text(format!("{} ms", rng.below(50))),
            Kind::Count => Value::Integer(1 + rng.below(8) as i64),
            _ => continue,
        };
        let mut other = config.clone();
        if rng.bernoulli(0.5) && other.set(p.name, &value).is_ok() && other.validate().is_ok() {
            config = other;
        }
    }
    config
}

#[test]
fn every_kind_is_described_and_its_values_read_back() {
    for info in grants::catalog() {
        assert!(info.summary.ends_with('.'), "{}", info.name);
        let config = stated(info.name);
        assert_eq!((config.validate(), config.title()), (Ok(()), format!("rate {:?}", info.name).as_str()));
        let mut copy = GrantConfig::default_of(info.name).unwrap();
        assert!(copy.validate().is_err(), "{}: what must be stated is missing", info.name);
        for p in info.params {
            assert!(p.doc.trim().ends_with('.'), "{}.{}", info.name, p.name);
            assert!(p.required || p.source.len() > 3, "{}.{}: where is its default from?", info.name, p.name);
            copy.set(p.name, &config.get(p.name).unwrap()).unwrap();
        }
        assert_eq!(copy, config);
        assert!(config.mean().as_bps() > 0);
    }
}

/// Sends packets for so long, with pauses of up to `pause` where more than none; what becomes of each.
fn send(
    config: &GrantConfig,
    seed: u64,
    pause: u64,
    until: Instant,
) -> Vec<(Bytes, tailrace_access::Transmission)> {
    let mut link = LinkSchedule::Grants(Arc::new(config.clone())).start(Rng::new(seed));
    let (mut rng, mut at, mut sent) = (Rng::new(seed), Instant::ZERO, Vec::new());
    while at < until {
        if let Err(next) = link.opens(at) {
            assert!(next > at, "{config:?}");
            at = next;
            continue;
        }
        if pause > 0 && rng.bernoulli(0.1) {
            link.idle(at);
            at += Duration::from_nanos(rng.below(pause));
            continue;
        }
        let bytes = Bytes(1 + rng.below(4000));
        let fate = link.send(bytes, at);
        assert!(fate.left >= at && fate.free >= at && fate.arrives >= fate.left, "{fate:?} at {at:?}");
        at = fate.free;
        sent.push((bytes, fate));
    }
    sent
}

#[test]
fn grants_deliver_in_order_within_the_capacity_and_repeatably() {
    for name in GrantConfig::names() {
        for seed in 0..60 {
            let mut rng = Rng::new(seed);
            let config = varied(name, &mut rng);
            let (pause, until) = (rng.below(3) * 40_000_000, Instant::from_secs(5));
            let sent = send(&config, seed, pause, until);
            assert!(!sent.is_empty(), "{config:?}");
            assert!(sent.windows(2).all(|w| w[0].1.arrives <= w[1].1.arrives), "{config:?}");
            assert_eq!(sent, send(&config, seed, pause, until), "{config:?}");
            let bytes: u64 = sent.iter().map(|(bytes, _)| bytes.get()).sum();
            let last = sent[sent.len() - 1].1.left;
            let could = config.bits(Rng::new(seed), Instant::ZERO, last) / 8.0;
            assert!(bytes as f64 <= could + 1.0, "{bytes} of {could}: {config:?}");
        }
    }
}

#[test]
fn over_a_long_time_the_mean_is_what_it_can_carry() {
    for name in GrantConfig::names() {
        let config = stated(name);
        let span = Instant::from_secs(2000);
        let bps = config.bits(Rng::new(4), Instant::ZERO, span) / span.as_secs_f64();
        assert!((bps / config.mean().as_bps() as f64 - 1.0).abs() < 0.05, "{name}: {bps}");
    }
}
