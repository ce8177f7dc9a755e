//! Receive buffer that grows with the path (Linux 6.1, `tcp_rmem`).
//!
//! The buffer grows with the bytes that the application takes in a round trip ([`RightSizing`]), and the advertised window
//! with arriving data (`tcp_grow_window`). Packets are charged with their memory, not their payload, and a part of the buffer
//! is reserved for that: half (`tcp_adv_win_scale`), or since 6.7 the share that the first full segment shows to be needed
//! (`scaling_ratio`).
//!
//! Departures: no memory pressure; the out-of-order queue is never collapsed, but charged as if it had been once it exceeds
//! the largest buffer; arriving windows give round trips only without timestamps. Multipath TCP has one buffer a connection,
//! with rules of its own (`mptcp/memory.rs`).

use super::receive_queue::HeldPackets;
use crate::buffer_sizes::{DESCRIPTION, SHARED};
use crate::config::TcpConfig;
use crate::right_sizing::{RightSizing, WindowRtt, least_round_trip};
use tailrace_core::{Duration, Instant};

/// Payload and memory of a buffer into which packets are collapsed (`tcp_collapse`: one page).
const PAGE: (u64, u64) = (4096 - SHARED, 4096 + DESCRIPTION);
/// Payload that counts as a full segment before a larger one has come (`TCP_MSS_DEFAULT`).
const LEAST_FULL: u64 = 536;
/// Initial share of free space that is window, in 256ths: `tcp_adv_win_scale` of 1, `TCP_DEFAULT_SCALING_RATIO`.
const HALF: u64 = 128;

/// The receive buffer of a connection.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveSpace {
    /// Memory that may be charged (`sk_rcvbuf`), and its maximum.
    size: u64,
    most: u64,
    /// Memory of a packet beside the payload of a full one: network cards receive into buffers of one size.
    overhead: u64,
    mss: u64,
    /// Largest payload so far (`rcv_mss`): the peer's full segment, which may be less than this end's.
    largest: u64,
    /// Share of free space that is window, in 256ths, and its maximum where a full segment shows it.
    share: u64,
    measured: Option<u64>,
    /// Limit of the advertised window (`window_clamp`), and the window as it has grown (`rcv_ssthresh`).
    clamp: u64,
    window: u64,
    /// Right-sizing of the buffer.
    sizing: RightSizing,
    /// Round trip as the receiver sees it, in eighths of a microsecond (`rcv_rtt_est`), and its measurement without
    /// timestamps.
    rtt_eighths: u64,
    passage: WindowRtt,
}

impl ReceiveSpace {
    /// `None` where buffers are fixed.
    pub(crate) fn new(config: &TcpConfig) -> Option<Self> {
        let sizes = config.tcp_rmem?;
        let size = sizes.initial;
        let half = size * HALF / 256;
        Some(Self {
            size,
            most: sizes.most,
            overhead: config.packet_overhead.get(),
            mss: config.mss.get().max(1),
            largest: LEAST_FULL.min(config.mss.get().max(1)),
            share: HALF,
            measured: config.tcp_window_share.map(|share| (share * 256.0) as u64),
            clamp: half,
            window: half,
            sizing: RightSizing::new(0, 0, Instant::ZERO),
            rtt_eighths: 0,
            passage: WindowRtt::default(),
        })
    }

    /// The connection is established: segments are of `mss` bytes, the application has read up to `read`
    /// (`tcp_init_buffer_space`).
    pub(crate) fn start(&mut self, mss: u64, read: u64, now: Instant) {
        self.mss = mss.max(1);
        self.largest = self.largest.min(self.mss);
        let all = self.window_of(self.size);
        self.clamp = if all > 2 * self.mss { (2 * self.mss).max(all - self.mss) } else { all };
        self.window = self.window.min(65_535).min(self.clamp);
        self.sizing = RightSizing::new(self.window.min(10 * self.mss), read, now);
    }

    /// Window that `space` gives (`tcp_win_from_space`).
    const fn window_of(&self, space: u64) -> u64 {
        space * self.share / 256
    }

    /// Memory of a packet.
    const fn packet(&self) -> u64 {
        self.mss + self.overhead
    }

    /// Memory of the held packets, of which coalesced ones share their description (`tcp_try_coalesce`); collapsed where the
    /// largest buffer would not hold them otherwise.
    fn charge(&self, held: HeldPackets) -> u64 {
        let spared = held.packets.saturating_sub(held.buffers) * DESCRIPTION.min(self.overhead);
        let plain = held.packets * self.packet() - spared;
        if plain <= self.most { plain } else { plain.min(held.bytes * PAGE.1 / PAGE.0) }
    }

