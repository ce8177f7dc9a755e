//! When connections are looked at.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::io;
use tailrace_agent::TIME_OF_DAY;
use tailrace_agent::plan;

/// A timer that can be read when the next time has come.
#[derive(Debug)]
pub(super) struct SampleTimer {
    timer: OwnedFd,
    plan: plan::SampleSchedule,
    /// Number of the other times that have passed.
    over: usize,
    /// The next at equal intervals.
    tick: u64,
}

impl SampleTimer {
    pub(super) fn new(plan: &plan::SampleSchedule) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Realtime, flags)?;
        let tick = if plan.interval > 0 { plan.first } else { u64::MAX };
        let all = Self { timer, plan: plan.clone(), over: 0, tick };
        all.arm()?;
        Ok(all)
    }

    /// The time has come: waits for the next one.
    pub(super) fn next(&mut self) {
        let now = self.at();
        while self.tick <= now {
            self.tick = self.tick.saturating_add(self.plan.interval);
        }
        self.over += self.plan.others[self.over..].iter().take_while(|at| **at <= now).count();
        if now >= self.plan.last {
            (self.tick, self.over, self.plan.last) = (u64::MAX, self.plan.others.len(), u64::MAX);
        }
        // Arming it anew takes back that it can be read.
        let _ = self.arm();
    }

    /// The next time; `u64::MAX` where there is none.
    fn at(&self) -> u64 {
        let other = self.plan.others.get(self.over).copied().unwrap_or(u64::MAX);
        self.tick.min(other).min(self.plan.last)
    }

    fn arm(&self) -> io::Result<()> {
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let at = if self.at() == u64::MAX { 0 } else { TIME_OF_DAY + self.at() };
        let it_value = Timespec {
            tv_sec: (at / 1_000_000_000).cast_signed(),
            tv_nsec: (at % 1_000_000_000).cast_signed(),
        };
        let when = Itimerspec { it_interval: zero, it_value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &when)?;
        Ok(())
    }
}

impl AsFd for SampleTimer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }
}
