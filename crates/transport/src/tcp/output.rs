//! Segments that are sent: resets, SYNs, retransmissions, new data, probes, ACKs, in this order.

use super::options::clock;
use super::recv::ack_policy::AckPolicy;
use super::send::pacing::{self, WindowRate};
use super::socket_buffers::{FixedBuffers, SocketBuffers, receive_view};
use super::timer::wheel;
use super::{Tcp, TransmitHint};
use crate::cc::CongestionControl;
use crate::config::{IdleRestart, Nagle};
use crate::segment::{Flags, Segment, SeqNumber, Timestamps};
use tailrace_core::{Bytes, Duration, Instant, Rate};

/// Bytes of four SACK blocks, the most that fit into a header.
const SACK_LEN: u64 = 36;
impl Tcp {
    /// The next segment to send, if any. Call until `None` after each input, or until [`Tcp::is_exhausted`].
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Segment> {
        let mut next = Segment::default();
        self.poll_transmit_into(&mut next, now).then_some(next)
    }

    /// Variant of [`Tcp::poll_transmit`] that puts the segment into `next`. Whether there is one.
    pub fn poll_transmit_into(&mut self, next: &mut Segment, now: Instant) -> bool {
        self.transmit_hint = TransmitHint::Unknown;
        if let Some(reply) = self.reset_reply.take() {
            self.stats.segments_sent += 1;
            let flags = if reply.ack.is_some() { Flags::RST.with(Flags::ACK) } else { Flags::RST };
            let ack = reply.ack.unwrap_or_default();
            *next = Segment { seq: reply.seq, ack, flags, ..Segment::default() };
            return true;
        }
        if let Some(up_to) = self.acks.take_first() {
            *next = self.acknowledge_before(up_to, now);
            return true;
        }
        if self.acks.is_due() && self.ends_handshake_apart() {
            *next = self.pure_ack(now);
            return true;
        }
        if self.state.may_send() {
            if self.extensions.is_some() {
                if !self.is_at_rest() && self.poll_watched_data(next, now) {
                    return true;
                }
            } else if let Some(segment) = self.poll_data::<false>(now) {
                *next = segment;
                return true;
            }
        }
        if self.syn_due {
            *next = self.syn_segment(now);
            return true;
        }
        if core::mem::take(&mut self.probe_due) {
            *next = self.probe_segment(now);
            return true;
        }
        if !self.acks.is_due() {
            return false;
        }
        if self.extensions.is_some() {
            self.ack_with_extensions(next, now);
        } else {
            self.transmit_hint = TransmitHint::Nothing;
            *next = self.pure_ack(now);
        }
        true
    }

    /// Whether a lost segment waits to be sent again.
    #[inline]
    pub(crate) const fn has_repairs(&self) -> bool {
        self.board.has_waiting()
    }

    /// Retransmits a lost segment on the ACK that has just come, before anything else is looked at (`tcp_xmit_recovery`).
    pub(crate) fn poll_repair_into(&mut self, next: &mut Segment, now: Instant) -> bool {
        self.transmit_hint = TransmitHint::Unknown;
        let waits = self.acks.is_due() || self.recovery.waits_for_timer() || self.pacer.is_shut(now);
        if waits || !self.state.may_send() {
            return false;
        }
        let Some((start, end)) = self.board.next_lost().filter(|_| !self.defers_retransmission()) else {
            return false;
        };
        if !self.overrides_window && !self.fits_window(self.pipe(), end - start) {
            return false;
        }
        self.overrides_window = false;
        *next = self.resend(start, end, now);
        true
    }

    /// Whether it is known that nothing follows the segment that was polled last, so that another poll would be in vain.
    #[inline]
    pub const fn is_exhausted(&self) -> bool {
        matches!(self.transmit_hint, TransmitHint::Nothing)
    }

    /// Sends written data as long as it may leave; the application writes on in between.
    #[inline(never)]
    fn poll_watched_data(&mut self, next: &mut Segment, now: Instant) -> bool {
        loop {
            if let Some(segment) = self.poll_data::<true>(now) {
                *next = segment;
                return true;
            }
            if self.buffers.is_none() || !self.application_writes_on() {
                return false;
            }
        }
    }

