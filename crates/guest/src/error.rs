//! Errors that end the run of a guest.

use crate::virtqueue::RingError;
use core::fmt;
use std::io;
use std::time::Duration;
use tailrace_agent::KernelRefusal;

/// Environment variable that sets the timeout in seconds, for programs that compute for longer.
pub(crate) const TIMEOUT_VARIABLE: &str = "TAILRACE_PATIENCE";

/// Reason why a guest cannot go on.
#[derive(Debug)]
pub enum KernelError {
    /// The guest has ended, or closed a connection that it needs.
    Gone,
    /// Timeout: no message from the guest for this time, while its processor is busy and simulated time stands still.
    Silent(Duration),
    /// Livelock: the guest goes on sending messages while its clock stands still.
    Endless,
    /// The guest sends more packets than any link of a scenario carries.
    Flood,
    /// The run was cancelled.
    Stopped,
    /// Invalid message of the guest.
    Protocol(String),
    /// Invalid virtqueue of a network device.
    Ring {
        /// Number of the device, from zero.
        card: u16,
        /// Explanation.
        why: String,
    },
    /// The kernel refused a request of a host.
    Refused(KernelRefusal),
    /// The guest did not boot.
    Boot {
        /// Explanation.
        why: String,
        /// The last lines of its console, in a sentence.
        console: String,
    },
    /// The system refused something.
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The system's error.
        error: io::Error,
    },
}

impl KernelError {
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { doing, error }
    }

    /// Error for a message that could not be sent to a guest.
    pub(crate) fn unheard(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::WouldBlock => Self::Protocol("so much that it hears no answer".into()),
            _ => Self::Gone,
        }
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
                 the clock; {TIMEOUT_VARIABLE} allows it more seconds",
                time.as_secs()
            ),
            Self::Endless => f.write_str(
                "its kernel does more and more while no time passes: a program on it may be sending without end and without \
                 looking at the clock; a pause between its packets, or a rate, mends that",
            ),
            Self::Flood => f.write_str(
                "its kernel sends more than a million packets a second: a program on it may be sending without end; a pause \
                 between its packets, or a rate, mends that",
            ),
            Self::Stopped => f.write_str("somebody has asked to stop"),
            Self::Protocol(what) => write!(f, "its kernel said {what}"),
            Self::Ring { card, why } => write!(f, "its card {card}: {why}"),
            Self::Refused(refusal) => f.write_str(&refusal.why),
            Self::Boot { why, console } => {
                write!(f, "its kernel did not boot: {why}; {console}")
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
