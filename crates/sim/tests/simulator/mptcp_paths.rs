//! Path managers of Linux between simulated hosts: subflows and their times.

use crate::support::{Run, Text};
use std::collections::BTreeMap;

/// A client `a` with `client` links to a router, and a server `b` with `server`, of 1 Mbit/s and 10 ms.
fn star(duration: &str, client: usize, server: usize) -> Text {
    let mut text = Text::new(duration).hosts("a", 1).hosts("b", 1).router("r");
    for i in 1..=client {
        let more = format!("name = \"a{i}\"\nqueue = {{ kind = \"droptail\", limit = \"30 packets\" }}");
        text = text.link("a", "r", "1 Mbit/s", "10 ms", &more);
    }
    for i in 1..=server {
        text = text.link("r", "b", "10 Mbit/s", "10 ms", &format!("name = \"b{i}\""));
    }
    text
}

/// Two links with nothing in common but their hosts.
fn disjoint(duration: &str) -> Text {
    let link = |text: Text, name: &str| {
        let more = format!("name = \"{name}\"\nqueue = {{ kind = \"droptail\", limit = \"30 packets\" }}");
        text.link("a", "b", "1 Mbit/s", "10 ms", &more)
    };
    link(link(Text::new(duration).hosts("a", 1).hosts("b", 1), "a1"), "a2")
}

fn flow(text: Text, manager: &str, app: &str) -> Text {
    let transport = format!("{{ kind = \"mptcp\", profile = \"linux\", path_manager = {manager} }}");
    text.flow("mp", ("a", "b"), &transport, app).add("[record]\ninterval = \"100 ms\"")
}

fn linux(text: Text, parameters: &str) -> Text {
    flow(text, &format!("{{ kind = \"linux\", {parameters} }}"), "\"bulk\"")
}

fn fault(text: Text, link: &str, kind: &str, at: &str, until: &str) -> Text {
    text.add(&format!("[[fault]]\nat = \"{at}\"\nuntil = \"{until}\"\nlink = \"{link}\"\nkind = \"{kind}\""))
}

/// Number of subflows by link.
fn subflows(run: &Run) -> BTreeMap<String, u64> {
    let paths = run.json["connections"]["mp[0]"]["paths"].as_object().unwrap();
    paths.iter().map(|(link, path)| (link.clone(), path["subflows"].as_u64().unwrap())).collect()
}

fn by_link(counts: &[(&str, u64)]) -> BTreeMap<String, u64> {
    counts.iter().map(|(link, n)| ((*link).to_string(), *n)).collect()
}

/// Bytes scheduled on subflows that leave by `link`, within an interval.
fn carried(run: &Run, link: &str, from: f64, to: f64) -> f64 {
    let series = "subflow_series";
    let (times, ids) = (run.column(series, "time_s"), run.column(series, "subflow"));
    let (links, bytes) = (run.words(series, "link"), run.column(series, "scheduled_bytes"));
    let mut last: BTreeMap<u32, f64> = BTreeMap::new();
    let mut sum = 0.0;
    for i in (0..times.len()).filter(|i| links[*i] == link) {
        let before = last.insert(ids[i] as u32, bytes[i]).unwrap_or(0.0);
        // A smaller count means that another subflow has taken the place.
        let news = if bytes[i] < before { bytes[i] } else { bytes[i] - before };
        sum += if times[i] > from && times[i] <= to { news } else { 0.0 };
    }
    sum
}

#[test]
fn linux_default_path_manager_joins_from_two_further_interfaces() {
    let run = linux(star("10 s", 4, 1), "").run();
    assert_eq!(subflows(&run), by_link(&[("a1", 1), ("a2", 1), ("a3", 1)]));
    assert!(run.leaf("groups.mp.goodput_bps.sum") > 2.4e6, "three paths of 1 Mbit/s add up");
    let wide = linux(star("10 s", 4, 1), "subflows = 3").run();
    assert_eq!(subflows(&wide), by_link(&[("a1", 1), ("a2", 1), ("a3", 1), ("a4", 1)]));
    let narrow = linux(star("10 s", 4, 1), "subflows = 0").run();
    assert_eq!(subflows(&narrow), by_link(&[("a1", 1)]));
}

