//! Address changes of foreign hosts: their notifications and their flows. The fakes behave like real stacks: nothing leaves from
//! an address that is gone.

use crate::foreign::{finish, number};
use crate::foreign_sockets::SocketHost;
use crate::support::{Run, Text};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::{Arc, Mutex};
use tailrace_core::Instant;
use tailrace_sim::{
    ForeignHost, HostError, Simulation, SocketCommand, SocketEvent, SocketOperation, SocketPair, SocketReport,
};
use tailrace_wire::{Ipv4Packet, Ipv4Repr, PacketHeaders, UdpPacket, UdpRepr};

/// A client `a` with two links and a server `b` at a router.
fn network(duration: &str) -> Text {
    let link = |text: Text, ends: (&str, &str), name: &str| {
        text.link(ends.0, ends.1, "4 Mbit/s", "10 ms", &format!("name = \"{name}\""))
    };
    let text = Text::new(duration).add("[[host]]\nname = \"a\"").add("[[host]]\nname = \"b\"").router("r");
    link(link(link(text, ("a", "r"), "up"), ("a", "r"), "up2"), ("r", "b"), "far")
}

fn fault(host: &str, interface: u8, value: &str, more: &str) -> String {
    format!(
        "[[fault]]\nkind = \"address\"\nhost = \"{host}\"\ninterface = {interface}\nvalue = \"{value}\"\n{more}"
    )
}

/// Address changes reported, with times.
type AddressLog = Arc<Mutex<Vec<(Instant, Vec<(usize, Ipv4Addr)>)>>>;

/// A host that sends and receives datagrams by its sockets at its present addresses.
struct Host {
    now: Instant,
    addresses: Vec<Ipv4Addr>,
    sockets: Vec<SocketAddrV4>,
    out: VecDeque<(usize, Vec<u8>)>,
    events: VecDeque<SocketEvent>,
    told: AddressLog,
}

impl Host {
    /// Attaches one foreign host in place of all these hosts.
    fn attach(names: &[&str], simulation: &mut Simulation) -> AddressLog {
        let (mut addresses, mut sockets) = (Vec::new(), Vec::new());
        for name in names {
            addresses.extend(simulation.addresses(name).unwrap());
            sockets.extend(simulation.flow_sockets(name).unwrap().datagrams.iter().map(|socket| socket.at));
        }
        let told = AddressLog::default();
        let (out, events) = Default::default();
        let host = Self { now: Instant::ZERO, addresses, sockets, out, events, told: Arc::clone(&told) };
        simulation.attach_shared(names, Box::new(host)).unwrap();
        told
    }
}

impl ForeignHost for Host {
    fn next_event(&self) -> Option<Instant> {
        None
    }
    fn run_until(&mut self, until: Instant, _: Instant) -> Result<(), HostError> {
        self.now = until;
        Ok(())
    }
    fn deliver(&mut self, interface: usize, bytes: &[u8]) -> Result<(), HostError> {
        let ip = Ipv4Packet::new_checked(bytes).unwrap();
        assert_eq!(ip.dst(), self.addresses[interface], "to an address that it has");
        let udp = UdpPacket::new_checked(ip.payload()).unwrap();
        let local = SocketAddrV4::new(ip.dst(), udp.dst_port());
        assert!(self.sockets.contains(&local), "{local} is none of {:?}", self.sockets);
        let socket = SocketPair { local, remote: SocketAddrV4::new(ip.src(), udp.src_port()) };
        let stamp = u64::from_le_bytes(udp.payload()[..8].try_into().unwrap());
        let report = SocketReport::Datagram { payload: udp.payload().len() as u16, stamp };
        self.events.push_back(SocketEvent { socket, report });
        Ok(())
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        let (interface, bytes) = self.out.pop_front()?;
        *packet = bytes;
        Some(interface)
    }
    fn has_sockets(&self) -> bool {
        true
    }
    fn command(&mut self, command: &SocketCommand) -> Result<(), HostError> {
        let SocketOperation::Send { payload, stamp } = command.order else { panic!("{command:?}") };
        let SocketPair { local, remote } = command.socket;
        assert!(self.sockets.contains(&local), "{local} is none of {:?}", self.sockets);
        let Some(interface) = self.addresses.iter().position(|address| address == local.ip()) else {
            panic!("{} s: from {local}, which is not there: {:?}", self.now.as_secs_f64(), self.addresses);
        };
        let ip = Ipv4Repr::new(*local.ip(), *remote.ip(), 0, 0);
        let udp = UdpRepr { src_port: local.port(), dst_port: remote.port() };
        let mut bytes = PacketHeaders::udp(ip, &udp, payload.into()).unwrap().to_packet();
        bytes[26..28].fill(0);
        bytes[28..36].copy_from_slice(&stamp.to_le_bytes());
        self.out.push_back((interface, bytes));
        Ok(())
    }
    fn poll_socket(&mut self) -> Option<SocketEvent> {
        self.events.pop_front()
    }
    fn addresses_changed(&mut self, changed: &[(usize, Ipv4Addr)]) -> Result<(), HostError> {
        changed.iter().for_each(|(interface, address)| self.addresses[*interface] = *address);
        self.told.lock().unwrap().push((self.now, changed.to_vec()));
        Ok(())
    }
}

