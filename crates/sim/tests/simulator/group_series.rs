//! Time series of groups: over all flows, over open flows, and by direction.

use crate::support::{Run, Text, assert_close};
use tailrace_scenario::{EVENT_ROW, FLOW_ROW, GROUP_ROW, QUEUE_ROW};
use tailrace_sim::Values;

/// The last value of a column.
fn last(run: &Run, column: &str) -> f64 {
    *run.column("group_series", column).last().expect("there are samples")
}

#[test]
fn group_series_cover_all_flows() {
    let text = |most: u32| {
        Text::new("3 s")
            .top(&format!("record = {{ interval = \"100 ms\", max_series_flows = {most} }}"))
            .dumbbell(5, "5 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"20 packets\" }")
            .tcp("mss = \"1000 B\"", "\"bulk\"")
    };
    let run = text(2).run();
    assert_eq!(run.column("flow_series", "time_s").len(), 2 * 30);
    assert_eq!(run.column("group_series", "time_s").len(), 30);
    let mean = |column: &str| run.column("group_series", column).iter().sum::<f64>() / 30.0;
    // Rates of all intervals add up to the total.
    assert_close(mean("throughput_bps"), run.tcp("throughput_bps.sum"), 1e-12);
    assert_close(mean("goodput_bps"), run.tcp("goodput_bps.sum"), 1e-12);
    for counter in ["sent_packets", "lost_packets", "retransmitted_packets", "loss_ratio"] {
        assert_eq!(last(&run, counter), run.tcp(counter), "{counter}");
    }
    assert_eq!((last(&run, "open_flows"), last(&run, "cwnd_flows")), (5.0, 5.0));
    // With all flows sampled the group's mean window is the mean of theirs.
    let all = text(5).run();
    let each = all.column("flow_series", "cwnd_segments");
    for (own, mean) in each.chunks(5).zip(all.column("group_series", "cwnd_mean_segments")) {
        assert_close(own.iter().sum::<f64>() / 5.0, mean, 1e-12);
    }
    assert_eq!(all.column("group_series", "goodput_bps"), run.column("group_series", "goodput_bps"));
}

#[test]
fn mean_cwnd_excludes_finished_flows() {
    // Two transfers over a fast link, one of which ends within a second, and a datagram flow that stops.
    let run = Text::new("10 s")
        .top("record = { interval = \"1 s\" }")
        .dumbbell(2, "10 Mbit/s", "5 ms", "")
        .flow("tcp", ("src[0]", "dst[0]"), "\"tcp\"", "{ kind = \"transfer\", size = \"50 kB\" }")
        .flow("long", ("src[1]", "dst[1]"), "\"tcp\"", "{ kind = \"transfer\", size = \"4 MB\" }")
        .flow_with(
            "udp",
            ("src[0]", "dst[1]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"100 B\" }",
            "start = \"1500 ms\"\nstop = \"2500 ms\"",
        )
        .run();
    let of = |group: &str, column: &str| {
        let groups = run.words("group_series", "group").into_iter();
        let rows = groups.zip(run.column("group_series", column));
        rows.filter(|(g, _)| g == group).map(|(_, x)| x).collect::<Vec<_>>()
    };
    assert_eq!(run.leaf("groups.tcp.completed") + run.leaf("groups.long.completed"), 2.0);
    assert_eq!(of("tcp", "open_flows"), [0.0; 10]);
    assert!(of("tcp", "cwnd_mean_segments").iter().all(|w| w.is_nan()));
    assert_eq!(of("tcp", "completed"), [1.0; 10]);
    let long = of("long", "cwnd_flows");
    assert_eq!((long[0], long[9]), (1.0, 0.0));
    for (open, window) in long.iter().zip(of("long", "cwnd_mean_bytes")) {
        assert_eq!(*open == 1.0, window.is_finite());
    }
    assert_eq!(of("udp", "open_flows")[..4], [0.0, 1.0, 0.0, 0.0]);
    // A finished flow has no window.
    let windows = run.column("flow_series", "cwnd_segments");
    let groups = run.words("flow_series", "group");
    assert!(windows.iter().zip(groups).all(|(w, g)| g != "tcp" || w.is_nan()));
}

#[test]
fn group_series_have_delay_per_direction() {
    // Forward 5 ms and reverse 40 ms: requests of one packet, responses of ten.
    let run = Text::new("5 s")
        .top("record = { interval = \"1 s\" }")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "1 Gbit/s", "5 ms", "reverse = { delay = \"40 ms\" }")
        .tcp(
            "mss = \"1000 B\"",
            "{ kind = \"request_response\", request = \"1 kB\", response = \"10 kB\", think = \"10 ms\" }",
        )
        .run();
    for (forward, back) in [
        (run.tcp("one_way_delay_s.mean"), run.tcp("reverse_one_way_delay_s.mean")),
        (run.flows("tcp", "one_way_delay_mean_s")[0], run.flows("tcp", "reverse_one_way_delay_mean_s")[0]),
        (last(&run, "one_way_delay_s"), last(&run, "reverse_one_way_delay_s")),
        (
            run.column("flow_series", "one_way_delay_s")[3],
            run.column("flow_series", "reverse_one_way_delay_s")[3],
        ),
    ] {
        assert_close(forward, 0.005, 0.01);
        assert_close(back, 0.040, 0.01);
    }
    // A one-way flow has no reverse values.
    let one_way =
        Text::new("1 s").dumbbell(1, "5 Mbit/s", "5 ms", "").tcp("mss = \"1000 B\"", "\"bulk\"").run();
    assert!(one_way.tcp("one_way_delay_s.mean") > 0.0);
    assert!(one_way.tcp("reverse_one_way_delay_s.mean").is_nan());
}

#[test]
fn series_rows_match_the_memory_estimate() {
    let run = Text::new("3 s")
        .top("record = { interval = \"1 s\", events = true }")
        .dumbbell(1, "5 Mbit/s", "5 ms", "queue = { kind = \"codel\" }")
        .tcp("mss = \"1000 B\"", "\"bulk\"")
        .run();
    let width = |name: &str| {
        let table = run.output.tables.iter().find(|table| table.name == name).expect("it is there");
        let of = |values: &Values| if matches!(values, Values::U64(_) | Values::F64(_)) { 8 } else { 4 };
        table.columns.iter().map(|column| of(&column.values)).sum::<u64>()
    };
    assert_eq!((width("flow_series"), width("group_series")), (FLOW_ROW, GROUP_ROW));
    assert_eq!((width("queue_series") + width("law_series"), width("events")), (QUEUE_ROW, EVENT_ROW));
}
