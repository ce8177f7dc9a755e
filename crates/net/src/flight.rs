//! Packets on their way, all in one place.
//!
//! A packet stays where it is from the host that sends it to the host that receives it; a link only threads it
//! into its list ([`Flight`]). So a hop copies nothing, memory grows with the packets in the network rather than
//! with the number of links times their fullest moment, and the slot a packet leaves is the next one to be used,
//! while it is still in the cache.

use crate::{Address, Routed};
use tailrace_core::{Bytes, Instant};

const NIL: u32 = u32::MAX;

/// A packet in the [`Slab`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketId(u32);

impl PacketId {
    /// The id of no packet.
    pub(crate) const NONE: Self = Self(NIL);
}

/// Owner of all packets on links. Links and hosts know them by their ids.
///
/// Of each packet it keeps what a link asks of it apart, in a [`Slip`]: slips are small enough to stay in the cache where the
/// packets of a large network do not, and a packet that crosses a router is not touched at all.
#[derive(Debug)]
pub(crate) struct Slab<P> {
    slips: Vec<Slip>,
    /// Those of the slips at the same places.
    packets: Vec<Option<P>>,
    free: u32,
}

/// What a link needs to know of a packet, and its place among others.
#[derive(Debug)]
struct Slip {
    /// When the next packet of the flight arrives. It stands here, and not in that packet's slip, so that taking
    /// the first packet touches no slip but its own: every other is far away in a large network.
    next_arrives: Instant,
    /// Next in the flight, or in the list of free slips.
    next: u32,
    previous: u32,
    /// The packet's, in bytes; such that do not fit are larger than any link takes.
    size: u32,
    destination: Address,
}

impl<P> Slab<P> {
    pub(crate) fn new() -> Self {
        Self { slips: Vec::new(), packets: Vec::new(), free: NIL }
    }

    #[inline]
    fn put(&mut self, pkt: P, size: u32, destination: Address) -> PacketId {
        let id = self.free;
        if let Some(slip) = self.slips.get_mut(id as usize) {
            self.free = slip.next;
            (slip.size, slip.destination) = (size, destination);
            self.packets[id as usize] = Some(pkt);
            return PacketId(id);
        }
        if self.slips.len() == self.slips.capacity() {
            self.grow();
        }
        self.slips.push(Slip { next_arrives: Instant::MAX, next: NIL, previous: NIL, size, destination });
        self.packets.push(Some(pkt));
        PacketId(self.slips.len() as u32 - 1)
    }

    /// By a quarter, not twofold: in a large network most of the memory is here.
    #[cold]
    fn grow(&mut self) {
        let more = self.slips.len() / 4 + 64;
        self.slips.reserve_exact(more);
        self.packets.reserve_exact(more);
    }

    /// Gives a packet out.
    #[inline]
    pub(crate) fn remove(&mut self, id: PacketId) -> P {
        self.slips[id.0 as usize].next = std::mem::replace(&mut self.free, id.0);
        self.packets[id.0 as usize].take().expect(LIVE)
    }

    /// A packet.
    #[inline]
    pub(crate) fn get(&self, id: PacketId) -> &P {
        self.packets[id.0 as usize].as_ref().expect(LIVE)
    }

    /// The size of a packet.
    #[inline]
    pub(crate) fn size(&self, id: PacketId) -> Bytes {
        Bytes(u64::from(self.slips[id.0 as usize].size))
    }

    /// Where a packet goes.
    #[inline]
    pub(crate) fn destination(&self, id: PacketId) -> Address {
        self.slips[id.0 as usize].destination
    }

    /// All packets, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        self.packets.iter().flatten()
    }
}

impl<P: Routed> Slab<P> {
    /// Takes a packet in.
    #[inline]
    pub(crate) fn insert(&mut self, pkt: P) -> PacketId {
        let (size, destination) = (size_of(&pkt), pkt.destination());
        self.put(pkt, size, destination)
    }

    /// Changes a packet.
    pub(crate) fn change<T>(&mut self, id: PacketId, change: impl FnOnce(&mut P) -> T) -> T {
        let pkt = self.packets[id.0 as usize].as_mut().expect(LIVE);
        let result = change(pkt);
        let slip = &mut self.slips[id.0 as usize];
        (slip.size, slip.destination) = (size_of(pkt), pkt.destination());
        result
    }
}

#[inline]
fn size_of(pkt: &impl Routed) -> u32 {
    u32::try_from(pkt.size().get()).unwrap_or(u32::MAX)
}

const LIVE: &str = "an id is given back with its packet";

/// The packets on the wire of one link, in order of arrival.
#[derive(Debug)]
pub(crate) struct Flight {
    /// When the first one arrives; `Instant::MAX` when there is none.
    first_arrives: Instant,
    /// When the last one arrives; `Instant::ZERO` when there is none.
    last_arrives: Instant,
    head: u32,
    tail: u32,
    len: u32,
}

impl Flight {
    pub(crate) fn new() -> Self {
        Self { first_arrives: Instant::MAX, last_arrives: Instant::ZERO, head: NIL, tail: NIL, len: 0 }
    }

    /// Packets in it.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// The first packet; [`PacketId::NONE`] without any.
    #[inline]
    pub(crate) fn first(&self) -> PacketId {
        PacketId(self.head)
    }

