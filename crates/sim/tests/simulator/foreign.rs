//! Foreign hosts: a fake that speaks TCP in bytes, and others that answer whatever arrives.

use crate::support::{Run, Text};
use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tailrace_core::{Duration, Instant};
use tailrace_scenario::model::Transport;
use tailrace_sim::{AttachError, Control, ForeignHost, HostError, RunError, Simulation};
use tailrace_transport::segment::{Flags, SackBlocks, Segment, SeqNumber, Timestamps};
use tailrace_transport::{Event, Tcp};
use tailrace_wire::content;
use tailrace_wire::tcp::SackBlocks as WireBlocks;
use tailrace_wire::{
    Ipv4Packet, Ipv4Repr, PacketHeaders, TcpOptions, TcpPacket, TcpRepr, UdpPacket, UdpRepr,
};

const NO_FAILURE: Result<(), HostError> = Ok(());

/// A host with one connection of the transport crate's TCP, spoken in bytes that are those of its sequence numbers.
struct TcpHost {
    tcp: Tcp,
    /// Addresses and ports, this end first.
    ends: [(Ipv4Addr, u16); 2],
    now: Instant,
    out: VecDeque<Vec<u8>>,
    delivered: Arc<AtomicU64>,
    /// MSS option of its SYN, if it differs from the size of its segments.
    told_mss: Option<u16>,
}

impl TcpHost {
    fn client(text: &Text, ends: [(Ipv4Addr, u16); 2], write: u64) -> Self {
        let mut host = Self::server(text, ends);
        let scenario = text.scenario();
        let Transport::Tcp { config, cc, .. } = &scenario.flows[0].transport else { panic!("TCP") };
        host.tcp = Tcp::connect(config, cc, 1000, Instant::ZERO);
        host.tcp.write(write);
        host.tcp.close();
        host
    }

    fn server(text: &Text, ends: [(Ipv4Addr, u16); 2]) -> Self {
        let scenario = text.scenario();
        let Transport::Tcp { config, cc, .. } = &scenario.flows[0].transport else { panic!("TCP") };
        let tcp = Tcp::listen(config, cc, 2000);
        Self {
            tcp,
            ends,
            now: Instant::ZERO,
            out: VecDeque::new(),
            delivered: Arc::default(),
            told_mss: None,
        }
    }

    fn pump(&mut self) {
        loop {
            while let Some(mut segment) = self.tcp.poll_transmit(self.now) {
                segment.mss = segment.mss.map(|mss| self.told_mss.unwrap_or(mss));
                self.out.push_back(packet(&segment, SeqNumber(0), self.ends));
            }
            match self.tcp.poll_event() {
                Some(Event::Delivered { bytes }) => {
                    self.delivered.fetch_add(bytes, Ordering::Relaxed);
                }
                Some(Event::PeerClosed) => self.tcp.close(),
                Some(_) => {}
                None => return,
            }
        }
    }
}

impl ForeignHost for TcpHost {
    fn next_event(&self) -> Option<Instant> {
        self.tcp.poll_timeout()
    }
    fn run_until(&mut self, until: Instant, horizon: Instant) -> Result<(), HostError> {
        assert!(until >= self.now && self.next_event().is_none_or(|next| until <= next), "out of order");
        assert!(horizon >= until);
        self.now = until;
        if self.next_event().is_some_and(|next| next <= until) {
            self.tcp.handle_timeout(until);
        }
        self.pump();
        NO_FAILURE
    }
    fn deliver(&mut self, interface: usize, packet: &[u8]) -> Result<(), HostError> {
        assert_eq!(interface, 0);
        let (segment, payload) = segment(packet, self.ends);
        assert_eq!(content::wrong_bytes(segment.seq.0, &payload), 0);
        self.tcp.handle_segment(&segment, self.now);
        self.pump();
        NO_FAILURE
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        // A new connection sends its SYN before the host is first run.
        self.pump();
        *packet = self.out.pop_front()?;
        // Trailing bytes are not part of a packet: Ethernet pads short frames.
        packet.resize(packet.len() + 6, 0);
        Some(0)
    }
}

