//! Two connections joined by paths that delay, lose and die.

use super::coupled::CoupledConfig;
use super::path_manager::PathManagerConfig;
use super::scheduler::SchedulerConfig;
use super::*;
use crate::cc::CcConfig;
use crate::config::{Profile, TcpBehaviour, TcpConfig};
use crate::segment::Flags;
use crate::tcp::State;
use crate::tcp::UNLIMITED;
use std::collections::BTreeMap;
use tailrace_core::Duration;

mod discarded;
mod failures;
mod fallback;
mod gateways;
mod packets;
mod penalties;
mod properties;
mod silence;

/// Path: its addresses are `10 + n` on the left and `20 + n` on the right.
#[derive(Clone, Copy, Debug)]
struct Path {
    delay: Duration,
    /// Time to send a packet: paths have a rate.
    spacing: Duration,
    loss: f64,
    /// Dead from, and until.
    down: (Instant, Instant),
    /// From what an end sends it takes MPTCP options away.
    strips: fn(usize, &Segment) -> bool,
    /// Share of data segments whose payload it changes: from the left, and from the right.
    alters: [f64; 2],
}

impl Path {
    fn new(delay_ms: u64, loss: f64) -> Self {
        let never = (Instant::MAX, Instant::MAX);
        let spacing = Duration::from_micros(500);
        Self {
            delay: Duration::from_millis(delay_ms),
            spacing,
            loss,
            down: never,
            strips: |_, _| false,
            alters: [0.0; 2],
        }
    }
}

struct World {
    ends: [Mptcp; 2],
    paths: Vec<Path>,
    /// Packets on their way by arrival and number: to which end, and what.
    flying: BTreeMap<(Instant, u64), (usize, Transmit)>,
    busy: BTreeMap<(usize, usize), Instant>,
    sent: u64,
    now: Instant,
    rng: Rng,
    /// Filter of the packets of an end that vanish, given the number of those that did, and that number.
    eats: fn(usize, &Transmit, u32) -> bool,
    eaten: u32,
    delivered: [u64; 2],
    events: [Vec<Event>; 2],
    /// Every address reaches every other, `10 + i` and `20 + j` over path `i + j` modulo their number.
    mesh: bool,
    /// A path that has no route at present.
    cut: Option<usize>,
    /// Number of ADD_ADDRs that are still to be lost.
    mutes: u32,
    /// Announcements and echoes seen on the way, by who sent them.
    announced: [u32; 2],
    echoed: [u32; 2],
}

fn plan(scheduler: &str, manager: &str, control: SubflowControl) -> MptcpPlan {
    MptcpPlan {
        mptcp: MptcpConfig::default(),
        tcp: Arc::new(TcpConfig {
            mss: tailrace_core::Bytes(1000),
            behaviour: TcpBehaviour {
                // Profiles with coupled controls have none.
                lasting_limit: false,
                ..TcpConfig::for_profile(Profile::Linux).behaviour
            },
            ..TcpConfig::for_profile(Profile::Linux)
        }),
        control,
        scheduler: SchedulerConfig::default_of(scheduler).unwrap(),
        path_manager: PathManagerConfig::default_of(manager).unwrap(),
    }
}

fn lia() -> SubflowControl {
    SubflowControl::Coupled(CoupledConfig::default_of("lia").unwrap())
}

fn usual() -> MptcpPlan {
    plan("lowest_rtt", "fullmesh", lia())
}

impl World {
    fn new(plan: &MptcpPlan, paths: &[Path], seed: u64) -> Self {
        let plan = Arc::new(plan.clone());
        let tuple = Tuple { local: 10, remote: 20, local_port: 5000, remote_port: 80 };
        let rng = |end| Rng::named(seed, end);
        let mut client = Mptcp::connect(&plan, tuple, rng("client"), Instant::ZERO);
        let mut server = Mptcp::listen(&plan, reversed(&tuple), rng("server"), Instant::ZERO);
        client.set_peer_interfaces((0..paths.len() as u32).map(|n| 20 + n), Instant::ZERO);
        server.set_peer_interfaces((0..paths.len() as u32).map(|n| 10 + n), Instant::ZERO);
        for n in 1..paths.len() as u32 {
            client.local_up(10 + n, Instant::ZERO);
            server.local_up(20 + n, Instant::ZERO);
        }
        Self {
            ends: [client, server],
            paths: paths.to_vec(),
            flying: BTreeMap::new(),
            busy: BTreeMap::new(),
            sent: 0,
            now: Instant::ZERO,
            rng: Rng::named(seed, "paths"),
            eats: |_, _, _| false,
            eaten: 0,
            delivered: [0; 2],
            events: [Vec::new(), Vec::new()],
            mesh: false,
            cut: None,
            mutes: 0,
            announced: [0; 2],
            echoed: [0; 2],
        }
    }

