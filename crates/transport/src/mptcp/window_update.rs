//! What the application reads, and what subflows tell the peer of it: which ACK leaves before, which waits for it or follows it, and how the
//! receive buffer grows.

use super::Mptcp;
use super::subflow::Subflow;
use super::write_space::AFTERWARDS;
use tailrace_core::Instant;

impl Mptcp {
    /// The application reads the `bytes` that a segment on subflow `id` has brought in order, or released.
    pub(super) fn let_read(&mut self, id: usize, bytes: u64, fills_gap: bool, now: Instant) {
        let (mut acknowledges, mut leaves_first) = (false, false);
        if self.rcv.counts_memory() {
            if self.subflows[id].tcp.owes_ack() {
                acknowledges = self.settle_window(id, bytes, fills_gap);
                leaves_first = !acknowledges && self.rcv.is_read_at_once();
            } else {
                // What reading makes due leaves in the order of the subflows.
                self.subflows.clear_priority();
            }
            if self.rcv.is_read_at_once() {
                self.rcv.deliver();
                if self.put_off != 0 {
                    self.acknowledge_put_off();
                }
                self.on_taken(bytes, now);
            }
        }
        if leaves_first {
            self.tell_after_ack(id, now);
        } else {
            acknowledges |= self.tell_of_reading();
        }
        if acknowledges && self.rcv.is_read_at_once() {
            self.adjust_buffer_to_reading();
        }
    }

    /// An ACK is due on subflow `id` as `bytes` have come, and may leave before the application reads: that is what its window knows.
    /// Whether it waits for that.
    fn settle_window(&mut self, id: usize, bytes: u64, fills_gap: bool) -> bool {
        let hurries = fills_gap || self.subflows[id].tcp.acknowledges_at_once();
        let waits = !hurries && !self.acknowledges_before_reading(id, bytes);
        if waits {
            self.rcv.tell_after_reading(id, bytes);
        } else {
            self.rcv.tell_before_reading(id, bytes);
        }
        self.share_window(id);
        waits
    }

    /// A gap on subflow `id` was filled, or a part of it, and `unread` bytes wait for the application. If the window is smaller by it than the
    /// last, the ACK is one of those that tell of the next gap at once (`__tcp_ack_snd_check`). If all waits for data before it, so that there is
    /// nothing to read, it leaves in any case and is none of them, unless all of it was `known` to the connection (`subflow_data_ready`).
    pub(super) fn count_gap_ack(&mut self, id: usize, unread: u64, known: bool) {
        let leaves = !known && self.rcv.before_reading(unread) == 0;
        if self.rcv.counts_memory() && !leaves && !self.acknowledges_before_reading(id, unread) {
            self.subflows[id].tcp.count_gap_ack();
        }
    }

    /// All that came on subflow `id` has been delivered before, so the application hears nothing of it (`mptcp_subflow_discard_data`). An
    /// ACK that nothing hurries leaves only if the window is no smaller than the last; else it waits, but not beyond the next read.
    pub(super) fn put_off_ack_of_known(&mut self, id: usize, now: Instant) {
        let counts = self.rcv.counts_memory() && !self.rcv.is_complete();
        if !counts || self.subflows[id].tcp.acknowledges_at_once() || self.acknowledges_before_reading(id, 0)
        {
            return;
        }
        if self.subflows[id].tcp.delay_due_ack(now) {
            self.put_off |= 1 << id;
        }
    }

    /// The application reads: ACKs that were put off leave (`mptcp_cleanup_rbuf`).
    fn acknowledge_put_off(&mut self) {
        let mut off = core::mem::take(&mut self.put_off);
        while off != 0 {
            let id = off.trailing_zeros() as usize;
            off &= off - 1;
            if self.subflows[id].tcp.has_overdue_ack() {
                self.subflows[id].tcp.demand_ack();
                self.subflows.mark_dirty(id);
            }
        }
    }

