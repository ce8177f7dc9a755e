//! Rates that stacks reach on links.

use crate::support::{STACKS, flow, goodput, quic, run, summary, two_hosts};

const DROPTAIL: &str = "rate = \"10 Mbit/s\"\nqueue = { kind = \"droptail\", limit = \"50 packets\" }";

#[test]
fn a_flow_fills_its_link() {
    for stack in STACKS {
        for cc in ["cubic", "newreno"] {
            let transport = quic(stack, &format!(", cc = \"{cc}\""));
            let text = two_hosts("10 s", DROPTAIL) + &flow("data", &transport, "\"bulk\"");
            let rate = goodput(&summary(&run(&text)), "data");
            // Headers of IP, UDP and QUIC take 4 % of packets of 1480 bytes.
            assert!((9.3..9.7).contains(&rate), "{stack} {cc}: {rate} Mbit/s");
        }
    }
}

#[test]
fn controls_of_the_simulator_fill_it_too() {
    for (stack, cc) in
        [("noq", "cubic"), ("noq", "reno"), ("noq", "bbr"), ("noq", "bbr3"), ("quinn", "cubic")]
    {
        let transport = quic(stack, &format!(", cc = \"{cc}\", cc_from = \"simulator\""));
        let text = two_hosts("10 s", DROPTAIL) + &flow("data", &transport, "\"bulk\"");
        let rate = goodput(&summary(&run(&text)), "data");
        assert!((8.8..9.7).contains(&rate), "{stack} {cc}: {rate} Mbit/s");
    }
}

/// Rate of NewReno under random loss (Mathis et al. 1997): payload * sqrt(3 / (2 p)) / round trip, where each packet is acknowledged at
/// once, and sqrt(3 / (4 p)) where every second is (RFC 9000 §13.2.2); RFC 9002 counts acknowledged bytes, so that the former holds.
#[test]
fn newreno_keeps_the_square_root_law() {
    for stack in STACKS {
        let link =
            "rate = \"100 Mbit/s\"\nloss = 0.01\nqueue = { kind = \"droptail\", limit = \"1000 packets\" }";
        let transport = quic(stack, ", cc = \"newreno\"");
        let text = two_hosts("60 s", link) + &flow("data", &transport, "\"bulk\"");
        let rate = goodput(&summary(&run(&text)), "data");
        let law = 1425.0 * 8.0 * (1.5_f64 / 0.01).sqrt() / 0.0205 / 1e6;
        assert!((rate / law - 1.0).abs() < 0.1, "{stack}: {rate} Mbit/s, the law says {law}");
    }
}

#[test]
fn ten_flows_share_an_fq_codel_queue_by_marks_alone() {
    for stack in STACKS {
        let link = "rate = \"10 Mbit/s\"\nqueue = { kind = \"fq_codel\", ecn = true }";
        let mut text = two_hosts("10 s", link);
        for n in 0..10 {
            text += &flow(&format!("f{n}"), &quic(stack, ""), "\"bulk\"");
        }
        let summary = summary(&run(&text));
        let rates: Vec<f64> = (0..10).map(|n| goodput(&summary, &format!("f{n}"))).collect();
        assert!(rates.iter().all(|rate| (0.85..1.05).contains(rate)), "{stack}: {rates:?}");
        let count = |key: &str| -> u64 {
            (0..10).filter_map(|n| summary["groups"][format!("f{n}")][key].as_u64()).sum()
        };
        assert_eq!(count("lost_packets"), 0, "{stack}");
        assert!(count("marked_packets") > 100, "{stack}: {}", count("marked_packets"));
    }
}
