//! What the agent of a guest is told, and what it says: the words between it and `tailrace-guest`.
//!
//! The agent itself is this crate's program. It knows nothing of the simulator but what its flows write, so that it is small and soon built.

pub mod mailbox;
pub mod messages;
pub mod plan;

/// Where a guest has its own folder.
pub const OWN_FOLDER: &str = "/tmp/own";

/// The time of day at time zero of a guest, in nanoseconds since 1970: 14 November 2023, 22:13:20 UTC, in every run.
pub const TIME_OF_DAY: u64 = 1_700_000_000_000_000_000;
