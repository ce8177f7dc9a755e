//! Address changes under traffic: notifications, and connections that survive.

use crate::support::{Run, Text, assert_close};
use tailrace_scenario::model::{FaultConfig, LinkIndex};
use tailrace_sim::{LiveChange, LiveChangeError, Simulation};

/// A client `a` and a server `b` at a router, with a link each.
fn network(duration: &str) -> Text {
    Text::new(duration)
        .top("record = { events = true, interval = \"100 ms\" }")
        .add("[[host]]\nname = \"a\"")
        .add("[[host]]\nname = \"b\"")
        .router("r")
        .link(
            "a",
            "r",
            "4 Mbit/s",
            "10 ms",
            "name = \"up\"\nqueue = { kind = \"droptail\", limit = \"40 packets\" }",
        )
        .link("r", "b", "10 Mbit/s", "10 ms", "name = \"far\"")
}

/// Adds a second link to each.
fn second(text: Text) -> Text {
    text.link(
        "a",
        "r",
        "2 Mbit/s",
        "10 ms",
        "name = \"up2\"\nqueue = { kind = \"droptail\", limit = \"40 packets\" }",
    )
    .link("r", "b", "10 Mbit/s", "10 ms", "name = \"far2\"")
}

/// Fault that gives an interface of `host` the address 10.0.9.9 from 5 s on.
fn change(host: &str, more: &str) -> String {
    format!("[[fault]]\nkind = \"address\"\nhost = \"{host}\"\nat = \"5 s\"\nvalue = \"10.0.9.9\"\n{more}")
}

/// Bytes delivered by an MPTCP connection at these times.
fn delivered<const N: usize>(run: &Run, times: [f64; N]) -> [f64; N] {
    let (at, bytes) =
        (run.column("connection_series", "time_s"), run.column("connection_series", "delivered_bytes"));
    times.map(|time| {
        at.iter().zip(&bytes).filter(|(t, _)| **t <= time + 1e-9).map(|(_, b)| *b).fold(0.0, f64::max)
    })
}

/// Times of events of a kind with this detail.
fn events(run: &Run, kind: &str, detail: &str) -> Vec<f64> {
    let (kinds, details) = (run.words("events", "kind"), run.words("events", "detail"));
    let times = run.column("events", "time_s");
    (0..times.len()).filter(|i| kinds[*i] == kind && details[*i] == detail).map(|i| times[i]).collect()
}

/// Number of captured packets from one address to another.
fn shown(run: &Run, from: [u8; 4], to: [u8; 4]) -> usize {
    let pattern = [from, to].concat();
    run.output
        .captures
        .iter()
        .map(|file| file.bytes.windows(8).filter(|bytes| *bytes == pattern).count())
        .sum()
}

const OLD: [u8; 4] = [10, 0, 0, 1];
const NEW: [u8; 4] = [10, 0, 9, 9];
const SERVER: [u8; 4] = [10, 0, 0, 2];

#[test]
fn tcp_connection_breaks_on_address_change() {
    for host in ["a", "b"] {
        let run = network("60 s")
            .flow("tcp", ("a", "b"), "{ kind = \"tcp\", data_retries = 4 }", "\"bulk\"")
            .add(&change(host, ""))
            .run();
        assert_eq!(run.words("connections", "state"), ["timed_out"], "{host}");
        // Packets in flight still arrive if the receiver's address is unchanged.
        assert_close(run.column("connections", "delivered_bytes")[0], 5.0 * 4e6 / 8.0, 0.1);
        let end = run.column("connections", "end_s")[0];
        assert!(end > 7.0 && end < 50.0, "{host}: {end}");
        run.assert_drained();
        let lost = events(&run, "drop", "no_route");
        assert!(lost.iter().all(|t| *t >= 5.0 && *t <= end + 0.2) && lost.len() > 5, "{host}: {lost:?}");
        // ACKs of packets in flight, or the rest of the window, arrive at a host that no longer has the address.
        assert_eq!(events(&run, "fault", "begins"), [5.0]);
    }
}

