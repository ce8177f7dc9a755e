//! Statistics of a flow in a window, kept when the window ends.

use crate::stats::flow_stats::FlowStats;
use crate::stats::intervals::Smoothness;
use tailrace_core::Duration;

/// Statistics of a flow in a window.
#[derive(Clone, Debug)]
pub(crate) struct FlowCounts {
    pub(crate) tally: FlowStats,
    pub(crate) goodput_bps: f64,
    pub(crate) longest_silence_s: f64,
    pub(crate) smoothness: Smoothness,
    pub(crate) span: Duration,
}
