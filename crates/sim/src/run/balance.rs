//! Packet conservation at any moment of a run: packets sent are received, lost, or in the network.

use crate::ground::scope::Scope;
use crate::run::simulation::Simulation;
use crate::stats::flow_stats::FlowStats;
use crate::stats::paths::PathCounters;
use tailrace_net::LinkId;

/// Packets in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketsInFlight {
    /// Packets in queues and on wires, of every kind.
    pub packets: u64,
    /// Packets with data of flows that were sent and neither received nor lost.
    pub data_packets: u64,
}

impl Simulation {
    /// Checks the counters of links, fabric and flows against each other.
    ///
    /// # Errors
    /// The counters that do not balance.
    pub fn balance(&mut self) -> Result<PacketsInFlight, String> {
        self.settle();
        let packets = self.balance_links()?;
        let data_packets = self.balance_flows(packets)?;
        self.balance_windows()?;
        self.balance_paths()?;
        let options = self.world.options.in_use() as u64;
        if options > packets {
            return Err(format!("{options} packets hold options, {packets} are in the network"));
        }
        Ok(PacketsInFlight { packets, data_packets })
    }

    /// Checks that every packet accepted by a queue has left it or waits in it; returns the number of packets in the network.
    fn balance_links(&self) -> Result<u64, String> {
        let (mut inside, mut delivered) = (0, 0);
        for i in 0..self.fabric.link_count() as u32 {
            let link = self.fabric.link(LinkId(i));
            let (c, waiting) = (link.counters(), link.backlog().packets);
            if c.enqueued() != c.dequeued + c.expelled + waiting {
                return Err(format!("queue of link {i}: {waiting} wait, {c:?}"));
            }
            inside += link.occupancy();
            delivered += c.delivered;
        }
        // Counted independently: by links as the remainder, by the fabric one by one.
        if delivered != self.fabric.hops() {
            return Err(format!("links delivered {delivered} packets, the fabric {}", self.fabric.hops()));
        }
        Ok(inside)
    }

    /// Checks that packets sent by a flow are received, lost or in the network, and that only received data is delivered. Of the
    /// `inside` packets in the network, those in disciplines are counted without knowing their flow.
    fn balance_flows(&self, inside: u64) -> Result<u64, String> {
        let mut known = vec![0; self.world.flows.len()];
        let mut hidden = inside;
        for pkt in self.fabric.packets() {
            hidden -= 1;
            if let Some(known) = known.get_mut(pkt.to.flow()) {
                *known += u64::from(pkt.payload > 0 && !pkt.is_copy());
            }
        }
        let mut open = 0;
        for (flow, known) in known.iter().enumerate() {
            let t = self.world.flow_stats(flow);
            let gone = t.received_packets + t.lost_packets;
            if gone > t.sent_packets || t.delivered_bytes > t.received_bytes {
                return Err(format!("flow {flow}: {t:?}"));
            }
            let under_way = t.sent_packets - gone;
            if !(*known..=known + hidden).contains(&under_way) {
                return Err(format!(
                    "flow {flow}: {known} packets in the network, {hidden} of unknown flows, {t:?}"
                ));
            }
            open += under_way;
        }
        if open > known.iter().sum::<u64>() + hidden {
            return Err(format!("{open} packets with data on their way, {inside} in the network"));
        }
        Ok(open)
    }

    /// Checks that packets sent on each path are received, lost or in the network, and that the paths of a flow add up to the
    /// flow.
    fn balance_paths(&self) -> Result<(), String> {
        for (flow, f) in self.world.flows.iter().enumerate() {
            let Some(paths) = &f.paths else { continue };
            let lanes = || paths.directions(flow).map(|(_, to, lane)| (to, lane));
            for (to, lane) in lanes() {
                let t = lane.counters;
                if t.received_packets + t.losses.lost > t.sent_packets || t.new_bytes > t.received_bytes {
                    return Err(format!("flow {flow}, a path to {to:?}: {t:?}"));
                }
            }
            let whole = self.world.flow_stats(flow);
            let sum = sum_of(lanes().map(|(_, lane)| lane.counters));
            let back = sum_of(lanes().filter(|(to, _)| !to.is_server()).map(|(_, lane)| lane.counters));
            if !is_sum(&sum, &back, &whole) || sum.new_bytes < whole.delivered_bytes {
                return Err(format!("flow {flow}: {whole:?}, by path {sum:?}, of that back {back:?}"));
            }
            for scope in Scope::BOTH {
                let t = sum_of(lanes().map(|(_, lane)| lane.window_counters(scope)));
                let back = lanes().filter(|(to, _)| !to.is_server());
                let back = sum_of(back.map(|(_, lane)| lane.window_counters(scope)));
                let window = self.world.window_stats(flow, scope);
                if !is_sum(&t, &back, &window) {
                    return Err(format!(
                        "flow {flow}, {scope:?}: {window:?}, by path {t:?}, of that back {back:?}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks that window statistics do not exceed what happened in the window.
    fn balance_windows(&self) -> Result<(), String> {
        for flow in 0..self.world.flows.len() {
            for scope in Scope::BOTH {
                let t = self.world.window_stats(flow, scope);
                let goodput = self.world.goodput_bytes(flow, &t, scope);
                if t.lost_packets > t.sent_packets
                    || t.marked_packets > t.sent_packets
                    || goodput > t.received_bytes
                {
                    return Err(format!("flow {flow}, {scope:?}: {goodput} bytes of goodput, {t:?}"));
                }
            }
        }
        Ok(())
    }
}

fn sum_of(lanes: impl Iterator<Item = PathCounters>) -> PathCounters {
    let mut sum = PathCounters::default();
    for lane in lanes {
        sum.sent_packets += lane.sent_packets;
        sum.sent_bytes += lane.sent_bytes;
        sum.retransmitted_packets += lane.retransmitted_packets;
        sum.received_packets += lane.received_packets;
        sum.received_bytes += lane.received_bytes;
        sum.new_bytes += lane.new_bytes;
        sum.losses.add(lane.losses);
        sum.delay_sum += lane.delay_sum;
    }
    sum
}

/// Whether the counters of all paths add up to the flow's, and their return traffic to `back`.
fn is_sum(sum: &PathCounters, back: &PathCounters, flow: &FlowStats) -> bool {
    let by_path = [
        sum.sent_packets,
        sum.sent_bytes,
        sum.retransmitted_packets,
        sum.received_packets,
        sum.received_bytes,
        sum.losses.lost,
        sum.losses.marked,
        back.received_packets,
    ];
    let of_flow = [
        flow.sent_packets,
        flow.sent_bytes,
        flow.retransmitted_packets,
        flow.received_packets,
        flow.received_bytes,
        flow.lost_packets,
        flow.marked_packets,
        flow.reverse_packets,
    ];
    let delays = (sum.delay_sum, back.delay_sum);
    by_path == of_flow && delays == (flow.delay_sum + flow.reverse_delay_sum, flow.reverse_delay_sum)
}
