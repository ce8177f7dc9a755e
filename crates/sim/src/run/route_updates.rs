//! Updates of routes after link changes.

use crate::run::schedule::ControlEvent;
use crate::run::simulation::Simulation;
use tailrace_net::LinkId;

impl Simulation {
    /// Records that directions have become usable or unusable. Hosts see their own links at once; routers learn of all others
    /// after the convergence delay.
    pub(crate) fn announce_link_changes(&mut self, news: impl Iterator<Item = (LinkId, bool)>) {
        let (own, others): (Vec<_>, Vec<_>) =
            news.partition(|(way, _)| self.fabric.graph().first_hop(*way).is_some());
        self.fabric.reroute(&own);
        if !others.is_empty() {
            self.convergence.pending.push_back(others);
            self.agenda.add(self.fabric.now().saturating_add(self.convergence.delay), ControlEvent::Routes);
        }
    }

    /// Applies the oldest pending link changes to the routes.
    pub(crate) fn converge(&mut self) {
        if let Some(news) = self.convergence.pending.pop_front() {
            self.fabric.reroute(&news);
        }
    }
}
