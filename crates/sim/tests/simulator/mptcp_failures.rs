//! Path failures in each MPTCP profile: reuse of a returning path, data on a silent one, and no byte lost or duplicated.

use crate::support::{Run, Text};

const PROFILES: [&str; 5] = ["rfc", "mptcp_0_94", "linux", "ns2", "ns3"];

/// A client with two links of 4 Mbit/s to a router, `first` and `second`, and a server behind it.
fn phone(duration: &str, delay: &str) -> Text {
    let mut text = Text::new(duration).hosts("a", 1).hosts("b", 1).router("r");
    for name in ["first", "second"] {
        let more = format!("name = \"{name}\"\nqueue = {{ kind = \"droptail\", limit = \"40 packets\" }}");
        text = text.link("a", "r", "4 Mbit/s", delay, &more);
    }
    text.link("r", "b", "100 Mbit/s", "1 ms", "").add("[record]\ninterval = \"10 ms\"")
}

fn flow(text: Text, profile: &str, more: &str, app: &str) -> Text {
    let transport = format!("{{ kind = \"mptcp\", profile = \"{profile}\", {more} }}");
    text.flow("mp", ("a", "b"), &transport, app)
}

fn fault(text: Text, kind: &str, at: &str, until: &str) -> Text {
    text.add(&format!("[[fault]]\nat = \"{at}\"\nuntil = \"{until}\"\nlink = \"second\"\nkind = \"{kind}\""))
}

/// Samples of subflows that leave by `second`, in order: time, bytes scheduled, and whether usable.
fn second(run: &Run) -> Vec<(f64, f64, bool)> {
    let column = |name| run.column("subflow_series", name);
    let links = run.words("subflow_series", "link");
    let (times, bytes, usable) = (column("time_s"), column("scheduled_bytes"), column("usable"));
    (0..times.len())
        .filter(|i| links[*i] == "second")
        .map(|i| (times[i], bytes[i], usable[i] > 0.0))
        .collect()
}

/// Time after `from` until a subflow on `second` has more bytes than at the previous sample.
fn carries_after(run: &Run, from: f64) -> f64 {
    let samples: Vec<_> = second(run).into_iter().filter(|s| s.0 > from).collect();
    let first = samples.first().filter(|s| s.1 > 0.0 && s.1 < 1e5).map(|s| s.0);
    let grows = || samples.windows(2).find(|w| w[1].1 > w[0].1).map(|w| w[1].0);
    first.or_else(grows).expect("it carries data again") - from
}

#[test]
fn returning_path_carries_data_after_event_delay() {
    // A join takes two RTTs of 24 ms and queueing.
    for (profile, least, most) in
        [("rfc", 0.04, 0.2), ("linux", 0.04, 0.2), ("mptcp_0_94", 0.54, 0.7), ("ns2", 0.04, 0.2)]
    {
        let text = flow(fault(phone("20 s", "10 ms"), "down", "5 s", "10 s"), profile, "", "\"bulk\"");
        let run = text.run();
        let after = carries_after(&run, 10.0);
        assert!(after > least && after < most, "{profile}: {after} s");
        assert_eq!(run.leaf("connections.mp[0].paths.second.subflows"), 2.0, "{profile}");
    }
}

#[test]
fn mptcp_0_94_ignores_route_after_second_join_attempt() {
    // Interfaces are back at 10 s, but routers between them get a route only later. 0.94 tries 0.5 s and 1.5 s after the
    // interface came up, and never again.
    let carries = |until: &str| {
        let mut text = Text::new("30 s").hosts("a", 1).hosts("b", 1).router("p").router("q");
        for (ends, name) in
            [(("a", "b"), "first"), (("a", "p"), "second"), (("p", "q"), "between"), (("q", "b"), "last")]
        {
            text = text.link(ends.0, ends.1, "4 Mbit/s", "10 ms", &format!("name = \"{name}\""));
        }
        let down =
            format!("[[fault]]\nat = \"5 s\"\nuntil = \"{until}\"\nlink = \"between\"\nkind = \"down\"");
        let text = fault(text, "down", "5 s", "10 s").add(&down).add("[record]\ninterval = \"10 ms\"");
        let run = flow(text, "mptcp_0_94", "", "\"bulk\"").run();
        second(&run).iter().any(|s| s.0 > 10.0 && s.1 > 0.0)
    };
    assert_eq!(["10 s", "11 s", "12 s"].map(carries), [true, true, false]);
}

