//! Segments that leave together: TCP hands down packets of several segments, which the network card cuts up, or the kernel in its
//! place (TSO, GSO; Linux `tcp_write_xmit`).
//!
//! A packet holds what the sender's rate gives in about a millisecond, at least two segments (`tcp_tso_autosize`), and at most half of
//! the window (`tcp_cwnd_test`). Where the window has room for fewer, they wait for the next ACK if that is about to come
//! (`tcp_tso_should_defer`). The last segment of a packet has PSH (`__tcp_transmit_skb`), and so has what an application was left
//! with as its buffer was full (`tcp_push`, `forced_push`). Packets are those of a tuned send buffer or of a subflow
//! ([`crate::tcp::linux::send_queue`]), or else of what half of the window lets an application write.
//!
//! Departures: what is sent again leaves segment by segment; paced data does so, too, without PSH.

use crate::config::Nagle;
use crate::tcp::Tcp;
use crate::tcp::linux::send_buffer::Push;
use tailrace_core::{Duration, Instant};

/// The most that a packet holds: 64 KiB with the headers of all layers (`GSO_LEGACY_MAX_SIZE`, `MAX_TCP_HEADER`).
const LARGEST: u64 = 65_536 - 320 - 1;
/// The least number of segments (`tcp_min_tso_segs`).
pub(in crate::tcp) const LEAST: u64 = 2;
/// A second's worth over this makes a packet (`sk_pacing_shift`).
const RATE_SHIFT: u32 = 10;
/// Near peers get more: half as much for each so many microseconds of the least round trip (`tcp_tso_rtt_log`).
const RTT_SHIFT: u32 = 9;
/// Room for this share of the window is not waited with (`tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u64 = 3;
/// After such a pause nothing waits, nor for an ACK that is further away.
const SOON: Duration = Duration::from_millis(1);

/// The packet that is leaving.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Tso {
    /// Where it ends.
    end: u64,
    /// Where what the application wrote as one packet ends.
    border: u64,
    /// It has several segments.
    several: bool,
}

/// What the next packet is made from, bytes: there is room in the congestion window and in the peer's.
#[derive(Clone, Copy, Debug)]
struct Room {
    mss: u64,
    /// The congestion window, and how many segments it has room for.
    cwnd: u64,
    segments: u64,
    /// The same of the peer's window.
    wnd: u64,
    wnd_room: u64,
    /// Most segments of a packet.
    most: u64,
}

/// What the ACK clock says: how long ago something was sent, and when the oldest outstanding segment was, if any.
#[derive(Clone, Copy, Debug)]
struct Clock {
    now: Instant,
    last_sent: Instant,
    head: Option<Instant>,
    smoothed: Duration,
}

/// Segments that a packet holds at `rate` bytes a second, to a peer at `min_rtt`.
fn autosize(rate: u64, min_rtt: Duration, mss: u64) -> u64 {
    let halvings = (min_rtt.as_nanos() / 1000) >> RTT_SHIFT;
    let near = if halvings < 32 { LARGEST >> halvings } else { 0 };
    ((rate >> RATE_SHIFT).saturating_add(near).min(LARGEST) / mss).max(LEAST)
}

impl Room {
    /// Segments that the next packet may have.
    fn quota(&self) -> u64 {
        if self.segments <= 1 {
            return self.most.min(1); // As mostly, and a division less.
        }
        let half = (self.cwnd / self.mss / 2).max(1);
        self.segments.min(half).min(self.most)
    }

    /// What the congestion window has room for.
    fn cwnd_room(&self) -> u64 {
        self.segments * self.mss
    }

    /// What leaves of a packet of `len` bytes of which `quota` may; of the last one that is waiting, no part of a segment where Nagle's rule
    /// `waits` (`tcp_mss_split_point`).
    fn part_of(&self, len: u64, quota: u64, (tail, waits): (bool, bool)) -> u64 {
        if len <= self.mss {
            return len;
        }
        let most = len.min(self.wnd_room);
        if quota <= most || (quota <= self.wnd_room && !tail) {
            return len.min(quota);
        }
        most - if waits { most % self.mss } else { 0 }
    }

