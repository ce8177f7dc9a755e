//! Errors about what the command line says beside the file: `--set` and allowed warnings.

use super::Outcome;
use crate::small::SMALL;
use tailrace_core::Bytes;
use tailrace_scenario::{Source, parse};

/// Name, and pairs of a path and the value set there.
const OVERRIDES: &[(&str, &[(&str, &str)])] = &[
    ("set_unknown_link", &[("link.botleneck.queue", "droptail")]),
    ("set_unknown_key", &[("link.bottleneck.rat", "1 Mbit/s")]),
    ("set_unknown_section", &[("lnik.bottleneck.rate", "1 Mbit/s")]),
    ("set_name_without_its_list", &[("bottleneck.queue", "codel"), ("udp.app.rate", "1 Mbit/s")]),
    ("set_bad_value", &[("link.bottleneck.rate", "10 mbps"), ("runs", "many")]),
    ("set_list", &[("link", "5"), ("link.bottleneck", "5")]),
    ("set_into_value", &[("runs.x", "5")]),
    ("set_bad_path", &[("link..rate", "5")]),
    ("set_queue_parameter", &[("link.bottleneck.queue.limti", "5 packets")]),
    ("set_behaviour_beside_its_table", &[("flow.tcp.transport.halve_base", "window")]),
    ("set_fault_index", &[("fault.7.at", "5 s")]),
];

/// Name, and the warnings that are allowed.
const ALLOWED: &[(&str, &[&str])] = &[("allow_beside_the_file", &["phase-efect", "no such", "no-route"])];

pub(super) fn outcomes() -> Vec<Outcome> {
    let of_overrides = OVERRIDES.iter().map(|(name, overrides)| {
        let overrides: Vec<_> = overrides.iter().map(|(p, v)| (p.to_string(), v.to_string())).collect();
        (*name, parse(SMALL, "small.toml", &overrides).expect_err(name))
    });
    let of_allowed = ALLOWED.iter().map(|(name, codes)| {
        let codes = codes.iter().map(|c| (*c).to_string()).collect();
        let source = Source::new(SMALL, "small.toml").allowing(codes);
        (*name, source.scenario(&[], Bytes(1 << 30)).expect_err(name))
    });
    of_overrides.chain(of_allowed).collect()
}