/// Bytes of a segment of a stream whose byte 0 has the number `first`.
pub(crate) fn packet(
    s: &Segment,
    first: SeqNumber,
    [(src, src_port), (dst, dst_port)]: [(Ipv4Addr, u16); 2],
) -> Vec<u8> {
    let mut sack = WireBlocks::default();
    s.sack.as_slice().iter().for_each(|(left, right)| sack.push(left.0, right.0));
    let options = TcpOptions {
        mss: s.mss,
        window_scale: s.window_scale,
        sack_permitted: s.sack_permitted,
        timestamps: s.timestamps.map(|t| (t.value, t.echo)),
        sack,
        ..TcpOptions::default()
    };
    let (flags, ae) = (s.flags.byte(), s.flags.has(Flags::AE));
    let header = TcpRepr {
        src_port,
        dst_port,
        seq: s.seq.0,
        ack: s.ack.0,
        flags,
        ae,
        window: s.window,
        urgent: 0,
        options,
    };
    let payload = &content::from(s.seq.0.wrapping_sub(first.0))[..s.payload as usize];
    let ip =
        Ipv4Repr { ecn: s.ecn, ..Ipv4Repr::new(src, dst, 6, header.header_len().unwrap() + payload.len()) };
    let mut bytes = vec![0; ip.header_len() + ip.payload_len];
    let at = ip.emit(&mut bytes).unwrap();
    let len = header.emit(src, dst, tailrace_wire::Payload::Bytes(payload), &mut bytes[at..]).unwrap();
    bytes[at + len..].copy_from_slice(payload);
    bytes
}

pub(crate) fn segment(packet: &[u8], [to, from]: [(Ipv4Addr, u16); 2]) -> (Segment, Vec<u8>) {
    let ip = Ipv4Packet::new_checked(packet).unwrap();
    assert!(ip.verify_checksum() && (ip.src(), ip.dst()) == (from.0, to.0));
    let tcp = TcpPacket::new_checked(ip.payload()).unwrap();
    assert!(tcp.verify_checksum(ip.src(), ip.dst()) && (tcp.src_port(), tcp.dst_port()) == (from.1, to.1));
    let h = TcpRepr::parse(&tcp).unwrap();
    let mut sack = SackBlocks::NONE;
    h.options.sack.as_slice().iter().for_each(|(left, right)| sack.push(SeqNumber(*left), SeqNumber(*right)));
    let segment = Segment {
        seq: SeqNumber(h.seq),
        ack: SeqNumber(h.ack),
        window: h.window,
        flags: Flags(h.flags).with(if h.ae { Flags::AE } else { Flags::default() }),
        ecn: ip.ecn(),
        payload: tcp.payload().len() as u32,
        timestamps: h.options.timestamps.map(|(value, echo)| Timestamps { value, echo }),
        sack,
        mss: h.options.mss,
        window_scale: h.options.window_scale,
        sack_permitted: h.options.sack_permitted,
        ..Segment::default()
    };
    (segment, tcp.payload().to_vec())
}

/// A TCP flow over a bottleneck that drops and marks.
pub(crate) fn bottleneck() -> Text {
    Text::new("20 s")
        .dumbbell(1, "5 Mbit/s", "10 ms", "queue = { kind = \"red\", limit = \"30 packets\", ecn = true }")
        .flow(
            "tcp",
            ("src[0]", "dst[0]"),
            "{ kind = \"tcp\", profile = \"linux\", ecn = true }",
            "{ kind = \"transfer\", size = \"2 MB\" }",
        )
        .add("[[capture]]\nat = \"dst[0]\"")
}

const CLIENT: (Ipv4Addr, u16) = (Ipv4Addr::new(10, 0, 0, 1), 40_000);
const SERVER: (Ipv4Addr, u16) = (Ipv4Addr::new(10, 0, 0, 2), 5001);

pub(crate) fn finish(mut simulation: Simulation) -> Run {
    while simulation.step(Instant::MAX, &Control::default()).unwrap() != tailrace_sim::Progress::Ended {
        simulation.balance().unwrap();
    }
    simulation.balance().unwrap();
    Run::new(simulation.finish(tailrace_sim::RunCost::default()))
}

