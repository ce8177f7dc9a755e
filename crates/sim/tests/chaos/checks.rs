//! Properties of the results of any run.

use serde_json::Value as Json;
use std::collections::BTreeSet;
use tailrace_access::{GrantConfig, LinkSchedule};
use tailrace_app::EndpointRole;
use tailrace_core::{Bytes, Duration, Rate};
use tailrace_impair::LinkCondition;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{LinkIndex, LinkSpec, LossConfig, Node, NodeIndex, Transport};
use tailrace_sim::{RunOutput, Table, Values};

/// Keys that are null if nothing happened.
const MAY_BE_NULL: &[&str] = &[
    "mean",
    "sd",
    "p50",
    "p95",
    "p99",
    "max",
    "jain",
    "loss_ratio",
    "goodput_cv",
    "goodput_min_bps",
    "goodput_max_bps",
    "loss_max_ratio",
    "completion_goodput_bps",
    "longest_silence_s",
    "since_s",
    "reordered_ratio",
    "detection_s",
    "first_flag_s",
    "rehabilitation_s",
    // Applications without transfers, endless applications, and UDP.
    "transfers",
    "asked",
    "not_begun",
    "connections",
    // Distributions, where other objects have a spread.
    "one_way_delay_s.min",
    "reverse_one_way_delay_s.min",
    "rtt_s.min",
    "completion_s.min",
    "slowdown.min",
    "jitter_s.min",
    "load_s.min",
    "sojourn_s.min",
    "displacement_bytes.min",
    "reordering_delay_s.min",
    // Voice flows that sent nothing, and players that received nothing.
    "r_factor.min",
    "r_factor.sum",
    "mos.min",
    "mos.sum",
    "playout_delay_s.min",
    "rate_bps.min",
    "startup_s.min",
];

/// Columns of tables whose numbers may be negative.
const MAY_BE_NEGATIVE: &[&str] = &["law_series"];

/// Bound on counters: larger values come from a wrong subtraction.
const ABSURD: u64 = 1 << 60;

/// Checks the summary and the tables of a run.
pub(crate) fn results(scenario: &Scenario, output: &RunOutput) -> Result<(), String> {
    let json: Json = serde_json::from_str(&output.summary).map_err(|e| format!("the summary: {e}"))?;
    numbers(&json, "")?;
    for table in &output.tables {
        check_table(table)?;
    }
    for (name, group) in entries(&json["groups"]) {
        check_group(group).map_err(|why| format!("group {name}: {why}"))?;
    }
    for (window, summary) in entries(&json["windows"]) {
        for (name, group) in entries(&summary["groups"]) {
            check_group(group).map_err(|why| format!("window {window}, group {name}: {why}"))?;
        }
    }
    check_goodput(scenario, output)?;
    check_utilization(scenario, &json)
}

fn entries(json: &Json) -> impl Iterator<Item = (&String, &Json)> {
    json.as_object().into_iter().flatten()
}

fn number(json: &Json, path: &str) -> Option<f64> {
    path.split('.').try_fold(json, |v, key| v.get(key))?.as_f64()
}

/// Checks that every leaf is present, finite and not negative; JSON writes NaN as null.
fn numbers(json: &Json, path: &str) -> Result<(), String> {
    match json {
        Json::Object(map) => map.iter().try_for_each(|(key, v)| numbers(v, &format!("{path}.{key}"))),
        Json::Array(items) => items.iter().try_for_each(|v| numbers(v, path)),
        Json::Null if !MAY_BE_NULL.iter().any(|key| path.ends_with(&format!(".{key}"))) => {
            Err(format!("{path} is null"))
        }
        Json::Number(n) if n.as_f64().is_none_or(|x| x < 0.0) => Err(format!("{path} is {n}")),
        Json::Number(n) if n.as_u64().is_some_and(|x| x > ABSURD) && !path.ends_with(".seed") => {
            Err(format!("{path} is {n}"))
        }
        _ => Ok(()),
    }
}

fn check_table(table: &Table) -> Result<(), String> {
    let negative = MAY_BE_NEGATIVE.contains(&table.name.as_str());
    let mut rows = None;
    for column in &table.columns {
        let place = || format!("column {} of table {}", column.name, table.name);
        let len = match &column.values {
            Values::U64(v) => {
                if let Some(x) = v.iter().find(|x| **x > ABSURD) {
                    return Err(format!("{}: {x}", place()));
                }
                v.len()
            }
            Values::F64(v) => {
                if let Some(x) = v.iter().find(|x| x.is_infinite() || (**x < 0.0 && !negative)) {
                    return Err(format!("{}: {x}", place()));
                }
                v.len()
            }
            Values::U32(v) => v.len(),
            Values::Text(v) => {
                if v.iter().any(|i| *i as usize >= column.words.len()) {
                    return Err(format!("{}: no such word", place()));
                }
                v.len()
            }
        };
        if *rows.get_or_insert(len) != len {
            return Err(format!("{} has {len} rows", place()));
        }
    }
    Ok(())
}

