//! DualPI2: the coupled dual queue for low latency, low loss and scalable throughput (L4S).
//!
//! RFC 9332; De Schepper et al., CoNEXT 2016. Packets of scalable congestion controls (ECT(1), CE) wait in a queue L
//! with a shallow marking threshold of its own, all others in a queue C under PI2. L goes first within the bounds of a
//! scheduler, and is marked with `k` times C's base probability beside its own: that back-pressure, not the scheduler,
//! shares the link among the flows of both.
//!
//! Readings of RFC 9332 Appendix A: the controller follows the greater of the delays of the two heads (`delay_of`),
//! as the pseudo-code's later editions and Linux do; L's own law sees the delay of the packet that was taken, and the
//! packets left behind it; the coupled probability is capped at 1. The limit counts the arrival's size where the
//! RFC counts an MTU. The RFC leaves the scheduler open: `wrr` is Linux's, `ts_fifo` the RFC's other proposal.
//!
//! What Linux (`net/sched/sch_dualpi2.c`) does otherwise is an option: `native = "step"`, `chance = "random"`,
//! `min_backlog`, `limit`, `tupdate`, `alpha`, `beta`. A tc line sets all. Departures: `memory_limit` counts bytes on
//! the wire, not those of kernel buffers; probabilities are in floating point, not in 2^32nds. No filters, no GSO.

mod config;
mod queue;
mod scheduler;

pub use config::{Chance, DelayOf, Dualpi2Config, LowLatency, Native, Overload, SchedulerKind};
pub use queue::Dualpi2;
