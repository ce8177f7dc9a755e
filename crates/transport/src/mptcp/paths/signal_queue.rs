//! Signals that wait for an ACK to ride on, one per segment.

use crate::mptcp::option::Signal;
use std::collections::VecDeque;

/// In the order in which they are to be said, each with the subflow where it matters which.
#[derive(Clone, Debug, Default)]
pub(crate) struct SignalQueue(VecDeque<(Option<usize>, Signal)>);

impl SignalQueue {
    /// `signal` is to be said, on subflow `on` if that is one.
    pub(crate) fn push(&mut self, on: Option<usize>, signal: Signal) {
        self.0.push_back((on, signal));
    }

    /// `signal` is to be said, on subflow `on` if that is one. If it waits already, it is said there.
    pub(crate) fn push_once(&mut self, on: Option<usize>, signal: Signal) {
        match self.0.iter_mut().find(|(_, s)| *s == signal) {
            Some(waiting) => waiting.0 = on,
            None => self.push(on, signal),
        }
    }

    /// `signal` is not to be said after all; whether it waited.
    pub(crate) fn retract(&mut self, signal: &Signal) -> bool {
        let before = self.0.len();
        self.0.retain(|(_, s)| s != signal);
        self.0.len() != before
    }

    /// Subflow `id` is over. Signals about addresses leave on any other; MP_PRIO was about that subflow (RFC 8684 §3.3.8).
    pub(crate) fn release(&mut self, id: usize) {
        self.0.retain(|(on, s)| *on != Some(id) || !matches!(s, Signal::Priority { .. }));
        self.0.iter_mut().filter(|(on, _)| *on == Some(id)).for_each(|(on, _)| *on = None);
    }

    /// None is to be said any more.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn first_for(&self, id: usize) -> Option<usize> {
        self.0.iter().position(|(on, _)| on.is_none_or(|on| on == id))
    }

    /// Whether any may ride on subflow `id`.
    pub(crate) fn has_for(&self, id: usize) -> bool {
        self.first_for(id).is_some()
    }

    /// The first that may ride on subflow `id`.
    pub(crate) fn take(&mut self, id: usize) -> Option<Signal> {
        let (_, signal) = self.0.remove(self.first_for(id)?)?;
        Some(signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::option::AddressIds;

    #[test]
    fn a_signal_rides_on_its_subflow_or_on_any() {
        let (one, other) = (Signal::Priority { backup: true }, Signal::Priority { backup: false });
        let mut signals = SignalQueue::default();
        signals.push(Some(1), one);
        signals.push_once(Some(2), other);
        signals.push_once(None, other);
        assert!(signals.has_for(0) && signals.has_for(1));
        assert_eq!((signals.take(0), signals.take(0)), (Some(other), None));
        assert_eq!((signals.take(1), signals.is_empty()), (Some(one), true));
        signals.push(None, one);
        assert!(signals.retract(&one) && !signals.retract(&one));
        assert!(signals.is_empty());
    }

    #[test]
    fn a_signal_about_an_address_outlives_its_subflow() {
        let removal = Signal::RemoveAddr(AddressIds::one(3));
        let mut signals = SignalQueue::default();
        signals.push(Some(1), Signal::Priority { backup: true });
        signals.push(Some(1), removal);
        signals.release(1);
        assert_eq!((signals.take(2), signals.take(1)), (Some(removal), None));
    }
}
