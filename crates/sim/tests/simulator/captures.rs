//! Captures read by tshark, an independent decoder. Skipped with a message if tshark is not installed.

use crate::support::{Run, Text};
use std::path::PathBuf;
use std::process::Command;

/// Two flows that lose packets at random and at the queue, and one datagram flow.
fn captured(transport: &str, more: &str) -> Run {
    Text::new("20 s")
        .dumbbell(
            2,
            "4 Mbit/s",
            "10 ms",
            &format!("queue = {{ kind = \"red\", limit = \"30 packets\", ecn = true }}\nreverse = {{ loss = 0 }}\n{more}"),
        )
        .flow_with(
            "tcp",
            ("src[*]", "dst[*]"),
            &format!("{{ kind = \"tcp\", mss = \"1000 B\", {transport} }}"),
            "\"bulk\"",
            "stop = \"15 s\"",
        )
        .flow_with(
            "udp",
            ("src[0]", "dst[1]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"200 kbit/s\", size = \"500 B\" }",
            "stop = \"15 s\"",
        )
        .add("[[capture]]\nat = \"src[0]\"\n[[capture]]\nat = \"bottleneck\"")
        .run()
}

pub(crate) struct Tshark(PathBuf);

impl Tshark {
    /// Writes a capture for tshark; `None` without tshark, which is a failure if `CI` is set.
    pub(crate) fn open(run: &Run, name: &str) -> Option<Self> {
        if Command::new("tshark").arg("--version").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "tshark is not installed");
            eprintln!(
                "SKIPPED: tshark is not installed, so captures were not checked by an independent reader"
            );
            return None;
        }
        let file = run.output.captures.iter().find(|c| c.name == name).unwrap();
        let thread = std::thread::current().name().unwrap_or("x").replace("::", "-");
        let path = std::env::temp_dir().join(format!("tailrace-{}-{thread}-{name}", std::process::id()));
        std::fs::write(&path, &file.bytes).unwrap();
        Some(Self(path))
    }

    /// Fields of each packet; an empty word for a missing field.
    pub(crate) fn fields(&self, fields: &[&str]) -> Vec<Vec<String>> {
        let mut command = Command::new("tshark");
        command
            .args(["-n", "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-r"])
            .arg(&self.0)
            .args(["-T", "fields"]);
        for field in fields {
            command.args(["-e", field]);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let words = |line: &str| line.split('\t').map(str::to_owned).collect();
        String::from_utf8(output.stdout).unwrap().lines().map(words).collect()
    }
}

