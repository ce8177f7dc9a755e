//! Send buffer that grows with the window, and the application that fills it (Linux `tcp_sendmsg_locked`, `tcp_sndbuf_expand`,
//! `sk_stream_write_space`).
//!
//! The application writes up to 64 KiB a call, as long as the buffer has room, into packets as large as half of the peer's
//! window allows. Data is pushed in between: with the first full packet, when half of the peer's largest window was written
//! since the last push, and at the end of a call. Once the buffer is full the application waits until a third is free. The
//! buffer grows when the congestion window is not full while the application waits.
//!
//! A Multipath TCP connection writes by rules of its own: of its subflows only the packets are followed
//! (`mptcp_sendmsg_frag`).
//!
//! Departures: no memory pressure; a call takes no time.

use super::send_queue::SendQueue;
use crate::buffer_sizes::{DESCRIPTION, SHARED};
use crate::config::TcpConfig;
use tailrace_core::Instant;

/// Bytes of a write call.
const CALL: u64 = 1 << 16;

/// Push of waiting packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum PushMode {
    /// All packets; a last small segment waits for the ACK of an earlier one (Nagle's rule).
    Nagled,
    /// All packets (`TCP_NAGLE_PUSH`).
    All,
    /// A single packet (`tcp_push_one`).
    One,
    /// The single packet has left.
    Done,
}

/// A write call under way: the bytes left, and whether it has written any.
#[derive(Clone, Copy, Debug)]
struct WriteCall {
    left: u64,
    any: bool,
}

/// The send buffer of a connection, and the application in front of it.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct SendBuffer {
    pub(in crate::tcp) queue: SendQueue,
    pub(in crate::tcp) push: PushMode,
    /// A Multipath TCP connection writes into it, and sees to its size.
    of_subflow: bool,
    size: u64,
    most: u64,
    /// Memory of a segment, for the size of the buffer.
    segment: u64,
    /// End of the last pushed data (`pushed_seq`).
    pushed: u64,
    call: Option<WriteCall>,
    /// The application found no room since it was last told of any (`SOCK_NOSPACE`).
    waits: bool,
    /// The application may write.
    awake: bool,
    /// The application was told of room, and will check it.
    told: bool,
    /// An ACK has come that may have made room.
    acked: bool,
    /// Time since which data is deferred to an ACK that makes room, and the segments received by then.
    pub(in crate::tcp) deferred: Option<(Instant, u64)>,
}

impl SendBuffer {
    /// `None` where the buffer is fixed.
    pub(in crate::tcp) fn new(config: &TcpConfig) -> Option<Self> {
        let sizes = config.tcp_wmem.filter(|_| config.send_buffer.is_none())?;
        let buffer = Self::with(SendQueue::new(config.send_overhead.get()));
        let segment = config.segment_memory.get();
        Some(Self { size: sizes.initial, most: sizes.most, segment, ..buffer })
    }

    /// Buffer of a subflow, into which its connection writes.
    pub(in crate::tcp) fn of_subflow(config: &TcpConfig) -> Self {
        Self { of_subflow: true, ..Self::with(SendQueue::of_subflow(config.send_overhead.get())) }
    }

    fn with(queue: SendQueue) -> Self {
        Self {
            queue,
            push: PushMode::Nagled,
            of_subflow: false,
            size: 0,
            most: 0,
            segment: 0,
            pushed: 0,
            call: None,
            waits: false,
            awake: false,
            told: false,
            acked: false,
            deferred: None,
        }
    }

    /// The connection is established: the first byte is at `start`, segments are of `mss` bytes.
    pub(in crate::tcp) fn start(&mut self, start: u64, mss: u64) {
        self.queue.start(start, mss);
        self.pushed = start;
        self.awake = !self.of_subflow;
        self.expand(0, mss);
    }

