//! TCP endpoints as sans-IO state machines.
pub mod segment;