impl Drop for Tshark {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn tshark_retransmissions_equal_sender_counters() {
    let fields = [
        "_ws.malformed",
        "ip.checksum.status",
        "tcp.len",
        "tcp.flags",
        "ip.proto",
        // Names that tshark uses for a retransmission.
        "tcp.analysis.retransmission",
        "tcp.analysis.fast_retransmission",
        "tcp.analysis.spurious_retransmission",
        "tcp.analysis.out_of_order",
    ];
    for transport in
        ["cc = \"newreno\", sack = false", "cc = \"reno\"", "cc = \"cubic\", profile = \"linux\", ecn = true"]
    {
        let run = captured(transport, "loss = \"1 %\"");
        let Some(tshark) = Tshark::open(&run, "src-0.pcapng") else { return };
        let rows = tshark.fields(&fields);
        assert!(rows.iter().all(|r| r[0].is_empty()), "malformed packets");
        assert!(rows.iter().all(|r| r[1] == "1"), "bad checksums");
        let data: Vec<_> = rows.iter().filter(|r| r[4] == "6" && r[2] != "0").collect();
        assert_eq!(data.len() as f64, run.flows("tcp", "sent_packets")[0], "{transport}");
        let again = data.iter().filter(|r| r[5..].iter().any(|f| !f.is_empty())).count() as f64;
        assert!(again > 10.0);
        assert_eq!(again, run.flows("tcp", "retransmitted_packets")[0], "{transport}");
        // A SYN and a SYN-ACK, at least a FIN in each direction, and no RST.
        let flags = |bit: u64| {
            let set = |r: &&Vec<String>| {
                u64::from_str_radix(r[3].trim_start_matches("0x"), 16).is_ok_and(|f| f & bit != 0)
            };
            rows.iter().filter(set).count()
        };
        assert_eq!(flags(0x02), 2);
        assert!(flags(0x01) >= 2);
        assert_eq!(flags(0x04), 0);
    }
}

#[test]
fn link_capture_shows_drops_and_marks() {
    let run = captured("cc = \"reno\", ecn = true", "loss = \"0.5 %\"");
    let Some(tshark) = Tshark::open(&run, "bottleneck.pcapng") else { return };
    let rows = tshark.fields(&[
        "_ws.malformed",
        "frame.comment",
        "ip.dsfield.ecn",
        "frame.interface_id",
        "ip.proto",
    ]);
    assert!(rows.iter().all(|r| r[0].is_empty()), "malformed packets");
    let count = |is: &dyn Fn(&Vec<String>) -> bool| rows.iter().filter(|r| is(r)).count() as f64;
    for reason in ["overlimit", "aqm", "link_loss"] {
        let found = count(&|r| r[1] == format!("drop: {reason}"));
        assert_eq!(found, run.queue(&format!("dropped_packets.{reason}")), "{reason}");
    }
    assert!(run.queue("dropped_packets.link_loss") > 5.0 && run.queue("marked_packets") > 5.0);
    assert_eq!(count(&|r| r[1] == "mark: ce"), run.queue("marked_packets"));
    assert_eq!(count(&|r| r[2] == "3" && r[1].is_empty()), 0.0);
    // A packet appears once in its direction, and a second time as a drop if the link then loses it.
    let sent = |interface: &str| count(&|r| !r[1].starts_with("drop") && r[3] == interface);
    assert_eq!(sent("0"), run.queue("dequeued_packets"));
    assert_eq!(sent("1"), run.leaf("queues.r2->r1.dequeued_packets"));
    let lost = count(&|r| r[4] == "17" && r[1] == "drop: link_loss");
    assert_eq!(count(&|r| r[4] == "17"), run.leaf("groups.udp.sent_packets") + lost);
}

#[test]
fn link_capture_shows_marks_only_at_the_marking_queue() {
    let red = "queue = { kind = \"red\", ecn = true }";
    let run = Text::new("20 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .router("r1")
        .router("r2")
        .router("r3")
        .link("src[*]", "r1", "100 Mbit/s", "1 ms", "")
        .link("r1", "r2", "4 Mbit/s", "5 ms", red)
        .link("r2", "r3", "3.9 Mbit/s", "5 ms", &format!("name = \"second\"\n{red}"))
        .link("r3", "dst[*]", "100 Mbit/s", "1 ms", "name = \"last\"")
        .tcp("cc = \"reno\", ecn = true", "\"bulk\"")
        .flow("udp", ("src[0]", "dst[0]"), "{ kind = \"udp\", ecn = true }", ONE_PULSE)
        .add("[[capture]]\nat = \"second\"\n[[capture]]\nat = \"last\"")
        .run();
    let told = |name: &str| {
        let file = run.output.captures.iter().find(|c| c.name == name).unwrap();
        file.bytes.windows(8).filter(|bytes| bytes == b"mark: ce").count() as f64
    };
    let marked = |link: &str| run.leaf(&format!("queues.{link}.marked_packets"));
    assert!(marked("r1->r2") > 5.0 && marked("r2->r3") > 5.0);
    assert_eq!(told("second.pcapng"), marked("r2->r3"));
    assert_eq!(told("last-0.pcapng"), 0.0);
}

/// Loss for one second that makes the first of two links the slower one.
const ONE_PULSE: &str =
    "{ kind = \"pulse\", period = \"5 s\", burst = \"1 s\", rate = \"3 Mbit/s\", size = \"500 B\" }";

#[test]
fn capture_times_are_exact_to_the_nanosecond() {
    let run = Text::new("1 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "10 Mbit/s", "3 ms", "")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"333 kbit/s\", size = \"972 B\" }",
        )
        .add("[[capture]]\nat = \"src[0]\"\n[[capture]]\nat = \"dst[0]\"")
        .run();
    let Some(sender) = Tshark::open(&run, "src-0.pcapng") else { return };
    let receiver = Tshark::open(&run, "dst-0.pcapng").unwrap();
    let nanoseconds = |tshark: &Tshark| -> Vec<u64> {
        let rows = tshark.fields(&["frame.time_epoch"]);
        let time = |row: &Vec<String>| {
            let text = &row[0];
            let (s, ns) = text.split_once('.').unwrap_or_else(|| panic!("{text}"));
            s.parse::<u64>().unwrap() * 1_000_000_000 + ns.parse::<u64>().unwrap()
        };
        rows.iter().map(time).collect()
    };
    let (sent, received) = (nanoseconds(&sender), nanoseconds(&receiver));
    assert_eq!(sent.len(), 43);
    for (k, (s, r)) in sent.iter().zip(&received).enumerate() {
        // 972 B at 333 kbit/s, remainders carried; 1000 B at 10 Mbit/s and 3 ms later.
        assert_eq!(*s, k as u64 * 972 * 8_000_000_000 / 333_000);
        assert_eq!(*r, s + 3_800_000);
    }
}

#[test]
fn link_capture_is_in_time_order() {
    // Both directions share the file: ACKs return while data waits.
    let run = captured("cc = \"reno\"", "");
    let Some(tshark) = Tshark::open(&run, "bottleneck.pcapng") else { return };
    let rows = tshark.fields(&["frame.time_epoch"]);
    let times: Vec<f64> = rows.iter().map(|row| row[0].parse().unwrap()).collect();
    assert!(times.len() > 1000);
    assert!(times.is_sorted());
}

#[test]
fn capture_file_names_are_unique() {
    let run = Text::new("1 s")
        .hosts("src", 1)
        .add("[[host]]\nname = \"src-0\"")
        .link("src[*]", "src-0", "10 Mbit/s", "1 ms", "name = \"cable\"")
        .flow("tcp", ("src[0]", "src-0"), "\"tcp\"", "\"bulk\"")
        .add("[[capture]]\nat = \"src[0]\"\n[[capture]]\nat = \"src-0\"\n[[capture]]\nat = \"src[0]\"\nsnaplen = \"200 B\"")
        .run();
    let names: Vec<&str> = run.output.captures.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["src-0.pcapng", "src-0-2.pcapng", "src-0-3.pcapng"]);
}

#[test]
fn capture_truncates_packets_above_ip_maximum() {
    // The scenario counts no headers, like ns-2; with real headers the datagram would exceed 65535 bytes.
    let run = Text::new("1 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "10 Mbit/s", "1 ms", "")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"1 Mbit/s\", size = \"65535 B\" }",
        )
        .add("[[capture]]\nat = \"src[0]\"")
        .run();
    assert_eq!(run.leaf("groups.udp.sent_packets"), 2.0);
    let Some(tshark) = Tshark::open(&run, "src-0.pcapng") else { return };
    assert_eq!(tshark.fields(&["ip.len"]), [["65535"], ["65535"]]);
}

#[test]
fn host_capture_has_each_packet_once() {
    // The same two hosts in both directions, over one link.
    let app = "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"500 B\" }";
    let run = Text::new("1 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "10 Mbit/s", "1 ms", "loss = \"20 %\"")
        .flow_with("there", ("src[0]", "dst[0]"), "\"udp\"", app, "stop = \"900 ms\"")
        .flow_with("back", ("dst[0]", "src[0]"), "\"udp\"", app, "stop = \"900 ms\"")
        .add("[[capture]]\nat = \"src[0]\"")
        .run();
    let Some(tshark) = Tshark::open(&run, "src-0.pcapng") else { return };
    let rows = tshark.fields(&["ip.src"]);
    let from = |address: &str| rows.iter().filter(|r| r[0] == address).count() as f64;
    assert_eq!(from("10.0.0.1"), run.flows("there", "sent_packets")[0]);
    assert_eq!(from("10.0.0.2"), run.flows("back", "received_packets")[0]);
    assert!(run.leaf("groups.back.lost_packets") > 0.0);
}

/// DS fields of the IP headers in a capture with blocks in native byte order.
fn traffic_classes(pcapng: &[u8]) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(pcapng[at..at + 4].try_into().unwrap());
    let (mut at, mut found) = (0, Vec::new());
    while at < pcapng.len() {
        // An enhanced packet block: type 6, and the packet from byte 28 on.
        if word(at) == 6 {
            found.push(pcapng[at + 29]);
        }
        at += word(at + 4) as usize;
    }
    found
}

