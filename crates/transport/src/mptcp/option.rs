//! The MPTCP options of one segment, as values (RFC 8684 §3). Numbers have 64 bits; how many bytes of them go onto the wire
//! is said beside, and of the others a receiver makes no use.

/// A mapping of subflow bytes to data sequence numbers (RFC 8684 §3.3.1). Immutable once announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Data sequence number of the first byte.
    pub dsn: u64,
    /// Relative subflow sequence number of the first byte: the byte after the SYN is 1. 0 with a lone DATA_FIN.
    pub ssn: u32,
    /// Data-level length: bytes, plus one for a DATA_FIN. 0 is an infinite mapping: the fallback to TCP.
    pub len: u16,
}

/// The Data Sequence Signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dss {
    /// Next data sequence number expected.
    pub data_ack: Option<u64>,
    /// Mapping of the payload.
    pub mapping: Option<Mapping>,
    /// The mapping ends with a DATA_FIN.
    pub data_fin: bool,
    /// The data ACK takes 8 bytes on the wire, not 4.
    pub wide_ack: bool,
    /// The data sequence number takes 8 bytes on the wire, not 4.
    pub wide_dsn: bool,
    /// The mapping carries a checksum.
    pub checksum: bool,
    /// Whether the write to which the payload belongs continues in the next segment: on the wire, each segment of it would have the mapping
    /// of all. Not in the header.
    pub goes_on: bool,
}

/// Up to eight address ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressIds {
    ids: [u8; 8],
    len: u8,
}

impl AddressIds {
    /// The list of one id.
    pub fn one(id: u8) -> Self {
        Self { ids: [id, 0, 0, 0, 0, 0, 0, 0], len: 1 }
    }
    /// The first eight of `all`.
    pub fn of(all: &[u8]) -> Self {
        let mut list = Self::default();
        list.ids.iter_mut().zip(all).for_each(|(slot, id)| *slot = *id);
        list.len = all.len().min(list.ids.len()) as u8;
        list
    }
    /// The ids.
    pub fn as_slice(&self) -> &[u8] {
        &self.ids[..usize::from(self.len)]
    }
}

/// Reason of a subflow's reset (RFC 8684 §3.6, MP_TCPRST).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ResetReason {
    /// Unspecified.
    Unspecified = 0,
    /// An error in MPTCP itself.
    Mptcp = 1,
    /// Lack of resources.
    Resources = 2,
    /// Administratively prohibited.
    Prohibited = 3,
    /// Too much data outstanding.
    Outstanding = 4,
    /// Unacceptable performance.
    Performance = 5,
    /// A middlebox interferes.
    Middlebox = 6,
}

impl ResetReason {
    /// The one with this number on the wire; of others nothing is known.
    pub const fn of(number: u8) -> Self {
        match number {
            1 => Self::Mptcp,
            2 => Self::Resources,
            3 => Self::Prohibited,
            4 => Self::Outstanding,
            5 => Self::Performance,
            6 => Self::Middlebox,
            _ => Self::Unspecified,
        }
    }
}

/// Everything but the DSS; of these at most one stands in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// MP_CAPABLE of a SYN.
    CapableSyn {
        /// DSS checksums are required.
        checksum: bool,
    },
    /// MP_CAPABLE of a SYN-ACK.
    CapableSynAck {
        /// DSS checksums are required.
        checksum: bool,
        /// The server's key.
        key: u64,
    },
    /// MP_CAPABLE of the third segment, and of the first data.
    CapableAck {
        /// DSS checksums are required.
        checksum: bool,
        /// The client's key.
        client: u64,
        /// The server's key.
        server: u64,
        /// Data-level length of the payload, where there is one: it maps to the first data sequence numbers.
        len: Option<u16>,
        /// The first of them; it does not stand on the wire but in the checksum.
        dsn: u64,
    },
    /// MP_JOIN of a SYN.
    JoinSyn {
        /// This subflow is a backup.
        backup: bool,
        /// Id of the sender's address.
        id: u8,
        /// Token of the receiver's key.
        token: u32,
        /// The sender's nonce.
        nonce: u32,
    },
    /// MP_JOIN of a SYN-ACK.
    JoinSynAck {
        /// This subflow is a backup.
        backup: bool,
        /// Id of the sender's address.
        id: u8,
        /// The sender's proof.
        hmac: u64,
        /// The sender's nonce.
        nonce: u32,
    },
    /// MP_JOIN of the third segment.
    JoinAck {
        /// The sender's proof.
        hmac: [u8; 20],
    },
    /// ADD_ADDR; with `echo` the answer to one.
    AddAddr {
        /// Id of the address.
        id: u8,
        /// IPv4 address.
        address: u32,
        /// Port, where it differs from the connection's.
        port: Option<u16>,
        /// The sender's proof; an echo has none.
        hmac: Option<u64>,
    },
    /// REMOVE_ADDR.
    RemoveAddr(AddressIds),
    /// MP_PRIO.
    Priority {
        /// The path is a backup from now on.
        backup: bool,
    },
    /// MP_FAIL.
    Fail {
        /// The data sequence number after the last good byte.
        dsn: u64,
        /// The segment is a reset: an MP_TCPRST stands beside it, with [`ResetReason::Middlebox`].
        closes: bool,
    },
    /// MP_FASTCLOSE.
    FastClose {
        /// The receiver's key.
        key: u64,
    },
    /// MP_TCPRST.
    Reset {
        /// The cause may pass.
        transient: bool,
        /// The cause.
        reason: ResetReason,
    },
}

