//! When packets have left a foreign host's interface: a card keeps them until then.

use crate::packet::sim_packet::SimFabric;
use std::collections::BTreeSet;
use tailrace_core::{Duration, Instant};
use tailrace_net::LinkId;

/// Cards tell of several packets at once: so long after the first of them. It is also how far a host may go ahead, since nothing
/// that it sends meanwhile is told of before.
pub(crate) const COALESCED: Duration = Duration::from_micros(10);

/// Of a host that wants to hear of departures.
#[derive(Debug, Default)]
pub(crate) struct TxCompletions {
    /// The links by which its packets leave, where these can tell.
    pub(crate) ways: Vec<LinkId>,
    /// Packets that it has sent.
    pub(crate) taken: u64,
    /// Those of which nobody knows yet when they leave.
    pub(crate) waiting: usize,
    /// When others leave, or have left, by their numbers.
    pub(crate) left: BTreeSet<(Instant, u64)>,
}

impl TxCompletions {
    /// Of a host whose packets leave by these. A link that shares a channel with others cannot tell.
    pub(crate) fn new(ways: impl Iterator<Item = LinkId>, fabric: &mut SimFabric) -> Self {
        let ways = ways.filter(|way| fabric.report_departures(*way));
        Self { ways: ways.collect(), ..Self::default() }
    }

    /// The number of the next packet that is taken from the host.
    pub(crate) fn number(&mut self) -> u64 {
        self.taken += 1;
        self.taken - 1
    }

    /// A packet leaves at that time, or is lost there.
    pub(crate) fn leaves(&mut self, number: u64, at: Instant) {
        self.left.insert((at, number));
    }

    /// When the host is to be told of something, or somebody has to look.
    pub(crate) fn next(&self, fabric: &SimFabric) -> Instant {
        let known = self.left.first().map(|(at, _)| *at);
        let busy = self.ways.iter().filter(|_| self.waiting > 0).map(|way| {
            let until = fabric.link(*way).reported_until();
            until.max(fabric.now())
        });
        let next = busy.chain(known).min().unwrap_or(Instant::MAX);
        next.saturating_add(COALESCED)
    }

    /// Of which packets it is to be told now.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<u64> {
        if self.left.first().is_none_or(|(at, _)| at.saturating_add(COALESCED) > now) {
            return Vec::new();
        }
        let later = self.left.split_off(&(now, u64::MAX));
        std::mem::replace(&mut self.left, later).into_iter().map(|(_, number)| number).collect()
    }
}

/// Packets that wait to leave, by the place of their bytes: host and number.
pub(crate) type PendingCompletions = Vec<Option<(usize, u64)>>;
