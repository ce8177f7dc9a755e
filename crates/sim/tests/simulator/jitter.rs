//! Jitter of deliveries, by hand.

use crate::support::{Run, Text};

fn nanoseconds(run: &Run, leaf: &str) -> u64 {
    (run.leaf(leaf) * 1e9).round() as u64
}

fn one_link(more: &str) -> Text {
    Text::new("10 s").hosts("src", 1).hosts("dst", 1).link("src[*]", "dst[*]", "10 Mbit/s", "50 ms", more)
}

/// Segments of 1000 B in packets of 1040 B: 832 us on the link, ACKs 32 us.
fn transfer(more: &str, transport: &str, segments: u32) -> Run {
    let transport =
        format!("header = \"40 B\", mss = \"1000 B\", delayed_ack = 1, min_rto = \"1 s\", {transport}");
    let app = format!("{{ kind = \"transfer\", size = \"{segments} kB\" }}");
    let run = one_link(more).tcp(&transport, &app).run();
    assert_eq!(run.tcp("completed"), 1.0);
    run
}

#[test]
fn jitter_is_zero_on_a_constant_path_and_counts_a_delay_step_once() {
    let flow = |text: Text| {
        text.top("record = { interval = \"500 ms\" }")
            .flow(
                "udp",
                ("src[0]", "dst[0]"),
                "\"udp\"",
                "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"500 B\" }",
            )
            .run()
    };
    let still = flow(one_link("name = \"way\""));
    assert_eq!((still.leaf("groups.udp.jitter_s.max"), still.flows("udp", "jitter_mean_s")[0]), (0.0, 0.0));
    let fault = "[[fault]]\nat = \"2010 ms\"\nlink = \"way\"\nkind = \"delay\"\nvalue = \"80 ms\"";
    let step = flow(one_link("name = \"way\"").add(fault));
    assert_eq!(nanoseconds(&step, "groups.udp.jitter_s.max"), 30_000_000);
    // At 20 datagrams/s from 0 s on; the last two are in flight at the end.
    let received = step.flows("udp", "received_packets")[0];
    assert!((198.0..=199.0).contains(&received), "{received}");
    assert!((step.flows("udp", "jitter_mean_s")[0] - 0.03 / (received - 1.0)).abs() < 1e-12);
    // Ten datagrams per sample: one of them has the step.
    let series = step.column("flow_series", "jitter_s");
    assert!((series[4] - 0.003).abs() < 1e-12, "{series:?}");
    assert_eq!(series.iter().filter(|j| **j != 0.0).count(), 1, "{series:?}");
}

#[test]
fn jitter_of_rto_retransmission_counts_from_first_transmission() {
    // Window of one segment. SYN and ACK come first, so the fifth segment is the seventh packet: lost, and retransmitted 1 s
    // later. Its transit time is 1 s longer than that of the one before it, and of the one after it.
    let run = transfer("loss = { kind = \"periodic\", every = 7 }\nreverse = { loss = 0 }", "window = 1", 10);
    assert_eq!(run.tcp("retransmitted_packets"), 1.0);
    assert_eq!(nanoseconds(&run, "groups.tcp.jitter_s.max"), 1_000_000_000);
    assert_eq!(nanoseconds(&run, "groups.tcp.jitter_s.mean"), 2_000_000_000 / 9);
    assert_eq!(nanoseconds(&run, "groups.tcp.one_way_delay_s.max"), 50_832_000);
}

#[test]
fn jitter_includes_the_delay_of_a_fast_retransmission() {
    // Window of four segments, clocked by ACKs. The 20th packet is the 18th segment, sent 832 us after the 17th. Three duplicates
    // follow: for the 19th, the 20th, and the 21st, which the 17th's ACK releases 100.864 ms after the 17th. Its own ACK arrives
    // another 100.864 ms later: the 18th is retransmitted 201.728 - 0.832 ms after its first transmission.
    let run = transfer(
        "loss = { kind = \"periodic\", every = 20 }\nreverse = { loss = 0 }",
        "window = 4, limited_transmit = false",
        25,
    );
    assert_eq!((run.tcp("retransmitted_packets"), run.tcp("timeouts")), (1.0, 0.0));
    assert_eq!(nanoseconds(&run, "groups.tcp.jitter_s.max"), 200_896_000);
    // Segments 18 to 21 are one delivery: 21 differences. The transit time rises and falls once; the first four segments leave at
    // once, so they wait 0 to 3 times 832 us for one another.
    let sum = 2 * 200_896_000 + 6 * 832_000;
    assert_eq!(nanoseconds(&run, "groups.tcp.jitter_s.mean"), (sum + 10) / 21);
    assert_eq!(nanoseconds(&run, "groups.tcp.one_way_delay_s.max"), 50_832_000 + 3 * 832_000);
}
