//! Time, units, the packet view, randomness, histograms and parameters: the ground of every other crate of Tailrace.
//!
//! Nothing here reads a clock, opens a file or starts a thread.

pub mod delivery_trace;
pub mod dist;
pub mod dscp;
pub mod histogram;
pub mod host_address;
pub mod line_error;
pub mod math;
pub mod packet;
pub mod params;
pub mod ring;
pub mod rng;
pub mod text;
pub mod time;
pub mod units;

pub use delivery_trace::{DeliveryTrace, Opportunity};
pub use dist::count::CountDist;
pub use dist::duration::DurationDist;
pub use dist::size::SizeDist;
pub use dscp::Dscp;
pub use histogram::{CoarseHistogram, Histogram, LogHistogram};
pub use host_address::HostAddress;
pub use line_error::LineError;
pub use packet::{DropReason, Ecn, FlowKey, Label, Packet, Sack, SackRanges, TcpAck};
pub use params::Rates;
pub use ring::Ring;
pub use rng::Rng;
pub use time::{Duration, Instant};
pub use units::{Bytes, Limit, Probability, Rate};
