//! Schedule of control events, apart from packets: end of the warm-up, windows, faults, samples.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tailrace_core::Instant;

/// Control events by time. Events of one instant follow the order of `T`: by kind, and within a kind by declaration.
#[derive(Debug)]
pub(crate) struct ControlSchedule<T>(BinaryHeap<Reverse<(Instant, T)>>);

impl<T: Ord> ControlSchedule<T> {
    /// An empty schedule.
    pub(crate) fn new() -> Self {
        Self(BinaryHeap::new())
    }

    /// Schedules an event.
    pub(crate) fn add(&mut self, at: Instant, what: T) {
        self.0.push(Reverse((at, what)));
    }

    /// Time of the next event, or `Instant::MAX`.
    pub(crate) fn next_at(&self) -> Instant {
        self.0.peek().map_or(Instant::MAX, |Reverse((at, _))| *at)
    }

    /// Takes the first event that is due by `now`.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<(Instant, T)> {
        self.take_if(|at, _| at <= now)
    }

    /// Takes the first event if `wanted` accepts it.
    pub(crate) fn take_if(&mut self, wanted: impl FnOnce(Instant, &T) -> bool) -> Option<(Instant, T)> {
        let Reverse((at, what)) = self.0.peek()?;
        if wanted(*at, what) { self.0.pop().map(|Reverse(first)| first) } else { None }
    }
}

/// A control event; variants are in the order in which they run in one instant. Link changes of an instant precede news to hosts,
/// and samples come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ControlEvent {
    /// The warm-up ends, or a window begins or ends.
    Boundary,
    /// A transition of a fault, by its number.
    Fault(usize, FaultTransition),
    /// Routes converge.
    Routes,
    Sample,
}

/// Transition of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaultTransition {
    Begins,
    /// Next stage.
    NextStage,
    Ends,
    Clears,
}

impl FaultTransition {
    /// Name in the events table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Begins => "begins",
            Self::NextStage => "turns",
            Self::Ends => "ends",
            Self::Clears => "clears",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_events_run_by_time_then_kind_then_declaration() {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        enum ControlEvent {
            First,
            Numbered(u32),
            Last,
        }
        let (early, late) = (Instant::from_millis(1), Instant::from_millis(2));
        let mut agenda = ControlSchedule::new();
        for (at, what) in [
            (late, ControlEvent::Numbered(0)),
            (early, ControlEvent::Last),
            (early, ControlEvent::Numbered(2)),
            (early, ControlEvent::Numbered(1)),
            (early, ControlEvent::First),
        ] {
            agenda.add(at, what);
        }
        assert_eq!((agenda.next_at(), agenda.take_due(Instant::ZERO)), (early, None));
        let mut kept = Vec::new();
        while let Some((at, what)) = agenda.take_due(late) {
            kept.push((at, what));
            if what == ControlEvent::First {
                agenda.add(early, ControlEvent::Numbered(0)); // Its next one, in the same instant.
            }
        }
        let expected = [
            ControlEvent::First,
            ControlEvent::Numbered(0),
            ControlEvent::Numbered(1),
            ControlEvent::Numbered(2),
            ControlEvent::Last,
        ];
        assert_eq!(kept[..5], expected.map(|what| (early, what)));
        assert_eq!((kept[5], agenda.next_at()), ((late, ControlEvent::Numbered(0)), Instant::MAX));
    }
}
