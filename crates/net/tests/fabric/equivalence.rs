//! A FIFO whose departures are computed on arrival is the `droptail` discipline, in everything that can be seen.

use crate::common::{FORWARD, Log, Sending, droptail, header, link, pair, random_trace};
use proptest::prelude::*;
use tailrace_core::{Bytes, Duration, DurationDist, Instant, Limit, Probability, Rate, Rng};
use tailrace_impair::LossConfig;
use tailrace_net::{Impairment, LinkConfig, LinkCounters, LinkQueue};

const RATE: Rate = Rate::from_bps(1_234_567);

/// Something that is done to the link in the middle of a trace.
#[derive(Clone, Copy, Debug)]
enum Act {
    Look,
    Reset,
    Rate(u64),
    Delay(u64),
    Queue(u64),
    Loss(bool),
    Jitter,
    Down,
    Up,
}

fn acts() -> impl Strategy<Value = Vec<(usize, Act)>> {
    let act = prop_oneof![
        4 => Just(Act::Look),
        2 => Just(Act::Reset),
        1 => (1u64..5_000_000).prop_map(|bps| Act::Rate(100_000 + bps)),
        1 => (0u64..50).prop_map(Act::Delay),
        1 => (0u64..30).prop_map(Act::Queue),
        1 => any::<bool>().prop_map(Act::Loss),
        1 => Just(Act::Jitter),
        1 => Just(Act::Down),
        2 => Just(Act::Up),
    ];
    prop::collection::vec((0usize..600, act), 0..12)
}

/// Everything that can be seen of a link: what the hosts were told, counters, distributions.
type Seen = (Log, LinkCounters, Vec<[f64; 11]>, Vec<Option<Duration>>);

fn observe(config: LinkConfig<crate::common::Header>, trace: &[Sending], acts: &[(usize, Act)]) -> Seen {
    let (mut fabric, src, dst) = pair(config);
    let (mut log, mut stats, mut recent) = (Log::default(), Vec::new(), Vec::new());
    for (i, s) in trace.iter().enumerate() {
        fabric.run_until(s.at, &mut log);
        for (_, act) in acts.iter().filter(|(at, _)| *at == i) {
            match *act {
                Act::Look => fabric.settle(FORWARD, &mut log),
                Act::Reset => {
                    fabric.settle(FORWARD, &mut log);
                    recent.push(fabric.take_recent_sojourn(FORWARD));
                    stats.push(figures(&fabric));
                    let _ = fabric.cut_stats(FORWARD);
                }
                Act::Rate(bps) => fabric.set_rate(FORWARD, Rate::from_bps(bps), &mut log),
                Act::Delay(ms) => fabric.set_delay(FORWARD, Duration::from_millis(ms), &mut log),
                Act::Queue(limit) => {
                    let LinkQueue::Disciplined(queue) = droptail(Limit::Packets(limit), RATE) else {
                        unreachable!()
                    };
                    fabric.set_queue(FORWARD, queue, &mut log);
                }
                Act::Loss(on) => fabric.set_impairment(FORWARD, on.then(|| lossy(None)), &mut log),
                Act::Jitter => {
                    let jitter = DurationDist::Uniform(Duration::ZERO, Duration::from_millis(9));
                    fabric.set_impairment(FORWARD, Some(lossy(Some(jitter))), &mut log);
                }
                Act::Down => drop(fabric.set_links_up(&[FORWARD], false, false, &mut log)),
                Act::Up => drop(fabric.set_links_up(&[FORWARD], true, false, &mut log)),
            }
        }
        fabric.send(src, header(i as u16, src, dst, s.size), &mut log);
    }
    fabric.run_until(fabric.now() + Duration::from_secs(600), &mut log);
    fabric.settle(FORWARD, &mut log);
    stats.push(figures(&fabric));
    (log, fabric.link(FORWARD).counters(), stats, recent)
}

fn lossy(jitter: Option<DurationDist>) -> Box<Impairment> {
    let loss = LossConfig::from(Probability::new(0.1).unwrap());
    Box::new(Impairment::new(&loss, jitter, false, Rng::new(5)))
}

