//! MPTCP between simulated hosts, and its captures as tshark reads them.

use crate::captures::Tshark;
use crate::support::{Run, Text};
use std::collections::BTreeMap;

/// Two hosts joined by `n` links of 1 Mbit/s and 10 ms.
pub(crate) fn parallel(duration: &str, n: usize, queue: &str) -> Text {
    let mut text = Text::new(duration).hosts("a", 1).hosts("b", 1);
    for i in 0..n {
        let more = format!("name = \"path{i}\"\nqueue = {{ kind = \"droptail\", limit = \"{queue}\" }}");
        text = text.link("a", "b", "1 Mbit/s", "10 ms", &more);
    }
    text
}

pub(crate) fn flow(text: Text, transport: &str, app: &str) -> Text {
    text.flow(
        "mp",
        ("a", "b"),
        &format!("{{ kind = \"mptcp\", profile = \"mptcp_0_94\", {transport} }}"),
        app,
    )
}

#[test]
fn goodput_of_eight_disjoint_paths_adds_up() {
    // Eight paths: 8 Mbit/s of IP packets of 1500 bytes with 1428 of payload, 7.616 Mbit/s; at least 95 % of it.
    let text = parallel("40 s", 8, "30 packets").top("warmup = \"10 s\"");
    let run = flow(text, "scheduler = \"lowest_rtt\", cc = \"lia\"", "\"bulk\"").run();
    let goodput = run.leaf("groups.mp.goodput_bps.sum");
    assert!(goodput > 0.95 * 7.616e6 && goodput <= 1.001 * 7.616e6, "{goodput}");
}

#[test]
fn transfer_survives_failure_of_its_paths() {
    for kind in ["down", "blackhole"] {
        let text = flow(parallel("60 s", 2, "30 packets"), "", "{ kind = \"transfer\", size = \"2 MB\" }")
            .add(&format!("[[fault]]\nat = \"2 s\"\nuntil = \"5 s\"\nlink = \"path0\"\nkind = \"{kind}\""))
            .add(&format!("[[fault]]\nat = \"6 s\"\nuntil = \"7 s\"\nlink = \"path1\"\nkind = \"{kind}\""));
        let run = text.run();
        assert_eq!(run.leaf("groups.mp.completed"), 1.0, "{kind}");
    }
}

pub(crate) fn fell_back(run: &Run) -> bool {
    run.json["connections"]["mp[0]"]["fallback"].as_bool().expect("it is there")
}

#[test]
fn option_stripping_on_first_path_falls_back_to_tcp() {
    // RFC 8684 §3.7: without MP_CAPABLE in the SYN or SYN-ACK, or without a DSS in the first data, a host falls back to TCP.
    for strip in ["mptcp", "mptcp_syn", "mptcp_data"] {
        for (there, back) in [(strip, strip), (strip, "none"), ("none", strip)] {
            let lines = format!("name = \"path0\"\nstrip = \"{there}\"\nreverse = {{ strip = \"{back}\" }}");
            let text = parallel("20 s", 2, "30 packets").with("name = \"path0\"", &lines);
            let run = flow(text, "", "{ kind = \"transfer\", size = \"2 MB\" }").run();
            assert_eq!(run.leaf("groups.mp.completed"), 1.0, "{there} {back}");
            assert!(fell_back(&run), "{there} {back}");
        }
    }
}

#[test]
fn fallback_keeps_window_scaling_on_a_long_path() {
    // Path of 50 Mbit/s and 100 ms: a receive window of 64 KiB would give 5 Mbit/s.
    for profile in ["linux", "linux_6_1", "rfc"] {
        for strip in ["none", "mptcp", "mptcp_syn", "mptcp_data"] {
            let more =
                format!("strip = \"{strip}\"\nqueue = {{ kind = \"droptail\", limit = \"400 packets\" }}");
            let text = Text::new("8 s").top("warmup = \"3 s\"").hosts("a", 1).hosts("b", 1);
            let transport = format!("{{ kind = \"mptcp\", profile = \"{profile}\", cc = \"cubic\" }}");
            let text = text.link("a", "b", "50 Mbit/s", "50 ms", &more);
            let run = text.flow("mp", ("a", "b"), &transport, "\"bulk\"").run();
            let goodput = run.leaf("groups.mp.goodput_bps.sum");
            assert!(goodput > 45e6, "{profile} {strip}: {goodput}");
            assert_eq!(fell_back(&run), strip != "none", "{profile} {strip}");
        }
    }
}

