//! Routes that hear late of what becomes of links: until then they lead into links that are down, and not over those that
//! are up again.

use crate::run::schedule::What;
use crate::run::simulation::Simulation;
use std::collections::VecDeque;
use tailrace_core::Duration;
use tailrace_net::LinkId;

/// What routes are still to hear of.
#[derive(Debug)]
pub(crate) struct Convergence {
    /// So long after it has happened.
    delay: Duration,
    /// Directions of links, and whether routes may lead over them: what has happened in one instant each, in the order of these.
    pending: VecDeque<Vec<(LinkId, bool)>>,
}

impl Convergence {
    pub(crate) const fn new(delay: Duration) -> Self {
        Self { delay, pending: VecDeque::new() }
    }

    /// Whether routes follow at once.
    pub(crate) const fn is_immediate(&self) -> bool {
        self.delay.is_zero()
    }
}

impl Simulation {
    /// Directions have become usable or not. What begins at a host is that host's own, which sees it; routers hear of all else
    /// later.
    pub(crate) fn announce(&mut self, news: impl Iterator<Item = (LinkId, bool)>) {
        let (own, others): (Vec<_>, Vec<_>) =
            news.partition(|(way, _)| self.fabric.graph().first_hop(*way).is_some());
        self.fabric.reroute(&own);
        if !others.is_empty() {
            self.convergence.pending.push_back(others);
            self.agenda.add(self.fabric.now().saturating_add(self.convergence.delay), What::Routes);
        }
    }

    /// Routes hear of what has been pending the longest.
    pub(crate) fn converge(&mut self) {
        if let Some(news) = self.convergence.pending.pop_front() {
            self.fabric.reroute(&news);
        }
    }
}
