//! Simulated hosts, applications and the recorder; runs the fabric in virtual time.
//!
//! The way of the data is one way: [`Scenario`](tailrace_scenario::model::Scenario) → [`Simulation::build`] →
//! [`Simulation::step`], as often as wanted → [`Simulation::finish`] → [`RunOutput`].

mod agenda;
mod aliases;
mod app;
mod bins;
mod build;
mod by_size;
mod by_tuple;
mod capture;
mod columns;
mod connection_log;
mod connection_summary;
mod connections;
mod control;
mod delivery;
mod demux;
mod event_log;
mod feedback;
mod figures;
mod flow;
mod flow_windows;
mod flows_table;
mod foreign;
mod frame;
mod keys;
mod late;
mod middlebox;
mod observer;
mod outcomes;
mod output;
mod packet;
mod path_summary;
mod paths;
mod paths_table;
mod pattern;
mod ports;
mod queues_table;
mod rates;
mod recorder;
mod reordering;
mod results;
mod sender;
mod series;
mod silence;
mod simulation;
mod snapshot;
mod sockets;
mod source_route;
mod spoof;
mod stall;
mod stubs;
mod summary;
mod table;
mod tally;
mod uncongested;
mod verdicts;
mod video;
mod voice;
mod window;
mod windows;
mod world;

pub use build::BuildError;
pub use columns::{ColumnInfo, TableInfo, tables};
pub use control::Control;
pub use foreign::{
    AttachError, DatagramSocket, FlowSockets, ForeignHost, HostError, HostFailure, SocketCommand,
    SocketEvent, SocketFigures, SocketKind, SocketOrder, SocketPair, SocketReport, StreamFigures,
    SubflowFigures,
};
pub use keys::{KeyInfo, ObjectInfo};
pub use output::{CaptureFile, Column, Cost, Drained, RunOutput, Table, Values};
pub use simulation::{Change, ChangeError, OnTheWay, Progress, RunError, Simulation, opportunities};
pub use snapshot::{GroupView, QueueView, Snapshot};
pub use stall::Stall;
pub use summary::objects;
pub use tailrace_transport::{ResetCause, State, TcpStats, TcpView};
