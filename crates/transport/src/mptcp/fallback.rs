//! The fallback to plain TCP: for want of options, and after a checksum that failed (RFC 8684 §3.7).
//!
//! Without options both levels have the same numbers from the start: as long as nothing shows that mappings come through,
//! neither end sends anything twice at the data level, and an end that falls back says so by an infinite mapping. After a failure the ends tell each other by an
//! infinite mapping how subflow bytes continue the stream: the numbers differ by a constant. The end that found the
//! failure takes nothing more until it has the peer's mapping, and repeats its MP_FAIL now and then; the peer, if all that it
//! has on its way is one run of the stream, answers each with an infinite mapping from the first byte not acknowledged, and
//! MP_FAIL. Where it is not, where there are other subflows, or where no mapping comes, the subflow is reset.
//!
//! Linux 6.1 and 6.12 answer with MP_FAIL, and with an infinite mapping from the next new byte on, if there is one: where that
//! continues the run, it counts from the first byte that was not taken, as the RFC would have it.

use super::Mptcp;
use super::data::wire_numbers::next_to;
use super::handshake::Stage;
use super::option::{Dss, Mapping, Options, ResetReason, Signal};
use super::subflow::in_order::InOrderData;
use crate::segment::{Flags, Segment};
use crate::tcp::State;
use tailrace_core::Instant;

/// So often MP_FAIL is said in vain before the subflow is reset.
const MOST_FAILS: u32 = 6;

/// How far the fallback has come. What every segment asks for comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Fallback {
    /// When MP_FAIL is repeated.
    pub(super) deadline: Instant,
    /// The data sequence number whose checksum failed: nothing is taken before the peer says how it continues.
    pub(super) rejected: Option<u64>,
    /// MP_FAIL goes with the next ACK: as news, with what acknowledges data, or as an answer. Were it on all, two ends that answer
    /// each would do nothing else.
    pub(super) fail_due: bool,
    /// The infinite mapping goes with every segment, as the peer may not have it.
    telling: bool,
    /// The peer has begun by its mapping, and is known to have this end's when its own no longer comes.
    second: bool,
    /// How often MP_FAIL was repeated.
    repeats: u32,
    /// How often the peer's was answered. Linux answers answers.
    answers: u32,
    /// The infinite mapping of this end.
    mapping: Option<Mapping>,
    /// It is told no longer than until the peer has acknowledged the subflow beyond this.
    until: u64,
    /// Data sequence number less subflow sequence number of all that this end sends.
    pub(super) tx: i64,
    /// The same of what the peer sends; until it is known, its mappings count.
    rx: Option<i64>,
}

impl Default for Fallback {
    fn default() -> Self {
        Self {
            tx: 0,
            rx: None,
            rejected: None,
            deadline: Instant::MAX,
            repeats: 0,
            mapping: None,
            telling: false,
            until: u64::MAX,
            fail_due: false,
            answers: 0,
            second: false,
        }
    }
}

impl Fallback {
    /// What data sequence numbers of the peer's bytes exceed subflow numbers by, where mappings no longer count.
    pub(super) fn offset(&self) -> Option<i64> {
        self.rx
    }

    /// Whether it has begun.
    pub(super) fn is_begun(&self) -> bool {
        self.rx.is_some() || self.mapping.is_some()
    }
}

impl Mptcp {
    /// Plain TCP from now on: bytes have the same numbers at both levels, as they have had since the start.
    pub(super) fn fall_back(&mut self) {
        if self.stage == Stage::Opening {
            self.snd.start(1);
            self.rcv.start(1);
        }
        self.fallback.rx = Some(0);
        self.leave_multipath();
    }

    /// Options do not come through on subflow `id` (RFC 8684 §3.7): plain TCP from now on, unless mappings have come, or bytes
    /// have been sent again; then the peer may count them otherwise. It may have had mappings, if only what this end hears
    /// loses them, and is told how bytes continue until some that were sent with the telling are acknowledged.
    pub(super) fn try_fall_back(&mut self, id: usize) -> bool {
        if !self.is_single() || self.mapped || self.run_of(id) != Some(0) {
            return false;
        }
        self.fall_back();
        let from = self.snd.una;
        self.fallback.mapping = Some(Mapping { dsn: self.numbers.sent(from), ssn: from as u32, len: 0 });
        self.fallback.telling = true;
        self.fallback.until = self.subflows[id].tcp.next_ssn();
        true
    }

