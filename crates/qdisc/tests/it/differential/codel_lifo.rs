//! CoDel-LIFO, written as a law that sees one packet at a time, against loops around a stack: the paper's equations
//! (7) to (12) under CoDel's rules, and what the authors' ns-3 code does.

use proptest::prelude::*;
use tailrace_core::params::Value;
use tailrace_core::{Duration, Ecn, Instant, Packet, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

/// The state of both; zero stands for "none" in `first_above`, as in the authors' code.
#[derive(Default)]
struct Plain {
    authors: bool,
    ecn: bool,
    stack: Vec<(TestPacket, u64)>,
    target: u64,
    interval: u64,
    min_bytes: u64,
    samples: u64,
    sum: u64,
    mean: u64,
    longest: u64,
    previous: Option<u64>,
    run: u64,
    first_above: u64,
    drop_next: u64,
    count: u32,
    last_count: u32,
    rec_inv_sqrt: u16,
    dropping: bool,
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

impl Plain {
    fn bytes(&self) -> u64 {
        self.stack.iter().map(|(p, _)| p.size.get()).sum()
    }

    fn sample(&mut self, sojourn: u64) {
        self.run = if self.previous.is_some_and(|p| sojourn > p) { self.run + 1 } else { 0 };
        self.previous = Some(sojourn);
        self.longest = self.longest.max(sojourn);
        self.samples += 1;
        self.sum += sojourn;
        self.mean = (self.mean * (self.samples - 1) + sojourn) / self.samples;
    }

    fn restart(&mut self, previous: Option<u64>) {
        (self.samples, self.sum, self.longest, self.run, self.previous) = (0, 0, 0, 0, previous);
    }

    /// Whether the packet is dropped; else it was marked.
    fn drop_or_mark(&mut self, packet: &mut TestPacket) -> bool {
        if !self.ecn || packet.ecn() == Ecn::NotEct {
            self.dropped.push(packet.id);
            return true;
        }
        if packet.ecn() != Ecn::Ce {
            packet.set_ce();
            self.marked.push(packet.id);
        }
        false
    }

    fn paper(&mut self, now: u64) -> Option<TestPacket> {
        let law = |t, interval: u64, count| t + (interval as f64 / f64::from(count).sqrt() + 0.5) as u64;
        while let Some((mut packet, arrival)) = self.stack.pop() {
            let sojourn = now - arrival;
            if sojourn < self.target || self.bytes() <= self.min_bytes {
                self.restart(Some(sojourn));
                (self.first_above, self.dropping) = (0, false);
                return Some(packet);
            }
            self.sample(sojourn);
            let due = self.first_above != 0 && now >= self.first_above;
            let doomed = due && (!self.dropping || now >= self.drop_next);
            if self.first_above == 0 {
                self.first_above = now + self.interval;
            }
            let theta = self.longest as f64 * self.samples as f64 / self.sum as f64;
            if !doomed || self.run as f64 <= theta {
                return Some(packet);
            }
            if self.dropping {
                self.count += 1;
                self.drop_next = law(self.drop_next, self.interval, self.count);
            } else {
                let delta = self.count - self.last_count;
                let recent = now.saturating_sub(self.drop_next) < 16 * self.interval;
                self.count = if delta > 1 && recent { delta } else { 1 };
                self.last_count = self.count;
                self.drop_next = law(now, self.interval, self.count);
                self.dropping = true;
            }
            if !self.drop_or_mark(&mut packet) {
                return Some(packet);
            }
        }
        self.restart(None);
        (self.first_above, self.dropping) = (0, false);
        None
    }

    fn newton_step(&mut self) {
        let inv = u64::from(self.rec_inv_sqrt) << 16;
        let inv2 = (inv * inv) >> 32;
        let val = ((3u64 << 32) - u64::from(self.count) * inv2) >> 2;
        self.rec_inv_sqrt = (((val * inv) >> 31) >> 16) as u16;
    }

    fn control_law(&self, t: u64) -> u64 {
        t + ((self.interval * (u64::from(self.rec_inv_sqrt) << 16)) >> 32)
    }

    fn in_a_run(&self) -> bool {
        self.run > (self.longest + 1) / (self.mean + 1)
    }

    fn should_drop(&mut self, arrival: u64, now: u64) -> bool {
        self.sample(now - arrival);
        if now - arrival < self.target || self.bytes() < self.min_bytes {
            self.first_above = 0;
            return false;
        }
        if self.first_above == 0 {
            self.first_above = now + self.interval;
            return false;
        }
        self.in_a_run()
    }

    /// `Err` where the authors' code sends nothing although packets wait.
    fn authors_once(&mut self, now: u64) -> Result<Option<TestPacket>, ()> {
        let Some((mut packet, arrival)) = self.stack.pop() else {
            (self.dropping, self.first_above) = (false, 0);
            return Ok(None);
        };
        let drop = self.should_drop(arrival, now);
        let difference = |earlier: u64| now as i64 - earlier as i64;
        if self.dropping {
            if !drop {
                self.dropping = false;
            } else if now >= self.drop_next {
                while self.dropping && (now >= self.drop_next || self.in_a_run()) {
                    self.dropped.push(packet.id);
                    self.count += 1;
                    self.newton_step();
                    let Some((next, arrival)) = self.stack.pop() else {
                        (self.dropping, self.first_above) = (false, 0);
                        return Ok(None);
                    };
                    packet = next;
                    if self.should_drop(arrival, now) {
                        self.drop_next = self.control_law(self.drop_next);
                    } else {
                        self.dropping = false;
                    }
                }
            }
        } else if drop
            && (difference(self.drop_next) < self.interval as i64
                || difference(self.first_above) >= self.interval as i64)
        {
            self.should_drop(arrival, now);
            self.dropping = true;
            let delta = i64::from(self.count) - i64::from(self.last_count);
            if delta > 1 && difference(self.drop_next) > self.interval as i64 {
                self.count = delta as u32;
                self.newton_step();
            } else {
                (self.count, self.rec_inv_sqrt) = (1, u16::MAX);
            }
            self.last_count = self.count;
            self.drop_next = self.control_law(now);
            self.dropped.push(packet.id);
            return Err(());
        }
        Ok(Some(packet))
    }

    fn dequeue(&mut self, now: u64) -> Option<TestPacket> {
        if !self.authors {
            return self.paper(now);
        }
        loop {
            if let Ok(sent) = self.authors_once(now) {
                return sent;
            }
        }
    }
}

/// Milliseconds to wait, packets to add (size, codepoint) and packets to take.
type Round = (u64, Vec<(u64, u8)>, usize);

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let wait = prop_oneof![4 => 0u64..3_000_000, 2 => 0u64..40_000_000, 1 => 0u64..500_000_000];
    let packets = prop::collection::vec((40u64..1515, 0u8..4), 0..5);
    prop::collection::vec((wait, packets, 0usize..4), 50..400)
}

/// Runs both over the same trace; returns how many drops and marks there were.
fn compare(rounds: &[Round], authors: bool, ecn: bool, interval: Duration) -> (usize, usize) {
    let ticks = |ns: u64| if authors { ns >> 10 } else { ns };
    let mut config = QdiscConfig::default_of("codel_lifo").expect("registered");
    let text = |s: &str| Value::Text(s.into());
    config.set("form", &text(if authors { "authors" } else { "paper" })).expect("a choice");
    config.set("ecn", &Value::Bool(ecn)).expect("a switch");
    config.set("limit", &text("1000000 packets")).expect("a limit");
    config.set("maxpacket", &text("1500 B")).expect("a size");
    config.set("interval", &text(&interval.to_string())).expect("a duration");
    let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
    let mut queue: Qdisc<TestPacket> = config.build(&link);
    let mut plain = Plain {
        authors,
        ecn,
        target: ticks(5_000_000),
        interval: ticks(interval.as_nanos()),
        min_bytes: 1500,
        previous: authors.then_some(0),
        rec_inv_sqrt: u16::MAX,
        ..Plain::default()
    };
    // Times in whole ticks, so that rounding of sojourns is no matter.
    let (mut rng, mut sink, mut now, mut id) = (Rng::new(1), Collector::default(), 0, 0);
    for (wait, packets, takes) in rounds {
        now += wait >> 10 << 10;
        let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut rng, sink: &mut sink };
        for (size, bits) in packets {
            let packet = TestPacket::new(id, 0, *size).with_ecn(Ecn::from_bits(*bits));
            queue.enqueue(packet, &mut cx);
            plain.stack.push((packet, ticks(now)));
            id += 1;
        }
        for _ in 0..*takes {
            assert_eq!(queue.dequeue(&mut cx).map(|(p, _)| p), plain.dequeue(ticks(now)), "at {now} ns");
        }
    }
    assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), plain.dropped);
    assert_eq!(sink.marked.iter().map(|(p, _)| p.id).collect::<Vec<_>>(), plain.marked);
    (plain.dropped.len(), plain.marked.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn decisions_equal_those_of_the_paper(rounds in rounds(), ecn in any::<bool>(), interval in 1u64..100) {
        compare(&rounds, false, ecn, Duration::from_millis(interval));
    }

    #[test]
    fn decisions_equal_those_of_the_authors_code(rounds in rounds(), interval in 1u64..100) {
        compare(&rounds, true, false, Duration::from_millis(interval));
    }
}

/// The random traces above reach the interesting states: without drops and marks they prove nothing.
#[test]
fn a_trace_of_bursts_drops_and_marks() {
    // Bursts of 200 packets in 400 ms, each drained within the next 1600 ms.
    let round = |i: u64| {
        let filling = i % 1000 < 200;
        let packets = if filling { vec![(1000, (i % 4) as u8)] } else { Vec::new() };
        (2_000_000, packets, usize::from(i.is_multiple_of(3)))
    };
    let rounds: Vec<Round> = (0..10_000).map(round).collect();
    let interval = Duration::from_millis(100);
    let (drops, marks) = compare(&rounds, false, true, interval);
    assert!(drops > 5 && marks > 15, "{drops} {marks}");
    let (drops, _) = compare(&rounds, false, false, interval);
    assert!(drops > 20, "{drops}");
    let (drops, _) = compare(&rounds, true, false, interval);
    assert!(drops > 20, "{drops}");
}
