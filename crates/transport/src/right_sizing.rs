//! Dynamic right-sizing of receive buffers (Fisk and Feng, "Dynamic right-sizing in TCP", LACSI 2001, as in Linux 6.1:
//! `tcp_rcv_space_adjust`, `mptcp_rcv_space_adjust`): what the application takes in a round trip tells how large the
//! buffer must be.

use crate::buffer_sizes::{DESCRIPTION, HEADER, SHARED};
use tailrace_core::{Duration, Instant};

/// Bytes that the application takes in a round trip. Positions are those of any stream, since only differences count.
#[derive(Clone, Debug)]
pub(crate) struct RightSizing {
    /// Taken in the last round trip that the buffer was sized for (`rcvq_space.space`), bytes; not zero.
    taken: u64,
    /// Where the application stood when this round trip began, and when that was.
    since: (u64, Instant),
    /// This round trip ends with the next read.
    ends: bool,
}

impl RightSizing {
    /// The buffer is good for `expected` bytes a round trip; the application has read up to `read`.
    pub(crate) const fn new(expected: u64, read: u64, now: Instant) -> Self {
        let taken = if expected == 0 { 1 } else { expected };
        Self { taken, since: (read, now), ends: false }
    }

    /// Nothing has been read, and the first round trip begins.
    pub(crate) const fn begin(&mut self, now: Instant) {
        self.since = (0, now);
    }

    /// Nothing has been read; round trips begin with the first read after which their length is known.
    pub(crate) const fn begin_with_reading(&mut self) {
        self.ends = true;
    }

    /// Whether a round trip of this length is over.
    pub(crate) fn is_over(&self, rtt: Duration, now: Instant) -> bool {
        self.ends || now.saturating_since(self.since.1) >= rtt
    }

    /// The application has read up to `read`; segments carry `mss` bytes, and a round trip takes `rtt`, zero where that is
    /// not known yet. Returns the memory that the buffer should have: none before the round trip is over, or where no
    /// more was taken in it than the buffer was sized for.
    pub(crate) fn on_read(&mut self, read: u64, rtt: Duration, mss: u64, now: Instant) -> Option<u64> {
        let window = self.window_on_read((read, 0), rtt, mss, now)?;
        Some((window / mss).saturating_mul(memory_of_segment(mss)))
    }

    /// The window that the buffer should have, under the same conditions; what lies `behind` what has been read could be, too, and was
    /// not taken in this round trip (Linux 6.12).
    pub(crate) fn window_on_read(
        &mut self,
        (read, behind): (u64, u64),
        rtt: Duration,
        mss: u64,
        now: Instant,
    ) -> Option<u64> {
        if rtt.is_zero() || !self.is_over(rtt, now) {
            return None;
        }
        let copied = read.saturating_sub(self.since.0).saturating_sub(behind);
        (self.since, self.ends) = ((read, now), false);
        (copied > self.taken).then(|| window(copied, core::mem::replace(&mut self.taken, copied), mss))
    }
}

/// A round trip as a receiver sees it without timestamps: what comes beyond a window was let in by what the peer has heard since that was
/// told (`tcp_rcv_rtt_measure`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowRtt(Option<(u64, Instant)>);

impl WindowRtt {
    /// All up to `nxt` has come, while the last window told was of so much. Returns how long it took, once as much as an earlier one has
    /// come.
    pub(crate) fn on_order(&mut self, nxt: u64, window: u64, now: Instant) -> Option<Duration> {
        let passed = match self.0 {
            Some((end, _)) if nxt < end => return None,
            Some((_, since)) => Some(now.saturating_since(since).max(Duration::from_micros(1))),
            None => None,
        };
        // Before anything was told, or where nothing is let in, nothing can pass.
        self.0 = (window > 0).then(|| (nxt.saturating_add(window), now));
        passed
    }
}

/// The least of such round trips counts, in eighths of a microsecond; zero is none yet (`tcp_rcv_rtt_update`).
pub(crate) fn least_round_trip(eighths: u64, passed: Duration) -> u64 {
    let sample = passed.as_micros().saturating_mul(8);
    if eighths == 0 { sample } else { eighths.min(sample) }
}

/// Twice what was taken in a round trip, as some will be lost, and as much again as that is growing: it was `before`.
fn window(copied: u64, before: u64, mss: u64) -> u64 {
    let steady = 2 * copied + 16 * mss;
    let growth = u128::from(steady) * u128::from(copied - before) / u128::from(before);
    steady.saturating_add(2 * growth.min(1 << 60) as u64)
}

