//! The MPTCP option (kind 30) in all its subtypes (RFC 8684 §3, version 1).
//!
//! ```text
//!  0       8       16   20   24            32
//! | kind 30 | length |sub | ... depends on the subtype
//! ```
//!
//! Numbers stand here as on the wire: a data sequence number or data acknowledgment has its low 32 bits or all 64.

use super::options::RawOptions;
use crate::checksum::InternetChecksum;
use crate::error::WireError;

/// Kind of the option.
pub const KIND: u8 = 30;

/// A number of which the wire shows 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DssNumber {
    /// The low 32 bits.
    Low(u32),
    /// All.
    Full(u64),
}

/// The mapping of a DSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DssMapping {
    /// Data sequence number of the first byte.
    pub dsn: DssNumber,
    /// Relative subflow sequence number of the first byte.
    pub ssn: u32,
    /// Data-level length.
    pub len: u16,
    /// Checksum, where they are on.
    pub checksum: Option<u16>,
}

/// Address ids, at most eight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressIdList {
    ids: [u8; 8],
    len: u8,
}

impl AddressIdList {
    /// The first eight of `ids`.
    pub fn new(ids: &[u8]) -> Self {
        let mut list = Self::default();
        for (slot, id) in list.ids.iter_mut().zip(ids) {
            *slot = *id;
            list.len += 1;
        }
        list
    }
    /// The ids.
    pub fn as_slice(&self) -> &[u8] {
        &self.ids[..usize::from(self.len)]
    }
}

/// An MPTCP option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MptcpOption {
    /// MP_CAPABLE: no key on a SYN, the sender's on a SYN-ACK, both on the third segment; with data its length.
    Capable {
        /// Flag A: checksums required.
        checksum_required: bool,
        /// The sender's key.
        sender: Option<u64>,
        /// The receiver's key.
        receiver: Option<u64>,
        /// Data-level length of the payload.
        len: Option<u16>,
        /// Checksum of the payload and its mapping.
        checksum: Option<u16>,
    },
    /// MP_JOIN of a SYN.
    JoinSyn {
        /// Flag B.
        backup: bool,
        /// Address id.
        id: u8,
        /// Receiver's token.
        token: u32,
        /// Sender's nonce.
        nonce: u32,
    },
    /// MP_JOIN of a SYN-ACK.
    JoinSynAck {
        /// Flag B.
        backup: bool,
        /// Address id.
        id: u8,
        /// Truncated HMAC.
        hmac: u64,
        /// Sender's nonce.
        nonce: u32,
    },
    /// MP_JOIN of the third segment.
    JoinAck {
        /// HMAC.
        hmac: [u8; 20],
    },
    /// Data sequence signal.
    Dss {
        /// Data acknowledgment.
        data_ack: Option<DssNumber>,
        /// Mapping.
        mapping: Option<DssMapping>,
        /// Flag F.
        data_fin: bool,
    },
    /// ADD_ADDR for IPv4; an echo has no HMAC.
    AddAddr {
        /// Address id.
        id: u8,
        /// Address.
        address: [u8; 4],
        /// Port.
        port: Option<u16>,
        /// Truncated HMAC.
        hmac: Option<u64>,
    },
    /// REMOVE_ADDR.
    RemoveAddr(AddressIdList),
    /// MP_PRIO.
    Priority {
        /// Flag B.
        backup: bool,
    },
    /// MP_FAIL.
    Fail {
        /// Data sequence number.
        dsn: u64,
    },
    /// MP_FASTCLOSE.
    FastClose {
        /// Receiver's key.
        key: u64,
    },
    /// MP_TCPRST.
    Reset {
        /// Flag T.
        transient: bool,
        /// Reason.
        reason: u8,
    },
}

/// The option's bytes behind kind and length, as they grow.
struct OptionData {
    bytes: [u8; 38],
    len: usize,
}