    /// The path between two addresses, the left end's first.
    fn route(&self, (left, right): (u32, u32)) -> Option<usize> {
        let (i, j) = (left.checked_sub(10)?, right.checked_sub(20)?);
        if self.mesh {
            return Some((i + j) as usize % self.paths.len());
        }
        (i == j).then_some(i as usize)
    }

    fn drain(&mut self) {
        for end in 0..2 {
            loop {
                let mut burst = 0;
                while let Some(t) = self.ends[end].poll_transmit(self.now) {
                    burst += 1;
                    assert!(burst < 100_000, "an endless burst: {t:?}");
                    // RFC 9293 §3.1: what the header's length field leaves.
                    let options = t.segment.options_len() + t.options.len();
                    assert!(options <= 40, "{options} bytes of options: {t:?}");
                    self.fly(end, t);
                }
                let Some(event) = self.ends[end].poll_event() else { break };
                match event {
                    Event::Delivered { bytes } => self.delivered[end] += bytes,
                    other => self.events[end].push(other),
                }
            }
        }
    }

    fn fly(&mut self, from: usize, mut t: Transmit) {
        if (self.eats)(from, &t, self.eaten) {
            self.eaten += 1;
            return;
        }
        let ends = if from == 0 { (t.tuple.local, t.tuple.remote) } else { (t.tuple.remote, t.tuple.local) };
        let Some(n) = self.route(ends).filter(|n| Some(*n) != self.cut) else {
            self.ends[from].unreachable(&t.tuple, self.now);
            return;
        };
        let Some(&path) = self.paths.get(n) else { return };
        let busy = self.busy.entry((from, n)).or_insert(Instant::ZERO);
        *busy = (*busy).max(self.now).saturating_add(path.spacing);
        let arrives = busy.saturating_add(path.delay);
        let dead = self.now >= path.down.0 && self.now < path.down.1;
        if dead || self.rng.bernoulli(path.loss) {
            return;
        }
        if (path.strips)(from, &t.segment) {
            t.options = Options::NONE;
        }
        if let Some(option::Signal::AddAddr { hmac, .. }) = t.options.signal {
            let counts = if hmac.is_some() { &mut self.announced } else { &mut self.echoed };
            counts[from] += 1;
            if hmac.is_some() && self.mutes > 0 {
                self.mutes -= 1;
                return;
            }
        }
        let alters = path.alters[from];
        if alters > 0.0 && t.segment.payload > 0 {
            t.segment.altered = self.rng.bernoulli(alters);
        }
        self.sent += 1;
        self.flying.insert((arrives, self.sent), (1 - from, t));
    }

    /// Runs until `until` or until nothing more happens.
    fn run(&mut self, until: Instant) {
        self.drain();
        let mut steps = 0;
        loop {
            let packet = self.flying.first_key_value().map(|(k, _)| k.0);
            let timers = self.ends.iter().filter_map(Mptcp::poll_timeout);
            let Some(next) = timers.chain(packet).min().filter(|at| *at <= until) else { break };
            steps += 1;
            assert!(steps < 1_000_000, "no progress at {:?}: {:?}", self.now, self.ends);
            self.now = self.now.max(next);
            while let Some(entry) = self.flying.first_entry().filter(|e| e.key().0 <= self.now) {
                let (to, t) = entry.remove();
                self.ends[to].handle_segment(&reversed(&t.tuple), &t.segment, &t.options, self.now);
                self.drain();
            }
            for end in 0..2 {
                if self.ends[end].poll_timeout().is_some_and(|at| at <= self.now) {
                    self.ends[end].handle_timeout(self.now);
                }
            }
            self.drain();
        }
        self.now = until;
    }

    fn run_for(&mut self, seconds: u64) {
        let until = self.now.saturating_add(Duration::from_secs(seconds));
        self.run(until);
    }
}

