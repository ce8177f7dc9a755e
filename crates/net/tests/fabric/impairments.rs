//! Jitter and random loss, seen at the other end.

use crate::common::{FORWARD, Header, Log, header, link, pair, play, random_trace};
use tailrace_core::{DropReason, Duration, DurationDist, Instant, Probability, Rate, Rng};
use tailrace_impair::losses::gemodel::GemodelConfig;
use tailrace_impair::{LossConfig, NetemConfig, Reordering};
use tailrace_net::{Impairment, LinkConfig};

const RATE: Rate = Rate::from_mbit(10);

fn impaired(loss: &LossConfig, jitter: Option<DurationDist>, reorder: bool) -> LinkConfig<Header> {
    let impairment = Some(Box::new(Impairment::new(loss, jitter, reorder, Rng::new(11))));
    LinkConfig { impairment, ..link(RATE, Duration::from_millis(5)) }
}

#[test]
fn jitter_reorders_only_where_it_may() {
    let trace = random_trace(&mut Rng::new(3), 20_000, RATE, 0.5);
    for reorder in [false, true] {
        let jitter = Some(DurationDist::Exponential(Duration::from_millis(4)));
        let (mut fabric, src, dst) = pair(impaired(&LossConfig::default(), jitter, reorder));
        let log = play(&mut fabric, src, dst, &trace);
        let mut ids = log.ids();
        assert_eq!(ids.is_sorted(), !reorder);
        ids.sort_unstable();
        assert_eq!(ids, (0..20_000).collect::<Vec<_>>(), "none lost, none twice");
        assert!(log.received.is_sorted_by_key(|r| r.0));
    }
}

#[test]
fn jitter_that_reorders_adds_exactly_its_draw() {
    // A packet a second, so nothing queues: the extra delay is the DurationDist's draw, in the order of sending.
    let jitter = DurationDist::Uniform(Duration::from_millis(1), Duration::from_millis(9));
    let (mut fabric, src, dst) = pair(impaired(&LossConfig::default(), Some(jitter), true));
    let (mut log, mut rng) = (Log::default(), Rng::new(11));
    for id in 0..50 {
        let sent = Instant::from_secs(u64::from(id));
        fabric.run_until(sent, &mut log);
        fabric.send(src, header(id, src, dst, 1250), &mut log); // 1 ms to send, 5 ms to fly.
        fabric.run_until(sent + Duration::from_millis(500), &mut log);
        let expected = sent + Duration::from_millis(6) + jitter.draw(&mut rng);
        assert_eq!(log.received.last().map(|r| (r.0, r.2)), Some((expected, id)));
    }
}

/// A packet each millisecond over a link so disturbed, which takes 0.1 ms to send it and 5 ms to carry it.
fn disturbed(of: NetemConfig, jitter: Option<DurationDist>, count: u16) -> Log {
    let impairment = Impairment::new(&LossConfig::default(), jitter, false, Rng::new(11));
    let impairment = Some(Box::new(impairment.with_disturbance(of, Rng::new(12))));
    let (mut fabric, src, dst) = pair(LinkConfig { impairment, ..link(RATE, Duration::from_millis(5)) });
    let mut log = Log::default();
    for id in 0..count {
        fabric.run_until(Instant::from_millis(u64::from(id)), &mut log);
        fabric.send(src, header(id, src, dst, 125), &mut log);
    }
    fabric.run_until(Instant::from_secs(100), &mut log);
    let c = fabric.link(FORWARD).counters();
    assert_eq!(c.delivered, u64::from(count) + c.duplicated);
    log
}

