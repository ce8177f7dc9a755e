//! Space in the send buffer: how buffers grow with the windows of subflows, and when an application that sleeps for want of space writes
//! (`tcp_check_space`, `mptcp_write_space`).

use super::behaviour::SendBufferOf;
use super::config::MptcpPlan;
use super::data::sender::DataSender;
use super::linux::buffer_size::sizes;
use super::linux::send_buffer::SendBuffer;
use super::subflow::Subflow;
use super::subflow::table::SubflowTable;
use crate::tcp::State;
use tailrace_core::{Duration, Instant};

/// Delay of reactions that follow everything that arrives at the same moment.
pub(super) const AFTERWARDS: Duration = Duration::from_nanos(1);

/// Pending growth of buffers, and wake-ups of the writer.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriteSpace {
    /// Time at which a sleeping application writes.
    wake_due: Instant,
    /// Subflows on which something arrived since buffers were grown last, one bit each.
    acked: u32,
    /// Size of the send buffer of the first subflow when it was released: the kernel's list of subflows keeps it to the end
    /// (`__mptcp_sync_sndbuf`).
    first_buffer: Option<u64>,
}

impl WriteSpace {
    pub(super) const NONE: Self = Self { wake_due: Instant::MAX, acked: 0, first_buffer: None };

    /// Time at which a sleeping application writes.
    #[inline]
    pub(super) const fn deadline(&self) -> Instant {
        self.wake_due
    }

    /// Something arrived on subflow `id`.
    #[inline]
    pub(super) const fn on_segment(&mut self, id: usize) {
        self.acked |= 1 << id;
    }

    /// There is nothing to write for which buffers would have to grow.
    #[inline]
    pub(super) const fn forget_segments(&mut self) {
        self.acked = 0;
    }

    /// The connection releases `subflow`.
    pub(super) fn on_released(&mut self, subflow: &Subflow) {
        if subflow.is_first() {
            self.first_buffer = subflow.send_buffer.as_ref().map(SendBuffer::size);
        }
    }

    /// Whether the application, which sleeps, writes now: after everything has arrived that arrives at the moment when there is space.
    fn wakes(&mut self, snd: &DataSender, now: Instant) -> bool {
        if self.wake_due == Instant::MAX && snd.wakes_writer() {
            self.wake_due = now.saturating_add(AFTERWARDS);
        }
        if self.wake_due > now {
            return false;
        }
        self.wake_due = Instant::MAX;
        true
    }
}

/// Parts of a connection that change with space in send buffers.
pub(super) struct WriteSide<'a> {
    pub(super) space: &'a mut WriteSpace,
    pub(super) snd: &'a mut DataSender,
    pub(super) subflows: &'a mut SubflowTable,
    pub(super) plan: &'a MptcpPlan,
}

impl WriteSide<'_> {
    /// Grows buffers and lets the application write, after all that was written is assigned or waits. Whether there is more to assign.
    pub(super) fn refill(&mut self, now: Instant) -> bool {
        let mut acked = core::mem::take(&mut self.space.acked);
        while acked != 0 && self.snd.is_full() {
            self.grow_buffer(acked.trailing_zeros() as usize);
            acked &= acked - 1;
        }
        if self.snd.is_writer_blocked() && !self.space.wakes(self.snd, now) {
            return false;
        }
        self.snd.fill_memory()
    }

    /// Grows the send buffer of subflow `id` if its window asks for more, and that of the connection with it (`tcp_check_space`).
    #[inline]
    pub(super) fn grow_buffer(&mut self, id: usize) {
        let s = &mut self.subflows[id];
        let (window, mss) = (s.tcp.cwnd_in_use().get(), u64::from(s.tcp.mss().max(1)));
        let Some(buffer) = s.send_buffer.as_mut().filter(|buffer| buffer.may_grow(window, mss)) else {
            return;
        };
        if s.tcp.in_flight().get() + mss <= window && buffer.expand(window / mss) {
            match self.plan.mptcp.send_buffer_of {
                SendBufferOf::Largest => {
                    if let Some(all) = self.snd.memory_mut() {
                        all.follow(buffer);
                    }
                }
                SendBufferOf::Sum => self.sum_buffers(),
            }
            self.subflows.invalidate_view(id);
        }
    }

    /// Makes the send buffer of the connection the sum of those of its subflows, where it is that. A subflow that this end opens counts
    /// from its SYN on, with the initial size (`__mptcp_subflow_connect`, `__mptcp_sync_sndbuf`).
    pub(super) fn sum_buffers(&mut self) {
        if self.plan.mptcp.send_buffer_of == SendBufferOf::Sum
            && let Some(all) = self.snd.memory_mut()
        {
            let unopened = sizes(self.plan).map_or(0, |(_, send)| send.now);
            let size = |s: &Subflow| counted(s.tcp.state(), s.send_buffer.as_ref(), unopened);
            all.join(self.subflows.attached().filter_map(size).chain(self.space.first_buffer));
        }
    }
}

/// Part of the connection's send buffer that a subflow with this one adds; `unopened` before the peer has answered its SYN.
fn counted(state: State, buffer: Option<&SendBuffer>, unopened: u64) -> Option<u64> {
    match state {
        State::SynSent => buffer.map(|_| unopened),
        _ => buffer.filter(|_| state.is_synchronized()).map(SendBuffer::size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::linux::buffer_size::BufferSize;

    #[test]
    fn send_buffer_counts_a_subflow_from_its_own_syn() {
        let mut open = SendBuffer::new(BufferSize::KERNEL);
        open.expand(20);
        let sizes = |other| {
            let all = [(State::Established, &open), (other, &SendBuffer::new(BufferSize::KERNEL))];
            let mut sum = SendBuffer::new(BufferSize::KERNEL);
            sum.join(all.into_iter().filter_map(|(state, buffer)| counted(state, Some(buffer), 16_384)));
            sum.size()
        };
        // Printed by Linux 6.12: 4096, 20 segments of 4608, and 16384 for the one that opens.
        assert_eq!(sizes(State::SynSent), 112_640);
        assert_eq!(sizes(State::SynReceived), 96_256, "one that the peer opens");
        assert_eq!(sizes(State::Established), 96_256 + 46_080);
    }
}
