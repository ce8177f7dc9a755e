//! Upstream Linux's in-kernel path manager (net/mptcp/pm_kernel.c): limits, and endpoints with flags.
//!
//! A `signal` endpoint is announced; from a `subflow` endpoint one subflow is opened to the peer's initial address,
//! from a `fullmesh` one to each address of the peer that a subflow goes to. An announced address is accepted within
//! a limit, and then joined from all `fullmesh` endpoints, or for want of them from where its route begins. Each
//! endpoint is used once: a subflow that breaks is not opened again, the next unused endpoint is used. Interfaces do
//! not concern the kernel; a daemon adds and removes endpoints, and an endpoint that was removed and added is unused.
//! Where several interfaces change at one instant the daemon comes to one endpoint after the other, and the connection
//! does all that follows from a change before the next: what the subflows of the first endpoint carried goes out again
//! ahead of the word that the second is gone, and may fill the queue in which that is lost. The peer then counts
//! subflows that are no more, and refuses as many that are to replace them.
//! Joins go to a listening socket, which only the server has.
//!
//! Addresses are announced one at a time: the next when the peer has echoed the one before, or a further subflow has come or gone.
//!
//! Departures: where an announced address is accepted, the limit on subflows holds for joins without `fullmesh` endpoints, too; the route
//! to an announced address begins at the first interface that has one.

mod endpoint;

pub use endpoint::{Endpoint, Endpoints};

use super::delayed::Delayed;
use super::{
    AddressId, End, Misfit, NamedInterface, Outage, PathAction, PathEvent, PathManager, PathManagerKind,
};
use endpoint::MAX_ENDPOINTS;
use std::collections::VecDeque;
use tailrace_core::params::Invalid;
use tailrace_core::{Duration, Instant, parameters};

parameters! {
    /// Parameters of `linux`. Interfaces are counted from 1, in the order of the host's links in the scenario.
    pub struct LinuxPathsConfig {
        /// Number of subflows that either end may open in addition to the first, 0 to 8. With too few, paths stay
        /// unused.
        subflows: u64 = 2, "Linux, ip mptcp limits: subflows";
        /// Number of addresses announced by the other end that are accepted and used for subflows, 0 to 8.
        add_addr_accepted: u64 = 0, "Linux, ip mptcp limits: add_addr_accepted";
        /// Endpoints of the client, such as `"2 subflow, 3 subflow backup"`: the number of an interface, then any of
        /// `subflow`, `signal`, `backup`, `fullmesh`; or `"none"`. With `"auto"` every interface is a `subflow`
        /// endpoint, up to 8.
        client: Endpoints = Endpoints::Auto, "NetworkManager, connection.mptcp-flags";
        /// Endpoints of the server, in the same form; `"auto"` is none.
        server: Endpoints = Endpoints::Auto, "Linux: no endpoints";
        /// Delay between a change of an interface and that of its endpoint, which a daemon makes in Linux. A longer
        /// delay keeps a dead path in use.
        event_delay: Duration = Duration::ZERO, "at once";
        /// Whether the client also accepts further subflows, as if a socket listened on its port.
        client_listens: bool = false, "Linux: a socket that connects does not listen";
    }
}

/// The path manager `linux`.
#[derive(Clone, Debug)]
pub struct LinuxPaths {
    config: LinuxPathsConfig,
    client: bool,
    established: bool,
    locals: Vec<Local>,
    endpoints: Vec<Added>,
    /// Subflows: from, to, and whether they count towards the limit, as all but the first do.
    live: Vec<(AddressId, AddressId, bool)>,
    /// Announced addresses that were accepted, and whether more are.
    accepted: u64,
    accepts: bool,
    /// An announced address for which a route is looked up, and the local addresses that are left.
    lookup: Option<(AddressId, Vec<AddressId>)>,
    /// Pair of addresses without a route, as has just turned out.
    unrouted: Option<(AddressId, AddressId)>,
    changes: Delayed,
    actions: VecDeque<PathAction>,
}

