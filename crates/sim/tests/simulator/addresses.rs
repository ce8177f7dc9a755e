//! Addresses given by the scenario.

use crate::support::{Run, Text};

/// Whether a capture contains a packet from one address to another.
fn shows(run: &Run, from: [u8; 4], to: [u8; 4]) -> bool {
    let pattern = [from, to].concat();
    run.output.captures.iter().any(|file| file.bytes.windows(8).any(|bytes| bytes == pattern))
}

#[test]
fn given_addresses_are_used_in_packets_and_routes() {
    let text = |first: &str, second: &str| {
        Text::new("5 s")
            .add(&format!("[[host]]\nname = \"a\"\n{first}"))
            .add(&format!("[[host]]\nname = \"b\"\n{second}"))
            .router("r")
            .link("a", "r", "2 Mbit/s", "10 ms", "")
            .link("r", "b", "2 Mbit/s", "10 ms", "")
            .link("a", "r", "1 Mbit/s", "20 ms", "name = \"a2\"")
            .link("r", "b", "1 Mbit/s", "20 ms", "name = \"b2\"")
            .flow("mp", ("a", "b"), "\"mptcp\"", "\"bulk\"")
            .add("[[capture]]\nat = \"a\"")
    };
    let counted = text("", "").run();
    // The second pair reverses the automatic addresses.
    let given =
        text("address = [\"192.168.7.1\", \"10.0.0.4\"]", "address = [\"172.16.0.9\", \"10.0.0.3\"]").run();
    assert_eq!(counted.output.fingerprint, given.output.fingerprint, "nothing here depends on them");
    assert!(counted.leaf("groups.mp.goodput_bps.sum") > 2e6, "both paths are in use");
    assert!(shows(&given, [192, 168, 7, 1], [172, 16, 0, 9]) && shows(&given, [10, 0, 0, 4], [10, 0, 0, 3]));
    assert!(!shows(&counted, [192, 168, 7, 1], [172, 16, 0, 9]));
}

#[test]
fn hosts_of_a_declaration_have_consecutive_addresses() {
    let run = Text::new("1 s")
        .add("[[host]]\nname = \"src\"\ncount = 3\naddress = \"10.9.0.254\"")
        .add("[[host]]\nname = \"dst\"")
        .link("src[*]", "dst", "1 Mbit/s", "1 ms", "")
        .flow("tcp", ("src[*]", "dst"), "\"tcp\"", "\"bulk\"")
        .add("[[capture]]\nat = \"dst\"")
        .run();
    // The server's three interfaces are numbered among all six.
    for (from, to) in [([10, 9, 0, 254], 2), ([10, 9, 0, 255], 4), ([10, 9, 1, 0], 6)] {
        assert!(shows(&run, from, [10, 0, 0, to]), "{from:?}");
    }
}

/// Goodput of a flow that may share its queue with a flood, by the address of its host.
#[test]
fn addresses_determine_hash_bucket_sharing() {
    let share = |last: u32| {
        Text::new("6 s")
            .add(&format!(
                "[[host]]\nname = \"src\"\naddress = \"10.1.0.{last}\"\n[[host]]\nname = \"flooder\""
            ))
            .add("[[host]]\nname = \"dst\"")
            .router("r1")
            .router("r2")
            .link("src", "r1", "100 Mbit/s", "1 ms", "")
            .link("flooder", "r1", "100 Mbit/s", "1 ms", "")
            .link("r1", "r2", "10 Mbit/s", "5 ms", "queue = { kind = \"fq_codel\", flows = 2 }")
            .link("r2", "dst", "100 Mbit/s", "1 ms", "")
            .flow("tcp", ("src", "dst"), "\"tcp\"", "\"bulk\"")
            .flow(
                "flood",
                ("flooder", "dst"),
                "\"udp\"",
                "{ kind = \"cbr\", rate = \"20 Mbit/s\", size = \"1000 B\" }",
            )
            .run()
            .leaf("groups.tcp.goodput_bps.sum")
    };
    let shares: Vec<f64> = (1..=8).map(share).collect();
    let alone = shares.iter().filter(|bps| **bps > 4e6).count();
    let beside_the_flood = shares.iter().filter(|bps| **bps < 1e6).count();
    assert!(alone > 0 && beside_the_flood > 0 && alone + beside_the_flood == 8, "{shares:?}");
}
