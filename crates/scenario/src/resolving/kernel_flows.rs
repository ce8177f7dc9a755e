//! Checks of flows at hosts with a kernel: behaviour that a simulated stack has and a kernel has not.

use crate::declarations::draft::Draft;
use crate::declarations::flow::FlowDecl;
use crate::model::{FlowGroup, NodeIndex, Scenario, Transport};
use crate::text::codes::Code;
use crate::text::sink::Sink;
use tailrace_app::EndpointRole;
use tailrace_core::Bytes;
use tailrace_transport::config::Misbehaviour;

/// Headers of IP and UDP.
const UDP_HEADERS: Bytes = Bytes(28);

/// Datagrams that no kernel sends, and TCPs that no kernel has; of flows that are switched off, too.
pub(super) fn check(scenario: &Scenario, draft: &Draft, sink: &Sink<'_>) {
    let idle = scenario.idle.iter().zip(&draft.idle).map(|(idle, (_, decl))| (&idle.group, decl));
    for (group, decl) in scenario.flows.iter().zip(&draft.flows).chain(idle) {
        datagrams(scenario, group, decl, sink);
        misbehaviour(scenario, group, decl, sink);
        multipath(scenario, group, decl, sink);
        quic(scenario, group, decl, sink);
    }
}

/// The first of the hosts at one end of a group's flows that has a kernel.
fn kernel_at<'s>(scenario: &'s Scenario, group: &FlowGroup, end: EndpointRole) -> Option<&'s str> {
    let at = |(from, to): &(NodeIndex, NodeIndex)| if end == EndpointRole::Client { *from } else { *to };
    let mut nodes = group.pairs.iter().map(|pair| &scenario.nodes[at(pair).0 as usize]);
    nodes.find(|node| node.kernel.is_some()).map(|node| node.name.as_str())
}

fn datagrams(scenario: &Scenario, group: &FlowGroup, decl: &FlowDecl, sink: &Sink<'_>) {
    let Transport::Udp { header, .. } = group.transport else { return };
    let Some(host) = kernel_at(scenario, group, EndpointRole::Client) else { return };
    if header != UDP_HEADERS {
        let message = format!("host {host} has a kernel, whose datagrams have {UDP_HEADERS} of headers");
        let error = sink.at(Code::BadValue, decl.from.origin, message);
        sink.push(error.help("leave out `header` of the transport, or the host's `kernel`"));
    }
    if group.spoof.is_some() {
        let message = format!("host {host} has a kernel, which sends from its own addresses only");
        let error = sink.at(Code::WrongNode, decl.from.origin, message);
        sink.push(error.help("leave out `spoof`, or the host's `kernel`"));
    }
}

/// A kernel's TCP keeps to the rules: the flow would be an ordinary one under the name of an attack.
fn misbehaviour(scenario: &Scenario, group: &FlowGroup, decl: &FlowDecl, sink: &Sink<'_>) {
    let conduct = group.transport.tcp().map_or(Misbehaviour::None, |tcp| tcp.misbehaviour);
    let sender = group.app.sender();
    let end = match conduct {
        Misbehaviour::None => return,
        Misbehaviour::IgnoresCongestion => sender,
        _ => sender.other(),
    };
    let Some(host) = kernel_at(scenario, group, end) else { return };
    let does = if end == sender { "sends" } else { "receives" };
    let key = if decl.attack.is_some() { "the attack" } else { "`misbehaviour` of the transport" };
    let message = format!("host {host} {does} the data and has a kernel, whose TCP keeps to the rules");
    let selector = if end == EndpointRole::Client { &decl.from } else { &decl.to };
    let error = sink.at(Code::WrongNode, selector.origin, message);
    sink.push(error.help(format!(
        "take the kernel from that host (kernel = \"none\"; the other end may keep one), or leave out {key}"
    )));
}

/// A kernel has no QUIC, which programs bring along.
fn quic(scenario: &Scenario, group: &FlowGroup, decl: &FlowDecl, sink: &Sink<'_>) {
    if group.transport.quic().is_none() {
        return;
    }
    for (selector, end) in [(&decl.from, EndpointRole::Client), (&decl.to, EndpointRole::Server)] {
        let Some(host) = kernel_at(scenario, group, end) else { continue };
        let message = format!("host {host} has a kernel, and kernels have no QUIC");
        let error = sink.at(Code::WrongTransport, selector.origin, message);
        sink.push(error.help("run a QUIC program there (`run`), or leave out the host's `kernel`"));
    }
}

/// A kernel that is to have no Multipath TCP has no sockets of it.
fn multipath(scenario: &Scenario, group: &FlowGroup, decl: &FlowDecl, sink: &Sink<'_>) {
    const SETTING: (&str, &str) = ("net.mptcp.enabled", "0");
    if !matches!(group.transport, Transport::Mptcp { .. }) {
        return;
    }
    let is_without = |node: &&NodeIndex| {
        let kernel = scenario.nodes[node.0 as usize].kernel.as_deref();
        let last = kernel.and_then(|kernel| kernel.sysctl.iter().rfind(|(name, _)| name == SETTING.0));
        last.is_some_and(|(_, value)| value.trim() == SETTING.1)
    };
    let ends = [(&decl.from, EndpointRole::Client), (&decl.to, EndpointRole::Server)];
    for (selector, end) in ends {
        let mut nodes =
            group.pairs.iter().map(|(from, to)| if end == EndpointRole::Client { from } else { to });
        let Some(node) = nodes.find(is_without) else { continue };
        let host = &scenario.nodes[node.0 as usize].name;
        let message = format!(
            "the sysctl of host {host} is {} = {}, and this flow is one of Multipath TCP",
            SETTING.0, SETTING.1
        );
        let error = sink.at(Code::WrongTransport, selector.origin, message);
        sink.push(error.help("set it to 1, or write transport = \"tcp\""));
    }
}
