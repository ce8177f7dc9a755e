//! A subflow between every address of one host and every address of the other (multipath-tcp/mptcp
//! `mptcp_fullmesh.c`).
//!
//! Both ends announce their addresses; only the client opens subflows. Changes of local addresses are acted upon
//! after `event_delay`, as the kernel's worker does; one that is undone within it was none. An address that comes
//! back is a new one to the peer. `retry_after` is the second attempt where there was no route for the first; there
//! is no third. A subflow that dies of timeouts is opened again only with `create_on_err`.
//!
//! REMOVE_ADDR may be lost (RFC 8684 §3.4.2), so an address that is announced again may have been away: of the pairs with
//! it those whose subflow broke are joined again, the others once more when it does. Without another announcement what
//! the peer has reset stays ended.

use super::{AddressId, Outage, PathAction, PathEvent, PathManager, PathManagerKind};
use crate::tcp::ResetCause;
use std::collections::VecDeque;
use tailrace_core::params::Invalid;
use tailrace_core::{Duration, Instant, parameters};

parameters! {
    /// Parameters of `fullmesh`.
    pub struct FullmeshConfig {
        /// Number of subflows for each pair of addresses.
        num_subflows: u64 = 1, "multipath-tcp/mptcp, num_subflows";
        /// Delay between a change of a local address and the path manager's reaction. A longer delay hides interfaces
        /// that come and go quickly, but keeps a dead path in use.
        event_delay: Duration = Duration::ZERO, "at once; multipath-tcp/mptcp has 500 ms";
        /// After which time a subflow is tried a second time if there was no route. `"auto"` is no second attempt.
        retry_after: Option<Duration> = Some(Duration::from_secs(1)), "multipath-tcp/mptcp: 1 s, once", in "1 ms"..="1000 h": "each attempt takes computing time | no run waits that long";
        /// Whether a subflow that ended after too many timeouts is opened again.
        create_on_err: bool = false, "multipath-tcp/mptcp, create_on_err";
    }
}

/// The most addresses of a host that are told apart: sets of them are words of 32 bits.
const MAX_ADDRESSES: usize = 32;

/// The path manager `fullmesh`.
#[derive(Clone, Debug)]
pub struct Fullmesh {
    config: FullmeshConfig,
    client: bool,
    established: bool,
    /// Local addresses that can be used, a bit each.
    locals: u32,
    remotes: u32,
    /// For each local address the remote ones that were tried since both came up.
    tried: [u32; MAX_ADDRESSES],
    /// Changes of local addresses that wait: which, whether it came up, and until when.
    changes: VecDeque<(AddressId, bool, Instant)>,
    retries: VecDeque<(AddressId, AddressId, Instant)>,
    retried: [u32; MAX_ADDRESSES],
    /// Subflows that broke though both addresses stood.
    broken: Vec<(AddressId, AddressId)>,
    /// For each local address the remote ones that were announced again since a subflow between them broke.
    renewed: [u32; MAX_ADDRESSES],
    actions: VecDeque<PathAction>,
}

impl PathManagerKind for Fullmesh {
    type Config = FullmeshConfig;
    const SUMMARY: &'static str =
        "The client opens a subflow between each of its addresses and each of the server's";
    const CITATION: &'static str = "multipath-tcp/mptcp, net/mptcp/mptcp_fullmesh.c";
    fn validate(c: &FullmeshConfig) -> Result<(), Invalid> {
        if c.num_subflows == 0 {
            return Err(("num_subflows", "must be at least 1, which is the connection's own".into()));
        }
        Ok(())
    }
    fn subflows(c: &FullmeshConfig) -> u64 {
        c.num_subflows
    }
    fn most_addresses(_c: &FullmeshConfig) -> Option<usize> {
        Some(MAX_ADDRESSES)
    }
    /// A client joins from an address that returns. A server's address that returns can be told to nobody without a subflow.
    fn ends_with(c: &FullmeshConfig, outage: &Outage) -> bool {
        let joins = outage.client || outage.at_peer || outage.closes_in_order;
        !joins && outage.has_all() && outage.lasts >= c.event_delay
    }
    fn build(config: &FullmeshConfig) -> Self {
        Self {
            config: config.clone(),
            client: false,
            established: false,
            // The connection's own, which is up from the start.
            locals: 1,
            remotes: 1,
            tried: [0; MAX_ADDRESSES],
            changes: VecDeque::new(),
            retries: VecDeque::new(),
            retried: [0; MAX_ADDRESSES],
            broken: Vec::new(),
            renewed: [0; MAX_ADDRESSES],
            actions: VecDeque::new(),
        }
    }
}