#[test]
fn add_addr_is_joined_only_if_accepted() {
    let second = |parameters: &str| carried(&linux(disjoint("5 s"), parameters).run(), "a2", 0.0, 5.0) > 0.0;
    assert!(second("add_addr_accepted = 1, server = \"2 signal\""));
    assert!(!second("add_addr_accepted = 0, server = \"2 signal\""));
    assert!(!second("add_addr_accepted = 1, server = \"none\""));
}

#[test]
fn fullmesh_joins_every_address() {
    let server = "subflows = 8, add_addr_accepted = 1, server = \"2 signal\"";
    let mesh = linux(star("10 s", 2, 2), &format!("{server}, client = \"1 fullmesh, 2 subflow fullmesh\""));
    assert_eq!(subflows(&mesh.run()), by_link(&[("a1", 2), ("a2", 2)]));
    let plain = linux(star("10 s", 2, 2), &format!("{server}, client = \"2 subflow\""));
    assert_eq!(subflows(&plain.run()), by_link(&[("a1", 2), ("a2", 1)]));
}

#[test]
fn backup_subflow_carries_data_only_without_a_regular_one() {
    let backups =
        ["client = \"1 subflow, 2 subflow backup\"", "client = \"2 subflow\", server = \"1 signal\""];
    let text = fault(linux(star("40 s", 2, 1), backups[0]), "a1", "down", "10 s", "20 s");
    let run = text.run();
    let [before, during, after] = [(0.0, 9.9), (10.2, 19.9), (22.0, 40.0)].map(|(from, to)| {
        let link = |name| carried(&run, name, from, to);
        (link("a1"), link("a2"))
    });
    assert!(before.0 > 900_000.0 && before.1 == 0.0, "{before:?}");
    assert!(during.0 == 0.0 && during.1 > 900_000.0, "{during:?}");
    assert!(after.0 > 1_800_000.0 && after.1 == 0.0, "{after:?}");
    // Without the flag both carry data all the time.
    let both = linux(star("10 s", 2, 1), backups[1]).run();
    assert!(carried(&both, "a2", 1.0, 10.0) > 800_000.0);
}

#[test]
fn backup_subflow_takes_over_from_a_stale_one() {
    // The path fails silently: it is found stale at the connection's fifth timeout, at intervals of 200 ms once the subflow's own
    // has expired.
    let text = linux(star("40 s", 2, 1), "client = \"1 subflow, 2 subflow backup\"");
    let run = fault(text, "a1", "blackhole", "10 s", "20 s").run();
    let [soon, then] = [(10.0, 10.5), (13.0, 19.9)].map(|(from, to)| carried(&run, "a2", from, to));
    assert!(soon < 10_000.0 && then > 600_000.0, "{soon} {then}");
    let back = (carried(&run, "a1", 35.0, 40.0), carried(&run, "a2", 35.0, 40.0));
    assert!(back.0 > 500_000.0 && back.1 == 0.0, "{back:?}");
}

#[test]
fn userspace_path_manager_alone_reopens_a_path() {
    let down = fault(linux(star("30 s", 2, 1), ""), "a2", "down", "5 s", "8 s").run();
    assert_eq!(subflows(&down), by_link(&[("a1", 1), ("a2", 2)]));
    assert!(carried(&down, "a2", 5.2, 8.0) == 0.0 && carried(&down, "a2", 8.0, 9.0) > 50_000.0);
    // The event arrives a second late.
    let late = fault(linux(star("30 s", 2, 1), "event_delay = \"1 s\""), "a2", "down", "5 s", "8 s").run();
    assert!(carried(&late, "a2", 8.0, 8.9) == 0.0 && carried(&late, "a2", 9.0, 10.0) > 50_000.0);
    // The outage is shorter than the event delay.
    let short = fault(linux(star("30 s", 2, 1), "event_delay = \"4 s\""), "a2", "down", "5 s", "8 s").run();
    assert_eq!(subflows(&short), by_link(&[("a1", 1), ("a2", 1)]));
}

