//! Access links: who may send when, and what that costs.
//!
//! A kind of medium, a channel that several directions of links share, is one file in `media` with its keys and what it does,
//! and one line in [`media`]; a kind of grants, by which one direction sends instead of by a plain rate, one file in `grants` and
//! one line in [`grants`]: scenario files, their errors and schema, `tailrace list`, the documentation and the simulator follow
//! from these. A trace of when a direction can send is in place of a rate, too: [`LinkSchedule`] is either.
//!
//! ```
//! use tailrace_access::{ChannelArbiter as _, MediumConfig};
//! use tailrace_core::{Duration, Instant, Rng};
//!
//! let mut channel = MediumConfig::default_of("wifi").unwrap().build();
//! let (station, mut rng) = (channel.add_station(), Rng::new(1));
//! // Of a channel that has long been idle, one that comes first has it at once.
//! let now = Instant::from_millis(1);
//! channel.request_access(station, now, &mut rng);
//! assert_eq!(channel.next_access(), Some(now));
//! ```
//!
//! ```
//! use std::sync::Arc;
//! use tailrace_access::{GrantConfig, GrantProcess as _, LinkSchedule};
//! use tailrace_core::{Bytes, Instant, Rng, params::Value};
//!
//! let mut lte = GrantConfig::default_of("lte").unwrap();
//! lte.set("rates", &Value::List(vec![Value::Text("12 Mbit/s".into())])).unwrap();
//! lte.set("block_error", &Value::Float(0.0)).unwrap();
//! let mut link = LinkSchedule::Grants(Arc::new(lte)).start(Rng::new(1));
//! // What comes within a subframe waits for the next; 1500 bytes fill it, and are decoded 3 ms after its end.
//! let next = link.opens(Instant::from_nanos(400_000)).unwrap_err();
//! assert_eq!(next, Instant::from_millis(1));
//! let sent = link.send(Bytes(1500), next);
//! assert_eq!((sent.arrives, sent.free), (Instant::from_millis(5), Instant::from_millis(2)));
//! ```

pub mod grants;
pub mod media;

mod aggregation;
mod contention;
mod grant;
mod medium;
mod schedule;
mod trace;

pub use aggregation::{AggregationLimits, FrameBurst};
pub use contention::{Contention, DcfTiming, TransmitOutcome};
pub use grant::{GrantInfo, GrantKind, GrantProcess, Transmission};
pub use grants::{AnyGrants, GrantConfig};
pub use media::{AnyMedium, MediumConfig};
pub use medium::{ChannelArbiter, MediumInfo, MediumKind};
pub use schedule::{LinkSchedule, RunningSchedule};
