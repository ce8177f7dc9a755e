//! The options beside what goes out: mappings, acknowledgments of data, and signals.

use super::Mptcp;
use super::behaviour::Speaker;
use super::handshake::Stage;
use super::option::{Dss, Mapping, Options, Signal};
use super::subflow::Subflow;
use crate::segment::{Flags, Segment};

/// Bytes of options that a TCP header has room for.
const OPTION_ROOM: u32 = 40;

/// SACK blocks give way to options.
#[inline]
fn make_room(segment: &mut Segment, options: &Options) {
    if !segment.sack.is_empty() {
        drop_blocks(segment, options);
    }
}

#[inline(never)]
fn drop_blocks(segment: &mut Segment, options: &Options) {
    while !segment.sack.is_empty() && segment.options_len() + options.len() > OPTION_ROOM {
        segment.sack.pop();
    }
}

/// A signal without a DSS.
fn alone(segment: &mut Segment, signal: Signal) -> Options {
    let options = Options::new(None, Some(signal));
    make_room(segment, &options);
    options
}

impl Mptcp {
    /// The first data of a client carries MP_CAPABLE, which is longer than a mapping: by so much the data is shorter, or
    /// the packet would not fit (RFC 6691 §2).
    pub(super) fn excess_of_capable(&self) -> u32 {
        if !self.client || self.snd.nxt > 1 || self.stage != Stage::Established || self.confirmed {
            return 0;
        }
        let mapping = Mapping { dsn: 1, ssn: 1, len: 1 };
        let Some(capable) = self.capable_option(0, Some(mapping)) else { return 0 };
        let with = |dss, signal| Options::new(dss, signal).len();
        with(None, Some(capable))
            .saturating_sub(with(Some(self.dss_of(Some(mapping), false)), None))
            .min(self.subflows.mss() - 1)
    }

    /// Bytes of data that a segment has room for beside a mapping.
    pub(super) fn most_in_segment(&self) -> u32 {
        self.subflows.mss() - self.excess_of_acks()
    }

    /// Segments have room for acknowledgments as they are when data goes one way only.
    #[inline]
    pub(super) fn excess_of_acks(&self) -> u32 {
        if self.widens_acks && !self.plan.mptcp.wide_data_ack { self.excess_of_wide_acks() } else { 0 }
    }

    fn excess_of_wide_acks(&self) -> u32 {
        let mapping = Some(Mapping { dsn: 1, ssn: 1, len: 1 });
        let with = |wide_ack| Options::new(Some(Dss { wide_ack, ..self.dss_of(mapping, false) }), None);
        (with(true).len() - with(false).len()).min(self.subflows.mss() - 1)
    }

    /// Puts the options of `segment`, which subflow `id` sends, into `options`: they are large, and made where they are to be. SACK blocks
    /// give way to them.
    #[inline]
    pub(super) fn decorate(&mut self, id: usize, segment: &mut Segment, options: &mut Options) {
        let open = self.stage == Stage::Established && (self.confirmed || !self.client);
        let s = &self.subflows[id];
        if !(open && s.ready) || segment.flags.has_any(Flags::SYN.with(Flags::RST)) {
            *options = self.decorate_another(id, segment);
            return;
        }
        let mapping = self.map(s, segment);
        if self.snd.closing || !self.says_nothing_else(segment) {
            *options = self.tell(id, segment, mapping);
            return;
        }
        let goes_on = s.tcp.mapping_continues_after(segment);
        let dss = Dss { goes_on, ..self.dss_of(mapping, false) };
        (options.dss, options.signal, options.sums) = (Some(dss), None, None);
        make_room(segment, options);
    }

    /// Whether `segment` has nothing to say beside a DSS.
    #[inline]
    fn says_nothing_else(&self, segment: &Segment) -> bool {
        segment.payload > 0 || (self.signals.is_empty() && !self.fallback.fail_due)
    }

    /// The same of one that may belong to a handshake, or to the end of a subflow.
    #[inline(never)]
    fn decorate_another(&mut self, id: usize, segment: &mut Segment) -> Options {
        // Of mappings, too, a SYN says nothing (RFC 6691 §2).
        segment.mss = segment.mss.map(|mss| mss.saturating_add(self.plan.mptcp.mapping_len()));
        if self.stage == Stage::Fallback {
            let end = self.subflows[id].tcp.ssn_of(segment).wrapping_add(u64::from(segment.payload));
            self.push_last_only(segment, Some(end.saturating_add_signed(self.fallback.tx)));
            let options = self.late_options(segment);
            make_room(segment, &options);
            return options;
        }
        if segment.flags.has(Flags::RST) {
            return Options::new(None, self.reset_option(id));
        }
        if let Some(signal) = self.handshake_option(id, segment) {
            return alone(segment, signal);
        }
        if self.stage != Stage::Established || segment.flags.has(Flags::SYN) {
            return Options::NONE;
        }
        let mapping = self.map(&self.subflows[id], segment);
        if let Some(signal) = self.capable_option(id, mapping) {
            return alone(segment, signal);
        }
        self.tell(id, segment, mapping)
    }

