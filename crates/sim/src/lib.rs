//! Simulated hosts, applications and the recorder; runs the fabric in virtual time.
//!
//! Data flows one way: [`Scenario`](tailrace_scenario::model::Scenario) → [`Simulation::build`] → [`Simulation::step`], as often
//! as wanted → [`Simulation::finish`] → [`RunOutput`].

mod foreign;
mod ground;
mod host;
mod packet;
mod results;
mod run;
mod stats;

pub use foreign::host::{AttachError, ForeignHost, HostError, HostFailure};
pub use foreign::socket::{
    DataLevelStats, DatagramSocket, FlowSockets, QuicListener, SocketCommand, SocketEvent, SocketKind,
    SocketOperation, SocketPair, SocketReport, SocketStats, SubflowStats,
};
pub use ground::build_error::BuildError;
pub use ground::columns::{ColumnInfo, TableInfo};
pub use ground::keys::{KeyInfo, ObjectInfo};
pub use ground::output::{CaptureFile, Column, DrainedOutput, RunCost, RunOutput, Table, Values};
pub use results::catalogue::{objects, tables};
pub use results::snapshot::{GroupView, QueueView, Snapshot};
pub use run::balance::PacketsInFlight;
pub use run::control::Control;
pub use run::error::RunError;
pub use run::live::{LiveChange, LiveChangeError};
pub use run::opportunities::opportunities;
pub use run::simulation::{Progress, Simulation};
pub use run::stall::StallReport;
pub use tailrace_transport::{ResetCause, State, TcpStats, TcpView};
