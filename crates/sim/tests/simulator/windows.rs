//! Statistics of windows: bounded by the window's events, with a defined start.

use crate::support::{Run, Text};

fn sum(run: &Run, column: &str) -> f64 {
    run.column("flows", column).iter().sum()
}

const TRANSPORTS: [&str; 3] =
    ["{ kind = \"tcp\" }", "{ kind = \"mptcp\" }", "{ kind = \"mptcp\", profile = \"linux\" }"];

/// Two links that lose packets.
fn lossy(duration: &str, warmup: &str) -> Text {
    Text::new(duration)
        .top(&format!("warmup = \"{warmup}\""))
        .hosts("a", 1)
        .hosts("b", 1)
        .link("a", "b", "4 Mbit/s", "40 ms", "name = \"one\"\nloss = \"3 %\"")
        .link("a", "b", "4 Mbit/s", "90 ms", "name = \"two\"\nloss = \"3 %\"")
}

/// Flows that stop at the end of the warm-up; later packets were in flight, queued, or are retransmissions.
fn last_gasp(transport: &str, warmup_ms: u64) -> Run {
    let stop = format!("stop = \"{warmup_ms} ms\"");
    lossy("30 s", &format!("{warmup_ms} ms")).flow_with("f", ("a", "b"), transport, "\"bulk\"", &stop).run()
}

#[test]
fn goodput_never_exceeds_throughput_at_any_warm_up() {
    for transport in TRANSPORTS {
        for warmup_ms in (400..3000).step_by(130) {
            let run = last_gasp(transport, warmup_ms);
            let (goodput, throughput) = (sum(&run, "goodput_bps"), sum(&run, "throughput_bps"));
            assert!(goodput <= throughput, "{transport} {warmup_ms}: {goodput} > {throughput}");
        }
    }
}

#[test]
fn goodput_excludes_bytes_received_before_the_window() {
    for transport in TRANSPORTS {
        let bytes = |warmup: f64| {
            let text = lossy("4 s", &format!("{} ms", warmup * 1e3));
            let run = text.flow("f", ("a", "b"), transport, "\"bulk\"").run();
            ((sum(&run, "goodput_bps") * (4.0 - warmup) / 8.0).round(), sum(&run, "delivered_bytes"))
        };
        let (goodput, delivered) = bytes(0.0);
        assert_eq!(goodput, delivered, "{transport}: without a warm-up nothing had come before");
        let later = [0.5, 1.1, 1.7, 2.3, 2.9].map(bytes);
        assert!(later.iter().all(|(goodput, delivered)| goodput <= delivered), "{transport}: {later:?}");
        assert!(later.iter().any(|(goodput, delivered)| goodput < delivered), "{transport}: {later:?}");
    }
}

#[test]
fn losses_of_packets_sent_before_the_warm_up_ended_are_not_counted_after_it() {
    // At its end 200 packets wait; the link goes down 1 ms later, and a last packet is sent.
    let text = Text::new("12 s")
        .top("warmup = \"10 s\"")
        .dumbbell(1, "1 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"200 packets\" }")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"4 Mbit/s\", size = \"1000 B\" }",
            "stop = \"10004 ms\"",
        )
        .add("[[fault]]\nat = \"10005 ms\"\nlink = \"bottleneck\"\nkind = \"down\"");
    let run = text.run();
    let leaf = |what: &str| run.leaf(&format!("groups.udp.{what}"));
    assert!(run.queue("dropped_packets.link_down") > 190.0, "{}", run.queue("dropped_packets.link_down"));
    assert!(leaf("sent_packets") >= 1.0 && leaf("sent_packets") <= 3.0, "{}", leaf("sent_packets"));
    assert!(leaf("lost_packets") <= leaf("sent_packets"), "{}", leaf("lost_packets"));
    assert!(leaf("loss_ratio") > 0.0 && leaf("loss_ratio") <= 1.0);
    // Counters from the start of the run include all.
    assert_eq!(
        leaf("whole_run.sent_packets"),
        leaf("whole_run.received_packets") + leaf("whole_run.lost_packets")
    );
    assert!(leaf("whole_run.lost_packets") > leaf("lost_packets") + 190.0);
}

