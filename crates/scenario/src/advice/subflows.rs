//! Advice on subflows of Multipath TCP.

use crate::advice::adviser::Adviser;
use crate::advice::paths::Paths;
use crate::model::{FlowGroup, Scenario, Transport};
use crate::text::codes::Code;

/// Multipath TCP that can never have a second subflow.
pub(super) fn check(a: &Adviser<'_>, i: usize, group: &FlowGroup, paths: &Paths) {
    let Transport::Mptcp { plan, .. } = &group.transport else { return };
    let name = &group.name;
    let manager = &plan.path_manager;
    let (meshes, by) = (manager.opens_paths(), manager.name());
    let ports = "path_manager = { kind = \"ndiffports\", num_subflows = 2 }";
    let (message, help) = if plan.mptcp.max_subflows == 1 {
        (
            format!("flow {name} may have one subflow only (max_subflows)"),
            "raise max_subflows, or use transport kind = \"tcp\"".to_string(),
        )
    } else if let Some(remedy) =
        manager.first_address_only().filter(|_| meshes && paths.ways[i] > 1 && paths.ways_to_first[i] == 1)
    {
        let message = format!(
            "path manager {by} joins flow {name} at one address of its server, which one path leads to: it \
             opens no second subflow"
        );
        (message, remedy.to_string())
    } else if manager.subflows() > 1 || (meshes && (paths.ways[i] > 1 || client_moves(a.scenario, group))) {
        return;
    } else if meshes {
        (
            format!("flow {name} has one path only, so path manager {by} opens no second subflow"),
            format!(
                "a host has an address for each of its links: give one a second [[link]], or use {ports}"
            ),
        )
    } else {
        (
            format!("flow {name} has one subflow only: path manager {by} opens no second as it is set"),
            format!("use path_manager = \"fullmesh\", or {ports}"),
        )
    };
    a.warn(Code::SingleSubflow, a.flow_origin(i), message, &help);
}

/// Whether a client of the group gets another address, from which there can be another subflow.
fn client_moves(scenario: &Scenario, group: &FlowGroup) -> bool {
    let changing = scenario.faults.iter().filter(|fault| fault.kind.changed_fields().address);
    changing.flat_map(|fault| &fault.ways).any(|way| {
        let link = &scenario.links[way.link.0 as usize];
        let host = if way.backward { link.b } else { link.a };
        group.pairs.iter().any(|(client, _)| *client == host)
    })
}
