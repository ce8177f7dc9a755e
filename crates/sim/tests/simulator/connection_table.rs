//! Table of connections: one row each, up to a limit.

use crate::determinism::eventful;
use crate::support::{Run, Text, assert_close};

fn column(run: &Run, name: &str) -> Vec<f64> {
    run.column("connections", name)
}

/// Three consecutive transfers of 50 kB over 1 Mbit/s.
fn sequence(transport: &str) -> Text {
    let app = "{ kind = \"sequence\", size = \"50 kB\", count = 3, gap = \"100 ms\" }";
    Text::new("300 s").dumbbell(1, "1 Mbit/s", "10 ms", "").flow("f", ("src[0]", "dst[0]"), transport, app)
}

#[test]
fn connection_row_covers_opening_to_close() {
    for transport in ["\"tcp\"", "{ kind = \"mptcp\" }"] {
        let run = sequence(transport).run();
        assert_eq!(column(&run, "connection"), [0.0, 1.0, 2.0]);
        assert_eq!(run.words("connections", "state"), ["closed"; 3], "{transport}");
        assert_eq!(column(&run, "delivered_bytes"), [5e4; 3]);
        assert_eq!(column(&run, "backward_delivered_bytes"), [0.0; 3]);
        assert_eq!(column(&run, "subflows"), [1.0; 3]);
        let [start, established, end] = ["start_s", "established_s", "end_s"].map(|name| column(&run, name));
        for i in 0..3 {
            // A round trip of 24 ms, and 50 kB at 1 Mbit/s.
            assert_close(established[i] - start[i], 0.025, 0.05);
            assert!((0.45..0.6).contains(&(end[i] - start[i])), "{transport} {start:?} {end:?}");
            assert!(i == 0 || start[i] > end[i - 1] + 0.099_999, "{transport} {start:?} {end:?}");
        }
        let ports = column(&run, "client_port");
        assert!(ports[0] == 49152.0 && ports[0] < ports[1] && ports[1] < ports[2], "{ports:?}");
    }
}

#[test]
fn broken_connection_has_cause_and_open_one_has_no_end() {
    let dead = "[[fault]]\nat = \"800 ms\"\nlink = \"bottleneck\"\nkind = \"blackhole\"";
    let run = sequence("{ kind = \"tcp\", data_retries = 3, syn_retries = 3 }").add(dead).run();
    assert_eq!(run.words("connections", "state"), ["closed", "timed_out", "timed_out"]);
    let established = column(&run, "established_s");
    assert!(established[1] > 0.5 && established[2].is_nan(), "{established:?}");
    assert_eq!(column(&run, "subflows"), [1.0, 1.0, 0.0]);
    let run = sequence("{ kind = \"tcp\", data_retries = 1000 }").add(dead).run();
    assert_eq!(run.words("connections", "state"), ["closed", "open"]);
    let (end, timeouts) = (column(&run, "end_s"), column(&run, "timeouts"));
    assert!(end[0] > 0.4 && end[1].is_nan() && timeouts[1] > 3.0, "{end:?} {timeouts:?}");
    let delivered = column(&run, "delivered_bytes");
    assert!(delivered[0] == 5e4 && delivered[1] > 0.0 && delivered[1] < 5e4, "{delivered:?}");
}

#[test]
fn connection_rows_add_up_to_whole_run_counters() {
    let more = r#"
[[flow]]
name = "asked"
from = "src[3]"
to = "dst[3]"
transport = { kind = "tcp" }
app = { kind = "request_response", request = "2 kB", response = "30 kB", think = "20 ms" }
[[flow]]
name = "crowd"
from = "src[2]"
to = "dst[2]"
transport = { kind = "tcp" }
app = { kind = "arrivals", size = "15 kB", gap = "exponential(60 ms)" }"#;
    let run = eventful(more).run();
    let groups = run.words("connections", "group");
    let mut open = 0;
    for group in ["tcp", "web", "asked", "crowd"] {
        let rows: Vec<usize> = (0..groups.len()).filter(|i| groups[*i] == group).collect();
        let sum = |name: &str| {
            let of = |name: &str| column(&run, name);
            let (there, back) = (of(name), of(&format!("backward_{name}")));
            rows.iter().map(|i| there[*i] + back[*i]).sum::<f64>()
        };
        let whole = |leaf: &str| run.leaf(&format!("groups.{group}.{leaf}"));
        assert_eq!(rows.len() as f64, whole("connections.opened"), "{group}");
        for leaf in ["delivered_bytes", "retransmitted_packets", "timeouts"] {
            assert_eq!(sum(leaf), whole(&format!("whole_run.{leaf}")), "{group} {leaf}");
        }
        let states = run.words("connections", "state");
        let living = rows.iter().filter(|i| states[**i] == "open").count();
        assert_eq!(living as f64, whole("connections.open"), "{group}");
        open += living;
    }
    assert!(groups.len() > 50 && open > 5, "{} rows, {open} open", groups.len());
    let back = column(&run, "backward_delivered_bytes");
    assert!(groups.iter().zip(back).all(|(group, back)| (back > 0.0) == (group == "asked")));
}

#[test]
fn connection_table_is_bounded_and_counts_unrecorded() {
    let run = |most: u64| sequence("\"tcp\"").top(&format!("record = {{ max_connections = {most} }}")).run();
    let (all, some, none) = (run(3), run(2), run(0));
    assert_eq!(all.output.fingerprint, some.output.fingerprint);
    assert_eq!(column(&all, "end_s")[..2], column(&some, "end_s"));
    let left_out = [&all, &some, &none].map(|run| run.leaf("engine.unrecorded_connections"));
    assert_eq!(left_out, [0.0, 1.0, 3.0]);
    assert!(none.output.tables.iter().all(|table| table.name != "connections"));
    assert_eq!(none.leaf("groups.f.connections.opened"), 3.0);
}

#[test]
fn summary_lists_mptcp_connections_up_to_a_limit() {
    let many = |flows: usize| {
        let text = Text::new("300 ms").dumbbell(flows, "100 Mbit/s", "1 ms", "");
        text.flow(
            "mp",
            ("src[*]", "dst[*]"),
            "{ kind = \"mptcp\" }",
            "{ kind = \"transfer\", size = \"1 kB\" }",
        )
        .run()
    };
    let (few, more) = (many(256), many(260));
    let listed = |run: &Run| run.json["connections"].as_object().unwrap().len();
    assert_eq!((listed(&few), few.leaf("engine.unlisted_connections")), (256, 0.0));
    assert_eq!((listed(&more), more.leaf("engine.unlisted_connections")), (256, 4.0));
    assert_eq!(column(&more, "delivered_bytes"), [1e3; 260]);
}
