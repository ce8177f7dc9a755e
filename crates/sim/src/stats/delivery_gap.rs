//! The longest time in which a flow that was open brought its applications nothing.
//!
//! A flow over TCP is open while it has a connection that is not over at its client, one over UDP between its start and its
//! stop. What was silent before a window began, or goes on when it ends, counts as far as it lies within: so there is a moment
//! for the whole and a longest time for each window, and a delivery pays a comparison.

use crate::ground::scope::{Each, Open};
use crate::host::hosts::World;
use crate::packet::socket_id::SocketId;
use tailrace_core::{Duration, Instant};

/// Of one flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    /// The latest of its opening, its last delivery and the beginning of the statistics; `MAX` while it is not open.
    since: Instant,
    /// It is not open after that.
    until: Instant,
    /// The longest that is over, in each open window; that of the part is never longer than that of the whole.
    longest: Each<Duration>,
}

impl Silence {
    /// Of a flow that will be open between these times.
    pub(crate) fn between(start: Instant, stop: Instant) -> Self {
        Self { since: start, until: stop, longest: Each::default() }
    }

    /// Of a flow that is open when it says so.
    pub(crate) fn closed() -> Self {
        Self::between(Instant::MAX, Instant::MAX)
    }

    /// A connection is opened.
    pub(crate) fn open(&mut self, now: Instant) {
        if self.since == Instant::MAX {
            self.since = now;
        }
    }

    /// The last connection is over.
    pub(crate) fn close(&mut self, now: Instant, begun: &Each<Option<Instant>>) {
        self.note(now, begun);
        self.since = Instant::MAX;
    }

    /// Applications got something; windows began then.
    #[inline]
    pub(crate) fn end(&mut self, now: Instant, begun: &Each<Option<Instant>>) {
        if self.since == Instant::MAX {
            return; // What comes when it is not open any more breaks no silence.
        }
        if now.saturating_since(self.since) > self.longest[Open::Part] {
            self.note(now, begun);
        }
        self.since = now;
    }

    #[inline(never)]
    fn note(&mut self, now: Instant, begun: &Each<Option<Instant>>) {
        for open in Open::BOTH {
            self.longest[open] = self.longest[open].max(self.present(now, begun[open]));
        }
    }

    /// Whether the flow is.
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        self.since <= now && now <= self.until
    }

    /// How long it has lasted, within a window that began then.
    fn present(&self, now: Instant, begun: Option<Instant>) -> Duration {
        now.min(self.until).saturating_since(self.since.max(begun.unwrap_or(Instant::ZERO)))
    }

    /// A window begins.
    pub(crate) fn begin(&mut self, open: Open, now: Instant) {
        self.longest[open] = Duration::ZERO;
        if open == Open::Whole {
            self.longest[Open::Part] = Duration::ZERO;
            self.since = self.since.max(now);
        }
    }

    /// The longest in a window that began then, as if it ended now; none where the flow was not open.
    fn longest(&self, open: Open, now: Instant, begun: Option<Instant>) -> Option<Duration> {
        let longest = self.longest[open].max(self.present(now, begun));
        (!longest.is_zero()).then_some(longest)
    }
}

impl World {
    /// A connection of a flow is over at this client.
    pub(crate) fn fall_silent(&mut self, client: SocketId, now: Instant) {
        let Some(flow) = self.sockets.get(client).map(|socket| socket.end().flow()) else { return };
        let is_open = self.sockets_of(flow).any(|s| !s.end().is_server() && !s.endpoint.is_over());
        if !is_open {
            self.flows[flow].silence.close(now, &self.begun);
        }
    }

    /// The longest silence of a flow in a window, in seconds; NaN where it was not open.
    pub(crate) fn longest_silence_s(&self, flow: usize, open: Open, now: Instant) -> f64 {
        let longest = self.flows[flow].silence.longest(open, now, self.begun[open]);
        longest.map_or(f64::NAN, Duration::as_secs_f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// Its longest in the whole and in the part, in milliseconds.
    fn longest(silence: &Silence, now: u64, begun: &Each<Option<Instant>>) -> [Option<u64>; 2] {
        Open::BOTH.map(|open| silence.longest(open, at(now), begun[open]).map(|d| d.as_nanos() / 1_000_000))
    }

    #[test]
    fn it_counts_from_the_opening_to_the_end_with_what_is_under_way() {
        let (mut silence, begun) = (Silence::closed(), Each::default());
        silence.end(at(5), &begun);
        assert_eq!(longest(&silence, 9, &begun), [None, None], "it was never open");
        assert!(!silence.is_open(at(9)));
        silence.open(at(10));
        silence.end(at(40), &begun);
        silence.open(at(45));
        silence.end(at(60), &begun);
        assert_eq!(longest(&silence, 70, &begun), [Some(30), Some(30)]);
        assert_eq!(longest(&silence, 95, &begun), [Some(35), Some(35)], "still silent");
        silence.close(at(80), &begun);
        silence.end(at(200), &begun);
        assert_eq!(longest(&silence, 300, &begun), [Some(30), Some(30)]);
        silence.open(at(400));
        silence.end(at(450), &begun);
        assert_eq!(longest(&silence, 460, &begun), [Some(50), Some(50)]);
    }

    #[test]
    fn of_a_window_is_what_lies_within() {
        let (mut silence, mut begun) = (Silence::between(at(0), at(1000)), Each::default());
        silence.end(at(70), &begun);
        // The warm-up ends, and with it begins the first part.
        for open in Open::BOTH {
            begun[open] = Some(at(100));
            silence.begin(open, at(100));
        }
        silence.end(at(150), &begun);
        silence.end(at(160), &begun);
        assert_eq!(longest(&silence, 200, &begun), [Some(50), Some(50)]);
        begun[Open::Part] = Some(at(200));
        silence.begin(Open::Part, at(200));
        // From 160 on in the whole, from 200 on in the part.
        silence.end(at(230), &begun);
        assert_eq!(longest(&silence, 230, &begun), [Some(70), Some(30)]);
        assert!(silence.is_open(at(1000)) && !silence.is_open(at(1001)));
        silence.end(at(990), &begun);
        silence.end(at(1200), &begun);
        assert_eq!(longest(&silence, 1300, &begun), [Some(760), Some(760)], "it stopped at 1000");
    }

    #[test]
    fn without_windows_a_silence_of_the_warm_up_hides_none_after_it() {
        let (mut silence, mut begun) = (Silence::between(at(0), Instant::MAX), Each::default());
        silence.end(at(90), &begun);
        begun[Open::Whole] = Some(at(100));
        silence.begin(Open::Whole, at(100));
        silence.end(at(130), &begun);
        silence.end(at(165), &begun);
        assert_eq!(longest(&silence, 166, &begun)[0], Some(35));
    }
}
