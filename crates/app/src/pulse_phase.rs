//! When the members of a group begin their periods.

use crate::group_member::GroupMember;
use tailrace_core::{Duration, Rng};

tailrace_core::choices! {
    /// Position of the periods of a group's flows relative to one another.
    pub enum PulsePhase {
        /// Each flow's first period begins when the flow starts.
        Together = "together",
        /// The flows are spread evenly over one period: of n flows, each begins an n-th of a period after the one
        /// before.
        Spread = "spread",
        /// Each flow begins at a random time within one period, drawn for each flow and run.
        Random = "random",
    }
}

impl PulsePhase {
    /// Delay from a member's start to its first period.
    pub(crate) fn offset(self, period: Duration, member: GroupMember, rng: &mut Rng) -> Duration {
        match self {
            Self::Together => Duration::ZERO,
            Self::Spread => period.mul_f64(member.share()),
            Self::Random => period.mul_f64(rng.uniform()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_are_spread_a_quarter_apart() {
        let period = Duration::from_secs(2);
        let offset =
            |phase: PulsePhase, number| phase.offset(period, GroupMember { number, of: 4 }, &mut Rng::new(1));
        assert_eq!([0, 1, 2, 3].map(|n| offset(PulsePhase::Spread, n).as_millis()), [0, 500, 1000, 1500]);
        assert_eq!(offset(PulsePhase::Together, 3), Duration::ZERO);
        assert!(offset(PulsePhase::Random, 0) < period);
    }
}
