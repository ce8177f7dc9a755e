//! RED: random early detection, with Adaptive RED.
//!
//! Floyd, Jacobson, "Random Early Detection Gateways for Congestion Avoidance", ToN 1(4), 1993; Floyd, Gummadi,
//! Shenker, "Adaptive RED", 2001. RED keeps an exponentially weighted average of the queue length, updated at arrivals,
//! and compares it with two thresholds. Between them, packets are signalled with a probability that grows with the
//! average, and signals are spread evenly. Adaptive RED changes the slope to keep the average midway. With `levels`,
//! each class of packets has a RED of its own (GRED, `red/gred.rs`).
//!
//! The paper, ns-2 (`queue/red.cc`), ns-3 and Linux (`net/sched/sch_red.c`) differ; each difference is a parameter. The
//! word `adaptive` of a tc line has no effect, as in Linux 6.1 with iproute2 6.1, where `max_p` does not change.
//! Differences: averages are 64-bit floats everywhere. Idle time decays the average by a power, not by a loop (ns-2) or
//! a table (Linux). The gentle slope follows `max_p` when that adapts. A victim at the head or at random is taken only
//! at the hard limit.

mod base;
mod config;
mod discipline;
mod gred;
mod law;
mod levels;

pub use config::{AdaptOn, AutoWeight, CountForm, IdleForm, RedConfig};
pub use gred::{Gred, RedQueue};
pub use law::Red;
pub use levels::Levels;

pub(crate) use base::red_based;
pub(crate) use discipline::{tc_burst, weight_log};
pub(crate) use law::{Crossings, Spread, Status};
