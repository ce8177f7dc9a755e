//! Options of the segments that leave: mappings, DATA_ACKs and signals (RFC 8684 §3).

use super::behaviour::Speaker;
use super::option::{Dss, Mapping, Options, Signal};
use super::state::ConnectionState;
use super::subflow::Subflow;
use super::{Mptcp, Role};
use crate::segment::{Flags, Segment};

/// Space for options in a TCP header, bytes.
const OPTION_SPACE: u32 = 40;

/// Drops SACK blocks that have no space beside `options`.
#[inline]
fn fit_sack(segment: &mut Segment, options: &Options) {
    if !segment.sack.is_empty() {
        drop_sack_blocks(segment, options);
    }
}

#[inline(never)]
fn drop_sack_blocks(segment: &mut Segment, options: &Options) {
    while !segment.sack.is_empty() && segment.options_len() + options.len() > OPTION_SPACE {
        segment.sack.pop();
    }
}

/// A signal without a DSS.
fn signal_only(segment: &mut Segment, signal: Signal) -> Options {
    let options = Options::new(None, Some(signal));
    fit_sack(segment, &options);
    options
}

impl Mptcp {
    /// Bytes by which MP_CAPABLE, which goes with the first data of a client, is longer than a mapping: the data is shorter by so much,
    /// or the packet would be longer than the MSS allows (RFC 6691 §2).
    pub(super) fn excess_of_capable(&self) -> u32 {
        let first = self.role == Role::Client && self.snd.nxt() <= 1;
        if !first || self.state != ConnectionState::Established {
            return 0;
        }
        let mapping = Mapping { dsn: 1, ssn: 1, len: 1 };
        let Some(capable) = self.capable_ack_option(0, Some(mapping)) else { return 0 };
        let with = |dss, signal| Options::new(dss, signal).len();
        with(None, Some(capable))
            .saturating_sub(with(Some(self.dss_of(Some(mapping), false)), None))
            .min(self.subflows.mss() - 1)
    }

    /// Bytes of data that a segment has space for beside a mapping.
    pub(super) fn segment_room(&self) -> u32 {
        self.subflows.mss() - self.excess_of_acks()
    }

    /// Bytes by which DATA_ACKs are longer than segments have space for, as the peer sends long data sequence numbers.
    #[inline]
    pub(super) fn excess_of_acks(&self) -> u32 {
        if self.format.widens_acks(&self.plan.mptcp) { self.excess_of_wide_acks() } else { 0 }
    }

    fn excess_of_wide_acks(&self) -> u32 {
        let mapping = Some(Mapping { dsn: 1, ssn: 1, len: 1 });
        let with = |wide_ack| Options::new(Some(Dss { wide_ack, ..self.dss_of(mapping, false) }), None);
        (with(true).len() - with(false).len()).min(self.subflows.mss() - 1)
    }

    /// Writes the options of `segment`, which subflow `id` sends, into `options` in place: they are large. SACK blocks give way to them.
    #[inline]
    pub(super) fn write_options(&mut self, id: usize, segment: &mut Segment, options: &mut Options) {
        let open = self.state == ConnectionState::FullyEstablished
            || (self.state == ConnectionState::Established && self.role == Role::Server);
        let s = &self.subflows[id];
        if !(open && s.state().has_joined()) || segment.flags.has_any(Flags::SYN.with(Flags::RST)) {
            *options = self.rare_options(id, segment);
            return;
        }
        let mapping = self.map(s, segment);
        if self.snd.is_closing() || !self.has_dss_only(segment) {
            *options = self.options_with_signal(id, segment, mapping);
            return;
        }
        let goes_on = s.tcp.mapping_continues_after(segment);
        let dss = Dss { goes_on, ..self.dss_of(mapping, false) };
        (options.dss, options.signal, options.sums) = (Some(dss), None, None);
        fit_sack(segment, options);
    }

    /// Whether `segment` carries no signal beside its DSS.
    #[inline]
    fn has_dss_only(&self, segment: &Segment) -> bool {
        segment.payload > 0 || (self.signals.is_empty() && !self.fallback.is_fail_due())
    }

