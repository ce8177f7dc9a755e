//! Explicit congestion notification: negotiation, and the echo of marks (RFC 3168 §6.1, RFC 8257 §3.2, RFC 9768). Not
//! implemented of RFC 9768: the option with byte counters, and the tests for headers mangled on the way but that of §3.2.2.1,
//! note 1.

use super::acks::OwedAcks;
use crate::config::EcnEcho;
use crate::segment::{Flags, Segment, SeqNumber};
use tailrace_core::Ecn;

/// Segments acknowledged at once after a mark at a small window (Linux `tcp_ecn_check_ce`).
pub(in crate::tcp) const QUICK: u16 = 2;

/// Accurate feedback (RFC 9768): counters of marked packets, of which only the low three bits count.
#[derive(Clone, Copy, Debug, Default)]
struct AccurateEcn {
    on: bool,
    /// The ACE field of what is sent; nothing where it is off.
    field: Flags,
    /// Packets with a mark that have arrived (r.cep).
    received: u8,
    /// Marked packets of this end that the peer has reported (s.cep).
    sent: u8,
    /// Marks received since the last ACK.
    unsaid: u8,
    /// The last packet was marked.
    last_marked: bool,
    /// Codepoint of the peer's SYN or SYN-ACK, until it is reported.
    first: Option<Ecn>,
    /// The next ACK's field has been read already.
    read: bool,
    /// The peer's feedback is not to be trusted: no ECT, no response.
    mute: bool,
}

impl AccurateEcn {
    /// §3.2.1: both counters start at five.
    fn begin(first: Ecn) -> Self {
        Self {
            on: true,
            field: Flags::of_ace(5),
            received: 5,
            sent: 5,
            first: Some(first),
            ..Self::default()
        }
    }
    /// A marked packet has come.
    fn count(&mut self) {
        self.received = self.received.wrapping_add(1);
        self.field = Flags::of_ace(self.received);
    }
}

/// Echo of received marks to the peer.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct EcnFeedback {
    /// Kind of echo.
    echo: EcnEcho,
    /// ECE is set: until the peer says that it has reduced its window, or with each mark.
    ece: bool,
    /// A segment that could have been marked has come.
    ect_seen: bool,
    accurate: AccurateEcn,
}

impl EcnFeedback {
    pub(in crate::tcp) fn new(echo: EcnEcho) -> Self {
        Self { echo, ece: false, ect_seen: false, accurate: AccurateEcn::default() }
    }
    /// Whether counters of marks were agreed on.
    pub(in crate::tcp) const fn is_accurate(&self) -> bool {
        self.accurate.on
    }
    /// Flags of a segment: ECE, or the ACE field.
    #[inline(always)]
    pub(in crate::tcp) fn flags(&self) -> Flags {
        if self.ece { Flags::ECE } else { self.accurate.field }
    }
}

/// Code of the codepoint of a SYN or SYN-ACK in the handshake (§3.1.2 table 2, §3.2.2.1 table 3).
const fn handshake_code(ecn: Ecn) -> Flags {
    Flags::of_ace(match ecn {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    })
}

/// Negotiation in the handshake.
impl EcnFeedback {
    /// The flags of a SYN that offers ECN.
    pub(in crate::tcp) fn syn_flags(&self) -> Flags {
        Flags::of_ace(if self.echo == EcnEcho::Accurate { 0b111 } else { 0b011 })
    }

    /// The flags of a SYN-ACK that agrees to ECN.
    pub(in crate::tcp) fn syn_ack_flags(&self) -> Flags {
        self.accurate.first.filter(|_| self.accurate.on).map_or(Flags::ECE, handshake_code)
    }

    /// A SYN has come to an end that accepts ECN: whether it offers ECN.
    #[cold]
    #[inline(never)]
    pub(in crate::tcp) fn agree_as_server(&mut self, segment: &Segment) -> bool {
        let offered = segment.flags.ace();
        if offered & 0b011 != 0b011 {
            return false;
        }
        if self.echo == EcnEcho::Accurate && offered == 0b111 {
            self.accurate = AccurateEcn::begin(segment.ecn);
        }
        self.fall_back();
        true
    }

    /// A SYN-ACK has come to an end that offered ECN: whether it is agreed on (§3.1.2, table 2).
    #[cold]
    #[inline(never)]
    pub(in crate::tcp) fn agree_as_client(&mut self, segment: &Segment) -> bool {
        let answer = segment.flags.ace();
        if self.echo == EcnEcho::Accurate && matches!(answer, 0b010 | 0b011 | 0b100 | 0b110) {
            self.accurate = AccurateEcn::begin(segment.ecn);
            if segment.ecn == Ecn::Ce {
                self.accurate.count();
            }
            return true;
        }
        self.fall_back();
        answer & 0b011 == 0b001
    }

    /// Accurate feedback that was not agreed on is classic.
    fn fall_back(&mut self) {
        if self.echo == EcnEcho::Accurate && !self.accurate.on {
            self.echo = EcnEcho::Classic;
        }
    }

    /// The segment that completes a server's handshake: without data, its field tells the codepoint of the SYN-ACK
    /// (RFC 9768 §3.2.2.1, table 4).
    #[cold]
    #[inline(never)]
    pub(in crate::tcp) fn on_first_ace(&mut self, segment: &Segment) {
        let a = &mut self.accurate;
        a.first = None;
        if a.on && segment.seq_len() == 0 && segment.sack.is_empty() {
            let field = segment.flags.ace();
            a.sent = if field == 0b110 { 6 } else { 5 };
            a.mute = field == 0;
            a.read = true;
        }
    }
}

