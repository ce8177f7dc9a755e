//! Unmodified Linux kernels as hosts of a simulation, in simulated time.
//!
//! A host's kernel is a User-Mode Linux: a process of its own, without privileges, whose clock is the simulation's
//! (`time-travel=ext`) and whose network cards end here (vhost-user). Its packets cross the links of the scenario like those of
//! simulated hosts, and it sees nothing but the time that passes for it and the packets that arrive: runs repeat to the byte.
//!
//! | Part | What it is |
//! | --- | --- |
//! | [`Kernel`] | a guest that runs, served by one thread: [`calendar`](Kernel::run_until) and cards |
//! | [`KernelHost`] | the same as a host of [`tailrace_sim`] |
//! | [`Machine`] | the processes of a guest, from its start to its end |
//! | [`Guests`] | all kernels of a run |
//!
//! What a guest is to do, its agent is told by a [plan](tailrace_agent::plan).
//!
//! # What comes from the guest
//! Messages and rings may hold anything: each is checked, and nonsense ends the run with an error that names the host.

#![cfg(target_os = "linux")]

mod calendar;
mod card;
mod channel;
mod console;
mod control;
mod error;
#[cfg(fuzzing)]
pub mod fuzzing;
mod guests;
mod host;
mod kernel;
#[cfg(test)]
mod kernel_tests;
mod machine;
mod mailbox;
mod mapping;
mod memory;
mod patience;
mod pinning;
mod refusal;
mod ring;
#[cfg(test)]
mod testing;

pub use error::KernelError;
pub use guests::{Guests, ProgramReport, Stock};
pub use host::KernelHost;
pub use kernel::Kernel;
pub use machine::{Machine, MachineConfig};
pub use refusal::{Refused, StartError};
