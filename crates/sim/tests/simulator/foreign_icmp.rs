//! ICMP replies of simulated hosts and routers to a foreign host's packets that belong to no flow.

use crate::foreign::{finish, number};
use crate::support::{Run, Text};
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use tailrace_core::Instant;
use tailrace_sim::{ForeignHost, HostError, Simulation};
use tailrace_wire::{Ipv4Packet, Ipv4Repr, PacketHeaders, UdpRepr, icmp};

const HERE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const THERE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 3);

type TimedPackets = Vec<(Instant, Vec<u8>)>;

/// Sends packets at their times, and records packets received with times.
struct Sender {
    packets: TimedPackets,
    due: Vec<Vec<u8>>,
    now: Instant,
    heard: Arc<Mutex<TimedPackets>>,
}

impl ForeignHost for Sender {
    fn next_event(&self) -> Option<Instant> {
        self.packets.last().map(|(at, _)| *at)
    }
    fn run_until(&mut self, until: Instant, _: Instant) -> Result<(), HostError> {
        self.now = until;
        while self.packets.last().is_some_and(|(at, _)| *at <= until) {
            self.due.extend(self.packets.pop().map(|(_, packet)| packet));
        }
        Ok(())
    }
    fn deliver(&mut self, _: usize, bytes: &[u8]) -> Result<(), HostError> {
        self.heard.lock().unwrap().push((self.now, bytes.to_vec()));
        Ok(())
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        *packet = self.due.pop()?;
        Some(0)
    }
}

/// Replies to packets that `src[0]` sends over a bottleneck of 1 Mbit/s, and its counters.
fn answers(packets: TimedPackets) -> (TimedPackets, [u64; 2]) {
    let little = "{ kind = \"cbr\", rate = \"800 bit/s\", size = \"100 B\" }";
    let text = Text::new("10 s").dumbbell(2, "1 Mbit/s", "10 ms", "");
    let text = text.flow("other", ("src[1]", "dst[1]"), "\"udp\"", little);
    let (heard, run) = run_with("src[0]", packets, &text);
    (heard, ["sent_packets", "received_packets"].map(|key| number(&run, "src[0]", key)))
}

/// Replies to packets that a host sends, and the run.
fn run_with(name: &str, mut packets: TimedPackets, text: &Text) -> (TimedPackets, Run) {
    packets.reverse();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let sender = Sender { packets, due: Vec::new(), now: Instant::ZERO, heard: Arc::clone(&heard) };
    simulation.attach(name, Box::new(sender)).unwrap();
    let run = finish(simulation);
    let heard = std::mem::take(&mut *heard.lock().unwrap());
    (heard, run)
}

/// Topology `here - r1 - r2 - r3 - there`; `here` has a kernel, so routers have addresses, which follow the hosts' two.
fn three_routers(middle: &str) -> Text {
    let mut text = Text::new("10 s")
        .top("record = { events = true }")
        .add("[[host]]\nname = \"here\"\nkernel = \"6.12\"");
    text = text.add("[[host]]\nname = \"there\"");
    for router in ["r1", "r2", "r3"] {
        text = text.add(&format!("[[router]]\nname = \"{router}\""));
    }
    for pair in ["here", "r1", "r2", "r3", "there"].windows(2) {
        let more = if pair == ["r2", "r3"] { middle } else { "" };
        let link = format!("between = {pair:?}\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n{more}");
        text = text.add(&format!("[[link]]\n{link}"));
    }
    let little = "{ kind = \"cbr\", rate = \"800 bit/s\", size = \"100 B\" }";
    text.flow("other", ("there", "here"), "\"udp\"", little)
}

const FAR: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const ROUTERS: [Ipv4Addr; 3] =
    [Ipv4Addr::new(10, 0, 0, 3), Ipv4Addr::new(10, 0, 0, 4), Ipv4Addr::new(10, 0, 0, 5)];

/// Sender of a reply, type and code, TTL, and time in ms.
type IcmpReply = (Ipv4Addr, [u8; 2], u8, u64);

/// Sends packets a second apart, and returns their replies.
fn ask(sent: &[Vec<u8>]) -> (Vec<IcmpReply>, Run) {
    ask_over(&three_routers(""), sent)
}

fn ask_over(text: &Text, sent: &[Vec<u8>]) -> (Vec<IcmpReply>, Run) {
    let timed = (1..).zip(sent).map(|(second, packet)| (Instant::from_millis(1000 * second), packet.clone()));
    let (heard, run) = run_with("here", timed.collect(), text);
    let message = |(at, bytes): &(Instant, Vec<u8>)| {
        let ip = Ipv4Packet::new_checked(&bytes[..]).unwrap();
        assert!(ip.verify_checksum());
        let took = (at.as_secs_f64().fract() * 1000.0).round() as u64;
        (ip.protocol() == 1).then(|| (ip.src(), [ip.payload()[0], ip.payload()[1]], ip.ttl(), took))
    };
    (heard.iter().filter_map(message).collect(), run)
}

fn with_ttl(mut packet: Vec<u8>, ttl: u8) -> Vec<u8> {
    Ipv4Packet::new_checked(&mut packet[..]).unwrap().set_ttl(ttl);
    packet
}

#[test]
fn traceroute_gets_time_exceeded_from_each_router() {
    let probe = |ttl| with_ttl(datagram_to(FAR, 33_434), ttl);
    let (answers, run) = ask(&[1, 2, 3, 4].map(probe));
    let [r1, r2, r3] = ROUTERS;
    // Round trips over one, two and three links of 5 ms; a reply loses a hop at each router after the first.
    let expected =
        [(r1, [11, 0], 64, 10), (r2, [11, 0], 63, 20), (r3, [11, 0], 62, 31), (FAR, [3, 3], 61, 41)];
    assert_eq!(answers, expected);
    assert_eq!(number(&run, "here", "lost_packets"), 3);
    let expired = run.words("events", "detail").iter().filter(|d| *d == "time_to_live").count();
    assert_eq!(expired, 3);
}

