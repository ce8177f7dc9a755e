//! PIE: proportional integral controller enhanced.
//!
//! RFC 8033. A controller turns the queueing delay, its distance from a target and its trend, into a probability
//! with which arrivals are signalled. Nothing is signalled in the first moments of a burst, nor while the queue is
//! nearly empty.
//!
//! Readings of RFC 8033 where it leaves a choice: derandomisation and the cap on steps (its Appendix B) are on; the
//! probability moves also during the burst allowance (`hold_in_burst` is ns-2's and ns-3's way); it decays where both
//! delays are zero (§4.2). An ECN mark does not reset the accumulated probability, a drop does (Appendix B).
//!
//! `form = "linux"` is `net/sched/sch_pie.c`: the allowance runs down with departures, the safeguard looks at the
//! latest delay, two per cent more a step above 250 ms, first update after half a second and the
//! others a tick of the kernel's clock (here 1 ms) later than `tupdate` says, the rate averaged by
//! eighths, packets above one MTU not scaled in `bytemode`; and the probability goes on growing beyond one while the
//! delay is too long, up to 256, so that it takes long to come down after a flood. Departures: it computes in floating point, not in 56-bit
//! fractions of whole ticks; the law is never switched off at small backlogs, which RFC 8033 §5.3 allows.

//!
//! `form = "docsis"` is RFC 8034 (cable modems), with its values for the other parameters up to the user: target 10 ms,
//! tupdate 16 ms, alpha 0.25, beta 2.5, max_burst 142 ms, mean_pktsize 1024 B. The probability scales with size and may
//! exceed 1, steps grow with it, it decays below 5 ms and grows by two per cent more a step above 200 ms; nothing is
//! signalled before the queue has been a third full, and for a while after the first early drop (`burst`). Departure:
//! the delay is not computed from a modem's token bucket, but by `delay_from`.

mod burst;
mod config;
mod estimate;
mod law;

pub use config::{Burst, DelayFrom, Form, PieConfig};
pub use law::Pie;

pub(crate) use config::sixteenths;
