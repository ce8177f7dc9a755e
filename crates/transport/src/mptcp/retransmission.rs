//! Staleness: timeouts of subflows and of the connection, what is sent again elsewhere on account of them, and which
//! subflows are thought dead (RFC 8684 §3.3.6 leaves it open).
//!
//! Two ways, by parameters: out-of-tree Linux gives what a subflow holds at its timeout to the others and passes the
//! subflow over until it is heard from (`pf`); upstream Linux leaves a subflow alone until the connection's own timer
//! has found it silent several times in a row (`stale`).

use super::Mptcp;
use super::behaviour::DataTimer;
use super::chunk::DataChunk;
use super::handshake::Stage;
use crate::tcp::timer::wheel;
use tailrace_core::{Bytes, Duration, Instant};

/// Bytes that go out again on a subflow of the data timer's choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataRetransmit {
    subflow: usize,
    dsn: u64,
    left: u64,
    /// Not a byte more, though the segment that carried the last of them went on.
    exact: bool,
}

/// A look at all subflows after a data-level timeout, one after the other. Where queues are filled, what one had that is found stale
/// goes out before the next is looked at (Linux `mptcp_subflow_get_retrans`, `mptcp_pm_subflow_chk_stale`).
#[derive(Clone, Copy, Debug)]
pub(super) struct StaleCheck {
    /// The next to be looked at.
    next: usize,
    /// The first that has nothing on its way, and the first backup of that kind.
    idle: Option<usize>,
    idle_backup: Option<usize>,
    /// The least count of those that have.
    least: u64,
    /// Something goes out first.
    waits: bool,
}

impl StaleCheck {
    const BEGIN: Self = Self { next: 0, idle: None, idle_backup: None, least: u64::MAX, waits: false };

    /// One that has nothing on its way: backups only where nothing moves.
    fn found(&self) -> Option<usize> {
        self.idle.or(self.idle_backup.filter(|_| self.least > 1))
    }
}

/// From byte `dsn` of the stream, whose first is 1, to the end of its fragment (Linux `mptcp_rtx_head`, `__mptcp_retrans`).
fn rest_of_fragment(dsn: u64, fragment: Bytes) -> u64 {
    fragment.get() - (dsn - 1) % fragment.get()
}

/// The peer is asked at least so often for a window that is shut (`TCP_RTO_MAX`).
const LONGEST_PROBE_WAIT: Duration = Duration::from_secs(120);

impl Mptcp {
    /// Subflow `id`'s retransmission timer has expired.
    pub(super) fn on_subflow_timeout(&mut self, id: usize) {
        let retries = self.plan.mptcp.join_syn_retries;
        let s = &mut self.subflows[id];
        if !s.tcp.state().is_synchronized() {
            if s.join.is_some_and(|j| j.active) && u64::from(s.tcp.stats().timeouts) > retries {
                s.tcp.give_up();
            }
            return;
        }
        if self.stage != Stage::Established {
            return;
        }
        s.failed = self.plan.mptcp.avoid_failed;
        if self.plan.mptcp.reinject_on_timeout && self.may_reinject() {
            self.share_out(id);
        }
    }

    /// As long as nothing shows that mappings come through, the one subflow carries nothing twice: the peer may have fallen
    /// back, and counts bytes by their subflow numbers then. A peer that has acknowledged more data than the first segment
    /// has, which MP_CAPABLE maps, has seen a mapping; one that takes part in a second subflow does not fall back.
    pub(super) fn may_reinject(&self) -> bool {
        self.stats.subflows_established > 1 || self.snd.una > 1 + u64::from(self.subflows.mss())
    }

    /// What is on its way on subflow `id` goes to others, too; each byte once.
    fn share_out(&mut self, id: usize) {
        for m in self.subflows[id].sent.iter_mut().filter(|m| !m.reinjected) {
            m.reinjected = true;
            self.snd.reinject(m.dsn, m.dsn + u64::from(m.len));
        }
    }

    pub(super) fn arm_data_timer(&mut self, now: Instant) {
        let shut_out = self.snd.is_shut_out();
        let idle = self.snd.outstanding() == 0 && !self.is_held_up() && !shut_out;
        let off = idle || self.stage != Stage::Established;
        let wait = if shut_out { self.probe_wait() } else { self.data_wait(now) };
        self.data_rto.at = if off { Instant::MAX } else { self.data_expiry(now, wait) };
    }

    /// When the timer expires that is set at `now` for `wait`: with a tick, where it goes by the subflows' timers.
    fn data_expiry(&self, now: Instant, wait: Duration) -> Instant {
        match self.plan.mptcp.data_timer {
            DataTimer::Subflows if self.fills => wheel::expiry(now, wait, self.plan.tcp.jiffy).at,
            _ => now.saturating_add(wait),
        }
    }