#[test]
fn router_answers_echo_and_refuses_ports() {
    let ping = |ttl| with_ttl(icmp::echo_request(HERE, ROUTERS[1], (5, 1), b"data"), ttl);
    let (answers, run) = ask(&[ping(64), ping(2), ping(1), datagram_to(ROUTERS[1], 9)]);
    let [r1, r2, _] = ROUTERS;
    let expected = [(r2, [0, 0], 63, 20), (r2, [0, 0], 63, 20), (r1, [11, 0], 64, 10), (r2, [3, 3], 63, 20)];
    assert_eq!(answers, expected);
    assert_eq!(number(&run, "here", "lost_packets"), 1, "the one that came to no end");
}

#[test]
fn router_sends_fragmentation_needed_with_mtu() {
    let text = three_routers("mtu = \"600 B\"");
    let ping = |data: usize| icmp::echo_request(HERE, FAR, (5, 1), &vec![7; data]);
    let mut cuttable = ping(573);
    // The packet may be fragmented, but routers here do not fragment.
    cuttable[6] = 0;
    let sum = tailrace_wire::checksum::InternetChecksum::new()
        .bytes(&cuttable[..10])
        .bytes(&cuttable[12..20])
        .checksum();
    cuttable[10..12].copy_from_slice(&sum.to_be_bytes());
    let (answers, run) = ask_over(&text, &[ping(572), ping(573), with_ttl(ping(573), 2), cuttable]);
    // A packet of 600 bytes takes 0.48 ms per link, there and back over four; an error returns 576 bytes over two, 0.46 ms each.
    let expected = [(FAR, [0, 0], 61, 44), (ROUTERS[1], [3, 4], 63, 22), (ROUTERS[1], [11, 0], 63, 22)];
    assert_eq!(answers, expected);
    assert_eq!(number(&run, "here", "lost_packets"), 3);
    assert_eq!(run.json["queues"]["r2->r3"]["dropped_packets"]["too_big"], 2);
}

#[test]
fn ttl_falls_by_one_per_router() {
    let (heard, _) = run_with("here", Vec::new(), &three_routers(""));
    assert!(!heard.is_empty());
    for (_, packet) in heard {
        let ip = Ipv4Packet::new_checked(&packet[..]).unwrap();
        assert_eq!((ip.src(), ip.ttl(), ip.verify_checksum()), (FAR, 61, true));
    }
}

fn datagram(port: u16) -> Vec<u8> {
    datagram_to(THERE, port)
}

fn datagram_to(to: Ipv4Addr, port: u16) -> Vec<u8> {
    let ip = Ipv4Repr::new(HERE, to, 17, 0);
    PacketHeaders::udp(ip, &UdpRepr { src_port: 4000, dst_port: port }, 100).unwrap().to_packet()
}

#[test]
fn echo_reply_returns_data_after_one_rtt() {
    let request = |len: usize| icmp::echo_request(HERE, THERE, (5, 1), &vec![7; len]);
    let sent = [(Instant::from_millis(2000), request(56)), (Instant::from_millis(3000), request(1000))];
    let (heard, counted) = answers(sent.to_vec());
    assert_eq!(counted, [2, 2]);
    for ((at, sent), (back, reply)) in sent.iter().zip(&heard) {
        let ip = Ipv4Packet::new_checked(&reply[..]).unwrap();
        assert_eq!((ip.src(), ip.dst(), ip.payload()[0]), (THERE, HERE, 0));
        assert_eq!(ip.payload()[4..], sent[24..]);
        // The bottleneck delays either packet, the links beside it a hundredth of that.
        let waited = (*back - *at).as_secs_f64();
        let least = 0.02 + 2.0 * sent.len() as f64 * 8.0 / 1e6;
        assert!(waited >= least && waited < 1.1 * least + 0.005, "{waited} of {least}");
    }
    let again = answers(sent.to_vec());
    assert_eq!(again, (heard, counted));
}

#[test]
fn port_unreachable_is_rate_limited() {
    let at = |i: u64| Instant::from_millis(1000 + 10 * i);
    let sent: TimedPackets = (0..200).map(|i| (at(i), datagram(9))).collect();
    let (heard, counted) = answers(sent);
    // A burst of six errors, and one more after the first second; the next second is not over when the last packet comes.
    assert_eq!((heard.len(), counted), (7, [200, 7]));
    for (_, error) in &heard {
        let ip = Ipv4Packet::new_checked(&error[..]).unwrap();
        assert_eq!((ip.src(), &ip.payload()[..2]), (THERE, &[3, 3][..]));
        assert_eq!(ip.payload()[8..], datagram(9));
    }
}

#[test]
fn icmp_errors_and_unknown_protocols_get_no_reply() {
    let request = icmp::echo_request(HERE, THERE, (5, 1), b"data");
    let mut reply = request.clone();
    // The type of the reply; the checksum changes by the same amount.
    (reply[20], reply[22]) = (0, reply[22] + 8);
    let mut fragment = datagram(9);
    fragment[6] = 0x20;
    let sum = tailrace_wire::checksum::InternetChecksum::new()
        .bytes(&fragment[..10])
        .bytes(&fragment[12..20])
        .checksum();
    fragment[10..12].copy_from_slice(&sum.to_be_bytes());
    let (heard, counted) =
        answers(vec![(Instant::from_millis(1), reply), (Instant::from_millis(2), fragment)]);
    assert_eq!((heard.len(), counted), (0, [2, 0]));
}
