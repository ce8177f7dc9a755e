//! Middleboxes that change payload: detection and consequences.

use crate::captures::Tshark;
use crate::mptcp::{fell_back, flow, parallel};
use crate::support::{Run, Text};

/// A transfer over two paths of 1 Mbit/s, one with a middlebox in the direction of the data or of the ACKs.
fn over_two(path: usize, with_data: bool, transport: &str) -> Run {
    let name = format!("name = \"path{path}\"");
    let here = if with_data {
        "rewrite = \"3 %\"\nreverse = { rewrite = 0 }"
    } else {
        "reverse = { rewrite = 0.03 }"
    };
    let text = parallel("25 s", 2, "30 packets").with(&name, &format!("{name}\n{here}"));
    flow(text, transport, "{ kind = \"transfer\", size = \"2 MB\" }").run()
}

fn failures(run: &Run) -> f64 {
    run.leaf("connections.mp[0].checksum_failures")
}

#[test]
fn mptcp_without_checksums_delivers_corrupted_payload() {
    for path in [0, 1] {
        let run = over_two(path, true, "checksum = false");
        assert_eq!(run.leaf("groups.mp.completed"), 1.0);
        let (altered, delivered) =
            (run.leaf("groups.mp.altered_bytes"), run.flows("mp", "delivered_bytes")[0]);
        assert_eq!(delivered, 2e6);
        // Corrupted bytes: 3 % of the half of the data that passed it, 21 segments of 1428 on average.
        assert!((8.0 * 1428.0..40.0 * 1428.0).contains(&altered), "{altered}");
        assert_eq!(run.leaf("connections.mp[0].altered_bytes"), altered);
        assert_eq!((failures(&run), fell_back(&run)), (0.0, false));
    }
}

#[test]
fn dss_checksum_failure_closes_the_subflow() {
    let plain = over_two(1, false, "checksum = true");
    for path in [0, 1] {
        let run = over_two(path, true, "checksum = true");
        assert_eq!(run.leaf("groups.mp.completed"), 1.0, "{path}");
        assert_eq!(run.flows("mp", "delivered_bytes"), [2e6]);
        assert_eq!(run.leaf("groups.mp.altered_bytes"), 0.0, "{path}");
        assert_eq!((failures(&run), fell_back(&run)), (1.0, false), "{path}");
        // A single path of 1 Mbit/s is left.
        let took = |run: &Run| run.leaf("groups.mp.completion_s.max");
        assert!(took(&run) > 1.5 * took(&plain), "{} {}", took(&run), took(&plain));
    }
}

#[test]
fn middlebox_in_ack_direction_corrupts_nothing() {
    for path in [0, 1] {
        for transport in ["checksum = false", "checksum = true"] {
            let run = over_two(path, false, transport);
            assert_eq!(run.leaf("groups.mp.completed"), 1.0);
            assert_eq!((run.leaf("groups.mp.altered_bytes"), failures(&run)), (0.0, 0.0));
        }
    }
}

#[test]
fn dss_checksum_failure_on_single_path_falls_back_to_tcp() {
    for (there, back) in [("0.03", "0"), ("0", "0.03"), ("0.03", "0.03")] {
        let box_ = format!("name = \"path0\"\nrewrite = {there}\nreverse = {{ rewrite = {back} }}");
        let text = parallel("30 s", 1, "30 packets").with("name = \"path0\"", &box_);
        let app = "{ kind = \"request_response\", request = \"50 kB\", response = \"50 kB\", count = 10 }";
        let run = flow(text, "checksum = true", app).run();
        assert_eq!(run.leaf("groups.mp.completed"), 10.0, "{there} {back}");
        assert_eq!(run.flows("mp", "delivered_bytes"), [1e6], "{there} {back}");
        assert!(fell_back(&run) && run.leaf("groups.mp.altered_bytes") > 0.0, "{there} {back}");
    }
}

