//! Limits of waiting for a guest: timeouts and numbers of messages.
//!
//! A guest may say nothing for ever, or speak for ever while its clock stands still. Neither is a moment of simulated time, so
//! time is measured here as users have it, in slices between which somebody may ask to stop.

use crate::error::{KernelError, TIMEOUT_VARIABLE};
use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;
use std::sync::Arc;
use std::time::Duration;
use tailrace_sim::Control;

/// Default limit of a guest's silence, in seconds of wall time; [`TIMEOUT_VARIABLE`] sets another.
const DEFAULT_SECONDS: u64 = 30;

/// Time until a cancellation is noticed.
const SLICE: Duration = Duration::from_millis(100);

/// Most that a guest may say while its clock stands still. Whoever looks at the clock moves it, as all of TCP does.
const MOST_WORDS: u32 = 1 << 18;

/// Limits of waiting for a guest: wall time without a message, and messages while its clock stands still.
#[derive(Clone, Debug)]
pub(crate) struct GuestTimeouts {
    limit: Duration,
    control: Arc<Control>,
    most_words: u32,
    clock: u64,
    words: u32,
}

impl GuestTimeouts {
    pub(crate) fn new(limit: Duration, control: Arc<Control>) -> Self {
        Self { limit, control, most_words: MOST_WORDS, clock: 0, words: 0 }
    }

    #[cfg(test)]
    pub(crate) fn with_most_words(self, most_words: u32) -> Self {
        Self { most_words, ..self }
    }

    /// Limits with the timeout of the environment.
    pub(crate) fn of_environment(control: Arc<Control>) -> Self {
        let said = std::env::var(TIMEOUT_VARIABLE).ok().and_then(|text| text.trim().parse().ok());
        Self::new(Duration::from_secs(said.unwrap_or(DEFAULT_SECONDS).max(1)), control)
    }

    /// Whether somebody has asked to stop.
    pub(crate) fn check(&self) -> Result<(), KernelError> {
        if self.control.is_cancelled() { Err(KernelError::Stopped) } else { Ok(()) }
    }

    /// Waits for any of them.
    pub(crate) fn wait(&self, all: &mut [PollFd<'_>]) -> Result<(), KernelError> {
        let slice = SLICE.min(self.limit);
        let limit = Timespec { tv_sec: 0, tv_nsec: i64::from(slice.subsec_nanos()) };
        let mut left = self.limit.as_millis().div_ceil(slice.as_millis().max(1));
        while left > 0 {
            match poll(all, Some(&limit)) {
                Ok(0) => left -= 1,
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => {
                    return Err(KernelError::Io { doing: "waiting for a guest", error: error.into() });
                }
            }
            self.check()?;
        }
        Err(KernelError::Silent(self.limit))
    }

    /// The guest, whose clock shows this, has said something.
    pub(crate) fn heard(&mut self, clock: u64) -> Result<(), KernelError> {
        if clock != self.clock {
            (self.clock, self.words) = (clock, 0);
        }
        self.words += 1;
        if self.words.is_multiple_of(1 << 10) {
            self.check()?;
        }
        if self.words > self.most_words { Err(KernelError::Endless) } else { Ok(()) }
    }
}
