//! DFS against its paper: Algorithm 3 line by line ([`machine`]), Algorithms 1 and 2 and the whole here, and all three
//! against a plain transcription ([`differential`]).

mod differential;
mod machine;

use super::record::Bitrate;
use super::*;
use crate::discipline::LinkView;
use crate::registry::Discipline;
use crate::testing::{Collector, TestPacket};
use tailrace_core::{Bytes, Ecn, FlowKey, Rate, Rng};

const LINK: LinkView = LinkView::new(Rate::from_mbit(45), Duration::ZERO);
const MS: Duration = Duration::from_millis(1);

fn paired(n: u32) -> FlowKey {
    FlowBy::SrcDst.key(TestPacket::new(0, n, 0).flow)
}

/// A queue and what it is handed.
struct Bench {
    queue: Dfs<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    now: Instant,
    id: u64,
}

impl Bench {
    fn new(config: &DfsConfig) -> Self {
        assert_eq!(config.validate(), Ok(()));
        let queue = config.build(&LINK);
        Self { queue, rng: Rng::new(1), sink: Collector::default(), now: Instant::ZERO, id: 0 }
    }

    fn offer(&mut self, packet: TestPacket) -> bool {
        let before = self.queue.backlog.packets;
        self.queue.enqueue(packet, &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink });
        self.queue.backlog.packets > before
    }

    /// An ECN-capable packet of 1000 B; whether it was admitted.
    fn send(&mut self, flow: u32) -> bool {
        self.id += 1;
        self.offer(TestPacket::new(self.id, flow, 1000).with_ecn(Ecn::Ect0))
    }

    fn take(&mut self) -> Option<TestPacket> {
        let cx = &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.dequeue(cx).map(|(p, _)| p)
    }

    fn drain(&mut self) {
        while self.take().is_some() {}
    }

    fn record(&self, flow: u32) -> Option<&Record> {
        self.queue.repository.find(pack(paired(flow))).map(|at| self.queue.repository.record(at))
    }

    /// Puts the record of a flow into a state.
    fn set(&mut self, flow: u32, change: impl FnOnce(&mut Record)) {
        let at = self.queue.repository.find(pack(paired(flow))).expect("it has a record");
        change(self.queue.repository.record_mut(at));
    }

    /// Makes a flow with nothing waiting as if it had been found malicious: its next packet moves it to the Cache.
    fn condemn(&mut self, flow: u32) {
        self.send(flow);
        self.drain();
        self.set(flow, |r| {
            (r.unfairness, r.marked) = (1.0, true);
            r.rate = Some(Bitrate::new(Instant::ZERO));
        });
        self.queue.marked += 1;
        assert!(!self.send(flow));
    }

    fn reports(&self, flow: u32) -> Vec<bool> {
        self.sink.flagged.iter().filter(|(k, ..)| *k == paired(flow)).map(|(_, f, _)| *f).collect()
    }

    fn state(&self, name: &str) -> f64 {
        let mut out = [0.0; 6];
        self.queue.state(&mut out);
        out[self.queue.state_names().iter().position(|n| *n == name).unwrap()]
    }
}

#[test]
fn the_first_packet_of_a_flow_is_admitted_and_remembered() {
    let mut bench = Bench::new(&DfsConfig::default());
    assert!(bench.send(1));
    let record = bench.record(1).unwrap();
    assert_eq!((record.waiting, record.unfairness, record.marked), (1000, 0.0, false));
    assert!(record.rate.is_none() && !record.cached);
    assert_eq!(bench.state("flows"), 1.0);
    assert_eq!(bench.state("fair_rate_bps"), 45e6);
}

#[test]
fn what_waits_is_counted_until_it_leaves() {
    for departures in [Departures::Remember, Departures::LookUp] {
        let mut bench = Bench::new(&DfsConfig { departures, ..DfsConfig::default() });
        bench.send(1);
        bench.send(2);
        bench.send(1);
        assert_eq!((bench.record(1).unwrap().waiting, bench.record(2).unwrap().waiting), (2000, 1000));
        bench.take();
        bench.take();
        assert_eq!((bench.record(1).unwrap().waiting, bench.record(2).unwrap().waiting), (1000, 0));
    }
}

