//! The simulator's packet: a small `Copy` header, one cache line, with rare TCP options kept aside.

use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::flow_end::PacketOwner;
use crate::packet::frame_decode::{DecodedPacket, DecodedPayload};
use crate::packet::options_arena::OptionsArena;
use crate::packet::options_arena::{OptionsId, UsualOptions};
use crate::packet::socket_id::SocketId;
use crate::packet::source_route::{Itinerary, RouteId};
use tailrace_app::Datagram;
use tailrace_core::packet::protocol;
use tailrace_core::{Bytes, Dscp, Ecn, FlowKey, Instant, Label, Packet, Sack, SackRanges, TcpAck};
use tailrace_net::{Address, Fabric, Routed};
use tailrace_transport::mptcp;
use tailrace_transport::segment::{Flags, Segment, SeqNumber, Timestamps};
use tailrace_wire::rewrite;
use tailrace_wire::tcp::mptcp::KIND as MPTCP_KIND;

/// The network fabric that carries the simulator's packets.
pub(crate) type SimFabric = Fabric<SimPacket>;

/// A packet in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimPacket {
    pub(crate) sent_at: Instant,
    pub(crate) source: Address,
    pub(crate) destination: Address,
    /// Owner that the packet is counted for. Not in the header.
    pub(crate) to: PacketOwner,
    /// Receiving socket, if the sender knows it. Not in the header: it saves the receiver a lookup, and is checked.
    pub(crate) socket: SocketId,
    /// IP size in bytes.
    pub(crate) size: u32,
    pub(crate) seq: SeqNumber,
    ack: SeqNumber,
    ts_value: u32,
    ts_echo: u32,
    label: Label,
    options: OptionsId,
    window: u16,
    pub(crate) source_port: u16,
    pub(crate) destination_port: u16,
    /// Payload in bytes; an IP packet has at most 65535 bytes.
    pub(crate) payload: u16,
    flags: Flags,
    ecn: Ecn,
    dscp: Dscp,
    /// Flag bits: [`MULTIPATH`], [`REPEATED`], [`ALTERED`], [`FIXED`], [`DATAGRAM`], [`STAMPED`] or [`OTHER`], [`DAMAGED`],
    /// [`COPY`].
    marks: u8,
}

/// Payload changed by a middlebox.
const ALTERED: u8 = 4;
/// MPTCP options present, so that ACK filters leave the packet alone.
const MULTIPATH: u8 = 1;
/// Possible retransmission. Not in the header: for observers.
const REPEATED: u8 = 2;
/// Header length fixed by the scenario, whatever options it has.
const FIXED: u8 = 8;
/// UDP datagram, not TCP.
const DATAGRAM: u8 = 16;
/// TCP timestamps present.
const STAMPED: u8 = 32;
/// Shares its bit with `STAMPED` for packets that are not TCP: neither UDP, or a fragment; the window field holds the protocol
/// number.
const OTHER: u8 = STAMPED;
/// Bits damaged by a link.
const DAMAGED: u8 = 64;
/// Duplicate made by a link. Not in the header: for observers.
const COPY: u8 = 128;

impl Packet for SimPacket {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.size))
    }
    #[inline]
    fn flow(&self) -> FlowKey {
        FlowKey {
            src: self.source.0,
            dst: self.destination.0,
            src_port: self.source_port,
            dst_port: self.destination_port,
            protocol: self.protocol(),
        }
    }
    #[inline]
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    #[inline]
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn dscp(&self) -> Dscp {
        self.dscp
    }
    fn set_dscp(&mut self, dscp: Dscp) {
        self.dscp = dscp;
    }
    fn tcp_ack(&self) -> Option<TcpAck> {
        (self.marks & (DATAGRAM | MULTIPATH) == 0).then(|| TcpAck {
            ack: self.ack.0,
            flags: self.flags.0,
            payload: u32::from(self.payload),
            timestamps: self.timestamps(),
            sack: match self.options {
                OptionsId::NONE => Sack::Here(SackRanges::default()),
                _ => Sack::Apart,
            },
        })
    }
    fn label(&self) -> Label {
        self.label
    }
    fn set_label(&mut self, label: Label) {
        self.label = label;
    }
}

impl Routed for SimPacket {
    #[inline]
    fn destination(&self) -> Address {
        self.destination
    }
}

impl SimPacket {
    /// Addresses and ports as its receiver sees them.
    pub(crate) fn tuple(&self) -> mptcp::Tuple {
        mptcp::Tuple {
            local: self.destination.0,
            remote: self.source.0,
            local_port: self.destination_port,
            remote_port: self.source_port,
        }
    }

