//! Packets that are held back while others go past them, as where a link has parallel lanes or sends again by itself.

use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use crate::netem::Reordering;
use tailrace_core::params::Invalid;
use tailrace_core::{Duration, Probability};

tailrace_core::parameters! {
    /// Keys of `reordering`.
    pub struct ReorderingConfig {
        /// The probability that a packet is held back, so that later ones overtake it.
        probability: Probability, required;
        /// For how long a packet is held back. If the next packet arrives only after this time, the order does not
        /// change.
        hold: Duration, required, in "1 ns"..="87600 h": "a packet that is not held back keeps its place | no run lasts longer";
        /// The smallest number of packets from one that is held back to the next: with 5 at least four pass in between.
        gap: u32 = 1, "own choice", in 1..=1000000: "with 0 no packet could be held back | no queue holds so many";
    }
}

impl FaultKind for ReorderingConfig {
    const SUMMARY: &'static str = "Packets are held back at random for the time `hold`, and later ones overtake them; all others keep their order. In tc-netem(8)'s words: the link's delay plus `hold` is its `delay`, and packets that are not held back are its `reorder`.";

    fn validate(&self) -> Result<(), Invalid> {
        if self.hold.is_zero() {
            return Err(("hold", "must be stated".into()));
        }
        Ok(())
    }
    fn apply(&self, link: &mut LinkCondition) {
        let Self { probability, hold, gap } = *self;
        link.set_reordering(Reordering { probability, hold, gap });
    }
}
