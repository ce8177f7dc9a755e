//! The view of a packet that queue disciplines and the fabric share.

use crate::dscp::Dscp;
use crate::units::Bytes;

/// The two ECN bits of the IP header (RFC 3168 §5). The discriminants are the bits on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct = 0b00,
    /// ECN-capable, low latency (L4S) identifier.
    Ect1 = 0b01,
    /// ECN-capable.
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// Whether a router may mark this packet instead of dropping it.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
    /// The codepoint for two bits as they stand on the wire; higher bits are ignored.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }
}

/// Transport protocol numbers as in the IP header.
pub mod protocol {
    /// ICMP.
    pub const ICMP: u8 = 1;
    /// TCP.
    pub const TCP: u8 = 6;
    /// UDP.
    pub const UDP: u8 = 17;
}

/// Five-tuple of a flow. Addresses are IPv4-sized; a live IPv6 frame folds its addresses into them by a hash, which
/// keeps distinct flows distinct for all practical purposes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey {
    /// Source address.
    pub src: u32,
    /// Destination address.
    pub dst: u32,
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Protocol number, see [`protocol`].
    pub protocol: u8,
}

/// A value that core-stateless schemes (CSFQ, NetFence) carry in a packet. Zero means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Label(pub u32);

impl Label {
    /// No label.
    pub const NONE: Self = Self(0);
}

/// Up to four ranges of sequence numbers that a SACK option names, `[start, end)` each (RFC 2018 §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackRanges {
    ranges: [(u32, u32); 4],
    len: u8,
}

impl SackRanges {
    /// The ranges in order.
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.ranges[..usize::from(self.len)]
    }
}

/// More than four do not fit into a header and are left out.
impl FromIterator<(u32, u32)> for SackRanges {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(ranges: I) -> Self {
        let mut all = Self::default();
        for (slot, range) in all.ranges.iter_mut().zip(ranges) {
            *slot = range;
            all.len += 1;
        }
        all
    }
}

/// Where the SACK option of a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sack {
    /// Here; an empty one is none.
    Here(SackRanges),
    /// Kept apart from the packet: who carries it knows where.
    Apart,
}

/// Fields of a TCP segment that an ACK filter reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpAck {
    /// Acknowledgment number.
    pub ack: u32,
    /// Control bits as on the wire, CWR to FIN (RFC 9293 §3.1).
    pub flags: u8,
    /// Bytes of data.
    pub payload: u32,
    /// Timestamps option: value and echo (RFC 7323 §3).
    pub timestamps: Option<(u32, u32)>,
    /// SACK option.
    pub sack: Sack,
}

/// View of a packet for queue disciplines, with the few things that they may change: CE, codepoint, label.
pub trait Packet {
    /// Size that the link sends and queues count, link overhead excluded.
    fn size(&self) -> Bytes;
    /// Five-tuple.
    fn flow(&self) -> FlowKey;
    /// ECN codepoint.
    fn ecn(&self) -> Ecn;
    /// Sets CE. Callers have checked [`Ecn::is_capable`].
    fn set_ce(&mut self);
    /// DiffServ codepoint.
    fn dscp(&self) -> Dscp {
        Dscp::default()
    }
    /// Sets the DiffServ codepoint; packets without one ignore it.
    fn set_dscp(&mut self, _dscp: Dscp) {}
    /// Acknowledgement of a TCP segment whose other options matter to nobody but its receiver.
    fn tcp_ack(&self) -> Option<TcpAck> {
        None
    }
    /// Label of a core-stateless scheme.
    fn label(&self) -> Label {
        Label::NONE
    }
    /// Sets the label; packets without room for one ignore it.
    fn set_label(&mut self, _label: Label) {}
}

/// Reason for which a packet leaves the network before its destination: a drop, or the work of an ACK filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DropReason {
    /// The queue was full.
    Overlimit = 0,
    /// The discipline decided so (early drop).
    Aqm = 1,
    /// The link lost it (random loss).
    LinkLoss = 2,
    /// The link was down.
    LinkDown = 3,
    /// No route to the destination.
    NoRoute = 4,
    /// Larger than the link's MTU.
    TooBig = 5,
    /// Bits of it were damaged, which the host found that it reached.
    Corrupted = 6,
    /// A later acknowledgement made it redundant, and an ACK filter took it out: Linux's `ack_drop`.
    AckFiltered = 7,
    /// A policer found that it exceeds the rate.
    Policed = 8,
}

impl DropReason {
    /// All reasons, in the order of their discriminants.
    pub const ALL: [Self; 9] = [
        Self::Overlimit,
        Self::Aqm,
        Self::LinkLoss,
        Self::LinkDown,
        Self::NoRoute,
        Self::TooBig,
        Self::Corrupted,
        Self::AckFiltered,
        Self::Policed,
    ];
    /// Number of reasons.
    pub const COUNT: usize = Self::ALL.len();

    /// Name as results show it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overlimit => "overlimit",
            Self::Aqm => "aqm",
            Self::LinkLoss => "link_loss",
            Self::LinkDown => "link_down",
            Self::NoRoute => "no_route",
            Self::TooBig => "too_big",
            Self::Corrupted => "corrupted",
            Self::AckFiltered => "ack_filtered",
            Self::Policed => "policed",
        }
    }

    /// Whether it tells of a loss. A filtered ACK is none: the packet that replaces it says all that it said, so Linux
    /// counts `ack_drop` apart from `drops`.
    pub const fn is_loss(self) -> bool {
        !matches!(self, Self::AckFiltered)
    }
}
