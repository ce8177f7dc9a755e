//! Deliveries and reports of one ACK, which the parts of loss recovery judge by.

use crate::tcp::send::scoreboard::SentSegment;
use tailrace_core::Instant;

/// Segments that one ACK delivered, and its D-SACK report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckFindings {
    /// Time and end of the segment sent last among those delivered, without ambiguous retransmissions.
    pub(super) newest: Option<(Instant, u64)>,
    /// End and time of the last of these in Linux's order: SACKed segments first, then the acknowledged ones.
    pub(super) last: Option<(u64, Instant)>,
    /// Lowest start of a delivered segment that was sent once.
    pub(super) low: Option<u64>,
    /// Highest end of a delivered segment.
    pub(super) high: u64,
    /// A segment that was sent once, and before the recovery began, was delivered.
    pub(super) original: bool,
    /// The range that D-SACK reports.
    pub(super) dsack: Option<(u64, u64)>,
    /// The reported range was a loss probe.
    pub(super) dsack_of_probe: bool,
    /// Sending times of the first and the last segment that was SACKed for the first time and sent once.
    pub(super) sacked_from: Option<(Instant, Instant)>,
}

impl AckFindings {
    /// Records a segment that is SACKed for the first time; `genuine`: its sending time is reliable.
    pub(super) fn note_sacked(&mut self, sent: &SentSegment, point: u64, genuine: bool) {
        self.note(sent, point, genuine);
        if genuine {
            self.last = self.last.max(Some((sent.end, sent.at)));
        }
        if !sent.again {
            let (first, last) = self.sacked_from.unwrap_or((sent.at, sent.at));
            self.sacked_from = Some((first.min(sent.at), last.max(sent.at)));
        }
    }

    /// Records a segment that is acknowledged cumulatively; these come in order, after the SACKed ones.
    pub(super) fn note_acked(&mut self, sent: &SentSegment, point: u64, genuine: bool) {
        self.note(sent, point, genuine);
        if genuine {
            self.last = Some((sent.end, sent.at));
        }
    }

    fn note(&mut self, sent: &SentSegment, point: u64, genuine: bool) {
        if genuine {
            self.newest = self.newest.max(Some((sent.at, sent.end)));
        }
        if !sent.again {
            self.low = Some(self.low.map_or(sent.start, |low| low.min(sent.start)));
            self.original |= sent.end <= point;
        }
        self.high = self.high.max(sent.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_segment_that_counts_as_delivered_last_is_the_last_acknowledged_or_else_the_highest_sacked() {
        let sent = |n: u64, ms| SentSegment {
            start: 100 * n,
            end: 100 * (n + 1),
            at: Instant::from_millis(ms),
            again: false,
        };
        let mut seen = AckFindings::default();
        // The first block is the latest, which need not be the highest.
        seen.note_sacked(&sent(5, 273), 0, true);
        seen.note_sacked(&sent(3, 254), 0, true);
        assert_eq!(seen.last, Some((600, Instant::from_millis(273))));
        assert_eq!(seen.sacked_from, Some((Instant::from_millis(254), Instant::from_millis(273))));
        seen.note_sacked(&sent(6, 290), 0, false);
        assert_eq!(seen.last, Some((600, Instant::from_millis(273))), "that may have been sent before");
        seen.note_acked(&sent(0, 212), 0, true);
        seen.note_acked(&sent(1, 232), 0, true);
        assert_eq!(seen.last, Some((200, Instant::from_millis(232))));
        assert_eq!(
            seen.newest,
            Some((Instant::from_millis(273), 600)),
            "which is not the one that was sent last"
        );
    }
}
