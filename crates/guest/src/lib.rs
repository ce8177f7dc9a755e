//! Unmodified Linux kernels as hosts of a simulation, in simulated time.
//!
//! A host's kernel is a User-Mode Linux: a process of its own, without privileges, whose clock is the simulation's
//! (`time-travel=ext`) and whose network cards end here (vhost-user). Its packets cross the links of the scenario like those of
//! simulated hosts, and it sees nothing but the time that passes for it and the packets that arrive: runs repeat to the byte.
//!
//! | Part | What it is |
//! | --- | --- |
//! | [`GuestKernel`] | a guest that runs, served by one thread: [`time_travel`](GuestKernel::run_until) and cards |
//! | [`KernelHost`] | the same as a host of [`tailrace_sim`] |
//! | [`GuestProcess`] | the processes of a guest, from its start to its end |
//! | [`GuestKernels`] | all kernels of a run |
//!
//! What a guest is to do, its agent is told by a [plan](tailrace_agent::plan).
//!
//! # What comes from the guest
//! Messages and rings may hold anything: each is checked, and nonsense ends the run with an error that names the host.

#![cfg(target_os = "linux")]

mod console;
mod control_channel;
mod error;
#[cfg(fuzzing)]
pub mod fuzzing;
mod guest_kernels;
mod guest_process;
mod guest_socket;
mod host;
mod kernel;
#[cfg(test)]
mod kernel_tests;
mod mailbox;
mod mapping;
mod memory;
mod pinning;
mod program_report;
mod start_error;
#[cfg(test)]
mod testing;
mod time_travel;
mod timeouts;
mod vhost_net;
mod virtqueue;

pub use error::KernelError;
pub use guest_kernels::{GuestKernels, KernelImages};
pub use guest_process::{GuestConfig, GuestProcess};
pub use host::KernelHost;
pub use kernel::GuestKernel;
pub use program_report::ProgramReport;
pub use start_error::{RefusedRequest, StartError};
