//! Link properties seen by disciplines: faults change them, and overhead is not capacity.

use crate::support::{Run, Text, assert_close};
use tailrace_qdisc::QdiscConfig;

/// Two TCP flows and a UDP flow over a link of `rate` and `delay` with this queue.
fn text((rate, delay): (&str, &str), queue: &str, more: &str) -> Text {
    Text::new("4 s")
        .dumbbell(2, rate, delay, &format!("queue = {queue}\n{more}"))
        .tcp("cc = \"newreno\"", "\"bulk\"")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\" }",
            "{ kind = \"cbr\", rate = \"3 Mbit/s\", size = \"1472 B\" }",
        )
}

fn fault(kind: &str, value: &str) -> String {
    format!("[[fault]]\nat = \"0 s\"\nlink = \"bottleneck\"\nkind = \"{kind}\"\nvalue = \"{value}\"")
}

/// All disciplines, alone and as inner queues.
fn queues() -> impl Iterator<Item = String> {
    let plain = |name: &&str| format!("{{ kind = \"{name}\" }}");
    let others = [
        "{ kind = \"drr\", classes = \"udp: avq; other: red\" }",
        "{ kind = \"fq\", service = \"bit_by_bit\" }",
        "{ kind = \"red\", levels = \"CS0 prob 0.1; other max 30p\" }",
    ];
    QdiscConfig::names().iter().map(plain).collect::<Vec<_>>().into_iter().chain(others.map(String::from))
}

#[test]
fn rate_and_delay_fault_at_start_equals_declaration() {
    for queue in queues() {
        let declared = text(("12 Mbit/s", "20 ms"), &queue, "").run();
        let set = text(("3 Mbit/s", "5 ms"), &queue, "")
            .add(&fault("rate", "12 Mbit/s"))
            .add(&fault("delay", "20 ms"))
            .run();
        for path in
            ["groups.tcp.goodput_bps.sum", "groups.udp.loss_ratio", "queues.r1->r2.backlog_bytes.mean"]
        {
            assert_eq!(set.leaf(path), declared.leaf(path), "{path} of {queue}");
        }
        assert_eq!(set.output.fingerprint, declared.output.fingerprint, "{queue}");
    }
}

/// Datagrams of `size` from two sources over a link that takes 1.6 ms for each and is overloaded by half.
fn datagrams(size: u64, overhead: u64, queue: &str) -> Text {
    let rate = format!("{} bit/s", (size + overhead) * 5000);
    let source = |share: f64| {
        let rate = size as f64 * 5000.0 * share;
        format!("{{ kind = \"poisson\", rate = \"{rate} bit/s\", size = \"{size} B\" }}")
    };
    let udp = "{ kind = \"udp\", header = \"0 B\" }";
    Text::new("6 s")
        .dumbbell(2, &rate, "10 ms", &format!("queue = {queue}\noverhead = \"{overhead} B\""))
        .flow("large", ("src[0]", "dst[0]"), udp, &source(1.2))
        .flow("small", ("src[1]", "dst[1]"), udp, &source(0.3))
}

#[test]
fn link_overhead_only_adds_transmission_time() {
    for queue in queues() {
        // NetFence's channels assume full packets, other disciplines packets of 1000 B.
        let size = if queue.contains("netfence") { 1500 } else { 1000 };
        let bare = datagrams(size, 0, &queue).run();
        let framed = datagrams(size, 38, &queue).run();
        let loss = |run: &Run| run.leaf("groups.large.loss_ratio");
        assert_eq!(loss(&framed), loss(&bare), "{queue}");
        // NetFence's feedback packets have another size.
        if !queue.contains("netfence") {
            assert_eq!(framed.output.fingerprint, bare.output.fingerprint, "{queue}");
        }
    }
}

/// A bulk transfer for 30 s, limited only by the queue.
fn transfer(rate: &str, more: &str) -> Text {
    Text::new("30 s").dumbbell(1, rate, "10 ms", more).tcp("", "\"bulk\"")
}

#[test]
fn avq_follows_a_rate_increase() {
    for at in ["0 s", "10 s"] {
        let fault = fault("rate", "40 Mbit/s").replace("0 s", at);
        let run = transfer("10 Mbit/s", "queue = \"avq\"").top("warmup = \"15 s\"").add(&fault).run();
        // Goodput of 0.98 of the rate without headers.
        assert_close(run.leaf("groups.tcp.goodput_bps.sum"), 37.7e6, 0.02);
    }
}

#[test]
fn avq_capacity_excludes_overhead() {
    let run = transfer("10 Mbit/s", "queue = \"avq\"\noverhead = \"38 B\"").run();
    // The law acts before the buffer is full; otherwise this would be a drop-tail queue.
    assert_eq!(run.queue("dropped_packets.overlimit"), 0.0);
    assert!(run.queue("dropped_packets.aqm") > 0.0);
    // Payload is 1448 of 1538 bytes.
    let goodput = run.leaf("groups.tcp.goodput_bps.sum");
    assert!(goodput > 0.9 * 10e6 * 1448.0 / 1538.0 && goodput < 10e6 * 1448.0 / 1538.0, "{goodput}");
}
