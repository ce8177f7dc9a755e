//! How evenly flows get on: silences, intervals, and what a flow gets until it is done.

use crate::support::{Text, assert_close};

/// A datagram of 1000 B every 10 ms over one link of 10 Mbit/s and 5 ms, which loses all from
/// 998 ms to 1495 ms: each takes 5.8 ms.
fn pulse() -> Text {
    Text::new("2 s")
        .hosts("a", 1)
        .hosts("b", 1)
        .link("a", "b", "10 Mbit/s", "5 ms", "name = \"path\"")
        .flow_with(
            "udp",
            ("a", "b"),
            "{ kind = \"udp\" }",
            "{ kind = \"cbr\", rate = \"777600 bit/s\", size = \"972 B\" }",
            "stop = \"1800 ms\"",
        )
        .add("[[fault]]\nat = \"998 ms\"\nuntil = \"1495 ms\"\nlink = \"path\"\nkind = \"blackhole\"")
}

#[test]
fn the_longest_silence_is_that_of_the_outage_and_of_each_window_its_part() {
    let run = pulse()
        .add("[[window]]\nname = \"within\"\nstart = \"1200 ms\"\nend = \"1400 ms\"")
        .add("[[window]]\nname = \"end\"\nstart = \"1400 ms\"")
        .run();
    // Sent at 0.99 s, and the next that arrives at 1.5 s.
    let whole = run.leaf("groups.udp.longest_silence_s");
    assert_close(whole, 0.51, 1e-9);
    assert_eq!(run.flows("udp", "longest_silence_s"), [whole]);
    assert_close(run.leaf("windows.within.groups.udp.longest_silence_s"), 0.2, 1e-9);
    assert_close(run.leaf("windows.end.groups.udp.longest_silence_s"), 0.1058, 1e-9);
}

#[test]
fn a_flow_is_silent_only_while_it_is_open() {
    let transfers = |gap: &str| {
        let app = format!("{{ kind = \"sequence\", size = \"1 kB\", count = 3, gap = \"{gap}\" }}");
        let run = Text::new("20 s")
            .hosts("src", 1)
            .hosts("dst", 1)
            .link("src", "dst", "10 Mbit/s", "20 ms", "")
            .flow("tcp", ("src", "dst"), "{ kind = \"tcp\" }", &app)
            .run();
        run.tcp("longest_silence_s")
    };
    // A handshake and the way there; the pauses between connections are none of the flow's.
    let silence = transfers("5 s");
    assert!((0.06..0.07).contains(&silence), "{silence}");
    assert_eq!(silence, transfers("1 s"));
}
