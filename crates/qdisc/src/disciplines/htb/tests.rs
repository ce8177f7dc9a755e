use super::*;
use crate::testing::{Collector, TestPacket};
use tailrace_core::Rng;
use tailrace_core::params::Parameters as _;

const LINK: LinkView = LinkView::new(Rate::from_mbit(1000), Duration::ZERO);

fn line(text: &str) -> HtbConfig {
    let QdiscConfig::Htb(config) = QdiscConfig::parse_tc(text).unwrap() else { panic!("{text}") };
    config
}

/// Departures, in microseconds, of packets of 1000 B that all come at 0, over a link that takes no time.
fn departures(config: &HtbConfig, packets: u64) -> Vec<u64> {
    assert_eq!(config.validate(), Ok(()));
    let (mut queue, mut rng, mut sink) = (config.build(&LINK), Rng::new(1), Collector::default());
    let mut now = Instant::ZERO;
    let mut cx = Cx { now, rng: &mut rng, sink: &mut sink };
    for id in 0..packets {
        queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
    }
    let mut out = Vec::new();
    while queue.backlog().packets > 0 {
        let mut cx = Cx { now, rng: &mut rng, sink: &mut sink };
        match queue.dequeue(&mut cx) {
            Some(_) => out.push(now.as_nanos() / 1000),
            None => now = queue.poll_timeout().expect("held packets have a time"),
        }
    }
    out
}

#[test]
fn a_packet_leaves_while_there_is_a_token_and_its_debt_is_waited_for() {
    // 10 Mbit/s: 1000 B take 800 us. 1600 B are 1280 us: 1280, 480, -320; the debt is paid after 320 us, then each 800.
    assert_eq!(departures(&line("htb rate 10mbit burst 1600 cburst 1600"), 5), [0, 0, 320, 1120, 1920]);
}

#[test]
fn the_ceiling_bounds_a_burst() {
    // 20 Mbit/s: 400 us a packet; 1000 B of cburst are 400 us: two at 0, then 400 us apart. The rate's bucket of 3000 B (2400 us)
    // loses 800 us with each and gains 400 in between: 800 after the second, then 400, 0, -400 after the fifth. The sixth waits
    // for 400 us, the seventh for 800.
    let config = line("htb rate 10mbit ceil 20mbit burst 3000 cburst 1000");
    assert_eq!(departures(&config, 7), [0, 0, 400, 800, 1200, 1600, 2400]);
}

#[test]
fn a_pause_pays_the_debt_before_it_fills_the_buckets() {
    // 1280 us: two packets leave at 0, the third at 320 us, with a debt of 800 us then. At 2320 us the buckets hold 1200 us, so
    // two leave and owe 400 us; the sixth has left by 3040 us.
    let config = line("htb rate 10mbit burst 1600 cburst 1600");
    let (mut queue, mut rng, mut sink) = (config.build(&LINK), Rng::new(1), Collector::default());
    let mut left = Vec::new();
    for (at, packets) in [(0, 3), (320_000, 0), (2_320_000, 3), (3_040_000, 0)] {
        let mut cx = Cx { now: Instant::from_nanos(at), rng: &mut rng, sink: &mut sink };
        for id in 0..packets {
            queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
        }
        left.push(std::iter::from_fn(|| queue.dequeue(&mut cx)).count());
    }
    assert_eq!(left, [2, 1, 2, 1]);
}

#[test]
fn bursts_that_are_not_stated_are_those_of_tc() {
    let explicit = line("htb rate 100mbit").explicit(&LINK);
    assert_eq!((explicit.burst, explicit.cburst), (Some(Bytes(1600)), Some(Bytes(1600))));
    assert_eq!((explicit.ceil, explicit.quantum), (Some(Rate::from_mbit(100)), Some(Bytes(200_000))));
    // 10 Gbit/s are 1.25 bytes a nanosecond.
    assert_eq!(line("htb rate 10gbit").burst(), Bytes(1601));
}

#[test]
fn a_line_goes_to_tc_and_back() {
    let mut config = line("htb rate 10mbit ceil 20mbit burst 15k cburst 3k prio 0");
    let export = |config: &HtbConfig| QdiscConfig::Htb(config.clone()).to_tc(&LINK).unwrap();
    assert_eq!(export(&config).line, "htb rate 10mbit ceil 20mbit burst 15kb cburst 3kb quantum 125000");
    config.set("queue", &tailrace_core::params::Value::Text("fq_codel limit 500".into())).unwrap();
    let commands = export(&config).commands;
    assert_eq!(commands[0], "tc qdisc replace dev DEV PARENT handle 10: htb default 1");
    assert!(
        commands[2].starts_with("tc qdisc replace dev DEV parent 10:1 fq_codel limit 500"),
        "{commands:?}"
    );
    assert_eq!(config.shaping(), Shaping::At(Rate::from_mbit(10)));
    config.ceil = Some(Rate::from_mbit(5));
    assert_eq!(config.validate().unwrap_err().0, "ceil");
}
