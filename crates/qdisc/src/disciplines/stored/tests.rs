//! StoRED is a reconstruction: its properties are tested, no published number.

use super::*;
use crate::disciplines::red::RedConfig;
use crate::testing::{Collector, TestPacket};
use tailrace_core::{Limit, Probability, Rate};

const LINK: LinkView = LinkView::new(Rate::from_mbit(8), Duration::ZERO);

fn packets(n: u64) -> Option<Limit> {
    Some(Limit::Packets(n))
}

/// Number of bins so large that no two flows of a test share one.
const BINS: u32 = 1 << 16;

fn config() -> StoredConfig {
    StoredConfig {
        limit: Limit::Packets(60),
        min_th: packets(5),
        max_th: packets(15),
        max_p: Probability::clamped(0.1),
        bins: BINS,
        ..StoredConfig::default()
    }
}

/// A queue and what it is handed.
struct Bench<Q> {
    queue: Q,
    rng: Rng,
    sink: Collector<TestPacket>,
    now: Instant,
    id: u64,
}

impl<Q: QueueDiscipline<TestPacket>> Bench<Q> {
    fn new(queue: Q) -> Self {
        Self { queue, rng: Rng::new(1), sink: Collector::default(), now: Instant::ZERO, id: 0 }
    }

    /// Sends a packet; whether it was admitted.
    fn send(&mut self, flow: u32) -> bool {
        let before = self.sink.dropped.len();
        let packet = TestPacket::new(self.id, flow, 1000);
        self.id += 1;
        self.queue.enqueue(packet, &mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink });
        self.sink.dropped.len() == before
    }

    fn take(&mut self) -> bool {
        let mut cx = Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.dequeue(&mut cx).is_some()
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.queue.handle_timeout(&mut Cx { now: self.now, rng: &mut self.rng, sink: &mut self.sink });
    }
}

#[test]
fn one_bin_is_red() {
    let stored = StoredConfig { bins: 1, perturb: Duration::ZERO, ..config() };
    let red = RedConfig { gentle: true, ..stored.red() };
    let (mut stored, mut red) = (Bench::new(stored.build(&LINK)), Bench::new(red.build::<TestPacket>(&LINK)));
    // Stands for the salt.
    red.rng.next_u64();
    let mut load = Rng::new(5);
    for n in 0..40_000 {
        let (time, flow) = (load.exponential_duration(Duration::from_micros(1000)), load.below(50) as u32);
        let take = load.bernoulli(if n % 5000 < 4000 { 0.8 } else { 1.0 });
        stored.wait(time);
        red.wait(time);
        assert_eq!(stored.send(flow), red.send(flow));
        if take {
            assert_eq!(stored.take(), red.take());
        }
        assert_eq!(stored.queue.queue.law().red.average(), red.queue.law().average());
    }
    assert_eq!(stored.sink.dropped, red.sink.dropped);
    assert!(stored.sink.dropped.len() > 1000);
}

/// Loss rates of flows that send so many packets a millisecond, over 100 s of one packet a millisecond served.
fn loss(rates: &[f64]) -> Vec<f64> {
    let mut bench = Bench::new(config().build(&LINK));
    let mut load = Rng::new(3);
    let mut counts = vec![(0u32, 0u32); rates.len()];
    for n in 0..100_000 {
        // Each is the first as often as the last.
        for flow in (0..rates.len()).map(|i| (i + n) % rates.len()) {
            if load.bernoulli(rates[flow]) {
                let lost = !bench.send(flow as u32);
                counts[flow].0 += 1;
                counts[flow].1 += u32::from(lost);
            }
        }
        bench.take();
        bench.wait(Duration::from_millis(1));
    }
    counts.into_iter().map(|(sent, lost)| f64::from(lost) / f64::from(sent)).collect()
}

#[test]
fn equal_flows_lose_equally() {
    let loss = loss(&[0.1; 12]);
    // 1.2 offered, 1 served: a sixth is lost.
    let mean = loss.iter().sum::<f64>() / 12.0;
    assert!((mean - 1.0 / 6.0).abs() < 0.01, "{mean}");
    assert!(loss.iter().all(|l| (l / mean - 1.0).abs() < 0.1), "{loss:?}");
}

#[test]
fn a_flow_ten_times_as_fast_loses_more_than_five_times_as_often() {
    let loss = loss(&[[0.525].as_slice(), &[0.0525; 10]].concat());
    let slow = loss[1..].iter().sum::<f64>() / 10.0;
    assert!(loss[0] > 5.0 * slow, "{loss:?}");
}

/// With an average of 10 packets at `max_th` and a slope of zero only the share decides: of ten packets in seven bins
/// the mean is 1.43, so a bin with four holds more than twice as much; one with two is safe whatever the mean.
#[test]
fn above_the_band_a_bin_is_held_to_twice_the_mean() {
    let mut bench = Bench::new(
        StoredConfig {
            max_th: packets(10),
            max_p: Probability::ZERO,
            weight: Some(Probability::ONE),
            ..config()
        }
        .build(&LINK),
    );
    for flow in [0, 0, 0, 0, 1, 2, 3, 4, 5, 6] {
        assert!(bench.send(flow));
    }
    assert_eq!(bench.queue.queue.law().active, 7);
    assert!(!bench.send(0));
    assert!(bench.queue.queue.law().red.average() == 10.0);
    assert!(bench.send(1));
}

#[test]
fn counts_survive_a_change_of_the_hash() {
    let mut bench =
        Bench::new(StoredConfig { perturb: Duration::from_millis(5), bins: 16, ..config() }.build(&LINK));
    let mut load = Rng::new(9);
    for _ in 0..20_000 {
        bench.send(load.below(1000) as u32);
        if load.bernoulli(0.9) {
            bench.take();
        }
        bench.wait(Duration::from_millis(1));
        let law = bench.queue.queue.law();
        assert_eq!(law.bins.iter().map(|bin| bin.packets).sum::<u64>(), bench.queue.backlog().packets);
        assert_eq!(law.bins.iter().filter(|bin| bin.packets > 0).count() as u32, law.active);
    }
    while bench.take() {}
    assert_eq!(bench.queue.queue.law().active, 0);
}

#[test]
fn a_million_forged_sources_cost_no_memory() {
    let mut bench = Bench::new(config().build(&LINK));
    for flow in 0..1_000_000 {
        bench.send(flow);
        bench.sink.dropped.clear();
    }
    assert_eq!(bench.queue.queue.law().bins.len(), BINS as usize);
    assert!(bench.queue.waiting.len() <= 60);
}

#[test]
fn the_number_of_bins_is_bounded() {
    for bins in [0, MOST_BINS + 1] {
        assert_eq!(StoredConfig { bins, ..config() }.validate().unwrap_err().0, "bins");
    }
    assert_eq!(config().validate(), Ok(()));
}
