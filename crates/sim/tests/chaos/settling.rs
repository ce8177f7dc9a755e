//! Oracle of progress: after the end of a scenario applications stop, faults end, and everything under way comes to its end.
//!
//! The scenario runs on for [`QUIET`] beyond its duration. Transfers that are counted go on, all other applications stop and close.
//! A connection that is then still open is a finding unless its `activity` explains it.

use std::collections::BTreeSet;
use std::sync::Arc;
use tailrace_app::TransferCount;
use tailrace_core::params::{Kind, ParamType as _};
use tailrace_core::{Duration, Instant};
use tailrace_qdisc::QdiscConfig;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{FlowGroup, Link, Transport};
use tailrace_sim::{Control, RunOutput, Simulation, Table, Values};
use tailrace_transport::TcpConfig;

/// Time after the end of the scenario, some retransmission timeouts of the largest size.
const QUIET: Duration = Duration::from_secs(3_000);
/// Bound on events. Timeouts of microseconds make many; such a run is not judged.
const MOST_EVENTS: u64 = 1_500_000;
/// Steps between two looks at the number of events.
const STEPS: u64 = 3_000;
/// Rows of the table `events`: lost packets explain a connection that has not ended.
const MOST_ROWS: u64 = 50_000;

/// Checks that no reason is missing at the end of a plain run.
pub(crate) fn explained(output: &RunOutput) -> Result<(), String> {
    for table in ["flows", "connections"] {
        if let Some(row) = words(output, table, "activity").iter().position(|word| word == "unexplained") {
            return Err(format!("progress: row {row} of {table} is unexplained"));
        }
    }
    Ok(())
}

/// Runs the scenario on and checks that what it began ends.
pub(crate) fn settles(scenario: &Arc<Scenario>) -> Result<(), String> {
    let quiet = Arc::new(quiet(scenario));
    if !quiet.flows.iter().any(is_judged) || quiet.links.iter().any(has_fast_timer) {
        return Ok(());
    }
    let mut simulation = Simulation::build(&quiet, 1).map_err(|e| format!("quiet: does not build: {e}"))?;
    for step in 1..=STEPS {
        let until = Instant::ZERO + quiet.duration * step / STEPS;
        simulation.step(until, &Control::default()).map_err(|stall| format!("quiet: {stall}"))?;
        if simulation.events() > MOST_EVENTS {
            return Ok(());
        }
    }
    let output = simulation.run(&Control::default()).map_err(|stall| format!("quiet: {stall}"))?;
    explained(&output)?;
    judge(scenario, &output)
}

/// The scenario with time for everything to end.
fn quiet(scenario: &Scenario) -> Scenario {
    let mut quiet = scenario.clone();
    let end = scenario.duration;
    quiet.duration = end + QUIET;
    (quiet.windows, quiet.captures) = (Vec::new(), Vec::new());
    (quiet.record.interval, quiet.record.events) = (None, true);
    (quiet.record.max_events, quiet.record.max_connections) = (MOST_ROWS, 10_000);
    for fault in &mut quiet.faults {
        fault.until = Some(fault.until.map_or(end, |until| until.min(end)));
    }
    quiet.faults.retain(|fault| fault.until.is_some_and(|until| fault.at < until));
    for group in &mut quiet.flows {
        let counted = matches!(group.app.transfers(), TransferCount::Count(_));
        if !counted || group.app.reader().is_some() {
            group.stop = Some(group.stop.map_or(end, |stop| stop.min(end)));
        }
    }
    quiet
}

/// Whether a queue of the link has a time below a millisecond, which may be the period of a law, or a frequency above a kilohertz: in the
/// quiet time of idle links it would pass millions of times.
fn has_fast_timer(link: &Link) -> bool {
    let is_short = |queue: &QdiscConfig, name: &str| {
        let time = queue.get(name).and_then(|value| Duration::from_value(&value).ok());
        time.is_some_and(|time| Duration::ZERO < time && time < Duration::from_millis(1))
    };
    let is_frequent = |queue: &QdiscConfig| {
        let frequency = queue.get("frequency").and_then(|value| f64::from_value(&value).ok());
        frequency.is_some_and(|hertz| hertz > 1e3)
    };
    [&link.forward, &link.backward].into_iter().any(|way| {
        let mut times = way.queue.params().iter().filter(|p| p.kind == Kind::Duration);
        is_frequent(&way.queue) || times.any(|p| is_short(&way.queue, p.name))
    })
}

/// Whether the connections of a group are judged: not those of receivers that acknowledge what they have not got, and of readers that
/// stop to read.
fn is_judged(group: &FlowGroup) -> bool {
    let honest =
        group.transport.tcp().is_some_and(|config| config.misbehaviour == TcpConfig::default().misbehaviour);
    !matches!(group.transport, Transport::Udp { .. }) && honest && group.app.reader().is_none()
}

