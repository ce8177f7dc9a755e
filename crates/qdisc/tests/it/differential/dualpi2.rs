//! DualPI2, with its shared body and options, against RFC 9332 Appendix A.1 written plainly.
//!
//! The scheduler, which the RFC leaves open, is weighted round robin as Linux describes it.

use proptest::prelude::*;
use std::collections::VecDeque;
use tailrace_core::{Duration, Ecn, Instant, Packet, Rate, Rng};
use tailrace_qdisc::testing::{Collector, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

const RATE: Rate = Rate::from_mbit(10);

#[derive(Default)]
struct Queue {
    packets: VecDeque<(TestPacket, u64)>,
    count: f64,
}

impl Queue {
    fn byt(&self) -> u64 {
        self.packets.iter().map(|(p, _)| p.size.get()).sum()
    }
    fn time(&self, now: u64) -> f64 {
        self.packets.front().map_or(0.0, |(_, t)| (now - t) as f64 / 1e9)
    }
    fn recur(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        if self.count > 1.0 {
            self.count -= 1.0;
            return true;
        }
        false
    }
}

/// The functions of Appendix A.1 and their globals; times in seconds.
#[derive(Default)]
struct Plain {
    lq: Queue,
    cq: Queue,
    p_prime: f64,
    p_cl: f64,
    p_c: f64,
    prevq: f64,
    credit: i64,
    dropped: Vec<u64>,
    marked: Vec<u64>,
}

impl Plain {
    fn enqueue(&mut self, packet: TestPacket, now: u64) {
        // 250 ms at 10 Mbit/s.
        if self.lq.byt() + self.cq.byt() + packet.size.get() > 312_500 {
            self.dropped.push(packet.id);
        } else if packet.ecn() as u8 % 2 == 1 {
            self.lq.packets.push_back((packet, now));
        } else {
            self.cq.packets.push_back((packet, now));
        }
    }

    fn scheduler_chooses_lq(&self) -> bool {
        !self.lq.packets.is_empty() && (self.cq.packets.is_empty() || self.credit <= 0)
    }

    fn laqm(sojourn: u64) -> f64 {
        let (min_th, range) = (800_000, 400_000);
        if sojourn >= min_th + range {
            1.0
        } else if sojourn > min_th {
            (sojourn - min_th) as f64 / range as f64
        } else {
            0.0
        }
    }

    fn mark(&mut self, packet: &mut TestPacket) {
        if packet.ecn() != Ecn::Ce {
            packet.set_ce();
            self.marked.push(packet.id);
        }
    }

    fn dequeue(&mut self, now: u64) -> Option<TestPacket> {
        while self.lq.packets.len() + self.cq.packets.len() > 0 {
            let chose_lq = self.scheduler_chooses_lq();
            let mut packet;
            if chose_lq {
                let (taken, arrival) = self.lq.packets.pop_front().expect("chosen");
                packet = taken;
                if self.p_cl < 1.0 {
                    let native = if self.lq.packets.len() > 1 { Self::laqm(now - arrival) } else { 0.0 };
                    if self.lq.recur(native.max(self.p_cl)) {
                        self.mark(&mut packet);
                    }
                } else {
                    if self.lq.recur(self.p_c) {
                        self.dropped.push(packet.id);
                        continue;
                    }
                    if self.lq.recur(self.p_cl) {
                        self.mark(&mut packet);
                    }
                }
                if !self.cq.packets.is_empty() {
                    self.credit += 10 * packet.size.get() as i64;
                }
            } else {
                packet = self.cq.packets.pop_front().expect("chosen").0;
                if self.cq.recur(self.p_c) {
                    if packet.ecn() == Ecn::NotEct || self.p_c >= 0.25 {
                        self.dropped.push(packet.id);
                        continue;
                    }
                    self.mark(&mut packet);
                }
                if !self.lq.packets.is_empty() {
                    self.credit -= 90 * packet.size.get() as i64;
                }
            }
            return Some(packet);
        }
        self.credit = -80 * 1514;
        None
    }

    fn update(&mut self, now: u64) {
        let curq = self.cq.time(now).max(self.lq.time(now));
        self.p_prime += 0.15 * (curq - 0.015) + 3.0 * (curq - self.prevq);
        self.p_prime = self.p_prime.clamp(0.0, 1.0);
        self.p_cl = (2.0 * self.p_prime).min(1.0);
        self.p_c = self.p_prime * self.p_prime;
        self.prevq = curq;
    }
}

#[derive(Clone, Debug)]
struct Step {
    wait_us: u64,
    arrivals: Vec<(u64, Ecn)>,
    takes: usize,
}

fn step() -> impl Strategy<Value = Step> {
    let arrival = (40u64..1515, (0u8..4).prop_map(Ecn::from_bits));
    (0u64..3000, prop::collection::vec(arrival, 0..5), 0usize..5)
        .prop_map(|(wait_us, arrivals, takes)| Step { wait_us, arrivals, takes })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn decisions_are_those_of_the_pseudo_code(steps in prop::collection::vec(step(), 1..600), quiet in 0u64..100) {
        let link = LinkView::new(RATE, Duration::ZERO);
        let mut queue: Qdisc<TestPacket> = QdiscConfig::default_of("dualpi2").expect("registered").build(&link);
        let mut plain = Plain { credit: -80 * 1514, ..Plain::default() };
        let (mut rng, mut sink, mut now, mut id) = (Rng::new(1), Collector::default(), 0u64, 0u64);
        let mut state = [0.0; 7];
        for (n, step) in steps.iter().enumerate() {
            now += step.wait_us * 1000;
            let at = Instant::from_nanos(now);
            let mut cx = Cx { now: at, rng: &mut rng, sink: &mut sink };
            if queue.poll_timeout().is_some_and(|t| t <= at) {
                queue.handle_timeout(&mut cx);
                plain.update(now);
            }
            for (size, ecn) in &step.arrivals {
                let packet = TestPacket::new(id, 0, *size).with_ecn(*ecn);
                id += 1;
                queue.enqueue(packet, &mut cx);
                plain.enqueue(packet, now);
            }
            // A phase without departures builds up delay, up to overload.
            let takes = if (n as u64) < quiet { 0 } else { step.takes };
            for _ in 0..takes {
                prop_assert_eq!(queue.dequeue(&mut cx).map(|(p, _)| p), plain.dequeue(now));
            }
            queue.state(&mut state);
            prop_assert!((state[0] - plain.p_prime).abs() < 1e-9);
        }
        let dropped: Vec<u64> = sink.dropped.iter().map(|(p, ..)| p.id).collect();
        let marked: Vec<u64> = sink.marked.iter().map(|(p, _)| p.id).collect();
        prop_assert_eq!(dropped, plain.dropped);
        prop_assert_eq!(marked, plain.marked);
    }
}
