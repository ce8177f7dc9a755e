//! Foreign hosts whose sockets are the ends of flows: a fake whose stack is this project's TCP.

use crate::foreign::{bottleneck, finish, number, packet, segment};
use crate::support::{Run, Text};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddrV4};
use tailrace_core::Instant;
use tailrace_scenario::model::Transport;
use tailrace_sim::{
    Control, ForeignHost, HostError, ResetCause, RunError, Simulation, SocketCommand, SocketEvent,
    SocketOperation, SocketPair, SocketReport, SocketStats, Values,
};
use tailrace_transport::segment::{Flags, SeqNumber};
use tailrace_transport::{Event, Tcp};
use tailrace_wire::content;

/// A host with sockets, one at a time.
pub(crate) struct SocketHost {
    text: Text,
    socket: Option<(SocketPair, Tcp)>,
    now: Instant,
    /// Present address, if it was changed.
    moved: Option<Ipv4Addr>,
    out: VecDeque<Vec<u8>>,
    events: VecDeque<SocketEvent>,
    /// Reason with which it refuses the first command.
    refuses: Option<&'static str>,
    /// Sequence numbers of byte 0 of its stream and of its peer's, once known.
    first: [SeqNumber; 2],
    /// Offset of its pattern from the stream position.
    is_off: u32,
    /// Whether it does not report timeouts.
    lacks_timeouts: bool,
}

impl SocketHost {
    pub(crate) fn new(text: Text) -> Self {
        let (out, events) = Default::default();
        let first = [SeqNumber(0); 2];
        Self {
            text,
            socket: None,
            now: Instant::ZERO,
            moved: None,
            out,
            events,
            refuses: None,
            first,
            is_off: 0,
            lacks_timeouts: false,
        }
    }

    fn tcp(&self, listens: bool) -> Tcp {
        let scenario = self.text.scenario();
        let Transport::Tcp { config, cc, .. } = &scenario.flows[0].transport else { panic!("TCP") };
        if listens { Tcp::listen(config, cc, 2000) } else { Tcp::connect(config, cc, 1000, self.now) }
    }

    fn pump(&mut self) {
        let Some((pair, tcp)) = &mut self.socket else { return };
        let ends = [pair.local, pair.remote].map(|at| (*at.ip(), at.port()));
        loop {
            while let Some(segment) = tcp.poll_transmit(self.now) {
                if segment.flags.has(Flags::SYN) {
                    self.first[0] = segment.seq + 1 + self.is_off;
                }
                self.out.push_back(packet(&segment, self.first[0], ends));
            }
            let Some(event) = tcp.poll_event() else { return };
            let report = match event {
                Event::Connected => SocketReport::Connected,
                Event::Delivered { bytes } => SocketReport::Delivered(bytes),
                Event::PeerClosed => SocketReport::PeerClosed,
                Event::Closed => SocketReport::Closed,
                Event::Reset { cause } => SocketReport::Broken(cause),
            };
            let figures = SocketStats {
                stats: *tcp.stats(),
                view: Some(tcp.view()),
                mss: tcp.mss(),
                subflows: Vec::new(),
                stream: None,
                lacks_timeouts: self.lacks_timeouts,
                lacks_in_flight: false,
                lacks_min_rtt: false,
            };
            let counted = SocketReport::Counted(Box::new(figures));
            self.events.push_back(SocketEvent { socket: *pair, report: counted });
            // An accepted connection was already reported as such.
            if !(report == SocketReport::Connected && pair.local.port() == 5001) {
                self.events.push_back(SocketEvent { socket: *pair, report });
            }
        }
    }
}

