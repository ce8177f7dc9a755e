//! Another delay, as of a detour below the network's layer.

use crate::bounds::DELAYS;
use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use tailrace_core::Duration;

tailrace_core::parameters! {
    /// Keys of `delay`.
    pub struct DelayConfig {
        /// The delay of the link, one way, while the fault lasts.
        value: Duration, required, within DELAYS;
    }
}

impl FaultKind for DelayConfig {
    const SUMMARY: &'static str = "The link's delay is `value`, for packets that are sent from then on; packets do not overtake each other. Queue disciplines are told.";

    fn apply(&self, link: &mut LinkCondition) {
        link.set_delay(self.value);
    }
}
