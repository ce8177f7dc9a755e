//! Transition from one window to the next.

use crate::ground::plan::RunPlan;
use crate::ground::scope::Scope;
use crate::host::hosts::World;
use crate::packet::sim_packet::SimFabric;
use crate::results::connection_summary::ListedConnections;
use crate::results::view::RunView;
use crate::results::windows::{MeasurementWindows, WindowStart, begins};
use tailrace_core::Instant;

impl MeasurementWindows {
    /// Ends the present window and begins the next. All links are settled.
    pub(crate) fn begin_next_window(&mut self, plan: &RunPlan, world: &mut World, fabric: &mut SimFabric) {
        let (scenario, now) = (&plan.scenario, fabric.now());
        if self.under_way {
            let view = RunView { plan, fabric, world, windows: self };
            let (summary, flows) = (view.window(), view.flow_counts());
            self.over.push(summary);
            self.flows_over.push(flows);
            world.loss_attribution.close(world.scope_starts[Scope::Window], now, world.flows.len());
        }
        let groups = world.recorder.cut();
        let queues = plan.queues.iter().filter_map(|queue| fabric.cut_stats(queue.link)).collect();
        world.cut_path_delays(now > Instant::ZERO + scenario.warmup);
        if now == Instant::ZERO + scenario.warmup {
            self.begin(Scope::Run, plan, world, fabric);
        } else if now > Instant::ZERO + scenario.warmup {
            self.past.add(groups, queues);
        }
        if !scenario.windows.is_empty() {
            self.begin(Scope::Window, plan, world, fabric);
            self.connections = ListedConnections::of(plan, world, fabric);
            self.under_way = begins(scenario, now);
        }
    }

    fn begin(&mut self, scope: Scope, plan: &RunPlan, world: &mut World, fabric: &SimFabric) {
        world.begin_scope(scope, fabric.now());
        let links = plan.queues.iter().map(|queue| fabric.link(queue.link));
        let queues = links.map(|link| (link.counters(), link.unsent_bits(fabric.now()))).collect();
        let outcomes = match scope {
            Scope::Run => Vec::new(),
            Scope::Window => RunView { plan, fabric, world, windows: self }.outcomes(),
        };
        self.cuts[scope] = WindowStart { queues, outcomes };
    }
}
