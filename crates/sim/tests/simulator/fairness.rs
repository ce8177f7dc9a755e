//! Shares at a common bottleneck, and ECN.

use crate::support::{Run, Text, assert_close};

const RED: &str = "{ kind = \"red\", limit = \"100 packets\", min_th = \"15 packets\", max_th = \"45 packets\", max_p = 0.1, weight = 0.002 }";
const SFQ: &str = "{ kind = \"sfq\", limit = \"100 packets\" }";
const DROPTAIL: &str = "{ kind = \"droptail\", limit = \"100 packets\" }";

/// Eight Reno flows on 8 Mbit/s with access delays that differ a little, against phase effects.
fn share(queue: &str, transport: &str) -> Text {
    Text::new("80 s")
        .top("warmup = \"20 s\"")
        .hosts("src", 8)
        .hosts("dst", 8)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "100 Mbit/s", "uniform(4 ms, 5 ms)", "")
        .link("r1", "r2", "8 Mbit/s", "10 ms", &format!("name = \"bottleneck\"\nqueue = {queue}"))
        .link("r2", "dst[*]", "100 Mbit/s", "5 ms", "")
        .flow_with(
            "tcp",
            ("src[*]", "dst[*]"),
            &format!("{{ kind = \"tcp\", cc = \"newreno\", mss = \"1000 B\", {transport} }}"),
            "\"bulk\"",
            "start = \"uniform(0 s, 1 s)\"",
        )
}

#[test]
fn red_and_sfq_share_equally_between_equal_flows() {
    for queue in [RED, SFQ] {
        let run = share(queue, "sack = true").run();
        assert!(run.tcp("jain") > 0.95, "{queue}: {}", run.tcp("jain"));
        assert!(run.queue("utilization") > 0.95, "{queue}");
        // Goodput is the payload: 1000 of 1052 bytes that the link carries. Losses happen before the link, so hardly anything
        // crosses it twice.
        assert_close(run.tcp("goodput_bps.sum"), run.queue("utilization") * 8e6 * 1000.0 / 1052.0, 0.01);
    }
}

fn flooded(queue: &str) -> Run {
    share(queue, "sack = true")
        .hosts("attacker", 1)
        .hosts("sink", 1)
        .link("attacker[*]", "r1", "100 Mbit/s", "1 ms", "")
        .link("sink[*]", "r2", "100 Mbit/s", "1 ms", "")
        .flow_with(
            "flood",
            ("attacker[0]", "sink[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"16 Mbit/s\", size = \"972 B\" }",
            "role = \"attack\"",
        )
        .run()
}

#[test]
fn sfq_isolates_a_flood_and_drop_tail_does_not() {
    let fair = 8e6 / 9.0;
    let run = flooded(SFQ);
    // Packet round robin: the flood gets a ninth, and up to twice that if flows leave their shares unused.
    let flood = run.leaf("groups.flood.throughput_bps.sum");
    assert!(flood > 0.9 * fair && flood < 2.0 * fair, "{flood}");
    assert!(run.tcp("throughput_bps.sum") > 6.5 * fair);
    let run = flooded(DROPTAIL);
    assert!(run.leaf("groups.flood.throughput_bps.sum") > 0.95 * 8e6);
    assert!(run.tcp("throughput_bps.sum") < 0.05 * 8e6);
}

#[test]
fn ecn_marks_replace_drops() {
    // Thresholds far below the limit: without gentle, RED drops above max_th, so max_th is out of reach of 8 flows.
    let queue = "{ kind = \"red\", limit = \"400 packets\", min_th = \"5 packets\", max_th = \"200 packets\", max_p = 1.0, weight = 0.01, ecn = true }";
    let run = share(queue, "ecn = true, initial_ssthresh = 8").run();
    assert!(run.queue("marked_packets") > 100.0);
    assert_eq!(run.queue("marked_packets"), run.tcp("marked_packets"));
    assert_eq!(run.queue("dropped_packets.aqm"), 0.0);
    assert_eq!(run.queue("dropped_packets.overlimit"), 0.0);
    for none in ["lost_packets", "retransmitted_packets", "timeouts"] {
        assert_eq!(run.tcp(none), 0.0, "{none}");
    }
    assert!(run.tcp("jain") > 0.9 && run.queue("utilization") > 0.9);
    // Marks hold the queue down; without ECN the same law drops instead.
    let dropping = share(queue, "initial_ssthresh = 8").run();
    assert_eq!(dropping.queue("marked_packets"), 0.0);
    assert!(dropping.queue("dropped_packets.aqm") > 100.0);
    assert!(dropping.tcp("retransmitted_packets") > 100.0);
}

#[test]
fn sfq_separates_flows_between_the_same_hosts() {
    // A flood and a modest flow of the same protocol and hosts: SFQ isolates them.
    let udp = |rate: &str| {
        format!("{{ kind = \"cbr\", rate = \"{rate}\", size = \"500 B\", random_phase = true }}")
    };
    let run = Text::new("20 s")
        .dumbbell(1, "4 Mbit/s", "5 ms", &format!("queue = {SFQ}"))
        .flow("flood", ("src[0]", "dst[0]"), "\"udp\"", &udp("10 Mbit/s"))
        .flow("modest", ("src[0]", "dst[0]"), "\"udp\"", &udp("1 Mbit/s"))
        .run();
    assert_eq!(run.leaf("groups.modest.lost_packets"), 0.0);
    assert!(run.leaf("groups.flood.loss_ratio") > 0.6);
}

#[test]
fn classifier_accuracy_compares_flags_with_roles() {
    // Eight TCP flows and a flood at twice the link rate: SFB must find the flood before the end. This takes time, because its
    // probability rises only while the flood's bins are full.
    let run = flooded("{ kind = \"sfb\" }");
    assert_eq!(run.queue("flagged.true_positive"), 1.0);
    assert_eq!(run.queue("flagged.false_negative"), 0.0);
    assert_eq!(run.queue("flagged.false_positive") + run.queue("flagged.true_negative"), 8.0);
    let detection = run.queue("flagged.detection_s");
    assert!(detection > 0.0 && detection < 80.0, "{detection}");
    let run = flooded(SFQ);
    assert_eq!(run.queue("flagged.true_positive") + run.queue("flagged.true_negative"), 0.0);
}
