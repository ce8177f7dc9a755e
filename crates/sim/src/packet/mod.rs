//! Packets: the header that travels, its rare options, its form as bytes, addressing, source routes and middleboxes.
//!
//! May import: `ground`.

pub(crate) mod address_changes;
pub(crate) mod datagram_stamp;
pub(crate) mod envelope;
pub(crate) mod flow_end;
pub(crate) mod frame_decode;
pub(crate) mod frame_encode;
pub(crate) mod frame_store;
#[cfg(test)]
mod frame_tests;
pub(crate) mod middlebox;
pub(crate) mod mptcp_options;
pub(crate) mod options_arena;
pub(crate) mod ports;
pub(crate) mod sim_packet;
pub(crate) mod socket_id;
pub(crate) mod source_route;
pub(crate) mod spoofing;
