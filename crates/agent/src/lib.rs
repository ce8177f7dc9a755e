//! What the agent of a guest is told, and what it says: the words between it and `tailrace-guest`.
//!
//! The agent itself is this crate's program. It knows nothing of the simulator but what its flows write, so that it is small and soon built.

pub mod mailbox;
pub mod messages;
pub mod plan;

use serde::{Deserialize, Serialize};

/// What begins the line of a guest's console that has a [`Refusal`], as JSON.
pub const REFUSED: &str = "tailrace-agent was refused: ";

/// A kernel does not take what a host asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The host, as the scenario calls it.
    pub host: String,
    /// What it is.
    pub of: Asked,
    /// Why, in a sentence that names it.
    pub why: String,
    /// The word that is not known, a name or a value; may be empty.
    pub word: String,
    /// Words that are known in its place.
    pub others: Vec<String>,
}

/// What a host asks its kernel for.
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
