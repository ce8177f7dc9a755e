//! TCP options: MSS (RFC 9293 §3.2), window scale and timestamps (RFC 7323 §2.2, §3.2), SACK-permitted and SACK
//! (RFC 2018 §2, §3). All others, and these with a length that is not theirs, are kept as raw bytes.
//!
//! They are laid out as common stacks do, each aligned to four bytes by NOPs in front (RFC 7323 appendix A):
//!
//! ```text
//! MSS                      02 04 vv vv
//! SACK-permitted, alone    01 01 04 02
//! timestamps               01 01 08 0a vv vv vv vv ee ee ee ee
//! both                     04 02 08 0a vv vv vv vv ee ee ee ee
//! window scale             01 03 03 ss
//! SACK                     01 01 05 ll (left left left left right right right right)*
//! ```
//!
//! Where that exceeds the 40 bytes there are, the NOPs are left out; so whatever was parsed can be emitted.

use crate::error::{WireError, at_most};

/// The most bytes of options a header holds.
pub const MAX_OPTIONS_LEN: usize = 40;

/// The options of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions {
    /// Maximum segment size (on a SYN).
    pub mss: Option<u16>,
    /// Window scale: a shift count (on a SYN).
    pub window_scale: Option<u8>,
    /// SACK-permitted (on a SYN).
    pub sack_permitted: bool,
    /// Timestamps: value (TSval) and echo reply (TSecr).
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks.
    pub sack: SackBlocks,
    /// Options without a field of their own.
    pub raw: RawOptions,
}

impl TcpOptions {
    /// The options in `bytes`, which are those between the fixed header and the payload. Of a repeated option the
    /// last counts; raw ones are all kept, in order.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        at_most(NAME, bytes.len(), MAX_OPTIONS_LEN)?;
        let mut options = Self::default();
        for option in OptionIter(bytes) {
            let (kind, data) = option?;
            if !options.set(kind, data) {
                options.raw.0.put(&[kind, data.len() as u8 + 2]);
                options.raw.0.put(data);
            }
        }
        Ok(options)
    }
    /// The options as bytes, padded to a multiple of four; an error if they exceed 40.
    pub fn encode(&self) -> Result<EncodedOptions, WireError> {
        if let Some(aligned) = self.aligned() {
            return Ok(EncodedOptions(aligned));
        }
        let packed = self.packed();
        at_most(NAME, packed.len + packed.overflow, MAX_OPTIONS_LEN)?;
        Ok(EncodedOptions(packed))
    }

    /// Stores a well-formed option that has a field; otherwise says `false`.
    fn set(&mut self, kind: u8, data: &[u8]) -> bool {
        match (kind, data) {
            (MSS, &[a, b]) => self.mss = Some(u16::from_be_bytes([a, b])),
            (WINDOW_SCALE, &[shift]) => self.window_scale = Some(shift),
            (SACK_PERMITTED, []) => self.sack_permitted = true,
            (TIMESTAMPS, &[a, b, c, d, e, f, g, h]) => {
                self.timestamps = Some((u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])));
            }
            (SACK, data) => match SackBlocks::parse(data) {
                Some(blocks) => self.sack = blocks,
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Each option on words of its own; `None` where a header has no room for so many.
    fn aligned(&self) -> Option<OptionBuffer> {
        let mut out = OptionBuffer::default();
        if let Some(mss) = self.mss {
            let [high, low] = mss.to_be_bytes();
            out.word([MSS, 4, high, low])?;
        }
        if let Some((value, echo)) = self.timestamps {
            let before = if self.sack_permitted { [SACK_PERMITTED, 2] } else { [NOP; 2] };
            out.word([before[0], before[1], TIMESTAMPS, 10])?;
            out.word(value.to_be_bytes())?;
            out.word(echo.to_be_bytes())?;
        } else if self.sack_permitted {
            out.word([NOP, NOP, SACK_PERMITTED, 2])?;
        }
        if let Some(shift) = self.window_scale {
            out.word([NOP, WINDOW_SCALE, 3, shift])?;
        }
        if !self.sack.is_empty() {
            out.word([NOP, NOP, SACK, 2 + 8 * self.sack.len])?;
            for (left, right) in self.sack.as_slice() {
                out.word(left.to_be_bytes())?;
                out.word(right.to_be_bytes())?;
            }
        }
        let (words, rest) = self.raw.as_bytes().as_chunks();
        for word in words {
            out.word(*word)?;
        }
        if !rest.is_empty() {
            // RFC 9293 §3.1: what remains of the last word is End of Option List, that is, zeros.
            let mut last = [END; 4];
            last[..rest.len()].copy_from_slice(rest);
            out.word(last)?;
        }
        Some(out)
    }

    /// Options without padding between them.
    #[cold]
    fn packed(&self) -> OptionBuffer {
        let mut out = OptionBuffer::default();
        if let Some(mss) = self.mss {
            out.put(&[MSS, 4]);
            out.put(&mss.to_be_bytes());
        }
        if self.sack_permitted {
            out.put(&[SACK_PERMITTED, 2]);
        }
        if let Some((value, echo)) = self.timestamps {
            out.put(&[TIMESTAMPS, 10]);
            out.put(&value.to_be_bytes());
            out.put(&echo.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            out.put(&[WINDOW_SCALE, 3, shift]);
        }
        if !self.sack.is_empty() {
            out.put(&[SACK, 2 + 8 * self.sack.as_slice().len() as u8]);
            for (left, right) in self.sack.as_slice() {
                out.put(&left.to_be_bytes());
                out.put(&right.to_be_bytes());
            }
        }
        out.put(self.raw.as_bytes());
        out.put(&[END; 3][..out.len.next_multiple_of(4) - out.len]);
        out
    }
}

/// Options as [`TcpOptions::encode`] lays them out.
#[derive(Clone, Copy, Debug)]
pub struct EncodedOptions(OptionBuffer);

impl EncodedOptions {
    /// The bytes, a multiple of four.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Up to four SACK blocks `[left, right)`; the first holds the segment that triggered the ACK (RFC 2018 §4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u32, u32); 4],
    len: u8,
}

impl SackBlocks {
    /// Appends a block; a fifth is ignored, as the header has no room for it.
    pub fn push(&mut self, left: u32, right: u32) {
        if let Some(slot) = self.blocks.get_mut(usize::from(self.len)) {
            *slot = (left, right);
            self.len += 1;
        }
    }
    /// The blocks in order.
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.len)]
    }
    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The blocks in an option's data: one to four times eight bytes.
    fn parse(data: &[u8]) -> Option<Self> {
        let (blocks, rest) = data.as_chunks::<8>();
        if !(1..=4).contains(&blocks.len()) || !rest.is_empty() {
            return None;
        }
        let mut parsed = Self::default();
        for &[a, b, c, d, e, f, g, h] in blocks {
            parsed.push(u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
        }
        Some(parsed)
    }
}

