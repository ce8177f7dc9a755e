//! CHOKe against its model, its counts and a plain transcription.

use super::trial::{LINK, flood_among_many, matching_only};
use super::*;
use crate::testing::{Collector, Counter, TestPacket};
use std::collections::VecDeque;
use tailrace_core::{Ecn, FlowKey, Rng};

fn packets(n: u64) -> Option<Limit> {
    Some(Limit::Packets(n))
}

fn matching_only(limit: u64) -> ChokeConfig {
    matching_only!(ChokeConfig, limit)
}

/// Share of trials in which an arrival of flow 0 meets its only packet among `waiting`.
fn match_share(config: &ChokeConfig, waiting: u64, trials: u64) -> f64 {
    let mut rng = Rng::new(7);
    let mut met = 0;
    for _ in 0..trials {
        let mut sink = Counter::default();
        let mut queue = config.build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for flow in 0..waiting as u32 {
            queue.enqueue(TestPacket::new(0, flow, 1000), &mut cx);
        }
        queue.enqueue(TestPacket::new(1, 0, 1000), &mut cx);
        met += queue.matches;
    }
    met as f64 / trials as f64
}

#[test]
fn an_arrival_dies_with_the_packet_of_its_flow_that_it_met() {
    let (mut rng, mut sink) = (Rng::new(1), Collector::default());
    let mut queue = ChokeConfig { ecn: true, ..matching_only(10) }.build(&LINK);
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    // The average is 0, then 1: at or below min_th nobody is compared.
    for id in 0..2 {
        queue.enqueue(TestPacket::new(id, 5, 1000).with_ecn(Ecn::Ect0), &mut cx);
    }
    assert_eq!(queue.backlog().packets, 2);
    queue.enqueue(TestPacket::new(2, 5, 1000).with_ecn(Ecn::Ect0), &mut cx);
    assert_eq!(queue.backlog(), Backlog { packets: 1, bytes: Bytes(1000) });
    let reasons: Vec<_> = sink.dropped.iter().map(|(p, reason, _)| (p.id, *reason)).collect();
    assert!(reasons[0].0 < 2 && reasons[1].0 == 2, "{reasons:?}");
    assert!(reasons.iter().all(|(_, reason)| *reason == DropReason::Aqm) && sink.marked.is_empty());
}

#[test]
fn candidates_are_drawn_with_or_without_replacement() {
    let draws = |candidates, draw| ChokeConfig { candidates, draw, ..matching_only(100) };
    let near = |x: f64, expected: f64| assert!((x - expected).abs() < 0.02, "{x} {expected}");
    near(match_share(&draws(1, Draw::Random), 10, 8000), 0.1);
    near(match_share(&draws(5, Draw::Random), 10, 8000), 0.5);
    assert_eq!(match_share(&draws(64, Draw::Random), 10, 100), 1.0);
    // 1 - 0.9^5.
    near(match_share(&draws(5, Draw::Repeated), 10, 8000), 0.409_51);
    assert_eq!(match_share(&draws(1, Draw::Front), 10, 100), 1.0);
    assert_eq!(match_share(&draws(9, Draw::Back), 10, 100), 0.0);
    assert_eq!(match_share(&draws(10, Draw::Back), 10, 100), 1.0);
}

#[test]
fn flows_are_what_the_configuration_says() {
    // Same addresses, other port.
    let twin = |id, port| {
        let packet = TestPacket::new(id, 5, 1000);
        TestPacket { flow: FlowKey { src_port: port, ..packet.flow }, ..packet }
    };
    for (flow, matches) in [(FlowBy::FiveTuple, 0), (FlowBy::SrcDst, 1)] {
        let (mut rng, mut sink) = (Rng::new(1), Counter::default());
        let mut queue = ChokeConfig { flow, ..matching_only(10) }.build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for port in 0..3 {
            queue.enqueue(twin(u64::from(port), port), &mut cx);
        }
        assert_eq!((queue.matches, sink.dropped), (matches, 2 * matches));
    }
}

#[test]
fn all_matching_candidates_die() {
    let (mut rng, mut sink) = (Rng::new(1), Collector::default());
    let mut queue = ChokeConfig { candidates: 6, draw: Draw::Back, ..matching_only(10) }.build(&LINK);
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    // The newcomers 0..6 are of six flows, so nobody meets himself; then flow 3 arrives.
    for flow in [0, 1, 2, 3, 4, 5] {
        queue.enqueue(TestPacket::new(u64::from(flow), flow, 1000), &mut cx);
    }
    queue.queue.fifo_mut()[4].0 = TestPacket::new(4, 3, 1000);
    queue.enqueue(TestPacket::new(6, 3, 1000), &mut cx);
    assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [4, 3, 6]);
    assert_eq!(queue.queue.fifo_mut().iter().map(|(p, _)| p.id).collect::<Vec<_>>(), [0, 1, 2, 5]);
}

#[test]
fn the_self_adjusting_form_takes_two_more_in_each_region() {
    let config = ChokeConfig {
        min_th: packets(100),
        max_th: packets(200),
        adjust: true,
        limit: Limit::Packets(400),
        ..matching_only(400)
    };
    // Eight regions of 12.5 packets.
    for (average, expected) in [(101, 2), (112, 2), (113, 4), (151, 10), (199, 16), (300, 16)] {
        let mut queue = config.build::<TestPacket>(&LINK);
        let backlog = Backlog { packets: average, bytes: Bytes(1000 * average) };
        queue.queue.observe_backlog(backlog, Instant::ZERO);
        queue.queue.observe_backlog(backlog, Instant::ZERO);
        assert_eq!(queue.candidates(), expected, "{average}");
    }
}