fn reversed(t: &Tuple) -> Tuple {
    Tuple { local: t.remote, remote: t.local, local_port: t.remote_port, remote_port: t.local_port }
}

/// Milliseconds until `happens`, in steps of one.
fn time_until(w: &mut World, most: u64, happens: impl Fn(&World) -> bool) -> u64 {
    let start = w.now;
    while !happens(w) {
        let passed = w.now.saturating_since(start).as_millis();
        assert!(passed < most, "not within {most} ms");
        w.run(w.now.saturating_add(Duration::from_millis(1)));
    }
    w.now.saturating_since(start).as_millis()
}

#[test]
fn two_paths_carry_one_stream_and_close_in_good_order() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(30, 0.0)], 1);
    w.ends[0].write(3_000_000);
    w.ends[0].close();
    w.run_for(20);
    assert_eq!(w.delivered, [0, 3_000_000]);
    assert!(w.events[1].contains(&Event::PeerClosed));
    w.ends[1].close();
    w.run_for(100);
    assert_eq!(w.events[0].last(), Some(&Event::Closed), "{:?}", w.events);
    assert_eq!(w.events[1].last(), Some(&Event::Closed), "{:?}", w.events);
    let stats = w.ends[0].stats();
    assert_eq!((stats.subflows_established, stats.reinjected_bytes), (2, 0));
    assert_eq!(w.ends[0].tcp_stats().timeouts, 0);
}

#[test]
fn both_paths_are_used_to_the_full() {
    // Each path takes 2000 packets a second of 1000 bytes: 2 MB/s.
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    w.run_for(10);
    assert!(w.delivered[1] > 38_000_000, "{}", w.delivered[1]);
}

#[test]
fn losses_are_repaired_and_nothing_comes_twice() {
    for (seed, scheduler) in [(1, "lowest_rtt"), (2, "round_robin"), (3, "lowest_rtt"), (4, "round_robin")] {
        let plan = plan(scheduler, "fullmesh", lia());
        let mut w = World::new(&plan, &[Path::new(10, 0.02), Path::new(50, 0.05)], seed);
        w.ends[0].write(1_000_000);
        w.ends[1].write(300_000);
        w.run_for(120);
        assert_eq!(w.delivered, [300_000, 1_000_000], "{scheduler} {seed}");
    }
}

#[test]
fn a_path_that_dies_loses_no_byte() {
    let mut paths = [Path::new(10, 0.0), Path::new(20, 0.0)];
    paths[0].down = (Instant::from_millis(500), Instant::MAX);
    let mut w = World::new(&usual(), &paths, 1);
    w.ends[0].write(4_000_000);
    w.run_for(10);
    assert_eq!(w.delivered[1], 4_000_000);
    assert!(w.ends[0].stats().reinjected_bytes > 0);
}

#[test]
fn an_address_that_goes_takes_its_subflow_along_and_comes_back_with_a_new_one() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(20, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    w.run_for(1);
    assert_eq!(w.ends[0].subflows().count(), 2);
    w.ends[0].local_down(11, w.now);
    w.run_for(1);
    assert_eq!([0, 1].map(|e| w.ends[e].subflows().count()), [1, 1], "REMOVE_ADDR ends the peer's, too");
    let before = w.delivered[1];
    w.ends[0].local_up(11, w.now);
    w.run_for(1);
    assert_eq!(w.ends[0].subflows().filter(|s| s.usable).count(), 2);
    assert!(w.delivered[1] > before);
    let (acked, _) = w.ends[0].progress();
    assert!(acked <= w.delivered[1]);
}

#[test]
fn a_subflow_that_is_over_does_not_slow_the_others() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(20, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    w.run_for(1);
    let active = |w: &World| w.ends[0].coupling.as_ref().unwrap().active();
    assert_eq!(active(&w), 2);
    w.ends[0].local_down(11, w.now);
    w.run_for(1);
    assert_eq!(active(&w), 1);
}

#[test]
fn nothing_is_opened_once_all_is_done() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.ends[0].local_down(11, w.now);
    for end in &mut w.ends {
        end.write(1000);
        end.close();
    }
    w.run_for(1);
    assert!(w.ends[0].is_over());
    w.ends[0].local_up(11, w.now);
    w.run_for(300);
    assert!(w.events.iter().all(|e| e.last() == Some(&Event::Closed)), "{:?}", w.events);
    assert!(w.ends.iter().all(|e| e.poll_timeout().is_none()));
}