/// Options as they stand on the wire: kind, length, data, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawOptions(OptionBuffer);

impl RawOptions {
    /// Appends an option. Refused are the padding kinds 0 and 1, well-formed options that have a field in
    /// [`TcpOptions`], and what does not fit.
    pub fn push(&mut self, kind: u8, data: &[u8]) -> Result<(), WireError> {
        if matches!(kind, END | NOP) || TcpOptions::default().set(kind, data) {
            return Err(WireError::Malformed { header: NAME, field: "kind of a raw option" });
        }
        at_most(NAME, self.0.len + 2 + data.len(), MAX_OPTIONS_LEN)?;
        self.0.put(&[kind, data.len() as u8 + 2]);
        self.0.put(data);
        Ok(())
    }
    /// Kind and data of each, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &[u8])> {
        // Only whole options ever get in, so none is lost here.
        OptionIter(self.as_bytes()).flatten()
    }
    /// The bytes as they stand.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// A fixed buffer of options. What does not fit is counted, not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OptionBuffer {
    bytes: [u8; MAX_OPTIONS_LEN],
    len: usize,
    overflow: usize,
}

impl Default for OptionBuffer {
    fn default() -> Self {
        Self { bytes: [0; MAX_OPTIONS_LEN], len: 0, overflow: 0 }
    }
}

impl OptionBuffer {
    /// Appends a word to words; `None` where it does not fit.
    #[inline]
    fn word(&mut self, word: [u8; 4]) -> Option<()> {
        *self.bytes.as_chunks_mut().0.get_mut(self.len / 4)? = word;
        self.len += 4;
        Some(())
    }
    fn put(&mut self, more: &[u8]) {
        match self.bytes.get_mut(self.len..self.len + more.len()) {
            Some(room) if self.overflow == 0 => {
                room.copy_from_slice(more);
                self.len += more.len();
            }
            _ => self.overflow += more.len(),
        }
    }
    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Steps over options, skipping NOPs, up to End of Option List (RFC 9293 §3.1); after an error it ends.
struct OptionIter<'a>(&'a [u8]);

