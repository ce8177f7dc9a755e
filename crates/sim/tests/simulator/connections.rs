//! Short connections: old segments, port reuse, many at a time.

use crate::support::Text;

/// A path with a low delay, except for one and a half seconds in which SYNs and data take a detour of 1.6 s.
const LATE: &str = r#"
name = "late"
duration = "60 s"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
[[router]]
name = "s"
[[router]]
name = "d"
[[link]]
between = ["a", "r"]
rate = "10 Mbit/s"
delay = "1 ms"
[[link]]
name = "short"
between = ["r", "s"]
rate = "10 Mbit/s"
delay = "10 ms"
[[link]]
between = ["r", "d"]
rate = "10 Mbit/s"
delay = "800 ms"
[[link]]
between = ["d", "s"]
rate = "10 Mbit/s"
delay = "800 ms"
[[link]]
between = ["s", "b"]
rate = "10 Mbit/s"
delay = "1 ms"
[[flow]]
name = "s"
from = "a"
to = "b"
transport = { kind = "tcp" }
app = { kind = "sequence", size = "20 kB", gap = "50 ms" }
[[fault]]
at = "9000 ms"
until = "10500 ms"
link = "short"
kind = "down"
"#;

#[test]
fn old_duplicate_syn_does_not_replace_a_live_connection() {
    let run = Text::of(LATE).run();
    // A transfer takes some 70 ms and the pause 50 ms: over 400 in a minute without the second and a half of the detour.
    let completed = run.leaf("groups.s.completed");
    assert!(completed > 400.0, "{completed}");
    assert_eq!(run.leaf("groups.s.transfers.failed"), 0.0);
}

#[test]
fn port_reuse_within_time_wait_works() {
    // More connections between two addresses than a client has ports, in less time than TIME-WAIT lasts.
    let text = Text::new("58 s")
        .dumbbell(1, "1 Gbit/s", "10 us", "")
        .tcp("iw = 10", "{ kind = \"sequence\", size = \"100 B\", gap = \"1 us\" }");
    let text =
        text.with("delay = \"1 ms\"", "delay = \"100 us\"").with("delay = \"1 ms\"", "delay = \"100 us\"");
    let run = text.run();
    let completed = run.leaf("groups.tcp.completed");
    assert!(completed > 60_000.0, "{completed}");
    assert_eq!(run.leaf("groups.tcp.transfers.failed"), 0.0);
    assert_eq!(run.leaf("groups.tcp.timeouts"), 0.0);
}

/// Transfers at random times with a load of one half.
fn arrivals(transport: &str) -> Text {
    Text::new("40 s").dumbbell(1, "32 Mbit/s", "10 ms", "").flow_with(
        "web",
        ("src[0]", "dst[0]"),
        transport,
        "{ kind = \"arrivals\", size = \"20 kB\", gap = \"exponential(10 ms)\" }",
        "stop = \"30 s\"",
    )
}

#[test]
fn arrivals_are_independent_of_earlier_connections() {
    for transport in ["\"tcp\"", "\"mptcp\""] {
        let run = arrivals(transport).run();
        let transfers = |key: &str| run.leaf(&format!("groups.web.transfers.{key}"));
        // The expected number is 3000 in 30 s; a Poisson count has the square root as its standard deviation.
        let started = transfers("started");
        assert!((started - 3000.0).abs() < 4.0 * 3000_f64.sqrt(), "{transport}: {started}");
        assert_eq!((transfers("completed"), transfers("failed")), (started, 0.0), "{transport}");
        let opened = run.leaf("groups.web.connections.opened");
        assert_eq!((opened, run.leaf("groups.web.connections.open")), (started, 0.0), "{transport}");
        assert_eq!(run.leaf("groups.web.whole_run.delivered_bytes"), started * 20_000.0, "{transport}");
    }
}

/// Variants are compared under equal load: the network must not change which connections arrive.
#[test]
fn arrivals_draw_the_same_times_and_sizes_in_any_network() {
    for transport in ["\"tcp\"", "\"mptcp\""] {
        let come = |rate: &str, loss: &str| {
            let text =
                arrivals(transport).with("\"20 kB\"", "\"uniform(1 kB, 60 kB)\"").with("32 Mbit/s", rate);
            let run = text.with("delay = \"10 ms\"", &format!("delay = \"10 ms\"\nloss = \"{loss}\"")).run();
            ["start_s", "size_bytes"].map(|name| run.column("connections", name))
        };
        let easy = come("100 Mbit/s", "0 %");
        assert!(easy[0].len() > 2000 && easy[1].iter().any(|size| *size != easy[1][0]), "{transport}");
        assert_eq!(easy, come("10 Mbit/s", "2 %"), "{transport}");
    }
}

#[test]
fn arrivals_end_with_their_count() {
    let run = arrivals("\"tcp\"").with("exponential(10 ms)\"", "1 ms\", count = 17").run();
    let transfers = |key: &str| run.leaf(&format!("groups.web.transfers.{key}"));
    assert_eq!([transfers("asked"), transfers("completed"), transfers("not_begun")], [17.0, 17.0, 0.0]);
    // A transfer takes several round trips of 24 ms, and they began 1 ms after one another.
    assert!(run.leaf("groups.web.completion_s.p50") > 0.048);
}

#[test]
fn ports_of_the_scenario_are_used() {
    let text = Text::new("2 s")
        .dumbbell(1, "10 Mbit/s", "1 ms", "")
        .flow_with(
            "chosen",
            ("src[0]", "dst[0]"),
            "\"tcp\"",
            "{ kind = \"sequence\", size = \"1 kB\", count = 2 }",
            "client_port = 1234\nserver_port = 80",
        )
        .flow("other", ("src[0]", "dst[0]"), "\"tcp\"", "{ kind = \"transfer\", size = \"1 kB\" }")
        .add("[[capture]]\nat = \"dst[0]\"");
    let capture = text.run().output.captures.remove(0).bytes;
    let has = |src: u16, dst: u16| {
        let ports = [src.to_be_bytes(), dst.to_be_bytes()].concat();
        capture.windows(4).any(|four| four == ports)
    };
    assert!(has(1234, 80) && has(1235, 80) && has(49_152, 5001));
    assert!(!has(1236, 80) && !has(49_152, 5002));
}
