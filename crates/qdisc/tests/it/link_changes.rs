//! Effects of its link on every registered discipline: a change reaches it, and overhead is no capacity.

use crate::configurations::{configuration, link};
use proptest::prelude::*;
use tailrace_core::params::Value;
use tailrace_core::{Bytes, Duration, Ecn, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

/// Mean packet size by default of the disciplines that have one.
const SIZE: Bytes = Bytes(1000);

/// Trace of a queue: departures with their times, drops and marks, and its variables after each packet.
#[derive(Clone, Debug, Default, PartialEq)]
struct Course {
    delivered: Vec<(u64, Instant)>,
    dropped: Vec<u64>,
    marked: Vec<u64>,
    states: Vec<u64>,
}

/// Arrivals: at `load` of the service rate for 3 s, then not at all for half a second, twice.
#[derive(Clone, Copy, Debug)]
struct Load {
    size: Bytes,
    service: Duration,
    load: f64,
    seed: u64,
}

impl Load {
    fn run(self, queue: &mut Qdisc<TestPacket>, mut rng: Rng) -> Course {
        let (mut traffic, mut sink) = (Rng::new(self.seed), Collector::default());
        let mut course = Course::default();
        let mut state = vec![0.0; queue.state_names().len()];
        let (mut arrival, mut free) = (Instant::ZERO, Instant::ZERO);
        let mut id = 0;
        while arrival < Instant::from_secs(7) {
            serve(queue, &mut rng, &mut sink, &mut course, &mut free, (arrival, self.service));
            let now = arrival;
            // A flow sends as much as all others, and another hardly anything.
            let flow = [0, 0, 0, 0, 1, 2, 3, 4 + traffic.below(20) as u32][traffic.below(8) as usize];
            let ecn = if flow == 1 { Ecn::Ect0 } else { Ecn::NotEct };
            let packet = TestPacket::new(id, flow, self.size.get()).with_ecn(ecn);
            queue.enqueue(packet, &mut Cx { now, rng: &mut rng, sink: &mut sink });
            queue.state(&mut state);
            course.states.extend(state.iter().map(|x| x.to_bits()));
            id += 1;
            let gap = traffic.exponential_duration(self.service.mul_f64(1.0 / self.load));
            let rests = arrival < Instant::from_secs(3) && arrival + gap >= Instant::from_secs(3);
            arrival += if rests { gap + Duration::from_millis(500) } else { gap };
        }
        course.dropped = sink.dropped.iter().map(|(p, ..)| p.id).collect();
        course.marked = sink.marked.iter().map(|(p, ..)| p.id).collect();
        course
    }
}

/// A transmitter that takes `service` for each packet, and the queue's timeouts, until `end`.
fn serve(
    queue: &mut Qdisc<TestPacket>,
    rng: &mut Rng,
    sink: &mut Collector<TestPacket>,
    course: &mut Course,
    free: &mut Instant,
    (end, service): (Instant, Duration),
) {
    let mut blocked = false;
    loop {
        let due = queue.poll_timeout().unwrap_or(Instant::MAX);
        let serves = !blocked && queue.backlog().packets > 0;
        let now = if serves { (*free).min(due) } else { due };
        if now > end {
            break;
        }
        let mut cx = Cx { now, rng, sink };
        if due <= now {
            queue.handle_timeout(&mut cx);
            blocked = false;
            *free = (*free).max(now);
            continue;
        }
        match queue.dequeue(&mut cx) {
            Some((packet, _)) => {
                course.delivered.push((packet.id, now));
                *free = now + service;
            }
            None => blocked = true,
        }
    }
    if *free < end {
        // The transmitter found nothing, and takes the next packet as it comes.
        if queue.backlog().packets == 0 {
            queue.dequeue(&mut Cx { now: *free, rng, sink });
        }
        *free = end;
    }
}

fn of(name: &str) -> QdiscConfig {
    QdiscConfig::default_of(name).expect("registered")
}

/// Built for `first` and told of `then` before anything arrives.
fn told(config: &QdiscConfig, first: &LinkView, then: &LinkView, load: Load) -> Course {
    let mut queue: Qdisc<TestPacket> = config.build(first);
    let (mut rng, mut sink) = (Rng::new(load.seed), Collector::default());
    queue.link_changed(then, &mut Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink });
    assert!(sink.dropped.is_empty() && sink.marked.is_empty());
    load.run(&mut queue, rng)
}

fn built(config: &QdiscConfig, link: &LinkView, load: Load) -> Course {
    load.run(&mut config.build(link), Rng::new(load.seed))
}

const SLOW: LinkView = LinkView::new(Rate::from_bps(1_500_000), Duration::from_millis(1));
const FAST: LinkView = LinkView::new(Rate::from_mbit(12), Duration::from_millis(80)).with_overhead(Bytes(38));

