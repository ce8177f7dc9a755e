//! Attachment of foreign stacks to hosts of the scenario.

use crate::foreign::host::{AttachError, ForeignHost};
use crate::foreign::hosts::StackScope;
use crate::foreign::socket::{FlowSockets, QuicListener};
use crate::host::reachability::reaches;
use crate::run::simulation::Simulation;
use core::net::Ipv4Addr;
use tailrace_core::Instant;
use tailrace_net::{Address, NodeId};
use tailrace_scenario::model::{Node, NodeKind};
use tailrace_transport::quic::QuicStack;

impl Simulation {
    /// Replaces the simulated stack of the scenario's host `name` by `host`; call before the first step. Returns its addresses in
    /// the order of its links. If it [has sockets](ForeignHost::has_sockets), TCP flows end at them. Otherwise the host itself
    /// decides what it sends, and flows to it end in whatever it makes of their packets.
    ///
    /// # Errors
    /// If there is no such host, it has a foreign stack already, or the run has begun.
    pub fn attach(
        &mut self,
        name: &str,
        host: Box<dyn ForeignHost + Send>,
    ) -> Result<Vec<Ipv4Addr>, AttachError> {
        self.attach_shared(&[name], host)?;
        self.addresses(name)
    }

    /// Replaces several hosts by one foreign host, whose interfaces are those of the first, then those of the second, and so on.
    ///
    /// # Errors
    /// If there is no such host, one has a foreign stack already, or the run has begun.
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
            if self.world.foreign.at(node, StackScope::Host).is_some()
                || nodes.iter().any(|(other, _)| *other == node)
            {
                return Err(AttachError::Twice(name.to_string()));
            }
            nodes.push((node, name));
        }
        self.world.attach(&nodes, (host, StackScope::Host), &mut self.fabric);
        Ok(())
    }

    /// Adds a QUIC stack to the scenario's host `name`, beside its own stack: flows over that QUIC end at its sockets, which it must
    /// have. Call before the first step.
    ///
    /// # Errors
    /// If there is no such host, it has a foreign stack or this QUIC stack already, or the run has begun.
    pub fn attach_quic(
        &mut self,
        name: &str,
        stack: QuicStack,
        host: Box<dyn ForeignHost + Send>,
    ) -> Result<(), AttachError> {
        if self.now() > Instant::ZERO {
            return Err(AttachError::TooLate);
        }
        let (node, scope) = (self.host(name)?, StackScope::Quic(stack));
        if [StackScope::Host, scope].into_iter().any(|scope| self.world.foreign.at(node, scope).is_some()) {
            return Err(AttachError::Twice(name.to_string()));
        }
        self.world.attach(&[(node, name)], (host, scope), &mut self.fabric);
        Ok(())
    }

    /// Listening addresses that flows over this QUIC stack need at the host `name`.
    ///
    /// # Errors
    /// If there is no such host.
    pub fn quic_listeners(&self, name: &str, stack: QuicStack) -> Result<Vec<QuicListener>, AttachError> {
        let addresses: Vec<_> = self.fabric.graph().addresses(self.host(name)?).collect();
        Ok(self.world.quic_listeners(&addresses, stack))
    }

    /// Addresses of the scenario's host `name`, in the order of its links.
    ///
    /// # Errors
    /// If there is no such host.
    pub fn addresses(&self, name: &str) -> Result<Vec<Ipv4Addr>, AttachError> {
        let node = self.host(name)?;
        Ok(self.fabric.graph().addresses(node).map(|a| Ipv4Addr::from(a.0)).collect())
    }

    /// Address of the scenario's router `name`; `None` if there is no such router, or the run has no kernels.
    pub fn router_address(&self, name: &str) -> Option<Ipv4Addr> {
        let is_it = |n: &Node| n.kind == NodeKind::Router && n.name == name;
        let number = self.plan.scenario.nodes.iter().position(is_it)?;
        self.fabric.graph().router_address(NodeId(number as u32)).map(|a| a.0.into())
    }

    /// Other addresses that faults give each address's interface during the run.
    ///
    /// # Errors
    /// If there is no such host.
    pub fn later_addresses(&self, name: &str) -> Result<Vec<Vec<Ipv4Addr>>, AttachError> {
        let (own, address_changes) = (self.host(name)?, &self.world.options.address_changes);
        let later = |first: Address| address_changes.later(first).map(|a| Ipv4Addr::from(a.0)).collect();
        Ok(self.fabric.graph().addresses(own).map(later).collect())
    }

    /// Sockets that flows of the scenario need at the host `name`, if it is a foreign one with sockets.
    ///
    /// # Errors
    /// If there is no such host.
    pub fn flow_sockets(&self, name: &str) -> Result<FlowSockets, AttachError> {
        let addresses: Vec<_> = self.fabric.graph().addresses(self.host(name)?).collect();
        Ok(self.world.flow_sockets(&addresses))
    }

    /// Unreachable addresses of multihomed hosts, for each interface of the host `name` in the order of its links: a packet from
    /// there would arrive at another interface of their host. Simulated hosts have no route to them, because a host has one route
    /// per subnet. Temporary addresses are included.
    ///
    /// # Errors
    /// If there is no such host.
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
