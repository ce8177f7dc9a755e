//! Smoothness of flows: delivery gaps, intervals, and goodput until completion.

use crate::support::{Run, Text, assert_close};

/// Consecutive transfers of 100 kB over a link of 10 Mbit/s and 20 ms.
fn sequence(gap: &str, seconds: u64) -> Run {
    let app = format!("{{ kind = \"sequence\", size = \"100 kB\", count = 3, gap = \"{gap}\" }}");
    Text::new(&format!("{seconds} s"))
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src", "dst", "10 Mbit/s", "20 ms", "")
        .flow("tcp", ("src", "dst"), "{ kind = \"tcp\" }", &app)
        .flow(
            "rest",
            ("src", "dst"),
            "{ kind = \"udp\" }",
            "{ kind = \"cbr\", rate = \"10 bit/s\", size = \"972 B\" }",
        )
        .run()
}

/// Datagrams of 1000 B every 10 ms over a link of 10 Mbit/s and 5 ms, which loses all from 998 ms to 1495 ms: each takes 5.8 ms.
fn pulse() -> Text {
    Text::new("2 s")
        .hosts("a", 1)
        .hosts("b", 1)
        .link("a", "b", "10 Mbit/s", "5 ms", "name = \"path\"")
        .flow_with(
            "udp",
            ("a", "b"),
            "{ kind = \"udp\" }",
            "{ kind = \"cbr\", rate = \"777600 bit/s\", size = \"972 B\" }",
            "stop = \"1800 ms\"",
        )
        .add("[[fault]]\nat = \"998 ms\"\nuntil = \"1495 ms\"\nlink = \"path\"\nkind = \"blackhole\"")
}

#[test]
fn longest_delivery_gap_is_the_outage_split_by_window() {
    let run = pulse()
        .add("[[window]]\nname = \"within\"\nstart = \"1200 ms\"\nend = \"1400 ms\"")
        .add("[[window]]\nname = \"end\"\nstart = \"1400 ms\"")
        .run();
    // Sent at 0.99 s; the next that arrives is sent at 1.5 s.
    let whole = run.leaf("groups.udp.longest_silence_s");
    assert_close(whole, 0.51, 1e-9);
    assert_eq!(run.flows("udp", "longest_silence_s"), [whole]);
    assert_close(run.leaf("windows.within.groups.udp.longest_silence_s"), 0.2, 1e-9);
    assert_close(run.leaf("windows.end.groups.udp.longest_silence_s"), 0.1058, 1e-9);
    let of_flow = run.column("flow_windows", "longest_silence_s");
    assert_eq!(of_flow.len(), 2);
    assert_close(of_flow[0], 0.2, 1e-9);
    assert_close(of_flow[1], 0.1058, 1e-9);
}

#[test]
fn delivery_gap_counts_only_open_flows() {
    let silence = |gap| sequence(gap, 20).tcp("longest_silence_s");
    // Handshake and one-way delay; pauses between connections do not count.
    assert!((0.06..0.07).contains(&silence("5 s")), "{}", silence("5 s"));
    assert_eq!(silence("5 s"), silence("1 s"));
}

#[test]
fn completion_goodput_covers_only_transfer_time() {
    let run = sequence("1 s", 8);
    let rate = run.tcp("completion_goodput_bps.mean");
    assert_close(rate, 800e3 / run.tcp("completion_s.mean"), 1e-9);
    assert_close(sequence("2 s", 16).tcp("completion_goodput_bps.mean"), rate, 1e-6);
    assert_eq!(run.flows("tcp", "completion_goodput_bps"), [rate]);
    let each = run.column("connections", "completion_goodput_bps");
    assert_close(each.iter().sum::<f64>() / 3.0, rate, 1e-3);
    // Goodput over the run depends on its length.
    assert_close(run.tcp("goodput_bps.sum"), 3.0 * 800e3 / 8.0, 1e-9);
    assert!(run.json["groups"]["rest"]["completion_goodput_bps"].is_null());
}

#[test]
fn interval_smoothness_matches_hand_computed_values() {
    let run = pulse()
        .top("record = { interval = \"100 ms\" }")
        .add("[[window]]\nname = \"within\"\nstart = \"1 s\"\nend = \"1400 ms\"")
        .add("[[window]]\nname = \"end\"\nstart = \"1400 ms\"")
        .run();
    let of = |window: &str, leaf: &str| run.leaf(&format!("{window}groups.udp.bins.{leaf}"));
    // The flow is open for 18 intervals. Ten datagrams arrive in each of the first ten and the last three, none between them.
    let cv = |n: f64, full: f64| (n * full * 100.0 - full * full * 100.0).sqrt() / (full * 10.0);
    assert_eq!((of("", "interval_s"), of("", "count")), (0.1, 18.0));
    assert_eq!((of("", "start_s"), of("", "end_s")), (0.0, 2.0));
    assert_eq!((of("windows.within.", "start_s"), of("windows.within.", "end_s")), (1.0, 1.4));
    assert_close(of("", "goodput_cv"), cv(18.0, 13.0), 1e-12);
    assert_eq!((of("", "goodput_min_bps"), of("", "loss_max_ratio")), (0.0, 1.0));
    assert_close(of("", "goodput_max_bps"), 777_600.0, 1e-12);
    assert_eq!(run.flows("udp", "goodput_cv"), [of("", "goodput_cv")]);
    assert_eq!(run.flows("udp", "loss_max_ratio"), [1.0]);
    // An interval that ends with a window belongs to that window.
    assert_eq!((of("windows.within.", "count"), of("windows.within.", "goodput_max_bps")), (4.0, 0.0));
    assert!(run.json["windows"]["within"]["groups"]["udp"]["bins"]["goodput_cv"].is_null());
    assert_eq!(of("windows.end.", "count"), 4.0);
    assert_close(of("windows.end.", "goodput_cv"), cv(4.0, 3.0), 1e-12);
    let of_flow = run.column("flow_windows", "goodput_cv");
    assert!(of_flow[0].is_nan() && of_flow[1] == of("windows.end.", "goodput_cv"), "{of_flow:?}");
    for table in ["group_series", "flow_series"] {
        let (time, loss) = (run.column(table, "time_s"), run.column(table, "interval_loss_ratio"));
        let at = |s: f64| loss[time.iter().position(|t| (t - s).abs() < 1e-9).unwrap()];
        assert_eq!([0.9, 1.2, 1.4, 1.7].map(at), [0.0, 1.0, 1.0, 0.0], "{table}");
        assert!(at(2.0).is_nan(), "{table}");
    }
}
