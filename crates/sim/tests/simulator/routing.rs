//! `[routing]`: equal-cost paths, and delayed convergence.

use crate::support::{Run, Text};

/// `n` hosts on each side, and four equal-cost paths between their routers.
fn four_ways(n: usize, routing: &str) -> Text {
    let mut text = Text::new("10 s").top(&format!("routing = {routing}")).hosts("src", n).hosts("dst", n);
    for router in ["r1", "r2", "m0", "m1", "m2", "m3"] {
        text = text.router(router);
    }
    text = text.link("src[*]", "r1", "100 Mbit/s", "1 ms", "").link("r2", "dst[*]", "100 Mbit/s", "1 ms", "");
    for middle in ["m0", "m1", "m2", "m3"] {
        text = text.link("r1", middle, "100 Mbit/s", "1 ms", "").link(middle, "r2", "100 Mbit/s", "1 ms", "");
    }
    text
}

/// Packets over each of the four paths, forward and reverse.
fn loads(run: &Run) -> [[f64; 4]; 2] {
    let over = |from: &str, to: &str| run.leaf(&format!("queues.{from}->{to}.enqueued_packets"));
    let ways = ["m0", "m1", "m2", "m3"];
    [ways.map(|m| over("r1", m)), ways.map(|m| over("r2", m))]
}

/// Flows of ten datagrams each, four hundred of them.
fn many_flows(routing: &str) -> Text {
    let app = "{ kind = \"cbr\", rate = \"40 kbit/s\", size = \"500 B\" }";
    four_ways(400, routing).flow_with(
        "udp",
        ("src[*]", "dst[*]"),
        "{ kind = \"udp\", header = \"0 B\" }",
        app,
        "stop = \"1 s\"",
    )
}

#[test]
fn single_path_routing_is_the_default() {
    let run = many_flows("{}").run();
    assert_eq!(loads(&run)[0], [4000.0, 0.0, 0.0, 0.0]);
    let said = many_flows("{ equal_paths = \"first\", convergence = \"0 s\" }").run();
    assert_eq!(said.output.fingerprint, run.output.fingerprint);
}

#[test]
fn ecmp_spreads_flows_evenly_and_keeps_each_on_a_path() {
    for by in ["five_tuple", "src_dst"] {
        let text = many_flows(&format!("{{ equal_paths = \"{by}\" }}"));
        let run = text.run();
        let [there, _] = loads(&run);
        assert_eq!(there.iter().sum::<f64>(), 4000.0, "{by}");
        for packets in there {
            // Whole flows: a quarter of 400 each, 100 with a standard deviation of 8.7.
            assert_eq!(packets % 10.0, 0.0, "{by}: {there:?}");
            assert!((packets / 10.0 - 100.0).abs() < 4.0 * 8.7, "{by}: {there:?}");
        }
        assert_eq!(run.leaf("groups.udp.lost_packets"), 0.0);
        let (again, other) = (text.run(), text.run_number(2));
        assert_eq!(again.output.fingerprint, run.output.fingerprint);
        assert_ne!(loads(&other)[0], there, "each run has its own hash");
    }
}

#[test]
fn ecmp_rehashes_flows_of_a_failed_path() {
    // From 0.5 s on: five datagrams of each flow on that path have left, none is on it (they come every 100 ms).
    let fault = "[[fault]]\nlink = \"r1-m2\"\nkind = \"down\"\nat = \"50 ms\"";
    let text = many_flows("{ equal_paths = \"five_tuple\" }");
    let [before, _] = loads(&text.run());
    let [after, _] = loads(&text.add(fault).run());
    // The first of ten datagrams leaves before the failure.
    assert_eq!(after[2], before[2] / 10.0);
    assert_eq!(after.iter().sum::<f64>(), 4000.0);
    for (i, packets) in after.iter().enumerate().filter(|(i, _)| *i != 2) {
        // A third of 400 flows each, for nine of ten datagrams: 133 with a standard deviation of 9.4.
        let flows = (packets - before[i] / 10.0) / 9.0;
        assert!((flows - 133.3).abs() < 4.0 * 9.4, "{after:?}");
    }
}

#[test]
fn ecmp_by_five_tuple_separates_subflows() {
    let ways = |by: &str| {
        let manager = "{ kind = \"ndiffports\", num_subflows = 8 }";
        let run = four_ways(1, &format!("{{ equal_paths = \"{by}\" }}"))
            .flow(
                "mptcp",
                ("src[*]", "dst[*]"),
                &format!("{{ kind = \"mptcp\", path_manager = {manager} }}"),
                "\"bulk\"",
            )
            .run();
        loads(&run).map(|packets| packets.iter().filter(|n| **n > 0.0).count())
    };
    assert_eq!((ways("first"), ways("src_dst")), ([1, 1], [1, 1]));
    // Eight subflows all miss a given path of four with a probability of a tenth, and two given paths with 0.004.
    let [there, back] = ways("five_tuple");
    assert!(there >= 3 && back >= 3, "{there} {back}");
}