    /// How long a shut window is waited for before the peer is asked: as a TCP does, twice as long each time (RFC 9293 §3.8.6.1).
    fn probe_wait(&self) -> Duration {
        let rto =
            self.subflows.attached().map(|s| s.tcp.rto_of_estimate()).max().unwrap_or(LONGEST_PROBE_WAIT);
        rto.saturating_mul(1 << self.data_rto.backoff.min(16)).min(LONGEST_PROBE_WAIT)
    }

    /// The window is shut, and the ACK that opened it may have been lost: a subflow asks for it.
    fn probe_window(&mut self) {
        if let Some(id) = self.speaker() {
            self.subflows[id].tcp.demand_probe();
            self.subflows.mark_dirty(id);
        }
    }

    /// A subflow is looked for that takes data, if any is to be handed out: where the timer goes by those of the subflows, they are looked
    /// at, whether one has room or not (Linux `mptcp_subflow_get_send`, `mptcp_set_timeout`).
    #[inline]
    pub(super) fn note_data_interval(&mut self, now: Instant) {
        let waits = self.snd.unassigned() > 0 || self.snd.has_reinjections();
        if self.fills && waits && self.plan.mptcp.data_timer == DataTimer::Subflows {
            self.data_rto.interval = self.longest_wait(now);
        }
    }

    /// Data waits for subflows that are busy. Linux has given it to one of them, and counts it as on its way: a subflow
    /// that falls silent is found stale though all that it carried has come another way.
    fn is_held_up(&self) -> bool {
        self.plan.mptcp.data_timer == DataTimer::Subflows
            && self.snd.unassigned() > 0
            && self.subflows.iter().any(|s| s.is_active() && !s.tcp.is_idle())
    }

    fn data_wait(&self, now: Instant) -> Duration {
        match self.plan.mptcp.data_timer {
            DataTimer::Doubled => self.doubled_rto(),
            DataTimer::Subflows if self.fills => self.data_rto.interval,
            DataTimer::Subflows => self.longest_wait(now),
        }
    }

    /// Twice the largest timeout of a usable subflow, so that each repairs its own losses first; doubled each time it
    /// expires. A subflow's own backoff is waited for, too, but not doubled again.
    fn doubled_rto(&self) -> Duration {
        let views = self.subflows.views().iter();
        let (slowest, in_force) = views
            .zip(self.subflows.iter())
            .filter(|(view, _)| view.usable)
            .fold((Duration::ZERO, Duration::ZERO), |(s, i), (view, of)| {
                (s.max(view.rto), i.max(of.tcp.rto()))
            });
        slowest
            .saturating_mul(2 << self.data_rto.backoff.min(16))
            .max(in_force.saturating_mul(2))
            .max(self.plan.mptcp.min_data_rto)
            .min(self.plan.tcp.max_rto)
    }

    /// Until all retransmission timers of subflows that are not silent have expired, in ticks of the clock (`mptcp_timeout_from_subflow`).
    fn longest_wait(&self, now: Instant) -> Duration {
        let last = self.subflows.timers().map(|t| t.again).max().unwrap_or(now);
        let wait = last.saturating_since(wheel::tick_before(now, self.plan.tcp.jiffy));
        let none = !self.fills || wait.is_zero();
        if none { wait.max(self.plan.mptcp.min_data_rto) } else { wait }
    }

    /// Nothing was acknowledged at the data level for long.
    pub(super) fn on_data_timeout(&mut self, now: Instant) {
        self.data_rto.backoff += 1;
        if self.snd.is_shut_out() {
            self.probe_window();
            return self.arm_data_timer(now);
        }
        self.stats.data_timeouts += 1;
        self.data_rto.stop();
        if self.plan.mptcp.data_timer == DataTimer::Subflows || self.plan.mptcp.stale_loss_cnt > 0 {
            self.judging = Some(StaleCheck::BEGIN);
            self.judge_on(now);
        } else {
            self.end_data_timeout(None, now);
        }
    }

    /// All subflows have been looked at, and `idle` has nothing on its way: what the timer sends again itself.
    fn end_data_timeout(&mut self, idle: Option<usize>, now: Instant) {
        let subflows = self.plan.mptcp.data_timer == DataTimer::Subflows;
        match self.snd.oldest().filter(|_| self.may_reinject()) {
            Some(oldest) if subflows => self.resend = idle.and_then(|id| self.resend_from(oldest.dsn, id)),
            Some(oldest) => {
                self.snd.reinject(oldest.dsn, oldest.end());
                self.snd.forget_carriers();
            }
            None if self.snd.fin_sent() && !self.snd.fin_acked() => self.fin_due = true,
            _ => {}
        }
        self.push_due = self.fills;
        self.subflows.mark_all_dirty();
        if !self.data_rto.runs() {
            self.arm_data_timer(now);
        }
    }

