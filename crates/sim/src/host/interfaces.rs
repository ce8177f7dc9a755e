//! Interfaces of hosts that go down, come up or change their address.

use crate::host::endpoint::Endpoint;
use crate::host::flow::{Flow, FlowTransport};
use crate::host::hosts::World;
use crate::packet::sim_packet::{SimFabric, SimPacket};
use std::collections::BTreeSet;
use tailrace_core::Instant;
use tailrace_net::{Address, LinkId, NodeId};

impl World {
    /// Handles link changes known to routing, and interfaces that had the addresses `former`: hosts at their ends see their
    /// interfaces change. A connection hears of all changes before it sends anything.
    pub(crate) fn interfaces_changed(&mut self, ways: &[LinkId], former: &[Address], fabric: &mut SimFabric) {
        if !self.foreign.is_empty() {
            self.notify_foreign_hosts(ways, fabric);
        }
        let graph = fabric.graph();
        let former: Vec<_> = former.iter().filter_map(|a| Some((graph.owner(*a)?, *a))).collect();
        let addresses = ways.iter().filter_map(|way| graph.source_of(*way));
        let interfaces: Vec<_> =
            addresses.filter_map(|a| Some((graph.owner(a)?, a, graph.is_usable(a)))).collect();
        self.cut_off(&interfaces);
        let hosts: BTreeSet<_> = interfaces.iter().map(|(host, ..)| *host).collect();
        let mut concerned: Vec<_> = hosts
            .into_iter()
            .flat_map(|h| self.sockets.of_host(h).into_iter().map(move |id| (id, h)))
            .collect();
        // Order of flows, so that the result does not depend on the order of hosts.
        concerned.sort_by_key(|(id, _)| (self.sockets.get(*id).map(|s| s.end()), *id));
        for (id, host) in concerned {
            let Some(socket) = self.sockets.get_mut(id) else { continue };
            let Endpoint::Mptcp(connection) = &mut socket.endpoint else { continue };
            let gone = former.iter().filter(|(owner, _)| *owner == host);
            if gone.clone().count() > 0 {
                gone.for_each(|(_, address)| connection.local_down(address.0, fabric.now()));
                connection.set_interfaces(fabric.graph().addresses(host).map(|a| a.0), fabric.now());
            }
            for (_, address, up) in interfaces.iter().filter(|(owner, ..)| *owner == host) {
                connection.set_carrier(address.0, *up);
                if *up {
                    connection.local_up(address.0, fabric.now());
                } else {
                    connection.local_down(address.0, fabric.now());
                }
            }
            self.serve_socket(id, fabric);
        }
    }

    /// Tells plain TCP whether the interface that it sends by is down.
    fn cut_off(&mut self, interfaces: &[(NodeId, Address, bool)]) {
        if interfaces.is_empty() {
            return;
        }
        for socket in self.sockets.iter_mut().filter(|s| matches!(s.endpoint, Endpoint::Tcp(_))) {
            let of = |(_, address, _): &&(NodeId, Address, bool)| *address == socket.envelope.source;
            if let Some((.., up)) = interfaces.iter().find(of) {
                socket.cut_off = !up;
            }
        }
    }

    /// Changes the address of an interface: connections opened from now on use the new one.
    pub(crate) fn readdress(&mut self, (old, new): (Address, Address), now: Instant) {
        self.index_classified_flows();
        for flow in &mut self.flows {
            flow.readdress((old, new), now);
        }
        self.index_classified_flows();
    }

    fn index_classified_flows(&mut self) {
        self.classifiers.add_keys(self.flows.iter().map(Flow::classified));
    }

    /// Directs later datagrams to the source address of this one, unless that is spoofed.
    pub(crate) fn follow_sender(&mut self, pkt: &SimPacket) {
        let Some(end) = pkt.to.end() else { return };
        let flow = &mut self.flows[end.flow()];
        if flow.spoofed().is_none() {
            flow.ends[usize::from(end.is_server())].destination = pkt.source;
        }
    }
}

impl Flow {
    /// Replaces an address of its hosts. New connections use the new one; a started UDP flow sends to the old one until it
    /// receives a datagram from the new one.
    fn readdress(&mut self, (old, new): (Address, Address), now: Instant) {
        let keeps = matches!(self.carrier, FlowTransport::Datagrams(_)) && self.start <= now;
        for end in &mut self.ends {
            if end.source == old {
                end.source = new;
            }
            if end.destination == old && !keeps {
                end.destination = new;
            }
        }
    }
}
