//! Addresses that come and go, and the actions of the path manager (RFC 8684 §3.4).

use super::MAX_SUBFLOWS;
use super::Mptcp;
use super::behaviour::{EchoWait, Speaker};
use super::key::address_hmac;
use super::option::{AddressIds, Signal};
use super::path_manager::{AddressId, PathAction, PathEvent, PathManager};
use super::paths::addresses::RemoteAddress;
use super::subflow::join::JoinHandshake;
use super::subflow::priority::BackupPriority;
use super::subflow::state::{SubflowState, SubflowTrigger};
use super::subflow::{Subflow, Tuple};
use crate::tcp::ResetCause;
use tailrace_core::{Duration, Instant};

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
            known.push(RemoteAddress { id, address, port: first.port });
            self.path_manager.on_event(&PathEvent::RemoteInterface { id, number: i as u8 + 1 }, now);
        }
        self.addresses.set_known(known);
    }

    /// This host's address `address` can be used.
    pub fn local_up(&mut self, address: u32, now: Instant) {
        let renumbers = self.plan.mptcp.new_address_ids;
        let Some((old, id)) = self.addresses.bring_up(address, renumbers) else { return };
        if !(old.withdrawn && renumbers) {
            // The withdrawal could not be told while there was no subflow, and is not true any more.
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

    /// The interface of this host's address `address` is up or down: while it is down it drops the packets of subflows.
    pub fn set_carrier(&mut self, address: u32, up: bool) {
        for id in 0..self.subflows.len() {
            if self.subflows[id].tuple.local == address {
                self.subflows[id].carrier_down = !up;
            }
        }
    }

    /// There is no route for a segment of subflow `tuple`. The first segment of a join is not sent then, and the join does not begin; any
    /// other segment is lost, and TCP tries again. Returns whether the join has not begun.
    pub fn unreachable(&mut self, tuple: &Tuple, now: Instant) -> bool {
        let begins = |s: &Subflow| {
            let first = s.tcp.stats().segments_sent == 1 && !s.tcp.state().is_synchronized();
            s.state() == SubflowState::Handshaking && s.tuple == *tuple && s.join.is_active() && first
        };
        let Some(id) = self.subflows.iter().position(begins) else { return false };
        self.subflows[id].on(SubflowTrigger::NoRoute);
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
            if s.is_over() || s.local != local || s.priority.is_local() == backup {
                continue;
            }
            s.priority.set_local(backup);
            s.tcp.demand_ack();
            self.signals.push(Some(id), Signal::Priority { backup });
            self.subflows.mark_dirty(id);
        }
    }

    /// Carries out the actions of the path manager, one join after the other: the number of subflows is limited, and a join that has no
    /// route does not count.
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
            s.is_over() || s.tcp.stats().segments_sent > 0
        };
        self.opening.take_if(|id| left(id)).is_some()
    }

    // Cold: every segment asks whether there are actions.
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
        let (from, to) = (self.addresses.local(local)?, self.addresses.remote(remote)?);
        // A subflow of a connection that is done would stay open.
        if !self.has_room_for_subflow() || self.is_over() {
            return None;
        }
        self.retract_removal(local);
        self.free_place(now);
        let tuple = self.addresses.next_tuple(&from, &to);
        let tcp = self.new_tcp(true, now);
        let mut subflow = Subflow::new(tcp, tuple, (local, remote));
        subflow.priority = BackupPriority::new(backup, false);
        subflow.join = JoinHandshake::new(true, self.rng.next_u64() as u32, 0);
        let id = self.add_subflow(subflow);
        self.opening = Some(id);
        Some(id)
    }

    /// Drops a REMOVE_ADDR for address `local` that has not left, as the address is in use again: the peer would end the subflows of the
    /// address (RFC 8684 §3.4.2).
    fn retract_removal(&mut self, local: AddressId) {
        if self.signals.retract(&Signal::RemoveAddr(AddressIds::one(local))) {
            self.addresses.restore(local);
        }
    }

    /// Demands an ACK on some subflow, for a signal to ride on.
    fn demand_signal_ack(&mut self) {
        if let Some(id) = self.signalling_subflow() {
            self.subflows[id].tcp.demand_ack();
            self.subflows.mark_dirty(id);
        }
    }

    /// Subflow that has to carry signals about addresses; `None` if any may.
    fn address_subflow(&mut self) -> Option<usize> {
        if self.plan.mptcp.speaker == Speaker::First { self.signalling_subflow() } else { None }
    }

    fn withdraw(&mut self, local: AddressId, now: Instant) {
        self.addresses.withdraw(local);
        self.add_addrs.remove(local);
        self.end_with_address(|s| s.local == local, now);
        let on = self.address_subflow();
        self.signals.push(on, Signal::RemoveAddr(AddressIds::one(local)));
        self.subflows.refresh_all(self.state.carries_data());
        self.demand_signal_ack();
    }

    fn abandon(&mut self, remote: AddressId, now: Instant) {
        self.addresses.forget(remote);
        self.end_with_address(|s| s.remote == remote, now);
    }

    /// Ends the subflows of an address that is gone. If they were the last, the connection is lost for that reason.
    fn end_with_address(&mut self, which: impl Fn(&Subflow) -> bool, now: Instant) {
        let had_some = !self.close_timers.is_running();
        self.end_subflows(which, now);
        if had_some && self.close_timers.is_running() {
            self.close_timers.set_cause(ResetCause::AddressLost);
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

    /// Detaches subflow `id`, because of `cause` unless it ends in good order; its TCP still sends what it has, and its FIN
    /// (`__mptcp_close_ssk`).
    pub(super) fn detach(&mut self, id: usize, cause: Option<ResetCause>, now: Instant) {
        let s = &mut self.subflows[id];
        let joined = s.state().has_joined();
        s.on(SubflowTrigger::Detach);
        s.tcp.close();
        self.release_subflow(id, joined, cause, now);
    }

    /// Frees a place for another subflow, if need be that of a detached one.
    pub(super) fn free_place(&mut self, now: Instant) {
        if self.subflows.len() < MAX_SUBFLOWS || self.subflows.iter().any(Subflow::is_over) {
            return;
        }
        if let Some(id) = self.subflows.iter().position(|s| s.state().is_detached()) {
            self.subflows[id].tcp.abort();
            // No action of the path manager comes in between: a subflow that it opens would take the place.
            self.poll_subflow_events(id, now);
            self.subflows.mark_dirty(id);
        }
    }

    /// Announces the address with id `local` to the peer by ADD_ADDR (RFC 8684 §3.4.1).
    fn announce_address(&mut self, local: AddressId, now: Instant) {
        self.add_addrs.remove(local);
        if self.send_add_addr(local) && self.plan.mptcp.add_addr_retries != Some(0) {
            let at = now.saturating_add(self.add_addr_timeout(0));
            self.add_addrs.push(local, at);
        }
    }

    /// Queues ADD_ADDR for address `local`; `false` if there is no such address.
    fn send_add_addr(&mut self, local: AddressId) -> bool {
        let (Some(l), Some(peer)) = (self.addresses.local(local), self.numbers.peer()) else {
            return false;
        };
        let hmac = Some(address_hmac((self.numbers.key(), peer), local, l.address, 0));
        let signal = Signal::AddAddr { id: local, address: l.address, port: None, hmac };
        // If one subflow has to carry it, pending ACKs of others leave without it.
        let on = self.address_subflow();
        self.signals.push_once(on, signal);
        self.demand_signal_ack();
        true
    }

    /// Time to wait for the echo of an ADD_ADDR that was repeated so often.
    fn add_addr_timeout(&self, repeats: u32) -> Duration {
        let most = self.plan.mptcp.add_addr_timeout;
        if self.plan.mptcp.add_addr_wait == EchoWait::Timeout {
            return most;
        }
        let rto = self.subflows.attached().map(|s| s.tcp.rto_of_estimate()).max().unwrap_or(most);
        rto.saturating_mul(1 << repeats.min(16)).min(most)
    }

    /// Time of the next repetition of an ADD_ADDR.
    #[inline]
    pub(super) fn add_addr_deadline(&self) -> Instant {
        if self.state.is_established() { self.add_addrs.deadline() } else { Instant::MAX }
    }

    /// Repeats the ADD_ADDRs that the peer should have echoed by now.
    pub(super) fn repeat_add_addrs(&mut self, now: Instant) {
        while let Some((id, repeats)) = self.add_addrs.next_due(now) {
            self.send_add_addr(id);
            if self.plan.mptcp.add_addr_retries.is_some_and(|most| u64::from(repeats) >= most) {
                self.add_addrs.remove(id);
            } else {
                let at = now.saturating_add(self.add_addr_timeout(repeats));
                self.add_addrs.repeat(id, at);
            }
        }
    }

    /// Handles the echo of an ADD_ADDR.
    pub(super) fn on_add_addr_echo(&mut self, local: AddressId, now: Instant) {
        self.add_addrs.remove(local);
        self.path_manager.on_event(&PathEvent::Echoed { local }, now);
        self.run_path_manager(now);
    }

    /// Handles ADD_ADDR on subflow `id`, and echoes it (RFC 8684 §3.4.1; version 0 did not).
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
            let on = self.address_subflow().unwrap_or(id);
            self.signals.push(Some(on), Signal::AddAddr { id: remote, address, port, hmac: None });
            self.subflows[on].tcp.demand_ack();
            self.subflows.mark_dirty(on);
        }
        let port = port.unwrap_or(self.addresses.first_remote().port);
        let in_use =
            self.subflows.attached().any(|s| (s.tuple.remote, s.tuple.remote_port) == (address, port));
        self.addresses.learn(RemoteAddress { id: remote, address, port });
        self.path_manager.on_event(&PathEvent::RemoteAdded { id: remote, in_use }, now);
    }
}
