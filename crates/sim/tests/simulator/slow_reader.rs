//! A receiver that reads more slowly than data arrives: its window closes, the sender probes, and continues when it opens (RFC
//! 9293 §3.8.6).

use crate::support::{Run, Text, assert_close};

/// A TCP segment in a capture.
#[derive(Clone, Copy, Debug)]
struct Segment {
    at: f64,
    from_server: bool,
    seq: u32,
    ack: u32,
    window: u32,
    payload: u32,
    is_syn: bool,
}

/// Segments of a capture of raw IPv4 packets, with blocks in native byte order and nanoseconds.
fn segments(pcapng: &[u8]) -> Vec<Segment> {
    let word = |at: usize| u32::from_le_bytes(pcapng[at..at + 4].try_into().unwrap());
    let (mut at, mut found) = (0, Vec::new());
    while at < pcapng.len() {
        // An enhanced packet block: type 6, a time in two words, and the packet from byte 28 on.
        if word(at) == 6 {
            let ip = &pcapng[at + 28..];
            let tcp = &ip[usize::from(ip[0] & 15) * 4..];
            let half = |bytes: &[u8], n: usize| u32::from(u16::from_be_bytes([bytes[n], bytes[n + 1]]));
            let whole = |n: usize| u32::from_be_bytes(tcp[n..n + 4].try_into().unwrap());
            let headers = u32::from(ip[0] & 15) * 4 + u32::from(tcp[12] >> 4) * 4;
            found.push(Segment {
                at: (f64::from(word(at + 12)) * 4_294_967_296.0 + f64::from(word(at + 16))) * 1e-9,
                from_server: ip[15] == 2,
                seq: whole(4),
                ack: whole(8),
                window: half(tcp, 14),
                payload: half(ip, 2) - headers,
                is_syn: tcp[13] & 2 != 0,
            });
        }
        at += word(at + 4) as usize;
    }
    found
}

