//! The table of connections: one row for each, in the order in which they were opened, up to a bound.
//!
//! A record is made with a connection and named by the sockets at its ends, which fill it in when they go; what still lives is
//! looked at when the table is made. So it costs a connection some hundred bytes, and a packet nothing.

use crate::ground::rate::rate_bps;
use crate::ground::reset_causes::cause_name;
use crate::packet::flow_end::FlowEnd;
use tailrace_core::Instant;
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
    records: Vec<ConnectionRecord>,
    /// How many were opened beyond that.
    beyond: u64,
}

/// A connection.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionRecord {
    pub(crate) flow: u32,
    /// Its place among the connections of its flow, from 0.
    pub(crate) number: u32,
    pub(crate) client_port: u16,
    /// Bytes of the transfer that it was opened for; zero where it is no transfer.
    pub(crate) size: u64,
    pub(crate) opened: Instant,
    /// When the last of them had arrived, and how many times as long that took as it must; not a number where that is not known.
    pub(crate) completed: Option<Instant>,
    pub(crate) slowdown: f64,
    /// As the client sees it.
    pub(crate) established: Option<Instant>,
    /// When it was over at the client.
    pub(crate) over: Option<Instant>,
    /// Why it broke, as one of the ends said first.
    pub(crate) broken: Option<ResetCause>,
    pub(crate) client: EndCounters,
    pub(crate) server: EndCounters,
}

/// More than any end counts: there may be many connections, and an option would take twice as much.
pub(crate) const NOT_COUNTED: u32 = u32::MAX;

/// What one end has counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndCounters {
    pub(crate) delivered_bytes: u64,
    pub(crate) retransmitted_packets: u64,
    /// [`NOT_COUNTED`] where its stack does not tell.
    pub(crate) timeouts: u32,
    pub(crate) subflows: u32,
}

impl ConnectionRecord {
    fn side(&mut self, end: FlowEnd) -> &mut EndCounters {
        if end.is_server() { &mut self.server } else { &mut self.client }
    }

    pub(crate) fn completion_goodput_bps(&self) -> f64 {
        self.completed.map_or(f64::NAN, |at| rate_bps(self.size, at - self.opened))
    }

    /// How it ended, if it did.
    pub(crate) fn state(&self) -> &'static str {
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
        self.records.push(ConnectionRecord {
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
            client: EndCounters::default(),
            server: EndCounters::default(),
        });
        RecordId(self.records.len() as u32 - 1)
    }

    fn get(&mut self, id: RecordId) -> Option<&mut ConnectionRecord> {
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
    pub(crate) fn gone(&mut self, id: RecordId, end: FlowEnd, counters: EndCounters) {
        if let Some(record) = self.get(id) {
            *record.side(end) = counters;
        }
    }

    /// Connections that have no row.
    pub(crate) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Largest number of records.
    pub(crate) fn limit(&self) -> usize {
        self.most
    }

    /// All records, completed with the present counters of open ends.
    pub(crate) fn with_open_ends(
        &self,
        open: impl Iterator<Item = (RecordId, FlowEnd, EndCounters)>,
    ) -> Vec<ConnectionRecord> {
        let mut records = self.records.clone();
        for (id, end, counters) in open {
            if let Some(record) = records.get_mut(id.0 as usize) {
                *record.side(end) = counters;
            }
        }
        records
    }
}

impl EndCounters {
    /// Retransmission timeouts, if the stack of this end counts them.
    pub(crate) fn timeouts(&self) -> Option<u64> {
        (self.timeouts != NOT_COUNTED).then_some(self.timeouts.into())
    }
}
