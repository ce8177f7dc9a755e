//! The peer's window, as it was told last (SND.WND, SND.WL1 and SND.WL2 of RFC 9293 §3.3.1).

use crate::segment::Segment;

/// Only a segment newer than the one that told the window last may change it.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct SendWindow {
    /// Sequence and acknowledgment number of the segment that told it (SND.WL1, SND.WL2).
    told_by: (u64, u64),
    /// SND.WND, bytes.
    size: u32,
    /// The largest that it has been, bytes.
    largest: u32,
    /// The field of that segment, as it stood there.
    field: u16,
    /// Shift of the fields that are to come, at most 14.
    scale: u8,
}

impl SendWindow {
    /// A SYN has told it, whose window is never scaled (RFC 7323 §2.2).
    pub(in crate::tcp) fn of_syn(segment: &Segment, told_by: (u64, u64), scale: u8) -> Self {
        let size = u32::from(segment.window);
        Self { told_by, size, largest: size, field: segment.window, scale: scale.min(14) }
    }

    /// The SYN of this end is acknowledged by `segment`, up to `ack`.
    pub(in crate::tcp) fn on_established(&mut self, segment: &Segment, ack: u64) {
        self.told_by.1 = ack;
        self.field = segment.window;
    }

    /// Takes the window of `segment` with these sequence and acknowledgment numbers, if it is newer than the last (RFC 9293
    /// §3.10.7.4). Whether it was taken.
    #[inline(always)]
    pub(in crate::tcp) fn update(&mut self, segment: &Segment, told_by: (u64, u64)) -> bool {
        if told_by < self.told_by {
            return false;
        }
        self.told_by = told_by;
        self.field = segment.window;
        self.size = self.scaled(segment);
        self.largest = self.largest.max(self.size);
        true
    }

    /// SND.WND, bytes.
    #[inline(always)]
    pub(in crate::tcp) const fn size(&self) -> u64 {
        self.size as u64
    }

    /// The largest that it has been, bytes.
    #[inline(always)]
    pub(in crate::tcp) const fn largest(&self) -> u64 {
        self.largest as u64
    }

    /// Whether `segment` repeats the field that told it.
    #[inline(always)]
    pub(in crate::tcp) const fn is_repeated_by(&self, segment: &Segment) -> bool {
        segment.window == self.field
    }

    /// Whether `segment`, which begins at `seq`, would change it whatever it acknowledges (Linux `tcp_may_update_window`).
    pub(in crate::tcp) fn is_moved_by(&self, segment: &Segment, seq: u64) -> bool {
        let size = self.scaled(segment);
        seq > self.told_by.0 || (seq == self.told_by.0 && (size > self.size || size == 0))
    }

    /// The window of a segment without SYN, bytes.
    #[inline(always)]
    pub(in crate::tcp) fn scaled(&self, segment: &Segment) -> u32 {
        u32::from(segment.window) << self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn telling(window: u16) -> Segment {
        Segment { window, ..Segment::default() }
    }

    #[test]
    fn a_window_is_scaled_but_for_that_of_a_syn() {
        let mut window = SendWindow::of_syn(&telling(1000), (99, 0), 7);
        assert_eq!((window.size(), window.largest()), (1000, 1000));
        assert!(window.update(&telling(10), (100, 1)));
        assert_eq!((window.size(), window.largest()), (1280, 1280));
        assert!(window.update(&telling(u16::MAX), (100, 1)));
        assert_eq!(SendWindow::of_syn(&telling(0), (0, 0), 200).scaled(&telling(u16::MAX)), 65_535 << 14);
    }

    #[test]
    fn overtaken_segment_does_not_change_the_send_window() {
        let mut window = SendWindow::of_syn(&telling(1000), (100, 50), 0);
        assert!(window.update(&telling(2000), (200, 60)));
        assert!(!window.update(&telling(10), (199, 70)), "earlier data");
        assert!(!window.update(&telling(10), (200, 59)), "the same data, an earlier acknowledgment");
        assert!(window.is_repeated_by(&telling(2000)));
        assert!(window.update(&telling(500), (200, 60)), "the same, told anew");
        assert_eq!((window.size(), window.largest()), (500, 2000));
    }

    #[test]
    fn send_window_moves_with_newer_data_or_a_grown_or_shut_window() {
        let window = SendWindow::of_syn(&telling(1000), (100, 50), 0);
        assert!(window.is_moved_by(&telling(1000), 101));
        assert!(window.is_moved_by(&telling(1001), 100) && window.is_moved_by(&telling(0), 100));
        assert!(!window.is_moved_by(&telling(1000), 100) && !window.is_moved_by(&telling(2000), 99));
    }
}
