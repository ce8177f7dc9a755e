//! What happens at set times, apart from packets: the end of the warm-up, faults, samples.
//!
//! An appointment stands for all that come after it from the same source: whoever keeps it enters the next one. So the
//! agenda holds one entry a source, however long its sequence is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tailrace_core::Instant;

/// Appointments by time; those of one instant in the order of `T`, which makes that the order of their kinds and, within
/// one, of their declaration.
#[derive(Debug)]
pub(crate) struct ControlSchedule<T>(BinaryHeap<Reverse<(Instant, T)>>);

impl<T: Ord> ControlSchedule<T> {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self(BinaryHeap::new())
    }

    /// Enters an appointment.
    pub(crate) fn add(&mut self, at: Instant, what: T) {
        self.0.push(Reverse((at, what)));
    }

    /// When the next one is, or `Instant::MAX`.
    pub(crate) fn next_at(&self) -> Instant {
        self.0.peek().map_or(Instant::MAX, |Reverse((at, _))| *at)
    }

    /// Takes out the first one that is due by `now`.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<(Instant, T)> {
        self.take_if(|at, _| at <= now)
    }

    /// Takes out the first one, if it is as wanted.
    pub(crate) fn take_if(&mut self, wanted: impl FnOnce(Instant, &T) -> bool) -> Option<(Instant, T)> {
        let Reverse((at, what)) = self.0.peek()?;
        if wanted(*at, what) { self.0.pop().map(|Reverse(first)| first) } else { None }
    }
}

/// What is on the agenda; what comes first in one instant stands first. All that links do in one instant they have done
/// before any host hears of it, and then samples are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ControlEvent {
    /// The warm-up ends, or a window begins or ends.
    Boundary,
    /// A fault, by its number, begins or ends.
    Fault(usize, FaultTransition),
    /// Routes hear of what links did.
    Routes,
    Sample,
}

/// A fault begins or ends, or what it leaves behind is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaultTransition {
    Begins,
    /// Its next stage begins.
    NextStage,
    Ends,
    Clears,
}

impl FaultTransition {
    /// As the events table has it.
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
    fn appointments_come_by_time_then_kind_then_declaration() {
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
