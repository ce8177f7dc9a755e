//! Segmentation offload: TCP hands down packets of several segments, which the network card or the kernel cuts up (TSO, GSO;
//! Linux `tcp_write_xmit`).
//!
//! A packet holds what the sender's rate gives in about a millisecond, at least two segments (`tcp_tso_autosize`), and at most
//! half of the window (`tcp_cwnd_test`). Where the window has room for fewer, they wait for the next ACK if that is about to
//! come (`tcp_tso_should_defer`). The last segment of a packet has PSH (`__tcp_transmit_skb`), and so has the rest of a write
//! that filled the buffer (`tcp_push`, `forced_push`). Packets are those of a tuned send buffer or of a subflow
//! ([`crate::tcp::linux::send_queue`]), or else what half of the window lets an application write.
//!
//! Departures: retransmissions leave segment by segment; paced data does so, too, without PSH.

use tailrace_core::{Duration, Instant};

/// Largest packet: 64 KiB with the headers of all layers (`GSO_LEGACY_MAX_SIZE`, `MAX_TCP_HEADER`).
const LARGEST: u64 = 65_536 - 320 - 1;
/// The least number of segments (`tcp_min_tso_segs`).
pub(in crate::tcp) const LEAST: u64 = 2;
/// Shift of the rate per second that gives a packet (`sk_pacing_shift`).
const RATE_SHIFT: u32 = 10;
/// Near peers get larger packets: half as much more for each so many microseconds of the least round trip (`tcp_tso_rtt_log`).
const RTT_SHIFT: u32 = 9;
/// Divisor of the window whose share is not deferred (`tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u64 = 3;
/// Pause after which nothing is deferred, nor for an ACK that is further away.
const SOON: Duration = Duration::from_millis(1);

/// The packet that is being sent.
#[derive(Clone, Copy, Debug, Default)]
struct GsoPacket {
    /// Where it ends.
    end: u64,
    /// End of the packet as the application wrote it.
    border: u64,
    /// It has several segments.
    several: bool,
}

/// State of segmentation offload.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Segmentation {
    packet: GsoPacket,
    /// When an ACK without data was last sent while data was outstanding.
    acked_between: Instant,
    /// Most segments of a packet.
    most: u64,
    /// Pacing rate when the last ACK was processed, bytes a second (`sk_pacing_rate`).
    rate: u64,
    /// Option bytes of a subflow's segments: they count for that rate as if they were data (`mss_cache`).
    options: u32,
}

impl Default for Segmentation {
    fn default() -> Self {
        let (packet, acked_between) = (GsoPacket::default(), Instant::ZERO);
        Self { packet, acked_between, most: LEAST, rate: 0, options: 0 }
    }
}

impl Segmentation {
    /// Segments are of `mss` bytes beside `options` bytes of options.
    pub(in crate::tcp) const fn set_options(&mut self, options: u32) {
        self.options = options;
    }

    /// Option bytes of a segment.
    pub(in crate::tcp) const fn options(&self) -> u32 {
        self.options
    }

    /// An ACK without data is sent while data is outstanding.
    pub(in crate::tcp) const fn on_ack_between(&mut self, now: Instant) {
        self.acked_between = now;
    }

    /// When an ACK without data was last sent while data was outstanding.
    pub(in crate::tcp) const fn acked_between(&self) -> Instant {
        self.acked_between
    }

    /// Most segments of a packet.
    pub(in crate::tcp) const fn most(&self) -> u64 {
        self.most
    }

    /// Pacing rate when the last ACK was processed, bytes a second.
    pub(in crate::tcp) const fn rate(&self) -> u64 {
        self.rate
    }

    /// The pacing rate is `rate` bytes a second now, and packets to a peer at `min_rtt` hold what it gives in a millisecond
    /// (`tcp_update_pacing_rate`).
    pub(in crate::tcp) fn set_rate(&mut self, rate: u64, min_rtt: Duration, mss: u64) {
        (self.most, self.rate) = (autosize(rate, min_rtt, mss), rate);
    }

    /// Whether data from `nxt` on belongs to the packet that is being sent.
    pub(in crate::tcp) const fn is_within_packet(&self, nxt: u64) -> bool {
        nxt < self.packet.end
    }

    /// A packet of `len` bytes from `nxt` on begins, of `several` segments or not.
    pub(in crate::tcp) const fn begin_packet(&mut self, nxt: u64, len: u64, several: bool) {
        self.packet = GsoPacket { end: nxt + len, border: 0, several };
    }

