//! Options of a segment as header words: the layout of most segments, written without a byte buffer.

use super::mptcp::{self, DssMapping, DssNumber};
use super::options::{MAX_OPTIONS_LEN, SACK_ALIGNED, TIMESTAMPS_ALIGNED};

/// The options of most segments as words of a header: timestamps, SACK, and MPTCP's data sequence signal, in this order. They are the
/// bytes of [`TcpOptions::encode`].
#[derive(Clone, Copy, Debug)]
pub struct OptionWords {
    /// Behind the options are zeros.
    words: [u32; MAX_OPTIONS_LEN / 4],
    len: usize,
}

impl OptionWords {
    /// No options.
    pub const NONE: Self = Self { words: [0; _], len: 0 };

    /// Timestamps alone: value and echo reply.
    #[inline(always)]
    pub const fn timestamps(value: u32, echo: u32) -> Self {
        Self { words: [TIMESTAMPS_ALIGNED, value, echo, 0, 0, 0, 0, 0, 0, 0], len: 3 }
    }
    /// These and SACK blocks; none where a header has no room for so many.
    #[inline]
    pub fn and_sack(mut self, blocks: impl ExactSizeIterator<Item = (u32, u32)>) -> Option<Self> {
        self.push(SACK_ALIGNED + 8 * blocks.len() as u32)?;
        for (left, right) in blocks {
            self.push(left)?;
            self.push(right)?;
        }
        Some(self)
    }
    /// These and an [`MptcpOption::Dss`](super::mptcp::MptcpOption::Dss); none where a header has no room for it.
    #[inline]
    pub fn and_dss(
        mut self,
        data_ack: Option<DssNumber>,
        mapping: Option<DssMapping>,
        data_fin: bool,
    ) -> Option<Self> {
        let (first, mut missing) = (self.len, 0);
        self.push(0)?; // the length is known at the end
        if let Some(ack) = data_ack {
            self.number(ack)?;
        }
        if let Some(DssMapping { dsn, ssn, len, checksum }) = mapping {
            self.number(dsn)?;
            self.push(ssn)?;
            self.push(u32::from(len) << 16 | u32::from(checksum.unwrap_or(0)))?;
            missing = if checksum.is_some() { 0 } else { 2 };
        }
        let length = 4 * (self.len - first) - missing;
        self.words[first] = u32::from_be_bytes(mptcp::dss_begins(length as u8, data_ack, mapping, data_fin));
        Some(self)
    }
    #[inline(always)]
    fn push(&mut self, word: u32) -> Option<()> {
        *self.words.get_mut(self.len)? = word;
        self.len += 1;
        Some(())
    }
    #[inline(always)]
    fn number(&mut self, number: DssNumber) -> Option<()> {
        match number {
            DssNumber::Low(low) => self.push(low),
            DssNumber::Full(full) => {
                self.push((full >> 32) as u32)?;
                self.push(full as u32)
            }
        }
    }
    /// Bytes of the options.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        4 * self.len
    }
    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// All words that a header has room for, zeros behind the options.
    #[inline(always)]
    pub(crate) const fn words(&self) -> &[u32; MAX_OPTIONS_LEN / 4] {
        &self.words
    }
}