/// An address of this host.
#[derive(Clone, Copy, Debug)]
struct Local {
    id: AddressId,
    interface: u8,
    up: bool,
}

/// An endpoint of this host, whether it is there at the moment, and what is still to be done with it.
#[derive(Clone, Copy, Debug)]
struct Added {
    flags: Endpoint,
    id: Option<AddressId>,
    there: bool,
    to_announce: bool,
    to_connect: bool,
    announced: bool,
}

impl PathManagerKind for LinuxPaths {
    type Config = LinuxPathsConfig;
    const SUMMARY: &'static str = "Linux's: addresses with flags (endpoints), within limits";
    const CITATION: &'static str = "Linux, net/mptcp/pm_kernel.c";
    fn validate(c: &LinuxPathsConfig) -> Result<(), Invalid> {
        let limits = [("subflows", c.subflows), ("add_addr_accepted", c.add_addr_accepted)];
        match limits.iter().find(|(_, n)| *n > MAX_ENDPOINTS as u64) {
            Some((name, n)) => Err((name, format!("expected 0 to {MAX_ENDPOINTS}, as in Linux; found {n}"))),
            None => Ok(()),
        }
    }
    fn opens_paths(c: &LinuxPathsConfig) -> bool {
        let listed = |end: &Endpoints, what: fn(&Endpoint) -> bool| end.listed().iter().any(what);
        let connects = c.client == Endpoints::Auto || listed(&c.client, |e| e.subflow || e.fullmesh);
        let accepts = c.add_addr_accepted > 0 && listed(&c.server, |e| e.signal);
        let called = c.client_listens && listed(&c.server, |e| e.subflow || e.fullmesh);
        c.subflows > 0 && (connects || accepts || called)
    }
    fn first_address_only(c: &LinuxPathsConfig) -> Option<&'static str> {
        let joined = c.add_addr_accepted > 0 && c.server.listed().iter().any(|e| e.signal);
        (!joined).then_some(
            "let the server announce another and the client accept it, as in server = \"2 signal\", \
             add_addr_accepted = 1; or use path_manager = \"fullmesh\"",
        )
    }
    fn limit(c: &LinuxPathsConfig) -> Option<(&'static str, u64)> {
        Some(("subflows", c.subflows + 1))
    }
    fn interfaces(c: &LinuxPathsConfig) -> Vec<NamedInterface> {
        let named = |client, parameter, endpoints: &Endpoints| {
            let name = |e: &Endpoint| NamedInterface {
                parameter,
                client,
                number: e.interface,
                words: e.to_string(),
            };
            endpoints.listed().iter().map(name).collect::<Vec<_>>()
        };
        [named(true, "client", &c.client), named(false, "server", &c.server)].concat()
    }
    fn validate_ends(c: &LinuxPathsConfig, [client, server]: [End; 2]) -> Result<(), Misfit> {
        let misfit = |parameter, end: End| {
            let others = if end.interfaces > 1 { " and every other that may be joined" } else { "" };
            let first = end.first;
            Misfit {
                parameter,
                why: format!(
                    "interface {first}, with which the connection begins,{others} is a backup: of nothing"
                ),
                remedy: "leave `backup` out of one, or add an endpoint without it".into(),
            }
        };
        if c.client.has_backup(client.first) && !c.joins_regularly(client) {
            return Err(misfit("client", client));
        }
        let announced = c.server.listed().iter().any(|e| e.signal && !e.backup);
        let joined = announced && c.subflows > 0 && c.add_addr_accepted > 0;
        if c.server.has_backup(server.first) && !joined {
            return Err(misfit("server", server));
        }
        Ok(())
    }
    fn ends_with(c: &LinuxPathsConfig, outage: &Outage) -> bool {
        outage.lasts >= c.event_delay && c.loses_all(outage) && !c.joins_after(outage)
    }
    fn build(config: &LinuxPathsConfig) -> Self {
        Self {
            client: false,
            established: false,
            locals: vec![Local { id: 0, interface: 1, up: true }],
            endpoints: Vec::new(),
            live: vec![(0, 0, false)],
            accepted: 0,
            accepts: config.subflows > 0 && config.add_addr_accepted > 0,
            lookup: None,
            unrouted: None,
            changes: Delayed::new(config.event_delay),
            actions: VecDeque::new(),
            config: config.clone(),
        }
    }
}

