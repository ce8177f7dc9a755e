//! MP_CAPABLE and MP_JOIN: how a connection and its subflows begin (RFC 8684 §3.1, §3.2), and the fallback to TCP if the peer or the path
//! does not know them (§3.7).

use super::key::Key;
use super::option::{Options, ResetReason, Signal};
use super::path_manager::{PathEvent, PathManager};
use super::paths::addresses::RemoteAddress;
use super::state::{ConnectionState, Trigger};
use super::subflow::join::{JoinHandshake, JoinNonces};
use super::subflow::priority::BackupPriority;
use super::subflow::state::SubflowTrigger;
use super::subflow::{LocalReset, Subflow, Tuple};
use super::{Mptcp, Role};
use crate::segment::{Flags, Segment};
use tailrace_core::Instant;

/// Verdict of the handshake on a segment, before its TCP sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its TCP sees it.
    Pass,
    /// It is dropped.
    Drop,
    /// The subflow is reset for this reason.
    Reset(ResetReason),
}

impl Verdict {
    fn of_hmac(correct: bool) -> Self {
        if correct { Self::Pass } else { Self::Reset(ResetReason::Mptcp) }
    }
}

impl Mptcp {
    /// Checks a segment of subflow `id` against the handshake.
    pub(super) fn check_handshake(&mut self, id: usize, segment: &Segment, options: &Options) -> Verdict {
        if let Some(nonces) = self.subflows[id].join.nonces() {
            if !self.subflows[id].state().has_joined() {
                return self.check_join(id, nonces, segment, options);
            }
            if let Some(Signal::JoinAck { .. }) = options.signal {
                // The answer to the third segment was lost: that is repeated until there is one (RFC 8684 §3.2).
                self.subflows[id].tcp.demand_ack();
            }
            return Verdict::Pass;
        }
        if self.state == ConnectionState::Opening {
            let syn = segment.flags.has(Flags::SYN);
            match (self.role, syn) {
                (Role::Client, true) if segment.flags.has(Flags::ACK) => {
                    self.on_capable_syn_ack(segment, options);
                }
                (Role::Server, true) => self.on_capable_syn(options),
                (Role::Server, false) if !segment.flags.has(Flags::RST) => {
                    return self.on_capable_ack(options);
                }
                _ => {}
            }
        }
        Verdict::Pass
    }

    /// Handles the SYN-ACK at the client.
    fn on_capable_syn_ack(&mut self, segment: &Segment, options: &Options) {
        match options.signal {
            Some(Signal::CapableSynAck { checksum, key }) => {
                self.format.negotiate_checksum(checksum);
                self.learn_key(Key(key));
                // The window of a SYN is never scaled (RFC 7323 §2.2).
                self.snd.on_ack(1, u64::from(segment.window));
            }
            _ => self.fall_back(),
        }
    }

    /// Handles the SYN at the server.
    fn on_capable_syn(&mut self, options: &Options) {
        match options.signal {
            Some(Signal::CapableSyn { checksum }) => self.format.negotiate_checksum(checksum),
            _ => self.fall_back(),
        }
    }

    /// Handles the third segment, or the first data in its place, at the server.
    fn on_capable_ack(&mut self, options: &Options) -> Verdict {
        match options.signal {
            Some(Signal::CapableAck { client, server, .. }) if server == self.numbers.key().0 => {
                self.learn_key(Key(client));
            }
            // Data has overtaken MP_CAPABLE, which will be repeated.
            _ if options.dss.is_some() => return Verdict::Drop,
            _ => self.fall_back(),
        }
        Verdict::Pass
    }

    /// Derives the first data sequence numbers on the wire from both keys (RFC 8684 §3.1).
    fn learn_key(&mut self, peer: Key) {
        self.numbers.learn(peer);
        self.advance(Trigger::KeysExchanged);
        self.snd.start(1);
        self.rcv.start(1);
    }

    /// Accepts a SYN with MP_JOIN; returns the new subflow, or the reason of the reset (RFC 8684 §3.2).
    pub(super) fn accept_join(
        &mut self,
        tuple: &Tuple,
        segment: &Segment,
        options: &Options,
        now: Instant,
    ) -> Result<usize, Option<ResetReason>> {
        let Some(Signal::JoinSyn { backup, id: remote, token, nonce }) = options.signal else {
            return Err(None);
        };
        let syn = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        let open = self.is_multipath() && !self.is_over();
        let welcome = syn && open && self.has_room_for_subflow();
        let local = self.addresses.id_of_up(tuple.local);
        let Some(local) = local.filter(|_| welcome && token == self.numbers.key().token()) else {
            return Err(Some(ResetReason::Mptcp));
        };
        if !self.path_manager.accepts_join() {
            return Err(Some(ResetReason::Prohibited));
        }
        let from = RemoteAddress { id: remote, address: tuple.remote, port: tuple.remote_port };
        self.addresses.learn_from_join(from);
        self.free_place(now);
        let tcp = self.new_tcp(false, now);
        let mut subflow = Subflow::new(tcp, *tuple, (local, remote));
        subflow.priority = BackupPriority::new(self.path_manager.is_backup(local), backup);
        subflow.join = JoinHandshake::new(false, self.rng.next_u64() as u32, nonce);
        let id = self.add_subflow(subflow);
        self.path_manager.on_event(&PathEvent::SubflowAccepted { local, remote }, now);
        Ok(id)
    }

