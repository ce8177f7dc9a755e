//! Fallback to plain TCP: without options, and after a checksum that failed (RFC 8684 §3.7).
//!
//! Without options both levels have the same numbers from the start. As long as nothing shows that mappings get through, neither end
//! reinjects data, and an end that falls back says so by an infinite mapping. After a failed checksum the ends tell each other by
//! infinite mappings how subflow bytes continue the stream: numbers differ by a constant. The end that found the failure takes nothing
//! more until it has the peer's mapping, and repeats its MP_FAIL. The peer answers each with MP_FAIL and an infinite mapping from the
//! first unacknowledged byte on, if all data in flight is one run of the stream. If it is not, if there are other subflows, or if no
//! mapping arrives, the subflow is reset.
//!
//! Linux 6.1 and 6.12 answer with MP_FAIL, and with an infinite mapping from the next new byte on, if there is one. Where that continues
//! the run, it counts from the first byte that was not taken, as in the RFC.

use super::data::wire_numbers::nearest;
use super::option::{Dss, Mapping, Options, ResetReason, Signal};
use super::state::{ConnectionState, Trigger};
use super::subflow::receive_mappings::InOrderData;
use super::{Mptcp, Role};
use crate::segment::{Flags, Segment};
use crate::tcp::State;
use tailrace_core::Instant;

/// Number of MP_FAILs in vain before the subflow is reset.
const MOST_FAILS: u32 = 6;

/// Meaning of the peer's bytes.
#[derive(Clone, Copy, Debug)]
enum Inbound {
    /// Their mappings count.
    Mapped,
    /// A checksum failed: nothing is taken before the peer's infinite mapping.
    Rejected {
        /// First data sequence number that is not taken.
        dsn: u64,
        /// Time at which MP_FAIL is repeated.
        deadline: Instant,
        repeats: u32,
    },
    /// Data sequence numbers are subflow sequence numbers plus this.
    Plain { offset: i64 },
}

/// End of the repetition of this end's infinite mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TellUntil {
    /// The peer has acknowledged the subflow beyond this, or sends its own.
    Acked(u64),
    /// The peer sends its own.
    PeerMapping,
    /// The peer, which began by its mapping, stops sending that.
    PeerSilence,
}

/// Infinite mapping of this end.
#[derive(Clone, Copy, Debug)]
struct InfiniteMapping {
    mapping: Mapping,
    /// Data minus subflow sequence numbers of everything that this end sends.
    offset: i64,
    /// Whether it goes with every segment, as the peer may not have it.
    telling: bool,
    until: TellUntil,
}

/// Progress of a fallback.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fallback {
    inbound: Inbound,
    outbound: Option<InfiniteMapping>,
    /// Whether MP_FAIL goes with the next ACK. It goes with news, with ACKs of data, or as an answer: two ends that answer each ACK with
    /// one would never stop.
    fail_due: bool,
    /// Number of MP_FAILs of the peer that were answered. Linux answers answers.
    answers: u32,
}

impl Fallback {
    pub(super) const NONE: Self =
        Self { inbound: Inbound::Mapped, outbound: None, fail_due: false, answers: 0 };

    /// Data minus subflow sequence numbers of the peer's bytes, once their mappings no longer count.
    #[inline]
    pub(super) const fn inbound_offset(&self) -> Option<i64> {
        match self.inbound {
            Inbound::Plain { offset } => Some(offset),
            _ => None,
        }
    }

    /// Data minus subflow sequence numbers of everything that this end sends in a fallback.
    pub(super) fn outbound_offset(&self) -> i64 {
        self.outbound.map_or(0, |infinite| infinite.offset)
    }

    /// Whether either direction has fallen back.
    pub(super) fn has_begun(&self) -> bool {
        self.inbound_offset().is_some() || self.outbound.is_some()
    }

    /// Whether data is rejected until the peer's infinite mapping arrives.
    #[inline]
    pub(super) const fn rejects(&self) -> bool {
        matches!(self.inbound, Inbound::Rejected { .. })
    }

    /// First data sequence number that is rejected.
    const fn rejected(&self) -> Option<u64> {
        match self.inbound {
            Inbound::Rejected { dsn, .. } => Some(dsn),
            _ => None,
        }
    }