#[test]
fn tcp_connection_survives_a_short_address_change() {
    let run = network("20 s")
        .flow("tcp", ("a", "b"), "\"tcp\"", "\"bulk\"")
        .add(&change("a", "until = \"6 s\""))
        .run();
    assert_eq!(run.words("connections", "state"), ["open"]);
    assert!(run.column("connections", "delivered_bytes")[0] > 15.0 * 4e6 / 8.0);
    assert_eq!(events(&run, "fault", "ends"), [6.0]);
}

#[test]
fn new_connections_use_the_new_address() {
    for (host, from, to) in [("a", NEW, SERVER), ("b", OLD, NEW)] {
        for direction in ["up", "down"] {
            let run = network("60 s")
                .flow(
                    "tcp",
                    ("a", "b"),
                    "{ kind = \"tcp\", data_retries = 3 }",
                    &format!("{{ kind = \"sequence\", size = \"100 kB\", gap = \"0 s\", direction = \"{direction}\" }}"),
                )
                .add(&change(host, "until = \"40 s\""))
                .add("[[capture]]\nat = \"a\"")
                .run();
            let failed = run.leaf("groups.tcp.transfers.failed");
            let ends = run.column("connections", "end_s");
            // A client that only receives gets no error and waits.
            if direction == "up" {
                assert!(
                    (1.0..=2.0).contains(&failed),
                    "{host}: {failed}, one at each change under which it is"
                );
                let between = ends.iter().filter(|t| **t > 15.0 && **t < 40.0).count();
                assert!(between > 30, "{host} {ends:?}");
                assert!(ends.iter().any(|t| *t > 55.0), "{host} {ends:?}");
                assert!(shown(&run, from, to) > 1000 && shown(&run, to, from) > 500, "{host}");
            } else {
                let under_way = run.leaf("groups.tcp.transfers.under_way");
                assert_eq!(failed + under_way, 1.0, "{host}");
            }
        }
    }
}

#[test]
fn mptcp_joins_from_the_new_address_and_back() {
    for profile in ["rfc", "linux", "mptcp_0_94", "ns2", "ns3"] {
        for manager in ["\"fullmesh\"", "\"linux\"", "{ kind = \"linux\", client = \"1 subflow\" }"] {
            let transport =
                format!("{{ kind = \"mptcp\", profile = \"{profile}\", path_manager = {manager} }}");
            let run = network("25 s")
                .flow("mp", ("a", "b"), &transport, "\"bulk\"")
                .add(&change("a", "until = \"15 s\""))
                .add("[[capture]]\nat = \"a\"")
                .run();
            let case = format!("{profile} {manager}");
            assert_eq!(run.words("connections", "state"), ["open"], "{case}");
            let bytes = delivered(&run, [7.0, 14.0, 17.0, 24.0]);
            for span in [bytes[1] - bytes[0], bytes[3] - bytes[2]] {
                assert!(span > 0.75 * 7.0 * 4e6 / 8.0, "{case}: {bytes:?}");
            }
            assert!(shown(&run, NEW, SERVER) > 1000, "{case}");
            assert_eq!(run.leaf("connections.mp[0].paths.up.subflows"), 3.0, "{case}");
            // The path stays the same through address changes, and its counters are the flow's.
            assert_eq!(run.words("paths", "path"), ["up"], "{case}");
            let of = |name: &str| run.column("paths", name)[0];
            assert_eq!(of("sent_packets"), run.leaf("groups.mp.sent_packets"), "{case}");
            assert_eq!(of("lost_packets"), run.leaf("groups.mp.lost_packets"), "{case}");
            assert!(of("new_bytes") >= run.leaf("connections.mp[0].delivered_bytes"), "{case}");
        }
    }
}

#[test]
fn mptcp_connection_breaks_with_passive_path_manager() {
    // An endpoint with `fullmesh` joins the addresses of existing subflows, and there are none left.
    for manager in ["\"passive\"", "\"ndiffports\"", "{ kind = \"linux\", client = \"1 fullmesh\" }"] {
        let transport =
            format!("{{ kind = \"mptcp\", path_manager = {manager}, behaviour.close_timeout = \"2 s\" }}");
        let run = network("20 s").flow("mp", ("a", "b"), &transport, "\"bulk\"").add(&change("a", "")).run();
        assert_eq!(run.words("connections", "state"), ["interface_down"], "{manager}");
        assert_close(run.column("connections", "end_s")[0], 7.0, 1e-6);
    }
}

