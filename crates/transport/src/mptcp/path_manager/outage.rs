//! Interfaces at an end of a connection, and their outages.

use tailrace_core::Duration;

/// Interfaces at an end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Number of interfaces of the host.
    pub interfaces: usize,
    /// Interface that the connection begins with, from 1.
    pub first: usize,
}

/// Outage of interfaces of a host under a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Whether the host opened the connection.
    pub client: bool,
    /// Interfaces of the host.
    pub end: End,
    /// Interfaces that are down, from 1.
    pub down: Vec<usize>,
    /// Time until the first of them returns.
    pub lasts: Duration,
    /// Whether interfaces of the other host go down and return, too.
    pub at_peer: bool,
    /// Whether the subflows of an address that is gone are closed in order, and carry what is said of addresses meanwhile
    /// (`closes_in_order`).
    pub closes_in_order: bool,
}

impl Outage {
    /// Whether interface `number` is down.
    pub fn has(&self, number: usize) -> bool {
        self.down.contains(&number)
    }

    /// Whether the interface that the connection began with is down.
    pub fn has_first(&self) -> bool {
        self.has(self.end.first)
    }

    /// Whether every interface is down.
    pub fn has_all(&self) -> bool {
        (1..=self.end.interfaces).all(|number| self.has(number))
    }
}
