//! Encoding of packets as bytes.

use crate::packet::datagram_stamp;
use crate::packet::mptcp_options::{raw_options, with_dss};
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use core::net::Ipv4Addr;
use tailrace_core::Packet;
use tailrace_net::Address;
use tailrace_transport::Flags;
use tailrace_wire::tcp::{OptionWords, TcpRepr};
use tailrace_wire::{Ipv4Repr, PacketHeaders, UdpRepr, content, ipv4, rewrite, tcp, udp};

/// Writes the whole packet into `out`. A foreign host's packet is as sent except for changes on the way; others get real headers
/// and a payload of zeros, which begins with the stamp in an unchanged datagram.
pub(crate) fn bytes_of(pkt: &SimPacket, options: &OptionsArena, out: &mut Vec<u8>) {
    out.clear();
    match pkt.frame(options) {
        Some(bytes) => {
            out.extend_from_slice(bytes);
            rewrite::set_traffic_class(out, pkt.dscp(), pkt.ecn());
        }
        None => {
            let headers = headers_of(pkt, options);
            out.extend_from_slice(headers.as_bytes());
            out.resize(headers.packet_len(), 0);
            if pkt.is_datagram() && !pkt.is_altered() {
                datagram_stamp::write(out, pkt.datagram().stamp);
            }
        }
    }
}

/// Position of a packet's payload in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamPosition {
    /// Number of its first byte, from 0, modulo 2³².
    pub(crate) byte: u32,
    /// Data sequence number of byte 0 (MPTCP).
    pub(crate) origin: u64,
}

/// Writes a simulated host's segment with the stream's content as payload, corrupted if a middlebox changed it.
pub(crate) fn bytes_with(place: StreamPosition, pkt: &SimPacket, options: &OptionsArena, out: &mut Vec<u8>) {
    let headers = headers_as_sent(pkt, options, Some(place.origin));
    out.clear();
    out.extend_from_slice(headers.as_bytes());
    out.resize(headers.packet_len(), 0);
    rewrite::fill_payload(out, content::from(place.byte));
    if pkt.is_altered() {
        rewrite::alter_payload(out);
    }
}

/// Real headers for a simulated packet. If a scenario fixes the header size (ns-2's 40 bytes), the capture still shows real
/// headers; the payload is cut if IP then has no room for it.
pub(crate) fn headers_of(pkt: &SimPacket, options: &OptionsArena) -> PacketHeaders {
    let headers = headers_as_sent(pkt, options, None);
    if pkt.is_altered() { headers.altered() } else { headers }
}

/// Headers of a plain segment ([`SimPacket::is_plain_segment`]), as most packets are.
#[inline(always)]
pub(crate) fn plain_headers(pkt: &SimPacket) -> PacketHeaders {
    // Separate cases let the compiler unroll the options of each.
    match pkt.timestamps() {
        None => headers_with(&OptionWords::NONE, pkt),
        Some((value, echo)) => headers_with(&OptionWords::timestamps(value, echo), pkt),
    }
}

/// Headers of a segment that has besides only SACK blocks or a data sequence signal; `None` for others.
#[inline]
pub(crate) fn usual_headers(pkt: &SimPacket, options: &OptionsArena) -> Option<PacketHeaders> {
    let (sack, dss) = pkt.usual_options(options)?;
    let stamps = pkt.timestamps().map(|(value, echo)| OptionWords::timestamps(value, echo));
    let mut words = stamps.unwrap_or(OptionWords::NONE);
    if !sack.is_empty() {
        words = words.and_sack(sack.iter().map(|(left, right)| (left.0, right.0)))?;
    }
    if let Some(dss) = dss {
        words = with_dss(words, dss)?;
    }
    Some(headers_with(&words, pkt))
}

#[inline(always)]
fn headers_with(options: &OptionWords, pkt: &SimPacket) -> PacketHeaders {
    PacketHeaders::tcp_of_words(ip_of(pkt), &tcp_of(pkt), options, usize::from(pkt.payload))
}

/// Headers as the host sent them. DSS checksums are of zeros, or of the content of a stream whose byte 0 has this data sequence
/// number.
fn headers_as_sent(pkt: &SimPacket, options: &OptionsArena, origin: Option<u64>) -> PacketHeaders {
    let mut ip = ip_of(pkt);
    if let Some(itinerary) = pkt.itinerary(options) {
        ip.options = options.source_routes.option(&itinerary);
    }
    if pkt.is_datagram() {
        let udp = UdpRepr { src_port: pkt.source_port, dst_port: pkt.destination_port };
        return PacketHeaders::udp(ip, &udp, payload_of(pkt, &ip, udp::HEADER_LEN))
            .expect("it fits an IP packet");
    }
    let (mut tcp, segment) = (tcp_of(pkt), pkt.segment(options));
    tcp.options.mss = segment.mss;
    tcp.options.window_scale = segment.window_scale;
    tcp.options.sack_permitted = segment.sack_permitted;
    tcp.options.timestamps = pkt.timestamps();
    for (left, right) in segment.sack.as_slice() {
        tcp.options.sack.push(left.0, right.0);
    }
    let mut len = segment.options_len();
    if pkt.is_multipath() {
        let mptcp = pkt.mptcp(options);
        tcp.options.raw = raw_options(mptcp, origin);
        len += mptcp.len();
    }
    let payload = payload_of(pkt, &ip, tcp::HEADER_LEN + len as usize);
    PacketHeaders::tcp(ip, &tcp, payload).expect("endpoints keep within TCP's option space")
}

/// IP header without options, protocol and length.
#[inline(always)]
fn ip_of(pkt: &SimPacket) -> Ipv4Repr {
    let address = |a: Address| Ipv4Addr::from(a.0);
    let ip = Ipv4Repr::new(address(pkt.source), address(pkt.destination), 0, 0);
    Ipv4Repr { ecn: pkt.ecn(), dscp: pkt.dscp(), ..ip }
}

/// TCP header without options.
#[inline(always)]
fn tcp_of(pkt: &SimPacket) -> TcpRepr {
    let flags = pkt.flags();
    TcpRepr {
        src_port: pkt.source_port,
        dst_port: pkt.destination_port,
        seq: pkt.seq.0,
        ack: pkt.ack().0,
        flags: flags.byte(),
        ae: flags.has(Flags::AE),
        window: pkt.window(),
        ..TcpRepr::default()
    }
}

/// Payload that fits behind IP's header and this many bytes of transport header.
fn payload_of(pkt: &SimPacket, ip: &Ipv4Repr, headers: usize) -> usize {
    usize::from(pkt.payload).min(ipv4::MAX_PACKET_LEN - ip.header_len() - headers)
}
