//! What comes in: the order of checks is RFC 9293 §3.10.7's, with RFC 5961 against blind attacks.

use crate::cc::{CongestionControl, Setup};
use crate::config::{Handshake, Increase, Paws, Pipe, RttSampling, WindowUnit};
use crate::segment::{Flags, Segment, SeqNumber};
use crate::tcp::recv::acks::Owed;
use crate::tcp::recv::reassembly::Arrival;
use crate::tcp::send::output::{clock, room_of_options};
use crate::tcp::send::scoreboard::Acked;
use crate::tcp::send::window::SendWindow;
use crate::tcp::state::{State, Trigger};
use crate::tcp::{BASE, Options, ResetCause, ResetReply, Tcp};
use tailrace_core::{Duration, Instant};

/// Least distance of two answers to segments without payload that do not belong here, so that two confused ends
/// do not answer each other for ever (Linux `tcp_invalid_ratelimit`).
pub(in crate::tcp) const CHALLENGE_INTERVAL: Duration = Duration::from_millis(500);

/// What a subflow accepts of itself: all that comes, as the window is the connection's (RFC 8684 §3.3.4).
const ANY_WINDOW: u64 = 1 << 40;

/// The position on the unwrapped number line nearest to `base` whose low half is `seq`.
pub(in crate::tcp) fn unwrap(base: u64, seq: SeqNumber) -> u64 {
    base.wrapping_add_signed(i64::from(seq.distance(SeqNumber(base as u32))))
}

/// The round trip of what was stamped `echo`, whichever transmission that was; a clock of 1 ms cannot measure less.
fn echoed(echo: u32, now: Instant) -> Option<Duration> {
    let passed = clock(now).wrapping_sub(echo);
    (passed <= i32::MAX as u32).then(|| Duration::from_millis(u64::from(passed.max(1))))
}

impl Tcp {
    /// Takes a segment that arrived at `now`.
    pub fn handle_segment(&mut self, segment: &Segment, now: Instant) {
        if segment.altered {
            return self.handle_altered(segment, now);
        }
        self.stats.segments_received += 1;
        self.burst = 0;
        match self.state {
            State::Closed => self.refuse(segment),
            State::Listen => self.on_segment_in_listen(segment),
            State::SynSent => self.on_segment_in_syn_sent(segment, now),
            _ => self.on_segment_in_connection(segment, now),
        }
    }

    /// A segment whose payload was changed is like any other; how much of it is accepted is counted.
    #[cold]
    fn handle_altered(&mut self, segment: &Segment, now: Instant) {
        let range = |tcp: &Self| {
            let seq = unwrap(tcp.rcv.nxt(), segment.seq);
            // Of a connection that has not begun a number may lie before all numbers, which is after them.
            let end = seq.saturating_add(u64::from(segment.payload));
            (end, tcp.rcv.missing(seq, end))
        };
        let (_, before) = range(self);
        self.handle_segment(&Segment { altered: false, ..*segment }, now);
        let (end, after) = range(self);
        let altered = self.altered.get_or_insert_default();
        altered.add(before.saturating_sub(after), end, self.rcv.nxt());
    }

    fn refuse(&mut self, segment: &Segment) {
        if let Some(reset) = segment.refusal() {
            let ack = reset.flags.has(Flags::ACK).then_some(reset.ack);
            self.reset_reply = Some(ResetReply { seq: reset.seq, ack });
        }
    }

