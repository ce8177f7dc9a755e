//! Errors of starting a scenario's kernels, with the part of the scenario that caused them.

use crate::control_channel as control;
use core::fmt;
use std::collections::BTreeSet;
use tailrace_agent::{Asked, Refusal};
use tailrace_core::text::nearest;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{FlowGroup, NodeIndex};

/// Reason why the kernels of a scenario do not start.
#[derive(Debug)]
pub struct StartError {
    /// The host, as the scenario calls it.
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
        /// The one that is named almost like it, if there is none of its name.
        nearest: Option<String>,
    },
    /// The congestion control of a flow.
    CongestionControl {
        /// The flow or attack.
        flow: String,
        /// Congestion controls of the kernel, by their names in Linux.
        known: Vec<String>,
    },
}

impl StartError {
    pub(crate) fn of(refusal: Refusal, scenario: &Scenario) -> Self {
        let Refusal { host, of, why, word, others } = refusal;
        let refused = match of {
            // Names of one group begin alike, which says nothing of how near they are.
            Asked::Setting => {
                let near = nearest(last(&word), others.iter().map(|other| last(other)));
                let nearest = near.and_then(|near| others.iter().find(|other| last(other) == near).cloned());
                Some(RefusedRequest::Setting { nearest })
            }
            Asked::CongestionControl => {
                let asking = flows_of(scenario, &host).find(|(_, control)| *control == word);
                asking.map(|(flow, _)| RefusedRequest::CongestionControl {
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

/// The congestion controls that flows ask of a host, by their names in Linux.
pub(crate) fn controls_of(scenario: &Scenario, host: &str) -> Vec<String> {
    let asked: BTreeSet<&str> = flows_of(scenario, host).map(|(_, control)| control).collect();
    asked.into_iter().map(str::to_string).collect()
}

/// The last part of a setting's name.
fn last(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// The flows that begin or end at a host and ask it for a congestion control, with its name in Linux.
fn flows_of<'a>(
    scenario: &'a Scenario,
    host: &'a str,
) -> impl Iterator<Item = (&'a FlowGroup, &'static str)> + 'a {
    let is_host = move |end: NodeIndex| scenario.nodes[end.0 as usize].name == host;
    let own = move |flow: &&FlowGroup| flow.pairs.iter().any(|(from, to)| is_host(*from) || is_host(*to));
    scenario
        .flows
        .iter()
        .filter(own)
        .filter_map(|flow| Some((flow, control::in_linux(flow.transport.cc_of_each()?))))
}
