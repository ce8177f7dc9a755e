//! Constants of a run: the scenario, the seed, the queues under study and how link directions are named.

use crate::ground::capacity::LinkCapacity;
use std::collections::BTreeMap;
use std::sync::Arc;
use tailrace_core::Duration;
use tailrace_net::LinkId;
use tailrace_scenario::model::{Link, NodeIndex, Scenario};

/// Constants of a run.
#[derive(Debug)]
pub(crate) struct RunPlan {
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) run: u32,
    pub(crate) seed: u64,
    /// Link directions with a queue under study.
    pub(crate) queues: Vec<ObservedQueue>,
    /// Names of link directions in the results.
    pub(crate) places: LinkNames,
    /// Flows that have series.
    pub(crate) sampled_flows: Vec<usize>,
    /// Propagation delay of each link direction, as drawn.
    pub(crate) delays: Vec<Duration>,
}

/// A queue that appears in the results.
#[derive(Clone, Debug)]
pub(crate) struct ObservedQueue {
    /// Name of its link direction, see [`LinkNames`].
    pub(crate) name: String,
    pub(crate) link: LinkId,
    pub(crate) kind: &'static str,
    /// Version of the discipline, if there are several.
    pub(crate) form: Option<&'static str>,
    /// Largest queue length, if the discipline has a bound.
    pub(crate) limit: Option<String>,
    pub(crate) pace: LinkCapacity,
    pub(crate) overhead: u64,
}

/// Names of link directions: `g1->g2`, or `name:g1->g2` if several links join the two.
#[derive(Debug)]
pub(crate) struct LinkNames {
    /// Number of links between two nodes.
    joining: BTreeMap<(NodeIndex, NodeIndex), u32>,
}

impl LinkNames {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let mut joining = BTreeMap::new();
        for link in &scenario.links {
            *joining.entry(ends(link)).or_insert(0) += 1;
        }
        Self { joining }
    }

    pub(crate) fn name(&self, scenario: &Scenario, way: LinkId) -> String {
        let link = &scenario.links[way.0 as usize / 2];
        let node = |n: NodeIndex| &scenario.nodes[n.0 as usize].name;
        let (from, to) = if way.0.is_multiple_of(2) { (link.a, link.b) } else { (link.b, link.a) };
        let ends_name = format!("{}->{}", node(from), node(to));
        if self.joining[&ends(link)] == 1 { ends_name } else { format!("{}:{ends_name}", link.name) }
    }
}

/// Ends of a link in ascending order, so that both directions are equal.
fn ends(link: &Link) -> (NodeIndex, NodeIndex) {
    (link.a.min(link.b), link.a.max(link.b))
}
