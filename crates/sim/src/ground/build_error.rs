//! Reasons why a run cannot be built from a valid scenario.

use core::fmt;

/// Reasons why a scenario that parsed cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// Too many links, sockets or channels: the fabric numbers links and sockets in 23 bits, channels in 12.
    TooLarge {
        /// Kind of part that is too numerous.
        what: &'static str,
        /// Number found.
        found: usize,
        /// Largest number allowed.
        limit: usize,
    },
    /// Two hosts of a flow cannot reach each other.
    NoRoute {
        /// Flow group.
        flow: String,
        /// Host at one end.
        from: String,
        /// Host at the other end.
        to: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { what, found, limit } => {
                write!(
                    f,
                    "{found} {what} are more than one simulation can hold ({limit}); split the scenario"
                )
            }
            Self::NoRoute { flow, from, to } => {
                write!(f, "flow {flow:?}: no route from {from:?} to {to:?}; join them by links and routers")
            }
        }
    }
}

impl std::error::Error for BuildError {}
