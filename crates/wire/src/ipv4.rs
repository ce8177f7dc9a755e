//! The IPv4 header (RFC 791 §3.1), with the DiffServ field (RFC 2474) and ECN (RFC 3168 §5) in the old TOS byte.
//!
//! ```text
//!  0      4      8          14  16                  31
//! |version| IHL |   DSCP   |ECN|    total length     |
//! |       identification       |0|DF|MF| frag. offset|
//! |     TTL     |   protocol   |   header checksum   |
//! |                      source                      |
//! |                    destination                   |
//! ```

mod options;

pub use options::{Ipv4Options, MAX_OPTIONS_LEN};

use crate::checksum::{self, InternetChecksum};
use crate::error::{WireError, at_most, require};
use core::net::Ipv4Addr;
use core::ops::Range;
use tailrace_core::{Dscp, Ecn};

/// Bytes of a header without options.
pub const HEADER_LEN: usize = 20;
/// The longest packet: the total length has 16 bits.
pub const MAX_PACKET_LEN: usize = 0xffff;

/// A view of bytes as an IPv4 packet.
///
/// ```
/// use tailrace_wire::{Ipv4Packet, Ipv4Repr};
/// let repr = Ipv4Repr::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), 17, 0);
/// let mut buffer = [0; 20];
/// repr.emit(&mut buffer)?;
/// assert!(Ipv4Packet::new_checked(&buffer[..])?.verify_checksum());
/// # Ok::<(), tailrace_wire::WireError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ipv4Packet<T> {
    buffer: T,
}