#[test]
fn path_manager_script_moves_connection_between_paths() {
    // A transfer of 2 MB takes 17 s on one path: most of it goes by the second, which is never announced.
    let script = "client = \"1 s connect 2 to 2; 5 s close 1 to 1\"";
    let manager = format!("{{ kind = \"manual\", {script} }}");
    let run = flow(disjoint("30 s"), &manager, "{ kind = \"transfer\", size = \"2 MB\" }").run();
    assert_eq!(run.leaf("groups.mp.completed"), 1.0);
    assert_eq!(run.leaf("connections.mp[0].delivered_bytes"), 2_000_000.0, "every byte, and once");
    assert_eq!(carried(&run, "a2", 0.0, 0.9), 0.0);
    assert!(carried(&run, "a1", 0.0, 5.0) > 400_000.0 && carried(&run, "a1", 5.2, 30.0) == 0.0);
    assert!(carried(&run, "a2", 1.0, 30.0) > 1_200_000.0);
    let idle = flow(disjoint("5 s"), "\"manual\"", "\"bulk\"").run();
    assert_eq!(subflows(&idle), by_link(&[("a1", 1)]), "nothing happens by itself");
}

#[test]
fn path_manager_script_sets_backup_and_removes_addresses() {
    let script = "client = \"0 s connect 2 to 1; 5 s backup 2; 10 s regular 2; 15 s remove 2\"";
    let run = flow(star("20 s", 2, 1), &format!("{{ kind = \"manual\", {script} }}"), "\"bulk\"").run();
    // The send queue of the second still drains when it becomes a backup.
    let second = [(0.5, 4.9), (6.2, 9.9), (10.2, 14.9), (15.2, 20.0)].map(|(a, b)| carried(&run, "a2", a, b));
    assert!(second[0] > 300_000.0 && second[2] > 300_000.0, "{second:?}");
    assert_eq!((second[1], second[3]), (0.0, 0.0), "{second:?}");
    let first = carried(&run, "a1", 0.5, 20.0);
    assert!(first > 2_000_000.0, "{first}");
    // The server can mark a backup, too, and the client then avoids it.
    let server = "client = \"0 s connect 2 to 1 backup\", server = \"5 s backup 1\"";
    let run = flow(star("10 s", 2, 1), &format!("{{ kind = \"manual\", {server} }}"), "\"bulk\"").run();
    let second = [(0.5, 4.9), (5.5, 10.0)].map(|(a, b)| carried(&run, "a2", a, b));
    assert!(second[0] == 0.0 && second[1] > 300_000.0, "all are backups then: {second:?}");
}

#[test]
fn first_data_segment_with_mp_capable_fits_the_mtu() {
    // RFC 8684 §3.1: MP_CAPABLE goes with the first data, and takes more room than a mapping.
    for more in ["", ", checksum = true", ", behaviour = { wide_dsn = true, wide_data_ack = true }"] {
        let text = star("5 s", 1, 1).with("mtu = \"65535 B\"", "mtu = \"1500 B\"");
        let transport = format!("{{ kind = \"mptcp\"{more} }}");
        let run = text.flow("mp", ("a", "b"), &transport, "{ kind = \"transfer\", size = \"10 kB\" }").run();
        assert_eq!(run.leaf("groups.mp.completed"), 1.0);
        assert_eq!(run.leaf("groups.mp.retransmitted_packets"), 0.0, "{more}");
    }
}
