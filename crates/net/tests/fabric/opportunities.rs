//! Links that deliver by a trace.

use crate::common::{FORWARD, Log, header, link, pair};
use std::collections::VecDeque;
use std::sync::Arc;
use tailrace_access::LinkSchedule;
use tailrace_core::{Bytes, DeliveryTrace, Duration, Instant, Rate, Rng};
use tailrace_net::{Fabric, LinkConfig};

const DELAY: Duration = Duration::from_millis(2);

fn traced(text: &str) -> LinkConfig<crate::common::Header> {
    let trace = LinkSchedule::Trace(Arc::new(DeliveryTrace::parse(text).unwrap()));
    let schedule = Some(Box::new(trace.start(Rng::new(1))));
    LinkConfig { schedule, overhead: Bytes(4), ..link(trace.mean(), DELAY) }
}

/// When packets of these times in microseconds and sizes arrive.
fn arrivals(text: &str, sent: &[(u64, u64)]) -> Vec<(u64, u16)> {
    let (mut fabric, src, dst) = pair(traced(text));
    let mut log = Log::default();
    for (id, (at, size)) in sent.iter().enumerate() {
        fabric.run_until(Instant::from_nanos(at * 1000), &mut log);
        fabric.send(src, header(id as u16, src, dst, *size), &mut log);
    }
    fabric.run_until(Instant::from_secs(100), &mut log);
    log.times()
}

#[test]
fn packets_leave_at_opportunities_and_what_nobody_needs_is_lost() {
    // Opportunities at 1 and 2 ms are lost; the one at 4 ms sends packet 0; packet 1 comes at the very time of the one
    // at 6 ms and has to wait for 9 ms, as 10 + 1 ms is the first of the next lap.
    let sent = [(2_000, 1500), (6_000, 1500)];
    assert_eq!(arrivals("1\n2\n4\n6\n9\n10\n", &sent), [(6_000_000, 0), (11_000_000, 1)]);
    // Three of 500 bytes: with 4 bytes each two and a part of the third fit into one opportunity.
    let small = [(0, 500), (0, 500), (0, 500)];
    assert_eq!(arrivals("1\n5\n", &small), [(3_000_000, 0), (3_000_000, 1), (7_000_000, 2)]);
    // 4500 bytes take three.
    assert_eq!(arrivals("1\n5\n5\n8\n", &[(0, 4500)]), [(7_000_000, 0)]);
}

/// The rule, opportunity by opportunity: packets in order, as far as bytes go.
fn by_the_rule(times: &[u64], sent: &[(u64, u64)]) -> Vec<(u64, u16)> {
    let mut waiting: VecDeque<(u16, u64)> = VecDeque::new();
    let (mut coming, mut found, mut sending) = (sent.iter().enumerate().peekable(), Vec::new(), None);
    for lap in 0.. {
        for time in times.iter().map(|ms| (lap * times[times.len() - 1] + ms) * 1_000) {
            while let Some((id, (_, size))) = coming.next_if(|(_, (at, _))| *at < time) {
                waiting.push_back((id as u16, size + 4));
            }
            let mut left = 1504;
            while left > 0 {
                let Some((id, rest)) = sending.take().or_else(|| waiting.pop_front()) else { break };
                let now = left.min(rest);
                left -= now;
                if rest == now {
                    found.push((time * 1_000 + DELAY.as_nanos(), id));
                } else {
                    sending = Some((id, rest - now));
                }
            }
        }
        if found.len() == sent.len() {
            break;
        }
    }
    found
}

#[test]
fn every_departure_is_that_of_the_rule() {
    let mut rng = Rng::new(11);
    for _ in 0..200 {
        let mut times: Vec<u64> = (0..=rng.below(30)).map(|_| rng.below(60)).collect();
        times.push(1 + rng.below(80));
        times.sort_unstable();
        let mut sent: Vec<(u64, u64)> =
            (0..60).map(|_| (rng.below(400) * 250, 1 + rng.below(4000))).collect();
        sent.sort_by_key(|(at, _)| *at);
        let text: String = times.iter().map(|ms| format!("{ms}\n")).collect();
        assert_eq!(arrivals(&text, &sent), by_the_rule(&times, &sent), "{times:?} {sent:?}");
    }
}