impl LinuxPathsConfig {
    /// Endpoints of an end.
    fn endpoints(&self, client: bool) -> &Endpoints {
        if client { &self.client } else { &self.server }
    }

    /// Whether an outage takes the address of every subflow away. An address without an endpoint stays.
    fn loses_all(&self, outage: &Outage) -> bool {
        let endpoints = self.endpoints(outage.client);
        if outage.client && *endpoints == Endpoints::Auto {
            return if self.subflows == 0 { outage.has_first() } else { outage.has_all() };
        }
        let first = |e: &&Endpoint| usize::from(e.interface) == outage.end.first;
        let announced = self.server.listed().iter().any(|e| e.signal);
        let accepts = self.add_addr_accepted > 0 && announced;
        let used = |e: &&Endpoint| match outage.client {
            true => e.subflow || (e.fullmesh && accepts),
            false => e.signal && accepts,
        };
        let mut in_use = endpoints.listed().iter().filter(|e| first(e) || (self.subflows > 0 && used(e)));
        endpoints.listed().iter().any(|e| first(&e)) && in_use.all(|e| outage.has(e.interface.into()))
    }

    /// Whether a subflow joins once the addresses are back: from a client's endpoint, to the address that the connection began with, as a
    /// fullmesh endpoint only joins addresses that some subflow goes to; or to an address that a server announces.
    fn joins_after(&self, outage: &Outage) -> bool {
        let plain = |e: &Endpoint| e.subflow && !e.fullmesh;
        let from_client = self.client == Endpoints::Auto || self.client.listed().iter().any(plain);
        let announced = self.server.listed().iter().any(|e| e.signal);
        let joins = match outage.client {
            true => from_client,
            false => {
                (outage.at_peer && from_client)
                    || (outage.closes_in_order && announced && self.add_addr_accepted > 0)
            }
        };
        joins && self.subflows > 0
    }

    /// Whether the client may join from an interface that is no backup.
    fn joins_regularly(&self, client: End) -> bool {
        let endpoints = self.client.listed();
        let opens = endpoints.iter().any(|e| (e.subflow || e.fullmesh) && !e.backup);
        // An announced address is joined from anywhere where no endpoint is fullmesh.
        let announced = self.add_addr_accepted > 0 && self.server.listed().iter().any(|e| e.signal);
        let anywhere = announced && !endpoints.iter().any(|e| e.fullmesh);
        let plain = (1..=client.interfaces).any(|i| !self.client.has_backup(i));
        self.subflows > 0 && (opens || (anywhere && plain))
    }
}

impl Added {
    const fn new(flags: Endpoint) -> Self {
        Self { flags, id: None, there: false, to_announce: false, to_connect: false, announced: false }
    }

    fn add(&mut self, id: AddressId) {
        self.id = Some(id);
        self.there = true;
        (self.to_announce, self.to_connect) = (self.flags.signal, self.flags.subflow);
    }
}

impl LinuxPaths {
    fn local(&mut self, id: AddressId) -> &mut Local {
        let known = self.locals.iter().position(|l| l.id == id);
        let i = known.unwrap_or_else(|| {
            self.locals.push(Local { id, interface: id.saturating_add(1), up: false });
            self.locals.len() - 1
        });
        &mut self.locals[i]
    }

    /// The endpoint of the address with this id.
    fn endpoint(&self, id: AddressId) -> Option<&Added> {
        self.endpoints.iter().find(|e| e.there && e.id == Some(id))
    }

    fn subflows(&self) -> u64 {
        self.live.iter().filter(|s| s.2).count() as u64
    }

    fn connect(&mut self, local: AddressId, remote: AddressId) {
        let backup = self.is_backup(local);
        self.live.push((local, remote, true));
        self.actions.push_back(PathAction::Connect { local, remote, backup });
    }

