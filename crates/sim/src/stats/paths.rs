//! Counters of MPTCP flows by path, packet by packet.

use crate::ground::rate::{loss_ratio, rate_bps};
use crate::ground::scope::{PerScope, Scope};
use crate::packet::flow_end::FlowEnd;
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use crate::stats::loss_counters::LossCounters;
use tailrace_core::{CoarseHistogram, Duration};
use tailrace_net::Address;

/// Identity of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathKey {
    /// First address of the client's interface.
    pub(crate) client: Address,
    /// First address of the server's interface.
    pub(crate) server: Address,
    /// Gateways of the source route, as the number of their list in the run.
    pub(crate) gateways: Option<u32>,
}

impl PathKey {
    /// Path of a packet to an end of a flow.
    fn of(pkt: &SimPacket, to: FlowEnd, options: &OptionsArena) -> Self {
        let way = if options.source_routes.is_empty() { None } else { pkt.itinerary(options) };
        let last = way.map_or(pkt.destination, |way| way.last());
        let ends = if to.is_server() { (pkt.source, last) } else { (last, pkt.source) };
        let (client, server) = (options.address_changes.first(ends.0), options.address_changes.first(ends.1));
        Self { client, server, gateways: way.map(|way| way.list()) }
    }
}

/// Counters of a path's direction since the start of the run, over packets with payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathCounters {
    pub(crate) sent_packets: u64,
    pub(crate) sent_bytes: u64,
    /// Packets sent that were retransmissions of the subflow's TCP.
    pub(crate) retransmitted_packets: u64,
    pub(crate) received_packets: u64,
    /// Bytes of IP packets received: throughput.
    pub(crate) received_bytes: u64,
    /// Payload that reached the connection by this path first: goodput.
    pub(crate) new_bytes: u64,
    pub(crate) losses: LossCounters,
    pub(crate) delay_sum: Duration,
}

impl PathCounters {
    /// Difference from an earlier copy.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        Self {
            sent_packets: self.sent_packets - earlier.sent_packets,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            retransmitted_packets: self.retransmitted_packets - earlier.retransmitted_packets,
            received_packets: self.received_packets - earlier.received_packets,
            received_bytes: self.received_bytes - earlier.received_bytes,
            new_bytes: self.new_bytes - earlier.new_bytes,
            losses: self.losses.since(earlier.losses),
            delay_sum: self.delay_sum - earlier.delay_sum,
        }
    }

    /// Mean one-way delay of received packets, seconds; NaN without any.
    pub(crate) fn mean_delay_s(&self) -> f64 {
        self.delay_sum.as_secs_f64() / self.received_packets as f64
    }

    /// Share of the packets sent that were lost; NaN if none was sent.
    pub(crate) fn loss_ratio(&self) -> f64 {
        loss_ratio(self.losses.lost, self.sent_packets)
    }

    pub(crate) fn throughput_bps(&self, span: Duration) -> f64 {
        rate_bps(self.received_bytes, span)
    }

    pub(crate) fn goodput_bps(&self, span: Duration) -> f64 {
        rate_bps(self.new_bytes, span)
    }
}

/// Counters at the start of a window, and losses within it of packets sent before.
#[derive(Clone, Copy, Debug, Default)]
struct PathBaseline {
    at: PathCounters,
    before: LossCounters,
}

/// A direction of a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathDirection {
    pub(crate) counters: PathCounters,
    /// Stream position of the latest new bytes received.
    pub(crate) sequence: u64,
    baselines: PerScope<PathBaseline>,
    /// Distributions of one-way delays: of the latest part, and of the earlier parts since the end of the warm-up.
    delay: CoarseHistogram,
    past: CoarseHistogram,
    /// Late losses by window: those of packets sent in a window that has ended.
    late: Vec<(usize, LossCounters)>,
}

impl PathDirection {
    /// Counters of a window, with losses and marks of packets sent in it.
    pub(crate) fn window_counters(&self, scope: Scope) -> PathCounters {
        let cut = &self.baselines[scope];
        let mut counters = self.counters.since(&cut.at);
        counters.losses = counters.losses.since(cut.before);
        counters
    }

    /// Distribution of one-way delays of packets received in a window.
    pub(crate) fn delays(&self, scope: Scope) -> CoarseHistogram {
        let mut all = self.delay.clone();
        if scope == Scope::Run {
            all.merge(&self.past);
        }
        all
    }

    /// Late losses of packets sent in a window.
    pub(crate) fn late_losses(&self, window: usize) -> LossCounters {
        let mut sum = LossCounters::default();
        self.late.iter().filter(|(number, _)| *number == window).for_each(|(_, losses)| sum.add(*losses));
        sum
    }

    fn record_loss(&mut self, loss: LossCounters, before: PerScope<bool>, closed: Option<usize>) {
        self.counters.losses.add(loss);
        for scope in Scope::BOTH.into_iter().filter(|scope| before[*scope]) {
            self.baselines[scope].before.add(loss);
        }
        let Some(window) = closed else { return };
        match self.late.iter_mut().find(|(number, _)| *number == window) {
            Some((_, losses)) => losses.add(loss),
            None => self.late.push((window, loss)),
        }
    }
}

