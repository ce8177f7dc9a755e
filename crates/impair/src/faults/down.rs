//! A link that goes down, as a cable that is pulled: its ends notice.

use crate::bounds::DELAYS;
use crate::condition::{LinkCondition, LinkState};
use crate::fault::FaultKind;
use tailrace_core::Duration;

tailrace_core::parameters! {
    /// Keys of `down`.
    pub struct DownConfig {
        /// The delay after the end of the fault until routes use the link again. The link itself carries packets at
        /// once, and hosts see that their interface is up, but only after this time does a route lead over it: the
        /// host's own, or those of routers.
        route_delay: Duration = Duration::ZERO, "own choice", within DELAYS;
    }
}

impl FaultKind for DownConfig {
    const SUMMARY: &'static str = "The link goes down, and its ends notice. Packets that wait, are being sent or are on the way are lost. Routes change at once; when the fault ends they change back, `route_delay` later. TCP hears nothing of the return: with no other path it sends again when its retransmission timer next fires, which doubles with each attempt (RFC 6298 §5.5), so it may stay silent for as long again as the link was down, at most `max_rto`.";

    fn apply(&self, link: &mut LinkCondition) {
        link.lower_to(LinkState::Down);
    }
    fn after_effect(&self) -> Duration {
        self.route_delay
    }
    fn apply_after(&self, link: &mut LinkCondition) {
        link.withdraw_routes();
    }
}
