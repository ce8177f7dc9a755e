//! Sizes of packets: payload and headers together fit into an IP packet.

use crate::model::{AppConfig, Transport};
use crate::text::codes::Code;
use crate::text::place::Origin;
use crate::text::sink::Sink;
use tailrace_core::Bytes;

/// The largest IP packet (RFC 791 §3.1, RFC 8200 §3).
const MAX_PACKET: Bytes = Bytes(65_535);

/// No packet is larger than IP allows.
pub(super) fn check_packet(transport: &Transport, app: &AppConfig, origin: Origin, sink: &Sink<'_>) {
    if let (Transport::Udp { header, .. }, Some(size)) = (transport, app.traffic().map(|t| t.largest))
        && size.get().saturating_add(header.get()) > MAX_PACKET.get()
    {
        let message = format!("a payload of {size} and headers of {header} make more than {MAX_PACKET}");
        sink.push(sink.at(Code::PacketTooLarge, origin, message).label("IP packets are not larger"));
    }
    if let Transport::Tcp { header: Some(header), .. } | Transport::Mptcp { header: Some(header), .. } =
        transport
        && let Some(config) = transport.tcp()
        && config.mss.get().saturating_add(header.get()) > MAX_PACKET.get()
    {
        sink.error(
            Code::PacketTooLarge,
            origin,
            format!("segments of {} and headers of {header} make more than {MAX_PACKET}", config.mss),
        );
    }
}
