//! Packets that go through gateways: each link they cross, and where those end that get stuck.

use crate::common::link;
use tailrace_core::{Bytes, DropReason, Duration, Ecn, FlowKey, Instant, Packet, Rate};
use tailrace_net::{Address, Fabric, Graph, Hosts, LinkId, NodeId, Observer, PacketOps, Routed, TimerId};

/// A packet with the stops that it has yet to make, the last one first.
#[derive(Clone, Debug)]
struct Letter {
    to: Address,
    then: Vec<Address>,
}

impl Packet for Letter {
    fn size(&self) -> Bytes {
        Bytes(100)
    }
    fn flow(&self) -> FlowKey {
        FlowKey::default()
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ce(&mut self) {}
}

impl Routed for Letter {
    fn destination(&self) -> Address {
        self.to
    }
}

#[derive(Debug, Default)]
struct Log {
    crossed: Vec<LinkId>,
    received: Vec<NodeId>,
    stuck: Vec<NodeId>,
}

impl PacketOps<Letter> for Log {}

impl Hosts<Letter> for Log {
    fn receive(&mut self, node: NodeId, pkt: Letter, _: &mut Fabric<Letter>) {
        assert_eq!(pkt.then, [], "no stop was left out");
        self.received.push(node);
    }
    fn wake(&mut self, _: TimerId, _: &mut Fabric<Letter>) {}
    fn next_stop(&mut self, _: NodeId, pkt: &mut Letter) -> bool {
        pkt.then.pop().map(|next| pkt.to = next).is_some()
    }
}

impl Observer<Letter> for Log {
    fn dropped(&mut self, _: LinkId, _: Letter, _: DropReason, _: Instant) {}
    fn marked(&mut self, _: LinkId, _: &Letter, _: Instant) {}
    fn unroutable(&mut self, node: NodeId, _: Letter, _: Instant) {
        self.stuck.push(node);
    }
    fn transmitted(&mut self, link: LinkId, _: &Letter, _: Duration, _: Instant) {
        self.crossed.push(link);
    }
}

/// `h1 - r1 - r2 - h2`, the detour `r1 - r3 - r2`, the blind alley `r1 - r4`, and `r5`, which nothing joins.
struct Net {
    fabric: Fabric<Letter>,
    hosts: [Address; 2],
    routers: [NodeId; 5],
    gateways: Vec<Address>,
}

/// Numbers of links below, in the order in which they are added; odd directions are the way back.
const H1_R1: u32 = 0;
const R1_R2: u32 = 2;
const R1_R3: u32 = 4;
const R3_R2: u32 = 6;
const R1_R4: u32 = 8;
const R2_H2: u32 = 10;

impl Net {
    fn new() -> Self {
        let mut graph = Graph::default();
        let (h1, h2) = (graph.add_node(false), graph.add_node(false));
        let routers = [(); 5].map(|()| graph.add_node(true));
        let [r1, r2, r3, r4, _] = routers;
        for (a, b) in [(h1, r1), (r1, r2), (r1, r3), (r3, r2), (r1, r4), (r2, h2)] {
            graph.add_link(a, b);
        }
        let gateways = routers.iter().map(|r| graph.add_gateway(*r)).collect();
        let hosts = [h1, h2].map(|h| graph.addresses(h).next().unwrap());
        let configs = (0..graph.link_count()).map(|_| {
            let mut config = link(Rate::from_mbit(10), Duration::from_millis(1));
            config.watched = true;
            config
        });
        let fabric = Fabric::new(graph, configs.collect::<Vec<_>>(), 0);
        Self { fabric, hosts, routers, gateways }
    }

    /// Sends one packet from h1 to h2 through routers by number, and runs until it is somewhere for good.
    fn send(&mut self, through: &[usize]) -> Log {
        let mut log = Log::default();
        let mut stops: Vec<Address> = through.iter().map(|r| self.gateways[r - 1]).collect();
        stops.push(self.hosts[1]);
        stops.reverse();
        let letter = Letter { to: stops.pop().unwrap(), then: stops };
        self.fabric.send(self.hosts[0], letter, &mut log);
        self.fabric.run_until(self.fabric.now() + Duration::from_secs(1), &mut log);
        assert!(self.fabric.is_quiet());
        log
    }

