//! Outcomes of transfers: unfinished ones are reported with the reason.

use crate::mptcp::{flow, parallel};
use crate::support::{Run, Text};

fn transfers(run: &Run, group: &str) -> [u64; 6] {
    let keys = ["asked", "started", "completed", "failed", "under_way", "not_begun"];
    let t = &run.json["groups"][group]["transfers"];
    keys.map(|key| t[key].as_u64().unwrap_or_else(|| panic!("{key} in {t}")))
}

fn broken(run: &Run, group: &str, cause: &str) -> f64 {
    run.leaf(&format!("groups.{group}.connections.broken.{cause}"))
}

/// Three consecutive transfers of 50 kB over 1 Mbit/s; 0.43 s each.
fn sequence(transport: &str, fault: &str) -> Run {
    Text::new("300 s")
        .top("record = { events = true }")
        .dumbbell(1, "1 Mbit/s", "10 ms", "")
        .tcp(transport, "{ kind = \"sequence\", size = \"50 kB\", count = 3, gap = \"0 s\" }")
        .add(fault)
        .run()
}

#[test]
fn transfer_counts_cover_every_outcome() {
    let run = sequence("", "");
    assert_eq!(transfers(&run, "tcp"), [3, 3, 3, 0, 0, 0]);
    assert_eq!((run.tcp("connections.opened"), run.tcp("connections.open")), (3.0, 0.0));
    assert_eq!(run.words("flows", "broken"), [""]);
    // The second transfer times out, and so does the third.
    let dead = "[[fault]]\nat = \"700 ms\"\nlink = \"bottleneck\"\nkind = \"blackhole\"";
    let run = sequence("data_retries = 3, syn_retries = 3", dead);
    assert_eq!(transfers(&run, "tcp"), [3, 3, 1, 2, 0, 0]);
    assert_eq!(broken(&run, "tcp", "timed_out"), 2.0);
    assert_eq!(run.words("flows", "broken"), ["timed_out"]);
    let rows = run.words("events", "kind").into_iter().zip(run.words("events", "detail"));
    assert_eq!(rows.filter(|(k, d)| k == "broken" && d == "timed_out").count(), 2);
    // A transfer that keeps trying is under way, and the next one has not begun.
    let run = sequence("data_retries = 1000", dead);
    assert_eq!(transfers(&run, "tcp"), [3, 2, 1, 0, 1, 1]);
    assert_eq!((broken(&run, "tcp", "timed_out"), run.tcp("connections.open")), (0.0, 1.0));
}

#[test]
fn transfer_counts_are_null_without_transfers() {
    let run = Text::new("2 s")
        .dumbbell(1, "1 Mbit/s", "10 ms", "")
        .tcp("", "\"bulk\"")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"9 kbit/s\", size = \"99 B\" }",
        )
        .run();
    let group = |name: &str, key: &str| run.json["groups"][name][key].clone();
    assert!(group("tcp", "transfers").is_null() && group("udp", "transfers").is_null());
    assert!(group("udp", "connections").is_null());
    assert_eq!((run.tcp("connections.opened"), run.tcp("connections.open")), (1.0, 1.0));
}

#[test]
fn interface_down_is_the_cause_of_break() {
    let fault = "[[fault]]\nat = \"2 s\"\nuntil = \"3 s\"\nlink = \"path0\"\nkind = \"down\"";
    let text = flow(parallel("300 s", 1, "30 packets"), "", "{ kind = \"transfer\", size = \"2 MB\" }");
    let run = text.add(fault).run();
    assert_eq!(transfers(&run, "mp"), [1, 1, 0, 1, 0, 0]);
    assert_eq!(broken(&run, "mp", "interface_down"), 1.0);
    assert_eq!(run.words("flows", "broken"), ["interface_down"]);
}

#[test]
fn sequence_continues_after_fallback_by_stripped_dss() {
    // All data and the DATA_FIN are sent before the fallback is detected.
    for (size, iw) in [("10 kB", 10), ("20 kB", 50), ("1 B", 10)] {
        let text = Text::new("60 s")
            .hosts("a", 1)
            .hosts("b", 1)
            .router("r")
            .link("a", "r", "20 Mbit/s", "20 ms", "strip = \"mptcp_data\"")
            .link("r", "b", "20 Mbit/s", "80 ms", "");
        let app = format!("{{ kind = \"sequence\", size = \"{size}\", gap = \"50 ms\", count = 6 }}");
        for transport in [format!("iw = {iw}"), format!("profile = \"linux\", iw = {iw}")] {
            let transport = format!("{{ kind = \"mptcp\", {transport} }}");
            let run = text.clone().flow("mp", ("a", "b"), &transport, &app).run();
            assert_eq!(transfers(&run, "mp"), [6, 6, 6, 0, 0, 0], "{size} {transport}");
            assert_eq!(run.leaf("groups.mp.connections.open"), 0.0, "{size} {transport}");
        }
    }
}
