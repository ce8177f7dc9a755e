//! Queues whose means have closed forms. The sampling error is that of 40 batch means: four of their standard
//! errors are allowed, and these may not exceed a few per cent of the mean, so that the test can fail.

use crate::common::{FORWARD, Header, Log, header, link, pair};
use tailrace_core::{Duration, Instant, Limit, Rate, Rng};
use tailrace_net::{LinkConfig, LinkQueue};

const BATCHES: usize = 40;
const BATCH: usize = 20_000;
/// A byte takes a microsecond; packets have 1000 bytes on average, so the mean service time S is 1 ms.
const RATE: Rate = Rate::from_mbit(8);

/// Poisson arrivals at `load` into a queue of at most `limit`; (mean waits in units of S, loss ratios) by batch.
fn simulate(load: f64, limit: Limit, exponential: bool) -> (Vec<f64>, Vec<f64>) {
    let config: LinkConfig<Header> =
        LinkConfig { queue: LinkQueue::Fifo(limit), ..link(RATE, Duration::from_millis(1)) };
    let (mut fabric, src, dst) = pair(config);
    let (mut log, mut rng, mut at) = (Log::default(), Rng::new(42), Instant::ZERO);
    let (mut waits, mut losses) = (Vec::new(), Vec::new());
    let mean_gap = Duration::from_secs_f64(1e-3 / load);
    for batch in 0..=BATCHES {
        for _ in 0..BATCH {
            at += rng.exponential_duration(mean_gap);
            fabric.run_until(at, &mut log);
            // Rounding up adds half a byte to the mean size, 0.05 %.
            let size = if exponential { rng.exponential(999.5).ceil() as u64 } else { 1000 };
            fabric.send(src, header(0, src, dst, size.clamp(1, 65_535)), &mut log);
        }
        fabric.settle(FORWARD, &mut log);
        let wait = fabric.take_recent_sojourn(FORWARD).expect("packets left");
        if batch > 0 {
            waits.push(wait.as_secs_f64() * 1e3);
            losses.push(log.dropped.len() as f64 / BATCH as f64);
        }
        log = Log::default();
    }
    (waits, losses)
}

/// Checks the mean of batch means against `expected`; the standard error must be below `precision` of it.
#[track_caller]
fn check(what: &str, batches: &[f64], expected: f64, precision: f64) {
    let n = batches.len() as f64;
    let mean = batches.iter().sum::<f64>() / n;
    let error = (batches.iter().map(|b| (b - mean) * (b - mean)).sum::<f64>() / (n - 1.0) / n).sqrt();
    assert!(error < precision * expected, "{what}: error {error} of {expected}");
    assert!((mean - expected).abs() < 4.0 * error, "{what}: {mean} ± {error}, expected {expected}");
}

#[test]
fn m_d_1_waits_as_pollaczek_and_khinchine_say() {
    for load in [0.5, 0.8, 0.9] {
        // Wq = S ρ/(2(1 − ρ)): 0.5, 2 and 4.5 service times.
        let (waits, losses) = simulate(load, Limit::Packets(1_000_000), false);
        check("M/D/1", &waits, load / (2.0 * (1.0 - load)), 0.02);
        assert_eq!(losses.iter().sum::<f64>(), 0.0);
    }
}

#[test]
fn m_m_1_k_loses_and_waits_by_the_formula() {
    for (load, k, precision) in [(0.9, 10, 0.02), (1.25, 50, 0.01), (0.95, 20, 0.03)] {
        // K counts the one in service, a link's limit does not. P_n = (1 − ρ) ρ^n / (1 − ρ^(K+1)).
        let weights: Vec<f64> = (0..=k).map(|n| load_power(load, n)).collect();
        let total: f64 = weights.iter().sum();
        let loss = weights[k] / total;
        // Little: those admitted wait Lq/(λ(1 − P_K)), with λ = ρ in units of 1/S.
        let queued: f64 = weights.iter().enumerate().map(|(n, w)| n.saturating_sub(1) as f64 * w).sum();
        let wait = queued / total / (load * (1.0 - loss));
        let (waits, losses) = simulate(load, Limit::Packets(k as u64 - 1), true);
        check("M/M/1/K loss", &losses, loss, precision);
        check("M/M/1/K wait", &waits, wait, precision);
    }
}

fn load_power(load: f64, n: usize) -> f64 {
    (0..n).fold(1.0, |product, _| product * load)
}

#[test]
fn the_formulas_used_give_the_published_values() {
    // 0.2000 for ρ = 1.25, K = 50.
    let weights: Vec<f64> = (0..=50).map(|n| load_power(1.25, n)).collect();
    assert!((weights[50] / weights.iter().sum::<f64>() - 0.2).abs() < 5e-5);
}
