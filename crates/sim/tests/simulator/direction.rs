//! Data from the server: a download equals the mirrored upload, except that the receiver opens the connection.

use crate::support::{Run, Text, assert_close};
use proptest::prelude::*;

/// Data from `src` to `dst` over a queue: an upload, or a download opened by `dst`.
fn mirrored(text: Text, transport: &str, app: &str, down: bool) -> Text {
    let (ends, direction) = if down { (("dst[0]", "src[0]"), "down") } else { (("src[0]", "dst[0]"), "up") };
    let app = format!("{{ {app}, direction = \"{direction}\" }}");
    text.flow("tcp", ends, &format!("{{ kind = \"tcp\", header = \"40 B\", {transport} }}"), &app)
}

/// Counters of a sender.
fn counts(run: &Run) -> Vec<f64> {
    let of = ["sent_packets", "lost_packets", "retransmitted_packets", "timeouts", "completed"];
    of.map(|leaf| run.tcp(leaf)).to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn download_time_is_mirrored_upload_plus_ack_delay(
        kbit in 500_u64..20_000,
        delay_ms in 1_u64..80,
        limit in 3_u64..60,
        size in 1_u64..2_000_000,
        cc in prop::sample::select(vec!["reno", "cubic"]),
    ) {
        let rate = format!("{kbit} kbit/s");
        let queue = format!("queue = {{ kind = \"droptail\", limit = \"{limit} packets\" }}");
        let text = Text::new("400 s").dumbbell(1, &rate, &format!("{delay_ms} ms"), &queue);
        let app = format!("kind = \"transfer\", size = \"{size} B\"");
        let run = |down| mirrored(text.clone(), &format!("cc = \"{cc}\""), &app, down).run();
        let (up, down) = (run(false), run(true));
        prop_assert_eq!(counts(&up), counts(&down));
        prop_assert_eq!(up.tcp("completed"), 1.0);
        down.assert_drained();
        // Path of an ACK of 40 B over two links of 1 Gbit/s and 1 ms and the bottleneck: it ends the handshake, and then the
        // server begins.
        let way = 2.0 * (320e-9 + 1e-3) + 320.0 / (kbit as f64 * 1e3) + delay_ms as f64 * 1e-3;
        let took = |run: &Run| run.column("connections", "completion_s")[0];
        prop_assert!((took(&down) - took(&up) - way).abs() < 4e-9, "{} and {}", took(&down) - took(&up), way);
        // Downloaded data flows in the reverse direction.
        let delays = |run: &Run, leaf: &str| run.tcp(&format!("{leaf}.mean"));
        prop_assert_eq!(delays(&up, "one_way_delay_s"), delays(&down, "reverse_one_way_delay_s"));
        prop_assert!(delays(&down, "one_way_delay_s").is_nan());
    }
}

#[test]
fn series_and_min_rtt_are_of_the_sending_end() {
    let text = Text::new("10 s").top("[record]\ninterval = \"10 ms\"").dumbbell(1, "5 Mbit/s", "20 ms", "");
    let run = |down| mirrored(text.clone(), "cc = \"reno\"", "kind = \"bulk\"", down).run();
    let (up, down) = (run(false), run(true));
    for (run, end) in [(&up, "client"), (&down, "server")] {
        assert!(run.words("flow_series", "end").iter().all(|word| word == end));
    }
    let last = |run: &Run, column: &str| *run.column("flow_series", column).last().unwrap();
    assert_close(last(&down, "cwnd_bytes"), last(&up, "cwnd_bytes"), 0.05);
    assert!(last(&down, "in_flight_bytes") > 20_000.0);
    assert_eq!(down.flows("tcp", "rtt_min_s"), up.flows("tcp", "rtt_min_s"));
    assert_close(down.tcp("goodput_bps.sum"), up.tcp("goodput_bps.sum"), 0.01);
}

