//! Connection log: one record per connection in the order of opening, up to a limit.

use crate::ground::rate::rate_bps;
use crate::ground::reset_causes::cause_name;
use crate::packet::flow_end::FlowEnd;
use tailrace_core::Instant;
use tailrace_transport::ResetCause;

/// Number of a record, or none for a connection beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordId(u32);

impl RecordId {
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// Records of connections.
#[derive(Debug)]
pub(crate) struct ConnectionLog {
    /// Largest number of records.
    most: usize,
    records: Vec<ConnectionRecord>,
    /// Connections opened beyond the limit.
    beyond: u64,
}

/// A connection.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionRecord {
    pub(crate) flow: u32,
    /// Number among the connections of its flow, from 0.
    pub(crate) number: u32,
    pub(crate) client_port: u16,
    /// Bytes of the transfer that it was opened for; zero if there is none.
    pub(crate) size: u64,
    pub(crate) opened: Instant,
    /// Completion time, and the FCT divided by the ideal one; NaN if unknown.
    pub(crate) completed: Option<Instant>,
    pub(crate) slowdown: f64,
    /// Establishment, as seen by the client.
    pub(crate) established: Option<Instant>,
    /// End, as seen by the client.
    pub(crate) over: Option<Instant>,
    /// Cause of its break, from the end that reported first.
    pub(crate) broken: Option<ResetCause>,
    pub(crate) client: EndCounters,
    pub(crate) server: EndCounters,
}

/// Marker of a missing counter, above every count. An `Option` would double the size, and there may be many connections.
pub(crate) const NOT_COUNTED: u32 = u32::MAX;

/// Counters of one end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndCounters {
    pub(crate) delivered_bytes: u64,
    pub(crate) retransmitted_packets: u64,
    /// Retransmission timeouts; [`NOT_COUNTED`] if its stack does not report them.
    pub(crate) timeouts: u32,
    pub(crate) subflows: u32,
    /// Whether it has no subflow, since the addresses of the last ones are gone.
    pub(crate) lost_addresses: bool,
}

impl ConnectionRecord {
    fn side(&mut self, end: FlowEnd) -> &mut EndCounters {
        if end.is_server() { &mut self.server } else { &mut self.client }
    }

    pub(crate) fn completion_goodput_bps(&self) -> f64 {
        self.completed.map_or(f64::NAN, |at| rate_bps(self.size, at - self.opened))
    }

    /// Whether it is neither closed nor broken.
    pub(crate) fn is_open(&self) -> bool {
        self.broken.is_none() && self.over.is_none()
    }

    /// State in the results: open, closed or broken. A connection whose addresses are gone counts as broken before it is given up.
    pub(crate) fn state(&self) -> &'static str {
        match self.broken {
            Some(cause) => cause_name(cause),
            None if self.over.is_some() => "closed",
            None if self.client.lost_addresses || self.server.lost_addresses => {
                cause_name(ResetCause::AddressLost)
            }
            None => "open",
        }
    }
}

impl ConnectionLog {
    /// Log of at most `most` connections.
    pub(crate) fn new(most: u64) -> Self {
        // The last number means none.
        let most = most.min(u64::from(u32::MAX - 1)) as usize;
        Self { most, records: Vec::new(), beyond: 0 }
    }

    /// Records that a client opens a connection of a flow, from a port, for a transfer of this size, if any.
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

    /// Records that the client has heard from the server.
    pub(crate) fn established(&mut self, id: RecordId, now: Instant) {
        if let Some(record) = self.get(id) {
            record.established.get_or_insert(now);
        }
    }

    /// Records the completion of its transfer.
    pub(crate) fn completed(&mut self, id: RecordId, now: Instant, slowdown: Option<f64>) {
        if let Some(record) = self.get(id) {
            (record.completed, record.slowdown) = (Some(now), slowdown.unwrap_or(f64::NAN));
        }
    }

    /// Records a break reported by one of the ends.
    pub(crate) fn on_break(&mut self, id: RecordId, cause: ResetCause) {
        if let Some(record) = self.get(id) {
            record.broken.get_or_insert(cause);
        }
    }

    /// Records that both directions are closed at the client.
    pub(crate) fn on_closed(&mut self, id: RecordId, now: Instant) {
        if let Some(record) = self.get(id) {
            record.over.get_or_insert(now);
        }
    }

    /// Records the final counters of a closed end.
    pub(crate) fn on_end_closed(&mut self, id: RecordId, end: FlowEnd, counters: EndCounters) {
        if let Some(record) = self.get(id) {
            *record.side(end) = counters;
        }
    }

    /// Connections without a record.
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
    ) -> impl Iterator<Item = (RecordId, ConnectionRecord)> {
        let mut records = self.records.clone();
        for (id, end, counters) in open {
            if let Some(record) = records.get_mut(id.0 as usize) {
                *record.side(end) = counters;
            }
        }
        records.into_iter().zip(0..).map(|(record, number)| (RecordId(number), record))
    }
}

impl EndCounters {
    /// Retransmission timeouts, if the stack of this end counts them.
    pub(crate) fn timeouts(&self) -> Option<u64> {
        (self.timeouts != NOT_COUNTED).then_some(self.timeouts.into())
    }
}
