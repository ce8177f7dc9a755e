//! Where controllers come to rest under a load that does not yield: a law that drops must drop the excess, and one
//! with a target must hold it.

use tailrace_core::{Duration, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Counter, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline};

/// Means over the second half of a run.
struct Rest {
    /// Share of arrivals dropped.
    loss: f64,
    /// Time waited, seconds.
    delay: f64,
    /// The law's first variable: mostly a probability.
    probability: f64,
}

/// Packets of 1000 bytes over a 45 Mbit/s link, `load` times what it carries, in a Poisson stream, for `seconds`.
fn overload(name: &str, load: f64, seconds: u64) -> Rest {
    let link = LinkView::new(Rate::from_mbit(45), Duration::ZERO);
    let mut queue: Qdisc<TestPacket> = QdiscConfig::default_of(name).expect("registered").build(&link);
    let service = Duration::from_secs_f64(8000.0 / 45e6);
    let (mut rng, mut sink, mut arrivals) = (Rng::new(1), Counter::default(), Rng::new(2));
    let end = Instant::from_secs(seconds);
    let (mut next_arrival, mut free) = (Instant::ZERO, Instant::ZERO);
    let (mut offered, mut dropped, mut left, mut waited, mut probability) = (0_u64, 0, 0_u64, 0.0, 0.0);
    let mut state = vec![0.0; queue.state_names().len()];
    for id in 0.. {
        let now = next_arrival;
        if now >= end {
            break;
        }
        let counts = now.as_secs_f64() * 2.0 >= end.as_secs_f64();
        // Timers and departures up to this arrival, in the order of time.
        loop {
            let timer = queue.poll_timeout().filter(|t| *t <= now && *t <= free);
            let at = timer.unwrap_or(free);
            let mut cx = Cx { now: at, rng: &mut rng, sink: &mut sink };
            if timer.is_some() {
                queue.handle_timeout(&mut cx);
            } else if free > now {
                break;
            } else if let Some((_, arrival)) = queue.dequeue(&mut cx) {
                if counts {
                    (left, waited) = (left + 1, waited + at.saturating_since(arrival).as_secs_f64());
                }
                free = at + service;
            } else {
                free = now;
                break;
            }
        }
        let before = sink.dropped;
        let mut cx = Cx { now, rng: &mut rng, sink: &mut sink };
        queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
        if free <= now && queue.dequeue(&mut cx).is_some() {
            free = now + service;
        }
        if counts {
            queue.state(&mut state);
            offered += 1;
            dropped += sink.dropped - before;
            probability += state[0];
        }
        next_arrival += arrivals.exponential_duration(Duration::from_secs_f64(service.as_secs_f64() / load));
    }
    let offered = offered as f64;
    Rest { loss: dropped as f64 / offered, delay: waited / left as f64, probability: probability / offered }
}

#[test]
fn pie_and_pi2_hold_their_target_and_drop_the_excess() {
    // 1 - 1/1.08 = 7.4 % must go; both aim at 15 ms.
    let [pie, pi2] = ["pie", "pi2"].map(|name| {
        let rest = overload(name, 1.08, 60);
        assert!((rest.loss - 0.0741).abs() < 0.005, "{name}: {}", rest.loss);
        assert!((rest.delay - 0.015).abs() < 0.0015, "{name}: {}", rest.delay);
        rest.probability
    });
    assert!((pi2 - 0.0741).abs() < 0.01, "{pi2}");
    // PIE's derandomisation waits for 0.85/p packets before it draws: one in 13.5 needs p near 1.85/13.5 = 0.137.
    assert!((0.12..0.17).contains(&pie), "{pie}");
}

#[test]
fn blue_comes_to_rest_where_its_drops_are_the_excess() {
    // Bedi et al. 2014, Table 4: 18 of 45 Mbit/s of the flood lost, a probability of 0.400; here a load of 5/3.
    let rest = overload("blue", 5.0 / 3.0, 80);
    assert!((rest.loss - 0.4).abs() < 0.01, "{}", rest.loss);
    assert!((rest.probability - 0.4).abs() < 0.01, "{}", rest.probability);
}

#[test]
fn pi_reaches_its_queue_after_minutes() {
    // 50 packets of 1000 bytes at 45 Mbit/s are 8.9 ms; the packet in service waits no longer.
    let rest = overload("pi", 1.08, 160);
    assert!((rest.loss - 0.0741).abs() < 0.006, "{}", rest.loss);
    assert!((rest.delay - 0.0089).abs() < 0.001, "{}", rest.delay);
}

#[test]
fn avq_leaves_two_per_cent_of_the_link_free() {
    // 1 - 0.98/1.08 = 9.26 % must go. The virtual capacity, its first variable, settles at 0.98 * 45 Mbit/s.
    let rest = overload("avq", 1.08, 60);
    assert!((rest.loss - 0.0926).abs() < 0.004, "{}", rest.loss);
    assert!((rest.probability / 44.1e6 - 1.0).abs() < 0.001, "{}", rest.probability);
    assert!(rest.delay < 0.003, "{}", rest.delay);
}

#[test]
fn the_price_of_rem_rises_while_more_is_offered_than_its_target_can_balance() {
    // x - c + alpha (b - b*) = 0 needs b = 20 - 10 * 0.9 = 11 packets at 1.08, and b < 0 at 1.5 times capacity.
    let rest = overload("rem", 1.08, 300);
    assert!((rest.delay - 0.002).abs() < 0.0005, "{}", rest.delay);
    let [early, late] = [120, 240].map(|seconds| overload("rem", 1.5, seconds).probability);
    assert!(late > 1.5 * early, "{early} {late}");
}
