//! One subflow: a TCP, its place in the connection, and the mappings of both directions.

pub(crate) mod in_order;
pub(crate) mod join;
pub(crate) mod mappings;
pub(crate) mod staleness;
pub(crate) mod table;
mod tuple;

pub use tuple::Tuple;

use crate::mptcp::chunk::DataChunk;
use crate::mptcp::data::dss_checksum::DssChecksums;
use crate::mptcp::data::wire_numbers::next_to;
use crate::mptcp::linux::peer_window::PeerWindow;
use crate::mptcp::linux::send_buffer::SendBuffer;
use crate::mptcp::option::{Mapping, ResetReason};
use crate::mptcp::path_manager::AddressId;
use crate::mptcp::scheduler::SubflowView;
use crate::mptcp::source_route::SourceRoute;
use crate::segment::Segment;
use crate::tcp::{State, Tcp};
use in_order::{InOrderData, ReleasedBuffers};
use join::Join;
use mappings::{FittedChunk, ReceivedMapping, SentMapping};
use staleness::Staleness;
use std::collections::VecDeque;
use table::SubflowTimers;
use tailrace_core::{Bytes, Instant, Ring};

/// What a subflow has done for its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubflowStats {
    /// Bytes scheduled onto it, reinjections included.
    pub scheduled_bytes: u64,
    /// Of those, bytes that others had carried before.
    pub reinjected_bytes: u64,
    /// Times it was penalised.
    pub penalties: u32,
}

/// As in [`Tcp`], what every segment needs comes first, then what sending needs beside it, and last what is rare. It begins where a
/// line does.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Subflow {
    pub(crate) tcp: Tcp,

    pub(crate) tuple: Tuple,
    /// Data may be sent on it.
    pub(crate) ready: bool,
    /// A timeout struck and nothing has come since.
    pub(crate) failed: bool,
    /// It is over; its place may be taken.
    pub(crate) gone: bool,
    /// The connection is done with it, and its TCP is not: that still sends what it has, and its FIN.
    pub(crate) detached: bool,
    /// This host's interface is down, and drops what it sends.
    pub(crate) cut_off: bool,
    /// Either end wants it for want of others only.
    pub(crate) backup: bool,
    pub(crate) peer_backup: bool,
    /// The peer has reset it, and not for a transient reason (RFC 8684 §3.6).
    pub(crate) refused: bool,
    /// There was no route for its first segment: it has never been.
    pub(crate) unrouted: bool,
    /// Why it is reset, if it is.
    pub(crate) reset: ResetReason,
    /// The gateways that its packets go through.
    pub(crate) route: Option<SourceRoute>,
    /// Relative number of the next byte to be taken to the data level.
    pub(crate) taken: u64,
    /// Mappings whose bytes have not all come in order, by subflow number.
    pub(crate) received: VecDeque<ReceivedMapping>,

    pub(crate) silence: Staleness,
    /// When the proof of a join is repeated for want of an answer.
    pub(crate) proof_deadline: Instant,
    /// Subflow numbers of bytes that were changed on the way and are not taken yet.
    pub(crate) altered: Vec<(u64, u64)>,

    pub(crate) sent: Ring<SentMapping>,
    /// So many of `sent` have left at least.
    left: usize,
    /// The run of the stream that was handed to it last: data sequence numbers less subflow numbers, and where it begins.
    pub(crate) run: (i64, u64),

    pub(crate) stats: SubflowStats,
    /// Its send buffer, where bytes are handed to it ahead of its window.
    pub(crate) memory: Option<SendBuffer>,
    /// The peer's window, where more counts than what the latest ACK shows.
    pub(crate) peer_window: Option<PeerWindow>,

    /// What is known of the checksums of what came, where there are real bytes.
    pub(crate) checksums: DssChecksums,
    pub(crate) join: Option<Join>,
    pub(crate) local: AddressId,
    pub(crate) remote: AddressId,
    /// How often the proof of a join was repeated.
    pub(crate) proofs: u32,
    /// The number on the wire of the data that failed its checksum, if it is reset for that.
    pub(crate) fail: Option<u64>,
    /// When it may be penalised again.
    pub(crate) penalty_over: Instant,
}

