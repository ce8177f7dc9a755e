//! Hosts of the scenario that get foreign stacks.

use crate::foreign::host::{AttachError, ForeignHost};
use crate::foreign::socket::FlowSockets;
use crate::host::reachability::reaches;
use crate::run::simulation::Simulation;
use core::net::Ipv4Addr;
use tailrace_core::Instant;
use tailrace_net::{Address, NodeId};
use tailrace_scenario::model::{Node, NodeKind};

impl Simulation {
    /// Puts `host` in the place of the simulated stack of the host that the scenario calls `name`; call before the first
    /// step. Returns the addresses that it has, in the order of its links. Where it [has sockets](ForeignHost::has_sockets),
    /// flows over TCP end there; else those from it are its own business, and those to it end in whatever it makes of their
    /// packets.
    ///
    /// # Errors
    /// Where there is no such host, it has a foreign stack already, or the run has begun.
    pub fn attach(
        &mut self,
        name: &str,
        host: Box<dyn ForeignHost + Send>,
    ) -> Result<Vec<Ipv4Addr>, AttachError> {
        self.attach_shared(&[name], host)?;
        self.addresses(name)
    }

    /// The same for several hosts that are one foreign host, whose interfaces are those of the first, then those of the second,
    /// and so on.
    ///
    /// # Errors
    /// As with one.
    pub fn attach_shared(
        &mut self,
        names: &[&str],
        host: Box<dyn ForeignHost + Send>,
    ) -> Result<(), AttachError> {
        if self.now() > Instant::ZERO {
            return Err(AttachError::TooLate);
        }
        let mut nodes: Vec<(NodeId, &str)> = Vec::with_capacity(names.len());
        for name in names {
            let node = self.host(name)?;
            if self.world.foreign.at(node).is_some() || nodes.iter().any(|(other, _)| *other == node) {
                return Err(AttachError::Twice(name.to_string()));
            }
            nodes.push((node, name));
        }
        self.world.attach(&nodes, host, &mut self.fabric);
        Ok(())
    }

    /// The addresses of the host that the scenario calls `name`, in the order of its links.
    ///
    /// # Errors
    /// Where there is no such host.
    pub fn addresses(&self, name: &str) -> Result<Vec<Ipv4Addr>, AttachError> {
        let node = self.host(name)?;
        Ok(self.fabric.graph().addresses(node).map(|a| Ipv4Addr::from(a.0)).collect())
    }

    /// The address of the router that the scenario calls `name`; none where there is no such, or the run has no kernels.
    pub fn router_address(&self, name: &str) -> Option<Ipv4Addr> {
        let is_it = |n: &Node| n.kind == NodeKind::Router && n.name == name;
        let number = self.plan.scenario.nodes.iter().position(is_it)?;
        self.fabric.graph().router_address(NodeId(number as u32)).map(|a| a.0.into())
    }

    /// For each of these, the others that faults give it in the course of the run.
    ///
    /// # Errors
    /// Where there is no such host.
    pub fn later_addresses(&self, name: &str) -> Result<Vec<Vec<Ipv4Addr>>, AttachError> {
        let (own, address_changes) = (self.host(name)?, &self.world.options.address_changes);
        let later = |first: Address| address_changes.later(first).map(|a| Ipv4Addr::from(a.0)).collect();
        Ok(self.fabric.graph().addresses(own).map(later).collect())
    }

    /// What flows of the scenario ask of the host that it calls `name`, should that be a foreign one with sockets for them.
    ///
    /// # Errors
    /// Where there is no such host.
    pub fn flow_sockets(&self, name: &str) -> Result<FlowSockets, AttachError> {
        let addresses: Vec<_> = self.fabric.graph().addresses(self.host(name)?).collect();
        Ok(self.world.flow_sockets(&addresses))
    }

    /// For each interface of the host that the scenario calls `name`, in the order of its links, the addresses of hosts with several
    /// that are not reached from there: to get to the host they are of, a packet would have to arrive at another of its
    /// interfaces. Simulated hosts have no route to them, as hosts with a route for each subnet have none. Addresses that those have
    /// only at some time are among them.
    ///
    /// # Errors
    /// Where there is no such host.
    pub fn unreached(&self, name: &str) -> Result<Vec<Vec<Ipv4Addr>>, AttachError> {
        let (own, graph) = (self.host(name)?, self.fabric.graph());
        let hosts = (0..self.plan.scenario.nodes.len() as u32).map(NodeId).filter(|node| *node != own);
        let several = hosts.filter(|node| graph.addresses(*node).nth(1).is_some());
        let address_changes = &self.world.options.address_changes;
        let others: Vec<Address> = several
            .flat_map(|node| graph.addresses(node))
            .flat_map(|first| address_changes.all(first))
            .collect();
        let from = |source: Address| {
            let not = others.iter().filter(|to| !reaches(&self.fabric, source, **to));
            not.map(|to| Ipv4Addr::from(to.0)).collect()
        };
        Ok(graph.addresses(own).map(from).collect())
    }

    fn host(&self, name: &str) -> Result<NodeId, AttachError> {
        let nodes = &self.plan.scenario.nodes;
        if let Some(number) = nodes.iter().position(|n| n.kind == NodeKind::Host && n.name == name) {
            return Ok(NodeId(number as u32));
        }
        let hosts = nodes.iter().filter(|n| n.kind == NodeKind::Host);
        let known = hosts.map(|n| n.name.clone()).take(10).collect();
        Err(AttachError::NoSuchHost { name: name.to_string(), known })
    }
}
