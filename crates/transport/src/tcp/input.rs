//! Segments that arrive: the checks in the order of RFC 9293 §3.10.7, with RFC 5961 against blind attacks.

use super::options::{echoed_rtt, option_len};
use super::recv::ack_policy::AckPolicy;
use super::recv::acks::AckFate;
use super::recv::ecn;
use super::recv::reassembly::Arrival;
use super::send::scoreboard::AckedSegments;
use super::sequence::unwrap;
use super::socket_buffers::{SocketBuffers, receive_view};
use super::state::{State, StateTrigger};
use super::time_wait::CHALLENGE_INTERVAL;
use super::{ResetCause, Tcp};
use crate::cc::{CongestionControl, Delivery, FlowSample};
use crate::config::{AckDelay, Increase, Misbehaviour, Paws, RttSampling, SackReports};
use crate::segment::{Flags, Segment, SeqNumber};
use tailrace_core::{Bytes, Duration, Instant};

/// State before an ACK, for what it delivers.
struct Snapshot {
    una: u64,
    sacked: u64,
    in_flight: u64,
    rtt_samples: u64,
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

    /// A segment with corrupted payload is processed as any other; its accepted bytes are counted.
    #[cold]
    fn handle_altered(&mut self, segment: &Segment, now: Instant) {
        let range = |tcp: &Self| {
            let seq = unwrap(tcp.rcv.nxt(), segment.seq);
            // Before a connection has begun a number may lie below all others, which is after them.
            let end = seq.saturating_add(u64::from(segment.payload));
            (end, tcp.rcv.missing(seq, end))
        };
        let (_, before) = range(self);
        self.handle_segment(&Segment { altered: false, ..*segment }, now);
        let (end, after) = range(self);
        let altered = self.altered.get_or_insert_default();
        altered.add(before.saturating_sub(after), end, self.rcv.nxt());
    }

    fn on_segment_in_connection(&mut self, segment: &Segment, now: Instant) {
        let seq = unwrap(self.rcv.nxt(), segment.seq);
        let end = seq + u64::from(segment.seq_len());
        if self.state == State::SynReceived && segment.flags.has(Flags::SYN) && seq + 1 == self.rcv.nxt() {
            self.on_repeated_syn(segment, now);
            return;
        }
        if self.is_stale(segment, seq) || !self.is_acceptable(seq, end) {
            self.reject_segment(segment, (seq, end), now);
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
            self.feedback.on_first_ace(segment);
        }
        let ack = unwrap(self.board.una, segment.ack);
        if ack > self.board.nxt || ack + self.snd_wnd.largest() < self.board.una {
            self.challenge(now);
            return;
        }
        self.remember_timestamp(segment, seq);
        if self.extensions.is_some() || self.needs.deliveries {
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
            self.advance(StateTrigger::Reset);
            self.pending.closed();
            self.stop();
        } else {
            self.break_off(ResetCause::Peer);
        }
    }

    /// PAWS (RFC 7323 §5.3).
    #[inline]
    pub(super) fn is_stale(&self, segment: &Segment, seq: u64) -> bool {
        let Some(t) = segment.timestamps.filter(|_| self.options.timestamps) else { return false };
        let behind = self.ts_recent.wrapping_sub(t.value) as i32;
        behind > 0 && !segment.flags.has(Flags::RST) && !self.passes_paws(segment, seq, behind)
    }

