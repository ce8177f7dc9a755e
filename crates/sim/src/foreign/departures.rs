//! When packets have left a foreign host's interface: a card keeps them until then.

use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use std::collections::BTreeSet;
use tailrace_core::{Duration, Instant};
use tailrace_net::LinkId;

/// Cards tell of several packets at once: so long after the first of them. It is also how far a host may go ahead, since nothing
/// that it sends meanwhile is told of before.
pub(super) const COALESCED: Duration = Duration::from_micros(10);

/// Of a host that wants to hear of departures.
#[derive(Debug, Default)]
pub(super) struct Departures {
    /// The links by which its packets leave, where these can tell.
    ways: Vec<LinkId>,
    /// Packets that it has sent.
    taken: u64,
    /// Those of which nobody knows yet when they leave.
    waiting: usize,
    /// When others leave, or have left, by their numbers.
    left: BTreeSet<(Instant, u64)>,
}

impl Departures {
    /// Of a host whose packets leave by these. A link that shares a channel with others cannot tell.
    pub(super) fn new(ways: impl Iterator<Item = LinkId>, fabric: &mut SimFabric) -> Self {
        let ways = ways.filter(|way| fabric.report_departures(*way));
        Self { ways: ways.collect(), ..Self::default() }
    }

    /// The number of the next packet that is taken from the host.
    pub(super) fn number(&mut self) -> u64 {
        self.taken += 1;
        self.taken - 1
    }

    /// A packet leaves at that time, or is lost there.
    pub(super) fn leaves(&mut self, number: u64, at: Instant) {
        self.left.insert((at, number));
    }

    /// When the host is to be told of something, or somebody has to look.
    pub(super) fn next(&self, fabric: &SimFabric) -> Instant {
        let known = self.left.first().map(|(at, _)| *at);
        let busy = self.ways.iter().filter(|_| self.waiting > 0).map(|way| {
            let until = fabric.link(*way).reported_until();
            until.max(fabric.now())
        });
        let next = busy.chain(known).min().unwrap_or(Instant::MAX);
        next.saturating_add(COALESCED)
    }

    /// Of which packets it is to be told now.
    fn due(&mut self, now: Instant) -> Vec<u64> {
        if self.left.first().is_none_or(|(at, _)| at.saturating_add(COALESCED) > now) {
            return Vec::new();
        }
        let later = self.left.split_off(&(now, u64::MAX));
        std::mem::replace(&mut self.left, later).into_iter().map(|(_, number)| number).collect()
    }
}

/// Packets that wait to leave, by the place of their bytes: host and number.
pub(super) type Waiting = Vec<Option<(usize, u64)>>;

impl World {
    /// A foreign host has sent a packet by an interface of its.
    pub(super) fn expect_departure(
        &mut self,
        (host, number): (usize, u64),
        (out, pkt): (LinkId, &SimPacket),
        now: Instant,
    ) {
        let foreign = &mut self.foreign;
        let Some(departures) = &mut foreign.hosts[host].departures else { return };
        let place = pkt.frame_place(&self.options).filter(|_| departures.ways.contains(&out));
        let Some(place) = place else { return departures.leaves(number, now) };
        departures.waiting += 1;
        if foreign.waiting.len() <= place {
            foreign.waiting.resize(place + 1, None);
        }
        foreign.waiting[place] = Some((host, number));
    }

    /// A packet leaves its host's link at that time, or is lost there.
    #[cold]
    pub(crate) fn note_departure(&mut self, pkt: &SimPacket, at: Instant) {
        let foreign = &mut self.foreign;
        let place = pkt.frame_place(&self.options).and_then(|place| foreign.waiting.get_mut(place));
        let Some((host, number)) = place.and_then(Option::take) else { return };
        if let Some(departures) = &mut foreign.hosts[host].departures {
            departures.waiting -= 1;
            departures.leaves(number, at);
        }
    }

    /// Brings links up to the present by which packets of a host leave, and tells it of those that have left.
    pub(super) fn tell_departures(
        &mut self,
        host: usize,
        fabric: &mut SimFabric,
    ) -> Result<(), super::HostError> {
        let Some(departures) = &self.foreign.hosts[host].departures else { return Ok(()) };
        if departures.waiting > 0 {
            let ways = departures.ways.clone();
            ways.iter().for_each(|way| fabric.settle(*way, self));
        }
        let attached = &mut self.foreign.hosts[host];
        let now = fabric.now();
        let due = attached.departures.as_mut().map_or_else(Vec::new, |departures| departures.due(now));
        if due.is_empty() { Ok(()) } else { attached.host.sent(now, &due) }
    }
}
