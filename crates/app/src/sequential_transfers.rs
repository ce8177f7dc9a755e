//! Transfers one after another, each on a connection of its own: what `transfer` and `sequence` do.

use crate::application::{AppContext, Application, ConnectionData, EndpointRole};
use tailrace_core::{Duration, DurationDist, SizeDist};

/// Transfers one after another.
#[derive(Debug)]
pub struct SequentialTransfers {
    size: SizeDist,
    gap: DurationDist,
    count: Option<u32>,
    sender: EndpointRole,
    begun: u32,
    /// The connection of the last one is over, and the next one's time is set.
    pausing: bool,
}

impl SequentialTransfers {
    /// `count` of them, or as many as there is time for, with a pause between the end of one and the start of the next.
    pub(crate) const fn new(
        size: SizeDist,
        gap: DurationDist,
        count: Option<u32>,
        sender: EndpointRole,
    ) -> Self {
        Self { size, gap, count, sender, begun: 0, pausing: false }
    }
}

impl Application for SequentialTransfers {
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        self.pausing = false;
        self.begun += 1;
        let size = self.size.draw(cx.rng());
        cx.open_from(self.sender, ConnectionData::Last(size.get()));
    }

    fn on_message(&mut self, _at: EndpointRole, cx: &mut AppContext<'_>) {
        cx.complete();
    }

    fn on_closed(&mut self, _failed: bool, cx: &mut AppContext<'_>) {
        if self.pausing || self.count.is_some_and(|n| self.begun >= n) {
            return;
        }
        self.pausing = true;
        let pause = self.gap.draw(cx.rng()).max(Duration::from_nanos(1));
        cx.wake_at(cx.now().saturating_add(pause));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{AppAction, AppActions};
    use tailrace_core::{Bytes, Instant, Rng};

    #[test]
    fn the_next_one_begins_a_pause_after_the_end_of_the_last_and_only_once() {
        let mut rng = Rng::new(1);
        let mut tell = |at, tell: &mut dyn FnMut(&mut AppContext<'_>)| -> (Option<Instant>, Vec<AppAction>) {
            let mut actions = AppActions::default();
            tell(&mut AppContext::new(Instant::from_millis(at), &mut rng, &mut actions));
            (actions.wake(), actions.others().collect())
        };
        let pause = DurationDist::Constant(Duration::from_millis(5));
        let mut app = SequentialTransfers::new(Bytes(5000).into(), pause, Some(2), EndpointRole::Server);
        for begins in [0, 25] {
            let open = AppAction::Open(ConnectionData::Last(5000), EndpointRole::Server);
            assert_eq!(tell(begins, &mut |cx| app.on_wake(cx)), (None, vec![open]));
            let message = tell(begins + 15, &mut |cx| app.on_message(EndpointRole::Server, cx));
            assert_eq!(message, (None, vec![AppAction::Complete]));
            let next = (begins == 0).then_some(Instant::from_millis(begins + 25));
            assert_eq!(tell(begins + 20, &mut |cx| app.on_closed(false, cx)), (next, vec![]));
            assert_eq!(
                tell(begins + 20, &mut |cx| app.on_closed(false, cx)),
                (None, vec![]),
                "it is said again"
            );
        }
    }
}
