//! When the members of a group begin their periods.

use crate::member::Member;
use tailrace_core::{Duration, Rng};

tailrace_core::choices! {
    /// How the periods of a group's flows lie to one another.
    pub enum Phase {
        /// All begin theirs when they start.
        Together = "together",
        /// Evenly over one period: of n flows each begins an n-th of it after the one before.
        Spread = "spread",
        /// Each anywhere within one period, drawn once a flow and run.
        Random = "random",
    }
}

impl Phase {
    /// How long after its start a member begins its first period.
    pub(crate) fn offset(self, period: Duration, member: Member, rng: &mut Rng) -> Duration {
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
        let offset = |phase: Phase, number| phase.offset(period, Member { number, of: 4 }, &mut Rng::new(1));
        assert_eq!([0, 1, 2, 3].map(|n| offset(Phase::Spread, n).as_millis()), [0, 500, 1000, 1500]);
        assert_eq!(offset(Phase::Together, 3), Duration::ZERO);
        assert!(offset(Phase::Random, 0) < period);
    }
}