/// Checks the connections that are still open.
fn judge(scenario: &Scenario, output: &RunOutput) -> Result<(), String> {
    let open = words(output, "connections", "activity");
    let flows = flows_of(output, "connections");
    let findings: Vec<usize> = (0..open.len())
        .filter(|row| !open[*row].is_empty())
        .filter(|row| {
            let group = scenario.flows.iter().find(|group| group.name == flows[*row].0);
            group.is_some_and(|group| is_judged(group) && !is_excused(scenario, group, &open[*row]))
        })
        .collect();
    if !findings.is_empty() {
        let from = (scenario.duration + QUIET / 2).as_secs_f64();
        let (Some(dropped), moving) = (losing_flows(output, from), moving_flows(output, from)) else {
            return Ok(());
        };
        let stuck = |row: &&usize| !dropped.contains(&flows[**row]) && !moving.contains(&flows[**row]);
        if let Some(row) = findings.iter().find(stuck) {
            let (flow, activity) = (&flows[*row], &open[*row]);
            return Err(format!(
                "progress: connection in row {row} of {flow:?} is open in the end: {activity}"
            ));
        }
    }
    if let Some(row) = words(output, "flows", "activity").iter().position(|word| word == "closing") {
        return Err(format!("progress: flow in row {row} waits in vain for the end of its connection"));
    }
    Ok(())
}

/// Whether the activity is an explanation by itself.
fn is_excused(scenario: &Scenario, group: &FlowGroup, activity: &str) -> bool {
    match activity {
        // A counted application may pause for longer than the run lasts.
        "application_waits" => matches!(group.app.transfers(), TransferCount::Count(_)),
        // Multipath TCP gives up subflows whose interface or address is lost, or as its path manager says.
        "no_subflow" => {
            !scenario.faults.is_empty() || manages_by_hand(group) || keeps_without_subflows(group)
        }
        "in_flight" | "retransmitting" | "handshake" => has_slow_timer(group),
        _ => false,
    }
}

/// Whether the group has a retransmission timeout of half the quiet time or more, as its keys say: it may expire after the end.
fn has_slow_timer(group: &FlowGroup) -> bool {
    let of_tcp =
        group.transport.tcp().map(|config| config.initial_rto.max(config.min_rto).max(config.max_rto));
    let of_data = match &group.transport {
        Transport::Mptcp { plan, .. } => plan.mptcp.min_data_rto,
        _ => Duration::ZERO,
    };
    of_tcp.unwrap_or_default().max(of_data) >= QUIET / 2
}

/// Whether a connection of the group is kept without subflows (`close_timeout`) for half the quiet time or more.
fn keeps_without_subflows(group: &FlowGroup) -> bool {
    matches!(&group.transport, Transport::Mptcp { plan, .. } if plan.mptcp.close_timeout >= QUIET / 2)
}

fn manages_by_hand(group: &FlowGroup) -> bool {
    matches!(&group.transport, Transport::Mptcp { plan, .. } if plan.path_manager.name() == "manual")
}

/// A flow by its group and its number within that.
type FlowName = (String, u32);

/// Flows of the rows of a table.
fn flows_of(output: &RunOutput, name: &str) -> Vec<FlowName> {
    let members = numbers(output, name, "flow").into_iter().map(|member| member as u32);
    words(output, name, "group").into_iter().zip(members).collect()
}

/// Flows of which packets were dropped after `from`; `None` where not all drops were recorded.
fn losing_flows(output: &RunOutput, from: f64) -> Option<BTreeSet<FlowName>> {
    let (kinds, times) = (words(output, "events", "kind"), numbers(output, "events", "time_s"));
    let late = |i: &usize| kinds[*i] == "drop" && times[*i] > from;
    let all = flows_of(output, "events");
    (kinds.len() as u64 != MOST_ROWS).then(|| (0..kinds.len()).filter(late).map(|i| all[i].clone()).collect())
}

/// Flows to which data was delivered after `from`: they are slow, and go on.
fn moving_flows(output: &RunOutput, from: f64) -> BTreeSet<FlowName> {
    let last = numbers(output, "flows", "last_delivery_s");
    let all = flows_of(output, "flows").into_iter().zip(last);
    all.filter(|(_, last)| *last > from).map(|(flow, _)| flow).collect()
}

fn table<'a>(output: &'a RunOutput, name: &str) -> Option<&'a Table> {
    output.tables.iter().find(|table| table.name == name)
}

/// A column of words; empty without the table.
fn words(output: &RunOutput, name: &str, column: &str) -> Vec<String> {
    let found = table(output, name).and_then(|t| t.columns.iter().find(|c| c.name == column));
    let Some((column, Values::Text(values))) = found.map(|c| (c, &c.values)) else { return Vec::new() };
    values.iter().map(|i| column.words[*i as usize].clone()).collect()
}

/// A column of numbers; empty without the table.
fn numbers(output: &RunOutput, name: &str, column: &str) -> Vec<f64> {
    let found = table(output, name).and_then(|t| t.columns.iter().find(|c| c.name == column));
    match found.map(|c| &c.values) {
        Some(Values::F64(values)) => values.clone(),
        Some(Values::U32(values)) => values.iter().map(|x| f64::from(*x)).collect(),
        Some(Values::U64(values)) => values.iter().map(|x| *x as f64).collect(),
        _ => Vec::new(),
    }
}
