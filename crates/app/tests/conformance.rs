//! Properties of every registered application.

use proptest::prelude::*;
use tailrace_app::{
    AppAction, AppActions, AppConfig, AppContext, Application, ConnectionData, Datagram, EndpointRole,
    RequiredTransport, TransferCount, catalog,
};
use tailrace_core::params::{Kind, ParamInfo, Value};
use tailrace_core::{Duration, Instant, Rng};

/// A value of each kind that fits beside those of the others, where that is within bounds.
fn sample(p: &ParamInfo) -> Option<Value> {
    usual(p).filter(|value| p.check(value).is_ok())
}

fn usual(p: &ParamInfo) -> Option<Value> {
    let text = |t: &str| Some(Value::Text(t.into()));
    match p.kind {
        Kind::Rate => text("1 Mbit/s"),
        Kind::Bytes | Kind::Sizes => text("1000 B"),
        Kind::Duration | Kind::Distribution => text("10 ms"),
        Kind::Count | Kind::Counts => Some(Value::Integer(5)),
        Kind::Probability => Some(Value::Float(0.5)),
        Kind::Steps => {
            let step = ["0 s", "1 Mbit/s"].map(|t| Value::Text(t.into()));
            Some(Value::List(vec![Value::List(step.to_vec())]))
        }
        Kind::Bool | Kind::Number | Kind::Limit | Kind::Dscp | Kind::Text | Kind::Choice(_) => None,
        Kind::Loss | Kind::Queue | Kind::Rates | Kind::Address => None,
    }
}

/// An application with samples of what must be stated, and of some other keys: as far as they go together, and as many more as
/// it needs.
fn stated(name: &str, optional: impl Fn(usize) -> bool) -> AppConfig {
    let mut config = AppConfig::default_of(name).expect("registered");
    let with = |mut config: AppConfig, p: &ParamInfo| {
        let value = sample(p);
        assert!(value.is_some() || !p.required, "{name}: `{}` is required and has no sample", p.name);
        if let Some(value) = value {
            config.set(p.name, &value).unwrap_or_else(|e| panic!("{name}.{}: {e:?}", p.name));
        }
        config
    };
    for p in config.params().iter().filter(|p| p.required) {
        config = with(config, p);
    }
    for (_, p) in config.params().iter().enumerate().filter(|(i, p)| !p.required && optional(*i)) {
        let more = with(config.clone(), p);
        if more.validate().is_ok() || config.validate().is_err() {
            config = more;
        }
    }
    for p in config.params().iter().filter(|p| !p.required) {
        if config.validate().is_err() {
            config = with(config, p);
        }
    }
    assert_eq!(config.validate(), Ok(()), "{name}");
    config
}

#[test]
fn every_key_is_described_and_every_value_reads_back() {
    for info in catalog() {
        assert!(info.summary.ends_with('.'), "{}", info.name);
        let config = stated(info.name, |_| true);
        assert_eq!((config.name(), config.over()), (info.name, info.over));
        assert_eq!(config.title(), format!("app {:?}", info.name));
        let mut copy = AppConfig::default_of(info.name).unwrap();
        for p in info.params {
            assert!(p.doc.trim().ends_with('.'), "{}.{}", info.name, p.name);
            assert!(p.required || p.source.len() > 3, "{}.{}: where is its default from?", info.name, p.name);
            copy.set(p.name, &config.get(p.name).unwrap()).unwrap();
        }
        assert_eq!(copy, config);
    }
}

#[test]
fn streams_have_no_traffic_of_their_own_and_datagrams_do() {
    for info in catalog() {
        let config = stated(info.name, |_| false);
        assert_eq!(config.traffic().is_some(), info.over == RequiredTransport::Datagrams, "{}", info.name);
        let transfers = config.transfers() != TransferCount::None;
        assert!(
            !(transfers && info.over == RequiredTransport::Datagrams),
            "{}: transfers need a connection",
            info.name
        );
    }
}

/// Actions of an application so far.
#[derive(Debug, Default)]
struct Log {
    opened: bool,
    sent: u64,
    next: Option<Instant>,
}