    /// Envelope of a reply to this packet: `envelope` with the packet's addresses and ports reversed.
    pub(crate) fn reply_envelope(&self, envelope: Envelope) -> Envelope {
        Envelope {
            source: self.destination,
            destination: self.source,
            source_port: self.destination_port,
            destination_port: self.source_port,
            ..envelope
        }
    }

    /// A UDP datagram with this many bytes of headers.
    pub(crate) fn udp(
        envelope: &Envelope,
        datagram: Datagram,
        (header, ecn): (u32, Ecn),
        seq: u32,
        now: Instant,
    ) -> Self {
        let Datagram { payload, stamp } = datagram;
        Self {
            sent_at: now,
            source: envelope.source,
            destination: envelope.destination,
            to: envelope.to.into(),
            socket: envelope.peer,
            size: u32::from(payload) + header,
            seq: SeqNumber(seq),
            ack: SeqNumber(0),
            ts_value: stamp as u32,
            ts_echo: (stamp >> 32) as u32,
            label: Label::NONE,
            options: OptionsId::NONE,
            window: 0,
            source_port: envelope.source_port,
            destination_port: envelope.destination_port,
            payload,
            flags: Flags::default(),
            ecn,
            dscp: envelope.dscp,
            marks: DATAGRAM,
        }
    }

    /// A TCP segment; `header` fixes the bytes besides the payload, else they are those of real headers.
    #[inline(always)]
    pub(crate) fn tcp(
        envelope: &Envelope,
        segment: &Segment,
        header: Option<u32>,
        options: &mut OptionsArena,
        now: Instant,
    ) -> Self {
        let timestamps = segment.timestamps.unwrap_or_default();
        Self {
            sent_at: now,
            source: envelope.source,
            destination: envelope.destination,
            to: envelope.to.into(),
            socket: envelope.peer,
            size: segment.payload + header.unwrap_or_else(|| 40 + segment.options_len()),
            seq: segment.seq,
            ack: segment.ack,
            ts_value: timestamps.value,
            ts_echo: timestamps.echo,
            label: Label::NONE,
            options: options.store(segment),
            window: segment.window,
            source_port: envelope.source_port,
            destination_port: envelope.destination_port,
            payload: segment.payload as u16,
            flags: segment.flags,
            ecn: segment.ecn,
            dscp: envelope.dscp,
            marks: if segment.repeated { REPEATED } else { 0 }
                | if header.is_some() { FIXED } else { 0 }
                | if segment.timestamps.is_some() { STAMPED } else { 0 },
        }
    }

    /// Datagram as applications see it; its stamp lies where a segment has its timestamps.
    pub(crate) fn datagram(&self) -> Datagram {
        let stamp = u64::from(self.ts_value) | u64::from(self.ts_echo) << 32;
        Datagram { payload: self.payload, stamp }
    }

    /// A foreign host's packet, from its decoded headers; its bytes go into the arena.
    pub(crate) fn foreign(
        frame: &DecodedPacket,
        (bytes, to): (&[u8], PacketOwner),
        options: &mut OptionsArena,
        now: Instant,
    ) -> Self {
        let envelope = Envelope {
            source: Address(frame.tuple.local),
            destination: Address(frame.tuple.remote),
            source_port: frame.tuple.local_port,
            destination_port: frame.tuple.remote_port,
            dscp: frame.dscp,
            to: FlowEnd(0),
            peer: SocketId::NONE,
        };
        let mut pkt = match &frame.content {
            DecodedPayload::Tcp { segment, multipath, mptcp } => {
                let mut pkt = Self::tcp(&envelope, segment, None, options, now);
                pkt.set_mptcp(mptcp, options);
                pkt.marks |= if *multipath { MULTIPATH } else { 0 };
                pkt
            }
            DecodedPayload::Udp { payload, stamp } => {
                let datagram = Datagram { payload: *payload, stamp: *stamp };
                Self::udp(&envelope, datagram, (0, frame.ecn), 0, now)
            }
            DecodedPayload::Other { protocol } => {
                let mut pkt = Self::udp(&envelope, Datagram { payload: 0, stamp: 0 }, (0, frame.ecn), 0, now);
                (pkt.window, pkt.marks) = (u16::from(*protocol), DATAGRAM | OTHER);
                pkt
            }
        };
        (pkt.size, pkt.to) = (frame.len as u32, to);
        pkt.options = options.with_frame(pkt.options, &bytes[..frame.len]);
        pkt
    }

    pub(crate) const fn is_datagram(&self) -> bool {
        self.marks & DATAGRAM != 0
    }

    /// IP protocol number.
    pub(crate) const fn protocol(&self) -> u8 {
        match self.marks & (DATAGRAM | OTHER) {
            0 | STAMPED => protocol::TCP,
            DATAGRAM => protocol::UDP,
            _ => self.window as u8,
        }
    }