impl Subflow {
    /// RcvSpace are noted by [`Mptcp`](crate::mptcp::Mptcp), which knows of windows.
    pub(crate) fn new(tcp: Tcp, tuple: Tuple, (local, remote): (AddressId, AddressId)) -> Self {
        Self {
            tcp,
            tuple,
            local,
            remote,
            route: None,
            join: None,
            ready: false,
            backup: false,
            peer_backup: false,
            failed: false,
            refused: false,
            reset: ResetReason::Unspecified,
            silence: Staleness::default(),
            fail: None,
            gone: false,
            detached: false,
            cut_off: false,
            unrouted: false,
            sent: Ring::new(),
            left: 0,
            run: (0, 1),
            received: VecDeque::new(),
            checksums: DssChecksums::default(),
            altered: Vec::new(),
            taken: 1,
            proof_deadline: Instant::MAX,
            proofs: 0,
            penalty_over: Instant::ZERO,
            memory: None,
            peer_window: None,
            stats: SubflowStats::default(),
        }
    }

    /// Its TCP takes a segment.
    #[inline]
    pub(crate) fn handle_segment(&mut self, segment: &Segment, now: Instant) {
        if segment.altered {
            return self.handle_altered(segment, now);
        }
        self.tcp.handle_segment(segment, now);
    }

    /// The window that counts beside the data-level acknowledgment of `segment`, bytes.
    pub(crate) fn peer_window_by(&mut self, segment: &Segment) -> u64 {
        let shown = self.tcp.window_of(segment);
        self.peer_window.as_mut().map_or(shown, |window| window.update(segment, shown))
    }

    /// One whose payload was changed: if its TCP takes it, so much is remembered.
    #[cold]
    fn handle_altered(&mut self, segment: &Segment, now: Instant) {
        let before = self.tcp.altered_arrived();
        self.tcp.handle_segment(segment, now);
        if self.tcp.altered_arrived() != before {
            self.altered.push(self.tcp.received_range(segment));
        }
    }

    /// Tells its TCP how long the next piece of its data is: it has been handed some, or has sent a piece.
    #[inline]
    pub(crate) fn begin_piece(&mut self) {
        if self.tcp.unsent() == 0 {
            return;
        }
        let next = self.tcp.next_ssn();
        while let Some(m) = self.sent.get(self.left) {
            if m.ssn_end > next {
                self.tcp.begin_piece(u32::from(m.len));
                return;
            }
            self.left += 1;
        }
    }

    /// After `segment`, sent for the first time if `new`: whether it is known that another poll of its TCP would bring nothing.
    #[inline]
    pub(crate) fn is_exhausted(&mut self, segment: &Segment, new: bool) -> bool {
        if segment.payload == 0 || !new {
            return self.tcp.is_exhausted();
        }
        self.begin_piece();
        self.tcp.looks_ahead()
    }

    /// As much of `chunk` as it can take at once, in segments of `most` bytes: what goes on with a segment that waits and is not
    /// full fills that first, as far as its packet has room. Its bytes become part of that segment, unless they go out `again` behind new ones.
    #[inline]
    pub(crate) fn fitting(&self, chunk: &DataChunk, most: u32, again: bool) -> FittedChunk {
        let Some(last) = self.sent.back().filter(|last| last.continues_at(chunk.dsn, most)) else {
            return FittedChunk { chunk: *chunk, goes_on: false, joins: false };
        };
        let has_room = self.memory.is_some() && u32::from(last.len) < most;
        let room = if has_room { self.room_behind(last) } else { 0 };
        if room == 0 {
            return FittedChunk { chunk: *chunk, goes_on: true, joins: false };
        }
        let len = chunk.len.min(most - u32::from(last.len)).min(room);
        FittedChunk { chunk: DataChunk { len, ..*chunk }, goes_on: true, joins: last.again || !again }
    }

    /// How much the packet of `last`, the segment that was handed to it last, has room for, if that may become longer.
    fn room_behind(&self, last: &SentMapping) -> u32 {
        if !self.tcp.may_grow(last.ssn_end - u64::from(last.len)) {
            return 0;
        }
        self.tcp.room_in_packet().map_or(u32::MAX, |room| u32::try_from(room).unwrap_or(u32::MAX))
    }

    /// Keeps the mapping of what was handed to it last, which joins the one before or does not.
    pub(crate) fn hold(&mut self, mapping: SentMapping, joins: bool) {
        match self.sent.back_mut().filter(|_| joins) {
            Some(last) => (last.ssn_end, last.len) = (mapping.ssn_end, last.len + mapping.len),
            None => self.sent.push_back(mapping),
        }
    }

    /// What it has done so far: what waits to be sent for the first time has not been given to the path.
    pub(crate) fn stats(&self) -> SubflowStats {
        let scheduled_bytes = self.stats.scheduled_bytes.saturating_sub(self.tcp.unsent());
        SubflowStats { scheduled_bytes, ..self.stats }
    }