#[test]
fn option_stripping_on_second_path_loses_only_that_subflow() {
    for strip in ["mptcp", "mptcp_syn", "mptcp_data"] {
        for (there, back) in [(strip, strip), (strip, "none"), ("none", strip)] {
            let lines = format!("name = \"path1\"\nstrip = \"{there}\"\nreverse = {{ strip = \"{back}\" }}");
            // A single path of 1 Mbit/s takes 17 s.
            let text = parallel("20 s", 2, "30 packets").with("name = \"path1\"", &lines);
            let run = flow(text, "", "{ kind = \"transfer\", size = \"2 MB\" }").run();
            assert_eq!(run.leaf("groups.mp.completed"), 1.0, "{there} {back}");
            assert!(!fell_back(&run), "{there} {back}");
            // A subflow whose third ACK does not arrive sends nothing.
            let carried = run.json["connections"]["mp[0]"]["paths"]["path1"]["scheduled_bytes"].as_u64();
            assert!(there == "none" || carried.unwrap_or(0) == 0, "{there} {back}: {carried:?}");
        }
    }
}

#[test]
fn segments_with_options_fit_the_mtu() {
    // The first data carries MP_CAPABLE, later data a mapping whose length depends on numbers and checksums.
    for options in [
        "",
        "checksum = false",
        "behaviour.wide_dsn = true",
        "behaviour = { wide_data_ack = true, wide_dsn = true }",
    ] {
        let text = parallel("10 s", 1, "200 packets").with("mtu = \"65535 B\"", "mtu = \"1500 B\"");
        let run = flow(text, options, "{ kind = \"transfer\", size = \"100 kB\" }").run();
        assert_eq!(run.leaf("groups.mp.completed"), 1.0);
        assert_eq!(run.leaf("groups.mp.lost_packets"), 0.0, "{options}");
    }
}

#[test]
fn stripping_options_keeps_fixed_header_size() {
    let transport = "{ kind = \"mptcp\", header = \"0 B\" }";
    let text =
        parallel("20 s", 1, "200 packets").with("name = \"path0\"", "name = \"path0\"\nstrip = \"mptcp\"");
    let run = text.flow("mp", ("a", "b"), transport, "{ kind = \"transfer\", size = \"100 kB\" }").run();
    assert_eq!(run.leaf("groups.mp.completed"), 1.0);
}

#[test]
fn fixed_header_size_includes_options() {
    // Packets of ns-2 have a fixed size, 536 and 40 bytes, whatever mapping or acknowledgment they carry.
    let text = parallel("20 s", 1, "200 packets").with("mtu = \"65535 B\"", "mtu = \"576 B\"");
    let transport =
        "{ kind = \"mptcp\", profile = \"ns2\", mss = \"536 B\", header = \"40 B\", window = 100 }";
    let run = text.flow("mp", ("a", "b"), transport, "{ kind = \"transfer\", size = \"100 kB\" }").run();
    assert_eq!(run.leaf("groups.mp.completed"), 1.0);
    assert_eq!(run.leaf("groups.mp.lost_packets"), 0.0);
}

#[test]
fn mptcp_runs_are_deterministic() {
    let text = |cc: &str| {
        let text = flow(parallel("10 s", 3, "10 packets"), &format!("cc = \"{cc}\""), "\"bulk\"");
        text.with("delay = \"10 ms\"", "loss = \"1 %\"\ndelay = \"50 ms\"")
    };
    for cc in ["olia", "balia", "cubic"] {
        assert_eq!(text(cc).run().output.fingerprint, text(cc).run().output.fingerprint, "{cc}");
    }
}

