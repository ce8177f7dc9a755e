//! The packets of all flows in one slab: memory follows the packets that wait, not the flows.

use tailrace_core::{Bytes, Instant, Packet};

/// No index.
pub(crate) const NONE: u32 = u32::MAX;

/// The two ends of one flow's packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    oldest: u32,
    newest: u32,
}

impl Ends {
    pub(crate) const EMPTY: Self = Self { oldest: NONE, newest: NONE };

    /// Whether there is no packet.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.oldest == NONE
    }

    /// Index of the packet at `end`, or [`NONE`].
    #[inline]
    pub(crate) const fn index(&self, end: End) -> u32 {
        match end {
            End::Oldest => self.oldest,
            End::Newest => self.newest,
        }
    }
}

/// From which end of a flow a packet is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The packet that has waited longest.
    Oldest,
    /// The one that came last.
    Newest,
}

#[derive(Debug)]
struct Node<P> {
    packet: Option<P>,
    arrival: Instant,
    older: u32,
    newer: u32,
}

/// Packets in doubly linked lists.
#[derive(Debug)]
pub(crate) struct Store<P> {
    nodes: Vec<Node<P>>,
    /// Free nodes, linked by `newer`.
    free: u32,
}

impl<P: Packet> Store<P> {
    pub(crate) fn new() -> Self {
        Self { nodes: Vec::new(), free: NONE }
    }

    /// Appends `packet` as the newest.
    #[inline]
    pub(crate) fn push(&mut self, ends: &mut Ends, packet: P, arrival: Instant) {
        let node = Node { packet: Some(packet), arrival, older: ends.newest, newer: NONE };
        let index = match self.nodes.get_mut(self.free as usize) {
            Some(free) => {
                let next = core::mem::replace(free, node).newer;
                core::mem::replace(&mut self.free, next)
            }
            None => {
                self.nodes.push(node);
                u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 packets fit into memory")
            }
        };
        match ends.newest {
            NONE => ends.oldest = index,
            newest => self.nodes[newest as usize].newer = index,
        }
        ends.newest = index;
    }

    /// Takes the packet at `end`, with its time of arrival.
    #[inline]
    pub(crate) fn pop(&mut self, ends: &mut Ends, end: End) -> Option<(P, Instant)> {
        self.remove(ends, ends.index(end))
    }

    /// Takes the packet at `index` out of the list that it is in; of no packet, nothing.
    #[inline]
    pub(crate) fn remove(&mut self, ends: &mut Ends, index: u32) -> Option<(P, Instant)> {
        if index == NONE {
            return None;
        }
        self.detach(ends, index);
        self.take(index)
    }

    /// Links the neighbours of the packet at `index` with each other, as the first half of removing it.
    #[inline]
    pub(crate) fn detach(&mut self, ends: &mut Ends, index: u32) {
        let Node { older, newer, .. } = self.nodes[index as usize];
        match older {
            NONE => ends.oldest = newer,
            older => self.nodes[older as usize].newer = newer,
        }
        match newer {
            NONE => ends.newest = older,
            newer => self.nodes[newer as usize].older = older,
        }
    }

    /// Takes the packet at `index`, which is in no list any more. What is left to do with it where it lies is best done
    /// before, since packets are long.
    #[inline]
    pub(crate) fn take(&mut self, index: u32) -> Option<(P, Instant)> {
        let node = &mut self.nodes[index as usize];
        node.newer = core::mem::replace(&mut self.free, index);
        node.packet.take().map(|packet| (packet, node.arrival))
    }

    /// The packet at `index`, and when it came.
    #[inline]
    pub(crate) fn packet_mut(&mut self, index: u32) -> Option<(&mut P, Instant)> {
        let node = self.nodes.get_mut(index as usize)?;
        node.packet.as_mut().map(|packet| (packet, node.arrival))
    }

    /// The packet at `index`, and the index of the next newer one of its list.
    #[inline]
    pub(crate) fn look(&self, index: u32) -> Option<(&P, u32)> {
        let node = self.nodes.get(index as usize)?;
        node.packet.as_ref().map(|packet| (packet, node.newer))
    }

    /// The packet at `end`.
    #[inline]
    pub(crate) fn get(&self, ends: &Ends, end: End) -> Option<&P> {
        self.nodes.get(ends.index(end) as usize)?.packet.as_ref()
    }

    /// Size of the packet at `end`.
    #[inline]
    pub(crate) fn size(&self, ends: &Ends, end: End) -> Option<Bytes> {
        self.get(ends, end).map(Packet::size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestPacket;

    #[test]
    fn both_ends_give_their_packets_and_nodes_are_used_again() {
        let mut store = Store::new();
        let (mut a, mut b) = (Ends::EMPTY, Ends::EMPTY);
        for round in 0..3u64 {
            for id in 0..4 {
                store.push(&mut a, TestPacket::new(round * 10 + id, 0, 100), Instant::from_millis(id));
                store.push(&mut b, TestPacket::new(round * 10 + id, 1, 200), Instant::from_millis(id));
            }
            assert_eq!(store.size(&b, End::Newest), Some(Bytes(200)));
            let mut take = |ends: &mut Ends, end| store.pop(ends, end).map(|(p, t)| (p.id % 10, t));
            assert_eq!(take(&mut a, End::Newest), Some((3, Instant::from_millis(3))));
            assert_eq!(take(&mut a, End::Oldest), Some((0, Instant::ZERO)));
            assert_eq!(take(&mut a, End::Oldest).map(|x| x.0), Some(1));
            assert_eq!(take(&mut a, End::Newest).map(|x| x.0), Some(2));
            assert_eq!(take(&mut a, End::Newest), None);
            for id in 0..4 {
                assert_eq!(take(&mut b, End::Oldest).map(|x| x.0), Some(id));
            }
            assert_eq!(store.size(&b, End::Oldest), None);
        }
        assert_eq!(store.nodes.len(), 8);
    }
}
