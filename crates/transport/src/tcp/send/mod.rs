//! Sending: the stream, the peer's window, what is in flight, and the segments that leave.

pub(in crate::tcp) mod delivery;
pub(in crate::tcp) mod delivery_rate;
pub(in crate::tcp) mod output;
pub(in crate::tcp) mod pacing;
pub(in crate::tcp) mod scoreboard;
pub(in crate::tcp) mod stream;
pub(in crate::tcp) mod window;
