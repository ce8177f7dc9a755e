//! The table of connections: one row for each, in the order in which they were opened, up to a bound.
//!
//! A record is made with a connection and named by the sockets at its ends, which fill it in when they go; what still lives is
//! looked at when the table is made. So it costs a connection some hundred bytes, and a packet nothing.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::plan::Plan;
use crate::ground::rate::rate_bps;
use crate::ground::reset_causes::cause_name;
use crate::host::endpoint::Endpoint;
use crate::host::hosts::World;
use crate::host::sockets::Sockets;
use crate::packet::flow_end::FlowEnd;
use tailrace_core::Instant;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::Transport;
use tailrace_transport::ResetCause;

/// A record's number, or none: of a connection beyond the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordId(u32);

impl RecordId {
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// What has been recorded of connections.
#[derive(Debug)]
pub(crate) struct ConnectionLog {
    /// How many are kept.
    most: usize,
    records: Vec<Record>,
    /// How many were opened beyond that.
    beyond: u64,
}

/// A connection.
#[derive(Clone, Debug)]
struct Record {
    flow: u32,
    /// Its place among the connections of its flow, from 0.
    number: u32,
    client_port: u16,
    /// Bytes of the transfer that it was opened for; zero where it is no transfer.
    size: u64,
    opened: Instant,
    /// When the last of them had arrived, and how many times as long that took as it must; not a number where that is not known.
    completed: Option<Instant>,
    slowdown: f64,
    /// As the client sees it.
    established: Option<Instant>,
    /// When it was over at the client.
    over: Option<Instant>,
    /// Why it broke, as one of the ends said first.
    broken: Option<ResetCause>,
    client: Side,
    server: Side,
}

/// More than any end counts: there may be many connections, and an option would take twice as much.
const NOT_COUNTED: u32 = u32::MAX;

/// What one end has counted.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    delivered_bytes: u64,
    retransmitted_packets: u64,
    /// [`NOT_COUNTED`] where its stack does not tell.
    timeouts: u32,
    subflows: u32,
}

impl Side {
    fn of(endpoint: &Endpoint) -> Self {
        Self {
            delivered_bytes: endpoint.bytes_delivered(),
            retransmitted_packets: endpoint.stats().retransmitted_segments,
            timeouts: if endpoint.lacks_timeouts() { NOT_COUNTED } else { endpoint.timeouts() },
            subflows: endpoint.subflows(),
        }
    }

    fn timeouts(&self) -> Option<u64> {
        (self.timeouts != NOT_COUNTED).then_some(self.timeouts.into())
    }
}

impl Record {
    fn side(&mut self, end: FlowEnd) -> &mut Side {
        if end.is_server() { &mut self.server } else { &mut self.client }
    }

    fn completion_goodput_bps(&self) -> f64 {
        self.completed.map_or(f64::NAN, |at| rate_bps(self.size, at - self.opened))
    }

    /// How it ended, if it did.
    fn state(&self) -> &'static str {
        match self.broken {
            Some(cause) => cause_name(cause),
            None if self.over.is_some() => "closed",
            None => "open",
        }
    }
}

impl ConnectionLog {
    /// Keeps at most so many.
    pub(crate) fn new(most: u64) -> Self {
        // The last number stands for none.
        let most = most.min(u64::from(u32::MAX - 1)) as usize;
        Self { most, records: Vec::new(), beyond: 0 }
    }

    /// A client opens a connection of a flow, from a port, for a transfer of this size, if any.
    pub(crate) fn open(
        &mut self,
        (flow, number): (usize, u32),
        (client_port, size): (u16, u64),
        now: Instant,
    ) -> RecordId {
        if self.records.len() >= self.most {
            self.beyond += 1;
            return RecordId::NONE;
        }
        self.records.push(Record {
            flow: flow as u32,
            number,
            client_port,
            size,
            opened: now,
            completed: None,
            slowdown: f64::NAN,
            established: None,
            over: None,
            broken: None,
            client: Side::default(),
            server: Side::default(),
        });
        RecordId(self.records.len() as u32 - 1)
    }

    fn get(&mut self, id: RecordId) -> Option<&mut Record> {
        self.records.get_mut(id.0 as usize)
    }

    /// The client has heard from the server.
    pub(crate) fn established(&mut self, id: RecordId, now: Instant) {
        if let Some(record) = self.get(id) {
            record.established.get_or_insert(now);
        }
    }

    /// The transfer that it was opened for is complete.
    pub(crate) fn completed(&mut self, id: RecordId, now: Instant, slowdown: Option<f64>) {
        if let Some(record) = self.get(id) {
            (record.completed, record.slowdown) = (Some(now), slowdown.unwrap_or(f64::NAN));
        }
    }

