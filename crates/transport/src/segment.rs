//! A TCP segment as an endpoint sees it: the header fields and a payload length, no bytes.

use core::fmt;
use core::ops::{Add, Sub};
use tailrace_core::Ecn;

/// A sequence number on the wire: 32 bits, compared modulo 2^32 (RFC 9293 §3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeqNumber(pub u32);

impl SeqNumber {
    /// `self < other` in sequence space.
    pub const fn before(self, other: Self) -> bool {
        (self.0.wrapping_sub(other.0) as i32) < 0
    }
    /// Signed distance from `other` to `self`.
    pub const fn distance(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0) as i32
    }
}
impl Add<u32> for SeqNumber {
    type Output = Self;
    fn add(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n))
    }
}
impl Sub<u32> for SeqNumber {
    type Output = Self;
    fn sub(self, n: u32) -> Self {
        Self(self.0.wrapping_sub(n))
    }
}
impl fmt::Display for SeqNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Header flags; the bits are those of the TCP header's flag byte, but for [`Flags::AE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgment field is valid.
    pub const ACK: Self = Self(0x10);
    /// Accurate ECN (RFC 9768 §3.1). In the header it lies outside the flag byte (0x100); here it has the place of URG,
    /// as nothing is urgent.
    pub const AE: Self = Self(0x20);
    /// ECN echo.
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced.
    pub const CWR: Self = Self(0x80);

    /// Whether all of `other`'s flags are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
    /// Whether any of `other`'s flags is set.
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    /// The header's flag byte.
    pub const fn byte(self) -> u8 {
        self.0 & !Self::AE.0
    }
    /// The flags AE, CWR and ECE as a number of three bits: the ACE field (RFC 9768 §3.2.2).
    pub const fn ace(self) -> u8 {
        (self.has(Self::AE) as u8) << 2 | (self.has(Self::CWR) as u8) << 1 | self.has(Self::ECE) as u8
    }
    /// The flags that stand for the low three bits of `ace`.
    pub const fn of_ace(ace: u8) -> Self {
        let [ae, cwr, ece] = [ace >> 2 & 1, ace >> 1 & 1, ace & 1];
        Self(ae * Self::AE.0 + cwr * Self::CWR.0 + ece * Self::ECE.0)
    }
    /// These but for `other`'s.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    /// Both sets together.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// RFC 7323 timestamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the sender's clock.
    pub value: u32,
    /// TSecr: the clock value echoed.
    pub echo: u32,
}

/// Up to four SACK blocks, `[left, right)` each; the first holds the segment that triggered the ACK (RFC 2018 §4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(SeqNumber, SeqNumber); 4],
    len: u8,
}

impl SackBlocks {
    /// No blocks.
    pub const NONE: Self = Self { blocks: [(SeqNumber(0), SeqNumber(0)); 4], len: 0 };

    /// Appends a block; a fifth is ignored, as the header has no room for it.
    pub fn push(&mut self, left: SeqNumber, right: SeqNumber) {
        if let Some(slot) = self.blocks.get_mut(usize::from(self.len)) {
            *slot = (left, right);
            self.len += 1;
        }
    }
    /// Takes the last block away.
    pub fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
        self.blocks[usize::from(self.len)] = Self::NONE.blocks[0];
    }
    /// The blocks in order.
    pub fn as_slice(&self) -> &[(SeqNumber, SeqNumber)] {
        &self.blocks[..usize::from(self.len)]
    }
    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A TCP segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first payload byte (or of the SYN).
    pub seq: SeqNumber,
    /// Acknowledgment number, valid with [`Flags::ACK`].
    pub ack: SeqNumber,
    /// Window field as it stands in the header: unscaled 16 bits.
    pub window: u16,
    /// Flags.
    pub flags: Flags,
    /// ECN codepoint of the IP packet that carries it.
    pub ecn: Ecn,
    /// Payload bytes.
    pub payload: u32,
    /// The payload is not what was sent: a middlebox has changed it, and TCP's checksum with it.
    pub altered: bool,
    /// Timestamps, where the option is present.
    pub timestamps: Option<Timestamps>,
    /// SACK blocks.
    pub sack: SackBlocks,
    /// MSS option (SYN only).
    pub mss: Option<u16>,
    /// Window scale option (SYN only).
    pub window_scale: Option<u8>,
    /// SACK-permitted option (SYN only).
    pub sack_permitted: bool,
    /// Whether its payload was sent before. Not in the header: for observers of the sender.
    pub repeated: bool,
}

impl Segment {
    /// Bytes of TCP options as a real stack pads them (timestamps 12; SACK 4 + 8n after two NOPs; SYN options
    /// MSS 4, SACK-permitted 4 alone or 2 merged into the timestamps' padding, window scale 4).
    pub fn options_len(&self) -> u32 {
        let ts = if self.timestamps.is_some() { 12 } else { 0 };
        if self.has_only_timestamps() {
            return ts;
        }
        let sack = match self.sack.as_slice().len() as u32 {
            0 => 0,
            n => 4 + 8 * n,
        };
        let permitted = match (self.sack_permitted, self.timestamps.is_some()) {
            (true, false) => 4,
            _ => 0,
        };
        let mss = if self.mss.is_some() { 4 } else { 0 };
        let scale = if self.window_scale.is_some() { 4 } else { 0 };
        ts + sack + permitted + mss + scale
    }
    /// Whether it has no options but timestamps, if those.
    #[inline]
    pub const fn has_only_timestamps(&self) -> bool {
        !(self.sack_permitted | self.mss.is_some() | self.window_scale.is_some()) & self.sack.is_empty()
    }
    /// The reset with which it is answered where there is no connection that it belongs to (RFC 9293 §3.5.2, group 1);
    /// none for a reset.
    pub fn refusal(&self) -> Option<Self> {
        if self.flags.has(Flags::RST) {
            return None;
        }
        Some(if self.flags.has(Flags::ACK) {
            Self { seq: self.ack, flags: Flags::RST, ..Self::default() }
        } else {
            let flags = Flags::RST.with(Flags::ACK);
            Self { ack: self.seq + self.seq_len(), flags, ..Self::default() }
        })
    }
    /// Sequence space the segment takes: payload, plus one each for SYN and FIN.
    pub fn seq_len(&self) -> u32 {
        self.payload + u32::from(self.flags.has(Flags::SYN)) + u32::from(self.flags.has(Flags::FIN))
    }
}
