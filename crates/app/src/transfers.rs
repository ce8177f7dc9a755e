//! Transfers one after another, each on a connection of its own: what `transfer` and `sequence` do.

use crate::application::{Application, Cx, Data, End};
use tailrace_core::{Duration, DurationDist, SizeDist};

/// Such transfers.
#[derive(Debug)]
pub struct InTurn {
    size: SizeDist,
    gap: DurationDist,
    count: Option<u32>,
    sender: End,
    begun: u32,
    /// The connection of the last one is over, and the next one's time is set.
    pausing: bool,
}

impl InTurn {
    /// `count` of them, or as many as there is time for, with a pause between the end of one and the start of the next.
    pub(crate) const fn new(size: SizeDist, gap: DurationDist, count: Option<u32>, sender: End) -> Self {
        Self { size, gap, count, sender, begun: 0, pausing: false }
    }
}

impl Application for InTurn {
    fn on_wake(&mut self, cx: &mut Cx<'_>) {
        self.pausing = false;
        self.begun += 1;
        let size = self.size.draw(cx.rng());
        cx.open_from(self.sender, Data::Last(size.get()));
    }

    fn on_message(&mut self, _at: End, cx: &mut Cx<'_>) {
        cx.complete();
    }

    fn on_over(&mut self, _failed: bool, cx: &mut Cx<'_>) {
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
    use crate::application::{Action, Actions};
    use tailrace_core::{Bytes, Instant, Rng};

    #[test]
    fn the_next_one_begins_a_pause_after_the_end_of_the_last_and_only_once() {
        let mut rng = Rng::new(1);
        let mut tell = |at, tell: &mut dyn FnMut(&mut Cx<'_>)| -> (Option<Instant>, Vec<Action>) {
            let mut actions = Actions::default();
            tell(&mut Cx::new(Instant::from_millis(at), &mut rng, &mut actions));
            (actions.wake(), actions.others().collect())
        };
        let pause = DurationDist::Constant(Duration::from_millis(5));
        let mut app = InTurn::new(Bytes(5000).into(), pause, Some(2), End::Server);
        for begins in [0, 25] {
            let open = Action::Open(Data::Last(5000), End::Server);
            assert_eq!(tell(begins, &mut |cx| app.on_wake(cx)), (None, vec![open]));
            let message = tell(begins + 15, &mut |cx| app.on_message(End::Server, cx));
            assert_eq!(message, (None, vec![Action::Complete]));
            let next = (begins == 0).then_some(Instant::from_millis(begins + 25));
            assert_eq!(tell(begins + 20, &mut |cx| app.on_over(false, cx)), (next, vec![]));
            assert_eq!(
                tell(begins + 20, &mut |cx| app.on_over(false, cx)),
                (None, vec![]),
                "it is said again"
            );
        }
    }
}