pub(crate) fn number(run: &Run, host: &str, key: &str) -> u64 {
    run.json["foreign_hosts"][host][key].as_u64().unwrap()
}

#[test]
fn foreign_pair_matches_simulated_endpoints() {
    let text = bottleneck();
    let simulated = text.run();
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let client = TcpHost::client(&text, [CLIENT, SERVER], 2_000_000);
    let server = TcpHost::server(&text, [SERVER, CLIENT]);
    let delivered = Arc::clone(&server.delivered);
    assert_eq!(simulation.attach("src[0]", Box::new(client)).unwrap(), [CLIENT.0]);
    assert_eq!(simulation.attach("dst[0]", Box::new(server)).unwrap(), [SERVER.0]);
    let run = finish(simulation);
    assert_eq!(delivered.load(Ordering::Relaxed), 2_000_000, "to the byte");
    // The same endpoints over the same network give the same packets.
    for key in ["arrived_packets", "marked_packets", "dropped_packets.aqm", "dropped_packets.overlimit"] {
        if run.json["queues"]["r1->r2"].get(key).is_some() {
            assert_eq!(run.queue(key), simulated.queue(key), "{key}");
        }
    }
    assert!(simulated.queue("marked_packets") > 0.0);
    assert_eq!(run.queue("marked_packets"), simulated.queue("marked_packets"));
    // The client decides by itself what it sends; its packets still count for the flow.
    assert_eq!(run.tcp("sent_packets"), simulated.tcp("sent_packets"));
    for host in ["src[0]", "dst[0]"] {
        assert_eq!(
            (number(&run, host, "malformed_packets"), number(&run, host, "sent_packets")),
            (0, 0),
            "{host}"
        );
    }
    for key in ["r1->r2", "r2->r1"] {
        let bytes = |run: &Run| run.leaf(&format!("queues.{key}.whole_run.sent_bytes"));
        assert_eq!(bytes(&run), bytes(&simulated), "{key}: padding is not of a packet");
    }
}

#[test]
fn simulated_client_and_foreign_server_complete_a_transfer() {
    let text = bottleneck();
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let port = 5001;
    // A real server would learn the client's port from its SYN; here it is known.
    let client_port = text.scenario().flows[0].ports.client;
    let server = TcpHost::server(&text, [(SERVER.0, port), (CLIENT.0, client_port)]);
    let delivered = Arc::clone(&server.delivered);
    simulation.attach("dst[0]", Box::new(ZeroPayload(server))).unwrap();
    let run = finish(simulation);
    assert_eq!(delivered.load(Ordering::Relaxed), 2_000_000);
    assert!(number(&run, "dst[0]", "received_packets") > 1300);
}

#[test]
fn receive_window_grows_for_segments_below_the_mss() {
    let text = |mss| {
        let transport = format!("{{ kind = \"tcp\", profile = \"linux\", mss = \"{mss} B\" }}");
        Text::new("8 s")
            .top("warmup = \"3 s\"")
            .dumbbell(1, "50 Mbit/s", "50 ms", "queue = { kind = \"droptail\", limit = \"400 packets\" }")
            .flow("tcp", ("src[0]", "dst[0]"), &transport, "\"bulk\"")
    };
    let mut simulation = Simulation::build(&text(1448).scenario(), 1).unwrap();
    let mut client = TcpHost::client(&text(1300), [CLIENT, SERVER], 200_000_000);
    client.told_mss = Some(1460);
    simulation.attach("src[0]", Box::new(client)).unwrap();
    // Payload is 1300 of 1352 bytes at 50 Mbit/s.
    let goodput = finish(simulation).tcp("goodput_bps.sum");
    assert!(goodput > 45e6, "{goodput}");
}

/// Simulated hosts send payloads of zeros to hosts without sockets for flows.
struct ZeroPayload(TcpHost);

