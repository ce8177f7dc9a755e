//! Hosts of the scenario that get foreign stacks.

use super::Simulation;
use crate::foreign::{AttachError, ForeignHost};
use core::net::Ipv4Addr;
use tailrace_core::Instant;
use tailrace_net::NodeId;
use tailrace_scenario::model::NodeKind;

impl Simulation {
    /// Puts `host` in the place of the simulated stack of the host that the scenario calls `name`; call before the first
    /// step. Returns the addresses that it has, in the order of its links. Flows from it are its own business then, and
    /// those to it end in whatever it makes of their packets.
    ///
    /// # Errors
    /// Where there is no such host, it has a foreign stack already, or the run has begun.
    pub fn attach(
        &mut self,
        name: &str,
        host: Box<dyn ForeignHost + Send>,
    ) -> Result<Vec<Ipv4Addr>, AttachError> {
        if self.now() > Instant::ZERO {
            return Err(AttachError::TooLate);
        }
        let nodes = &self.plan.scenario.nodes;
        let Some(number) = nodes.iter().position(|n| n.kind == NodeKind::Host && n.name == name) else {
            let hosts = nodes.iter().filter(|n| n.kind == NodeKind::Host);
            let known = hosts.map(|n| n.name.clone()).take(10).collect();
            return Err(AttachError::NoSuchHost { name: name.to_string(), known });
        };
        let node = NodeId(number as u32);
        if self.world.foreign.at(node).is_some() {
            return Err(AttachError::Twice(name.to_string()));
        }
        self.world.attach((node, name), host, &mut self.fabric);
        Ok(self.fabric.graph().addresses(node).map(|a| Ipv4Addr::from(a.0)).collect())
    }
}
