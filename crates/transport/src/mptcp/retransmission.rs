//! Timeouts of subflows and of the data level, data-level retransmissions, and stale subflows (RFC 8684 §3.3.6 leaves them open).
//!
//! Two ways, by parameters. Out-of-tree Linux reinjects the data that a subflow holds at its own timeout, and passes the subflow over
//! until it is heard from (`pf`). Upstream Linux leaves a subflow alone until the timer of the data level has found it silent several
//! times in a row (`stale`).

use super::Mptcp;
use super::behaviour::DataTimer;
use super::chunk::DataChunk;
use super::write_space::AFTERWARDS;
use crate::tcp::timer::wheel;
use tailrace_core::{Bytes, Duration, Instant};

/// Longest interval between probes of a shut window (`TCP_RTO_MAX`).
const LONGEST_PROBE_INTERVAL: Duration = Duration::from_secs(120);

/// Data-level retransmission on a subflow of the timer's choice (`__mptcp_retrans`).
#[derive(Clone, Copy, Debug)]
struct DataRetransmit {
    subflow: usize,
    dsn: u64,
    left: u64,
    /// Whether it ends with exactly `left` bytes; else with the segment that carried the last of them.
    exact: bool,
}

/// Check of all subflows after a data-level timeout, one after the other. Where queues are filled, the data of a stale subflow is assigned
/// before the next is checked (`mptcp_subflow_get_retrans`, `mptcp_pm_subflow_chk_stale`).
#[derive(Clone, Copy, Debug)]
struct StaleCheck {
    /// Subflow that is checked next.
    next: usize,
    /// First subflow with nothing in flight, and first backup of that kind.
    idle: Option<usize>,
    idle_backup: Option<usize>,
    /// Smallest number of timeouts of the subflows with data in flight.
    fewest_timeouts: u64,
    /// Whether data is assigned before the check continues.
    waits: bool,
}

impl StaleCheck {
    const BEGIN: Self =
        Self { next: 0, idle: None, idle_backup: None, fewest_timeouts: u64::MAX, waits: false };

    /// Subflow for the retransmission: an idle one; a backup only if no other makes progress.
    fn candidate(&self) -> Option<usize> {
        self.idle.or(self.idle_backup.filter(|_| self.fewest_timeouts > 1))
    }
}

/// Consequences of a data-level timeout that are under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Retransmission {
    resend: Option<DataRetransmit>,
    check: Option<StaleCheck>,
}

impl Retransmission {
    #[inline]
    pub(super) const fn is_idle(&self) -> bool {
        self.resend.is_none() && self.check.is_none()
    }

    /// Whether data is retransmitted on a subflow of the timer's choice.
    #[inline]
    pub(super) const fn has_data(&self) -> bool {
        self.resend.is_some()
    }

    /// Whether subflows are being checked.
    #[inline]
    pub(super) const fn is_checking(&self) -> bool {
        self.check.is_some()
    }

    /// Whether the next subflow is to be checked now.
    #[inline]
    pub(super) fn checks_next(&self) -> bool {
        self.check.is_some_and(|check| !check.waits)
    }

    pub(super) const fn cancel(&mut self) {
        (self.resend, self.check) = (None, None);
    }
}

/// Bytes from `dsn` to the end of its fragment, of a stream that is cut into equal fragments from byte 1 on (Linux `mptcp_rtx_head`).
fn rest_of_fragment(dsn: u64, fragment: Bytes) -> u64 {
    fragment.get() - (dsn - 1) % fragment.get()
}

impl Mptcp {
    /// Handles an expiry of the retransmission timer of subflow `id`.
    pub(super) fn on_subflow_timeout(&mut self, id: usize) {
        let retries = self.plan.mptcp.join_syn_retries;
        let s = &mut self.subflows[id];
        if !s.tcp.state().is_synchronized() {
            // Either end gives a join up: the one that asks after its SYNs, the other after its SYN-ACKs (`tcp_synack_retries`).
            if !s.is_first() && u64::from(s.tcp.stats().timeouts) > retries {
                s.tcp.give_up();
            }
            return;
        }
        if !self.state.is_established() {
            return;
        }
        if self.plan.mptcp.avoid_failed {
            s.health.on_own_timeout();
        }
        if self.plan.mptcp.reinject_on_timeout && self.may_reinject() {
            self.reinject_in_flight(id);
        }
    }

