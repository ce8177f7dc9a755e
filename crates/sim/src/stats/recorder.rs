//! Recorder of distributions and of the event log.

use crate::stats::event_log::{EventLog, LoggedEvent};
use crate::stats::group_distributions::GroupDistributions;
use tailrace_core::{DropReason, Duration, Instant};
use tailrace_net::LinkId;

/// Distributions of groups, and the event log.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) groups: Vec<GroupDistributions>,
    events: EventLog,
}

impl Recorder {
    /// Recorder for this many groups; `events` bounds the event log.
    pub(crate) fn new(groups: usize, events: EventLog) -> Self {
        Self { groups: vec![GroupDistributions::default(); groups], events }
    }

    pub(crate) fn dropped(&mut self, link: LinkId, flow: Option<usize>, reason: DropReason, at: Instant) {
        let (kind, detail) = if reason.is_loss() { ("drop", reason.name()) } else { (reason.name(), "") };
        self.events.push(LoggedEvent { at, kind, link: Some(link), flow, detail });
    }

    pub(crate) fn marked(&mut self, link: LinkId, flow: Option<usize>, at: Instant) {
        self.events.push(LoggedEvent { at, kind: "mark", link: Some(link), flow, detail: "" });
    }

    pub(crate) fn unroutable(&mut self, flow: Option<usize>, at: Instant) {
        self.events.push(LoggedEvent {
            at,
            kind: "drop",
            link: None,
            flow,
            detail: DropReason::NoRoute.name(),
        });
    }

    /// Logs a packet whose TTL expired at a router.
    pub(crate) fn expired(&mut self, flow: Option<usize>, at: Instant) {
        self.events.push(LoggedEvent { at, kind: "drop", link: None, flow, detail: "time_to_live" });
    }

    /// Logs a packet that a host found corrupted.
    pub(crate) fn corrupted(&mut self, flow: Option<usize>, at: Instant) {
        self.events.push(LoggedEvent {
            at,
            kind: "drop",
            link: None,
            flow,
            detail: DropReason::Corrupted.name(),
        });
    }

    pub(crate) fn flagged(&mut self, link: LinkId, flow: Option<usize>, flagged: bool, at: Instant) {
        self.events.push(LoggedEvent {
            at,
            kind: if flagged { "flag" } else { "clear" },
            link: Some(link),
            flow,
            detail: "",
        });
    }

    pub(crate) fn timeout(&mut self, flow: usize, at: Instant) {
        self.events.push(LoggedEvent { at, kind: "timeout", link: None, flow: Some(flow), detail: "" });
    }

    pub(crate) fn completed(&mut self, flow: usize, group: usize, took: Duration, at: Instant) {
        self.groups[group].completion.record(took);
        self.events.push(LoggedEvent { at, kind: "complete", link: None, flow: Some(flow), detail: "" });
    }

    /// Records the load time of a web page.
    pub(crate) fn record_page_load(&mut self, group: usize, took: Duration) {
        self.groups[group].page_load.record(took);
    }

    /// Records a completed transfer with its slowdown.
    pub(crate) fn record_transfer(
        &mut self,
        group: usize,
        (size, took): (u64, Duration),
        slowdown: Option<f64>,
        varied: bool,
    ) {
        let tally = &mut self.groups[group];
        let slowdown = slowdown.map(Duration::from_secs_f64);
        if let Some(slowdown) = slowdown {
            tally.slowdown.record(slowdown);
        }
        if varied {
            tally.by_size.record(size, took, slowdown);
        }
    }

    pub(crate) fn on_break(&mut self, flow: usize, cause: &'static str, at: Instant) {
        self.events.push(LoggedEvent { at, kind: "broken", link: None, flow: Some(flow), detail: cause });
    }

    pub(crate) fn fault(&mut self, link: LinkId, what: &'static str, at: Instant) {
        self.events.push(LoggedEvent { at, kind: "fault", link: Some(link), flow: None, detail: what });
    }

    /// Takes the distributions so far and starts new ones.
    pub(crate) fn cut(&mut self) -> Vec<GroupDistributions> {
        self.groups.iter_mut().map(GroupDistributions::cut).collect()
    }

    /// Events beyond the limit.
    pub(crate) fn unrecorded_events(&self) -> u64 {
        self.events.beyond()
    }

    /// Takes the events before `until`, in order of time.
    pub(crate) fn take_events(&mut self, until: Instant) -> Vec<LoggedEvent> {
        self.events.take(until)
    }

    /// Memory of the events that have not been taken, in bytes.
    pub(crate) const fn event_bytes(&self) -> usize {
        self.events.bytes()
    }

    #[cfg(test)]
    pub(crate) fn into_events(self) -> EventLog {
        self.events
    }
}
