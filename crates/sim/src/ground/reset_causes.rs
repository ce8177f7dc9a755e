//! Names of the causes for which connections break, as results show them.

use tailrace_transport::ResetCause;

/// Why connections break, and what that is called in results; in the order of their numbers.
pub(crate) const CAUSES: [(ResetCause, &str); 5] = [
    (ResetCause::Refused, "refused"),
    (ResetCause::Peer, "reset"),
    (ResetCause::TimedOut, "timed_out"),
    (ResetCause::Local, "aborted"),
    (ResetCause::AddressLost, "interface_down"),
];

/// What a cause is called in results.
pub(crate) fn cause_name(cause: ResetCause) -> &'static str {
    CAUSES.iter().find(|(c, _)| *c == cause).map_or("", |(_, name)| name)
}
