//! Whether cwnd is what limits the sender, as Linux sees it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`): what was so at
//! some time in a round trip counts for all of it, and slow start goes on up to twice the largest flight.

use tailrace_core::Bytes;

/// How the window has been used in the round trip under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CwndValidation {
    /// It was full at some time.
    limited: bool,
    /// The largest flight, segments.
    most: u64,
    /// What was sent when that was noted: beyond it another round trip begins.
    end: u64,
    /// What had been sent at the last look.
    seen: u64,
}

impl CwndValidation {
    /// All that goes for now has been sent: `flight` segments, from `una` up to `nxt`; `full` says that the window has no room for more, and
    /// `waits` that there is more.
    pub(super) fn note(&mut self, (full, waits): (bool, bool), (una, nxt): (u64, u64), flight: u64) {
        let sent = core::mem::replace(&mut self.seen, nxt) != nxt;
        let counts = sent || (full && waits);
        if !counts {
            return;
        }
        if full || una >= self.end || (!self.limited && flight > self.most) {
            (self.limited, self.most, self.end) = (full, flight, nxt);
        }
    }

    /// Whether nothing was sent beyond `nxt` since the last note.
    pub(super) const fn is_noted_up_to(&self, nxt: u64) -> bool {
        self.seen == nxt
    }

    /// Whether cwnd limits the sender: it was full in this round trip, or slow start has not reached twice the largest flight.
    pub(super) fn is_limited(&self, cwnd: Bytes, ssthresh: Option<Bytes>, mss: u64) -> bool {
        let slow_start = ssthresh.is_none_or(|s| cwnd < s);
        self.limited || (slow_start && cwnd.get() < 2 * self.most * mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_was_full_once_counts_for_a_round_trip() {
        let mut cwnd_validation = CwndValidation::default();
        cwnd_validation.note((true, true), (0, 1000), 10);
        cwnd_validation.note((false, true), (500, 1200), 7);
        assert!(cwnd_validation.limited, "the round trip goes up to 1000");
        cwnd_validation.note((false, true), (1000, 1300), 3);
        assert_eq!((cwnd_validation.limited, cwnd_validation.most), (false, 3));
        cwnd_validation.note((false, true), (1100, 1600), 5);
        assert_eq!((cwnd_validation.limited, cwnd_validation.most), (false, 5), "a larger flight");
        cwnd_validation.note((false, true), (1590, 1600), 1);
        assert_eq!(cwnd_validation.most, 5, "nothing was sent");
        cwnd_validation.note((false, true), (1600, 1700), 1);
        assert_eq!(cwnd_validation.most, 1);
        cwnd_validation.note((true, false), (1650, 1700), 1);
        assert!(!cwnd_validation.limited, "nothing was sent, and nothing waits");
        cwnd_validation.note((true, false), (1650, 1800), 2);
        assert!(cwnd_validation.limited, "the last that there was has filled it");
    }
}