/// The fluid model of Tang, Wang and Low (2004): a UDP flow that sends `a` times the capacity through RED gets a
/// share `mu = ln u / (u + ln u)` of the link, holding `h = (u - 1) / (2 u - 1)` of the queue, `a = mu / (1 - 2 h)`;
/// at most `1/(e + 1)`.
#[test]
fn one_unresponsive_flow_among_many_gets_what_the_fluid_model_says() {
    for (a, mu) in [(0.25, 0.1608), (1.0, 0.2669), (1.193, 0.2689), (3.0, 0.2103), (10.0, 0.0287)] {
        let mut queue = matching_only(600).build(&LINK);
        let share = flood_among_many(&mut queue, a, 300, &mut Counter::default());
        assert!((share - mu).abs() < 0.05 * mu + 0.004, "a = {a}: {share}, model {mu}");
    }
}

/// The list of the paper, with RED's analysis form: what happens to each arrival of a random sequence.
#[test]
fn each_arrival_fares_as_in_the_papers_pseudo_code() {
    let (min, max, max_p, w) = (3.0, 12.0, 0.1, 0.25);
    let config = ChokeConfig {
        limit: Limit::Packets(20),
        min_th: packets(3),
        max_th: packets(12),
        max_p: Probability::clamped(max_p),
        weight: Some(Probability::clamped(w)),
        guard: 0,
        ..ChokeConfig::default()
    };
    let mut queue = config.build::<TestPacket>(&LINK);
    let (mut rng, mut twin, mut load) = (Rng::new(5), Rng::new(5), Rng::new(6));
    let mut sink = Collector::default();
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    let mut plain: VecDeque<(u64, u32)> = VecDeque::new();
    let (mut avg, mut count, mut dropped) = (0.0, 0.0, Vec::new());
    for id in 0..20_000 {
        let flow = load.below(4) as u32;
        queue.enqueue(TestPacket::new(id, flow, 1000), &mut cx);
        // The transmitter is never idle after the first arrival: an empty queue, too, is a sample.
        if id > 0 {
            avg += w * (plain.len() as f64 - avg);
        }
        let drawn = (avg > min && !plain.is_empty()).then(|| twin.below(plain.len() as u64) as usize);
        if avg < min {
            count = 0.0;
        }
        if let Some(place) = drawn.filter(|place| plain[*place].1 == flow) {
            dropped.extend([plain[place].0, id]);
            plain.remove(place);
        } else if avg < min {
            plain.push_back((id, flow));
        } else if avg >= max {
            dropped.push(id);
            count = 0.0;
        } else {
            let pb: f64 = max_p * ((avg - min) / (max - min));
            let passed = count * pb;
            let pa = if passed < 1.0 { pb / (1.0 - passed) } else { 1.0 };
            count += 1.0;
            if twin.uniform() < pa {
                dropped.push(id);
                count = 0.0;
            } else {
                plain.push_back((id, flow));
            }
        }
        if load.bernoulli(0.45) && plain.len() > 1 {
            assert_eq!(queue.dequeue(&mut cx).map(|(p, _)| p.id), plain.pop_front().map(|(id, _)| id));
        }
        assert_eq!(queue.backlog().packets, plain.len() as u64);
    }
    assert!(dropped.len() > 5000 && queue.matches > 1000, "{} {}", dropped.len(), queue.matches);
    assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), dropped);
}

#[test]
fn red_marks_what_it_can_and_drops_beyond_the_band() {
    let config = ChokeConfig {
        min_th: packets(2),
        max_th: packets(10),
        max_p: Probability::ONE,
        ecn: true,
        ..matching_only(100)
    };
    let (mut rng, mut sink) = (Rng::new(1), Collector::default());
    let mut queue = config.build(&LINK);
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    for flow in 0..30 {
        queue.enqueue(TestPacket::new(u64::from(flow), flow, 1000).with_ecn(Ecn::Ect0), &mut cx);
    }
    // Above max_th, 10, nothing is admitted: the tenth packet is the last.
    assert_eq!(queue.backlog().packets, 10);
    assert!(!sink.marked.is_empty());
    assert_eq!(sink.dropped.len(), 20);
}

#[test]
fn a_tc_line_counts_packets() {
    let parse = |text: &str| ChokeConfig::from_tc("choke", &mut TcWords::new(text));
    let c =
        parse("limit 1000 min 32 max 96 burst 57 avpkt 1000 probability 0.05 bandwidth 100mbit ecn").unwrap();
    assert_eq!((c.limit, c.min_th, c.max_th), (Limit::Packets(1000), packets(32), packets(96)));
    // The table of Linux's red.h: with min 32, W = 2^-5 allows a burst of 57.
    assert_eq!(c.weight, Some(Probability::clamped(1.0 / 32.0)));
    assert!(c.ecn && !c.gentle && !c.harddrop);
    let c = parse("limit 1200").unwrap();
    assert_eq!((c.min_th, c.max_th), (packets(100), packets(300)));
    assert_eq!(c.validate(), Ok(()));
    assert!(parse("min 5").unwrap_err().message.contains("limit"));
    assert!(parse("limit 1000 mni 5").unwrap_err().message.contains("\"min\""));
}
