//! What simulated hosts answer to packets of a host with a stack of its own that are for no flow.

use crate::foreign::{finish, number};
use crate::support::Text;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use tailrace_core::Instant;
use tailrace_sim::{ForeignHost, HostError, Simulation};
use tailrace_wire::{Headers, Ipv4Packet, Ipv4Repr, UdpRepr, icmp};

const HERE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const THERE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 3);

type Packets = Vec<(Instant, Vec<u8>)>;

/// Sends packets at their times, and notes what comes, and when.
struct Sender {
    packets: Packets,
    due: Vec<Vec<u8>>,
    now: Instant,
    heard: Arc<Mutex<Packets>>,
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

/// What comes back of packets that `src[0]` sends over a bottleneck of 1 Mbit/s, and its counters.
fn answers(mut packets: Packets) -> (Packets, [u64; 2]) {
    let little = "{ kind = \"cbr\", rate = \"800 bit/s\", size = \"100 B\" }";
    let text = Text::new("10 s").dumbbell(2, "1 Mbit/s", "10 ms", "");
    let text = text.flow("other", ("src[1]", "dst[1]"), "\"udp\"", little);
    packets.reverse();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut simulation = Simulation::build(&text.scenario(), 1).unwrap();
    let sender = Sender { packets, due: Vec::new(), now: Instant::ZERO, heard: Arc::clone(&heard) };
    simulation.attach("src[0]", Box::new(sender)).unwrap();
    let run = finish(simulation);
    let counted = ["sent_packets", "received_packets"].map(|key| number(&run, "src[0]", key));
    let heard = std::mem::take(&mut *heard.lock().unwrap());
    (heard, counted)
}

fn datagram(port: u16) -> Vec<u8> {
    let ip = Ipv4Repr::new(HERE, THERE, 17, 0);
    Headers::udp(ip, &UdpRepr { src_port: 4000, dst_port: port }, 100).unwrap().to_packet()
}

#[test]
fn an_echo_request_comes_back_with_its_data_a_round_trip_later() {
    let request = |len: usize| icmp::echo_request(HERE, THERE, (5, 1), &vec![7; len]);
    let sent = [(Instant::from_millis(2000), request(56)), (Instant::from_millis(3000), request(1000))];
    let (heard, counted) = answers(sent.to_vec());
    assert_eq!(counted, [2, 2]);
    for ((at, sent), (back, reply)) in sent.iter().zip(&heard) {
        let ip = Ipv4Packet::new_checked(&reply[..]).unwrap();
        assert_eq!((ip.src(), ip.dst(), ip.payload()[0]), (THERE, HERE, 0));
        assert_eq!(ip.payload()[4..], sent[24..]);
        // The bottleneck takes its time for either packet, the links beside it a hundredth of that.
        let waited = (*back - *at).as_secs_f64();
        let least = 0.02 + 2.0 * sent.len() as f64 * 8.0 / 1e6;
        assert!(waited >= least && waited < 1.1 * least + 0.005, "{waited} of {least}");
    }
    let again = answers(sent.to_vec());
    assert_eq!(again, (heard, counted));
}

#[test]
fn of_ports_that_nobody_has_a_sender_hears_six_times_at_once_and_then_once_a_second() {
    let at = |i: u64| Instant::from_millis(1000 + 10 * i);
    let sent: Packets = (0..200).map(|i| (at(i), datagram(9))).collect();
    let (heard, counted) = answers(sent);
    // Six, and one more after the first second; the second is not over when the last comes.
    assert_eq!((heard.len(), counted), (7, [200, 7]));
    for (_, error) in &heard {
        let ip = Ipv4Packet::new_checked(&error[..]).unwrap();
        assert_eq!((ip.src(), &ip.payload()[..2]), (THERE, &[3, 3][..]));
        assert_eq!(ip.payload()[8..], datagram(9));
    }
}

#[test]
fn answers_and_what_is_not_understood_have_no_answer() {
    let request = icmp::echo_request(HERE, THERE, (5, 1), b"data");
    let mut reply = request.clone();
    // Its type; the checksum is right again with the difference in it.
    (reply[20], reply[22]) = (0, reply[22] + 8);
    let mut fragment = datagram(9);
    fragment[6] = 0x20;
    let sum = tailrace_wire::checksum::Sum::new().bytes(&fragment[..10]).bytes(&fragment[12..20]).checksum();
    fragment[10..12].copy_from_slice(&sum.to_be_bytes());
    let (heard, counted) =
        answers(vec![(Instant::from_millis(1), reply), (Instant::from_millis(2), fragment)]);
    assert_eq!((heard.len(), counted), (0, [2, 0]));
}
