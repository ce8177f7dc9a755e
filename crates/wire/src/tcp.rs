//! The TCP header (RFC 9293 §3.1); its options are in [`options`].
//!
//! ```text
//!  0             4          8                16                31
//! |         source port                     | destination port  |
//! |                       sequence number                       |
//! |                    acknowledgment number                    |
//! |data offset | reserved |CWR ECE U A P R S F|      window      |
//! |              checksum                   |  urgent pointer   |
//! |                         options                             |
//! ```
//!
//! Reserved bits (one of which is AccECN's AE, RFC 9768) are ignored when parsing and written as zero.

pub mod mptcp;
mod option_words;
pub mod options;

pub use option_words::OptionWords;
pub use options::{RawOptions, SackBlocks, TcpOptions};

use crate::checksum::InternetChecksum;
use crate::error::{WireError, at_most, require};
use crate::ipv4::u16_at;
use crate::payload::Payload;
use core::net::Ipv4Addr;
use core::ops::Range;
use tailrace_core::packet::protocol;

/// Bytes of a header without options.
pub const HEADER_LEN: usize = 20;
/// Bytes of the longest header: the data offset has four bits.
pub const MAX_HEADER_LEN: usize = 60;

/// Bit of AE in the byte of the data offset.
const AE: u8 = 0x01;

/// The header's flag byte (RFC 9293 §3.1, RFC 3168 §6.1).
pub mod flags {
    /// No more data from the sender.
    pub const FIN: u8 = 0x01;
    /// Synchronise sequence numbers.
    pub const SYN: u8 = 0x02;
    /// Reset the connection.
    pub const RST: u8 = 0x04;
    /// Push.
    pub const PSH: u8 = 0x08;
    /// The acknowledgment number is valid.
    pub const ACK: u8 = 0x10;
    /// The urgent pointer is valid.
    pub const URG: u8 = 0x20;
    /// ECN echo.
    pub const ECE: u8 = 0x40;
    /// Congestion window reduced.
    pub const CWR: u8 = 0x80;
}

/// A view of bytes as a TCP segment.
///
/// ```
/// use tailrace_wire::{Payload, TcpPacket, TcpRepr, tcp::flags};
/// let (src, dst) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
/// let repr = TcpRepr { src_port: 5000, dst_port: 80, flags: flags::SYN, ..TcpRepr::default() };
/// let mut buffer = [0; 60];
/// let length = repr.emit(src, dst, Payload::Zeros(0), &mut buffer)?;
/// let packet = TcpPacket::new_checked(&buffer[..length])?;
/// assert!(packet.verify_checksum(src, dst));
/// assert_eq!(TcpRepr::parse(&packet)?, repr);
/// # Ok::<(), tailrace_wire::WireError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TcpPacket<T> {
    buffer: T,
}

impl<T: AsRef<[u8]>> TcpPacket<T> {
    /// A view whose every accessor is safe: the data offset fits the bytes. TCP has no length field, so the bytes
    /// must end where the segment does.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        let bytes = buffer.as_ref();
        require(NAME, HEADER_LEN, bytes.len())?;
        let header_len = usize::from(bytes[DATA_OFFSET] >> 4) * 4;
        if header_len < HEADER_LEN {
            return Err(WireError::Malformed { header: NAME, field: "data offset" });
        }
        require(NAME, header_len, bytes.len())?;
        Ok(Self { buffer })
    }
    /// Source port.
    pub fn src_port(&self) -> u16 {
        u16_at(self.bytes(), SRC_PORT)
    }
    /// Destination port.
    pub fn dst_port(&self) -> u16 {
        u16_at(self.bytes(), DST_PORT)
    }
    /// Sequence number.
    pub fn seq(&self) -> u32 {
        u32_at(self.bytes(), SEQ)
    }
    /// Acknowledgment number, valid with [`flags::ACK`].
    pub fn ack(&self) -> u32 {
        u32_at(self.bytes(), ACK)
    }
    /// Header length in bytes, options included.
    pub fn header_len(&self) -> usize {
        usize::from(self.bytes()[DATA_OFFSET] >> 4) * 4
    }
    /// Flag byte, see [`flags`].
    pub fn flags(&self) -> u8 {
        self.bytes()[FLAGS]
    }
    /// The flag AE, the last bit before the flag byte (RFC 9768 §3.1).
    pub fn ae(&self) -> bool {
        self.bytes()[DATA_OFFSET] & AE != 0
    }
    /// Window field, unscaled.
    pub fn window(&self) -> u16 {
        u16_at(self.bytes(), WINDOW)
    }
    /// Checksum as it stands.
    pub fn checksum(&self) -> u16 {
        u16_at(self.bytes(), CHECKSUM)
    }
    /// Urgent pointer, valid with [`flags::URG`].
    pub fn urgent(&self) -> u16 {
        u16_at(self.bytes(), URGENT)
    }
    /// Options and their padding as bytes.
    pub fn options(&self) -> &[u8] {
        &self.bytes()[HEADER_LEN..self.header_len()]
    }
    /// The payload.
    pub fn payload(&self) -> &[u8] {
        &self.bytes()[self.header_len()..]
    }
    /// Whether the checksum is right for a segment between these addresses.
    pub fn verify_checksum(&self, src: Ipv4Addr, dst: Ipv4Addr) -> bool {
        let Ok(length) = u16::try_from(self.bytes().len()) else { return false };
        InternetChecksum::new().pseudo_header(src, dst, protocol::TCP, length).bytes(self.bytes()).checksum()
            == 0
    }

    fn bytes(&self) -> &[u8] {
        self.buffer.as_ref()
    }
}

