//! The flows that a fair queue knows, found by their keys.

use super::place::{LINES, Place};
use crate::discipline::Backlog;
use crate::flow_hash::{SaltedHash, Words};
use crate::packet_lists::{Ends, NONE};
use core::cmp::Reverse;
use core::ops::{Index, IndexMut};
use tailrace_core::{Bytes, Rng};

#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) key: Words,
    pub(super) ends: Ends,
    pub(super) backlog: Backlog,
    pub(super) weight: f64,
    /// Finish tag of the packet that came last.
    pub(super) last: f64,
    /// Number of its last change of backlog.
    pub(super) changed: u64,
    /// Whether `last` is ahead of the clock.
    pub(super) is_ahead: bool,
    pub(super) places: [Place; LINES],
    /// The chain that it is in, and the next flow of that.
    bucket: u32,
    chain: u32,
}

impl Flow {
    pub(super) const fn new(key: Words, weight: f64) -> Self {
        Self {
            key,
            ends: Ends::EMPTY,
            backlog: Backlog { packets: 0, bytes: Bytes::ZERO },
            weight,
            last: 0.0,
            changed: 0,
            is_ahead: false,
            places: [Place::NOWHERE; LINES],
            bucket: NONE,
            chain: NONE,
        }
    }

    /// `None` where no packet waits.
    pub(super) fn length(&self) -> Option<Length> {
        let Backlog { packets, bytes } = self.backlog;
        (packets > 0).then_some(Reverse((bytes, self.changed)))
    }
}

/// Order of flows: the longest first, of equally long ones the last to change.
pub(super) type Length = Reverse<(Bytes, u64)>;

/// Hash table of flows, with as many chains as flows are expected, so that each is short.
#[derive(Debug)]
pub(super) struct Flows {
    hash: SaltedHash,
    /// First flow of each chain.
    table: Vec<u32>,
    flows: Vec<Flow>,
    /// Flows to be used again, linked by `chain`.
    free: u32,
    known: u32,
}

impl Flows {
    pub(super) fn new(chains: u64) -> Self {
        Self {
            hash: SaltedHash::default(),
            table: vec![NONE; chains.clamp(16, 1 << 16) as usize],
            flows: Vec::new(),
            free: NONE,
            known: 0,
        }
    }

    /// Flows that are known at present.
    #[inline]
    pub(super) fn known(&self) -> u32 {
        self.known
    }

    /// All flows, known ones and those to be used again, by index.
    #[inline]
    pub(super) fn all(&self) -> &[Flow] {
        &self.flows
    }

    /// Mutable [`Flows::all`].
    #[inline]
    pub(super) fn all_mut(&mut self) -> &mut [Flow] {
        &mut self.flows
    }

    /// The index of the flow with `key`, made with `weight` if it is not known.
    #[inline(always)]
    pub(super) fn find_or_make(&mut self, key: Words, weight: f64, rng: &mut Rng) -> u32 {
        let bucket = self.hash.chain(key, self.table.len(), rng);
        let mut index = self.table[bucket];
        while index != NONE && self[index].key != key {
            index = self[index].chain;
        }
        if index == NONE { self.make(key, bucket, weight) } else { index }
    }

    #[inline]
    fn make(&mut self, key: Words, bucket: usize, weight: f64) -> u32 {
        let head = &mut self.table[bucket];
        let (index, flow) = match self.flows.get_mut(self.free as usize) {
            // A flow that was forgotten has no packets and is in no line.
            Some(flow) => {
                (flow.key, flow.weight, flow.last) = (key, weight, 0.0);
                (core::mem::replace(&mut self.free, flow.chain), flow)
            }
            None => {
                let index = self.flows.len();
                self.flows.push(Flow::new(key, weight));
                (index as u32, &mut self.flows[index])
            }
        };
        flow.bucket = bucket as u32;
        flow.chain = core::mem::replace(head, index);
        self.known += 1;
        index
    }

    /// Forgets a flow without packets whose last tag is not ahead.
    #[inline]
    pub(super) fn forget_if_over(&mut self, index: u32) {
        let flow = &self[index];
        if flow.backlog.packets == 0 && !flow.is_ahead {
            self.forget(index);
        }
    }

    #[inline]
    fn forget(&mut self, index: u32) {
        let Flow { bucket, chain, .. } = self[index];
        let head = &mut self.table[bucket as usize];
        if *head == index {
            *head = chain;
        } else {
            let mut before = *head;
            while self[before].chain != index {
                before = self[before].chain;
            }
            self[before].chain = chain;
        }
        self[index].chain = core::mem::replace(&mut self.free, index);
        self.known -= 1;
    }
}

impl Index<u32> for Flows {
    type Output = Flow;
    #[inline]
    fn index(&self, index: u32) -> &Flow {
        &self.flows[index as usize]
    }
}

impl IndexMut<u32> for Flows {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Flow {
        &mut self.flows[index as usize]
    }
}
