//! What befalls packets after the window in which they were sent: a loss counts where the packet does, so that the losses
//! of windows that follow one another are those of the whole time, and none loses more than it sent.

use crate::stats::loss_counters::Fates;
use tailrace_core::Instant;

/// The scenario's windows that are over, in order of time.
#[derive(Debug, Default)]
pub(crate) struct Late(Vec<Over>);

/// A window that is over, and by flow what befell its packets since.
#[derive(Debug)]
struct Over {
    /// What was sent at that very time belongs to the window before; none: it began with the run.
    begun: Option<Instant>,
    end: Instant,
    flows: Vec<Fates>,
}

impl Late {
    /// A window is over.
    pub(crate) fn close(&mut self, begun: Option<Instant>, end: Instant, flows: usize) {
        self.0.push(Over { begun, end, flows: vec![Fates::default(); flows] });
    }

    /// A packet of that flow, sent before the present window, is lost or marked; returns the number of the window in which
    /// it was sent, if that was in one.
    pub(crate) fn note(&mut self, flow: usize, sent_at: Instant, fate: Fates) -> Option<usize> {
        // Most were sent not long ago.
        let sent_in = |w: &Over| sent_at <= w.end && w.begun.is_none_or(|begun| sent_at > begun);
        let window = self.0.iter().rposition(sent_in)?;
        self.0[window].flows[flow].add(fate);
        Some(window)
    }

    /// What befell the packets of a flow after the end of a window; nothing yet where it is not over.
    pub(crate) fn of(&self, window: usize, flow: usize) -> Fates {
        self.0.get(window).map_or_else(Fates::default, |over| over.flows[flow])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_befalls_a_packet_counts_in_the_window_in_which_it_was_sent() {
        let at = Instant::from_secs;
        let mut late = Late::default();
        late.close(None, at(10), 2);
        // Nobody asked for the time from 10 s to 20 s.
        late.close(Some(at(20)), at(30), 2);
        late.note(0, at(0), Fates::LOST);
        late.note(1, at(10), Fates::MARKED);
        late.note(1, at(20), Fates::LOST);
        late.note(1, at(25), Fates::LOST);
        late.note(1, at(30), Fates::LOST);
        let found = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(w, g)| late.of(w, g));
        let fates = |lost, marked| Fates { lost, marked };
        assert_eq!(found, [fates(1, 0), fates(0, 1), fates(0, 0), fates(2, 0)]);
    }
}
