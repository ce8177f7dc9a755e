//! Errors that end a run.

use crate::foreign::host::HostFailure;
use crate::run::stall::StallReport;
use core::fmt;

/// Reasons why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// Simulated time does not advance.
    Stalled(StallReport),
    /// A foreign host cannot go on.
    HostFailed(HostFailure),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stalled(stall) => stall.fmt(f),
            Self::HostFailed(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

impl From<StallReport> for RunError {
    fn from(stall: StallReport) -> Self {
        Self::Stalled(stall)
    }
}

impl From<HostFailure> for RunError {
    fn from(failure: HostFailure) -> Self {
        Self::HostFailed(failure)
    }
}