#[test]
fn a_subflow_whose_peer_is_gone_without_a_fin_does_not_keep_the_connection_open() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.run_for(1);
    for end in &mut w.ends {
        end.write(1000);
        end.close();
    }
    let waits = |w: &World| w.ends[0].subflows.iter().any(|s| s.tcp.state() == State::FinWait2);
    while !waits(&w) {
        assert!(w.now < Instant::from_secs(2));
        w.run(w.now.saturating_add(Duration::from_micros(100)));
        w.flying.retain(|_, (to, t)| *to == 1 || !t.segment.flags.has(Flags::FIN));
    }
    // The peer's FINs are lost, and so are its resets.
    w.flying.clear();
    w.paths.iter_mut().for_each(|p| p.down = (Instant::ZERO, Instant::from_secs(3)));
    w.ends[1].local_down(20, w.now);
    w.ends[1].local_down(21, w.now);
    w.run_for(59);
    assert!(waits(&w));
    w.run_for(120);
    assert_eq!(w.events[0].last(), Some(&Event::Closed), "{:?}", w.events);
    assert_eq!(w.ends[0].poll_timeout(), None);
}

#[test]
fn a_connection_that_was_without_subflows_for_a_while_lives_on() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    w.run_for(1);
    w.ends[0].local_down(10, w.now);
    w.run_for(1);
    assert_eq!([0, 1].map(|e| w.ends[e].subflows().count()), [0, 0]);
    w.ends[0].local_up(10, w.now);
    w.run_for(100);
    let before = w.delivered[1];
    w.run_for(1);
    assert!(w.delivered[1] > before, "{:?}", w.events);
    assert_eq!(w.events, [vec![Event::Connected], vec![Event::Connected]]);
}

#[test]
fn joins_without_a_route_have_never_been() {
    // Three of nine pairs of addresses have a route; there is room for three subflows.
    let mut plan = usual();
    plan.mptcp.max_subflows = 3;
    let paths = [Path::new(10, 0.0), Path::new(20, 0.0), Path::new(30, 0.0)];
    let mut w = World::new(&plan, &paths, 1);
    w.ends[0].write(UNLIMITED);
    w.run_for(20);
    let stats = w.ends[0].stats();
    assert_eq!((stats.subflows_established, stats.subflows_lost), (3, 0), "{stats:?}");
    let reports = w.ends[0].paths();
    let pairs: Vec<_> = reports.iter().map(|p| (p.local, p.remote, p.subflows)).collect();
    assert_eq!(pairs, [(10, 20, 1), (11, 21, 1), (12, 22, 1)]);
}

#[test]
fn concealed_hole_is_repaired_at_the_data_level() {
    let mut plan = usual();
    let tcp = Arc::make_mut(&mut plan.tcp);
    tcp.misbehaviour = crate::config::Misbehaviour::OptimisticAcks;
    let mut w = World::new(&plan, &[Path::new(10, 0.02), Path::new(20, 0.02)], 3);
    w.ends[0].write(300_000);
    w.ends[0].close();
    w.run_for(600);
    assert_eq!(w.delivered[1], 300_000, "{:?}", w.events);
    assert!(w.ends[0].stats().reinjected_bytes > 0);
    assert!(!w.ends[0].is_fallback() && !w.ends[1].is_fallback());
}

#[test]
fn a_connection_whose_only_address_goes_says_what_ended_it() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    w.run_for(1);
    w.ends[0].local_down(10, w.now);
    w.run_for(600);
    assert_eq!(w.events[0].last(), Some(&Event::Reset { cause: ResetCause::AddressLost }), "{:?}", w.events);
}

#[test]
fn out_of_order_data_is_neither_delivered_nor_new() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.02), Path::new(40, 0.02)], 5);
    w.ends[0].write(UNLIMITED);
    let mut seen = 0;
    for _ in 0..400 {
        w.run(w.now.saturating_add(Duration::from_millis(10)));
        let end = &w.ends[1];
        let waiting = end.waiting();
        assert!(waiting.is_sorted_by(|a, b| a.1 < b.0) && waiting.iter().all(|r| r.0 < r.1), "{waiting:?}");
        assert!(waiting.first().is_none_or(|r| r.0 > end.received()), "{waiting:?} {}", end.received());
        assert_eq!(end.received(), end.stats().bytes_delivered);
        let sum: u64 = waiting.iter().map(|r| r.1 - r.0).sum();
        assert!(sum >= end.waiting_bytes(), "what subflows hold back comes on top");
        seen += u64::from(sum > end.waiting_bytes());
    }
    assert!(seen > 0, "subflows hold something back, too");
}

