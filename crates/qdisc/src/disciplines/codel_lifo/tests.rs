//! CoDel-LIFO's numbers.

use super::*;
use crate::discipline::{Cx, QueueDiscipline};
use crate::testing::{Collector, TestPacket};
use tailrace_core::{DropReason, Ecn, Rate};

const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

struct Bench {
    queue: FlowQueue<CodelLifo, TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
}

impl Bench {
    fn new(config: &CodelLifoConfig) -> Self {
        Self { queue: config.build(&LINK), rng: Rng::new(1), sink: Collector::default() }
    }
    fn enqueue(&mut self, id: u64, ecn: Ecn, ms: u64) {
        let packet = TestPacket::new(id, 0, 1000).with_ecn(ecn);
        let now = Instant::from_millis(ms);
        self.queue.enqueue(packet, &mut Cx { now, rng: &mut self.rng, sink: &mut self.sink });
    }
    fn dequeue(&mut self, ms: u64) -> Option<u64> {
        let mut cx = Cx { now: Instant::from_millis(ms), rng: &mut self.rng, sink: &mut self.sink };
        self.queue.dequeue(&mut cx).map(|(p, _)| p.id)
    }
    /// Theta, k, count, dropping.
    fn state(&self) -> [f64; 4] {
        let mut out = [f64::NAN; 4];
        self.queue.state(&mut out);
        out
    }
    fn dropped(&self) -> Vec<u64> {
        self.sink.dropped.iter().map(|(p, ..)| p.id).collect()
    }
}

/// Eight packets, one each 10 ms, and dequeues each 12 ms from 72 ms on; target 5 ms, interval 20 ms, no small
/// backlog.
fn drained(config: CodelLifoConfig, ecn: Ecn) -> (Bench, Vec<Option<u64>>, Vec<[f64; 4]>) {
    let mut b = Bench::new(&CodelLifoConfig {
        interval: Duration::from_millis(20),
        maxpacket: Some(Bytes(0)),
        ..config
    });
    for id in 0..8 {
        b.enqueue(id, ecn, 10 * id);
    }
    let mut states = Vec::new();
    let out = (0..7)
        .map(|i| {
            let out = b.dequeue(72 + 12 * i);
            states.push(b.state());
            out
        })
        .collect();
    (b, out, states)
}

#[test]
fn a_draining_stack_drops_twice_and_forgives_the_rest() {
    // Computed by hand from equations (7) to (12): sojourns 2, 24, 46, 68 (dropped), 78, 100, 122 (dropped), 132 ms.
    let (b, out, states) = drained(CodelLifoConfig::default(), Ecn::NotEct);
    assert_eq!(out, [Some(7), Some(6), Some(5), Some(3), Some(2), Some(0), None]);
    assert_eq!(b.dropped(), [4, 1]);
    assert!(b.sink.dropped.iter().all(|(_, why, _)| *why == DropReason::Aqm));
    // Theta and k after 84, 96, 108 and 120 ms: 24/24, 46/35, 78/54, 100/63.2.
    for (state, (theta, k)) in
        states[1..].iter().zip([(1.0, 1.0), (1.3143, 2.0), (1.4444, 4.0), (1.5823, 5.0)])
    {
        assert!((state[0] - theta).abs() < 5e-5 && state[1] == k, "{states:?}");
    }
    // Entered at 108 ms with a count of one, so the next was due at 128: the second drop at 132 makes it two.
    assert_eq!((states[3][2], states[4][2]), (1.0, 1.0));
    assert_eq!(b.state()[2], 2.0);
}

#[test]
fn with_ecn_the_doomed_are_marked_and_go() {
    let config = CodelLifoConfig { ecn: true, ..Default::default() };
    let (b, out, _) = drained(config, Ecn::Ect0);
    assert_eq!(out, [Some(7), Some(6), Some(5), Some(4), Some(3), Some(2), Some(1)]);
    // Packet 4 at 108 ms; the next are due at 128 and 142.1 ms, and packets 2 and 1 come at 132 and 144.
    assert_eq!(b.sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), [4, 2, 1]);
    assert!(b.sink.dropped.is_empty());
}

