//! Explicit congestion notification: what is agreed on, and how marks are echoed (RFC 3168 §6.1, RFC 8257 §3.2,
//! RFC 9768). Of RFC 9768 the option with byte counters is left out, and the tests for headers mangled on the way but
//! that of §3.2.2.1, note 1.

use crate::config::EcnEcho;
use crate::segment::{Flags, Segment, SeqNumber};
use crate::tcp::Tcp;
use tailrace_core::{Ecn, Instant};

/// So many segments are acknowledged at once then (Linux, `tcp_enter_quickack_mode` from `tcp_ecn_check_ce`).
const QUICK: u16 = 2;

/// Accurate feedback (RFC 9768): counters of marked packets, of which only the low three bits count.
#[derive(Clone, Copy, Debug, Default)]
struct Accurate {
    on: bool,
    /// The ACE field of what is sent; nothing where it is off.
    field: Flags,
    /// Packets with a mark that have arrived (r.cep).
    received: u8,
    /// As far as the peer has told, how many of this end's arrived with one (s.cep).
    sent: u8,
    /// Marks that have come since the last ACK.
    unsaid: u8,
    /// The last packet was marked.
    last_marked: bool,
    /// Of the peer's SYN or SYN-ACK, and not told yet.
    first: Option<Ecn>,
    /// The next ACK's field has been read already.
    read: bool,
    /// The peer's feedback is not to be trusted: no ECT, no response.
    mute: bool,
}

impl Accurate {
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

/// How the marks that come are told to the peer.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Feedback {
    /// In which way.
    echo: EcnEcho,
    /// ECE is set: until the peer says that it has reduced its window, or with each mark.
    ece: bool,
    /// A segment that could have been marked has come.
    ect_seen: bool,
    accurate: Accurate,
}

impl Feedback {
    pub(in crate::tcp) fn new(echo: EcnEcho) -> Self {
        Self { echo, ece: false, ect_seen: false, accurate: Accurate::default() }
    }
    /// Whether counters of marks were agreed on.
    pub(in crate::tcp) const fn is_accurate(&self) -> bool {
        self.accurate.on
    }
    /// What it puts into the flags of a segment: ECE, or the ACE field.
    #[inline(always)]
    pub(in crate::tcp) fn flags(&self) -> Flags {
        if self.ece { Flags::ECE } else { self.accurate.field }
    }
}

/// How the handshake tells the codepoint of a SYN or SYN-ACK (§3.1.2 table 2, §3.2.2.1 table 3).
const fn handshake_code(ecn: Ecn) -> Flags {
    Flags::of_ace(match ecn {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    })
}

/// What is agreed on.
impl Tcp {
    /// Whether this end offers and accepts ECN.
    pub(in crate::tcp) fn wants_ecn(&self) -> bool {
        self.config.ecn || self.needs.ecn
    }

    /// The flags of a SYN that offers ECN.
    pub(in crate::tcp) fn syn_flags(&self) -> Flags {
        Flags::of_ace(if self.feedback.echo == EcnEcho::Accurate { 0b111 } else { 0b011 })
    }

    /// The flags of a SYN-ACK that agrees to ECN.
    pub(in crate::tcp) fn syn_ack_flags(&self) -> Flags {
        self.feedback.accurate.first.filter(|_| self.feedback.accurate.on).map_or(Flags::ECE, handshake_code)
    }

    /// A SYN has come: whether ECN is agreed on.
    #[cold]
    #[inline(never)]
    pub(in crate::tcp) fn agree_as_server(&mut self, segment: &Segment) -> bool {
        let offered = segment.flags.ace();
        if !self.wants_ecn() || offered & 0b011 != 0b011 {
            return false;
        }
        if self.feedback.echo == EcnEcho::Accurate && offered == 0b111 {
            self.feedback.accurate = Accurate::begin(segment.ecn);
        }
        self.fall_back();
        true
    }

    /// A SYN-ACK has come: whether ECN is agreed on (§3.1.2, table 2).
    #[cold]
    #[inline(never)]
    pub(in crate::tcp) fn agree_as_client(&mut self, segment: &Segment) -> bool {
        let answer = segment.flags.ace();
        if !self.wants_ecn() {
            return false;
        }
        if self.feedback.echo == EcnEcho::Accurate && matches!(answer, 0b010 | 0b011 | 0b100 | 0b110) {
            self.feedback.accurate = Accurate::begin(segment.ecn);
            if segment.ecn == Ecn::Ce {
                self.feedback.accurate.count();
            }
            return true;
        }
        self.fall_back();
        answer & 0b011 == 0b001
    }

    /// Accurate feedback that was not agreed on is classic.
    fn fall_back(&mut self) {
        if self.feedback.echo == EcnEcho::Accurate && !self.feedback.accurate.on {
            self.feedback.echo = EcnEcho::Classic;
        }
    }

    /// The codepoint of new data.
    #[inline]
    pub(in crate::tcp) fn codepoint(&mut self) -> Ecn {
        if self.feedback.accurate.on { self.accurate_codepoint() } else { Ecn::Ect0 }
    }

    #[cold]
    fn accurate_codepoint(&mut self) -> Ecn {
        self.feedback.accurate.first = None;
        match self.needs.l4s {
            _ if self.feedback.accurate.mute => Ecn::NotEct,
            true => Ecn::Ect1,
            false => Ecn::Ect0,
        }
    }
}

