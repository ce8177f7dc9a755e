//! Table of connections.

use crate::ground::activity::Activity;
use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::results::view::RunView;
use crate::stats::connection_log::ConnectionRecord;
use std::collections::BTreeMap;
use tailrace_core::Instant;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::Transport;

/// A connection at the end of a run.
struct ConnectionRow<'a> {
    run: u32,
    group: &'a str,
    member: u32,
    record: ConnectionRecord,
    activity: Option<Activity>,
}

columns! {
    "connections", "A row for each connection, in the order in which connections were opened.", |r: ConnectionRow<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.member, "", "The number of the flow within its group, from 0.";
        connection: U32 = r.record.number, "", "The number of the connection among those of its flow, from 0.";
        client_port: U32 = u32::from(r.record.client_port), "", "The port of the host that opened it, as in captures; for Multipath TCP, that of the first subflow.";
        start_s: F64 = r.record.opened.as_secs_f64(), "s", "Time when the connection was opened.";
        established_s: F64 = seconds(r.record.established), "s", "Time of the server's first reply at the client; null without one.";
        end_s: F64 = seconds(r.record.over), "s", "Time when both directions were closed at the client; null if they are not.";
        state: Text = r.record.state(), "", "State at the end: `closed` in good order, `open` at the end of the run, or the cause of its break: `refused`, `reset`, `timed_out`, `interface_down`, `aborted`.";
        activity: Text = r.activity.map_or("", Activity::word), "", "What an open connection was doing at the end, or what it waited for, as `activity` of the table `flows`; empty if it is not open.";
        size_bytes: U64 = r.record.size, "bytes", "Size of the transfer that it was opened for; zero for other connections.";
        completion_s: F64 = r.record.completed.map_or(f64::NAN, |at| (at - r.record.opened).as_secs_f64()), "s", "The time from its opening to the arrival of the last byte of that transfer; null if that did not arrive.";
        completion_goodput_bps: F64 = r.record.completion_goodput_bps(), "bit/s", "The size divided by that time.";
        slowdown: F64 = r.record.slowdown, "ratio", "Completion time divided by the ideal one (see `slowdown` of groups); null over Multipath TCP.";
        subflows: U32 = if r.record.established.is_some() { r.record.client.subflows } else { 0 }, "", "Number of subflows established, as the client sees it; 1 for TCP.";
        delivered_bytes: U64 = r.record.server.delivered_bytes, "bytes", "Bytes delivered to the application at the server.";
        retransmitted_packets: U64 = r.record.client.retransmitted_packets, "packets", "Segments that the client sent again.";
        timeouts: Count = r.record.client.timeouts(), "", "Number of expirations of the client's retransmission timer; null with a kernel that does not count that (before 6.7).";
        backward_delivered_bytes: U64 = r.record.client.delivered_bytes, "bytes", "Bytes delivered to the application at the client.";
        backward_retransmitted_packets: U64 = r.record.server.retransmitted_packets, "packets", "Segments that the server sent again; zero if the client was gone before the server noticed the connection.";
        backward_timeouts: Count = r.record.server.timeouts(), "", "Number of expirations of the server's retransmission timer; zero if the client was gone before the server noticed the connection, null like `timeouts`.";
    }
}

fn seconds(at: Option<Instant>) -> f64 {
    at.map_or(f64::NAN, Instant::as_secs_f64)
}

/// Table of connections, if the scenario has connections and records them.
pub(crate) fn table(run: &RunView<'_>) -> Option<Table> {
    let (plan, world) = (run.plan, run.world);
    let log = &world.connection_log;
    if log.limit() == 0 || !has_connections(&plan.scenario) {
        return None;
    }
    let open = world.sockets.iter().map(|s| (s.record, s.end(), s.endpoint.end_counters()));
    let clients = world.sockets.iter().filter(|s| !s.end().is_server() && !s.endpoint.is_over());
    let activities: BTreeMap<_, _> = clients.map(|s| (s.record, run.connection_activity(s))).collect();
    let mut table = new_table();
    for (id, record) in log.with_open_ends(open) {
        let flow = &world.flows[record.flow as usize];
        let group = &plan.scenario.flows[flow.group as usize].name;
        let activity = activities.get(&id).copied().filter(|_| record.is_open());
        add(&mut table, &ConnectionRow { run: plan.run, group, member: flow.member, record, activity });
    }
    Some(table.finish())
}

fn has_connections(scenario: &Scenario) -> bool {
    scenario.flows.iter().any(|group| !matches!(group.transport, Transport::Udp { .. }))
}
