//! The fabric carries two kinds of packet alike: simulator-like headers and real IPv4 frames in buffers.

use crate::common::{
    FORWARD, Header, Identified, Log, Sending, config_of, disciplined, link, pair, random_trace,
};
use tailrace_core::{Bytes, Dscp, Duration, Ecn, FlowKey, Packet, Rate, Rng};
use tailrace_net::{Address, LinkConfig, LinkCounters, Routed};
use tailrace_qdisc::QdiscConfig;
use tailrace_wire::{Ipv4Frame, Ipv4Repr, PacketHeaders, UdpRepr};

const RATE: Rate = Rate::from_mbit(2);

/// A frame that the fabric can forward: the destination is read from its bytes.
#[derive(Clone, Debug)]
struct Frame(Ipv4Frame<Vec<u8>>);

impl Packet for Frame {
    fn size(&self) -> Bytes {
        self.0.size()
    }
    fn flow(&self) -> FlowKey {
        self.0.flow()
    }
    fn ecn(&self) -> Ecn {
        self.0.ecn()
    }
    fn set_ce(&mut self) {
        self.0.set_ce();
    }
    fn dscp(&self) -> Dscp {
        self.0.dscp()
    }
}

impl Routed for Frame {
    fn destination(&self) -> Address {
        Address(self.0.packet().dst().into())
    }
}

impl Identified for Frame {
    fn id(&self) -> u16 {
        self.0.packet().ident()
    }
}

fn frame(id: u16, src: Address, dst: Address, s: &Sending) -> Frame {
    let ip = Ipv4Repr { ecn: s.ecn, ident: id, ..Ipv4Repr::new(src.0.into(), dst.0.into(), 0, 0) };
    let udp = UdpRepr { src_port: s.flow, dst_port: 9 };
    let headers = PacketHeaders::udp(ip, &udp, s.size as usize - 28).expect("sizes leave room for headers");
    Frame(Ipv4Frame::parse(headers.to_packet()).expect("a fresh frame is well formed"))
}

fn simulated(id: u16, src: Address, dst: Address, s: &Sending) -> Header {
    Header { id, src, dst, flow: s.flow, size: s.size, ecn: s.ecn }
}

fn run<P: Identified>(
    config: &QdiscConfig,
    trace: &[Sending],
    packet: impl Fn(u16, Address, Address, &Sending) -> P,
) -> (Log, LinkCounters) {
    let config = LinkConfig { queue: disciplined(config, RATE, 7), ..link(RATE, Duration::from_millis(3)) };
    let (mut fabric, src, dst) = pair::<P>(config);
    let mut log = Log::default();
    for (id, s) in trace.iter().enumerate() {
        fabric.run_until(s.at, &mut log);
        fabric.send(src, packet(id as u16, src, dst, s), &mut log);
    }
    fabric.run_until(fabric.now() + Duration::from_secs(60), &mut log);
    (log, fabric.link(FORWARD).counters())
}

#[test]
fn headers_and_frames_see_the_same_drops_marks_and_times() {
    let trace = random_trace(&mut Rng::new(9), 20_000, RATE, 1.2);
    for name in QdiscConfig::names() {
        let config = config_of(name);
        let (headers, frames) = (run(&config, &trace, simulated), run(&config, &trace, frame));
        assert!(!headers.0.dropped.is_empty(), "{name}: the trace overloads the link");
        // Others may choose to drop under such an overload, PIE for one.
        if ["red", "codel", "fq_codel"].contains(name) {
            assert!(headers.0.marked.len() > 100, "{name}");
        }
        assert_eq!(headers.0.difference(&frames.0), None, "{name}");
        assert_eq!(headers.1, frames.1, "{name}");
    }
}

#[test]
fn a_marked_frame_still_has_a_right_checksum() {
    let s = Sending { at: tailrace_core::Instant::ZERO, size: 500, flow: 3, ecn: Ecn::Ect0 };
    let mut frame = frame(1, Address::from_index(0), Address::from_index(1), &s);
    frame.set_ce();
    assert!(Ipv4Frame::parse(frame.0.into_inner()).is_ok());
}