/// Both directions, at the pace of the link that is told of.
fn changes() -> [(LinkView, LinkView, Load); 2] {
    [(SLOW, FAST), (FAST, SLOW)].map(|(first, then)| {
        let service = then.rate.time_to_send(then.wire_size(SIZE));
        (first, then, Load { size: SIZE, service, load: 1.4, seed: 7 })
    })
}

/// These do not behave alike on both links, so that a change they miss shows.
const READ_THEIR_LINK: [&str; 22] = [
    "red",
    "ared",
    "self_configuring_red",
    "nlred",
    "choke",
    "xchoke",
    "rechoke",
    "punsi",
    "rred",
    "stored",
    "fred",
    "red_pd",
    "cpr",
    "wfq",
    "dualpi2",
    "rem",
    "avq",
    "netfence",
    "csfq",
    "dfs",
    "fq",
    "drr",
];

/// Configurations of a discipline that read the link, where the default does not.
fn variants(name: &str) -> Vec<QdiscConfig> {
    let with = |param: &str, word: &str| {
        let mut config = of(name);
        config.set(param, &Value::Text(word.into())).expect("a word of its");
        assert_eq!(config.validate(), Ok(()), "{name} {param} = {word}");
        config
    };
    match name {
        "red" => vec![of(name), with("levels", "CS0 prob 0.1; other max 30p")],
        "dualpi2" => vec![of(name), with("overload", "overflow")],
        "fq" => vec![of(name), with("service", "bit_by_bit"), with("service", "ns2")],
        // A class of each discipline.
        "drr" => {
            let leaves = QdiscConfig::names().iter().filter(|leaf| **leaf != "drr");
            leaves.map(|leaf| with("classes", &format!("sport 1: codel; other: {leaf}"))).collect()
        }
        _ => vec![of(name)],
    }
}

#[test]
fn a_link_that_changes_is_the_link_it_has_become() {
    for name in QdiscConfig::names() {
        for config in variants(name) {
            for (first, then, load) in changes() {
                assert!(told(&config, &first, &then, load) == built(&config, &then, load), "{config:?}");
            }
        }
    }
}

#[test]
fn a_change_that_was_missed_would_show() {
    let reads = |config: &QdiscConfig| {
        changes()
            .into_iter()
            .any(|(first, then, load)| built(config, &first, load) != built(config, &then, load))
    };
    for name in READ_THEIR_LINK {
        assert!(variants(name).iter().any(reads), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Parameters that the configuration states stay, whatever they are; the rest is as on the new link.
    #[test]
    fn with_any_parameters_a_change_of_an_empty_queue_is_as_if_it_had_always_been(
        first in link(),
        then in link(),
        seed in any::<u64>(),
        configs in QdiscConfig::names().iter().map(|n| configuration(n)).collect::<Vec<_>>(),
    ) {
        let load = Load { size: SIZE, service: Duration::from_millis(20), load: 1.5, seed };
        for config in &configs {
            prop_assert!(told(config, &first, &then, load) == built(config, &then, load), "{config:?}");
        }
    }
}

/// Deliveries, drops and marks; variables may be in bytes on the wire.
fn fates(course: &Course) -> (&[(u64, Instant)], &[u64], &[u64]) {
    (&course.delivered, &course.dropped, &course.marked)
}

/// The size of packets for which a discipline knows what its link sends: these turn time into bytes with full packets.
fn usual_size(config: &QdiscConfig) -> Bytes {
    let text = format!("{config:?}");
    let full = ["Netfence(", "Dualpi2("].iter().any(|name| text.contains(name));
    if full { LinkView::FULL_PACKET } else { SIZE }
}

/// A link that takes 800 microseconds for each packet of `size`.
fn even(size: Bytes, overhead: u64) -> LinkView {
    let rate = Rate::from_bps((size.get() + overhead) * 10_000);
    LinkView::new(rate, Duration::from_millis(10)).with_overhead(Bytes(overhead))
}

#[test]
fn where_packets_take_equal_time_overhead_does_not_matter() {
    for name in QdiscConfig::names() {
        let mut overlooked = false;
        for config in variants(name) {
            let size = usual_size(&config);
            let load = Load { size, service: Duration::from_micros(800), load: 1.4, seed: 3 };
            let bare = built(&config, &even(size, 0), load);
            // With as much again as the packet binary fractions stay what they are; 38 bytes are those of Ethernet.
            for overhead in [size.get(), 38] {
                let with = built(&config, &even(size, overhead), load);
                assert!(fates(&with) == fates(&bare), "{overhead} B: {config:?}");
            }
            // A discipline that believed in the whole rate would behave as on a faster link.
            let believer = built(&config, &even(size, size.get()).with_overhead(Bytes::ZERO), load);
            overlooked |= believer != bare;
        }
        assert!(
            overlooked || !READ_THEIR_LINK.contains(name),
            "{name} did not get to what it reads of its link"
        );
    }
}
