//! The handshake: SYN, SYN-ACK and what they settle (RFC 9293 §3.5, §3.10.7.2 to §3.10.7.4).

use super::options::{AgreedOptions, MAPPING_LEN, TIMESTAMP_LEN, clock, echoed_rtt, option_len};
use super::send::window::SendWindow;
use super::sequence::BASE;
use super::socket_buffers::SocketBuffers;
use super::state::{State, StateTrigger};
use super::{ResetCause, ResetReply, Tcp};
use crate::cc::{CongestionControl, Setup};
use crate::config::{Handshake, Pipe, RttSampling, WindowUnit};
use crate::segment::{Flags, Segment, SeqNumber, Timestamps};
use tailrace_core::Instant;

/// Receive window of a subflow by its own numbers: unlimited, as the window is the connection's (RFC 8684 §3.3.4).
const ANY_WINDOW: u64 = 1 << 40;

/// Segments that arrive.
impl Tcp {
    /// Answers a segment outside any connection with a reset, unless it is one.
    pub(in crate::tcp) fn refuse(&mut self, segment: &Segment) {
        if let Some(reset) = segment.refusal() {
            let ack = reset.flags.has(Flags::ACK).then_some(reset.ack);
            self.reset_reply = Some(ResetReply { seq: reset.seq, ack });
        }
    }

    pub(in crate::tcp) fn on_segment_in_listen(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::ACK) {
            self.refuse(segment);
        } else if segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::RST) {
            self.on_syn(segment);
        }
    }

    pub(in crate::tcp) fn on_segment_in_syn_sent(&mut self, segment: &Segment, now: Instant) {
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
        let ecn = acks && self.wants_ecn() && self.feedback.agree_as_client(segment);
        self.take_offer(segment, ecn);
        if acks {
            self.establish(segment, now);
            if self.config.handshake == Handshake::ThreeWay {
                self.acks.demand();
            }
        } else {
            self.advance(StateTrigger::Syn);
            self.syn_due = true;
        }
    }

    /// A connection request: it is answered with a SYN-ACK.
    fn on_syn(&mut self, segment: &Segment) {
        let ecn = self.wants_ecn() && self.feedback.agree_as_server(segment);
        self.take_offer(segment, ecn);
        self.advance(StateTrigger::Syn);
        self.syn_due = true;
    }

    /// Takes the options that the peer's SYN offers.
    fn take_offer(&mut self, segment: &Segment, ecn: bool) {
        let c = &self.config;
        let scaling = c.window_scale && segment.window_scale.is_some();
        self.options = AgreedOptions {
            sack: c.sack && segment.sack_permitted,
            timestamps: c.timestamps && segment.timestamps.is_some(),
            ecn,
            scaling,
            rcv_scale: if scaling { c.scale_shift() } else { 0 },
        };
        let promised = || self.syn_window(self.state != State::SynSent);
        let window = self.shared_window.get().map_or_else(promised, |_| ANY_WINDOW);
        self.irs = BASE + u64::from(segment.seq.0);
        self.rcv.start(self.irs + 1, window);
        self.acks.start(self.rcv.nxt());
        let options = option_len(self.options.timestamps) as u32;
        self.mss = self.mss.min(u32::from(segment.mss.unwrap_or(u16::MAX)).saturating_sub(options).max(1));
        self.ts_recent = segment.timestamps.map_or(0, |t| t.value);
        let scale = segment.window_scale.filter(|_| scaling).unwrap_or(0);
        self.snd_wnd = SendWindow::of_syn(segment, (self.irs, self.iss()), scale);
    }

    /// This end's SYN is acknowledged.
    pub(in crate::tcp) fn establish(&mut self, segment: &Segment, now: Instant) {
        self.advance(StateTrigger::AckOfSyn);
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
        if let Some(extensions) = self.extensions.as_deref_mut() {
            extensions.ack_policy.start(now, self.config.jiffy);
        }
        self.cc.tell(|cc| cc.on_established(&setup));
        self.note_rate();
        if let Some(buffers) = self.buffers.as_deref_mut() {
            buffers.start(u64::from(self.mss), self.board.una, self.rcv.read(), now);
        }
        if self.config.window_unit == WindowUnit::Packets {
            self.board.weigh_as(self.mss as u16);
        }
        if self.options.sack && self.config.pipe == Pipe::Ns2 && !self.config.rack {
            self.recovery.count_from_now();
        }
        self.last_sent = now;
        self.snd_wnd.on_established(segment, self.iss() + 1);
        if self.snd.is_closed() {
            self.advance(StateTrigger::Close);
        }
    }

    /// Samples the handshake's round trip. After a repeated SYN only a timestamp echo gives one, which Linux uses; otherwise the
    /// timeout is at least 3 s (RFC 6298 §5.7).
    fn sample_handshake(&mut self, segment: &Segment, now: Instant) {
        let listens = self.options.timestamps && self.config.rtt_sampling == RttSampling::AckOrSack;
        let rtt = match segment.timestamps.filter(|_| listens) {
            _ if self.syn_repeats == 0 => Some(now.saturating_since(self.last_sent)),
            Some(stamps) => echoed_rtt(stamps.echo, now),
            None => None,
        };
        match rtt {
            Some(rtt) => self.rtt.on_sample(rtt, (self.board.una, self.board.nxt), now, &self.config),
            None => self.rtt.syn_was_lost(),
        }
    }

    /// A SYN-ACK was lost, or both ends open at the same time.
    pub(in crate::tcp) fn on_repeated_syn(&mut self, segment: &Segment, now: Instant) {
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
}

