//! Parts of a run that have statistics of their own.

use tailrace_core::Duration;

/// A part of the run between two times, after the warm-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Name in the results.
    pub name: String,
    /// When it begins.
    pub start: Duration,
    /// When it ends; no later than the next one begins, or the run ends.
    pub end: Duration,
}