#[test]
fn a_copy_comes_right_behind_its_original_and_each_is_damaged_by_itself() {
    let of = NetemConfig { duplication: Probability::ONE, ..NetemConfig::default() };
    let at = |id: u64| 5_100_000 + 1_000_000 * id;
    assert_eq!(disturbed(of, None, 3).times(), [0, 0, 1, 1, 2, 2].map(|id| (at(id), id as u16)));
    let half = Probability::new(0.5).unwrap();
    let log = disturbed(NetemConfig { corruption: half, ..of }, None, 1000);
    assert_eq!((log.received.len(), log.duplicated.len()), (2000, 1000), "damaged ones arrive, too");
    let damaged = |id| log.damaged.iter().filter(|(_, d)| *d == id).count();
    let times = [0, 1, 2].map(|n| (0..1000).filter(|id| damaged(*id) == n).count());
    // A quarter neither, half one of the two, a quarter both; 4 standard deviations are 55 and 63.
    assert!(times.iter().zip([250, 500, 250]).all(|(n, mean)| n.abs_diff(mean) < 64), "{times:?}");
}

#[test]
fn those_held_back_come_so_much_later_and_the_others_in_order_whatever_their_jitter() {
    let reordering = Reordering { probability: Probability::ONE, hold: Duration::from_micros(2500), gap: 4 };
    let of = NetemConfig { reordering, ..NetemConfig::default() };
    // The fourth of each four arrives 2.5 ms late: behind the second of the next four.
    assert_eq!(disturbed(of, None, 10).ids(), [0, 1, 2, 4, 5, 3, 6, 8, 9, 7]);
    let at = |us: u64| 5_100_000 + 1000 * us;
    assert_eq!(disturbed(of, None, 8).times()[5], (at(5500), 3));
    let jitter = DurationDist::Exponential(Duration::from_millis(4));
    let log = disturbed(of, Some(jitter), 4000);
    let others: Vec<u16> = log.ids().into_iter().filter(|id| id % 4 != 3).collect();
    assert!(others.is_sorted() && !log.ids().is_sorted());
}

#[test]
fn gemodel_losses_come_in_bursts_of_the_chains_length() {
    // Bad loses all, good nothing: a burst is a stay in bad, geometric with mean 1/r = 4 packets; its standard
    // deviation is sqrt(1-r)/r = 3.46. Of about 60 000 p r/(p + r) = 1154 bursts the mean is within 4 · 3.46/sqrt(1154) = 0.41.
    let p = |x| Probability::new(x).unwrap();
    let config = GemodelConfig { p: p(0.02), r: p(0.25), good: p(0.0), bad: p(1.0) };
    let loss = LossConfig::Gemodel(config);
    let (mut fabric, src, dst) = pair(impaired(&loss, None, false));
    let mut log = Log::default();
    for id in 0..60_000u16 {
        fabric.run_until(Instant::from_millis(u64::from(id)), &mut log);
        fabric.send(src, header(id, src, dst, 100), &mut log);
    }
    fabric.run_until(Instant::from_secs(100), &mut log);
    let lost: Vec<u16> = log.dropped.iter().map(|d| d.2).collect();
    let bursts = 1 + lost.windows(2).filter(|w| w[1] != w[0] + 1).count();
    let mean = lost.len() as f64 / bursts as f64;
    assert!((mean - 4.0).abs() < 0.41, "{mean}");
    // Long-run loss p/(p + r) = 0.0741; its variance over n packets is inflated by (2 − p − r)/(p + r) = 6.4:
    // sd = sqrt(0.0741 · 0.9259 · 6.4 / 60 000) = 0.0027.
    let ratio = lost.len() as f64 / 60_000.0;
    assert!((ratio - 0.0741).abs() < 4.0 * 0.0027, "{ratio}");
    assert!(log.dropped.iter().all(|d| d.3 == DropReason::LinkLoss && d.1 == FORWARD));
}

#[test]
fn an_endless_jitter_holds_packets_up_and_breaks_nothing() {
    let (mut fabric, src, dst) =
        pair(impaired(&LossConfig::default(), Some(DurationDist::Constant(Duration::MAX)), false));
    let mut log = Log::default();
    fabric.send(src, header(0, src, dst, 100), &mut log);
    fabric.run_until(Instant::from_secs(1_000_000), &mut log);
    assert_eq!((log.received.len(), fabric.link(FORWARD).occupancy()), (0, 1));
}
