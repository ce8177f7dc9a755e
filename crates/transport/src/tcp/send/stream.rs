//! The stream to send: the application's data, and the FIN behind it.

/// End of the data of an application that never runs dry; no connection gets there.
const ENDLESS: u64 = 1 << 62;

/// End of the data, as a sequence number. Once closed it does not move, and a FIN follows.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct SendStream {
    /// Position after the last byte that the application has written.
    end: u64,
    /// End of the latest new segment that was not full.
    small_end: u64,
    /// Length of a subflow's next piece of data: no segment has bytes of two.
    piece: u16,
    closed: bool,
}

impl SendStream {
    /// The first byte will be at `start`.
    pub(in crate::tcp) const fn new(start: u64) -> Self {
        Self { end: start, small_end: 0, piece: 0, closed: false }
    }

    /// The application writes `bytes` more; returns how many are taken.
    pub(in crate::tcp) fn write(&mut self, bytes: u64) -> u64 {
        if self.closed {
            return 0;
        }
        let end = self.end.saturating_add(bytes).min(ENDLESS);
        end - core::mem::replace(&mut self.end, end)
    }

    /// No more is written; endless data ends at `nxt`, with what was sent.
    pub(in crate::tcp) fn close(&mut self, nxt: u64) {
        if self.end == ENDLESS {
            self.end = nxt;
        }
        self.closed = true;
    }

    #[inline(always)]
    pub(in crate::tcp) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// After the last byte of data.
    #[inline(always)]
    pub(in crate::tcp) const fn data_end(&self) -> u64 {
        self.end
    }

    /// After all that is to be sent, the FIN included.
    #[inline(always)]
    pub(in crate::tcp) const fn end(&self) -> u64 {
        self.end + self.closed as u64
    }

    /// Bytes of data from `position` on.
    #[inline(always)]
    pub(in crate::tcp) const fn after(&self, position: u64) -> u64 {
        self.end.saturating_sub(position)
    }

    /// Payload and FIN (0 or 1) of the next new segment, which starts at `nxt` and carries at most `most` bytes, where the
    /// window is `open` for so much.
    #[inline(always)]
    pub(in crate::tcp) fn next_len(&self, nxt: u64, most: u64, open: u64) -> (u64, u64) {
        let left = self.after(nxt);
        let len = left.min(most).min(open);
        (len, u64::from(self.closed && len == left && open > len))
    }

    /// Payload and FIN (0 or 1) of what lies between two positions.
    #[inline]
    pub(in crate::tcp) fn content(&self, start: u64, end: u64) -> (u64, u64) {
        (end.min(self.end) - start.min(self.end), u64::from(end > self.end))
    }

    /// A segment of new data up to `end` leaves that is not full.
    #[inline(always)]
    pub(in crate::tcp) fn on_small(&mut self, end: u64) {
        self.small_end = end;
    }

    /// Whether a segment that was not full is on its way, where all is acknowledged up to `una` (Minshall's form of Nagle's
    /// rule).
    #[inline(always)]
    pub(in crate::tcp) const fn has_small_after(&self, una: u64) -> bool {
        self.small_end > una
    }

    #[inline(always)]
    pub(in crate::tcp) fn begin_piece(&mut self, len: u16) {
        self.piece = len;
    }

    #[inline(always)]
    pub(in crate::tcp) const fn piece(&self) -> u64 {
        self.piece as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fin_follows_the_last_byte_where_the_window_has_room_for_both() {
        let mut stream = SendStream::new(100);
        assert_eq!(stream.write(250), 250);
        assert_eq!(stream.next_len(100, 100, 1000), (100, 0));
        assert_eq!(stream.next_len(300, 100, 1000), (50, 0), "not closed");
        stream.close(100);
        assert_eq!((stream.data_end(), stream.end(), stream.write(1)), (350, 351, 0));
        assert_eq!(stream.next_len(250, 100, 1000), (100, 1));
        assert_eq!(stream.next_len(250, 100, 100), (100, 0), "no room for the FIN");
        assert_eq!(stream.next_len(350, 100, 1), (0, 1));
        assert_eq!((stream.content(300, 351), stream.content(350, 351)), ((50, 1), (0, 1)));
    }

    #[test]
    fn endless_data_ends_with_what_was_sent() {
        let mut stream = SendStream::new(100);
        stream.write(u64::MAX);
        assert_eq!(stream.write(5), 0, "there is no more than that");
        assert_eq!(stream.next_len(5000, 100, 1000), (100, 0));
        stream.close(5000);
        assert_eq!((stream.data_end(), stream.end()), (5000, 5001));
    }
}
