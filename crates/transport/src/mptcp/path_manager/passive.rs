//! No subflows of its own: those that the peer opens are accepted (out-of-tree Linux's `default`).
//!
//! An address that goes down takes its subflows with it.

use super::{PathAction, PathEvent, PathManager, PathManagerKind};
use std::collections::VecDeque;
use tailrace_core::{Instant, parameters};

parameters! {
    /// The passive path manager has no parameters.
    pub struct PassiveConfig {}
}

/// The passive path manager.
#[derive(Clone, Debug, Default)]
pub struct Passive {
    actions: VecDeque<PathAction>,
}

impl PathManagerKind for Passive {
    type Config = PassiveConfig;
    const SUMMARY: &'static str = "Opens no subflows, but accepts those that the other end opens";
    const CITATION: &'static str = "multipath-tcp/mptcp (default)";
    fn build(_config: &PassiveConfig) -> Self {
        Self::default()
    }
}

impl PathManager for Passive {
    fn on_event(&mut self, event: &PathEvent, _now: Instant) {
        match *event {
            PathEvent::LocalDown { id } => self.actions.push_back(PathAction::Withdraw { local: id }),
            PathEvent::RemoteRemoved { id } => self.actions.push_back(PathAction::Abandon { remote: id }),
            _ => {}
        }
    }
    fn poll_action(&mut self) -> Option<PathAction> {
        self.actions.pop_front()
    }
}
