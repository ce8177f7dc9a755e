//! Queues as scenarios say them, against the closed forms of queueing theory (Kleinrock, "Queueing Systems", volume 1, 1975, chapters
//! 3 and 5), to half a per cent. Runs are so long that the standard error is a fifth of a per cent or less.

use crate::support::Text;

/// Mean size of packets without headers, bytes.
const SIZE: f64 = 4000.0;
/// Link rate, bytes a second: a packet of mean size takes a millisecond.
const RATE: f64 = 4e6;

/// Poisson arrivals at a load (payload) over a link of 32 Mbit/s; mean wait in the queue in seconds, and the share of packets lost.
fn queue(load: f64, size: &str, header: u32, limit: &str, duration: &str) -> (f64, f64) {
    let app = format!("{{ kind = \"poisson\", rate = \"{} kbit/s\", size = \"{size}\" }}", 32_000.0 * load);
    let transport = format!("{{ kind = \"udp\", header = \"{header} B\" }}");
    let run = Text::new(duration)
        .top("warmup = \"10 s\"")
        .add("[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"")
        .link(
            "a",
            "b",
            "32 Mbit/s",
            "1 ms",
            &format!("queue = {{ kind = \"droptail\", limit = \"{limit}\" }}"),
        )
        .flow_with("udp", ("a", "b"), &transport, &app, "")
        .run();
    let share_lost = run.leaf("groups.udp.lost_packets") / run.leaf("groups.udp.sent_packets");
    (run.leaf("queues.a->b.sojourn_s.mean"), share_lost)
}

fn close(what: &str, found: f64, expected: f64) {
    let off = found / expected - 1.0;
    eprintln!("{what}: {found} is {:.3} % off {expected}", off * 100.0);
    assert!(off.abs() < 0.005, "{what}: {found} is {:.2} % off {expected}", off * 100.0);
}

#[test]
fn exponential_sizes_make_m_m_1() {
    // Wait rho / (mu - lambda). Its relative variance over T services is 2 (1 + rho) / (rho (1 - rho)^2 T) (Whitt, "Planning
    // queueing simulations", Management Science 35(11), 1989): 0.2 % after 6 million services.
    let (wait, lost) = queue(0.5, "exponential(4 kB)", 0, "1000000 packets", "6000 s");
    close("M/M/1 at 0.5", wait, 0.5 / (1000.0 - 500.0));
    assert_eq!(lost, 0.0);
}

#[test]
fn a_limit_makes_m_m_1_k() {
    // A packet in transmission is in the system, but no longer in the queue: K is one more than the limit.
    let (k, load, mu) = (6, 0.9_f64, RATE / SIZE);
    let (wait, lost) = queue(load, "exponential(4 kB)", 0, "5 packets", "3000 s");
    let full = (1.0 - load) * load.powi(k) / (1.0 - load.powi(k + 1));
    let in_system = load / (1.0 - load) - f64::from(k + 1) * load.powi(k + 1) / (1.0 - load.powi(k + 1));
    close("share lost of M/M/1/6", lost, full);
    close("M/M/1/6", wait, in_system / (load * mu * (1.0 - full)) - 1.0 / mu);
}

#[test]
fn a_mix_of_sizes_makes_m_g_1() {
    // Pollaczek and Khinchine: lambda E[S^2] / (2 (1 - rho)), with headers of 28 bytes, at a load of payload of 0.5.
    let shares = [(40.0, 7.0 / 12.0), (576.0, 4.0 / 12.0), (1500.0, 1.0 / 12.0)];
    let mean: f64 = shares.iter().map(|(size, share)| size * share).sum();
    let square: f64 = shares.iter().map(|(size, share)| size * size * share).sum();
    let lambda = 0.5 * RATE / (mean - 28.0);
    let (wait, _) = queue(0.5, "imix", 28, "1000000 packets", "600 s");
    close("M/G/1 of imix", wait, lambda * square / RATE / RATE / (2.0 * (1.0 - lambda * mean / RATE)));
}