impl ForeignHost for ZeroPayload {
    fn next_event(&self) -> Option<Instant> {
        self.0.next_event()
    }
    fn run_until(&mut self, until: Instant, horizon: Instant) -> Result<(), HostError> {
        self.0.run_until(until, horizon)
    }
    fn deliver(&mut self, _: usize, packet: &[u8]) -> Result<(), HostError> {
        let (segment, payload) = segment(packet, self.0.ends);
        assert!(payload.iter().all(|byte| *byte == 0));
        self.0.tcp.handle_segment(&segment, self.0.now);
        self.0.pump();
        NO_FAILURE
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        self.0.take(packet)
    }
}

#[test]
fn foreign_client_and_simulated_server_complete_a_transfer() {
    let text = bottleneck();
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    simulation.attach("src[0]", Box::new(TcpHost::client(&text, [CLIENT, SERVER], 20_000_000))).unwrap();
    let run = finish(simulation);
    // Rate of 5 Mbit/s for nearly 20 s.
    let delivered = run.tcp("whole_run.delivered_bytes");
    assert!(delivered > 8e6, "{delivered}");
    assert!(run.tcp("whole_run.sent_packets") > 6000.0, "what it sends is the flow's");
}

/// Answers each datagram with its payload doubled up to 1400 bytes, and sends a datagram itself at 100 ms.
struct EchoHost {
    addresses: [Ipv4Addr; 2],
    first: Option<Instant>,
    out: VecDeque<Vec<u8>>,
    fails_at: u64,
    heard: u64,
}

fn datagram([src, dst]: [Ipv4Addr; 2], payload: usize) -> Vec<u8> {
    let ip = Ipv4Repr::new(src, dst, 17, 0);
    PacketHeaders::udp(ip, &UdpRepr { src_port: 7, dst_port: 7 }, payload).unwrap().to_packet()
}

impl ForeignHost for EchoHost {
    fn next_event(&self) -> Option<Instant> {
        self.first
    }
    fn run_until(&mut self, until: Instant, _: Instant) -> Result<(), HostError> {
        if self.first.is_some_and(|first| first <= until) {
            self.first = None;
            self.out.push_back(datagram(self.addresses, 100));
            self.out.push_back(b"not a packet".to_vec());
        }
        NO_FAILURE
    }
    fn deliver(&mut self, _: usize, packet: &[u8]) -> Result<(), HostError> {
        self.heard += 1;
        if self.heard == self.fails_at {
            return Err(HostError("it has heard enough".to_string()));
        }
        let ip = Ipv4Packet::new_checked(packet).unwrap();
        let payload = UdpPacket::new_checked(ip.payload()).unwrap().payload().len();
        self.out.push_back(datagram(self.addresses, (payload * 2).min(1400)));
        NO_FAILURE
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        *packet = self.out.pop_front()?;
        Some(0)
    }
}

fn echoes(fails_at: u64) -> Simulation {
    let text = Text::new("2 s").dumbbell(2, "5 Mbit/s", "10 ms", "").flow(
        "other",
        ("src[1]", "dst[1]"),
        "\"tcp\"",
        "\"bulk\"",
    );
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let (a, b) = (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 3));
    let echo =
        |addresses, first, fails_at| EchoHost { addresses, first, out: VecDeque::new(), fails_at, heard: 0 };
    simulation.attach("src[0]", Box::new(echo([a, b], Some(Instant::from_millis(100)), 0))).unwrap();
    simulation.attach("dst[0]", Box::new(echo([b, a], None, fails_at))).unwrap();
    simulation
}

#[test]
fn packets_of_no_flow_count_for_their_foreign_host() {
    let run = finish(echoes(0));
    let [sent, received, lost] = ["sent_packets", "received_packets", "lost_packets"]
        .map(|key| ["src[0]", "dst[0]"].map(|host| number(&run, host, key)));
    assert!(sent[0] > 5 && lost == [0, 0], "{sent:?} {lost:?}");
    assert!(received[1] + 1 >= sent[0] && received[0] + 1 >= sent[1], "{sent:?} {received:?}");
    assert_eq!(number(&run, "src[0]", "malformed_packets"), 1);
    let described = tailrace_sim::objects().into_iter().find(|object| object.name == "foreign_host").unwrap();
    let mut described: Vec<String> = described.keys.into_iter().map(|key| key.path).collect();
    described.sort();
    assert!(run.json["foreign_hosts"]["src[0]"].as_object().unwrap().keys().eq(&described));
    assert_eq!(run.output.fingerprint, finish(echoes(0)).output.fingerprint);
}