    /// Whether `len` bytes, the last of all if `tail`, wait for an ACK that makes room for more; then also whether the
    /// congestion window is what they wait for.
    #[inline(always)]
    fn defers(&self, len: u64, tail: bool, closed: bool, clock: &Clock) -> Option<bool> {
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

impl Clock {
    /// Whether nothing is waited for: the last packet left a while ago, or the next ACK is not about to come.
    fn says_now(&self) -> bool {
        let Some(head) = self.head else { return true };
        let soon = SOON.min(self.smoothed / 2);
        self.now.saturating_since(self.last_sent) > SOON
            || head.saturating_add(self.smoothed) > self.now.saturating_add(soon)
    }
}

impl Tcp {
    /// Whether new data may leave now, for which the window has room beside `pipe`: as part of a packet, or as the first of one that
    /// need not wait.
    #[inline(never)]
    pub(in crate::tcp) fn fills_packet(&mut self, (window, pipe): (u64, u64), now: Instant) -> bool {
        if !self.config.tso || self.paces {
            return true;
        }
        let nxt = self.board.nxt;
        let Some(tso) = self.repair.as_ref().map(|r| r.tso).filter(|tso| nxt >= tso.end) else { return true };
        if self.tuned_send_buffer().is_some() {
            return self.begins_packet_of_queue((window, pipe), now);
        }
        let written = self.buffered().min(self.snd.data_end());
        if nxt >= written {
            return true;
        }
        if self.shared_window.is_some() {
            return true; // Its connection hands out what leaves at once.
        }
        let room = self.room_for_packet(window, pipe);
        let most = room.quota() * room.mss;
        // A packet that ends early takes what it lacks from the next one (`tcp_grow_skb`).
        let border = self.border_after(tso.border, nxt);
        let fills = self.config.fills_short_packets;
        let end = if fills { border.max(nxt + most) } else { border }.min(written);
        let (len, tail) = (end - nxt, end == written);
        if len > room.mss && !self.overrides_window && !self.recovery.is_active() {
            let clock = self.ack_clock(now);
            if let Some(limited) = room.defers(len, tail, self.snd.is_closed(), &clock) {
                self.cwnd_limited = limited;
                self.note_usage(limited);
                return false;
            }
        }
        let len = if self.overrides_window { room.mss } else { len.min(most).min(room.wnd_room) };
        self.begin_packet(Tso { end: nxt + len, border, several: len > room.mss })
    }

    /// The same, of packets that wait in a send buffer (`tcp_write_xmit`).
    fn begins_packet_of_queue(&mut self, (window, pipe): (u64, u64), now: Instant) -> bool {
        let (overrides, repairs) = (self.overrides_window, self.recovery.is_active());
        let came = self.stats.segments_received;
        let Some(buffer) = self.tuned_send_buffer() else { return true };
        let push = buffer.push;
        // That time has passed is no reason to look again.
        if !overrides && !repairs && buffer.deferred.is_some_and(|(since, then)| then == came && since < now)
        {
            return false;
        }
        if push == Push::Done {
            self.note_limit(pipe, self.cwnd());
            return false;
        }
        let room = self.room_for_packet(window, pipe);
        let quota = room.quota() * room.mss;
        let fills = self.config.fills_short_packets;
        let Some(buffer) = self.send_buffer_mut() else { return true };
        let head = if fills { buffer.queue.grow_head(quota) } else { buffer.queue.head() };
        let Some(head) = head else { return true };
        let (tail, written) = (buffer.queue.has_one_waiting(), buffer.queue.written());
        let closed = self.snd.is_closed() && written == self.snd.data_end();
        if head > room.mss
            && push != Push::One
            && !overrides
            && !repairs
            && let Some(limited) = room.defers(head, tail, closed, &self.ack_clock(now))
        {
            self.cwnd_limited = limited;
            self.note_usage(limited);
            if let Some(buffer) = self.send_buffer_mut() {
                buffer.deferred = Some((now, came));
            }
            return false;
        }
        let nagled = || self.config.nagle != Nagle::Off && self.snd.has_small_after(self.board.una);
        let waits = tail && push == Push::Nagled && !closed && nagled();
        let len = if waits && head < room.mss { 0 } else { room.part_of(head, quota, (tail, waits)) };
        if len == 0 {
            self.note_limit(pipe, self.cwnd());
            return false;
        }
        if let Some(buffer) = self.send_buffer_mut() {
            buffer.queue.hand_down(len);
        }
        self.begin_packet(Tso { end: self.board.nxt + len, border: 0, several: len > room.mss })
    }

    /// What of a segment of so much, and perhaps a FIN, is in the packet that has begun. Pieces of a connection are whole: a packet
    /// that ends within one, as some of its segments are shorter than others, ends with it.
    #[inline(never)]
    pub(in crate::tcp) fn within_packet(&mut self, nxt: u64, len: u64, fin: u64) -> (u64, u64) {
        if self.shared_window.is_some() {
            if let Some(buffer) = self.send_buffer_mut().filter(|buffer| nxt < buffer.queue.left()) {
                buffer.queue.extend_to(nxt + len);
            }
            return (len, fin);
        }
        let left = self.tuned_send_buffer().map_or(0, |buffer| buffer.queue.left());
        if nxt < left && left - nxt < len { (left - nxt, 0) } else { (len, fin) }
    }

    /// Whether new data that ends at `end` is all that was written, or what is left of a packet.
    pub(in crate::tcp) fn ends_packet(&self, end: u64) -> bool {
        self.tuned_send_buffer().is_some_and(|buffer| {
            let queue = &buffer.queue;
            end == queue.written() || (self.board.nxt < queue.left() && queue.left() <= end)
        })
    }

    /// An ACK has been dealt with: the rate is another now, and with it what packets hold (`tcp_update_pacing_rate`).
    pub(in crate::tcp) fn note_rate(&mut self) {
        if !self.config.tso {
            return;
        }
        let rate = self.pacing_rate().map_or(u64::MAX, |rate| rate.as_bps() / 8);
        let most = autosize(rate, self.rtt.min, u64::from(self.mss));
        if let Some(repair) = &mut self.repair {
            (repair.packet_most, repair.rate) = (most, rate);
        }
    }

    /// The rate when an ACK was dealt with last, bytes a second; none where nobody notes it.
    pub(in crate::tcp) fn noted_rate(&self) -> Option<u64> {
        self.repair.as_ref().filter(|_| self.config.tso).map(|repair| repair.rate)
    }

    /// Most segments of a packet.
    pub(in crate::tcp) fn most_in_packet(&self) -> u64 {
        self.repair.as_ref().map_or(LEAST, |repair| repair.packet_most)
    }

    fn ack_clock(&self, now: Instant) -> Clock {
        let (head, smoothed) = (self.board.first_sent_at(), self.rtt.smoothed);
        // An ACK without data counts as well (`__tcp_transmit_skb`).
        let acked = self.repair.as_ref().map_or(Instant::ZERO, |repair| repair.acked_between);
        Clock { now, last_sent: self.last_sent.max(acked), head, smoothed }
    }

    fn begin_packet(&mut self, packet: Tso) -> bool {
        if let Some(repair) = &mut self.repair {
            repair.tso = packet;
        }
        true
    }

    fn room_for_packet(&self, window: u64, pipe: u64) -> Room {
        let full = u64::from(self.mss);
        let mss = match self.shared_window {
            // Beside what its options take, a segment may have room for less.
            Some(_) => self.snd.piece().max(1),
            None => full,
        };
        Room {
            mss,
            cwnd: window,
            segments: (window / full).saturating_sub(pipe.div_ceil(full)),
            wnd: self.snd_wnd.size(),
            wnd_room: match self.shared_window {
                // The connection has seen to its window.
                Some(_) => u64::MAX / 2,
                None => (self.board.una + self.snd_wnd.size()).saturating_sub(self.board.nxt),
            },
            most: self.most_in_packet(),
        }
    }

    /// What an application writes at once into a packet (`tcp_xmit_size_goal`): a segment, where packets hold no more.
    pub(in crate::tcp) fn packet_goal(&self) -> u64 {
        let mss = u64::from(self.mss);
        if !self.config.tso {
            return mss;
        }
        (LARGEST.min(self.snd_wnd.largest() / 2) / mss).max(1) * mss
    }

    /// The end of the packet that byte `nxt` was written into, where the one before it ended at `border`.
    fn border_after(&self, border: u64, nxt: u64) -> u64 {
        let goal = self.packet_goal();
        match border {
            _ if border > nxt => border,
            _ if border + goal > nxt => border + goal,
            _ => nxt + goal,
        }
    }

    /// Whether new data that ends at `end` has PSH, as the last of a packet of several segments, or of what was written while the
    /// buffer had room; what was written into windows so small that half of one is less than a packet is pushed each time.
    pub(in crate::tcp) fn is_pushed(&mut self, end: u64) -> bool {
        if self.tuned_send_buffer().is_some() {
            return self.leaves_send_buffer(end);
        }
        if !self.config.tso {
            return false;
        }
        let Some(tso) = self.repair.as_ref().map(|r| r.tso) else { return false };
        let forced = end == tso.border && self.snd_wnd.largest() / 2 < LARGEST;
        (end == tso.end && tso.several) || forced
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
    fn room(room: u64) -> Room {
        let (cwnd, wnd) = (20 * MSS, 60 * MSS);
        Room { mss: MSS, cwnd, segments: room, wnd, wnd_room: 50 * MSS, most: 4 }
    }

    /// An ACK is due at 141 ms; something left at `last_sent`.
    fn clock(last_sent: u64) -> Clock {
        let (head, smoothed) = (Some(MS(100)), Duration::from_millis(41));
        Clock { now: MS(140), last_sent: MS(last_sent), head, smoothed }
    }

    #[test]
    fn a_packet_is_half_of_the_window_at_most() {
        assert_eq!((room(3).quota(), room(9).quota(), room(0).quota()), (3, 4, 1));
        assert_eq!(Room { cwnd: 5 * MSS, ..room(4) }.quota(), 2);
    }

    #[test]
    fn too_little_room_waits_for_an_ack_that_is_about_to_come() {
        let waits = |n: u64, at: &Clock| room(n).defers(40 * MSS, false, false, at);
        assert_eq!(waits(3, &clock(139)), Some(true), "for the congestion window");
        assert_eq!(waits(4, &clock(139)), None, "a whole packet");
        assert_eq!(waits(3, &clock(138)), None, "nothing left for 2 ms");
        assert_eq!(waits(3, &Clock { head: Some(MS(101)), ..clock(139) }), None, "2 ms until the ACK");
        assert_eq!(waits(3, &Clock { head: None, ..clock(139) }), None, "nothing is out");
        let small = Room { cwnd: 9 * MSS, ..room(3) };
        assert_eq!(small.defers(40 * MSS, false, false, &clock(139)), None, "a third of the window");
        let shut = Room { wnd_room: 2 * MSS, ..room(3) };
        assert_eq!(shut.defers(40 * MSS, false, false, &clock(139)), Some(false), "for the peer's");
    }

    #[test]
    fn what_ends_before_the_room_does_leaves_if_nothing_comes_behind_it() {
        let waits = |tail, closed| room(3).defers(2 * MSS, tail, closed, &clock(139));
        assert_eq!(waits(false, false), None, "the next packet is another");
        assert_eq!(waits(true, false), Some(false), "the application may write more");
        assert_eq!(waits(true, true), None);
    }

    #[test]
    fn an_ack_without_data_counts_as_what_was_sent_last() {
        let linux = || channel::config(Profile::Linux);
        let mut ch = Channel::new([linux(), linux()], "reno", [1, 2]);
        ch.ends[0].write(crate::UNLIMITED);
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
