//! Time, units, the packet view, randomness, histograms and parameters: what every other room of Tailrace shares.
//!
//! Nothing here reads a clock, opens a file or starts a thread.

pub mod bounds;
pub mod counts;
pub mod delivery;
pub mod distribution;
pub mod dscp;
pub mod histogram;
pub mod host_address;
pub mod kinds;
pub mod line_error;
pub mod math;
pub mod outside;
pub mod packet;
pub mod params;
pub mod rates;
pub mod registry;
pub mod ring;
pub mod rng;
pub mod sizes;
pub mod text;
pub mod time;
pub mod units;

pub use counts::CountDist;
pub use delivery::{DeliveryTrace, Opportunity};
pub use distribution::DurationDist;
pub use dscp::Dscp;
pub use histogram::{CoarseHistogram, Histogram, LogHistogram};
pub use host_address::HostAddress;
pub use line_error::LineError;
pub use packet::{DropReason, Ecn, FlowKey, Label, Packet, Sack, SackRanges, TcpAck};
pub use rates::Rates;
pub use ring::Ring;
pub use rng::Rng;
pub use sizes::SizeDist;
pub use time::{Duration, Instant};
pub use units::{Bytes, Limit, Probability, Rate};