#[test]
fn join_before_route_returns_fails() {
    // A single interface returns: 0.94 is told at 10 s and tries 0.5 s and 1.5 s later only. Others join as soon as the interface is
    // back, or not at all; with no delay all do.
    let carries = |profile: &str, delay: &str| {
        let fault = format!(
            "[[fault]]\nat = \"5 s\"\nuntil = \"10 s\"\nhost = \"a\"\ninterface = 2\nkind = \"down\"\nroute_delay = \"{delay}\""
        );
        let run = flow(phone("30 s", "10 ms").add(&fault), profile, "", "\"bulk\"").run();
        second(&run).iter().any(|s| s.0 > 10.0 && s.1 > 0.0)
    };
    assert_eq!(["0 s", "1 s", "2 s"].map(|delay| carries("mptcp_0_94", delay)), [true, true, false]);
    assert!(carries("rfc", "0 s") && carries("linux", "0 s"));
}

#[test]
fn silent_path_gets_no_new_data_after_timeout_or_stale() {
    // RTT of 402 ms: 0.94 avoids the path after one timeout, Linux after five of the connection's, of which later ones may be as
    // short as 200 ms: at least 4 * 200 + 402 ms, or a little less if one was running.
    let profiles =
        [("mptcp_0_94", 0.0, 0.4, 1.2), ("linux_6_1", 1.0, 1.2, 4.0), ("linux_6_12", 1.0, 1.1, 4.0)];
    for (profile, stale, least, most) in profiles {
        let text = fault(phone("40 s", "100 ms"), "blackhole", "10 s", "25 s");
        let run = flow(text, profile, "", "\"bulk\"").run();
        assert_eq!(run.leaf("connections.mp[0].stale_subflows"), stale, "{profile}");
        let samples = second(&run);
        let off = samples.iter().find(|s| s.0 > 10.0 && !s.2).unwrap();
        assert!(off.0 - 10.0 > least && off.0 - 10.0 < most, "{profile}: {} s", off.0 - 10.0);
        let silent: Vec<_> = samples.iter().filter(|s| s.0 >= off.0 && s.0 < 25.0).collect();
        assert!(silent.iter().all(|s| !s.2 && s.1 == off.1), "{profile}: nothing new");
        let delivered = run.column("connection_series", "delivered_bytes");
        let times = run.column("connection_series", "time_s");
        let at = |t: f64| delivered[times.iter().position(|x| *x >= t).unwrap()];
        // The other path alone: 4 Mbit/s less headers, and less the idle time due to Linux's tuned send buffer.
        assert!(at(24.0) - at(15.0) > 0.8 * 9.0 * 5e5, "{profile}: {}", at(24.0) - at(15.0));
        let back = samples.iter().find(|s| s.0 > 25.0 && s.2).expect("it is heard from again");
        assert!(samples.iter().any(|s| s.0 > back.0 && s.1 > off.1), "{profile}: and used again");
    }
}

#[test]
fn mptcp_profiles_lose_and_duplicate_no_byte() {
    for profile in PROFILES {
        for kind in ["down", "blackhole"] {
            let text = fault(fault(phone("120 s", "10 ms"), kind, "1 s", "3 s"), kind, "4 s", "9 s");
            let first =
                format!("[[fault]]\nat = \"10 s\"\nuntil = \"12 s\"\nlink = \"first\"\nkind = \"{kind}\"");
            let text = text.add(&first).with("delay = \"10 ms\"", "loss = \"1 %\"\ndelay = \"10 ms\"");
            let run = flow(text, profile, "", "{ kind = \"transfer\", size = \"8 MB\" }").run();
            assert_eq!(run.leaf("groups.mp.completed"), 1.0, "{profile} {kind}");
            for end in ["acked_bytes", "delivered_bytes"] {
                assert_eq!(run.leaf(&format!("connections.mp[0].{end}")), 8e6, "{profile} {kind} {end}");
            }
        }
    }
}