/// A client that reads 8 kB every four seconds while its server sends at up to 10 Mbit/s into 32 kB; captured at the server.
fn read_slowly(transport: &str, app: &str) -> Run {
    Text::new("60 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "10 Mbit/s", "10 ms", "")
        .tcp(
            &format!("mss = \"1000 B\", receive_buffer = \"32 kB\", window_scale = false, {transport}"),
            &format!("{{ kind = \"slow_reader\", rate = \"16 kbit/s\", chunk = \"8 kB\"{app} }}"),
        )
        .add("[[capture]]\nat = \"dst[0]\"")
        .run()
}

/// Segments that the server sends while the latest window it knows is closed, grouped by closed period.
fn while_closed(all: &[Segment]) -> Vec<Vec<Segment>> {
    let mut spans: Vec<Vec<Segment>> = Vec::new();
    let mut is_closed = false;
    for segment in all {
        if !segment.from_server && !segment.is_syn {
            if segment.window == 0 && !is_closed {
                spans.push(Vec::new());
            }
            is_closed = segment.window == 0;
        } else if is_closed {
            spans.last_mut().unwrap().push(*segment);
        }
    }
    spans
}

#[test]
fn zero_window_probes_back_off_exponentially() {
    let run = read_slowly("min_rto = \"200 ms\"", "");
    let spans = while_closed(&segments(&run.output.captures[0].bytes));
    assert!(spans.len() > 10, "{}", spans.len());
    for span in spans.iter().filter(|span| span.len() > 1) {
        assert!(span.iter().all(|probe| probe.payload == 0), "{span:?}");
        let gaps: Vec<f64> = span.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
        for pair in gaps.windows(2) {
            assert_close(pair[1], 2.0 * pair[0], 0.02);
        }
        assert!(
            gaps[0] > 0.39,
            "the first after a retransmission timeout of 200 ms, the second after two: {gaps:?}"
        );
    }
    // 4 s hold probes at 0.2, 0.6, 1.4 and 3 s.
    assert!(spans.iter().any(|span| span.len() == 4), "{:?}", spans.iter().map(Vec::len).collect::<Vec<_>>());
    // No probe is taken for a loss.
    assert_eq!((run.tcp("retransmitted_packets"), run.tcp("timeouts")), (0.0, 0.0));
}

#[test]
fn receiver_answers_probes_and_avoids_silly_window() {
    let run = read_slowly("", "");
    let all = segments(&run.output.captures[0].bytes);
    let acks: Vec<Segment> = all.iter().copied().filter(|s| !s.from_server && !s.is_syn).collect();
    for pair in acks.windows(2) {
        let edge = |s: &Segment| s.ack.wrapping_add(s.window);
        assert!(edge(&pair[1]).wrapping_sub(edge(&pair[0])) < 1 << 31, "the window is taken back: {pair:?}");
        let opens = pair[0].window == 0 && pair[1].window > 0;
        assert!(!opens || pair[1].window >= 1000, "a silly window: {pair:?}");
    }
    // Each probe gets an answer an RTT later, with the present window.
    let sent: Vec<&Segment> = all.iter().filter(|s| s.from_server).collect();
    let probes: Vec<_> = sent.iter().filter(|s| s.payload == 0 && !s.is_syn && s.at > 1.0).collect();
    assert!(probes.len() > 20);
    for probe in probes.iter().filter(|probe| probe.at < 59.9) {
        let answered = acks.iter().any(|ack| (ack.at - probe.at - 0.02).abs() < 1e-3);
        assert!(answered, "{probe:?}");
        let next = acks.iter().rev().find(|ack| ack.at <= probe.at).map(|ack| ack.ack);
        assert_eq!(Some(probe.seq.wrapping_add(1)), next, "one below what is expected");
    }
}

#[test]
fn slow_reader_delivers_reads_plus_buffer() {
    // Reads of 8 kB every four seconds for 60 s, the last at 56 s, and 32 kB.
    let most = 14.0 * 8_000.0 + 32_000.0;
    let run = read_slowly("", "");
    let delivered = run.flows("tcp", "delivered_bytes")[0];
    assert!(delivered <= most && delivered > most - 2_000.0, "{delivered}, not {most}");
    // A transfer ends when all of it has been read.
    let run = read_slowly("", ", size = \"100 kB\"");
    assert_eq!((run.tcp("completed"), run.tcp("connections.open")), (1.0, 0.0));
    // Nine reads follow the first 32 kB.
    assert!((36.0..37.0).contains(&run.tcp("completion_s.mean")), "{}", run.tcp("completion_s.mean"));
    // The reverse direction behaves alike: the server reads.
    let up = read_slowly("", ", size = \"100 kB\", direction = \"up\"");
    assert_close(up.tcp("completion_s.mean"), run.tcp("completion_s.mean"), 0.01);
}

#[test]
fn linux_profile_slow_reader_matches_kernel_to_the_byte() {
    let text = Text::of(
        "name = \"slow\"\nduration = \"10 s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nname = \"l\"\n\
         between = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"droptail limit 50\"\n[[flow]]\nname = \"tcp\"\n\
         from = \"a\"\nto = \"b\"\ntransport = { kind = \"tcp\", profile = \"linux\", cc = \"cubic\" }\n\
         app = { kind = \"slow_reader\", rate = \"4 Mbit/s\" }\n",
    );
    let delivered = |text: &Text| text.run().flows("tcp", "delivered_bytes")[0];
    // Measured with Linux 6.12.117 as both hosts.
    assert_eq!(delivered(&text), 5_041_184.0);
    // ACKs are lost as the link goes down. Data sent into it has reduced the server's window, and none is restored when the first
    // ACK shows that the timeout was spurious.
    let down = "[[fault]]\nlink = \"l\"\nkind = \"down\"\nat = \"1 s\"\nuntil = \"3 s\"";
    assert_eq!(delivered(&text.add(down)), 3_291_128.0);
}

#[test]
fn mptcp_slow_reader_closes_the_shared_window() {
    let text = crate::mptcp::parallel("60 s", 2, "30 packets");
    let app = "{ kind = \"slow_reader\", rate = \"16 kbit/s\", chunk = \"8 kB\" }";
    let run = crate::mptcp::flow(text, "receive_buffer = \"32 kB\"", app).run();
    let (delivered, most) = (run.flows("mp", "delivered_bytes")[0], 14.0 * 8_000.0 + 32_000.0);
    assert!(delivered <= most && delivered > most - 6_000.0, "{delivered}, not {most}");
}
