//! Impairments of links: random loss, and faults that come and go.
//!
//! Each kind is one file in `losses` or `faults` with its keys, what it means and what it does, and one line in [`losses`] or
//! [`faults`]: scenario files, their errors and schema, `tailrace list`, the documentation and the simulator follow from these.
//!
//! ```
//! use tailrace_core::{Duration, Rate, params::Value};
//! use tailrace_impair::{LinkCondition, FaultConfig};
//!
//! let mut fault = FaultConfig::default_of("rate").unwrap();
//! fault.set("value", &Value::Text("1 Mbit/s".into())).unwrap();
//! let mut link = LinkCondition::new(Rate::from_mbit(10), Duration::from_millis(5), Default::default());
//! fault.apply(&mut link);
//! assert_eq!((link.rate(), link.delay()), (Rate::from_mbit(1), Duration::from_millis(5)));
//! ```

pub mod faults;
pub mod losses;

mod bounds;
mod condition;
mod fault;
mod loss;
mod netem;
mod profile;
mod queue_line;
mod rate_dist;
mod trace_rows;

pub use bounds::RATES;
pub use condition::{ChangedFields, LinkCondition, LinkState};
pub use fault::{FaultInfo, FaultKind};
pub use faults::FaultConfig;
pub use loss::{LossBurst, LossInfo, LossKind, LossProcess};
pub use losses::{AnyLoss, LossConfig};
pub use netem::{NetemConfig, Reordering};
pub use profile::{FaultProfile, FaultStage};
pub use queue_line::QueueLine;
pub use rate_dist::RateDist;
pub use trace_rows::TraceRows;
