//! Captures as tshark, an independent reader, decodes them. Skipped, loudly, where tshark is not installed.

use std::fs::File;
use std::io::BufWriter;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tailrace_core::{Ecn, Instant, Rate};
use tailrace_wire::pcapng::{
    CaptureInterface, CapturedPacket, InterfaceId, LinkType, PcapngWriter, SnapLength,
};
use tailrace_wire::tcp::{SackBlocks, flags};
use tailrace_wire::{Ipv4Repr, PacketHeaders, TcpOptions, TcpRepr, UdpRepr};

const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
/// Initial sequence numbers of client and server; the client's wraps within the data.
const ISS: u32 = 0xffff_f000;
const IRS: u32 = 7;
const MSS: usize = 1448;
const PACKETS: usize = 20;
const DATAGRAMS: usize = 3;

/// A capture at the client: a handshake, six segments of which the second and the fourth are lost, an ACK and three
/// duplicates of it with SACK blocks, a fast retransmission, a partial ACK, another retransmission, the ACK of
/// everything; on a link three UDP datagrams.
struct Script {
    writer: PcapngWriter<BufWriter<File>>,
    host: InterfaceId,
    link: InterfaceId,
}

impl Script {
    fn write(path: &Path, snap: SnapLength) {
        let mut writer = PcapngWriter::new(BufWriter::new(File::create(path).unwrap())).unwrap();
        let host = CaptureInterface { name: "client", snap, ..CaptureInterface::default() };
        let rate = Some(Rate::from_mbit(45));
        let link = CaptureInterface { name: "g1->g2", rate, link_type: LinkType::Raw, ..host };
        let (host, link) = (writer.add_interface(&host).unwrap(), writer.add_interface(&link).unwrap());
        let mut script = Self { writer, host, link };
        script.handshake();
        script.transfer();
        script.datagrams();
        script.writer.finish().unwrap();
    }

    fn handshake(&mut self) {
        let syn = |echo| TcpOptions {
            mss: Some(1460),
            sack_permitted: true,
            timestamps: Some((100, echo)),
            window_scale: Some(7),
            ..TcpOptions::default()
        };
        let ecn_setup = flags::SYN | flags::ECE | flags::CWR;
        self.tcp(0, true, TcpRepr { seq: ISS, flags: ecn_setup, options: syn(0), ..TcpRepr::default() }, 0);
        let syn_ack = flags::SYN | flags::ACK | flags::ECE;
        let (seq, ack) = (IRS, ISS.wrapping_add(1));
        let options = syn(100);
        self.tcp(20_000_000, false, TcpRepr { seq, ack, flags: syn_ack, options, ..TcpRepr::default() }, 0);
        self.tcp(20_000_001, true, data(0), 0);
    }

    /// Segments 1 and 3 (counted from 0) are lost. The first is sent again at the third duplicate ACK, the other
    /// when a partial ACK stops short of it.
    fn transfer(&mut self) {
        for i in 0..6 {
            self.tcp(21_000_000 + 257_777 * u64::from(i), true, data(i), MSS);
        }
        self.tcp(41_000_000, false, acknowledgment(1, &[]), 0);
        self.tcp(41_500_000, false, acknowledgment(1, &[(2, 3)]), 0);
        self.tcp(42_000_000, false, acknowledgment(1, &[(4, 5), (2, 3)]), 0);
        self.tcp(42_300_000, false, acknowledgment(1, &[(4, 6), (2, 3)]), 0);
        self.tcp(42_300_000, true, data(1), MSS);
        self.tcp(62_400_000, false, acknowledgment(3, &[(4, 6)]), 0);
        self.tcp(62_400_000, true, data(3), MSS);
        self.tcp(82_500_000, false, acknowledgment(6, &[]), 0);
    }

