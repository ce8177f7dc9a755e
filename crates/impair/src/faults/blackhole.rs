//! A link that loses all without a sign, as a switch behind it that hangs.

use crate::condition::{LinkCondition, LinkState};
use crate::fault::FaultKind;

tailrace_core::parameters! {
    /// Keys of `blackhole`.
    pub struct BlackholeConfig {}
}

impl FaultKind for BlackholeConfig {
    const SUMMARY: &'static str = "The link loses everything that waits, is being sent or is on the way, but nobody notices, so routes still lead over it.";

    fn apply(&self, link: &mut LinkCondition) {
        link.lower_to(LinkState::Blackhole);
    }
}
