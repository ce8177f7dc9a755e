//! Changes of interfaces that are acted upon some time later, as by a daemon that has to hear of them first.

use super::AddressId;
use std::collections::VecDeque;
use tailrace_core::{Duration, Instant};

/// Changes that wait: which address, whether it came up, and until when.
#[derive(Clone, Debug)]
pub(super) struct Delayed {
    delay: Duration,
    waiting: VecDeque<(AddressId, bool, Instant)>,
}

impl Delayed {
    pub(super) const fn new(delay: Duration) -> Self {
        Self { delay, waiting: VecDeque::new() }
    }

    /// Address `id` has come up or gone down. What is undone while it waits was nothing. Returns whether to act now.
    pub(super) fn on_change(&mut self, id: AddressId, up: bool, now: Instant) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|c| c.0 != id);
        if self.waiting.len() != before {
            return false;
        }
        if self.delay.is_zero() {
            return true;
        }
        self.waiting.push_back((id, up, now.saturating_add(self.delay)));
        false
    }

    /// Likewise, where a change is acted upon once the host has done all that follows from the one before.
    pub(super) fn queue(&mut self, id: AddressId, up: bool, now: Instant) {
        if self.on_change(id, up, now) {
            self.waiting.push_back((id, up, now));
        }
    }

    /// A change whose time has come.
    pub(super) fn take(&mut self, now: Instant) -> Option<(AddressId, bool)> {
        let &(id, up, _) = self.waiting.front().filter(|c| c.2 <= now)?;
        self.waiting.pop_front();
        Some((id, up))
    }

    /// When the next change is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.waiting.front().map(|c| c.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_wait_and_cancel_out() {
        let at = Instant::from_millis;
        let mut changes = Delayed::new(Duration::from_millis(500));
        assert!(!changes.on_change(1, false, at(0)) && !changes.on_change(2, false, at(100)));
        assert!(!changes.on_change(1, true, at(400)), "undone");
        assert_eq!((changes.next(), changes.take(at(599))), (Some(at(600)), None));
        assert_eq!((changes.take(at(600)), changes.next()), (Some((2, false)), None));
        let mut prompt = Delayed::new(Duration::ZERO);
        assert!(prompt.on_change(1, false, at(0)));
        prompt.queue(2, false, at(5));
        prompt.queue(3, false, at(5));
        assert_eq!([0; 3].map(|_| prompt.take(at(5))), [Some((2, false)), Some((3, false)), None]);
    }
}
