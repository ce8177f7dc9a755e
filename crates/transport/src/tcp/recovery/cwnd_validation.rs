//! Congestion window validation as Linux does it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`): a window that was full at some
//! time in a round trip counts as full for all of it, and slow start goes on up to twice the largest flight.

use tailrace_core::Bytes;

/// Use of the window in the present round trip.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CwndValidation {
    /// The window was full at some time.
    limited: bool,
    /// The largest flight, segments.
    most: u64,
    /// End of the round trip: SND.NXT when this was noted.
    end: u64,
    /// SND.NXT at the last note.
    seen: u64,
}

impl CwndValidation {
    /// All that may be sent is sent: `flight` segments, from `una` up to `nxt`. `full`: the window has no room for more;
    /// `waits`: there is more data.
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
