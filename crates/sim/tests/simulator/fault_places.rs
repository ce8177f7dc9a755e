//! Faults of several links, of one direction, in steps, and routes that return after their link.

use crate::cable::{DATAGRAMS, cable, lost, told};
use crate::support::{Run, Text};

#[test]
fn fault_of_one_direction_keeps_the_other() {
    // The datagrams of 2010 to 4000 ms are lost.
    for kind in ["down", "blackhole"] {
        let both = cable(&format!("link = \"cable\"\nkind = \"{kind}\""));
        assert_eq!((lost(&both), told(&both, "begins")), ([200.0, 200.0], 2), "{kind}");
        for (place, expected) in [
            ("link = \"cable\"\ndirection = \"forward\"", [200.0, 0.0]),
            ("link = \"cable\"\ndirection = \"reverse\"", [0.0, 200.0]),
            ("host = \"src[0]\"\ndirection = \"up\"", [200.0, 0.0]),
            ("host = \"src[0]\"\ninterface = 1\ndirection = \"down\"", [0.0, 200.0]),
            ("host = \"dst[0]\"\ndirection = \"up\"", [0.0, 200.0]),
        ] {
            let run = cable(&format!("{place}\nkind = \"{kind}\""));
            assert_eq!(
                (lost(&run), told(&run, "begins"), told(&run, "ends")),
                (expected, 1, 1),
                "{kind}: {place}"
            );
            run.assert_drained();
        }
    }
}

#[test]
fn host_without_route_drops_packets() {
    let run = cable("link = \"cable\"\nkind = \"down\"\nroute_delay = \"1 s\"");
    // Lost: 200 while the link is down, and those of 4010 to 5000 ms for lack of a route at either host.
    assert_eq!(lost(&run), [300.0, 300.0]);
    assert_eq!((told(&run, "link_down"), told(&run, "no_route")), (400, 200));
    assert_eq!(["begins", "ends", "clears"].map(|edge| told(&run, edge)), [2, 2, 2]);
    run.assert_drained();
    // A fault that begins before the routes are back.
    let again = "\n[[fault]]\nkind = \"down\"\nlink = \"cable\"\nat = \"4505 ms\"\nuntil = \"6005 ms\"";
    let run = cable(&format!("link = \"cable\"\nkind = \"down\"\nroute_delay = \"1 s\"{again}"));
    assert_eq!((lost(&run), told(&run, "no_route")), ([400.0, 400.0], 100));
}

#[test]
fn router_delivers_to_host_without_route() {
    let run = |place: &str| {
        let text = Text::new("10 s")
            .top("record = { events = true }")
            .dumbbell(1, "10 Mbit/s", "1 ms", "")
            .flow_with("there", ("src[0]", "dst[0]"), "\"udp\"", DATAGRAMS, "stop = \"9 s\"")
            .flow_with("back", ("dst[0]", "src[0]"), "\"udp\"", DATAGRAMS, "stop = \"9 s\"");
        let fault = format!(
            "[[fault]]\nat = \"2005 ms\"\nuntil = \"4005 ms\"\nkind = \"down\"\nroute_delay = \"1 s\"\n{place}"
        );
        lost(&text.add(&fault).run())
    };
    // Arriving packets need no route at the host. They spend a millisecond or two on the way to its link.
    assert_eq!(run("host = \"src[0]\""), [300.0, 200.0]);
    // Between routers it is the routers that lack a route.
    assert_eq!(run("link = \"bottleneck\""), [300.0, 300.0]);
}

#[test]
fn routers_avoid_link_until_its_route_returns() {
    let carried = |more: &str| {
        let run = Text::new("60 s")
            .hosts("src", 1)
            .hosts("dst", 1)
            .router("r1")
            .router("r2")
            .router("r3")
            .link("src[*]", "r1", "100 Mbit/s", "1 ms", "")
            .link("r1", "r2", "10 Mbit/s", "10 ms", "name = \"short\"")
            .link("r1", "r3", "10 Mbit/s", "10 ms", "name = \"detour\"")
            .link("r3", "r2", "10 Mbit/s", "10 ms", "")
            .link("r2", "dst[*]", "100 Mbit/s", "1 ms", "")
            .flow_with("udp", ("src[0]", "dst[0]"), "\"udp\"", DATAGRAMS, "stop = \"59 s\"")
            .add(&format!("[[fault]]\nat = \"20005 ms\"\nuntil = \"40005 ms\"\nlink = \"short\"\nkind = \"down\"\n{more}"))
            .run();
        run.leaf("queues.r1->r3.dequeued_packets")
    };
    assert_eq!([carried(""), carried("route_delay = \"5 s\"")], [2000.0, 2500.0]);
}

/// Four paths of 1 Mbit/s between the hosts.
fn four_ways(faults: &str) -> Run {
    Text::new("40 s")
        .hosts("a", 1)
        .hosts("b", 1)
        .add("[[router]]\nname = \"r\"\ncount = 4")
        .link("a", "r[*]", "1 Mbit/s", "10 ms", "name = \"c\"")
        .link("r[*]", "b", "1 Mbit/s", "1 ms", "name = \"s\"")
        .flow("mp", ("a", "b"), "{ kind = \"mptcp\", profile = \"mptcp_0_94\" }", "\"bulk\"")
        .add(faults)
        .run()
}

#[test]
fn fault_sequence_equals_single_faults() {
    let single = |link: &str, at: u32, until: u32| {
        format!("[[fault]]\nkind = \"down\"\nlink = \"{link}\"\nat = \"{at} s\"\nuntil = \"{until} s\"\n")
    };
    for n in 1..=4_u32 {
        let sequence = "at = \"10 s\"\nevery = \"2 s\"\nback_every = \"2 s\"";
        let mut faults = String::new();
        for k in 0..n {
            for side in ["c", "s"] {
                faults += &single(&format!("{side}[{k}]"), 10 + 2 * k, 10 + 2 * n + 2 * k);
            }
        }
        let apart = four_ways(&faults);
        for places in ["link = [\"c[*]\", \"s[*]\"]", "host = [\"a\", \"b\"]"] {
            let one = four_ways(&format!("[[fault]]\nkind = \"down\"\n{sequence}\ncount = {n}\n{places}"));
            assert_eq!(one.output.fingerprint, apart.output.fingerprint, "{places}, {n}");
        }
    }
}
