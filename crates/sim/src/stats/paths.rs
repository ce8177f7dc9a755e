//! What flows over Multipath TCP send by each path, counted packet by packet.
//!
//! A path lies between an interface of the client and one of the server, whatever their addresses are at the time, and through
//! the gateways of a source route, if any; subflows that follow one another there are of one path, and so are those of several
//! connections of a flow. What a packet
//! is counted to it says itself, wherever it is sent, lost or received: so what a path has sent has come, is lost, or is on its
//! way. Flows over anything else have no paths, and pay a comparison a packet.

use crate::ground::rate::{loss_ratio, rate_bps};
use crate::ground::scope::{Each, Open};
use crate::host::hosts::World;
use crate::packet::flow_end::FlowEnd;
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use crate::stats::loss_counters::Fates;
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
        let (client, server) = (options.aliases.first(ends.0), options.aliases.first(ends.1));
        Self { client, server, gateways: way.map(|way| way.list()) }
    }
}

/// Counters of one direction of a path since the start of the run. Packets are those that carry payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathTally {
    pub(crate) sent_packets: u64,
    pub(crate) sent_bytes: u64,
    /// Of those sent, what the subflow's TCP had sent before.
    pub(crate) retransmitted_packets: u64,
    pub(crate) received_packets: u64,
    /// IP bytes of those: throughput.
    pub(crate) received_bytes: u64,
    /// Payload that the connection got by this path before it came by any other: goodput.
    pub(crate) new_bytes: u64,
    pub(crate) fates: Fates,
    pub(crate) delay_sum: Duration,
}

impl PathTally {
    /// The counts since an earlier copy.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        Self {
            sent_packets: self.sent_packets - earlier.sent_packets,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            retransmitted_packets: self.retransmitted_packets - earlier.retransmitted_packets,
            received_packets: self.received_packets - earlier.received_packets,
            received_bytes: self.received_bytes - earlier.received_bytes,
            new_bytes: self.new_bytes - earlier.new_bytes,
            fates: self.fates.since(earlier.fates),
            delay_sum: self.delay_sum - earlier.delay_sum,
        }
    }

    /// Mean one-way delay of what arrived, seconds; NaN without any.
    pub(crate) fn mean_delay_s(&self) -> f64 {
        self.delay_sum.as_secs_f64() / self.received_packets as f64
    }

    /// Share of the packets sent that were lost; NaN when none was sent.
    pub(crate) fn loss_ratio(&self) -> f64 {
        loss_ratio(self.fates.lost, self.sent_packets)
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
struct PathCut {
    at: PathTally,
    before: Fates,
}

/// One direction of a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lane {
    pub(crate) tally: PathTally,
    /// Where in the stream of the connection the latest new bytes that came begin.
    pub(crate) sequence: u64,
    cuts: Each<PathCut>,
    /// One-way delays in the window that began last, and in those from the end of the warm-up on that are over.
    delay: CoarseHistogram,
    past: CoarseHistogram,
    /// What befell packets when the window in which they were sent was over, by number of the window.
    late: Vec<(usize, Fates)>,
}

impl Lane {
    /// What it did in a window: of losses and marks those of packets that were sent in it.
    pub(crate) fn in_window(&self, open: Open) -> PathTally {
        let cut = &self.cuts[open];
        let mut tally = self.tally.since(&cut.at);
        tally.fates = tally.fates.since(cut.before);
        tally
    }

    /// One-way delays of what arrived in a window.
    pub(crate) fn delays(&self, open: Open) -> CoarseHistogram {
        let mut all = self.delay.clone();
        if open == Open::Whole {
            all.merge(&self.past);
        }
        all
    }

    /// What befell packets of a window after its end.
    pub(crate) fn late(&self, window: usize) -> Fates {
        let mut sum = Fates::default();
        self.late.iter().filter(|(number, _)| *number == window).for_each(|(_, fates)| sum.add(*fates));
        sum
    }

    fn befall(&mut self, fate: Fates, before: Each<bool>, over: Option<usize>) {
        self.tally.fates.add(fate);
        for open in Open::BOTH.into_iter().filter(|open| before[*open]) {
            self.cuts[open].before.add(fate);
        }
        let Some(window) = over else { return };
        match self.late.iter_mut().find(|(number, _)| *number == window) {
            Some((_, fates)) => fates.add(fate),
            None => self.late.push((window, fate)),
        }
    }
}

/// A path of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// Its place among those of the flow.
    pub(crate) place: usize,
    pub(crate) key: PathKey,
    /// What goes to the client, and to the server.
    lanes: [Lane; 2],
}

impl Path {
    /// What goes to an end.
    pub(crate) fn to(&self, end: FlowEnd) -> &Lane {
        &self.lanes[usize::from(end.is_server())]
    }
}

/// The paths of a flow, in the order in which data was first sent by them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowPaths {
    paths: Vec<Path>,
    /// Their keys once more, close together: every packet looks for its own.
    keys: Vec<PathKey>,
    /// By which one the latest packet came to the client, and to the server.
    latest: [usize; 2],
}

