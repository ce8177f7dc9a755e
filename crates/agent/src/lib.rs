//! Interface between the agent in a guest and `tailrace-guest`: plans, messages and refused requests.
//!
//! The agent is the program of this crate. It depends on no part of the simulator but the byte pattern of payloads
//! (`tailrace_wire::content`), which keeps it small and quick to compile.

pub mod mailbox;
pub mod messages;
pub mod plan;
pub mod visible;

use serde::{Deserialize, Serialize};

/// Prefix of the console line that has a [`KernelRefusal`], as JSON.
pub const REFUSED: &str = "tailrace-agent was refused: ";

/// Report that the kernel refused a request of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelRefusal {
    /// Name of the host in the scenario.
    pub host: String,
    /// Kind of the request.
    pub of: RequestKind,
    /// Explanation, in a sentence that names the request.
    pub why: String,
    /// Name or value that the kernel refused; empty if the reason is another.
    pub word: String,
    /// Names or values that the kernel accepts there, as far as it lists them.
    pub others: Vec<String>,
}

/// Kind of request that a kernel may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestKind {
    /// A setting under `/proc/sys`.
    Setting,
    /// A congestion control for sockets.
    CongestionControl,
}

/// Folder of the guest, writable, mounted from the machine that runs it.
pub const OWN_FOLDER: &str = "/tmp/own";

/// Time of day when a guest's clock is zero: nanoseconds since 1970, 14 November 2023 22:13:20 UTC in every run.
pub const TIME_OF_DAY: u64 = 1_700_000_000_000_000_000;
