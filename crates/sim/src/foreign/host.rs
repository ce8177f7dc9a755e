//! Interface of a foreign host: a stack that is not the simulator's.

use crate::foreign::socket::{SocketCommand, SocketEvent};
use core::fmt;
use core::net::Ipv4Addr;
use tailrace_core::Instant;

/// A host whose stack is not the simulator's: a real kernel in simulated time, or another program. It speaks in IPv4
/// packets; whatever lies below, such as Ethernet and its ARP, is its own business.
///
/// The simulator calls [`ForeignHost::run_until`] with times that never descend and are never later than
/// [`ForeignHost::next_event`], and [`ForeignHost::deliver`] at the time that the host has been run to last. After either it
/// takes what the host has sent and asks for the next event anew. So packets leave at the time at which they were sent. A run
/// repeats where the host does the same at the same calls.
///
/// A host that is costly to stop may run ahead to the *horizon*: a packet that it sends later than the present is an event of
/// that later time and is taken then.
pub trait ForeignHost {
    /// Time of its next event if nothing is delivered before; `None` for never.
    fn next_event(&self) -> Option<Instant>;

    /// Runs it up to `until`, including all events at that time. Nothing is delivered to it before `horizon`, which is not
    /// earlier than `until`.
    ///
    /// # Errors
    /// If the host cannot go on: the run ends.
    fn run_until(&mut self, until: Instant, horizon: Instant) -> Result<(), HostError>;

    /// Delivers an IPv4 packet to the interface `interface`, counted from zero in the order of its links (with several hosts in
    /// one kernel: in the order of the hosts, then of their links). Header checksums are correct; the transport checksum is as
    /// the sender made it.
    ///
    /// # Errors
    /// If the host cannot go on: the run ends.
    fn deliver(&mut self, interface: usize, packet: &[u8]) -> Result<(), HostError>;

    /// Writes the next packet sent by the time it was run to into `packet` and returns its outgoing interface. A packet that is
    /// not IPv4 with a correct header checksum is counted as malformed and not sent.
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize>;

    /// Whether flows of the scenario can end at its sockets. If so, it listens for all connections that flows open to it, and the
    /// simulator drives its sockets by [`ForeignHost::command`] and [`ForeignHost::poll_socket`].
    fn has_sockets(&self) -> bool {
        false
    }

    /// Executes a socket command of an application at the time that the host has been run to last.
    ///
    /// # Errors
    /// If the host cannot go on: the run ends.
    fn command(&mut self, _command: &SocketCommand) -> Result<(), HostError> {
        Ok(())
    }

    /// Next socket event by the time that the host was run to.
    fn poll_socket(&mut self) -> Option<SocketEvent> {
        None
    }

    /// Whether it wants transmit completions ([`ForeignHost::sent`]), not only the packets taken.
    fn waits_for_departures(&self) -> bool {
        false
    }

    /// Reports transmit completions: the last bits of these packets have left its interfaces, or they were dropped there. Packets
    /// are numbered from zero in the order in which they were taken. Called before it is run to `now`, some microseconds late,
    /// because network cards coalesce completions.
    ///
    /// # Errors
    /// If the host cannot go on: the run ends.
    fn sent(&mut self, _now: Instant, _packets: &[u64]) -> Result<(), HostError> {
        Ok(())
    }

    /// Reports that the link at an interface went down or came up, as routing sees it.
    ///
    /// # Errors
    /// If the host cannot go on: the run ends.
    fn link_changed(&mut self, _interface: usize, _up: bool) -> Result<(), HostError> {
        Ok(())
    }

    /// Changes the addresses of interfaces at a fault, or restores them: all that change at the time that the host has been run
    /// to last. Packets leave by the interface that the host names, whatever their source address; packets to a former address
    /// are not delivered.
    ///
    /// # Errors
    /// If the host cannot go on: the run ends.
    fn addresses_changed(&mut self, _changed: &[(usize, Ipv4Addr)]) -> Result<(), HostError> {
        Ok(())
    }
}

/// Reason why a foreign host cannot go on, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostError(pub String);

/// Failure of a foreign host, which ends the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFailure {
    /// Name of the host in the scenario.
    pub host: String,
    /// Time of the failure.
    pub at: Instant,
    /// Reason, in the host's own words.
    pub why: String,
}

impl fmt::Display for HostFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host {:?} failed at {:.9} s: {}", self.host, self.at.as_secs_f64(), self.why)
    }
}

impl std::error::Error for HostFailure {}

/// Reasons why a host cannot be attached as a foreign one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttachError {
    /// The scenario has no host of that name.
    NoSuchHost {
        /// Name asked for.
        name: String,
        /// Some of the names that exist.
        known: Vec<String>,
    },
    /// The host is already foreign.
    Twice(String),
    /// The run has begun.
    TooLate,
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchHost { name, known } => {
                write!(f, "there is no host named {name:?}; hosts are {}", known.join(", "))
            }
            Self::Twice(name) => write!(f, "host {name:?} has its foreign stack already"),
            Self::TooLate => write!(f, "hosts get foreign stacks before the first step of a run"),
        }
    }
}

impl std::error::Error for AttachError {}
