//! Another rate, as of a radio link that falls back.

use crate::bounds::RATES;
use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use tailrace_core::Rate;

tailrace_core::parameters! {
    /// Keys of `rate`.
    pub struct RateConfig {
        /// The rate of the link while the fault lasts.
        value: Rate, required, within RATES;
    }
}

impl FaultKind for RateConfig {
    const SUMMARY: &'static str = "The link's rate is `value`. A packet that is being sent finishes at the old rate. Queue disciplines are told.";

    fn apply(&self, link: &mut LinkCondition) {
        link.set_rate(self.value);
    }
}
