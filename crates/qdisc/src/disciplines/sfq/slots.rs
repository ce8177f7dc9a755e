//! The buckets of SFQ: FIFOs in one slab, the ring in which they take turns, and lists of FIFOs by length, so that
//! the longest is found in constant time (as in Linux).
//!
//! All links are indices; nothing is allocated once the slab, the FIFOs and the lists have reached their size.

use tailrace_core::{Instant, Packet};

/// No node, no slot.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Node<P> {
    /// `None` while the node is free.
    packet: Option<P>,
    arrival: Instant,
    /// The next newer in its slot; of a free node, the next free one.
    next: u32,
    /// The next older in its slot.
    previous: u32,
}

/// A bucket that holds packets.
#[derive(Clone, Debug)]
struct Slot {
    bucket: u32,
    oldest: u32,
    newest: u32,
    packets: u32,
    /// Bytes that it may still send in its turn; negative after a packet that was larger.
    allot: i64,
    /// The next in turn; in a free slot the next free one.
    ring: u32,
    /// Neighbours among slots of the same length.
    previous: u32,
    next: u32,
}

#[derive(Debug)]
pub(super) struct Slots<P> {
    nodes: Vec<Node<P>>,
    free_node: u32,
    slots: Vec<Slot>,
    most_slots: u32,
    free_slot: u32,
    active: u32,
    /// Slot of each bucket.
    of_bucket: Vec<u32>,
    /// The slot whose turn comes last; its `ring` is the one whose turn it is.
    last: u32,
    /// Slots of each length, the one that came to it last in front.
    by_length: Vec<u32>,
    longest: u32,
    /// Slots while they are emptied for a rehash, and packets that found no place after one.
    chains: Vec<u32>,
    unplaced: u32,
}

impl<P: Packet> Slots<P> {
    pub(super) fn new(buckets: u32, most_slots: u32) -> Self {
        Self {
            nodes: Vec::new(),
            free_node: NONE,
            slots: Vec::new(),
            most_slots: most_slots.min(buckets),
            free_slot: NONE,
            active: 0,
            of_bucket: vec![NONE; buckets as usize],
            last: NONE,
            by_length: vec![NONE; 2],
            longest: 0,
            chains: Vec::new(),
            unplaced: NONE,
        }
    }

    /// Buckets that hold packets.
    pub(super) fn active(&self) -> u32 {
        self.active
    }

    #[inline]
    pub(super) fn packets_in(&self, bucket: u32) -> u64 {
        match self.of_bucket[bucket as usize] {
            NONE => 0,
            slot => u64::from(self.slots[slot as usize].packets),
        }
    }

    /// Whether `bucket` has a slot or can get one.
    #[inline]
    pub(super) fn has_room_for(&self, bucket: u32) -> bool {
        self.of_bucket[bucket as usize] != NONE || self.active < self.most_slots
    }

    /// Appends a packet; a bucket that was empty joins the end of the round with `quantum` bytes to send.
    #[inline]
    pub(super) fn push(&mut self, bucket: u32, packet: P, now: Instant, quantum: i64) {
        let node = self.take_node(packet, now);
        self.append(bucket, node, quantum);
    }

    /// The packet whose turn it is, where a turn is one packet.
    #[inline]
    pub(super) fn pop_packet_turn(&mut self) -> Option<(P, Instant)> {
        let slot = self.in_turn()?;
        let out = self.pop_oldest(slot);
        if self.slots[slot as usize].packets == 0 {
            self.leave_ring();
        } else {
            self.last = slot;
        }
        out
    }

    /// The packet whose turn it is, where a turn is `quantum` bytes.
    #[inline]
    pub(super) fn pop_byte_turn(&mut self, quantum: i64) -> Option<(P, Instant)> {
        let mut turn = self.in_turn()?;
        while self.slots[turn as usize].allot <= 0 {
            let slot = &mut self.slots[turn as usize];
            slot.allot += quantum;
            self.last = turn;
            turn = slot.ring;
        }
        let (packet, arrival) = self.pop_oldest(turn)?;
        let slot = &mut self.slots[turn as usize];
        if slot.packets == 0 {
            self.leave_ring();
        } else {
            slot.allot = slot.allot.saturating_sub_unsigned(packet.size().get());
        }
        Some((packet, arrival))
    }

    /// The oldest packet of a bucket that keeps others.
    pub(super) fn pop_oldest_of(&mut self, bucket: u32) -> Option<P> {
        let slot = self.of_bucket[bucket as usize];
        debug_assert!(self.slots[slot as usize].packets > 1, "a bucket in the ring must keep a packet");
        self.pop_oldest(slot).map(|(packet, _)| packet)
    }

    /// A packet of the bucket with most packets: its oldest or its newest. Where every bucket holds one packet,
    /// the one whose turn it is loses it.
    pub(super) fn pop_longest(&mut self, oldest: bool) -> Option<P> {
        if self.longest <= 1 {
            return self.pop_packet_turn().map(|(packet, _)| packet);
        }
        let slot = self.by_length[self.longest as usize];
        if oldest { self.pop_oldest(slot).map(|(packet, _)| packet) } else { self.pop_newest(slot) }
    }

