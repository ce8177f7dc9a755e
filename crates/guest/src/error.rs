//! Why a guest cannot go on.

use crate::ring::RingError;
use core::fmt;
use std::io;
use std::time::Duration;

/// Why a guest cannot go on.
#[derive(Debug)]
pub enum KernelError {
    /// It has ended, or closed a connection that it needs.
    Gone,
    /// It neither does nor says anything: its processor is busy, and simulated time stands still.
    Silent(Duration),
    /// It has said something that makes no sense.
    Protocol(String),
    /// A ring of one of its cards makes no sense.
    Ring {
        /// The card, from zero.
        card: u16,
        /// What is wrong with it.
        why: String,
    },
    /// It has not come up.
    Boot {
        /// Why.
        why: String,
        /// The last lines of its console.
        console: String,
    },
    /// The system refused something.
    Io {
        /// What was to be done.
        doing: &'static str,
        /// What the system said.
        error: io::Error,
    },
}

impl KernelError {
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { doing, error }
    }

    pub(crate) fn ring(card: u16) -> impl FnOnce(RingError) -> Self {
        move |error| Self::Ring { card, why: error.to_string() }
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("its kernel has ended"),
            Self::Silent(time) => write!(
                f,
                "its kernel has done nothing for {} s: a program on it may be computing without end and without looking at \
                 the clock",
                time.as_secs()
            ),
            Self::Protocol(what) => write!(f, "its kernel said {what}"),
            Self::Ring { card, why } => write!(f, "its card {card}: {why}"),
            Self::Boot { why, console } => {
                write!(f, "its kernel did not boot: {why}; the end of its console:\n{console}")
            }
            Self::Io { doing, error } => write!(f, "{doing}: {error}"),
        }
    }
}

impl std::error::Error for KernelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