#[test]
fn tcp_and_udp_deliver_corrupted_payload() {
    let text = |rewrite: &str| {
        Text::new("20 s")
            .dumbbell(1, "4 Mbit/s", "10 ms", &format!("rewrite = {rewrite}"))
            .flow("tcp", ("src[0]", "dst[0]"), "\"tcp\"", "\"bulk\"")
            .flow(
                "udp",
                ("src[0]", "dst[0]"),
                "\"udp\"",
                "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"500 B\" }",
            )
    };
    let (plain, run) = (text("0").run(), text("\"10 %\"").run());
    for group in ["tcp", "udp"] {
        let delivered = run.flows(group, "delivered_bytes")[0];
        assert_eq!(plain.flows(group, "delivered_bytes"), [delivered]);
        assert_eq!(plain.leaf(&format!("groups.{group}.altered_bytes")), 0.0);
        let share = run.leaf(&format!("groups.{group}.altered_bytes")) / delivered;
        assert!(
            (0.08..0.12).contains(&share),
            "{group}: {share} {delivered} {:?} {:?} {:?}",
            run.flows(group, "received_packets"),
            run.flows(group, "retransmitted_packets"),
            run.flows(group, "lost_packets")
        );
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// DSS among TCP options, without kind and length: tshark does not show its checksum.
fn dss_of(options: &[u8]) -> Option<&[u8]> {
    match options {
        [1, rest @ ..] => dss_of(rest),
        [30, len, subtype, ..] if subtype >> 4 == 2 => Some(&options[2..usize::from(*len)]),
        [_, len, ..] => dss_of(options.get(usize::from(*len)..)?),
        _ => None,
    }
}

/// Sum of 16-bit words, big-endian.
fn sum_of(bytes: &[u8]) -> u64 {
    bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0))).sum()
}

/// Whether a DSS with a data ACK of 4 bytes and a data sequence number of 8 has the right checksum: over data sequence number,
/// subflow number, length and payload (RFC 8684 §3.3).
fn is_right(dss: &[u8], payload: &[u8]) -> bool {
    let mut sum = sum_of(&dss[6..]) + sum_of(payload);
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum == 0xffff
}

#[test]
fn captures_show_mp_fail_infinite_mapping_and_wrong_checksum() {
    let fields = [
        "tcp.options",
        "tcp.payload",
        "tcp.options.mptcp.subtype",
        "tcp.options.mptcp.rst_reason",
        "mptcp.dss.infinite_mapping",
        "_ws.malformed",
        "tcp.checksum.status",
    ];
    for paths in [1, 2] {
        let text = parallel("10 s", paths, "30 packets")
            .with("name = \"path0\"", "name = \"path0\"\nrewrite = 0.05\nreverse = { rewrite = 0 }");
        let run = flow(
            text,
            "checksum = true, behaviour.wide_dsn = true",
            "{ kind = \"transfer\", size = \"300 kB\" }",
        )
        .add("[[capture]]\nat = \"b\"\nsnaplen = \"2000 B\"")
        .run();
        let Some(tshark) = Tshark::open(&run, "b-0.pcapng") else { return };
        let rows = tshark.fields(&fields);
        assert!(rows.iter().all(|r| r[5].is_empty() && r[6] == "1"), "TCP's checksums are right");
        let (mut right, mut wrong, mut infinite) = (0, 0, 0);
        for row in &rows {
            let options = bytes(&row[0]);
            match dss_of(&options) {
                // An infinite mapping has no length and no checksum.
                Some(dss @ [_, _, .., 0, 0, 0, 0]) if dss[1] & 4 != 0 => {
                    infinite += 1;
                    assert!(!row[4].is_empty(), "tshark sees it as well");
                }
                Some(dss) if dss[1] & 4 != 0 && !row[1].is_empty() => {
                    let changed = bytes(&row[1]).iter().any(|b| *b != 0);
                    assert_eq!(is_right(dss, &bytes(&row[1])), !changed);
                    *if changed { &mut wrong } else { &mut right } += 1;
                }
                _ => {}
            }
        }
        assert!(right > 10 && wrong > 0, "{right} {wrong}");
        let fails: Vec<_> = rows.iter().filter(|r| r[2].split(',').any(|s| s == "6")).collect();
        if paths == 1 {
            assert!(infinite > 0 && !fails.is_empty() && fails.iter().all(|r| r[3].is_empty()));
        } else {
            assert_eq!((infinite, fails.len(), fails[0][3].as_str()), (0, 1, "0x06"));
        }
    }
}