fn check_group(group: &Json) -> Result<(), String> {
    let of = |path: &str| number(group, path);
    let flows = of("flows").unwrap_or(0.0);
    let slack = 1e-9;
    if let Some(jain) = of("jain")
        && !(1.0 / flows - slack..=1.0 + slack).contains(&jain)
    {
        return Err(format!("Jain's index of {flows} flows is {jain}"));
    }
    if let Some(ratio) = of("loss_ratio")
        && ratio > 1.0
    {
        return Err(format!("loss_ratio is {ratio}"));
    }
    for which in ["sum", "max"] {
        let (goodput, throughput) =
            (of(&format!("goodput_bps.{which}")), of(&format!("throughput_bps.{which}")));
        if goodput > throughput.map(|t| t * (1.0 + slack)) {
            return Err(format!("goodput {goodput:?} is above throughput {throughput:?} ({which})"));
        }
    }
    for name in ["one_way_delay_s", "rtt_s", "completion_s", "jitter_s"] {
        let at = ["min", "p50", "p95", "p99", "max"].map(|leaf| of(&format!("{name}.{leaf}")));
        if at.windows(2).any(|w| w[0] > w[1]) {
            return Err(format!("{name}: {at:?} do not ascend"));
        }
    }
    Ok(())
}

/// Highest rate of a link direction at any time.
fn fastest(scenario: &Scenario, link: usize, spec: &LinkSpec) -> Rate {
    rates(scenario, link, spec).fold(spec.rate, Rate::max)
}

/// Lowest rate of a link direction at any time; with grants, of the states of its channel.
fn slowest(scenario: &Scenario, link: usize, spec: &LinkSpec) -> Rate {
    let granted = match &spec.schedule {
        Some(LinkSchedule::Grants(config)) => match &**config {
            GrantConfig::Lte(lte) => lte.rates.0.iter().copied().min(),
        },
        _ => None,
    };
    rates(scenario, link, spec).chain(granted).fold(spec.rate, Rate::min)
}

/// The rates that faults give a link.
fn rates<'a>(scenario: &'a Scenario, link: usize, spec: &'a LinkSpec) -> impl Iterator<Item = Rate> + 'a {
    let whole = LinkCondition::new(spec.rate, Duration::ZERO, LossConfig::default());
    let faults = scenario.faults.iter().filter(move |f| f.links().contains(&LinkIndex(link as u32)));
    faults.map(move |f| f.kind.applied_to(whole.clone()).rate())
}

/// Whether packets sent earlier can arrive faster than the link's rate.
fn bunches(scenario: &Scenario, spec: &LinkSpec) -> bool {
    let aspects = || scenario.faults.iter().map(|f| f.kind.changed_fields());
    spec.jitter.is_some() || aspects().any(|of| of.delay || of.reordering)
}

/// Checks that a host receives no more than its links carry. Data that waited in the out-of-order queue at the end of the warm-up
/// may be delivered in addition.
fn check_goodput(scenario: &Scenario, output: &RunOutput) -> Result<(), String> {
    let Some(flows) = output.tables.iter().find(|t| t.name == "flows") else {
        return Err("no table of flows".into());
    };
    let column = |name: &str| flows.columns.iter().find(|c| c.name == name).map(|c| &c.values);
    let (Some(Values::F64(goodput)), Some(Values::Text(dst)), Some(Values::Text(src))) =
        (column("goodput_bps"), column("dst"), column("src"))
    else {
        return Err("the table of flows has other columns".into());
    };
    let words = |name: &str| &flows.columns.iter().find(|c| c.name == name).expect("found above").words;
    let (dst_words, src_words) = (words("dst"), words("src"));
    let span = (scenario.duration - scenario.warmup).as_secs_f64();
    for (n, node) in scenario.nodes.iter().enumerate() {
        // Request-response flows deliver data at both ends.
        let to_here = (0..goodput.len()).filter(|i| dst_words[dst[*i] as usize] == node.name);
        let (both, here): (Vec<usize>, Vec<usize>) =
            to_here.partition(|i| both_ways(scenario, &src_words[src[*i] as usize], &node.name));
        let sum = |flows: &[usize]| flows.iter().map(|i| goodput[*i] * span / 8.0).sum::<f64>();
        let sources: BTreeSet<&str> = both.iter().map(|i| src_words[src[*i] as usize].as_str()).collect();
        let is_source = |(_, other): &(usize, &Node)| sources.contains(other.name.as_str());
        let theirs: f64 =
            scenario.nodes.iter().enumerate().filter(is_source).map(|(s, _)| incoming(scenario, s)).sum();
        let most = incoming(scenario, n);
        for (got, most) in [(sum(&here), most), (sum(&here) + sum(&both), most + theirs)] {
            if got > most {
                let name = &node.name;
                return Err(format!("goodput to {name} is {got} B over links that carry {most} B at most"));
            }
        }
    }
    Ok(())
}