    /// A retransmission or new data; `WATCHED` says that there are optional parts of loss recovery to have a say.
    #[inline(always)]
    fn poll_data<const WATCHED: bool>(&mut self, now: Instant) -> Option<Segment> {
        if self.recovery.waits_for_timer() || self.pacer.is_shut(now) {
            return None;
        }
        let (nxt, outstanding) = (self.board.nxt, self.board.outstanding());
        if outstanding == 0 && nxt == self.snd.end() {
            self.note_nothing_to_send::<WATCHED>();
            return None;
        }
        if let Some((start, end)) = self.board.next_lost()
            && !(WATCHED && self.defers_retransmission())
        {
            return self.retransmit(start, end, now);
        }
        if let Some((start, end)) = self.next_repair() {
            return self.retransmit(start, end, now);
        }
        if nxt == self.snd.end() {
            self.note_limit(self.pipe(), self.cwnd());
            self.note_idle();
            return self.rescue(now);
        }
        if outstanding == 0 {
            self.restart_if_idle(now);
        }
        let (len, fin) = self.next_len();
        if len + fin == 0 || !(self.overrides_window || self.is_worth_sending(len, fin)) {
            self.note_limit(self.pipe(), self.cwnd());
            if outstanding == 0 {
                self.arm_persist(now);
                return None;
            }
            return self.rescue(now);
        }
        if self.config.max_burst > 0 && u64::from(self.burst) >= self.config.max_burst {
            return None;
        }
        let pipe = self.pipe();
        let cwnd = if WATCHED { self.cwnd() } else { self.cc.cwnd() };
        let window = self.limited(cwnd);
        if pipe > 0
            && pipe + self.board.weight(len) > window
            && len > 0
            && !(WATCHED && self.probes_with_new(now))
        {
            self.note_limit(pipe, cwnd);
            self.transmit_hint = TransmitHint::NoRoom;
            return None;
        }
        if WATCHED && !self.may_begin_packet((window, pipe), now) {
            return None;
        }
        let (len, fin) = if WATCHED { self.within_packet(nxt, len, fin) } else { (len, fin) };
        Some(self.send_new::<WATCHED>((nxt, len, fin), (pipe, cwnd, window), now))
    }

    /// New data leaves, for which there is room in the window.
    #[inline(always)]
    fn send_new<const WATCHED: bool>(
        &mut self,
        (nxt, len, fin): (u64, u64, u64),
        (pipe, cwnd, window): (u64, Bytes, u64),
        now: Instant,
    ) -> Segment {
        self.overrides_window = false;
        self.burst = self.burst.saturating_add(1);
        self.board.push(nxt + len + fin, now);
        self.recovery.count_sent();
        if len < u64::from(self.mss) {
            self.snd.on_small(nxt + len);
        }
        self.rtt.time(nxt + len + fin, now);
        if pipe == 0 {
            self.cc.tell(|cc| cc.on_resumed(self.last_sent, now));
        }
        self.last_sent = now;
        let mut segment = self.data_segment(nxt, len, fin, true, now);
        if WATCHED {
            if self.is_pushed(nxt + len) {
                segment.flags = segment.flags.with(Flags::PSH);
            }
            self.note_sent((nxt, nxt + len + fin), true, now);
        } else if pipe > 0 {
            self.look_ahead(pipe + len + fin, cwnd, window);
        }
        segment
    }

    /// New data was sent, and `pipe` bytes are in the network now. Finds at once that the window has no room for more, as
    /// after most segments, to spare the next poll. Where anything else may come first, that poll has to look.
    #[inline(always)]
    fn look_ahead(&mut self, pipe: u64, cwnd: Bytes, window: u64) {
        let plain = self.shared_window.get().is_none() && !self.paces && self.config.max_burst == 0;
        if plain && !self.acks.is_due() && !self.probe_due && !self.recovery.counts_segments() {
            let full = u64::from(self.mss);
            if self.next_len().0 == full && pipe + full > window {
                self.note_limit(pipe, cwnd);
                self.transmit_hint = TransmitHint::Nothing;
            }
        }
    }

