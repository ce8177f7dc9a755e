//! Options of a Multipath TCP connection beside those of its subflows.

use super::behaviour::MptcpBehaviour;
use super::coupled::CoupledConfig;
use super::path_manager::PathManagerConfig;
use super::scheduler::SchedulerConfig;
use crate::cc::CcConfig;
use crate::config::TcpConfig;
use std::ops::Deref;
use std::sync::Arc;
use tailrace_core::params::{Invalid, ParamInfo, SetError, Value};
use tailrace_core::{choices, parameters};

choices! {
    /// Penalty of a subflow that blocks the receive window.
    pub enum Penalisation {
        /// Nothing.
        None = "none",
        /// Its window is halved, at most once per round trip of the subflow that waits, unless it is repairing a
        /// loss; in slow start it may grow again at once.
        Linux = "linux",
        /// Its window is halved and its slow start ends, at most once per round trip of its own, if it is the slower
        /// one by window and round-trip time.
        Nsdi2012 = "nsdi2012",
    }
}

parameters! {
    /// Options of a Multipath TCP connection that a user varies. Buffers are those of the TCP parameters, shared by all subflows.
    pub struct MptcpConfig with behaviour: MptcpBehaviour {
        /// Whether segments carry checksums over data and mappings; it is enough if either end asks for them.
        checksum: bool = false, "RFC 8684 §3.3; Linux checksum_enabled";
        /// Largest number of subflows at a time, at most 32.
        max_subflows: u64 = 32, "multipath-tcp/mptcp has 31", in 1..=32: "a connection has a subflow at least | a connection has room for 32, its own among them";
        /// Whether data that blocks the receive window is sent once more, on a subflow that has room.
        opportunistic_retransmission: bool = false, "Raiciu et al., NSDI 2012 §4.2";
        /// Penalty of a subflow that blocks the receive window.
        penalisation: Penalisation = Penalisation::None, "Raiciu et al., NSDI 2012 §4.2";
    }
}

/// Reads of a behaviour need no path, as for [`TcpConfig`].
impl Deref for MptcpConfig {
    type Target = MptcpBehaviour;

    #[inline]
    fn deref(&self) -> &MptcpBehaviour {
        &self.behaviour
    }
}

/// Congestion control of subflows.
#[derive(Clone, Debug, PartialEq)]
pub enum SubflowControl {
    /// Each by itself, as a TCP connection would.
    Uncoupled(CcConfig),
    /// All together.
    Coupled(CoupledConfig),
}

impl SubflowControl {
    /// The names of all: coupled controllers, and those of TCP for subflows that are each by itself.
    pub fn names() -> Vec<&'static str> {
        [CoupledConfig::names(), CcConfig::names()].concat()
    }
    /// The default of the one called `name`.
    pub fn default_of(name: &str) -> Option<Self> {
        let coupled = CoupledConfig::default_of(name).map(Self::Coupled);
        coupled.or_else(|| CcConfig::default_of(name).map(Self::Uncoupled))
    }
    /// The registered name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Uncoupled(c) => c.name(),
            Self::Coupled(c) => c.name(),
        }
    }
    /// The parameter table.
    pub fn params(&self) -> &'static [ParamInfo] {
        match self {
            Self::Uncoupled(c) => c.params(),
            Self::Coupled(c) => c.params(),
        }
    }
    /// Whether the parameters fit together.
    ///
    /// # Errors
    /// The name of one that does not, and why.
    pub fn validate(&self) -> Result<(), Invalid> {
        match self {
            Self::Uncoupled(c) => c.validate(),
            Self::Coupled(c) => c.validate(),
        }
    }
    /// Sets one parameter.
    ///
    /// # Errors
    /// [`SetError`] where the name is unknown or the value does not fit.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError> {
        match self {
            Self::Uncoupled(c) => c.set(name, value),
            Self::Coupled(c) => c.set(name, value),
        }
    }
    /// The value of one parameter; `None` for an unknown name.
    pub fn get(&self, name: &str) -> Option<Value> {
        match self {
            Self::Uncoupled(c) => c.get(name),
            Self::Coupled(c) => c.get(name),
        }
    }
}

/// Everything that is set on a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct MptcpPlan {
    /// The connection's own parameters.
    pub mptcp: MptcpConfig,
    /// Parameters of each subflow's TCP.
    pub tcp: Arc<TcpConfig>,
    /// Congestion control.
    pub control: SubflowControl,
    /// Scheduler.
    pub scheduler: SchedulerConfig,
    /// Path manager.
    pub path_manager: PathManagerConfig,
}
