//! Simulated time as the stacks have it, which is a type of the standard library.

use std::time::{Duration as StdDuration, Instant as StdInstant};
use tailrace_core::{Duration, Instant};

/// Conversion between simulated time and the stacks'. Only differences of the stacks' times are used, so that where it begins has no
/// effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(StdInstant);

/// Time before the start of the run that a stack can name, as it subtracts spans from the present.
const BEFORE: StdDuration = StdDuration::from_secs(3600);

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "there is no other way to make an Instant; it is only an origin"
    )]
    pub(crate) fn new() -> Self {
        Self(StdInstant::now() + BEFORE)
    }

    /// Simulated time as a time of the stack.
    pub(crate) fn to_stack(self, at: Instant) -> StdInstant {
        self.0 + StdDuration::from_nanos(at.as_nanos())
    }

    /// Time of the stack as simulated time; the start of the run for earlier ones.
    pub(crate) fn to_simulation(self, at: StdInstant) -> Instant {
        Instant::ZERO + span(at.saturating_duration_since(self.0))
    }
}

/// Span of the stack as a simulated one.
pub(crate) fn span(span: StdDuration) -> Duration {
    Duration::from_nanos(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX))
}

/// Simulated span as one of the stack.
pub(crate) const fn to_stack_span(span: Duration) -> StdDuration {
    StdDuration::from_nanos(span.as_nanos())
}