impl<T: AsRef<[u8]>> Ipv4Packet<T> {
    /// A view whose every accessor is safe: version, header length and total length fit the bytes.
    /// Bytes behind the total length (link padding) are allowed and ignored. The checksum is not looked at.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        let bytes = buffer.as_ref();
        require(NAME, HEADER_LEN, bytes.len())?;
        if bytes[VERSION_IHL] >> 4 != 4 {
            return Err(WireError::Malformed { header: NAME, field: "version" });
        }
        let header_len = usize::from(bytes[VERSION_IHL] & 0x0f) * 4;
        if header_len < HEADER_LEN {
            return Err(WireError::Malformed { header: NAME, field: "header length" });
        }
        let total_len = usize::from(u16_at(bytes, TOTAL_LEN));
        if total_len < header_len {
            return Err(WireError::Malformed { header: NAME, field: "total length" });
        }
        require(NAME, total_len, bytes.len())?;
        Ok(Self { buffer })
    }
    /// Gives the bytes back.
    pub fn into_inner(self) -> T {
        self.buffer
    }
    /// Header length in bytes, options included.
    pub fn header_len(&self) -> usize {
        usize::from(self.bytes()[VERSION_IHL] & 0x0f) * 4
    }
    /// Length of header and payload.
    pub fn total_len(&self) -> u16 {
        u16_at(self.bytes(), TOTAL_LEN)
    }
    /// DiffServ codepoint.
    pub fn dscp(&self) -> Dscp {
        Dscp(self.bytes()[TOS] >> 2)
    }
    /// ECN codepoint.
    pub fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.bytes()[TOS])
    }
    /// Identification.
    pub fn ident(&self) -> u16 {
        u16_at(self.bytes(), IDENT)
    }
    /// Whether routers must not fragment the packet.
    pub fn dont_fragment(&self) -> bool {
        u16_at(self.bytes(), FLAGS_OFFSET) & DF != 0
    }
    /// Whether fragments follow this one.
    pub fn more_fragments(&self) -> bool {
        u16_at(self.bytes(), FLAGS_OFFSET) & MF != 0
    }
    /// Place of this fragment in the datagram, in units of eight bytes.
    pub fn fragment_offset(&self) -> u16 {
        u16_at(self.bytes(), FLAGS_OFFSET) & OFFSET_MASK
    }
    /// Whether this is a piece of a larger datagram, the first one included.
    pub fn is_fragment(&self) -> bool {
        self.more_fragments() || self.fragment_offset() != 0
    }
    /// Time to live, in hops.
    pub fn ttl(&self) -> u8 {
        self.bytes()[TTL]
    }
    /// Protocol of the payload, see [`tailrace_core::packet::protocol`].
    pub fn protocol(&self) -> u8 {
        self.bytes()[PROTOCOL]
    }
    /// Header checksum as it stands.
    pub fn checksum(&self) -> u16 {
        u16_at(self.bytes(), CHECKSUM)
    }
    /// Source address.
    pub fn src(&self) -> Ipv4Addr {
        address_at(self.bytes(), SRC)
    }
    /// Destination address.
    pub fn dst(&self) -> Ipv4Addr {
        address_at(self.bytes(), DST)
    }
    /// Options, uninterpreted.
    pub fn options(&self) -> &[u8] {
        &self.bytes()[HEADER_LEN..self.header_len()]
    }
    /// The payload, up to the total length.
    pub fn payload(&self) -> &[u8] {
        &self.bytes()[self.header_len()..usize::from(self.total_len())]
    }
    /// Whether the header checksum is right.
    pub fn verify_checksum(&self) -> bool {
        InternetChecksum::new().bytes(&self.bytes()[..self.header_len()]).checksum() == 0
    }

    fn bytes(&self) -> &[u8] {
        self.buffer.as_ref()
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Ipv4Packet<T> {
    /// Sets the ECN codepoint and corrects the checksum incrementally; a wrong checksum stays as wrong as it was.
    pub fn set_ecn(&mut self, ecn: Ecn) {
        let old = u16_at(self.bytes(), TOS_WORD);
        let new = (old & !0b11) | ecn as u16;
        let checksum = checksum::update(self.checksum(), old, new);
        let bytes = self.buffer.as_mut();
        bytes[TOS_WORD].copy_from_slice(&new.to_be_bytes());
        bytes[CHECKSUM].copy_from_slice(&checksum.to_be_bytes());
    }

    /// Sets the time to live and corrects the checksum likewise.
    pub fn set_ttl(&mut self, ttl: u8) {
        let old = u16_at(self.bytes(), TTL_WORD);
        let new = u16::from_be_bytes([ttl, self.protocol()]);
        let checksum = checksum::update(self.checksum(), old, new);
        let bytes = self.buffer.as_mut();
        bytes[TTL_WORD].copy_from_slice(&new.to_be_bytes());
        bytes[CHECKSUM].copy_from_slice(&checksum.to_be_bytes());
    }
}

/// An IPv4 header as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Repr {
    /// Source address.
    pub src: Ipv4Addr,
    /// Destination address.
    pub dst: Ipv4Addr,
    /// Protocol of the payload.
    pub protocol: u8,
    /// DiffServ codepoint; only its low six bits are written.
    pub dscp: Dscp,
    /// ECN codepoint.
    pub ecn: Ecn,
    /// Identification.
    pub ident: u16,
    /// Whether routers must not fragment the packet.
    pub dont_fragment: bool,
    /// Whether fragments follow this one.
    pub more_fragments: bool,
    /// Place of the fragment in units of eight bytes; only the low 13 bits are written.
    pub fragment_offset: u16,
    /// Time to live.
    pub ttl: u8,
    /// Options.
    pub options: Ipv4Options,
    /// Bytes behind the header.
    pub payload_len: usize,
}

