//! Advice on the packets of flows: their size, and their rhythm.

use crate::advice::adviser::Adviser;
use crate::advice::offers::Direction;
use crate::advice::paths::{Paths, is_periodic};
use crate::advice::ties;
use crate::declarations::flow::mptcp::route_len;
use crate::model::{FlowGroup, NodeIndex, Scenario, Transport};
use crate::text::codes::Code;
use tailrace_app::EndpointRole;
use tailrace_core::Bytes;

/// Headers of IPv4 and UDP, as kernels and QUIC stacks send them.
const UDP_HEADERS: u64 = 28;

/// Packets that a link of their path drops for their size, or that a kernel cuts in pieces.
pub(super) fn check_mtu(a: &Adviser<'_>, i: usize, group: &FlowGroup, paths: &Paths) {
    if let Some((size, link)) = cut_by_kernel(a.scenario, group) {
        let (name, mtu) = (&a.scenario.links[link].name, a.scenario.links[link].forward.mtu);
        let message =
            format!("datagrams of flow {} have {size} bytes, link {name} carries {mtu}", group.name);
        let help = format!(
            "the kernel sends them in fragments, which are missing in the counts of the flow: raise `mtu` of link {}, or send \
             smaller datagrams",
            a.decl(link).shown()
        );
        return a.warn(Code::AboveMtu, a.flow_origin(i), message, &help);
    }
    let size = match &group.transport {
        Transport::Udp { header, .. } => {
            group.app.traffic().map_or(0, |t| t.rarely_exceeded.get()) + header.get()
        }
        Transport::Mptcp { plan, header } => {
            // Beside TCP's, a mapping and a data-level acknowledgment; a source route in IP's.
            let real = if plan.tcp.timestamps { 72 } else { 60 };
            plan.tcp.mss.get() + header.map_or(real, Bytes::get) + route_len(&plan.path_manager)
        }
        // Larger packets than the first are sent only if they get through (RFC 9000 §14.3).
        Transport::Quic(plan) => plan.config.initial_mtu.get() + UDP_HEADERS,
        Transport::Tcp { config, header, .. } => {
            // IPv4 and TCP headers, and the timestamps option with its padding (RFC 7323 appendix A).
            let real = if config.timestamps { 52 } else { 40 };
            config.mss.get() + header.map_or(real, Bytes::get)
        }
    };
    let size = match kernels_largest(a.scenario, group) {
        Some((largest, true)) => largest,
        Some((largest, false)) => size.min(largest),
        None => size,
    };
    let Some(link) = paths.narrowest[i].filter(|l| a.scenario.links[*l].forward.mtu.get() < size) else {
        return;
    };
    let (name, mtu) = (&a.scenario.links[link].name, a.scenario.links[link].forward.mtu);
    let varied = group.app.traffic().is_some_and(|t| t.payload != t.largest);
    let have = if varied { "can have" } else { "have" };
    let message = format!("packets of flow {} {have} {size} bytes, link {name} carries {mtu}", group.name);
    let link = a.decl(link).shown();
    let help = match (only_kernels_send(a.scenario, group), group.transport.tcp()) {
        (false, _) => format!("they will be dropped: raise `mtu` of link {link}, or send smaller packets"),
        (true, Some(_)) => format!(
            "a router drops the first of them and says so to the kernel, which then sends smaller ones: raise `mtu` of link {link}, \
             unless that is what you want to see"
        ),
        (true, None) => format!(
            "a router drops the first of them and says so to the kernel, which then sends fragments, and these are missing in the \
             counts of the flow: raise `mtu` of link {link}, or send smaller datagrams"
        ),
    };
    a.warn(Code::AboveMtu, a.flow_origin(i), message, &help);
}

/// Whether all ends of a flow that send more than acknowledgments are kernels.
fn only_kernels_send(scenario: &Scenario, group: &FlowGroup) -> bool {
    senders(group).all(|node| scenario.nodes[node.0 as usize].kernel.is_some())
}

/// The ends of a flow that send data, of its first pair.
fn senders(group: &FlowGroup) -> impl Iterator<Item = NodeIndex> {
    let (from, to) = group.pairs.first().copied().unzip();
    let sends = |end| group.app.is_two_way() || group.app.sender() == end;
    from.filter(|_| sends(EndpointRole::Client)).into_iter().chain(to.filter(|_| sends(EndpointRole::Server)))
}

/// The size of datagrams that a kernel at an end of the flow has to cut, and the link of that host which does not carry them.
fn cut_by_kernel(scenario: &Scenario, group: &FlowGroup) -> Option<(u64, usize)> {
    let Transport::Udp { .. } = &group.transport else { return None };
    let traffic = group.app.traffic()?;
    let size = traffic.rarely_exceeded.get() + UDP_HEADERS;
    let kernels = senders(group).filter(|node| scenario.nodes[node.0 as usize].kernel.is_some());
    kernels
        .filter_map(|node| own_link(scenario, node))
        .find(|(_, mtu)| *mtu < size)
        .map(|(link, _)| (size, link))
}

/// The link of a host that carries the largest packets, and how large.
fn own_link(scenario: &Scenario, node: NodeIndex) -> Option<(usize, u64)> {
    let links = scenario.links.iter().enumerate().filter(|(_, link)| link.a == node || link.b == node);
    links.map(|(i, link)| (i, link.forward.mtu.get())).max_by_key(|(_, mtu)| *mtu)
}

/// The largest packet of a TCP connection of which kernels are ends, and whether they are both: each announces by its segment size
/// what its own link carries.
fn kernels_largest(scenario: &Scenario, group: &FlowGroup) -> Option<(u64, bool)> {
    group.transport.tcp()?;
    let (from, to) = group.pairs.first()?;
    let own = |node: NodeIndex| {
        scenario.nodes[node.0 as usize].kernel.as_ref()?;
        own_link(scenario, node).map(|(_, mtu)| mtu)
    };
    let (client, server) = (own(*from), own(*to));
    let largest = client.into_iter().chain(server).min()?;
    Some((largest, client.is_some() && server.is_some()))
}

/// Strictly periodic packets at a drop-tail link's rate take every free place in its queue.
pub(super) fn check_flood(a: &Adviser<'_>, i: usize, group: &FlowGroup, paths: &Paths) {
    if !is_periodic(&group.app) {
        return;
    }
    let locked = paths.directions(i).find(|d: &Direction| {
        let spec = d.spec(a.scenario);
        let offered = paths.offered(i, *d);
        spec.queue.plain_fifo().is_some()
            && offered >= u128::from(spec.service_rate().as_bps())
            && paths.shared(i, *d)
            && !ties::is_tie(a, paths, *d, &[i])
    });
    if let Some(d) = locked {
        let link = &a.scenario.links[d.link].name;
        // An attack has no app, but its keys.
        let (kind, place) =
            if a.draft.flows[i].attack.is_some() { ("attack", "it") } else { ("flow", "its app") };
        let message = format!("{kind} {} without jitter can lock other flows out of link {link}", group.name);
        let help = format!(
            "its packets come exactly when the full queue has room again (phase effect), which real senders would not; \
             add jitter = 0.1 to {place}"
        );
        a.warn(Code::PhaseEffect, a.flow_origin(i), message, &help);
    }
}