    /// Whether it is part of the connection.
    #[inline]
    pub(crate) fn is_attached(&self) -> bool {
        !self.gone && !self.detached
    }

    /// Whether it began the connection.
    pub(crate) fn is_first(&self) -> bool {
        self.join.is_none()
    }

    /// Whether it is over with `segment`: once the connection is done with it nobody reads what comes, unless it is the first, which the
    /// connection keeps (`mptcp_close_ssk`, `tcp_rcv_state_process`).
    pub(crate) fn breaks_at(&self, segment: &Segment) -> bool {
        let comes = || self.tcp.received_range(segment).1 > self.tcp.received_ssn();
        self.detached && !self.is_first() && segment.payload > 0 && comes()
    }

    /// Resets it, and says why.
    pub(crate) fn abort(&mut self, reason: ResetReason) {
        self.reset = reason;
        self.tcp.abort();
    }

    /// Something came on it.
    #[inline]
    pub(crate) fn hear(&mut self, now: Instant) {
        self.failed = false;
        self.silence.heard = now;
        // The count ends with the next data-level timeout (`mptcp_subflow_set_active`).
        self.silence.stale = false;
    }

    /// Data may be sent on it, and it is not stale.
    pub(crate) fn is_active(&self) -> bool {
        self.is_attached() && self.ready && !self.silence.stale && self.tcp.state().may_send()
    }

    /// Whether it may carry data, where the connection is `open`.
    #[inline]
    pub(crate) fn is_usable(&self, open: bool) -> bool {
        let fit = self.ready && self.is_attached() && !self.failed && !self.silence.stale;
        open && fit && self.tcp.state().may_send()
    }

    /// When it does what it does by itself.
    #[inline]
    pub(in crate::mptcp) fn timing(&self) -> SubflowTimers {
        if self.gone {
            return SubflowTimers::NEVER;
        }
        let due = self.tcp.poll_timeout().unwrap_or(Instant::MAX).min(self.proof_deadline);
        let counts = self.silence.count == 0 && !self.detached;
        let again = self.tcp.retransmission_noted().filter(|_| counts);
        SubflowTimers { due, again: again.unwrap_or(Instant::ZERO) }
    }

    /// What a scheduler sees of it beside whether it may be given data, and in pieces of which size; but for its windows.
    #[inline]
    pub(crate) fn fill(&self, view: &mut SubflowView) {
        if !self.is_attached() {
            *view = SubflowView::VACANT;
            return;
        }
        let tcp = &self.tcp;
        view.backup = self.backup || self.peer_backup;
        (view.in_loss, view.in_recovery) = (tcp.repairs_timeout(), tcp.repairs_loss());
        (view.srtt, view.rtt_var, view.min_rtt) = tcp.round_trips();
        view.rto = tcp.rto_of_estimate();
    }

    /// What its window, what lies in it and what it has sent look like.
    #[inline]
    pub(crate) fn fill_windows(&self, view: &mut SubflowView) {
        if !self.is_attached() {
            return;
        }
        let tcp = &self.tcp;
        (view.cwnd, view.ssthresh) = tcp.windows();
        (view.in_flight, view.outstanding) = (tcp.in_flight(), tcp.outstanding());
        view.noted_rate = tcp.rate_noted();
        let stats = tcp.stats();
        (view.retransmitted, view.sent) = (stats.retransmitted_segments, stats.data_segments_sent);
    }

    /// What was handed to it ahead of its window takes so much memory, and whether it may be given more; `None` where its window alone
    /// counts.
    #[inline]
    pub(crate) fn queue(&self) -> Option<(Bytes, bool)> {
        let size = self.memory.as_ref()?.size();
        let queued = self.tcp.memory_queued();
        Some((Bytes(queued), self.tcp.may_queue() && queued < size))
    }

    /// Whether its window has room for a full segment.
    #[inline]
    pub(crate) fn has_window(&self) -> bool {
        self.tcp.has_room(u64::from(self.tcp.mss()))
    }

    /// The peer has not answered the proof of this join yet: it is repeated (RFC 8684 §3.2), less and less often.
    pub(crate) fn repeat_proof(&mut self, now: Instant) {
        if self.ready || !self.tcp.state().is_synchronized() {
            self.proof_deadline = Instant::MAX;
            return;
        }
        let wait = self.tcp.rto_of_estimate().saturating_mul(1 << self.proofs.min(6));
        self.proof_deadline = now.saturating_add(wait);
        if self.proofs > 0 {
            self.tcp.demand_ack();
        }
        self.proofs += 1;
    }