#[test]
fn what_waits_for_an_opportunity_is_a_backlog_whenever_one_looks() {
    let mean = |looks: &[u64]| {
        let (mut fabric, src, dst) = pair(traced("20\n"));
        let mut log = Log::default();
        run_to(5, &mut fabric, &mut log);
        fabric.send(src, header(0, src, dst, 1500), &mut log);
        for ms in looks {
            run_to(*ms, &mut fabric, &mut log);
            fabric.settle(FORWARD, &mut log);
        }
        let stats = fabric.link(FORWARD).stats().unwrap();
        stats.packets().mean(stats.span())
    };
    // A packet waits for 15 of 60 ms.
    assert_eq!(mean(&[60]), 0.25);
    assert_eq!(mean(&[7, 15, 30, 60]), 0.25);
}

fn run_to(ms: u64, fabric: &mut Fabric<crate::common::Header>, log: &mut Log) {
    fabric.run_until(Instant::from_millis(ms), log);
}

#[test]
fn a_rate_takes_the_place_of_a_trace_for_a_while() {
    let (mut fabric, src, dst) = pair(traced("20\n"));
    let mut log = Log::default();
    for id in 0..4 {
        fabric.send(src, header(id, src, dst, 1500), &mut log);
    }
    // At 25 ms packet 0 has left; 1504 bytes take 1 ms, so that 1 and 2 leave at 26 and 27 ms.
    run_to(25, &mut fabric, &mut log);
    fabric.set_rate(FORWARD, Rate::from_bps(12_032_000), &mut log);
    fabric.run_until(Instant::from_nanos(26_500_000), &mut log);
    // Packet 2 is being sent and finishes; packet 3 waits for the next opportunity.
    fabric.resume_schedule(FORWARD, &mut log);
    run_to(200, &mut fabric, &mut log);
    assert_eq!(log.times(), [(22, 0), (28, 1), (29, 2), (42, 3)].map(|(ms, id)| (ms * 1_000_000, id)));
}

#[test]
fn a_rate_that_comes_while_the_link_is_down_waits_for_no_packet_that_was_lost() {
    let (mut fabric, src, dst) = pair(traced("10\n"));
    let mut log = Log::default();
    fabric.send(src, header(0, src, dst, 6000), &mut log);
    // By the trace the packet would have left at 40 ms.
    run_to(15, &mut fabric, &mut log);
    fabric.set_links_up(&[FORWARD], false, false, &mut log);
    fabric.set_rate(FORWARD, Rate::from_mbit(8), &mut log);
    run_to(50, &mut fabric, &mut log);
    // Whoever looked at it now would have looked for ever.
    fabric.settle(FORWARD, &mut log);
    fabric.set_links_up(&[FORWARD], true, false, &mut log);
    fabric.send(src, header(1, src, dst, 996), &mut log);
    run_to(200, &mut fabric, &mut log);
    assert_eq!(log.times(), [(53_000_000, 1)]);
}

#[test]
fn a_link_with_a_trace_goes_down_and_comes_back() {
    let (mut fabric, src, dst) = pair(traced("10\n"));
    let mut log = Log::default();
    for id in 0..2 {
        fabric.send(src, header(id, src, dst, 2000), &mut log);
    }
    // Packet 0 has begun to leave.
    run_to(15, &mut fabric, &mut log);
    fabric.set_links_up(&[FORWARD], false, false, &mut log);
    run_to(35, &mut fabric, &mut log);
    fabric.set_links_up(&[FORWARD], true, false, &mut log);
    fabric.send(src, header(2, src, dst, 2000), &mut log);
    run_to(200, &mut fabric, &mut log);
    assert_eq!(log.times(), [(52_000_000, 2)]);
    let c = fabric.link(FORWARD).counters();
    assert_eq!((c.arrived, c.delivered, c.expelled, c.dequeued), (3, 1, 1, 2));
}