    const fn is_stamped(&self) -> bool {
        self.marks & STAMPED != 0
    }

    /// Whether a link has damaged bits of it.
    #[inline]
    pub(crate) const fn is_damaged(&self) -> bool {
        self.marks & DAMAGED != 0
    }

    /// Marks it as damaged by a link.
    pub(crate) fn damage(&mut self) {
        self.marks |= DAMAGED;
    }

    /// Whether a link made it as a duplicate: its sender sent only the original.
    #[inline]
    pub(crate) const fn is_copy(&self) -> bool {
        self.marks & COPY != 0
    }

    /// Copies the packet with its arena entries.
    pub(crate) fn copy(&self, options: &mut OptionsArena) -> Self {
        Self { options: options.copy(self.options), marks: self.marks | COPY, ..*self }
    }

    /// Whether it carries MPTCP options.
    pub(crate) const fn is_multipath(&self) -> bool {
        self.marks & MULTIPATH != 0
    }

    /// Whether its bytes may have been sent before (a retransmission).
    #[inline]
    pub(crate) const fn is_repeated(&self) -> bool {
        self.marks & REPEATED != 0
    }

    /// Whether a middlebox has changed its payload.
    #[inline]
    pub(crate) const fn is_altered(&self) -> bool {
        self.marks & ALTERED != 0
    }

    /// Marks its payload as changed by a middlebox.
    pub(crate) fn alter(&mut self, options: &mut OptionsArena) {
        self.marks |= ALTERED;
        if let Some(bytes) = options.frame_mut(self.options) {
            rewrite::alter_payload(bytes);
        }
    }

    /// Whether it is an unchanged TCP segment with no options but timestamps.
    #[inline]
    pub(crate) fn is_plain_segment(&self) -> bool {
        self.options == OptionsId::NONE && self.marks & (DATAGRAM | ALTERED) == 0
    }

    #[inline]
    pub(crate) const fn ack(&self) -> SeqNumber {
        self.ack
    }

    #[inline]
    pub(crate) const fn flags(&self) -> Flags {
        self.flags
    }

    /// Window field, unscaled.
    #[inline]
    pub(crate) const fn window(&self) -> u16 {
        self.window
    }

    /// TCP timestamps: value and echo reply.
    #[inline]
    pub(crate) fn timestamps(&self) -> Option<(u32, u32)> {
        self.is_stamped().then_some((self.ts_value, self.ts_echo))
    }

    /// TCP segment that it carries.
    #[inline]
    pub(crate) fn segment(&self, options: &OptionsArena) -> Segment {
        let mut segment = Segment {
            seq: self.seq,
            ack: self.ack,
            window: self.window,
            flags: self.flags,
            ecn: self.ecn,
            payload: u32::from(self.payload),
            altered: self.is_altered(),
            timestamps: self.is_stamped().then_some(Timestamps { value: self.ts_value, echo: self.ts_echo }),
            ..Segment::default()
        };
        if let Some(rare) = options.load(self.options) {
            segment.sack = rare.sack;
            segment.mss = rare.mss;
            segment.window_scale = rare.window_scale;
            segment.sack_permitted = rare.sack_permitted;
        }
        segment
    }

    /// The same packet with another destination, whatever its bytes contain.
    pub(crate) const fn readdressed(mut self, destination: Address) -> Self {
        self.destination = destination;
        self
    }

    /// Whether it has bytes, as foreign hosts' packets do.
    pub(crate) fn has_bytes(&self, options: &OptionsArena) -> bool {
        self.frame(options).is_some()
    }