    /// Whether an ACK that nothing hurries leaves on subflow `id` before the application reads these `unread` bytes: it waits for that if
    /// the window would be smaller than the last (`__tcp_ack_snd_check`).
    fn acknowledges_before_reading(&self, id: usize, unread: u64) -> bool {
        if !self.plan.mptcp.acks_after_reading {
            return true;
        }
        let tcp = &self.subflows[id].tcp;
        let most = self.subflows.rcv_space_of(id).window();
        let left = self.rcv.left_before_reading(unread);
        self.rcv.in_units(left, (most, tcp.window_unit())) >= tcp.shown_window()
    }

    /// The application has taken `bytes`. Whether the buffer grows is decided before an ACK leaves for that, or else once everything has
    /// come that comes at this moment: reading the clock takes time, and lets interrupts in.
    pub(super) fn on_taken(&mut self, bytes: u64, now: Instant) {
        let before = self.read.map_or(0, |read| read.1);
        self.read = Some((now, before + bytes));
        if self.rcv.looks_at_reading(now) {
            self.look_due = now.saturating_add(AFTERWARDS);
        }
    }

    /// The application has read. Where the window opens wide by it subflows may tell the peer, and where it has read everything they
    /// acknowledge what was pushed; whether one does (`mptcp_cleanup_rbuf`).
    fn tell_of_reading(&mut self) -> bool {
        let tells = self.rcv.is_read_at_once() && self.rcv.opens_wide() && self.tell_of_room();
        let pushed = self.plan.tcp.push_acks && self.rcv.is_all_read() && self.acknowledge_pushed();
        tells || pushed
    }

    /// The application has read, but the ACK of subflow `id` leaves before that: what others have to tell follows it.
    pub(super) fn tell_after_ack(&mut self, id: usize, now: Instant) {
        let pushed = |s: &Subflow| !s.gone && s.tcp.has_pushed();
        let others = || self.subflows.iter().enumerate().any(|(other, s)| other != id && pushed(s));
        if self.rcv.opens_wide_after_ack() || (self.plan.tcp.push_acks && self.rcv.is_all_read() && others())
        {
            self.room_due = now.saturating_add(AFTERWARDS);
        }
    }

    /// Time has gone on to `now`: the buffer may grow with what the application took before. Then, too, subflows may tell the peer
    /// (`mptcp_rcv_space_adjust`).
    #[inline]
    pub(super) fn adjust_buffer(&mut self, now: Instant) {
        if self.read.is_some_and(|(at, _)| at < now) {
            self.adjust_buffer_to_reading();
        }
        if self.room_due <= now {
            self.room_due = Instant::MAX;
            self.tell_of_reading();
        }
    }

    #[inline(never)]
    fn adjust_buffer_to_reading(&mut self) {
        let Some((at, bytes)) = self.read.take() else { return };
        self.look_due = Instant::MAX;
        let grown = self.rcv.on_taken(bytes, || self.subflows.receiver_estimates(), at);
        if let Some(grown) = grown {
            self.subflows.grow_buffers(grown);
            self.tell_of_room();
        }
    }

    /// Subflows whose window opens wide tell the peer at once. Those to which something was pushed acknowledge it, even if it waits at the data
    /// level (`tcp_cleanup_rbuf`). Whether any does.
    fn tell_of_room(&mut self) -> bool {
        let (left, mut any) = (self.rcv.left(), false);
        for id in 0..self.subflows.len() {
            let arrivals = *self.subflows.arrivals(id);
            let s = &mut self.subflows[id];
            let opens_wide = arrivals.open_wide(left, s.tcp.current_window());
            if !s.ready || s.gone {
                continue;
            }
            let owed = s.tcp.owes_ack();
            let tells = opens_wide && !self.rcv.opens_after_ack(id);
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

    /// The application has read everything: whatever was pushed is acknowledged (`mptcp_cleanup_rbuf`). Whether anything was.
    fn acknowledge_pushed(&mut self) -> bool {
        let mut any = false;
        for id in 0..self.subflows.len() {
            let s = &mut self.subflows[id];
            let owed = s.tcp.owes_ack();
            if !s.gone && s.tcp.note_all_read() {
                self.subflows.mark_dirty(id);
                any |= !owed;
            }
        }
        any
    }
}
