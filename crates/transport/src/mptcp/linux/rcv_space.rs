//! Receive window of a subflow, where buffers count memory: it grows with the segments that arrive, by the size of a full one and the round
//! trip that the receiver measures.

use crate::mptcp::MptcpPlan;
use crate::mptcp::linux::buffer_size::{
    GrownBuffer, HALF, MOST, STAMPS, first_window, full_segment, sizes, window_of,
};
use crate::right_sizing::{WindowRtt, least_round_trip};
use crate::segment::Segment;
use crate::tcp::linux::receive_space::careful_step;
use tailrace_core::{Bytes, Duration, Instant};

/// Payload of a full segment before a larger one has arrived (`TCP_MSS_DEFAULT`).
const LEAST_FULL: u32 = 536;

/// Window of a subflow before its first segment: one full segment less than the receive buffer has space for
/// (`tcp_init_buffer_space`), and no more than the first window.
pub(crate) fn first_rcv_space(plan: &MptcpPlan) -> RcvSpace {
    let mut arrivals = RcvSpace::new(first_window(plan));
    if let Some((receive, _)) = sizes(plan) {
        let clamp = (receive.now / 2).saturating_sub(full_segment(plan.tcp.timestamps));
        arrivals.set_buffer(GrownBuffer { size: receive.now, clamp });
        arrivals.window = arrivals.window.min(clamp);
    }
    arrivals
}

/// Memory for which a subflow may show a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RcvRoom {
    /// Free memory.
    pub(in crate::mptcp) free: u64,
    /// Memory of the whole buffer, its limit, and the memory of a packet.
    pub(in crate::mptcp) size: u64,
    pub(in crate::mptcp) most: u64,
    pub(in crate::mptcp) packet: u64,
    /// Share of it that is window on a subflow after a full segment, in 256ths, where data tells that.
    pub(in crate::mptcp) share: Option<u64>,
    /// Shortest segment that opens the window; a duplicate never does.
    pub(in crate::mptcp) least: u64,
}

impl RcvRoom {
    /// Share of the memory of a segment of `bytes` that is window (`tcp_measure_rcv_mss`).
    fn share_of(&self, bytes: u64) -> Option<u64> {
        self.share.map(|most| ((bytes << 8) / self.packet).clamp(1, most))
    }

    /// Growth of `window` by a segment of `bytes`; `full` is the payload of a full segment, `largest` the largest of the peer.
    fn step(&self, bytes: u64, (window, share): (u64, u64), (full, largest): (u64, u64)) -> u64 {
        let packet = window_of(self.packet, share);
        let step = match packet <= bytes {
            true => 2 * full,
            false => careful_step(bytes, packet, (window, window_of(self.most, share)), largest),
        };
        if step > 0 && bytes >= self.least { step.max(2 * bytes) } else { 0 }
    }
}

/// Receive window of a subflow, and its round trip by the echo of an ACK's timestamp (`tcp_rcv_rtt_measure_ts`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RcvSpace {
    last: u32,
    /// Payload of a full segment, as far as is known (`rcv_mss`): the largest so far, or two in a row that were as short. Round trips are
    /// measured by full segments alone.
    full: u32,
    /// Payload and options, without timestamps, of the last segment if it was not full (`last_seg_size`).
    short: u32,
    /// Smoothed round trip in eighths of a microsecond, and its estimator without timestamps.
    eighths: u64,
    passage: WindowRtt,
    /// Largest window that its segments may show: it grows with each that arrives (`tcp_grow_window`).
    window: u64,
    /// Limit of `window` (`window_clamp`), set when the buffer grows and when a segment larger than before tells a new share.
    clamp: u64,
    /// Share of memory that is window, in 256ths (`scaling_ratio`).
    share: u64,
    /// Memory of its own buffer (`sk_rcvbuf`): that of the connection when it grew last, if the subflow existed.
    size: u64,
}

impl RcvSpace {
    /// A window before the first segment: at most `first`, and more with each segment.
    pub(crate) fn new(first: Option<Bytes>) -> Self {
        let window = first.map_or(MOST, Bytes::get);
        Self {
            last: 0,
            full: LEAST_FULL,
            short: 0,
            eighths: 0,
            passage: WindowRtt::default(),
            window,
            clamp: MOST,
            share: HALF,
            size: MOST,
        }
    }

    /// Share of memory that is window, in 256ths, by the largest segment so far.
    pub(crate) const fn share(&self) -> u64 {
        self.share
    }

    /// The buffer has grown.
    pub(crate) const fn set_buffer(&mut self, grown: GrownBuffer) {
        (self.size, self.clamp) = (grown.size, grown.clamp);
    }

    /// Limit of its window.
    pub(crate) const fn clamp(&self) -> u64 {
        self.clamp
    }