#[test]
fn mptcp_0_94_full_mesh_is_limited_to_31_subflows() {
    let run = |profile: &str| {
        let mut text = Text::new("20 s").hosts("a", 1).hosts("b", 1).router("r");
        for i in 0..8 {
            let queue = "queue = { kind = \"droptail\", limit = \"20 packets\" }";
            text = text.link("a", "r", "1 Mbit/s", "10 ms", &format!("name = \"a{i}\"\n{queue}"));
            text = text.link("r", "b", "1 Mbit/s", "10 ms", &format!("name = \"b{i}\"\n{queue}"));
        }
        let fault = "[[fault]]\nat = \"8 s\"\nuntil = \"14 s\"\nlink = \"a1\"\nkind = \"down\"";
        let text = text.add("[record]\ninterval = \"100 ms\"").add(fault);
        flow(text, profile, "", "\"bulk\"").run()
    };
    let counts = |run: &Run| {
        let times = run.column("subflow_series", "time_s");
        [7.5, 13.5, 19.5].map(|at| times.iter().filter(|t| (**t - at).abs() < 1e-6).count())
    };
    // Four of 31 subflows leave by a1. No other pair is tried when their places are free, and its own eight pairs are retried,
    // four of them with success, when it is back.
    assert_eq!(counts(&run("mptcp_0_94")), [31, 27, 31]);
    assert_eq!(counts(&run("rfc")), [32, 28, 32]);
}

/// Three paths of 2 Mbit/s between the hosts.
fn three_ways() -> Text {
    let text = Text::new("20 s").hosts("a", 1).hosts("b", 1).add("[[router]]\nname = \"r\"\ncount = 3");
    let text = text.link("a", "r[*]", "2 Mbit/s", "10 ms", "name = \"in\"");
    text.link("r[*]", "b", "2 Mbit/s", "10 ms", "name = \"out\"")
}

/// Three paths of 2 Mbit/s between the hosts, two of which fail at the same moment, given by `faults`.
fn two_of_three(profile: &str, faults: &[&str]) -> Run {
    let mut text = three_ways();
    for links in faults {
        text = text
            .add(&format!("[[fault]]\nat = \"5 s\"\nuntil = \"9 s\"\nlink = \"{links}\"\nkind = \"down\""));
    }
    flow(text, profile, "path_manager = \"fullmesh\"", "\"bulk\"").run()
}

#[test]
fn simultaneous_link_faults_precede_host_reactions() {
    for profile in PROFILES {
        let together = two_of_three(profile, &["in[1..3]"]);
        // Equivalent forms: a list, a host's interfaces, steps of zero length.
        let list = "link = [\"in[2]\", \"in[1]\"]";
        for places in
            [list, "host = \"a\"\ninterface = [2, 3]", "host = \"a\"\ninterface = \"2..4\"\ncount = 2"]
        {
            let said = three_ways()
                .add(&format!("[[fault]]\nat = \"5 s\"\nuntil = \"9 s\"\nkind = \"down\"\n{places}"));
            let said = flow(said, profile, "path_manager = \"fullmesh\"", "\"bulk\"").run();
            assert_eq!(said.output.fingerprint, together.output.fingerprint, "{profile}: {places}");
        }
        for faults in [["in[1]", "in[2]"], ["in[2]", "in[1]"]] {
            let apart = two_of_three(profile, &faults);
            assert_eq!(together.output.fingerprint, apart.output.fingerprint, "{profile}");
        }
    }
}

#[test]
fn joins_without_route_are_not_counted() {
    // Two disjoint networks: two of four pairs of addresses have a route.
    for profile in PROFILES {
        let text = Text::new("20 s").hosts("a", 1).hosts("b", 1).router("r").router("s");
        let text = ["r", "s"].iter().fold(text, |text, router| {
            text.link("a", router, "2 Mbit/s", "10 ms", &format!("name = \"to-{router}\"")).link(
                router,
                "b",
                "2 Mbit/s",
                "10 ms",
                &format!("name = \"from-{router}\""),
            )
        });
        let run = flow(text, profile, "path_manager = \"fullmesh\", max_subflows = 2", "\"bulk\"").run();
        let leaf = |what: &str| run.leaf(&format!("connections.mp[0].{what}"));
        assert_eq!((leaf("subflows_established"), leaf("subflows_lost")), (2.0, 0.0), "{profile}");
        assert_eq!((leaf("paths.to-r.subflows"), leaf("paths.to-s.subflows")), (1.0, 1.0), "{profile}");
    }
}