    /// Bytes of a foreign host's packet, as sent except for middlebox changes.
    pub(crate) fn frame<'a>(&self, options: &'a OptionsArena) -> Option<&'a [u8]> {
        options.frame(self.options)
    }

    /// Place of its bytes, which is unique while it is in flight.
    pub(crate) fn frame_place(&self, options: &OptionsArena) -> Option<usize> {
        options.frame_place(self.options)
    }

    /// Ranges of its SACK option.
    pub(crate) fn sack(&self, options: &OptionsArena) -> SackRanges {
        let ranges = options.load(self.options).map_or(&[][..], |rare| rare.sack.as_slice());
        ranges.iter().map(|(left, right)| (left.0, right.0)).collect()
    }

    /// SACK blocks and data sequence signal of an unchanged TCP segment with no other options but timestamps; else `None`.
    pub(crate) fn usual_options<'a>(&self, options: &'a OptionsArena) -> Option<UsualOptions<'a>> {
        if self.marks & (DATAGRAM | ALTERED) == 0 { options.usual(self.options) } else { None }
    }

    /// Releases the packet's arena entries at its end.
    #[inline]
    pub(crate) fn release(&self, options: &mut OptionsArena) {
        options.free(self.options);
    }

    /// Label returned by its sender: that of a packet received from this packet's receiver.
    pub(crate) fn echo(&self, options: &OptionsArena) -> Label {
        options.load(self.options).map_or(Label::NONE, |rare| rare.echo)
    }

    /// Sets the returned label `echo`.
    pub(crate) fn set_echo(&mut self, echo: Label, options: &mut OptionsArena) {
        self.options = options.with_echo(self.options, echo);
    }

    /// Sets MPTCP options.
    pub(crate) fn set_mptcp(&mut self, mptcp: &mptcp::Options, options: &mut OptionsArena) {
        if !mptcp.is_empty() {
            self.marks |= MULTIPATH;
            self.options = options.with_mptcp(self.options, mptcp);
        }
    }

    /// MPTCP options.
    pub(crate) fn mptcp<'a>(&self, options: &'a OptionsArena) -> &'a mptcp::Options {
        options.mptcp_of(self.options).unwrap_or(&mptcp::Options::NONE)
    }

    /// Sets a source route and addresses the packet to its first gateway.
    pub(crate) fn set_route(&mut self, route: RouteId, options: &mut OptionsArena) {
        let (itinerary, first, len) = options.source_routes.set_out(route, self.destination);
        (self.destination, self.size) = (first, self.size + len);
        self.options = options.with_itinerary(self.options, itinerary);
    }

    /// Progress on its source route.
    pub(crate) fn itinerary(&self, options: &OptionsArena) -> Option<Itinerary> {
        options.load(self.options).and_then(|rare| rare.itinerary)
    }

    /// Addresses a packet that has reached its destination to its next stop on a source route, if any.
    pub(crate) fn next_stop(&mut self, options: &mut OptionsArena) -> bool {
        let next = options.next_stop(self.options);
        next.map(|next| self.destination = next).is_some()
    }

    /// Strips MPTCP options (middlebox); the packet shrinks accordingly, unless its header length is fixed.
    pub(crate) fn strip_mptcp(&mut self, options: &mut OptionsArena) {
        if let Some(bytes) = options.frame_mut(self.options) {
            self.size -= rewrite::strip_tcp_option(bytes, MPTCP_KIND) as u32;
            self.options = options.without_mptcp(self.options).0;
            self.marks &= !MULTIPATH;
        } else if self.is_multipath() {
            let (left, len) = options.without_mptcp(self.options);
            self.options = left;
            if self.marks & FIXED == 0 {
                self.size -= len;
            }
            self.marks &= !MULTIPATH;
        }
    }

    /// Whether it is a SYN or SYN-ACK.
    pub(crate) fn opens(&self) -> bool {
        !self.is_datagram() && self.flags.has(Flags::SYN)
    }

    pub(crate) fn is_syn(&self) -> bool {
        self.opens() && !self.flags.has(Flags::ACK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_transport::segment::SackBlocks;

    #[test]
    fn a_packet_is_one_cache_line() {
        assert!(size_of::<SimPacket>() <= 64, "{}", size_of::<SimPacket>());
    }

    #[test]
    fn segment_round_trip_leaves_arena_empty() {
        let mut sack = SackBlocks::NONE;
        sack.push(SeqNumber(10), SeqNumber(20));
        let segment = Segment {
            seq: SeqNumber(u32::MAX),
            ack: SeqNumber(7),
            window: 512,
            flags: Flags::ACK,
            ecn: Ecn::Ect0,
            payload: 1000,
            timestamps: Some(Timestamps { value: 1, echo: 2 }),
            sack,
            ..Segment::default()
        };
        let envelope = Envelope {
            source: Address::from_index(0),
            destination: Address::from_index(1),
            source_port: 1,
            destination_port: 2,
            dscp: Dscp(46),
            to: FlowEnd(1),
            peer: SocketId::NONE,
        };
        let mut arena = OptionsArena::default();
        let pkt = SimPacket::tcp(&envelope, &segment, None, &mut arena, Instant::ZERO);
        assert_eq!(pkt.segment(&arena), segment);
        let view = pkt.tcp_ack().expect("TCP");
        assert_eq!((view.ack, view.flags, view.payload, view.timestamps), (7, 0x10, 1000, Some((1, 2))));
        assert_eq!((view.sack, pkt.sack(&arena).as_slice()), (Sack::Apart, &[(10, 20)][..]));
        assert_eq!(pkt.dscp(), Dscp(46));
        // IPv4 20 + TCP 20 + timestamps 12 + one SACK block 12.
        assert_eq!(pkt.size, 1000 + 64);
        pkt.release(&mut arena);
        assert_eq!(arena.in_use(), 0);
    }
}