    fn datagrams(&mut self) {
        let reasons = [None, Some("mark: red"), Some("drop: overlimit – 50 packets")];
        for (i, comment) in reasons.into_iter().enumerate() {
            let mut ip = Ipv4Repr::new(CLIENT, SERVER, 0, 0);
            ip.ecn = if comment == Some("mark: red") { Ecn::Ce } else { Ecn::Ect0 };
            let udp = UdpRepr { src_port: 7000, dst_port: 7001 };
            let headers = PacketHeaders::udp(ip, &udp, 999 + i).unwrap();
            // Beyond 32 bits of nanoseconds, to the nanosecond.
            self.put(self.link, 5_000_000_001 + i as u64, &headers, comment);
        }
    }

    fn tcp(&mut self, at: u64, from_client: bool, tcp: TcpRepr, payload: usize) {
        let (src, dst, ports) =
            if from_client { (CLIENT, SERVER, (40000, 5001)) } else { (SERVER, CLIENT, (5001, 40000)) };
        let mut ip = Ipv4Repr::new(src, dst, 0, 0);
        ip.ecn = if payload > 0 { Ecn::Ect0 } else { Ecn::NotEct };
        let tcp = TcpRepr { src_port: ports.0, dst_port: ports.1, window: 0x2000, ..tcp };
        let headers = PacketHeaders::tcp(ip, &tcp, payload).unwrap();
        self.put(self.host, at, &headers, None);
    }

    fn put(&mut self, interface: InterfaceId, at: u64, headers: &PacketHeaders, comment: Option<&str>) {
        let at = Instant::from_nanos(at);
        let (data, zeros) = (headers.as_bytes(), headers.payload_len());
        self.writer.write(&CapturedPacket { interface, at, data, zeros, comment }).unwrap();
    }
}

/// Sequence number of the first byte of the client's segment `i`.
fn seq(i: u32) -> u32 {
    ISS.wrapping_add(1 + i * MSS as u32)
}

fn data(i: u32) -> TcpRepr {
    let options = TcpOptions { timestamps: Some((120 + i, 100)), ..TcpOptions::default() };
    TcpRepr { seq: seq(i), ack: IRS + 1, flags: flags::ACK, options, ..TcpRepr::default() }
}

/// An ACK from the server up to segment `next`, with SACK blocks in segments.
fn acknowledgment(next: u32, blocks: &[(u32, u32)]) -> TcpRepr {
    let mut sack = SackBlocks::default();
    blocks.iter().for_each(|&(left, right)| sack.push(seq(left), seq(right)));
    let options = TcpOptions { timestamps: Some((130, 120)), sack, ..TcpOptions::default() };
    TcpRepr { seq: IRS + 1, ack: seq(next), flags: flags::ACK, options, ..TcpRepr::default() }
}

/// A capture and what tshark says about it.
struct Dissection {
    path: PathBuf,
}

impl Dissection {
    /// `None`, with a word on stderr, where there is no tshark.
    fn of_script(name: &str, snap: SnapLength) -> Option<Self> {
        if Command::new("tshark").arg("--version").output().is_err() {
            eprintln!("SKIPPED: tshark is not installed, so nothing checks our captures from outside");
            return None;
        }
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        Script::write(&path, snap);
        Some(Self { path })
    }
    /// For each packet that passes `filter`, the values of `field`.
    fn field(&self, filter: &str, field: &str) -> Vec<String> {
        let checksums = ["ip", "tcp", "udp"].map(|protocol| format!("{protocol}.check_checksum:TRUE"));
        let mut tshark = Command::new("tshark");
        tshark.arg("-r").arg(&self.path).args(["-Y", filter, "-T", "fields", "-e", field]);
        let output = tshark.args(checksums.iter().flat_map(|option| ["-o", option])).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert!(!stderr.contains("cut short") && !stderr.contains("damaged"), "{stderr}");
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }
    /// Numbers of the packets that pass `filter`.
    fn frames(&self, filter: &str) -> Vec<usize> {
        self.field(filter, "frame.number").iter().map(|number| number.parse().unwrap()).collect()
    }
    fn assert_what_holds_for_any_snap(&self) {
        assert_eq!(self.frames("frame"), Vec::from_iter(1..=PACKETS));
        assert_eq!(self.frames("_ws.malformed"), []);
        // Retransmissions and duplicate ACKs are notes; anything above says that something is odd.
        assert_eq!(self.frames("_ws.expert.severity >= \"Warning\""), []);
        assert_eq!(self.frames("ip.checksum.status == \"Good\"").len(), PACKETS);
    }
}

