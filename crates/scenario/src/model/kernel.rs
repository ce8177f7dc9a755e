//! Kernels in the place of simulated stacks.

use tailrace_core::{Bytes, Duration};
use tailrace_transport::mptcp::path_manager::Endpoint;

/// What a host with a kernel of its own is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelHost {
    /// The kernel: a name that whoever runs the scenario knows, or a path.
    pub kernel: String,
    /// The word that those hosts have in common that share one kernel, each as a network namespace of it.
    pub namespace: Option<String>,
    /// Its memory.
    pub memory: Bytes,
    /// What is written under `/proc/sys`, by names as sysctl(8) has them, in the order of the file.
    pub sysctl: Vec<(String, String)>,
    /// What it runs, in the order of the file.
    pub programs: Vec<Program>,
    /// Limits of Multipath TCP's path manager, where they are given.
    pub limits: Option<Limits>,
    /// Addresses that the path manager uses.
    pub endpoints: Vec<Endpoint>,
    /// Whether packets that wait at its interfaces are its sockets' still.
    pub backpressure: bool,
}

/// A program of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// When it starts.
    pub at: Duration,
    /// As the shell reads it.
    pub command: String,
}

/// `ip mptcp limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most subflows beside the first.
    pub subflows: u32,
    /// Most addresses of the peer that are taken up.
    pub add_addr_accepted: u32,
}
