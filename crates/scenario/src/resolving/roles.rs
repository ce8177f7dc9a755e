//! Roles of routers: `role` on a `[[router]]` is the `role` of the queues on links that leave it, where they have such a
//! parameter and do not give it themselves.

use crate::declarations::draft::Draft;
use crate::declarations::node::NodeDecl;
use crate::text::codes::Code;
use crate::text::sink::Sink;
use std::collections::{BTreeMap, BTreeSet};
use tailrace_core::params::Value;
use tailrace_qdisc::QdiscConfig;

/// The role of a queue whose discipline has roles.
pub(crate) fn role_of(queue: &QdiscConfig) -> Option<String> {
    match queue.get("role") {
        Some(Value::Text(role)) => Some(role),
        _ => None,
    }
}

/// The queue with the role of the router before it, where it can have it.
fn with_role(mut queue: QdiscConfig, router: Option<&NodeDecl>, written: bool) -> QdiscConfig {
    if let (Some(role), false) = (router.and_then(|r| r.role.as_ref()), written) {
        // A discipline without this role keeps its own.
        let _ = queue.set("role", &Value::Text(role.value.to_string()));
    }
    queue
}

/// Gives the queues behind routers with a role that role.
pub(crate) fn apply(draft: &mut Draft, sink: &Sink<'_>) {
    let routers: BTreeMap<&str, &NodeDecl> =
        draft.nodes.iter().filter(|n| n.role.is_some()).map(|n| (n.name.value.as_str(), n)).collect();
    if routers.is_empty() {
        return;
    }
    let mut fitting = BTreeSet::new();
    for link in &mut draft.links {
        let [a, b] = [0, 1].map(|end| routers.get(link.ends[end].value.name.as_str()).copied());
        let [forward_written, backward_written] = link.roles_written.0;
        let back = link.backward.as_ref().unwrap_or(&link.forward).queue.clone();
        let backward = with_role(back, b, backward_written);
        link.forward.queue = with_role(link.forward.queue.clone(), a, forward_written);
        for (router, queue) in [(a, &link.forward.queue), (b, &backward)] {
            if let Some(router) = router
                && role_of(queue).as_deref() == router.role.as_ref().map(|r| r.value)
            {
                fitting.insert(router.name.value.clone());
            }
        }
        match &mut link.backward {
            Some(spec) => spec.queue = backward,
            None if backward != link.forward.queue => {
                let mut spec = link.forward.clone();
                spec.queue = backward;
                link.backward = Some(spec);
            }
            None => {}
        }
    }
    for router in routers.values().filter(|r| !fitting.contains(&r.name.value)) {
        let role = router.role.as_ref().expect("those without were left out");
        let having = disciplines_with(role.value).join(" or ");
        let message = format!(
            "router {} has role {:?}, but no queue on a link that leaves it can have this role",
            router.name.value, role.value
        );
        let help = format!(
            "this is a role of {having}: give a link that leaves {} such a queue, or drop the role",
            router.name.value
        );
        sink.push(sink.at(Code::UnusedRole, role.origin, message).help(help));
    }
}

/// The disciplines that know a role.
fn disciplines_with(role: &str) -> Vec<&'static str> {
    let knows = |name: &&&'static str| {
        let mut config = QdiscConfig::default_of(name).expect("registered");
        config.set("role", &Value::Text(role.into())).is_ok()
    };
    QdiscConfig::names().iter().filter(knows).copied().collect()
}