/// A path of a flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowPath {
    /// Position among the paths of the flow.
    pub(crate) place: usize,
    pub(crate) key: PathKey,
    /// Directions to the client and to the server.
    directions: [PathDirection; 2],
}

impl FlowPath {
    /// Direction to an end.
    pub(crate) fn to(&self, end: FlowEnd) -> &PathDirection {
        &self.directions[usize::from(end.is_server())]
    }
}

/// Paths of a flow, in the order in which data was first sent on them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowPaths {
    paths: Vec<FlowPath>,
    /// Copy of the keys in one array, for the search that every packet makes.
    keys: Vec<PathKey>,
    /// Paths of the latest packets to the client and to the server.
    latest: [usize; 2],
}

impl FlowPaths {
    /// Directions that have carried data: path, destination end and counters.
    pub(crate) fn directions(
        &self,
        flow: usize,
    ) -> impl Iterator<Item = (&FlowPath, FlowEnd, &PathDirection)> {
        let client = FlowEnd::client(flow);
        let both = self.paths.iter().flat_map(move |path| [client.peer(), client].map(|to| (path, to)));
        both.map(|(path, to)| (path, to, path.to(to)))
            .filter(|(_, _, direction)| direction.counters.sent_packets > 0)
    }

    /// Number of paths.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    fn place(&self, key: PathKey) -> Option<usize> {
        self.keys.iter().position(|known| *known == key)
    }

    fn direction(&mut self, place: usize, to: FlowEnd) -> Option<&mut PathDirection> {
        self.paths.get_mut(place).map(|path| &mut path.directions[usize::from(to.is_server())])
    }

    /// Counts a packet with payload that leaves for an end.
    pub(crate) fn on_sent(&mut self, pkt: &SimPacket, to: FlowEnd, options: &OptionsArena, resent: bool) {
        let key = PathKey::of(pkt, to, options);
        let place = self.place(key).unwrap_or_else(|| {
            let place = self.paths.len();
            self.paths.push(FlowPath {
                place,
                key,
                directions: [PathDirection::default(), PathDirection::default()],
            });
            self.keys.push(key);
            place
        });
        let Some(direction) = self.direction(place, to) else { return };
        direction.counters.sent_packets += 1;
        direction.counters.sent_bytes += u64::from(pkt.size);
        direction.counters.retransmitted_packets += u64::from(resent);
    }

    /// Counts its arrival.
    pub(crate) fn on_received(
        &mut self,
        pkt: &SimPacket,
        to: FlowEnd,
        options: &OptionsArena,
        delay: Duration,
    ) {
        let Some(place) = self.place(PathKey::of(pkt, to, options)) else { return };
        self.latest[usize::from(to.is_server())] = place;
        let Some(direction) = self.direction(place, to) else { return };
        direction.counters.received_packets += 1;
        direction.counters.received_bytes += u64::from(pkt.size);
        direction.counters.delay_sum += delay;
        direction.delay.record(delay);
    }

    /// Counts the arrival of a link's duplicate, which adds received bytes only.
    pub(crate) fn on_copy_received(&mut self, pkt: &SimPacket, to: FlowEnd, options: &OptionsArena) {
        let Some(place) = self.place(PathKey::of(pkt, to, options)) else { return };
        self.latest[usize::from(to.is_server())] = place;
        if let Some(direction) = self.direction(place, to) {
            direction.counters.received_bytes += u64::from(pkt.size);
        }
    }

    /// Counts bytes new to the connection, from `sequence` on, for the path of the latest packet to this end.
    pub(crate) fn on_new_bytes(&mut self, to: FlowEnd, bytes: u64, sequence: u64) {
        let place = self.latest[usize::from(to.is_server())];
        if let Some(direction) = self.direction(place, to) {
            direction.counters.new_bytes += bytes;
            direction.sequence = sequence;
        }
    }

    /// Counts a loss or mark: of a packet sent before the open windows or in them, and the closed window in which it was sent, if
    /// any.
    pub(crate) fn on_loss(
        &mut self,
        pkt: &SimPacket,
        options: &OptionsArena,
        loss: LossCounters,
        (before, closed): (PerScope<bool>, Option<usize>),
    ) {
        let Some(to) = pkt.to.end() else { return };
        let Some(place) = self.place(PathKey::of(pkt, to, options)) else { return };
        if let Some(direction) = self.direction(place, to) {
            direction.record_loss(loss, before, closed);
        }
    }

    fn directions_mut(&mut self) -> impl Iterator<Item = &mut PathDirection> {
        self.paths.iter_mut().flat_map(|path| &mut path.directions)
    }

    /// Ends the delay distributions at a window's edge; `counts`: the ended part is not the warm-up.
    pub(crate) fn cut_delays(&mut self, counts: bool) {
        for direction in self.directions_mut() {
            let part = direction.delay.cut();
            if counts {
                direction.past.merge(&part);
            }
        }
    }

    /// Starts a window.
    pub(crate) fn begin_scope(&mut self, scope: Scope) {
        for direction in self.directions_mut() {
            direction.baselines[scope] =
                PathBaseline { at: direction.counters, before: LossCounters::default() };
        }
    }
}