/// Two lossy paths, one of which goes down for a while; the transfer completes.
fn captured(transport: &str) -> Run {
    let text =
        parallel("30 s", 2, "15 packets").with("delay = \"10 ms\"", "loss = \"1 %\"\ndelay = \"40 ms\"");
    flow(text, transport, "{ kind = \"transfer\", size = \"700 kB\" }")
        .add("[[fault]]\nat = \"1 s\"\nuntil = \"2 s\"\nlink = \"path1\"\nkind = \"down\"")
        .add("[[capture]]\nat = \"a\"")
        .run()
}

#[test]
fn tshark_dissects_mptcp_options_and_links_subflows() {
    for transport in [
        "",
        "checksum = true, behaviour.wide_dsn = true",
        "behaviour = { wide_data_ack = true, wide_dsn = true }",
    ] {
        let run = captured(transport);
        assert_eq!(run.leaf("groups.mp.completed"), 1.0);
        let Some(tshark) = Tshark::open(&run, "a-0.pcapng") else { return };
        let rows = tshark.fields(&[
            "tcp.stream",
            "mptcp.stream",
            "tcp.options.mptcp.subtype",
            "_ws.malformed",
            "tcp.checksum.status",
            "tcp.options.mptcp.sendkey",
            "mptcp.expected_token",
            "mptcp.dss.dsn",
        ]);
        assert!(rows.iter().all(|r| r[3].is_empty()), "malformed: {transport}");
        let subtypes: Vec<&str> = rows.iter().flat_map(|r| r[2].split(',')).collect();
        // MP_CAPABLE, MP_JOIN, DSS, ADD_ADDR, REMOVE_ADDR.
        for subtype in ["0", "1", "2", "3", "4"] {
            assert!(subtypes.contains(&subtype), "no option of subtype {subtype}");
        }
        let mut streams: BTreeMap<&str, &str> = BTreeMap::new();
        for row in rows.iter().filter(|r| !r[1].is_empty()) {
            streams.insert(&row[0], &row[1]);
        }
        assert!(streams.len() >= 3, "subflows, the one after the fault included: {streams:?}");
        assert!(streams.values().all(|s| *s == "0"), "all belong to one connection: {streams:?}");
    }
}

#[test]
fn connection_series_have_rows_per_sending_direction() {
    let app = "{ kind = \"request_response\", request = \"100 B\", response = \"600 kB\", count = 2 }";
    let text = parallel("30 s", 2, "30 packets").add("[record]\ninterval = \"100 ms\"");
    let run = flow(text, "", app).run();
    let leaf = |what: &str| run.leaf(&format!("connections.mp[0].{what}"));
    assert_eq!((leaf("acked_bytes"), leaf("delivered_bytes")), (200.0, 200.0));
    assert_eq!((leaf("backward.acked_bytes"), leaf("backward.delivered_bytes")), (1.2e6, 1.2e6));
    let scheduled = |path: &str| leaf(&format!("backward.paths.{path}.scheduled_bytes"));
    assert!(scheduled("path0") > 3e5 && scheduled("path1") > 3e5);
    for table in ["subflow_series", "connection_series", "reordering"] {
        let ends = run.words(table, "end");
        assert!(["client", "server"].iter().all(|end| ends.iter().any(|e| e == end)), "{table}");
    }
    let (ends, bytes) =
        (run.words("connection_series", "end"), run.column("connection_series", "delivered_bytes"));
    let most =
        |end: &str| ends.iter().zip(&bytes).filter(|(e, _)| *e == end).map(|(_, b)| *b).fold(0.0, f64::max);
    assert_eq!((most("client"), most("server")), (200.0, 1.2e6));
    // A server that sends nothing has no rows.
    let upload = flow(
        parallel("30 s", 2, "30 packets").add("[record]\ninterval = \"100 ms\""),
        "",
        "{ kind = \"transfer\", size = \"100 kB\" }",
    );
    assert!(upload.run().words("connection_series", "end").iter().all(|end| end == "client"));
}