/// Memory granted for a segment of `mss` bytes: at least so much that half of it holds the payload.
fn memory_of_segment(mss: u64) -> u64 {
    let least = mss + HEADER + DESCRIPTION + SHARED;
    least + (2 * mss).saturating_sub(least).div_ceil(128) * 128
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(50);
    const MSS: u64 = 1448;
    const AT: fn(u64) -> Instant = Instant::from_millis;

    #[test]
    fn memory_for_a_segment_is_at_least_twice_its_payload() {
        // 1448 + 896 is raised by five steps of 128 to 2984; 1460 + 896 likewise.
        assert_eq!((memory_of_segment(MSS), memory_of_segment(1460)), (2984, 2996));
        assert_eq!(memory_of_segment(536), 1432, "enough without");
    }

    #[test]
    fn a_buffer_is_sized_for_twice_what_was_taken_and_for_its_growth() {
        let mut law = RightSizing::new(10 * MSS, 5000, AT(0));
        // (2 * 40 + 16) segments, and twice that times (40 - 10) / 10: 96 + 576.
        assert_eq!(law.on_read(5000 + 40 * MSS, RTT, MSS, AT(50)), Some(672 * 2984));
        // Another ten: (2 * 50 + 16), and twice that times (50 - 40) / 40: 116 + 58.
        assert_eq!(law.on_read(5000 + 90 * MSS, RTT, MSS, AT(100)), Some(174 * 2984));
    }

    #[test]
    fn unread_bytes_do_not_count_in_this_round_trip() {
        // Trace of a kernel 6.12: 43,440 bytes read, 10,136 behind them, 28,960 before.
        let mut law = RightSizing::new(28_960, 0, AT(0));
        let window = law.window_on_read((43_440, 10_136), RTT, MSS, AT(50));
        assert_eq!(window, Some(89_776 + 2 * 13_466));
    }

    #[test]
    fn without_timestamps_a_window_takes_a_round_trip_at_least() {
        let mut passage = WindowRtt::default();
        assert_eq!(passage.on_order(1, 0, AT(0)), None);
        assert_eq!(passage.on_order(1448, 10_000, AT(0)), None);
        assert_eq!(passage.on_order(11_447, 10_000, AT(49)), None, "a byte of the window is missing");
        assert_eq!(passage.on_order(11_448, 20_000, AT(50)), Some(RTT));
        assert_eq!(passage.on_order(31_447, 20_000, AT(99)), None);
        let longer = passage.on_order(31_448, 20_000, AT(150)).unwrap();
        assert_eq!((least_round_trip(0, RTT), least_round_trip(400_000, longer)), (400_000, 400_000));
        assert_eq!(least_round_trip(800_001, longer), 800_000);
    }

    #[test]
    fn the_first_read_may_begin_round_trips() {
        // Trace of a kernel 6.1 at the end that accepts a connection: reads of 1424, 14,240 and 28,480 bytes before the buffer
        // grows.
        let mut law = RightSizing::new(14_600, 0, AT(0));
        law.begin_with_reading();
        assert_eq!(law.window_on_read((1424, 0), Duration::ZERO, MSS, AT(4)), None, "no round trip is known");
        assert_eq!(law.window_on_read((1424, 0), RTT, MSS, AT(4)), None);
        assert_eq!(law.window_on_read((15_664, 0), RTT, MSS, AT(53)), None, "it is not over");
        assert_eq!(law.window_on_read((15_664, 0), RTT, MSS, AT(54)), None, "14,240 bytes are not more");
        assert_eq!(law.on_read(44_144, RTT, MSS, AT(104)), Some(477_440));
    }

    #[test]
    fn right_sizing_waits_for_a_round_trip_and_for_more_bytes() {
        let mut law = RightSizing::new(10 * MSS, 0, AT(0));
        assert_eq!(law.on_read(40 * MSS, Duration::ZERO, MSS, AT(90)), None, "no round trip is known");
        assert_eq!(law.on_read(40 * MSS, RTT, MSS, AT(49)), None, "it is not over");
        assert!(law.on_read(40 * MSS, RTT, MSS, AT(50)).is_some());
        assert_eq!(law.on_read(80 * MSS, RTT, MSS, AT(100)), None, "as many again are no more");
        assert_eq!(law.on_read(90 * MSS, RTT, MSS, AT(150)), None);
        assert!(law.on_read(131 * MSS, RTT, MSS, AT(200)).is_some(), "41 since the last round trip");
    }
}
