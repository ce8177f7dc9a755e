//! Routing: equal-cost paths and convergence.

use tailrace_core::Duration;

tailrace_core::choices! {
    /// Choice among several shortest paths (ECMP).
    pub enum EqualPaths {
        /// All packets take the first one, in the order in which links are declared.
        First = "first",
        /// Each flow takes one of them, chosen by a hash of addresses, ports and protocol.
        FiveTuple = "five_tuple",
        /// Each pair of addresses takes one of them, chosen by a hash of the two addresses.
        SrcDst = "src_dst",
    }
}

/// Routing of the routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routing {
    /// Choice among several shortest paths.
    pub equal_paths: EqualPaths,
    /// Time for which routes stay as they were after a link has gone down or come up.
    pub convergence: Duration,
}

impl Default for Routing {
    fn default() -> Self {
        Self { equal_paths: EqualPaths::First, convergence: Duration::ZERO }
    }
}
