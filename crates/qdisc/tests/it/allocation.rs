//! No discipline allocates per packet once its buffers have grown.
#![expect(unsafe_code, reason = "a counting allocator must implement GlobalAlloc")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tailrace_core::params::{Kind, Value};
use tailrace_core::{Duration, Ecn, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Counter, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

struct Counting;

thread_local! {
    /// Count of this thread only: the test harness allocates on its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches a thread-local cell that
// needs no allocation and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the pointer came from `System`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FLOWS: u64 = 400;

/// Overloads and drains `queue` in turn for `packets` arrivals from 400 flows, from `start` on.
fn drive(queue: &mut Qdisc<TestPacket>, rng: &mut Rng, start: Instant, packets: u64) -> (Counter, Instant) {
    let (mut sink, mut now) = (Counter::default(), start);
    for id in 0..packets {
        now += Duration::from_micros(500);
        let mut cx = Cx { now, rng, sink: &mut sink };
        let ecn = if id % 2 == 0 { Ecn::Ect0 } else { Ecn::NotEct };
        queue.enqueue(TestPacket::new(id, (id % FLOWS) as u32, 1000).with_ecn(ecn), &mut cx);
        // 3000 packets filling, 3000 packets emptying.
        let takes = if id % 6000 < 3000 { id % 2 } else { 2 };
        for _ in 0..takes {
            queue.dequeue(&mut cx);
        }
        if queue.poll_timeout().is_some_and(|t| t <= now) {
            queue.handle_timeout(&mut cx);
        }
    }
    (sink, now)
}

/// The allocations of 24 000 packets after as many, and what became of them.
fn steady(config: &QdiscConfig) -> (u64, Counter) {
    let link = LinkView::new(Rate::from_mbit(10), Duration::from_millis(20));
    let mut queue = config.build(&link);
    let mut rng = Rng::new(1);
    let (_, now) = drive(&mut queue, &mut rng, Instant::ZERO, 24_000);
    let before = ALLOCATIONS.with(Cell::get);
    let (sink, _) = drive(&mut queue, &mut rng, now, 24_000);
    (ALLOCATIONS.with(Cell::get) - before, sink)
}

fn defaults() -> impl Iterator<Item = QdiscConfig> {
    QdiscConfig::names().iter().map(|n| QdiscConfig::default_of(n).expect("registered"))
}

#[test]
fn nothing_is_allocated_per_packet() {
    let lines = ["red limit 100kb adaptive ecn", "sfq perturb 1 headdrop", "codel ecn"];
    let lines = lines.map(|l| QdiscConfig::parse_tc(l).expect("valid"));
    let mut classful = QdiscConfig::default_of("drr").expect("registered");
    let classes = "dport 80 sport 7 quantum 300 B: fq_codel; other: pfifo limit 50";
    classful.set("classes", &Value::Text(classes.into())).expect("valid");
    for config in defaults().chain(lines).chain([classful]) {
        let (allocations, sink) = steady(&config);
        assert_eq!(allocations, 0, "{config:?}");
        assert!(sink.dropped > 0, "the load must reach the law or the limit: {config:?}");
    }
}

#[test]
fn nor_in_any_form_that_a_word_or_a_switch_chooses() {
    let mut forms = 0;
    for config in defaults() {
        for param in config.params() {
            let values = match param.kind {
                Kind::Bool => vec![Value::Bool(false), Value::Bool(true)],
                Kind::Choice(words) => words.iter().map(|w| Value::Text((*w).into())).collect(),
                _ => continue,
            };
            for value in values.into_iter().filter(|v| config.get(param.name).as_ref() != Some(v)) {
                let mut form = config.clone();
                if form.set(param.name, &value).is_ok() && form.validate().is_ok() {
                    assert_eq!(steady(&form).0, 0, "{} = {} in {config:?}", param.name, value.shown());
                    forms += 1;
                }
            }
        }
    }
    assert!(forms > 100, "{forms}");
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.with(Cell::get);
    std::hint::black_box(Vec::<u64>::with_capacity(10));
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 1);
}