    /// Whether the mapping of bytes that subflow `id` has not taken yet shows that they are not those which this end, which has fallen
    /// back, would take them for: the peer, who may not know, has sent some again at the data level. As plain TCP they would be
    /// delivered twice.
    #[cold]
    pub(super) fn contradicts(&self, id: usize, segment: &Segment, options: &Options) -> bool {
        // Without the peer's key, as when it fell back at the handshake, nothing can be said of its numbers.
        let (Some(offset), Some(_)) = (self.fallback.rx, self.numbers.peer()) else { return false };
        let mapping = options.dss.and_then(|d| d.mapping).filter(|m| m.len > 0 && segment.payload > 0);
        let s = &self.subflows[id];
        mapping.is_some_and(|m| {
            let from = next_to(s.taken, m.ssn);
            let is_new = from.saturating_add(u64::from(m.len)) > s.taken;
            is_new && self.numbers.of_received(m.dsn) as u32 != from.saturating_add_signed(offset) as u32
        })
    }

    /// One TCP carries what is left. A DATA_FIN that was sent says nothing any more: the FIN of the subflow follows.
    fn leave_multipath(&mut self) {
        self.snd.continue_as_one();
        (self.resend, self.judging) = (None, None);
        self.fin_due = self.snd.closing;
        self.stage = Stage::Fallback;
        self.data_rto.stop();
        self.signals.clear();
    }

    /// Whether there has never been a second subflow.
    pub(super) fn is_single(&self) -> bool {
        self.subflows.iter().filter(|s| !s.unrouted).count() == 1
    }

    /// Whether segments still have mappings that count.
    #[inline]
    pub(super) fn is_mapped(&self) -> bool {
        self.stage == Stage::Established || (self.stage == Stage::Fallback && self.fallback.rx.is_none())
    }

    /// Bytes of subflow `id` that take room of the window though they are not taken yet.
    pub(super) fn held(&self, id: usize) -> u64 {
        let s = &self.subflows[id];
        if self.fallback.rejected.is_some() { s.tcp.received_ssn().saturating_sub(s.taken) } else { 0 }
    }

    /// The checksum of a mapping from `dsn` on, which has come in order on subflow `id`, is wrong.
    #[cold]
    pub(super) fn on_bad_checksum(&mut self, id: usize, dsn: u64, now: Instant) {
        self.stats.checksum_failures += 1;
        let other = |(i, s): (usize, &super::Subflow)| i != id && !s.gone && s.tcp.state().is_synchronized();
        let several = self.subflows.iter().enumerate().any(other);
        // What does not follow what is here came from another subflow that is no more.
        if several || dsn > self.rcv.nxt() || self.rcv.waiting() > 0 {
            self.fail_subflow(id, dsn);
            return;
        }
        self.fallback.rejected = Some(dsn);
        self.subflows.invalidate_windows();
        self.signals.clear();
        self.end_others(id, now);
        self.repeat_fail(now);
    }

    /// Resets subflow `id`, whose data from `dsn` on cannot be used.
    fn fail_subflow(&mut self, id: usize, dsn: u64) {
        self.subflows[id].fail = Some(self.numbers.received(dsn));
        self.subflows[id].abort(ResetReason::Middlebox);
        self.subflows.mark_dirty(id);
    }

    /// MP_FAIL goes out on an ACK, and again if no answer comes.
    pub(super) fn repeat_fail(&mut self, now: Instant) {
        let live = self.subflows.iter().position(|s| !s.gone);
        let Some(id) = live.filter(|_| self.fallback.rejected.is_some() && self.stage != Stage::Closed)
        else {
            self.fallback.deadline = Instant::MAX;
            return;
        };
        if self.fallback.repeats == MOST_FAILS {
            self.fallback.deadline = Instant::MAX;
            let from = self.fallback.rejected.unwrap_or_else(|| self.rcv.nxt());
            self.fail_subflow(id, from);
            return self.settle(id, now);
        }
        let wait = self.subflows[id].tcp.rto_of_estimate().saturating_mul(1 << self.fallback.repeats);
        (self.fallback.repeats, self.fallback.fail_due) = (self.fallback.repeats + 1, true);
        self.fallback.deadline = now.saturating_add(wait);
        self.subflows[id].tcp.demand_ack();
        self.subflows.mark_dirty(id);
    }

