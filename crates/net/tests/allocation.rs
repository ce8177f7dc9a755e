//! In steady state the fabric allocates nothing, packet by packet.
#![expect(unsafe_code, reason = "a counting allocator implements an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use tailrace_access::media::wifi::WifiConfig;
use tailrace_access::{GrantConfig, LinkSchedule, MediumConfig};
use tailrace_core::params::Value;
use tailrace_core::{
    Bytes, DropReason, Duration, Ecn, FlowKey, Instant, Limit, Packet, Probability, Rate, Rng,
};
use tailrace_net::{
    Address, Fabric, Graph, Hosts, LinkConfig, LinkId, LinkQueue, NodeId, Observer, PacketOps, Routed,
    TimerId,
};
use tailrace_qdisc::{LinkView, QdiscConfig};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: passes every call on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller's promise about `layout` is the one that is needed.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: `ptr` came from `System` with this layout.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Clone, Copy, Debug)]
struct Header {
    src: Address,
    dst: Address,
    size: u64,
}

impl Packet for Header {
    fn size(&self) -> Bytes {
        Bytes(self.size)
    }
    fn flow(&self) -> FlowKey {
        FlowKey { src: self.src.0, dst: self.dst.0, src_port: 1, dst_port: 2, protocol: 17 }
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ce(&mut self) {}
}

impl Routed for Header {
    fn destination(&self) -> Address {
        self.dst
    }
}

/// Hosts that answer each packet at once, and replace each lost one.
struct Echo {
    lost: Vec<Header>,
    /// Packets received or lost.
    handled: u64,
}

impl PacketOps<Header> for Echo {}

impl Hosts<Header> for Echo {
    fn receive(&mut self, _node: NodeId, pkt: Header, fabric: &mut Fabric<Header>) {
        self.handled += 1;
        let size = if pkt.size == 1000 { 40 } else { 1000 };
        fabric.send(pkt.dst, Header { src: pkt.dst, dst: pkt.src, size }, self);
    }
    fn wake(&mut self, timer: TimerId, fabric: &mut Fabric<Header>) {
        while let Some(pkt) = self.lost.pop() {
            fabric.send(pkt.src, pkt, self);
        }
        fabric.wake_at(fabric.now() + Duration::from_millis(10), timer);
    }
}

impl Observer<Header> for Echo {
    fn dropped(&mut self, _link: LinkId, pkt: Header, _reason: DropReason, _at: Instant) {
        self.handled += 1;
        self.lost.push(pkt);
    }
    fn marked(&mut self, _link: LinkId, _pkt: &Header, _at: Instant) {}
    fn unroutable(&mut self, _node: NodeId, _pkt: Header, _at: Instant) {}
}

/// A dumbbell of `n` pairs whose bottleneck runs `queue`, perhaps by a schedule, and loses packets; `medium` is shared by it and a
/// host's link, both ways.
fn dumbbell(
    n: u32,
    queue: LinkQueue<Header>,
    schedule: Option<&LinkSchedule>,
    medium: Option<MediumConfig>,
) -> (Fabric<Header>, Echo) {
    let link = |rate, queue, observed| LinkConfig {
        rate,
        schedule: None,
        delay: Duration::from_millis(5),
        overhead: Bytes::ZERO,
        mtu: Bytes(1500),
        queue,
        impairment: None,
        observed,
        watched: false,
        has_middlebox: false,
    };
    let access = || link(Rate::from_mbit(100), LinkQueue::Fifo(Limit::Packets(1000)), false);
    let mut graph = Graph::default();
    let (left, right) = (graph.add_node(true), graph.add_node(true));
    graph.add_link(left, right);
    let bottleneck = Rate::from_mbit(u64::from(n));
    let schedule = schedule.map(|schedule| Box::new(schedule.start(Rng::new(1))));
    let mut links = vec![
        LinkConfig { schedule, ..link(bottleneck, queue, true) },
        link(bottleneck, LinkQueue::Fifo(Limit::Packets(1000)), true),
    ];
    let mut hosts = Vec::new();
    for router in [left, right].repeat(n as usize) {
        let host = graph.add_node(false);
        graph.add_link(host, router);
        links.extend([access(), access()]);
        hosts.push(graph.addresses(host).next().expect("one link"));
    }
    let mut fabric = Fabric::new(graph, links, 1);
    if let Some(medium) = medium {
        fabric.share(medium.build(), Rng::new(1), (0..4).map(LinkId));
    }
    // Room for all packets: the test's own list of lost ones must not allocate either.
    let mut echo = Echo { lost: Vec::with_capacity(20 * n as usize), handled: 0 };
    for pair in hosts.chunks(2) {
        for _ in 0..20 {
            fabric.send(pair[0], Header { src: pair[0], dst: pair[1], size: 1000 }, &mut echo);
        }
    }
    fabric.wake_at(Instant::ZERO, TimerId(0));
    (fabric, echo)
}

/// Schedule of 20 Mbit/s on average.
fn schedule(name: &str) -> LinkSchedule {
    let mut config = GrantConfig::default_of(name).expect("a registered name");
    let rates = ["10 Mbit/s", "30 Mbit/s"].map(|rate| Value::Text(rate.into())).to_vec();
    config.set("rates", &Value::List(rates)).expect("a key of all kinds");
    LinkSchedule::Grants(Arc::new(config))
}

#[test]
fn a_packet_over_a_shared_channel_costs_no_allocation_either() {
    let frame_error = Probability::new(0.1).expect("a share");
    let medium = MediumConfig::Wifi(WifiConfig { frame_error, ..WifiConfig::default() });
    let (mut fabric, mut echo) = dumbbell(20, LinkQueue::Fifo(Limit::Packets(100)), None, Some(medium));
    fabric.run_until(Instant::from_secs(20), &mut echo);
    let before = (ALLOCATIONS.with(Cell::get), echo.handled);
    fabric.run_until(Instant::from_secs(30), &mut echo);
    let (allocations, handled) = (ALLOCATIONS.with(Cell::get) - before.0, echo.handled - before.1);
    assert!(handled > 20_000 && allocations * 1000 < handled, "{allocations} over {handled} packets");
}

#[test]
fn a_packet_costs_no_allocation_in_steady_state() {
    let n = 20;
    let view = LinkView::new(Rate::from_mbit(20), Duration::from_millis(5));
    let fifo = || LinkQueue::Fifo(Limit::Packets(100));
    let mut queues = vec![("fifo", fifo(), None)];
    for name in QdiscConfig::names() {
        let config = QdiscConfig::default_of(name).expect("a registered name");
        queues.push((name, LinkQueue::Disciplined(Box::new((config.build(&view), Rng::new(1)))), None));
    }
    for name in GrantConfig::names() {
        queues.push((name, fifo(), Some(schedule(name))));
    }
    for (name, queue, schedule) in queues {
        let (mut fabric, mut echo) = dumbbell(n, queue, schedule.as_ref(), None);
        fabric.run_until(Instant::from_secs(20), &mut echo);
        let before = (ALLOCATIONS.with(Cell::get), echo.handled);
        fabric.run_until(Instant::from_secs(30), &mut echo);
        let (allocations, handled) = (ALLOCATIONS.with(Cell::get) - before.0, echo.handled - before.1);
        // Some disciplines take hosts that repeat what was lost at once for attackers, and let little through.
        assert!(handled > 20_000, "{name}: {handled}");
        // A ring may still reach a new length now and then, and doubles then; a packet itself costs nothing.
        assert!(allocations * 1000 < handled, "{name}: {allocations} over {handled} packets");
    }
}
