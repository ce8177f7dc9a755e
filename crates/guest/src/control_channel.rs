//! Control channel: network device by which the simulator sends orders to a guest's sockets and receives their events, as
//! [messages] in UDP.
//!
//! [messages]: tailrace_agent::messages

use crate::mailbox;
use core::net::Ipv4Addr;
use std::collections::VecDeque;
use tailrace_agent::messages::{self as wire, AGENT, PORT, SIMULATOR};
use tailrace_core::{Bytes, Duration};
use tailrace_sim::{
    DataLevelStats, ResetCause, SocketCommand, SocketEvent, SocketKind, SocketOperation, SocketPair,
    SocketReport, SocketStats, State, SubflowStats, TcpStats, TcpView,
};
use tailrace_wire::{Ipv4Packet, Ipv4Repr, Payload, UdpPacket, UdpRepr};

const UDP: u8 = 17;
/// Bytes of IPv4 and UDP headers.
const HEADERS: usize = 28;

/// Control device of a guest, and the events received by it.
#[derive(Debug)]
pub(crate) struct ControlChannel {
    /// Number of the device.
    pub(crate) card: usize,
    events: VecDeque<SocketEvent>,
    /// Subflows reported since the last connection; they belong to the connection reported next.
    subflows: Vec<SubflowStats>,
    /// Data level of that connection (Multipath TCP).
    stream: Option<DataLevelStats>,
}

impl ControlChannel {
    pub(crate) fn new(card: usize) -> Self {
        Self { card, events: VecDeque::new(), subflows: Vec::new(), stream: None }
    }

    /// Decodes a packet from the agent into events.
    pub(crate) fn receive_messages(&mut self, packet: &[u8]) {
        let Some(list) = payload(packet) else { return };
        let list: Vec<wire::SocketEvent> = serde_json::from_slice(list).unwrap_or_default();
        for event in list {
            let report = match event.report {
                wire::SocketReport::Subflow(pair, one) => {
                    self.subflows.push(subflow(&pair, &one));
                    continue;
                }
                wire::SocketReport::Stream(info) => {
                    self.stream = Some(DataLevelStats {
                        sent_bytes: info.bytes_sent,
                        reinjected_bytes: info.bytes_again,
                        acked_bytes: info.bytes_acked,
                    });
                    continue;
                }
                wire::SocketReport::Counted(all) => {
                    let (subflows, stream) = (std::mem::take(&mut self.subflows), self.stream.take());
                    SocketReport::Counted(Box::new(SocketStats { subflows, stream, ..figures(&all) }))
                }
                wire::SocketReport::Accepted => SocketReport::Accepted,
                wire::SocketReport::Connected => SocketReport::Connected,
                wire::SocketReport::Delivered(bytes) | wire::SocketReport::Noted(bytes) => {
                    SocketReport::Delivered(bytes)
                }
                wire::SocketReport::Wrong(bytes) => SocketReport::Wrong(bytes),
                wire::SocketReport::PeerClosed => SocketReport::PeerClosed,
                wire::SocketReport::Closed => SocketReport::Closed,
                wire::SocketReport::Broken(why) => SocketReport::Broken(cause(why)),
                wire::SocketReport::Datagram { payload, stamp } => SocketReport::Datagram { payload, stamp },
                wire::SocketReport::Failed(why) => SocketReport::Failed(why),
            };
            self.events.push_back(SocketEvent { socket: socket(&event.socket), report });
        }
    }

    /// Converts delivery records of the mailbox into events.
    pub(crate) fn receive_deliveries(&mut self, records: &[u8]) {
        self.events.extend(mailbox::deliveries(records).map(|delivery| SocketEvent {
            socket: SocketPair { local: delivery.socket.local, remote: delivery.socket.remote },
            report: SocketReport::Delivered(delivery.bytes),
        }));
    }

    pub(crate) fn poll(&mut self) -> Option<SocketEvent> {
        self.events.pop_front()
    }
}

/// Packet to the agent with an order to a socket.
pub(crate) fn command(command: &SocketCommand) -> Vec<u8> {
    packet(wire::ControlMessage::Socket(wire::SocketCommand {
        socket: pair(&command.socket),
        order: order(&command.order),
    }))
}

/// Packet to the agent with new addresses of interfaces, by device number.
pub(crate) fn addresses(changed: &[(usize, Ipv4Addr)]) -> Vec<u8> {
    packet(wire::ControlMessage::Addresses(
        changed.iter().map(|(card, address)| (*card as u16, *address)).collect(),
    ))
}