    /// Whether nothing is to be sent, nothing is outstanding, and an earlier poll has noted that ([`Self::note_nothing_to_send`]).
    #[inline]
    fn is_at_rest(&self) -> bool {
        let (nxt, end) = (self.board.nxt, self.snd.data_end());
        self.board.una == nxt
            && nxt == self.snd.end()
            && !self.cwnd_limited
            && self.board.rates.is_none()
            && self.has_noted_usage()
            && self.tuned_send_buffer().is_none_or(|buffer| buffer.rests(end))
    }

    /// Nothing is to be sent and nothing is outstanding, as at an end that only receives: there is no loss to look for, and
    /// the window is not the limit.
    #[inline(always)]
    fn note_nothing_to_send<const WATCHED: bool>(&mut self) {
        debug_assert!(self.cc.cwnd() >= Bytes(u64::from(self.mss)), "a window is a segment or more");
        self.cwnd_limited = false;
        if WATCHED {
            self.note_usage(false);
        }
        self.note_idle();
    }

    /// A probe: the last segment again (RFC 8985 §7.3), or a window probe.
    #[cold]
    fn probe_segment(&mut self, now: Instant) -> Segment {
        if let Some((start, end)) = self.last_segment_as_probe(now) {
            self.resend_from_buffer(start, true);
            return self.resend(start, end, now);
        }
        self.stats.window_probes += 1;
        // A number below the expected one: the peer answers with its window (docs/explanation/departures.md).
        self.acknowledge(self.board.una - 1, 0, now)
    }

    /// Nothing more is sent for now: notes whether `cwnd` leaves no room for another segment beside `pipe`, whatever else
    /// prevents it.
    #[inline(always)]
    pub(in crate::tcp) fn note_limit(&mut self, pipe: u64, cwnd: Bytes) {
        self.cwnd_limited = pipe + u64::from(self.mss) > cwnd.get();
        if self.extensions.is_some() {
            self.note_usage(self.cwnd_limited);
        }
    }

    /// Payload length and FIN (0 or 1) of the next new segment, as the peer's window and the application allow.
    #[inline(always)]
    pub(in crate::tcp) fn next_len(&self) -> (u64, u64) {
        let nxt = self.board.nxt;
        let mss = u64::from(self.mss);
        let (open, most) = match self.shared_window.get() {
            // The connection has seen to its window.
            Some(_) => (mss + 1, self.snd.piece()),
            None => ((self.board.una + self.snd_wnd.size()).min(self.buffered()).saturating_sub(nxt), mss),
        };
        self.snd.next_len(nxt, most, open)
    }

    /// Sender's side of silly-window avoidance and Nagle's rule (RFC 9293 §3.8.6.2.1, §3.7.4).
    #[inline(always)]
    pub(in crate::tcp) fn is_worth_sending(&self, len: u64, fin: u64) -> bool {
        if fin == 1
            || len == u64::from(self.mss)
            || 2 * len >= self.snd_wnd.largest().min(FixedBuffers::send_buffer(&self.config))
        {
            return true;
        }
        if self.ends_packet(self.board.nxt + len) {
            return true;
        }
        let whole = self.shared_window.get().is_some() && len == self.snd.piece();
        if whole && self.board.nxt + len < self.snd.data_end() {
            return true;
        }
        let waits = match self.config.nagle {
            Nagle::Off => false,
            Nagle::Rfc896 => self.board.outstanding() != 0,
            Nagle::Minshall => self.snd.has_small_after(self.board.una),
        };
        self.board.nxt + len == self.snd.data_end() && !waits
    }

    fn retransmit(&mut self, start: u64, end: u64, now: Instant) -> Option<Segment> {
        let pipe = self.pipe();
        if !self.overrides_window && !self.fits_window(pipe, end - start) {
            self.note_limit(pipe, self.cwnd());
            return None;
        }
        self.overrides_window = false;
        Some(self.resend(start, end, now))
    }