    /// The MP_FAIL that this end has to tell with the ACK that goes out.
    pub(super) fn fail_option(&mut self) -> Option<Signal> {
        if !std::mem::take(&mut self.fallback.fail_due) {
            return None;
        }
        let dsn = self.fallback.rejected.unwrap_or_else(|| self.rcv.nxt());
        Some(Signal::Fail { dsn: self.numbers.received(dsn), closes: false })
    }

    /// The peer has found a wrong checksum in what came on subflow `id`, and not reset it. With its mapping beside it, its
    /// MP_FAIL is an answer itself.
    pub(super) fn on_fail(&mut self, id: usize, mapped: bool, now: Instant) {
        if self.subflows[id].tcp.state() == State::Closed {
            return;
        }
        let asks = !mapped && self.fallback.rejected.is_none() && self.fallback.answers < MOST_FAILS;
        self.fallback.answers += u32::from(asks);
        if self.stage == Stage::Established {
            self.fallback.fail_due |= self.go_infinite(id, now) && asks;
        } else if self.fallback.mapping.is_some() && (asks || mapped) {
            self.fallback.fail_due |= asks;
            // It may not have got this end's mapping.
            self.fallback.telling = true;
            self.subflows[id].tcp.demand_ack();
        }
    }

    /// The peer's infinite mapping: from `m.ssn` on, its bytes on subflow `id` are the stream from `m.dsn` on.
    pub(super) fn on_infinite(&mut self, id: usize, m: Mapping, now: Instant) {
        if self.stage == Stage::Established {
            self.fallback.second = self.go_infinite(id, now);
            if !self.fallback.second {
                return;
            }
        } else if !self.fallback.second {
            self.fallback.telling = false;
        }
        if self.fallback.rx.is_some() || self.fallback.mapping.is_none() {
            return;
        }
        let dsn = self.numbers.of_received(m.dsn);
        let ssn = next_to(self.subflows[id].taken, m.ssn);
        self.fallback.rx = Some((dsn as i64).wrapping_sub(ssn as i64));
        self.fallback.rejected = None;
        self.subflows.invalidate_windows();
        self.fallback.deadline = Instant::MAX;
        let s = &mut self.subflows[id];
        if (s.taken as i64).wrapping_add(dsn as i64 - ssn as i64) != self.rcv.nxt() as i64 {
            // What came before is told again behind it.
            s.taken = s.taken.max(ssn);
        }
        s.received.clear();
    }

    /// This end tells by an infinite mapping on subflow `id` how its bytes continue; or resets the subflow where they
    /// do not continue the stream. Returns whether they do.
    fn go_infinite(&mut self, id: usize, now: Instant) -> bool {
        let Some(offset) = self.run_of(id) else {
            self.fail_subflow(id, self.rcv.nxt());
            return false;
        };
        // Before the others go: nobody opens another in the place of one.
        self.stage = Stage::Fallback;
        self.end_others(id, now);
        self.fallback.tx = offset;
        let ssn = self.snd.una as i64 - offset;
        self.fallback.mapping =
            Some(Mapping { dsn: self.numbers.sent(self.snd.una), ssn: ssn as u32, len: 0 });
        self.fallback.telling = true;
        self.leave_multipath();
        self.subflows[id].tcp.demand_ack();
        self.subflows.mark_dirty(id);
        true
    }

    fn end_others(&mut self, id: usize, now: Instant) {
        for other in 0..self.subflows.len() {
            if other != id && !self.subflows[other].gone {
                self.subflows[other].abort(ResetReason::Mptcp);
                self.settle(other, now);
            }
        }
    }

    /// Whether subflows and addresses may be added.
    pub(super) fn is_multipath(&self) -> bool {
        self.stage == Stage::Established && self.fallback.rejected.is_none()
    }

    /// What data sequence numbers exceed subflow numbers by, where all data that is not acknowledged lies on subflow
    /// `id` in one run.
    fn run_of(&self, id: usize) -> Option<i64> {
        let end = self.snd.nxt.min(self.snd.app_end);
        let s = &self.subflows[id];
        let offset = end as i64 - s.tcp.end_ssn() as i64;
        (self.snd.una >= end || (s.run.0 == offset && s.run.1 <= self.snd.una)).then_some(offset)
    }

    /// What stands in the options of a segment that arrives in the fallback.
    pub(super) fn on_late_options(&mut self, id: usize, options: &Options, now: Instant) {
        if self.fallback.mapping.is_none() {
            return;
        }
        let infinite = options.dss.and_then(|d| self.mapping_in(&d)).filter(|m| m.len == 0);
        if let Some(m) = infinite {
            self.on_infinite(id, m, now);
        } else if options.dss.is_none() && self.fallback.second {
            self.fallback.telling = false;
        }
        if let Some(Signal::Fail { closes: false, .. }) = options.signal {
            self.on_fail(id, infinite.is_some(), now);
        }
    }

