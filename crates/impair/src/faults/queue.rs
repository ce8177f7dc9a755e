//! Another queue discipline, as when somebody sets one while packets flow.

use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use tailrace_core::params::Invalid;
use tailrace_qdisc::QdiscConfig;

tailrace_core::parameters! {
    /// Keys of `queue`.
    pub struct QueueConfig {
        /// The queue discipline of the link while the fault lasts.
        value: Box<QdiscConfig>, required;
    }
}

impl FaultKind for QueueConfig {
    const SUMMARY: &'static str = "The link's queue discipline is `value`, written as for a link. It starts anew; packets that wait move into it, as if they arrived now.";

    fn validate(&self) -> Result<(), Invalid> {
        if self.value.host_rules().is_some() {
            let kind = self.value.name();
            return Err((
                "value",
                format!(
                    "{kind} cannot begin during a run, since hosts must return its labels from the start: give it to the link itself"
                ),
            ));
        }
        self.value.validate().map_err(|(key, why)| ("value", format!("{key}: {why}")))
    }
    fn set_queue(&mut self, key: &str, queue: QdiscConfig) -> bool {
        let is_one = key == "value";
        if is_one {
            *self.value = queue;
        }
        is_one
    }
    fn apply(&self, link: &mut LinkCondition) {
        link.set_queue(self.value.clone());
    }
}
