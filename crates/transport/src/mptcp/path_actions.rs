//! What comes and goes of addresses, and what the path manager wants done about it (RFC 8684 §3.4).

use super::key::address_hmac;
use super::option::{AddressIds, Signal};
use super::path_manager::{AddressId, PathAction, PathEvent, PathManager};
use super::paths::addresses::Remote;
use super::subflow::join::Join;
use super::subflow::{Subflow, Tuple};
use super::{MAX_SUBFLOWS, Mptcp};
use crate::tcp::ResetCause;
use tailrace_core::Instant;

impl Mptcp {
    /// The addresses of this host in the order of its interfaces, whether they can be used or not. Ids follow that
    /// order, but for the address that the connection began with, which is 0.
    pub fn set_interfaces(&mut self, addresses: impl IntoIterator<Item = u32>, now: Instant) {
        for (i, address) in addresses.into_iter().enumerate() {
            let Some(id) = self.addresses.id_of(address) else { return };
            let number = u8::try_from(i + 1).unwrap_or(u8::MAX);
            self.addresses.set_interface(id, number);
            self.path_manager.on_event(&PathEvent::LocalInterface { id, number }, now);
        }
    }

    /// The addresses of the peer's host in the order of its interfaces. They have the ids that the peer gives them.
    /// Path managers that go by announcements make no use of them.
    pub fn set_peer_interfaces(&mut self, addresses: impl IntoIterator<Item = u32>, now: Instant) {
        let first = self.addresses.first_remote();
        let (mut known, mut next) = (Vec::new(), 1);
        for (i, address) in addresses.into_iter().take(usize::from(u8::MAX)).enumerate() {
            let id = if address == first.address { 0 } else { next };
            next += u8::from(id != 0);
            known.push(Remote { id, address, port: first.port });
            self.path_manager.on_event(&PathEvent::RemoteInterface { id, number: i as u8 + 1 }, now);
        }
        self.addresses.set_known(known);
    }

    /// This host's address `address` can be used.
    pub fn local_up(&mut self, address: u32, now: Instant) {
        let renumbers = self.plan.mptcp.new_address_ids;
        let Some((old, id)) = self.addresses.bring_up(address, renumbers) else { return };
        if !(old.withdrawn && renumbers) {
            // What nobody could be told while there was no subflow is no longer true.
            self.signals.retract(&Signal::RemoveAddr(AddressIds::one(id)));
        } else if let Some(number) = old.interface.filter(|_| id != old.id) {
            self.path_manager.on_event(&PathEvent::LocalInterface { id, number }, now);
        }
        self.path_manager.on_event(&PathEvent::LocalUp { id }, now);
        self.run_path_manager(now);
    }

    /// This host's address `address` can no longer be used.
    pub fn local_down(&mut self, address: u32, now: Instant) {
        let Some(id) = self.addresses.take_down(address) else { return };
        self.path_manager.on_event(&PathEvent::LocalDown { id }, now);
        self.run_path_manager(now);
    }

    /// The interface of this host's address `address` is up or down: while it is down it drops what subflows send.
    pub fn set_carrier(&mut self, address: u32, up: bool) {
        for id in 0..self.subflows.len() {
            if self.subflows[id].tuple.local == address {
                self.subflows[id].cut_off = !up;
            }
        }
    }

    /// There is no route for what subflow `tuple` wants to send. If that is the first segment of a join, the join does not
    /// begin, and the segment was never sent; else it is lost, and TCP tries again. Returns whether it was never sent.
    pub fn unreachable(&mut self, tuple: &Tuple, now: Instant) -> bool {
        let begins = |s: &Subflow| {
            let first = s.tcp.stats().segments_sent == 1 && !s.tcp.state().is_synchronized();
            !s.gone && s.tuple == *tuple && s.join.is_some_and(|j| j.active) && first
        };
        let Some(id) = self.subflows.iter().position(begins) else { return false };
        (self.subflows[id].gone, self.subflows[id].unrouted) = (true, true);
        if let Some(coupling) = &mut self.coupling {
            coupling.remove(id);
        }
        self.opening = None;
        self.subflows.refresh_timers(id);
        let (local, remote) = (self.subflows[id].local, self.subflows[id].remote);
        self.path_manager.on_event(&PathEvent::SubflowLost { local, remote, cause: None }, now);
        self.path_manager.on_event(&PathEvent::SubflowGone { local, remote }, now);
        self.run_path_manager(now);
        true
    }

    /// Makes the paths over the address with id `local` backups, or regular ones again (RFC 8684 §3.3.8).
    pub fn set_backup(&mut self, local: AddressId, backup: bool) {
        for id in 0..self.subflows.len() {
            let s = &mut self.subflows[id];
            if s.gone || s.local != local || s.backup == backup {
                continue;
            }
            s.backup = backup;
            s.tcp.demand_ack();
            self.signals.push(Some(id), Signal::Priority { backup });
            self.subflows.mark_dirty(id);
        }
    }

    /// Does what the path manager wants, one join after the other: there is room for so many, and one that turns out to
    /// have no route takes none.
    pub(super) fn run_path_manager(&mut self, now: Instant) {
        while self.opening.is_none()
            && let Some(action) = self.path_manager.poll_action()
        {
            if !self.is_multipath() {
                continue;
            }
            self.act(action, now);
        }
    }

    /// Whether the SYN of a join has left that others wait for.
    pub(super) fn has_opened(&mut self) -> bool {
        let left = |id: &usize| {
            let s = &self.subflows[*id];
            s.gone || s.tcp.stats().segments_sent > 0
        };
        self.opening.take_if(|id| left(id)).is_some()
    }