/// Sums over the payload of a segment with real bytes that a DSS checksum covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The checksum that stands beside the mapping (RFC 8684 §3.3.1).
    pub stated: u16,
    /// The ones' complement sum of the segment's payload.
    pub payload: u16,
}

/// The MPTCP options of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Data sequence signal.
    pub dss: Option<Dss>,
    /// Any other option.
    pub signal: Option<Signal>,
    /// Sums of a payload with real bytes. Other payloads count as intact unless the segment is marked as altered.
    pub sums: Option<Sums>,
}

impl Dss {
    /// Bytes on the wire, padding excluded.
    pub fn len(&self) -> u32 {
        let ack = match (self.data_ack, self.wide_ack) {
            (None, _) => 0,
            (_, false) => 4,
            (_, true) => 8,
        };
        let mapping = if self.mapping.is_some() {
            6 + if self.wide_dsn { 8 } else { 4 } + if self.checksum { 2 } else { 0 }
        } else {
            0
        };
        4 + ack + mapping
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.data_ack.is_none() && self.mapping.is_none()
    }
}

impl Signal {
    /// Bytes on the wire, padding excluded.
    pub fn len(&self) -> u32 {
        match self {
            Self::CapableSyn { .. } | Self::Reset { .. } => 4,
            Self::CapableSynAck { .. }
            | Self::JoinSyn { .. }
            | Self::Fail { closes: false, .. }
            | Self::FastClose { .. } => 12,
            Self::Fail { closes: true, .. } => 12 + 4,
            Self::CapableAck { len: None, .. } => 20,
            Self::CapableAck { checksum: false, .. } => 22,
            Self::CapableAck { .. } | Self::JoinAck { .. } => 24,
            Self::JoinSynAck { .. } => 16,
            Self::AddAddr { port, hmac, .. } => {
                8 + if port.is_some() { 2 } else { 0 } + if hmac.is_some() { 8 } else { 0 }
            }
            Self::RemoveAddr(ids) => 3 + ids.as_slice().len() as u32,
            Self::Priority { .. } => 3,
        }
    }

    /// Never: every option takes room.
    pub const fn is_empty(&self) -> bool {
        false
    }
}

impl Options {
    /// No options.
    pub const NONE: Self = Self { dss: None, signal: None, sums: None };

    /// These two, of a payload without bytes.
    pub const fn new(dss: Option<Dss>, signal: Option<Signal>) -> Self {
        Self { dss, signal, sums: None }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.dss.is_none() && self.signal.is_none()
    }

    /// Bytes in the TCP header, padded to a multiple of 4.
    pub fn len(&self) -> u32 {
        let dss = self.dss.as_ref().map_or(0, Dss::len);
        (dss + self.signal.as_ref().map_or(0, Signal::len)).next_multiple_of(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_rfc() {
        // RFC 8684 figures 4 to 17; the widest DSS has 26 bytes and a checksum.
        let mapping = Some(Mapping { dsn: 1, ssn: 1, len: 1428 });
        let narrow = Dss { data_ack: Some(1), mapping, ..Dss::default() };
        let wide = Dss { wide_ack: true, wide_dsn: true, ..narrow };
        let lengths = [
            Dss { data_ack: Some(1), ..Dss::default() }.len(),
            narrow.len(),
            wide.len(),
            Dss { checksum: true, ..wide }.len(),
        ];
        assert_eq!(lengths, [8, 18, 26, 28]);
        let add = |port, hmac| Signal::AddAddr { id: 1, address: 1, port, hmac }.len();
        assert_eq!(
            [add(None, Some(1)), add(Some(1), Some(1)), add(None, None), add(Some(1), None)],
            [16, 18, 8, 10]
        );
        assert_eq!(Signal::RemoveAddr(AddressIds::one(3)).len(), 4);
        let capable =
            |checksum, len| Signal::CapableAck { checksum, client: 1, server: 2, len, dsn: 0 }.len();
        assert_eq!([capable(false, None), capable(false, Some(9)), capable(true, Some(9))], [20, 22, 24]);
    }

    #[test]
    fn a_full_segment_with_narrow_numbers_has_20_bytes_of_options() {
        // spec 2.1: 1500 - 20 - 20 - 12 - 20 = 1428 bytes of payload.
        let mapping = Some(Mapping { dsn: 1, ssn: 1, len: 1428 });
        let dss = Some(Dss { data_ack: Some(1), mapping, ..Dss::default() });
        assert_eq!(Options::new(dss, None).len(), 20);
    }
}