#[test]
fn path_manager_script_joins_from_renumbered_interface() {
    let transport =
        "{ kind = \"mptcp\", path_manager = { kind = \"manual\", client = \"6 s connect 1 to 1\" } }";
    let run = network("15 s").flow("mp", ("a", "b"), transport, "\"bulk\"").add(&change("a", "")).run();
    let bytes = delivered(&run, [5.5, 6.0, 8.0, 14.0]);
    assert!(bytes[1] == bytes[0] && bytes[3] - bytes[2] > 0.75 * 6.0 * 4e6 / 8.0, "{bytes:?}");
}

#[test]
fn server_address_change_sends_remove_addr_and_add_addr() {
    // Over the other path, because nothing can be sent from an address that is gone; with one path, nothing can be sent at all.
    let all = |manager: &str| format!("{{ kind = \"mptcp\", path_manager = {manager} }}");
    let run = |text: Text, manager: &str, interface: &str| {
        text.flow("mp", ("a", "b"), &all(manager), "\"bulk\"")
            .add(&change("b", interface))
            .add("[[capture]]\nat = \"a\"")
            .run()
    };
    let fullmesh = run(second(network("20 s")), "\"fullmesh\"", "interface = 1");
    let bytes = delivered(&fullmesh, [8.0, 19.0]);
    assert!(bytes[1] - bytes[0] > 0.8 * 11.0 * 6e6 / 8.0, "{bytes:?}");
    assert!(
        shown(&fullmesh, OLD, NEW) > 500 && shown(&fullmesh, [10, 0, 0, 3], NEW) > 300,
        "from both of the client's"
    );
    let signals = "{ kind = \"linux\", client = \"none\", server = \"2 signal\", add_addr_accepted = 1 }";
    let linux = run(second(network("20 s")), signals, "interface = 2");
    assert!(shown(&linux, OLD, NEW) > 300, "the client accepts the announcement");
    let after = |run: &Run| {
        let (times, tos) = (run.column("subflow_series", "time_s"), run.words("subflow_series", "end"));
        times.iter().zip(tos).filter(|(t, end)| (**t - 19.0).abs() < 1e-9 && end == "client").count()
    };
    assert_eq!((after(&fullmesh), after(&linux)), (4, 2));
    let alone = run(network("20 s"), "\"fullmesh\"", "");
    let bytes = delivered(&alone, [5.5, 19.0]);
    assert_eq!(bytes[0], bytes[1]);
}

#[test]
fn udp_peer_follows_source_address_change() {
    let cbr = "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"500 B\" }";
    let run = |ends, app: &str, host: &str| {
        network("10 s").flow("udp", ends, "\"udp\"", app).add(&change(host, "until = \"7 s\"")).run()
    };
    // Address changes of the sender lose nothing; packets to a receiver that has not sent anything are all lost.
    assert_eq!(run(("a", "b"), cbr, "a").leaf("groups.udp.lost_packets"), 0.0);
    let unheard = run(("a", "b"), cbr, "b").leaf("groups.udp.lost_packets");
    assert!((199.0..=201.0).contains(&unheard), "{unheard} of 100 a second");
    // A ping is answered to the address it came from; packets in flight at either change are lost, in either direction.
    let ping = "{ kind = \"ping\", interval = \"10 ms\" }";
    let asked = run(("a", "b"), ping, "a").leaf("groups.udp.lost_packets");
    assert!((4.0..=12.0).contains(&asked), "{asked}: two round trips of 40 ms");
}

#[test]
fn udp_flow_starts_to_the_present_address() {
    let cbr = "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"500 B\" }";
    let run = network("10 s")
        .flow_with("udp", ("a", "b"), "\"udp\"", cbr, "start = \"6 s\"")
        .add(&change("b", ""))
        .run();
    assert_eq!(run.leaf("groups.udp.lost_packets"), 0.0);
    assert!(run.leaf("groups.udp.sent_packets") > 300.0);
}

