//! MPTCP options as bytes, for captures and foreign hosts.

use tailrace_transport::mptcp::option::{AddressIds, Dss, Mapping, Options, ResetReason, Signal, Sums};
use tailrace_wire::content;
use tailrace_wire::tcp::mptcp::{self as wire, AddressIdList, DssNumber, KIND, MptcpOption};
use tailrace_wire::tcp::mptcp::{checksum_of_mapping, sum_of_payload};
use tailrace_wire::tcp::{OptionWords, RawOptions};

/// Encodes options. DSS checksums are of zeros, or of the content of a stream whose byte 0 has the data sequence number `origin`.
pub(crate) fn raw_options(options: &Options, origin: Option<u64>) -> RawOptions {
    let mut raw = RawOptions::default();
    let sum =
        |dsn: u64, len: u16| origin.map_or(0, |origin| content::sum(dsn.wrapping_sub(origin) as u32, len));
    let parts = [options.dss.as_ref().map(|d| dss(d, sum)), options.signal.as_ref().map(|s| signal(s, sum))];
    let closes = matches!(options.signal, Some(Signal::Fail { closes: true, .. }));
    let why = closes.then_some(MptcpOption::Reset { transient: false, reason: ResetReason::Middlebox as u8 });
    for part in parts.into_iter().flatten().chain(why) {
        part.push(&mut raw).expect("connections keep within TCP's option space");
    }
    raw
}

/// Decodes options; unknown ones are ignored (RFC 9293 §3.1). A truncated number has only its low half: the connection restores
/// the upper one.
pub(crate) fn options_of(raw: &RawOptions, payload: &[u8]) -> Options {
    let mut options = Options::NONE;
    let mut stated = None;
    for option in raw.iter().filter(|(kind, _)| *kind == KIND).flat_map(|(_, data)| MptcpOption::parse(data))
    {
        match option {
            MptcpOption::Dss { data_ack, mapping, data_fin } => {
                options.dss = Some(dss_of(data_ack, mapping, data_fin));
                stated = mapping.and_then(|m| m.checksum);
            }
            other => {
                if let MptcpOption::Capable { checksum, .. } = other {
                    stated = stated.or(checksum);
                }
                options.signal = beside(options.signal, signal_of(&other));
            }
        }
    }
    let sum = |stated| Sums { stated, payload: sum_of_payload(payload) };
    options.sums = stated.filter(|_| !payload.is_empty()).map(sum);
    options
}

/// Combines two signals: a reset keeps the reason of an MP_FAIL or MP_FASTCLOSE beside it (RFC 8684 §3.6). Otherwise the first
/// counts.
fn beside(first: Option<Signal>, next: Option<Signal>) -> Option<Signal> {
    match (first, next) {
        (Some(Signal::Fail { dsn, .. }), Some(Signal::Reset { .. }))
        | (Some(Signal::Reset { .. }), Some(Signal::Fail { dsn, .. })) => {
            Some(Signal::Fail { dsn, closes: true })
        }
        (Some(Signal::Reset { .. }), close @ Some(Signal::FastClose { .. })) => close,
        (first, next) => first.or(next),
    }
}

fn dss_of(data_ack: Option<DssNumber>, mapping: Option<wire::DssMapping>, data_fin: bool) -> Dss {
    let (data_ack, wide_ack) = data_ack.map(halves).unzip();
    let (dsn, wide_dsn) = mapping.map(|m| halves(m.dsn)).unzip();
    Dss {
        data_ack,
        mapping: mapping.zip(dsn).map(|(m, dsn)| Mapping { dsn, ssn: m.ssn, len: m.len }),
        data_fin,
        wide_ack: wide_ack.unwrap_or(false),
        wide_dsn: wide_dsn.unwrap_or(false),
        // The mapping carries this.
        goes_on: false,
        checksum: mapping.is_some_and(|m| m.checksum.is_some()),
    }
}

/// A number, and whether it has all 64 bits.
fn halves(number: DssNumber) -> (u64, bool) {
    match number {
        DssNumber::Low(n) => (u64::from(n), false),
        DssNumber::Full(n) => (n, true),
    }
}

