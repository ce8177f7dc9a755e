//! The queues of a scenario in the words of tc, as JSON.

use serde_json::{Value, json};
use std::sync::Arc;
use tailrace_core::Duration;
use tailrace_core::text::nearest;
use tailrace_qdisc::LinkView;
use tailrace_qdisc::tc::{NoTc, TcExport, rate_text, time_text};
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{DurationDist, Link, LinkIndex, LinkSpec, NodeIndex};

/// Entries of queues: those that results show, or the ones of the link or queue called `chosen`.
///
/// # Errors
/// There is no link or queue of that name.
pub(crate) fn tc(scenario: &Scenario, chosen: Option<&str>) -> Result<Value, String> {
    let queues: Vec<(&Link, String, &Arc<LinkSpec>)> = scenario
        .links
        .iter()
        .filter(|link| chosen.is_some() || link.observed)
        .flat_map(|link| {
            let (a, b) = (&scenario.nodes[link.a.0 as usize].name, &scenario.nodes[link.b.0 as usize].name);
            [(link, format!("{a}->{b}"), &link.forward), (link, format!("{b}->{a}"), &link.backward)]
        })
        .filter(|(link, queue, _)| chosen.is_none_or(|name| name == link.name || name == queue))
        .collect();
    match chosen {
        Some(name) if queues.is_empty() => {
            let links = scenario.links.iter().map(|link| link.name.as_str());
            let hint =
                nearest(name, links).map_or_else(String::new, |near| format!("; did you mean {near}?"));
            Err(format!("there is no link or queue {name:?}{hint}"))
        }
        _ => Ok(queues.iter().map(|(link, queue, spec)| entry(link, queue, spec)).collect()),
    }
}

/// When a link's direction could have delivered: that of the queue called `chosen`, or the forward one of such a link.
///
/// # Errors
/// Where nothing is called so, several directions are, or it could never have delivered.
pub(crate) fn opportunities(scenario: &Scenario, chosen: &str) -> Result<String, String> {
    let node = |at: NodeIndex| &scenario.nodes[at.0 as usize].name;
    let ways = scenario.links.iter().enumerate().flat_map(|(i, link)| {
        let there = format!("{}->{}", node(link.a), node(link.b));
        let back = format!("{}->{}", node(link.b), node(link.a));
        [(i, true, [link.name.clone(), there]), (i, false, [String::new(), back])]
    });
    let found: Vec<_> = ways.filter(|(_, _, names)| names.iter().any(|name| name == chosen)).collect();
    match found.as_slice() {
        [(i, forward, _)] => tailrace_sim::opportunities(scenario, LinkIndex(*i as u32), *forward),
        [] => {
            let near = nearest(chosen, scenario.links.iter().map(|link| link.name.as_str()));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            Err(format!("there is no link or queue {chosen:?}{hint}"))
        }
        _ => Err(format!("{} links are called {chosen:?}; give the name of one", found.len())),
    }
}

fn entry(link: &Link, queue: &str, spec: &LinkSpec) -> Value {
    let delay = mean(&spec.delay);
    let mut entry = json!({
        "queue": queue,
        "link": link.name,
        "kind": spec.queue.name(),
        "rate_bps": spec.rate.as_bps(),
        "rate_tc": rate_text(spec.rate),
        "delay_s": delay.as_secs_f64(),
        "delay_tc": time_text(delay),
        "delay_varies": !matches!(spec.delay, DurationDist::Constant(_)),
        "overhead_bytes": spec.overhead.get(),
        "impaired": !spec.loss.is_none() || spec.jitter.is_some(),
        "in_linux": true,
        "tc": null,
        "commands": [],
        "not_carried": [],
        "why": null,
    });
    match spec.queue.to_tc(&LinkView { rate: spec.rate, delay, overhead: spec.overhead }) {
        Ok(TcExport { line, commands, differs }) => {
            entry["tc"] = json!(line);
            entry["commands"] = json!(commands);
            entry["not_carried"] = differs
                .iter()
                .map(|d| json!({ "parameter": d.param, "scenario": d.here, "tc": d.there }))
                .collect();
        }
        Err(NoTc::NotInLinux) => {
            entry["in_linux"] = json!(false);
            entry["why"] = json!(format!("Linux has no {}", spec.queue.name()));
        }
        Err(NoTc::Unsayable(why)) => {
            entry["why"] = json!(format!("tc cannot say these values of {}: {why}", spec.queue.name()));
        }
    }
    entry
}

fn mean(delay: &DurationDist) -> Duration {
    match *delay {
        DurationDist::Constant(d)
        | DurationDist::Exponential(d)
        | DurationDist::Pareto(d, _)
        | DurationDist::Normal(d, _) => d,
        DurationDist::Uniform(a, b) => Duration::from_nanos(a.as_nanos().midpoint(b.as_nanos())),
    }
}
