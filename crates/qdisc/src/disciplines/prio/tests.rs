use super::*;
use crate::testing::{Collector, TestPacket};
use tailrace_core::Rng;
use tailrace_core::params::Parameters as _;

const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

/// Offers packets of such codepoints at once and takes them at once; the order in which they leave.
fn order(config: &PrioConfig, codepoints: &[u8]) -> Vec<u64> {
    assert_eq!(config.validate(), Ok(()));
    let (mut queue, mut rng, mut sink) = (config.build(&LINK), Rng::new(1), Collector::default());
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    for (id, dscp) in (0..).zip(codepoints) {
        queue.enqueue(TestPacket { dscp: Dscp(*dscp), ..TestPacket::new(id, 0, 100) }, &mut cx);
    }
    std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(packet, _)| packet.id).collect()
}

fn set(config: &mut PrioConfig, name: &str, value: &str) {
    config.set(name, &Value::Text(value.into())).unwrap();
}

#[test]
fn priorities_are_those_of_linux() {
    // The old TOS byte's minimise delay (0x10, codepoint 4), maximise throughput (0x08, codepoint 2), both (6).
    assert_eq!([0, 2, 4, 6].map(|bits| priority(Dscp(bits))), [0, 2, 6, 4]);
    // EF, AF41, AF42, LE, and the class selectors.
    assert_eq!([46, 34, 36, 1].map(|bits| priority(Dscp(bits))), [4, 2, 6, 0]);
    assert!((0..8).all(|class| priority(Dscp(8 * class)) == 0));
}

#[test]
fn a_band_waits_for_all_before_it() {
    // Bands 1, 2, 0, 1 by the usual map.
    assert_eq!(order(&PrioConfig::default(), &[0, 2, 4, 6, 4, 2]), [2, 4, 0, 3, 1, 5]);
    let mut config = PrioConfig::default();
    set(&mut config, "priomap", "0 0 0 0 1 0 2 0 0 0 0 0 0 0 0 0");
    assert_eq!(order(&config, &[4, 6, 2, 0]), [2, 3, 1, 0]);
}

#[test]
fn a_band_that_a_shaper_holds_back_lets_the_next_send() {
    let mut config = PrioConfig::default();
    set(&mut config, "queue", "tbf rate 8kbit burst 100 limit 1000; pfifo; pfifo");
    let (mut queue, mut rng, mut sink) = (config.build(&LINK), Rng::new(1), Collector::default());
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
    for (id, dscp) in [(0, 4), (1, 4), (2, 0)] {
        queue.enqueue(TestPacket { dscp: Dscp(dscp), ..TestPacket::new(id, 0, 100) }, &mut cx);
    }
    let out: Vec<u64> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(p, _)| p.id).collect();
    assert_eq!((out, queue.backlog().packets), (vec![0, 2], 1));
    assert_eq!(queue.poll_timeout(), Some(Instant::from_millis(100)));
    assert_eq!(config.shaping(), Shaping::Unknown);
}

#[test]
fn maps_and_disciplines_fit_the_bands() {
    let mut config = PrioConfig { bands: 2, ..PrioConfig::default() };
    assert_eq!(config.validate().unwrap_err().0, "priomap");
    set(&mut config, "priomap", "1 1 1 1 1 1 0 0 1 1 1 1 1 1 1 1");
    assert_eq!(config.validate(), Ok(()));
    set(&mut config, "queue", "pfifo; pfifo; pfifo");
    assert!(config.validate().unwrap_err().1.contains("3 disciplines for 2 bands"));
    assert!(config.set("priomap", &Value::Text("1 2 3".into())).is_err());
    assert!(config.set("queue", &Value::Text("pfifo; cdoel".into())).is_err());
}

#[test]
fn a_line_goes_to_tc_and_back() {
    let shown = "qdisc prio 1: dev eth0 root refcnt 2 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1";
    let QdiscConfig::Prio(mut config) = QdiscConfig::parse_tc(shown).unwrap() else { panic!() };
    assert_eq!(config, PrioConfig::default());
    set(&mut config, "queue", "pfifo limit 20; fq_codel limit 500; pfifo limit 1000");
    let export = QdiscConfig::Prio(config).to_tc(&LINK).unwrap();
    assert_eq!(export.line, "prio bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1");
    assert_eq!(export.commands[1], "tc qdisc replace dev DEV parent 10:1 pfifo limit 20");
    assert_eq!(export.differs[0].param, "queue");
}
