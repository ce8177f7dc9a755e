//! Transmit completions: a foreign host's card keeps packets until they have left its interface.

use crate::packet::sim_packet::SimFabric;
use std::collections::BTreeSet;
use tailrace_core::{Duration, Instant};
use tailrace_net::LinkId;

/// Coalescing delay of completions after the first. It also bounds how far a host may run ahead, because no packet that it sends
/// meanwhile completes earlier.
pub(crate) const COALESCED: Duration = Duration::from_micros(10);

/// Transmit completions of a host that wants them.
#[derive(Debug, Default)]
pub(crate) struct TxCompletions {
    /// Outgoing links whose completion times are known.
    pub(crate) ways: Vec<LinkId>,
    /// Packets taken from the host so far.
    pub(crate) taken: u64,
    /// Packets whose completion time is not known yet.
    pub(crate) waiting: usize,
    /// Completion times with packet numbers.
    pub(crate) left: BTreeSet<(Instant, u64)>,
}

impl TxCompletions {
    /// Completions for packets that leave by these links. A link on a shared medium cannot tell its completion times.
    pub(crate) fn new(ways: impl Iterator<Item = LinkId>, fabric: &mut SimFabric) -> Self {
        let ways = ways.filter(|way| fabric.report_departures(*way));
        Self { ways: ways.collect(), ..Self::default() }
    }

    /// Number of the next packet taken from the host.
    pub(crate) fn number(&mut self) -> u64 {
        self.taken += 1;
        self.taken - 1
    }

    /// Records that a packet leaves at that time, or is dropped then.
    pub(crate) fn leaves(&mut self, number: u64, at: Instant) {
        self.left.insert((at, number));
    }

    /// Time of the next completion report, or of the next look at the links.
    pub(crate) fn next(&self, fabric: &SimFabric) -> Instant {
        let known = self.left.first().map(|(at, _)| *at);
        let busy = self.ways.iter().filter(|_| self.waiting > 0).map(|way| {
            let until = fabric.link(*way).reported_until();
            until.max(fabric.now())
        });
        let next = busy.chain(known).min().unwrap_or(Instant::MAX);
        next.saturating_add(COALESCED)
    }

    /// Packets to report as completed now.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<u64> {
        if self.left.first().is_none_or(|(at, _)| at.saturating_add(COALESCED) > now) {
            return Vec::new();
        }
        let later = self.left.split_off(&(now, u64::MAX));
        std::mem::replace(&mut self.left, later).into_iter().map(|(_, number)| number).collect()
    }
}

/// Frames that wait for completion, by place in the arena: host and packet number.
pub(crate) type PendingCompletions = Vec<Option<(usize, u64)>>;
