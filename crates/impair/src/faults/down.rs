//! A link that goes down, as a cable that is pulled: its ends notice.

use crate::condition::{Condition, Passage};
use crate::fault::FaultKind;

tailrace_core::parameters! {
    /// Keys of `down`.
    pub struct DownConfig {}
}

impl FaultKind for DownConfig {
    const SUMMARY: &'static str = "What waits, is being sent or is on the wire is lost; routes are computed anew at once, and \
                                   again when it ends.";

    fn shape(&self, link: &mut Condition) {
        link.close(Passage::Down);
    }
}
