//! Equal scenarios and seeds give equal runs.

use crate::support::{Text, run_scenario};
use std::sync::Arc;
use tailrace_scenario::Scenario;

/// An addition to [`eventful`]: a second path with other queues, and MPTCP connections over both.
pub(crate) const SPARE: &str = r#"
[[router]]
name = "r3"
[[link]]
name = "spare"
between = ["src[4]", "r3"]
rate = "5 Mbit/s"
delay = "3 ms"
queue = { kind = "codel", ecn = true }
[[link]]
between = ["r3", "r2"]
rate = "2 Mbit/s"
delay = "20 ms"
queue = "sfb"
[[flow]]
name = "mp"
from = "src[4]"
to = "dst[2]"
transport = { kind = "mptcp", path_manager = "fullmesh" }
app = { kind = "sequence", size = "300 kB", gap = "50 ms" }
"#;

/// Randomness everywhere: delays, starts, RED, losses, jitter that reorders, faults.
pub(crate) fn eventful(more: &str) -> Text {
    Text::new("8 s")
        .hosts("src", 5)
        .hosts("dst", 5)
        .hosts("noise", 1)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "50 Mbit/s", "uniform(1 ms, 9 ms)", "")
        .link("noise[*]", "r1", "50 Mbit/s", "1 ms", "loss = { kind = \"gemodel\", p = 0.02, r = 0.3 }")
        .link(
            "r1",
            "r2",
            "8 Mbit/s",
            "10 ms",
            "name = \"bottleneck\"\njitter = \"exponential(1 ms)\"\nreorder = true\nloss = \"0.1 %\"\nqueue = { kind = \"red\", limit = \"60 packets\", ecn = true }",
        )
        .link("r2", "dst[*]", "50 Mbit/s", "uniform(1 ms, 9 ms)", "")
        .flow_with(
            "tcp",
            ("src[*]", "dst[*]"),
            "{ kind = \"tcp\", mss = \"1000 B\", ecn = true }",
            "\"bulk\"",
            "start = \"uniform(0 s, 1 s)\"",
        )
        .flow("noise", ("noise[0]", "dst[0]"), "\"udp\"", "{ kind = \"on_off\", rate = \"6 Mbit/s\", size = \"500 B\", on = \"exponential(50 ms)\", off = \"pareto(100 ms, 1.5)\" }")
        .flow("web", ("src[0]", "dst[1]"), "\"tcp\"", "{ kind = \"sequence\", size = \"20 kB\", gap = \"exponential(200 ms)\" }")
        .add("[[fault]]\nat = \"3 s\"\nuntil = \"4 s\"\nlink = \"bottleneck\"\nkind = \"rate\"\nvalue = \"2 Mbit/s\"\n[[fault]]\nat = \"5 s\"\nuntil = \"5500 ms\"\nlink = \"bottleneck\"\nkind = \"down\"")
        .add(more)
}

#[test]
fn same_seed_repeats_run_and_other_seed_differs() {
    let text = eventful("");
    let first = text.run();
    assert!(
        first.tcp("lost_packets") > 0.0
            && first.tcp("marked_packets") > 0.0
            && first.leaf("groups.web.completed") > 2.0
    );
    let again = text.run();
    assert_eq!(first.output.fingerprint, again.output.fingerprint);
    let figures = |run: &crate::support::Run| {
        let mut json = run.json.clone();
        json.as_object_mut().unwrap().remove("engine");
        json
    };
    assert_eq!(figures(&first), figures(&again));
    assert_eq!(first.output.tables.len(), again.output.tables.len());
    for name in ["sent_packets", "delivered_bytes", "start_s", "one_way_delay_mean_s"] {
        assert_eq!(first.column("flows", name), again.column("flows", name));
    }
    assert_ne!(first.output.fingerprint, text.run_number(2).output.fingerprint);
    assert_ne!(first.output.fingerprint, text.top("seed = 2").run().output.fingerprint);
}

#[test]
fn concurrent_runs_are_independent() {
    let scenario = eventful("").scenario();
    let alone: Vec<u64> = (1..=8).map(|n| run_scenario(&scenario, n).output.fingerprint).collect();
    let together: Vec<u64> = std::thread::scope(|s| {
        let threads: Vec<_> = (1..=8)
            .map(|n| {
                let scenario: &Arc<Scenario> = &scenario;
                s.spawn(move || run_scenario(scenario, n).output.fingerprint)
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
    // Eight seeds, eight different runs.
    let mut distinct = alone.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 8);
}

#[test]
fn added_group_does_not_change_draws_of_others() {
    // A group that never sends: start times, link delays and the noise stay the same.
    let plain = eventful("").run();
    let late = "[[flow]]\nname = \"late\"\nfrom = \"src[2]\"\nto = \"dst[3]\"\ntransport = \"udp\"\napp = { kind = \"poisson\", rate = \"1 Mbit/s\", size = \"100 B\" }\nstart = \"20 s\"";
    let more = eventful(late).run();
    assert_eq!(plain.flows("tcp", "start_s"), more.flows("tcp", "start_s"));
    for column in ["sent_packets", "received_packets", "delivered_bytes", "one_way_delay_mean_s"] {
        for group in ["tcp", "noise", "web"] {
            assert_eq!(plain.flows(group, column), more.flows(group, column), "{group} {column}");
        }
    }
    // A group that sends changes the traffic, but no draw: the noise sends the same packets.
    let busy = eventful(&late.replace("start = \"20 s\"", "start = \"0 s\"")).run();
    assert_eq!(plain.flows("tcp", "start_s"), busy.flows("tcp", "start_s"));
    assert_eq!(plain.flows("noise", "sent_packets"), busy.flows("noise", "sent_packets"));
    assert_ne!(plain.output.fingerprint, busy.output.fingerprint);
}

#[test]
fn added_link_does_not_change_loss_draws_of_a_fault() {
    let lost = |before: &str| {
        let run = Text::new("10 s")
            .add(before)
            .hosts("src", 1)
            .hosts("dst", 1)
            .link("src[*]", "dst[*]", "10 Mbit/s", "1 ms", "name = \"cable\"")
            .flow(
                "udp",
                ("src[0]", "dst[0]"),
                "\"udp\"",
                "{ kind = \"cbr\", rate = \"4 Mbit/s\", size = \"500 B\" }",
            )
            .add("[[fault]]\nat = \"1 s\"\nlink = \"cable\"\nkind = \"loss\"\nvalue = \"10 %\"")
            .run();
        run.leaf("groups.udp.lost_packets")
    };
    let elsewhere = "[[router]]\nname = \"x\"\n[[router]]\nname = \"y\"\n[[link]]\nbetween = [\"x\", \"y\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"";
    assert_eq!(lost(""), lost(elsewhere));
}