fn packet(message: wire::ControlMessage) -> Vec<u8> {
    let list = [message];
    let text = serde_json::to_vec(&list).unwrap_or_default();
    let mut bytes = vec![0; HEADERS];
    let ip = Ipv4Repr::new(SIMULATOR, AGENT, UDP, HEADERS - 20 + text.len());
    let udp = UdpRepr { src_port: PORT, dst_port: PORT };
    let written = ip
        .emit(&mut bytes)
        .and_then(|at| udp.emit(SIMULATOR, AGENT, Payload::Bytes(&text), &mut bytes[at..]));
    debug_assert!(written.is_ok(), "a short text fits");
    bytes.extend(text);
    bytes
}

/// UDP payload of a packet, if it comes from the agent.
fn payload(packet: &[u8]) -> Option<&[u8]> {
    let ip = Ipv4Packet::new_checked(packet).ok()?;
    let from_agent = (ip.src(), ip.dst(), ip.protocol()) == (AGENT, SIMULATOR, UDP);
    let rest = packet.get(ip.header_len()..usize::from(ip.total_len()))?;
    let udp = UdpPacket::new_checked(rest).ok().filter(|udp| from_agent && udp.dst_port() == PORT)?;
    rest.get(8..8 + udp.payload().len())
}

fn pair(pair: &SocketPair) -> wire::SocketPair {
    wire::SocketPair { local: pair.local, remote: pair.remote }
}

/// Name of a congestion control in Linux, where `newreno` is called `reno`.
pub(crate) fn linux_name(name: &str) -> &str {
    if name == "newreno" { "reno" } else { name }
}

/// Socket options as the agent's type.
pub(crate) fn kind(kind: &SocketKind) -> wire::SocketKind {
    wire::SocketKind {
        multipath: kind.multipath,
        congestion_control: kind.congestion_control.as_deref().map(linux_name).map(str::to_string),
        waits_for_reads: kind.waits_for_reads,
        listens: kind.listens,
        traffic_class: kind.traffic_class,
    }
}

fn order(order: &SocketOperation) -> wire::SocketOperation {
    match order {
        SocketOperation::Connect(what) => wire::SocketOperation::Connect(kind(what)),
        SocketOperation::Write(bytes) => wire::SocketOperation::Write(*bytes),
        SocketOperation::Close => wire::SocketOperation::Close,
        SocketOperation::Read(bytes) => wire::SocketOperation::Read(*bytes),
        SocketOperation::Send { payload, stamp } => {
            wire::SocketOperation::Send { payload: *payload, stamp: *stamp }
        }
    }
}

fn socket(pair: &wire::SocketPair) -> SocketPair {
    SocketPair { local: pair.local, remote: pair.remote }
}

fn cause(why: wire::ResetCause) -> ResetCause {
    match why {
        wire::ResetCause::Refused => ResetCause::Refused,
        wire::ResetCause::Reset => ResetCause::Peer,
        wire::ResetCause::TimedOut => ResetCause::TimedOut,
        wire::ResetCause::Other => ResetCause::Local,
    }
}

fn subflow(pair: &wire::SocketPair, one: &wire::TcpInfo) -> SubflowStats {
    SubflowStats {
        socket: socket(pair),
        usable: one.usable,
        stats: stats(one),
        lacks_timeouts: one.timeouts.is_none(),
        view: view(one),
        scheduled_bytes: (one.bytes_sent + one.bytes_waiting).saturating_sub(one.retransmitted_bytes),
    }
}

fn figures(all: &wire::TcpInfo) -> SocketStats {
    SocketStats {
        stats: stats(all),
        lacks_timeouts: all.timeouts.is_none(),
        lacks_in_flight: false,
        lacks_min_rtt: false,
        view: (!all.multipath).then(|| view(all)),
        mss: all.mss,
        subflows: Vec::new(),
        stream: None,
    }
}

fn stats(all: &wire::TcpInfo) -> TcpStats {
    TcpStats {
        segments_sent: all.segments_sent,
        retransmitted_segments: all.retransmitted_segments,
        bytes_sent: all.bytes_sent,
        retransmitted_bytes: all.retransmitted_bytes,
        bytes_acked: all.bytes_acked,
        timeouts: all.timeouts.unwrap_or_default(),
        ..TcpStats::default()
    }
}

fn view(all: &wire::TcpInfo) -> TcpView {
    let time = |us: u32| Duration::from_micros(us.into());
    TcpView {
        state: State::Established,
        cwnd: Bytes(all.cwnd),
        ssthresh: all.ssthresh.map(Bytes),
        in_flight: Bytes(all.in_flight),
        smoothed_rtt: time(all.rtt),
        rtt_var: time(all.rtt_var),
        min_rtt: time(all.min_rtt.unwrap_or_default()),
        latest_rtt: time(all.rtt),
        rtt_samples: u64::from(all.min_rtt.is_some()),
        rto: time(all.rto),
        snd_wnd: Bytes::default(),
        rcv_wnd: Bytes::default(),
        in_recovery: false,
    }
}
