//! Errors of starting a scenario's kernels, with the part of the scenario that caused them.

use crate::control_channel as control;
use core::fmt;
use std::collections::BTreeSet;
use tailrace_agent::{KernelRefusal, RequestKind};
use tailrace_core::text::nearest;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{FlowGroup, NodeIndex};

/// Reason why the kernels of a scenario do not start.
#[derive(Debug)]
pub struct StartError {
    /// Name of the host in the scenario.
    pub host: String,
    /// Explanation.
    pub why: String,
    /// The scenario's request that the kernel refused, if that is the reason.
    pub refused: Option<RefusedRequest>,
}

/// Request that a kernel refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusedRequest {
    /// A setting of the host.
    Setting {
        /// Setting with a similar name, if the kernel has none of this name.
        nearest: Option<String>,
    },
    /// The congestion control of a flow.
    CongestionControl {
        /// Name of the flow group or attack.
        flow: String,
        /// Congestion controls of the kernel, by their names in Linux.
        known: Vec<String>,
    },
}

impl StartError {
    pub(crate) fn of(refusal: KernelRefusal, scenario: &Scenario) -> Self {
        let KernelRefusal { host, of, why, word, others } = refusal;
        let refused = match of {
            // Compares the last parts only: the settings beside it share their group's prefix, which would make all look similar.
            RequestKind::Setting => {
                let near = nearest(last_part(&word), others.iter().map(|other| last_part(other)));
                let nearest =
                    near.and_then(|near| others.iter().find(|other| last_part(other) == near).cloned());
                Some(RefusedRequest::Setting { nearest })
            }
            RequestKind::CongestionControl => {
                let requesting = flows_of(scenario, &host).find(|(_, control)| *control == word);
                requesting.map(|(flow, _)| RefusedRequest::CongestionControl {
                    flow: flow.name.clone(),
                    known: others,
                })
            }
        };
        Self { host, why, refused }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host {:?}: {}", self.host, self.why)
    }
}

impl std::error::Error for StartError {}

/// Congestion controls that flows need of a host's kernel, by their names in Linux.
pub(crate) fn congestion_controls_of(scenario: &Scenario, host: &str) -> Vec<String> {
    let needed: BTreeSet<&str> = flows_of(scenario, host).map(|(_, control)| control).collect();
    needed.into_iter().map(str::to_string).collect()
}

/// Last part of a setting's dotted name.
fn last_part(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// Flow groups with an end at the host and a congestion control, and its name in Linux.
fn flows_of<'a>(
    scenario: &'a Scenario,
    host: &'a str,
) -> impl Iterator<Item = (&'a FlowGroup, &'static str)> + 'a {
    let is_host = move |end: NodeIndex| scenario.nodes[end.0 as usize].name == host;
    let touches_host =
        move |flow: &&FlowGroup| flow.pairs.iter().any(|(from, to)| is_host(*from) || is_host(*to));
    scenario
        .flows
        .iter()
        .filter(touches_host)
        .filter_map(|flow| Some((flow, control::linux_name(flow.transport.cc_of_each()?))))
}