    /// The next packet from `nxt` on, where no send queue has packets: the application writes packets of `goal` bytes, and has
    /// written up to `written`. `fills`: a short one takes what it lacks from the next (`tcp_grow_skb`).
    pub(in crate::tcp) fn next_packet(
        &self,
        (nxt, written): (u64, u64),
        goal: u64,
        most: u64,
        fills: bool,
    ) -> NextPacket {
        let border = match self.packet.border {
            border if border > nxt => border,
            border if border + goal > nxt => border + goal,
            _ => nxt + goal,
        };
        let end = if fills { border.max(nxt + most) } else { border }.min(written);
        NextPacket { len: end - nxt, border, tail: end == written }
    }

    /// Begins that packet with `len` bytes.
    pub(in crate::tcp) const fn begin(&mut self, nxt: u64, len: u64, packet: &NextPacket, mss: u64) {
        self.packet = GsoPacket { end: nxt + len, border: packet.border, several: len > mss };
    }

    /// Whether new data that ends at `end` has PSH, as the last of a packet of several segments, or of what was written while the
    /// buffer had room; with windows (`largest`) so small that half of one is less than a packet, each write is pushed.
    pub(in crate::tcp) const fn is_pushed(&self, end: u64, largest: u64) -> bool {
        let forced = end == self.packet.border && largest / 2 < LARGEST;
        (end == self.packet.end && self.packet.several) || forced
    }
}

/// A packet that the application has written.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct NextPacket {
    pub(in crate::tcp) len: u64,
    border: u64,
    /// It is the last that was written.
    pub(in crate::tcp) tail: bool,
}

/// Bytes that an application writes into a packet (`tcp_xmit_size_goal`), where the peer's window was `largest` at most.
pub(in crate::tcp) fn size_goal(mss: u64, largest: u64) -> u64 {
    (LARGEST.min(largest / 2) / mss).max(1) * mss
}

/// Room for the next packet, bytes: in the congestion window and in the peer's.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct PacketRoom {
    pub(in crate::tcp) mss: u64,
    /// The congestion window, and the segments that it has room for.
    pub(in crate::tcp) cwnd: u64,
    pub(in crate::tcp) segments: u64,
    /// The peer's window, and its room.
    pub(in crate::tcp) wnd: u64,
    pub(in crate::tcp) wnd_room: u64,
    /// Most segments of a packet.
    pub(in crate::tcp) most: u64,
}

/// The ACK clock: when something was last sent, and when the oldest outstanding segment was.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct AckClock {
    pub(in crate::tcp) now: Instant,
    pub(in crate::tcp) last_sent: Instant,
    pub(in crate::tcp) head: Option<Instant>,
    pub(in crate::tcp) smoothed: Duration,
}

/// Segments that a packet holds at `rate` bytes a second, to a peer at `min_rtt`.
fn autosize(rate: u64, min_rtt: Duration, mss: u64) -> u64 {
    let halvings = (min_rtt.as_nanos() / 1000) >> RTT_SHIFT;
    let near = if halvings < 32 { LARGEST >> halvings } else { 0 };
    ((rate >> RATE_SHIFT).saturating_add(near).min(LARGEST) / mss).max(LEAST)
}

impl PacketRoom {
    /// Segments that the next packet may have.
    pub(in crate::tcp) fn quota(&self) -> u64 {
        if self.segments <= 1 {
            return self.most.min(1); // As mostly, and a division less.
        }
        let half = (self.cwnd / self.mss / 2).max(1);
        self.segments.min(half).min(self.most)
    }

    /// Room in the congestion window.
    fn cwnd_room(&self) -> u64 {
        self.segments * self.mss
    }

    /// Part of a packet of `len` bytes that leaves, of which `quota` may; of the last waiting one no partial segment where
    /// Nagle's rule `waits` (`tcp_mss_split_point`).
    pub(in crate::tcp) fn part_of(&self, len: u64, quota: u64, (tail, waits): (bool, bool)) -> u64 {
        if len <= self.mss {
            return len;
        }
        let most = len.min(self.wnd_room);
        if quota <= most || (quota <= self.wnd_room && !tail) {
            return len.min(quota);
        }
        most - if waits { most % self.mss } else { 0 }
    }

    /// Whether `len` bytes, the last ones if `tail`, are deferred to an ACK that makes more room; then also whether the
    /// congestion window is the reason.
    #[inline(always)]
    pub(in crate::tcp) fn defers(
        &self,
        len: u64,
        tail: bool,
        closed: bool,
        clock: &AckClock,
    ) -> Option<bool> {
        let cwnd_room = self.cwnd_room();
        let limit = cwnd_room.min(self.wnd_room);
        let chunk = self.wnd.min(self.cwnd) / WINDOW_DIVISOR;
        if limit >= self.most * self.mss || (!tail && limit >= len) || limit >= chunk || clock.says_now() {
            return None;
        }
        let by_cwnd = cwnd_room < self.wnd_room;
        let short = len >= limit;
        if !short && tail && closed {
            return None;
        }
        Some(by_cwnd && short)
    }
}

