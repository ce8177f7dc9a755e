//! Decoding of bytes into packets.

use crate::packet::datagram_stamp;
use crate::packet::mptcp_options::options_of;
use tailrace_core::packet::protocol;
use tailrace_core::{Dscp, Ecn};
use tailrace_transport::mptcp::{self, Tuple};
use tailrace_transport::segment::{Flags, SackBlocks, Segment, SeqNumber, Timestamps};
use tailrace_wire::tcp::mptcp::KIND;
use tailrace_wire::{Ipv4Frame, Ipv4Packet, TcpPacket, TcpRepr, UdpPacket, WireError};

/// Decoded headers of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DecodedPacket {
    /// Addresses and ports, the sender's first; ports are zero for protocols without.
    pub(crate) tuple: Tuple,
    pub(crate) dscp: Dscp,
    pub(crate) ecn: Ecn,
    /// Time to live.
    pub(crate) ttl: u8,
    /// DF bit.
    pub(crate) dont_fragment: bool,
    /// Bytes of the packet, without trailing bytes such as Ethernet padding.
    pub(crate) len: usize,
    pub(crate) content: DecodedPayload,
}

/// Payload of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DecodedPayload {
    /// A TCP segment, whether it has MPTCP options, and those that were understood.
    Tcp { segment: Segment, multipath: bool, mptcp: mptcp::Options },
    /// A datagram with its payload size and its stamp.
    Udp { payload: u16, stamp: u64 },
    /// Another protocol, or a fragment.
    Other { protocol: u8 },
}

impl DecodedPacket {
    /// Decodes a packet. A malformed TCP or UDP header makes it `Other`, to be refused by its receiver, because routers check
    /// only the IP header (RFC 1812 §5.2.2).
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let frame = Ipv4Frame::parse(bytes)?;
        let ip = frame.packet();
        let known = match ip.protocol() {
            protocol::TCP if !ip.is_fragment() => tcp(ip),
            protocol::UDP if !ip.is_fragment() => udp(ip),
            _ => None,
        };
        let (ports, content) = known.unwrap_or(((0, 0), DecodedPayload::Other { protocol: ip.protocol() }));
        let tuple = Tuple {
            local: ip.src().into(),
            remote: ip.dst().into(),
            local_port: ports.0,
            remote_port: ports.1,
        };
        Ok(Self {
            tuple,
            dscp: ip.dscp(),
            ecn: ip.ecn(),
            ttl: ip.ttl(),
            dont_fragment: ip.dont_fragment(),
            len: usize::from(ip.total_len()),
            content,
        })
    }
}

fn tcp(ip: &Ipv4Packet<&[u8]>) -> Option<((u16, u16), DecodedPayload)> {
    let packet = TcpPacket::new_checked(ip.payload()).ok()?;
    let header = TcpRepr::parse(&packet).ok()?;
    let mut sack = SackBlocks::NONE;
    for (left, right) in header.options.sack.as_slice() {
        sack.push(SeqNumber(*left), SeqNumber(*right));
    }
    let ae = if header.ae { Flags::AE } else { Flags::default() };
    let segment = Segment {
        seq: SeqNumber(header.seq),
        ack: SeqNumber(header.ack),
        window: header.window,
        flags: Flags(header.flags).without(Flags::AE).with(ae),
        ecn: ip.ecn(),
        payload: packet.payload().len() as u32,
        altered: false,
        timestamps: header.options.timestamps.map(|(value, echo)| Timestamps { value, echo }),
        sack,
        mss: header.options.mss,
        window_scale: header.options.window_scale,
        sack_permitted: header.options.sack_permitted,
        repeated: false,
    };
    let multipath = header.options.raw.iter().any(|(kind, _)| kind == KIND);
    let mptcp =
        if multipath { options_of(&header.options.raw, packet.payload()) } else { mptcp::Options::NONE };
    Some(((header.src_port, header.dst_port), DecodedPayload::Tcp { segment, multipath, mptcp }))
}

fn udp(ip: &Ipv4Packet<&[u8]>) -> Option<((u16, u16), DecodedPayload)> {
    let packet = UdpPacket::new_checked(ip.payload()).ok()?;
    let payload = packet.payload().len() as u16;
    let stamp = datagram_stamp::read(packet.payload());
    Some(((packet.src_port(), packet.dst_port()), DecodedPayload::Udp { payload, stamp }))
}