    fn set_up(&mut self, link: u32, up: bool) {
        self.fabric.set_links_up(&[LinkId(link), LinkId(link + 1)], up, true, &mut Log::default());
    }
}

fn crossed(log: &Log) -> Vec<u32> {
    assert_eq!((log.received.len(), log.stuck.len()), (1, 0));
    log.crossed.iter().map(|l| l.0).collect()
}

#[test]
fn packets_go_from_gateway_to_gateway_by_the_ordinary_routes() {
    let mut net = Net::new();
    assert_eq!(crossed(&net.send(&[])), [H1_R1, R1_R2, R2_H2]);
    assert_eq!(crossed(&net.send(&[1])), [H1_R1, R1_R2, R2_H2], "the first router is on the way anyhow");
    assert_eq!(crossed(&net.send(&[2])), [H1_R1, R1_R2, R2_H2], "and so is the last");
    assert_eq!(crossed(&net.send(&[3])), [H1_R1, R1_R3, R3_R2, R2_H2], "off the shortest path");
    assert_eq!(crossed(&net.send(&[4])), [H1_R1, R1_R4, R1_R4 + 1, R1_R2, R2_H2], "in and out of an alley");
    assert_eq!(
        crossed(&net.send(&[2, 4, 3])),
        [H1_R1, R1_R2, R1_R2 + 1, R1_R4, R1_R4 + 1, R1_R3, R3_R2, R2_H2],
        "past the destination's router and back"
    );
}

#[test]
fn a_gateway_may_be_called_at_twice() {
    let mut net = Net::new();
    assert_eq!(crossed(&net.send(&[3, 3])), [H1_R1, R1_R3, R3_R2, R2_H2]);
    let there_and_back = [H1_R1, R1_R3, R1_R3 + 1, R1_R4, R1_R4 + 1, R1_R3, R3_R2, R2_H2];
    assert_eq!(crossed(&net.send(&[3, 4, 3])), there_and_back);
}

#[test]
fn what_cannot_reach_its_next_gateway_is_lost_where_the_route_ends() {
    let mut net = Net::new();
    let stuck = |log: Log| (log.stuck, log.received.len());
    let [r1, _, r3, ..] = net.routers;
    assert_eq!(stuck(net.send(&[5])), (vec![r1], 0), "nothing leads to the first");
    assert_eq!(stuck(net.send(&[3, 5])), (vec![r3], 0), "nothing leads from the first to the second");
    net.set_up(R1_R4, false);
    assert_eq!(stuck(net.send(&[4])), (vec![r1], 0));
    assert_eq!(crossed(&net.send(&[])), [H1_R1, R1_R2, R2_H2], "others do not care");
    net.set_up(R1_R4, true);
    assert_eq!(crossed(&net.send(&[4])).len(), 5);
    net.set_up(R1_R3, false);
    assert_eq!(crossed(&net.send(&[3])), [H1_R1, R1_R2, R3_R2 + 1, R3_R2, R2_H2], "routes follow faults");
}

#[test]
fn a_packet_that_ends_at_a_router_has_no_host() {
    let mut net = Net::new();
    let mut log = Log::default();
    let letter = Letter { to: net.gateways[2], then: Vec::new() };
    net.fabric.send(net.hosts[0], letter, &mut log);
    net.fabric.run_until(Instant::from_secs(1), &mut log);
    assert_eq!((log.stuck, log.received), (vec![net.routers[2]], vec![]));
}

#[test]
fn a_gateway_has_one_address_behind_those_of_all_interfaces() {
    let mut graph = Graph::default();
    let (h, r1, r2) = (graph.add_node(false), graph.add_node(true), graph.add_node(true));
    graph.add_link(h, r1);
    graph.add_link(r2, h);
    let (a2, a1) = (graph.add_gateway(r2), graph.add_gateway(r1));
    assert_eq!([a2, a1].map(|a| a.to_string()), ["10.0.0.3", "10.0.0.4"]);
    assert_eq!((graph.add_gateway(r2), graph.add_gateway(r1)), (a2, a1));
    assert_eq!([a2, a1].map(|a| graph.owner(a)), [Some(r2), Some(r1)]);
    assert_eq!((graph.egress(a2), graph.is_usable(a2)), (None, false), "nothing is sent from there");
}
