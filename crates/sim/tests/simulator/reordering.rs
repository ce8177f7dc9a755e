//! Reordering at the data level, by hand.

use crate::support::{Run, Text, assert_close};

/// Two paths of 10 Mbit/s with 10 and 100 ms, and a fixed number of segments on each; no queues.
fn two_ways(scheduler: &str) -> Run {
    let text = Text::new("30 s")
        .top("record = { interval = \"10 ms\" }")
        .hosts("a", 1)
        .hosts("b", 1)
        .link("a", "b", "10 Mbit/s", "10 ms", "name = \"fast\"")
        .link("a", "b", "10 Mbit/s", "100 ms", "name = \"slow\"");
    let transport = format!(
        "{{ kind = \"mptcp\", profile = \"linux\", path_manager = \"fullmesh\", cc = \"newreno\", window = 4, scheduler = \"{scheduler}\" }}"
    );
    text.flow("mp", ("a", "b"), &transport, "\"bulk\"").run()
}

/// Payload of a full segment.
const SEGMENT: f64 = 1424.0;

/// A leaf of the connection.
fn of(run: &Run, leaf: &str) -> f64 {
    run.leaf(&format!("connections.mp[0].{leaf}"))
}

#[test]
fn reordering_delay_is_the_path_difference() {
    let run = two_ways("lowest_rtt");
    // Segments of 1500 B take 1.2 ms; the slow path is 90 ms longer, and the last of its four segments comes 3.6 ms after the
    // first.
    let wait = of(&run, "reordering_delay_s.max");
    assert!(wait > 0.09 && wait <= 0.0936, "{wait}");
    // Meanwhile the fast path carries four or five rounds of four segments, each of 21.26 ms: the last of them lies that many
    // segments ahead of the missing one, and up to three more that the slow path has sent since.
    let ahead = of(&run, "displacement_bytes.max") / SEGMENT;
    assert!((16.0..=23.0).contains(&ahead) && ahead.fract() == 0.0, "{ahead}");
    // Little's law: mean bytes waiting equal the arrival rate times the mean wait.
    let waiting = run.column("connection_series", "waiting_bytes");
    let mean = waiting.iter().sum::<f64>() / waiting.len() as f64;
    let rate = of(&run, "delivered_bytes") / 30.0;
    assert_close(mean, rate * of(&run, "reordering_delay_s.mean"), 0.02);
    // The application sees the difference of the paths as jitter.
    let jitter = run.leaf("groups.mp.jitter_s.max");
    assert!(jitter > 0.08 && jitter <= 0.0936, "{jitter}");
}

#[test]
fn redundant_scheduler_avoids_reordering() {
    let (one, both) = (two_ways("lowest_rtt"), two_ways("redundant"));
    for leaf in ["displacement_bytes", "reordering_delay_s"] {
        assert!(of(&both, &format!("{leaf}.max")) < 0.1 * of(&one, &format!("{leaf}.max")), "{leaf}");
    }
    assert!(of(&both, "reordered_ratio") < 0.01 && of(&one, "reordered_ratio") > 0.3);
    assert!(both.leaf("groups.mp.jitter_s.max") < 0.1 * one.leaf("groups.mp.jitter_s.max"));
}

#[test]
fn reordering_table_and_series_match_summary() {
    let run = two_ways("lowest_rtt");
    let (variables, low, high, segments) = (
        run.words("reordering", "variable"),
        run.column("reordering", "low"),
        run.column("reordering", "high"),
        run.column("reordering", "segments"),
    );
    for variable in ["displacement_bytes", "reordering_delay_s"] {
        let rows: Vec<usize> = (0..variables.len()).filter(|i| variables[*i] == variable).collect();
        let all: f64 = rows.iter().map(|i| segments[*i]).sum();
        let sum: f64 = rows.iter().map(|i| segments[*i] * (low[*i] + high[*i]) / 2.0).sum();
        assert_close(sum / all, of(&run, &format!("{variable}.mean")), 0.008);
        let max = of(&run, &format!("{variable}.max"));
        let last = *rows.last().expect("there are some");
        assert!(low[last] <= max && max <= high[last], "{variable}: {max}");
        assert!(rows.iter().all(|i| low[*i] <= high[*i]) && rows.windows(2).all(|w| high[w[0]] < low[w[1]]));
        let ahead: f64 = rows.iter().filter(|i| low[**i] > 0.0).map(|i| segments[*i]).sum();
        // Segments that wait at the end have a displacement, but no delay yet.
        assert_close(ahead / all, of(&run, "reordered_ratio"), 0.01);
    }
    let course = run.column("connection_series", "displacement_bytes");
    assert_eq!(course.iter().copied().fold(0.0, f64::max), of(&run, "displacement_bytes.max"));
    assert!(course.contains(&0.0), "it begins anew with every sample");
}