/// Datagrams every millisecond from src to dst, over r1 - r2, or else over r3.
fn steady(routing: &str, faults: &str) -> Run {
    Text::new("30 s")
        .top(&format!("routing = {routing}"))
        .hosts("src", 1)
        .hosts("dst", 1)
        .router("r1")
        .router("r2")
        .router("r3")
        .link("src[0]", "r1", "100 Mbit/s", "1 ms", "")
        .link("r1", "r2", "100 Mbit/s", "10 ms", "name = \"short\"")
        .link("r1", "r3", "100 Mbit/s", "10 ms", "")
        .link("r3", "r2", "100 Mbit/s", "10 ms", "")
        .link("r2", "dst[0]", "100 Mbit/s", "1 ms", "name = \"last\"")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"4 Mbit/s\", size = \"500 B\" }",
            "stop = \"29 s\"",
        )
        .add(faults)
        .run()
}

/// Datagrams lost, dropped at the short path because it was down, and sent over the detour.
fn fates(run: &Run) -> [f64; 3] {
    [
        run.leaf("groups.udp.lost_packets"),
        run.leaf("queues.r1->r2.dropped_packets.link_down"),
        run.leaf("queues.r1->r3.enqueued_packets"),
    ]
}

#[test]
fn convergence_delay_loses_packets() {
    let fault = "[[fault]]\nlink = \"short\"\nkind = \"down\"\nat = \"10 s\"\nuntil = \"20 s\"";
    // Datagram k reaches r1 at k + 1.04 ms, and r2 10.04 ms later: ten are on the link when it goes down, and the 10 000 that
    // come while it is down take the detour.
    assert_eq!(fates(&steady("{}", fault)), [10.0, 10.0, 10_000.0]);
    // Convergence takes 250 ms: as many datagrams go into the dead link, and as many take the detour after the short path is
    // back.
    assert_eq!(fates(&steady("{ convergence = \"250 ms\" }", fault)), [260.0, 260.0, 10_000.0]);
}

#[test]
fn convergence_delay_applies_to_a_short_outage() {
    let fault = "[[fault]]\nlink = \"short\"\nkind = \"down\"\nat = \"10 s\"\nuntil = \"10.1 s\"";
    // Down for 100 datagrams, without a detour; from 10.25 to 10.35 s over the detour, without need.
    assert_eq!(fates(&steady("{ convergence = \"250 ms\" }", fault)), [110.0, 110.0, 100.0]);
}

#[test]
fn convergence_delay_applies_to_host_links() {
    let fault = "[[fault]]\nlink = \"last\"\nkind = \"down\"\nat = \"10 s\"\nuntil = \"20 s\"";
    let [at_once, late] = ["{}", "{ convergence = \"250 ms\" }"].map(|routing| {
        let run = steady(routing, fault);
        let over = run.leaf("queues.r1->r2.enqueued_packets");
        [run.leaf("groups.udp.lost_packets"), over]
    });
    // Datagrams that reach r1 while the host is unreachable are lost there. Earlier ones are lost, too: ten between the routers
    // and one (of 1.04 ms) behind them.
    assert_eq!(at_once, [10_011.0, 19_000.0]);
    // With late routes 250 more go as far as r2; when the host is back, 250 more find no route at r1.
    assert_eq!(late, [10_261.0, 19_000.0]);
}

#[test]
fn convergence_delay_adds_to_withheld_routes() {
    let fault = "[[fault]]\nlink = \"short\"\nkind = \"down\"\nroute_delay = \"1 s\"\nat = \"10 s\"\nuntil = \"20 s\"";
    // Back at 20 s, with routes a second later, of which routers hear 250 ms after that.
    assert_eq!(fates(&steady("{ convergence = \"250 ms\" }", fault)), [260.0, 260.0, 11_000.0]);
}

#[test]
fn packets_take_the_path_of_least_cost_and_the_next_when_it_fails() {
    let dear = |text: Text, at: &str| text.with(at, &format!("{at}\ncost = 5"));
    let text = many_flows("{}");
    // Forward over m1, as m0 is dearer; back over m2, as the others are.
    let costs = "[[link]]\nbetween = [\"r1\", \"m0\"]";
    let text = dear(text, costs);
    let found = loads(&text.run());
    assert_eq!(found[0], [0.0, 4000.0, 0.0, 0.0]);
    let fault = "[[fault]]\nlink = \"r1-m1\"\nkind = \"down\"\nat = \"50 ms\"";
    let [after, _] = loads(&text.add(fault).run());
    assert_eq!(after, [0.0, 400.0, 3600.0, 0.0], "the first of ten datagrams leaves before the failure");
}

#[test]
fn a_host_with_two_links_uses_the_pair_of_least_cost() {
    let text = |cost: &str| {
        Text::new("1 s")
            .add("[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"")
            .router("r1")
            .router("r2")
            .link("a", "r1", "10 Mbit/s", "1 ms", "")
            .link("a", "r2", "10 Mbit/s", "1 ms", "")
            .link("r1", "b", "10 Mbit/s", "1 ms", &format!("queue = \"droptail\"\n{cost}"))
            .link("r2", "b", "10 Mbit/s", "1 ms", "queue = \"droptail\"")
            .flow_with(
                "udp",
                ("a", "b"),
                "\"udp\"",
                "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"1000 B\" }",
                "",
            )
            .run()
    };
    let over =
        |run: &Run| ["r1->b", "r2->b"].map(|link| run.leaf(&format!("queues.{link}.enqueued_packets")) > 0.0);
    assert_eq!(over(&text("")), [true, false]);
    assert_eq!(over(&text("cost = 2")), [false, true]);
    assert_eq!(over(&text("reverse = { cost = 2 }")), [true, false], "the way there counts");
}