#[test]
fn dscp_is_set_on_data_and_acks() {
    for (dscp, bits) in [("\"EF\"", 46), ("\"af11\"", 10), ("5", 5)] {
        let run = Text::new("1 s")
            .dumbbell(1, "4 Mbit/s", "10 ms", "queue = \"droptail\"")
            .flow_with("tcp", ("src[0]", "dst[0]"), "\"tcp\"", "\"bulk\"", &format!("dscp = {dscp}"))
            .add("[[capture]]\nat = \"bottleneck\"")
            .run();
        let classes = traffic_classes(&run.output.captures[0].bytes);
        assert!(classes.len() > 100 && classes.iter().all(|c| *c == bits << 2), "{dscp}: {classes:?}");
    }
}

#[test]
fn data_fin_and_add_addr_use_separate_acks() {
    // The interface returns and is announced while a DATA_FIN without data is due. Both do not fit into 40 bytes of options, so
    // each needs its own ACK.
    let run = Text::new("2798344 us")
        .hosts("a", 1)
        .hosts("b", 1)
        .link("a", "b", "1296153 bit/s", "151 us", "name = \"l0\"")
        .link("a", "b", "264465 bit/s", "503 us", "name = \"l1\"")
        .link("a", "b", "1298213 bit/s", "24197 us", "name = \"l2\"")
        .flow_with(
            "mp",
            ("b", "a"),
            "{ kind = \"mptcp\", scheduler = \"weighted\" }",
            "\"bulk\"",
            "stop = \"2665118 us\"",
        )
        .add("[[fault]]\nat = \"1488697 us\"\nuntil = \"2710537 us\"\nlink = \"l2\"\nkind = \"down\"")
        .add("[[fault]]\nat = \"809520 us\"\nlink = \"l0\"\nkind = \"blackhole\"")
        .add("[[capture]]\nat = \"b\"")
        .run();
    assert_eq!(run.output.captures.len(), 1);
}
