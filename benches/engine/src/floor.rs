//! The bare engine: scenario D's dumbbell with closed-loop packets in the place of TCP.
//!
//! N senders and N receivers with access links of 100 Mbit/s and 5 to 20 ms each, a bottleneck of N Mbit/s and
//! 10 ms with 8.75 packets of buffer a flow. Each flow keeps a constant number of packets on the way: a receiver
//! answers each data packet of 1000 bytes with one of 40, which releases the next. With the default window of 12
//! the bottleneck is busy all the time (a path holds 8.75 on average) and nothing is lost. Flows start spread over
//! the first second.

use crate::Options;
use crate::measure::{Work, measure};
use tailrace_core::{Bytes, DropReason, Duration, Ecn, FlowKey, Instant, Limit, Packet, Rate, Rng, packet};
use tailrace_net::{
    Address, Fabric, Graph, Hosts, LinkConfig, LinkId, LinkQueue, NodeId, Observer, PacketOps, Routed,
    TimerId,
};

const DATA: u32 = 1000;
const ACK: u32 = 40;
const PORT: u16 = 5001;

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let until = Instant::from_secs(options.duration_s);
    let measurement = measure(
        || Floor::new(options),
        |(mut fabric, mut floor)| {
            fabric.run_until(until, &mut floor);
            assert_eq!(floor.lost, 0, "the window is meant to fit into pipe and buffer");
            Work { packet_hops: fabric.hops(), events: fabric.handled() }
        },
    )?;
    measurement.print("floor", options.n, &[], options.json);
    Ok(())
}

#[derive(Clone, Copy, Debug)]
struct Header {
    src: Address,
    dst: Address,
    size: u32,
    ecn: Ecn,
}

impl Packet for Header {
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.size))
    }
    fn flow(&self) -> FlowKey {
        FlowKey {
            src: self.src.0,
            dst: self.dst.0,
            src_port: PORT,
            dst_port: PORT,
            protocol: packet::protocol::UDP,
        }
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Routed for Header {
    fn destination(&self) -> Address {
        self.dst
    }
}

/// The hosts.
struct Floor {
    /// Sender and receiver of each flow.
    flows: Vec<(Address, Address)>,
    window: u32,
    lost: u64,
}

impl Floor {
    fn new(options: &Options) -> (Fabric<Header>, Self) {
        let n = options.n;
        let mut graph = Graph::default();
        let (left, right) = (graph.add_node(true), graph.add_node(true));
        let mut links: Vec<LinkConfig<Header>> = Vec::with_capacity(4 * n as usize + 2);
        let mut rng = Rng::named(1, "access delay");
        let mut hosts = Vec::with_capacity(2 * n as usize);
        for router in [left, right] {
            for _ in 0..n {
                let host = graph.add_node(false);
                graph.add_link(host, router);
                hosts.push(host);
                let delay = Duration::from_millis(5) + Duration::from_millis(15).mul_f64(rng.uniform());
                let access = || link(Rate::from_mbit(100), delay, u64::from(n) * 100);
                links.extend([access(), access()]);
            }
        }
        graph.add_link(left, right);
        let bottleneck = || {
            link(Rate::from_mbit(u64::from(n)), Duration::from_millis(10), (u64::from(n) * 875).div_ceil(100))
        };
        links.extend([bottleneck(), bottleneck()]);
        let address = |host: &NodeId| graph.addresses(*host).next().expect("a host has a link");
        let (senders, receivers) = hosts.split_at(n as usize);
        let flows: Vec<_> = senders.iter().zip(receivers).map(|(s, r)| (address(s), address(r))).collect();
        let mut fabric = Fabric::new(graph, links, n as usize);
        for flow in 0..n {
            fabric.wake_at(Instant::ZERO + Duration::from_secs(1).mul_f64(rng.uniform()), TimerId(flow));
        }
        (fabric, Self { flows, window: options.window, lost: 0 })
    }
}

fn link(rate: Rate, delay: Duration, packets: u64) -> LinkConfig<Header> {
    LinkConfig {
        rate,
        schedule: None,
        delay,
        overhead: Bytes::ZERO,
        mtu: Bytes(1500),
        queue: LinkQueue::Fifo(Limit::Packets(packets)),
        impairment: None,
        observed: false,
        watched: false,
        has_middlebox: false,
    }
}

impl PacketOps<Header> for Floor {}

impl Hosts<Header> for Floor {
    #[inline]
    fn receive(&mut self, _node: NodeId, pkt: Header, fabric: &mut Fabric<Header>) {
        let size = if pkt.size == DATA { ACK } else { DATA };
        fabric.send(pkt.dst, Header { src: pkt.dst, dst: pkt.src, size, ecn: Ecn::NotEct }, self);
    }
    fn wake(&mut self, timer: TimerId, fabric: &mut Fabric<Header>) {
        let (src, dst) = self.flows[timer.0 as usize];
        for _ in 0..self.window {
            fabric.send(src, Header { src, dst, size: DATA, ecn: Ecn::NotEct }, self);
        }
    }
}

impl Observer<Header> for Floor {
    fn dropped(&mut self, _link: LinkId, _pkt: Header, _reason: DropReason, _at: Instant) {
        self.lost += 1;
    }
    fn marked(&mut self, _link: LinkId, _pkt: &Header, _at: Instant) {}
    fn unroutable(&mut self, _node: NodeId, _pkt: Header, _at: Instant) {
        self.lost += 1;
    }
}
