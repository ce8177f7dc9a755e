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
pub(super) struct Samples {
    timer: OwnedFd,
    plan: plan::Samples,
    next: u64,
}

impl Samples {
    pub(super) fn new(plan: plan::Samples) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Realtime, flags)?;
        let all = Self { timer, plan, next: plan.first.min(plan.last) };
        all.arm()?;
        Ok(all)
    }

    /// The time has come: waits for the next one.
    pub(super) fn next(&mut self) {
        let after = self.next.saturating_add(self.plan.interval);
        let goes_on = self.plan.interval > 0 && after < self.plan.last;
        self.next = match () {
            () if self.next >= self.plan.last => u64::MAX,
            () if goes_on => after,
            () => self.plan.last,
        };
        // Arming it anew takes back that it can be read.
        let _ = self.arm();
    }

    fn arm(&self) -> io::Result<()> {
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let at = if self.next == u64::MAX { 0 } else { TIME_OF_DAY + self.next };
        let it_value = Timespec {
            tv_sec: (at / 1_000_000_000).cast_signed(),
            tv_nsec: (at % 1_000_000_000).cast_signed(),
        };
        let when = Itimerspec { it_interval: zero, it_value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &when)?;
        Ok(())
    }
}

impl AsFd for Samples {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }
}