    /// Whether data may be sent twice: the peer is known to use mappings. Before that it may have fallen back, and count bytes by their
    /// subflow numbers. A peer that has acknowledged more than the first segment, which MP_CAPABLE maps, has seen a mapping; one that
    /// takes part in a second subflow does not fall back.
    pub(super) fn may_reinject(&self) -> bool {
        self.stats.subflows_established > 1 || self.snd.una() > 1 + u64::from(self.subflows.mss())
    }

    /// Reinjects the data in flight on subflow `id`, each byte once.
    fn reinject_in_flight(&mut self, id: usize) {
        for m in self.subflows[id].send.reinject() {
            self.snd.reinject(m.dsn, m.end());
        }
    }

    /// Starts the timer of the data level, or stops it if nothing is outstanding.
    pub(super) fn arm_data_timer(&mut self, now: Instant) {
        let shut_out = self.snd.is_shut_out();
        let idle = self.snd.outstanding() == 0 && !self.waits_for_busy_subflows() && !shut_out;
        if idle || !self.state.is_established() {
            return self.data_rto.stop();
        }
        let timeout = if shut_out { self.probe_interval() } else { self.data_timeout(now) };
        let at = self.data_expiry(now, timeout);
        self.data_rto.start(at);
    }

    /// Expiry of a timer that is started at `now`: on a tick of the kernel's clock, where it goes by the subflows' timers.
    fn data_expiry(&self, now: Instant, timeout: Duration) -> Instant {
        match self.plan.mptcp.data_timer {
            DataTimer::Subflows if self.push.fills_queues() => {
                wheel::expiry(now, timeout, self.plan.tcp.jiffy).at
            }
            _ => now.saturating_add(timeout),
        }
    }

    /// Interval between probes of a shut window, doubled each time as TCP does (RFC 9293 §3.8.6.1).
    fn probe_interval(&self) -> Duration {
        let rtos = self.subflows.attached().map(|s| s.tcp.rto_of_estimate());
        let rto = rtos.max().unwrap_or(LONGEST_PROBE_INTERVAL);
        self.data_rto.backed_off(rto).min(LONGEST_PROBE_INTERVAL)
    }

    /// Probes the shut window, as the ACK that opened it may have been lost.
    fn probe_window(&mut self) {
        if let Some(id) = self.signalling_subflow() {
            self.subflows[id].tcp.demand_probe();
            self.subflows.mark_dirty(id);
        }
    }

    /// Notes the timeout that the subflows' timers give, as Linux does whenever it looks for a subflow that takes data, whether one has
    /// room or not (`mptcp_subflow_get_send`, `mptcp_set_timeout`).
    #[inline]
    pub(super) fn note_data_timeout(&mut self, now: Instant) {
        let waits = self.snd.unassigned() > 0 || self.snd.has_reinjections();
        if self.push.fills_queues() && waits && self.plan.mptcp.data_timer == DataTimer::Subflows {
            let interval = self.longest_subflow_timeout(now);
            self.data_rto.set_interval(interval);
        }
    }

    /// Whether data waits for busy subflows. Linux has assigned it to one of them and counts it as in flight, so that a silent subflow is
    /// found stale though all its data has arrived another way.
    fn waits_for_busy_subflows(&self) -> bool {
        self.plan.mptcp.data_timer == DataTimer::Subflows
            && self.snd.unassigned() > 0
            && self.subflows.iter().any(|s| s.is_active() && !s.tcp.is_idle())
    }

    fn data_timeout(&self, now: Instant) -> Duration {
        match self.plan.mptcp.data_timer {
            DataTimer::Doubled => self.doubled_rto(),
            DataTimer::Subflows if self.snd.awaits_fin_only() => self.data_fin_timeout(),
            DataTimer::Subflows if self.push.fills_queues() => self.data_rto.interval(),
            DataTimer::Subflows => self.longest_subflow_timeout(now),
        }
    }

