//! Paths of MPTCP flows in the summary.

use crate::ground::scope::Scope;
use crate::results::connection_names::name_of_path;
use crate::results::path_summary::FlowPathSummary;
use crate::results::view::RunView;
use crate::stats::paths::PathDirection;
use std::collections::BTreeMap;

/// Largest number of flows listed: each path takes some hundred bytes, and the table has all.
const MOST_FLOWS: usize = 256;

impl RunView<'_> {
    /// Paths of the first flows that have any, in a window, by flow and path.
    pub(crate) fn paths(&self, scope: Scope) -> BTreeMap<String, FlowPathSummary> {
        let span = self.span(scope);
        self.listed_paths().map(|(name, lane)| (name, FlowPathSummary::of(lane, scope, span))).collect()
    }

    /// Adds losses that happened after the window in which the packets were sent.
    pub(crate) fn add_late_path_losses(&self, window: usize, paths: &mut BTreeMap<String, FlowPathSummary>) {
        for (name, lane) in self.listed_paths() {
            if let Some(path) = paths.get_mut(&name) {
                path.add_late_losses(lane.late_losses(window));
            }
        }
    }

    /// Keys of paths: `mp[0].wifi`, and `mp[0].wifi.backward` for data that the server sends.
    fn listed_paths(&self) -> impl Iterator<Item = (String, &PathDirection)> {
        let flows = self.world.flows.iter().enumerate();
        let having = flows.filter_map(|(f, flow)| Some((f, flow, flow.paths.as_ref()?))).take(MOST_FLOWS);
        having.flat_map(move |(f, flow, paths)| {
            paths.directions(f).map(move |(path, to, lane)| {
                let group = &self.plan.scenario.flows[flow.group as usize].name;
                let path = name_of_path(self.plan, self.fabric, path.key);
                let direction = if to.is_server() { "" } else { ".backward" };
                (format!("{group}[{}].{path}{direction}", flow.member), lane)
            })
        })
    }
}