impl OptionData {
    fn new(subtype: u8, low: u8) -> Self {
        let mut data = Self { bytes: [0; 38], len: 0 };
        data.put(&[subtype << 4 | low]);
        data
    }
    fn put(&mut self, more: &[u8]) {
        self.bytes[self.len..self.len + more.len()].copy_from_slice(more);
        self.len += more.len();
    }
    fn number(&mut self, number: DssNumber) {
        match number {
            DssNumber::Low(n) => self.put(&n.to_be_bytes()),
            DssNumber::Full(n) => self.put(&n.to_be_bytes()),
        }
    }
}

/// Reads what is left of an option.
struct OptionReader<'a>(&'a [u8]);

impl OptionReader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(MALFORMED)?;
        self.0 = rest;
        Ok(*head)
    }
    fn u16(&mut self) -> Result<u16, WireError> {
        Ok(u16::from_be_bytes(self.take()?))
    }
    fn u32(&mut self) -> Result<u32, WireError> {
        Ok(u32::from_be_bytes(self.take()?))
    }
    fn u64(&mut self) -> Result<u64, WireError> {
        Ok(u64::from_be_bytes(self.take()?))
    }
    fn number(&mut self, full: bool) -> Result<DssNumber, WireError> {
        Ok(if full { DssNumber::Full(self.u64()?) } else { DssNumber::Low(self.u32()?) })
    }
}

impl MptcpOption {
    /// Appends the option to `raw`.
    ///
    /// # Errors
    /// [`WireError::TooLong`] where a header has no room for it.
    pub fn push(&self, raw: &mut RawOptions) -> Result<(), WireError> {
        let data = self.data();
        raw.push(KIND, &data.bytes[..data.len])
    }

    fn data(&self) -> OptionData {
        match *self {
            Self::Capable { checksum_required, sender, receiver, len, checksum } => {
                let mut d = OptionData::new(CAPABLE, VERSION);
                d.put(&[if checksum_required { 0x80 } else { 0 } | HMAC_SHA256]);
                sender.into_iter().chain(receiver).for_each(|key| d.put(&key.to_be_bytes()));
                len.into_iter().chain(checksum).for_each(|word| d.put(&word.to_be_bytes()));
                d
            }
            Self::JoinSyn { backup, id, token, nonce } => {
                let mut d = OptionData::new(JOIN, u8::from(backup));
                d.put(&[id]);
                d.put(&token.to_be_bytes());
                d.put(&nonce.to_be_bytes());
                d
            }
            Self::JoinSynAck { backup, id, hmac, nonce } => {
                let mut d = OptionData::new(JOIN, u8::from(backup));
                d.put(&[id]);
                d.put(&hmac.to_be_bytes());
                d.put(&nonce.to_be_bytes());
                d
            }
            Self::JoinAck { hmac } => {
                let mut d = OptionData::new(JOIN, 0);
                d.put(&[0]);
                d.put(&hmac);
                d
            }
            Self::Dss { data_ack, mapping, data_fin } => dss_data(data_ack, mapping, data_fin),
            Self::AddAddr { id, address, port, hmac } => {
                let mut d = OptionData::new(ADD_ADDR, u8::from(hmac.is_none()));
                d.put(&[id]);
                d.put(&address);
                port.into_iter().for_each(|p| d.put(&p.to_be_bytes()));
                hmac.into_iter().for_each(|h| d.put(&h.to_be_bytes()));
                d
            }
            Self::RemoveAddr(ids) => {
                let mut d = OptionData::new(REMOVE_ADDR, 0);
                d.put(ids.as_slice());
                d
            }
            Self::Priority { backup } => OptionData::new(PRIORITY, u8::from(backup)),
            Self::Fail { dsn } => with_word(FAIL, dsn),
            Self::FastClose { key } => with_word(FAST_CLOSE, key),
            Self::Reset { transient, reason } => {
                let mut d = OptionData::new(RESET, u8::from(transient));
                d.put(&[reason]);
                d
            }
        }
    }