#[test]
fn server_stops_at_configured_time() {
    let text = Text::new("10 s")
        .dumbbell(1, "5 Mbit/s", "20 ms", "queue = { kind = \"droptail\", limit = \"20 packets\" }")
        .flow_with(
            "tcp",
            ("dst[0]", "src[0]"),
            "\"tcp\"",
            "{ kind = \"bulk\", direction = \"down\" }",
            "stop = \"3 s\"",
        );
    let run = text.run();
    run.assert_drained();
    assert_eq!(run.tcp("connections.open"), 0.0);
    // Payload of 3 s at 5 Mbit/s, with at most 1448 B in 1500 B.
    assert_close(run.flows("tcp", "delivered_bytes")[0], 3.0 * 5e6 / 8.0 * 0.96, 0.1);
    // A stop before the server has heard from the client ends the flow, too.
    let early = text.with("stop = \"3 s\"", "stop = \"10 ms\"").run();
    assert_eq!((early.tcp("sent_packets"), early.tcp("connections.open")), (0.0, 0.0));
}

#[test]
fn download_slowdown_is_relative_to_ideal_fct() {
    // Forward 10 Mbit/s and reverse 1 Mbit/s: 5000 B take 40 ms.
    let text = Text::new("10 s").hosts("src", 1).hosts("dst", 1).link(
        "src[*]",
        "dst[*]",
        "10 Mbit/s",
        "10 ms",
        "reverse = { rate = \"1 Mbit/s\" }",
    );
    let app = "{ kind = \"sequence\", size = \"5000 B\", gap = \"1 s\", count = 3, direction = \"down\" }";
    let run = text.tcp("mss = \"1000 B\"", app).run();
    assert_eq!(run.tcp("completed"), 3.0);
    assert_eq!(run.column("connections", "backward_delivered_bytes"), [5000.0; 3]);
    for (took, slowdown) in
        run.column("connections", "completion_s").iter().zip(run.column("connections", "slowdown"))
    {
        assert_close(took / 0.08, slowdown, 1e-9);
        assert!(slowdown > 1.0 && slowdown < 1.1, "{slowdown}");
    }
}

#[test]
fn download_load_is_relative_to_reverse_capacity() {
    let text = Text::new("60 s").hosts("src", 1).hosts("dst", 1).link(
        "src[*]",
        "dst[*]",
        "100 Mbit/s",
        "1 ms",
        "name = \"line\"\nreverse = { rate = \"10 Mbit/s\" }",
    );
    let app =
        "{ kind = \"arrivals\", size = \"20 kB\", load = \"50 %\", of = \"line\", direction = \"down\" }";
    let run = text.tcp("", app).run();
    assert_close(run.tcp("goodput_bps.sum"), 5e6, 0.05);
}

#[test]
fn multihomed_client_downloads_over_all_paths() {
    let text = crate::mptcp::parallel("20 s", 2, "30 packets").top("[record]\ninterval = \"100 ms\"");
    let run = crate::mptcp::flow(text, "", "{ kind = \"bulk\", direction = \"down\" }").run();
    // Two links of 1 Mbit/s, headers of 72 B beside 1428 B of payload.
    assert_close(run.leaf("groups.mp.goodput_bps.sum"), 2e6 * 1428.0 / 1500.0, 0.05);
    assert_eq!(run.leaf("connections.mp[0].subflows_established"), 2.0);
    assert_eq!(run.leaf("connections.mp[0].acked_bytes"), 0.0);
    for path in ["path0", "path1"] {
        assert!(run.leaf(&format!("connections.mp[0].backward.paths.{path}.scheduled_bytes")) > 1e6);
    }
    for table in ["subflow_series", "connection_series"] {
        let ends = run.words(table, "end");
        let windows = ends.iter().filter(|end| *end == "server").count();
        assert!(windows >= 198, "{windows} rows of {table}");
    }
    assert!(run.words("flow_series", "end").iter().all(|end| end == "server"));
}