    /// A connection writes `bytes` into a subflow: into the last packet if they continue its mapping and it has room up to
    /// `goal`, else into a new one; a packet with room that they do not continue is pushed (`mptcp_sendmsg_frag`).
    pub(in crate::tcp) fn take(&mut self, bytes: u64, goes_on: bool, goal: u64) {
        let queue = &mut self.queue;
        let room = queue.room_in_tail(goal);
        let joins = goes_on && queue.may_grow() && room >= bytes;
        if room > 0 {
            queue.push_tail(!joins);
        }
        queue.append(bytes, !joins);
        self.deferred = None;
    }

    /// Expands the buffer for a congestion window of `segments` (`tcp_sndbuf_expand`).
    fn expand(&mut self, segments: u64, mss: u64) {
        let least = (mss + SHARED).next_power_of_two() + DESCRIPTION;
        let wanted = segments.max(10).saturating_mul(2 * self.segment.max(least)).min(self.most);
        self.size = self.size.max(wanted);
    }

    /// Data has left or was acknowledged: a waiting application goes on once a third of the buffer is free
    /// (`tcp_check_space`). `segments`: the congestion window; `None` if it is full.
    pub(in crate::tcp) fn look_for_room(&mut self, segments: Option<u64>, mss: u64) {
        if !self.waits {
            return;
        }
        if let Some(segments) = segments {
            self.expand(segments, mss);
        }
        if self.has_room() {
            (self.waits, self.told) = (false, !self.awake);
        }
    }

    /// Whether a third of the buffer is free (`__sk_stream_is_writeable`).
    fn has_room(&self) -> bool {
        let memory = self.queue.memory();
        memory + memory / 2 <= self.size
    }

    /// An application told of room checks it: data may have filled it since (`tcp_poll`).
    fn look_after_telling(&mut self) {
        if core::mem::take(&mut self.told) {
            self.awake = self.has_room();
            self.waits = !self.awake;
        }
    }

    /// Whether nothing has happened that an application with `end` bytes in all would react to.
    pub(in crate::tcp) fn rests(&self, end: u64) -> bool {
        !self.acked && !self.told && self.push == PushMode::Nagled && !self.may_go_on(end)
    }

    /// Whether the application has something to write up to `end` and is not known to wait.
    fn may_go_on(&self, end: u64) -> bool {
        self.awake && self.queue.written() < end
    }

    /// The application writes up to `end`, in packets of `goal` bytes, until something is pushed, or for as long as it can;
    /// `half` is half of the peer's largest window.
    fn go_on(&mut self, end: u64, goal: u64, half: u64) -> Option<PushMode> {
        while self.may_go_on(end) {
            let call =
                self.call.unwrap_or(WriteCall { left: CALL.min(end - self.queue.written()), any: false });
            let room = self.queue.room_in_tail(goal);
            if room == 0 && self.queue.memory() >= self.size {
                self.waits = true;
                self.awake = call.any;
                self.call = None;
                if call.any && !self.queue.is_all_sent() {
                    return Some(self.mark(PushMode::All));
                }
                continue;
            }
            if room > 0 && !call.any {
                self.queue.push_tail(false);
            }
            let bytes = call.left.min(if room > 0 { room } else { goal });
            self.queue.append(bytes, room == 0);
            let left = call.left - bytes;
            self.call = (left > 0).then_some(WriteCall { left, any: true });
            if left == 0 {
                return Some(self.mark(PushMode::Nagled));
            } else if self.queue.written() > self.pushed + half {
                return Some(self.mark(PushMode::All));
            } else if self.queue.has_one_waiting() {
                return Some(PushMode::One);
            }
        }
        None
    }

    /// Pushes everything written so far (`tcp_mark_push`).
    fn mark(&mut self, push: PushMode) -> PushMode {
        self.queue.push_tail(true);
        self.pushed = self.queue.written();
        push
    }

    /// The application has something to write.
    #[inline(never)]
    pub(in crate::tcp) fn wake(&mut self) {
        (self.awake, self.deferred) = (!self.of_subflow, None);
    }

    /// The application writes no more, and its data ends at `end`: of endless data the unsent packets are dropped.
    pub(in crate::tcp) fn close(&mut self, end: u64) {
        if self.queue.written() > end {
            (self.call, self.awake) = (None, false);
            self.queue.drop_waiting();
        }
    }