    /// The option in `data`, which follows kind and length.
    ///
    /// # Errors
    /// [`WireError::Malformed`] where a subtype is unknown or has another length, or where MP_CAPABLE is of another version or asks
    /// for what this one does not have.
    pub fn parse(data: &[u8]) -> Result<Self, WireError> {
        let mut rest = OptionReader(data);
        let [first] = rest.take()?;
        let (subtype, low) = (first >> 4, first & 0xf);
        let option = match (subtype, data.len() + 2) {
            (CAPABLE, n) if low == VERSION => capable(&mut rest, n)?,
            (JOIN, 12) => Self::JoinSyn {
                backup: low & 1 == 1,
                id: rest.take::<1>()?[0],
                token: rest.u32()?,
                nonce: rest.u32()?,
            },
            (JOIN, 16) => Self::JoinSynAck {
                backup: low & 1 == 1,
                id: rest.take::<1>()?[0],
                hmac: rest.u64()?,
                nonce: rest.u32()?,
            },
            (JOIN, 24) => {
                rest.take::<1>()?;
                Self::JoinAck { hmac: rest.take()? }
            }
            (DSS, n) => dss(&mut rest, n)?,
            (ADD_ADDR, n) => {
                let (echo, id, address) = (low & 1 == 1, rest.take::<1>()?[0], rest.take()?);
                let port = if matches!(n, 10 | 18) { Some(rest.u16()?) } else { None };
                Self::AddAddr { id, address, port, hmac: if echo { None } else { Some(rest.u64()?) } }
            }
            (REMOVE_ADDR, 4..=11) => Self::RemoveAddr(AddressIdList::new(core::mem::take(&mut rest.0))),
            (PRIORITY, 3) => Self::Priority { backup: low & 1 == 1 },
            (FAIL, 12) => {
                rest.take::<1>()?;
                Self::Fail { dsn: rest.u64()? }
            }
            (FAST_CLOSE, 12) => {
                rest.take::<1>()?;
                Self::FastClose { key: rest.u64()? }
            }
            (RESET, 4) => Self::Reset { transient: low & 1 == 1, reason: rest.take::<1>()?[0] },
            _ => return Err(MALFORMED),
        };
        if rest.0.is_empty() { Ok(option) } else { Err(MALFORMED) }
    }
}

fn with_word(subtype: u8, word: u64) -> OptionData {
    let mut d = OptionData::new(subtype, 0);
    d.put(&[0]);
    d.put(&word.to_be_bytes());
    d
}

fn dss_data(data_ack: Option<DssNumber>, mapping: Option<DssMapping>, data_fin: bool) -> OptionData {
    let [.., flags] = dss_begins(0, data_ack, mapping, data_fin);
    let mut d = OptionData::new(DSS, 0);
    d.put(&[flags]);
    if let Some(ack) = data_ack {
        d.number(ack);
    }
    if let Some(m) = mapping {
        d.number(m.dsn);
        d.put(&m.ssn.to_be_bytes());
        d.put(&m.len.to_be_bytes());
        m.checksum.into_iter().for_each(|c| d.put(&c.to_be_bytes()));
    }
    d
}

/// First bytes of a DSS of this length: kind, length, subtype and flags.
#[inline(always)]
pub(super) fn dss_begins(
    length: u8,
    data_ack: Option<DssNumber>,
    mapping: Option<DssMapping>,
    data_fin: bool,
) -> [u8; 4] {
    let wide = |n: &DssNumber| matches!(n, DssNumber::Full(_));
    let mut flags = if data_fin { 0x10 } else { 0 };
    flags |= data_ack.map_or(0, |a| if wide(&a) { 0x03 } else { 0x01 });
    flags |= mapping.map_or(0, |m| if wide(&m.dsn) { 0x0c } else { 0x04 });
    [KIND, length, DSS << 4, flags]
}

fn capable(rest: &mut OptionReader<'_>, length: usize) -> Result<MptcpOption, WireError> {
    let [flags] = rest.take()?;
    // RFC 8684 §3.1: who does not know what flag B stands for, or has not the algorithm of flag H, speaks plain TCP.
    if !matches!(length, 4 | 12 | 20 | 22 | 24) || flags & EXTENSIBILITY != 0 || flags & HMAC_SHA256 == 0 {
        return Err(MALFORMED);
    }
    Ok(MptcpOption::Capable {
        checksum_required: flags & 0x80 != 0,
        sender: if length >= 12 { Some(rest.u64()?) } else { None },
        receiver: if length >= 20 { Some(rest.u64()?) } else { None },
        len: if length >= 22 { Some(rest.u16()?) } else { None },
        checksum: if length == 24 { Some(rest.u16()?) } else { None },
    })
}