    /// Time at which MP_FAIL is repeated.
    #[inline]
    pub(super) const fn deadline(&self) -> Instant {
        match self.inbound {
            Inbound::Rejected { deadline, .. } => deadline,
            _ => Instant::MAX,
        }
    }

    /// Stops the repetition of MP_FAIL.
    pub(super) const fn stop(&mut self) {
        if let Inbound::Rejected { deadline, .. } = &mut self.inbound {
            *deadline = Instant::MAX;
        }
    }

    /// Whether MP_FAIL goes with the next ACK.
    #[inline]
    pub(super) const fn is_fail_due(&self) -> bool {
        self.fail_due
    }

    /// `segment` brings data that is rejected: its ACK carries MP_FAIL.
    pub(super) const fn on_rejected(&mut self, segment: &Segment) {
        self.fail_due |= segment.payload > 0;
    }

    fn set_telling(&mut self, on: bool) {
        if let Some(infinite) = &mut self.outbound {
            infinite.telling = on;
        }
    }

    /// Infinite mapping to be told, if any.
    fn told(&self) -> Option<Mapping> {
        self.outbound.filter(|infinite| infinite.telling).map(|infinite| infinite.mapping)
    }

    /// The peer's TCP has acknowledged up to relative number `ssn`.
    fn on_acked(&mut self, ssn: u64) {
        if let Some(InfiniteMapping { telling, until: TellUntil::Acked(until), .. }) = &mut self.outbound {
            *telling &= ssn <= *until;
        }
    }
}

impl Mptcp {
    /// Falls back to plain TCP at once: bytes have the same numbers at both levels, as they have had since the start.
    pub(super) fn fall_back(&mut self) {
        if self.state == ConnectionState::Opening {
            self.snd.start(1);
            self.rcv.start(1);
        }
        self.fallback.inbound = Inbound::Plain { offset: 0 };
        self.leave_multipath();
    }

    /// Falls back to plain TCP as options do not get through on subflow `id` (RFC 8684 §3.7). Not after mappings have arrived or data was
    /// reinjected: the peer may count bytes otherwise. The peer may have had mappings, if only one direction loses options, so it is
    /// told how bytes continue until some that were sent with the telling are acknowledged. Whether it falls back.
    pub(super) fn try_fall_back(&mut self, id: usize) -> bool {
        if !self.subflows.is_single() || self.format.has_received_mappings() || self.run_of(id) != Some(0) {
            return false;
        }
        self.fall_back();
        let until = TellUntil::Acked(self.subflows[id].tcp.next_ssn());
        self.tell_infinite_mapping(0, until);
        true
    }

    /// Falls back as nothing answers the DATA_FIN of a connection without multipath data: the DATA_FIN takes no sequence number of the
    /// subflow, so that no acknowledgment shows whether its option is taken away, and a peer that has fallen back awaits a FIN. If the
    /// option was not taken away, the infinite mapping beside the FIN lets the peer fall back, too. Whether it falls back.
    pub(super) fn falls_back_without_answer(&mut self, now: Instant) -> bool {
        let waits = self.state.is_established() && self.snd.awaits_fin_only();
        if !waits || !self.close_timers.is_data_fin_unanswered(now) {
            return false;
        }
        let first = self.subflows.iter().position(|s| s.is_attached() && s.is_first());
        first.is_some_and(|id| self.try_fall_back(id))
    }

    /// Whether `segment`, which has no options, shows that the peer of an unconfirmed connection uses none. Data was acknowledged at the
    /// subflow only (RFC 8684 §3.7); or it is the first in order that a client gets after the handshake, on which a peer with both keys
    /// writes DATA_ACK or MP_CAPABLE (`check_fully_established`).
    pub(super) fn shows_fallback(&self, id: usize, segment: &Segment) -> bool {
        let tcp = &self.subflows[id].tcp;
        let follows =
            !segment.flags.has_any(Flags::SYN.with(Flags::RST)) && tcp.received_range(segment).0 == 1;
        tcp.acked_ssn() > 1 || (self.role == Role::Client && follows)
    }

