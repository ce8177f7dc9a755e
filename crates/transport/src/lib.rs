//! TCP endpoints as sans-IO state machines.
//!
//! Time and segments come in as arguments, segments and deadlines come out; nothing here reads a clock.
//! Payload is counted, not carried.

mod buffer_sizes;
pub mod cc;
pub mod config;
pub mod mptcp;
pub mod quic;
mod registry;
mod right_sizing;
pub mod segment;
pub mod tcp;

pub use cc::{Cc, CcConfig};
pub use config::{Profile, TcpBehaviour, TcpConfig};
pub use segment::{Flags, Segment, SeqNumber};
pub use tcp::{
    Event, ResetCause, SendState, State, Tcp, TcpStats, TcpView, TimeWait, TimeWaitAnswer, UNLIMITED,
};