    /// An ACK has come; all up to `una` is acknowledged.
    #[inline(never)]
    pub(in crate::tcp) fn on_ack(&mut self, una: u64) {
        self.acked = true;
        self.queue.on_ack(una);
    }

    /// Whether an ACK has come since the application last looked, which does not see it again.
    pub(in crate::tcp) const fn take_acked(&mut self) -> bool {
        core::mem::replace(&mut self.acked, false)
    }

    /// Whether the application waits for room.
    pub(in crate::tcp) const fn waits(&self) -> bool {
        self.waits
    }

    /// The application looks whether there is room. Whether it goes on to write what it has up to `end`.
    pub(in crate::tcp) fn look(&mut self, end: u64) -> bool {
        self.look_after_telling();
        self.push = PushMode::Nagled;
        self.may_go_on(end)
    }

    /// The application writes of what it has up to `end`. Whether any of it is to leave now.
    pub(in crate::tcp) fn write(&mut self, end: u64, goal: u64, half: u64) -> bool {
        let push = self.go_on(end, goal, half);
        self.push = push.unwrap_or(PushMode::Nagled);
        push.is_some()
    }

    /// New data up to `end` leaves, in a packet of its own where none was begun. `None` within a packet, else whether its last
    /// segment has PSH.
    #[inline(never)]
    pub(in crate::tcp) fn on_sent(&mut self, end: u64) -> Option<bool> {
        let queue = &mut self.queue;
        if end > queue.left() {
            queue.hand_down(end - queue.left());
        }
        if end < queue.left() {
            return None;
        }
        let pushed = queue.is_pushed(end);
        if self.push == PushMode::One {
            self.push = PushMode::Done;
        }
        Some(pushed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Profile;

    const MSS: u64 = 1448;
    const GOAL: u64 = 22 * MSS;
    /// Half of a window of 45 segments.
    const HALF: u64 = 32_580;

    fn buffer() -> SendBuffer {
        let mut buffer = SendBuffer::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        buffer.start(0, MSS);
        buffer
    }

    /// Sends pairs of segments.
    fn leave(buffer: &mut SendBuffer, pairs: u64) {
        (0..pairs).for_each(|_| buffer.queue.hand_down(2 * MSS));
    }

    /// A connection that begins, as a kernel 6.12 traced it: size, memory and pushes are its own.
    #[test]
    fn the_first_window_is_filled_as_in_a_kernel() {
        let (mut buffer, end) = (buffer(), 1 << 40);
        assert_eq!(buffer.size, 46_080);
        assert_eq!(buffer.go_on(end, GOAL, HALF), Some(PushMode::One), "the first packet is full");
        assert_eq!(buffer.queue.memory(), 32_688);
        leave(&mut buffer, 1);
        assert_eq!(
            buffer.go_on(end, GOAL, HALF),
            Some(PushMode::All),
            "more than half of the window was written"
        );
        assert_eq!((buffer.queue.memory(), buffer.pushed), (36_416, 24 * MSS));
        leave(&mut buffer, 4);
        assert_eq!(
            buffer.go_on(end, GOAL, HALF),
            Some(PushMode::One),
            "filled up beyond the end of the buffer"
        );
        assert_eq!(buffer.queue.memory(), 51_328);
        assert_eq!(buffer.go_on(end, GOAL, HALF), Some(PushMode::All), "no room, and something was written");
        assert_eq!(buffer.pushed, 46_336);
        assert_eq!((buffer.go_on(end, GOAL, HALF), buffer.waits, buffer.awake), (None, true, false));
        // 11 segments on their way, and 22 that wait: no third of the buffer is free.
        buffer.queue.on_ack(MSS);
        leave(&mut buffer, 1);
        buffer.look_for_room(None, MSS);
        assert_eq!((buffer.queue.memory(), buffer.waits), (50_712, true));
    }

    #[test]
    fn an_application_that_waits_goes_on_once_a_third_is_free() {
        let mut buffer = buffer();
        buffer.queue.append(30_000, true);
        (buffer.waits, buffer.awake) = (true, false);
        buffer.look_for_room(None, MSS);
        // 30832 and a half of that are more than 46080; with 20 segments in the window there are 92160.
        assert!(buffer.waits);
        buffer.look_for_room(Some(20), MSS);
        buffer.look_after_telling();
        assert_eq!((buffer.size, buffer.waits, buffer.awake), (92_160, false, true));
        buffer.look_for_room(Some(30), MSS);
        assert_eq!(buffer.size, 92_160, "nobody waits");
    }

    #[test]
    fn room_that_is_taken_before_the_application_looks_is_none() {
        let mut buffer = buffer();
        // 19 segments and one behind them: 28344 and 1664 bytes, as a kernel 6.12 traced it.
        buffer.queue.append(19 * MSS, true);
        buffer.queue.append(832, true);
        (buffer.waits, buffer.awake) = (true, false);
        buffer.look_for_room(None, MSS);
        assert_eq!((buffer.queue.memory(), buffer.waits, buffer.told), (30_008, false, true));
        // The part that leaves is a packet of its own then.
        buffer.queue.hand_down(2 * MSS);
        buffer.look_after_telling();
        assert_eq!((buffer.queue.memory(), buffer.waits, buffer.awake), (30_840, true, false));
        buffer.queue.on_ack(MSS);
        buffer.look_for_room(None, MSS);
        buffer.look_after_telling();
        assert!(buffer.awake && !buffer.waits, "29392 and a half of that");
    }

    #[test]
    fn a_call_ends_after_64_kib_and_with_the_data() {
        let mut buffer = buffer();
        buffer.expand(100, MSS);
        let push_acks: Vec<_> = core::iter::from_fn(|| buffer.go_on(100_000, GOAL, u64::MAX / 2)).collect();
        assert_eq!(push_acks, [PushMode::One, PushMode::Nagled, PushMode::Nagled]);
        assert_eq!((buffer.queue.written(), buffer.pushed), (100_000, 100_000));
        buffer.awake = true;
        assert_eq!(buffer.go_on(100_000, GOAL, HALF), None, "there is nothing more");
    }

    #[test]
    fn a_connection_fills_packets_up_unless_a_mapping_ends_or_a_part_has_left() {
        let mut buffer = SendBuffer::of_subflow(&TcpConfig::for_profile(Profile::Linux));
        buffer.start(0, MSS);
        (0..4).for_each(|_| buffer.take(MSS, true, GOAL));
        assert_eq!(buffer.queue.memory(), 4 * MSS + 832);
        buffer.take(MSS, false, GOAL);
        assert_eq!(buffer.queue.memory(), 5 * MSS + 2 * 832, "another mapping");
        leave(&mut buffer, 1);
        buffer.take(MSS, true, GOAL);
        assert_eq!(buffer.queue.memory(), 6 * MSS + 3 * 832, "the second packet, of which nothing has left");
        // Trace of a kernel 6.12, where 4368 bytes that continued 5792 got a mapping of their own: some of these had left.
        leave(&mut buffer, 1);
        buffer.queue.hand_down(MSS);
        buffer.take(MSS, true, GOAL);
        assert_eq!((buffer.queue.memory(), buffer.queue.head()), (7 * MSS + 5 * 832, Some(MSS)));
        buffer.take(MSS, true, 2 * MSS);
        buffer.take(MSS, true, 2 * MSS);
        assert_eq!(buffer.queue.memory(), 9 * MSS + 6 * 832, "one that is full takes no more");
        assert!(buffer.go_on(1 << 40, GOAL, HALF).is_none() && !buffer.awake, "no application writes here");
    }

    #[test]
    fn a_send_buffer_of_one_size_is_not_tuned() {
        let config = TcpConfig::for_profile(Profile::Linux);
        let fixed = TcpConfig { send_buffer: Some(tailrace_core::Bytes(65_536)), ..config };
        assert!(SendBuffer::new(&fixed).is_none());
    }
}