    /// The options of a segment that goes out in the fallback: an infinite mapping and MP_FAIL as long as need be.
    pub(super) fn late_options(&mut self, segment: &mut Segment) -> Options {
        let silent = !(self.fallback.telling || self.fallback.fail_due);
        if segment.flags.has(Flags::RST) || silent {
            return Options::NONE;
        }
        let mapping = self.fallback.mapping.filter(|_| self.fallback.telling);
        // RFC 8684 §3.7: no data ACKs any more. The short numbers leave room for MP_FAIL beside timestamps.
        let dss = mapping.map(|m| Dss { mapping: Some(m), checksum: self.checksum, ..Dss::default() });
        let signal = if segment.payload == 0 { self.fail_option() } else { None };
        Options::new(dss, signal)
    }

    /// Takes what has come in order on subflow `id`, and what its TCP acknowledges.
    pub(super) fn take_in_fallback(&mut self, id: usize, segment: &Segment, now: Instant) {
        let (to, taken, before) =
            (self.subflows[id].tcp.received_ssn(), self.subflows[id].taken, self.rcv.nxt());
        match self.fallback.rx {
            Some(offset) => self.take_plain(id, to, offset, now),
            None => {
                self.fallback.fail_due |= segment.payload > 0;
                let takes = self.fallback.rejected.is_none();
                while takes && let Some(InOrderData::Bytes { dsn, end }) = self.subflows[id].take(to, false) {
                    self.take_bytes(id, dsn, end, now);
                }
            }
        }
        let came = self.rcv.nxt() - before;
        if came > 0 {
            let fills_gap = to.saturating_sub(taken) > u64::from(segment.payload);
            self.let_read(id, came, fills_gap, now);
        }
        let s = &self.subflows[id];
        if segment.flags.has(Flags::ACK) && s.tcp.state() != State::Closed {
            let acked = s.tcp.acked_ssn().saturating_add_signed(self.fallback.tx).min(self.snd.nxt);
            let window = s.tcp.window_of(segment);
            self.fallback.telling &= s.tcp.acked_ssn() <= self.fallback.until;
            self.stats.bytes_acked += self.snd.on_ack(acked, window);
        }
    }

    /// What a receiver that conceals losses has passed over (`misbehaviour`): it is missing for good, and not delivered.
    #[cold]
    pub(super) fn pass_over(&mut self, id: usize, (from, to): (u64, u64)) {
        let s = &mut self.subflows[id];
        s.taken = s.taken.max(to);
        // At the data level the hole stays, and is repaired there; plain TCP has no such level.
        if let (Stage::Fallback, Some(offset)) = (self.stage, self.fallback.rx) {
            self.rcv.insert(from.saturating_add_signed(offset), to.saturating_add_signed(offset));
        }
    }

    /// Bytes up to `to` continue the stream; no further than the window, which moves as the application reads.
    fn take_plain(&mut self, id: usize, to: u64, offset: i64, now: Instant) {
        while self.subflows[id].taken < to {
            let s = &mut self.subflows[id];
            let dsn = s.taken.saturating_add_signed(offset);
            let room = self.rcv.edge().saturating_sub(dsn);
            let len = room.min(to - s.taken);
            if len == 0 {
                return;
            }
            s.taken += len;
            self.take_bytes(id, dsn, dsn + len, now);
            let mss = self.subflows[id].tcp.mss();
            if self.subflows[id].taken < to {
                let window = self.rcv.window(id, mss, || (1 << 40, 1));
                self.rcv.promise(window);
            }
        }
    }

    /// Counts what of `dsn..end`, taken from subflow `id` just now, is new and was changed on the way.
    #[cold]
    pub(super) fn count_altered(&mut self, id: usize, dsn: u64, end: u64) {
        let s = &mut self.subflows[id];
        let (to, from) = (s.taken, s.taken - (end - dsn));
        for &(start, stop) in &s.altered {
            let (start, stop) = (start.max(from), stop.min(to));
            if start < stop {
                let (start, stop) = (dsn + (start - from), dsn + (stop - from));
                self.altered.add(self.rcv.missing(start, stop), stop, self.rcv.nxt());
            }
        }
        s.altered.retain(|r| r.1 > to);
    }
}
