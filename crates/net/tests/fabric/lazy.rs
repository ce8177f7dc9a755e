//! A link asks its discipline late, but with the right times. A reference that handles each departure when it is
//! due must see the same, and so must a run in which somebody looks at the link all the time.

use crate::common::{FORWARD, Header, Log, Sending, config_of, disciplined, link, pair, play, random_trace};
use proptest::prelude::*;
use tailrace_core::{Duration, Instant, Rate, Rng};
use tailrace_net::{Address, LinkConfig, LinkId, NodeId};
use tailrace_qdisc::testing::Collector;
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

const RATE: Rate = Rate::from_bps(1_500_001);
const DELAY: Duration = Duration::from_millis(7);

/// A link that lives from event to event: timeout, departure or arrival, whichever is first (in this order at
/// equal times). It keeps time in exact fractions of a busy period.
struct Eager {
    queue: Qdisc<Header>,
    rng: Rng,
    sink: Collector<Header>,
    /// Start of the busy period, the last one while idle, and bits sent in it.
    busy: (Instant, u128),
    idle: bool,
    log: Log,
}

impl Eager {
    fn free_at(&self) -> Instant {
        let (start, bits) = self.busy;
        start + Duration::from_nanos((bits * 1_000_000_000 / u128::from(RATE.as_bps())) as u64)
    }

    /// Handles every departure and timeout up to and including `until`.
    fn advance(&mut self, until: Instant) {
        loop {
            let timeout = self.queue.poll_timeout().unwrap_or(Instant::MAX);
            let departure = if self.idle { Instant::MAX } else { self.free_at() };
            if timeout.min(departure) > until {
                return;
            }
            if timeout <= departure {
                let mut cx = Cx { now: timeout, rng: &mut self.rng, sink: &mut self.sink };
                self.queue.handle_timeout(&mut cx);
            } else {
                self.depart(departure);
            }
        }
    }

    fn depart(&mut self, now: Instant) {
        let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
        let Some((pkt, _)) = self.queue.dequeue(&mut cx) else {
            self.idle = true;
            return;
        };
        // A packet that comes when the last one has just left continues the busy period.
        if self.free_at() < now {
            self.busy = (now, 0);
        }
        self.idle = false;
        self.busy.1 += u128::from(pkt.size) * 8;
        self.log.received.push((self.free_at() + DELAY, NodeId(1), pkt.id, pkt.ecn));
    }

    fn arrive(&mut self, pkt: Header, now: Instant) {
        self.advance(now);
        let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.enqueue(pkt, &mut cx);
        if self.idle {
            self.depart(now);
        }
    }
}

fn reference(config: &QdiscConfig, src: Address, dst: Address, trace: &[Sending]) -> Log {
    let view = LinkView::new(RATE, Duration::from_millis(10));
    let mut eager = Eager {
        queue: config.build(&view),
        rng: Rng::new(1),
        sink: Collector::default(),
        busy: (Instant::ZERO, 0),
        idle: true,
        log: Log::default(),
    };
    for (id, s) in trace.iter().enumerate() {
        let pkt = Header { id: id as u16, src, dst, flow: s.flow, size: s.size, ecn: s.ecn };
        eager.arrive(pkt, s.at);
    }
    // A law's clock may tick for ever, so the end is a time and not an empty agenda.
    eager.advance(trace.last().expect("a trace is not empty").at + Duration::from_secs(60));
    let Eager { sink, mut log, .. } = eager;
    log.dropped = sink.dropped.iter().map(|(p, why, at)| (*at, FORWARD, p.id, *why)).collect();
    log.marked = sink.marked.iter().map(|(p, at)| (*at, FORWARD, p.id)).collect();
    log
}

fn build(config: &QdiscConfig) -> LinkConfig<Header> {
    LinkConfig { queue: disciplined(config, RATE, 1), ..link(RATE, DELAY) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn late_questions_get_the_answers_of_timely_ones(seed in any::<u64>(), load in 0.5f64..2.0) {
        for name in QdiscConfig::names() {
            let config = config_of(name);
            let trace = random_trace(&mut Rng::new(seed), 1500, RATE, load);
            let (mut fabric, src, dst) = pair(build(&config));
            let lazy = play(&mut fabric, src, dst, &trace).sorted();
            prop_assert_eq!(lazy.difference(&reference(&config, src, dst, &trace)), None, "{}", name);
            let (mut fabric, src, dst) = pair(build(&config));
            let watched = nosy(&mut fabric, src, dst, &trace, FORWARD).sorted();
            prop_assert_eq!(lazy.difference(&watched), None, "{}", name);
        }
    }
}

/// Plays the same, but looks at the link three times between any two packets.
fn nosy(
    fabric: &mut tailrace_net::Fabric<Header>,
    src: Address,
    dst: Address,
    trace: &[Sending],
    link: LinkId,
) -> Log {
    let mut log = Log::default();
    for (id, s) in trace.iter().enumerate() {
        let gap = s.at - fabric.now();
        for _ in 0..3 {
            fabric.run_until(fabric.now() + gap / 3, &mut log);
            fabric.settle(link, &mut log);
        }
        fabric.run_until(s.at, &mut log);
        let pkt = Header { id: id as u16, src, dst, flow: s.flow, size: s.size, ecn: s.ecn };
        fabric.send(src, pkt, &mut log);
    }
    for _ in 0..1000 {
        fabric.run_until(fabric.now() + Duration::from_millis(60), &mut log);
        fabric.settle(link, &mut log);
    }
    log
}

#[test]
fn laws_on_arrival_and_on_departure_both_act_in_these_traces() {
    for name in QdiscConfig::names().iter().filter(|n| ["red", "codel"].contains(n)) {
        let trace = random_trace(&mut Rng::new(1), 1500, RATE, 1.5);
        let (mut fabric, src, dst) = pair(build(&config_of(name)));
        let log = play(&mut fabric, src, dst, &trace);
        assert!(log.dropped.len() > 10 && log.marked.len() > 10, "{name}");
    }
}