    /// Moves all packets to the buckets that `place` names, keeping the order within each old bucket and so within
    /// each flow. Packets that find `depth` in their bucket, or no slot, wait for [`Slots::pop_unplaced`].
    pub(super) fn rehash(&mut self, place: impl Fn(&P) -> u32, depth: u64, quantum: i64) {
        let mut chains = core::mem::take(&mut self.chains);
        while let Some(turn) = self.in_turn() {
            let slot = &mut self.slots[turn as usize];
            chains.push(core::mem::replace(&mut slot.oldest, NONE));
            let packets = core::mem::take(&mut slot.packets);
            self.unlist(turn, packets);
            self.leave_ring();
        }
        self.longest = 0;
        for mut node in chains.drain(..) {
            while node != NONE {
                let following = self.nodes[node as usize].next;
                let bucket = self.nodes[node as usize].packet.as_ref().map_or(0, &place);
                if self.packets_in(bucket) < depth && self.has_room_for(bucket) {
                    self.append(bucket, node, quantum);
                } else {
                    self.nodes[node as usize].next = core::mem::replace(&mut self.unplaced, node);
                }
                node = following;
            }
        }
        self.chains = chains;
    }

    /// A packet that the last rehash left without a place.
    pub(super) fn pop_unplaced(&mut self) -> Option<P> {
        let node = self.unplaced;
        if node == NONE {
            return None;
        }
        self.unplaced = self.nodes[node as usize].next;
        self.free(node).map(|(packet, _)| packet)
    }

    /// The slot whose turn it is.
    #[inline]
    fn in_turn(&self) -> Option<u32> {
        (self.last != NONE).then(|| self.slots[self.last as usize].ring)
    }

    #[inline]
    fn append(&mut self, bucket: u32, node: u32, quantum: i64) {
        self.nodes[node as usize].next = NONE;
        let mut index = self.of_bucket[bucket as usize];
        if index == NONE {
            index = self.join_ring(bucket, quantum);
            self.slots[index as usize].oldest = node;
        } else {
            let newest = self.slots[index as usize].newest;
            self.nodes[newest as usize].next = node;
            self.nodes[node as usize].previous = newest;
        }
        let slot = &mut self.slots[index as usize];
        slot.newest = node;
        slot.packets += 1;
        let length = slot.packets;
        self.unlist(index, length - 1);
        self.list(index, length);
        self.longest = self.longest.max(length);
    }

    fn pop_oldest(&mut self, index: u32) -> Option<(P, Instant)> {
        let node = self.slots[index as usize].oldest;
        self.slots[index as usize].oldest = self.nodes[node as usize].next;
        self.shrink(index);
        self.free(node)
    }

    /// The newest packet of a slot that keeps others.
    fn pop_newest(&mut self, index: u32) -> Option<P> {
        let newest = self.slots[index as usize].newest;
        let before = self.nodes[newest as usize].previous;
        self.nodes[before as usize].next = NONE;
        self.slots[index as usize].newest = before;
        self.shrink(index);
        self.free(newest).map(|(packet, _)| packet)
    }

    fn shrink(&mut self, index: u32) {
        let length = self.slots[index as usize].packets;
        self.slots[index as usize].packets = length - 1;
        self.unlist(index, length);
        if length > 1 {
            self.list(index, length - 1);
        }
        if self.longest == length && self.by_length[length as usize] == NONE {
            self.longest = length - 1;
        }
    }

    fn list(&mut self, index: u32, length: u32) {
        if self.by_length.len() <= length as usize {
            self.by_length.resize(length as usize + 1, NONE);
        }
        let first = core::mem::replace(&mut self.by_length[length as usize], index);
        let slot = &mut self.slots[index as usize];
        (slot.previous, slot.next) = (NONE, first);
        if first != NONE {
            self.slots[first as usize].previous = index;
        }
    }

    /// Takes a slot out of the list of its length; slots without packets are in none.
    fn unlist(&mut self, index: u32, length: u32) {
        if length == 0 {
            return;
        }
        let Slot { previous: before, next: after, .. } = self.slots[index as usize];
        match before {
            NONE => self.by_length[length as usize] = after,
            _ => self.slots[before as usize].next = after,
        }
        if after != NONE {
            self.slots[after as usize].previous = before;
        }
    }

    fn join_ring(&mut self, bucket: u32, quantum: i64) -> u32 {
        let index = self.take_slot(bucket, quantum);
        if self.last == NONE {
            self.slots[index as usize].ring = index;
        } else {
            let first = core::mem::replace(&mut self.slots[self.last as usize].ring, index);
            self.slots[index as usize].ring = first;
        }
        self.last = index;
        self.of_bucket[bucket as usize] = index;
        self.active += 1;
        index
    }

    /// Frees the slot whose turn it is; it is empty.
    fn leave_ring(&mut self) {
        let index = self.slots[self.last as usize].ring;
        let slot = &mut self.slots[index as usize];
        self.of_bucket[slot.bucket as usize] = NONE;
        let after = core::mem::replace(&mut slot.ring, self.free_slot);
        self.free_slot = index;
        self.active -= 1;
        if self.last == index {
            self.last = NONE;
        } else {
            self.slots[self.last as usize].ring = after;
        }
    }

    fn take_slot(&mut self, bucket: u32, allot: i64) -> u32 {
        let fresh = Slot {
            bucket,
            oldest: NONE,
            newest: NONE,
            packets: 0,
            allot,
            ring: NONE,
            previous: NONE,
            next: NONE,
        };
        if self.free_slot == NONE {
            self.slots.push(fresh);
            return self.slots.len() as u32 - 1;
        }
        let index = self.free_slot;
        self.free_slot = core::mem::replace(&mut self.slots[index as usize], fresh).ring;
        index
    }

    fn take_node(&mut self, packet: P, arrival: Instant) -> u32 {
        let node = Node { packet: Some(packet), arrival, next: NONE, previous: NONE };
        if self.free_node == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let index = self.free_node;
        self.free_node = core::mem::replace(&mut self.nodes[index as usize], node).next;
        index
    }

    fn free(&mut self, index: u32) -> Option<(P, Instant)> {
        let node = &mut self.nodes[index as usize];
        node.next = core::mem::replace(&mut self.free_node, index);
        node.packet.take().map(|packet| (packet, node.arrival))
    }
}