    /// Begins to tell an infinite mapping from the first unacknowledged byte on.
    fn tell_infinite_mapping(&mut self, offset: i64, until: TellUntil) {
        let una = self.snd.una();
        let mapping = Mapping { dsn: self.numbers.sent(una), ssn: (una as i64 - offset) as u32, len: 0 };
        self.fallback.outbound = Some(InfiniteMapping { mapping, offset, telling: true, until });
    }

    /// Whether a mapping that arrives after a fallback contradicts the numbers that this end gives to its bytes: the peer, which may not
    /// know of the fallback, has reinjected some. Plain TCP would deliver them twice.
    #[cold]
    pub(super) fn contradicts_fallback(&self, id: usize, segment: &Segment, options: &Options) -> bool {
        // After a fallback in the handshake the peer's key, and so its numbers, are unknown.
        let (Some(offset), Some(_)) = (self.fallback.inbound_offset(), self.numbers.peer()) else {
            return false;
        };
        let mapping = options.dss.and_then(|d| d.mapping).filter(|m| m.len > 0 && segment.payload > 0);
        let next = self.subflows[id].receive.next();
        mapping.is_some_and(|m| {
            let from = nearest(next, m.ssn);
            let is_new = from.saturating_add(u64::from(m.len)) > next;
            is_new && self.numbers.of_received(m.dsn) as u32 != from.saturating_add_signed(offset) as u32
        })
    }

    /// Leaves the rest of the stream to one TCP. A DATA_FIN that was sent means nothing any more: the FIN of the subflow follows.
    fn leave_multipath(&mut self) {
        self.snd.on_fallback();
        self.retransmission.cancel();
        self.advance(Trigger::FallBack);
        self.data_rto.stop();
        self.signals.clear();
    }

    /// Whether segments still carry mappings that count.
    #[inline]
    pub(super) fn is_mapped(&self) -> bool {
        self.state.is_established()
            || (self.state == ConnectionState::Fallback && self.fallback.inbound_offset().is_none())
    }

    /// Handles a wrong checksum of the mapping from `dsn` on, which is in order on subflow `id`.
    #[cold]
    pub(super) fn on_bad_checksum(&mut self, id: usize, dsn: u64, now: Instant) {
        self.stats.checksum_failures += 1;
        // Data beyond the expected byte came from another subflow that is no more.
        if self.subflows.has_other_than(id) || dsn > self.rcv.nxt() || self.rcv.waiting() > 0 {
            self.fail_subflow(id, dsn);
            return;
        }
        self.fallback.inbound = Inbound::Rejected { dsn, deadline: Instant::MAX, repeats: 0 };
        self.subflows.invalidate_windows();
        self.signals.clear();
        self.reset_others(id, now);
        self.repeat_fail(now);
    }

    /// Resets subflow `id`, whose data from `dsn` on cannot be used.
    fn fail_subflow(&mut self, id: usize, dsn: u64) {
        let dsn = self.numbers.received(dsn);
        self.subflows[id].fail(dsn);
        self.subflows.mark_dirty(id);
    }

    /// Sends MP_FAIL on an ACK, and again if no answer comes.
    pub(super) fn repeat_fail(&mut self, now: Instant) {
        let live = self.subflows.iter().position(|s| !s.is_over()).filter(|_| !self.state.is_closed());
        let (Some(id), Inbound::Rejected { dsn, deadline, repeats }) = (live, &mut self.fallback.inbound)
        else {
            return self.fallback.stop();
        };
        if *repeats == MOST_FAILS {
            *deadline = Instant::MAX;
            let dsn = *dsn;
            self.fail_subflow(id, dsn);
            return self.settle(id, now);
        }
        let wait = self.subflows[id].tcp.rto_of_estimate().saturating_mul(1 << *repeats);
        (*repeats, *deadline) = (*repeats + 1, now.saturating_add(wait));
        self.fallback.fail_due = true;
        self.subflows[id].tcp.demand_ack();
        self.subflows.mark_dirty(id);
    }

    /// MP_FAIL that the next ACK carries.
    pub(super) fn take_fail(&mut self) -> Option<Signal> {
        if !std::mem::take(&mut self.fallback.fail_due) {
            return None;
        }
        let dsn = self.fallback.rejected().unwrap_or_else(|| self.rcv.nxt());
        Some(Signal::Fail { dsn: self.numbers.received(dsn), closes: false })
    }