fn dss(rest: &mut OptionReader<'_>, length: usize) -> Result<MptcpOption, WireError> {
    let [flags] = rest.take()?;
    let data_ack = if flags & 0x01 != 0 { Some(rest.number(flags & 0x02 != 0)?) } else { None };
    let mapping = if flags & 0x04 != 0 {
        let (dsn, ssn, len) = (rest.number(flags & 0x08 != 0)?, rest.u32()?, rest.u16()?);
        let checksum = if rest.0.is_empty() { None } else { Some(rest.u16()?) };
        Some(DssMapping { dsn, ssn, len, checksum })
    } else {
        None
    };
    if length > 28 {
        return Err(MALFORMED);
    }
    Ok(MptcpOption::Dss { data_ack, mapping, data_fin: flags & 0x10 != 0 })
}

/// The ones' complement sum of a payload, as it goes into the checksum of its mapping.
pub fn sum_of_payload(payload: &[u8]) -> u16 {
    !InternetChecksum::new().bytes(payload).checksum()
}

/// The checksum of a mapping whose payload has this ones' complement sum, which is zero for zeros: over the pseudo-header of RFC 8684
/// §3.3 with the whole data sequence number.
pub fn checksum_of_mapping(dsn: u64, ssn: u32, len: u16, payload: u16) -> u16 {
    InternetChecksum::new()
        .bytes(&dsn.to_be_bytes())
        .bytes(&ssn.to_be_bytes())
        .word(len)
        .word(payload)
        .checksum()
}