    /// Remembers a mapping of bytes that are still to come in order; returns the relative number of the first, unless it is
    /// not needed.
    pub(crate) fn announce(&mut self, mapping: Mapping) -> Option<u64> {
        let (ssn, len) = (next_to(self.taken, mapping.ssn), u64::from(mapping.len));
        if ssn.saturating_add(len) <= self.taken || len == 0 {
            return None;
        }
        if self.received.back().is_none_or(|m| m.ssn < ssn) {
            self.received.push_back(ReceivedMapping { dsn: mapping.dsn, ssn, len });
            return Some(ssn);
        }
        let i = self.received.partition_point(|m| m.ssn < ssn);
        let new = self.received.get(i).is_none_or(|m| m.ssn != ssn);
        if new {
            self.received.insert(i, ReceivedMapping { dsn: mapping.dsn, ssn, len });
        }
        new.then_some(ssn)
    }

    /// End of the buffer with the next byte in order, at most `to`; `buffers` moves on to that buffer.
    pub(crate) fn end_of_buffer(&self, buffers: &mut ReleasedBuffers, to: u64) -> u64 {
        buffers.end_at(self.taken, to, |i| self.tcp.released(i))
    }

    /// What comes next of the bytes that have come in order up to `to`. With `checksum` a mapping is taken as a whole, if
    /// it is as it was sent.
    #[inline]
    pub(crate) fn take(&mut self, to: u64, checksum: bool) -> Option<InOrderData> {
        if self.taken < to { self.take_some(to, checksum) } else { None }
    }

    /// The same where there are some.
    #[inline(never)]
    fn take_some(&mut self, to: u64, checksum: bool) -> Option<InOrderData> {
        let Some(&m) = self.received.front() else { return Some(InOrderData::Unmapped) };
        let (start, end) = (m.ssn, m.ssn.saturating_add(m.len));
        if end <= self.taken {
            self.received.pop_front();
            return self.take(to, checksum);
        }
        if start > self.taken {
            return Some(InOrderData::Unmapped);
        }
        if checksum {
            if end > to {
                return None;
            }
            let altered = self.altered.iter().any(|r| r.0 < end && r.1 > start);
            if altered || self.checksums.refute(start, end) {
                return Some(InOrderData::Broken { dsn: m.dsn });
            }
        }
        let upto = end.min(to);
        let dsn = |ssn: u64| m.dsn.saturating_add(ssn - start);
        let range = InOrderData::Bytes { dsn: dsn(self.taken), end: dsn(upto) };
        self.taken = upto;
        if upto == end {
            self.received.pop_front();
        }
        if checksum {
            self.checksums.forget(upto);
        }
        Some(range)
    }

    /// What has come in order up to `to` is not taken to the data level, and forgotten.
    pub(crate) fn throw_away(&mut self, to: u64) {
        self.received.retain(|m| m.ssn.saturating_add(m.len) > to);
        self.checksums.forget(to);
        self.taken = to;
    }

    /// Forgets mappings that the peer's TCP has acknowledged.
    #[inline]
    pub(crate) fn forget_acknowledged(&mut self) {
        if self.tcp.state() == State::Closed {
            return;
        }
        let acked = self.tcp.acked_ssn();
        while self.sent.front().is_some_and(|m| m.ssn_end <= acked) {
            self.sent.pop_front();
            self.left = self.left.saturating_sub(1);
        }
    }

    /// The mapping of a segment that it sends, and whether others had carried it before.
    pub(crate) fn mapping_of(&self, segment: &Segment) -> Option<(Mapping, bool)> {
        let ssn = self.tcp.ssn_of(segment);
        let begins = |m: &&SentMapping| m.ssn_end - u64::from(m.len) == ssn;
        // Mostly that of what leaves for the first time.
        let m = self.sent.get(self.left).filter(begins);
        let m = m.or_else(|| self.sent.get(self.sent.partition_point(|m| m.ssn_end <= ssn)))?;
        let ssn = (m.ssn_end - u64::from(m.len)) as u32;
        Some((Mapping { dsn: m.dsn, ssn, len: m.len }, m.again))
    }

