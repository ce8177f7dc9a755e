//! What packets can be: their size, and how close they can follow one another.

use crate::declarations::unfit::Unfit;
use crate::model::{App, Transport};
use crate::text::codes::Code;
use crate::text::place::Origin;
use crate::text::sink::Sink;
use tailrace_core::{Bytes, Duration, Rate};

/// The largest IP packet (RFC 791 §3.1, RFC 8200 §3).
pub(super) const MAX_PACKET: Bytes = Bytes(65_535);

/// Packets closer than this would keep the clock from advancing.
const LEAST_GAP: Duration = Duration::from_nanos(10);

/// Whether packets of a size can leave at a rate.
pub(super) fn check_gap(rate: Rate, size: Bytes) -> Result<(), Unfit> {
    if rate.as_bps() == 0 || rate.time_to_send(size) >= LEAST_GAP {
        return Ok(());
    }
    let gap = rate.time_to_send(size);
    Err(Unfit::outside(format!(
        "packets of {size} would leave {gap} apart, less than {LEAST_GAP}: larger ones, or a lower rate"
    )))
}

/// No packet is larger than IP allows.
pub(super) fn check_packet(transport: &Transport, app: &App, origin: Origin, sink: &Sink<'_>) {
    if let (Transport::Udp { header, .. }, Some(size)) = (transport, app.payload())
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
