//! Random networks that lose, reorder, duplicate and damage packets and go down: stacks neither panic nor deliver a wrong byte, and
//! transfers complete once the network is well.

use crate::support::{STACKS, flow, quic, run, summary, two_hosts};
use tailrace_core::Rng;

/// Network number `n`, with a transfer in each direction and requests, disturbed from 1 s to 8 s.
fn disturbed(n: u64, stack: &str) -> String {
    let mut rng = Rng::new(n);
    let mut pick = |of: &[&'static str]| of[rng.below(of.len() as u64) as usize];
    let rate = pick(&["500 kbit/s", "2 Mbit/s", "20 Mbit/s"]);
    let queue =
        pick(&["\"fq_codel\"", "{ kind = \"droptail\", limit = \"8 packets\" }", "\"cake\"", "\"codel\""]);
    let link = format!("rate = \"{rate}\"\nqueue = {queue}\nmtu = \"{}\"", pick(&["1500 B", "1300 B"]));
    let faults: String = (0..3)
        .map(|_| {
            let kind = pick(&[
                "kind = \"loss\"\nvalue = 0.2",
                "kind = \"duplication\"\nprobability = 0.1",
                "kind = \"corruption\"\nprobability = 0.1",
                "kind = \"delay\"\nvalue = \"150 ms\"",
                "kind = \"down\"",
            ]);
            format!(
                "[[fault]]\nlink = \"l\"\nat = \"{} s\"\nuntil = \"{} s\"\noverlap = true\n{kind}\n",
                pick(&["1", "2", "3"]),
                pick(&["4", "6", "8"])
            )
        })
        .collect();
    let keys = pick(&[
        "",
        ", ecn = false",
        ", gso_segments = 10",
        ", timer_granularity = \"1 ms\", server_flight = \"8 kB\"",
    ]);
    let transport = quic(stack, keys);
    two_hosts("120 s", &link)
        + &flow("up", &transport, "{ kind = \"transfer\", size = \"300 kB\" }")
        + &flow("down", &transport, "{ kind = \"transfer\", size = \"300 kB\", direction = \"down\" }")
        + &flow("short", &transport, "{ kind = \"sequence\", size = \"10 kB\", count = 20 }")
        + &faults
}

#[test]
fn disturbed_networks_deliver_every_byte_in_its_place() {
    for stack in STACKS {
        for n in 0..20 {
            let text = disturbed(n, stack);
            let summary = summary(&run(&text));
            for name in ["up", "down", "short"] {
                let group = &summary["groups"][name];
                assert_eq!(group["whole_run"]["wrong_bytes"], 0, "{stack} {n} {name}");
                let transfers = &group["transfers"];
                let ended = transfers["completed"].as_u64().unwrap() + transfers["failed"].as_u64().unwrap();
                assert!(ended > 0, "{stack} {n} {name}: {transfers}\n{text}");
            }
        }
    }
}
