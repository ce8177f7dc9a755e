//! Disciplines that write into packets: labels must survive the way from router to router.

use crate::support::{Run, Text, assert_close};

const TCP: &str = "{ kind = \"tcp\", cc = \"newreno\", profile = \"ns2\", mss = \"1000 B\" }";
const UDP: &str = "{ kind = \"udp\", header = \"0 B\" }";

/// One UDP flow of 10 Mbit/s and 31 TCP flows over 10 Mbit/s from `r2` on, behind `r1`.
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

/// The share of the flood, and the mean of TCP's, in 32nds of 10 Mbit/s.
fn shares(run: &Run) -> (f64, f64) {
    let leaf =
        |group: &str, what: &str| run.leaf(&format!("groups.{group}.throughput_bps.{what}")) / 312_500.0;
    (leaf("udp", "sum"), leaf("tcp", "mean"))
}

#[test]
fn csfq_holds_a_flood_to_about_the_share_of_each_tcp() {
    // Stoica et al. 1998 §4.1; spec section 4, oracle (d): 10/32 Mbit/s each. What a flood of 32 times its share gets
    // beyond it is what the averages are late; TCP gets the rest.
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
fn a_csfq_core_without_an_edge_protects_nobody() {
    let run = flood_and_tcp("queue = \"droptail\"", "queue = { kind = \"csfq\", role = \"core\" }");
    let (udp, tcp) = shares(&run);
    assert!(udp > 20.0 && tcp < 0.4, "{udp} {tcp}");
}