impl AckClock {
    /// Whether nothing is deferred: the last packet left a while ago, or the next ACK is not about to come.
    fn says_now(&self) -> bool {
        let Some(head) = self.head else { return true };
        let soon = SOON.min(self.smoothed / 2);
        self.now.saturating_since(self.last_sent) > SOON
            || head.saturating_add(self.smoothed) > self.now.saturating_add(soon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Profile;
    use crate::tcp::tests::{self as channel, Channel};

    const MSS: u64 = 1448;
    const MS: fn(u64) -> Instant = Instant::from_millis;

    #[test]
    fn a_packet_is_a_millisecond_of_the_rate_and_two_segments_at_least() {
        let far = Duration::from_millis(40);
        // 10 Mbit/s over 16: 78125 B/s / 1024 = 76 B. 50 Mbit/s: 6.25 MB/s / 1024 = 6103 B, 4.2 segments.
        assert_eq!(autosize(78_125, far, MSS), 2);
        assert_eq!(autosize(6_250_000, far, MSS), 4);
        assert_eq!(autosize(u64::MAX, far, MSS), 65_215 / MSS);
        // At 2 ms (2000 / 512 = 3) an eighth of 65215 is added: 6103 + 8151 = 14254.
        assert_eq!(autosize(6_250_000, Duration::from_millis(2), MSS), 9);
    }

    /// A window of 20 segments, with room for `room`; packets of 4.
    fn room(room: u64) -> PacketRoom {
        let (cwnd, wnd) = (20 * MSS, 60 * MSS);
        PacketRoom { mss: MSS, cwnd, segments: room, wnd, wnd_room: 50 * MSS, most: 4 }
    }

    /// An ACK is due at 141 ms; something left at `last_sent`.
    fn clock(last_sent: u64) -> AckClock {
        let (head, smoothed) = (Some(MS(100)), Duration::from_millis(41));
        AckClock { now: MS(140), last_sent: MS(last_sent), head, smoothed }
    }

    #[test]
    fn a_packet_is_half_of_the_window_at_most() {
        assert_eq!((room(3).quota(), room(9).quota(), room(0).quota()), (3, 4, 1));
        assert_eq!(PacketRoom { cwnd: 5 * MSS, ..room(4) }.quota(), 2);
    }

    #[test]
    fn too_little_room_waits_for_an_ack_that_is_about_to_come() {
        let waits = |n: u64, at: &AckClock| room(n).defers(40 * MSS, false, false, at);
        assert_eq!(waits(3, &clock(139)), Some(true), "for the congestion window");
        assert_eq!(waits(4, &clock(139)), None, "a whole packet");
        assert_eq!(waits(3, &clock(138)), None, "nothing left for 2 ms");
        assert_eq!(waits(3, &AckClock { head: Some(MS(101)), ..clock(139) }), None, "2 ms until the ACK");
        assert_eq!(waits(3, &AckClock { head: None, ..clock(139) }), None, "nothing is out");
        let small = PacketRoom { cwnd: 9 * MSS, ..room(3) };
        assert_eq!(small.defers(40 * MSS, false, false, &clock(139)), None, "a third of the window");
        let shut = PacketRoom { wnd_room: 2 * MSS, ..room(3) };
        assert_eq!(shut.defers(40 * MSS, false, false, &clock(139)), Some(false), "for the peer's");
    }

    #[test]
    fn short_last_packet_is_not_deferred_once_the_stream_is_closed() {
        let waits = |tail, closed| room(3).defers(2 * MSS, tail, closed, &clock(139));
        assert_eq!(waits(false, false), None, "the next packet is another");
        assert_eq!(waits(true, false), Some(false), "the application may write more");
        assert_eq!(waits(true, true), None);
    }

    #[test]
    fn an_ack_without_data_counts_as_what_was_sent_last() {
        let linux = || channel::config(Profile::Linux);
        let mut ch = Channel::new([linux(), linux()], "reno", [1, 2]);
        ch.ends[0].write(crate::tcp::UNLIMITED);
        ch.run(|_, _, _| [Some(Duration::from_millis(20)), None], |ch| ch.delivered[1] > 50_000);
        let end = &mut ch.ends[0];
        let before = end.last_sent;
        let now = before + Duration::from_micros(700);
        assert_eq!(end.ack_clock(now).last_sent, before);
        end.demand_ack();
        assert_eq!(end.poll_transmit(now).map(|ack| ack.payload), Some(0));
        assert_eq!((end.ack_clock(now).last_sent, end.last_sent), (now, before), "a pause is one of data");
    }
}