#[test]
fn ports_make_no_flow_but_with_five_tuples() {
    for (flow, flows) in [(FlowBy::SrcDst, 1.0), (FlowBy::FiveTuple, 3.0), (FlowBy::Src, 1.0)] {
        let mut bench = Bench::new(&DfsConfig { flow, ..DfsConfig::default() });
        for port in 1..=3 {
            let mut packet = TestPacket::new(0, 5, 1000);
            packet.flow.src_port = port;
            bench.offer(packet);
        }
        assert_eq!(bench.state("flows"), flows);
    }
}

#[test]
fn an_arrival_without_room_changes_nothing_but_the_average_and_the_rate() {
    let mut bench = Bench::new(&DfsConfig { limit: Limit::Bytes(Bytes(3000)), ..DfsConfig::default() });
    (1..=3).for_each(|flow| assert!(bench.send(flow)));
    bench.now += Duration::from_millis(20);
    let before = bench.state("average_wfs_bytes");
    assert!(!bench.send(1) && !bench.send(4));
    assert_eq!(bench.record(1).unwrap().unfairness, 0.0);
    assert!(bench.record(4).is_none());
    assert_eq!(bench.record(1).unwrap().seen, bench.now);
    // Two samples of a full buffer.
    assert!((bench.state("average_wfs_bytes") - 0.95 * 0.95 * before).abs() < 1e-9);
    assert!(bench.sink.dropped.iter().all(|(_, reason, _)| *reason == DropReason::Overlimit));
}

#[test]
fn signals_mark_who_can_be_marked_and_treat_others_as_told() {
    // A flow has the buffer to itself: at q = b its share is 0.
    let full = |config: DfsConfig| {
        let mut bench = Bench::new(&DfsConfig { beta: tailrace_core::Probability::ONE, ..config });
        (0..150).for_each(|_| assert!(bench.send(1)));
        bench.sink.marked.clear();
        bench
    };
    let pass = DfsConfig { non_ect: NonEct::Pass, ..DfsConfig::default() };
    // 150 000 B of 200 000 waiting: the share is a third of the buffer.
    for (config, ecn, admitted, marks) in [
        (DfsConfig::default(), Ecn::Ect0, true, 1),
        (DfsConfig::default(), Ecn::Ce, true, 0),
        (DfsConfig::default(), Ecn::NotEct, false, 0),
        (pass.clone(), Ecn::NotEct, true, 0),
        (DfsConfig { ecn: false, ..pass.clone() }, Ecn::Ect0, true, 0),
    ] {
        let mut bench = full(DfsConfig { ecn: true, ..config.clone() });
        bench.queue.ecn = config.ecn;
        assert_eq!(bench.offer(TestPacket::new(999, 1, 1000).with_ecn(ecn)), admitted, "{config:?} {ecn:?}");
        assert_eq!(bench.sink.marked.len(), marks);
    }
    let mut bench = full(DfsConfig::default());
    bench.queue.ecn = false;
    assert!(!bench.send(1));
}

#[test]
fn packets_of_a_marked_flow_are_dropped_never_marked() {
    let mut bench = Bench::new(&DfsConfig::default());
    bench.condemn(1);
    bench.drain();
    for _ in 0..5 {
        bench.now += MS;
        assert!(!bench.send(1));
    }
    assert!(bench.sink.marked.is_empty());
    assert!(bench.sink.dropped.iter().all(|(_, reason, _)| *reason == DropReason::Aqm));
}

#[test]
fn at_max_th_a_flow_moves_to_the_cache_and_at_min_th_back() {
    for repository in [Store::Hash, Store::Btree] {
        let mut bench = Bench::new(&DfsConfig { repository, cache: Some(2), ..DfsConfig::default() });
        (1..=3).for_each(|flow| bench.condemn(flow));
        // The third finds the Cache full and stays where it was; its mark counts all the same.
        let cached = |bench: &Bench| (1..=3).map(|f| bench.record(f).unwrap().cached).collect::<Vec<_>>();
        assert_eq!(cached(&bench), [true, true, false]);
        assert_eq!((bench.state("cached_flows"), bench.state("marked_flows")), (2.0, 3.0));
        // Each is led to by one of the two alone.
        for flow in 1..=3 {
            let (by_index, by_cache) = bench.queue.repository.led_to_by(pack(paired(flow)));
            assert_ne!(by_index, by_cache);
        }
        // Forgiven, the first goes back, and the third takes its place.
        bench.drain();
        bench.set(1, |r| r.unfairness = 0.04);
        assert!(bench.send(1));
        assert_eq!(bench.reports(1), [false]);
        assert!(!bench.send(3));
        assert_eq!(cached(&bench), [false, true, true]);
    }
}