    /// One of the ends says that it is broken.
    pub(crate) fn broken(&mut self, id: RecordId, cause: ResetCause) {
        if let Some(record) = self.get(id) {
            record.broken.get_or_insert(cause);
        }
    }

    /// Both directions are over at the client.
    pub(crate) fn over(&mut self, id: RecordId, now: Instant) {
        if let Some(record) = self.get(id) {
            record.over.get_or_insert(now);
        }
    }

    /// An end is gone.
    pub(crate) fn gone(&mut self, id: RecordId, end: FlowEnd, endpoint: &Endpoint) {
        if let Some(record) = self.get(id) {
            *record.side(end) = Side::of(endpoint);
        }
    }

    /// Connections that have no row.
    pub(crate) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// All records, with what the ends that live have counted so far.
    fn with_living(&self, sockets: &Sockets) -> Vec<Record> {
        let mut records = self.records.clone();
        for socket in sockets.iter() {
            if let Some(record) = records.get_mut(socket.record.0 as usize) {
                *record.side(socket.end()) = Side::of(&socket.endpoint);
            }
        }
        records
    }
}

/// A connection at the end of a run.
struct Row<'a> {
    run: u32,
    group: &'a str,
    member: u32,
    record: Record,
}

columns! {
    "connections", "A row for each connection, in the order in which connections were opened.", |r: Row<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.member, "", "The number of the flow within its group, from 0.";
        connection: U32 = r.record.number, "", "The number of the connection among those of its flow, from 0.";
        client_port: U32 = u32::from(r.record.client_port), "", "The port of the host that opened it, as in captures; for Multipath TCP, that of the first subflow.";
        start_s: F64 = r.record.opened.as_secs_f64(), "s", "When the connection was opened.";
        established_s: F64 = seconds(r.record.established), "s", "When the client got the first answer of the server; null if it never did.";
        end_s: F64 = seconds(r.record.over), "s", "When both directions were over at the client; null if they are not.";
        state: Text = r.record.state(), "", "How it ended: `closed` in good order, `open` at the end of the run, or why it broke: `refused`, `reset`, `timed_out`, `interface_down`, `aborted`.";
        size_bytes: U64 = r.record.size, "bytes", "The size of the transfer that it was opened for; zero if it carries anything else.";
        completion_s: F64 = r.record.completed.map_or(f64::NAN, |at| (at - r.record.opened).as_secs_f64()), "s", "The time from its opening to the arrival of the last byte of that transfer; null if that did not arrive.";
        completion_goodput_bps: F64 = r.record.completion_goodput_bps(), "bit/s", "The size divided by that time.";
        slowdown: F64 = r.record.slowdown, "ratio", "How many times longer that took than at best (see `slowdown` of groups); null over Multipath TCP.";
        subflows: U32 = if r.record.established.is_some() { r.record.client.subflows } else { 0 }, "", "How many subflows were established, as the client sees it; 1 for TCP.";
        delivered_bytes: U64 = r.record.server.delivered_bytes, "bytes", "Bytes that the application at the server got.";
        retransmitted_packets: U64 = r.record.client.retransmitted_packets, "packets", "Segments that the client sent again.";
        timeouts: Count = r.record.client.timeouts(), "", "How often the client's retransmission timer expired; null with a kernel that does not count that (before 6.7).";
        backward_delivered_bytes: U64 = r.record.client.delivered_bytes, "bytes", "Bytes that the application at the client got.";
        backward_retransmitted_packets: U64 = r.record.server.retransmitted_packets, "packets", "Segments that the server sent again; zero if the client was gone before the server noticed the connection.";
        backward_timeouts: Count = r.record.server.timeouts(), "", "How often the server's retransmission timer expired; zero if the client was gone before the server noticed the connection, null as `timeouts`.";
    }
}

fn seconds(at: Option<Instant>) -> f64 {
    at.map_or(f64::NAN, Instant::as_secs_f64)
}

/// The table, where the scenario has connections and wants it.
pub(crate) fn table(plan: &Plan, world: &World) -> Option<Table> {
    let log = &world.connection_log;
    if log.most == 0 || !has_connections(&plan.scenario) {
        return None;
    }
    let mut table = new_table();
    for record in log.with_living(&world.sockets) {
        let flow = &world.flows[record.flow as usize];
        let group = &plan.scenario.flows[flow.group as usize].name;
        add(&mut table, &Row { run: plan.run, group, member: flow.member, record });
    }
    Some(table.finish())
}

fn has_connections(scenario: &Scenario) -> bool {
    scenario.flows.iter().any(|group| !matches!(group.transport, Transport::Udp { .. }))
}