    /// A segment with `bytes` has come, with `held` in the buffer (`tcp_grow_window`). Returns whether the window grew: then
    /// Linux acknowledges at once.
    pub(super) fn on_arrival(&mut self, bytes: u64, held: HeldPackets) -> bool {
        self.measure(bytes);
        if self.window >= self.clamp || bytes < 128 {
            return false;
        }
        let room = self.clamp.min(self.free(held)).saturating_sub(self.window);
        let memory = self.window_of(self.packet());
        let step = match memory <= bytes {
            true => 2 * self.mss,
            false => careful_step(bytes, memory, (self.window, self.window_of(self.most)), self.largest),
        };
        if room == 0 || step == 0 {
            return false;
        }
        self.window += room.min(step.max(2 * bytes));
        true
    }

    /// A segment larger than all before shows the share of payload in its memory (`tcp_measure_rcv_mss`).
    fn measure(&mut self, bytes: u64) {
        if bytes <= self.largest {
            return;
        }
        self.largest = bytes.min(self.mss);
        let Some(most) = self.measured else { return };
        let share = if bytes >= self.mss { most } else { most.min((bytes << 8) / self.packet()) };
        if share != self.share {
            self.share = share;
            self.clamp = self.window_of(self.size);
        }
    }

    /// Whether `bytes` are a full segment of the peer.
    pub(super) const fn is_full(&self, bytes: u64) -> bool {
        bytes >= self.largest
    }

    /// Whether `bytes` are no more than a full segment.
    pub(super) const fn is_within_full(&self, bytes: u64) -> bool {
        bytes <= self.largest
    }

    /// The round trip as the receiver sees it, once it has.
    pub(super) fn round_trip(&self) -> Option<Duration> {
        (self.rtt_eighths > 0).then(|| Duration::from_nanos(self.rtt_eighths * 125))
    }

    /// Round-trip sample of the receiver: a segment echoes an ACK of its own (`tcp_rcv_rtt_update`).
    pub(crate) fn on_round_trip(&mut self, rtt: Duration) {
        let (sample, old) = (rtt.as_micros(), self.rtt_eighths);
        let first = old == 0 || sample.saturating_mul(8) < old;
        self.rtt_eighths = if first { sample.saturating_mul(8) } else { old - (old >> 3) + sample };
    }

    /// Round trip without timestamps: all up to `nxt` has come since a window of `window` bytes was told.
    pub(super) fn on_order(&mut self, nxt: u64, window: u64, now: Instant) {
        if let Some(passed) = self.passage.on_order(nxt, window, now) {
            self.rtt_eighths = least_round_trip(self.rtt_eighths, passed);
        }
    }

    /// The application has read up to `read`, with as much as `behind` it readable.
    pub(super) fn on_read(&mut self, (read, behind): (u64, u64), now: Instant) {
        let rtt = Duration::from_micros(self.rtt_eighths >> 3);
        let wanted = if self.measured.is_none() {
            self.sizing.on_read(read, rtt, self.mss, now)
        } else {
            let window = self.sizing.window_on_read((read, behind), rtt, self.mss, now);
            window.map(|window| window.saturating_mul(256) / self.share)
        };
        let wanted = wanted.map_or(0, |size| size.min(self.most));
        if wanted > self.size {
            self.size = wanted;
            self.clamp = self.window_of(wanted);
        }
    }

    /// Whether there is room for `held`; the buffer grows for it (`tcp_clamp_window`).
    pub(super) fn makes_room(&mut self, held: HeldPackets) -> bool {
        let charged = self.charge(held);
        if charged > self.size {
            self.size = charged.min(self.most);
        }
        if charged > self.size {
            self.window = self.clamp.min(2 * self.mss);
        }
        charged <= self.size
    }

    /// Window that the memory beside `held` allows.
    fn free(&self, held: HeldPackets) -> u64 {
        self.window_of(self.size.saturating_sub(self.charge(held)))
    }

    /// Whether less than half of the possible window is left (`__tcp_select_window`).
    pub(super) fn is_half_full(&self, held: HeldPackets) -> bool {
        self.free(held) < self.clamp.min(self.window_of(self.size)) / 2
    }

    /// Whether the window would be at least twice what the peer knows, when told in multiples of `unit`
    /// (`__tcp_cleanup_rbuf`).
    pub(super) fn opens_wide(&self, known: u64, held: HeldPackets, unit: u64) -> bool {
        if 2 * known > self.clamp {
            return false;
        }
        let window = self.window(held, unit).next_multiple_of(unit);
        window > 0 && window >= 2 * known
    }

    /// Window to advertise beyond the data in order, with `held` in the buffer (`__tcp_select_window`). The caller keeps
    /// earlier promises. It is told in multiples of `unit`, and a partial one does not count where less than half is left.
    pub(super) fn window(&self, held: HeldPackets, unit: u64) -> u64 {
        let (mut free, all) = (self.free(held), self.window_of(self.size));
        let full = self.clamp.min(all);
        if free < full / 2 {
            free -= free % unit;
            if free < all >> 4 || free < self.mss.min(full) {
                return 0;
            }
        }
        free.min(self.window)
    }
}