impl<'a> Iterator for OptionIter<'a> {
    type Item = Result<(u8, &'a [u8]), WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let [NOP, rest @ ..] = self.0 {
            self.0 = rest;
        }
        let rest = core::mem::take(&mut self.0);
        match *rest {
            [] | [END, ..] => None,
            [kind, length, ..] if (2..=rest.len()).contains(&usize::from(length)) => {
                let (option, rest) = rest.split_at(usize::from(length));
                self.0 = rest;
                Some(Ok((kind, &option[2..])))
            }
            _ => Some(Err(WireError::Malformed { header: NAME, field: "length of an option" })),
        }
    }
}

const NAME: &str = "tcp options";
const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
/// First word of timestamps without SACK-permitted.
pub(super) const TIMESTAMPS_ALIGNED: u32 = u32::from_be_bytes([NOP, NOP, TIMESTAMPS, 10]);
/// First word of SACK blocks; each block adds eight to the length.
pub(super) const SACK_ALIGNED: u32 = u32::from_be_bytes([NOP, NOP, SACK, 2]);

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sack(blocks: &[(u32, u32)]) -> SackBlocks {
        let mut sack = SackBlocks::default();
        blocks.iter().for_each(|&(left, right)| sack.push(left, right));
        sack
    }

    fn encoded(options: TcpOptions) -> Vec<u8> {
        options.encode().unwrap().as_bytes().to_vec()
    }

    #[test]
    fn timestamps_stand_behind_two_nops() {
        let options = TcpOptions { timestamps: Some((1, 0x0203_0405)), ..Default::default() };
        assert_eq!(encoded(options), [1, 1, 8, 10, 0, 0, 0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn sack_permitted_takes_the_place_of_the_nops_before_timestamps() {
        let alone = TcpOptions { sack_permitted: true, ..Default::default() };
        assert_eq!(encoded(alone), [1, 1, 4, 2]);
        let both = TcpOptions { timestamps: Some((1, 0)), ..alone };
        assert_eq!(encoded(both), [4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn sack_blocks_stand_behind_two_nops() {
        let options = TcpOptions { sack: sack(&[(5000, 5500), (6000, 6500)]), ..Default::default() };
        // RFC 2018 §3: length 8n + 2. 5000 = 0x1388, 5500 = 0x157c, 6000 = 0x1770, 6500 = 0x1964.
        let expected = [1, 1, 5, 18, 0, 0, 0x13, 0x88, 0, 0, 0x15, 0x7c, 0, 0, 0x17, 0x70, 0, 0, 0x19, 0x64];
        assert_eq!(encoded(options), expected);
    }

    /// RFC 2018 §3: with timestamps there is room for three blocks.
    #[test]
    fn timestamps_leave_room_for_three_sack_blocks() {
        let timestamps = Some((1, 2));
        let three = TcpOptions { timestamps, sack: sack(&[(1, 2), (3, 4), (5, 6)]), ..Default::default() };
        assert_eq!(encoded(three).len(), 40);
        let four = TcpOptions { sack: sack(&[(1, 2), (3, 4), (5, 6), (7, 8)]), ..three };
        let error = WireError::TooLong { what: "tcp options", length: 44, limit: 40 };
        assert_eq!(four.encode().unwrap_err(), error);
    }

    #[test]
    fn nops_are_left_out_where_there_is_no_room_for_them() {
        let mut options =
            TcpOptions { timestamps: Some((1, 2)), window_scale: Some(3), ..Default::default() };
        options.raw.push(254, &[9; 25]).unwrap();
        let bytes = encoded(options);
        assert_eq!((bytes.len(), &bytes[..2]), (40, &[8, 10][..]));
        assert_eq!(TcpOptions::parse(&bytes), Ok(options));
    }

    /// The options of the SYN in RFC 9235 §4.1.1, which end with a TCP-AO option (kind 29).
    #[test]
    fn an_unknown_option_is_preserved() {
        let bytes = [
            0x02, 0x04, 0x05, 0xb4, 0x01, 0x03, 0x03, 0x08, 0x04, 0x02, 0x08, 0x0a, 0x00, 0x15, 0x5a, 0xb7,
            0x00, 0x00, 0x00, 0x00, 0x1d, 0x10, 0x3d, 0x54, 0x2e, 0xe4, 0x37, 0xc6, 0xf8, 0xed, 0xe6, 0xd7,
            0xc4, 0xd6, 0x02, 0xe7,
        ];
        let options = TcpOptions::parse(&bytes).unwrap();
        assert_eq!((options.mss, options.window_scale, options.sack_permitted), (Some(1460), Some(8), true));
        assert_eq!(options.timestamps, Some((0x0015_5ab7, 0)));
        assert_eq!(options.raw.iter().collect::<Vec<_>>(), [(29, &bytes[22..])]);
        let again = encoded(options);
        assert_eq!((again.len(), &again[20..]), (36, &bytes[20..]));
    }

    #[test]
    fn a_known_kind_of_another_length_is_raw() {
        let options = TcpOptions::parse(&[MSS, 3, 7, NOP, SACK, 2, 0, 0]).unwrap();
        assert_eq!((options.mss, options.sack), (None, SackBlocks::default()));
        assert_eq!(options.raw.as_bytes(), [MSS, 3, 7, SACK, 2]);
    }

    #[test]
    fn an_option_that_overruns_the_header_is_an_error() {
        let error = Err(WireError::Malformed { header: "tcp options", field: "length of an option" });
        for bytes in [&[MSS, 4, 5][..], &[254, 1, 0, 0], &[254, 0], &[NOP, NOP, NOP, 254]] {
            assert_eq!(TcpOptions::parse(bytes), error, "{bytes:?}");
        }
    }

    #[test]
    fn nothing_counts_behind_the_end_of_the_list() {
        assert_eq!(TcpOptions::parse(&[NOP, END, MSS, 4]), Ok(TcpOptions::default()));
    }

    #[test]
    fn padding_and_known_options_are_refused_as_raw() {
        let mut raw = RawOptions::default();
        assert!(
            raw.push(END, &[]).is_err() && raw.push(NOP, &[]).is_err() && raw.push(MSS, &[5, 6]).is_err()
        );
        assert!(raw.push(254, &[0; 39]).is_err());
        assert_eq!(raw, RawOptions::default());
        assert!(raw.push(254, &[0; 38]).is_ok());
    }

    fn raws() -> impl Strategy<Value = RawOptions> {
        let option = (any::<u8>(), prop::collection::vec(any::<u8>(), 0..12));
        prop::collection::vec(option, 0..3).prop_map(|options| {
            let mut raw = RawOptions::default();
            for (kind, data) in options {
                let _ = raw.push(kind, &data);
            }
            raw
        })
    }

    prop_compose! {
        /// Sets of options, some of which do not fit a header.
        pub(in super::super) fn option_sets()(
            mss in any::<Option<u16>>(), window_scale in any::<Option<u8>>(), sack_permitted in any::<bool>(),
            timestamps in any::<Option<(u32, u32)>>(), blocks in prop::collection::vec(any::<(u32, u32)>(), 0..=4),
            raw in raws(),
        ) -> TcpOptions {
            TcpOptions { mss, window_scale, sack_permitted, timestamps, sack: sack(&blocks), raw }
        }
    }

    proptest! {
        #[test]
        fn encoding_fails_exactly_when_the_unpadded_options_exceed_the_header(options in option_sets()) {
            let length = options.mss.map_or(0, |_| 4) + options.window_scale.map_or(0, |_| 3)
                + if options.sack_permitted { 2 } else { 0 } + options.timestamps.map_or(0, |_| 10)
                + match options.sack.as_slice().len() { 0 => 0, n => 2 + 8 * n } + options.raw.as_bytes().len();
            match options.encode() {
                Ok(encoded) => {
                    prop_assert!(length <= 40);
                    prop_assert_eq!(encoded.as_bytes().len() % 4, 0);
                    prop_assert_eq!(TcpOptions::parse(encoded.as_bytes()), Ok(options));
                }
                Err(_) => prop_assert!(length > 40),
            }
        }

        #[test]
        fn parsed_options_survive_emission_and_parsing(
            parts in prop::collection::vec((prop::sample::select(vec![0u8, 1, 2, 3, 4, 5, 8, 30, 254]),
                                            prop::sample::select(vec![2u8, 3, 4, 10, 18])), 0..12),
            filler: u8, tail in prop::collection::vec(any::<u8>(), 0..10),
        ) {
            let mut bytes = Vec::new();
            for (kind, length) in parts {
                bytes.push(kind);
                if kind > 1 {
                    bytes.push(length);
                    bytes.extend((2..length).map(|_| filler));
                }
            }
            bytes.extend(tail);
            bytes.truncate(40);
            if let Ok(options) = TcpOptions::parse(&bytes) {
                prop_assert_eq!(TcpOptions::parse(options.encode().unwrap().as_bytes()), Ok(options));
            }
        }
    }
}
