//! Pushes: how data is handed to subflows in batches ahead of their windows (Linux `__mptcp_push_pending`).
//!
//! A push assigns data until nothing is left or no subflow has room. Before another subflow gets data, the segments of the one before
//! leave as far as they can (`mptcp_push_release`): the push pauses, and continues once they have. Schedulers that do not fill queues
//! assign one segment at a time, and never push.

use super::subflow::table::SubflowTable;

/// Lead of assignments over the windows of subflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// A segment is assigned when it can leave at once.
    None,
    /// Send buffers of subflows are filled.
    Queues,
    /// Send buffers of subflows are filled, and nobody but the scheduler needs the views of subflows.
    QueuesLazily,
}

/// State of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PushPhase {
    /// Nothing to assign.
    Idle,
    /// A push is to begin before subflows send.
    Due,
    /// Segments leave before the push continues.
    Paused,
    /// The push continues before subflows send.
    Resuming,
}

/// Batching of assignments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    lead: Lead,
    phase: PushPhase,
    /// Whether this push has assigned data.
    started: bool,
    /// Subflow that got data last in this push.
    written: Option<usize>,
    /// Subflow on which a segment arrived that may let data go, until that is assigned.
    heard: Option<usize>,
}

impl Push {
    pub(super) const fn new(lead: Lead) -> Self {
        Self { lead, phase: PushPhase::Idle, started: false, written: None, heard: None }
    }

    /// Whether send buffers of subflows are filled ahead of their windows.
    #[inline]
    pub(super) fn fills_queues(&self) -> bool {
        self.lead != Lead::None
    }

    /// Whether only the scheduler needs the views of subflows.
    #[inline]
    pub(super) fn is_lazy(&self) -> bool {
        self.lead == Lead::QueuesLazily
    }

    /// A push is to begin, or to continue, if there are pushes at all.
    #[inline]
    pub(super) fn schedule(&mut self) {
        if self.fills_queues() {
            self.phase = match self.phase {
                PushPhase::Idle | PushPhase::Due => PushPhase::Due,
                PushPhase::Paused | PushPhase::Resuming => PushPhase::Resuming,
            };
        }
    }

    /// Whether a push comes before subflows send.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        matches!(self.phase, PushPhase::Due | PushPhase::Resuming)
    }

    /// Whether no push is due or paused.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.phase == PushPhase::Idle
    }

    /// Begins or continues a push that is due; whether it begins.
    #[inline]
    pub(super) fn begin(&mut self) -> bool {
        let begins = self.phase != PushPhase::Resuming;
        self.phase = PushPhase::Idle;
        self.started &= !begins;
        begins
    }

    /// Pauses the push: segments that were assigned leave before it continues.
    #[inline]
    pub(super) fn pause(&mut self) {
        self.phase = match self.phase {
            PushPhase::Idle | PushPhase::Paused => PushPhase::Paused,
            PushPhase::Due | PushPhase::Resuming => PushPhase::Resuming,
        };
    }

    #[inline]
    pub(super) fn is_paused(&self) -> bool {
        matches!(self.phase, PushPhase::Paused | PushPhase::Resuming)
    }

    /// Another push begins: what was assigned before does not belong to it.
    pub(super) fn restart(&mut self) {
        self.schedule();
        (self.started, self.heard) = (false, None);
    }

    /// The push has assigned data.
    #[inline]
    pub(super) fn on_assigned(&mut self) {
        self.started = true;
    }

    /// The next data belongs to another choice of the scheduler.
    pub(super) fn end_burst(&mut self) {
        self.started = false;
    }

    /// Whether this push has assigned data.
    #[inline]
    pub(super) const fn has_started(&self) -> bool {
        self.started
    }

    /// A segment arrived on subflow `id`.
    #[inline]
    pub(super) fn on_segment(&mut self, id: usize) {
        self.heard = Some(id);
    }

    /// Subflow on which a segment arrived since data was assigned last.
    #[inline]
    pub(super) const fn heard(&self) -> Option<usize> {
        self.heard
    }

    /// Subflow that got data last in this push.
    #[inline]
    pub(super) const fn written(&self) -> Option<usize> {
        self.written
    }

    /// Subflow `id` got data.
    #[inline]
    pub(super) fn on_written(&mut self, id: usize) {
        if self.fills_queues() {
            self.written = Some(id);
        }
    }

    /// The push is over: the subflow that got data last sends all of it. Returns that subflow.
    #[inline]
    pub(super) fn flush(&mut self, subflows: &mut SubflowTable) -> Option<usize> {
        let id = self.written.take()?;
        subflows[id].tcp.push();
        Some(id)
    }

    /// Ends the push, after everything was assigned for which there is room.
    #[inline]
    pub(super) fn end(&mut self, subflows: &mut SubflowTable) {
        self.heard = None;
        self.flush(subflows);
    }

    /// Whether the push pauses before subflow `id` gets data: another one got some before (`mptcp_push_release`), or has heard the ACK that
    /// lets data go, and may send by it first (`mptcp_subflow_delegate`).
    #[inline]
    pub(super) fn yields_before(&mut self, id: usize, subflows: &mut SubflowTable) -> bool {
        if !self.fills_queues() {
            return false;
        }
        if self.heard.take().is_some_and(|heard| heard != id) {
            self.started = true;
            self.pause();
            return true;
        }
        let Some(before) = self.written.take_if(|before| *before != id) else { return false };
        subflows[before].tcp.push();
        self.pause();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paused_push_continues_and_a_new_one_forgets_what_was_assigned() {
        let mut push = Push::new(Lead::Queues);
        push.schedule();
        assert!(push.is_due() && push.begin(), "a new push");
        push.on_assigned();
        push.pause();
        assert!(push.is_paused() && !push.is_due());
        push.schedule();
        assert!(push.is_due() && !push.begin() && push.has_started(), "it continues");
        push.schedule();
        assert!(push.begin() && !push.has_started(), "another one");
        assert!(push.is_idle());
    }

    #[test]
    fn schedulers_that_fill_no_queues_never_push() {
        let mut push = Push::new(Lead::None);
        push.schedule();
        assert!(push.is_idle());
    }
}