    fn on_segment_in_listen(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::ACK) {
            self.refuse(segment);
        } else if segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::RST) {
            self.on_syn(segment);
        }
    }

    fn on_segment_in_syn_sent(&mut self, segment: &Segment, now: Instant) {
        let acks = segment.flags.has(Flags::ACK);
        if acks && segment.ack != SeqNumber(self.iss) + 1 {
            self.refuse(segment);
            return;
        }
        if segment.flags.has(Flags::RST) {
            if acks {
                self.break_off(ResetCause::Refused);
            }
            return;
        }
        if !segment.flags.has(Flags::SYN) {
            return;
        }
        let ecn = acks && self.agree_as_client(segment);
        self.learn(segment, ecn);
        if acks {
            self.establish(segment, now);
            if self.config.handshake == Handshake::ThreeWay {
                self.acks.demand();
            }
        } else {
            self.advance(Trigger::Syn);
            self.syn_due = true;
        }
    }

    /// A connection request: it is answered with a SYN-ACK.
    fn on_syn(&mut self, segment: &Segment) {
        let ecn = self.agree_as_server(segment);
        self.learn(segment, ecn);
        self.advance(Trigger::Syn);
        self.syn_due = true;
    }

    /// Takes what the peer's SYN offers.
    fn learn(&mut self, segment: &Segment, ecn: bool) {
        let c = &self.config;
        let scaling = c.window_scale && segment.window_scale.is_some();
        self.options = Options {
            sack: c.sack && segment.sack_permitted,
            timestamps: c.timestamps && segment.timestamps.is_some(),
            ecn,
            scaling,
            rcv_scale: if scaling { c.scale_shift() } else { 0 },
        };
        let promised = || self.promised_by_syn(self.state != State::SynSent);
        let window = self.shared_window.map_or_else(promised, |_| ANY_WINDOW);
        self.irs = BASE + u64::from(segment.seq.0);
        self.rcv.start(self.irs + 1, window);
        self.acks.start(self.rcv.nxt());
        let options = room_of_options(self.options.timestamps) as u32;
        self.mss = self.mss.min(u32::from(segment.mss.unwrap_or(u16::MAX)).saturating_sub(options).max(1));
        self.ts_recent = segment.timestamps.map_or(0, |t| t.value);
        let scale = segment.window_scale.filter(|_| scaling).unwrap_or(0);
        self.snd_wnd = SendWindow::of_syn(segment, (self.irs, self.iss()), scale);
    }

    /// This end's SYN is acknowledged.
    fn establish(&mut self, segment: &Segment, now: Instant) {
        self.advance(Trigger::AckOfSyn);
        self.pending.connected();
        self.timer.stop();
        self.syn_due = false;
        self.timer.on_progress();
        self.rtt.reset_backoff();
        let mut setup = Setup::new(&self.config, u64::from(self.mss));
        if self.syn_repeats > self.config.spared_syns {
            setup.initial_window = u64::from(self.mss); // RFC 5681 §3.1
        }
        self.sample_handshake(segment, now);
        if let Some(repair) = &mut self.repair {
            repair.pace.start(now, self.config.jiffy);
        }
        self.cc.tell(|cc| cc.on_established(&setup));
        self.note_rate();
        self.start_buffers(now);
        if self.config.window_unit == WindowUnit::Packets {
            self.board.weigh_as(self.mss as u16);
        }
        if self.options.sack && self.config.pipe == Pipe::Ns2 && !self.config.rack {
            self.recovery.count_from_now();
        }
        self.last_sent = now;
        self.snd_wnd.on_established(segment, self.iss() + 1);
        if self.snd.is_closed() {
            self.advance(Trigger::Close);
        }
    }

    /// The round trip of the handshake. One that was repeated has none but what its echo tells, to which Linux listens; else the timeout
    /// is at least 3 s (RFC 6298 §5.7).
    fn sample_handshake(&mut self, segment: &Segment, now: Instant) {
        let listens = self.options.timestamps && self.config.rtt_sampling == RttSampling::AckOrSack;
        let rtt = match segment.timestamps.filter(|_| listens) {
            _ if self.syn_repeats == 0 => Some(now.saturating_since(self.last_sent)),
            Some(stamps) => echoed(stamps.echo, now),
            None => None,
        };
        match rtt {
            Some(rtt) => self.rtt.on_sample(rtt, (self.board.una, self.board.nxt), now, &self.config),
            None => self.rtt.syn_was_lost(),
        }
    }

    fn on_segment_in_connection(&mut self, segment: &Segment, now: Instant) {
        let seq = unwrap(self.rcv.nxt(), segment.seq);
        let end = seq + u64::from(segment.seq_len());
        if self.state == State::SynReceived && segment.flags.has(Flags::SYN) && seq + 1 == self.rcv.nxt() {
            self.on_syn_again(segment, now);
            return;
        }
        if self.is_stale(segment, seq) || !self.is_acceptable(seq, end) {
            self.reject(segment, (seq, end), now);
            return;
        }
        if segment.flags.has(Flags::RST) {
            // RFC 5961 §3.2: only an exact match resets, anything else in the window asks for one.
            if seq == self.rcv.nxt() {
                self.on_reset();
            } else {
                self.challenge(now);
            }
            return;
        }
        if segment.flags.has(Flags::SYN) {
            self.challenge(now);
            return;
        }
        if !segment.flags.has(Flags::ACK) {
            return;
        }
        if self.state == State::SynReceived {
            if segment.ack != SeqNumber(self.iss) + 1 {
                self.refuse(segment);
                return;
            }
            self.establish(segment, now);
            self.on_first_ace(segment);
        }
        let ack = unwrap(self.board.una, segment.ack);
        if ack > self.board.nxt || ack + self.snd_wnd.largest() < self.board.una {
            self.challenge(now);
            return;
        }
        self.remember_timestamp(segment, seq);
        if self.repair.is_some() || self.needs.deliveries {
            self.on_watched_ack(segment, seq, ack, now);
        } else {
            self.on_ack::<false>(segment, seq, ack, now);
        }
        if end > seq && self.state != State::Closed {
            self.on_payload(segment, seq, now);
        }
    }

    /// RFC 9293 §3.10.7.4: where both ends have closed, a reset only hastens the end.
    fn on_reset(&mut self) {
        if matches!(self.state, State::Closing | State::LastAck | State::TimeWait) {
            self.advance(Trigger::Reset);
            self.pending.closed();
            self.stop();
        } else {
            self.break_off(ResetCause::Peer);
        }
    }

    /// A SYN-ACK lost, or both ends opening at the same time.
    fn on_syn_again(&mut self, segment: &Segment, now: Instant) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if segment.flags.has(Flags::ACK) {
            if segment.ack == SeqNumber(self.iss) + 1 {
                self.establish(segment, now);
                self.acks.demand();
            } else {
                self.refuse(segment);
            }
        } else {
            // Whichever SYN-ACK is answered gives no sample.
            self.syn_repeats = self.syn_repeats.saturating_add(1);
            self.syn_due = true;
        }
    }

    /// PAWS (RFC 7323 §5.3).
    #[inline]
    fn is_stale(&self, segment: &Segment, seq: u64) -> bool {
        let Some(t) = segment.timestamps.filter(|_| self.options.timestamps) else { return false };
        let behind = self.ts_recent.wrapping_sub(t.value) as i32;
        behind > 0 && !segment.flags.has(Flags::RST) && !self.lets_pass(segment, seq, behind)
    }

    /// Whether a segment `behind` ticks older than the newest may pass nevertheless (Linux `tcp_paws_check`,
    /// `tcp_disordered_ack`).
    #[cold]
    fn lets_pass(&self, segment: &Segment, seq: u64, behind: i32) -> bool {
        let una = SeqNumber(self.board.una as u32);
        let plain = segment.flags.has(Flags::ACK) && segment.seq_len() == 0 && seq == self.rcv.nxt();
        let moves = self.snd_wnd.is_moved_by(segment, seq);
        let recent = i64::from(behind) <= (self.rto().as_nanos() / 1_000_000) as i64;
        self.config.paws == Paws::LetsAcksPass
            && (behind == 1 || (plain && segment.ack == una && !moves && recent))
    }

    /// RFC 9293 §3.10.7.4, first step; an empty segment may lie anywhere from the last ACK sent to the right edge,
    /// as ACKs of a peer that sends, too, may overtake its data or be overtaken. At a shut window only the ACK counts.
    fn is_acceptable(&self, seq: u64, end: u64) -> bool {
        if seq == end {
            seq >= self.acks.last_sent() && seq <= self.rcv.edge()
        } else {
            end > self.rcv.nxt() && (seq < self.rcv.edge() || seq == self.rcv.nxt())
        }
    }

    /// Answers a segment that cannot be used with an ACK, unless it is a reset.
    fn reject(&mut self, segment: &Segment, (seq, end): (u64, u64), now: Instant) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if self.state == State::TimeWait && segment.flags.has(Flags::FIN) {
            self.enter_time_wait(now);
        }
        // What ends where the last ACK did has come again because that ACK was lost: echoing the stamp of the first time
        // would make the peer measure its own timeout as a round trip (Linux `tcp_sequence`, BSD `tcp_input`).
        let acknowledges = end > seq && end >= self.acks.last_sent();
        if acknowledges {
            self.remember_timestamp(segment, seq);
        }
        let to = end.min(self.rcv.nxt());
        if segment.payload > 0 && seq < to && self.state.is_synchronized() {
            self.stats.duplicates_received += 1;
            self.begin_quick_acks(self.config.quick_acks);
            self.rcv.insert(seq, to);
            self.hear(seq);
        }
        // A window probe is answered always; what else is empty, at times. What came before that counts among ACKs that leave at once only
        // where one is owed (Linux `tcp_send_dupack`).
        if acknowledges {
            self.acks.on_disorder();
        } else if end > seq || seq + 1 == self.rcv.nxt() {
            self.acks.demand();
        } else {
            self.challenge(now);
        }
    }

    /// RFC 5961: an ACK that lets an honest peer prove itself.
    fn challenge(&mut self, now: Instant) {
        if now >= self.challenge_from {
            self.challenge_from = now.saturating_add(CHALLENGE_INTERVAL);
            self.acks.demand();
        }
    }

    /// RFC 7323 §4.3: what is echoed is the timestamp of the segment that the next ACK is due to.
    #[inline]
    fn remember_timestamp(&mut self, segment: &Segment, seq: u64) {
        if let Some(t) = segment.timestamps
            && seq <= self.acks.last_sent()
            && t.value.wrapping_sub(self.ts_recent) as i32 >= 0
        {
            self.ts_recent = t.value;
        }
    }

    /// An ACK at which more than the window looks: optional parts of loss recovery, or a congestion control that wants
    /// to hear what was delivered.
    #[inline(never)]
    fn on_watched_ack(&mut self, segment: &Segment, seq: u64, ack: u64, now: Instant) {
        self.timer.unsettle();
        let before = self.needs.deliveries.then(|| self.watch(now));
        let (advances, repairs) = (ack > self.board.una, self.repair.is_some());
        let sends = self.board.outstanding() > 0;
        let in_place = advances || (ack == self.board.una && segment.seq_len() > 0);
        let echoes = self.options.ecn && segment.flags.has(Flags::ECE);
        let predicted = repairs && in_place && !echoes && segment.sack.is_empty() && self.takes_fast_path();
        let marked = if repairs && !predicted {
            self.note_progress();
            let marked = self.on_ack::<true>(segment, seq, ack, now);
            self.conclude(now);
            marked
        } else if predicted && !advances && self.board.outstanding() == 0 && !self.recovery.counts() {
            // An end that only receives: nothing is out that it could tell of, but for the window.
            self.update_window(segment, seq, ack);
            0
        } else {
            self.on_ack::<false>(segment, seq, ack, now)
        };
        if predicted && advances {
            self.after_fast_path(now);
        }
        if let Some(before) = before {
            self.tell_delivery(&before, segment, marked, now);
        }
        if repairs {
            if sends {
                self.note_rate();
            }
            self.pass_over_hole(seq);
            if segment.payload > 0 {
                self.hear(seq);
            }
        }
    }

    /// An ACK; `WATCHED` says that there are optional parts of loss recovery to look at it. Returns the bytes that it
    /// tells to have been marked.
    #[inline]
    fn on_ack<const WATCHED: bool>(&mut self, segment: &Segment, seq: u64, ack: u64, now: Instant) -> u64 {
        let before = (self.board.outstanding(), self.pipe());
        let (delivered, segments) = (self.board.una + self.board.sacked(), self.board.delivered);
        let same_window = self.snd_wnd.is_repeated_by(segment);
        self.update_window(segment, seq, ack);
        if self.recovery.counts() {
            self.recovery.count_ack(ack > self.board.una, segment.seq_len() == 0);
        }
        let news = !segment.sack.is_empty() && self.heeds_sack() && self.on_sack(segment, ack, now);
        let marked;
        if ack > self.board.una {
            let una = self.board.una;
            let acked = if WATCHED { self.ack_noting(ack, segment, now) } else { self.board.ack_to(ack) };
            marked = self.marked(segment, delivered);
            let rtt = self.sample(&acked, segment, now);
            if WATCHED {
                self.examine(segment, (una, ack), Some(acked), now);
            }
            self.stats.bytes_acked += self.snd.content(una, ack).0;
            self.timer.on_progress();
            if self.board.outstanding() == 0 {
                // A sender whom a mark makes wait for the timer does so with nothing out, too.
                if !self.recovery.waits_for_timer() {
                    self.timer.stop();
                }
            } else if self.restarts_timer() {
                self.rearm_retransmit(now);
            }
            if WATCHED {
                self.leave_cwr();
            }
            if marked > 0 {
                self.on_echo(before.0, now);
            }
            let bytes = self.grows_by(&acked, segments);
            self.on_advance((&acked, bytes), before, rtt, marked > 0, now);
            if self.snd.is_closed() && ack == self.snd.end() {
                self.advance(Trigger::AckOfFin);
                self.on_state_changed(now);
            }
        } else {
            if WATCHED {
                self.examine(segment, (self.board.una, ack), None, now);
            }
            let latest = ack == self.board.una;
            marked = if latest && before.0 > 0 { self.marked(segment, delivered) } else { 0 };
            if before.0 > 0 {
                if marked > 0 {
                    self.on_echo(before.0, now);
                }
                // RFC 6675 §2: what SACKs something new counts, though a later ACK has overtaken it.
                let plain = latest && segment.seq_len() == 0 && same_window;
                if if self.options.sack { news } else { plain } {
                    self.on_duplicate(now);
                }
            }
        }
        if self.buffers.is_some() {
            self.on_send_buffer_acked();
        }
        marked
    }

    /// What an ACK counts for the window; before it so many `segments` had been delivered. Linux counts each as a full one.
    #[inline(always)]
    fn grows_by(&self, acked: &Acked, segments: u32) -> u64 {
        match self.config.increase {
            Increase::Delivered => {
                u64::from(self.board.delivered.wrapping_sub(segments)) * u64::from(self.mss)
            }
            Increase::Bytes | Increase::Acks => acked.bytes,
        }
    }

    /// What a segment says of the peer's window.
    #[inline(always)]
    fn update_window(&mut self, segment: &Segment, seq: u64, ack: u64) {
        if ack < self.board.una || !self.snd_wnd.update(segment, (seq, ack)) {
            return;
        }
        // Answers that keep the window shut leave the probing as it is: its interval goes on to double.
        if self.snd_wnd.size() > 0 && self.timer.end_persist() {
            self.probe_due = false;
        }
    }

    /// Takes the SACK blocks; returns whether they say something new.
    fn on_sack(&mut self, segment: &Segment, ack: u64, now: Instant) -> bool {
        let mut blocks = [(0, 0); 4];
        let wire = segment.sack.as_slice();
        for (slot, (left, right)) in blocks.iter_mut().zip(wire) {
            *slot = (unwrap(self.board.una, *left), unwrap(self.board.una, *right));
        }
        let blocks = &blocks[..wire.len()];
        // RFC 2883 §4: a first block below the ACK, or inside the second, reports a duplicate.
        let first = blocks[0];
        let inside = blocks.get(1).is_some_and(|b| b.0 <= first.0 && first.1 <= b.1);
        let duplicate = first.1 <= ack || inside;
        self.stats.dsacks += u32::from(duplicate);
        if self.sack(blocks, (duplicate, ack), segment, now) == 0 {
            return false;
        }
        if !self.config.rack && !self.recovery.counts() {
            self.board.mark_lost(self.dup_thresh());
        }
        true
    }

    /// A round-trip sample from this ACK, where Karn's rule and the configuration allow one. Linux shows its congestion controls that
    /// of the segment sent last among those that give it.
    #[inline(always)]
    fn sample(&mut self, acked: &Acked, segment: &Segment, now: Instant) -> Option<Duration> {
        let sacked = self.sacked_from();
        let first = acked.sent_at.filter(|_| !acked.ambiguous).or(sacked.map(|(first, _)| first));
        let rtt = if self.config.rtt_sampling == RttSampling::OnePerRtt {
            self.rtt.take_timed(self.board.una, now)?
        } else if let Some(sent_at) = first {
            now.saturating_since(sent_at)
        } else if let (Some(t), true) = (segment.timestamps, self.options.timestamps) {
            // The echo tells which transmission arrived.
            echoed(t.echo, now)?
        } else {
            return None;
        };
        self.rtt.on_sample(rtt, (self.board.una, self.board.nxt), now, &self.config);
        if first.is_none() || self.config.rtt_sampling != RttSampling::AckOrSack {
            return Some(rtt);
        }
        let last = sacked.map(|(_, last)| last).or(acked.last_sent_at)?;
        self.rtt.on_shortest(now.saturating_since(last));
        Some(self.rtt.latest)
    }

    #[inline]
    fn on_payload(&mut self, segment: &Segment, seq: u64, now: Instant) {
        if self.options.ecn {
            self.on_codepoint(segment);
        }
        if !self.state.may_receive() {
            self.acks.demand();
            return;
        }
        let (read, nxt) = (self.rcv.nxt_data(), self.rcv.nxt());
        let data_end = seq + u64::from(segment.payload);
        let fin = segment.flags.has(Flags::FIN);
        if fin && data_end < self.rcv.edge().max(nxt + 1) && data_end >= nxt {
            self.rcv.on_fin(data_end);
        }
        // A FIN takes a sequence number, so that SACK tells of it, too.
        let end = match self.rcv.fin() {
            None => data_end.min(self.rcv.edge()),
            Some(at) => data_end.min(at) + u64::from(fin && data_end == at),
        };
        if self.buffers.is_some() && seq > nxt && !self.takes_in(end.saturating_sub(seq)) {
            self.acks.demand();
            return;
        }
        if seq > nxt && seq < end {
            self.note_range((seq, end), now);
        }
        let arrival = if seq < end { self.rcv.insert(seq, end) } else { Arrival::FilledGap };
        if arrival == Arrival::FilledGap {
            self.note_ranges_reached();
        }
        if matches!(arrival, Arrival::InOrder | Arrival::FilledGap) {
            self.note_data(now);
            if self.config.push_acks {
                self.heed_push(segment);
            }
        }
        if self.buffers.is_some() {
            self.tune_to_arrival(segment, (seq.max(nxt), end), now);
        }
        self.owe_ack(arrival, now);
        if self.tunes_window() && self.acks.is_due() {
            self.settle_window(arrival == Arrival::InOrder, now);
        }
        if self.rcv.is_complete() {
            self.acks.demand();
            self.pending.peer_closed();
            self.advance(Trigger::Fin);
            self.on_state_changed(now);
        }
        self.deliver(self.rcv.nxt_data() - read, now);
    }

    /// So much has come in order, which the application reads unless it takes its time.
    #[inline(always)]
    fn deliver(&mut self, delivered: u64, now: Instant) {
        self.pending.delivered(delivered);
        self.stats.bytes_delivered += delivered;
        if self.auto_read {
            self.rcv.take_all();
        }
        self.acknowledge_pushed();
        // What nobody could read, or has not read yet, tells nothing of how fast it is read.
        if self.buffers.is_some() && delivered > 0 {
            if self.auto_read {
                self.tune_to_reading(now);
            }
            if self.tunes_window() {
                self.tell_window_after_reading();
            }
        }
    }

    /// Whether no more than a full segment has come in order since the last ACK.
    pub(in crate::tcp) fn has_one_more(&self) -> bool {
        self.rcv.nxt() - self.acks.last_sent() <= u64::from(self.mss)
    }

    /// When to acknowledge (RFC 5681 §4.2): every `delayed_ack` segments or after a while; at once where a gap
    /// opens, closes or a duplicate came.
    #[inline]
    fn owe_ack(&mut self, arrival: Arrival, now: Instant) {
        self.acks.settle_growth();
        if arrival == Arrival::InOrder && !self.rcv.has_duplicate() {
            let every = if self.holds_short_ones() { u8::MAX } else { self.config.delayed_ack };
            if self.acks.on_in_order(every) == Owed::Waits {
                self.delay_ack(now);
            }
            return;
        }
        match arrival {
            Arrival::OutOfOrder => {
                self.stats.out_of_order_received += 1;
                return self.owe_ack_of_gap(now);
            }
            Arrival::Duplicate => {
                self.stats.duplicates_received += 1;
                self.begin_quick_acks(self.config.quick_acks);
            }
            // Others wait still, and it is one segment more, or leaves less of the window: Linux has the rule of those that wait for that.
            Arrival::FilledGap
                if self.rcv.has_gap() && (self.has_one_more() || !self.window_would_not_shrink()) =>
            {
                return self.owe_ack_of_gap(now);
            }
            Arrival::InOrder | Arrival::FilledGap => {}
        }
        self.acks.on_disorder();
    }
}
