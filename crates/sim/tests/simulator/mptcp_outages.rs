//! Outages that take the last subflow of a connection: what results and warnings say, and what goes on.

use crate::support::{Run, Text};
use tailrace_scenario::Code;

/// Path managers by the parameters of a transport.
const PATH_MANAGERS: [&str; 12] = [
    "path_manager = \"fullmesh\"",
    "path_manager = { kind = \"fullmesh\", event_delay = \"500 ms\" }",
    "path_manager = \"ndiffports\"",
    "path_manager = \"passive\"",
    "path_manager = { kind = \"linux\", subflows = 4 }",
    "path_manager = { kind = \"linux\", subflows = 0 }",
    "path_manager = { kind = \"linux\", subflows = 4, client = \"none\" }",
    "path_manager = { kind = \"linux\", subflows = 4, client = \"1 fullmesh, 2 fullmesh\" }",
    "path_manager = { kind = \"linux\", subflows = 4, client = \"2 subflow\" }",
    "path_manager = { kind = \"linux\", subflows = 4, add_addr_accepted = 4, server = \"1 signal, 2 signal\" }",
    "path_manager = { kind = \"linux\", subflows = 4, server = \"1 signal\" }",
    "path_manager = { kind = \"manual\", client = \"0 s connect 2 to 2\" }",
];

/// Two hosts with two links each to a router, and an outage of interfaces of one of them from 1 s on.
fn outage(transport: &str, (host, interface): (&str, &str), lasts_ms: u32) -> Text {
    let mut text = Text::new("6 s").hosts("a", 1).hosts("b", 1).router("r");
    for n in 0..2 {
        text = text.link("a", "r", "4 Mbit/s", "5 ms", &format!("name = \"a{n}\""));
        text = text.link("r", "b", "30 Mbit/s", "5 ms", &format!("name = \"b{n}\""));
    }
    let fault = format!(
        "[[fault]]\nkind = \"down\"\nat = \"1 s\"\nuntil = \"{} ms\"\nhost = \"{host}\"\n{interface}",
        1000 + lasts_ms
    );
    text.flow("mp", ("a", "b"), &format!("{{ kind = \"mptcp\", {transport} }}"), "\"bulk\"").add(&fault)
}

fn is_warned_of(text: &Text) -> bool {
    text.parsed().warnings.iter().any(|w| w.code == Code::OnlyLinkDown)
}

/// Whether the connection counts as broken by the loss of its addresses, in each of the places that say so.
fn has_lost_addresses(run: &Run) -> bool {
    let lost = run.leaf("groups.mp.connections.broken.interface_down") == 1.0;
    assert_eq!(run.leaf("groups.mp.connections.open"), if lost { 0.0 } else { 1.0 });
    let word = if lost { ("interface_down", "interface_down") } else { ("open", "") };
    assert_eq!(
        (run.words("connections", "state")[0].as_str(), run.words("flows", "broken")[0].as_str()),
        word
    );
    lost
}