fn figures(fabric: &tailrace_net::Fabric<crate::common::Header>) -> [f64; 11] {
    let stats = fabric.link(FORWARD).stats().expect("the link is observed");
    let (p, b, w, span) = (stats.packets(), stats.bytes(), stats.sojourn_times(), stats.span());
    let finite = |x: f64| if x.is_nan() { -1.0 } else { x };
    [
        span.as_secs_f64(),
        p.mean(span),
        p.sd(span),
        p.max() as f64,
        b.mean(span),
        b.sd(span),
        b.max() as f64,
        w.count() as f64,
        finite(w.mean_s()),
        finite(w.sd_s()),
        finite(w.quantile_s(0.9)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn fifo_and_droptail_cannot_be_told_apart(
        seed in any::<u64>(),
        load in 0.3f64..2.0,
        limit in prop_oneof![
            (1u64..30).prop_map(Limit::Packets),
            (1000u64..30_000).prop_map(|n| Limit::Bytes(Bytes(n))),
        ],
        delay_ms in 0u64..30,
        acts in acts(),
        watched in any::<bool>(),
    ) {
        let trace = random_trace(&mut Rng::new(seed), 600, RATE, load);
        let with = |queue, watched| LinkConfig { queue, watched, ..link(RATE, Duration::from_millis(delay_ms)) };
        let fifo = observe(with(LinkQueue::Fifo(limit), false), &trace, &acts);
        let droptail = observe(with(droptail(limit, RATE), false), &trace, &acts);
        prop_assert_eq!(fifo.0.difference(&droptail.0), None);
        prop_assert!((&fifo.1, &fifo.2, &fifo.3) == (&droptail.1, &droptail.2, &droptail.3), "{:?} {:?}", &fifo.1, &droptail.1);
        if watched {
            let (mut log, counters, stats, recent) = observe(with(LinkQueue::Fifo(limit), true), &trace, &acts);
            prop_assert_eq!(log.transmitted.len() as u64, counters.dequeued);
            prop_assert!(log.transmitted.is_sorted_by_key(|t| t.0));
            log.transmitted.clear();
            prop_assert_eq!(fifo.0.difference(&log), None);
            prop_assert!((fifo.1, fifo.2, fifo.3) == (counters, stats, recent));
        }
    }
}

#[test]
fn a_packet_that_finds_the_transmitter_free_was_never_a_backlog() {
    for fifo in [true, false] {
        let limit = Limit::Packets(5);
        let queue = if fifo { LinkQueue::Fifo(limit) } else { droptail(limit, RATE) };
        let (mut fabric, src, dst) = pair(LinkConfig { queue, ..link(RATE, Duration::ZERO) });
        let mut log = Log::default();
        fabric.send(src, header(0, src, dst, 1500), &mut log);
        fabric.run_until(Instant::from_secs(1), &mut log);
        fabric.settle(FORWARD, &mut log);
        let stats = fabric.link(FORWARD).stats().expect("the link is observed");
        assert_eq!((stats.packets().max(), stats.bytes().max(), stats.sojourn_times().max_s()), (0, 0, 0.0));
    }
}

#[test]
fn a_packet_larger_than_the_byte_limit_never_passes() {
    let limit = Limit::Bytes(Bytes(1000));
    for fifo in [true, false] {
        for observed in [false, true] {
            let queue = if fifo { LinkQueue::Fifo(limit) } else { droptail(limit, RATE) };
            let config = LinkConfig { observed, queue, ..link(RATE, Duration::ZERO) };
            let (mut fabric, src, dst) = pair(config);
            let mut log = Log::default();
            fabric.send(src, header(0, src, dst, 1001), &mut log);
            fabric.send(src, header(1, src, dst, 1000), &mut log);
            fabric.run_until(Instant::from_secs(1), &mut log);
            assert_eq!((log.dropped.len(), log.ids()), (1, vec![1]));
        }
    }
}

#[test]
fn what_is_read_before_settling_and_after_agrees_with_the_books() {
    // Three packets of 12 ms each at 1 Mbit/s: after 13 ms the second is in service and the third waits.
    for observed in [false, true] {
        let config = LinkConfig { observed, ..link(Rate::from_mbit(1), Duration::from_millis(50)) };
        let (mut fabric, src, dst) = pair(config);
        let mut log = Log::default();
        for id in 0..3 {
            fabric.send(src, header(id, src, dst, 1500), &mut log);
        }
        fabric.run_until(Instant::from_millis(13), &mut log);
        fabric.settle(FORWARD, &mut log);
        let c = fabric.link(FORWARD).counters();
        assert_eq!((c.arrived, c.dequeued, c.delivered, c.sent_bytes), (3, 2, 0, 3000));
        assert_eq!((fabric.link(FORWARD).backlog().packets, fabric.link(FORWARD).occupancy()), (1, 3));
    }
}
