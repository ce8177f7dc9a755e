//! Links that are granted when they may send.

use crate::common::{FORWARD, Header, Log, header, link, pair};
use std::sync::Arc;
use tailrace_access::grants::LteConfig;
use tailrace_access::{GrantConfig, LinkSchedule};
use tailrace_core::{DropReason, Duration, Instant, Probability, Rate, Rates, Rng};
use tailrace_net::{Fabric, LinkConfig};

const DELAY: Duration = Duration::from_millis(2);

fn granted(config: LteConfig, seed: u64) -> LinkConfig<Header> {
    let schedule = LinkSchedule::Grants(Arc::new(GrantConfig::Lte(config)));
    let started = Some(Box::new(schedule.start(Rng::new(seed))));
    LinkConfig { schedule: started, ..link(schedule.mean(), DELAY) }
}

/// 1500 bytes a subframe.
fn steady(block_error: f64) -> LteConfig {
    LteConfig {
        rates: Rates(vec![Rate::from_mbit(12)]),
        block_error: Probability::new(block_error).unwrap(),
        ..LteConfig::default()
    }
}

/// A network over such a link, in which so many packets of 1500 bytes have been sent at the beginning.
fn after(config: LteConfig, packets: u16) -> (Fabric<Header>, Log) {
    let (mut fabric, src, dst) = pair(granted(config, 1));
    let mut log = Log::default();
    for id in 0..packets {
        fabric.send(src, header(id, src, dst, 1500), &mut log);
    }
    (fabric, log)
}

fn run_to(us: u64, fabric: &mut Fabric<Header>, log: &mut Log) {
    fabric.run_until(Instant::from_nanos(us * 1000), log);
}

fn ms(times: &[(u64, u16)]) -> Vec<(u64, u16)> {
    times.iter().map(|(ms, id)| (ms * 1_000_000, *id)).collect()
}

#[test]
fn packets_leave_with_their_blocks() {
    let (mut fabric, mut log) = after(steady(0.0), 3);
    run_to(100_000, &mut fabric, &mut log);
    // Subframes 1, 2 and 3, a subframe each, 3 ms to decode and 2 ms of delay.
    assert_eq!(log.times(), ms(&[(7, 0), (8, 1), (9, 2)]));
}

#[test]
fn what_is_given_up_is_lost_when_that_is_settled() {
    let twice = LteConfig { transmissions: 2, ..steady(1.0) };
    let (mut fabric, mut log) = after(twice, 1);
    run_to(14_999, &mut fabric, &mut log);
    assert_eq!((log.dropped.len(), fabric.link(FORWARD).occupancy()), (0, 1));
    run_to(100_000, &mut fabric, &mut log);
    // Subframes 1 and 9; the second ends at 10 ms.
    assert_eq!(log.dropped, [(Instant::from_millis(15), FORWARD, 0, DropReason::LinkLoss)]);
    let c = fabric.link(FORWARD).counters();
    assert_eq!((c.arrived, c.dequeued, c.delivered, c.dropped_total()), (1, 1, 0, 1));
}

#[test]
fn a_rate_takes_the_place_of_grants_for_a_while() {
    let (mut fabric, mut log) = after(steady(0.0), 4);
    // Packet 0 goes with subframe 1; 1 and 2 take 2 ms each, from 2 ms on, and wait for what is before them.
    run_to(1_500, &mut fabric, &mut log);
    fabric.set_rate(FORWARD, Rate::from_mbit(6), &mut log);
    run_to(5_000, &mut fabric, &mut log);
    // Packet 2 is being sent; packet 3 goes with the next subframe behind it, that of 7 ms.
    fabric.resume_schedule(FORWARD, &mut log);
    run_to(100_000, &mut fabric, &mut log);
    assert_eq!(log.times(), ms(&[(7, 0), (7, 1), (8, 2), (13, 3)]));
}

#[test]
fn a_link_with_grants_goes_down_and_comes_back() {
    let (mut fabric, src, dst) = pair(granted(steady(1.0), 1));
    let mut log = Log::default();
    for id in 0..2 {
        fabric.send(src, header(id, src, dst, 1500), &mut log);
    }
    // Packets that the air would have lost are lost to the fault, and only once.
    run_to(3_500, &mut fabric, &mut log);
    fabric.set_links_up(&[FORWARD], false, false, &mut log);
    fabric.set_links_up(&[FORWARD], true, false, &mut log);
    fabric.send(src, header(2, src, dst, 1500), &mut log);
    run_to(200_000, &mut fabric, &mut log);
    let fates: Vec<_> = log.dropped.iter().map(|d| (d.2, d.3)).collect();
    let [down, air] = [DropReason::LinkDown, DropReason::LinkLoss];
    assert_eq!(fates, [(0, down), (1, down), (2, air)]);
    // Subframes 4, 12, 20 and 28, as if nothing had been before.
    assert_eq!(log.dropped[2].0, Instant::from_millis(29 + 3 + 2));
}

#[test]
fn nothing_depends_on_when_somebody_looks() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let config = LteConfig {
            rates: Rates([1, 4, 20].map(Rate::from_mbit).to_vec()),
            dwell: Duration::from_millis(1 + rng.below(30)),
            block_error: Probability::clamped(rng.uniform()),
            request: Duration::from_millis(rng.below(10)),
            silence: Duration::from_millis(rng.below(10)),
            ..LteConfig::default()
        };
        let sent: Vec<(u64, u64)> = (0..100).map(|_| (rng.below(8_000), 1 + rng.below(4000))).collect();
        let log = |looks: u64| {
            let (mut fabric, src, dst) = pair(granted(config.clone(), seed));
            let (mut log, mut now) = (Log::default(), 0);
            for (id, (pause, size)) in sent.iter().enumerate() {
                for look in 0..looks {
                    run_to(now + pause * look / looks, &mut fabric, &mut log);
                    fabric.settle(FORWARD, &mut log);
                }
                now += pause;
                run_to(now, &mut fabric, &mut log);
                fabric.send(src, header(id as u16, src, dst, *size), &mut log);
            }
            run_to(now + 10_000_000, &mut fabric, &mut log);
            log.sorted()
        };
        let whole = log(0);
        assert!(
            whole.received.len() + whole.dropped.len() == 100 && whole.received.is_sorted_by_key(|r| r.2)
        );
        assert_eq!(whole.difference(&log(3)), None, "{config:?}");
    }
}
