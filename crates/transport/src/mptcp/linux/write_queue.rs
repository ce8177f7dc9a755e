//! Send buffer of a connection as Linux fills it: the application writes fragments until memory is used up, then sleeps until a third is
//! free (`mptcp_sendmsg`, `sk_stream_is_writeable`).

use crate::mptcp::linux::data_frag::Fragments;
use crate::mptcp::linux::send_buffer::SendBuffer;

/// State of the application's `send` call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    /// It has not written yet.
    Idle,
    /// It writes as long as there is any room.
    Writing,
    /// It has found no room, and sleeps until a third of the buffer is free.
    Blocked,
}

/// Written data in memory.
#[derive(Clone, Debug)]
pub(crate) struct WriteQueue {
    buffer: SendBuffer,
    /// Data sequence number after the last byte that fits into memory.
    stored: u64,
    writer: Writer,
    fragments: Fragments,
}

impl WriteQueue {
    pub(crate) fn new(buffer: SendBuffer) -> Self {
        Self { buffer, stored: 0, writer: Writer::Idle, fragments: Fragments::default() }
    }

    /// The first byte has number `dsn`.
    pub(crate) const fn start(&mut self, dsn: u64) {
        self.stored = dsn;
    }

    /// Data sequence number after the last byte in memory.
    #[inline]
    pub(crate) const fn stored(&self) -> u64 {
        self.stored
    }

    #[inline]
    pub(crate) const fn fragments(&self) -> &Fragments {
        &self.fragments
    }

    #[inline]
    pub(crate) const fn fragments_mut(&mut self) -> &mut Fragments {
        &mut self.fragments
    }

    #[inline]
    pub(crate) const fn buffer_mut(&mut self) -> &mut SendBuffer {
        &mut self.buffer
    }

    /// Lets the application write what it has, up to `app_end`, behind the unacknowledged data from `una` on. Whether it has written.
    pub(crate) fn write(&mut self, una: u64, app_end: u64) -> bool {
        if self.stored >= app_end {
            return false;
        }
        let held = self.stored.saturating_sub(una);
        let written = if self.writer == Writer::Writing || self.is_writeable(una) {
            self.fragments.write(self.stored, held, self.buffer.size())
        } else {
            0
        };
        self.stored += written;
        self.writer = if written > 0 { Writer::Writing } else { Writer::Blocked };
        written > 0
    }

    /// Whether the application sleeps for want of room.
    #[inline]
    pub(crate) fn is_blocked(&self) -> bool {
        self.writer == Writer::Blocked
    }

    /// Whether the application sleeps and there is room to wake it.
    #[inline]
    pub(crate) fn wakes_writer(&self, una: u64) -> bool {
        self.is_blocked() && self.is_writeable(una)
    }

    #[inline]
    fn is_writeable(&self, una: u64) -> bool {
        self.buffer.is_writeable(self.stored.saturating_sub(una) + self.fragments.headers())
    }
}
