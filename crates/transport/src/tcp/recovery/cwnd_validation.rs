//! Whether cwnd is what limits the sender, as Linux sees it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`): what was so at
//! some time in a round trip counts for all of it, and slow start goes on up to twice the largest flight.

use super::Tcp;
use crate::cc::CongestionControl;

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
    fn note(&mut self, (full, waits): (bool, bool), (una, nxt): (u64, u64), flight: u64) {
        let sent = core::mem::replace(&mut self.seen, nxt) != nxt;
        let counts = sent || (full && waits);
        if !counts {
            return;
        }
        if full || una >= self.end || (!self.limited && flight > self.most) {
            (self.limited, self.most, self.end) = (full, flight, nxt);
        }
    }
}

impl Tcp {
    /// Nothing more is sent for now; the window is the reason if it is `full`.
    #[inline(never)]
    pub(in crate::tcp) fn note_usage(&mut self, full: bool) {
        let (una, nxt) = (self.board.una, self.board.nxt);
        let waits = self.tuned_send_buffer().is_none_or(|buffer| !buffer.queue.is_all_sent());
        if let Some(repair) = &mut self.repair {
            repair.cwnd_validation.note((full, waits), (una, nxt), self.board.segments());
        }
    }

    /// Whether nothing has been sent since that was noted.
    #[inline]
    pub(in crate::tcp) fn has_noted_usage(&self) -> bool {
        self.repair.as_ref().is_some_and(|repair| repair.cwnd_validation.seen == self.board.nxt)
    }

    /// Whether the window may grow, as it is what limits.
    #[inline]
    pub(in crate::tcp) fn is_cwnd_limited(&self) -> bool {
        match &self.repair {
            _ if !self.config.cwnd_validation => true,
            Some(repair) if self.config.lasting_limit => {
                let (cwnd, cwnd_validation) = (self.cc.cwnd(), &repair.cwnd_validation);
                let slow_start = self.cc.ssthresh().is_none_or(|s| cwnd < s);
                cwnd_validation.limited
                    || (slow_start && cwnd.get() < 2 * cwnd_validation.most * u64::from(self.mss))
            }
            _ => self.cwnd_limited,
        }
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
