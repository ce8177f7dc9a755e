//! Times to the nanosecond, computed by hand, and rates that are exact in the long run.

use crate::support::{Run, Text, assert_close};

/// Three hops of 10 Mbit/s and 3, 10 and 5 ms: 18 ms of propagation.
fn path() -> Text {
    Text::new("5 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "10 Mbit/s", "3 ms", "")
        .link("r1", "r2", "10 Mbit/s", "10 ms", "")
        .link("r2", "dst[*]", "10 Mbit/s", "5 ms", "")
}

fn nanoseconds(run: &Run, leaf: &str) -> u64 {
    (run.leaf(leaf) * 1e9).round() as u64
}

#[test]
fn datagram_delay_is_serialisation_plus_propagation_per_hop() {
    let run = Text::new("2 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "10 Mbit/s", "3 ms", "")
        .link("r1", "r2", "1.5 Mbit/s", "20 ms", "overhead = \"8 B\"")
        .link("r2", "dst[*]", "8 Mbit/s", "5 ms", "")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\" }",
            "{ kind = \"cbr\", rate = \"777600 bit/s\", size = \"972 B\" }",
            "stop = \"900 ms\"",
        )
        .run();
    // Frame of 972 + 28 = 1000 B: 800 us + 3 ms; with 8 B of framing 1008 B at 1.5 Mbit/s: 5.376 ms + 20 ms; 1 ms + 5 ms.
    let expected = 800_000 + 3_000_000 + 5_376_000 + 20_000_000 + 1_000_000 + 5_000_000;
    for leaf in ["mean", "min", "max", "p50", "p99"] {
        let delay = nanoseconds(&run, &format!("groups.udp.one_way_delay_s.{leaf}"));
        assert_eq!(delay, expected, "{leaf}");
    }
    assert_eq!(run.leaf("groups.udp.one_way_delay_s.sd"), 0.0);
    // Packets every 10 ms from 0 to 890 ms.
    assert_eq!(run.leaf("groups.udp.sent_packets"), 90.0);
    assert_eq!(run.flows("udp", "delivered_bytes"), [90.0 * 972.0]);
    assert_eq!(run.queue("utilization"), 90.0 * 1008.0 * 8.0 / 2.0 / 1.5e6);
    run.assert_drained();
}

/// Completion time of a transfer, and the run.
fn transfer(transport: &str, bytes: u64) -> (u64, Run) {
    let run = path().tcp(transport, &format!("{{ kind = \"transfer\", size = \"{bytes} B\" }}")).run();
    assert_eq!(run.tcp("completed"), 1.0);
    assert_eq!(run.flows("tcp", "delivered_bytes"), [bytes as f64]);
    assert_eq!(run.tcp("retransmitted_packets"), 0.0);
    run.assert_drained();
    (nanoseconds(&run, "groups.tcp.completion_s.max"), run)
}

/// Transmission time of `bytes` on a 10 Mbit/s link.
const fn send(bytes: u64) -> u64 {
    bytes * 800
}

const PROPAGATION: u64 = 18_000_000;

#[test]
fn segment_arrives_after_handshake_and_one_way_delay() {
    // SYN and SYN-ACK: 40 + MSS 4 + timestamps 12 (with SACK permitted in their padding) + window scale 4 = 60 B.
    // The third segment is the data itself: 1000 + 40 + 12 B.
    let (took, run) = transfer("profile = \"rfc\", mss = \"1000 B\"", 1000);
    let handshake = 2 * (3 * send(60) + PROPAGATION);
    assert_eq!(took, handshake + 3 * send(1052) + PROPAGATION);
    // The handshake gives the client's first round-trip sample. The server's own sample spans its SYN-ACK and the
    // data; the client's last one spans the data and its ACK, which the FIN calls for at once.
    let server = 3 * send(60) + 3 * send(1052) + 2 * PROPAGATION;
    let data = 3 * send(1052) + 3 * send(52) + 2 * PROPAGATION;
    let least = (run.flows("tcp", "rtt_min_s")[0] * 1e9).round() as u64;
    assert_eq!(least, handshake.min(data));
    assert_eq!(nanoseconds(&run, "groups.tcp.rtt_s.max"), server.max(data));
}

#[test]
fn rfc_transfer_of_two_rounds_by_hand() {
    // With IW = 10 and an ACK per segment: 10 + 20 segments. Segment k of round 1 leaves the first link at k s; its ACK returns x
    // later and releases two segments, so in round 2 the first link sends without pause from s + x on.
    let (s, a) = (send(1052), send(52));
    let handshake = 2 * (3 * send(60) + PROPAGATION);
    let x = 2 * s + 3 * a + 2 * PROPAGATION;
    let (took, _) = transfer("profile = \"rfc\", mss = \"1000 B\", delayed_ack = 1", 30_000);
    assert_eq!(took, handshake + (s + x) + 20 * s + 2 * s + PROPAGATION);
    assert_eq!(took, 111_452_800);
}

#[test]
fn ns2_transfer_of_three_rounds_by_hand() {
    // ns-2: one 40-B packet each way opens; 1000 + 40 B segments, 40-B ACKs; IW = 2: 2 + 4 + 8 segments.
    let (s, a) = (send(1040), send(40));
    let handshake = 2 * (3 * a + PROPAGATION);
    let x = 2 * s + 3 * a + 2 * PROPAGATION;
    let (took, run) = transfer("profile = \"ns2\"", 14_000);
    assert_eq!(took, handshake + 2 * (s + x) + 8 * s + 2 * s + PROPAGATION);
    assert_eq!(took, 139_696_000);
    // Delays of data segments: serialised at three links behind earlier segments of their burst.
    assert_eq!(nanoseconds(&run, "groups.tcp.one_way_delay_s.p50") / 1_000_000, PROPAGATION / 1_000_000 + 3);
}

#[test]
fn slow_start_sends_iw_times_two_to_the_n_less_one_in_n_round_trips() {
    // Spec 6.8. At 100 Gbit/s a round's 254 segments take 21 us at each link: below the 100 us allowed here.
    let completion = |segments: u64| {
        Text::new("3 s")
            .hosts("src", 1)
            .hosts("dst", 1)
            .link("src[*]", "dst[*]", "100 Gbit/s", "50 ms", "")
            .tcp(
                "cc = \"reno\", iw = 2, delayed_ack = 1, mss = \"1000 B\"",
                &format!("{{ kind = \"transfer\", size = \"{} B\" }}", segments * 1000),
            )
            .run()
            .tcp("completion_s.max")
    };
    for n in 1..=7 {
        let full = 2 * ((1 << n) - 1);
        // Handshake of one RTT, n - 1 RTTs for the rounds before the last, half an RTT for the last.
        let expected = 0.1 * f64::from(n) + 0.05;
        for (segments, rounds) in [(full, expected), (full + 1, expected + 0.1)] {
            let took = completion(segments);
            assert!((took - rounds).abs() < 1e-4, "{segments} segments took {took}, not {rounds}");
        }
    }
}

#[test]
fn saturated_link_rate_is_exact() {
    // A packet of 1000 B at 7 Mbit/s takes 8/7 ms, not a whole number of nanoseconds; 70 s are exactly 61250 of them.
    let run = Text::new("80 s")
        .top("warmup = \"10 s\"")
        .dumbbell(1, "7 Mbit/s", "10 ms", "")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"9 Mbit/s\", size = \"1000 B\" }",
        )
        .run();
    assert!((run.queue("dequeued_packets") - 61_250.0).abs() <= 1.0);
    // Packets at the edges of the window count with the part sent in it: the link is exactly full.
    assert_close(run.queue("utilization"), 1.0, 1e-9);
    assert!(run.queue("utilization") <= 1.0, "{}", run.queue("utilization"));
    assert_close(run.leaf("groups.udp.throughput_bps.sum"), 7e6, 1.0 / 61_250.0);
    // Spec 6.5: loss = 1 - C/load, within the packets of a queue that is full when statistics start.
    assert_close(run.leaf("groups.udp.loss_ratio"), 1.0 - 7.0 / 9.0, 1e-4);
}

