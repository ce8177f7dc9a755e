//! DFS with the settings of its paper (Bedi, Roy, Shiva 2014 §5), with fewer flows and less time.

use crate::support::{Run, Text, assert_close};

/// `n` TCP flows with SACK and ECN over 45 Mbit/s with 200 kB, as in §5. Access delays give the RTTs of 24 to 60 ms that it
/// states (its delays of 1 to 15 ms on both sides would give 24 to 80 ms).
fn dumbbell(n: usize, duration: &str, queue: &str, more: &str) -> Text {
    Text::new(duration)
        .top("record = { events = true }")
        .hosts("src", n)
        .hosts("dst", n)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "100 Mbit/s", "uniform(1 ms, 10 ms)", "")
        .link("r1", "r2", "45 Mbit/s", "10 ms", &format!("name = \"bottleneck\"\nqueue = {queue}"))
        .link("r2", "dst[*]", "100 Mbit/s", "uniform(1 ms, 10 ms)", "")
        .flow_with(
            "tcp",
            ("src[*]", "dst[*]"),
            &format!("{{ kind = \"tcp\", cc = \"newreno\", sack = true, mss = \"1000 B\", {more} }}"),
            "\"bulk\"",
            "start = \"uniform(0 s, 1 s)\"",
        )
}

/// Datagrams from `n` separate hosts.
fn udp(text: Text, name: &str, n: usize, app: &str, role: &str) -> Text {
    let (from, to) = (format!("{name}_src"), format!("{name}_dst"));
    text.hosts(&from, n)
        .hosts(&to, n)
        .link(&format!("{from}[*]"), "r1", "100 Mbit/s", "10 ms", "")
        .link("r2", &format!("{to}[*]"), "100 Mbit/s", "10 ms", "")
        .flow_with(
            name,
            (&format!("{from}[*]"), &format!("{to}[*]")),
            "{ kind = \"udp\", header = \"0 B\" }",
            app,
            role,
        )
}

/// Times at which flows of `group` were flagged or cleared, in order.
fn times(run: &Run, kind: &str, group: &str) -> Vec<f64> {
    let (kinds, groups) = (run.words("events", "kind"), run.words("events", "group"));
    let rows = kinds.iter().zip(&groups).zip(run.column("events", "time_s"));
    rows.filter(|((k, g), _)| *k == kind && *g == group).map(|(_, t)| t).collect()
}

/// TCP of the paper.
const NS2: &str = "profile = \"ns2\", ecn = true";
const FLOOD: &str = "{ kind = \"cbr\", rate = \"45 Mbit/s\", size = \"1000 B\" }";

#[test]
fn dfs_blocks_flood_without_false_positives() {
    let text = dumbbell(100, "46 s", "{ kind = \"dfs\" }", NS2).top("warmup = \"6 s\"");
    let run = udp(text, "flood", 1, FLOOD, "role = \"attack\"\nstart = \"5 s\"").run();
    // The flood is flagged within 0.6 s of its start, and then nothing of it passes.
    assert_eq!(run.queue("flagged.true_positive"), 1.0);
    assert!(run.queue("flagged.detection_s") < 0.6, "{}", run.queue("flagged.detection_s"));
    assert_eq!(run.leaf("groups.flood.goodput_bps.sum"), 0.0);
    assert_eq!(times(&run, "flag", "flood").len(), 1);
    assert!(times(&run, "clear", "flood").is_empty());
    assert_eq!(times(&run, "flag", "tcp").len(), 0);
    assert_eq!(run.queue("flagged.false_positive"), 0.0);
    assert!(run.tcp("jain") >= 0.9, "{}", run.tcp("jain"));
    // The link carries TCP only, with 1000 of 1040 bytes as payload. A model of AIMD sources leaves 5 % free.
    assert!(run.queue("utilization") > 0.93, "{}", run.queue("utilization"));
    assert_close(run.tcp("goodput_bps.sum"), run.queue("utilization") * 45e6 * 1000.0 / 1040.0, 0.01);
    // Marks hold the queue: no TCP packet is lost, and about a third of the buffer is used (61 kB in Table 4).
    assert_eq!(run.tcp("lost_packets"), 0.0);
    let backlog = run.queue("backlog_bytes.mean");
    assert!((50e3..90e3).contains(&backlog), "{backlog}");
}

#[test]
fn dfs_clears_responsive_floods_and_flags_them_again() {
    // §5.2 with 100 + 10 + 10 flows: a fair rate of 45 / 120 = 375 kbit/s. Floods send at 2 Mbit/s, at 0.8 of the fair rate, and
    // at 2 Mbit/s again.
    let schedule = "{ kind = \"schedule\", size = \"1000 B\", steps = [[\"0 s\", \"2 Mbit/s\"], [\"8 s\", \"300 kbit/s\"], [\"18 s\", \"2 Mbit/s\"]] }";
    let good = "{ kind = \"cbr\", rate = \"370 kbit/s\", size = \"1000 B\", random_phase = true }";
    let text = dumbbell(100, "26 s", "{ kind = \"dfs\", non_ect = \"pass\" }", NS2);
    let text = udp(text, "udp", 10, schedule, "role = \"attack\"\nstart = \"2 s\"");
    let run = udp(text, "g_udp", 10, good, "").run();
    let (flagged, cleared) = (times(&run, "flag", "udp"), times(&run, "clear", "udp"));
    assert_eq!((flagged.len(), cleared.len()), (20, 10), "{flagged:?} {cleared:?}");
    // Flagged, cleared, and flagged again.
    assert!(flagged[..10].iter().all(|t| (2.0..2.6).contains(t)), "{flagged:?}");
    assert!(cleared.iter().all(|t| (10.0..13.0).contains(t)), "{cleared:?}");
    assert!(flagged[10..].iter().all(|t| (20.0..20.6).contains(t)), "{flagged:?}");
    // No other flow is flagged.
    assert_eq!(run.queue("flagged.false_positive"), 0.0);
    assert!(run.leaf("groups.g_udp.loss_ratio") < 0.01, "{}", run.leaf("groups.g_udp.loss_ratio"));
    assert!(run.tcp("jain") >= 0.9, "{}", run.tcp("jain"));
}

#[test]
fn dfs_signals_non_ect_tcp_by_drops() {
    let share = |queue: &str| {
        let text = dumbbell(50, "30 s", queue, "ecn = false").top("warmup = \"6 s\"");
        udp(text, "flood", 1, FLOOD, "role = \"attack\"\nstart = \"5 s\"").run()
    };
    let dropping = share("{ kind = \"dfs\" }");
    assert_eq!(dropping.leaf("groups.flood.goodput_bps.sum"), 0.0);
    assert_eq!(dropping.queue("flagged.false_positive"), 0.0);
    assert!(dropping.tcp("jain") >= 0.95 && dropping.queue("utilization") > 0.98);
    // Algorithm 3 to the letter gives non-ECT flows no signal until they are flagged, and all are.
    let passing = share("{ kind = \"dfs\", non_ect = \"pass\" }");
    assert!(passing.queue("flagged.false_positive") > 40.0);
}
