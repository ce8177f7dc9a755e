//! When the application writes: as soon as it may, or once it has waited for room in the send buffer, which grows with those of the
//! subflows.

use super::Mptcp;
use super::behaviour::SendBufferOf;
use super::linux::send_buffer::SendBuffer;
use super::subflow::Subflow;
use crate::tcp::State;
use tailrace_core::{Duration, Instant};

/// After all that comes at a moment.
pub(super) const AFTERWARDS: Duration = Duration::from_nanos(1);

impl Mptcp {
    /// All that was written has been handed out, or waits: buffers grow where a subflow on which something came could
    /// send more than it has, and the application writes what fits into them. If it had to wait for room, it does so once all has been
    /// heard that comes at this moment. Returns whether there is more to hand out.
    pub(super) fn refill(&mut self, now: Instant) -> bool {
        if !self.fills {
            return false;
        }
        let mut acked = core::mem::take(&mut self.acked);
        while acked != 0 && self.snd.is_full() {
            self.grow_buffer(acked.trailing_zeros() as usize);
            acked &= acked - 1;
        }
        if self.snd.waits() && !self.wakes(now) {
            return false;
        }
        self.snd.refill()
    }

    /// Whether the application, which waits for room, goes on now.
    fn wakes(&mut self, now: Instant) -> bool {
        if self.write_due == Instant::MAX && self.snd.wakes() {
            self.write_due = now.saturating_add(AFTERWARDS);
        }
        if self.write_due > now {
            return false;
        }
        self.write_due = Instant::MAX;
        true
    }

    /// A packet has left, or before the application writes again: it has been waiting for room (`tcp_check_space`).
    #[inline]
    pub(super) fn grow_buffer(&mut self, id: usize) {
        let s = &mut self.subflows[id];
        let (window, mss) = (s.tcp.cwnd_in_use().get(), u64::from(s.tcp.mss().max(1)));
        let Some(memory) = s.memory.as_mut().filter(|memory| memory.may_grow(window, mss)) else { return };
        if s.tcp.in_flight().get() + mss <= window && memory.expand(window / mss) {
            match self.plan.mptcp.send_buffer_of {
                SendBufferOf::Largest => self.snd.follow(memory),
                SendBufferOf::Sum => self.join_buffers(),
            }
            self.subflows.invalidate_view(id);
        }
    }

    /// The connection's send buffer is that of all its subflows, where it is so. One that this end opens counts from its SYN on, with the
    /// buffer that a socket begins with (`__mptcp_subflow_connect`, `__mptcp_sync_sndbuf`).
    pub(super) fn join_buffers(&mut self) {
        if self.plan.mptcp.send_buffer_of == SendBufferOf::Sum {
            let unopened = super::linux::buffer_size::sizes(&self.plan).map_or(0, |(_, send)| send.now);
            let size = |s: &Subflow| counted(s.tcp.state(), s.memory.as_ref(), unopened);
            self.snd.join(self.subflows.attached().filter_map(size).chain(self.first_buffer));
        }
    }
}

/// What of its send buffer a subflow adds to that of the connection, if anything; one that opens has `unopened`.
fn counted(state: State, memory: Option<&SendBuffer>, unopened: u64) -> Option<u64> {
    match state {
        State::SynSent => memory.map(|_| unopened),
        _ => memory.filter(|_| state.is_synchronized()).map(SendBuffer::size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::linux::buffer_size::BufferSize;

    #[test]
    fn a_subflow_counts_from_the_syn_that_it_sends() {
        let mut open = SendBuffer::new(BufferSize::KERNEL);
        open.expand(20);
        let sizes = |other| {
            let all = [(State::Established, &open), (other, &SendBuffer::new(BufferSize::KERNEL))];
            let mut sum = SendBuffer::new(BufferSize::KERNEL);
            sum.join(all.into_iter().filter_map(|(state, memory)| counted(state, Some(memory), 16_384)));
            sum.size()
        };
        // As a kernel 6.12 printed it: 4096, 20 segments of 4608, and 16384 for the one that opens.
        assert_eq!(sizes(State::SynSent), 112_640);
        assert_eq!(sizes(State::SynReceived), 96_256, "one that the peer opens");
        assert_eq!(sizes(State::Established), 96_256 + 46_080);
    }
}
