//! Deadlines: retransmission (RFC 6298 §5), loss probes and reordering (RFC 8985), window probes (RFC 9293 §3.8.6.1),
//! TIME-WAIT, delayed ACKs and pacing.
//!
//! All but the last two are mutually exclusive and share one slot.

use super::state::{State, Trigger};
use super::{ResetCause, Tcp, jiffies};
use tailrace_core::{Duration, Instant};

/// What the shared slot is armed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Nothing; the deadline is "never".
    Off,
    /// Retransmission.
    Retransmit(Instant),
    /// A tail loss probe; retransmission comes after it.
    Probe(Instant),
    /// What was overtaken is lost by then; retransmission comes after it.
    Reorder(Instant),
    /// A window probe, the n-th in a row.
    Persist(Instant, u8),
    /// The end of TIME-WAIT.
    TimeWait(Instant),
}

impl Timer {
    pub(crate) const OFF: Self = Self::Off;

    #[inline]
    pub(crate) const fn at(&self) -> Instant {
        match *self {
            Self::Off => Instant::MAX,
            Self::Retransmit(at)
            | Self::Probe(at)
            | Self::Reorder(at)
            | Self::Persist(at, _)
            | Self::TimeWait(at) => at,
        }
    }
}

impl Tcp {
    /// Tells the endpoint the time. Whatever is due happens; early calls do nothing.
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.acks.deadline() <= now {
            self.on_ack_deadline();
        }
        if self.paces && self.pace_at <= now {
            self.pace_at = Instant::MAX;
        }
        if self.timer.at() > now {
            return;
        }
        self.burst = 0;
        match self.timer {
            Timer::Off => {}
            Timer::Retransmit(_) if self.state.is_synchronized() => self.on_retransmission_timeout(now),
            Timer::Retransmit(_) => self.on_syn_timeout(now),
            Timer::Probe(_) => self.on_probe_timeout(),
            Timer::Reorder(_) => self.on_reorder_timeout(now),
            Timer::Persist(_, n) => self.on_persist(n, now),
            Timer::TimeWait(_) => {
                self.advance(Trigger::TimeWaitOver);
                self.pending.closed = true;
                self.stop();
            }
        }
    }

    /// When a timer that is set at `now` for `wait` expires.
    #[inline]
    pub(super) fn expiry(&self, now: Instant, wait: Duration) -> Instant {
        jiffies::expiry(now, wait, self.config.jiffy)
    }

    /// So much longer do timers wait that are shorter than the retransmission timer (Linux `TCP_TIMEOUT_MIN`).
    #[inline]
    pub(super) fn slack(&self) -> Duration {
        self.config.jiffy * 2
    }

    /// Starts the retransmission timer unless it runs.
    #[inline]
    pub(super) fn arm_retransmit(&mut self, now: Instant) {
        if !matches!(self.timer, Timer::Retransmit(_) | Timer::Probe(_) | Timer::Reorder(_)) {
            self.rearm_retransmit(now);
        }
    }

    #[inline]
    pub(super) fn rearm_retransmit(&mut self, now: Instant) {
        self.timer = Timer::Retransmit(self.expiry(now, self.rto()));
    }

    pub(super) fn arm_persist(&mut self, now: Instant) {
        if self.timer == Timer::Off {
            self.timer = Timer::Persist(self.expiry(now, self.persist_interval(0)), 0);
        }
    }

    fn persist_interval(&self, n: u8) -> Duration {
        let first = self.config.persist_timeout.unwrap_or_else(|| self.rto());
        first.saturating_mul(1 << n.min(32)).min(self.config.max_rto.max(first))
    }

    pub(super) fn enter_time_wait(&mut self, now: Instant) {
        self.timer = Timer::TimeWait(now.saturating_add(self.config.time_wait));
    }

    /// Probes go on for as long as the window stays shut: they never end a connection (RFC 1122 §4.2.2.17).
    fn on_persist(&mut self, n: u8, now: Instant) {
        if self.board.outstanding() > 0 || self.send_end() == self.board.nxt {
            self.timer = Timer::Off;
            return;
        }
        if self.board.una + self.snd_wnd.size() > self.board.nxt {
            // The window is open but silly; RFC 9293 §3.8.6.2.1 overrides that after a while.
            self.force = true;
        } else {
            self.probe_due = true;
        }
        let n = n.saturating_add(1);
        self.timer = Timer::Persist(self.expiry(now, self.persist_interval(n)), n);
    }

    fn on_syn_timeout(&mut self, now: Instant) {
        self.stats.timeouts += 1;
        self.retries += 1;
        if self.config.syn_retries.is_some_and(|most| u64::from(self.retries) > most) {
            self.break_off(ResetCause::TimedOut);
            return;
        }
        self.syn_lost = true;
        self.syn_due = true;
        self.rtt.back_off();
        self.rearm_retransmit(now);
    }

    fn on_retransmission_timeout(&mut self, now: Instant) {
        if self.board.outstanding() == 0 {
            self.timer = Timer::Off;
            self.recovery.holds = false;
            return;
        }
        self.stats.timeouts += 1;
        // A shut window is the peer's wish, not a sign that it is gone.
        if self.snd_wnd.size() > 0 {
            self.retries += 1;
        }
        if self.config.data_retries.is_some_and(|most| u64::from(self.retries) > most) {
            self.break_off(ResetCause::TimedOut);
            return;
        }
        self.on_timeout_loss(now);
        self.rtt.back_off();
        self.rearm_retransmit(now);
    }

    /// The peer's FIN came, or its ACK of ours: what the new state asks of the timers.
    pub(super) fn on_state_changed(&mut self, now: Instant) {
        match self.state {
            State::TimeWait => self.enter_time_wait(now),
            State::Closed => {
                self.pending.closed = true;
                self.stop();
            }
            _ => {}
        }
    }
}
