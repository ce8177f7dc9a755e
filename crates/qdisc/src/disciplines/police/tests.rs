use super::*;
use crate::testing::{Collector, TestPacket};
use tailrace_core::Duration;
use tailrace_core::params::Parameters as _;
use tailrace_core::{Ecn, Rng};

const LINK: LinkView = LinkView::new(Rate::from_mbit(1000), Duration::ZERO);

/// Passage of packets (time in microseconds, size), whose link takes no time.
fn passed(config: &PoliceConfig, packets: &[(u64, u64)]) -> (Vec<u64>, Collector<TestPacket>) {
    assert_eq!(config.validate(), Ok(()));
    let (mut queue, mut rng, mut sink) = (config.build(&LINK), Rng::new(1), Collector::default());
    let mut out = Vec::new();
    for (id, (at, size)) in (0..).zip(packets) {
        let mut cx = Cx { now: Instant::from_nanos(*at * 1000), rng: &mut rng, sink: &mut sink };
        queue.enqueue(TestPacket::new(id, 0, *size).with_ecn(Ecn::from_bits(id as u8)), &mut cx);
        out.extend(queue.dequeue(&mut cx).map(|(packet, _)| packet.id));
    }
    (out, sink)
}

fn line(text: &str) -> PoliceConfig {
    let QdiscConfig::Police(config) = QdiscConfig::parse_tc(text).unwrap() else { panic!("{text}") };
    config
}

#[test]
fn a_burst_passes_and_what_exceeds_takes_nothing() {
    // 10 Mbit/s: 1000 B take 800 us. A bucket of 2500 B (2000 us) passes two of three and holds 400 us then.
    let config = line("police rate 10mbit burst 2500 drop");
    let (out, sink) = passed(
        &config,
        &[
            (0, 1000),
            (0, 1000),
            (0, 1000),   // 400 us, of 800: dropped
            (300, 1000), // 700 us: dropped, and takes nothing
            (300, 500),  // 400 us of 700: passes, 300 us are left
            (700, 1000), // 300 + 400 = 700 us: dropped
            (800, 1000), // 800 us: passes
            (800, 40),   // nothing is left
        ],
    );
    assert_eq!(out, [0, 1, 4, 6]);
    assert!(sink.dropped.iter().all(|(_, reason, _)| *reason == DropReason::Policed));
    assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [2, 3, 5, 7]);
}

#[test]
fn a_pause_fills_the_bucket_and_no_more() {
    let config = line("police rate 10mbit burst 2000 drop");
    let (out, _) =
        passed(&config, &[(0, 1000), (0, 1000), (10_000_000, 1000), (10_000_000, 1000), (10_000_000, 1000)]);
    assert_eq!(out, [0, 1, 2, 3]);
}

#[test]
fn packets_above_the_mtu_exceed_always_and_overhead_counts() {
    let (out, _) = passed(&line("police rate 10mbit burst 64kb drop"), &[(0, 2041), (0, 2040)]);
    assert_eq!(out, [1]);
    // 14 bytes more on each: 986 B pass a bucket of 1000 B, 987 do not.
    let config = line("police rate 10mbit burst 1000 overhead 14 drop");
    assert_eq!(passed(&config, &[(0, 987), (0, 986)]).0, [1]);
}

#[test]
fn the_peak_rate_has_a_bucket_of_its_own() {
    // 20 Mbit/s: 1000 B take 400 us of the bucket of 1000 B; the burst of 3000 B would pass all three at once.
    let config = line("police rate 10mbit burst 3000 peakrate 20mbit mtu 1000 drop");
    let (out, _) = passed(&config, &[(0, 1000), (399, 1000), (400, 1000), (800, 1000), (1000, 1000)]);
    assert_eq!(out, [0, 2, 3]);
}

#[test]
fn marks_go_to_packets_that_can_bear_them() {
    let config = line("police rate 10mbit burst 1000 mark");
    // Codepoints by id: Not-ECT, ECT(1), ECT(0), CE.
    let (out, sink) = passed(&config, &[(0, 1000), (0, 1000), (0, 1000), (0, 1000), (0, 1000)]);
    assert_eq!(out, [0, 1, 2, 3]);
    assert_eq!(sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(
        sink.dropped.iter().map(|(p, reason, _)| (p.id, *reason)).collect::<Vec<_>>(),
        [(4, DropReason::Policed)]
    );
}

#[test]
fn what_passes_waits_for_the_link_in_the_discipline_that_is_named() {
    let mut config = line("police rate 10mbit burst 64kb drop");
    config.set("queue", &tailrace_core::params::Value::Text("pfifo limit 3".into())).unwrap();
    let (mut queue, mut rng, mut sink) = (config.build(&LINK), Rng::new(1), Collector::default());
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    for id in 0..5 {
        queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
    }
    assert_eq!((queue.backlog().packets, sink.dropped[0].1), (3, DropReason::Overlimit));
    assert_eq!(config.shaping(), Shaping::At(Rate::from_mbit(10)));
    let commands = QdiscConfig::Police(config).to_tc(&LINK).unwrap().commands;
    assert_eq!(
        commands[2],
        "tc filter replace dev DEV ingress protocol all prio 1 matchall action police rate 10mbit burst 64kb conform-exceed drop/ok"
    );
    assert_eq!(commands[4], "tc qdisc replace dev OUT root pfifo limit 3");
    // The command reads back as the policer.
    assert_eq!(line(&commands[2]), line("police rate 10mbit burst 64kb drop"));
}

#[test]
fn lines_say_what_becomes_of_what_exceeds() {
    let refused = |line: &str| QdiscConfig::parse_tc(line).unwrap_err().message;
    assert!(refused("police burst 64kb drop").contains("needs rate"));
    assert!(refused("police rate 1mbit drop").contains("needs burst"));
    assert!(
        refused("police rate 1mbit burst 64kb conform-exceed continue").contains("lets exceeding packets go")
    );
    assert!(refused("police rate 2mbit burst 64kb peakrate 1mbit mtu 1500 drop").contains("at least `rate`"));
    let (_, notes) = QdiscConfig::read_tc("police rate 1mbit burst 64kb").unwrap();
    assert!(notes[0].message.contains("reclassifies"));
    // The form that `tc filter show` prints, and the form of an action that marks.
    let shown = line("police 0x1 rate 10Mbit burst 64Kb mtu 2040b action drop overhead 0b ref 1 bind 1");
    assert_eq!(shown, line("police rate 10mbit burst 64kb drop"));
    assert_eq!(
        line("police rate 10mbit burst 64kb conform-exceed pipe/ok action skbmod ecn").exceed,
        Exceed::Mark
    );
}