    fn on_established(&mut self, client: bool) {
        (self.client, self.established) = (client, true);
        self.locals.sort_by_key(|l| l.interface);
        let every = |l: &Local| Endpoint { interface: l.interface, subflow: true, ..Endpoint::default() };
        let written = if client { &self.config.client } else { &self.config.server };
        let endpoints: Vec<Endpoint> = match written {
            Endpoints::Auto if client => {
                let mut all: Vec<_> = self.locals.iter().map(every).collect();
                // An interface whose address has changed is there twice, and is one.
                all.dedup_by_key(|e| e.interface);
                all.truncate(MAX_ENDPOINTS);
                all
            }
            written => written.listed().to_vec(),
        };
        self.endpoints = endpoints.into_iter().map(Added::new).collect();
        for local in self.locals.clone().iter().filter(|l| l.up) {
            self.add(local.id);
        }
        if let Some(own) = self.endpoints.iter_mut().find(|e| e.id == Some(0)) {
            // It is in use by the first subflow.
            (own.to_announce, own.to_connect) = (false, false);
            if own.flags.backup {
                self.actions.push_back(PathAction::Priority { local: 0, backup: true });
            }
        }
        self.create();
    }

    fn add(&mut self, id: AddressId) {
        let interface = self.local(id).interface;
        if let Some(e) = self.endpoints.iter_mut().find(|e| e.flags.interface == interface) {
            e.add(id);
        }
    }

    /// Announces and joins with the endpoints that were not used yet (mptcp_pm_create_subflow_or_signal_addr).
    fn create(&mut self) {
        if !self.established {
            return;
        }
        // Announces one address at a time: the next follows upon news such as the echo of this one.
        if let Some(e) = self.endpoints.iter_mut().find(|e| e.there && e.to_announce) {
            (e.to_announce, e.announced) = (false, true);
            self.actions.extend(e.id.map(|local| PathAction::Announce { local }));
        }
        while self.subflows() < self.config.subflows {
            let Some(e) = self.endpoints.iter_mut().find(|e| e.there && e.to_connect) else { return };
            e.to_connect = false;
            let (fullmesh, Some(local)) = (e.flags.fullmesh, e.id) else { continue };
            if fullmesh {
                self.connect_to_all(local);
            } else {
                self.connect(local, 0);
            }
        }
    }

    /// Subflows from `local` to each address of the peer that some subflow goes to.
    fn connect_to_all(&mut self, local: AddressId) {
        let mut remotes: Vec<AddressId> = self.live.iter().map(|s| s.1).collect();
        remotes.sort_unstable();
        remotes.dedup();
        remotes.retain(|r| self.live.iter().all(|s| (s.0, s.1) != (local, *r)));
        for remote in remotes {
            if self.subflows() < self.config.subflows {
                self.connect(local, remote);
            }
        }
    }

    /// An announced address (mptcp_pm_nl_add_addr_received).
    fn on_announced(&mut self, remote: AddressId, in_use: bool) {
        // Whatever its id is: `lookup_subflow_by_daddr`.
        let known = in_use || self.live.iter().any(|s| s.1 == remote);
        if !self.accepts || known || self.subflows() >= self.config.subflows {
            return;
        }
        let meshed: Vec<AddressId> =
            self.endpoints.iter().filter(|e| e.there && e.flags.fullmesh).filter_map(|e| e.id).collect();
        if meshed.is_empty() {
            let up = self.locals.iter().filter(|l| l.up).map(|l| l.id).collect();
            self.lookup = Some((remote, up));
            self.look_up();
        }
        for local in meshed {
            if self.subflows() < self.config.subflows {
                self.connect(local, remote);
            }
        }
        if remote != 0 {
            self.accepted += 1;
        }
        self.accepts = self.has_room();
    }

    /// Whether another announced address may be accepted.
    fn has_room(&self) -> bool {
        self.accepted < self.config.add_addr_accepted && self.subflows() < self.config.subflows
    }