#[test]
fn foreign_host_failure_ends_the_run_with_its_message() {
    let error = echoes(5).run(&Control::default()).unwrap_err();
    assert!(matches!(&error, RunError::HostFailed(failure) if failure.host == "dst[0]"));
    let text = error.to_string();
    assert!(
        text.starts_with("host \"dst[0]\" failed at 0.") && text.ends_with("it has heard enough"),
        "{text}"
    );
}

#[test]
fn attach_accepts_each_host_once_before_the_run() {
    let mut simulation = echoes(0);
    let again = || {
        Box::new(EchoHost {
            addresses: [CLIENT.0; 2],
            first: None,
            out: VecDeque::new(),
            fails_at: 0,
            heard: 0,
        })
    };
    assert_eq!(simulation.attach("dst[0]", again()), Err(AttachError::Twice("dst[0]".into())));
    let router = simulation.attach("r1", again()).unwrap_err().to_string();
    assert_eq!(router, "there is no host named \"r1\"; hosts are src[0], src[1], dst[0], dst[1]");
    simulation.step(Instant::from_millis(1), &Control::default()).unwrap();
    assert_eq!(simulation.attach("src[1]", again()), Err(AttachError::TooLate));
}

/// Sends a datagram every 0.3 ms of its clock, and one for each received; runs ahead to the horizon, or does not.
struct PacedHost {
    addresses: [Ipv4Addr; 2],
    goes_ahead: bool,
    now: Instant,
    /// Time of its next datagram by its clock, and the datagrams sent.
    next: Instant,
    out: VecDeque<(Instant, Vec<u8>)>,
}

impl ForeignHost for PacedHost {
    fn next_event(&self) -> Option<Instant> {
        Some(self.out.front().map_or(self.next, |(at, _)| *at))
    }
    fn run_until(&mut self, until: Instant, horizon: Instant) -> Result<(), HostError> {
        assert!(horizon >= until && until >= self.now);
        self.now = until;
        while self.next <= until || (self.goes_ahead && self.next < horizon) {
            self.out.push_back((self.next, datagram(self.addresses, 200)));
            self.next += Duration::from_micros(300);
        }
        NO_FAILURE
    }
    fn deliver(&mut self, _: usize, packet: &[u8]) -> Result<(), HostError> {
        let late = self.out.back().filter(|(at, _)| *at > self.now);
        assert_eq!(late, None, "something has reached it before its horizon");
        if packet.len() > 200 {
            self.out.push_back((self.now, datagram(self.addresses, 100)));
        }
        NO_FAILURE
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        self.out.front().filter(|(at, _)| *at <= self.now)?;
        *packet = self.out.pop_front()?.1;
        Some(0)
    }
}

#[test]
fn foreign_host_ahead_of_time_matches_stepped_one() {
    let run = |goes_ahead| {
        let text = Text::new("1 s").dumbbell(2, "5 Mbit/s", "3 ms", "").flow(
            "other",
            ("src[1]", "dst[1]"),
            "\"tcp\"",
            "\"bulk\"",
        );
        let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
        let (a, b) = (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 3));
        for (name, addresses) in [("src[0]", [a, b]), ("dst[0]", [b, a])] {
            let (now, next) = (Instant::ZERO, Instant::from_nanos(100));
            let host = PacedHost { addresses, goes_ahead, now, next, out: VecDeque::new() };
            simulation.attach(name, Box::new(host)).unwrap();
        }
        finish(simulation)
    };
    let (ahead, stopped) = (run(true), run(false));
    assert!(number(&ahead, "src[0]", "received_packets") > 3000);
    assert_eq!(ahead.output.fingerprint, stopped.output.fingerprint);
}