fn signal_of(option: &MptcpOption) -> Option<Signal> {
    Some(match *option {
        MptcpOption::Capable { checksum_required: checksum, sender, receiver, len, .. } => {
            match (sender, receiver) {
                (None, _) => Signal::CapableSyn { checksum },
                (Some(key), None) => Signal::CapableSynAck { checksum, key },
                (Some(client), Some(server)) => Signal::CapableAck { checksum, client, server, len, dsn: 0 },
            }
        }
        MptcpOption::JoinSyn { backup, id, token, nonce } => Signal::JoinSyn { backup, id, token, nonce },
        MptcpOption::JoinSynAck { backup, id, hmac, nonce } => Signal::JoinSynAck { backup, id, hmac, nonce },
        MptcpOption::JoinAck { hmac } => Signal::JoinAck { hmac },
        MptcpOption::Dss { .. } => return None,
        MptcpOption::AddAddr { id, address, port, hmac } => {
            Signal::AddAddr { id, address: u32::from_be_bytes(address), port, hmac }
        }
        MptcpOption::RemoveAddr(ids) => Signal::RemoveAddr(AddressIds::of(ids.as_slice())),
        MptcpOption::Priority { backup } => Signal::Priority { backup },
        MptcpOption::Fail { dsn } => Signal::Fail { dsn, closes: false },
        MptcpOption::FastClose { key } => Signal::FastClose { key },
        MptcpOption::Reset { transient, reason } => {
            Signal::Reset { transient, reason: ResetReason::of(reason) }
        }
    })
}

fn number(n: u64, wide: bool) -> DssNumber {
    if wide { DssNumber::Full(n) } else { DssNumber::Low(n as u32) }
}

/// Appends a data sequence signal, if there is room. Its checksum is of zeros.
#[inline]
pub(crate) fn with_dss(options: OptionWords, d: &Dss) -> Option<OptionWords> {
    let (data_ack, mapping) = numbers_of(d, |_, _| 0);
    options.and_dss(data_ack, mapping, d.data_fin)
}

fn dss(d: &Dss, sum: impl Fn(u64, u16) -> u16) -> MptcpOption {
    let (data_ack, mapping) = numbers_of(d, sum);
    MptcpOption::Dss { data_ack, mapping, data_fin: d.data_fin }
}

/// Numbers of a signal; `sum` is the checksum of payload from a data sequence number on.
#[inline]
fn numbers_of(d: &Dss, sum: impl Fn(u64, u16) -> u16) -> (Option<DssNumber>, Option<wire::DssMapping>) {
    // A DATA_FIN takes a sequence number but is no byte.
    let payload = |m: &Mapping| sum(m.dsn, m.len.saturating_sub(d.data_fin.into()));
    // An infinite mapping has the checksum zero (RFC 8684 §3.7).
    let checksum =
        |m: &Mapping| if m.len == 0 { 0 } else { checksum_of_mapping(m.dsn, m.ssn, m.len, payload(m)) };
    let mapping = |m: Mapping| wire::DssMapping {
        dsn: number(m.dsn, d.wide_dsn),
        ssn: m.ssn,
        len: m.len,
        checksum: d.checksum.then(|| checksum(&m)),
    };
    (d.data_ack.map(|ack| number(ack, d.wide_ack)), d.mapping.map(mapping))
}

fn signal(s: &Signal, sum: impl Fn(u64, u16) -> u16) -> MptcpOption {
    let capable = |checksum_required, sender, receiver| MptcpOption::Capable {
        checksum_required,
        sender,
        receiver,
        len: None,
        checksum: None,
    };
    match *s {
        Signal::CapableSyn { checksum } => capable(checksum, None, None),
        Signal::CapableSynAck { checksum, key } => capable(checksum, Some(key), None),
        Signal::CapableAck { checksum, client, server, len, dsn } => MptcpOption::Capable {
            checksum_required: checksum,
            sender: Some(client),
            receiver: Some(server),
            len,
            checksum: len.filter(|_| checksum).map(|len| checksum_of_mapping(dsn, 1, len, sum(dsn, len))),
        },
        Signal::JoinSyn { backup, id, token, nonce } => MptcpOption::JoinSyn { backup, id, token, nonce },
        Signal::JoinSynAck { backup, id, hmac, nonce } => MptcpOption::JoinSynAck { backup, id, hmac, nonce },
        Signal::JoinAck { hmac } => MptcpOption::JoinAck { hmac },
        Signal::AddAddr { id, address, port, hmac } => {
            MptcpOption::AddAddr { id, address: address.to_be_bytes(), port, hmac }
        }
        Signal::RemoveAddr(ids) => MptcpOption::RemoveAddr(AddressIdList::new(ids.as_slice())),
        Signal::Priority { backup } => MptcpOption::Priority { backup },
        Signal::Fail { dsn, .. } => MptcpOption::Fail { dsn },
        Signal::FastClose { key } => MptcpOption::FastClose { key },
        Signal::Reset { transient, reason } => MptcpOption::Reset { transient, reason: reason as u8 },
    }
}
