//! Faults with stages, and router restarts.

use crate::cable::{lost, on_cable, told};
use crate::support::{Run, Text};

#[test]
fn flapping_fault_toggles_link_until_its_end() {
    for seen in ["true", "false"] {
        let run = on_cable(&format!("kind = \"flap\"\ndown = \"500 ms\"\nup = \"1 s\"\nseen = {seen}"));
        // Down from 2005 to 2505 ms and from 3505 ms to the end: fifty datagrams each, twice.
        assert_eq!(lost(&run), [100.0, 100.0], "{seen}");
        // Events of both directions: two stages within, and one at the very end.
        assert_eq!(["begins", "turns", "ends"].map(|edge| told(&run, edge)), [2, 6, 2], "{seen}");
        run.assert_drained();
    }
}

#[test]
fn profile_fault_follows_its_rows_periodically() {
    let loss = "kind = \"trace\"\nrows = \"time, loss; 0 s, 1; 500 ms, 0\"";
    assert_eq!(lost(&on_cable(loss)), [50.0, 50.0]);
    assert_eq!(lost(&on_cable(&format!("{loss}\nperiod = \"1 s\""))), [100.0, 100.0]);
    assert_eq!(lost(&on_cable(&format!("{loss}\ndirection = \"reverse\""))), [0.0, 50.0]);
    // A datagram of 500 B takes 1.4 ms at 10 Mbit/s and 1 ms, and 25 ms at 1 Mbit/s and 21 ms.
    let rows = "time, rate, delay; 0 s, 10 Mbit/s, 1 ms; 1 s, 1 Mbit/s, 21 ms";
    let run = on_cable(&format!("kind = \"trace\"\nrows = \"{rows}\""));
    let delay = |what: &str| run.leaf(&format!("groups.there.one_way_delay_s.{what}"));
    assert!((delay("max") - 0.025).abs() < 1e-9 && (delay("min") - 0.0014).abs() < 1e-9);
    // The second row affects a hundred of nine hundred datagrams.
    let mean = (100.0 * 0.025 + 800.0 * 0.0014) / 900.0;
    assert!((delay("mean") - mean).abs() < 5e-5, "{} {mean}", delay("mean"));
    assert_eq!(lost(&run), [0.0, 0.0]);
}

/// Throughput per second of two overloaded links of 10 Mbit/s with a fault of both from the start.
fn loaded(fault: &str, run: u32) -> (Run, [Vec<f64>; 2]) {
    let mut text = Text::new("20 s").top("record = { interval = \"1 s\" }").hosts("src", 2).hosts("dst", 2);
    for router in ["a", "b", "c", "d"] {
        text = text.router(router);
    }
    for (i, (near, far)) in [("a", "b"), ("c", "d")].into_iter().enumerate() {
        let (from, to) = (format!("src[{i}]"), format!("dst[{i}]"));
        let queue = "queue = { kind = \"droptail\", limit = \"20 packets\" }";
        let load = "{ kind = \"cbr\", rate = \"9 Mbit/s\", size = \"500 B\" }";
        text = text
            .link(&from, near, "100 Mbit/s", "1 ms", "")
            .link(near, far, "10 Mbit/s", "1 ms", queue)
            .link(far, &to, "100 Mbit/s", "1 ms", "")
            .flow(&format!("udp{i}"), (&from, &to), "{ kind = \"udp\", header = \"0 B\" }", load);
    }
    let fault = format!("[[fault]]\nat = \"0 s\"\nlink = [\"a-b\", \"c-d\"]\n{fault}");
    let run = text.add(&fault).run_number(run);
    let (rates, of) = (run.column("queue_series", "throughput_bps"), run.words("queue_series", "queue"));
    let series = ["a->b", "c->d"].map(|queue| {
        let own = rates.iter().zip(&of).filter(|(_, q)| *q == queue);
        own.map(|(rate, _)| *rate).collect::<Vec<f64>>()
    });
    (run, series)
}

#[test]
fn markov_rates_are_drawn_per_link_and_run() {
    let law = "markov(0.5, 1 Mbit/s, 2 Mbit/s, 4 Mbit/s)";
    let chain = format!("kind = \"random_rate\"\nhold = \"1 s\"\nvalue = \"{law}\"");
    let (first, [a, b]) = loaded(&chain, 1);
    // Each second has one of the three rates, except for a packet at either edge.
    let near = |x: f64| [1e6, 2e6, 4e6].iter().any(|rate| (x - rate).abs() <= 8e3);
    assert!(a.iter().chain(&b).all(|x| near(*x)), "{a:?} {b:?}");
    let turns = |xs: &[f64]| xs.windows(2).filter(|w| (w[0] - w[1]).abs() > 1e5).count();
    assert!(turns(&a) > 3 && turns(&b) > 3 && a != b, "{a:?} {b:?}");
    assert_eq!(loaded(&chain, 1).0.output.fingerprint, first.output.fingerprint);
    assert_ne!(loaded(&chain, 2).1[0], a);
    // Another fault does not change its draws.
    let more = format!("{chain}\n[[fault]]\nat = \"19 s\"\nlink = \"c-d\"\nkind = \"down\"");
    assert_eq!(loaded(&more, 1).1[0], a);
    let (_, [a, _]) = loaded(&chain.replace(law, "uniform(1 Mbit/s, 3 Mbit/s)"), 1);
    assert!(a.iter().all(|x| (0.99e6..=3.01e6).contains(x)), "{a:?}");
}

