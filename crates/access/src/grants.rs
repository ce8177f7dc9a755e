//! The table of kinds of grants: one line each.
//!
//! `"name" => file::Variant(Config)`. The line declares the module, so a new kind is one file in `grants/` and one line here.

use crate::grant::{GrantInfo, GrantKind, GrantProcess, Transmission, grants};
use tailrace_core::params::{Invalid, Parameters, check_bounds};
use tailrace_core::{Bytes, Instant, Rate, Rng};

grants! {
    "lte" => lte::Lte(LteConfig),
}

pub use lte::LteConfig;
