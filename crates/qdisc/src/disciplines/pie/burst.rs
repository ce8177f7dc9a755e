//! The burst machine of RFC 8034: idle until a third full, protecting after the first early drop.

use super::config::{Burst, PieConfig};
use crate::discipline::Backlog;
use tailrace_core::{Duration, Limit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing is signalled.
    Inactive,
    /// The next early drop starts the allowance.
    Quiescent,
    /// The allowance was given.
    Active,
}

/// The machine.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    state: State,
    limit: Limit,
    timeout: Duration,
    quiet_for: Duration,
}

impl Activity {
    /// The machine, where `config` asks for it.
    pub(super) fn new(config: &PieConfig) -> Option<Self> {
        (config.burst() == Burst::Docsis).then_some(Self {
            state: State::Inactive,
            limit: config.limit,
            timeout: config.burst_reset,
            quiet_for: Duration::ZERO,
        })
    }

    /// Whether nothing is signalled to an arrival that finds `backlog`.
    #[inline]
    pub(super) fn sleeps(&mut self, backlog: Backlog) -> bool {
        if self.state == State::Inactive {
            let is_third = match self.limit {
                Limit::Packets(n) => backlog.packets >= n / 3,
                Limit::Bytes(b) => backlog.bytes.get() >= b.get() / 3,
            };
            if !is_third {
                return true;
            }
            self.state = State::Quiescent;
            self.quiet_for = Duration::ZERO;
        }
        false
    }

    /// An early drop. Whether it starts the allowance.
    #[inline]
    pub(super) fn on_drop(&mut self) -> bool {
        let starts = self.state == State::Quiescent;
        if starts {
            self.state = State::Active;
        }
        starts
    }

    /// An update `interval` after the last, at a time that is `quiet` or not.
    pub(super) fn on_update(&mut self, quiet: bool, interval: Duration) {
        match self.state {
            State::Active if quiet => {
                self.state = State::Quiescent;
                self.quiet_for = Duration::ZERO;
            }
            State::Quiescent if quiet => {
                self.quiet_for =
                    Duration::from_nanos(self.quiet_for.as_nanos().saturating_add(interval.as_nanos()));
                if self.quiet_for > self.timeout {
                    self.state = State::Inactive;
                }
            }
            State::Quiescent => self.quiet_for = Duration::ZERO,
            State::Active | State::Inactive => {}
        }
    }
}