    /// Whether `len` more may be sent again. A FIN's sequence number, in `pipe` or in `len`, takes no room.
    fn fits_window(&self, pipe: u64, len: u64) -> bool {
        let window = self.window();
        pipe == 0
            || (pipe < window && pipe + self.board.weight(len) <= window + u64::from(self.snd.is_closed()))
    }

    /// Nothing new can be sent in fast recovery: sends again what may be lost (RFC 6675 §4, NextSeg rules 3 and 4).
    fn rescue(&mut self, now: Instant) -> Option<Segment> {
        let (start, end) = self.next_rescue()?;
        if !self.fits_window(self.pipe(), end - start) {
            return None;
        }
        self.on_rescued(end);
        Some(self.resend(start, end, now))
    }

    #[inline(never)]
    fn resend(&mut self, start: u64, end: u64, now: Instant) -> Segment {
        if self.buffers.is_some() {
            self.resend_from_buffer(start, false);
        }
        self.board.on_retransmitted(start, now);
        self.recovery.count_sent();
        self.last_sent = now;
        let (len, fin) = self.snd.content(start, end);
        if len > 0 {
            self.stats.retransmitted_segments += 1;
            self.stats.retransmitted_bytes += len;
        }
        if self.extensions.is_some() {
            self.note_sent((start, end), false, now);
        }
        if start == self.board.una && self.config.rto_restart {
            self.restart_rto(now);
        }
        self.data_segment(start, len, fin, false, now)
    }

    fn restart_if_idle(&mut self, now: Instant) {
        if self.config.idle_restart == IdleRestart::Off {
            return;
        }
        if self.has_idled(now) {
            self.cc.tell(|cc| cc.on_resumed(self.last_sent, now));
            // Linux looks whenever a packet is put into the queue, and a connection puts in all that a subflow gets before any of it
            // leaves (`tcp_slow_start_after_idle_check`).
            self.shrink_after_pause(self.packets_waiting().max(1), now);
            // The idle time is accounted for.
            self.last_sent = now;
        }
    }

    /// The connection has begun a packet and found the peer's window shut: that counts as the first after a pause
    /// (`mptcp_sendmsg_frag`, `tcp_skb_entail`).
    pub(crate) fn on_blocked_packet(&mut self, now: Instant) {
        let decays = self.config.idle_restart == IdleRestart::Decay;
        if decays && self.is_idle() && self.has_idled(now) {
            self.shrink_after_pause(1, now);
        }
    }

    /// Whether nothing was sent for longer than the timeout, in whole ticks (`tcp_slow_start_after_idle_check`).
    fn has_idled(&self, now: Instant) -> bool {
        let (idle, rto) = self.idle_time(now);
        idle > rto
    }

    /// Idle time and timeout, in whole ticks.
    fn idle_time(&self, now: Instant) -> (Duration, Duration) {
        let tick = |at| wheel::tick_before(at, self.config.jiffy);
        let idle = tick(now).saturating_since(tick(self.last_sent));
        (idle, wheel::rounded_up(self.rto(), self.config.jiffy))
    }

    /// Shrinks the window after a pause, for each of `looks` packets.
    fn shrink_after_pause(&mut self, looks: u64, now: Instant) {
        let (idle, rto) = self.idle_time(now);
        let floor = Bytes(self.config.initial_window(u64::from(self.mss)));
        let before = self.cc.cwnd();
        let halves = self.config.idle_restart == IdleRestart::Decay && !rto.is_zero();
        // A pause of two timeouts is longer than one of them (`tcp_cwnd_restart`).
        let halvings = (idle.as_nanos().saturating_sub(1) / rto.as_nanos().max(1)).saturating_mul(looks);
        let halvings = halves.then_some(u32::try_from(halvings).unwrap_or(u32::MAX));
        self.cc.tell(|cc| cc.on_idle(idle, rto, floor, halvings));
        self.stats.idle_restarts += u32::from(self.cc.cwnd() < before);
    }

