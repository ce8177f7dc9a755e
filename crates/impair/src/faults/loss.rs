//! Random loss, as of a link that is disturbed.

use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use crate::losses;
use tailrace_core::params::Invalid;

tailrace_core::parameters! {
    /// Keys of `loss`.
    pub struct LossConfig {
        /// The random loss of the link while the fault lasts.
        value: losses::LossConfig, required;
    }
}

impl FaultKind for LossConfig {
    const SUMMARY: &'static str = "The link loses packets at random, as `value` says.";

    fn validate(&self) -> Result<(), Invalid> {
        self.value.validate().map_err(|(key, why)| ("value", format!("{key}: {why}")))
    }
    fn apply(&self, link: &mut LinkCondition) {
        link.set_loss(self.value.clone());
    }
}
