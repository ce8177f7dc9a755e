//! The table of events, bounded.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::table::TableBuilder;
use tailrace_core::Instant;
use tailrace_net::LinkId;

/// Events that have not been given out, and the table in which that is done.
#[derive(Debug)]
pub(crate) struct EventLog {
    /// How many more are kept.
    room: u64,
    events: Vec<Event>,
    table: TableBuilder,
    /// Events beyond the limit: counted, not kept; not even counted where none are wanted.
    beyond: u64,
    counts_beyond: bool,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) at: Instant,
    pub(crate) kind: &'static str,
    pub(crate) link: Option<LinkId>,
    pub(crate) flow: Option<usize>,
    pub(crate) detail: &'static str,
}

/// An event with the names that are in the table.
struct Row<'a> {
    run: u32,
    event: Event,
    place: &'a str,
    group: &'a str,
    member: u32,
}

columns! {
    "events", "A row for each event, in order of time.", |r: Row<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        time_s: F64 = r.event.at.as_secs_f64(), "s", "When it happened.";
        kind: Text = r.event.kind, "", "What happened: `drop`, `mark`, `timeout`, `complete`, `broken`, `fault`; for disciplines that single out flows also `flag` and `clear`.";
        place: Text = r.place, "", "The link and direction, named as under `queues`; empty for what happens at a host, or at a router without a route.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`); empty if the event concerns none.";
        flow: U32 = r.member, "", "The number of the flow within its group, from 0; also 0 if the event concerns no flow.";
        detail: Text = r.event.detail, "", "For a drop, its reason (as under `queues`; also `no_route`, at a router or host, `corrupted`, at a host, and `time_to_live`, at a router, of a kernel's packet). For a fault: `begins`, `ends`, `turns` when its value changes, `clears` when routes use its link again after a `route_delay`. For a connection that broke: why.";
    }
}

impl EventLog {
    /// Keeps at most `limit` events.
    pub(crate) fn new(limit: u64) -> Self {
        Self { room: limit, counts_beyond: limit > 0, events: Vec::new(), table: new_table(), beyond: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        if self.room > 0 {
            self.room -= 1;
            self.events.push(event);
        } else if self.counts_beyond {
            self.beyond += 1;
        }
    }

    /// Events that were wanted and that were too many.
    pub(crate) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Hands out the link, flow and reason of every drop.
    #[cfg(test)]
    pub(crate) fn drops(&self, mut each: impl FnMut(Option<LinkId>, usize, &'static str)) {
        let drops = self.events.iter().filter(|event| event.kind == "drop");
        drops.for_each(|e| each(e.link, e.flow.expect("these runs have no foreign hosts"), e.detail));
    }

    /// Memory that what has not been given out takes.
    pub(crate) const fn bytes(&self) -> usize {
        size_of_val(self.events.as_slice())
    }

    /// Rows before `until`, in order of time. (Links report the starts of transmission late, so events are not born sorted.)
    pub(crate) fn take(
        &mut self,
        until: Instant,
        run: u32,
        place: impl Fn(LinkId) -> String,
        flow: impl Fn(usize) -> (String, u32),
    ) -> Table {
        self.events.sort_by_key(|event| event.at);
        let complete = self.events.partition_point(|event| event.at < until);
        for event in self.events.drain(..complete) {
            let place = event.link.map(&place).unwrap_or_default();
            let (group, member) = event.flow.map(&flow).unwrap_or_default();
            add(&mut self.table, &Row { run, event, place: &place, group: &group, member });
        }
        self.table.take()
    }
}
