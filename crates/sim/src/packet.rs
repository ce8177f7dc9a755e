//! The simulator's packet: a small `Copy` header, one cache line, with rare TCP options kept aside.

use crate::sockets::SocketId;
use crate::source_route::{Itinerary, RouteId, SourceRoutes};
use tailrace_app::Datagram;
use tailrace_core::packet::protocol;
use tailrace_core::{Bytes, Dscp, Ecn, FlowKey, Instant, Label, Packet, Sack, SackRanges, TcpAck};
use tailrace_net::{Address, Routed};
use tailrace_transport::mptcp;
use tailrace_transport::segment::{Flags, SackBlocks, Segment, SeqNumber, Timestamps};

/// One end of a flow, by number: twice the flow's, plus one for its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FlowEnd(pub(crate) u32);

impl FlowEnd {
    pub(crate) fn client(flow: usize) -> Self {
        Self(flow as u32 * 2)
    }
    pub(crate) fn flow(self) -> usize {
        self.0 as usize / 2
    }
    pub(crate) fn is_server(self) -> bool {
        self.0 & 1 == 1
    }
    pub(crate) fn peer(self) -> Self {
        Self(self.0 ^ 1)
    }
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimPacket {
    pub(crate) sent_at: Instant,
    pub(crate) source: Address,
    pub(crate) destination: Address,
    /// Whom it is for. Not in the header: for observers, who count it to its flow.
    pub(crate) to: FlowEnd,
    /// The socket there, where its sender knows one. Not in the header: it spares the receiver a search, and is checked.
    pub(crate) socket: SocketId,
    /// IP size.
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
    /// No IP packet has more than 65535 bytes.
    pub(crate) payload: u16,
    flags: Flags,
    ecn: Ecn,
    dscp: Dscp,
    /// What else there is to know about it: [`MULTIPATH`], [`REPEATED`], [`ALTERED`], [`FIXED`], [`DATAGRAM`], [`STAMPED`].
    marks: u8,
}

/// A middlebox has changed its payload.
const ALTERED: u8 = 4;
/// It carries MPTCP options, so that what filters ACKs leaves it alone.
const MULTIPATH: u8 = 1;
/// Its bytes may have been sent before. Not in the header: for observers.
const REPEATED: u8 = 2;
/// Its header has one length, whatever options stand in it.
const FIXED: u8 = 8;
/// It is UDP's, not TCP's.
const DATAGRAM: u8 = 16;
/// It carries timestamps.
const STAMPED: u8 = 32;

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
            timestamps: self.is_stamped().then_some((self.ts_value, self.ts_echo)),
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

/// Addresses, ports and class of one end of a flow, as its packets carry them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    pub(crate) source: Address,
    pub(crate) destination: Address,
    pub(crate) source_port: u16,
    pub(crate) destination_port: u16,
    pub(crate) dscp: Dscp,
    /// The other end of the flow.
    pub(crate) to: FlowEnd,
    /// The socket there, once it is known.
    pub(crate) peer: SocketId,
}

