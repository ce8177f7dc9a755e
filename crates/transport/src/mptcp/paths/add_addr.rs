//! ADD_ADDR: addresses that the peer is told of, and told again until it has echoed them (RFC 8684 §3.4.1; Linux
//! net/mptcp/pm.c, `mptcp_pm_add_timer`).

use crate::mptcp::Mptcp;
use crate::mptcp::behaviour::EchoWait;
use crate::mptcp::handshake::Stage;
use crate::mptcp::key::address_hmac;
use crate::mptcp::option::Signal;
use crate::mptcp::path_manager::{AddressId, PathEvent, PathManager as _};
use tailrace_core::{Duration, Instant};

/// An address that the peer was told of and has not echoed.
#[derive(Clone, Copy, Debug)]
pub(in crate::mptcp) struct PendingAddAddr {
    pub(in crate::mptcp) id: AddressId,
    /// How often it was told again.
    retries: u32,
    /// When it is told again.
    at: Instant,
}

impl Mptcp {
    /// Tells the peer of the address with id `local`.
    pub(in crate::mptcp) fn announce_address(&mut self, local: AddressId, now: Instant) {
        self.announcements.retain(|a| a.id != local);
        if self.say_address(local) && self.plan.mptcp.add_addr_retries != Some(0) {
            let at = now.saturating_add(self.add_addr_wait(0));
            self.announcements.push(PendingAddAddr { id: local, retries: 0, at });
        }
    }

    /// ADD_ADDR for `local` waits for an ACK to ride on; `false` if there is no such address.
    fn say_address(&mut self, local: AddressId) -> bool {
        let (Some(l), Some(peer)) = (self.addresses.local(local), self.numbers.peer()) else {
            return false;
        };
        let hmac = Some(address_hmac((self.numbers.key(), peer), local, l.address, 0));
        let signal = Signal::AddAddr { id: local, address: l.address, port: None, hmac };
        // Where one subflow is for that, what others are about to send leaves without it.
        let on = self.speaker_of_addresses();
        self.signals.push_once(on, signal);
        self.say_something();
        true
    }

    /// How long the echo is waited for after so many repetitions.
    fn add_addr_wait(&self, retries: u32) -> Duration {
        let live = self.subflows.attached();
        let most = self.plan.mptcp.add_addr_timeout;
        if self.plan.mptcp.add_addr_wait == EchoWait::Timeout {
            return most;
        }
        let rto = live.map(|s| s.tcp.rto_of_estimate()).max().unwrap_or(most);
        rto.saturating_mul(1 << retries.min(16)).min(most)
    }

    /// The peer knows the address.
    pub(in crate::mptcp) fn on_add_addr_echo(&mut self, local: AddressId, now: Instant) {
        self.announcements.retain(|a| a.id != local);
        self.path_manager.on_event(&PathEvent::Echoed { local }, now);
        self.run_path_manager(now);
    }

    pub(in crate::mptcp) fn announcement_deadline(&self) -> Instant {
        if self.announcements.is_empty() || self.stage != Stage::Established {
            return Instant::MAX;
        }
        self.announcements.iter().map(|a| a.at).min().unwrap_or(Instant::MAX)
    }

    /// Tells the peer again what it should have echoed by now.
    pub(in crate::mptcp) fn repeat_announcements(&mut self, now: Instant) {
        while let Some(i) = self.announcements.iter().position(|a| a.at <= now) {
            let PendingAddAddr { id, retries, .. } = self.announcements[i];
            self.say_address(id);
            let retries = retries + 1;
            if self.plan.mptcp.add_addr_retries.is_some_and(|most| u64::from(retries) >= most) {
                self.announcements.remove(i);
            } else {
                let at = now.saturating_add(self.add_addr_wait(retries));
                self.announcements[i] = PendingAddAddr { id, retries, at };
            }
        }
    }
}
