//! MPTCP options as a capture shows them.

use tailrace_transport::mptcp::option::{Dss, Mapping, Options, ResetReason, Signal};
use tailrace_wire::tcp::RawOptions;
use tailrace_wire::tcp::mptcp::{self as wire, Ids, MptcpOption, Number, checksum_of_zeros};

/// The options as bytes. Payload is zeros when it is sent, and so its checksums are of zeros.
pub(crate) fn raw_options(options: &Options) -> RawOptions {
    let mut raw = RawOptions::default();
    let parts = [options.dss.as_ref().map(dss), options.signal.as_ref().map(signal)];
    let closes = matches!(options.signal, Some(Signal::Fail { closes: true, .. }));
    let why = closes.then_some(MptcpOption::Reset { transient: false, reason: ResetReason::Middlebox as u8 });
    for part in parts.into_iter().flatten().chain(why) {
        part.push(&mut raw).expect("connections keep within TCP's option space");
    }
    raw
}

fn number(n: u64, wide: bool) -> Number {
    if wide { Number::Full(n) } else { Number::Low(n as u32) }
}

fn dss(d: &Dss) -> MptcpOption {
    let mapping = |m: Mapping| wire::Mapping {
        dsn: number(m.dsn, d.wide_dsn),
        ssn: m.ssn,
        len: m.len,
        // An infinite mapping has none: zero (RFC 8684 §3.7).
        checksum: d.checksum.then(|| if m.len == 0 { 0 } else { checksum_of_zeros(m.dsn, m.ssn, m.len) }),
    };
    MptcpOption::Dss {
        data_ack: d.data_ack.map(|ack| number(ack, d.wide_ack)),
        mapping: d.mapping.map(mapping),
        data_fin: d.data_fin,
    }
}

fn signal(s: &Signal) -> MptcpOption {
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
            checksum: len.filter(|_| checksum).map(|len| checksum_of_zeros(dsn, 1, len)),
        },
        Signal::JoinSyn { backup, id, token, nonce } => MptcpOption::JoinSyn { backup, id, token, nonce },
        Signal::JoinSynAck { backup, id, hmac, nonce } => MptcpOption::JoinSynAck { backup, id, hmac, nonce },
        Signal::JoinAck { hmac } => MptcpOption::JoinAck { hmac },
        Signal::AddAddr { id, address, port, hmac } => {
            MptcpOption::AddAddr { id, address: address.to_be_bytes(), port, hmac }
        }
        Signal::RemoveAddr(ids) => MptcpOption::RemoveAddr(Ids::new(ids.as_slice())),
        Signal::Priority { backup } => MptcpOption::Priority { backup },
        Signal::Fail { dsn, .. } => MptcpOption::Fail { dsn },
        Signal::FastClose { key } => MptcpOption::FastClose { key },
        Signal::Reset { transient, reason } => MptcpOption::Reset { transient, reason: reason as u8 },
    }
}
