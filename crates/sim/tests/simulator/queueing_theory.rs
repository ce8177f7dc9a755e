//! Queues as scenarios say them, against the closed forms of queueing theory (Kleinrock, "Queueing Systems", volume 1, 1975, chapters
//! 3 and 5): means over several independent runs, to half a per cent.

use crate::support::Text;

/// Mean size of packets without headers, bytes.
const SIZE: f64 = 4000.0;
/// Link rate, bytes a second: a packet of mean size takes a millisecond.
const RATE: f64 = 4e6;
const RUNS: u32 = 8;

/// Poisson arrivals at a load (payload) over a link of 32 Mbit/s: of each run the mean wait in the queue in seconds, and the share
/// of packets lost.
fn queue(load: f64, size: &str, header: u32, limit: &str, duration: &str) -> [Vec<f64>; 2] {
    let app = format!("{{ kind = \"poisson\", rate = \"{} kbit/s\", size = \"{size}\" }}", 32_000.0 * load);
    let transport = format!("{{ kind = \"udp\", header = \"{header} B\" }}");
    let limit = format!("queue = {{ kind = \"droptail\", limit = \"{limit}\" }}");
    let text = Text::new(duration)
        .top("warmup = \"1 s\"")
        .add("[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"")
        .link("a", "b", "32 Mbit/s", "1 ms", &limit)
        .flow_with("udp", ("a", "b"), &transport, &app, "");
    let (mut waits, mut losses) = (Vec::new(), Vec::new());
    for number in 1..=RUNS {
        let run = text.run_number(number);
        waits.push(run.leaf("queues.a->b.sojourn_s.mean"));
        losses.push(run.leaf("groups.udp.lost_packets") / run.leaf("groups.udp.sent_packets"));
    }
    [waits, losses]
}

/// The mean is within half a per cent, and within four standard errors, which are small enough for the first to say something.
fn close(what: &str, found: &[f64], expected: f64) {
    let n = found.len() as f64;
    let mean = found.iter().sum::<f64>() / n;
    let error = (found.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
    let (off, error) = (mean / expected - 1.0, error / expected);
    eprintln!("{what}: {mean} is {:.3} % off {expected}, standard error {:.3} %", off * 100.0, error * 100.0);
    assert!(error < 0.003 && off.abs() < 0.005 && off.abs() < 4.0 * error, "{what}: {off} ({error})");
}

#[test]
fn exponential_sizes_make_m_m_1() {
    // Wait rho / (mu - lambda). The relative variance of its mean over n packets is 22 / n at this load (Daley, "The serial
    // correlation coefficients of waiting times in a stationary single server queue", 1968): 0.23 % for 4 million.
    let [waits, losses] = queue(0.3, "exponential(4 kB)", 0, "1000000 packets", "1700 s");
    close("M/M/1 at 0.3", &waits, 0.3 / (1000.0 - 300.0));
    assert_eq!(losses.iter().sum::<f64>(), 0.0);
}

#[test]
fn a_limit_makes_m_m_1_k() {
    // A packet in transmission is in the system, but no longer in the queue: K is one more than the limit.
    let (k, load, mu) = (6, 1.2_f64, RATE / SIZE);
    let [waits, losses] = queue(load, "exponential(4 kB)", 0, "5 packets", "500 s");
    let full = (1.0 - load) * load.powi(k) / (1.0 - load.powi(k + 1));
    let in_system = load / (1.0 - load) - f64::from(k + 1) * load.powi(k + 1) / (1.0 - load.powi(k + 1));
    close("share lost of M/M/1/6", &losses, full);
    close("M/M/1/6", &waits, in_system / (load * mu * (1.0 - full)) - 1.0 / mu);
}

#[test]
fn a_mix_of_sizes_makes_m_g_1() {
    // Pollaczek and Khinchine: lambda E[S^2] / (2 (1 - rho)), with headers of 28 bytes, at a load of payload of 0.3.
    let shares = [(40.0, 7.0 / 12.0), (576.0, 4.0 / 12.0), (1500.0, 1.0 / 12.0)];
    let mean: f64 = shares.iter().map(|(size, share)| size * share).sum();
    let square: f64 = shares.iter().map(|(size, share)| size * size * share).sum();
    let lambda = 0.3 * RATE / (mean - 28.0);
    let [waits, _] = queue(0.3, "imix", 28, "1000000 packets", "200 s");
    close("M/G/1 of imix", &waits, lambda * square / RATE / RATE / (2.0 * (1.0 - lambda * mean / RATE)));
}