impl Fullmesh {
    fn connect_all(&mut self) {
        if !self.client || !self.established {
            return;
        }
        for local in 0..MAX_ADDRESSES {
            let missing = self.remotes & !self.tried[local];
            if self.locals >> local & 1 == 0 || missing == 0 {
                continue;
            }
            self.tried[local] |= missing;
            for remote in (0..MAX_ADDRESSES).filter(|r| missing >> r & 1 == 1) {
                let connect = PathAction::Connect { local: local as u8, remote: remote as u8, backup: false };
                self.actions.extend((0..self.config.num_subflows.max(1)).map(|_| connect));
            }
        }
    }

    fn local_changed(&mut self, id: AddressId, up: bool) {
        let bit = bit(id);
        if up == (self.locals & bit != 0) {
            return;
        }
        self.locals ^= bit;
        if up {
            if self.established {
                self.actions.push_back(PathAction::Announce { local: id });
            }
            self.connect_all();
        } else {
            self.tried[usize::from(id) % MAX_ADDRESSES] = 0;
            self.retried[usize::from(id) % MAX_ADDRESSES] = 0;
            self.renewed[usize::from(id) % MAX_ADDRESSES] = 0;
            self.broken.retain(|pair| pair.0 != id);
            self.actions.push_back(PathAction::Withdraw { local: id });
        }
    }

    fn on_established(&mut self, client: bool) {
        (self.client, self.established) = (client, true);
        // The pair that the connection began with; its further subflows follow.
        self.tried[0] |= 1;
        let connect = PathAction::Connect { local: 0, remote: 0, backup: false };
        if client {
            self.actions.extend((1..self.config.num_subflows).map(|_| connect));
        }
        for id in 1..MAX_ADDRESSES as u8 {
            if self.locals & bit(id) != 0 {
                self.actions.push_back(PathAction::Announce { local: id });
            }
        }
        self.connect_all();
    }

    fn on_lost(&mut self, (local, remote): (AddressId, AddressId), cause: Option<ResetCause>, now: Instant) {
        let known = self.locals & bit(local) != 0 && self.remotes & bit(remote) != 0;
        if !self.client || !known {
            return;
        }
        let retried = &mut self.retried[usize::from(local) % MAX_ADDRESSES];
        let renewed = &mut self.renewed[usize::from(local) % MAX_ADDRESSES];
        match cause {
            None if *retried & bit(remote) == 0 => {
                *retried |= bit(remote);
                if let Some(after) = self.config.retry_after {
                    self.retries.push_back((local, remote, now.saturating_add(after)));
                }
            }
            Some(ResetCause::TimedOut) if self.config.create_on_err => {
                self.actions.push_back(PathAction::Connect { local, remote, backup: false });
            }
            Some(_) if *renewed & bit(remote) != 0 => {
                *renewed &= !bit(remote);
                self.actions.push_back(PathAction::Connect { local, remote, backup: false });
            }
            Some(_) => self.broken.push((local, remote)),
            None => {}
        }
    }

