//! UDP flows between foreign hosts: a fake that sends and receives datagrams by command.

use crate::foreign::{finish, number};
use crate::support::{Run, Text};
use std::collections::VecDeque;
use std::net::SocketAddrV4;
use tailrace_core::Instant;
use tailrace_sim::{
    DatagramSocket, ForeignHost, HostError, Simulation, SocketCommand, SocketEvent, SocketOperation,
    SocketPair, SocketReport,
};
use tailrace_wire::{Ipv4Packet, Ipv4Repr, PacketHeaders, UdpPacket, UdpRepr};

/// A host with one datagram socket.
struct Host {
    socket: DatagramSocket,
    out: VecDeque<Vec<u8>>,
    events: VecDeque<SocketEvent>,
}

/// A datagram whose payload begins with a stamp; its checksum is left out, as UDP allows.
fn datagram(pair: &SocketPair, payload: u16, stamp: u64) -> Vec<u8> {
    let ip = Ipv4Repr::new(*pair.local.ip(), *pair.remote.ip(), 0, 0);
    let udp = UdpRepr { src_port: pair.local.port(), dst_port: pair.remote.port() };
    let mut bytes = PacketHeaders::udp(ip, &udp, payload.into()).unwrap().to_packet();
    bytes[26..28].fill(0);
    let len = usize::from(payload).min(8);
    bytes[28..28 + len].copy_from_slice(&stamp.to_le_bytes()[..len]);
    bytes
}

impl ForeignHost for Host {
    fn next_event(&self) -> Option<Instant> {
        None
    }
    fn run_until(&mut self, _: Instant, _: Instant) -> Result<(), HostError> {
        Ok(())
    }
    fn deliver(&mut self, _: usize, bytes: &[u8]) -> Result<(), HostError> {
        let ip = Ipv4Packet::new_checked(bytes).unwrap();
        let udp = UdpPacket::new_checked(ip.payload()).unwrap();
        let local = SocketAddrV4::new(ip.dst(), udp.dst_port());
        assert_eq!(local, self.socket.at, "nothing else is sent here");
        if self.socket.is_heard {
            let socket = SocketPair { local, remote: SocketAddrV4::new(ip.src(), udp.src_port()) };
            let stamp = u64::from_le_bytes(udp.payload()[..8].try_into().unwrap());
            let report = SocketReport::Datagram { payload: udp.payload().len() as u16, stamp };
            self.events.push_back(SocketEvent { socket, report });
        }
        Ok(())
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        *packet = self.out.pop_front()?;
        Some(0)
    }
    fn has_sockets(&self) -> bool {
        true
    }
    fn command(&mut self, command: &SocketCommand) -> Result<(), HostError> {
        let SocketOperation::Send { payload, stamp } = command.order else { panic!("{command:?}") };
        assert_eq!(command.socket.local, self.socket.at);
        self.out.push_back(datagram(&command.socket, payload, stamp));
        Ok(())
    }
    fn poll_socket(&mut self) -> Option<SocketEvent> {
        self.events.pop_front()
    }
}

fn run(text: &Text, foreign: &[&str]) -> Run {
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    for name in foreign {
        let asked = simulation.flow_sockets(name).unwrap();
        assert!(!asked.connects && asked.listeners.is_empty());
        let [socket] = asked.datagrams[..] else { panic!("{asked:?}") };
        let (out, events) = Default::default();
        simulation.attach(name, Box::new(Host { socket, out, events })).unwrap();
    }
    finish(simulation)
}

