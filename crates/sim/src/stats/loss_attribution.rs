//! Losses and marks are charged to the window in which the packet was sent. Consecutive windows therefore add up to the run, and
//! none loses more than it sent.

use crate::stats::loss_counters::LossCounters;
use tailrace_core::Instant;

/// Closed windows in order of time, with the losses of their packets that happened later.
#[derive(Debug, Default)]
pub(crate) struct LossAttribution(Vec<ClosedWindow>);

/// A closed window, with late losses by flow.
#[derive(Debug)]
struct ClosedWindow {
    /// Start, exclusive. `None`: the window starts with the run.
    start: Option<Instant>,
    end: Instant,
    flows: Vec<LossCounters>,
}

impl LossAttribution {
    /// Closes a window.
    pub(crate) fn close(&mut self, start: Option<Instant>, end: Instant, flows: usize) {
        self.0.push(ClosedWindow { start, end, flows: vec![LossCounters::default(); flows] });
    }

    /// Charges the loss or mark of a packet to the closed window in which it was sent; returns that window's number, if any.
    pub(crate) fn record(&mut self, flow: usize, sent_at: Instant, loss: LossCounters) -> Option<usize> {
        // Searched from the end: most packets were sent recently.
        let sent_in = |w: &ClosedWindow| sent_at <= w.end && w.start.is_none_or(|start| sent_at > start);
        let window = self.0.iter().rposition(sent_in)?;
        self.0[window].flows[flow].add(loss);
        Some(window)
    }

    /// Late losses of a flow's packets sent in a window; zero while the window is open.
    pub(crate) fn of(&self, window: usize, flow: usize) -> LossCounters {
        self.0.get(window).map_or_else(LossCounters::default, |closed| closed.flows[flow])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_losses_count_in_the_window_of_sending() {
        let at = Instant::from_secs;
        let mut losses = LossAttribution::default();
        losses.close(None, at(10), 2);
        // No window covers the time from 10 s to 20 s.
        losses.close(Some(at(20)), at(30), 2);
        losses.record(0, at(0), LossCounters::LOST);
        losses.record(1, at(10), LossCounters::MARKED);
        losses.record(1, at(20), LossCounters::LOST);
        losses.record(1, at(25), LossCounters::LOST);
        losses.record(1, at(30), LossCounters::LOST);
        let found = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(window, flow)| losses.of(window, flow));
        let counters = |lost, marked| LossCounters { lost, marked };
        assert_eq!(found, [counters(1, 0), counters(0, 1), counters(0, 0), counters(2, 0)]);
    }
}