#[test]
fn a_sojourn_below_target_starts_anew() {
    let mut b = Bench::new(&CodelLifoConfig { maxpacket: Some(Bytes(0)), ..Default::default() });
    for id in 0..5 {
        b.enqueue(id, Ecn::NotEct, 10 * id);
    }
    b.dequeue(50);
    b.dequeue(60);
    b.dequeue(70);
    // 10, 30 and 50 ms: two in a row grew, longest 50, mean 30.
    assert_eq!(b.state()[1], 2.0);
    assert!((b.state()[0] - 50.0 / 30.0).abs() < 1e-9);
    b.enqueue(5, Ecn::NotEct, 71);
    assert_eq!(b.dequeue(72), Some(5));
    assert_eq!(b.state()[..2], [1.0, 0.0]);
}

#[test]
fn the_count_survives_good_times_unless_the_text_is_taken_literally() {
    for (literal_reset, count) in [(false, 7), (true, 0)] {
        let config = CodelLifoConfig { literal_reset, ..Default::default() };
        let mut law = CodelLifo::new(&config);
        law.count = 7;
        law.paper(0, Bytes(100_000), 1);
        assert_eq!(law.count, count);
    }
}

#[test]
fn a_full_stack_refuses_or_forgets_its_bottom() {
    for (overflow, dropped, first) in [(Victim::Arrival, 2, 1), (Victim::Bottom, 0, 2)] {
        let config = CodelLifoConfig { overflow, limit: Limit::Packets(2), ..Default::default() };
        let mut b = Bench::new(&config);
        for id in 0..3 {
            b.enqueue(id, Ecn::NotEct, 0);
        }
        assert_eq!(b.dropped(), [dropped]);
        assert_eq!(b.dequeue(1), Some(first));
    }
}

#[test]
fn the_authors_statistics_are_integers_that_never_restart() {
    let config = CodelLifoConfig { form: Form::Authors, ..Default::default() };
    let mut law = CodelLifo::new(&config);
    // Ticks of 1024 ns; the first grows over an initial zero. Means: 10, (10 + 21) / 2 = 15, (30 + 2) / 3 = 10.
    for (sojourn, mean, longest, run) in [(10, 10, 10, 1), (21, 15, 21, 2), (2, 10, 21, 0)] {
        assert!(!law.authors_should_drop(sojourn, Bytes(1 << 20), 1));
        let s = law.sojourns;
        assert_eq!((s.rounded_mean, s.longest, s.run), (mean, longest, run));
    }
    // 22 / 11 = 2, although the last sojourn was far below target.
    assert_eq!(law.sojourns.theta(Form::Authors), 2.0);
    law.on_idle(Instant::from_secs(1));
    assert_eq!(law.sojourns.theta(Form::Authors), 2.0);
}

#[test]
fn the_authors_enter_without_waiting_for_the_interval_when_the_clock_is_young() {
    // Their schedule starts at zero, so that within the first interval of the run the run alone decides. Packets of
    // 0, 2, ..., 18 ms; dequeues at 20, 24, ... ms: sojourns 2, 8, 14, 20, 26 ms.
    let config = CodelLifoConfig { form: Form::Authors, maxpacket: Some(Bytes(1500)), ..Default::default() };
    let mut b = Bench::new(&config);
    for id in 0..10 {
        b.enqueue(id, Ecn::NotEct, 2 * id);
    }
    assert_eq!(b.dequeue(20), Some(9)); // below target
    assert_eq!(b.dequeue(24), Some(8)); // just above it
    // k = 3 over theta = 14 / 8: dropped, and seen twice, which ends the run; the next grows again, k = 1.
    assert_eq!(b.dequeue(28), Some(6));
    assert_eq!(b.dropped(), [7]);
    let [theta, k, count, dropping] = b.state();
    // Samples 2, 8, 14, 14, 16 ms: longest 16, mean 10.8.
    assert_eq!((theta, k, count, dropping), (1.0, 1.0, 1.0, 0.0));
}

#[test]
fn fresh_packets_pass_a_standing_queue_by() {
    // Twice the load of the link for a second: what leaves is always new, and the bottom starves.
    let mut b = Bench::new(&CodelLifoConfig::default());
    let mut fresh = 0;
    for ms in 0..1000 {
        b.enqueue(2 * ms, Ecn::NotEct, ms);
        b.enqueue(2 * ms + 1, Ecn::NotEct, ms);
        fresh += u32::from(b.dequeue(ms).is_some_and(|id| id >= 2 * ms));
    }
    assert_eq!(fresh, 1000);
    // The backlog grows by one each millisecond, until the limit refuses one of the last two.
    assert_eq!(b.queue.backlog().packets, 999);
}
