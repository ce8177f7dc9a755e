//! Packets that arrive twice, as where two paths carry the same or a link layer sends again what had come.

use crate::condition::LinkCondition;
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
    const SUMMARY: &'static str = "Packets arrive twice at random, the copy directly after the packet: tc-netem(8)'s `duplicate`. The copy is made at the far end, so it takes nothing of the link's rate and no room in its queue.";

    fn apply(&self, link: &mut LinkCondition) {
        link.set_duplication(self.probability);
    }
}