    /// Memory of its own buffer.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// Lets the window grow by a segment with payload, if there is room; whether it does (`tcp_grow_window`).
    pub(crate) fn note(
        &mut self,
        segment: &Segment,
        options: impl FnOnce() -> u32,
        room: RcvRoom,
        now: Instant,
    ) -> bool {
        let bytes = u64::from(segment.payload);
        if room.least != u64::MAX {
            self.measure(segment, options, room);
        }
        self.note_round_trip(segment, now);
        let (before, most) = (self.window, window_of(room.free, self.share).min(self.clamp));
        let sizes = (full_segment(segment.timestamps.is_some()), u64::from(self.full));
        let step = room.step(bytes, (before, self.share), sizes);
        self.window = (before + step).min(most).max(before);
        self.window > before
    }

    /// Updates the size of a full segment (`tcp_measure_rcv_mss`) by one whose `options`, without timestamps, have this length. Two equally
    /// short ones in a row, options included, set the size anew.
    fn measure(&mut self, segment: &Segment, options: impl FnOnce() -> u32, room: RcvRoom) {
        let last = core::mem::take(&mut self.short);
        if segment.payload >= self.full {
            if segment.payload > self.full {
                self.note_share(room.share_of(u64::from(segment.payload)), room.size);
            }
            self.full = segment.payload;
            return;
        }
        let stamps = if segment.timestamps.is_some() { STAMPS as u32 } else { 0 };
        let with_options = segment.payload.saturating_add(options());
        if with_options + stamps >= LEAST_FULL {
            self.short = with_options;
            if with_options == last {
                self.full = with_options;
            }
        }
    }

    /// Notes the share of window that a segment larger than all before tells, for a buffer of `size` bytes.
    #[cold]
    fn note_share(&mut self, share: Option<u64>, size: u64) {
        if let Some(share) = share.filter(|share| *share != self.share) {
            (self.share, self.clamp) = (share, window_of(size, share));
        }
    }

    /// Updates the round trip: a smaller sample counts at once, a larger one with an eighth (`tcp_rcv_rtt_update`).
    fn note_round_trip(&mut self, segment: &Segment, now: Instant) {
        let is_full = segment.payload >= self.full;
        self.full = self.full.max(segment.payload);
        let Some(stamps) = segment.timestamps.filter(|t| t.echo != self.last) else { return };
        self.last = stamps.echo;
        if !is_full {
            return;
        }
        let clock = (now.as_nanos() / 1_000_000) as u32;
        let sample = 1000 * u64::from(clock.wrapping_sub(stamps.echo)).max(1);
        let least = self.eighths == 0 || 8 * sample < self.eighths;
        self.eighths = if least { 8 * sample } else { self.eighths - (self.eighths >> 3) + sample };
    }

    /// Updates the round trip without timestamps: all up to `nxt` has arrived, and the last window shown was `told`.
    pub(crate) fn note_order(&mut self, nxt: u64, told: u64, now: Instant) {
        if let Some(passed) = self.passage.on_order(nxt, told, now) {
            self.eighths = least_round_trip(self.eighths, passed);
        }
    }

    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    /// Whether the window is twice what it was when the subflow showed it last (`shown`), or more. The memory that the connection has
    /// `left` is not enough for that: the subflow's own window must allow it, too (`tcp_cleanup_rbuf`).
    pub(crate) fn opens_wide(&self, left: u64, shown: u64) -> bool {
        let open = left.min(self.window);
        open > 0 && open >= 2 * shown
    }

    /// The subflow is over.
    pub(crate) fn end(&mut self) {
        self.eighths = 0;
    }

