//! QUIC stacks of others as transports of a simulation, in simulated time.
//!
//! The implementations are sans-IO and run unmodified: packets, times and random seeds come in as arguments. A [`host::QuicHost`] stands
//! beside a simulated host's own stack and carries the flows over one implementation; [`attach_stacks`] adds those that a scenario asks
//! for.

mod adapters;
mod attach;
mod clock;
mod control;
mod handshake;
mod host;
mod sample_times;
mod stack;

pub use attach::attach_stacks;
