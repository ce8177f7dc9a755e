//! Queues under open-loop load against closed forms (spec 6.5).

use crate::support::{Text, assert_close};

const UDP: &str = "{ kind = \"udp\", header = \"0 B\" }";

#[test]
fn cbr_overload_loss_is_one_minus_capacity_over_load() {
    for n in [2, 5, 16] {
        // n sources of 2 Mbit/s on 3 Mbit/s, phases at random.
        let run = Text::new("40 s")
            .top("warmup = \"10 s\"")
            .dumbbell(n, "3 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"20 packets\" }")
            .flow(
                "cbr",
                ("src[*]", "dst[*]"),
                UDP,
                "{ kind = \"cbr\", rate = \"2 Mbit/s\", size = \"500 B\", random_phase = true, jitter = 0.1 }",
            )
            .run();
        // Jitter leaves each source's rate within a packet a second or so; 30 s carry 22500 packets.
        assert_close(run.leaf("groups.cbr.loss_ratio"), 1.0 - 3.0 / (2.0 * n as f64), 2e-3);
        assert_close(run.queue("utilization"), 1.0, 1e-4);
        // The queue counts drops after the warm-up, including a few packets sent before its end.
        let late = run.queue("dropped_packets.overlimit") - run.leaf("groups.cbr.lost_packets");
        assert!((0.0..20.0).contains(&late), "{late}");
        assert_eq!(
            run.leaf("groups.cbr.whole_run.lost_packets"),
            run.queue("whole_run.dropped_packets.overlimit")
        );
        assert_eq!(run.queue("backlog_packets.max"), 20.0);
    }
}

/// Poisson arrivals of 1000 B at 8 Mbit/s: 1 ms of service each, over 400 s.
fn poisson(load: f64, limit: u32) -> crate::support::Run {
    Text::new("410 s")
        .top("warmup = \"10 s\"")
        .dumbbell(
            1,
            "8 Mbit/s",
            "5 ms",
            &format!("queue = {{ kind = \"droptail\", limit = \"{limit} packets\" }}"),
        )
        .flow(
            "poisson",
            ("src[0]", "dst[0]"),
            UDP,
            &format!("{{ kind = \"poisson\", rate = \"{} bit/s\", size = \"1000 B\" }}", load * 8e6),
        )
        .run()
}

#[test]
fn poisson_waiting_time_matches_m_d_1() {
    // Wq = S ρ / (2 (1 - ρ)). Of the mean wait of an M/D/1 queue over a time T, the standard error is about
    // σ sqrt(2 τ / T) with σ ≈ Wq and a relaxation time τ ≈ 2 S / (1 - sqrt ρ)²; tolerances are three of those.
    for (load, tolerance) in [(0.5, 0.03), (0.8, 0.08), (0.9, 0.16_f64)] {
        let run = poisson(load, 100_000);
        let s = 1e-3;
        let error = 3.0 * (2.0 * 2.0 * s / (1.0 - load.sqrt()).powi(2) / 400.0).sqrt();
        assert!(tolerance <= error.max(0.035), "{load}: {error}");
        let wait = s * load / (2.0 * (1.0 - load));
        assert_close(run.queue("sojourn_s.mean"), wait, tolerance);
        // Little's law for waiting packets, and rates, within the edges of the 400 s.
        let arrivals = run.queue("dequeued_packets") / 400.0;
        assert_close(run.queue("backlog_packets.mean"), arrivals * run.queue("sojourn_s.mean"), 1e-3);
        assert_close(run.queue("backlog_bytes.mean"), 1000.0 * run.queue("backlog_packets.mean"), 1e-9);
        assert_close(run.queue("utilization"), load, 4.0 / (load * 400_000.0).sqrt());
        // Delay of a datagram: 1000 B at 1 Gbit/s twice, 7 ms of propagation, service, and waiting.
        let fixed = 2.0 * 8e-6 + 7e-3 + s;
        let delay = run.leaf("groups.poisson.one_way_delay_s.mean");
        assert!((delay - fixed - run.queue("sojourn_s.mean")).abs() < 1e-5, "{delay}");
    }
}

#[test]
fn poisson_loss_matches_m_d_1_k() {
    // M/D/1/K by its embedded chain; K counts the packet in service.
    for (load, limit) in [(0.9, 3), (1.0, 10), (1.25, 5)] {
        let run = poisson(load, limit);
        let loss = run.leaf("groups.poisson.loss_ratio");
        let expected = md1k_loss(load, limit as usize + 1);
        // Losses come in clusters; 1 % loss of 400 000 arrivals are some 1000 independent ones.
        assert_close(loss, expected, 0.05);
    }
}

/// Loss of M/D/1/K: stationary distribution at departures π, then P(loss) = 1 - 1/(π₀ + ρ).
fn md1k_loss(rho: f64, k: usize) -> f64 {
    // Arrivals during a service are Poisson with mean ρ.
    let mut arrivals = vec![tailrace_core::math::exp(-rho)];
    for j in 1..k {
        arrivals.push(arrivals[j - 1] * rho / j as f64);
    }
    // π of the uncut chain up to a factor: π_{j+1} a_0 = π_j - π_0 a_j - Σ_{i=1..j} π_i a_{j-i+1}.
    let mut pi = vec![1.0];
    for j in 0..k - 1 {
        let inflow: f64 = (1..=j).map(|i| pi[i] * arrivals[j - i + 1]).sum();
        pi.push((pi[j] - arrivals[j] - inflow) / arrivals[0]);
    }
    let pi0 = 1.0 / pi.iter().sum::<f64>();
    1.0 - 1.0 / (pi0 + rho)
}

#[test]
fn empty_queue_statistics_are_zero_or_null() {
    let run = Text::new("2 s")
        .dumbbell(1, "8 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"5 packets\" }")
        .flow("cbr", ("src[0]", "dst[0]"), UDP, "{ kind = \"cbr\", rate = \"1 Mbit/s\", size = \"1000 B\" }")
        .run();
    assert_eq!(run.queue("sojourn_s.max"), 0.0);
    assert_eq!(run.queue("backlog_packets.max"), 0.0);
    assert_eq!(run.queue("backlog_packets.mean"), 0.0);
    // There is no reverse traffic.
    let back = &run.json["queues"]["r2->r1"];
    assert!(back["sojourn_s"]["mean"].is_null() && back["sojourn_s"]["max"].is_null(), "{back}");
    assert_eq!(back["utilization"], 0.0);
}
