//! MP_CAPABLE and MP_JOIN: how a connection and its subflows begin (RFC 8684 §3.1, §3.2), and the fallback to TCP
//! where the peer or the path does not know them (§3.7).

use super::Mptcp;
use super::close_timer::CloseTimer;
use super::key::Key;
use super::option::{Options, ResetReason, Signal};
use super::path_manager::{PathEvent, PathManager};
use super::paths::addresses::Remote;
use super::subflow::join::Join;
use super::subflow::{Subflow, Tuple};
use crate::segment::{Flags, Segment};
use tailrace_core::Instant;

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The handshake of the first subflow is under way.
    Opening,
    /// Both keys are known.
    Established,
    /// Plain TCP on the one subflow.
    Fallback,
    /// It is over.
    Closed,
}

/// What becomes of a segment before its TCP sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its TCP sees it.
    Pass,
    /// It is as if it had been lost.
    Ignore,
    /// The subflow is reset, and why.
    Refuse(ResetReason),
}

impl Mptcp {
    /// What the handshake has to say to a segment of subflow `id`.
    pub(super) fn check_in(&mut self, id: usize, segment: &Segment, options: &Options) -> Verdict {
        if self.subflows[id].join.is_some() {
            if !self.subflows[id].ready {
                return self.check_join(id, segment, options);
            }
            if let Some(Signal::JoinAck { .. }) = options.signal {
                // The answer to the proof was lost: it is repeated until there is one (RFC 8684 §3.2).
                self.subflows[id].tcp.demand_ack();
            }
            return Verdict::Pass;
        }
        if self.stage == Stage::Opening {
            let syn = segment.flags.has(Flags::SYN);
            match (self.client, syn) {
                (true, true) if segment.flags.has(Flags::ACK) => self.on_capable_answer(segment, options),
                (false, true) => self.on_capable_request(options),
                (false, false) if !segment.flags.has(Flags::RST) => return self.on_capable_proof(options),
                _ => {}
            }
        }
        Verdict::Pass
    }

    /// The client has the SYN-ACK.
    fn on_capable_answer(&mut self, segment: &Segment, options: &Options) {
        match options.signal {
            Some(Signal::CapableSynAck { checksum, key }) => {
                self.checksum |= checksum;
                self.learn_key(Key(key));
                // The window of a SYN is never scaled (RFC 7323 §2.2).
                self.snd.on_ack(1, u64::from(segment.window));
            }
            _ => self.fall_back(),
        }
    }

    /// The server has the SYN.
    fn on_capable_request(&mut self, options: &Options) {
        match options.signal {
            Some(Signal::CapableSyn { checksum }) => self.checksum |= checksum,
            _ => self.fall_back(),
        }
    }

    /// The server has the third segment, or the first data in its place.
    fn on_capable_proof(&mut self, options: &Options) -> Verdict {
        match options.signal {
            Some(Signal::CapableAck { client, server, .. }) if server == self.numbers.key().0 => {
                self.learn_key(Key(client));
            }
            // Data has overtaken the proof, which will be repeated.
            _ if options.dss.is_some() => return Verdict::Ignore,
            _ => self.fall_back(),
        }
        Verdict::Pass
    }

    /// Both keys are known: the numbers of the first bytes on the wire follow from them (RFC 8684 §3.1).
    fn learn_key(&mut self, peer: Key) {
        self.numbers.learn(peer);
        self.stage = Stage::Established;
        self.snd.start(1);
        self.rcv.start(1);
    }