    /// Timeout of a DATA_FIN whose data is acknowledged, doubled with each repetition (`mptcp_set_datafin_timeout`).
    fn data_fin_timeout(&self) -> Duration {
        self.data_rto.backed_off(self.plan.mptcp.min_data_rto).min(self.plan.tcp.max_rto)
    }

    /// Twice the largest timeout of a usable subflow, doubled with each expiry, so that each subflow repairs its own losses first. A
    /// subflow's own backoff counts, too, but is not doubled again.
    fn doubled_rto(&self) -> Duration {
        let views = self.subflows.views().iter();
        let (slowest, in_force) = views
            .zip(self.subflows.iter())
            .filter(|(view, _)| view.usable)
            .fold((Duration::ZERO, Duration::ZERO), |(s, i), (view, of)| {
                (s.max(view.rto), i.max(of.tcp.rto()))
            });
        self.data_rto
            .backed_off(slowest.saturating_mul(2))
            .max(in_force.saturating_mul(2))
            .max(self.plan.mptcp.min_data_rto)
            .min(self.plan.tcp.max_rto)
    }

    /// Time until the retransmission timers of all subflows that carry data and are not silent have expired, in ticks of the clock
    /// (`mptcp_subflow_get_send`, `mptcp_timeout_from_subflow`).
    fn longest_subflow_timeout(&self, now: Instant) -> Duration {
        let last = self.subflows.timers().map(|t| t.retransmission).max().unwrap_or(now);
        let wait = last.saturating_since(wheel::tick_before(now, self.plan.tcp.jiffy));
        let none = !self.push.fills_queues() || wait.is_zero();
        if none { wait.max(self.plan.mptcp.min_data_rto) } else { wait }
    }

    /// Handles an expiry of the timer of the data level. In a kernel a worker retransmits data, after all timers of the tick
    /// (`mptcp_retransmit_timer`, `mptcp_worker`): if those of subflows `expired` with it, what they send leaves first, and their next
    /// timeouts are noted.
    pub(super) fn on_data_timer(&mut self, expired: bool, now: Instant) {
        if expired && self.plan.mptcp.data_timer == DataTimer::Subflows {
            self.data_rto.start(now.saturating_add(AFTERWARDS));
        } else {
            self.on_data_timeout(now);
        }
    }

    pub(super) fn on_data_timeout(&mut self, now: Instant) {
        self.data_rto.on_expiry();
        if self.snd.is_shut_out() {
            self.probe_window();
            return self.arm_data_timer(now);
        }
        self.stats.data_timeouts += 1;
        self.data_rto.stop();
        if self.plan.mptcp.data_timer == DataTimer::Subflows || self.plan.mptcp.stale_loss_cnt > 0 {
            self.retransmission.check = Some(StaleCheck::BEGIN);
            self.continue_stale_check(now);
        } else {
            self.end_data_timeout(None, now);
        }
    }

    /// Retransmits the oldest data after all subflows were checked; `idle` has nothing in flight.
    fn end_data_timeout(&mut self, idle: Option<usize>, now: Instant) {
        let subflows = self.plan.mptcp.data_timer == DataTimer::Subflows;
        match self.snd.oldest().filter(|_| self.may_reinject()) {
            Some(oldest) if subflows => {
                self.retransmission.resend = idle.and_then(|id| self.retransmit_from(oldest.dsn, id));
            }
            Some(oldest) => {
                self.snd.reinject(oldest.dsn, oldest.end());
                self.snd.forget_carriers();
            }
            None if self.falls_back_without_answer(now) => {}
            None => self.snd.repeat_fin(),
        }
        self.push.schedule();
        self.subflows.mark_all_dirty();
        if !self.data_rto.is_running() {
            self.arm_data_timer(now);
        }
    }

    /// Retransmission from `dsn` on, on `subflow`. It ends where reinjections that wait begin, as those are sent anyway.
    fn retransmit_from(&self, dsn: u64, subflow: usize) -> Option<DataRetransmit> {
        let end = self.snd.end_of_fragment(dsn);
        let left = end.map(|end| end.min(self.snd.reinjected_from(dsn)).saturating_sub(dsn));
        let left = left.unwrap_or_else(|| rest_of_fragment(dsn, self.plan.mptcp.data_rtx_bytes));
        (left > 0).then_some(DataRetransmit { subflow, dsn, left, exact: end.is_some() })
    }

