//! Attacks: what they come to, and that one which is switched off leaves nothing but itself behind.

use tailrace_app::attacks::catalog;
use tailrace_core::params::{Kind, ParamInfo};
use tailrace_scenario::model::{FlowGroup, Role};
use tailrace_scenario::{Parsed, parse, render_all};

const GOOD: &str = include_str!("../files/small.toml");

/// The good file with another table, and what `--set` says of it.
fn with(table: &str, overrides: &[(&str, &str)]) -> Parsed {
    let overrides: Vec<_> = overrides.iter().map(|(path, to)| ((*path).into(), (*to).into())).collect();
    let text = GOOD.replace("[[fault]]", &format!("{table}\n[[fault]]"));
    parse(&text, "attacks.toml", &overrides).unwrap_or_else(|e| panic!("{}", render_all(&e, false)))
}

fn group<'p>(parsed: &'p Parsed, name: &str) -> &'p FlowGroup {
    parsed.scenario.flows.iter().find(|group| group.name == name).expect("it is there")
}

const ENDS: &str = "name = \"x\"\nfrom = \"src[1..3]\"\nto = \"dst\"\n";
const PULSE: &str =
    "kind = \"pulse\"\nperiod = \"1 s\"\nburst = \"100 ms\"\nrate = \"2 Mbit/s\"\nsize = \"500 B\"";

fn attack(keys: &str) -> String {
    format!("[[attack]]\n{ENDS}{keys}")
}

#[test]
fn an_attack_is_the_flows_that_one_would_write() {
    let written = with(
        &format!(
            "[[flow]]\n{ENDS}role = \"attack\"\ntransport = \"udp\"\nstart = \"5 s\"\nstop = \"50 s\"\nserver_port = 80\n\
             app = {{ kind = \"pulse\", period = \"1 s\", burst = \"100 ms\", rate = \"2 Mbit/s\", size = \"500 B\", restart = true }}"
        ),
        &[],
    );
    let told = with(&attack(&format!("{PULSE}\nstart = \"5 s\"\nstop = \"50 s\"\nserver_port = 80")), &[]);
    assert_eq!(told.scenario, written.scenario);
    assert_eq!(group(&told, "x").role, Role::Attack);
}

#[test]
fn connections_side_by_side_are_flows() {
    let told = with(&attack("kind = \"parallel\"\nconnections = 3"), &[]);
    let group = group(&told, "x");
    assert_eq!((group.pairs.len(), group.transport.name(), group.app.name()), (6, "tcp", "bulk"));
    assert_eq!(group.pairs[0], group.pairs[2]);
}

#[test]
fn an_endpoint_that_misbehaves_is_one_whose_transport_says_so() {
    let conduct = |keys: &str, transport: &str| {
        with(&attack(&format!("kind = {keys}\ntransport = {{ kind = {transport} }}")), &[]).scenario
    };
    let written = |transport: &str, direction: &str| {
        let app = format!("app = {{ kind = \"bulk\", direction = \"{direction}\" }}");
        let text = format!("[[flow]]\n{ENDS}role = \"attack\"\ntransport = {{ kind = {transport} }}\n{app}");
        with(&text, &[]).scenario
    };
    for kind in ["\"tcp\", profile = \"ns2\"", "\"mptcp\""] {
        for (attack, lie, degree) in [
            ("\"ack_division\"\npieces = 7", "ack_division", 7),
            ("\"optimistic_acks\"\nahead = 3", "optimistic_acks", 3),
        ] {
            let keys = format!("{kind}, misbehaviour = \"{lie}\", misbehaviour_degree = {degree}");
            assert_eq!(conduct(attack, kind), written(&keys, "down"), "{attack}");
        }
        let keys = format!("{kind}, misbehaviour = \"repeated_acks\", misbehaviour_degree = 9, sack = false");
        assert_eq!(conduct("\"repeated_acks\"\ntimes = 9", kind), written(&keys, "down"));
        let keys = format!(
            "{kind}, misbehaviour = \"ignores_congestion\", iw = 40, initial_ssthresh = 40, window = 40"
        );
        assert_eq!(conduct("\"no_backoff\"\nwindow = 40", kind), written(&keys, "up"));
    }
}

#[test]
fn paths_lead_to_the_keys_of_an_attack() {
    let told = with(&attack(PULSE), &[("attack.x.period", "2 s"), ("attack.x.size", "125 B")]);
    let app = &group(&told, "x").app;
    assert_eq!(
        app.get("period"),
        with(&attack(PULSE), &[("attack.0.period", "2 s")]).scenario.flows[2].app.get("period")
    );
    assert_eq!(app.traffic().map(|traffic| traffic.payload.get()), Some(125));
}

#[test]
fn switched_off_there_are_no_flows_and_no_advice_of_it() {
    let (without, with_it) = (with("", &[]), with(&attack(PULSE), &[]));
    for off in [
        with(&attack(&format!("{PULSE}\nenabled = false")), &[]),
        with(&attack(PULSE), &[("attack.x.enabled", "false")]),
    ] {
        assert_eq!(off.scenario.flows, without.scenario.flows);
        assert_eq!((off.scenario.idle.len(), with_it.scenario.idle.len()), (1, 0));
        assert_eq!(off.scenario.idle[0].group, *group(&with_it, "x"));
        assert_eq!(render_all(&off.warnings, false), "");
    }
}

#[test]
fn a_flow_that_is_switched_off_stays_in_its_place() {
    let parsed = with("", &[("flow.tcp.enabled", "false")]);
    assert_eq!(parsed.scenario.flows.iter().map(|group| &group.name).collect::<Vec<_>>(), ["udp"]);
    let again = parse(&parsed.to_toml(), "again.toml", &[("flow.tcp.enabled".into(), "true".into())]);
    assert_eq!(again.expect("it reads back").scenario, with("", &[]).scenario);
}

/// A value that fits, where the parameter must be stated.
fn stated(p: &ParamInfo) -> &'static str {
    match p.kind {
        Kind::Rate => "\"1 Mbit/s\"",
        Kind::Bytes | Kind::Sizes => "\"500 B\"",
        Kind::Count => "3",
        Kind::Rates => "[\"1 Mbit/s\"]",
        Kind::Steps => "[[\"0 s\", \"1 Mbit/s\"]]",
        Kind::Duration | Kind::Distribution => "\"100 ms\"",
        other => panic!("{}: {other:?}", p.name),
    }
}

#[test]
fn every_kind_resolves_to_what_reads_back() {
    for info in catalog() {
        let required =
            info.params.iter().filter(|p| p.required).map(|p| format!("{} = {}", p.name, stated(p)));
        let either: &[&str] = match info.name {
            "pulse" => &["duty = 0.1", "mean = \"100 kbit/s\""],
            "roq" => &["magnitude = 5"],
            _ => &[],
        };
        let keys: Vec<String> = required.chain(either.iter().map(|key| (*key).to_string())).collect();
        for enabled in [true, false] {
            let keys = format!("kind = \"{}\"\n{}\nenabled = {enabled}", info.name, keys.join("\n"));
            let parsed = with(&attack(&keys), &[]);
            let text = parsed.to_toml();
            let again =
                parse(&text, "again.toml", &[]).unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
            assert_eq!(again.scenario, parsed.scenario, "{}", info.name);
            assert_eq!(again.to_toml(), text, "{}", info.name);
        }
    }
}