/// Segments that are sent.
impl Tcp {
    /// Whether this end offers and accepts ECN.
    fn wants_ecn(&self) -> bool {
        self.config.ecn || self.needs.ecn
    }

    /// Whether the ACK that is due ends the handshake, and leaves before data.
    pub(in crate::tcp) fn ends_handshake_apart(&self) -> bool {
        let fresh = || self.board.nxt == self.iss() + 1 && self.rcv.nxt() == self.irs + 1;
        self.config.handshake_ack
            && fresh()
            && self.state == State::Established
            && self.shared_window.get().is_none()
    }

    /// A SYN or SYN-ACK.
    pub(in crate::tcp) fn syn_segment(&mut self, now: Instant) -> Segment {
        self.syn_due = false;
        self.stats.segments_sent += 1;
        if self.syn_repeats == 0 {
            self.last_sent = now;
        }
        self.arm_retransmit(now);
        let answer = self.state == State::SynReceived;
        let c = &self.config;
        let mut flags = Flags::SYN;
        if answer {
            flags = flags.with(Flags::ACK);
            if self.options.ecn {
                flags = flags.with(self.feedback.syn_ack_flags());
            }
            self.acks.on_sent(self.rcv.nxt());
        } else if self.wants_ecn() && !(c.ecn_fallback && self.syn_repeats > 0) {
            flags = flags.with(self.feedback.syn_flags());
        }
        let offers = |config: bool, agreed: bool| if answer { agreed } else { config };
        let stamped = offers(c.timestamps, self.options.timestamps);
        let stamps = Timestamps { value: clock(now), echo: self.ts_recent };
        Segment {
            seq: SeqNumber(self.iss),
            ack: if answer { SeqNumber(self.rcv.nxt() as u32) } else { SeqNumber(0) },
            window: self.syn_window(answer) as u16,
            flags,
            timestamps: stamped.then_some(stamps),
            mss: Some((c.mss.get() + option_len(stamped)).clamp(1, 65_535) as u16),
            window_scale: offers(c.window_scale, self.options.scaling).then(|| c.scale_shift()),
            sack_permitted: offers(c.sack, self.options.sack),
            ..Segment::default()
        }
    }

    /// The window of a SYN: with Linux's buffers of whole segments (`tcp_select_initial_window`), since half of it limits a packet.
    /// It stays promised when the connection is established and the buffer leaves less.
    fn syn_window(&self, answer: bool) -> u64 {
        let window = self.buffers.initial_window(&self.config);
        let plain = self.shared_window.get().is_none();
        if self.buffers.is_none() && (plain || !self.config.tso) {
            return window;
        }
        let stamps = if answer && self.options.timestamps { 0 } else { TIMESTAMP_LEN };
        let segment = self.config.mss.get() + stamps + if plain { 0 } else { MAPPING_LEN };
        (window / segment).max(1) * segment
    }
}
