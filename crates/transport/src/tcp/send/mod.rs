//! Parts of the sending side: the stream, the peer's window, the scoreboard, pacing. `output.rs` connects them.

pub(in crate::tcp) mod delivery_rate;
pub(in crate::tcp) mod pacing;
pub(in crate::tcp) mod scoreboard;
pub(in crate::tcp) mod stream;
pub(in crate::tcp) mod window;
