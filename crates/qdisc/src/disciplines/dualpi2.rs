//! DualPI2: the coupled dual queue for low latency, low loss and scalable throughput (L4S).
//!
//! RFC 9332; De Schepper et al., CoNEXT 2016. Packets of scalable congestion controls (ECT(1), CE) wait in a queue L
//! with a shallow marking threshold of its own, all others in a queue C under PI2. L is served first, within the limits
//! of a scheduler. In addition to its own marks, L is marked with `k` times the base probability of C. This coupling,
//! not the scheduler, shares the link among the flows of both queues.
//!
//! Choices for RFC 9332 Appendix A: the controller uses the larger of the two heads' delays (`delay_of`), as the later
//! versions of the pseudo-code and Linux do. L's own law uses the delay of the packet that was taken, and the packets
//! left behind it. The coupled probability is at most 1. The limit counts the size of the arriving packet where the RFC
//! counts an MTU. The RFC leaves the scheduler open: `wrr` is Linux's, `ts_fifo` is the RFC's other proposal.
//!
//! Where Linux (`net/sched/sch_dualpi2.c`) differs, there is an option: `native = "step"`, `chance = "random"`,
//! `min_backlog`, `limit`, `tupdate`, `alpha`, `beta`. A tc line sets all of them. Differences: `memory_limit` counts
//! bytes on the wire, not kernel buffers; probabilities are floating-point numbers, not multiples of 2^-32. There are
//! no filters and no GSO.

mod config;
mod discipline;
mod queue;
mod scheduler;

pub use config::{Chance, DelayOf, Dualpi2Config, LowLatency, Native, Overload, SchedulerKind};
pub use queue::Dualpi2;