    /// What goes out again on `subflow` from `dsn` on, if anything: no more than has gone out since everything was to be sent again, as that
    /// which has not goes out anyway.
    fn resend_from(&self, dsn: u64, subflow: usize) -> Option<DataRetransmit> {
        let end = self.snd.end_of_fragment(dsn);
        let left = end.map(|end| end.min(self.snd.resent_from(dsn)).saturating_sub(dsn));
        let left = left.unwrap_or_else(|| rest_of_fragment(dsn, self.plan.mptcp.data_rtx_bytes));
        (left > 0).then_some(DataRetransmit { subflow, dsn, left, exact: end.is_some() })
    }

    /// Whether something goes out again whether there is room or not.
    pub(super) fn resends_anyway(&self) -> bool {
        self.fills && self.resend.is_some()
    }

    /// Whether subflows are being looked at after a timeout, and the next comes once what goes out before has left.
    pub(super) fn judges_next(&self) -> bool {
        self.judging.is_some_and(|judgement| !judgement.waits)
    }

    /// All has been handed out for which there is room that goes before the next look at a subflow: once it has left, that follows.
    pub(super) fn end_push_of_judgement(&mut self, now: Instant) {
        let Some(judgement) = self.judging.as_mut().filter(|judgement| judgement.waits) else { return };
        judgement.waits = false;
        self.gives_way = true;
        if let Some(id) = self.writes_to.take() {
            self.subflows[id].tcp.push();
            if !self.data_rto.runs() {
                self.arm_data_timer(now);
            }
        }
    }

    /// The next of the bytes that go out again on a subflow of the data timer's choice, if it has room; queues that are filled take them in
    /// any case (`__mptcp_retrans`).
    pub(super) fn next_resend(&mut self) -> Option<(DataChunk, usize)> {
        let DataRetransmit { subflow, dsn, left, exact } = self.resend?;
        let view = &self.subflows.views()[subflow];
        let dsn = dsn.max(self.snd.una);
        let chunk = if dsn == self.snd.una { self.snd.oldest() } else { self.snd.piece_at(dsn) };
        let Some(mut chunk) = chunk.filter(|_| view.usable) else {
            self.resend = None;
            return None;
        };
        if exact {
            chunk.len = chunk.len.min(u32::try_from(left).unwrap_or(u32::MAX));
        }
        if !view.room && !self.fills {
            return None;
        }
        let (s, most) = (&self.subflows[subflow], self.most_in_segment());
        let chunk = s.fitting(&chunk, most, true).chunk;
        let left = left.saturating_sub(u64::from(chunk.len));
        self.resend = (left > 0).then_some(DataRetransmit { subflow, dsn: chunk.end(), left, exact });
        Some((chunk, subflow))
    }

    /// Goes on with the look at subflows, as far as nothing goes out before: counts another timeout for each that has data on its way.
    pub(super) fn judge_on(&mut self, now: Instant) {
        let Some(mut judgement) = self.judging.take() else { return };
        while judgement.next < self.subflows.len() {
            let id = judgement.next;
            judgement.next += 1;
            if self.looks_at(id, &mut judgement) && self.fills {
                judgement.waits = true;
                self.judging = Some(judgement);
                (self.push_due, self.pushing, self.heard) = (true, false, None);
                self.subflows.mark_all_dirty();
                return self.subflows.invalidate_dirty_views();
            }
        }
        self.end_data_timeout(judgement.found(), now);
    }

    /// Looks at subflow `id`; whether that is found stale.
    fn looks_at(&mut self, id: usize, judgement: &mut StaleCheck) -> bool {
        if !self.subflows[id].is_active() {
            return false;
        }
        if self.subflows[id].tcp.is_idle() {
            let backup = self.subflows[id].backup || self.subflows[id].peer_backup;
            let first = if backup { &mut judgement.idle_backup } else { &mut judgement.idle };
            *first = first.or(Some(id));
            return false;
        }
        self.subflows[id].silence.note();
        self.judge(id);
        judgement.least = judgement.least.min(self.subflows[id].silence.count);
        self.subflows[id].silence.stale
    }

    /// Subflow `id` is stale after so many timeouts, where another is not as silent.
    fn judge(&mut self, id: usize) {
        let most = self.plan.mptcp.stale_loss_cnt;
        if most == 0 || self.subflows[id].silence.count <= most {
            return;
        }
        let spared = most.saturating_sub(1).max(1);
        let others = self.subflows.iter().enumerate().filter(|(other, _)| *other != id);
        if !others.into_iter().any(|(_, s)| s.is_active() && s.silence.count < spared) {
            return;
        }
        self.subflows[id].silence.stale = true;
        self.stats.stale_subflows += 1;
        if self.plan.mptcp.reinject_all {
            self.snd.reinject_all();
        } else {
            self.share_out(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_again_ends_with_its_fragment() {
        let page = Bytes(32_728);
        assert_eq!(
            [1, 2, 32_728, 32_729].map(|dsn| rest_of_fragment(dsn, page)),
            [32_728, 32_727, 1, 32_728]
        );
        assert_eq!(
            [1, 2, 1425].map(|dsn| rest_of_fragment(dsn, Bytes(1))),
            [1; 3],
            "one segment, wherever it begins"
        );
    }
}