/// Results of a flow do not depend on the place of its sockets.
#[test]
fn udp_results_equal_for_foreign_and_simulated_sockets() {
    let apps = [
        "{ kind = \"cbr\", rate = \"1500 kbit/s\", size = \"800 B\" }",
        "{ kind = \"ping\", interval = \"50 ms\" }",
        "{ kind = \"voip\", codec = \"g711\", buffer = \"20 ms\" }",
    ];
    let keys = ["sent_packets", "lost_packets", "goodput_bps.sum", "one_way_delay_s.mean", "jitter_s.mean"];
    for app in apps {
        let text = Text::new("4 s")
            .dumbbell(1, "1 Mbit/s", "10 ms", "queue = { kind = \"droptail\", limit = \"10 packets\" }")
            .flow("udp", ("src[0]", "dst[0]"), "\"udp\"", app);
        let simulated = text.run();
        let of = |run: &Run, key: &str| run.leaf(&format!("groups.udp.{key}"));
        assert!(of(&simulated, "sent_packets") > 40.0);
        for foreign in [&["src[0]"][..], &["dst[0]"], &["src[0]", "dst[0]"]] {
            let run = run(&text, foreign);
            for key in keys {
                assert_eq!(of(&run, key), of(&simulated, key), "{key} of {app} with sockets at {foreign:?}");
            }
            if app.contains("ping") {
                assert_eq!(of(&run, "rtt_s.mean"), of(&simulated, "rtt_s.mean"), "{foreign:?}");
            }
            if app.contains("voip") {
                assert_eq!(
                    of(&run, "voice.late_packets"),
                    of(&simulated, "voice.late_packets"),
                    "{foreign:?}"
                );
            }
            for host in foreign {
                let own = (number(&run, host, "malformed_packets"), number(&run, host, "sent_packets"));
                assert_eq!(own, (0, 0), "{host}: all is the flow's");
            }
        }
    }
}

/// NetFence's layer below the transport covers all hosts: a flood is held to its share wherever its sockets are, and no socket
/// receives explicit feedback.
#[test]
fn netfence_feedback_works_with_foreign_hosts() {
    let keys = ["sent_packets", "lost_packets", "goodput_bps.sum", "one_way_delay_s.mean"];
    let flood = "{ kind = \"cbr\", rate = \"2 Mbit/s\", size = \"972 B\", jitter = 0.1 }";
    for feedback in ["return", "withhold"] {
        let text = Text::new("60 s")
            .hosts("src", 1)
            .hosts("dst", 1)
            .router("r1")
            .router("r2")
            .link("src[0]", "r1", "10 Mbit/s", "5 ms", "queue = { kind = \"netfence\", role = \"access\" }")
            .link("r1", "r2", "1 Mbit/s", "10 ms", "queue = { kind = \"netfence\", role = \"bottleneck\" }")
            .link("r2", "dst[0]", "10 Mbit/s", "5 ms", "")
            .flow_with("udp", ("src[0]", "dst[0]"), "\"udp\"", flood, &format!("feedback = \"{feedback}\""));
        let simulated = text.run();
        let of = |run: &Run, key: &str| run.leaf(&format!("groups.udp.{key}"));
        assert!(of(&simulated, "lost_packets") > 1000.0, "it is held to a limit");
        for foreign in [&["src[0]"][..], &["dst[0]"], &["src[0]", "dst[0]"]] {
            let run = run(&text, foreign);
            for key in keys {
                assert_eq!(
                    of(&run, key),
                    of(&simulated, key),
                    "{key}, {feedback}, with sockets at {foreign:?}"
                );
            }
        }
    }
}

/// An application that does not listen costs its host no reports.
#[test]
fn datagram_reports_only_for_listening_applications() {
    let text = Text::new("4 s").dumbbell(1, "1 Mbit/s", "10 ms", "");
    for (app, heard) in
        [("{ kind = \"cbr\", rate = \"1 kbit/s\", size = \"100 B\" }", false), ("\"ping\"", true)]
    {
        let text = text.clone().flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", ecn = true }",
            app,
            "dscp = \"EF\"",
        );
        let simulation = Simulation::build(&text.scenario(), 1).unwrap();
        for name in ["src[0]", "dst[0]"] {
            let [socket] = simulation.flow_sockets(name).unwrap().datagrams[..] else { panic!("one socket") };
            // EF is 46 (RFC 3246), ECT(0) is 2 (RFC 3168).
            assert_eq!((socket.is_heard, socket.traffic_class), (heard, 46 << 2 | 2));
        }
    }
}
