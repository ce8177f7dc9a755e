//! A subflow as its receiver sees it, where buffers are counted in memory: its round trip, what is a full segment, and the window that
//! it may show.

use crate::mptcp::MptcpPlan;
use crate::mptcp::linux::buffer_size::{
    GrownBuffer, HALF, MOST, STAMPS, first_window, full_segment, sizes, window_of,
};
use crate::right_sizing::{WindowRtt, least_round_trip};
use crate::segment::Segment;
use crate::tcp::linux::receive_space::careful_step;
use tailrace_core::{Bytes, Duration, Instant};

/// A segment of so much payload counts as full before a larger one has come (`TCP_MSS_DEFAULT`).
const LEAST_FULL: u32 = 536;

/// A subflow on which nothing has come. It may show one full segment less than the receive buffer has room for
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

/// Memory of which a subflow may show some.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RcvRoom {
    /// Beside what it holds.
    pub(in crate::mptcp) free: u64,
    /// The whole buffer, the largest that it may become, and what a packet takes.
    pub(in crate::mptcp) size: u64,
    pub(in crate::mptcp) most: u64,
    pub(in crate::mptcp) packet: u64,
    /// What of it is window on a subflow on which a full segment has come, in 256ths, where data tells that.
    pub(in crate::mptcp) share: Option<u64>,
    /// Segments of less do not open the window, nor does any that has come before.
    pub(in crate::mptcp) least: u64,
}

impl RcvRoom {
    /// What of the memory of a segment of `bytes` is window (`tcp_measure_rcv_mss`).
    fn share_of(&self, bytes: u64) -> Option<u64> {
        self.share.map(|most| ((bytes << 8) / self.packet).clamp(1, most))
    }

    /// What a segment of `bytes` adds to `window`; `full` is the payload of a full one, and the peer's have `largest` at most.
    fn step(&self, bytes: u64, (window, share): (u64, u64), (full, largest): (u64, u64)) -> u64 {
        let packet = window_of(self.packet, share);
        let step = match packet <= bytes {
            true => 2 * full,
            false => careful_step(bytes, packet, (window, window_of(self.most, share)), largest),
        };
        if step > 0 && bytes >= self.least { step.max(2 * bytes) } else { 0 }
    }
}

/// A subflow as its receiver sees it: its round trip, as what comes echoes the clock of an ACK
/// (`tcp_rcv_rtt_measure_ts`), and the window that it may show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RcvSpace {
    last: u32,
    /// Payload of a full segment, as far as is known (`rcv_mss`): that of the largest, or of two in a row that were as short. Only full ones
    /// tell of round trips.
    full: u32,
    /// That of the last segment, if it was not full, with what its options take beside timestamps (`last_seg_size`).
    short: u32,
    /// In microseconds, smoothed, times eight, and what tells it where there are no timestamps.
    eighths: u64,
    passage: WindowRtt,
    /// How much window its segments may show: more with each that comes (`tcp_grow_window`).
    window: u64,
    /// The most that this will ever be, as the buffer was when it grew last, or when a larger segment came than before and told its share of
    /// window (`window_clamp`).
    clamp: u64,
    /// That share, in 256ths (`scaling_ratio`).
    share: u64,
    /// Memory of its own buffer: as large as that of the connection when that grew last, if the subflow was there (`sk_rcvbuf`).
    size: u64,
}

impl RcvSpace {
    /// Nothing has come. The peer is told of `first` at most, and of more with each segment.
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

    /// What of the memory is window, as the largest segment so far tells it, in 256ths.
    pub(crate) const fn share(&self) -> u64 {
        self.share
    }

    /// The buffer has grown.
    pub(crate) const fn set_buffer(&mut self, grown: GrownBuffer) {
        (self.size, self.clamp) = (grown.size, grown.clamp);
    }

    /// The most that its window will ever be.
    pub(crate) const fn clamp(&self) -> u64 {
        self.clamp
    }

    /// Memory of its own buffer.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// A segment with payload, which lets the window grow where there is room; whether it does (`tcp_grow_window`).
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

    /// What is a full segment (`tcp_measure_rcv_mss`), now that one has come whose `options` take so much beside timestamps. Two short
    /// ones in a row are compared with their options, and so is what comes after them.
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

    /// A segment is larger than those before: such a share of the memory of `size` bytes is window, where data tells that.
    #[cold]
    fn note_share(&mut self, share: Option<u64>, size: u64) {
        if let Some(share) = share.filter(|share| *share != self.share) {
            (self.share, self.clamp) = (share, window_of(size, share));
        }
    }

    /// The least counts at once, more little by little (`tcp_rcv_rtt_update`).
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

    /// Without timestamps: all up to `nxt` has come, while the last window told was of so much.
    pub(crate) fn note_order(&mut self, nxt: u64, told: u64, now: Instant) {
        if let Some(passed) = self.passage.on_order(nxt, told, now) {
            self.eighths = least_round_trip(self.eighths, passed);
        }
    }

    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    /// Whether the window is twice what it was when the subflow showed it last (`shown`), or more. RcvRoom that the connection's buffer has
    /// `left` is not enough for that: what has come on the subflow must let it show as much (`tcp_cleanup_rbuf`).
    pub(crate) fn opens_wide(&self, left: u64, shown: u64) -> bool {
        let open = left.min(self.window);
        open > 0 && open >= 2 * shown
    }

    /// The subflow is over.
    pub(crate) fn end(&mut self) {
        self.eighths = 0;
    }

    /// Zero before anything has told it, and once the subflow is over.
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

    /// Of a buffer of 6 MiB, of which 167/256 are window: 1419 of a packet's 2176 bytes.
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
        // As traced in Linux 6.12: 2 * 1448 by a full segment, twice the largest so far by one of 1080 bytes.
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
        // As traced in Linux 6.12: 2 * 1448 by a full segment, 2 * 1424 by a shorter one, and 2 * 1416 by the second of 1392 bytes with 24
        // of options.
        assert_eq!([1424, 1392, 1392, 1392].map(&mut note), [2896, 2848, 2832, 2832]);
        assert_eq!([1424, 1392, 1424, 1392].map(&mut note), [2896, 2848, 2896, 2848], "not in a row");
    }

    #[test]
    fn room_of_the_connection_is_told_once_the_subflow_may_show_it() {
        // As traced in Linux 6.12: the buffer grows from 131072 to 422492 bytes, and the window that it leaves from 84084 to
        // 211246; the subflow may show 84084 still, and waits with its ACK for a second segment.
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
        // As traced in Linux 6.12: rcv_rtt_est, eighths of a microsecond.
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
        // As traced in Linux 6.12: the connection's buffer has 997844 bytes, but 131072 less a packet of 2176 are 84084 of window.
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