    fn on_announced(&mut self, id: AddressId) {
        if self.remotes & bit(id) == 0 {
            self.remotes |= bit(id);
            return self.connect_all();
        }
        let again = |pair: &mut (AddressId, AddressId)| pair.1 == id;
        for (local, remote) in self.broken.extract_if(.., again) {
            self.actions.push_back(PathAction::Connect { local, remote, backup: false });
        }
        for (renewed, tried) in self.renewed.iter_mut().zip(&self.tried) {
            *renewed |= tried & bit(id);
        }
    }
}

fn bit(id: AddressId) -> u32 {
    1 << (usize::from(id) % MAX_ADDRESSES)
}

impl PathManager for Fullmesh {
    fn on_event(&mut self, event: &PathEvent, now: Instant) {
        match *event {
            PathEvent::Established { client } => self.on_established(client),
            PathEvent::LocalUp { id } | PathEvent::LocalDown { id } => {
                let up = matches!(event, PathEvent::LocalUp { .. });
                let before = self.changes.len();
                self.changes.retain(|c| c.0 != id || c.1 == up);
                if self.changes.len() != before {
                    return; // What was to happen is undone.
                }
                if self.config.event_delay.is_zero() || !self.established {
                    self.local_changed(id, up);
                } else {
                    self.changes.push_back((id, up, now.saturating_add(self.config.event_delay)));
                }
            }
            PathEvent::RemoteAdded { id, .. } => self.on_announced(id),
            PathEvent::RemoteRemoved { id } => {
                self.remotes &= !bit(id);
                let marks = self.tried.iter_mut().chain(&mut self.retried).chain(&mut self.renewed);
                marks.for_each(|m| *m &= !bit(id));
                self.broken.retain(|pair| pair.1 != id);
                self.actions.push_back(PathAction::Abandon { remote: id });
            }
            PathEvent::SubflowLost { local, remote, cause } => self.on_lost((local, remote), cause, now),
            _ => {}
        }
    }

    fn poll_action(&mut self) -> Option<PathAction> {
        self.actions.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let change = self.changes.front().map(|c| c.2);
        let retry = self.retries.front().map(|r| r.2);
        change.into_iter().chain(retry).min()
    }