    #[inline(always)]
    fn data_segment(&mut self, start: u64, len: u64, fin: u64, new: bool, now: Instant) -> Segment {
        self.arm_retransmit(now);
        let mut segment = self.acknowledge(start, len, now);
        segment.payload = len as u32;
        segment.repeated = !new;
        if len > 0 {
            self.stats.data_segments_sent += 1;
            self.stats.bytes_sent += len;
            if self.paces {
                self.pace(Bytes(len), now);
            }
        }
        if fin == 1 {
            segment.flags = segment.flags.with(Flags::FIN);
        }
        let ends =
            self.tuned_send_buffer().filter(|_| !new).is_some_and(|b| b.queue.is_pushed_again(start + len));
        if start + len == self.snd.data_end() || ends {
            segment.flags = segment.flags.with(Flags::PSH);
        }
        // RFC 3168 §6.1.5: retransmissions are not ECN-capable; §6.1.2: CWR goes with new data.
        if new && len > 0 && self.options.ecn {
            segment.ecn = self.feedback.codepoint(self.needs.l4s);
            if self.recovery.take_cwr() {
                segment.flags = segment.flags.with(Flags::CWR);
            }
        }
        segment
    }

    /// Delays the data after `len` bytes that leave at `now`.
    #[cold]
    fn pace(&mut self, len: Bytes, now: Instant) {
        if let Some(rate) = self.pacing_rate() {
            self.pacer.on_sent(rate, len, now);
        }
    }

    /// The congestion control's pacing rate, or one that follows from the window; `None` before the first round-trip sample.
    pub(in crate::tcp) fn pacing_rate(&self) -> Option<Rate> {
        let rate = self.cc.pacing_rate().or_else(|| {
            pacing::rate_of_window(&WindowRate {
                cwnd: self.cwnd(),
                ssthresh: self.cc.ssthresh(),
                outstanding: self.outstanding(),
                smoothed: self.rtt.smoothed,
                mss: self.mss,
                options: self.extensions.as_ref().map_or(0, |e| e.segmentation.options()),
            })
        });
        rate.map(|r| Rate::from_bps(r.as_bps().max(1)))
    }

    /// Nothing is left to send: where the window would allow more, delivery rates say nothing of the path.
    #[inline]
    pub(in crate::tcp) fn note_idle(&mut self) {
        if self.board.rates.is_some() && !self.cwnd_limited {
            self.board.limit_rates();
        }
    }

    /// An ACK without data. A client's first one reports the codepoint of the SYN-ACK (RFC 9768 §3.2.2.1).
    #[inline]
    fn pure_ack(&mut self, now: Instant) -> Segment {
        let between = self.board.nxt != self.board.una;
        if let Some(extensions) = self.extensions.as_deref_mut().filter(|_| between) {
            extensions.segmentation.on_ack_between(now);
        }
        let mut segment = self.acknowledge(self.board.nxt, 0, now);
        if self.feedback.owes_first() {
            self.feedback.report_first(&mut segment);
        }
        segment
    }

    /// An ACK whose timestamp or number the extensions may change.
    #[inline(never)]
    fn ack_with_extensions(&mut self, next: &mut Segment, now: Instant) {
        *next = self.pure_ack(now);
        if let Some(extensions) = self.extensions.as_deref_mut() {
            if let Some(stamps) = &mut next.timestamps {
                stamps.value = clock(extensions.ack_policy.timestamp_of_ack(now));
            }
            let place = (u64::from(self.mss), self.irs + 1);
            extensions.misbehaviour.forge(next, &mut self.acks, &self.rcv, &self.config, place);
        }
        if !self.acks.is_due() {
            self.transmit_hint = TransmitHint::Nothing;
        }
    }