    /// Handles MP_FAIL without RST on subflow `id`: the peer has found a wrong checksum. With an infinite mapping beside it (`mapped`)
    /// it is an answer itself.
    pub(super) fn on_fail(&mut self, id: usize, mapped: bool, now: Instant) {
        if self.subflows[id].tcp.state() == State::Closed {
            return;
        }
        let asks = !mapped && !self.fallback.rejects() && self.fallback.answers < MOST_FAILS;
        self.fallback.answers += u32::from(asks);
        if self.state.is_established() {
            self.fallback.fail_due |= self.go_infinite(id, TellUntil::PeerMapping, now) && asks;
        } else if self.fallback.outbound.is_some() && (asks || mapped) {
            self.fallback.fail_due |= asks;
            // The peer may not have this end's mapping.
            self.fallback.set_telling(true);
            self.subflows[id].tcp.demand_ack();
        }
    }

    /// Handles the peer's infinite mapping: from `m.ssn` on, its bytes on subflow `id` are the stream from `m.dsn` on.
    pub(super) fn on_infinite_mapping(&mut self, id: usize, m: Mapping, now: Instant) {
        if self.state.is_established() {
            if !self.go_infinite(id, TellUntil::PeerSilence, now) {
                return;
            }
        } else if self.fallback.outbound.is_some_and(|infinite| infinite.until != TellUntil::PeerSilence) {
            self.fallback.set_telling(false);
        }
        if self.fallback.inbound_offset().is_some() || self.fallback.outbound.is_none() {
            return;
        }
        let dsn = self.numbers.of_received(m.dsn);
        let s = &mut self.subflows[id];
        let ssn = nearest(s.receive.next(), m.ssn);
        self.fallback.inbound = Inbound::Plain { offset: (dsn as i64).wrapping_sub(ssn as i64) };
        if (s.receive.next() as i64).wrapping_add(dsn as i64 - ssn as i64) != self.rcv.nxt() as i64 {
            // The peer repeats earlier bytes behind this mapping.
            s.receive.skip_to(ssn);
        }
        s.receive.clear();
        self.subflows.invalidate_windows();
    }

    /// Falls back by an infinite mapping on subflow `id`, or resets the subflow if its bytes do not continue the stream. Whether they do.
    fn go_infinite(&mut self, id: usize, until: TellUntil, now: Instant) -> bool {
        let Some(offset) = self.run_of(id) else {
            self.fail_subflow(id, self.rcv.nxt());
            return false;
        };
        // Before the others are reset, so that nobody opens a subflow in the place of one.
        self.advance(Trigger::FallBack);
        self.reset_others(id, now);
        self.tell_infinite_mapping(offset, until);
        self.leave_multipath();
        self.subflows[id].tcp.demand_ack();
        self.subflows.mark_dirty(id);
        true
    }

    /// Resets all subflows but `id`.
    fn reset_others(&mut self, id: usize, now: Instant) {
        for other in 0..self.subflows.len() {
            if other != id && !self.subflows[other].is_over() {
                self.subflows[other].abort(ResetReason::Mptcp);
                self.settle(other, now);
            }
        }
    }

    /// Whether subflows and addresses may be added.
    pub(super) fn is_multipath(&self) -> bool {
        self.state.is_established() && !self.fallback.rejects()
    }

    /// Data minus subflow sequence numbers, if all unacknowledged data lies on subflow `id` in one run.
    fn run_of(&self, id: usize) -> Option<i64> {
        let end = self.snd.data_nxt();
        let s = &self.subflows[id];
        let offset = end as i64 - s.tcp.end_ssn() as i64;
        (self.snd.una() >= end || s.send.is_one_run(offset, self.snd.una())).then_some(offset)
    }

    /// Processes the options of a segment that arrives in a fallback.
    pub(super) fn on_fallback_options(&mut self, id: usize, options: &Options, now: Instant) {
        let Some(outbound) = self.fallback.outbound else { return };
        let infinite = options.dss.and_then(|d| self.mapping_in(&d)).filter(|m| m.len == 0);
        if let Some(m) = infinite {
            self.on_infinite_mapping(id, m, now);
        } else if options.dss.is_none() && outbound.until == TellUntil::PeerSilence {
            self.fallback.set_telling(false);
        }
        if let Some(Signal::Fail { closes: false, .. }) = options.signal {
            self.on_fail(id, infinite.is_some(), now);
        }
    }