#[test]
fn a_full_capture_has_good_checksums_everywhere() {
    let Some(capture) = Dissection::of_script("full.pcapng", SnapLength::Whole) else { return };
    capture.assert_what_holds_for_any_snap();
    assert_eq!(capture.frames("tcp.checksum.status == \"Good\"").len(), PACKETS - DATAGRAMS);
    assert_eq!(capture.frames("udp.checksum.status == \"Good\"").len(), DATAGRAMS);
    assert_eq!(capture.field("udp", "frame.cap_len"), ["1027", "1028", "1029"]);
}

#[test]
fn a_capture_of_headers_keeps_the_original_lengths() {
    let Some(capture) = Dissection::of_script("headers.pcapng", SnapLength::Headers) else { return };
    capture.assert_what_holds_for_any_snap();
    assert_eq!(capture.field("udp", "frame.cap_len"), ["28"; 3]);
    assert_eq!(capture.field("udp", "frame.len"), ["1027", "1028", "1029"]);
    assert_eq!(capture.field("tcp.len > 0", "frame.len"), ["1500"; 8]);
}

#[test]
fn retransmissions_are_recognised_as_such() {
    let Some(capture) = Dissection::of_script("retransmissions.pcapng", SnapLength::Headers) else {
        return;
    };
    assert_eq!(capture.frames("tcp.analysis.retransmission"), [14, 16]);
    assert_eq!(capture.frames("tcp.analysis.fast_retransmission"), [14]);
    assert_eq!(capture.frames("tcp.analysis.lost_segment || tcp.analysis.ack_lost_segment"), []);
    assert_eq!(capture.frames("tcp.analysis.duplicate_ack"), [11, 12, 13]);
}

#[test]
fn options_are_read_as_written() {
    let Some(capture) = Dissection::of_script("options.pcapng", SnapLength::Headers) else { return };
    assert_eq!(capture.field("tcp.flags.syn == 1", "tcp.options.mss_val"), ["1460"; 2]);
    assert_eq!(capture.field("tcp.flags.syn == 1", "tcp.options.wscale.shift"), ["7"; 2]);
    assert_eq!(capture.frames("tcp.options.sack_perm"), [1, 2]);
    assert_eq!(capture.frames("tcp.options.timestamp.tsval").len(), PACKETS - DATAGRAMS);
    // Relative to the client's ISS: 1 + 1448 i.
    assert_eq!(
        capture.field("tcp.options.sack", "tcp.options.sack_le"),
        ["2897", "5793,2897", "5793,2897", "5793"]
    );
    assert_eq!(
        capture.field("tcp.options.sack", "tcp.options.sack_re"),
        ["4345", "7241,4345", "8689,4345", "8689"]
    );
}

#[test]
fn times_names_marks_and_comments_are_read_as_written() {
    let Some(capture) = Dissection::of_script("comments.pcapng", SnapLength::Headers) else { return };
    let times = ["5.000000001", "5.000000002", "5.000000003"];
    assert_eq!(capture.field("udp", "frame.time_epoch"), times);
    assert_eq!(capture.field("frame.number == 5", "frame.time_epoch"), ["0.021257777"]);
    assert_eq!(capture.field("udp", "frame.interface_name"), ["g1->g2"; 3]);
    assert_eq!(capture.field("frame.number == 1", "frame.interface_name"), ["client"]);
    assert_eq!(capture.frames("ip.dsfield.ecn == 3"), [19]);
    assert_eq!(capture.field("ip.dsfield.ecn == 3", "frame.comment"), ["mark: red"]);
    assert_eq!(capture.frames("frame.comment contains \"overlimit\""), [20]);
    assert_eq!(capture.field("frame.number == 20", "frame.comment"), ["drop: overlimit – 50 packets"]);
    assert_eq!(capture.frames("pkt_comment"), [19, 20]);
}
