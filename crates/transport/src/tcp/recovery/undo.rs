//! Undo of needless recoveries.

use crate::config::TcpConfig;
use crate::tcp::options::clock;
use tailrace_core::Instant;

/// State of the last reduction that may be undone.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// SND.UNA when the last recovery began; `None`: it cannot be undone (any more).
    marker: Option<u64>,
    /// Retransmissions since that no D-SACK has reported.
    unreported: u32,
    /// The time on the first retransmission, and that of the first of all since last none was out (Linux `retrans_stamp`).
    stamp: Option<u32>,
    first: Option<u32>,
    /// The timestamp has been compared with an ACK.
    compared: bool,
    /// The window stays as it is, whatever was needless (Linux `prior_ssthresh` is 0).
    keeps_window: bool,
}

impl Undo {
    /// A recovery begins, with `resent` segments out that were sent again: an ACK may be for one of these, which is no sign that
    /// this recovery is needless.
    pub(super) fn begin(&mut self, una: u64, resent: u64) {
        let first = self.first.filter(|_| resent > 0);
        let unreported = resent.min(u64::from(u32::MAX)) as u32;
        *self =
            Self { marker: Some(una), unreported, stamp: first, first, compared: false, keeps_window: false };
    }
    pub(super) fn forget(&mut self) {
        *self = Self { first: self.first, ..Self::default() };
    }
    /// Whether an ACK without SACK says nothing about it.
    pub(super) fn is_idle(&self) -> bool {
        self.stamp.is_none()
    }
    pub(super) fn is_possible(&self) -> bool {
        self.marker.is_some()
    }
    /// Undoing it later leaves the window as it is.
    pub(super) fn keep_window(&mut self) {
        self.keeps_window = true;
    }
    /// Whether it gives the window back if it was needless.
    pub(super) fn gives_window_back(&self) -> bool {
        self.is_possible() && !self.keeps_window
    }
    /// A segment goes out again.
    pub(super) fn note_resent(&mut self, now: Instant) {
        self.first.get_or_insert(clock(now));
        if self.is_possible() {
            self.unreported += 1;
            if !self.compared {
                self.stamp.get_or_insert(clock(now));
            }
        }
    }
    /// D-SACK reports `range`; whether nothing remains unreported.
    fn report(&mut self, range: (u64, u64), mss: u64) -> bool {
        if self.unreported == 0 || self.marker.is_none_or(|marker| range.1 <= marker) {
            return false;
        }
        let segments = (range.1.saturating_sub(range.0)).div_ceil(mss).max(1);
        self.unreported = self.unreported.saturating_sub(segments.min(u64::from(u32::MAX)) as u32);
        self.unreported == 0
    }

    /// Whether an ACK shows that the last recovery was needless: by `dsack`, the range that it reports, or by `echo`, the
    /// timestamp that it echoes if it acknowledges new data (RFC 3522: the first acceptable ACK decides).
    pub(super) fn is_refuted_by(
        &mut self,
        dsack: Option<(u64, u64)>,
        echo: Option<u32>,
        mss: u64,
        config: &TcpConfig,
    ) -> bool {
        let reported = dsack.is_some_and(|range| self.report(range, mss));
        let earlier = match (echo, self.stamp) {
            (Some(echo), Some(stamp)) => {
                (self.stamp, self.compared) = (None, true);
                (echo.wrapping_sub(stamp) as i32) < 0
            }
            _ => false,
        };
        (reported && config.dsack_undo) || (earlier && config.eifel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retransmissions_of_an_earlier_recovery_count_while_outstanding() {
        let mut undo = Undo::default();
        undo.begin(1000, 0);
        undo.note_resent(Instant::from_millis(300));
        undo.begin(5000, 1);
        undo.note_resent(Instant::from_millis(400));
        assert_eq!((undo.stamp, undo.unreported), (Some(300), 2), "an echo of 350 may be that of the first");
        undo.begin(9000, 0);
        undo.note_resent(Instant::from_millis(500));
        assert_eq!((undo.stamp, undo.unreported), (Some(500), 1));
    }
}
