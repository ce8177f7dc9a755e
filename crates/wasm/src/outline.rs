//! Outline of a scenario for a page's controls: queues under study, attacks, values of its sweep.

use crate::request::{Overrides, declared};
use serde_json::{Value, json};
use tailrace_core::Duration;
use tailrace_core::params::Value as Param;
use tailrace_core::text::Quantity as _;
use tailrace_scenario::model::{DurationDist, FlowGroup, LinkIndex, LinkSpec, LossConfig, NodeKind, Role};
use tailrace_scenario::{Parsed, Source};

/// The outline; names and links of queues under study are those of the run.
pub(crate) fn outline<'a>(
    source: &Source,
    overrides: &Overrides,
    parsed: &Parsed,
    queues: impl Iterator<Item = (&'a str, LinkIndex, bool)>,
) -> Value {
    let scenario = &parsed.scenario;
    let written = |path: &str| source.value(overrides, path).ok();
    let queue = |(name, index, backward): (&str, LinkIndex, bool)| {
        let link = &scenario.links[index.0 as usize];
        let spec = if backward { &link.backward } else { &link.forward };
        let path = [link.name.as_str(), declared(&link.name)].map(|name| format!("link.{name}"));
        let path = path.into_iter().find(|path| written(&format!("{path}.between")).is_some());
        let mut about = of_direction(spec);
        about["queue"] = name.into();
        about["link"] = index.0.into();
        about["backward"] = backward.into();
        about["path"] = path.into();
        about["shared"] = link.medium.is_some().into();
        about
    };
    let idle = scenario.idle.iter().map(|idle| (&idle.group, false));
    let all = scenario.flows.iter().map(|group| (group, true)).chain(idle);
    let attacks = all.clone().filter(|(group, _)| group.role == Role::Attack);
    let axes = parsed.declaration.sweep().grid.iter();
    let count = |kind| scenario.nodes.iter().filter(|node| node.kind == kind).count();
    json!({
        "name": scenario.name,
        "question": scenario.question,
        // Text, since JavaScript's numbers have 53 bits.
        "seed": scenario.seed.to_string(),
        "runs": scenario.runs,
        "duration_s": scenario.duration.as_secs_f64(),
        "warmup_s": scenario.warmup.as_secs_f64(),
        "interval_s": scenario.record.interval.map(Duration::as_secs_f64),
        "hosts": count(NodeKind::Host),
        "routers": count(NodeKind::Router),
        "links": scenario.links.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(),
        "queues": queues.map(queue).collect::<Vec<_>>(),
        "groups": all.map(|(group, enabled)| of_group(group, enabled)).collect::<Vec<_>>(),
        "attacks": attacks.map(|(group, enabled)| of_attack(group, enabled, &written)).collect::<Vec<_>>(),
        "axes": axes.map(|axis| json!({ "path": axis.path, "values": axis.values, "now": written(&axis.path) }))
            .collect::<Vec<_>>(),
    })
}

fn of_direction(spec: &LinkSpec) -> Value {
    let limit = match spec.queue.get("limit") {
        Some(Param::Text(limit)) => Some(limit),
        _ => None,
    };
    // No single number describes other processes.
    let loss = match &spec.loss {
        LossConfig::Bernoulli(config) => Some(config.p.get()),
        _ => None,
    };
    json!({
        "kind": spec.queue.name(),
        "limit": limit,
        "rate_bps": spec.schedule.is_none().then_some(spec.rate.as_bps()),
        "delay_s": constant(&spec.delay),
        "loss": loss,
    })
}

fn constant(span: &DurationDist) -> Option<f64> {
    match span {
        DurationDist::Constant(span) => Some(span.as_secs_f64()),
        _ => None,
    }
}

fn of_group(group: &FlowGroup, enabled: bool) -> Value {
    json!({
        "group": group.name,
        "enabled": enabled,
        "attack": group.role == Role::Attack,
        "flows": group.pairs.len(),
        "transport": group.transport.name(),
    })
}

/// Where its switch is, and where its rate, if the file says one.
fn of_attack(group: &FlowGroup, enabled: bool, written: &dyn Fn(&str) -> Option<String>) -> Value {
    let (name, flow) = (&group.name, format!("flow.{}", group.name));
    let is_flow = written(&format!("{flow}.from")).is_some();
    let (path, keys) = if is_flow {
        (flow.clone(), format!("{flow}.app"))
    } else {
        (format!("attack.{name}"), format!("attack.{name}"))
    };
    let rates = ["rate", "mean"].map(|key| format!("{keys}.{key}"));
    let rate = rates.into_iter().find_map(|path| {
        let value = written(&path)?;
        let bps = tailrace_core::Rate::parse(value.trim_matches('"')).ok()?.as_bps();
        Some(json!({ "path": path, "bps": bps }))
    });
    json!({
        "group": name,
        "switch": format!("{path}.enabled"),
        "enabled": enabled,
        "rate": rate,
        "start_s": constant(&group.start),
        "stop_s": group.stop.map(Duration::as_secs_f64),
    })
}
