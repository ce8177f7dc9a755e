//! Simulated hosts, applications and the recorder; runs the fabric in virtual time.
//!
//! The way of the data is one way: [`Scenario`](tailrace_scenario::model::Scenario) → [`Simulation::build`] →
//! [`Simulation::run`] → [`RunOutput`].

mod app;
mod build;
mod capture;
mod clock;
mod connections;
mod control;
mod delivery;
mod feedback;
mod flow;
mod group_series;
mod middlebox;
mod mptcp_wire;
mod outcomes;
mod output;
mod packet;
mod recorder;
mod reordering;
mod results;
mod series;
mod simulation;
mod source;
mod source_route;
mod stall;
mod summary;
mod table;
mod tally;
mod verdicts;
mod window;
mod world;

pub use build::BuildError;
pub use clock::peak_rss_bytes;
pub use control::Control;
pub use output::{CaptureFile, Column, RunOutput, Table, Values};
pub use simulation::{OnTheWay, Simulation};
pub use stall::Stall;
