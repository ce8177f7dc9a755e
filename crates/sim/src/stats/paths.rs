//! What flows over Multipath TCP send by each path, counted packet by packet.
//!
//! A path lies between an interface of the client and one of the server, whatever their addresses are at the time, and through
//! the gateways of a source route, if any; subflows that follow one another there are of one path, and so are those of several
//! connections of a flow. What a packet
//! is counted to it says itself, wherever it is sent, lost or received: so what a path has sent has come, is lost, or is on its
//! way. Flows over anything else have no paths, and pay a comparison a packet.

use crate::ground::rate::{loss_ratio, rate_bps};
use crate::ground::scope::{PerScope, Scope};
use crate::packet::flow_end::FlowEnd;
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use crate::stats::loss_counters::LossCounters;
use tailrace_core::{CoarseHistogram, Duration};
use tailrace_net::Address;

/// Which path it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathKey {
    /// The address with which the client's interface began.
    pub(crate) client: Address,
    /// That of the server's.
    pub(crate) server: Address,
    /// The gateways that it goes through, by their number among all lists of the run.
    pub(crate) gateways: Option<u32>,
}

impl PathKey {
    /// That of a packet on its way to an end of a flow.
    fn of(pkt: &SimPacket, to: FlowEnd, options: &OptionsArena) -> Self {
        let way = if options.source_routes.is_empty() { None } else { pkt.itinerary(options) };
        let last = way.map_or(pkt.destination, |way| way.last());
        let ends = if to.is_server() { (pkt.source, last) } else { (last, pkt.source) };
        let (client, server) = (options.address_changes.first(ends.0), options.address_changes.first(ends.1));
        Self { client, server, gateways: way.map(|way| way.list()) }
    }
}

/// Counters of one direction of a path since the start of the run. Packets are those that carry payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathCounters {
    pub(crate) sent_packets: u64,
    pub(crate) sent_bytes: u64,
    /// Of those sent, what the subflow's TCP had sent before.
    pub(crate) retransmitted_packets: u64,
    pub(crate) received_packets: u64,
    /// IP bytes of those: throughput.
    pub(crate) received_bytes: u64,
    /// Payload that the connection got by this path before it came by any other: goodput.
    pub(crate) new_bytes: u64,
    pub(crate) losses: LossCounters,
    pub(crate) delay_sum: Duration,
}

impl PathCounters {
    /// The counts since an earlier copy.
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

    /// Mean one-way delay of what arrived, seconds; NaN without any.
    pub(crate) fn mean_delay_s(&self) -> f64 {
        self.delay_sum.as_secs_f64() / self.received_packets as f64
    }

    /// Share of the packets sent that were lost; NaN when none was sent.
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

/// Counters where a window began, and what befell in it what was sent before.
#[derive(Clone, Copy, Debug, Default)]
struct PathBaseline {
    at: PathCounters,
    before: LossCounters,
}

/// One direction of a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathDirection {
    pub(crate) counters: PathCounters,
    /// Where in the stream of the connection the latest new bytes that came begin.
    pub(crate) sequence: u64,
    baselines: PerScope<PathBaseline>,
    /// One-way delays in the window that began last, and in those from the end of the warm-up on that are over.
    delay: CoarseHistogram,
    past: CoarseHistogram,
    /// What befell packets when the window in which they were sent was over, by number of the window.
    late: Vec<(usize, LossCounters)>,
}

impl PathDirection {
    /// What it did in a window: of losses and marks those of packets that were sent in it.
    pub(crate) fn window_counters(&self, scope: Scope) -> PathCounters {
        let cut = &self.baselines[scope];
        let mut counters = self.counters.since(&cut.at);
        counters.losses = counters.losses.since(cut.before);
        counters
    }

    /// One-way delays of what arrived in a window.
    pub(crate) fn delays(&self, scope: Scope) -> CoarseHistogram {
        let mut all = self.delay.clone();
        if scope == Scope::Run {
            all.merge(&self.past);
        }
        all
    }

    /// What befell packets of a window after its end.
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
    /// Its place among those of the flow.
    pub(crate) place: usize,
    pub(crate) key: PathKey,
    /// What goes to the client, and to the server.
    directions: [PathDirection; 2],
}

impl FlowPath {
    /// What goes to an end.
    pub(crate) fn to(&self, end: FlowEnd) -> &PathDirection {
        &self.directions[usize::from(end.is_server())]
    }
}

/// The paths of a flow, in the order in which data was first sent by them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowPaths {
    paths: Vec<FlowPath>,
    /// Their keys once more, close together: every packet looks for its own.
    keys: Vec<PathKey>,
    /// By which one the latest packet came to the client, and to the server.
    latest: [usize; 2],
}

impl FlowPaths {
    /// The directions that have carried data: the path, the end that it goes to, and what there is of it.
    pub(crate) fn directions(
        &self,
        flow: usize,
    ) -> impl Iterator<Item = (&FlowPath, FlowEnd, &PathDirection)> {
        let client = FlowEnd::client(flow);
        let both = self.paths.iter().flat_map(move |path| [client.peer(), client].map(|to| (path, to)));
        both.map(|(path, to)| (path, to, path.to(to)))
            .filter(|(_, _, direction)| direction.counters.sent_packets > 0)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    fn place(&self, key: PathKey) -> Option<usize> {
        self.keys.iter().position(|known| *known == key)
    }

    fn direction(&mut self, place: usize, to: FlowEnd) -> Option<&mut PathDirection> {
        self.paths.get_mut(place).map(|path| &mut path.directions[usize::from(to.is_server())])
    }

    /// A packet with payload leaves for an end.
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

    /// It arrives there.
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

    /// A copy of one arrives there, of bytes and nothing else that was sent.
    pub(crate) fn on_copy_received(&mut self, pkt: &SimPacket, to: FlowEnd, options: &OptionsArena) {
        let Some(place) = self.place(PathKey::of(pkt, to, options)) else { return };
        self.latest[usize::from(to.is_server())] = place;
        if let Some(direction) = self.direction(place, to) {
            direction.counters.received_bytes += u64::from(pkt.size);
        }
    }

    /// By what came to an end last, its connection got bytes that it did not have: those from `sequence` on.
    pub(crate) fn on_new_bytes(&mut self, to: FlowEnd, bytes: u64, sequence: u64) {
        let place = self.latest[usize::from(to.is_server())];
        if let Some(direction) = self.direction(place, to) {
            direction.counters.new_bytes += bytes;
            direction.sequence = sequence;
        }
    }

    /// A packet is lost or marked: sent before the open windows or not, and in which window that is over, if in one.
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