    /// Whether a segment `behind` ticks older than the newest may pass nevertheless (Linux `tcp_paws_check`,
    /// `tcp_disordered_ack`).
    #[cold]
    fn passes_paws(&self, segment: &Segment, seq: u64, behind: i32) -> bool {
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
    fn reject_segment(&mut self, segment: &Segment, (seq, end): (u64, u64), now: Instant) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if self.state == State::TimeWait && segment.flags.has(Flags::FIN) {
            self.enter_time_wait(now);
        }
        // A segment that ends at the last ACK is here again because that ACK was lost: echoing the timestamp of the first copy
        // would make the peer measure its own timeout as a round trip (Linux `tcp_sequence`, BSD `tcp_input`).
        let acknowledges = end > seq && end >= self.acks.last_sent();
        if acknowledges {
            self.remember_timestamp(segment, seq);
        }
        let to = end.min(self.rcv.nxt());
        if segment.payload > 0 && seq < to && self.state.is_synchronized() {
            self.stats.duplicates_received += 1;
            self.extensions.enter_quick_ack(&mut self.acks, self.config.quick_acks);
            self.rcv.insert(seq, to);
            self.spoof_for_data(seq);
        }
        // Window probes are always answered, other empty segments at a limited rate. A duplicate counts among quick ACKs only
        // where an ACK is owed (Linux `tcp_send_dupack`).
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

    /// Processes an ACK where optional parts of loss recovery or a congestion control that asks for deliveries look at it,
    /// too.
    #[inline(never)]
    fn on_watched_ack(&mut self, segment: &Segment, seq: u64, ack: u64, now: Instant) {
        self.timer.unsettle();
        let before = self.needs.deliveries.then(|| self.snapshot(now));
        let (advances, repairs) = (ack > self.board.una, self.extensions.is_some());
        let sends = self.board.outstanding() > 0;
        let in_place = advances || (ack == self.board.una && segment.seq_len() > 0);
        let echoes = self.options.ecn && segment.flags.has(Flags::ECE);
        let predicted = repairs && in_place && !echoes && segment.sack.is_empty() && self.takes_fast_path();
        let marked = if repairs && !predicted {
            self.record_before_ack();
            let marked = self.on_ack::<true>(segment, seq, ack, now);
            self.conclude(now);
            marked
        } else if predicted && !advances && self.board.outstanding() == 0 && !self.recovery.counts() {
            // An end that only receives has nothing in flight: only the window may change.
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
            self.conceal_hole(seq);
            if segment.payload > 0 {
                self.spoof_for_data(seq);
            }
        }
    }

    /// Processes an ACK; `WATCHED`: optional parts of loss recovery look at it. Returns the bytes that it reports as marked.
    #[inline]
    fn on_ack<const WATCHED: bool>(&mut self, segment: &Segment, seq: u64, ack: u64, now: Instant) -> u64 {
        let before = (self.board.outstanding(), self.pipe());
        let (delivered, segments) = (self.board.una + self.board.sacked(), self.board.delivered);
        let same_window = self.snd_wnd.is_repeated_by(segment);
        self.update_window(segment, seq, ack);
        if self.recovery.counts() {
            self.recovery.count_ack(ack > self.board.una, segment.seq_len() == 0);
        }
        let news = !segment.sack.is_empty() && self.uses_sack() && self.on_sack(segment, ack, now);
        let marked;
        if ack > self.board.una {
            let una = self.board.una;
            let acked = if WATCHED { self.ack_recording(ack, segment, now) } else { self.board.ack_to(ack) };
            marked = self.newly_marked(segment, delivered);
            let rtt = self.sample(&acked, segment, now);
            if WATCHED {
                self.examine(segment, (una, ack), Some(acked), now);
            }
            self.stats.bytes_acked += self.snd.content(una, ack).0;
            self.timer.on_progress();
            if self.board.outstanding() == 0 {
                // A sender that waits for the timer because of a mark does so with nothing outstanding, too.
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
            let bytes = self.growth_of_window(&acked, segments);
            self.on_advance((&acked, bytes), before, rtt, marked > 0, now);
            if self.snd.is_closed() && ack == self.snd.end() {
                self.advance(StateTrigger::AckOfFin);
                self.on_state_changed(now);
            }
        } else {
            if WATCHED {
                self.examine(segment, (self.board.una, ack), None, now);
            }
            let latest = ack == self.board.una;
            marked = if latest && before.0 > 0 { self.newly_marked(segment, delivered) } else { 0 };
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
        let una = self.board.una;
        if let Some(buffer) = self.send_buffer_mut() {
            buffer.on_ack(una);
        }
        marked
    }

    /// Bytes by which an ACK grows the window; `segments` had been delivered before it. Linux counts each segment as a full
    /// one.
    #[inline(always)]
    fn growth_of_window(&self, acked: &AckedSegments, segments: u32) -> u64 {
        match self.config.increase {
            Increase::Delivered => {
                u64::from(self.board.delivered.wrapping_sub(segments)) * u64::from(self.mss)
            }
            Increase::Bytes | Increase::Acks => acked.bytes,
        }
    }

    /// Bytes that an ACK reports as marked; before it `delivered` had been acknowledged or SACKed.
    #[inline]
    fn newly_marked(&mut self, segment: &Segment, delivered: u64) -> u64 {
        if !self.options.ecn {
            return 0;
        }
        let newly = (self.board.una + self.board.sacked()).saturating_sub(delivered);
        self.feedback.marked(segment, newly, self.mss)
    }

    /// Takes the peer's window from a segment.
    #[inline(always)]
    fn update_window(&mut self, segment: &Segment, seq: u64, ack: u64) {
        if ack < self.board.una || !self.snd_wnd.update(segment, (seq, ack)) {
            return;
        }
        // Answers that keep the window shut leave the probes alone: their interval goes on doubling.
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

    /// Round-trip sample of this ACK, where Karn's rule and the configuration allow one. Linux gives its congestion controls
    /// that of the segment sent last.
    #[inline(always)]
    fn sample(&mut self, acked: &AckedSegments, segment: &Segment, now: Instant) -> Option<Duration> {
        let sacked = self.sacked_from();
        let first = acked.sent_at.filter(|_| !acked.ambiguous).or(sacked.map(|(first, _)| first));
        let rtt = if self.config.rtt_sampling == RttSampling::OnePerRtt {
            self.rtt.take_timed(self.board.una, now)?
        } else if let Some(sent_at) = first {
            now.saturating_since(sent_at)
        } else if let (Some(t), true) = (segment.timestamps, self.options.timestamps) {
            // The echo tells which transmission arrived.
            echoed_rtt(t.echo, now)?
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
        if self.buffers.is_some() && seq > nxt && !self.accepts(end.saturating_sub(seq)) {
            self.acks.demand();
            return;
        }
        if seq > nxt && seq < end {
            self.remember_range((seq, end), now);
        }
        let arrival = if seq < end { self.rcv.insert(seq, end) } else { Arrival::FilledGap };
        if arrival == Arrival::FilledGap {
            let nxt = self.rcv.nxt();
            if let Some(extensions) = self.extensions.as_deref_mut() {
                extensions.ack_policy.on_gap_filled(nxt);
            }
        }
        if matches!(arrival, Arrival::InOrder | Arrival::FilledGap) {
            self.on_data_in_order(segment, now);
        }
        self.update_buffer((segment, arrival), (seq.max(nxt), end), now);
        if self.rcv.is_complete() {
            self.acks.demand();
            self.pending.peer_closed();
            self.advance(StateTrigger::Fin);
            self.on_state_changed(now);
        }
        self.deliver(self.rcv.nxt_data() - read, now);
    }

    /// Takes the codepoint of a segment with payload.
    fn on_codepoint(&mut self, segment: &Segment) {
        self.stats.ce_received += u32::from(segment.ecn == tailrace_core::Ecn::Ce);
        let (nxt, quick) = (self.rcv.nxt(), self.config.quick_ecn);
        if self.feedback.on_codepoint(segment, &mut self.acks, nxt, quick) {
            self.extensions.enter_quick_ack(&mut self.acks, ecn::QUICK);
        }
    }

    /// Whether `bytes` above a gap fit into the receive buffer.
    fn accepts(&mut self, bytes: u64) -> bool {
        let view = receive_view!(self);
        self.buffers.accepts(bytes, &view)
    }

    /// A segment with data arrived in order: the delay of ACKs follows its pace, and a short or pushed one may be acknowledged
    /// early.
    #[inline]
    fn on_data_in_order(&mut self, segment: &Segment, now: Instant) {
        if self.config.ack_delay == AckDelay::Adaptive {
            let rto = self.rto();
            self.extensions.on_data(&mut self.acks, &self.config, rto, now);
        }
        if self.config.push_acks {
            let largest = self.mss + option_len(self.options.timestamps) as u32;
            self.extensions.on_segment_size(&mut self.acks, segment, largest);
        }
    }

    /// Schedules the ACK of a segment of which `range` is new; a tuned buffer and its window grow with it.
    #[inline(always)]
    fn update_buffer(&mut self, (segment, arrival): (&Segment, Arrival), range: (u64, u64), now: Instant) {
        if self.buffers.is_some() {
            self.tune_to_arrival(segment, range, now);
        }
        self.schedule_ack(arrival, now);
        if self.acks.is_due() && self.buffers.as_ref().is_some_and(|buffers| buffers.tunes_window()) {
            self.settle_window(arrival == Arrival::InOrder, now);
        }
    }

    #[inline]
    fn tune_to_arrival(&mut self, segment: &Segment, range: (u64, u64), now: Instant) {
        let view = receive_view!(self);
        if let Some(buffers) = self.buffers.as_deref_mut() {
            buffers.on_arrival(segment, range, &view, &mut self.acks, now);
        }
    }

    /// An ACK is due: fixes the window that it tells, or leaves the ACK to a slow reader.
    fn settle_window(&mut self, in_order: bool, now: Instant) {
        let view = receive_view!(self);
        let Some(buffers) = self.buffers.as_deref_mut() else { return };
        if buffers.settle_window(in_order, &view, &mut self.acks) && !self.auto_read {
            self.defer_ack_to_read(now);
        }
    }

    /// `delivered` bytes have come in order, which the application reads at once unless it is a slow reader.
    #[inline(always)]
    fn deliver(&mut self, delivered: u64, now: Instant) {
        self.pending.delivered(delivered);
        self.stats.bytes_delivered += delivered;
        if self.auto_read {
            self.rcv.take_all();
        }
        self.ack_pushed_data();
        // Data that nobody could read, or has not read yet, says nothing about the reading rate.
        if self.buffers.is_some() && delivered > 0 && self.auto_read {
            self.tune_to_reading(now);
        }
    }

    #[inline]
    fn tune_to_reading(&mut self, now: Instant) {
        let Some(buffers) = self.buffers.as_deref_mut() else { return };
        buffers.on_read(&self.rcv, now);
        let tells = buffers.may_tell_window_after_reading(&self.acks);
        if tells && self.state.may_receive() {
            self.tell_window_after_reading();
        }
    }

    /// Tells the peer of a window that reading has opened wide.
    fn tell_window_after_reading(&mut self) {
        let view = receive_view!(self);
        if let Some(buffers) = self.buffers.as_deref_mut() {
            buffers.tell_window_after_reading(&view, &mut self.acks);
        }
    }

    /// Whether no more than a full segment has come in order since the last ACK.
    pub(in crate::tcp) fn has_one_unacknowledged(&self) -> bool {
        self.rcv.nxt() - self.acks.last_sent() <= u64::from(self.mss)
    }
}

/// When to acknowledge.
impl Tcp {
    /// RFC 5681 §4.2: every `delayed_ack` segments or after a delay; at once where a gap opens or closes, or a duplicate came.
    #[inline]
    fn schedule_ack(&mut self, arrival: Arrival, now: Instant) {
        self.acks.settle_growth();
        if arrival == Arrival::InOrder && !self.rcv.has_duplicate() {
            let unacknowledged = self.rcv.nxt() - self.acks.last_sent();
            let every = self.extensions.ack_every(unacknowledged, &self.config);
            if self.acks.on_in_order(every) == AckFate::Waits {
                self.delay_ack(now);
            }
            return;
        }
        match arrival {
            Arrival::OutOfOrder => {
                self.stats.out_of_order_received += 1;
                return self.ack_gap(now);
            }
            Arrival::Duplicate => {
                self.stats.duplicates_received += 1;
                self.extensions.enter_quick_ack(&mut self.acks, self.config.quick_acks);
            }
            // Others wait still, and it is one segment more, or leaves less of the window: Linux treats it as one above a gap.
            Arrival::FilledGap
                if self.rcv.has_gap()
                    && (self.has_one_unacknowledged() || !self.window_would_not_shrink()) =>
            {
                return self.ack_gap(now);
            }
            Arrival::InOrder | Arrival::FilledGap => {}
        }
        self.acks.on_disorder();
    }

    fn window_would_not_shrink(&mut self) -> bool {
        let view = receive_view!(self);
        let buffers = self.buffers.as_deref();
        buffers.is_none_or(|buffers| buffers.window_would_not_shrink(&view, &mut self.acks))
    }

    /// Delays the ACK that is owed.
    #[inline]
    fn delay_ack(&mut self, now: Instant) {
        self.extensions.delay_ack(&mut self.acks, &self.config, self.rtt.smoothed, now);
    }

    /// The ACK that is due by count waits for the timer of those before it, unless that is about to expire (`tcp_send_delayed_ack`).
    /// Whether it waits.
    pub(crate) fn delay_due_ack(&mut self, now: Instant) -> bool {
        let delay = self.extensions.ack_timeout(&self.config);
        self.acks.put_off(now.saturating_add(delay / 4))
    }

    /// The ACK that is due by count waits until the application reads, or for the timer, which is started if it does not run.
    fn defer_ack_to_read(&mut self, now: Instant) {
        if self.acks.deadline() == Instant::MAX {
            self.acks.withdraw();
            self.delay_ack(now);
        } else {
            self.delay_due_ack(now);
        }
    }

    /// Acknowledges a segment above a gap: at once, or compressed with others for a twentieth of the round trip at most.
    fn ack_gap(&mut self, now: Instant) {
        let wait = if self.options.sack { self.compression_delay() } else { Duration::ZERO };
        self.extensions.on_gap(&mut self.acks, self.rcv.nxt(), wait, now);
    }

    fn compression_delay(&self) -> Duration {
        let (most, sent) = (self.config.ack_compression, self.rtt.smoothed);
        let seen = self.buffers.as_ref().and_then(|buffers| buffers.receiver_rtt());
        let seen = seen.filter(|seen| *seen < sent || sent.is_zero()).unwrap_or(sent);
        most.min(seen / 20)
    }

    /// Once the application has read everything, and nothing waits above a gap, pushed data is acknowledged.
    #[inline]
    pub(in crate::tcp) fn ack_pushed_data(&mut self) {
        // Data of a subflow is read from its connection.
        if !self.acks.is_pushed()
            || self.shared_window.get().is_some()
            || self.rcv.read() != self.rcv.nxt_data()
            || self.rcv.has_gap()
        {
            return;
        }
        self.acks.on_all_read(self.extensions.is_pingpong());
    }

    /// `range` is about to be received above a gap. Where that makes too many ranges for a header, the compressed ACK leaves first
    /// (`tcp_sack_compress_send_ack`).
    fn remember_range(&mut self, range: (u64, u64), now: Instant) {
        if self.config.sack_reports != SackReports::Remembered || !self.options.sack {
            return;
        }
        let held = self.acks.held() > 0;
        if held && self.extensions.as_ref().is_some_and(|e| e.ack_policy.overflows_sack(range)) {
            self.acknowledge_first(now);
        }
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.ack_policy.remember_range(range);
        }
    }
}

/// Receivers that attack.
impl Tcp {
    /// Spoofs a duplicate ACK for a segment with data at `seq`.
    fn spoof_for_data(&mut self, seq: u64) {
        if self.config.misbehaviour != Misbehaviour::RepeatedAcks {
            return;
        }
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.misbehaviour.on_data(seq, &self.rcv, &mut self.acks);
        }
    }

    /// Takes the bytes missing below `seq` as received, so that the loss does not show.
    fn conceal_hole(&mut self, seq: u64) {
        let conceals = self.config.misbehaviour == Misbehaviour::OptimisticAcks && self.state.may_receive();
        if let Some(extensions) = self.extensions.as_deref_mut().filter(|_| conceals) {
            extensions.misbehaviour.conceal_hole(seq, &mut self.rcv, self.irs);
        }
    }
}

/// Deliveries, for congestion controls that ask for them.
impl Tcp {
    /// An ACK has come and is about to be processed.
    fn snapshot(&mut self, now: Instant) -> Snapshot {
        if let Some(rates) = &mut self.board.rates {
            rates.begin(now);
        }
        Snapshot {
            una: self.board.una,
            sacked: self.board.sacked(),
            in_flight: self.pipe(),
            rtt_samples: self.rtt.samples,
        }
    }

    /// The ACK is processed: tells the congestion control what it delivered.
    fn tell_delivery(&mut self, before: &Snapshot, segment: &Segment, marked: u64, now: Instant) {
        let stamps = segment.timestamps.filter(|t| self.options.timestamps && t.echo != 0);
        let least = u64::from(self.mss);
        let flow = self.board.rates.as_mut().map_or(FlowSample::default(), |r| r.finish(least));
        let delivery = Delivery {
            now,
            acked: Bytes(self.board.una - before.una),
            delivered: Bytes(
                (self.board.una + self.board.sacked()).saturating_sub(before.una + before.sacked),
            ),
            marked: Bytes(marked),
            una: self.board.una,
            nxt: self.board.nxt,
            prior_in_flight: Bytes(before.in_flight),
            in_flight: Bytes(self.pipe()),
            rtt: (self.rtt.samples > before.rtt_samples).then_some(self.rtt.latest),
            smoothed_rtt: self.rtt.smoothed,
            cwnd_limited: self.is_cwnd_limited(),
            flow,
            one_way_ms: stamps.map(|t| t.value.wrapping_sub(t.echo) as i32),
            repair: self.recovery.repairs(),
        };
        self.cc.tell(|cc| cc.on_delivery(&delivery));
        if self.cc.holds_back() {
            self.board.limit_rates();
        }
    }
}
