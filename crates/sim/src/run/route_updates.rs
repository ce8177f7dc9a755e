//! Updates of routes after link changes.

use crate::run::schedule::ControlEvent;
use crate::run::simulation::Simulation;
use tailrace_net::LinkId;

impl Simulation {
    /// Directions have become usable or not. What begins at a host is that host's own, which sees it; routers hear of all else
    /// later.
    pub(crate) fn announce(&mut self, news: impl Iterator<Item = (LinkId, bool)>) {
        let (own, others): (Vec<_>, Vec<_>) =
            news.partition(|(way, _)| self.fabric.graph().first_hop(*way).is_some());
        self.fabric.reroute(&own);
        if !others.is_empty() {
            self.convergence.pending.push_back(others);
            self.agenda.add(self.fabric.now().saturating_add(self.convergence.delay), ControlEvent::Routes);
        }
    }

    /// Routes hear of what has been pending the longest.
    pub(crate) fn converge(&mut self) {
        if let Some(news) = self.convergence.pending.pop_front() {
            self.fabric.reroute(&news);
        }
    }
}
