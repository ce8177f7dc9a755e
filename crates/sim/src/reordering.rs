//! The distribution of reordering, bucket by bucket, for the connections whose flows have series.

use crate::build::Plan;
use crate::connections::{any, connection, end_name};
use crate::output::Table;
use crate::packet::FlowEnd;
use crate::table::{Cell, TableBuilder};
use crate::world::World;
use tailrace_core::CoarseHistogram;

const COLUMNS: &[(&str, Cell<'static>)] = &[
    ("run", Cell::U32(0)),
    ("group", Cell::Text("")),
    ("flow", Cell::U32(0)),
    ("end", Cell::Text("")),
    ("variable", Cell::Text("")),
    ("low", Cell::F64(0.0)),
    ("high", Cell::F64(0.0)),
    ("segments", Cell::U64(0)),
];

/// How many segments were how far and how long ahead of their order, where the scenario has connections.
pub(crate) fn table(plan: &Plan, world: &World) -> Option<Table> {
    if !any(&plan.scenario) {
        return None;
    }
    let mut table = TableBuilder::new("reordering", COLUMNS);
    let ends = plan.sampled_flows.iter().flat_map(|&f| [FlowEnd::client(f), FlowEnd::client(f).peer()]);
    for end in ends {
        let Some(receiver) = connection(world, end.peer()) else { continue };
        let reordering = receiver.reordering();
        let mut add = |variable: &str, histogram: &CoarseHistogram, scale: f64| {
            let flow = &world.flows[end.flow()];
            for (low, high, segments) in histogram.buckets() {
                table.row(&[
                    Cell::U32(plan.run),
                    Cell::Text(&plan.scenario.flows[flow.group as usize].name),
                    Cell::U32(flow.member),
                    Cell::Text(end_name(end)),
                    Cell::Text(variable),
                    Cell::F64(low as f64 / scale),
                    Cell::F64(high as f64 / scale),
                    Cell::U64(segments),
                ]);
            }
        };
        add("displacement_bytes", &reordering.displacement(), 1.0);
        add("reordering_delay_s", &reordering.delay(), 1e9);
    }
    Some(table.finish())
}
