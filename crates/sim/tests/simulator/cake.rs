//! CAKE: its shaper on a faster link, host fairness, ACK filter.

use crate::support::{Run, Text, assert_close};

const CUBIC: &str = "{ kind = \"tcp\", cc = \"cubic\", profile = \"linux\" }";

fn cake(more: &str) -> String {
    format!("queue = {{ kind = \"cake\", bandwidth = \"10 Mbit/s\", {more} }}")
}

#[test]
fn cake_shaper_limits_rate_on_a_faster_link() {
    let run = Text::new("13 s")
        .top("warmup = \"1 s\"")
        .dumbbell(1, "100 Mbit/s", "1 ms", &cake("diffserv = \"besteffort\""))
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"50 Mbit/s\", size = \"1500 B\" }",
        )
        .run();
    // 12 s hold 10 000 packets of 1500 B, give or take one at each end.
    let packets = run.leaf("groups.udp.throughput_bps.sum") * 12.0 / 12_000.0;
    assert!((packets - 10_000.0).abs() <= 1.0, "{packets}");
}

/// A connection from host 0 and three from host 1, to one host.
fn one_against_three(mode: &str) -> Run {
    let mut text = Text::new("60 s")
        .top("warmup = \"10 s\"")
        .dumbbell(
            2,
            "1 Gbit/s",
            "18 ms",
            &cake(&format!("diffserv = \"besteffort\", flow_mode = \"{mode}\"")),
        )
        .flow("one", ("src[0]", "dst[0]"), CUBIC, "\"bulk\"");
    for n in 0..3 {
        text = text.flow(&format!("three{n}"), ("src[1]", "dst[0]"), CUBIC, "\"bulk\"");
    }
    text.run()
}

#[test]
fn cake_host_fairness_is_independent_of_connection_count() {
    // Linux 6.1 with an RTT of 40 ms, ECN off: the single connection gets 0.453 of 9.57 Mbit/s of goodput with dual-srchost (a
    // lone CUBIC does not quite fill its half), and 0.248 of 9.45 Mbit/s with flows.
    for (mode, expected) in [("dual-srchost", 0.453), ("flows", 0.248)] {
        let run = one_against_three(mode);
        let goodput = |group: &str| run.leaf(&format!("groups.{group}.goodput_bps.sum"));
        let three: f64 = (0..3).map(|n| goodput(&format!("three{n}"))).sum();
        let all = goodput("one") + three;
        assert!((9.3e6..9.75e6).contains(&all), "{mode}: {all}");
        assert_close(goodput("one") / all, expected, 0.06);
    }
}

#[test]
fn cake_ack_filter_relieves_slow_reverse_link() {
    // Forward 20 Mbit/s, reverse 150 kbit/s: an ACK of 52 B takes 2.8 ms, during which four packets of 1500 B arrive. Unfiltered
    // ACKs queue for seconds. With the filter, goodput is 1448/1500 of 20 Mbit/s at about the base RTT of 24 ms.
    let measured = |filter: &str| {
        let up = format!(
            "reverse = {{ queue = {{ kind = \"cake\", bandwidth = \"150 kbit/s\", ack_filter = \"{filter}\" }} }}"
        );
        let run = Text::new("30 s")
            .top("warmup = \"5 s\"")
            .hosts("src", 1)
            .hosts("dst", 1)
            .router("r1")
            .router("r2")
            .link("src[*]", "r1", "1 Gbit/s", "1 ms", "")
            .link("r1", "r2", "20 Mbit/s", "10 ms", "queue = \"fq_codel\"")
            .link("r2", "dst[*]", "20 Mbit/s", "1 ms", &up)
            .tcp("cc = \"cubic\", profile = \"linux\"", "\"bulk\"")
            .run();
        (run.tcp("goodput_bps.sum") / (20e6 * 1448.0 / 1500.0), run.tcp("rtt_s.mean"))
    };
    let (goodput, rtt) = measured("off");
    assert!(goodput < 0.75 && rtt > 1.0, "{goodput} {rtt}");
    for filter in ["on", "aggressive"] {
        let (goodput, rtt) = measured(filter);
        assert!(goodput > 0.95 && rtt < 0.04, "{filter}: {goodput} {rtt}");
    }
}

#[test]
fn filtered_acks_are_counted_apart_from_drops() {
    // A download through an uplink of 1 Mbit/s, which cannot carry its ACKs.
    let run = Text::new("10 s")
        .top("[record]\nevents = true\nmax_events = 1000000\n[[capture]]\nat = \"r1-r2\"")
        .hosts("src", 1)
        .hosts("dst", 1)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "1 Gbit/s", "1 ms", "")
        .link(
            "r1",
            "r2",
            "2 Mbit/s",
            "10 ms",
            "name = \"r1-r2\"\nqueue = \"cake bandwidth 1mbit ack-filter\"\nreverse = { rate = \"100 Mbit/s\", queue = \"droptail limit 1000\" }",
        )
        .link("r2", "dst[*]", "1 Gbit/s", "1 ms", "")
        .flow("down", ("src[0]", "dst[0]"), "\"tcp\"", "{ kind = \"bulk\", direction = \"down\" }")
        .run();
    let of = |key: &str| run.leaf(&format!("queues.r1->r2.{key}"));
    let (filtered, aqm) = (of("ack_filtered_packets"), of("dropped_packets.aqm"));
    assert!(filtered > 20_000.0 && aqm < 0.01 * filtered, "{filtered} {aqm}");
    assert_eq!(of("whole_run.ack_filtered_packets"), filtered);
    // Neither the summary of reasons nor the event log nor the series takes one for the other.
    let rows = |kind: &str| {
        let (kinds, places) = (run.words("events", "kind"), run.words("events", "place"));
        kinds.iter().zip(places).filter(|(k, place)| *k == kind && place == "r1->r2").count() as f64
    };
    assert_eq!((rows("ack_filtered"), rows("drop")), (filtered, aqm + of("dropped_packets.overlimit")));
    let queues = run.words("queue_series", "queue");
    let last = |column: &str| {
        let values = run.column("queue_series", column);
        values.iter().zip(&queues).rfind(|(_, queue)| *queue == "r1->r2").map_or(0.0, |(v, _)| *v)
    };
    assert_eq!((last("ack_filtered_packets"), last("dropped_packets")), (filtered, rows("drop")));
    assert_eq!(run.column("queues", "ack_filtered_packets").iter().sum::<f64>(), filtered);
    let Some(tshark) = crate::captures::Tshark::open(&run, "r1-r2.pcapng") else { return };
    let comments = tshark.fields(&["frame.comment"]);
    assert_eq!(comments.iter().filter(|c| c[0] == "ack_filtered").count() as f64, filtered);
}