    /// Tries the next local address; returns whether there is one.
    fn look_up(&mut self) -> bool {
        let Some((remote, locals)) = self.lookup.as_mut().filter(|(_, locals)| !locals.is_empty()) else {
            return false;
        };
        let (local, remote) = (locals.remove(0), *remote);
        self.connect(local, remote);
        true
    }

    /// There is no route between these addresses.
    fn on_no_route(&mut self, local: AddressId, remote: AddressId) {
        self.unrouted = Some((local, remote));
        let looked_up = self.lookup.as_ref().is_some_and(|(r, _)| *r == remote);
        if looked_up && self.look_up() {
            return;
        }
        if self.live.iter().all(|s| s.1 != remote || s.0 == local) {
            self.forget_announced(remote);
        }
    }

    /// An announced address is not used after all.
    fn forget_announced(&mut self, remote: AddressId) {
        if remote != 0 && self.accepted > 0 {
            self.accepted -= 1;
            self.accepts = self.accepted < self.config.add_addr_accepted;
        }
    }

    fn on_withdrawn(&mut self, remote: AddressId) {
        if self.live.iter().any(|s| s.1 == remote) {
            self.forget_announced(remote);
        }
        self.actions.push_back(PathAction::Abandon { remote });
    }

    fn on_local(&mut self, id: AddressId, up: bool) {
        self.local(id).up = up;
        if !self.established {
            return;
        }
        if up {
            self.add(id);
            self.create();
            return;
        }
        let used = self.live.iter().any(|s| s.0 == id);
        let Some(e) = self.endpoints.iter_mut().find(|e| e.there && e.id == Some(id)) else { return };
        e.there = false;
        if core::mem::take(&mut e.announced) || used {
            self.actions.push_back(PathAction::Withdraw { local: id });
        }
    }

    fn on_gone(&mut self, local: AddressId, remote: AddressId) {
        if let Some(i) = self.live.iter().position(|s| (s.0, s.1) == (local, remote)) {
            self.live.remove(i);
        }
        if self.unrouted.take() == Some((local, remote)) && remote != 0 {
            // To Linux this place was taken while it looked for a route, and is free before it decides about the next address.
            self.accepts = self.has_room();
        }
        self.create();
    }
}

impl PathManager for LinuxPaths {
    fn on_event(&mut self, event: &PathEvent, now: Instant) {
        match *event {
            PathEvent::Established { client } => self.on_established(client),
            PathEvent::LocalInterface { id, number } => self.local(id).interface = number,
            PathEvent::RemoteInterface { .. } => {}
            PathEvent::LocalUp { id } | PathEvent::LocalDown { id } => {
                let up = matches!(event, PathEvent::LocalUp { .. });
                if !self.established {
                    self.on_local(id, up);
                } else {
                    self.changes.queue(id, up, now);
                }
            }
            PathEvent::RemoteAdded { id, in_use } => self.on_announced(id, in_use),
            PathEvent::RemoteRemoved { id } => self.on_withdrawn(id),
            // The first, with which the connection is established.
            PathEvent::SubflowUp { local: 0, remote: 0 } => {}
            PathEvent::SubflowUp { .. } | PathEvent::Echoed { .. } => self.create(),
            PathEvent::SubflowLost { local, remote, cause: None } => self.on_no_route(local, remote),
            PathEvent::SubflowLost { .. } => {}
            PathEvent::SubflowAccepted { local, remote } => self.live.push((local, remote, true)),
            PathEvent::SubflowGone { local, remote } => self.on_gone(local, remote),
        }
    }

    fn poll_action(&mut self) -> Option<PathAction> {
        self.actions.pop_front()
    }

    fn accepts_join(&self) -> bool {
        (!self.client || self.config.client_listens) && self.subflows() < self.config.subflows
    }

    fn is_backup(&self, local: AddressId) -> bool {
        self.endpoint(local).is_some_and(|e| e.flags.backup)
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.changes.next()
    }

    fn handle_timeout(&mut self, now: Instant) {
        if let Some((id, up)) = self.changes.take(now) {
            self.on_local(id, up);
        }
    }
}

#[cfg(test)]
mod tests;