/// Tells it one thing, and holds what it asks for against what it may.
fn tell(
    config: &AppConfig,
    now: Instant,
    log: &mut Log,
    rng: &mut Rng,
    what: impl FnOnce(&mut AppContext<'_>),
) {
    let mut actions = AppActions::default();
    what(&mut AppContext::new(now, rng, &mut actions));
    assert!(actions.wake().is_none_or(|at| at >= now), "{config:?} wants to be woken in the past");
    log.next = actions.wake().or(log.next);
    if let Some((from, datagram)) = actions.datagram() {
        assert_eq!(config.over(), RequiredTransport::Datagrams, "{config:?}");
        assert!(from == EndpointRole::Client || config.is_two_way(), "{config:?}");
        log.sent += u64::from(datagram.payload) * u64::from(from == EndpointRole::Client);
    }
    for action in actions.others() {
        match action {
            AppAction::RoundTrip(_) => assert!(config.is_two_way(), "{config:?}"),
            AppAction::Heard(_) | AppAction::Late => assert!(config.voice().is_some(), "{config:?}"),
            AppAction::Page(_) => assert!(config.has_pages(), "{config:?}"),
            AppAction::Read(at, _) => assert_eq!(config.reader(), Some(at), "{config:?}"),
            AppAction::Open(data, from) => {
                assert_eq!(config.over(), RequiredTransport::Streams, "{config:?}");
                assert_eq!(
                    data == ConnectionData::Endless,
                    config.transfers() == TransferCount::None,
                    "{config:?}"
                );
                assert_eq!(from, config.sender(), "{config:?}");
                log.opened = true;
            }
            other => assert!(log.opened, "{config:?}: {other:?} before a connection is open"),
        }
    }
}

/// Runs it: woken when it wants, and in between told things at random.
fn run(config: &AppConfig, rng: &mut Rng, told: &mut Rng, until: Instant) -> Log {
    let mut config = config.clone();
    if config.load().is_some() {
        config.set_mean_gap(Duration::from_millis(20)).expect("a gap that is allowed");
        assert_eq!((config.load(), config.validate()), (None, Ok(())));
    }
    let (config, mut app, mut log) = (&config, config.build(), Log::default());
    tell(config, Instant::ZERO, &mut log, rng, |cx| app.on_start(cx));
    let mut now = Instant::ZERO;
    while now < until {
        let event = now.saturating_add(Duration::from_nanos(told.below(5_000_000)));
        match log.next.filter(|next| *next <= event) {
            Some(next) => {
                (now, log.next) = (next, None);
                tell(config, now, &mut log, rng, |cx| app.on_wake(cx));
            }
            None => {
                now = event;
                let at = if told.bernoulli(0.5) { EndpointRole::Client } else { EndpointRole::Server };
                match (config.over(), log.opened) {
                    (RequiredTransport::Streams, true) if told.bernoulli(0.3) => {
                        tell(config, now, &mut log, rng, |cx| app.on_closed(told.bernoulli(0.5), cx));
                    }
                    (RequiredTransport::Streams, true) => {
                        tell(config, now, &mut log, rng, |cx| app.on_message(at, cx))
                    }
                    (RequiredTransport::Streams, false) => {}
                    (RequiredTransport::Datagrams, _) => {
                        let datagram = Datagram { payload: 100, stamp: told.below(now.as_nanos().max(1)) };
                        tell(config, now, &mut log, rng, |cx| app.on_datagram(at, datagram, cx));
                    }
                }
            }
        }
    }
    log
}

proptest! {
    #[test]
    fn random_events_cause_allowed_and_repeatable_actions(
        which in any::<prop::sample::Index>(),
        keys in any::<u32>(),
        seed in any::<u64>(),
    ) {
        let name = which.get(AppConfig::names());
        let config = stated(name, |i| keys >> i & 1 == 1);
        let runs = [(); 2].map(|()| run(&config, &mut Rng::new(seed), &mut Rng::new(!seed), Instant::from_secs(5)));
        prop_assert_eq!(runs[0].sent, runs[1].sent);
        if let Some(traffic) = config.traffic() {
            // Random gaps: five seconds of 125 packets a second.
            let most = traffic.rate.as_bps() as f64 / 8.0 * 5.0 * if config.is_random() { 1.3 } else { 1.0 };
            let most = most + 2.0 * traffic.payload.as_f64();
            prop_assert!(runs[0].sent as f64 <= most, "{} sends {}, not {most}", name, runs[0].sent);
        }
    }
}
