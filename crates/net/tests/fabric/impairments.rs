//! Jitter and random loss, seen at the other end.

use crate::common::{FORWARD, Header, Log, header, link, pair, play, random_trace};
use tailrace_core::{DropReason, Duration, DurationDist, Instant, Probability, Rate, Rng};
use tailrace_impair::LossConfig;
use tailrace_impair::losses::gilbert_elliott::GilbertElliottConfig;
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
    // One packet a second, so nothing queues: the extra delay is the DurationDist's draw, in the order of sending.
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

#[test]
fn gilbert_elliott_losses_come_in_bursts_of_the_chains_length() {
    // Bad loses all, good nothing: a burst is a stay in bad, geometric with mean 1/r = 4 packets; its standard
    // deviation is sqrt(1-r)/r = 3.46. Of about 60 000 p r/(p + r) = 1154 bursts the mean is within 4 · 3.46/sqrt(1154) = 0.41.
    let p = |x| Probability::new(x).unwrap();
    let config = GilbertElliottConfig { p: p(0.02), r: p(0.25), good: p(0.0), bad: p(1.0) };
    let loss = LossConfig::GilbertElliott(config);
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
