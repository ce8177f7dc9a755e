//! ACKs and window updates around the application's reads, as Linux times them.
//!
//! An ACK that falls due leaves before the application reads, unless the window would be smaller by it than the last one shown
//! (`__tcp_ack_snd_check`): then it waits for the read and shows the window after it. A read that opens the window wide makes subflows
//! tell the peer (`mptcp_cleanup_rbuf`), and lets the receive buffer grow once a round trip (`mptcp_rcv_space_adjust`). Where buffers
//! count data instead of memory, nothing of this happens: every ACK shows the window as it is.

use super::config::MptcpPlan;
use super::data::receiver::DataReceiver;
use super::subflow::Subflow;
use super::subflow::table::SubflowTable;
use super::write_space::AFTERWARDS;
use tailrace_core::Instant;

/// Pending consequences of reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowUpdates {
    /// Time of the latest read, and the bytes read since the buffer was adjusted last.
    read: Option<(Instant, u64)>,
    /// Time of the next adjustment of the receive buffer, if nothing arrives before.
    adjust_due: Instant,
    /// Time at which subflows tell what the application has read, if the ACK of another has left before the read.
    update_due: Instant,
    /// Subflows whose ACK waits for the next read, one bit each.
    delayed: u32,
}

impl WindowUpdates {
    pub(super) const NONE: Self =
        Self { read: None, adjust_due: Instant::MAX, update_due: Instant::MAX, delayed: 0 };

    /// Earlier of the two deadlines.
    #[inline]
    pub(super) fn deadline(&self) -> Instant {
        self.adjust_due.min(self.update_due)
    }

    #[cfg(test)]
    pub(super) const fn pending_read(&self) -> Option<(Instant, u64)> {
        self.read
    }

    #[cfg(test)]
    pub(super) const fn update_due(&self) -> Instant {
        self.update_due
    }

    #[cfg(test)]
    pub(super) const fn delayed(&self) -> u32 {
        self.delayed
    }

    /// Whether anything is to be done at `now` ([`ReadSide::on_time`]).
    #[inline]
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.read.is_some_and(|(at, _)| at < now) || self.update_due <= now
    }
}

/// Parts of a connection that a read changes.
pub(super) struct ReadSide<'a> {
    pub(super) updates: &'a mut WindowUpdates,
    pub(super) rcv: &'a mut DataReceiver,
    pub(super) subflows: &'a mut SubflowTable,
    pub(super) plan: &'a MptcpPlan,
    /// Whether data is rejected since a checksum failed: it takes window, though nobody reads it.
    pub(super) rejects: bool,
}