    /// The mapping of what subflow `s` sends. It may have been sent before, on another subflow, and be the last that was written.
    #[inline]
    fn map(&self, s: &Subflow, segment: &mut Segment) -> Option<Mapping> {
        let mapped = if segment.payload > 0 { s.mapping_of(segment) } else { None };
        let mapping = mapped.map(|(m, again)| {
            segment.repeated |= again;
            m
        });
        self.push_last_only(segment, mapping.map(|m| m.dsn + u64::from(m.len)));
        mapping
    }

    /// What subflow `id` tells with `segment` beside `mapping`.
    #[inline(never)]
    fn tell(&mut self, id: usize, segment: &mut Segment, mapping: Option<Mapping>) -> Options {
        let signal = if self.says_nothing_else(segment) { None } else { self.signal_beside(id) };
        if let Some(signal @ Signal::AddAddr { .. }) = signal
            && self.plan.mptcp.speaker == Speaker::First
        {
            return alone(segment, signal);
        }
        let goes_on = self.subflows[id].tcp.mapping_continues_after(segment);
        let dss = Dss { goes_on, ..self.dss(mapping, signal.is_some()) };
        let options = Options::new(Some(dss), signal);
        make_room(segment, &options);
        options
    }

    /// What an ACK of subflow `id` says beside its DSS. There is no room for a lone DATA_FIN then, which waits for the
    /// next ACK; MP_FAIL, which is said again, lets it pass.
    fn signal_beside(&mut self, id: usize) -> Option<Signal> {
        let fail = if self.lone_fin().is_none() { self.fail_option() } else { None };
        fail.or_else(|| self.signals.take(id))
    }

    /// The number of a DATA_FIN that is due and has no data to ride on.
    fn lone_fin(&self) -> Option<u64> {
        self.snd.fin().filter(|fin| self.fin_due && *fin == self.snd.nxt.min(self.snd.app_end))
    }

    /// To its TCP every piece is the last; what the application pushes is the last of all, which ends at `end`.
    #[inline]
    fn push_last_only(&self, segment: &mut Segment, end: Option<u64>) {
        if end.is_some_and(|end| end < self.snd.app_end) && !(self.fills && self.plan.tcp.tso) {
            segment.flags = segment.flags.without(Flags::PSH);
        }
    }

    /// A client's MP_CAPABLE goes with everything until the peer has shown that it got it (RFC 8684 §3.1); with data,
    /// only with the first.
    fn capable_option(&self, id: usize, mapping: Option<Mapping>) -> Option<Signal> {
        let peer = self.numbers.peer().filter(|_| self.client && !self.confirmed)?;
        let s = &self.subflows[id];
        // After the third segment of the handshake a DATA_FIN may go, where no data is left to go before it.
        let complete = self.snd.nxt >= self.snd.app_end;
        let fin = self.fin_due && complete && mapping.is_none() && s.tcp.stats().segments_sent > 2;
        let first = s.join.is_none() && mapping.is_none_or(|m| m.ssn == 1) && !fin;
        first.then_some(Signal::CapableAck {
            checksum: self.checksum,
            client: self.numbers.key().0,
            server: peer.0,
            len: mapping.map(|m| m.len),
            dsn: self.numbers.sent(1),
        })
    }

    /// The DSS with `mapping`, or with a lone DATA_FIN where one is due and nothing `crowded` it out.
    #[inline(never)]
    fn dss(&mut self, mapping: Option<Mapping>, crowded: bool) -> Dss {
        let (mut mapping, mut data_fin) = (mapping, false);
        match &mut mapping {
            Some(m) if self.snd.fin() == Some(m.dsn + u64::from(m.len)) && m.len < u16::MAX => {
                m.len += 1;
                data_fin = true;
            }
            Some(_) => {}
            None if crowded => {}
            None => {
                mapping = self.lone_fin().map(|dsn| Mapping { dsn, ssn: 0, len: 1 });
                data_fin = mapping.is_some();
            }
        }
        if data_fin {
            self.fin_due = false;
            self.snd.nxt = self.snd.nxt.max(self.snd.app_end + 1);
        }
        self.dss_of(mapping, data_fin)
    }

    #[inline]
    fn dss_of(&self, mapping: Option<Mapping>, data_fin: bool) -> Dss {
        Dss {
            data_ack: Some(self.numbers.received(self.rcv.nxt())),
            mapping: mapping.map(|m| Mapping { dsn: self.numbers.sent(m.dsn), ..m }),
            data_fin,
            wide_ack: self.plan.mptcp.wide_data_ack || self.widens_acks,
            wide_dsn: self.plan.mptcp.wide_dsn,
            checksum: self.checksum,
            goes_on: false,
        }
    }
}