/// A transfer in both directions over `paths`; it ends in good order.
fn transferred(plan: &MptcpPlan, paths: &[Path], seed: u64) -> World {
    let mut w = World::new(plan, paths, seed);
    for end in 0..2 {
        w.ends[end].write(400_000);
        w.ends[end].close();
    }
    w.run_for(200);
    assert_eq!(w.delivered, [400_000; 2], "seed {seed}: {:?}", w.events);
    assert!(w.events.iter().all(|e| e.last() == Some(&Event::Closed)), "seed {seed}: {:?}", w.events);
    w
}

#[test]
fn without_checksums_changed_bytes_arrive_changed() {
    for (path, direction) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let mut paths = [Path::new(10, 0.01), Path::new(20, 0.01)];
        paths[path].alters[direction] = 0.1;
        let w = transferred(&usual(), &paths, 1);
        let altered = [0, 1].map(|e| w.ends[e].altered_bytes());
        assert!(altered[1 - direction] > 0 && altered[direction] == 0, "{altered:?}");
        assert!(!w.ends[0].is_fallback() && w.ends[0].stats().checksum_failures == 0);
    }
}

#[test]
fn with_checksums_a_path_that_changes_bytes_is_given_up() {
    for (path, direction, seed) in (0..24).map(|i| (i & 1, i >> 1 & 1, i as u64)) {
        let mut plan = usual();
        plan.mptcp.checksum = true;
        let mut w = World::new(&plan, &[Path::new(10, 0.0), Path::new(10, 0.0)], seed);
        w.ends[direction].write(1000);
        w.run_for(1);
        // Both subflows are there.
        w.paths[path].alters[direction] = 0.1;
        w.ends[1 - direction].write(1000);
        w.ends[direction].write(399_000);
        w.run_for(20);
        let receiver = w.ends[1 - direction].stats();
        assert_eq!(w.delivered[1 - direction], 400_000, "{path} {direction} {:?}", w.events);
        assert_eq!(
            (w.ends[1 - direction].altered_bytes(), receiver.checksum_failures),
            (0, 1),
            "{path} {direction}"
        );
        assert!(!w.ends.iter().any(Mptcp::is_fallback));
        assert!(w.ends.iter().all(|e| e.subflows().count() == 1), "the other path remains");
    }
}

#[test]
fn the_window_bounds_what_is_on_its_way() {
    let mut plan = usual();
    let tcp = TcpConfig { receive_buffer: tailrace_core::Bytes(64_000), ..(*plan.tcp).clone() };
    plan.tcp = Arc::new(tcp);
    let mut w = World::new(&plan, &[Path::new(10, 0.0), Path::new(150, 0.0)], 1);
    w.ends[1].set_auto_read(false);
    w.ends[0].write(UNLIMITED);
    w.run_for(3);
    assert!(w.delivered[1] <= 64_000);
    let (acked, sent) = w.ends[0].progress();
    assert!(sent - acked <= 64_000 && sent <= 64_000, "{acked} {sent}");
    assert_eq!(w.ends[1].read(u64::MAX, w.now), w.delivered[1]);
    w.run_for(3);
    assert!(w.delivered[1] > 64_000, "the window opens again");
}

/// Bytes that the sender holds, 3 s after a connection over eight paths began with a slow start on each.
fn held_by(send_buffer_of: SendBufferOf) -> u64 {
    let mut plan = MptcpPlan::for_profile(Profile::Linux612);
    plan.mptcp.behaviour.send_buffer_of = send_buffer_of;
    plan.path_manager = usual().path_manager;
    let slow = Path { spacing: Duration::from_millis(12), ..Path::new(10, 0.0) };
    let mut w = World::new(&plan, &[slow; 8], 1);
    w.ends[0].write(UNLIMITED);
    w.run_for(3);
    let (acked, sent) = w.ends[0].progress();
    sent - acked
}

