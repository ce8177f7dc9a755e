//! What a host has to do whose stack is not the simulator's.

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
/// A host whose time costs much to stop may go ahead to the *horizon*: what it sends at a later time than the present is an
/// event of that time, and is to be taken then.
pub trait ForeignHost {
    /// When it will next do something if nothing reaches it before; `None` for never.
    fn next_event(&self) -> Option<Instant>;

    /// Lets it run up to `until`, all that it does at that time included. Nothing can reach it before `horizon`, which is not
    /// earlier.
    ///
    /// # Errors
    /// Where it cannot go on: the run ends.
    fn run_until(&mut self, until: Instant, horizon: Instant) -> Result<(), HostError>;

    /// An IPv4 packet has reached its interface `interface`, counted from zero in the order of its links; of several hosts that it
    /// is, in the order of these and then of their links. Checksums of
    /// headers are right; that of the transport is as its sender made it.
    ///
    /// # Errors
    /// Where it cannot go on: the run ends.
    fn deliver(&mut self, interface: usize, packet: &[u8]) -> Result<(), HostError>;

    /// The next packet that it has sent by the time it was run to, and that was not taken: puts the bytes into `packet`, and returns the interface
    /// by which it leaves. What is no IPv4 packet with a right header checksum is counted and not sent.
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize>;

    /// Whether flows of the scenario can have ends there: then it listens for all connections that they open to it, and
    /// [`ForeignHost::command`] and [`ForeignHost::poll_socket`] are how the simulator drives its sockets.
    fn has_sockets(&self) -> bool {
        false
    }

    /// An application of the host does something with a socket, at the time that the host has been run to last.
    ///
    /// # Errors
    /// Where it cannot go on: the run ends.
    fn command(&mut self, _command: &SocketCommand) -> Result<(), HostError> {
        Ok(())
    }

    /// The next thing that has happened to a socket by the time that the host was run to.
    fn poll_socket(&mut self) -> Option<SocketEvent> {
        None
    }

    /// Whether it wants to hear by [`ForeignHost::sent`] when its packets have left, and not only that they were taken.
    fn waits_for_departures(&self) -> bool {
        false
    }

    /// The last bits of these packets have left its interfaces, or they were dropped there: numbers of all that were taken from
    /// it, from zero. Called before it is run to `now`, some microseconds late: as cards do, which tell of several at once.
    ///
    /// # Errors
    /// Where it cannot go on: the run ends.
    fn sent(&mut self, _now: Instant, _packets: &[u64]) -> Result<(), HostError> {
        Ok(())
    }

    /// The link at an interface has gone down, or come up again, as routing sees it.
    ///
    /// # Errors
    /// Where it cannot go on: the run ends.
    fn link_changed(&mut self, _interface: usize, _up: bool) -> Result<(), HostError> {
        Ok(())
    }

    /// A fault gives interfaces other addresses, or their first ones back: all of them that change at the time that the host has
    /// been run to last. What it sends leaves by the interface that it names, whatever source it says; what comes to an address
    /// that it no longer has is not delivered.
    ///
    /// # Errors
    /// Where it cannot go on: the run ends.
    fn addresses_changed(&mut self, _changed: &[(usize, Ipv4Addr)]) -> Result<(), HostError> {
        Ok(())
    }
}

/// Why a foreign host cannot go on, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostError(pub String);

/// A foreign host could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFailure {
    /// The host, as the scenario calls it.
    pub host: String,
    /// When.
    pub at: Instant,
    /// Why, in its own words.
    pub why: String,
}

impl fmt::Display for HostFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host {:?} failed at {:.9} s: {}", self.host, self.at.as_secs_f64(), self.why)
    }
}

impl std::error::Error for HostFailure {}

/// Why a host cannot be a foreign one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttachError {
    /// The scenario has no host of that name; these it has.
    NoSuchHost {
        /// What was asked for.
        name: String,
        /// Some of those that there are.
        known: Vec<String>,
    },
    /// It is one already.
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