impl FlowPaths {
    /// The directions that have carried data: the path, the end that it goes to, and what there is of it.
    pub(crate) fn directions(&self, flow: usize) -> impl Iterator<Item = (&Path, FlowEnd, &Lane)> {
        let client = FlowEnd::client(flow);
        let both = self.paths.iter().flat_map(move |path| [client.peer(), client].map(|to| (path, to)));
        both.map(|(path, to)| (path, to, path.to(to))).filter(|(_, _, lane)| lane.tally.sent_packets > 0)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    fn place(&self, key: PathKey) -> Option<usize> {
        self.keys.iter().position(|known| *known == key)
    }

    fn lane(&mut self, place: usize, to: FlowEnd) -> Option<&mut Lane> {
        self.paths.get_mut(place).map(|path| &mut path.lanes[usize::from(to.is_server())])
    }

    /// A packet with payload leaves for an end.
    fn sent(&mut self, key: PathKey, to: FlowEnd, (size, resent): (u32, bool)) {
        let place = self.place(key).unwrap_or_else(|| {
            let place = self.paths.len();
            self.paths.push(Path { place, key, lanes: [Lane::default(), Lane::default()] });
            self.keys.push(key);
            place
        });
        let Some(lane) = self.lane(place, to) else { return };
        lane.tally.sent_packets += 1;
        lane.tally.sent_bytes += u64::from(size);
        lane.tally.retransmitted_packets += u64::from(resent);
    }

    /// It arrives there.
    pub(crate) fn received(&mut self, pkt: &SimPacket, to: FlowEnd, options: &OptionsArena, delay: Duration) {
        let Some(place) = self.place(PathKey::of(pkt, to, options)) else { return };
        self.latest[usize::from(to.is_server())] = place;
        let Some(lane) = self.lane(place, to) else { return };
        lane.tally.received_packets += 1;
        lane.tally.received_bytes += u64::from(pkt.size);
        lane.tally.delay_sum += delay;
        lane.delay.record(delay);
    }

    /// A copy of one arrives there, of bytes and nothing else that was sent.
    pub(crate) fn received_copy(&mut self, pkt: &SimPacket, to: FlowEnd, options: &OptionsArena) {
        let Some(place) = self.place(PathKey::of(pkt, to, options)) else { return };
        self.latest[usize::from(to.is_server())] = place;
        if let Some(lane) = self.lane(place, to) {
            lane.tally.received_bytes += u64::from(pkt.size);
        }
    }

    /// By what came to an end last, its connection got bytes that it did not have: those from `sequence` on.
    fn brought(&mut self, to: FlowEnd, bytes: u64, sequence: u64) {
        let place = self.latest[usize::from(to.is_server())];
        if let Some(lane) = self.lane(place, to) {
            lane.tally.new_bytes += bytes;
            lane.sequence = sequence;
        }
    }

    /// A packet is lost or marked: sent before the open windows or not, and in which window that is over, if in one.
    pub(crate) fn befall(
        &mut self,
        pkt: &SimPacket,
        options: &OptionsArena,
        fate: Fates,
        (before, over): (Each<bool>, Option<usize>),
    ) {
        let Some(to) = pkt.to.end() else { return };
        let Some(place) = self.place(PathKey::of(pkt, to, options)) else { return };
        if let Some(lane) = self.lane(place, to) {
            lane.befall(fate, before, over);
        }
    }

    fn lanes_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.paths.iter_mut().flat_map(|path| &mut path.lanes)
    }

    /// A window begins.
    pub(crate) fn begin(&mut self, open: Open) {
        for lane in self.lanes_mut() {
            lane.cuts[open] = PathCut { at: lane.tally, before: Fates::default() };
        }
    }
}

impl World {
    /// A segment of Multipath TCP leaves an end.
    #[inline]
    pub(crate) fn count_path_sent(&mut self, from: FlowEnd, pkt: &SimPacket, resent: bool) {
        if pkt.payload > 0 {
            self.count_path_data(from, pkt, resent);
        }
    }

    fn count_path_data(&mut self, from: FlowEnd, pkt: &SimPacket, resent: bool) {
        let to = from.peer();
        if let Some(paths) = &mut self.flows[from.flow()].paths {
            paths.sent(PathKey::of(pkt, to, &self.options), to, (pkt.size, resent));
        }
    }

    /// A connection of Multipath TCP got bytes, at this end, that it did not have.
    pub(crate) fn count_new_bytes(&mut self, to: FlowEnd, bytes: u64, sequence: u64) {
        if let Some(paths) = self.flows[to.flow()].paths.as_mut().filter(|_| bytes > 0) {
            paths.brought(to, bytes, sequence);
        }
    }

    /// A part of the run is over; `counts`: it was not the warm-up.
    pub(crate) fn cut_path_delays(&mut self, counts: bool) {
        for lane in self.flows.iter_mut().filter_map(|flow| flow.paths.as_mut()).flat_map(|p| p.lanes_mut()) {
            let part = lane.delay.cut();
            if counts {
                lane.past.merge(&part);
            }
        }
    }
}
