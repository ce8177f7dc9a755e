//! Delivery gap: the longest time in which an open flow delivered nothing to its applications.
//!
//! A flow over TCP is open while its client has a connection, a flow over UDP from its start to its stop. A gap that crosses
//! the edge of a window counts with the part inside. Each delivery costs one comparison.

use crate::ground::scope::{PerScope, Scope};
use tailrace_core::{Duration, Instant};

/// Delivery gaps of one flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeliveryGap {
    /// Start of the current gap: the latest of opening, last delivery and end of the warm-up; `MAX` while the flow is closed.
    since: Instant,
    /// The later of opening and end of the warm-up.
    opened: Instant,
    /// Last delivery before that; `MAX` without one.
    before: Instant,
    /// Time at which the flow closes.
    until: Instant,
    /// Longest finished gap of each scope; that of the window is never longer than that of the run.
    longest: PerScope<Duration>,
}

impl DeliveryGap {
    /// A flow that is open from `start` to `stop`.
    pub(crate) fn between(start: Instant, stop: Instant) -> Self {
        Self { since: start, opened: start, before: Instant::MAX, until: stop, longest: PerScope::default() }
    }

    /// A flow that is closed until [`DeliveryGap::open`].
    pub(crate) fn closed() -> Self {
        Self::between(Instant::MAX, Instant::MAX)
    }

    /// Opens the flow, if it is closed.
    pub(crate) fn open(&mut self, now: Instant) {
        if self.since == Instant::MAX {
            (self.since, self.opened) = (now, now);
        }
    }

    /// Closes the flow: its last connection is closed.
    pub(crate) fn close(&mut self, now: Instant, scope_starts: &PerScope<Option<Instant>>) {
        self.record(now, scope_starts);
        self.before = self.last_delivery().unwrap_or(Instant::MAX);
        self.since = Instant::MAX;
    }

    /// Time of the last delivery while the flow was open; `None` without one. A delivery takes time: none comes at the opening.
    pub(crate) fn last_delivery(&self) -> Option<Instant> {
        let delivered = self.since != Instant::MAX && self.since > self.opened;
        Some(if delivered { self.since } else { self.before }).filter(|at| *at != Instant::MAX)
    }

    /// Ends the current gap by a delivery, given the start of each scope.
    #[inline]
    pub(crate) fn on_delivery(&mut self, now: Instant, scope_starts: &PerScope<Option<Instant>>) {
        if self.since == Instant::MAX {
            return; // A closed flow has no gap.
        }
        if now.saturating_since(self.since) > self.longest[Scope::Window] {
            self.record(now, scope_starts);
        }
        self.since = now;
    }

    #[inline(never)]
    fn record(&mut self, now: Instant, scope_starts: &PerScope<Option<Instant>>) {
        for scope in Scope::BOTH {
            self.longest[scope] = self.longest[scope].max(self.current(now, scope_starts[scope]));
        }
    }

