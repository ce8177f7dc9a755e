//! Interface between the agent of a guest and `tailrace-guest`: plans, messages and refusals.
//!
//! The agent itself is this crate's program. It knows nothing of the simulator but the content of its flows' streams,
//! so that it is small and soon built.

pub mod mailbox;
pub mod messages;
pub mod plan;

use serde::{Deserialize, Serialize};

/// Prefix of the console line that has a [`Refusal`], as JSON.
pub const REFUSED: &str = "tailrace-agent was refused: ";

/// A kernel does not take what a host asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The host, as the scenario calls it.
    pub host: String,
    /// Kind of the request.
    pub of: Asked,
    /// Explanation, in a sentence that names the request.
    pub why: String,
    /// The word that is not known, a name or a value; may be empty.
    pub word: String,
    /// Words that are known in its place.
    pub others: Vec<String>,
}

/// Request of a host that its kernel may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asked {
    /// A setting under `/proc/sys`.
    Setting,
    /// A congestion control for sockets.
    CongestionControl,
}

/// Where a guest has its own folder.
pub const OWN_FOLDER: &str = "/tmp/own";

/// The time of day at time zero of a guest, in nanoseconds since 1970: 14 November 2023, 22:13:20 UTC, in every run.
pub const TIME_OF_DAY: u64 = 1_700_000_000_000_000_000;
