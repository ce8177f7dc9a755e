//! Ground: what every room may use. Columns, keys and tables as such, plain output types, the plan of a run, scopes and rates.
//!
//! May import: nothing of the crate.

pub(crate) mod activity;
pub(crate) mod build_error;
pub(crate) mod capacity;
pub(crate) mod columns;
pub(crate) mod counters;
pub(crate) mod distribution;
pub(crate) mod keys;
pub(crate) mod ordered_map;
pub(crate) mod output;
pub(crate) mod plan;
pub(crate) mod random_streams;
pub(crate) mod rate;
pub(crate) mod reset_causes;
pub(crate) mod scope;
pub(crate) mod table;
pub(crate) mod tuple_map;