#[test]
fn a_send_buffer_is_that_of_the_largest_subflow_or_of_all() {
    let (largest, sum) = (held_by(SendBufferOf::Largest), held_by(SendBufferOf::Sum));
    // Windows are much alike, so what eight hold is several times what one holds.
    assert!(sum > 2 * largest, "{largest} {sum}");
}

#[test]
fn a_large_first_window_goes_to_the_first_subflow() {
    let first = |profile| {
        let mut plan = MptcpPlan::for_profile(profile);
        plan.path_manager = usual().path_manager;
        let buffer = tailrace_core::Bytes(4 << 20);
        let tcp = TcpConfig {
            receive_buffer: buffer,
            send_buffer: Some(buffer),
            tcp_rmem: None,
            ..(*plan.tcp).clone()
        };
        plan.tcp = Arc::new(tcp);
        let slow = Path { spacing: Duration::from_millis(12), ..Path::new(10, 0.0) };
        let mut w = World::new(&plan, &[slow; 8], 1);
        w.ends[0].write(UNLIMITED);
        w.run_for(10);
        let carried: Vec<u64> = w.ends[0].subflows().map(|s| s.stats.scheduled_bytes).collect();
        carried[0] as f64 / carried.iter().sum::<u64>() as f64
    };
    let (old, new) = (first(Profile::Linux61), first(Profile::Linux612));
    assert!(old < 0.25 && new > 3.0 * old, "{old} {new}");
}

#[test]
fn backups_carry_nothing_while_another_is_usable() {
    let mut w = World::new(&usual(), &[Path::new(30, 0.0), Path::new(10, 0.0)], 1);
    w.ends[0].write(10_000);
    w.run_for(1);
    w.ends[0].set_backup(1, true);
    w.run_for(1);
    let carried = |w: &World| w.ends[0].subflows().nth(1).unwrap().stats.scheduled_bytes;
    let before = carried(&w);
    assert!(w.ends[1].subflows().nth(1).unwrap().backup, "MP_PRIO arrived");
    w.ends[0].write(1_000_000);
    w.run_for(5);
    assert_eq!(carried(&w), before);
    w.ends[0].local_down(10, w.now);
    w.ends[0].write(1_000_000);
    w.run_for(5);
    assert_eq!(w.delivered[1], 2_010_000);
}

#[test]
fn an_abort_ends_both_ends() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    w.run_for(1);
    w.ends[0].abort();
    w.run_for(1);
    assert_eq!(w.events[0].last(), Some(&Event::Reset { cause: ResetCause::Local }));
    assert_eq!(w.events[1].last(), Some(&Event::Reset { cause: ResetCause::Peer }));
    assert_eq!(w.ends[0].poll_timeout(), None);
}

#[test]
fn ndiffports_opens_further_subflows_between_the_same_addresses() {
    let mut w = World::new(&plan("lowest_rtt", "ndiffports", lia()), &[Path::new(10, 0.0)], 1);
    w.ends[0].write(100_000);
    w.run_for(2);
    assert_eq!(w.ends[0].subflows().filter(|s| s.usable).count(), 2);
    assert_eq!(w.delivered[1], 100_000);
}

#[test]
fn subflows_may_each_have_their_own_control() {
    let cubic = SubflowControl::Uncoupled(CcConfig::default_of("cubic").unwrap());
    let mut w =
        World::new(&plan("lowest_rtt", "fullmesh", cubic), &[Path::new(10, 0.01), Path::new(10, 0.0)], 1);
    w.ends[0].write(2_000_000);
    w.run_for(30);
    assert_eq!(w.delivered[1], 2_000_000);
}

#[test]
fn a_proof_whose_answer_was_lost_is_answered_again() {
    // RFC 8684 §3.2: the client repeats its proof until it has an answer, and sends nothing before.
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.eats = |end, t, eaten| {
        let answers = end == 1 && t.tuple.remote_port != 5000 && !t.segment.flags.has(Flags::SYN);
        answers && eaten < 2
    };
    w.ends[0].write(UNLIMITED);
    w.run_for(5);
    assert_eq!(w.eaten, 2);
    assert!(w.ends[0].subflows().all(|s| s.usable), "{:?}", w.ends[0].subflows().collect::<Vec<_>>());
}
