//! Path managers: which subflows there are (RFC 8684 §3.4; policy is left to the implementation).
//!
//! A path manager receives events of addresses and subflows and returns actions; it sends nothing itself. To add one
//! takes a file and a line in the table below.

mod delayed;
mod outage;
mod registry;

pub use binder::GatewayLists;
pub use linux::{Endpoint, Endpoints};
pub use manual::{Command, Script};
pub use outage::{End, Outage};

use super::SourceRoute;
use crate::tcp::ResetCause;
use tailrace_core::Instant;
use tailrace_core::params::{Invalid, Parameters};

registry::path_managers! {
    "passive" => passive::Passive(PassiveConfig),
    "ndiffports" => ndiffports::Ndiffports(NdiffportsConfig),
    "fullmesh" => fullmesh::Fullmesh(FullmeshConfig),
    "linux" => linux::LinuxPaths(LinuxPathsConfig),
    "binder" => binder::Binder(BinderConfig),
    "manual" => manual::Manual(ManualConfig),
}

/// Id of an address within its host (RFC 8684 §3.4.1); 0 is the one the connection began with.
pub type AddressId = u8;

/// Event for a path manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEvent {
    /// Subflows may be added from now on.
    Established {
        /// Whether this end opened the connection.
        client: bool,
    },
    /// Interface of a local address, before that is first used.
    LocalInterface {
        /// The address.
        id: AddressId,
        /// Its interface in the order of the host's links, from 1.
        number: u8,
    },
    /// Interface of an address of the peer, for path managers that know the network. The address need not have been
    /// announced.
    RemoteInterface {
        /// The address.
        id: AddressId,
        /// Its interface in the order of the peer's links, from 1.
        number: u8,
    },
    /// A local address can be used.
    LocalUp {
        /// Id of the address.
        id: AddressId,
    },
    /// A local address can no longer be used.
    LocalDown {
        /// Id of the address.
        id: AddressId,
    },
    /// The peer announced an address.
    RemoteAdded {
        /// Id of the address.
        id: AddressId,
        /// Whether a subflow goes to this address already, whatever id it has there.
        in_use: bool,
    },
    /// The peer has echoed ADD_ADDR.
    Echoed {
        /// Id of the address.
        local: AddressId,
    },
    /// The peer withdrew an address.
    RemoteRemoved {
        /// Id of the address.
        id: AddressId,
    },
    /// A subflow is up.
    SubflowUp {
        /// This end's address.
        local: AddressId,
        /// The peer's address.
        remote: AddressId,
    },
    /// A subflow broke, or was never established.
    SubflowLost {
        /// This end's address.
        local: AddressId,
        /// The peer's address.
        remote: AddressId,
        /// Cause; `None` if there was no route for its first segment.
        cause: Option<ResetCause>,
    },
    /// The peer opens a subflow.
    SubflowAccepted {
        /// This end's address.
        local: AddressId,
        /// The peer's address.
        remote: AddressId,
    },
    /// A subflow is no more, for whatever reason, or was not opened though asked for. Not told of those that end with
    /// the connection.
    SubflowGone {
        /// This end's address.
        local: AddressId,
        /// The peer's address.
        remote: AddressId,
    },
}

/// Action of a path manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathAction {
    /// Open a subflow.
    Connect {
        /// From this address.
        local: AddressId,
        /// To this one.
        remote: AddressId,
        /// Whether it is a backup.
        backup: bool,
    },
    /// Open a subflow between the addresses that the connection began with, through gateways.
    ConnectThrough {
        /// Gateways that its packets pass.
        route: SourceRoute,
    },
    /// Tell the peer of a local address.
    Announce {
        /// Id of the address.
        local: AddressId,
    },
    /// Tell the peer that a local address is gone, and end its subflows.
    Withdraw {
        /// Id of the address.
        local: AddressId,
    },
    /// End the subflows with this address of the peer.
    Abandon {
        /// Id of the peer's address.
        remote: AddressId,
    },
    /// End the subflows between two addresses.
    Close {
        /// This end's address.
        local: AddressId,
        /// The peer's address.
        remote: AddressId,
    },
    /// Make the subflows from an address backups, or regular ones, and tell the peer (MP_PRIO, RFC 8684 §3.3.8).
    Priority {
        /// Id of the address.
        local: AddressId,
        /// Whether they become backups.
        backup: bool,
    },
}

/// Decides on subflows.
pub trait PathManager {
    /// Something happened.
    fn on_event(&mut self, event: &PathEvent, now: Instant);
    /// The next thing to do.
    fn poll_action(&mut self) -> Option<PathAction>;
    /// Whether the peer may open another subflow. One that may not is reset.
    fn accepts_join(&self) -> bool {
        true
    }
    /// Whether a subflow that the peer opens to this address is a backup.
    fn is_backup(&self, _local: AddressId) -> bool {
        false
    }
    /// When it wants to be woken.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }
    /// The time asked for has come.
    fn handle_timeout(&mut self, _now: Instant) {}
}

/// A path manager that is asked what it wants only when something has happened since it wanted nothing more.
#[derive(Clone, Debug)]
pub(super) struct CachedPathManager {
    manager: RunningPathManager,
    stirred: bool,
    /// When it wants to be woken, as long as it is not stirred; `MAX` for never.
    due: Instant,
}