    fn handle_timeout(&mut self, now: Instant) {
        while let Some(&(id, up, _)) = self.changes.front().filter(|c| c.2 <= now) {
            self.changes.pop_front();
            self.local_changed(id, up);
        }
        while let Some(&(local, remote, _)) = self.retries.front().filter(|r| r.2 <= now) {
            self.retries.pop_front();
            if self.locals & bit(local) != 0 && self.remotes & bit(remote) != 0 {
                self.actions.push_back(PathAction::Connect { local, remote, backup: false });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }
    fn actions(pm: &mut Fullmesh) -> Vec<PathAction> {
        std::iter::from_fn(|| pm.poll_action()).collect()
    }
    fn connect(local: u8, remote: u8) -> PathAction {
        PathAction::Connect { local, remote, backup: false }
    }
    /// A client with two addresses, connected.
    fn client(config: &FullmeshConfig) -> Fullmesh {
        let mut pm = Fullmesh::build(config);
        for id in [0, 1] {
            pm.on_event(&PathEvent::LocalUp { id }, at(0));
        }
        pm.on_event(&PathEvent::Established { client: true }, at(0));
        pm
    }

    #[test]
    fn the_client_meshes_all_addresses_and_announces_its_own() {
        let mut pm = client(&FullmeshConfig::default());
        assert_eq!(actions(&mut pm), [PathAction::Announce { local: 1 }, connect(1, 0)]);
        pm.on_event(&PathEvent::RemoteAdded { id: 1, in_use: false }, at(1));
        assert_eq!(actions(&mut pm), [connect(0, 1), connect(1, 1)]);
        pm.on_event(&PathEvent::RemoteAdded { id: 1, in_use: false }, at(2));
        assert_eq!(actions(&mut pm), [], "known already");
    }

    #[test]
    fn the_server_announces_and_opens_nothing() {
        let mut pm = Fullmesh::build(&FullmeshConfig::default());
        for id in [0, 1, 2] {
            pm.on_event(&PathEvent::LocalUp { id }, at(0));
        }
        pm.on_event(&PathEvent::Established { client: false }, at(0));
        assert_eq!(actions(&mut pm), [PathAction::Announce { local: 1 }, PathAction::Announce { local: 2 }]);
    }

    #[test]
    fn changes_wait_and_cancel_out() {
        let config = FullmeshConfig { event_delay: Duration::from_millis(500), ..FullmeshConfig::default() };
        let mut pm = client(&config);
        actions(&mut pm);
        pm.on_event(&PathEvent::LocalDown { id: 1 }, at(1000));
        assert_eq!(pm.poll_timeout(), Some(at(1500)));
        pm.on_event(&PathEvent::LocalUp { id: 1 }, at(1400));
        assert_eq!((pm.poll_timeout(), actions(&mut pm)), (None, vec![]));
        pm.on_event(&PathEvent::LocalDown { id: 1 }, at(2000));
        pm.handle_timeout(at(2499));
        assert_eq!(actions(&mut pm), []);
        pm.handle_timeout(at(2500));
        assert_eq!(actions(&mut pm), [PathAction::Withdraw { local: 1 }]);
        pm.on_event(&PathEvent::LocalUp { id: 1 }, at(3000));
        pm.handle_timeout(at(3500));
        assert_eq!(actions(&mut pm), [PathAction::Announce { local: 1 }, connect(1, 0)]);
    }

    #[test]
    fn without_a_route_there_is_one_second_attempt() {
        let mut pm = client(&FullmeshConfig::default());
        actions(&mut pm);
        let lost = PathEvent::SubflowLost { local: 1, remote: 0, cause: None };
        pm.on_event(&lost, at(0));
        assert_eq!(pm.poll_timeout(), Some(at(1000)));
        pm.handle_timeout(at(1000));
        assert_eq!(actions(&mut pm), [connect(1, 0)]);
        pm.on_event(&lost, at(1001));
        assert_eq!((pm.poll_timeout(), actions(&mut pm)), (None, vec![]));
    }

    #[test]
    fn an_address_that_is_announced_again_is_joined_again_where_it_is_not_joined() {
        let mut pm = client(&FullmeshConfig::default());
        pm.on_event(&PathEvent::RemoteAdded { id: 1, in_use: false }, at(1));
        actions(&mut pm);
        let lost = |local| PathEvent::SubflowLost { local, remote: 1, cause: Some(ResetCause::Peer) };
        // A subflow breaks before the address comes back, another after it; only an announcement opens one.
        pm.on_event(&lost(0), at(2));
        assert_eq!(actions(&mut pm), []);
        pm.on_event(&PathEvent::RemoteAdded { id: 1, in_use: false }, at(3));
        assert_eq!(actions(&mut pm), [connect(0, 1)]);
        pm.on_event(&lost(1), at(4));
        assert_eq!(actions(&mut pm), [connect(1, 1)]);
        pm.on_event(&lost(1), at(5));
        assert_eq!(actions(&mut pm), []);
        // A withdrawal that comes through says more than that.
        pm.on_event(&PathEvent::RemoteRemoved { id: 1 }, at(6));
        pm.on_event(&PathEvent::RemoteAdded { id: 1, in_use: false }, at(7));
        assert_eq!(actions(&mut pm), [PathAction::Abandon { remote: 1 }, connect(0, 1), connect(1, 1)]);
    }

    #[test]
    fn dead_subflow_is_opened_again_only_if_configured() {
        let lost = PathEvent::SubflowLost { local: 1, remote: 0, cause: Some(ResetCause::TimedOut) };
        for (create_on_err, expected) in [(false, vec![]), (true, vec![connect(1, 0)])] {
            let mut pm = client(&FullmeshConfig { create_on_err, ..FullmeshConfig::default() });
            actions(&mut pm);
            pm.on_event(&lost, at(5));
            assert_eq!(actions(&mut pm), expected);
        }
    }
}