    /// Options of a segment that leaves in a fallback: an infinite mapping and MP_FAIL, as long as need be.
    pub(super) fn fallback_options(&mut self, segment: &mut Segment) -> Options {
        let mapping = self.fallback.told();
        if segment.flags.has(Flags::RST) || !(mapping.is_some() || self.fallback.fail_due) {
            return Options::NONE;
        }
        // RFC 8684 §3.7: no DATA_ACKs any more. The short numbers leave room for MP_FAIL beside timestamps.
        let checksum = self.format.has_checksum();
        let dss = mapping.map(|m| Dss { mapping: Some(m), checksum, ..Dss::default() });
        let signal = if segment.payload == 0 { self.take_fail() } else { None };
        Options::new(dss, signal)
    }

    /// Takes the data that is in order on subflow `id`, and what its TCP acknowledges, to the data level.
    pub(super) fn take_in_fallback(&mut self, id: usize, segment: &Segment, now: Instant) {
        let to = self.subflows[id].tcp.received_ssn();
        let (taken, before) = (self.subflows[id].receive.next(), self.rcv.nxt());
        match self.fallback.inbound {
            Inbound::Plain { offset } => self.take_plain(id, to, offset, now),
            Inbound::Rejected { .. } => self.fallback.on_rejected(segment),
            Inbound::Mapped => {
                self.fallback.on_rejected(segment);
                while let Some(InOrderData::Bytes { dsn, end }) = self.subflows[id].receive.take(to, false) {
                    self.take_bytes(id, dsn, end, now);
                }
            }
        }
        let came = self.rcv.nxt() - before;
        if came > 0 {
            let fills_gap = to.saturating_sub(taken) > u64::from(segment.payload);
            self.read_side().on_delivery(id, came, fills_gap, now);
        }
        let s = &self.subflows[id];
        if segment.flags.has(Flags::ACK) && s.tcp.state() != State::Closed {
            let offset = self.fallback.outbound_offset();
            let acked = s.tcp.acked_ssn().saturating_add_signed(offset).min(self.snd.nxt());
            let window = s.tcp.window_of(segment);
            self.fallback.on_acked(s.tcp.acked_ssn());
            self.stats.bytes_acked += self.snd.on_ack(acked, window);
        }
    }

    /// Skips a hole that a receiver conceals (`misbehaviour`): those bytes are missing for good and not delivered.
    #[cold]
    pub(super) fn skip_hole(&mut self, id: usize, (from, to): (u64, u64)) {
        self.subflows[id].receive.skip_to(to);
        // The data level keeps the hole and repairs it; plain TCP has no such level.
        if self.state == ConnectionState::Fallback
            && let Some(offset) = self.fallback.inbound_offset()
        {
            self.rcv.insert(from.saturating_add_signed(offset), to.saturating_add_signed(offset));
        }
    }

    /// Takes bytes up to `to` of subflow `id` as the next of the stream, within the window, which moves as the application reads.
    fn take_plain(&mut self, id: usize, to: u64, offset: i64, now: Instant) {
        while self.subflows[id].receive.next() < to {
            let s = &mut self.subflows[id];
            let dsn = s.receive.next().saturating_add_signed(offset);
            let room = self.rcv.edge().saturating_sub(dsn);
            let len = room.min(to - s.receive.next());
            if len == 0 {
                return;
            }
            s.receive.advance(len);
            self.take_bytes(id, dsn, dsn + len, now);
            let s = &self.subflows[id];
            if s.receive.next() < to {
                let window = self.rcv.window(id, s.tcp.mss(), || (1 << 40, 1));
                self.rcv.promise(window);
            }
        }
    }

    /// Counts the corrupted bytes that are new among `dsn..end`, taken from subflow `id` just now.
    #[cold]
    pub(super) fn count_corrupted(&mut self, id: usize, dsn: u64, end: u64) {
        for (start, stop) in self.subflows[id].receive.take_corrupted(end - dsn) {
            let (start, stop) = (dsn + start, dsn + stop);
            self.corrupted.add(self.rcv.missing(start, stop), stop, self.rcv.nxt());
        }
    }
}
