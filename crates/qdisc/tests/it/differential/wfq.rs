//! Weighted and bit-by-bit fair queueing against systems written plainly and apart from them.

use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::params::Value;
use tailrace_core::{Bytes, Dscp, Duration, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

const FLOWS: usize = 8;
/// 8 Mbit/s: a byte takes a microsecond.
const LINK: LinkView = LinkView::new(Rate::from_mbit(8), Duration::ZERO);

/// Flow, size in bytes, and time since the arrival before in microseconds.
type Arrival = (usize, u64, u64);

fn arrivals(most: u64) -> impl Strategy<Value = Vec<Arrival>> {
    prop::collection::vec((0..FLOWS, 40u64..1500, prop_oneof![Just(0u64), 0..most]), 1..200)
}

/// Flow `i` is in class `i`.
fn packet(id: usize, flow: usize, size: u64) -> TestPacket {
    TestPacket { dscp: Dscp((flow as u8) << 3), ..TestPacket::new(id as u64, flow as u32, size) }
}

fn build(name: &str, options: &[(&str, Value)]) -> Qdisc<TestPacket> {
    let mut config = QdiscConfig::default_of(name).expect("registered");
    for (key, value) in options {
        config.set(key, value).expect("a parameter");
    }
    config.set("limit", &Value::Text("1000 packets".into())).expect("a parameter");
    config.validate().expect("valid");
    config.build(&LINK)
}

fn text(word: &str) -> Value {
    Value::Text(word.into())
}

fn weighted(clock: &str, weights: &[f64; FLOWS]) -> Qdisc<TestPacket> {
    const NAMES: [&str; 8] = [
        "weight_cs0",
        "weight_cs1",
        "weight_cs2",
        "weight_cs3",
        "weight_cs4",
        "weight_cs5",
        "weight_cs6",
        "weight_cs7",
    ];
    let mut options: Vec<_> = NAMES.into_iter().zip(weights.map(Value::Float)).collect();
    options.push(("clock", text(clock)));
    build("wfq", &options)
}

/// When each packet has left the link that `queue` feeds, in microseconds, and in which order they went.
fn departures(mut queue: Qdisc<TestPacket>, arrivals: &[Arrival]) -> (Vec<u64>, Vec<usize>) {
    let (mut rng, mut sink) = (Rng::new(1), Collector::default());
    let (mut left, mut order) = (vec![0; arrivals.len()], Vec::new());
    let (mut now, mut next, mut when) = (0u64, 0, arrivals[0].2);
    loop {
        // Packets that arrive by the time the link is free are in the queue when it asks.
        while next < arrivals.len() && when <= now {
            let (flow, size, _) = arrivals[next];
            let mut cx = Cx { now: Instant::from_nanos(when * 1000), rng: &mut rng, sink: &mut sink };
            queue.enqueue(packet(next, flow, size), &mut cx);
            next += 1;
            when += arrivals.get(next).map_or(0, |a| a.2);
        }
        let mut cx = Cx { now: Instant::from_nanos(now * 1000), rng: &mut rng, sink: &mut sink };
        match queue.dequeue(&mut cx) {
            Some((packet, _)) => {
                now += packet.size.get();
                left[packet.id as usize] = now;
                order.push(packet.id as usize);
            }
            None if next < arrivals.len() => now = when,
            None => break,
        }
    }
    assert!(sink.dropped.is_empty());
    (left, order)
}

/// When each packet leaves a link that all backlogged flows share by weight at every instant, in microseconds.
fn fluid(arrivals: &[Arrival], weights: &[f64; FLOWS]) -> Vec<f64> {
    let mut queues: [VecDeque<(usize, f64)>; FLOWS] = Default::default();
    let mut done = vec![0.0; arrivals.len()];
    let (mut now, mut next, mut when) = (0.0, 0, arrivals[0].2 as f64);
    loop {
        let total: f64 = (0..FLOWS).filter(|f| !queues[*f].is_empty()).map(|f| weights[f]).sum();
        // The first of: a head is done, a packet arrives.
        let first = (0..FLOWS)
            .filter_map(|f| queues[f].front().map(|(_, bytes)| bytes * total / weights[f]))
            .fold(f64::INFINITY, f64::min);
        let arrival = if next < arrivals.len() { when - now } else { f64::INFINITY };
        let step = first.min(arrival);
        if step == f64::INFINITY {
            return done;
        }
        now += step;
        for flow in 0..FLOWS {
            if let Some((id, bytes)) = queues[flow].front_mut() {
                *bytes -= step * weights[flow] / total;
                if *bytes < 1e-6 {
                    done[*id] = now;
                    queues[flow].pop_front();
                }
            }
        }
        if arrival <= first {
            let (flow, size, _) = arrivals[next];
            queues[flow].push_back((next, size as f64));
            next += 1;
            when += arrivals.get(next).map_or(0.0, |a| a.2 as f64);
        }
    }
}

fn check_bound(left: &[u64], fluid: &[f64]) -> Result<(), TestCaseError> {
    for (id, (left, fluid)) in left.iter().zip(fluid).enumerate() {
        // Parekh, Gallager 1993: not later than the fluid by more than the largest packet.
        prop_assert!(*left as f64 <= fluid + 1500.0 + 1e-3, "packet {id}: {left} after {fluid}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_packet_leaves_later_than_the_fluid_system_by_more_than_the_largest(
        arrivals in arrivals(2000),
        weights in prop::array::uniform8(prop_oneof![Just(1.0), Just(3.0), 0.1f64..10.0]),
    ) {
        let (left, _) = departures(weighted("pgps", &weights), &arrivals);
        check_bound(&left, &fluid(&arrivals, &weights))?;
    }

    #[test]
    fn bit_by_bit_service_keeps_the_same_bound(arrivals in arrivals(2000)) {
        let (left, _) = departures(build("fq", &[("service", text("bit_by_bit"))]), &arrivals);
        check_bound(&left, &fluid(&arrivals, &[1.0; FLOWS]))?;
    }

    #[test]
    fn all_clocks_are_work_conserving(arrivals in arrivals(2000)) {
        let last = |clock: &str| *departures(weighted(clock, &[1.0; FLOWS]), &arrivals).0.iter().max().unwrap();
        let end = last("pgps");
        prop_assert_eq!([last("scfq"), last("stfq")], [end, end]);
    }

    #[test]
    fn backlogged_flows_differ_by_a_packet_of_each_at_most(
        sizes in prop::collection::vec((40u64..1500, 40u64..1500), 50..200),
        weights in (0.1f64..10.0, 0.1f64..10.0),
        clock in prop::sample::select(vec!["scfq", "stfq"]),
    ) {
        // Golestani 1994; Goyal et al. 1996: over any interval in which both are backlogged
        // the work over weight differs by no more than the largest packet of each over its weight.
        let weight = [weights.0, weights.1];
        let arrivals: Vec<Arrival> = sizes.iter().flat_map(|(a, b)| [(0, *a, 0), (1, *b, 0)]).collect();
        let all = [weight[0], weight[1], 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let (_, order) = departures(weighted(clock, &all), &arrivals);
        let (mut work, mut left) = ([0.0; 2], [sizes.len(); 2]);
        let (mut least, mut most) = (0.0f64, 0.0f64);
        for id in order {
            let (flow, size, _) = arrivals[id];
            left[flow] -= 1;
            if left[flow] == 0 {
                break;
            }
            work[flow] += size as f64 / weight[flow];
            let difference = work[0] - work[1];
            least = least.min(difference);
            most = most.max(difference);
        }
        prop_assert!(most - least <= 1499.0 / weight[0] + 1499.0 / weight[1] + 1e-6, "{least} {most}");
    }

    #[test]
    fn the_ns2_form_chooses_as_ns2_does(arrivals in arrivals(3000)) {
        let (_, order) = departures(build("fq", &[("service", text("ns2")), ("flow_limit", text("1 GB"))]), &arrivals);
        prop_assert_eq!(order, ns2(&arrivals));
    }
}

/// ns-2's `queue/fq.cc`, written plainly; flows have the order of their first packets.
fn ns2(arrivals: &[Arrival]) -> Vec<usize> {
    let seconds = |us: u64| Duration::from_micros(us).as_secs_f64();
    let mut queues: [VecDeque<usize>; FLOWS] = Default::default();
    let mut finish = [0.0f64; FLOWS];
    let (mut order, mut now, mut next, mut when) = (Vec::new(), 0u64, 0, arrivals[0].2);
    loop {
        while next < arrivals.len() && when <= now {
            let flow = arrivals[next].0;
            if queues[flow].is_empty() {
                finish[flow] = finish[flow].max(seconds(when));
            }
            queues[flow].push_back(next);
            next += 1;
            when += arrivals.get(next).map_or(0, |a| a.2);
        }
        let active = queues.iter().filter(|q| !q.is_empty()).count() as f64;
        let tag = |flow: usize| {
            let head = queues[flow].front()?;
            // A byte takes a microsecond.
            Some(finish[flow] + arrivals[*head].1 as f64 / 1e6 * active)
        };
        let best = (0..FLOWS).filter_map(|f| tag(f).map(|t| (t, f))).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((tag, flow)) = best else {
            if next == arrivals.len() {
                return order;
            }
            now = when;
            continue;
        };
        let id = queues[flow].pop_front().expect("chosen");
        finish[flow] = tag;
        if !queues[flow].is_empty() {
            finish[flow] = finish[flow].max(seconds(now));
        }
        order.push(id);
        now += Bytes(arrivals[id].1).get();
    }
}