impl Ipv4Repr {
    /// A whole datagram as a host sends it: TTL 64 (RFC 1700's recommended default), do not fragment, not ECN-capable.
    /// The identification is zero, which RFC 6864 §4.1 allows when fragmentation is forbidden.
    pub const fn new(src: Ipv4Addr, dst: Ipv4Addr, protocol: u8, payload_len: usize) -> Self {
        Self {
            src,
            dst,
            protocol,
            dscp: Dscp(0),
            ecn: Ecn::NotEct,
            ident: 0,
            dont_fragment: true,
            more_fragments: false,
            fragment_offset: 0,
            ttl: 64,
            options: Ipv4Options::NONE,
            payload_len,
        }
    }
    /// The values in a packet. The checksum is not looked at: ask [`Ipv4Packet::verify_checksum`].
    pub fn parse<T: AsRef<[u8]>>(packet: &Ipv4Packet<T>) -> Self {
        Self {
            src: packet.src(),
            dst: packet.dst(),
            protocol: packet.protocol(),
            dscp: packet.dscp(),
            ecn: packet.ecn(),
            ident: packet.ident(),
            dont_fragment: packet.dont_fragment(),
            more_fragments: packet.more_fragments(),
            fragment_offset: packet.fragment_offset(),
            ttl: packet.ttl(),
            options: Ipv4Options::of_header(packet.options()),
            payload_len: packet.payload().len(),
        }
    }
    /// Length of the header, options included.
    pub const fn header_len(&self) -> usize {
        HEADER_LEN + self.options.as_slice().len()
    }
    /// Where the packet goes in the end, by a source route that it has not been through yet: the address under the
    /// transport's checksum.
    pub fn final_destination(&self) -> Ipv4Addr {
        self.options.final_destination().unwrap_or(self.dst)
    }
    /// Writes the header with its checksum to the start of `buffer`, and returns its length. The payload is not
    /// needed and may be missing from the buffer.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, WireError> {
        let header_len = self.header_len();
        at_most("ipv4 packet", self.payload_len.saturating_add(header_len), MAX_PACKET_LEN)?;
        at_most("ipv4 header", header_len, buffer.len())?;
        let header = &mut buffer[..header_len];
        let options = self.options.as_slice();
        let words = self.words(header_len, InternetChecksum::new().bytes(options));
        header[..HEADER_LEN].copy_from_slice(words.map(u32::to_be_bytes).as_flattened());
        header[HEADER_LEN..].copy_from_slice(options);
        Ok(header_len)
    }
    /// The words before the options of a header of so many bytes, with the checksum over them and `options`. The packet is no
    /// longer than its length field can say.
    #[inline(always)]
    pub(crate) fn words(&self, header_len: usize, options: InternetChecksum) -> [u32; HEADER_LEN / 4] {
        let flags = if self.dont_fragment { DF } else { 0 } | if self.more_fragments { MF } else { 0 };
        let fragment = flags | (self.fragment_offset & OFFSET_MASK);
        let [high, low] = ((header_len + self.payload_len) as u16).to_be_bytes();
        let mut words = [
            u32::from_be_bytes([0x40 | (header_len / 4) as u8, self.dscp.0 << 2 | self.ecn as u8, high, low]),
            u32::from(self.ident) << 16 | u32::from(fragment),
            u32::from_be_bytes([self.ttl, self.protocol, 0, 0]),
            self.src.to_bits(),
            self.dst.to_bits(),
        ];
        words[2] |= u32::from(words.iter().fold(options, |sum, two| sum.pair(*two)).checksum());
        words
    }
}

/// The big-endian word at `field`, which lies within the header.
pub(crate) fn u16_at(bytes: &[u8], field: Range<usize>) -> u16 {
    u16::from_be_bytes([bytes[field.start], bytes[field.start + 1]])
}

fn address_at(bytes: &[u8], field: Range<usize>) -> Ipv4Addr {
    let at = field.start;
    Ipv4Addr::new(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3])
}