/// Growth of `window` by a segment of `bytes` whose `memory` could be a larger window: such small segments waste memory, so
/// the window stays below what they could fill, at most `largest` (`__tcp_grow_window`).
pub(crate) fn careful_step(bytes: u64, memory: u64, (window, largest): (u64, u64), mss: u64) -> u64 {
    let (mut memory, mut limit) = (memory >> 1, largest >> 1);
    while window <= limit {
        if memory <= bytes {
            return 2 * mss;
        }
        (memory, limit) = (memory >> 1, limit >> 1);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer_sizes::BufferSizes;
    use crate::config::Profile;

    const MSS: u64 = 1448;
    const NONE: HeldPackets = HeldPackets { bytes: 0, packets: 0, buffers: 0 };

    /// `bytes` with each full packet in a buffer of its own.
    fn apart(bytes: u64) -> HeldPackets {
        HeldPackets { bytes, packets: bytes.div_ceil(MSS), buffers: bytes.div_ceil(MSS) }
    }

    /// Buffer of Linux 6.1.
    fn space() -> ReceiveSpace {
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux61)).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        s
    }

    /// Reads `per_rtt` bytes in each of `rounds` round trips of 50 ms; what was read before, and when, is `since`.
    fn rounds(s: &mut ReceiveSpace, since: &mut (u64, Instant), per_rtt: u64, rounds: u64) {
        s.on_round_trip(Duration::from_millis(50));
        for _ in 0..rounds {
            for _ in 0..per_rtt / MSS {
                s.on_arrival(MSS, NONE);
            }
            *since = (since.0 + per_rtt, since.1 + Duration::from_millis(50));
            s.on_read((since.0, 0), since.1);
        }
    }

    #[test]
    fn initial_window_is_half_of_the_buffer_less_a_segment() {
        // 131072 / 2 - 1448.
        assert_eq!(space().window(NONE, 1), 64_088);
    }

    #[test]
    fn receive_buffer_grows_with_bytes_read_in_a_round_trip() {
        // From 10 segments a round trip to 40: (2 * 40 + 16) segments, and 2 * that * (40 - 10) / 10 more: 672 of 2984 B
        // (1448 + 896 raised by steps of 128 to twice the payload).
        let (mut s, mut since) = (space(), (0, Instant::ZERO));
        rounds(&mut s, &mut since, 40 * MSS, 1);
        assert_eq!((s.size, s.clamp), (672 * 2984, 336 * 2984));
        // A steady flow does not grow it again.
        rounds(&mut s, &mut since, 40 * MSS, 20);
        assert_eq!(s.size, 672 * 2984);
        // And there is an end: 6 MB, of which half is window.
        rounds(&mut s, &mut since, 4000 * MSS, 20);
        assert_eq!((s.size, s.window(NONE, 1)), (6_291_456, 3_145_728));
    }

    #[test]
    fn a_full_segment_shows_what_share_is_window() {
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        assert!(!s.on_arrival(536, NONE));
        assert_eq!((s.share, s.clamp, s.window(NONE, 1)), (128, 64_088, 64_088), "half, less a segment");
        // 170/256 of 131072, and of what a segment leaves of that; each lets the window grow by two: 8 of them until there.
        let grew = (0..20).filter(|_| s.on_arrival(MSS, apart(MSS))).count();
        assert_eq!((s.clamp, s.window(NONE, 1), grew), (87_040, (131_072 - 2176) * 170 / 256, 8));
        // The window of 672 segments as above, and the memory that has this as its share.
        let mut since = (0, Instant::ZERO);
        rounds(&mut s, &mut since, 40 * MSS, 1);
        assert_eq!(s.size, 672 * MSS * 256 / 170);
        rounds(&mut s, &mut since, 4000 * MSS, 20);
        assert_eq!((s.size, s.window(NONE, 1)), (6_291_456, 6_291_456 * 170 / 256));
    }

    #[test]
    fn rcv_mss_is_the_largest_segment_of_the_peer() {
        // A peer that makes room for options twice, or that has a smaller MTU: 1436 of 2176 bytes are 168 of 256.
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        assert!(!s.is_full(535) && s.is_full(536));
        assert!(s.on_arrival(1436, NONE));
        assert_eq!((s.share, s.clamp), (168, 131_072 * 168 / 256));
        assert!(!s.is_full(1435) && s.is_full(1436));
        // A shorter one says nothing anew; a longer one does, and what was agreed is the most.
        s.on_arrival(1000, NONE);
        assert_eq!(s.share, 168);
        s.on_arrival(9000, NONE);
        assert_eq!((s.share, s.largest), (170, MSS));
    }

    #[test]
    fn without_timestamps_the_least_round_trip_counts() {
        let mut s = space();
        for ms in [0, 40, 70] {
            s.on_order(1000 * ms, 30_000, Instant::from_millis(ms));
        }
        assert_eq!(s.rtt_eighths, 8 * 30_000);
    }

    #[test]
    fn round_trips_are_of_whole_microseconds() {
        // Trace of a kernel 6.12: 1257378 eighths and 167 ms are 1267206, and a round trip is over after 158400 us.
        let mut s = space();
        s.rtt_eighths = 1_257_378;
        s.on_round_trip(Duration::from_millis(167));
        assert_eq!(s.rtt_eighths, 1_267_206);
        let size = s.size;
        s.on_read((132 * MSS, 0), Instant::from_nanos(158_399_999));
        assert_eq!(s.size, size);
        s.on_read((132 * MSS, 0), Instant::from_nanos(158_400_000));
        assert!(s.size > size);
    }

    #[test]
    fn in_6_1_a_buffer_grows_by_what_the_first_read_took() {
        // Trace of a kernel 6.1, as a gap was filled: 91,224 bytes lay behind.
        let mut s = space();
        (s.sizing, s.rtt_eighths) = (RightSizing::new(57_920, 0, Instant::ZERO), 584_987);
        s.on_read((76_744, 91_224), Instant::from_millis(74));
        assert_eq!(s.size, 599_784);
    }

    #[test]
    fn packets_are_charged_with_their_memory() {
        // 20 packets of 1448 + 728 bytes leave 87552 of 131072.
        let s = space();
        assert_eq!(s.window(apart(20 * MSS), 1), 43_776);
        // 39 leave 46208, of which half is less than half of the window, and told without the part of 128 bytes at its end.
        assert_eq!((s.window(apart(39 * MSS), 1), s.window(apart(39 * MSS), 128)), (23_104, 23_040));
        // Below a sixteenth of what there could be nothing is promised: 58 packets leave 2432 of half the buffer.
        assert_eq!(s.window(apart(58 * MSS), 1), 0);
    }

    #[test]
    fn a_buffer_is_half_full_with_what_takes_half_of_its_window() {
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        s.on_arrival(MSS, NONE);
        // 87040 of 131072: 31 packets of 2176 leave 42245 of that.
        assert!(s.is_half_full(apart(31 * MSS)) && !s.is_half_full(apart(30 * MSS)));
    }

    #[test]
    fn a_window_opens_wide_when_it_is_twice_what_is_known() {
        let mut s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        // 64088 are told in multiples of 128 as 64128, of which half is 32064; but of 64088 it is 32044, and more is not looked at.
        assert!(s.opens_wide(32_044, NONE, 128) && !s.opens_wide(32_045, NONE, 128));
        assert!(s.opens_wide(0, NONE, 128));
        // 31 packets of 2176 leave 63616 of 131072, and half of that is window: 31808, of which 31744 are told.
        assert!(s.opens_wide(15_872, apart(31 * MSS), 128) && !s.opens_wide(15_873, apart(31 * MSS), 128));
        // 60 packets leave 512, of which nothing is promised.
        assert!(!s.opens_wide(0, apart(60 * MSS), 128));
    }

    #[test]
    fn packets_behind_others_share_their_description() {
        // Trace of a kernel 6.12: 17 packets in two buffers take 2 * 2176 + 15 * 1920.
        let s = ReceiveSpace::new(&TcpConfig::for_profile(Profile::Linux)).unwrap();
        assert_eq!(s.charge(HeldPackets { bytes: 17 * MSS, packets: 17, buffers: 2 }), 33_152);
        assert_eq!(s.charge(apart(17 * MSS)), 17 * 2176);
    }

    #[test]
    fn a_buffer_without_room_to_grow_stays() {
        let sizes = BufferSizes { least: 4096, initial: 131_072, most: 131_072 };
        let config = TcpConfig { tcp_rmem: Some(sizes), ..TcpConfig::for_profile(Profile::Linux61) };
        let mut s = ReceiveSpace::new(&config).unwrap();
        s.start(MSS, 0, Instant::ZERO);
        rounds(&mut s, &mut (0, Instant::ZERO), 400 * MSS, 5);
        assert_eq!(s.size, 131_072);
        assert!(!s.makes_room(apart(120_000)), "120 kB copied together take 138 kB");
        assert!(s.makes_room(apart(100_000)));
    }

    #[test]
    fn a_tuned_buffer_grows_for_what_waits_out_of_order() {
        let mut s = space();
        assert!(s.makes_room(apart(1_000_000)));
        assert!(s.size > 1_000_000);
        assert!(!s.makes_room(apart(8_000_000)));
    }
}
