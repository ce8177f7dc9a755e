//! Errors as users read them. Each case is a change to the small scenario, and the exact text of its errors stands in
//! `tests/snapshots/errors/`, one file a topic, with lists of registered names shortened.

/// A Multipath TCP flow through gateways, in the place of [`TCP`].
macro_rules! through {
    ($gateways:literal) => {
        concat!("kind = \"mptcp\", path_manager = { kind = \"binder\", gateways = \"", $gateways, "\" }")
    };
}

/// Pulses with these keys, in the place of [`ATTACK`].
macro_rules! attack {
    ($keys:literal) => {
        concat!("[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"pulse\"\nsize = \"1000 B\"\n", $keys, "\n[[fault]]")
    };
}

mod applications;
mod attacks;
mod command_line;
mod faults;
mod file;
mod flows;
mod hosts;
mod kernels;
mod links;
mod measurement;
mod memory;
mod multipath;
mod queues;
mod shortened;
mod sweep;
mod transport;
mod whole_files;

use crate::small::{SMALL, TCP, changed};
use crate::snapshot::assert_snapshot;
use shortened::shortened;
use std::collections::BTreeSet;
use tailrace_core::Bytes;
use tailrace_scenario::{Code, Diagnostic, Severity, Source, parse, render_all};

/// Name, and pairs of what stands in the small scenario and what replaces it.
type Case = (&'static str, &'static [(&'static str, &'static str)]);

/// Where an attack can stand in the small scenario.
const ATTACK: &str = "[[fault]]";

/// Changes of the small scenario, by topic.
const CHANGES: &[(&str, &[Case])] = &[
    ("file", file::CASES),
    ("hosts", hosts::CASES),
    ("kernels", kernels::CASES),
    ("links", links::CASES),
    ("queues", queues::CASES),
    ("flows", flows::CASES),
    ("transport", transport::CASES),
    ("multipath", multipath::CASES),
    ("applications", applications::CASES),
    ("attacks", attacks::CASES),
    ("faults", faults::CASES),
    ("measurement", measurement::CASES),
    ("sweep", sweep::CASES),
];

/// A case's name and its errors.
type Outcome = (&'static str, Vec<Diagnostic>);

/// All cases with their errors, by topic.
fn outcomes() -> Vec<(&'static str, Vec<Outcome>)> {
    let of_case = |(name, changes): &Case| {
        let errors = parse(&changed(changes), "small.toml", &[]).expect_err(name);
        (*name, errors)
    };
    let mut topics: Vec<_> =
        CHANGES.iter().map(|(topic, cases)| (*topic, cases.iter().map(of_case).collect())).collect();
    topics.push(("command_line", command_line::outcomes()));
    topics.push(("memory", memory::outcomes()));
    topics.push(("whole_files", whole_files::outcomes()));
    topics
}

#[test]
fn small_scenario_has_no_errors() {
    if let Err(errors) = parse(SMALL, "small.toml", &[]) {
        panic!("{}", render_all(&errors, false));
    }
}

#[test]
fn error_texts_equal_their_snapshots() {
    for (topic, outcomes) in outcomes() {
        let text = |(name, errors): &Outcome| {
            assert!(errors.iter().any(|e| e.severity == Severity::Error), "{name}");
            (*name, shortened(&render_all(errors, false)))
        };
        assert_snapshot(&format!("errors/{topic}"), &outcomes.iter().map(text).collect::<Vec<_>>());
    }
}

#[test]
fn every_error_code_has_a_case() {
    let many: String = (0..101).map(|i| format!("key_{i} = 1\n")).collect();
    let many = parse(&many, "many.toml", &[]).expect_err("a hundred and one unknown keys");
    let outcomes = outcomes();
    let errors = outcomes.iter().flat_map(|(_, cases)| cases).flat_map(|(_, errors)| errors);
    let found: BTreeSet<_> = errors.chain(&many).map(|e| e.code).collect();
    let all: BTreeSet<_> = Code::ALL.iter().copied().filter(|c| c.severity() == Severity::Error).collect();
    let missing: Vec<_> = all.difference(&found).map(|code| code.name()).collect();
    assert!(missing.is_empty(), "no case has {missing:?}");
}

#[test]
fn errors_as_data_carry_place_and_names() {
    let text = changed(&[("cc = \"reno\"", "cc = \"remo\"")]);
    let error = &parse(&text, "small.toml", &[]).unwrap_err()[0];
    let json = error.to_json();
    let at = text.find("\"remo\"").unwrap();
    assert_eq!(json["code"], "unknown-kind");
    assert_eq!(json["span"], serde_json::json!([at, at + 6]));
    assert_eq!(json["line"], text[..at].matches('\n').count() + 1);
    assert_eq!(json["column"], at - text[..at].rfind('\n').unwrap());
    assert!(json["expected"].as_array().unwrap().contains(&"cubic".into()));
    let error = &parse(SMALL, "small.toml", &[("runs".into(), "x".into())]).unwrap_err()[0];
    assert_eq!(error.to_json()["override"]["path"], "runs");
    let source = Source::new(SMALL, "small.toml").allowing(vec!["no-route".into()]);
    let error = &source.scenario(&[], Bytes(1 << 30)).unwrap_err()[0];
    assert_eq!(
        (&error.to_json()["code"], &error.to_json()["allow"]),
        (&"allowed-error".into(), &"no-route".into())
    );
}

#[test]
fn colour_changes_nothing_but_colour() {
    let errors = parse(&changed(&[("runs = 2", "rusn = 2")]), "small.toml", &[]).unwrap_err();
    let coloured = errors[0].render(true);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        plain += before;
        rest = after.split_once('m').unwrap().1;
    }
    assert_eq!(plain + rest, errors[0].render(false));
    assert!(coloured.contains('\x1b'));
}
