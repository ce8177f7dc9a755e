//! A router that begins anew, as after a crash or with new software.

use crate::condition::{LinkCondition, LinkState};
use crate::fault::FaultKind;

tailrace_core::parameters! {
    /// Keys of `restart`.
    pub struct RestartConfig {}
}

impl FaultKind for RestartConfig {
    const SUMMARY: &'static str = "As `down`; in addition, queue disciplines start anew and have forgotten what they had observed. For all links of a router, write `router` instead of `link`.";

    fn apply(&self, link: &mut LinkCondition) {
        link.lower_to(LinkState::Down);
        link.renew_queue();
    }
}