#[test]
fn router_restart_takes_links_down_and_empties_queues() {
    let run = |faults: &str| {
        Text::new("20 s")
            .dumbbell(2, "5 Mbit/s", "5 ms", "queue = { kind = \"red\", limit = \"60 packets\" }")
            .tcp("cc = \"newreno\"", "\"bulk\"")
            .add(faults)
            .run()
            .output
            .fingerprint
    };
    let fault = |said: &str| format!("[[fault]]\nat = \"5 s\"\nuntil = \"6 s\"\n{said}\n");
    let restart = run(&fault("kind = \"restart\"\nlink = \"bottleneck\""));
    let down = fault("kind = \"down\"\nlink = \"bottleneck\"");
    let value = "{ kind = \"red\", limit = \"60 packets\" }";
    let anew = fault(&format!("kind = \"queue\"\nlink = \"bottleneck\"\nvalue = {value}"));
    assert_eq!(restart, run(&format!("{down}{anew}")));
    assert_ne!(restart, run(&down));
    // The router's other links are down, too.
    assert_ne!(restart, run(&fault("kind = \"restart\"\nrouter = \"r1\"")));
}

/// Backlog of an overloaded link's queue in each tenth of twenty seconds, with `faults` of that link.
fn backlog(faults: &[&str]) -> Vec<f64> {
    let load = "{ kind = \"poisson\", rate = \"12 Mbit/s\", size = \"1000 B\" }";
    let mut text = Text::new("20 s")
        .top("record = { interval = \"100 ms\" }")
        .dumbbell(1, "10 Mbit/s", "1 ms", "queue = { kind = \"droptail\", limit = \"50 packets\" }")
        .flow("udp", ("src[0]", "dst[0]"), "\"udp\"", load);
    for fault in faults {
        let place = "link = \"bottleneck\"\ndirection = \"forward\"\noverlap = true";
        text = text.add(&format!("[[fault]]\n{place}\n{fault}"));
    }
    let run = text.run();
    let (levels, of) = (run.column("queue_series", "backlog_packets"), run.words("queue_series", "queue"));
    let levels = Vec::from_iter(levels.iter().zip(&of).filter(|(_, q)| *q == "r1->r2").map(|(b, _)| *b));
    assert_eq!(levels.len(), 200);
    levels
}

/// Table of queues from the start on.
fn queues(rows: &str) -> String {
    format!("at = \"0 s\"\nkind = \"trace\"\nrows = \"time, queue; {rows}\"")
}

#[test]
fn queue_fault_follows_its_rows() {
    let levels =
        backlog(&[&queues("0 s, pfifo limit 20; 5 s, pfifo limit 8; 10 s, pfifo limit 30; 15 s, sfq")]);
    for (second, limit) in [(1, 20.0), (6, 8.0), (11, 30.0), (17, 127.0)] {
        let most = levels[10 * second..10 * second + 30].iter().copied().fold(0.0, f64::max);
        assert!((limit - 1.0..=limit).contains(&most), "{second}: {levels:?}");
    }
    // After the end the scenario's queue returns.
    let until = format!("until = \"10 s\"\n{}", queues("0 s, pfifo limit 20"));
    let most = backlog(&[&until])[150..].iter().copied().fold(0.0, f64::max);
    assert!((49.0..=50.0).contains(&most), "{most}");
}

#[test]
fn queue_state_survives_rows_with_the_same_queue() {
    let red = backlog(&[&queues("0 s, red")]);
    assert_eq!(backlog(&[&queues("0 s, red; 5 s, red; 10 s, red")]), red);
    assert_eq!(backlog(&[&format!("period = \"3 s\"\n{}", queues("0 s, red; 1 s, red"))]), red);
    let other = backlog(&[&queues("0 s, red; 5 s, pfifo limit 1000; 5001 ms, red")]);
    assert_eq!(other[..50], red[..50]);
    assert_ne!(other[60..], red[60..]);
    // A later fault takes precedence, and its queue ignores the rows of the earlier one.
    let later = "at = \"2 s\"\nkind = \"queue\"\nvalue = \"red\"";
    let beneath = backlog(&[&queues("0 s, pfifo limit 20"), later]);
    assert_eq!(backlog(&[&queues("0 s, pfifo limit 20; 5 s, sfq; 10 s, red; 15 s, codel"), later]), beneath);
}
