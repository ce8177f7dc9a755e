//! The table of kinds of media: one line each.
//!
//! `"name" => file::Variant(Config)`. The line declares the module, so a new kind is one file in `media/` and one line here.

use crate::aggregation::AggregationLimits;
use crate::contention::TransmitOutcome;
use crate::medium::{ChannelArbiter, MediumInfo, MediumKind, media};
use tailrace_core::params::{Invalid, Parameters, check_bounds};
use tailrace_core::{Duration, Instant, Probability, Rng};

media! {
    "wifi" => wifi::Wifi(WifiConfig),
}
