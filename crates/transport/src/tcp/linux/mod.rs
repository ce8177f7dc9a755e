//! Linux, to the byte: memory of socket buffers, the out-of-order queue, segmentation offload, ACK policy and timer ticks.
//!
//! Nothing here is needed to understand RFC 9293. Each part is off where its parameter is, and TCP is that of the RFCs then.

pub(crate) mod buffers;
pub(in crate::tcp) mod compressed_ack;
pub(in crate::tcp) mod ofo_queue;
pub(in crate::tcp) mod packet_accounting;
pub(in crate::tcp) mod push_acks;
pub(crate) mod receive_queue;
pub(in crate::tcp) mod sack_memory;
pub(in crate::tcp) mod send_buffer;
pub(in crate::tcp) mod send_queue;
pub(crate) mod timer_wheel;
pub(in crate::tcp) mod tso;
