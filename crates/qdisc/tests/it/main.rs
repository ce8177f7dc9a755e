//! Tests over the registry of disciplines, and disciplines against plain implementations of their papers and RFCs.
//!
//! One binary: each that names `Qdisc<TestPacket>` compiles every discipline again.

mod allocation;
mod configurations;
mod conformance;
mod differential;
mod flow_age;
mod link_changes;
mod steady_state;
mod tc_round_trip;
