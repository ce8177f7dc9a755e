//! A packet with an identity, hosts that write everything down, and short ways to small networks.

use tailrace_core::params::Value;
use tailrace_core::{Bytes, DropReason, Duration, Ecn, FlowKey, Instant, Limit, Packet, Rate, Rng};
use tailrace_net::{
    Address, Fabric, Graph, Hosts, LinkConfig, LinkId, LinkQueue, NodeId, Observer, PacketOps, Routed,
    TimerId,
};
use tailrace_qdisc::{LinkView, QdiscConfig};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) id: u16,
    pub(crate) src: Address,
    pub(crate) dst: Address,
    pub(crate) flow: u16,
    pub(crate) size: u64,
    pub(crate) ecn: Ecn,
}

impl Packet for Header {
    fn size(&self) -> Bytes {
        Bytes(self.size)
    }
    fn flow(&self) -> FlowKey {
        FlowKey { src: self.src.0, dst: self.dst.0, src_port: self.flow, dst_port: 9, protocol: 17 }
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

/// Identity of a packet, for tests.
pub(crate) trait Identified: Routed + Clone {
    fn id(&self) -> u16;
}

impl Identified for Header {
    fn id(&self) -> u16 {
        self.id
    }
}

/// Everything that the hosts were told, by kind, each in order of time (a stable sort undoes late reports).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) received: Vec<(Instant, NodeId, u16, Ecn)>,
    pub(crate) dropped: Vec<(Instant, LinkId, u16, DropReason)>,
    pub(crate) marked: Vec<(Instant, LinkId, u16)>,
    pub(crate) unroutable: Vec<(Instant, NodeId, u16)>,
    pub(crate) transmitted: Vec<(Instant, u16, Duration)>,
    pub(crate) duplicated: Vec<(LinkId, u16)>,
    pub(crate) damaged: Vec<(LinkId, u16)>,
}

impl Log {
    pub(crate) fn sorted(mut self) -> Self {
        self.dropped.sort_by_key(|d| d.0);
        self.marked.sort_by_key(|m| m.0);
        self
    }
    /// The first thing in which two logs differ; whole logs are too long to read.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        fn first<T: std::fmt::Debug + PartialEq>(what: &str, a: &[T], b: &[T]) -> Option<String> {
            let at = (0..a.len().max(b.len())).find(|i| a.get(*i) != b.get(*i))?;
            Some(format!("{what} {at}: {:?} and {:?}", a.get(at), b.get(at)))
        }
        first("received", &self.received, &other.received)
            .or_else(|| first("dropped", &self.dropped, &other.dropped))
            .or_else(|| first("marked", &self.marked, &other.marked))
            .or_else(|| first("unroutable", &self.unroutable, &other.unroutable))
            .or_else(|| first("transmitted", &self.transmitted, &other.transmitted))
    }
    pub(crate) fn ids(&self) -> Vec<u16> {
        self.received.iter().map(|r| r.2).collect()
    }
    /// Time of arrival and identity of each packet received.
    pub(crate) fn times(&self) -> Vec<(u64, u16)> {
        self.received.iter().map(|r| (r.0.as_nanos(), r.2)).collect()
    }
}

impl<P: Identified> PacketOps<P> for Log {
    fn duplicate(&mut self, link: LinkId, pkt: &P) -> Option<P> {
        self.duplicated.push((link, pkt.id()));
        Some(pkt.clone())
    }

    fn damage(&mut self, link: LinkId, pkt: &mut P) {
        self.damaged.push((link, pkt.id()));
    }
}

impl<P: Identified> Hosts<P> for Log {
    fn receive(&mut self, node: NodeId, pkt: P, fabric: &mut Fabric<P>) {
        self.received.push((fabric.now(), node, pkt.id(), pkt.ecn()));
    }
    fn wake(&mut self, _timer: TimerId, _fabric: &mut Fabric<P>) {}
}

impl<P: Identified> Observer<P> for Log {
    fn dropped(&mut self, link: LinkId, pkt: P, reason: DropReason, at: Instant) {
        self.dropped.push((at, link, pkt.id(), reason));
    }
    fn marked(&mut self, link: LinkId, pkt: &P, at: Instant) {
        self.marked.push((at, link, pkt.id()));
    }
    fn unroutable(&mut self, node: NodeId, pkt: P, at: Instant) {
        self.unroutable.push((at, node, pkt.id()));
    }
    fn transmitted(&mut self, _link: LinkId, pkt: &P, sojourn: Duration, at: Instant) {
        self.transmitted.push((at, pkt.id(), sojourn));
    }
}