/// The receiver's side.
impl Tcp {
    /// Takes the codepoint of a segment with payload, before the payload.
    #[inline]
    pub(in crate::tcp) fn on_codepoint(&mut self, segment: &Segment) {
        let marked = segment.ecn == Ecn::Ce;
        self.stats.ce_received += u32::from(marked);
        match self.feedback.echo {
            EcnEcho::Dctcp => self.on_state(segment.ecn),
            EcnEcho::Accurate => self.count(marked),
            EcnEcho::Auto | EcnEcho::Classic => {
                // RFC 3168 §6.1.3: CWR ends the echo, a new mark starts it again.
                if self.config.quick_ecn {
                    self.quicken_for_small_window(segment);
                }
                if segment.flags.has(Flags::CWR) {
                    self.feedback.ece = false;
                }
                self.feedback.ece |= marked;
            }
        }
    }

    /// What tells of a small window at the sender is acknowledged at once, and the next segments with it (`quick_ecn`).
    fn quicken_for_small_window(&mut self, segment: &Segment) {
        let told = segment.flags.has(Flags::CWR);
        if told {
            self.acks.demand();
        }
        let first = segment.ecn == Ecn::Ce && (told || !self.feedback.ece);
        if first || (segment.ecn == Ecn::NotEct && self.feedback.ect_seen) {
            self.begin_quick_acks(QUICK);
        }
        self.feedback.ect_seen |= segment.ecn != Ecn::NotEct;
    }

    /// RFC 8257 §3.2: a change is acknowledged at once. What waits for a delayed ACK is acknowledged by itself first,
    /// so that no ACK covers segments of both kinds. A retransmission, which cannot be marked, says nothing.
    fn on_state(&mut self, ecn: Ecn) {
        let marked = ecn == Ecn::Ce;
        if marked == self.feedback.ece || ecn == Ecn::NotEct {
            return;
        }
        if self.acks.has_unacknowledged() {
            self.acks.demand_first(SeqNumber(self.rcv.nxt() as u32));
        }
        self.feedback.ece = marked;
        self.acks.demand();
    }

    /// RFC 9768 §3.2.2.5.1: the first mark after none is acknowledged at once, and every second.
    fn count(&mut self, marked: bool) {
        let a = &mut self.feedback.accurate;
        if !self.acks.has_unacknowledged() {
            a.unsaid = 0;
        }
        if marked {
            a.count();
            a.unsaid += 1;
            if !a.last_marked || a.unsaid >= 2 {
                self.acks.demand();
            }
        }
        a.last_marked = marked;
    }

    /// The ACK that leaves before others: one that is ready, or the one up to `up_to` that tells how marks stood before they changed,
    /// which another follows.
    #[cold]
    pub(in crate::tcp) fn acknowledge_before(&mut self, up_to: SeqNumber, now: Instant) -> Segment {
        if let Some(ack) = self.take_first_ack() {
            return ack;
        }
        self.feedback.ece = !self.feedback.ece;
        let mut segment = self.acknowledge(self.board.nxt, 0, now);
        self.feedback.ece = !self.feedback.ece;
        segment.ack = up_to;
        self.acks.demand();
        segment
    }

    /// An ACK without data. The first of a client tells the codepoint of the SYN-ACK (RFC 9768 §3.2.2.1).
    #[inline]
    pub(in crate::tcp) fn pure_ack(&mut self, now: Instant) -> Segment {
        let between = self.board.nxt != self.board.una;
        if let Some(repair) = self.repair.as_mut().filter(|_| between) {
            repair.acked_between = now;
        }
        let mut segment = self.acknowledge(self.board.nxt, 0, now);
        if self.feedback.accurate.first.is_some() {
            self.tell_first(&mut segment);
        }
        segment
    }

    #[cold]
    fn tell_first(&mut self, segment: &mut Segment) {
        if let Some(first) = self.feedback.accurate.first.take().filter(|_| segment.sack.is_empty()) {
            segment.flags = Flags::ACK.with(handshake_code(first));
        }
    }
}

/// The sender's side.
impl Tcp {
    /// The segment that completes a server's handshake: without data, its field tells the codepoint of the SYN-ACK
    /// (RFC 9768 §3.2.2.1, table 4).
    #[cold]
    #[inline(never)]
    pub(in crate::tcp) fn on_first_ace(&mut self, segment: &Segment) {
        let a = &mut self.feedback.accurate;
        a.first = None;
        if a.on && segment.seq_len() == 0 && segment.sack.is_empty() {
            let field = segment.flags.ace();
            a.sent = if field == 0b110 { 6 } else { 5 };
            a.mute = field == 0;
            a.read = true;
        }
    }

    /// Bytes that this ACK tells to have been marked; before it `delivered` had been acknowledged in some way. Zero
    /// means that it echoes no mark.
    #[inline]
    pub(in crate::tcp) fn marked(&mut self, segment: &Segment, delivered: u64) -> u64 {
        if !self.options.ecn {
            return 0;
        }
        let newly = (self.board.una + self.board.sacked()).saturating_sub(delivered);
        if self.feedback.accurate.on {
            return self.newly_marked(segment.flags.ace(), newly);
        }
        if segment.flags.has(Flags::ECE) { newly.max(1) } else { 0 }
    }

    /// RFC 9768 §3.2.2.5.2 and appendix A.2.1: where an ACK covers so many packets that the field may have gone round,
    /// the most marks that fit are assumed.
    #[cold]
    #[inline(never)]
    fn newly_marked(&mut self, field: u8, newly: u64) -> u64 {
        let a = &mut self.feedback.accurate;
        if core::mem::take(&mut a.read) || a.mute {
            return 0;
        }
        let mss = u64::from(self.mss);
        let packets = newly.div_ceil(mss);
        let least = u64::from(field.wrapping_sub(a.sent) & 7);
        let marks = if packets > least { packets - (packets - least) % 8 } else { least };
        a.sent = a.sent.wrapping_add(least as u8);
        marks * mss
    }
}