#[test]
fn packet_in_transmission_at_a_rate_change_counts_by_its_bits() {
    // Packets of 8 ms. The packet under transmission at 10.010 s continues at 1 Mbit/s, and likewise when the rate changes again.
    for ms in 10_011..10_020 {
        let fault = |at: &str, rate: &str| {
            format!("[[fault]]\nat = \"{at}\"\nlink = \"bottleneck\"\nkind = \"rate\"\nvalue = \"{rate}\"\n")
        };
        let run = Text::new(&format!("{ms} ms"))
            .top("warmup = \"10 s\"")
            .dumbbell(1, "1 Mbit/s", "10 ms", "")
            .flow(
                "udp",
                ("src[0]", "dst[0]"),
                "{ kind = \"udp\", header = \"0 B\" }",
                "{ kind = \"cbr\", rate = \"2 Mbit/s\", size = \"1000 B\" }",
            )
            .add(&fault("10010 ms", "10 Mbit/s"))
            .add(&fault("10010500 us", "20 Mbit/s"))
            .run();
        let after = f64::from(ms - 10_000);
        // Milliseconds times Mbit/s, so thousands of bits.
        let carried = 10.0 + 0.5 * 10.0 + (after - 10.5) * 20.0;
        let used = run.queue("utilization") * carried;
        assert!(used > after - 1e-6 && used < carried + 1e-6, "{used} kbit in {after} ms, of {carried}");
    }
}

