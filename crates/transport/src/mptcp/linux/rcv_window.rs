//! Receive window of a connection as Linux shows it: half or another share of the memory that is free, in units of the window field
//! (`__tcp_select_window`), as the ACK knows it that leaves before or after a read.

use crate::mptcp::linux::buffer_size::GrownBuffer;
use crate::mptcp::linux::rcv_buffer::RcvBuffer;
use crate::tcp::linux::receive_queue::READ;
use tailrace_core::{Duration, Instant};

/// ACK that fell due as data arrived, and shows the window before the read or during it.
#[derive(Clone, Copy, Debug)]
struct PendingAck {
    /// Subflow on which it leaves.
    id: usize,
    window: AckWindow,
    /// Whether the read has opened the window wide since: another ACK follows.
    opened: bool,
}

/// Window of a pending ACK.
#[derive(Clone, Copy, Debug)]
enum AckWindow {
    /// A window in bytes.
    Fixed(u64),
    /// Window beside so much memory in use, of a buffer that may have grown by the read.
    Beside(u64),
}

/// Receive window over memory.
#[derive(Clone, Debug)]
pub(crate) struct LinuxWindow {
    memory: RcvBuffer,
    /// Window of the free memory, until data arrives or is read.
    free: Option<u64>,
    /// Window that the last segment showed, however much has arrived since (`old_wspace`).
    shown: u64,
    pending_ack: Option<PendingAck>,
}

impl LinuxWindow {
    pub(crate) fn new(memory: RcvBuffer) -> Self {
        Self { memory, free: None, shown: 0, pending_ack: None }
    }

    pub(crate) const fn memory(&self) -> &RcvBuffer {
        &self.memory
    }

    pub(crate) const fn memory_mut(&mut self) -> &mut RcvBuffer {
        &mut self.memory
    }

    /// Data has arrived or was read.
    #[inline]
    pub(crate) const fn invalidate(&mut self) {
        self.free = None;
    }

    /// A segment shows a window of `shown` bytes.
    #[inline]
    pub(crate) const fn set_shown(&mut self, shown: u64) {
        self.shown = shown;
    }

    /// Window of the free memory, while `unread` bytes wait for the application.
    #[inline]
    pub(crate) fn free(&mut self, unread: u64) -> u64 {
        self.free.unwrap_or_else(|| self.measure(unread))
    }

    #[inline(never)]
    fn measure(&mut self, unread: u64) -> u64 {
        let window = self.free_before_read(unread);
        self.free = Some(window);
        window
    }

    /// Window of the free memory before the application reads `unread` bytes.
    pub(crate) fn free_before_read(&self, unread: u64) -> u64 {
        self.memory.window(self.memory.held(unread))
    }

    /// Window of the free memory, as the next ACK on subflow `id` knows it.
    #[inline]
    pub(crate) fn free_on(&mut self, id: usize, unread: u64) -> u64 {
        match self.pending_ack.filter(|ack| ack.id == id).map(|ack| ack.window) {
            Some(AckWindow::Fixed(window)) => window,
            Some(AckWindow::Beside(held)) => self.memory.window(held),
            None => self.free(unread),
        }
    }

    /// Whether that is less than half of what the empty buffer leaves, or of `most` (`__tcp_select_window`).
    #[inline]
    pub(crate) fn is_half_full(&mut self, id: usize, unread: u64, most: u64) -> bool {
        let free = self.free_on(id, unread);
        self.memory.is_half_full(free, most)
    }

    /// `window`, at most `most`, in multiples of `unit`: rounded up, or down if less than half is free (`__tcp_select_window`).
    #[inline]
    pub(crate) fn in_units(&self, window: u64, (most, unit): (u64, u64)) -> u64 {
        debug_assert!(unit.is_power_of_two(), "it is a shift");
        let less = self.memory.is_half_full(window, u64::MAX);
        let whole = if less { window & !(unit - 1) } else { window };
        (whole.min(most) + (unit - 1)) & !(unit - 1)
    }

    /// The ACK that is due on subflow `id` leaves before the application reads `unread` bytes.
    pub(crate) fn ack_before_read(&mut self, id: usize, unread: u64) {
        let window = AckWindow::Fixed(self.free_before_read(unread));
        self.pending_ack = Some(PendingAck { id, window, opened: false });
    }

    /// The ACK that is due on subflow `id` leaves after the first of the reads that `unread` bytes take.
    pub(crate) fn ack_after_read(&mut self, id: usize, unread: u64) {
        if unread > READ {
            let window = AckWindow::Beside(self.memory.held_after_first_read());
            self.pending_ack = Some(PendingAck { id, window, opened: false });
        }
    }

    /// The window has opened wide. Whether the ACK that is about to leave on subflow `id` does not show it, so that another follows.
    pub(crate) fn updates_after_ack(&mut self, id: usize) -> bool {
        let ack = self.pending_ack.as_mut().filter(|ack| ack.id == id);
        ack.map(|ack| ack.opened = true).is_some()
    }

    /// An ACK has left on subflow `id`. Whether it was pending, and whether another follows it.
    #[inline]
    pub(crate) fn take_pending_ack(&mut self, id: usize) -> Option<bool> {
        self.pending_ack.take_if(|ack| ack.id == id).map(|ack| ack.opened)
    }

    /// Whether the window is twice the one shown last, or more (`mptcp_cleanup_rbuf`).
    pub(crate) fn opens_wide(&mut self, unread: u64) -> bool {
        let window = self.free(unread);
        window > 0 && window >= 2 * self.shown
    }

    /// Whether it still is after the pending ACK, which shows the window before the read.
    pub(crate) fn opens_wide_after_ack(&mut self, unread: u64) -> bool {
        let shown = match self.pending_ack.map(|ack| ack.window) {
            Some(AckWindow::Fixed(window)) => self.shown.min(window),
            _ => self.shown,
        };
        let window = self.free(unread);
        window > 0 && window >= 2 * shown
    }

    /// The application has read `bytes`; see [`RcvBuffer::on_read`].
    pub(crate) fn on_read(
        &mut self,
        bytes: u64,
        look: impl FnOnce() -> (Duration, u64),
        now: Instant,
    ) -> Option<GrownBuffer> {
        self.invalidate();
        self.memory.on_read(bytes, look, now)
    }
}