    /// A SYN that asks to join; returns the new subflow, or why there is none (RFC 8684 §3.2).
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
        let live = self.subflows.attached().count();
        let syn = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        let open = self.is_multipath() && !self.is_over();
        let welcome = syn && open && live < self.most_subflows();
        let local = self.addresses.id_of_up(tuple.local);
        let Some(local) = local.filter(|_| welcome && token == self.numbers.key().token()) else {
            return Err(Some(ResetReason::Mptcp));
        };
        if !self.path_manager.accepts_join() {
            return Err(Some(ResetReason::Prohibited));
        }
        let from = Remote { id: remote, address: tuple.remote, port: tuple.remote_port };
        self.addresses.learn_from_join(from);
        self.make_place(now);
        let tcp = self.endpoint(false, now);
        let mut subflow = Subflow::new(tcp, *tuple, (local, remote));
        subflow.backup = self.path_manager.is_backup(local);
        subflow.peer_backup = backup;
        subflow.join = Some(Join { active: false, nonce: self.rng.next_u64() as u32, peer_nonce: nonce });
        let id = self.place(subflow);
        self.path_manager.on_event(&PathEvent::SubflowAccepted { local, remote }, now);
        Ok(id)
    }

    /// Proofs of a join that is not ready yet.
    fn check_join(&mut self, id: usize, segment: &Segment, options: &Options) -> Verdict {
        let (Some(mut join), Some(peer)) = (self.subflows[id].join, self.numbers.peer()) else {
            return Verdict::Refuse(ResetReason::Mptcp);
        };
        let judge = |proven| if proven { Verdict::Pass } else { Verdict::Refuse(ResetReason::Mptcp) };
        if segment.flags.has(Flags::RST) {
            return Verdict::Pass;
        }
        let syn = segment.flags.has(Flags::SYN);
        match (join.active, options.signal) {
            (true, Some(Signal::JoinSynAck { hmac, nonce, backup, .. })) if syn => {
                join.peer_nonce = nonce;
                self.subflows[id].join = Some(join);
                self.subflows[id].peer_backup = backup;
                judge(hmac == join.expected_short(self.numbers.key(), peer))
            }
            (true, _) if syn => Verdict::Refuse(ResetReason::Middlebox),
            (true, _) => {
                // Anything after the SYN-ACK shows that the proof has arrived.
                self.subflows[id].ready = true;
                Verdict::Pass
            }
            (false, Some(Signal::JoinAck { hmac })) => {
                let proven = hmac == join.expected_long(self.numbers.key(), peer);
                self.subflows[id].ready = proven;
                judge(proven)
            }
            (false, _) if syn => Verdict::Pass,
            // Data has overtaken the proof, which will be repeated.
            (false, _) => Verdict::Ignore,
        }
    }

    /// Subflow `id`'s TCP has opened.
    pub(super) fn on_connected(&mut self, id: usize, now: Instant) {
        self.stats.subflows_established += 1;
        self.close_timer = CloseTimer::OFF;
        let s = &mut self.subflows[id];
        if s.join.is_none() {
            s.ready = true;
            self.pending.connected();
        } else {
            // The client's proof; the server's answer, without which the client must not send (RFC 8684 §3.2).
            s.tcp.demand_ack();
            s.repeat_proof(now);
        }
        let (local, remote) = (s.local, s.remote);
        self.join_buffers();
        self.path_manager.on_event(&PathEvent::SubflowUp { local, remote }, now);
    }

    /// The peer is known to be established: joins may begin.
    pub(super) fn confirm(&mut self, now: Instant) {
        self.confirmed = true;
        self.path_manager.on_event(&PathEvent::Established { client: self.client }, now);
    }

    /// The MPTCP option of a SYN, SYN-ACK or handshake ACK of subflow `id`, if it is one.
    pub(super) fn handshake_option(&self, id: usize, segment: &Segment) -> Option<Signal> {
        let s = &self.subflows[id];
        let checksum = self.checksum;
        let (syn, ack) = (segment.flags.has(Flags::SYN), segment.flags.has(Flags::ACK));
        let Some(join) = s.join else {
            return match (syn, ack) {
                (true, false) => {
                    let sent = u64::from(s.tcp.stats().timeouts);
                    (sent < self.plan.mptcp.capable_syns).then_some(Signal::CapableSyn { checksum })
                }
                (true, true) => (self.stage != Stage::Fallback)
                    .then_some(Signal::CapableSynAck { checksum, key: self.numbers.key().0 }),
                _ => None,
            };
        };
        let peer = self.numbers.peer()?;
        match (syn, ack) {
            (true, false) => Some(Signal::JoinSyn {
                backup: s.backup,
                id: s.local,
                token: peer.token(),
                nonce: join.nonce,
            }),
            (true, true) => Some(Signal::JoinSynAck {
                backup: s.backup,
                id: s.local,
                hmac: join.short(self.numbers.key(), peer),
                nonce: join.nonce,
            }),
            _ if join.active && !s.ready => {
                Some(Signal::JoinAck { hmac: join.long(self.numbers.key(), peer) })
            }
            _ => None,
        }
    }

    /// The option of a reset of subflow `id`: why.
    pub(super) fn reset_option(&self, id: usize) -> Option<Signal> {
        if let Some(dsn) = self.subflows[id].fail {
            return Some(Signal::Fail { dsn, closes: true });
        }
        match (self.aborting, self.numbers.peer()) {
            (true, Some(peer)) => Some(Signal::FastClose { key: peer.0 }),
            (false, Some(_)) => Some(Signal::Reset { transient: false, reason: self.subflows[id].reset }),
            _ => None,
        }
    }

    pub(super) fn most_subflows(&self) -> usize {
        self.plan.mptcp.max_subflows.clamp(1, super::MAX_SUBFLOWS as u64) as usize
    }
}