/// A TCP header as values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpRepr {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number, valid with [`flags::ACK`].
    pub ack: u32,
    /// Flag byte, see [`flags`].
    pub flags: u8,
    /// The flag AE, before the flag byte (RFC 9768 §3.1).
    pub ae: bool,
    /// Window field, unscaled.
    pub window: u16,
    /// Urgent pointer, valid with [`flags::URG`].
    pub urgent: u16,
    /// Options.
    pub options: TcpOptions,
}

impl TcpRepr {
    /// The values in a segment; an error if its options overrun the header. The checksum is not looked at: ask
    /// [`TcpPacket::verify_checksum`].
    pub fn parse<T: AsRef<[u8]>>(packet: &TcpPacket<T>) -> Result<Self, WireError> {
        Ok(Self {
            src_port: packet.src_port(),
            dst_port: packet.dst_port(),
            seq: packet.seq(),
            ack: packet.ack(),
            flags: packet.flags(),
            ae: packet.ae(),
            window: packet.window(),
            urgent: packet.urgent(),
            options: TcpOptions::parse(packet.options())?,
        })
    }
    /// Length of the header with its options as `emit` writes them; an error if they do not fit.
    pub fn header_len(&self) -> Result<usize, WireError> {
        Ok(HEADER_LEN + self.options.encode()?.as_bytes().len())
    }
    /// Writes the header, with its checksum for `payload`, to the start of `buffer`, and returns its length.
    /// The payload itself is the caller's to write, or to leave away.
    pub fn emit(
        &self,
        src: Ipv4Addr,
        dst: Ipv4Addr,
        payload: Payload<'_>,
        buffer: &mut [u8],
    ) -> Result<usize, WireError> {
        let options = self.options.encode()?;
        let header_len = HEADER_LEN + options.as_bytes().len();
        let length = payload.len().saturating_add(header_len);
        at_most("tcp segment", length, 0xffff)?;
        at_most("tcp header", header_len, buffer.len())?;
        let header = &mut buffer[..header_len];
        let sum = InternetChecksum::new()
            .pseudo_header(src, dst, protocol::TCP, length as u16)
            .bytes(options.as_bytes());
        let words = self.words(header_len, payload.add_to(sum));
        header[..HEADER_LEN].copy_from_slice(words.map(u32::to_be_bytes).as_flattened());
        header[HEADER_LEN..].copy_from_slice(options.as_bytes());
        Ok(header_len)
    }
    /// The words before the options of a header of so many bytes, with the checksum over them and what is summed in `others`:
    /// pseudo-header, options and payload.
    #[inline(always)]
    pub(crate) fn words(&self, header_len: usize, others: InternetChecksum) -> [u32; HEADER_LEN / 4] {
        let offset = (header_len as u8 / 4) << 4 | if self.ae { AE } else { 0 };
        let [high, low] = self.window.to_be_bytes();
        let mut words = [
            u32::from(self.src_port) << 16 | u32::from(self.dst_port),
            self.seq,
            self.ack,
            u32::from_be_bytes([offset, self.flags, high, low]),
            u32::from(self.urgent),
        ];
        words[4] |= u32::from(words.iter().fold(others, |sum, two| sum.pair(*two)).checksum()) << 16;
        words
    }
}