const MALFORMED: WireError = WireError::Malformed { header: "mptcp option", field: "subtype or length" };
const VERSION: u8 = 1;
/// Flag B of MP_CAPABLE: there is more to know than this version says (RFC 8684 §3.1).
const EXTENSIBILITY: u8 = 0x40;
/// Flag H of MP_CAPABLE: HMAC-SHA256 (RFC 8684 §3.1).
const HMAC_SHA256: u8 = 0x01;
const CAPABLE: u8 = 0;
const JOIN: u8 = 1;
const DSS: u8 = 2;
const ADD_ADDR: u8 = 3;
const REMOVE_ADDR: u8 = 4;
const PRIORITY: u8 = 5;
const FAIL: u8 = 6;
const FAST_CLOSE: u8 = 7;
const RESET: u8 = 8;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(option: &MptcpOption) -> Vec<u8> {
        let mut raw = RawOptions::default();
        option.push(&mut raw).unwrap();
        raw.as_bytes().to_vec()
    }

    #[test]
    fn layouts_are_those_of_the_rfc() {
        // RFC 8684 figure 4: subtype 0 and version 1, flags, keys.
        let capable = MptcpOption::Capable {
            checksum_required: false,
            sender: Some(0x0102_0304_0506_0708),
            receiver: None,
            len: None,
            checksum: None,
        };
        assert_eq!(bytes(&capable), [30, 12, 0x01, 0x01, 1, 2, 3, 4, 5, 6, 7, 8]);
        // Figure 5.
        let join = MptcpOption::JoinSyn { backup: true, id: 3, token: 0x0a0b_0c0d, nonce: 0x0102_0304 };
        assert_eq!(bytes(&join), [30, 12, 0x11, 3, 10, 11, 12, 13, 1, 2, 3, 4]);
        // Figure 9: F 0x10, m 0x08, M 0x04, a 0x02, A 0x01.
        let mapping = DssMapping { dsn: DssNumber::Low(7), ssn: 1, len: 0x0594, checksum: None };
        let dss =
            MptcpOption::Dss { data_ack: Some(DssNumber::Full(9)), mapping: Some(mapping), data_fin: true };
        let expected = [30, 22, 0x20, 0x17, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 1, 0x05, 0x94];
        assert_eq!(bytes(&dss), expected);
        // Figures 12 to 17.
        let add = MptcpOption::AddAddr { id: 2, address: [10, 0, 0, 1], port: None, hmac: None };
        assert_eq!(bytes(&add), [30, 8, 0x31, 2, 10, 0, 0, 1]);
        assert_eq!(bytes(&MptcpOption::RemoveAddr(AddressIdList::new(&[1, 4]))), [30, 5, 0x40, 1, 4]);
        assert_eq!(bytes(&MptcpOption::Priority { backup: true }), [30, 3, 0x51]);
        assert_eq!(bytes(&MptcpOption::Fail { dsn: 1 }), [30, 12, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(bytes(&MptcpOption::Reset { transient: true, reason: 6 }), [30, 4, 0x81, 6]);
    }

    #[test]
    fn a_checksum_covers_the_mapping() {
        // 0x0001 + 0x0002 + 0x0594 = 0x0597, and 0x1000 of the payload.
        assert_eq!(checksum_of_mapping(1, 2, 0x0594, 0), !0x0597);
        assert_eq!(checksum_of_mapping(1, 2, 0x0594, 0x1000), !0x1597);
    }

    #[test]
    fn other_mptcp_versions_are_not_understood() {
        let capable = [0x01, 0x01];
        assert!(MptcpOption::parse(&capable).is_ok());
        for [first, flags] in [[0x00, 0x01], [0x02, 0x01], [0x01, 0x41], [0x01, 0x00]] {
            assert_eq!(MptcpOption::parse(&[first, flags]), Err(MALFORMED), "{first:#x} {flags:#x}");
        }
    }

    fn numbers() -> impl Strategy<Value = DssNumber> {
        prop_oneof![any::<u32>().prop_map(DssNumber::Low), any::<u64>().prop_map(DssNumber::Full)]
    }

    /// The fields of data sequence signals.
    pub(crate) fn signals() -> impl Strategy<Value = (Option<DssNumber>, Option<DssMapping>, bool)> {
        let mapping = (numbers(), any::<u32>(), any::<u16>(), any::<Option<u16>>())
            .prop_map(|(dsn, ssn, len, checksum)| DssMapping { dsn, ssn, len, checksum });
        (prop::option::of(numbers()), prop::option::of(mapping), any::<bool>())
    }

    fn options() -> impl Strategy<Value = MptcpOption> {
        prop_oneof![
            (any::<bool>(), any::<u64>(), any::<u64>(), any::<u16>(), any::<Option<u16>>()).prop_map(
                |(checksum_required, sender, receiver, len, checksum)| MptcpOption::Capable {
                    checksum_required,
                    sender: Some(sender),
                    receiver: Some(receiver),
                    len: Some(len),
                    checksum,
                }
            ),
            (any::<bool>(), any::<u8>(), any::<u64>(), any::<u32>())
                .prop_map(|(backup, id, hmac, nonce)| MptcpOption::JoinSynAck { backup, id, hmac, nonce }),
            any::<[u8; 20]>().prop_map(|hmac| MptcpOption::JoinAck { hmac }),
            signals().prop_map(|(data_ack, mapping, data_fin)| MptcpOption::Dss {
                data_ack,
                mapping,
                data_fin
            }),
            (any::<u8>(), any::<[u8; 4]>(), any::<Option<u16>>(), any::<Option<u64>>())
                .prop_map(|(id, address, port, hmac)| MptcpOption::AddAddr { id, address, port, hmac }),
            prop::collection::vec(any::<u8>(), 1..=8)
                .prop_map(|ids| MptcpOption::RemoveAddr(AddressIdList::new(&ids))),
            any::<u64>().prop_map(|key| MptcpOption::FastClose { key }),
        ]
    }

    proptest! {
        #[test]
        fn options_survive_the_wire(option in options()) {
            let mut raw = RawOptions::default();
            option.push(&mut raw).unwrap();
            let (kind, data) = raw.iter().next().unwrap();
            prop_assert_eq!((kind, MptcpOption::parse(data)), (KIND, Ok(option)));
        }

        #[test]
        fn no_bytes_panic_and_what_parses_is_written_the_same(data in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(option) = MptcpOption::parse(&data) {
                let again = option.data();
                prop_assert_eq!(MptcpOption::parse(&again.bytes[..again.len]), Ok(option));
            }
        }
    }
}