const NAME: &str = "ipv4";
const VERSION_IHL: usize = 0;
const TOS: usize = 1;
/// The word that holds the TOS byte, for the incremental checksum.
const TOS_WORD: Range<usize> = 0..2;
const TOTAL_LEN: Range<usize> = 2..4;
const IDENT: Range<usize> = 4..6;
const FLAGS_OFFSET: Range<usize> = 6..8;
const TTL: usize = 8;
const TTL_WORD: Range<usize> = 8..10;
const PROTOCOL: usize = 9;
const CHECKSUM: Range<usize> = 10..12;
const SRC: Range<usize> = 12..16;
const DST: Range<usize> = 16..20;
const DF: u16 = 0x4000;
const MF: u16 = 0x2000;
const OFFSET_MASK: u16 = 0x1fff;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// UDP from 192.168.0.1 to 192.168.0.199. By hand: 4500 + 0073 + 4000 + 4011 + c0a8 + 0001 + c0a8 + 00c7 = 2479c;
    /// 479c + 2 = 479e; its complement is b861.
    const HEADER: [u8; 20] = [
        0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0,
        0xa8, 0x00, 0xc7,
    ];

    #[test]
    fn a_known_header_is_emitted_to_the_byte() {
        let repr = Ipv4Repr::new([192, 168, 0, 1].into(), [192, 168, 0, 199].into(), 17, 0x73 - 20);
        let mut buffer = [0xff; 20];
        assert_eq!(repr.emit(&mut buffer), Ok(20));
        assert_eq!(buffer, HEADER);
    }

    #[test]
    fn a_known_header_is_parsed_and_its_checksum_verified() {
        let mut whole = [0; 0x73];
        whole[..20].copy_from_slice(&HEADER);
        let packet = Ipv4Packet::new_checked(whole).unwrap();
        assert!(packet.verify_checksum());
        assert_eq!(packet.payload().len(), 0x73 - 20);
        assert_eq!(packet.src(), Ipv4Addr::new(192, 168, 0, 1));
        whole[8] -= 1; // TTL decremented without touching the checksum
        assert!(!Ipv4Packet::new_checked(whole).unwrap().verify_checksum());
    }

    /// The header of the SYN in RFC 9235 §4.1.1.
    #[test]
    fn a_header_from_an_rfc_is_parsed_and_emitted_again() {
        let header = [
            0x45, 0xe0, 0x00, 0x4c, 0xdd, 0x0f, 0x40, 0x00, 0xff, 0x06, 0xbf, 0x6b, 0x0a, 0x0b, 0x0c, 0x0d,
            0xac, 0x1b, 0x1c, 0x1d,
        ];
        let mut whole = [0; 0x4c];
        whole[..20].copy_from_slice(&header);
        let packet = Ipv4Packet::new_checked(whole).unwrap();
        assert!(packet.verify_checksum());
        let expected = Ipv4Repr {
            dscp: Dscp(56),
            ident: 0xdd0f,
            ttl: 255,
            ..Ipv4Repr::new([10, 11, 12, 13].into(), [172, 27, 28, 29].into(), 6, 0x4c - 20)
        };
        assert_eq!(Ipv4Repr::parse(&packet), expected);
        let mut again = [0; 20];
        expected.emit(&mut again).unwrap();
        assert_eq!(again, header);
    }

    /// RFC 791 §3.1: bit 1 forbids fragments, bit 2 announces more, 13 bits count units of eight bytes.
    #[test]
    fn fragments_are_told_by_their_word() {
        let seen = |word: u16| {
            let mut bytes = HEADER;
            bytes[2..4].copy_from_slice(&20u16.to_be_bytes());
            bytes[6..8].copy_from_slice(&word.to_be_bytes());
            let packet = Ipv4Packet::new_checked(bytes).unwrap();
            (packet.dont_fragment(), packet.more_fragments(), packet.fragment_offset(), packet.is_fragment())
        };
        assert_eq!(seen(0x4000), (true, false, 0, false));
        assert_eq!(seen(0x2000), (false, true, 0, true));
        assert_eq!(seen(0x20b9), (false, true, 185, true)); // 1480 / 8
        assert_eq!(seen(0x1fff), (false, false, 0x1fff, true));
    }

    #[test]
    fn lengths_that_contradict_each_other_are_refused() {
        let refused = |change: fn(&mut [u8; 0x73])| {
            let mut whole = [0; 0x73];
            whole[..20].copy_from_slice(&HEADER);
            change(&mut whole);
            Ipv4Packet::new_checked(whole).unwrap_err()
        };
        let malformed = |field| WireError::Malformed { header: "ipv4", field };
        assert_eq!(refused(|b| b[0] = 0x65), malformed("version"));
        assert_eq!(refused(|b| b[0] = 0x44), malformed("header length"));
        assert_eq!(refused(|b| b[3] = 19), malformed("total length"));
        let longer = WireError::Truncated { header: "ipv4", needed: 0x74, available: 0x73 };
        assert_eq!(refused(|b| b[3] = 0x74), longer);
        let empty = WireError::Truncated { header: "ipv4", needed: 20, available: 0 };
        assert_eq!(Ipv4Packet::new_checked([]).unwrap_err(), empty);
    }

    #[test]
    fn a_packet_beyond_16_bits_of_length_is_refused() {
        let mut repr = Ipv4Repr::new([0; 4].into(), [0; 4].into(), 6, 0xffff - 20);
        assert_eq!(repr.emit(&mut [0; 20]), Ok(20));
        repr.payload_len += 1;
        let error = WireError::TooLong { what: "ipv4 packet", length: 0x10000, limit: 0xffff };
        assert_eq!(repr.emit(&mut [0; 20]), Err(error));
    }

    fn ecns() -> impl Strategy<Value = Ecn> {
        (0..4u8).prop_map(Ecn::from_bits)
    }

    prop_compose! {
        fn reprs()(
            src in any::<[u8; 4]>(), dst in any::<[u8; 4]>(), protocol in any::<u8>(), dscp in 0..64u8, ecn in ecns(),
            ident in any::<u16>(), flags in any::<[bool; 2]>(), fragment_offset in 0..0x2000u16, ttl in any::<u8>(),
            payload_len in 0..2000usize, gateways in prop::collection::vec(any::<[u8; 4]>(), 0..10), passed in 0..10usize,
        ) -> Ipv4Repr {
            let [dont_fragment, more_fragments] = flags;
            let route: Vec<Ipv4Addr> = gateways.into_iter().map(Ipv4Addr::from).collect();
            let options = match route.len() {
                0 => Ipv4Options::NONE,
                n => Ipv4Options::loose_source_route(&route, passed.min(n)).unwrap(),
            };
            Ipv4Repr {
                src: src.into(), dst: dst.into(), protocol, dscp: Dscp(dscp), ecn, ident, dont_fragment, more_fragments,
                fragment_offset, ttl, options, payload_len,
            }
        }
    }

    proptest! {
        #[test]
        fn parse_inverts_emit(repr in reprs()) {
            let mut buffer = vec![0xff; repr.header_len() + repr.payload_len];
            repr.emit(&mut buffer).unwrap();
            let packet = Ipv4Packet::new_checked(&buffer).unwrap();
            prop_assert!(packet.verify_checksum());
            prop_assert_eq!(Ipv4Repr::parse(&packet), repr);
        }

        #[test]
        fn set_ecn_equals_emitting_with_that_codepoint(repr in reprs(), ecn in ecns()) {
            let mut buffer = vec![0; repr.header_len() + repr.payload_len];
            repr.emit(&mut buffer).unwrap();
            let mut packet = Ipv4Packet::new_checked(buffer).unwrap();
            packet.set_ecn(ecn);
            let mut expected = vec![0; repr.header_len() + repr.payload_len];
            Ipv4Repr { ecn, ..repr }.emit(&mut expected).unwrap();
            prop_assert_eq!(packet.into_inner(), expected);
        }

        #[test]
        fn set_ttl_equals_emitting_with_that_time_to_live(repr in reprs(), ttl: u8) {
            let mut buffer = vec![0; repr.header_len() + repr.payload_len];
            repr.emit(&mut buffer).unwrap();
            let mut packet = Ipv4Packet::new_checked(buffer).unwrap();
            packet.set_ttl(ttl);
            let mut expected = vec![0; repr.header_len() + repr.payload_len];
            Ipv4Repr { ttl, ..repr }.emit(&mut expected).unwrap();
            prop_assert_eq!(packet.into_inner(), expected);
        }

        #[test]
        fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), plausible: bool) {
            if plausible && bytes.len() > 3 {
                bytes[0] = 0x40 | (bytes[0] & 0x0f);
                bytes[2] = 0;
                bytes[3] &= 0x3f;
            }
            if let Ok(mut packet) = Ipv4Packet::new_checked(bytes) {
                let _ = (Ipv4Repr::parse(&packet), packet.options().len(), packet.verify_checksum());
                packet.set_ecn(Ecn::Ce);
                packet.set_ttl(1);
            }
        }
    }
}
