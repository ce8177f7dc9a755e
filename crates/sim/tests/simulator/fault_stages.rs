//! Faults that change while they last, and routers that begin anew.

use crate::support::{Run, Text};

/// A datagram every 10 ms each way over a cable, and a fault from 2005 to 4005 ms.
fn cable(fault: &str) -> Run {
    let datagrams = "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"500 B\" }";
    let udp = "{ kind = \"udp\", header = \"0 B\" }";
    Text::new("10 s")
        .top("record = { events = true }")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "10 Mbit/s", "1 ms", "name = \"cable\"")
        .flow_with("there", ("src[0]", "dst[0]"), udp, datagrams, "stop = \"9 s\"")
        .flow_with("back", ("dst[0]", "src[0]"), udp, datagrams, "stop = \"9 s\"")
        .add(&format!("[[fault]]\nlink = \"cable\"\nat = \"2005 ms\"\nuntil = \"4005 ms\"\n{fault}"))
        .run()
}

fn lost(run: &Run) -> [f64; 2] {
    ["there", "back"].map(|flow| run.leaf(&format!("groups.{flow}.lost_packets")))
}

fn told(run: &Run, detail: &str) -> usize {
    run.words("events", "detail").iter().filter(|d| *d == detail).count()
}

#[test]
fn a_link_flaps_as_long_as_the_fault_lasts() {
    for seen in ["true", "false"] {
        let run = cable(&format!("kind = \"flap\"\ndown = \"500 ms\"\nup = \"1 s\"\nseen = {seen}"));
        // Down from 2005 to 2505 ms and from 3505 ms to the end: fifty datagrams each, twice.
        assert_eq!(lost(&run), [100.0, 100.0], "{seen}");
        // Of both directions: two turns within, and one at the very end.
        assert_eq!(["begins", "turns", "ends"].map(|edge| told(&run, edge)), [2, 6, 2], "{seen}");
        run.assert_drained();
    }
}

#[test]
fn a_link_is_as_its_rows_say_and_again_after_a_period() {
    let loss = "kind = \"trace\"\nrows = \"time, loss; 0 s, 1; 500 ms, 0\"";
    assert_eq!(lost(&cable(loss)), [50.0, 50.0]);
    assert_eq!(lost(&cable(&format!("{loss}\nperiod = \"1 s\""))), [100.0, 100.0]);
    assert_eq!(lost(&cable(&format!("{loss}\ndirection = \"reverse\""))), [0.0, 50.0]);
    // 500 B at 10 Mbit/s and 1 ms make 1.4 ms; at 1 Mbit/s and 21 ms 25 ms.
    let rows = "time, rate, delay; 0 s, 10 Mbit/s, 1 ms; 1 s, 1 Mbit/s, 21 ms";
    let run = cable(&format!("kind = \"trace\"\nrows = \"{rows}\""));
    let delay = |what: &str| run.leaf(&format!("groups.there.one_way_delay_s.{what}"));
    assert!((delay("max") - 0.025).abs() < 1e-9 && (delay("min") - 0.0014).abs() < 1e-9);
    // A hundred of nine hundred datagrams met the second row.
    let mean = (100.0 * 0.025 + 800.0 * 0.0014) / 900.0;
    assert!((delay("mean") - mean).abs() < 5e-5, "{} {mean}", delay("mean"));
    assert_eq!(lost(&run), [0.0, 0.0]);
}

/// Two links of 10 Mbit/s with more to carry, and a fault of both from the start; throughput of each by second.
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
fn rates_are_drawn_for_each_link_and_each_run() {
    let law = "markov(0.5, 1 Mbit/s, 2 Mbit/s, 4 Mbit/s)";
    let chain = format!("kind = \"random_rate\"\nhold = \"1 s\"\nvalue = \"{law}\"");
    let (first, [a, b]) = loaded(&chain, 1);
    // A second holds one of the three rates, but for a packet at either end.
    let near = |x: f64| [1e6, 2e6, 4e6].iter().any(|rate| (x - rate).abs() <= 8e3);
    assert!(a.iter().chain(&b).all(|x| near(*x)), "{a:?} {b:?}");
    let turns = |xs: &[f64]| xs.windows(2).filter(|w| (w[0] - w[1]).abs() > 1e5).count();
    assert!(turns(&a) > 3 && turns(&b) > 3 && a != b, "{a:?} {b:?}");
    assert_eq!(loaded(&chain, 1).0.output.fingerprint, first.output.fingerprint);
    assert_ne!(loaded(&chain, 2).1[0], a);
    // Another fault changes nothing of it.
    let more = format!("{chain}\n[[fault]]\nat = \"19 s\"\nlink = \"c-d\"\nkind = \"down\"");
    assert_eq!(loaded(&more, 1).1[0], a);
    let (_, [a, _]) = loaded(&chain.replace(law, "uniform(1 Mbit/s, 3 Mbit/s)"), 1);
    assert!(a.iter().all(|x| (0.99e6..=3.01e6).contains(x)), "{a:?}");
}

#[test]
fn a_router_that_restarts_is_down_and_its_queues_are_new() {
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