#[test]
fn address_change_during_link_down_takes_effect() {
    for (down, up) in [("4 s", "8 s"), ("4 s", "5 s"), ("5 s", "8 s")] {
        let fault = format!("[[fault]]\nkind = \"down\"\nlink = \"up\"\nat = \"{down}\"\nuntil = \"{up}\"");
        for manager in ["\"fullmesh\"", "{ kind = \"linux\", client = \"2 subflow, 1 subflow\" }"] {
            let transport = format!("{{ kind = \"mptcp\", path_manager = {manager} }}");
            let run = second(network("15 s"))
                .flow("mp", ("a", "b"), &transport, "\"bulk\"")
                .add(&fault)
                .add(&change("a", "interface = 1"))
                .add("[[capture]]\nat = \"up\"")
                .run();
            let bytes = delivered(&run, [10.0, 14.0]);
            assert!(bytes[1] - bytes[0] > 0.8 * 4.0 * 6e6 / 8.0, "{down} {up} {manager}: {bytes:?}");
            assert!(shown(&run, NEW, SERVER) > 300, "{down} {up} {manager}");
            assert!(events(&run, "drop", "link_down").iter().all(|t| *t >= 4.0), "{down} {up} {manager}");
        }
    }
}

#[test]
fn overlapping_address_faults_latest_wins_and_earlier_return() {
    let more = |value: &str, at: &str, until: &str| {
        format!(
            "[[fault]]\nkind = \"address\"\nhost = \"a\"\nat = \"{at}\"\nuntil = \"{until}\"\nvalue = \"{value}\""
        )
    };
    let run = network("20 s")
        .flow("udp", ("a", "b"), "\"udp\"", "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"500 B\" }")
        .add(&more("10.0.9.9", "4 s", "12 s"))
        .add(&more("192.168.1.7", "6 s", "9 s"))
        .add("[[capture]]\nat = \"b\"")
        .run();
    // Rate of 100 packets/s.
    for (from, seconds) in [(OLD, 4 + 8), (NEW, 2 + 3), ([192, 168, 1, 7], 3)] {
        let packets = shown(&run, from, SERVER);
        assert!(packets.abs_diff(seconds * 100) <= 3, "{from:?}: {packets}");
    }
    assert_eq!(run.leaf("groups.udp.lost_packets"), 0.0);
}

#[test]
fn classifier_accuracy_covers_all_addresses_of_a_flow() {
    let run = Text::new("20 s")
        .top("record = { events = true }")
        .dumbbell(3, "1 Mbit/s", "10 ms", "queue = { kind = \"fred\", limit = \"50 packets\" }")
        .flow("tcp", ("src[0..2]", "dst[0..2]"), "\"tcp\"", "\"bulk\"")
        .flow(
            "flood",
            ("src[2]", "dst[2]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"2 Mbit/s\", size = \"500 B\" }",
        )
        .add(&change("src[2]", ""))
        .run();
    let (kinds, groups, times) =
        (run.words("events", "kind"), run.words("events", "group"), run.column("events", "time_s"));
    let flags =
        (0..times.len()).filter(|i| kinds[*i] == "flag").map(|i| (groups[i].as_str(), times[i] > 5.0));
    let flags: Vec<_> = flags.collect();
    assert!(flags.contains(&("flood", false)) && flags.contains(&("flood", true)), "{flags:?}");
    assert!(!flags.iter().any(|(group, _)| group.is_empty()), "{flags:?}");
}

#[test]
fn live_address_change_of_a_link_is_refused() {
    let text = network("20 s").flow("tcp", ("a", "b"), "\"tcp\"", "\"bulk\"").add(&change("a", ""));
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let kind = FaultConfig::default_of("address").unwrap();
    let change = simulation.change(LiveChange::Restore(LinkIndex(0), kind));
    assert_eq!(change, Err(LiveChangeError::NotOfLink("address")));
}
