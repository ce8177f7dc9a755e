//! Memory of a run: no allocation per packet, and little memory per flow.
#![expect(unsafe_code, reason = "a counting allocator must implement GlobalAlloc")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use tailrace_core::Instant;
use tailrace_sim::{Control, Progress, Simulation};

struct Counting;

thread_local! {
    /// Counter of this thread only, because the test harness allocates, too.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE_BYTES: Cell<i64> = const { Cell::new(0) };
}

fn count(allocations: u64, bytes: i64) {
    ALLOCATIONS.with(|n| n.set(n.get() + allocations));
    LIVE_BYTES.with(|n| n.set(n.get() + bytes));
}

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches thread-local cells that need
// no allocation and have no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        // SAFETY: the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as i64 - layout.size() as i64);
        // SAFETY: the pointer came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Reference scenario D with `hosts` hosts a side: bulk flows of 1 Mbit/s each between the first `flows` of them share
/// a bottleneck with a buffer of one bandwidth-delay product of 70 ms.
fn scenario_d(hosts: usize, flows: usize, transport: &str) -> Arc<tailrace_scenario::Scenario> {
    let text = format!(
        r#"
name = "d"
duration = "60 s"
record = {{ interval = "off" }}
[[window]]
name = "late"
start = "15 s"
[[host]]
name = "src"
count = {hosts}
[[host]]
name = "dst"
count = {hosts}
[[router]]
name = "g1"
[[router]]
name = "g2"
[[link]]
between = ["src[*]", "g1"]
rate = "100 Mbit/s"
delay = "uniform(5 ms, 20 ms)"
[[link]]
name = "bottleneck"
between = ["g1", "g2"]
rate = "{flows} Mbit/s"
delay = "10 ms"
queue = {{ kind = "droptail", limit = "{} packets" }}
[[link]]
between = ["g2", "dst[*]"]
rate = "100 Mbit/s"
delay = "uniform(5 ms, 20 ms)"
[[flow]]
name = "tcp"
from = "src[0..{flows}]"
to = "dst[0..{flows}]"
transport = {{ kind = "tcp", cc = "newreno", mss = "1000 B", delayed_ack = 1, {transport} }}
app = "bulk"
start = "uniform(0 s, 1 s)"
"#,
        flows * 9
    );
    let parsed = tailrace_scenario::parse(&text, "d.toml", &[])
        .unwrap_or_else(|e| panic!("{}", tailrace_scenario::render_all(&e, false)));
    Arc::new(parsed.scenario)
}

/// Allocations and packet-hops from 20 s to 40 s.
fn steady_state(n: usize, transport: &str) -> (u64, u64) {
    let mut sim = Simulation::build(&scenario_d(n, n, transport), 1).unwrap();
    assert_eq!(sim.step(Instant::from_secs(20), &Control::default()), Ok(Progress::UnderWay));
    let before = (ALLOCATIONS.get(), sim.packet_hops());
    assert_eq!(sim.step(Instant::from_secs(40), &Control::default()), Ok(Progress::UnderWay));
    (ALLOCATIONS.get() - before.0, sim.packet_hops() - before.1)
}

#[test]
fn steady_state_allocates_nothing_per_packet() {
    for n in [10, 100] {
        // Constant windows need no allocation at all.
        let (allocations, hops) = steady_state(n, "window = 6");
        assert!(hops > 7_000 * n as u64, "{hops}");
        assert_eq!(allocations, 0, "in {hops} packet-hops of {n} flows");
        // Varying windows resize their queues, which double when full and halve after at least 1024 packets with spare room.
        // Measured: one allocation in some 35 000 hops.
        let (allocations, hops) = steady_state(n, "sack = true");
        assert!(hops > 7_000 * n as u64, "{hops}");
        assert!(allocations * 10_000 < hops, "{allocations} in {hops} packet-hops of {n} flows");
    }
}

/// A stream over paths of 10 and 100 ms, with much out-of-order data.
fn two_ways() -> Arc<tailrace_scenario::Scenario> {
    let text = r#"
name = "ways"
duration = "60 s"
record = { interval = "off" }
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "fast"
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
[[link]]
name = "slow"
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "100 ms"
[[flow]]
name = "mp"
from = "a"
to = "b"
transport = { kind = "mptcp", path_manager = "fullmesh", scheduler = "lowest_rtt", window = 8 }
app = "bulk"
"#;
    let parsed = tailrace_scenario::parse(text, "ways.toml", &[])
        .unwrap_or_else(|e| panic!("{}", tailrace_scenario::render_all(&e, false)));
    Arc::new(parsed.scenario)
}

#[test]
fn out_of_order_data_allocates_nothing_per_packet() {
    let mut sim = Simulation::build(&two_ways(), 1).unwrap();
    assert_eq!(sim.step(Instant::from_secs(20), &Control::default()), Ok(Progress::UnderWay));
    let before = (ALLOCATIONS.get(), sim.packet_hops());
    assert_eq!(sim.step(Instant::from_secs(40), &Control::default()), Ok(Progress::UnderWay));
    let (allocations, hops) = (ALLOCATIONS.get() - before.0, sim.packet_hops() - before.1);
    assert!(hops > 10_000, "{hops}");
    assert_eq!(allocations, 0, "in {hops} packet-hops");
}

/// Live bytes of a simulation at 10 s with this many hosts per side and flows between them, each with at most four packets in
/// flight.
fn live_bytes(hosts: usize, flows: usize) -> i64 {
    let scenario = scenario_d(hosts, flows, "window = 4");
    let before = LIVE_BYTES.get();
    let mut sim = Simulation::build(&scenario, 1).unwrap();
    assert_eq!(sim.step(Instant::from_secs(10), &Control::default()), Ok(Progress::UnderWay));
    let live = LIVE_BYTES.get() - before;
    drop(sim);
    assert_eq!(LIVE_BYTES.get(), before, "a run gives everything back");
    live
}

#[test]
fn flow_memory_is_at_most_67_cache_lines() {
    // Differences between networks of the same kind cancel the memory shared by all flows.
    let flow = (live_bytes(2000, 2000) - live_bytes(2000, 1000)) / 1000;
    let with_its_links = (live_bytes(2000, 2000) - live_bytes(1000, 1000)) / 1000;
    // Four packets, their records and their slots in queues are among these bytes.
    assert!(flow <= 4288, "{flow} B a flow");
    // Two hosts and their links, with counters for each direction and cause of loss, add to that for flows that do not
    // share them.
    assert!(with_its_links <= 6528, "{with_its_links} B a flow with its hosts and links");
}