    /// Options of a segment that belongs to a handshake, to the end of a subflow or to a fallback.
    #[inline(never)]
    fn rare_options(&mut self, id: usize, segment: &mut Segment) -> Options {
        // The MSS option counts no options (RFC 6691 §2), so that of a SYN does not count mappings.
        segment.mss = segment.mss.map(|mss| mss.saturating_add(self.plan.mptcp.mapping_len()));
        if self.state == ConnectionState::Fallback {
            let end = self.subflows[id].tcp.ssn_of(segment).wrapping_add(u64::from(segment.payload));
            self.push_last_only(segment, Some(end.saturating_add_signed(self.fallback.outbound_offset())));
            let options = self.fallback_options(segment);
            fit_sack(segment, &options);
            return options;
        }
        if segment.flags.has(Flags::RST) {
            return Options::new(None, self.reset_option(id));
        }
        if let Some(signal) = self.handshake_option(id, segment) {
            return signal_only(segment, signal);
        }
        if !self.state.is_established() || segment.flags.has(Flags::SYN) {
            return Options::NONE;
        }
        let mapping = self.map(&self.subflows[id], segment);
        if let Some(signal) = self.capable_ack_option(id, mapping) {
            return signal_only(segment, signal);
        }
        self.options_with_signal(id, segment, mapping)
    }

    /// Mapping of the data that subflow `s` sends. Data that another subflow carried before is marked as repeated.
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

    /// DSS with `mapping`, and the next signal that may ride on subflow `id`.
    #[inline(never)]
    fn options_with_signal(&mut self, id: usize, segment: &mut Segment, mapping: Option<Mapping>) -> Options {
        let signal = if self.has_dss_only(segment) { None } else { self.signal_beside(id) };
        if let Some(signal @ Signal::AddAddr { .. }) = signal
            && self.plan.mptcp.speaker == Speaker::First
        {
            return signal_only(segment, signal);
        }
        let goes_on = self.subflows[id].tcp.mapping_continues_after(segment);
        let dss = Dss { goes_on, ..self.dss(mapping, signal.is_some()) };
        let options = Options::new(Some(dss), signal);
        fit_sack(segment, &options);
        options
    }

    /// Signal of an ACK of subflow `id` beside its DSS. It has no space for a lone DATA_FIN, which waits for the next ACK; MP_FAIL, which
    /// is repeated, lets it pass.
    fn signal_beside(&mut self, id: usize) -> Option<Signal> {
        let fail = if self.snd.lone_fin().is_none() { self.take_fail() } else { None };
        fail.or_else(|| self.signals.take(id))
    }

    /// Clears PSH on all but the last segment of what the application has written, as each chunk is the last to its TCP; `end` is the data
    /// sequence number after the segment. Where queues are filled, the packet that a push ends with has it (`tcp_push`), of however many
    /// segments packets are.
    #[inline]
    fn push_last_only(&self, segment: &mut Segment, end: Option<u64>) {
        if end.is_some_and(|end| end < self.snd.app_end()) && !self.push.fills_queues() {
            segment.flags = segment.flags.without(Flags::PSH);
        }
    }

    /// MP_CAPABLE of a client after its SYN: with every ACK until the peer has shown that it got it (RFC 8684 §3.1), and with the first
    /// data only.
    fn capable_ack_option(&self, id: usize, mapping: Option<Mapping>) -> Option<Signal> {
        let unconfirmed = self.role == Role::Client && self.state != ConnectionState::FullyEstablished;
        let peer = self.numbers.peer().filter(|_| unconfirmed)?;
        let s = &self.subflows[id];
        // After the third segment of the handshake a DATA_FIN may go, if no data is left to go before it.
        let complete = self.snd.is_all_sent();
        let fin = self.snd.is_fin_due() && complete && mapping.is_none() && s.tcp.stats().segments_sent > 2;
        let first = s.is_first() && mapping.is_none_or(|m| m.ssn == 1) && !fin;
        first.then_some(Signal::CapableAck {
            checksum: self.format.has_checksum(),
            client: self.numbers.key().0,
            server: peer.0,
            len: mapping.map(|m| m.len),
            dsn: self.numbers.sent(1),
        })
    }

    /// DSS with `mapping`, or with a lone DATA_FIN if one is due and no signal takes its space (`crowded`).
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
                mapping = self.snd.lone_fin().map(|dsn| Mapping { dsn, ssn: 0, len: 1 });
                data_fin = mapping.is_some();
            }
        }
        if data_fin {
            self.snd.on_fin_sent();
        }
        self.dss_of(mapping, data_fin)
    }

    #[inline]
    fn dss_of(&self, mapping: Option<Mapping>, data_fin: bool) -> Dss {
        Dss {
            data_ack: Some(self.numbers.received(self.rcv.nxt())),
            mapping: mapping.map(|m| Mapping { dsn: self.numbers.sent(m.dsn), ..m }),
            data_fin,
            wide_ack: self.format.has_wide_acks(&self.plan.mptcp),
            wide_dsn: self.plan.mptcp.wide_dsn,
            checksum: self.format.has_checksum(),
            goes_on: false,
        }
    }
}