#[test]
fn a_flow_just_moved_to_the_cache_still_leaves_with_its_packets() {
    for departures in [Departures::Remember, Departures::LookUp] {
        let mut bench =
            Bench::new(&DfsConfig { departures, repository: Store::Btree, ..DfsConfig::default() });
        (0..3).for_each(|_| assert!(bench.send(1)));
        bench.set(1, |r| r.unfairness = 1.0);
        // Trending, not yet marked: the packet that marks it is let in.
        assert!(bench.send(1));
        assert!(bench.record(1).unwrap().cached);
        assert_eq!(bench.reports(1), [true]);
        assert!(!bench.send(1));
        bench.drain();
        assert_eq!(bench.record(1).unwrap().waiting, 0);
    }
}

#[test]
fn a_silent_flow_is_forgotten_after_one_to_two_intervals_and_cleared() {
    let config = DfsConfig { prune_interval: Duration::from_secs(10), ..DfsConfig::default() };
    let mut bench = Bench::new(&config);
    bench.now = Instant::from_secs(5);
    bench.condemn(1);
    bench.send(2);
    // The first purge removes those not seen since 0 s: nobody.
    bench.now = Instant::from_secs(11);
    bench.send(3);
    assert_eq!(bench.state("flows"), 3.0);
    // The second those not seen since 11 s, except who has packets waiting; at 21 s sharp it is not yet due.
    bench.now = Instant::from_secs(21);
    bench.send(4);
    assert_eq!(bench.state("flows"), 4.0);
    bench.now += MS;
    bench.send(4);
    let known = (1..=4).map(|f| bench.record(f).is_some()).collect::<Vec<_>>();
    assert_eq!(known, [false, true, true, true]);
    assert_eq!(bench.reports(1), [false]);
    assert_eq!(bench.state("marked_flows"), 0.0);
}

/// 400 even flows on nine tenths of the link, 1 flood at its full rate, for `seconds`; who was marked (CE), by time.
fn flood(config: &DfsConfig, seconds: u64) -> Bench {
    let mut bench = Bench::new(config);
    let service = 177_778; // ns; 1000 B at 45 Mbit/s
    let (mut flood, mut even, mut leave, mut turn) = (0, 0, service, 0);
    while flood < seconds * 1_000_000_000 {
        let next = flood.min(even).min(leave);
        bench.now = Instant::from_nanos(next);
        if next == leave {
            bench.take();
            leave += service;
        } else if next == even {
            bench.send(turn % 400);
            (turn, even) = (turn + 1, even + service * 10 / 9);
        } else {
            bench.send(1000);
            flood += service;
        }
    }
    bench
}

#[test]
fn a_flood_at_the_link_rate_is_found_a_window_after_its_first_excess_and_gets_nothing() {
    // 6.6: p_m climbs 0.04 each time more than 10 ms have passed, to 0.16; then the first rate, 401 times the fair one,
    // decides: max(40 ms, W) + 10 ms at most.
    for (window, predicted) in [(250, 0.25), (100, 0.1), (5, 0.04)] {
        let bitrate_window = Duration::from_millis(window);
        let bench = flood(&DfsConfig { bitrate_window, ..DfsConfig::default() }, 2);
        let first = bench.sink.marked.iter().find(|(p, _)| p.flow.src == 1000).unwrap().1;
        assert_eq!(bench.reports(1000), [true]);
        assert_eq!(bench.sink.flagged.len(), 1, "nobody else");
        let marked = bench.sink.flagged[0].2;
        let took = (marked - first).as_secs_f64();
        assert!((predicted..predicted + 0.0111).contains(&took), "{window}: {took}");
        let record = bench.record(1000).unwrap();
        assert_eq!((record.waiting, record.unfairness), (0, 1.0));
        // From then on all its packets are dropped: one in 177 778 ns, until 2 s.
        let dropped = bench.sink.dropped.iter().filter(|(p, _, at)| p.flow.src == 1000 && *at > marked);
        let sent = 1 + 1_999_999_999 / 177_778;
        let until_marked = 1 + marked.as_nanos() / 177_778;
        assert_eq!(dropped.count() as u64, sent - until_marked);
    }
}

