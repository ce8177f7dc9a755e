//! Advice on flows whose ends are sockets of kernels.

use crate::advice::adviser::Adviser;
use crate::model::{FlowGroup, Transport};
use crate::text::codes::Code;
use tailrace_transport::mptcp::SubflowControl;

/// A coupled congestion control, which upstream's Linux does not have.
pub(super) fn check(a: &Adviser<'_>, i: usize, group: &FlowGroup) {
    let Transport::Mptcp { plan, .. } = &group.transport else { return };
    let SubflowControl::Coupled(_) = &plan.control else { return };
    let nodes = &a.scenario.nodes;
    let ends = group.pairs.iter().flat_map(|(from, to)| [from, to]);
    let own = ends.map(|end| &nodes[end.0 as usize]).find(|node| node.kernel.is_some());
    let Some(host) = own.map(|node| &node.name) else { return };
    let control = plan.control.name();
    let message = format!(
        "host {host} has a kernel of its own, which has no {control}: its subflows have the kernel's own congestion \
         control, each by itself"
    );
    let help = "write cc = \"cubic\" in the flow's transport, and both ends are alike";
    a.warn(Code::UncoupledKernel, a.flow_origin(i), message, help);
}
