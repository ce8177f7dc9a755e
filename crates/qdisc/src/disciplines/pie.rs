//! PIE: proportional integral controller enhanced.
//!
//! RFC 8033. A controller computes a probability from the queueing delay, its distance from a target and its trend;
//! arrivals are signalled with this probability. Nothing is signalled in the first moments of a burst, or while the
//! queue is nearly empty.
//!
//! Choices where RFC 8033 leaves one: derandomisation and the limit on steps (its Appendix B) are on. The probability
//! also changes during the burst allowance (`hold_in_burst` is the behaviour of ns-2 and ns-3). It decays if both
//! delays are zero (§4.2). A drop resets the accumulated probability, an ECN mark does not (Appendix B).
//!
//! `form = "linux"` is `net/sched/sch_pie.c`. The burst allowance decreases with departures. The safeguard uses the
//! latest delay. Above 250 ms, each step adds two per cent. The first update comes after half a second, and the others
//! one tick of the kernel's clock (here 1 ms) later than `tupdate` says. The rate is averaged with a weight of an
//! eighth. In `bytemode`, packets above one MTU are not scaled. And the probability keeps growing beyond one while the
//! delay is too long, up to 256, so it takes long to fall after a flood. Differences: it computes in floating point,
//! not in 56-bit fractions of whole ticks. The law is never switched off at small backlogs, which RFC 8033 §5.3 allows.
//!
//! `form = "docsis"` is RFC 8034 (cable modems). You have to set its values of the other parameters: target 10 ms,
//! tupdate 16 ms, alpha 0.25, beta 2.5, max_burst 142 ms, mean_pktsize 1024 B. The probability scales with packet size
//! and may exceed 1, and steps grow with it. It decays below 5 ms and grows by two per cent more per step above 200 ms.
//! Nothing is signalled before the queue has been a third full, and for a while after the first early drop (`burst`).
//! Difference: the delay is computed by `delay_from`, not from a modem's token bucket.

mod burst;
mod config;
mod discipline;
mod estimate;
mod law;

pub use config::{Burst, DelayFrom, Form, PieConfig};
pub use law::Pie;

pub(crate) use discipline::sixteenths;