    /// When the first packet arrives; `Instant::MAX` without any.
    #[inline]
    pub(crate) fn first_arrives(&self) -> Instant {
        self.first_arrives
    }

    /// When the last packet arrives; `Instant::ZERO` without any.
    #[inline]
    pub(crate) fn last_arrives(&self) -> Instant {
        self.last_arrives
    }

    /// Adds a packet that arrives no earlier than the others.
    #[inline]
    pub(crate) fn push_back<P>(&mut self, id: PacketId, arrives: Instant, packets: &mut Slab<P>) {
        let slip = &mut packets.slips[id.0 as usize];
        (slip.next, slip.previous) = (NIL, self.tail);
        self.last_arrives = arrives;
        if self.len == 0 {
            (self.head, self.first_arrives) = (id.0, arrives);
        } else {
            let tail = &mut packets.slips[self.tail as usize];
            (tail.next, tail.next_arrives) = (id.0, arrives);
        }
        self.tail = id.0;
        self.len += 1;
    }

    /// Adds a packet at its place in the order of arrival, behind those that arrive at the same time. Takes as
    /// many steps as there are packets that it overtakes.
    pub(crate) fn insert<P>(&mut self, id: PacketId, arrives: Instant, packets: &mut Slab<P>) {
        if self.len == 0 || arrives >= self.last_arrives {
            return self.push_back(id, arrives, packets);
        }
        // The head's `previous` is stale: it may have been anywhere when its predecessor left.
        let (mut before, mut before_arrives) = (self.tail, self.last_arrives);
        while before != self.head {
            let after = packets.slips[before as usize].previous;
            let after_arrives = self.arrival(after, packets);
            if after_arrives <= arrives {
                break;
            }
            (before, before_arrives) = (after, after_arrives);
        }
        let after = packets.slips[before as usize].previous;
        let slip = &mut packets.slips[id.0 as usize];
        (slip.next, slip.next_arrives, slip.previous) = (before, before_arrives, after);
        packets.slips[before as usize].previous = id.0;
        if before == self.head {
            (self.head, self.first_arrives) = (id.0, arrives);
        } else {
            let after = &mut packets.slips[after as usize];
            (after.next, after.next_arrives) = (id.0, arrives);
        }
        self.len += 1;
    }

    /// When the packet with a slip of this flight arrives.
    fn arrival<P>(&self, slip: u32, packets: &Slab<P>) -> Instant {
        if slip == self.head {
            return self.first_arrives;
        }
        let previous = packets.slips[slip as usize].previous;
        packets.slips[previous as usize].next_arrives
    }

    /// Takes the first packet.
    #[inline]
    pub(crate) fn pop_front<P>(&mut self, packets: &Slab<P>) -> Option<PacketId> {
        if self.len == 0 {
            return None;
        }
        let id = self.head;
        self.len -= 1;
        if self.len == 0 {
            *self = Self::new();
        } else {
            let slip = &packets.slips[id as usize];
            (self.head, self.first_arrives) = (slip.next, slip.next_arrives);
        }
        Some(PacketId(id))
    }

    /// Takes the last `count` packets, first one first.
    pub(crate) fn split_off<P>(&mut self, count: usize, packets: &mut Slab<P>) -> Vec<PacketId> {
        let mut taken: Vec<PacketId> = Vec::with_capacity(count);
        for _ in 0..count.min(self.len()) {
            taken.push(PacketId(self.tail));
            self.tail = packets.slips[self.tail as usize].previous;
            self.len -= 1;
        }
        if self.len == 0 {
            *self = Self::new();
        } else if !taken.is_empty() {
            self.last_arrives = self.arrival(self.tail, packets);
        }
        taken.reverse();
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A sorted vector is the oracle.
        #[test]
        fn a_flight_is_a_sorted_list(steps in prop::collection::vec((0u8..8, 0u64..50), 0..200)) {
            let (mut slab, mut flight) = (Slab::new(), Flight::new());
            let mut oracle: Vec<(u64, u64)> = Vec::new();
            let mut fullest = 0;
            for (i, (what, at)) in steps.into_iter().enumerate() {
                match what {
                    0..4 => {
                        let id = slab.put(i as u64, 0, Address(0));
                        flight.insert(id, Instant::from_nanos(at), &mut slab);
                        let position = oracle.partition_point(|(a, _)| *a <= at);
                        oracle.insert(position, (at, i as u64));
                    }
                    4..7 => {
                        let popped = flight.pop_front(&slab).map(|id| slab.remove(id));
                        let expected = (!oracle.is_empty()).then(|| oracle.remove(0).1);
                        prop_assert_eq!(popped, expected);
                    }
                    _ => {
                        let count = at as usize % 4;
                        let split: Vec<u64> =
                            flight.split_off(count, &mut slab).into_iter().map(|id| slab.remove(id)).collect();
                        let keep = oracle.len() - count.min(oracle.len());
                        prop_assert_eq!(split, oracle.drain(keep..).map(|(_, i)| i).collect::<Vec<_>>());
                    }
                }
                prop_assert_eq!(flight.len(), oracle.len());
                fullest = fullest.max(oracle.len());
                let first = oracle.first().map_or(Instant::MAX, |(at, _)| Instant::from_nanos(*at));
                prop_assert_eq!(flight.first_arrives(), first);
            }
            prop_assert_eq!(slab.slips.len(), fullest, "a slot that was left is used again");
        }
    }
}