    // Every segment asks whether there is anything to do: what is done lies apart.
    #[cold]
    fn act(&mut self, action: PathAction, now: Instant) {
        match action {
            PathAction::Connect { local, remote, backup } => {
                if self.open(local, remote, backup, now).is_none() {
                    self.path_manager.on_event(&PathEvent::SubflowGone { local, remote }, now);
                }
            }
            PathAction::ConnectThrough { route } => {
                if let Some(id) = self.open(0, 0, false, now) {
                    self.subflows[id].route = Some(route);
                }
            }
            PathAction::Announce { local } => self.announce_address(local, now),
            PathAction::Withdraw { local } => self.withdraw(local, now),
            PathAction::Abandon { remote } => self.abandon(remote, now),
            PathAction::Close { local, remote } => {
                self.end_subflows(|s| (s.local, s.remote) == (local, remote), now);
            }
            PathAction::Priority { local, backup } => self.set_backup(local, backup),
        }
    }

    /// Opens a subflow, if there are such addresses and there is room for it.
    fn open(&mut self, local: AddressId, remote: AddressId, backup: bool, now: Instant) -> Option<usize> {
        let live = self.subflows.attached().count();
        let (from, to) = (self.addresses.local(local)?, self.addresses.remote(remote)?);
        // Where all is done a new one would be left open.
        if live >= self.most_subflows() || self.is_over() {
            return None;
        }
        self.make_place(now);
        let tuple = self.addresses.next_tuple(&from, &to);
        let tcp = self.endpoint(true, now);
        let mut subflow = Subflow::new(tcp, tuple, (local, remote));
        subflow.backup = backup;
        subflow.join = Some(Join { active: true, nonce: self.rng.next_u64() as u32, peer_nonce: 0 });
        let id = self.place(subflow);
        self.opening = Some(id);
        Some(id)
    }

    /// An ACK goes out somewhere, for a signal to ride on.
    pub(super) fn say_something(&mut self) {
        if let Some(id) = self.speaker() {
            self.subflows[id].tcp.demand_ack();
            self.subflows.mark_dirty(id);
        }
    }

    fn withdraw(&mut self, local: AddressId, now: Instant) {
        self.addresses.withdraw(local);
        self.announcements.retain(|a| a.id != local);
        self.end_with_address(|s| s.local == local, now);
        let on = self.speaker_of_addresses();
        self.signals.push(on, Signal::RemoveAddr(AddressIds::one(local)));
        self.refresh_all();
        self.say_something();
    }

    fn abandon(&mut self, remote: AddressId, now: Instant) {
        self.addresses.forget(remote);
        self.end_with_address(|s| s.remote == remote, now);
    }

    /// Ends subflows whose address is gone: if they were the last, it is what the connection is lost for.
    fn end_with_address(&mut self, which: impl Fn(&Subflow) -> bool, now: Instant) {
        let had_some = !self.close_timer.runs();
        self.end_subflows(which, now);
        if had_some && self.close_timer.runs() {
            self.close_timer.blame(ResetCause::AddressLost);
        }
    }

    fn end_subflows(&mut self, which: impl Fn(&Subflow) -> bool, now: Instant) {
        for id in 0..self.subflows.len() {
            if self.subflows[id].is_attached() && which(&self.subflows[id]) {
                if self.plan.mptcp.closes_in_order && self.subflows[id].tcp.state().is_synchronized() {
                    self.subflows[id].tcp.demand_ack();
                    self.detach(id, Some(ResetCause::Local), now);
                } else {
                    self.subflows[id].tcp.abort();
                }
                self.settle(id, now);
            }
        }
    }

    /// The connection is done with subflow `id`, because of `cause` if not in good order; its TCP still sends what it has, and its FIN
    /// (`__mptcp_close_ssk`).
    pub(super) fn detach(&mut self, id: usize, cause: Option<ResetCause>, now: Instant) {
        self.subflows[id].detached = true;
        self.subflows[id].tcp.close();
        self.part_with(id, cause, now);
    }

    /// There is a place for another subflow: if need be that of one with which the connection is done.
    pub(super) fn make_place(&mut self, now: Instant) {
        if self.subflows.len() < MAX_SUBFLOWS || self.subflows.iter().any(|s| s.gone) {
            return;
        }
        if let Some(id) = self.subflows.iter().position(|s| s.detached) {
            self.subflows[id].tcp.abort();
            self.settle(id, now);
        }
    }

    /// The peer has announced an address on subflow `id`: it is echoed (RFC 8684 §3.4.1; version 0 did not).
    pub(super) fn on_add_addr(
        &mut self,
        id: usize,
        (remote, address, port): (AddressId, u32, Option<u16>),
        hmac: u64,
        now: Instant,
    ) {
        let Some(peer) = self.numbers.peer() else { return };
        if hmac != address_hmac((peer, self.numbers.key()), remote, address, port.unwrap_or(0)) {
            return;
        }
        if self.plan.mptcp.add_addr_echo {
            let on = self.speaker_of_addresses().unwrap_or(id);
            self.signals.push(Some(on), Signal::AddAddr { id: remote, address, port, hmac: None });
            self.subflows[on].tcp.demand_ack();
            self.subflows.mark_dirty(on);
        }
        let port = port.unwrap_or(self.addresses.first_remote().port);
        self.addresses.learn(Remote { id: remote, address, port });
        self.path_manager.on_event(&PathEvent::RemoteAdded { id: remote }, now);
    }
}