impl Envelope {
    /// Addresses and ports, this end's first.
    pub(crate) fn tuple(&self) -> mptcp::Tuple {
        mptcp::Tuple {
            local: self.source.0,
            remote: self.destination.0,
            local_port: self.source_port,
            remote_port: self.destination_port,
        }
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

    /// A UDP datagram, with so many bytes of headers.
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
            to: envelope.to,
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

    /// A TCP segment; `header` fixes the bytes beside the payload, else they are those of real headers.
    #[inline]
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
            to: envelope.to,
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

    /// The datagram it is, as applications see it; its stamp lies where a segment has its timestamps.
    pub(crate) fn datagram(&self) -> Datagram {
        let stamp = u64::from(self.ts_value) | u64::from(self.ts_echo) << 32;
        Datagram { payload: self.payload, stamp }
    }

    pub(crate) const fn is_datagram(&self) -> bool {
        self.marks & DATAGRAM != 0
    }

    /// IP's number of what it carries.
    pub(crate) const fn protocol(&self) -> u8 {
        if self.is_datagram() { protocol::UDP } else { protocol::TCP }
    }

    const fn is_stamped(&self) -> bool {
        self.marks & STAMPED != 0
    }

    const fn is_multipath(&self) -> bool {
        self.marks & MULTIPATH != 0
    }

    /// Whether its bytes may have been sent before.
    #[inline]
    pub(crate) const fn is_repeated(&self) -> bool {
        self.marks & REPEATED != 0
    }

    /// Whether a middlebox has changed its payload.
    #[inline]
    pub(crate) const fn is_altered(&self) -> bool {
        self.marks & ALTERED != 0
    }

    /// A middlebox changes its payload.
    pub(crate) fn alter(&mut self) {
        self.marks |= ALTERED;
    }

    /// The segment it carries.
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

    /// The ranges of its SACK option.
    pub(crate) fn sack(&self, options: &OptionsArena) -> SackRanges {
        let ranges = options.load(self.options).map_or(&[][..], |rare| rare.sack.as_slice());
        ranges.iter().map(|(left, right)| (left.0, right.0)).collect()
    }

    /// Gives back what the packet holds in the arena; it is at its end.
    #[inline]
    pub(crate) fn release(&self, options: &mut OptionsArena) {
        options.free(self.options);
    }

    /// What the sender of this packet returns to its receiver: the label of a packet that came from there.
    pub(crate) fn echo(&self, options: &OptionsArena) -> Label {
        options.load(self.options).map_or(Label::NONE, |rare| rare.echo)
    }

    /// Lets the packet carry `echo`.
    pub(crate) fn set_echo(&mut self, echo: Label, options: &mut OptionsArena) {
        self.options = options.with_echo(self.options, echo);
    }

    /// Lets the packet carry MPTCP options.
    pub(crate) fn set_mptcp(&mut self, mptcp: &mptcp::Options, options: &mut OptionsArena) {
        if !mptcp.is_empty() {
            self.marks |= MULTIPATH;
            self.options = options.with_mptcp(self.options, mptcp);
        }
    }

    /// Its MPTCP options.
    pub(crate) fn mptcp(&self, options: &OptionsArena) -> mptcp::Options {
        options
            .place_of_mptcp(self.options)
            .map_or(mptcp::Options::NONE, |place| options.mptcp[place as usize])
    }

    /// Lets the packet go by a source route: first to its first gateway.
    pub(crate) fn set_route(&mut self, route: RouteId, options: &mut OptionsArena) {
        let (itinerary, first, len) = options.source_routes.set_out(route, self.destination);
        (self.destination, self.size) = (first, self.size + len);
        self.options = options.with_itinerary(self.options, itinerary);
    }

    /// How far it is on its source route.
    pub(crate) fn itinerary(&self, options: &OptionsArena) -> Option<Itinerary> {
        options.load(self.options).and_then(|rare| rare.itinerary)
    }

    /// It is where it was addressed to: it is addressed to its next stop, if it has one.
    pub(crate) fn next_stop(&mut self, options: &mut OptionsArena) -> bool {
        let OptionsArena { slots, source_routes, .. } = options;
        let itinerary = slots.get_mut(self.options.0 as usize).and_then(|rare| rare.itinerary.as_mut());
        let next = itinerary.and_then(|i| source_routes.next_stop(i));
        next.map(|next| self.destination = next).is_some()
    }

    /// A middlebox takes its MPTCP options out; the packet becomes smaller by them, unless its header is of a fixed length.
    pub(crate) fn strip_mptcp(&mut self, options: &mut OptionsArena) {
        if self.is_multipath() {
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

/// Place of a packet's rare options in the arena: of those of Multipath TCP where it has no others, as most of its
/// packets; else among the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OptionsId(u32);

/// The bit of places of Multipath TCP's options.
const MPTCP_ALONE: u32 = 1 << 31;

impl OptionsId {
    const NONE: Self = Self(u32::MAX);

    /// The place of MPTCP options that stand alone.
    #[inline]
    fn alone(self) -> Option<u32> {
        (self != Self::NONE && self.0 & MPTCP_ALONE != 0).then_some(self.0 & !MPTCP_ALONE)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct RareOptions {
    sack: SackBlocks,
    mss: Option<u16>,
    window_scale: Option<u8>,
    sack_permitted: bool,
    /// See [`SimPacket::echo`].
    echo: Label,
    /// Place of MPTCP options, kept apart for their size.
    mptcp: Option<u32>,
    itinerary: Option<Itinerary>,
}

/// Options that few packets carry, out of the way of the many that do not.
#[derive(Debug, Default)]
pub(crate) struct OptionsArena {
    slots: Vec<RareOptions>,
    free: Vec<u32>,
    mptcp: Vec<mptcp::Options>,
    mptcp_free: Vec<u32>,
    /// What itineraries are about.
    pub(crate) source_routes: SourceRoutes,
}

impl OptionsArena {
    /// Room for the options of a run with such routes.
    pub(crate) fn new(source_routes: SourceRoutes) -> Self {
        Self { source_routes, ..Self::default() }
    }

    #[inline]
    fn store(&mut self, s: &Segment) -> OptionsId {
        if s.sack.is_empty() && s.mss.is_none() && s.window_scale.is_none() && !s.sack_permitted {
            return OptionsId::NONE;
        }
        let rare = RareOptions {
            sack: s.sack,
            mss: s.mss,
            window_scale: s.window_scale,
            sack_permitted: s.sack_permitted,
            echo: Label::NONE,
            mptcp: None,
            itinerary: None,
        };
        self.keep(rare)
    }

    #[inline]
    fn keep(&mut self, rare: RareOptions) -> OptionsId {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = rare;
            OptionsId(slot)
        } else {
            self.slots.push(rare);
            OptionsId(self.slots.len() as u32 - 1)
        }
    }

    /// The options of a packet that returns a label, too.
    fn with_echo(&mut self, id: OptionsId, echo: Label) -> OptionsId {
        let id = self.with_slot(id);
        self.slots[id.0 as usize].echo = echo;
        id
    }

    #[inline]
    fn load(&self, id: OptionsId) -> Option<&RareOptions> {
        self.slots.get(id.0 as usize)
    }

    #[inline]
    fn free(&mut self, id: OptionsId) {
        if let Some(place) = id.alone() {
            self.mptcp_free.push(place);
        } else if id != OptionsId::NONE {
            self.mptcp_free.extend(self.slots[id.0 as usize].mptcp.take());
            self.free.push(id.0);
        }
    }

    /// The options of a packet that is to have others than those of Multipath TCP.
    fn with_slot(&mut self, id: OptionsId) -> OptionsId {
        if id != OptionsId::NONE && id.alone().is_none() {
            return id;
        }
        self.keep(RareOptions { mptcp: id.alone(), ..RareOptions::default() })
    }

    #[inline]
    fn place_of_mptcp(&self, id: OptionsId) -> Option<u32> {
        id.alone().or_else(|| self.load(id)?.mptcp)
    }

    /// The options of a packet that has MPTCP options, too.
    fn with_mptcp(&mut self, id: OptionsId, options: &mptcp::Options) -> OptionsId {
        let place = match self.mptcp_free.pop() {
            Some(place) => {
                self.mptcp[place as usize] = *options;
                place
            }
            None => {
                self.mptcp.push(*options);
                self.mptcp.len() as u32 - 1
            }
        };
        match self.slots.get_mut(id.0 as usize) {
            Some(rare) => {
                rare.mptcp = Some(place);
                id
            }
            None => OptionsId(place | MPTCP_ALONE),
        }
    }

    /// The options of a packet that goes by a source route, too.
    fn with_itinerary(&mut self, id: OptionsId, itinerary: Itinerary) -> OptionsId {
        let id = self.with_slot(id);
        self.slots[id.0 as usize].itinerary = Some(itinerary);
        id
    }

    /// Takes MPTCP's from a packet's options; returns what is left, and their length.
    fn without_mptcp(&mut self, id: OptionsId) -> (OptionsId, u32) {
        let Some(place) = self.place_of_mptcp(id) else { return (id, 0) };
        self.mptcp_free.push(place);
        let len = self.mptcp[place as usize].len();
        match self.slots.get_mut(id.0 as usize) {
            Some(rare) => {
                rare.mptcp = None;
                (id, len)
            }
            None => (OptionsId::NONE, len),
        }
    }

    /// Places there are.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.slots.len() + self.mptcp.len()
    }

    /// Packets that hold options at the moment.
    pub(crate) fn in_use(&self) -> usize {
        let both = self.slots.iter().filter(|rare| rare.mptcp.is_some()).count();
        self.slots.len() - self.free.len() + self.mptcp.len() - self.mptcp_free.len() - both
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_one_cache_line() {
        assert!(size_of::<SimPacket>() <= 64, "{}", size_of::<SimPacket>());
    }

    #[test]
    fn a_segment_survives_the_journey_and_leaves_nothing_behind() {
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
