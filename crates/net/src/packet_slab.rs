//! The slab of all packets in the network.
//!
//! A packet stays where it is from the host that sends it to the host that receives it; a link only threads it
//! into its list ([`Flight`](crate::flight::Flight)). So a hop copies nothing, memory grows with the packets in the network
//! rather than with the number of links times their fullest moment, and the slot a packet leaves is the next one to be used,
//! while it is still in the cache.

use crate::ids::Address;
use tailrace_core::{Bytes, Instant, Packet};

/// A packet that the fabric can forward.
pub trait Routed: Packet {
    /// Where it goes: to a host, or first to a gateway (see [`Hosts::next_stop`]).
    fn destination(&self) -> Address;
}

pub(crate) const NIL: u32 = u32::MAX;

/// A packet in the [`PacketSlab`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketId(pub(crate) u32);

impl PacketId {
    /// The id of no packet.
    pub(crate) const NONE: Self = Self(NIL);
}

/// Owner of all packets on links. Links and hosts know them by their ids.
///
/// Of each packet it keeps what a link asks of it apart, in a [`LinkHeader`]: headers are small enough to stay in the cache where the
/// packets of a large network do not, and a packet that crosses a router is not touched at all.
#[derive(Debug)]
pub(crate) struct PacketSlab<P> {
    pub(crate) headers: Vec<LinkHeader>,
    /// `packets[i]` belongs to `headers[i]`.
    packets: Vec<Option<P>>,
    free: u32,
}

/// Link-level header of a packet, with its place among others.
#[derive(Debug)]
pub(crate) struct LinkHeader {
    /// When the next packet of the flight arrives. It stands here, and not in that packet's header, so that taking
    /// the first packet touches no header but its own: every other is far away in a large network.
    pub(crate) next_arrives: Instant,
    /// Next in the flight, or in the list of free headers.
    pub(crate) next: u32,
    pub(crate) previous: u32,
    /// The packet's, in bytes; such that do not fit are larger than any link takes.
    size: u32,
    destination: Address,
}

impl<P> PacketSlab<P> {
    pub(crate) fn new() -> Self {
        Self { headers: Vec::new(), packets: Vec::new(), free: NIL }
    }

    #[inline]
    pub(crate) fn put(&mut self, pkt: P, size: u32, destination: Address) -> PacketId {
        let id = self.free;
        if let Some(header) = self.headers.get_mut(id as usize) {
            self.free = header.next;
            (header.size, header.destination) = (size, destination);
            self.packets[id as usize] = Some(pkt);
            return PacketId(id);
        }
        if self.headers.len() == self.headers.capacity() {
            self.grow();
        }
        self.headers.push(LinkHeader {
            next_arrives: Instant::MAX,
            next: NIL,
            previous: NIL,
            size,
            destination,
        });
        self.packets.push(Some(pkt));
        PacketId(self.headers.len() as u32 - 1)
    }

    /// By a quarter, not twofold: in a large network most of the memory is here.
    #[cold]
    fn grow(&mut self) {
        let more = self.headers.len() / 4 + 64;
        self.headers.reserve_exact(more);
        self.packets.reserve_exact(more);
    }

    /// Gives a packet out.
    #[inline]
    pub(crate) fn remove(&mut self, id: PacketId) -> P {
        self.headers[id.0 as usize].next = std::mem::replace(&mut self.free, id.0);
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
        Bytes(u64::from(self.headers[id.0 as usize].size))
    }

    /// Where a packet goes.
    #[inline]
    pub(crate) fn destination(&self, id: PacketId) -> Address {
        self.headers[id.0 as usize].destination
    }

    /// All packets, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        self.packets.iter().flatten()
    }
}

impl<P: Routed> PacketSlab<P> {
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
        let header = &mut self.headers[id.0 as usize];
        (header.size, header.destination) = (size_of(pkt), pkt.destination());
        result
    }
}

#[inline]
fn size_of(pkt: &impl Routed) -> u32 {
    u32::try_from(pkt.size().get()).unwrap_or(u32::MAX)
}

const LIVE: &str = "an id is given back with its packet";