    /// The mapping of what leaves for the first time, before the next piece begins.
    #[inline]
    pub(crate) fn leaving(&self) -> Option<&SentMapping> {
        self.sent.get(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::linux::buffer_size::BufferSize;
    use crate::{CcConfig, Profile, TcpBehaviour, TcpConfig};
    use std::sync::Arc;

    fn subflow() -> Subflow {
        let config = Arc::new(TcpConfig::for_profile(Profile::Rfc));
        let cc = CcConfig::default_of("newreno").unwrap();
        Subflow::new(Tcp::listen(&config, &cc, 1), Tuple::default(), (0, 0))
    }

    #[test]
    fn bytes_are_taken_by_mapping_in_order_and_once() {
        let mut s = subflow();
        s.announce(Mapping { dsn: 500, ssn: 101, len: 50 });
        s.announce(Mapping { dsn: 9000, ssn: 1, len: 100 });
        s.announce(Mapping { dsn: 9000, ssn: 1, len: 100 });
        let bytes = |dsn, end| Some(InOrderData::Bytes { dsn, end });
        assert_eq!(s.take(1, false), None);
        assert_eq!(s.take(61, false), bytes(9000, 9060));
        assert_eq!(s.take(151, false), bytes(9060, 9100));
        assert_eq!(s.take(151, false), bytes(500, 550));
        assert_eq!((s.take(151, false), s.received.len()), (None, 0));
        s.announce(Mapping { dsn: 500, ssn: 101, len: 50 });
        assert_eq!(s.received.len(), 0, "taken already");
    }

    #[test]
    fn what_fills_a_segment_up_stays_within_its_packet() {
        let linux = TcpConfig::for_profile(Profile::Linux);
        let config = Arc::new(TcpConfig {
            mss: Bytes(1424),
            behaviour: TcpBehaviour { tso: false, ..linux.behaviour.clone() },
            ..linux
        });
        let mut tcp = Tcp::listen(&config, &CcConfig::default_of("newreno").unwrap(), 1);
        tcp.follow_packets(24);
        let mut s = Subflow::new(tcp, Tuple::default(), (0, 0));
        s.memory = Some(SendBuffer::new(BufferSize::KERNEL));
        let mut hand = |dsn, len, again| {
            let FittedChunk { chunk, goes_on, joins } =
                s.fitting(&DataChunk { dsn, len, carriers: 0 }, 1424, again);
            let (ssn_end, len) = (s.tcp.end_ssn() + u64::from(chunk.len), chunk.len as u16);
            s.hold(SentMapping { ssn_end, dsn, piece: 0, len, reinjected: false, again }, joins);
            s.tcp.take(u64::from(chunk.len), goes_on);
            (chunk.len, joins)
        };
        assert_eq!(hand(5001, 928, true), (928, false));
        // What no other carried goes on with it.
        assert_eq!(hand(5929, 1424, false), (496, true));
        // Its packet is full, so the next goes into another, and so does its mapping.
        assert_eq!(hand(6425, 928, false), (928, false));
        assert_eq!(hand(7353, 1424, false), (496, true));
        let mappings: Vec<_> = s.sent.iter().map(|m| (m.dsn, m.len)).collect();
        assert_eq!(mappings, [(5001, 1424), (6425, 1424)]);
    }

    #[test]
    fn bytes_without_a_mapping_are_found_out() {
        let mut s = subflow();
        assert_eq!(s.take(10, false), Some(InOrderData::Unmapped));
        s.announce(Mapping { dsn: 1, ssn: 5, len: 10 });
        assert_eq!(s.take(10, false), Some(InOrderData::Unmapped), "the first four have none");
    }

    #[test]
    fn subflow_numbers_of_mappings_go_round_every_4_gib() {
        let mut s = subflow();
        s.taken = (1 << 32) - 99;
        s.announce(Mapping { dsn: 1 << 40, ssn: u32::MAX - 98, len: 100 });
        s.announce(Mapping { dsn: 7, ssn: 1, len: 100 });
        assert_eq!(
            s.take((1 << 32) + 101, false),
            Some(InOrderData::Bytes { dsn: 1 << 40, end: (1 << 40) + 100 })
        );
        assert_eq!(s.take((1 << 32) + 101, false), Some(InOrderData::Bytes { dsn: 7, end: 107 }));
    }

    #[test]
    fn a_checksum_covers_the_whole_mapping() {
        let mut s = subflow();
        s.announce(Mapping { dsn: 1, ssn: 1, len: 10 });
        s.announce(Mapping { dsn: 11, ssn: 11, len: 10 });
        assert_eq!(s.take(9, true), None, "the last two are to come");
        assert_eq!(s.take(12, true), Some(InOrderData::Bytes { dsn: 1, end: 11 }));
        s.altered.push((18, 19));
        assert_eq!(s.take(21, true), Some(InOrderData::Broken { dsn: 11 }));
        assert_eq!(s.take(21, false), Some(InOrderData::Bytes { dsn: 11, end: 21 }));
    }
}