/// The receiver's side.
impl EcnFeedback {
    /// Takes the codepoint of a segment with payload, before the payload is received up to `nxt`. Returns whether the next segments
    /// are acknowledged at once (`quick_ecn`).
    #[inline]
    pub(in crate::tcp) fn on_codepoint(
        &mut self,
        segment: &Segment,
        acks: &mut OwedAcks,
        nxt: u64,
        quick_ecn: bool,
    ) -> bool {
        let marked = segment.ecn == Ecn::Ce;
        match self.echo {
            EcnEcho::Dctcp => self.on_state(segment.ecn, acks, nxt),
            EcnEcho::Accurate => self.count(marked, acks),
            EcnEcho::Auto | EcnEcho::Classic => {
                // RFC 3168 §6.1.3: CWR ends the echo, a new mark starts it again.
                let quick = quick_ecn && self.is_sign_of_small_window(segment, acks);
                if segment.flags.has(Flags::CWR) {
                    self.ece = false;
                }
                self.ece |= marked;
                return quick;
            }
        }
        false
    }

    /// Whether a segment shows that the sender's window is small. CWR is acknowledged at once.
    fn is_sign_of_small_window(&mut self, segment: &Segment, acks: &mut OwedAcks) -> bool {
        let reduced = segment.flags.has(Flags::CWR);
        if reduced {
            acks.demand();
        }
        let first = segment.ecn == Ecn::Ce && (reduced || !self.ece);
        let quick = first || (segment.ecn == Ecn::NotEct && self.ect_seen);
        self.ect_seen |= segment.ecn != Ecn::NotEct;
        quick
    }

    /// RFC 8257 §3.2: a change of the mark is acknowledged at once. Segments that wait for a delayed ACK are acknowledged apart
    /// before it, so that no ACK covers marked and unmarked ones. A retransmission, which is never marked, changes nothing.
    fn on_state(&mut self, ecn: Ecn, acks: &mut OwedAcks, nxt: u64) {
        let marked = ecn == Ecn::Ce;
        if marked == self.ece || ecn == Ecn::NotEct {
            return;
        }
        if acks.has_unacknowledged() {
            acks.demand_first(SeqNumber(nxt as u32));
        }
        self.ece = marked;
        acks.demand();
    }

    /// RFC 9768 §3.2.2.5.1: the first mark after none is acknowledged at once, and every second.
    fn count(&mut self, marked: bool, acks: &mut OwedAcks) {
        let a = &mut self.accurate;
        if !acks.has_unacknowledged() {
            a.unsaid = 0;
        }
        if marked {
            a.count();
            a.unsaid += 1;
            if !a.last_marked || a.unsaid >= 2 {
                acks.demand();
            }
        }
        a.last_marked = marked;
    }

    /// Inverts ECE: the ACK that is built now reports the marks before the latest change.
    pub(in crate::tcp) const fn invert_ece(&mut self) {
        self.ece = !self.ece;
    }

    /// Whether the codepoint of the peer's SYN or SYN-ACK is still to be reported.
    #[inline]
    pub(in crate::tcp) const fn owes_first(&self) -> bool {
        self.accurate.first.is_some()
    }

    /// Reports that codepoint in an ACK without data (RFC 9768 §3.2.2.1).
    #[cold]
    pub(in crate::tcp) fn report_first(&mut self, segment: &mut Segment) {
        if let Some(first) = self.accurate.first.take().filter(|_| segment.sack.is_empty()) {
            segment.flags = Flags::ACK.with(handshake_code(first));
        }
    }
}

/// The sender's side.
impl EcnFeedback {
    /// The codepoint of new data; `l4s`: ECT(1).
    #[inline]
    pub(in crate::tcp) fn codepoint(&mut self, l4s: bool) -> Ecn {
        if self.accurate.on { self.accurate_codepoint(l4s) } else { Ecn::Ect0 }
    }

    #[cold]
    fn accurate_codepoint(&mut self, l4s: bool) -> Ecn {
        self.accurate.first = None;
        match l4s {
            _ if self.accurate.mute => Ecn::NotEct,
            true => Ecn::Ect1,
            false => Ecn::Ect0,
        }
    }

    /// Bytes that an ACK reports as marked, of `newly` bytes that it delivers in segments of `mss`. Zero: it echoes no mark.
    #[inline]
    pub(in crate::tcp) fn marked(&mut self, segment: &Segment, newly: u64, mss: u32) -> u64 {
        if self.accurate.on {
            return self.newly_marked(segment.flags.ace(), newly, u64::from(mss));
        }
        if segment.flags.has(Flags::ECE) { newly.max(1) } else { 0 }
    }

    /// RFC 9768 §3.2.2.5.2 and appendix A.2.1: where an ACK covers so many packets that the field may have wrapped, the most marks
    /// that fit are assumed.
    #[cold]
    #[inline(never)]
    fn newly_marked(&mut self, field: u8, newly: u64, mss: u64) -> u64 {
        let a = &mut self.accurate;
        if core::mem::take(&mut a.read) || a.mute {
            return 0;
        }
        let packets = newly.div_ceil(mss);
        let least = u64::from(field.wrapping_sub(a.sent) & 7);
        let marks = if packets > least { packets - (packets - least) % 8 } else { least };
        a.sent = a.sent.wrapping_add(least as u8);
        marks * mss
    }
}
