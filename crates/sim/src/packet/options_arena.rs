//! Arena of rare packet fields, so that the header of the common packet stays small.

use crate::packet::address_changes::AddressChanges;
use crate::packet::frame_store::{FrameId, FrameStore};
use crate::packet::source_route::{Itinerary, SourceRoutes};
use tailrace_core::Label;
use tailrace_net::Address;
use tailrace_transport::mptcp;
use tailrace_transport::mptcp::option::Dss;
use tailrace_transport::segment::{SackBlocks, Segment, SeqNumber};

/// Place of a packet's rare fields in the arena: directly in the table of MPTCP options if it has no others, as is usual for
/// MPTCP packets; else in the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionsId(u32);

/// Bit that marks a place in the table of MPTCP options.
const MPTCP_ALONE: u32 = 1 << 31;

impl OptionsId {
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// Place of MPTCP options without others.
    #[inline]
    fn alone(self) -> Option<u32> {
        (self != Self::NONE && self.0 & MPTCP_ALONE != 0).then_some(self.0 & !MPTCP_ALONE)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RareOptions {
    pub(crate) sack: SackBlocks,
    pub(crate) mss: Option<u16>,
    pub(crate) window_scale: Option<u8>,
    pub(crate) sack_permitted: bool,
    /// Label returned, see [`SimPacket::echo`](super::SimPacket::echo).
    pub(crate) echo: Label,
    /// Place of MPTCP options, kept apart for their size.
    mptcp: Option<u32>,
    pub(crate) itinerary: Option<Itinerary>,
    /// Bytes of a foreign host's packet.
    frame: Option<FrameId>,
}

impl RareOptions {
    /// Whether only SACK and MPTCP options of it show on the wire.
    fn is_usual(&self) -> bool {
        let Self { sack: _, mss, window_scale, sack_permitted, echo: _, mptcp: _, itinerary, frame } = self;
        let opens = mss.is_some() || window_scale.is_some() || *sack_permitted;
        !opens && itinerary.is_none() && frame.is_none()
    }
}

/// SACK blocks, and a data sequence signal.
pub(crate) type UsualOptions<'a> = (&'a [(SeqNumber, SeqNumber)], Option<&'a Dss>);

/// Rare fields of all packets in flight.
#[derive(Debug, Default)]
pub(crate) struct OptionsArena {
    slots: Vec<RareOptions>,
    free: Vec<u32>,
    mptcp: Vec<mptcp::Options>,
    mptcp_free: Vec<u32>,
    frames: FrameStore,
    /// Source routes that itineraries refer to.
    pub(crate) source_routes: SourceRoutes,
    /// Address changes, because paths are named by first addresses.
    pub(crate) address_changes: AddressChanges,
}

impl OptionsArena {
    /// Arena for a run with these routes and address changes.
    pub(crate) fn new(source_routes: SourceRoutes, address_changes: AddressChanges) -> Self {
        Self { source_routes, address_changes, ..Self::default() }
    }

    #[inline]
    pub(crate) fn store(&mut self, s: &Segment) -> OptionsId {
        if s.has_only_timestamps() {
            return OptionsId::NONE;
        }
        let rare = RareOptions {
            sack: s.sack,
            mss: s.mss,
            window_scale: s.window_scale,
            sack_permitted: s.sack_permitted,
            ..RareOptions::default()
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

    /// Adds a returned label to the fields of a packet.
    pub(crate) fn with_echo(&mut self, id: OptionsId, echo: Label) -> OptionsId {
        let id = self.with_slot(id);
        self.slots[id.0 as usize].echo = echo;
        id
    }

    #[inline]
    pub(crate) fn load(&self, id: OptionsId) -> Option<&RareOptions> {
        self.slots.get(id.0 as usize)
    }

    #[inline(always)]
    pub(crate) fn free(&mut self, id: OptionsId) {
        if let Some(place) = id.alone() {
            self.mptcp_free.push(place);
        } else if id != OptionsId::NONE {
            self.free_slot(id);
        }
    }

    #[inline(never)]
    fn free_slot(&mut self, id: OptionsId) {
        let slot = &mut self.slots[id.0 as usize];
        self.mptcp_free.extend(slot.mptcp.take());
        if let Some(frame) = slot.frame.take() {
            self.frames.give_back(frame);
        }
        self.free.push(id.0);
    }

    /// Moves a packet's fields to a slot, which has room for more than MPTCP options.
    fn with_slot(&mut self, id: OptionsId) -> OptionsId {
        if id != OptionsId::NONE && id.alone().is_none() {
            return id;
        }
        self.keep(RareOptions { mptcp: id.alone(), ..RareOptions::default() })
    }

    /// Copies the fields for another packet.
    pub(crate) fn copy(&mut self, id: OptionsId) -> OptionsId {
        if id == OptionsId::NONE {
            return id;
        }
        let multipath = self.mptcp_of(id).copied();
        let bytes = self.frame(id).map(<[u8]>::to_vec);
        let mut copy = match self.load(id) {
            Some(rare) => {
                let rare = RareOptions { mptcp: None, frame: None, ..*rare };
                self.keep(rare)
            }
            None => OptionsId::NONE,
        };
        if let Some(multipath) = multipath {
            copy = self.with_mptcp(copy, &multipath);
        }
        if let Some(bytes) = bytes {
            copy = self.with_frame(copy, &bytes);
        }
        copy
    }

    #[inline]
    fn place_of_mptcp(&self, id: OptionsId) -> Option<u32> {
        id.alone().or_else(|| self.load(id)?.mptcp)
    }

    /// Adds MPTCP options to the fields of a packet.
    pub(crate) fn with_mptcp(&mut self, id: OptionsId, options: &mptcp::Options) -> OptionsId {
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

    pub(crate) fn mptcp_of(&self, id: OptionsId) -> Option<&mptcp::Options> {
        self.place_of_mptcp(id).map(|place| &self.mptcp[place as usize])
    }

    /// SACK blocks and data sequence signal of a packet without other fields.
    pub(crate) fn usual(&self, id: OptionsId) -> Option<UsualOptions<'_>> {
        let sack = match self.load(id) {
            Some(rare) => rare.is_usual().then_some(rare.sack.as_slice())?,
            None => &[],
        };
        let signals = self.mptcp_of(id);
        let is_usual = signals.is_none_or(|options| options.signal.is_none());
        is_usual.then_some((sack, signals.and_then(|options| options.dss.as_ref())))
    }

    /// Next stop of a packet on a source route, if any.
    pub(crate) fn next_stop(&mut self, id: OptionsId) -> Option<Address> {
        let itinerary = self.slots.get_mut(id.0 as usize)?.itinerary.as_mut()?;
        self.source_routes.next_stop(itinerary)
    }

    /// Adds bytes to the fields of a packet.
    pub(crate) fn with_frame(&mut self, id: OptionsId, bytes: &[u8]) -> OptionsId {
        let id = self.with_slot(id);
        self.slots[id.0 as usize].frame = Some(self.frames.keep(bytes));
        id
    }

    pub(crate) fn frame(&self, id: OptionsId) -> Option<&[u8]> {
        self.load(id)?.frame.map(|frame| self.frames.get(frame).as_slice())
    }

    pub(crate) fn frame_place(&self, id: OptionsId) -> Option<usize> {
        self.load(id)?.frame.map(FrameId::place)
    }

    pub(crate) fn frame_mut(&mut self, id: OptionsId) -> Option<&mut Vec<u8>> {
        let frame = self.slots.get(id.0 as usize)?.frame?;
        Some(self.frames.get_mut(frame))
    }

    /// Adds a source route to the fields of a packet.
    pub(crate) fn with_itinerary(&mut self, id: OptionsId, itinerary: Itinerary) -> OptionsId {
        let id = self.with_slot(id);
        self.slots[id.0 as usize].itinerary = Some(itinerary);
        id
    }

    /// Removes MPTCP options from a packet's fields; returns the rest, and their length.
    pub(crate) fn without_mptcp(&mut self, id: OptionsId) -> (OptionsId, u32) {
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

    /// Number of places, used or free.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.slots.len() + self.mptcp.len()
    }

    /// Packets that hold fields at the moment.
    pub(crate) fn in_use(&self) -> usize {
        let both = self.slots.iter().filter(|rare| rare.mptcp.is_some()).count();
        self.slots.len() - self.free.len() + self.mptcp.len() - self.mptcp_free.len() - both
    }
}
