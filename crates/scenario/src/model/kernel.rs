//! Kernels in the place of simulated stacks.

use tailrace_core::{Bytes, Duration};
use tailrace_transport::mptcp::path_manager::Endpoint;

/// Kernel of a host, with its settings and programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelHost {
    /// The kernel: a name that whoever runs the scenario knows, or a path.
    pub kernel: String,
    /// The word that those hosts have in common that share one kernel, each as a network namespace of it.
    pub namespace: Option<String>,
    /// Its memory.
    pub memory: Bytes,
    /// Settings under `/proc/sys`, by their names in sysctl(8), in the order of the file.
    pub sysctl: Vec<(String, String)>,
    /// Programs that it runs, in the order of the file.
    pub programs: Vec<Program>,
    /// Files and folders that its programs may read, as the file names them.
    pub files: Vec<String>,
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
    /// Command line for the shell.
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