#[test]
fn counters_of_the_whole_run_do_not_depend_on_the_warm_up() {
    let run = |warmup: &str| {
        Text::new("20 s")
            .top(&format!("warmup = \"{warmup}\""))
            .dumbbell(3, "3 Mbit/s", "10 ms", "queue = { kind = \"red\", ecn = true }\nloss = \"0.5 %\"")
            .tcp("ecn = true", "\"bulk\"")
            .run()
    };
    let (none, some) = (run("0 s"), run("8 s"));
    let tree = |run: &Run, of: &str, name: &str| run.json[of][name]["whole_run"].clone();
    assert_eq!(tree(&none, "groups", "tcp"), tree(&some, "groups", "tcp"));
    assert_eq!(tree(&none, "queues", "r1->r2"), tree(&some, "queues", "r1->r2"));
    for what in ["sent_packets", "lost_packets", "marked_packets", "retransmitted_packets", "timeouts"] {
        assert_eq!(none.tcp(what), none.tcp(&format!("whole_run.{what}")), "{what}");
        assert!(some.tcp(what) <= some.tcp(&format!("whole_run.{what}")), "{what}");
    }
    for what in ["enqueued_packets", "dequeued_packets", "marked_packets", "dropped_packets.aqm"] {
        assert_eq!(none.queue(what), none.queue(&format!("whole_run.{what}")), "{what}");
    }
    let open = none.tcp("whole_run.under_way_packets");
    let (sent, received) = (none.tcp("whole_run.sent_packets"), none.tcp("whole_run.received_packets"));
    assert_eq!(sent, received + none.tcp("whole_run.lost_packets") + open);
}

#[test]
fn feedback_packets_do_not_count_as_deliveries() {
    // Datagrams 8 ms apart through a queue that is never full: transit times are equal, with or without feedback packets.
    let run = Text::new("20 s")
        .dumbbell(1, "10 Mbit/s", "5 ms", "queue = \"netfence\"")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"372 B\" }",
        )
        .run();
    assert!(run.queue("dequeued_packets") > 2000.0);
    let back = run.leaf("queues.r2->r1.dequeued_packets");
    assert!(back > 50.0, "{back} packets of feedback");
    let jitter = run.leaf("groups.udp.jitter_s.max");
    assert!(jitter < 1e-6, "{jitter}");
}

#[test]
fn misbehaving_receiver_counts_only_received_bytes() {
    let text = |transport: &str| {
        Text::new("20 s")
            .hosts("a", 1)
            .hosts("b", 1)
            .link(
                "a",
                "b",
                "10 Mbit/s",
                "20 ms",
                "name = \"one\"\nqueue = { kind = \"droptail\", limit = \"40 packets\" }",
            )
            .link(
                "a",
                "b",
                "10 Mbit/s",
                "20 ms",
                "name = \"two\"\nqueue = { kind = \"droptail\", limit = \"40 packets\" }",
            )
            .flow("f", ("a", "b"), transport, "\"bulk\"")
    };
    for transport in [
        "{ kind = \"tcp\", misbehaviour = \"optimistic_acks\" }",
        "{ kind = \"mptcp\", misbehaviour = \"optimistic_acks\" }",
        "{ kind = \"mptcp\", profile = \"linux\", misbehaviour = \"optimistic_acks\" }",
        "{ kind = \"mptcp\", path_manager = \"passive\", misbehaviour = \"optimistic_acks\" }",
    ] {
        let strips = "name = \"one\"\nstrip = \"mptcp\"";
        for text in [text(transport), text(transport).with("name = \"one\"", strips)] {
            let run = text.run();
            let (goodput, throughput) = (sum(&run, "goodput_bps"), sum(&run, "throughput_bps"));
            assert!(goodput <= throughput && throughput <= 20e6, "{transport}: {goodput} {throughput}");
        }
    }
}
