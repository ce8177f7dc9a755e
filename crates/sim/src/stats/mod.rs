//! Statistics: counters and distributions of flows, groups and paths, windows, captures and the event log.
//!
//! May import: `ground`, `packet`.

pub(crate) mod baseline;
pub(crate) mod capture;
pub(crate) mod classifier_accuracy;
pub(crate) mod connection_log;
pub(crate) mod delivery_gap;
pub(crate) mod early_ranges;
pub(crate) mod event_log;
pub(crate) mod fairness;
pub(crate) mod flow_stats;
pub(crate) mod group_distributions;
pub(crate) mod ideal_fct;
pub(crate) mod intervals;
pub(crate) mod jitter;
pub(crate) mod loss_attribution;
pub(crate) mod loss_counters;
pub(crate) mod n_reordering;
pub(crate) mod paths;
pub(crate) mod recorder;
pub(crate) mod transfer_sizes;
pub(crate) mod voice;
