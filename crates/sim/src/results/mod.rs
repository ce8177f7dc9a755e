//! Results: the summary, the tables and the time series of a run.
//!
//! May import: all above.

pub(crate) mod application_stats;
pub(crate) mod catalogue;
pub(crate) mod classifier_summary;
pub(crate) mod connection_names;
pub(crate) mod connection_summary;
pub(crate) mod counter_values;
pub(crate) mod flow_counts;
pub(crate) mod group_stats;
pub(crate) mod group_summary;
pub(crate) mod medium_summary;
pub(crate) mod path_stats;
pub(crate) mod path_summary;
pub(crate) mod progress;
pub(crate) mod queue_summary;
pub(crate) mod run_output;
pub(crate) mod run_summary;
pub(crate) mod sending_end;
pub(crate) mod series;
pub(crate) mod snapshot;
pub(crate) mod tables;
pub(crate) mod transfer_outcomes;
pub(crate) mod view;
pub(crate) mod window_transition;
pub(crate) mod windows;