fn u32_at(bytes: &[u8], field: Range<usize>) -> u32 {
    let at = field.start;
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

const NAME: &str = "tcp";
const SRC_PORT: Range<usize> = 0..2;
const DST_PORT: Range<usize> = 2..4;
const SEQ: Range<usize> = 4..8;
const ACK: Range<usize> = 8..12;
pub(crate) const DATA_OFFSET: usize = 12;
const FLAGS: usize = 13;
const WINDOW: Range<usize> = 14..16;
const CHECKSUM: Range<usize> = 16..18;
const URGENT: Range<usize> = 18..20;

#[cfg(test)]
mod tests {
    use super::options::tests::option_sets;
    use super::*;
    use proptest::prelude::*;

    const SRC: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
    const DST: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

    /// A SYN as Linux lays it out. By hand: pseudo-header 0a00 + 0001 + 0a00 + 0002 + 0006 + 0028 = 1431; header
    /// 1388 + 0050 + 0001 + a002 + faf0 = 1aecb; options 0204 + 05b4 + 0402 + 080a + 0001 + 0103 + 0307 = 17cf;
    /// together 1dacb, folded dacc, whose complement is 2533.
    #[test]
    fn a_known_syn_is_emitted_to_the_byte() {
        let options = TcpOptions {
            mss: Some(1460),
            sack_permitted: true,
            timestamps: Some((0x10000, 0)),
            window_scale: Some(7),
            ..TcpOptions::default()
        };
        let repr = TcpRepr {
            src_port: 5000,
            dst_port: 80,
            seq: 0x0001_0000,
            flags: flags::SYN,
            window: 64240,
            options,
            ..TcpRepr::default()
        };
        let mut buffer = [0xff; 60];
        assert_eq!(repr.emit(SRC, DST, Payload::Zeros(0), &mut buffer), Ok(40));
        let expected = [
            0x13, 0x88, 0x00, 0x50, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa0, 0x02, 0xfa, 0xf0,
            0x25, 0x33, 0x00, 0x00, 0x02, 0x04, 0x05, 0xb4, 0x04, 0x02, 0x08, 0x0a, 0x00, 0x01, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x01, 0x03, 0x03, 0x07,
        ];
        assert_eq!(buffer[..40], expected);
    }

    #[test]
    fn a_data_offset_outside_the_segment_is_refused() {
        let mut buffer = [0; 24];
        buffer[DATA_OFFSET] = 0x40;
        let error = WireError::Malformed { header: "tcp", field: "data offset" };
        assert_eq!(TcpPacket::new_checked(buffer).unwrap_err(), error);
        buffer[DATA_OFFSET] = 0x70;
        let error = WireError::Truncated { header: "tcp", needed: 28, available: 24 };
        assert_eq!(TcpPacket::new_checked(buffer).unwrap_err(), error);
    }

    #[test]
    fn zeros_that_are_not_there_count_as_zeros_that_are() {
        let repr = TcpRepr { seq: 77, flags: flags::ACK, ..TcpRepr::default() };
        let (mut without, mut with) = ([0; 20], [0; 20 + 1461]);
        repr.emit(SRC, DST, Payload::Zeros(1461), &mut without).unwrap();
        repr.emit(SRC, DST, Payload::Bytes(&[0; 1461]), &mut with).unwrap();
        assert_eq!(without, with[..20]);
        assert!(TcpPacket::new_checked(with).unwrap().verify_checksum(SRC, DST));
    }

    prop_compose! {
        fn reprs()(
            (src_port, dst_port) in any::<(u16, u16)>(), (seq, ack) in any::<(u32, u32)>(), (flags, ae) in any::<(u8, bool)>(),
            (window, urgent) in any::<(u16, u16)>(), options in option_sets(),
        ) -> TcpRepr {
            TcpRepr { src_port, dst_port, seq, ack, flags, ae, window, urgent, options }
        }
    }

    proptest! {
        #[test]
        fn parse_inverts_emit(repr in reprs(), payload in prop::collection::vec(any::<u8>(), 0..100)) {
            let mut buffer = [0xff; MAX_HEADER_LEN];
            let Ok(length) = repr.emit(SRC, DST, Payload::Bytes(&payload), &mut buffer) else {
                return Err(TestCaseError::reject("options do not fit"));
            };
            prop_assert_eq!(Ok(length), repr.header_len());
            let segment = [&buffer[..length], &payload].concat();
            let packet = TcpPacket::new_checked(&segment).unwrap();
            prop_assert!(packet.verify_checksum(SRC, DST));
            prop_assert_eq!(packet.payload(), &payload[..]);
            prop_assert_eq!(TcpRepr::parse(&packet), Ok(repr));
        }

        #[test]
        fn any_flipped_bit_breaks_the_checksum(repr in reprs(), at: prop::sample::Index, bit in 0..8u8) {
            let mut buffer = [0; MAX_HEADER_LEN];
            let Ok(length) = repr.emit(SRC, DST, Payload::Zeros(0), &mut buffer) else {
                return Err(TestCaseError::reject("options do not fit"));
            };
            let offset = buffer[DATA_OFFSET];
            buffer[at.index(length)] ^= 1 << bit;
            prop_assume!(buffer[DATA_OFFSET] == offset);
            prop_assert!(!TcpPacket::new_checked(&buffer[..length]).unwrap().verify_checksum(SRC, DST));
        }

        #[test]
        fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..90), plausible: bool) {
            if plausible && bytes.len() > DATA_OFFSET {
                bytes[DATA_OFFSET] = (bytes.len().min(60) as u8 / 4) << 4;
            }
            if let Ok(packet) = TcpPacket::new_checked(&bytes[..]) {
                let _ = (TcpRepr::parse(&packet), packet.payload().len(), packet.verify_checksum(SRC, DST));
            }
        }
    }
}
