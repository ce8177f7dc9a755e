//! Several subflows between the same two addresses, on different ports (multipath-tcp/mptcp `mptcp_ndiffports.c`):
//! for networks that spread flows over paths by a hash of the ports.

use super::{PathAction, PathEvent, PathManager, PathManagerKind};
use std::collections::VecDeque;
use tailrace_core::params::Invalid;
use tailrace_core::{Instant, parameters};

parameters! {
    /// Parameters of `ndiffports`.
    pub struct NdiffportsConfig {
        /// Number of subflows in all, each from another port. More find more paths between the same addresses, but take
        /// a larger share of a link if there is only one path.
        num_subflows: u64 = 2, "multipath-tcp/mptcp, num_subflows";
    }
}

/// The path manager `ndiffports`.
#[derive(Clone, Debug)]
pub struct Ndiffports {
    num_subflows: u64,
    actions: VecDeque<PathAction>,
}

impl PathManagerKind for Ndiffports {
    type Config = NdiffportsConfig;
    const SUMMARY: &'static str = "Opens several subflows between the same addresses, with different ports";
    const CITATION: &'static str = "multipath-tcp/mptcp, net/mptcp/mptcp_ndiffports.c";
    fn validate(c: &NdiffportsConfig) -> Result<(), Invalid> {
        if c.num_subflows == 0 {
            return Err(("num_subflows", "must be at least 1, which is the connection's own".into()));
        }
        Ok(())
    }
    fn subflows(c: &NdiffportsConfig) -> u64 {
        c.num_subflows
    }
    fn build(config: &NdiffportsConfig) -> Self {
        Self { num_subflows: config.num_subflows, actions: VecDeque::new() }
    }
}

impl PathManager for Ndiffports {
    fn on_event(&mut self, event: &PathEvent, _now: Instant) {
        match *event {
            PathEvent::Established { client: true } => {
                let connect = PathAction::Connect { local: 0, remote: 0, backup: false };
                self.actions.extend((1..self.num_subflows).map(|_| connect));
            }
            PathEvent::LocalDown { id } => self.actions.push_back(PathAction::Withdraw { local: id }),
            PathEvent::RemoteRemoved { id } => self.actions.push_back(PathAction::Abandon { remote: id }),
            _ => {}
        }
    }
    fn poll_action(&mut self) -> Option<PathAction> {
        self.actions.pop_front()
    }
}