/// Whether a flow between these hosts has data in both directions, or in reverse only.
fn both_ways(scenario: &Scenario, src: &str, dst: &str) -> bool {
    let name = |n: NodeIndex| scenario.nodes[n.0 as usize].name.as_str();
    let two_way =
        scenario.flows.iter().filter(|g| g.app.is_two_way() || g.app.sender() == EndpointRole::Server);
    two_way.flat_map(|g| &g.pairs).any(|(a, b)| name(*a) == src && name(*b) == dst)
}

/// Largest number of bytes that the links to a host carry during the measured time.
fn incoming(scenario: &Scenario, node: usize) -> f64 {
    let mut most = 0.0;
    for (i, link) in scenario.links.iter().enumerate() {
        for (end, spec) in [(link.b, &link.forward), (link.a, &link.backward)] {
            if end.0 as usize != node {
                continue;
            }
            let counted = if scenario.warmup.is_zero() || !bunches(scenario, spec) {
                scenario.warmup
            } else {
                Default::default()
            };
            let span = (scenario.duration - counted).as_secs_f64();
            most += fastest(scenario, i, spec).as_bps() as f64 * span / 8.0 + largest(scenario);
        }
    }
    // Duplicates are made at the far ends of links, beyond their rate.
    let doubles = scenario.faults.iter().any(|f| f.kind.changed_fields().duplication);
    most * (1.0 + 1e-9) * if doubles { 2.0 } else { 1.0 }
}

/// Upper bound on the size of a packet in bytes on a link.
fn largest(scenario: &Scenario) -> f64 {
    let segments = scenario.flows.iter().filter_map(|g| g.transport.tcp()).map(|c| c.mss.get() + 200);
    let headers = scenario.flows.iter().map(|g| match &g.transport {
        Transport::Udp { header, .. } => header.get(),
        Transport::Quic(_) => 28,
        Transport::Tcp { header, .. } | Transport::Mptcp { header, .. } => header.map_or(0, Bytes::get),
    });
    let mtu = scenario.links.iter().map(|l| l.forward.mtu.get().min(65_535) + l.forward.overhead.get()).max();
    (segments.max().unwrap_or(0) + headers.max().unwrap_or(0)).max(mtu.unwrap_or(0)) as f64
}

/// Checks that links are at most full, except for the packet under transmission.
fn check_utilization(scenario: &Scenario, json: &Json) -> Result<(), String> {
    let span = (scenario.duration - scenario.warmup).as_secs_f64();
    // A queue's name ends with its link's ends. The rate is taken over all such links, because the slowest allows least.
    let rates = scenario.links.iter().enumerate().flat_map(|(i, l)| {
        [&l.forward, &l.backward]
            .map(|spec| (spec.rate, fastest(scenario, i, spec), slowest(scenario, i, spec)))
    });
    let most = rates
        .map(|(rate, fastest, slowest)| {
            // A single packet may be most of the traffic while the link is slow.
            let packet = largest(scenario) * 8.0 / (slowest.as_bps().max(1) as f64 * span);
            fastest.as_bps() as f64 / rate.as_bps() as f64 + packet
        })
        .fold(0.0, f64::max);
    for (name, queue) in entries(&json["queues"]) {
        let utilization = number(queue, "utilization").unwrap_or(f64::NAN);
        if utilization.is_nan() || utilization > most * (1.0 + 1e-9) {
            return Err(format!("utilization of {name} is {utilization}, {most} at most"));
        }
        if number(queue, "backlog_packets.mean")
            > number(queue, "backlog_packets.max").map(|x| x * (1.0 + 1e-9))
        {
            return Err(format!("the mean backlog of {name} is above its maximum"));
        }
    }
    Ok(())
}
