//! Constants of a run: the scenario, the seed, the queues under study and how link directions are named.

use crate::ground::capacity::LinkCapacity;
use std::collections::BTreeMap;
use std::sync::Arc;
use tailrace_core::Duration;
use tailrace_net::LinkId;
use tailrace_scenario::model::{Link, NodeIndex, Scenario};

/// What stays fixed during a run.
#[derive(Debug)]
pub(crate) struct RunPlan {
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) run: u32,
    pub(crate) seed: u64,
    /// Link directions with a queue under study.
    pub(crate) queues: Vec<ObservedQueue>,
    /// What link directions are called in the results.
    pub(crate) places: LinkNames,
    /// Flows that have series.
    pub(crate) sampled_flows: Vec<usize>,
    /// Propagation delay of each link direction, as drawn.
    pub(crate) delays: Vec<Duration>,
}

/// A queue that appears in the results.
#[derive(Clone, Debug)]
pub(crate) struct ObservedQueue {
    /// See [`LinkNames`].
    pub(crate) name: String,
    pub(crate) link: LinkId,
    pub(crate) kind: &'static str,
    /// Whose it is, where there are several forms of it.
    pub(crate) form: Option<&'static str>,
    /// Most that may wait, where the discipline has a bound.
    pub(crate) limit: Option<String>,
    pub(crate) pace: LinkCapacity,
    pub(crate) overhead: u64,
}

/// What link directions are called: `g1->g2`, or `name:g1->g2` where several links join the two.
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

/// The ends of a link, whichever is written first.
fn ends(link: &Link) -> (NodeIndex, NodeIndex) {
    (link.a.min(link.b), link.a.max(link.b))
}
