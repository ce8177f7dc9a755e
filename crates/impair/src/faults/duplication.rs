//! Packets that arrive twice, as where two paths carry the same or a link layer sends again what had come.

use crate::condition::Condition;
use crate::fault::FaultKind;
use tailrace_core::Probability;

tailrace_core::parameters! {
    /// Keys of `duplication`.
    pub struct DuplicationConfig {
        /// The probability that a packet arrives twice; packets that are lost do not count.
        probability: Probability, required;
    }
}

impl FaultKind for DuplicationConfig {
    const SUMMARY: &'static str = "A packet arrives twice, with this probability, the copy right behind it: tc-netem(8)'s `duplicate`. The link \
                                   makes the copy at its far end, so it takes nothing of the link's rate and none of its queue.";

    fn shape(&self, link: &mut Condition) {
        link.set_duplication(self.probability);
    }
}