    /// Whether the flow is open.
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        self.since <= now && now <= self.until
    }

    /// Length of the current gap within a scope that began at `start`.
    fn current(&self, now: Instant, start: Option<Instant>) -> Duration {
        now.min(self.until).saturating_since(self.since.max(start.unwrap_or(Instant::ZERO)))
    }

    /// Starts a window.
    pub(crate) fn begin(&mut self, scope: Scope, now: Instant) {
        self.longest[scope] = Duration::ZERO;
        if scope == Scope::Run {
            self.longest[Scope::Window] = Duration::ZERO;
            if self.since <= now {
                self.before = self.last_delivery().unwrap_or(Instant::MAX);
                (self.since, self.opened) = (now, now);
            }
        }
    }

    /// Longest gap of a scope that began at `start`, as if it ended now; `None` if the flow was never open in it.
    pub(crate) fn longest(&self, scope: Scope, now: Instant, start: Option<Instant>) -> Option<Duration> {
        let longest = self.longest[scope].max(self.current(now, start));
        (!longest.is_zero()).then_some(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// Longest gaps of the run and the window, in milliseconds.
    fn longest(gap: &DeliveryGap, now: u64, starts: &PerScope<Option<Instant>>) -> [Option<u64>; 2] {
        Scope::BOTH.map(|scope| gap.longest(scope, at(now), starts[scope]).map(|d| d.as_nanos() / 1_000_000))
    }

    #[test]
    fn gap_counts_from_opening_to_closing_including_the_current_one() {
        let (mut gap, starts) = (DeliveryGap::closed(), PerScope::default());
        gap.on_delivery(at(5), &starts);
        assert_eq!(longest(&gap, 9, &starts), [None, None], "never open");
        assert!(!gap.is_open(at(9)));
        gap.open(at(10));
        gap.on_delivery(at(40), &starts);
        gap.open(at(45));
        gap.on_delivery(at(60), &starts);
        assert_eq!(longest(&gap, 70, &starts), [Some(30), Some(30)]);
        assert_eq!(longest(&gap, 95, &starts), [Some(35), Some(35)], "the current gap counts");
        gap.close(at(80), &starts);
        gap.on_delivery(at(200), &starts);
        assert_eq!(longest(&gap, 300, &starts), [Some(30), Some(30)]);
        gap.open(at(400));
        gap.on_delivery(at(450), &starts);
        assert_eq!(longest(&gap, 460, &starts), [Some(50), Some(50)]);
    }

    #[test]
    fn gap_counts_with_the_part_inside_each_scope() {
        let (mut gap, mut starts) = (DeliveryGap::between(at(0), at(1000)), PerScope::default());
        gap.on_delivery(at(70), &starts);
        // The warm-up ends, and with it begins the first part.
        for scope in Scope::BOTH {
            starts[scope] = Some(at(100));
            gap.begin(scope, at(100));
        }
        gap.on_delivery(at(150), &starts);
        gap.on_delivery(at(160), &starts);
        assert_eq!(longest(&gap, 200, &starts), [Some(50), Some(50)]);
        starts[Scope::Window] = Some(at(200));
        gap.begin(Scope::Window, at(200));
        // Since 160 ms for the run, since 200 ms for the window.
        gap.on_delivery(at(230), &starts);
        assert_eq!(longest(&gap, 230, &starts), [Some(70), Some(30)]);
        assert!(gap.is_open(at(1000)) && !gap.is_open(at(1001)));
        gap.on_delivery(at(990), &starts);
        gap.on_delivery(at(1200), &starts);
        assert_eq!(longest(&gap, 1300, &starts), [Some(760), Some(760)], "stopped at 1000 ms");
    }

    #[test]
    fn last_delivery_outlives_the_end_of_the_warm_up_and_another_opening() {
        let (mut gap, mut starts) = (DeliveryGap::closed(), PerScope::default());
        gap.open(at(10));
        assert_eq!(gap.last_delivery(), None);
        gap.on_delivery(at(90), &starts);
        starts[Scope::Run] = Some(at(100));
        gap.begin(Scope::Run, at(100));
        assert_eq!(gap.last_delivery(), Some(at(90)));
        gap.on_delivery(at(130), &starts);
        gap.close(at(200), &starts);
        gap.open(at(300));
        assert_eq!(gap.last_delivery(), Some(at(130)));
        gap.on_delivery(at(301), &starts);
        assert_eq!(gap.last_delivery(), Some(at(301)));
    }

    #[test]
    fn gap_of_the_warm_up_does_not_hide_a_shorter_one_after_it() {
        let (mut gap, mut starts) = (DeliveryGap::between(at(0), Instant::MAX), PerScope::default());
        gap.on_delivery(at(90), &starts);
        starts[Scope::Run] = Some(at(100));
        gap.begin(Scope::Run, at(100));
        gap.on_delivery(at(130), &starts);
        gap.on_delivery(at(165), &starts);
        assert_eq!(longest(&gap, 166, &starts)[0], Some(35));
    }
}