impl ReadSide<'_> {
    /// Lets the application read the `bytes` that a segment on subflow `id` has brought in order, or released.
    pub(super) fn on_delivery(&mut self, id: usize, bytes: u64, fills_gap: bool, now: Instant) {
        let (mut acknowledges, mut leaves_first) = (false, false);
        if self.rcv.counts_memory() {
            if self.subflows[id].tcp.owes_ack() {
                acknowledges = self.schedule_ack(id, bytes, fills_gap);
                leaves_first = !acknowledges && self.rcv.is_read_at_once();
            } else {
                // Updates that the read makes due leave in the order of the subflows.
                self.subflows.clear_priority();
            }
            if self.rcv.is_read_at_once() {
                self.rcv.deliver();
                if self.updates.delayed != 0 {
                    self.send_delayed_acks();
                }
                self.on_read(bytes, now);
            }
        }
        if leaves_first {
            self.update_after_ack(id, now);
        } else {
            acknowledges |= self.update_after_read();
        }
        if acknowledges && self.rcv.is_read_at_once() {
            self.adjust_buffer();
        }
    }

    /// Decides which window the ACK shows that is due on subflow `id` as `bytes` have arrived: that before the read, or that after it.
    /// Whether it waits for the read.
    fn schedule_ack(&mut self, id: usize, bytes: u64, fills_gap: bool) -> bool {
        let quick = fills_gap || self.subflows[id].tcp.acknowledges_at_once();
        let waits = !quick && !self.acks_before_read(id, bytes);
        if waits {
            self.rcv.ack_after_read(id, bytes);
        } else {
            self.rcv.ack_before_read(id, bytes);
        }
        let rejects = self.rejects;
        self.subflows.share_window(id, self.rcv, |subflows| rejected_bytes(subflows, id, rejects));
        waits
    }

    /// Counts the ACK of a gap on subflow `id` that was filled at least in part, while `unread` bytes wait for the application. It counts
    /// among the quick ACKs of the next gap if the window is smaller than the last (`__tcp_ack_snd_check`). Without anything to read it
    /// leaves in any case and does not count, unless all data was `known` to the connection (`subflow_data_ready`).
    pub(super) fn count_gap_ack(&mut self, id: usize, unread: u64, known: bool) {
        let leaves = !known && self.rcv.before_reading(unread) == 0;
        if self.rcv.counts_memory() && !leaves && !self.acks_before_read(id, unread) {
            self.subflows[id].tcp.count_gap_ack();
        }
    }

    /// Delays the ACK of data on subflow `id` that another subflow has delivered before, as the application hears nothing of it
    /// (`mptcp_subflow_discard_data`): until the next read, if the window is smaller than the last one shown.
    pub(super) fn delay_ack_of_known_data(&mut self, id: usize, now: Instant) {
        let counts = self.rcv.counts_memory() && !self.rcv.is_complete();
        if !counts || self.subflows[id].tcp.acknowledges_at_once() || self.acks_before_read(id, 0) {
            return;
        }
        if self.subflows[id].tcp.delay_due_ack(now) {
            self.updates.delayed |= 1 << id;
        }
    }

    /// Sends the ACKs that waited for a read (`mptcp_cleanup_rbuf`).
    fn send_delayed_acks(&mut self) {
        let mut delayed = core::mem::take(&mut self.updates.delayed);
        while delayed != 0 {
            let id = delayed.trailing_zeros() as usize;
            delayed &= delayed - 1;
            if self.subflows[id].tcp.has_overdue_ack() {
                self.subflows[id].tcp.demand_ack();
                self.subflows.mark_dirty(id);
            }
        }
    }

    /// Whether an ACK on subflow `id` leaves before the application reads these `unread` bytes: the window is no smaller than the last
    /// one shown (`__tcp_ack_snd_check`).
    fn acks_before_read(&self, id: usize, unread: u64) -> bool {
        if !self.plan.mptcp.acks_after_reading {
            return true;
        }
        let tcp = &self.subflows[id].tcp;
        let most = self.subflows.rcv_space(id).window();
        let left = self.rcv.left_before_reading(unread);
        self.rcv.in_units(left, (most, tcp.window_unit())) >= tcp.shown_window()
    }

    /// Notes that the application has read `bytes`. The buffer is adjusted before an ACK leaves for them, or else after everything has
    /// arrived that arrives at this moment: reading the clock takes time, and lets interrupts in.
    pub(super) fn on_read(&mut self, bytes: u64, now: Instant) {
        let before = self.updates.read.map_or(0, |read| read.1);
        self.updates.read = Some((now, before + bytes));
        if self.rcv.looks_at_reading(now) {
            self.updates.adjust_due = now.saturating_add(AFTERWARDS);
        }
    }

    /// Sends window updates if the read has opened the window wide, and acknowledges pushed data if everything was read. Whether any ACK
    /// is new (`mptcp_cleanup_rbuf`).
    fn update_after_read(&mut self) -> bool {
        let updates = self.rcv.is_read_at_once() && self.rcv.opens_wide() && self.update_window();
        let pushed = self.plan.tcp.push_acks && self.rcv.is_all_read() && self.ack_pushed_data();
        updates || pushed
    }

    /// The ACK of subflow `id` leaves before the read: updates of other subflows follow it.
    pub(super) fn update_after_ack(&mut self, id: usize, now: Instant) {
        let pushed = |s: &Subflow| !s.is_over() && s.tcp.has_pushed();
        let others = || self.subflows.iter().enumerate().any(|(other, s)| other != id && pushed(s));
        if self.rcv.opens_wide_after_ack() || (self.plan.tcp.push_acks && self.rcv.is_all_read() && others())
        {
            self.updates.update_due = now.saturating_add(AFTERWARDS);
        }
    }

    /// Does what is due at `now`, before anything that arrives then.
    #[inline(never)]
    pub(super) fn on_time(&mut self, now: Instant) {
        if self.updates.read.is_some_and(|(at, _)| at < now) {
            self.adjust_buffer();
        }
        if self.updates.update_due <= now {
            self.updates.update_due = Instant::MAX;
            self.update_after_read();
        }
    }

    /// Grows the receive buffer by the data read since it was adjusted last, if a round trip is over (`mptcp_rcv_space_adjust`).
    #[inline(never)]
    fn adjust_buffer(&mut self) {
        let Some((at, bytes)) = self.updates.read.take() else { return };
        self.updates.adjust_due = Instant::MAX;
        let grown = self.rcv.on_taken(bytes, || self.subflows.receiver_estimates(), at);
        if let Some(grown) = grown {
            self.subflows.grow_buffers(grown);
            self.update_window();
        }
    }

    /// Sends window updates on subflows whose window opens wide, and acknowledges pushed data on all of them, even if it waits at the data
    /// level (`tcp_cleanup_rbuf`). Whether any ACK is new.
    fn update_window(&mut self) -> bool {
        let (left, mut any) = (self.rcv.left(), false);
        for id in 0..self.subflows.len() {
            let space = *self.subflows.rcv_space(id);
            let s = &mut self.subflows[id];
            let opens_wide = space.opens_wide(left, s.tcp.current_window());
            if !s.state().has_joined() || s.is_over() {
                continue;
            }
            let owed = s.tcp.owes_ack();
            let tells = opens_wide && !self.rcv.updates_after_ack(id);
            if tells {
                s.tcp.demand_ack();
            }
            if tells || s.tcp.note_all_read() {
                self.subflows.mark_dirty(id);
                any |= !owed;
            }
        }
        any
    }

    /// Acknowledges pushed data, as everything was read (`mptcp_cleanup_rbuf`). Whether any ACK is new.
    fn ack_pushed_data(&mut self) -> bool {
        let mut any = false;
        for id in 0..self.subflows.len() {
            let s = &mut self.subflows[id];
            let owed = s.tcp.owes_ack();
            if !s.is_over() && s.tcp.note_all_read() {
                self.subflows.mark_dirty(id);
                any |= !owed;
            }
        }
        any
    }
}

/// Bytes that have arrived in order on subflow `id` and take window though they are not taken to the data level.
#[inline]
pub(super) fn rejected_bytes(subflows: &SubflowTable, id: usize, rejects: bool) -> u64 {
    if !rejects {
        return 0;
    }
    let s = &subflows[id];
    s.tcp.received_ssn().saturating_sub(s.receive.next())
}
