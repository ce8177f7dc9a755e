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
//! latest delay, two per cent more a step above 250 ms, first update after half a second, the rate averaged by
//! eighths, packets above one MTU not scaled in `bytemode`. Departures: it computes in floating point, not in 56-bit
//! fractions of whole ticks; the law is never switched off at small backlogs, which RFC 8033 §5.3 allows.

mod config;
mod estimate;
mod law;

pub use config::{DelayFrom, Form, PieConfig};
pub use law::Pie;

pub(crate) use config::sixteenths;
