//! Links of kind `lte`.

use crate::support::{Text, assert_close};
use tailrace_scenario::model::LinkIndex;
use tailrace_sim::opportunities;

/// Datagrams of 1500 bytes, 2500 per second, over a bottleneck with these keys; 30 Mbit/s exceed its capacity.
fn flood(duration: &str, keys: &str) -> Text {
    granted(Text::new(duration).dumbbell(1, "10 Mbit/s", "5 ms", "queue = \"droptail\""), keys).flow(
        "udp",
        ("src[0]", "dst[0]"),
        "{ kind = \"udp\" }",
        "{ kind = \"cbr\", rate = \"29440 kbit/s\", size = \"1472 B\" }",
    )
}

fn granted(text: Text, keys: &str) -> Text {
    text.with("rate = \"10 Mbit/s\"", &format!("rate = {{ kind = \"lte\", {keys} }}"))
}

#[test]
fn lte_saturated_rate_excludes_harq_retransmissions() {
    let run = flood("20 s", "rates = [\"12 Mbit/s\"]").run();
    let p: f64 = 0.1;
    let share = 1.0 / (1.0 + p + p * p + p * p * p);
    assert_close(run.leaf("queues.r1->r2.utilization"), share, 0.01);
    // A transport block carries one packet; some two of 18 000 are lost.
    let (sent, received) = (share * 20_000.0, run.flows("udp", "received_packets")[0]);
    assert!((sent - received).abs() < 0.01 * sent, "{sent} {received}");
    let half = flood("20 s", "rates = [\"12 Mbit/s\"], block_error = 0.5").run();
    let lost = half.queue("dropped_packets.link_loss");
    assert_close(lost / (lost + half.flows("udp", "received_packets")[0]), 0.0625, 0.15);
}

#[test]
fn lte_utilization_is_relative_to_drawn_capacity() {
    let keys = "rates = [\"1 Mbit/s\", \"6 Mbit/s\", \"24 Mbit/s\"], dwell = \"300 ms\", block_error = 0.0";
    let text = flood("4 s", keys);
    let rate = |run: u32| {
        let run = text.run_number(run);
        assert_close(run.leaf("queues.r1->r2.utilization"), 1.0, 0.02);
        run.flows("udp", "received_packets")[0]
    };
    let rates: Vec<f64> = (1..=4).map(rate).collect();
    // Each run draws its own channel.
    assert!(rates.windows(2).any(|w| (w[0] - w[1]).abs() > 0.1 * w[0]), "{rates:?}");
    assert_eq!(text.run_number(3).output.fingerprint, text.run_number(3).output.fingerprint);
}

#[test]
fn lte_rate_fault_overrides_grants_until_its_end() {
    let fault = "[[fault]]\nat = \"1 s\"\nuntil = \"2 s\"\nlink = \"bottleneck\"\nkind = \"rate\"\nvalue = \"3 Mbit/s\"";
    let run = flood("4 s", "rates = [\"12 Mbit/s\"], block_error = 0.0").add(fault).run();
    // A packet every millisecond, except for a second in which a packet takes four.
    assert_close(run.flows("udp", "received_packets")[0], 3_250.0, 0.01);
    assert_close(run.leaf("queues.r1->r2.utilization"), 1.0, 0.005);
}

#[test]
fn lte_scheduling_request_delays_sparse_traffic() {
    let delay = |keys: &str| {
        let text = Text::new("20 s").dumbbell(1, "10 Mbit/s", "5 ms", "queue = \"droptail\"");
        let run = granted(text, keys)
            .flow(
                "udp",
                ("src[0]", "dst[0]"),
                "{ kind = \"udp\" }",
                "{ kind = \"cbr\", rate = \"16 kbit/s\", size = \"100 B\" }",
            )
            .run();
        run.leaf("groups.udp.one_way_delay_s.mean")
    };
    let rates = "rates = [\"12 Mbit/s\"], block_error = 0.0";
    // Propagation of 7 ms, up to a subframe of waiting, one on the air, 3 ms of decoding.
    let plain = delay(rates);
    assert!((0.011..0.012_1).contains(&plain), "{plain}");
    // A packet every 50 ms, at a fixed place within the request period: up to 10 ms and 8 ms more.
    let asked = delay(&format!("{rates}, request = \"8 ms\"")) - plain;
    assert!((0.007..0.018).contains(&asked), "{asked}");
    // Grants continue through short silences.
    assert_close(delay(&format!("{rates}, request = \"8 ms\", silence = \"60 ms\"")), plain, 0.01);
}

#[test]
fn lte_tcp_download_completes() {
    let keys = "rates = [\"4 Mbit/s\", \"12 Mbit/s\", \"40 Mbit/s\"], rlc_retransmission = \"40 ms\"";
    let up =
        "reverse = { rate = { kind = \"lte\", rates = [\"4 Mbit/s\", \"10 Mbit/s\"], request = \"8 ms\" } }";
    let text = Text::new("20 s").dumbbell(
        1,
        "10 Mbit/s",
        "10 ms",
        &format!("queue = {{ kind = \"droptail\", limit = \"200 packets\" }}\n{up}"),
    );
    let run = granted(text, keys).flow("tcp", ("src[0]", "dst[0]"), "{ kind = \"tcp\" }", "\"bulk\"").run();
    let utilization = run.leaf("queues.r1->r2.utilization");
    assert!((0.6..=0.901).contains(&utilization), "{utilization}");
}

#[test]
fn lte_random_channel_has_no_exported_trace() {
    let scenario = flood("4 s", "rates = [\"12 Mbit/s\"]").scenario();
    let at = scenario.links.iter().position(|link| link.name == "bottleneck").unwrap();
    let why = opportunities(&scenario, LinkIndex(at as u32), true).unwrap_err();
    assert!(why.contains("kind lte"), "{why}");
}