    /// Whether data is retransmitted whether there is room or not.
    pub(super) fn retransmits_without_room(&self) -> bool {
        self.push.fills_queues() && self.retransmission.has_data()
    }

    /// Ends the push that precedes the next check of a subflow: once its segments have left, the check continues.
    pub(super) fn end_push_of_stale_check(&mut self, now: Instant) {
        let Some(check) = self.retransmission.check.as_mut().filter(|check| check.waits) else { return };
        check.waits = false;
        self.push.pause();
        if self.push.flush(&mut self.subflows).is_some() && !self.data_rto.is_running() {
            self.arm_data_timer(now);
        }
    }

    /// Next chunk of the retransmission and its subflow, if that has room; queues that are filled take it in any case
    /// (`__mptcp_retrans`).
    pub(super) fn next_retransmission(&mut self) -> Option<(DataChunk, usize)> {
        let DataRetransmit { subflow, dsn, left, exact } = self.retransmission.resend?;
        let view = &self.subflows.views()[subflow];
        let dsn = dsn.max(self.snd.una());
        let chunk = if dsn == self.snd.una() { self.snd.oldest() } else { self.snd.piece_at(dsn) };
        let Some(mut chunk) = chunk.filter(|_| view.usable) else {
            self.retransmission.resend = None;
            return None;
        };
        if exact {
            chunk.len = chunk.len.min(u32::try_from(left).unwrap_or(u32::MAX));
        }
        if !view.room && !self.push.fills_queues() {
            return None;
        }
        let chunk = self.subflows[subflow].fit(&chunk, self.segment_room(), true).chunk;
        let left = left.saturating_sub(u64::from(chunk.len));
        self.retransmission.resend =
            (left > 0).then_some(DataRetransmit { subflow, dsn: chunk.end(), left, exact });
        Some((chunk, subflow))
    }

    /// Continues the check of subflows until data is to be assigned first. Each subflow with data in flight counts another timeout.
    pub(super) fn continue_stale_check(&mut self, now: Instant) {
        let Some(mut check) = self.retransmission.check.take() else { return };
        while check.next < self.subflows.len() {
            let id = check.next;
            check.next += 1;
            if self.check_staleness(id, &mut check) && self.push.fills_queues() {
                check.waits = true;
                self.retransmission.check = Some(check);
                self.push.restart();
                self.subflows.mark_all_dirty();
                return self.subflows.invalidate_dirty_views();
            }
        }
        self.end_data_timeout(check.candidate(), now);
    }

    /// Checks subflow `id`; whether it is found stale.
    fn check_staleness(&mut self, id: usize, check: &mut StaleCheck) -> bool {
        let s = &mut self.subflows[id];
        if !s.is_active() {
            return false;
        }
        if s.tcp.is_idle() {
            let first = if s.priority.is_backup() { &mut check.idle_backup } else { &mut check.idle };
            *first = first.or(Some(id));
            return false;
        }
        s.health.on_data_timeout();
        self.mark_if_stale(id);
        let health = &self.subflows[id].health;
        check.fewest_timeouts = check.fewest_timeouts.min(health.timeouts());
        health.is_stale()
    }

    /// Marks subflow `id` stale after `stale_loss_cnt` timeouts, if another one is better off, and reinjects its data.
    fn mark_if_stale(&mut self, id: usize) {
        let most = self.plan.mptcp.stale_loss_cnt;
        if most == 0 || self.subflows[id].health.timeouts() <= most {
            return;
        }
        let spared = most.saturating_sub(1).max(1);
        let mut others = self.subflows.iter().enumerate().filter(|(other, _)| *other != id);
        if !others.any(|(_, s)| s.is_active() && s.health.timeouts() < spared) {
            return;
        }
        self.subflows[id].health.set_stale();
        self.stats.stale_subflows += 1;
        if self.plan.mptcp.reinject_all {
            self.snd.reinject_all();
        } else {
            self.reinject_in_flight(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragment_rest_is_counted_from_byte_one() {
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
