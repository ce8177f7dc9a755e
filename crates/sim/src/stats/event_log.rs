//! Log of events (drops, marks, timeouts, faults, ...), bounded in size.

use tailrace_core::Instant;
use tailrace_net::LinkId;

/// Events that have not been taken yet.
#[derive(Debug)]
pub(crate) struct EventLog {
    /// Number of events that may still be kept.
    room: u64,
    events: Vec<LoggedEvent>,
    /// Events beyond the limit; not counted if the scenario records no events.
    beyond: u64,
    counts_beyond: bool,
}

/// Event at a link, of a flow, or both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedEvent {
    pub(crate) at: Instant,
    pub(crate) kind: &'static str,
    pub(crate) link: Option<LinkId>,
    pub(crate) flow: Option<usize>,
    pub(crate) detail: &'static str,
}

impl EventLog {
    /// Keeps at most `limit` events.
    pub(crate) fn new(limit: u64) -> Self {
        Self { room: limit, counts_beyond: limit > 0, events: Vec::new(), beyond: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, event: LoggedEvent) {
        if self.room > 0 {
            self.room -= 1;
            self.events.push(event);
        } else if self.counts_beyond {
            self.beyond += 1;
        }
    }

    /// Number of events beyond the limit.
    pub(crate) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Calls `each` with the link, flow and reason of every drop.
    #[cfg(test)]
    pub(crate) fn drops(&self, mut each: impl FnMut(Option<LinkId>, usize, &'static str)) {
        let drops = self.events.iter().filter(|event| event.kind == "drop");
        drops.for_each(|e| each(e.link, e.flow.expect("these runs have no foreign hosts"), e.detail));
    }

    /// Memory of the events that have not been taken, in bytes.
    pub(crate) const fn bytes(&self) -> usize {
        size_of_val(self.events.as_slice())
    }

    /// Takes the events before `until`, in order of time. Links report starts of transmission late, so they are sorted here.
    pub(crate) fn take(&mut self, until: Instant) -> Vec<LoggedEvent> {
        self.events.sort_by_key(|event| event.at);
        let complete = self.events.partition_point(|event| event.at < until);
        self.events.drain(..complete).collect()
    }
}
