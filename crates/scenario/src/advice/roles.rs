//! Advice on what the roles of queues need from one another along a path.

use crate::advice::adviser::Adviser;
use crate::model::{FlowGroup, Link, NodeIndex};
use crate::resolving::roles::role_of;
use crate::resolving::topology::{PathHop, Topology};
use crate::text::codes::Code;
use std::collections::BTreeSet;
use tailrace_qdisc::QdiscConfig;

/// Whether a queue has work to do where nothing waits: it writes labels for queues further on.
pub(crate) fn labels(queue: &QdiscConfig) -> bool {
    role_of(queue).is_some_and(|role| role == "edge" || role == "access")
}

/// Role that another role needs elsewhere on the path of a flow.
struct RoleNeed {
    kind: &'static str,
    role: &'static str,
    /// Whether before it, or after it.
    before: bool,
    /// Any of these roles will do.
    others: &'static [&'static str],
    lacking: &'static str,
}

const NEEDS: &[RoleNeed] = &[
    RoleNeed {
        kind: "csfq",
        role: "core",
        before: true,
        others: &["edge"],
        lacking: "no csfq edge labels its packets before, so the core drops none of them early",
    },
    RoleNeed {
        kind: "netfence",
        role: "bottleneck",
        before: true,
        others: &["access", "both"],
        lacking: "no netfence access before it limits its senders, so its packets count as legacy traffic there",
    },
    RoleNeed {
        kind: "netfence",
        role: "access",
        before: false,
        others: &["bottleneck", "both"],
        lacking: "no netfence bottleneck follows, so nothing tells the access router to limit it",
    },
];

impl RoleNeed {
    fn concerns(&self, queue: &QdiscConfig) -> bool {
        queue.name() == self.kind && role_of(queue).as_deref() == Some(self.role)
    }

    fn met_by(&self, queue: &QdiscConfig) -> bool {
        queue.name() == self.kind && role_of(queue).is_some_and(|r| self.others.contains(&r.as_str()))
    }
}

fn queue_of(links: &[Link], (link, forward): PathHop) -> &QdiscConfig {
    let link = &links[link.0 as usize];
    if forward { &link.forward.queue } else { &link.backward.queue }
}

/// Warns of roles that lack their counterpart on the path of a flow: once a flow group and declaration of links.
pub(crate) fn check(a: &Adviser<'_>) {
    let links = &a.scenario.links;
    let concerned = |q: &QdiscConfig| NEEDS.iter().any(|n| n.concerns(q));
    if !links.iter().any(|l| concerned(&l.forward.queue) || concerned(&l.backward.queue)) {
        return;
    }
    let mut topology = Topology::new(a.scenario);
    for (i, group) in a.scenario.flows.iter().enumerate() {
        let mut told = BTreeSet::new();
        for pair in &group.pairs {
            let Some(path) = topology.path(pair.0, pair.1) else { continue };
            for (at, hop) in path.iter().enumerate() {
                let queue = queue_of(links, *hop);
                for (n, need) in NEEDS.iter().enumerate().filter(|(_, n)| n.concerns(queue)) {
                    let elsewhere = if need.before { &path[..at] } else { &path[at + 1..] };
                    let met = elsewhere.iter().any(|h| need.met_by(queue_of(links, *h)));
                    if !met && told.insert((n, a.decl_index(hop.0.0 as usize))) {
                        warn(a, (i, group, *pair), need, *hop, elsewhere);
                    }
                }
            }
        }
    }
}

fn warn(
    a: &Adviser<'_>,
    (i, group, pair): (usize, &FlowGroup, (NodeIndex, NodeIndex)),
    need: &RoleNeed,
    hop: PathHop,
    elsewhere: &[PathHop],
) {
    let node = |n: NodeIndex| &a.scenario.nodes[n.0 as usize].name;
    let message = format!(
        "flow {} crosses the {} {} of link {}, but {}",
        group.name, need.kind, need.role, a.scenario.links[hop.0.0 as usize].name, need.lacking
    );
    let nearest = if need.before { elsewhere.last() } else { elsewhere.first() };
    let place = match nearest {
        Some((link, _)) => format!(", for instance on link {}", a.scenario.links[link.0 as usize].name),
        None => String::new(),
    };
    let (side, role) = (if need.before { "before" } else { "after" }, need.others[0]);
    let help = format!(
        "put queue = {{ kind = {:?}, role = {role:?} }} {side} it on the way from {} to {}{place}",
        need.kind,
        node(pair.0),
        node(pair.1)
    );
    a.warn(Code::MissingCounterpart, a.flow_origin(i), message, &help);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declarations::node::ROLES;
    use tailrace_core::params::{Kind, Value};

    #[test]
    fn the_roles_of_routers_are_those_of_disciplines() {
        let mut all = BTreeSet::new();
        for name in QdiscConfig::names() {
            let config = QdiscConfig::default_of(name).unwrap();
            if let Some(param) = config.params().iter().find(|p| p.name == "role") {
                let Kind::Choice(words) = param.kind else { panic!("{name}") };
                all.extend(words.iter().copied());
            }
        }
        assert_eq!(all, ROLES.iter().copied().collect());
        for need in NEEDS {
            let queue = QdiscConfig::default_of(need.kind).unwrap();
            for role in need.others.iter().chain([&need.role]) {
                assert!(queue.clone().set("role", &Value::Text((*role).into())).is_ok(), "{role}");
            }
        }
    }
}
