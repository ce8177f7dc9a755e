//! Buffers of Linux's MPTCP, to the byte: memory instead of data, autotuning, data fragments.
//!
//! Whoever wants RFC 8684 alone can pass this folder by: without these types, windows and buffers count data.

pub(crate) mod buffer_size;
pub(crate) mod data_frag;
pub(crate) mod peer_window;
pub(crate) mod rcv_buffer;
pub(crate) mod rcv_space;
pub(crate) mod rcv_window;
pub(crate) mod send_buffer;
pub(crate) mod write_queue;