#[test]
fn utilization_excludes_packets_cut_off_by_link_down() {
    // Packets of 8 ms on a link that is up for 5 of every 8 ms: none gets through, and each counts with the part sent.
    let run = Text::new("20 s")
        .top("warmup = \"10 s\"")
        .dumbbell(1, "1 Mbit/s", "10 ms", "")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"20 Mbit/s\", size = \"1000 B\" }",
        )
        .add(
            "[[fault]]\nat = \"1 s\"\nlink = \"bottleneck\"\nkind = \"flap\"\ndown = \"3 ms\"\nup = \"5 ms\"",
        )
        .run();
    assert_eq!(run.leaf("groups.udp.goodput_bps.sum"), 0.0);
    // The first packet after the link comes up arrives within 0.4 ms.
    assert!((0.57..=0.625).contains(&run.queue("utilization")), "{}", run.queue("utilization"));
}

#[test]
fn utilization_includes_link_overhead() {
    // Frames of 962 B and 38 B of framing: 125 packets/s fill 1 Mbit/s, and 96.2 % of it are IP bytes.
    let run = Text::new("30 s")
        .top("warmup = \"10 s\"")
        .dumbbell(1, "1 Mbit/s", "10 ms", "overhead = \"38 B\"")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"2 Mbit/s\", size = \"962 B\" }",
        )
        .run();
    assert!((run.queue("dequeued_packets") - 2500.0).abs() <= 1.0);
    assert_close(run.queue("utilization"), 1.0, 1e-9);
    assert_close(run.leaf("groups.udp.throughput_bps.sum"), 0.962e6, 1.0 / 2500.0);
}

#[test]
fn packets_beyond_the_mtu_are_dropped_as_too_big() {
    let text =
        Text::new("2 s").top("record = { events = true }").dumbbell(1, "10 Mbit/s", "1 ms", "").flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"1000 B\" }",
            "stop = \"1 s\"",
        );
    let mtu = |mtu: &str| {
        text.with(
            "mtu = \"65535 B\"\nname = \"bottleneck\"",
            &format!("mtu = \"{mtu}\"\nname = \"bottleneck\""),
        )
        .run()
    };
    // Ten datagrams of 1000 B and 28 B of headers.
    assert_eq!(mtu("1028 B").leaf("groups.udp.lost_packets"), 0.0);
    let small = mtu("1027 B");
    assert_eq!(small.leaf("groups.udp.lost_packets"), 10.0);
    assert_eq!(small.queue("dropped_packets.too_big"), 10.0);
    assert_eq!(small.words("events", "detail"), ["too_big"; 10]);
    small.assert_drained();
}
