//! Timer of the samples of `tcp_info`.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::io;
use tailrace_agent::TIME_OF_DAY;
use tailrace_agent::plan;

/// Timer file descriptor, readable when a sample is due.
#[derive(Debug)]
pub(super) struct SampleTimer {
    timer: OwnedFd,
    plan: plan::SampleSchedule,
    /// Number of single samples that have passed.
    singles_done: usize,
    /// Time of the next periodic sample.
    next_periodic: u64,
}

impl SampleTimer {
    pub(super) fn new(plan: &plan::SampleSchedule) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Realtime, flags)?;
        let next_periodic = if plan.interval > 0 { plan.first } else { u64::MAX };
        let all = Self { timer, plan: plan.clone(), singles_done: 0, next_periodic };
        all.arm()?;
        Ok(all)
    }

    /// Advances to the next sample after one was due.
    pub(super) fn advance(&mut self) {
        let now = self.next_sample();
        while self.next_periodic <= now {
            self.next_periodic = self.next_periodic.saturating_add(self.plan.interval);
        }
        self.singles_done +=
            self.plan.others[self.singles_done..].iter().take_while(|at| **at <= now).count();
        if now >= self.plan.last {
            (self.next_periodic, self.singles_done, self.plan.last) =
                (u64::MAX, self.plan.others.len(), u64::MAX);
        }
        // Arming the timer also clears its readability.
        let _ = self.arm();
    }

    /// Time of the next sample; `u64::MAX` after the last.
    fn next_sample(&self) -> u64 {
        let other = self.plan.others.get(self.singles_done).copied().unwrap_or(u64::MAX);
        self.next_periodic.min(other).min(self.plan.last)
    }

    fn arm(&self) -> io::Result<()> {
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let at = if self.next_sample() == u64::MAX { 0 } else { TIME_OF_DAY + self.next_sample() };
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