    /// Builds the ACK of everything received so far; it leaves before any other.
    pub(in crate::tcp) fn acknowledge_first(&mut self, now: Instant) {
        let ack = self.pure_ack(now);
        self.acks.demand_first(ack.ack);
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.ack_policy.queue_first(ack);
        }
    }

    /// The ACK that leaves before others: one that is built already, or one up to `up_to` with the marks before they changed, which
    /// another follows.
    #[cold]
    fn acknowledge_before(&mut self, up_to: SeqNumber, now: Instant) -> Segment {
        if let Some(ack) = self.extensions.as_deref_mut().and_then(|e| e.ack_policy.take_first()) {
            return ack;
        }
        self.feedback.invert_ece();
        let mut segment = self.acknowledge(self.board.nxt, 0, now);
        self.feedback.invert_ece();
        segment.ack = up_to;
        self.acks.demand();
        segment
    }

    /// A segment that acknowledges everything received; `len` bytes of payload are to follow. Packets are of one size,
    /// and a full one has no room for SACK blocks: an ACK of their own brings them (Linux sends less data instead).
    #[inline(always)]
    pub(in crate::tcp) fn acknowledge(&mut self, seq: u64, len: u64, now: Instant) -> Segment {
        self.stats.segments_sent += 1;
        if self.acks.on_sent(self.rcv.nxt()) {
            self.extensions.on_quick_acks_spent(&self.config);
        }
        let mut segment = Segment {
            seq: SeqNumber(seq as u32),
            ack: SeqNumber(self.rcv.nxt() as u32),
            window: self.advertise(),
            flags: Flags::ACK.with(self.feedback.flags()),
            ..Segment::default()
        };
        if self.options.timestamps {
            segment.timestamps = Some(Timestamps { value: clock(now), echo: self.ts_recent });
        }
        if self.options.sack && (self.rcv.has_gap() || self.rcv.has_duplicate()) {
            let most = if self.options.timestamps { 3 } else { 4 };
            if len + SACK_LEN > u64::from(self.mss) && len > 0 {
                self.acks.demand();
            } else {
                segment.sack = self.extensions.sack_blocks(&mut self.rcv, most, &self.config);
            }
        }
        segment
    }

    /// The right edge of the window that could be advertised. Fixed buffers need no view in memory.
    #[inline(always)]
    fn receive_edge(&self) -> u64 {
        match &self.buffers {
            None => FixedBuffers.receive_edge(&receive_view!(self)),
            tuned => tuned.receive_edge(&receive_view!(self)),
        }
    }

    /// Whether the right edge of the window would move by enough to say so (RFC 9293 §3.8.6.2.2).
    #[inline(always)]
    pub(in crate::tcp) fn window_may_open(&self) -> bool {
        self.is_worth_telling(self.receive_edge())
    }

    /// The same for that right edge.
    #[inline(always)]
    fn is_worth_telling(&self, edge: u64) -> bool {
        let buffer = edge.saturating_sub(self.rcv.read());
        edge.saturating_sub(self.rcv.edge()) >= (buffer / 2).min(u64::from(self.mss)).max(1)
    }

    /// The window field. Rounding down by the scale may take back a few bytes; what was promised is still accepted
    /// (RFC 7323 §2.4).
    #[inline(always)]
    fn advertise(&mut self) -> u16 {
        let scale = self.options.rcv_scale;
        if let Some(window) = self.shared_window.get() {
            self.shown_window = window;
            self.largest_shown = self.largest_shown.max(window);
            return (window >> scale).min(65_535) as u16;
        }
        let (edge, tuned) = (self.receive_edge(), self.buffers.is_some());
        let edge =
            if tuned || self.is_worth_telling(edge) { edge.max(self.rcv.edge()) } else { self.rcv.edge() };
        let room = edge.saturating_sub(self.rcv.nxt());
        // Linux rounds up, and tells the least change with whatever leaves (`tcp_select_window`).
        let room = if tuned { room.next_multiple_of(1 << scale) } else { room };
        if self.buffers.as_deref_mut().is_some_and(|buffers| buffers.on_window_told()) {
            self.acks.demand();
        }
        let field = (room >> scale).min(65_535);
        self.rcv.advertise(self.rcv.nxt() + (field << scale));
        field as u16
    }
}
