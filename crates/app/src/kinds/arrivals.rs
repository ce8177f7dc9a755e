//! Transfers that arrive at their own times: an open loop, as of many users who know nothing of one another.

use crate::application::{Application, Cx, Data, End};
use crate::bounds::{COUNTS, SIZES};
use crate::registry::{AppKind, Over, Transfers};
use tailrace_core::{Bytes, Duration, DurationDist};

tailrace_core::parameters! {
    /// Keys of `arrivals`.
    pub struct ArrivalsConfig {
        /// Size of each transfer.
        size: Bytes, required, within SIZES;
        /// From the start of one to the start of the next; exponential(10 ms) makes Poisson arrivals.
        gap: DurationDist, required, in "100 us"..="87600 h": "each arrival opens a connection";
        /// Number of connections; `"auto"` goes on until `stop`.
        count: Option<u32> = None, "own choice", within COUNTS;
    }
}

impl AppKind for ArrivalsConfig {
    const SUMMARY: &'static str =
        "Transfers that start at their own times, however many are under way, each on a new connection.";
    const OVER: Over = Over::Streams;
    type App = Arrivals;

    fn build(&self) -> Arrivals {
        Arrivals { config: self.clone(), begun: 0 }
    }
    fn transfers(&self) -> Transfers {
        Transfers::of(self.count)
    }
    fn is_random(&self) -> bool {
        !self.gap.is_constant()
    }
}

/// One that runs.
#[derive(Debug)]
pub struct Arrivals {
    config: ArrivalsConfig,
    begun: u32,
}

impl Application for Arrivals {
    fn on_wake(&mut self, cx: &mut Cx<'_>) {
        self.begun += 1;
        if self.config.count.is_none_or(|n| self.begun < n) {
            let gap = self.config.gap.draw(cx.rng()).max(Duration::from_nanos(1));
            cx.wake_at(cx.now().saturating_add(gap));
        }
        cx.open(Data::Last(self.config.size.get()));
    }

    fn on_message(&mut self, _at: End, cx: &mut Cx<'_>) {
        cx.complete();
    }
}
