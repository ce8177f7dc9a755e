//! Headers over bytes (IPv4, UDP, TCP), answers of ICMP, and pcapng.
//!
//! Each header has two forms. A view (`Ipv4Packet`, `UdpPacket`, `TcpPacket`) lies over bytes and reads single fields;
//! its constructor checks every length once, so no accessor can panic afterwards. A `*Repr` is the header as
//! plain values, with `parse` from a view and `emit` into a buffer; `parse(emit(x)) == x`.
//!
//! The simulator has no payload bytes: [`PacketHeaders`] builds headers whose checksums are right for an all-zero payload
//! without materialising it, and [`pcapng::PcapngWriter`] fills in zeros up to the snap length. Where another stack reads them there is
//! [`content`], which [`rewrite::fill_payload`] writes. [`Ipv4Frame`] is the
//! same thing seen from the fabric: a real packet in a buffer behind [`tailrace_core::Packet`].
//!
//! What is not here: IPv4 options are skipped, not interpreted; fragments are recognised, not reassembled. IPv6 will be
//! `ipv6.rs` beside [`ipv4`] (its pseudo-header joins [`checksum::InternetChecksum`]); MPTCP options will be a file under [`tcp`],
//! until then they pass through as [`tcp::RawOptions`].

pub mod checksum;
pub mod content;
mod error;
mod frame;
mod headers;
pub mod icmp;
pub mod ipv4;
mod payload;
pub mod pcapng;
pub mod rewrite;
pub mod tcp;
pub mod udp;

pub use error::WireError;
pub use frame::Ipv4Frame;
pub use headers::PacketHeaders;
pub use ipv4::{Ipv4Options, Ipv4Packet, Ipv4Repr};
pub use payload::Payload;
pub use tcp::{RawOptions, TcpOptions, TcpPacket, TcpRepr};
pub use udp::{UdpPacket, UdpRepr};
