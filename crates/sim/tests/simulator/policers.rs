//! Policers: what exceeds the rate is counted by its cause everywhere, and nothing waits.

use crate::support::{Run, Text};

/// 2 Mbit/s in packets of 500 B through a policer of 1 Mbit/s, on a link of 10 Mbit/s.
fn policed(exceed: &str) -> Run {
    Text::new("10 s")
        .top("record = { interval = \"1 s\" }")
        .dumbbell(1, "10 Mbit/s", "5 ms", &format!("queue = \"police rate 1mbit burst 10000 {exceed}\""))
        .flow(
            "cbr",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\", ecn = true }",
            "{ kind = \"cbr\", rate = \"2 Mbit/s\", size = \"500 B\" }",
        )
        .add("[[capture]]\nat = \"bottleneck\"")
        .run()
}

/// A packet each 2 ms. The bucket of 20 packets gains half a packet in each: it passes 39 at first, then every other.
const EXCEEDING: std::ops::RangeInclusive<f64> = 2479.0..=2481.0;

#[test]
fn exceeding_packets_are_counted_as_policed_and_nothing_waits() {
    let run = policed("drop");
    let exceeding = run.queue("dropped_packets.policed");
    assert!(EXCEEDING.contains(&exceeding), "{exceeding}");
    assert_eq!(run.queue("dropped_packets.overlimit") + run.queue("dropped_packets.aqm"), 0.0);
    assert_eq!(run.queue("whole_run.dropped_packets.policed"), exceeding);
    assert_eq!(run.queue("sojourn_s.max"), 0.0);
    // Rows of the other direction, where nothing is policed, lie between.
    let queues = run.words("queue_series", "queue");
    let column = |name: &str| -> Vec<f64> {
        let rows = run.column("queue_series", name).into_iter().zip(&queues);
        rows.filter(|(_, queue)| *queue == "r1->r2").map(|(value, _)| value).collect()
    };
    assert_eq!(run.column("queues", "dropped_policed_packets")[0], exceeding);
    let sampled = column("policed_packets");
    assert_eq!(sampled, column("dropped_packets"));
    assert!(sampled.last().is_some_and(|last| *last > 2000.0), "{sampled:?}");
    let bytes = &run.output.captures[0].bytes;
    let comments = bytes.windows(13).filter(|window| *window == b"drop: policed").count();
    assert_eq!(comments as f64, exceeding);
}

#[test]
fn a_policer_that_marks_loses_nothing_that_can_be_marked() {
    let run = policed("mark");
    assert!(EXCEEDING.contains(&run.queue("marked_packets")), "{}", run.queue("marked_packets"));
    assert_eq!(run.queue("dropped_packets.policed"), 0.0);
}

/// Packets that the policer dropped from 5 s to 10 s of downloads with three seeds.
fn policed_later(cc: &str) -> f64 {
    let text = Text::new("10 s")
        .top("warmup = \"5 s\"")
        .dumbbell(1, "100 Mbit/s", "20 ms", "queue = \"police rate 10mbit burst 1mb drop\"")
        .tcp(&format!("cc = {cc}"), "\"bulk\"");
    (1..=3).map(|run| text.run_number(run).queue("dropped_packets.policed")).sum()
}

#[test]
fn bbr_finds_a_policer_and_loses_less_from_then_on() {
    let drops = |found: bool| policed_later(&format!("{{ kind = \"bbr\", policer_detection = {found} }}"));
    let (with, without) = (drops(true), drops(false));
    assert!(with > 0.0 && with < 0.7 * without, "{with} {without}");
}