/// A drop-tail link with room for all, observed.
pub(crate) fn link<P: Packet>(rate: Rate, delay: Duration) -> LinkConfig<P> {
    LinkConfig {
        rate,
        schedule: None,
        delay,
        overhead: Bytes::ZERO,
        mtu: Bytes(65_535),
        queue: LinkQueue::Fifo(Limit::Packets(1_000_000)),
        impairment: None,
        observed: true,
        watched: false,
        has_middlebox: false,
    }
}

/// The default configuration of a registered discipline, with ECN where it has the switch.
pub(crate) fn config_of(name: &str) -> QdiscConfig {
    let mut config = QdiscConfig::default_of(name).expect("a registered name");
    if config.get("ecn").is_some() {
        config.set("ecn", &Value::Bool(true)).expect("a switch takes a bool");
    }
    config
}

pub(crate) fn disciplined<P: Packet>(config: &QdiscConfig, rate: Rate, seed: u64) -> LinkQueue<P> {
    let view = LinkView::new(rate, Duration::from_millis(10));
    LinkQueue::Disciplined(Box::new((config.build(&view), Rng::new(seed))))
}

pub(crate) fn droptail<P: Packet>(limit: Limit, rate: Rate) -> LinkQueue<P> {
    let config = tailrace_qdisc::disciplines::droptail::DroptailConfig { limit, ..Default::default() };
    disciplined(&QdiscConfig::Droptail(config), rate, 0)
}

/// The one link under test of [`pair`].
pub(crate) const FORWARD: LinkId = LinkId(0);

/// Two hosts and the link between them; `forward` leads from the first to the second.
pub(crate) fn pair<P: Routed>(forward: LinkConfig<P>) -> (Fabric<P>, Address, Address) {
    let mut graph = Graph::default();
    let (a, b) = (graph.add_node(false), graph.add_node(false));
    graph.add_link(a, b);
    let (src, dst) = (address(&graph, a), address(&graph, b));
    let backward = link(forward.rate, forward.delay);
    (Fabric::new(graph, [forward, backward], 0), src, dst)
}

pub(crate) fn address(graph: &Graph, host: NodeId) -> Address {
    graph.addresses(host).next().expect("a host has a link")
}

/// A packet from `src` to `dst`.
pub(crate) fn header(id: u16, src: Address, dst: Address, size: u64) -> Header {
    Header { id, src, dst, flow: 1, size, ecn: Ecn::NotEct }
}

/// When to send which packet of what size in which flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    pub(crate) at: Instant,
    pub(crate) size: u64,
    pub(crate) flow: u16,
    pub(crate) ecn: Ecn,
}

/// `n` packets of 40 to 1500 bytes in 8 flows, half of them ECN-capable, as bursts at `load` times `rate` on average.
pub(crate) fn random_trace(rng: &mut Rng, n: usize, rate: Rate, load: f64) -> Vec<Sending> {
    let mut at = Instant::ZERO;
    let mean = rate.time_to_send(Bytes(770)).mul_f64(1.0 / load);
    (0..n)
        .map(|_| {
            // Three in four follow at once or at the very end of a transmission; the fourth makes up for it.
            at += match rng.below(8) {
                0..=4 => Duration::ZERO,
                5 => rate.time_to_send(Bytes(1500)),
                _ => rng.exponential_duration(mean * 3),
            };
            let size = if rng.bernoulli(0.5) { 1500 } else { 40 };
            let ecn = if rng.bernoulli(0.5) { Ecn::Ect0 } else { Ecn::NotEct };
            Sending { at, size, flow: rng.below(8) as u16, ecn }
        })
        .collect()
}

/// Sends a trace from `src` to `dst` and runs until all is quiet.
pub(crate) fn play(fabric: &mut Fabric<Header>, src: Address, dst: Address, trace: &[Sending]) -> Log {
    let mut log = Log::default();
    for (id, s) in trace.iter().enumerate() {
        fabric.run_until(s.at, &mut log);
        let pkt = Header { id: id as u16, src, dst, flow: s.flow, size: s.size, ecn: s.ecn };
        fabric.send(src, pkt, &mut log);
    }
    fabric.run_until(fabric.now() + Duration::from_secs(3600), &mut log);
    assert!(fabric.is_quiet());
    log
}