const PING: &str = "{ kind = \"ping\", interval = \"10 ms\", size = \"64 B\" }";

fn at(seconds: u64) -> Instant {
    Instant::from_millis(1000 * seconds)
}

#[test]
fn foreign_host_hears_of_simultaneous_address_changes_at_once() {
    let text = network("9 s")
        .flow("udp", ("a", "b"), "\"udp\"", PING)
        .add(&fault("a", 1, "10.0.9.9", "at = \"2 s\"\nuntil = \"5 s\""))
        .add(&fault("a", 2, "10.0.9.8", "at = \"2 s\"\nuntil = \"7 s\""))
        .add(&fault("a", 1, "10.0.9.7", "at = \"3 s\"\nuntil = \"4 s\""))
        .add(&fault("b", 1, "10.0.9.6", "at = \"5 s\""));
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let [one, two, server] = [[10, 0, 0, 1], [10, 0, 0, 2], [10, 0, 0, 3]].map(Ipv4Addr::from);
    let later = |last| Ipv4Addr::new(10, 0, 9, last);
    assert_eq!(simulation.addresses("a").unwrap(), [one, two]);
    assert_eq!(simulation.addresses("b").unwrap(), [server]);
    assert_eq!(simulation.later_addresses("a").unwrap(), [vec![later(7), later(9)], vec![later(8)]]);
    assert_eq!(simulation.later_addresses("b").unwrap(), [vec![later(6)]]);
    // Interfaces of the second host follow those of the first.
    let told = Host::attach(&["a", "b"], &mut simulation);
    finish(simulation);
    let expected = [
        (at(2), vec![(0, later(9)), (1, later(8))]),
        (at(3), vec![(0, later(7))]),
        (at(4), vec![(0, later(9))]),
        (at(5), vec![(0, one), (2, later(6))]),
        (at(7), vec![(1, two)]),
    ];
    assert_eq!(*told.lock().unwrap(), expected);
}

#[test]
fn unreached_addresses_include_later_ones() {
    let text = Text::new("2 s")
        .add("[[host]]\nname = \"a\"")
        .add("[[host]]\nname = \"b\"")
        .link("a", "b", "4 Mbit/s", "10 ms", "name = \"one\"")
        .link("a", "b", "4 Mbit/s", "10 ms", "name = \"two\"")
        .flow("udp", ("a", "b"), "\"udp\"", PING)
        .add(&fault("b", 2, "10.0.9.9", "at = \"1 s\""));
    let simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let [first, second] = &simulation.unreached("a").unwrap()[..] else { panic!("two links") };
    let [_, other] = simulation.addresses("b").unwrap()[..] else { panic!("two links") };
    assert_eq!(*first, [other, Ipv4Addr::new(10, 0, 9, 9)]);
    assert_eq!(second.len(), 1);
}

#[test]
fn foreign_ping_losses_match_simulated_hosts() {
    for host in ["a", "b"] {
        let text = network("6 s").flow("udp", ("a", "b"), "\"udp\"", PING).add(&fault(
            host,
            1,
            "10.0.9.9",
            "at = \"2 s\"\nuntil = \"4 s\"",
        ));
        let simulated = text.run();
        let of = |run: &Run, key: &str| run.leaf(&format!("groups.udp.{key}"));
        assert!(of(&simulated, "lost_packets") > 3.0);
        for foreign in [&["a"][..], &["b"], &["a", "b"]] {
            let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
            for name in foreign {
                Host::attach(&[name], &mut simulation);
            }
            let run = finish(simulation);
            for key in ["sent_packets", "lost_packets", "rtt_s.mean", "goodput_bps.sum"] {
                assert_eq!(of(&run, key), of(&simulated, key), "{key}: {host} moves, sockets at {foreign:?}");
            }
            for name in foreign {
                assert_eq!(number(&run, name, "sent_packets"), 0, "{name}: all is the flow's");
            }
        }
    }
}

#[test]
fn foreign_connection_resumes_with_its_first_address() {
    for host in ["a", "b"] {
        let transport = "{ kind = \"tcp\", profile = \"linux\" }";
        let text = network("12 s")
            .flow("tcp", ("a", "b"), transport, "{ kind = \"transfer\", size = \"2 MB\" }")
            .add(&fault(host, 1, "10.0.9.9", "at = \"1 s\"\nuntil = \"2500 ms\""));
        let simulated = text.run();
        let took = simulated.tcp("completion_s.mean");
        assert!(took > 5.0 && took < 8.0, "{took}: 4.2 s without the fault");
        for foreign in [&["a"][..], &["b"], &["a", "b"]] {
            let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
            for name in foreign {
                simulation.attach(name, Box::new(SocketHost::new(text.clone()))).unwrap();
            }
            let run = finish(simulation);
            assert_eq!(run.tcp("completion_s.mean"), took, "{host} moves, sockets at {foreign:?}");
            assert_eq!(run.tcp("whole_run.wrong_bytes"), 0.0, "{foreign:?}");
        }
    }
}
