//! Disciplines that write labels: these must survive from router to router.

use crate::support::{Run, Text, assert_close};

const TCP: &str = "{ kind = \"tcp\", cc = \"newreno\", profile = \"ns2\", mss = \"1000 B\" }";
const UDP: &str = "{ kind = \"udp\", header = \"0 B\" }";

/// A UDP flow of 10 Mbit/s and 31 TCP flows over 10 Mbit/s from `r2` on, behind `r1`.
fn flood_and_tcp(first: &str, second: &str) -> Run {
    Text::new("60 s")
        .top("warmup = \"20 s\"")
        .hosts("src", 32)
        .hosts("dst", 32)
        .router("r1")
        .router("r2")
        .router("r3")
        .link("src[*]", "r1", "100 Mbit/s", "1 ms", "")
        .link("r1", "r2", "100 Mbit/s", "1 ms", first)
        .link("r2", "r3", "10 Mbit/s", "1 ms", &format!("name = \"bottleneck\"\n{second}"))
        .link("r3", "dst[*]", "100 Mbit/s", "1 ms", "")
        .flow_with("tcp", ("src[1..32]", "dst[1..32]"), TCP, "\"bulk\"", "start = \"uniform(0 s, 1 s)\"")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            UDP,
            "{ kind = \"cbr\", rate = \"10 Mbit/s\", size = \"1000 B\", jitter = 0.1 }",
        )
        .run()
}

/// Share of the flood, and mean share of TCP, in 32nds of 10 Mbit/s.
fn shares(run: &Run) -> (f64, f64) {
    let leaf =
        |group: &str, what: &str| run.leaf(&format!("groups.{group}.throughput_bps.{what}")) / 312_500.0;
    (leaf("udp", "sum"), leaf("tcp", "mean"))
}

#[test]
fn csfq_limits_a_flood_to_a_fair_share() {
    // Stoica et al. 1998 §4.1; spec section 4, oracle (d): 10/32 Mbit/s each. A flood of 32 times its share gets more while its
    // estimates lag; TCP gets the rest.
    for (first, second) in [("droptail", "edge"), ("csfq", "core")] {
        let run = flood_and_tcp(
            &format!("queue = \"{first}\""),
            &format!("queue = {{ kind = \"csfq\", role = \"{second}\" }}"),
        );
        let (udp, tcp) = shares(&run);
        assert!((1.0..1.6).contains(&udp), "{second}: {udp}");
        assert_close(tcp, 1.0, 0.04);
        assert!(run.leaf("groups.tcp.jain") > 0.99);
        assert!(run.leaf("queues.r2->r3.utilization") > 0.98);
    }
}

#[test]
fn csfq_core_without_edge_does_not_protect() {
    let run = flood_and_tcp("queue = \"droptail\"", "queue = { kind = \"csfq\", role = \"core\" }");
    let (udp, tcp) = shares(&run);
    assert!(udp > 20.0 && tcp < 0.4, "{udp} {tcp}");
}

/// Three TCP flows and a flood over 1 Mbit/s for 240 s, the first 80 s of them uncounted.
fn netfence(access: &str, bottleneck: &str, flood: &str, more: &str) -> Run {
    Text::new("240 s")
        .top("warmup = \"80 s\"")
        .hosts("src", 4)
        .hosts("dst", 4)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "10 Mbit/s", "5 ms", access)
        .link("r1", "r2", "1 Mbit/s", "10 ms", &format!("name = \"bottleneck\"\n{bottleneck}"))
        .link("r2", "dst[*]", "10 Mbit/s", "5 ms", access)
        .flow_with("tcp", ("src[1..4]", "dst[1..4]"), TCP, "\"bulk\"", "start = \"uniform(0 s, 1 s)\"")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            UDP,
            &format!("{{ kind = \"cbr\", rate = \"{flood}\", size = \"1000 B\", jitter = 0.1 }}"),
            more,
        )
        .run()
}

const BOTH: &str = "queue = \"netfence\"";
const ACCESS: &str = "queue = { kind = \"netfence\", role = \"access\" }";
const BOTTLENECK: &str = "queue = { kind = \"netfence\", role = \"bottleneck\" }";

/// Share of the flood, and mean share of TCP, in quarters of the link.
fn quarters(run: &Run) -> (f64, f64) {
    let leaf =
        |group: &str, what: &str| run.leaf(&format!("groups.{group}.throughput_bps.{what}")) / 250_000.0;
    (leaf("udp", "sum"), leaf("tcp", "mean"))
}

#[test]
fn netfence_limits_a_flood_to_a_fair_share() {
    // Spec section 5: limits vary about C/N, and fall to 0.9^3 of it at worst; a flood gets no more than the others.
    for (access, bottleneck, rate) in
        [("", BOTH, "3 Mbit/s"), ("", BOTH, "800 kbit/s"), (ACCESS, BOTTLENECK, "3 Mbit/s")]
    {
        let (udp, tcp) = quarters(&netfence(access, bottleneck, rate, "role = \"attack\""));
        assert!((0.73..1.05).contains(&udp), "{bottleneck} {rate}: {udp}");
        assert!((0.9..1.1).contains(&tcp), "{bottleneck} {rate}: {tcp}");
    }
    let (udp, tcp) = quarters(&netfence("", "queue = \"droptail\"", "3 Mbit/s", ""));
    assert!(udp > 3.9 && tcp < 0.05, "without it: {udp} {tcp}");
}

#[test]
fn netfence_limits_sender_without_feedback_to_requests() {
    let (udp, tcp) = quarters(&netfence("", BOTH, "3 Mbit/s", "feedback = \"withhold\""));
    // Upper bound of 5 % of the link.
    assert!((0.15..0.2001).contains(&udp), "{udp}");
    assert!(tcp > 1.1, "{tcp}");
}

#[test]
fn netfence_bottleneck_without_access_router_is_a_legacy_fifo() {
    let (udp, tcp) = quarters(&netfence("", BOTTLENECK, "3 Mbit/s", ""));
    assert!(udp > 3.9 && tcp < 0.05, "{udp} {tcp}");
}

#[test]
fn netfence_flags_only_the_flood() {
    let run = netfence("", BOTH, "3 Mbit/s", "role = \"attack\"");
    let flagged = |what: &str| run.leaf(&format!("queues.r1->r2.flagged.{what}"));
    let verdicts = ["true_positive", "false_positive", "false_negative"].map(flagged);
    assert_eq!(verdicts, [1.0, 0.0, 0.0]);
}
