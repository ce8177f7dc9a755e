//! Hears of what happens in the network: distributions, and the table of events.

use crate::output::Table;
use crate::table::{Cell, TableBuilder};
use crate::tally::GroupTally;
use tailrace_core::{DropReason, Duration, Instant};
use tailrace_net::LinkId;

/// Distributions of groups, and the events table.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) groups: Vec<GroupTally>,
    events: EventLog,
}

impl Recorder {
    /// A recorder for so many groups; `events` tells whether, and how many, events are kept.
    pub(crate) fn new(groups: usize, events: EventLog) -> Self {
        Self { groups: vec![GroupTally::default(); groups], events }
    }

    pub(crate) fn dropped(&mut self, link: LinkId, flow: Option<usize>, reason: DropReason, at: Instant) {
        self.events.push(at, "drop", Some(link), flow, reason.name());
    }

    pub(crate) fn marked(&mut self, link: LinkId, flow: Option<usize>, at: Instant) {
        self.events.push(at, "mark", Some(link), flow, "");
    }

    pub(crate) fn unroutable(&mut self, flow: Option<usize>, at: Instant) {
        self.events.push(at, "drop", None, flow, DropReason::NoRoute.name());
    }

    pub(crate) fn flagged(&mut self, link: LinkId, flow: Option<usize>, flagged: bool, at: Instant) {
        self.events.push(at, if flagged { "flag" } else { "clear" }, Some(link), flow, "");
    }

    pub(crate) fn timeout(&mut self, flow: usize, at: Instant) {
        self.events.push(at, "timeout", None, Some(flow), "");
    }

    pub(crate) fn completed(&mut self, flow: usize, group: usize, took: Duration, at: Instant) {
        self.groups[group].completion.record(took);
        self.events.push(at, "complete", None, Some(flow), "");
    }

    pub(crate) fn broken(&mut self, flow: usize, cause: &'static str, at: Instant) {
        self.events.push(at, "broken", None, Some(flow), cause);
    }

    pub(crate) fn fault(&mut self, link: LinkId, what: &'static str, at: Instant) {
        self.events.push(at, "fault", Some(link), None, what);
    }

    /// Gives the distributions so far; they start anew.
    pub(crate) fn cut(&mut self) -> Vec<GroupTally> {
        self.groups.iter_mut().map(GroupTally::cut).collect()
    }

    /// Events that the scenario wanted recorded and that were too many.
    pub(crate) fn unrecorded_events(&self) -> u64 {
        self.events.beyond
    }

    /// The rows of the events table before `until` that have not been given out yet, in order of time.
    pub(crate) fn take_events(
        &mut self,
        until: Instant,
        run: u32,
        place: impl Fn(LinkId) -> String,
        flow: impl Fn(usize) -> (String, u32),
    ) -> Table {
        self.events.take(until, run, place, flow)
    }

    #[cfg(test)]
    pub(crate) fn into_events(self) -> EventLog {
        self.events
    }
}

/// Rows of the events table, bounded.
#[derive(Debug)]
pub(crate) struct EventLog {
    /// How many more are kept.
    room: u64,
    rows: Vec<Row>,
    table: TableBuilder,
    /// Events beyond the limit: counted, not kept; not even counted where none are wanted.
    beyond: u64,
    counts_beyond: bool,
}

const COLUMNS: &[(&str, Cell<'static>)] = &[
    ("run", Cell::U32(0)),
    ("time_s", Cell::F64(0.0)),
    ("kind", Cell::Text("")),
    ("place", Cell::Text("")),
    ("group", Cell::Text("")),
    ("flow", Cell::U32(0)),
    ("detail", Cell::Text("")),
];

#[derive(Clone, Copy, Debug)]
struct Row {
    at: Instant,
    kind: &'static str,
    link: Option<LinkId>,
    flow: Option<usize>,
    detail: &'static str,
}

impl EventLog {
    /// Keeps at most `limit` events.
    pub(crate) fn new(limit: u64) -> Self {
        let table = TableBuilder::new("events", COLUMNS);
        Self { room: limit, counts_beyond: limit > 0, rows: Vec::new(), table, beyond: 0 }
    }

    #[inline]
    fn push(
        &mut self,
        at: Instant,
        kind: &'static str,
        link: Option<LinkId>,
        flow: Option<usize>,
        detail: &'static str,
    ) {
        if self.room > 0 {
            self.room -= 1;
            self.rows.push(Row { at, kind, link, flow, detail });
        } else if self.counts_beyond {
            self.beyond += 1;
        }
    }

    /// Hands out the link, flow and reason of every drop.
    #[cfg(test)]
    pub(crate) fn drops(&self, mut each: impl FnMut(Option<LinkId>, usize, &'static str)) {
        let drops = self.rows.iter().filter(|row| row.kind == "drop");
        drops.for_each(|row| each(row.link, row.flow.expect("these runs have no foreign hosts"), row.detail));
    }

    /// Rows before `until`, in order of time. (Links report the starts of transmission late, so rows are not born sorted.)
    fn take(
        &mut self,
        until: Instant,
        run: u32,
        place: impl Fn(LinkId) -> String,
        flow: impl Fn(usize) -> (String, u32),
    ) -> Table {
        self.rows.sort_by_key(|r| r.at);
        let complete = self.rows.partition_point(|r| r.at < until);
        for row in self.rows.drain(..complete) {
            let place = row.link.map(&place).unwrap_or_default();
            let (group, member) = row.flow.map(&flow).unwrap_or_default();
            self.table.row(&[
                Cell::U32(run),
                Cell::F64(row.at.as_secs_f64()),
                Cell::Text(row.kind),
                Cell::Text(&place),
                Cell::Text(&group),
                Cell::U32(member),
                Cell::Text(row.detail),
            ]);
        }
        self.table.take()
    }
}
