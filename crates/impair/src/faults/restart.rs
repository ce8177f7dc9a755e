//! A router that begins anew, as after a crash or with new software.

use crate::condition::{Condition, Passage};
use crate::fault::FaultKind;

tailrace_core::parameters! {
    /// Keys of `restart`.
    pub struct RestartConfig {}
}

impl FaultKind for RestartConfig {
    const SUMMARY: &'static str = "As `down`, and the queue disciplines of the file begin anew, with nothing left of what they have \
                                   observed. Of all links of a router: `router` in place of `link`.";

    fn shape(&self, link: &mut Condition) {
        link.close(Passage::Down);
        link.renew_queue();
    }
}