    /// Round trip; zero before the first sample, and once the subflow is over.
    pub(crate) fn round_trip(&self) -> Duration {
        Duration::from_micros(self.eighths >> 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::linux::buffer_size::BufferSize;
    use crate::mptcp::linux::rcv_buffer::RcvBuffer;
    use crate::tcp::linux::receive_queue::{HeldPackets, SegmentPlace};

    /// Buffer of 6 MiB of which 167/256 are window: 1419 of a packet's 2176 bytes.
    const ROOM: RcvRoom = RcvRoom {
        free: 6_291_456,
        size: 6_291_456,
        most: 6_291_456,
        packet: 2176,
        share: Some(167),
        least: 0,
    };

    #[test]
    fn a_segment_that_wastes_memory_opens_the_window_by_less() {
        let mut arrivals = RcvSpace::new(Some(Bytes(84_084)));
        let stamps = Some(crate::segment::Timestamps { value: 0, echo: 1 });
        let mut note = |payload| {
            let segment = Segment { payload, timestamps: stamps, ..Segment::default() };
            arrivals.note(&segment, || 24, ROOM, Instant::from_millis(700));
            arrivals.window()
        };
        // Traced in Linux 6.12: 2 * 1448 by a full segment, twice the largest so far by one of 1080 bytes.
        assert_eq!((note(1424), note(1080)), (86_980, 89_828));
        // 1419 / 32 = 44 are less than 60, while the window is below 4104192 / 32 = 128256; 1419 / 64 = 22 are not less than 20.
        assert_eq!((note(60), note(20)), (92_676, 92_676));
    }

    #[test]
    fn two_short_segments_in_a_row_are_full_ones() {
        let mut arrivals = RcvSpace::new(Some(Bytes(84_084)));
        let stamps = Some(crate::segment::Timestamps { value: 0, echo: 1 });
        let mut note = |payload| {
            let before = arrivals.window();
            let segment = Segment { payload, timestamps: stamps, ..Segment::default() };
            arrivals.note(&segment, || 24, ROOM, Instant::from_millis(700));
            arrivals.window() - before
        };
        // Traced in Linux 6.12: 2 * 1448 by a full segment, 2 * 1424 by a shorter one, and 2 * 1416 by the second of 1392 bytes with 24 of
        // options.
        assert_eq!([1424, 1392, 1392, 1392].map(&mut note), [2896, 2848, 2832, 2832]);
        assert_eq!([1424, 1392, 1424, 1392].map(&mut note), [2896, 2848, 2896, 2848], "not in a row");
    }

    #[test]
    fn room_of_the_connection_is_told_once_the_subflow_may_show_it() {
        // Traced in Linux 6.12: the buffer grows from 131072 to 422492 bytes, and the window that it leaves from 84084 to 211246; the
        // subflow may show 84084 still, and waits with its ACK for a second segment.
        let mut arrivals = RcvSpace::new(Some(Bytes(84_084)));
        arrivals.set_buffer(GrownBuffer { size: 422_492, clamp: 211_246 });
        assert!(!arrivals.opens_wide(211_246, 82_672));
        let segment = Segment { payload: 1424, ..Segment::default() };
        let room = RcvRoom { size: 323_827, ..ROOM };
        while arrivals.note(&segment, || 24, room, Instant::from_millis(700)) {}
        assert_eq!(arrivals.window(), 211_246);
        assert!(arrivals.opens_wide(211_246, 82_672));
        assert!(!arrivals.opens_wide(150_000, 82_672), "that is all the room there is");
        assert!(!arrivals.opens_wide(0, 0), "nor is none");
    }

    #[test]
    fn a_round_trip_is_smoothed_in_microseconds() {
        let mut arrivals = RcvSpace::new(None);
        // Traced in Linux 6.12: rcv_rtt_est, eighths of a microsecond.
        for (echo, rtt, eighths) in
            [(1, 41, 328_000), (2, 43, 330_000), (3, 43, 331_750), (4, 45, 335_282), (5, 46, 339_372)]
        {
            let stamps = Some(crate::segment::Timestamps { value: 0, echo });
            let segment = Segment { payload: 1424, timestamps: stamps, ..Segment::default() };
            arrivals.note(&segment, || 24, ROOM, Instant::from_millis(u64::from(echo) + rtt));
            assert_eq!(arrivals.eighths, eighths, "{rtt}");
        }
    }

    #[test]
    fn a_subflow_that_joins_later_shows_what_its_own_buffer_has_room_for() {
        // Traced in Linux 6.12: the connection's buffer has 997844 bytes, but 131072 less a packet of 2176 are 84084 of window.
        let mut arrivals = RcvSpace::new(Some(Bytes(64_088)));
        arrivals.set_buffer(GrownBuffer { size: 131_072, clamp: 64_088 });
        let size = BufferSize { now: 997_844, most: 6_291_456, set: false };
        let memory = RcvBuffer::new(size, 1424, true, Some(167.0 / 256.0));
        let stamps = Some(crate::segment::Timestamps { value: 0, echo: 1 });
        let segment = Segment { payload: 1424, timestamps: stamps, ..Segment::default() };
        let room = |size| memory.room(size, HeldPackets::default(), SegmentPlace::InOrder);
        while arrivals.note(&segment, || 24, room(arrivals.size()), Instant::from_millis(700)) {}
        assert_eq!(arrivals.window(), 84_084);
        arrivals.set_buffer(GrownBuffer { size: 997_844, clamp: 650_937 });
        arrivals.note(&segment, || 24, room(arrivals.size()), Instant::from_millis(701));
        assert_eq!(arrivals.window(), 86_980);
        let again = memory.room(arrivals.size(), HeldPackets::default(), SegmentPlace::Again);
        assert!(!arrivals.note(&segment, || 24, again, Instant::from_millis(702)), "it had come before");
    }

    #[test]
    fn only_full_segments_tell_of_round_trips_and_the_least_counts() {
        let segment = |payload, echo| Segment {
            payload,
            timestamps: Some(crate::segment::Timestamps { value: 0, echo }),
            ..Segment::default()
        };
        let mut arrivals = RcvSpace::new(None);
        let room = RcvRoom { free: 1000, ..ROOM };
        for (payload, echo, now, rtt) in [
            (1424, 1, 154, 153_000),
            (96, 2, 160, 153_000),
            (1424, 2, 162, 153_000), // The same echo as before.
            (1424, 3, 180, 156_000), // An eighth of what is more.
            (1424, 4, 157, 153_000),
        ] {
            arrivals.note(&segment(payload, echo), || 24, room, Instant::from_millis(now));
            assert_eq!(arrivals.round_trip(), Duration::from_micros(rtt), "{echo}");
        }
    }
}