#[test]
fn outage_that_takes_the_last_subflow_for_good_is_said_and_warned_of() {
    let mut wrong = Vec::new();
    for profile in ["rfc", "mptcp_0_94", "linux_6_1", "linux_6_12"] {
        // With a delay, subflows that are closed in order may be over before an address that has returned is announced on one.
        let in_time = |m: &&&str| !(profile.starts_with("linux") && m.contains("event_delay"));
        for manager in PATH_MANAGERS.iter().filter(in_time) {
            for host in ["a", "b"] {
                for interface in ["", "interface = 1"] {
                    for lasts in [1, 1000] {
                        let transport = format!("profile = \"{profile}\", {manager}");
                        let text = outage(&transport, (host, interface), lasts);
                        let (lost, warned) = (has_lost_addresses(&text.run()), is_warned_of(&text));
                        if lost != warned {
                            wrong.push(format!(
                                "lost {lost}, warned {warned}: {transport} {host} {interface} {lasts} ms"
                            ));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn link_between_two_hosts_takes_the_addresses_of_both() {
    for (manager, lost) in [("fullmesh", false), ("ndiffports", true), ("passive", true), ("linux", false)] {
        let text =
            Text::new("6 s").hosts("a", 1).hosts("b", 1).link("a", "b", "4 Mbit/s", "5 ms", "name = \"l\"");
        let text = text
            .flow(
                "mp",
                ("a", "b"),
                &format!("{{ kind = \"mptcp\", path_manager = \"{manager}\" }}"),
                "\"bulk\"",
            )
            .add("[[fault]]\nkind = \"down\"\nat = \"1 s\"\nuntil = \"1500 ms\"\nlink = \"l\"");
        assert_eq!((has_lost_addresses(&text.run()), is_warned_of(&text)), (lost, lost), "{manager}");
    }
}

#[test]
fn links_that_go_down_one_after_the_other_take_the_last_subflow_together() {
    let single = |number: u32, at: u32| {
        format!(
            "[[fault]]\nkind = \"down\"\nat = \"{at} ms\"\nuntil = \"3 s\"\nhost = \"b\"\ninterface = {number}"
        )
    };
    for (second, lost) in [(2000, true), (3500, false)] {
        let mut text = outage("path_manager = \"fullmesh\"", ("b", "interface = 1"), 2000);
        text = match lost {
            true => text.add(&single(2, second)),
            false => text.add(&single(2, second).replace("3 s", "4 s")),
        };
        assert_eq!((has_lost_addresses(&text.run()), is_warned_of(&text)), (lost, lost), "{second} ms");
    }
}

#[test]
fn transfer_without_addresses_has_failed() {
    let run = outage("path_manager = \"fullmesh\"", ("b", ""), 1)
        .with("\"bulk\"", "{ kind = \"transfer\", size = \"20 MB\" }")
        .run();
    assert_eq!(["failed", "under_way"].map(|k| run.leaf(&format!("groups.mp.transfers.{k}"))), [1.0, 0.0]);
}

#[test]
fn address_that_a_script_removes_and_uses_again_carries_data() {
    for profile in ["rfc", "mptcp_0_94", "linux_6_1", "linux_6_12"] {
        let manager = "{ kind = \"manual\", client = \"1 s remove 1; 2 s connect 1 to 1\" }";
        let transport = format!("{{ kind = \"mptcp\", profile = \"{profile}\", path_manager = {manager} }}");
        let text = Text::new("8 s").hosts("a", 1).hosts("b", 1).link("a", "b", "4 Mbit/s", "10 ms", "");
        let run = text.flow("mp", ("a", "b"), &transport, "\"bulk\"").run();
        // Seven seconds of eight.
        let goodput = run.leaf("groups.mp.goodput_bps.sum");
        assert!(goodput > 3e6, "{profile}: {goodput}");
    }
}

#[test]
fn join_that_cannot_complete_does_not_delay_the_data_timer() {
    // The third segment of the join over p1 loses its MP_JOIN, so the server, which sends, repeats its SYN-ACK ever more rarely. Data that
    // subflows have acknowledged and the data level lacks is repeated all the same.
    let mut text = Text::new("40 s").hosts("a", 1).hosts("b", 1).router("g").router("h");
    for (n, delay) in
        ["uniform(1 ms, 30 ms)", "10 ms", "10 ms", "10 ms", "10 ms", "20 ms"].into_iter().enumerate()
    {
        let strip = if n == 1 { "strip = \"mptcp_data\"" } else { "" };
        text = text.link("a", "g", "10 Mbit/s", delay, &format!("name = \"p{n}\"\n{strip}"));
    }
    text = text.link("g", "h", "10 Mbit/s", "10 ms", "").link("h", "b", "10 Mbit/s", "10 ms", "");
    let transport = "{ kind = \"mptcp\", profile = \"linux_6_1\", cc = \"dctcp\", path_manager = { kind = \"linux\", subflows = 8 } }";
    let run = text
        .flow("mp", ("a", "b"), transport, "{ kind = \"bulk\", direction = \"down\" }")
        .add("[[window]]\nname = \"tail\"\nstart = \"20 s\"")
        .run();
    let goodput = run.leaf("windows.tail.groups.mp.goodput_bps.sum");
    assert!(goodput > 5e6, "{goodput}");
}