impl ForeignHost for SocketHost {
    fn next_event(&self) -> Option<Instant> {
        self.socket.as_ref()?.1.poll_timeout()
    }
    fn run_until(&mut self, until: Instant, _horizon: Instant) -> Result<(), HostError> {
        self.now = until;
        if let Some((_, tcp)) = &mut self.socket
            && tcp.poll_timeout().is_some_and(|next| next <= until)
        {
            tcp.handle_timeout(until);
        }
        self.pump();
        Ok(())
    }
    fn deliver(&mut self, _interface: usize, bytes: &[u8]) -> Result<(), HostError> {
        let port = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let address = |at: usize| Ipv4Addr::new(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
        let pair = SocketPair {
            local: SocketAddrV4::new(address(16), port(22)),
            remote: SocketAddrV4::new(address(12), port(20)),
        };
        if self.socket.is_none() {
            self.socket = Some((pair, self.tcp(true)));
            self.events.push_back(SocketEvent { socket: pair, report: SocketReport::Accepted });
        }
        let ends = [pair.local, pair.remote].map(|at| (*at.ip(), at.port()));
        let (segment, payload) = segment(bytes, ends);
        if segment.flags.has(Flags::SYN) {
            self.first[1] = segment.seq + 1 + self.is_off;
        }
        let wrong = content::wrong_bytes(segment.seq.0.wrapping_sub(self.first[1].0), &payload);
        if wrong > 0 {
            self.events.push_back(SocketEvent { socket: pair, report: SocketReport::Wrong(wrong) });
        }
        let Some((_, tcp)) = &mut self.socket else { unreachable!("just made") };
        tcp.handle_segment(&segment, self.now);
        self.pump();
        Ok(())
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        // Nothing leaves from an address that is gone.
        let leaves = |packet: &Vec<u8>| self.moved.is_none_or(|own| packet[12..16] == own.octets());
        *packet = std::iter::from_fn(|| self.out.pop_front()).find(leaves)?;
        Some(0)
    }
    fn addresses_changed(&mut self, changed: &[(usize, Ipv4Addr)]) -> Result<(), HostError> {
        self.moved = changed.iter().find(|(interface, _)| *interface == 0).map(|(_, address)| *address);
        Ok(())
    }
    fn has_sockets(&self) -> bool {
        true
    }
    fn command(&mut self, command: &SocketCommand) -> Result<(), HostError> {
        if let Some(why) = self.refuses {
            let report = SocketReport::Failed(why.into());
            self.events.push_back(SocketEvent { socket: command.socket, report });
            return Ok(());
        }
        if let SocketOperation::Connect(kind) = &command.order {
            assert!(!kind.multipath && kind.congestion_control.as_deref() == Some("cubic"));
            self.socket = Some((command.socket, self.tcp(false)));
        }
        let Some((pair, tcp)) = &mut self.socket else { panic!("{command:?} to nobody") };
        assert_eq!(command.socket, *pair);
        match command.order {
            SocketOperation::Connect(_) => {}
            SocketOperation::Write(bytes) => _ = tcp.write(bytes),
            SocketOperation::Read(bytes) => _ = tcp.read(bytes, self.now),
            SocketOperation::Close => tcp.close(),
            SocketOperation::Send { .. } => panic!("no datagrams here"),
        }
        self.pump();
        Ok(())
    }
    fn poll_socket(&mut self) -> Option<SocketEvent> {
        self.events.pop_front()
    }
}

fn run(text: &Text, foreign: &[&str]) -> Run {
    run_off(text, foreign, 0)
}

/// Run in which foreign hosts write and expect a shifted pattern.
fn run_off(text: &Text, foreign: &[&str], is_off: u32) -> Run {
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    for name in foreign {
        let asked = simulation.flow_sockets(name).unwrap();
        assert_eq!(
            (asked.connects, asked.listeners.len()),
            (*name == "src[0]", usize::from(*name == "dst[0]"))
        );
        let host = SocketHost { is_off, ..SocketHost::new(text.clone()) };
        simulation.attach(name, Box::new(host)).unwrap();
    }
    finish(simulation)
}

#[test]
fn foreign_sockets_transfer_matches_simulated_endpoints() {
    let text = bottleneck();
    let simulated = text.run();
    for foreign in [&["src[0]"][..], &["dst[0]"], &["src[0]", "dst[0]"]] {
        let run = run(&text, foreign);
        for key in
            ["sent_packets", "goodput_bps.sum", "completed", "retransmitted_packets", "completion_s.mean"]
        {
            assert_eq!(run.tcp(key), simulated.tcp(key), "{key} with sockets at {foreign:?}");
        }
        assert_eq!(run.queue("marked_packets"), simulated.queue("marked_packets"), "{foreign:?}");
        assert_eq!(run.tcp("whole_run.wrong_bytes"), 0.0, "{foreign:?}");
        for host in foreign {
            let own = (number(&run, host, "malformed_packets"), number(&run, host, "sent_packets"));
            assert_eq!(own, (0, 0), "{host}: all is the flow's");
        }
    }
}

#[test]
fn payload_check_finds_misplaced_bytes_at_either_end() {
    let text = bottleneck();
    assert!(text.run().json["groups"]["tcp"]["whole_run"].get("wrong_bytes").is_none());
    for (foreign, is_off) in [("src[0]", 1), ("src[0]", 65_535), ("dst[0]", 1)] {
        let run = run_off(&text, &[foreign], is_off);
        let wrong = run.tcp("whole_run.wrong_bytes");
        // A wrong byte matches by chance in one of 256 cases. The fake counts retransmitted bytes twice.
        assert!((1.98e6..2.05e6).contains(&wrong), "{wrong} of 2 MB written or read by {foreign}");
        assert_eq!(run.tcp("whole_run.delivered_bytes"), 2e6);
    }
}

#[test]
fn payload_check_counts_corrupted_bytes_when_delivered() {
    let text = bottleneck().with("ecn = true }", "ecn = true }\nrewrite = \"2 %\"");
    let [there, back] = ["src[0]", "dst[0]"].map(|foreign| run(&text, &[foreign]));
    // The first byte of each changed packet is corrupted; segments have 1448 bytes.
    let changed = there.tcp("altered_bytes") / 1448.0;
    assert!(changed > 10.0);
    assert_eq!(there.tcp("whole_run.wrong_bytes"), changed.ceil());
    assert!((10.0..60.0).contains(&back.tcp("whole_run.wrong_bytes")));
}

#[test]
fn timeouts_are_null_if_a_stack_lacks_them() {
    let text = bottleneck();
    for lacks_timeouts in [false, true] {
        let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
        let host = SocketHost { lacks_timeouts, ..SocketHost::new(text.clone()) };
        simulation.attach("src[0]", Box::new(host)).unwrap();
        let run = finish(simulation);
        let group = &run.json["groups"]["tcp"];
        for timeouts in [&group["timeouts"], &group["whole_run"]["timeouts"]] {
            assert_eq!(timeouts.is_null(), lacks_timeouts, "{timeouts}");
        }
        let column = |table: &str, name: &str| {
            let table = run.output.tables.iter().find(|t| t.name == table).unwrap();
            table.columns.iter().find(|c| c.name == name).unwrap().values.clone()
        };
        for table in ["flows", "connections"] {
            let Values::U64(timeouts) = column(table, "timeouts") else { panic!("counts") };
            assert_eq!(timeouts[0] == Values::NO_COUNT, lacks_timeouts, "{table}: {timeouts:?}");
        }
        // The peer is a simulated endpoint.
        assert_ne!(column("connections", "backward_timeouts"), Values::U64(vec![Values::NO_COUNT]));
    }
}

#[test]
fn foreign_sockets_exchange_requests_and_responses() {
    let flow =
        "{ kind = \"request_response\", request = \"300 B\", response = \"20 kB\", think = \"100 ms\" }";
    let text = Text::new("10 s").dumbbell(1, "5 Mbit/s", "10 ms", "queue = \"droptail\"").flow(
        "tcp",
        ("src[0]", "dst[0]"),
        "{ kind = \"tcp\", profile = \"linux\" }",
        flow,
    );
    let simulated = text.run();
    assert!(simulated.tcp("completed") > 40.0);
    for foreign in [&["src[0]"][..], &["dst[0]"], &["src[0]", "dst[0]"]] {
        let run = run(&text, foreign);
        assert_eq!(run.tcp("completed"), simulated.tcp("completed"), "{foreign:?}");
        assert_eq!(run.tcp("whole_run.wrong_bytes"), 0.0, "{foreign:?}");
    }
}

#[test]
fn refused_socket_ends_the_run_with_the_reason() {
    let text = bottleneck();
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let host = SocketHost { refuses: Some("its kernel has no such control"), ..SocketHost::new(text) };
    simulation.attach("src[0]", Box::new(host)).unwrap();
    let failed = simulation.step(Instant::MAX, &Control::default());
    let Err(RunError::HostFailed(failure)) = failed else { panic!("{failed:?}") };
    assert_eq!((&failure.host[..], &failure.why[..]), ("src[0]", "its kernel has no such control"));
}

#[test]
fn foreign_connection_break_is_reported() {
    /// A host that refuses every command.
    struct RefusingHost(VecDeque<SocketEvent>);
    impl ForeignHost for RefusingHost {
        fn next_event(&self) -> Option<Instant> {
            None
        }
        fn run_until(&mut self, _: Instant, _: Instant) -> Result<(), HostError> {
            Ok(())
        }
        fn deliver(&mut self, _: usize, _: &[u8]) -> Result<(), HostError> {
            Ok(())
        }
        fn take(&mut self, _: &mut Vec<u8>) -> Option<usize> {
            None
        }
        fn has_sockets(&self) -> bool {
            true
        }
        fn command(&mut self, command: &SocketCommand) -> Result<(), HostError> {
            if matches!(command.order, SocketOperation::Connect(_)) {
                let report = SocketReport::Broken(ResetCause::Refused);
                self.0.push_back(SocketEvent { socket: command.socket, report });
            }
            Ok(())
        }
        fn poll_socket(&mut self) -> Option<SocketEvent> {
            self.0.pop_front()
        }
    }
    let text = bottleneck();
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    simulation.attach("src[0]", Box::new(RefusingHost(VecDeque::new()))).unwrap();
    let run = finish(simulation);
    assert_eq!(run.tcp("connections.broken.refused"), 1.0);
    assert_eq!(run.tcp("completed"), 0.0);
}