    /// Checks the HMACs of a join that is not complete yet.
    fn check_join(
        &mut self,
        id: usize,
        mut nonces: JoinNonces,
        segment: &Segment,
        options: &Options,
    ) -> Verdict {
        let Some(peer) = self.numbers.peer() else { return Verdict::Reset(ResetReason::Mptcp) };
        if segment.flags.has(Flags::RST) {
            return Verdict::Pass;
        }
        let s = &mut self.subflows[id];
        let syn = segment.flags.has(Flags::SYN);
        match (nonces.active, options.signal) {
            (true, Some(Signal::JoinSynAck { hmac, nonce, backup, .. })) if syn => {
                nonces.peer_nonce = nonce;
                s.join.learn_nonce(nonce);
                s.priority.set_peer(backup);
                Verdict::of_hmac(hmac == nonces.expected_short(self.numbers.key(), peer))
            }
            (true, _) if syn => Verdict::Reset(ResetReason::Middlebox),
            (true, _) => {
                // Any segment after the SYN-ACK shows that the third segment has arrived.
                s.on(SubflowTrigger::Joined);
                Verdict::Pass
            }
            (false, Some(Signal::JoinAck { hmac })) => {
                let correct = hmac == nonces.expected_long(self.numbers.key(), peer);
                if correct {
                    s.on(SubflowTrigger::Joined);
                }
                Verdict::of_hmac(correct)
            }
            (false, _) if syn => Verdict::Pass,
            // Data has overtaken the HMAC, which will be repeated.
            (false, _) => Verdict::Drop,
        }
    }

    /// Handles the end of the TCP handshake of subflow `id`.
    pub(super) fn on_connected(&mut self, id: usize, now: Instant) {
        self.stats.subflows_established += 1;
        self.close_timers.stop();
        let s = &mut self.subflows[id];
        if s.is_first() {
            s.on(SubflowTrigger::Joined);
            self.pending.connected();
        } else {
            // The client sends its HMAC; the server's ACK answers it, without which the client must not send (RFC 8684 §3.2).
            s.tcp.demand_ack();
            s.repeat_join_ack(now);
        }
        let (local, remote) = (s.local, s.remote);
        self.write_side().sum_buffers();
        self.path_manager.on_event(&PathEvent::SubflowUp { local, remote }, now);
    }

    /// The peer is known to use MPTCP: joins may begin.
    pub(super) fn confirm(&mut self, now: Instant) {
        self.advance(Trigger::Confirmed);
        let client = self.role == Role::Client;
        self.path_manager.on_event(&PathEvent::Established { client }, now);
    }

    /// Option of a segment of subflow `id` that belongs to a handshake, if it does.
    pub(super) fn handshake_option(&self, id: usize, segment: &Segment) -> Option<Signal> {
        let (syn, ack) = (segment.flags.has(Flags::SYN), segment.flags.has(Flags::ACK));
        match self.subflows[id].join.nonces() {
            Some(nonces) => self.join_option(id, nonces, (syn, ack)),
            None => self.capable_syn_option(id, (syn, ack)),
        }
    }

    /// MP_CAPABLE of a SYN or SYN-ACK.
    fn capable_syn_option(&self, id: usize, flags: (bool, bool)) -> Option<Signal> {
        let checksum = self.format.has_checksum();
        match flags {
            (true, false) => {
                let sent = u64::from(self.subflows[id].tcp.stats().timeouts);
                (sent < self.plan.mptcp.capable_syns).then_some(Signal::CapableSyn { checksum })
            }
            (true, true) => (self.state != ConnectionState::Fallback)
                .then_some(Signal::CapableSynAck { checksum, key: self.numbers.key().0 }),
            _ => None,
        }
    }

    /// MP_JOIN of a SYN, a SYN-ACK or a third segment.
    fn join_option(&self, id: usize, nonces: JoinNonces, flags: (bool, bool)) -> Option<Signal> {
        let s = &self.subflows[id];
        let (peer, nonce) = (self.numbers.peer()?, nonces.nonce);
        let backup = s.priority.is_local();
        match flags {
            (true, false) => Some(Signal::JoinSyn { backup, id: s.local, token: peer.token(), nonce }),
            (true, true) => {
                let hmac = nonces.short(self.numbers.key(), peer);
                Some(Signal::JoinSynAck { backup, id: s.local, hmac, nonce })
            }
            _ if nonces.active && !s.state().has_joined() => {
                Some(Signal::JoinAck { hmac: nonces.long(self.numbers.key(), peer) })
            }
            _ => None,
        }
    }

    /// Option of an RST of subflow `id`: MP_FAIL, MP_FASTCLOSE or MP_TCPRST.
    pub(super) fn reset_option(&self, id: usize) -> Option<Signal> {
        let reset = self.subflows[id].local_reset();
        if let LocalReset::Fail { dsn } = reset {
            return Some(Signal::Fail { dsn, closes: true });
        }
        let peer = self.numbers.peer()?;
        match reset {
            _ if self.state == ConnectionState::FastClosed => Some(Signal::FastClose { key: peer.0 }),
            LocalReset::Reason(reason) => Some(Signal::Reset { transient: false, reason }),
            LocalReset::Fail { .. } => None,
        }
    }

    /// Whether another subflow is allowed.
    pub(super) fn has_room_for_subflow(&self) -> bool {
        let most = self.plan.mptcp.max_subflows.clamp(1, super::MAX_SUBFLOWS as u64) as usize;
        self.subflows.attached().count() < most
    }
}
