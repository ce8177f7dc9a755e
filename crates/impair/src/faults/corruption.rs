//! Packets with damaged bits, which routers carry on and hosts throw away.

use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use tailrace_core::Probability;

tailrace_core::parameters! {
    /// Keys of `corruption`.
    pub struct CorruptionConfig {
        /// The probability that bits of a packet are damaged. The receiver notices and discards such a packet.
        probability: Probability, required;
    }
}

impl FaultKind for CorruptionConfig {
    const SUMMARY: &'static str = "Bits of packets are damaged at random: tc-netem(8)'s `corrupt`. Routers and queues forward such a packet; the host that it reaches notices the wrong checksum and drops it (`corrupted` in the events).";

    fn apply(&self, link: &mut LinkCondition) {
        link.set_corruption(self.probability);
    }
}
