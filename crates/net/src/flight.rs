//! The packets on the wire of one link, in order of arrival: a list threaded through the slab.

use crate::packet_slab::{NIL, PacketId, PacketSlab};
use tailrace_core::Instant;

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
    pub(crate) fn push_back<P>(&mut self, id: PacketId, arrives: Instant, packets: &mut PacketSlab<P>) {
        let header = &mut packets.headers[id.0 as usize];
        (header.next, header.previous) = (NIL, self.tail);
        self.last_arrives = arrives;
        if self.len == 0 {
            (self.head, self.first_arrives) = (id.0, arrives);
        } else {
            let tail = &mut packets.headers[self.tail as usize];
            (tail.next, tail.next_arrives) = (id.0, arrives);
        }
        self.tail = id.0;
        self.len += 1;
    }

    /// Adds a packet at its place in the order of arrival, behind those that arrive at the same time. Takes as
    /// many steps as there are packets that it overtakes.
    pub(crate) fn insert<P>(&mut self, id: PacketId, arrives: Instant, packets: &mut PacketSlab<P>) {
        if self.len == 0 || arrives >= self.last_arrives {
            return self.push_back(id, arrives, packets);
        }
        // The head's `previous` is stale: it may have been anywhere when its predecessor left.
        let (mut before, mut before_arrives) = (self.tail, self.last_arrives);
        while before != self.head {
            let after = packets.headers[before as usize].previous;
            let after_arrives = self.arrival(after, packets);
            if after_arrives <= arrives {
                break;
            }
            (before, before_arrives) = (after, after_arrives);
        }
        let after = packets.headers[before as usize].previous;
        let header = &mut packets.headers[id.0 as usize];
        (header.next, header.next_arrives, header.previous) = (before, before_arrives, after);
        packets.headers[before as usize].previous = id.0;
        if before == self.head {
            (self.head, self.first_arrives) = (id.0, arrives);
        } else {
            let after = &mut packets.headers[after as usize];
            (after.next, after.next_arrives) = (id.0, arrives);
        }
        self.len += 1;
    }

    /// When the packet with a header of this flight arrives.
    fn arrival<P>(&self, header: u32, packets: &PacketSlab<P>) -> Instant {
        if header == self.head {
            return self.first_arrives;
        }
        let previous = packets.headers[header as usize].previous;
        packets.headers[previous as usize].next_arrives
    }

    /// Takes the first packet.
    #[inline]
    pub(crate) fn pop_front<P>(&mut self, packets: &PacketSlab<P>) -> Option<PacketId> {
        if self.len == 0 {
            return None;
        }
        let id = self.head;
        self.len -= 1;
        if self.len == 0 {
            *self = Self::new();
        } else {
            let header = &packets.headers[id as usize];
            (self.head, self.first_arrives) = (header.next, header.next_arrives);
        }
        Some(PacketId(id))
    }

    /// Takes the last `count` packets, first one first.
    pub(crate) fn split_off<P>(&mut self, count: usize, packets: &mut PacketSlab<P>) -> Vec<PacketId> {
        let mut taken: Vec<PacketId> = Vec::with_capacity(count);
        for _ in 0..count.min(self.len()) {
            taken.push(PacketId(self.tail));
            self.tail = packets.headers[self.tail as usize].previous;
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
    use crate::ids::Address;
    use proptest::prelude::*;

    proptest! {
        /// A sorted vector is the oracle.
        #[test]
        fn a_flight_is_a_sorted_list(steps in prop::collection::vec((0u8..8, 0u64..50), 0..200)) {
            let (mut slab, mut flight) = (PacketSlab::new(), Flight::new());
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
            prop_assert_eq!(slab.headers.len(), fullest, "a slot that was left is used again");
        }
    }
}
