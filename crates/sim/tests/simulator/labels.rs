//! Disciplines that write into packets: labels must survive the way from router to router.

use crate::support::{Run, Text};

const TCP: &str = "{ kind = \"tcp\", cc = \"newreno\", mss = \"1000 B\", header = \"40 B\" }";
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
        .link("r1", "r2", "11 Mbit/s", "1 ms", first)
        .link("r2", "r3", "10 Mbit/s", "1 ms", &format!("name = \"bottleneck\"\n{second}"))
        .link("r3", "dst[*]", "100 Mbit/s", "1 ms", "")
        .flow_with("tcp", ("src[1..31]", "dst[1..31]"), TCP, "\"bulk\"", "start = \"uniform(0 s, 1 s)\"")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            UDP,
            "{ kind = \"cbr\", rate = \"10 Mbit/s\", size = \"1000 B\", jitter = 0.1 }",
        )
        .run()
}

#[test]
fn try_it() {
    for (a, b) in [("droptail", "droptail"), ("droptail", "csfq"), ("csfq", "{ kind = \"csfq\", role = \"core\" }"), ("fq_codel", "drr"), ("droptail", "{ kind = \"csfq\", role = \"core\" }")] {
        let q = |k: &str| if k.starts_with('{') { format!("queue = {k}") } else { format!("queue = \"{k}\"") };
        let run = flood_and_tcp(&q(a), &q(b));
        println!("{a} {b}: udp {} tcp mean {} min {} max {} jain {} util {}", run.leaf("groups.udp.throughput_bps.sum"), run.leaf("groups.tcp.throughput_bps.mean"), run.leaf("groups.tcp.throughput_bps.min"), run.leaf("groups.tcp.throughput_bps.max"), run.leaf("groups.tcp.jain"), run.leaf("queues.r2->r3.utilization"));
    }
}