impl CachedPathManager {
    pub(super) const fn new(manager: RunningPathManager) -> Self {
        Self { manager, stirred: true, due: Instant::MAX }
    }

    /// When it wants to be woken; `MAX` for never.
    #[inline]
    pub(super) fn deadline(&self) -> Instant {
        if self.stirred { self.manager.poll_timeout().unwrap_or(Instant::MAX) } else { self.due }
    }

    #[inline(never)]
    fn ask(&mut self) -> Option<PathAction> {
        let action = self.manager.poll_action();
        if action.is_none() {
            (self.due, self.stirred) = (self.deadline(), false);
        }
        action
    }
}

impl PathManager for CachedPathManager {
    fn on_event(&mut self, event: &PathEvent, now: Instant) {
        self.stirred = true;
        self.manager.on_event(event, now);
    }
    #[inline]
    fn poll_action(&mut self) -> Option<PathAction> {
        if self.stirred { self.ask() } else { None }
    }
    fn accepts_join(&self) -> bool {
        self.manager.accepts_join()
    }
    fn is_backup(&self, local: AddressId) -> bool {
        self.manager.is_backup(local)
    }
    fn poll_timeout(&self) -> Option<Instant> {
        self.manager.poll_timeout()
    }
    fn handle_timeout(&mut self, now: Instant) {
        self.stirred = true;
        self.manager.handle_timeout(now);
    }
}

/// An interface that the parameters of a path manager name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedInterface {
    /// The parameter that names it.
    pub parameter: &'static str,
    /// Whether it is the client's.
    pub client: bool,
    /// Its number in the order of the host's links, from 1.
    pub number: u8,
    /// The words that name it.
    pub words: String,
}

/// A parameter that does not fit the ends of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The parameter.
    pub parameter: &'static str,
    /// Description of the fault.
    pub why: String,
    /// Remedy for the user.
    pub remedy: String,
}

/// A path manager that can stand in the registry.
pub trait PathManagerKind: PathManager + Sized {
    /// Its parameters.
    type Config: Parameters;
    /// Summary for `tailrace list`, a line long.
    const SUMMARY: &'static str;
    /// Where it is defined.
    const CITATION: &'static str;
    /// The parameter that sets the number of [`PathManagerKind::subflows`], and how to have fewer.
    const SUBFLOWS_BY: (&'static str, &'static str) = ("num_subflows", "lower its num_subflows");
    /// Whether the parameters fit together.
    ///
    /// # Errors
    /// The name of one that does not, and why.
    fn validate(_config: &Self::Config) -> Result<(), Invalid> {
        Ok(())
    }
    /// Subflows that it opens between two addresses, the connection's own among them.
    fn subflows(_config: &Self::Config) -> u64 {
        1
    }
    /// Where it opens subflows between other addresses than the connection's own, the most of a host that it tells apart.
    fn most_addresses(_config: &Self::Config) -> Option<usize> {
        None
    }
    /// Whether it opens subflows between other addresses than the connection's own.
    fn opens_paths(config: &Self::Config) -> bool {
        Self::most_addresses(config).is_some()
    }
    /// Routers by name that subflows go through: the lists that [`SourceRoute::number`] counts. The parameter of that name
    /// is `gateways`.
    fn source_routes(_config: &Self::Config) -> &[Vec<String>] {
        &[]
    }
    /// Where it opens subflows to the address only that the connection began with, how to have it use others.
    fn first_address_only(_config: &Self::Config) -> Option<&'static str> {
        None
    }
    /// A parameter that limits the subflows of a connection, and how many it allows with the connection's own.
    fn limit(_config: &Self::Config) -> Option<(&'static str, u64)> {
        None
    }
    /// The interfaces that its parameters name.
    fn interfaces(_config: &Self::Config) -> Vec<NamedInterface> {
        Vec::new()
    }
    /// Whether the parameters make sense for these ends of a connection, the client's first.
    ///
    /// # Errors
    /// A parameter that does not, why, and a remedy.
    fn validate_ends(_config: &Self::Config, _ends: [End; 2]) -> Result<(), Misfit> {
        Ok(())
    }
    /// Whether an outage takes all subflows of a connection for good: their addresses are gone, and nothing joins again once they are
    /// back. By default the connection has only subflows from the interface that it began with, and no other is ever opened.
    fn ends_with(_config: &Self::Config, outage: &Outage) -> bool {
        outage.has_first()
    }
    /// A fresh instance.
    fn build(config: &Self::Config) -> Self;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_manager_that_wants_nothing_more_is_asked_again_once_something_has_happened() {
        let config = PathManagerConfig::default_of("ndiffports").unwrap();
        let mut manager = CachedPathManager::new(config.build());
        assert_eq!((manager.poll_action(), manager.stirred), (None, false));
        manager.on_event(&PathEvent::Established { client: true }, Instant::ZERO);
        assert!(matches!(manager.poll_action(), Some(PathAction::Connect { .. })));
        while manager.poll_action().is_some() {}
        assert_eq!((manager.stirred, manager.deadline()), (false, Instant::MAX));
    }
}