#[test]
fn a_million_spoofed_sources_take_no_more_room_than_stated() {
    for (repository, cache) in [(Store::Hash, None), (Store::Btree, None), (Store::Hash, Some(8))] {
        let config = DfsConfig { repository, cache, max_flows: 4096, ..DfsConfig::default() };
        let mut bench = Bench::new(&config);
        (0..10).for_each(|flow| bench.condemn(flow));
        for n in 0..1_000_000 {
            bench.now += Duration::from_micros(100);
            bench.send(1000 + n);
            if n % 2 == 0 {
                bench.take();
            }
            bench.sink.dropped.clear();
            bench.sink.marked.clear();
        }
        assert_eq!(bench.state("flows"), 4096.0);
        // A B-tree's nodes are half full at least; a hash table is at most twice as large as need be.
        assert!(bench.queue.repository.capacity() <= 2 * 4096 + 64, "{}", bench.queue.repository.capacity());
        // Records of guilty flows are not washed away.
        (0..10).for_each(|flow| assert!(bench.record(flow).unwrap().marked && !bench.send(flow)));
        assert!(bench.sink.flagged.is_empty());
    }
}

#[test]
fn where_no_record_can_go_a_new_flow_is_let_in_uncounted() {
    let mut bench = Bench::new(&DfsConfig { max_flows: 2, ..DfsConfig::default() });
    (1..=3).for_each(|flow| assert!(bench.send(flow)));
    assert!(bench.record(3).is_none() && bench.record(2).is_some());
    bench.take();
    // Flow 1 has nothing waiting any more, so flow 3 takes its place.
    bench.send(3);
    assert!(bench.record(1).is_none());
    assert_eq!(bench.record(3).unwrap().waiting, 1000);
    bench.drain();
    assert_eq!((bench.record(2).unwrap().waiting, bench.record(3).unwrap().waiting), (0, 0));
}

#[test]
fn even_marked_records_go_where_there_are_no_others() {
    let mut bench = Bench::new(&DfsConfig { max_flows: 2, ..DfsConfig::default() });
    bench.condemn(1);
    bench.now += MS;
    bench.condemn(2);
    assert!(bench.send(3));
    assert_eq!((bench.reports(1), bench.reports(2)), (vec![false], vec![]));
}

#[test]
fn a_limit_in_packets_makes_a_buffer_of_their_mean_size() {
    let config = DfsConfig { limit: Limit::Packets(10), avpkt: Bytes(500), ..DfsConfig::default() };
    let mut bench = Bench::new(&config);
    (0..4).for_each(|_| assert!(bench.send(1)));
    // The last arrival found 3000 of 5000 B: k = 5/3 - 1.
    assert!((bench.state("scaling_factor") - 2.0 / 3.0).abs() < 1e-12);
    (0..6).for_each(|_| assert!(bench.send(2)));
    assert!(!bench.send(2));
}

#[test]
fn parameters_that_do_not_go_together_are_refused() {
    let refused = |config: DfsConfig| crate::disciplines::QdiscConfig::Dfs(config).validate().unwrap_err().0;
    let default = DfsConfig::default;
    assert_eq!(refused(DfsConfig { max_th: 0.12, ..default() }), "max_th");
    assert_eq!(refused(DfsConfig { delta_i: 0.0, ..default() }), "delta_i");
    assert_eq!(refused(DfsConfig { delta_d: -1.0, ..default() }), "delta_d");
    assert_eq!(refused(DfsConfig { tolerance_factor: -1.0, ..default() }), "tolerance_factor");
    assert_eq!(refused(DfsConfig { bitrate_window: Duration::ZERO, ..default() }), "bitrate_window");
    assert_eq!(refused(DfsConfig { prune_interval: Duration::ZERO, ..default() }), "prune_interval");
    assert_eq!(refused(DfsConfig { order: 2, ..default() }), "order");
    assert_eq!(refused(DfsConfig { max_flows: 0, ..default() }), "max_flows");
    assert_eq!(refused(DfsConfig { cache: Some(5000), ..default() }), "cache");
    assert_eq!(refused(DfsConfig { rate: Some(Rate::from_bps(0)), ..default() }), "rate");
    assert_eq!(refused(DfsConfig { limit: Limit::Packets(0), ..default() }), "limit");
    assert!(DfsConfig::from_tc("dfs", &mut crate::tc::TcWords::new("")).is_err());
}
