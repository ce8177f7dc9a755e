//! Names of reset causes in the results.

use tailrace_transport::ResetCause;

/// Reset causes and their names, in the order of their numbers.
pub(crate) const CAUSES: [(ResetCause, &str); 5] = [
    (ResetCause::Refused, "refused"),
    (ResetCause::Peer, "reset"),
    (ResetCause::TimedOut, "timed_out"),
    (ResetCause::Local, "aborted"),
    (ResetCause::AddressLost, "interface_down"),
];

/// Name of a cause in the results.
pub(crate) fn cause_name(cause: ResetCause) -> &'static str {
    CAUSES.iter().find(|(c, _)| *c == cause).map_or("", |(_, name)| name)
}
