//! Descriptions of all tables and of all objects of the summary.

use crate::foreign::counters::ForeignCounters;
use crate::ground::columns::TableInfo;
use crate::ground::distribution::{Distribution, Spread, TimeLevel};
use crate::ground::keys::ObjectInfo;
use crate::results::classifier_summary::GroupClassification;
use crate::results::connection_summary::{ConnectionSummary, PathSummary};
use crate::results::group_summary::{GroupSummary, SizeSummary};
use crate::results::medium_summary::MediumSummary;
use crate::results::path_summary::FlowPathSummary;
use crate::results::queue_summary::QueueSummary;
use crate::results::run_summary::{EngineSummary, RunSummary, WindowSummary};
use crate::results::{series, tables};

/// All tables.
pub fn tables() -> Vec<TableInfo> {
    vec![
        tables::flows::info(),
        tables::paths::info(),
        tables::flow_windows::info(),
        tables::queues::info(),
        tables::connections::info(),
        series::groups::info(),
        series::flows::info(),
        series::queues::info(),
        series::laws::info(),
        series::subflows::info(),
        series::connections::info(),
        series::paths::info(),
        tables::reordering::info(),
        tables::events::info(),
    ]
}

/// Objects of a run's summary.
pub fn objects() -> Vec<ObjectInfo> {
    let object = ObjectInfo::new;
    vec![
        object("run", "An entry of `runs`.", RunSummary::KEYS),
        object("connection", "A connection of Multipath TCP, under `connections`.", ConnectionSummary::KEYS),
        object(
            "flagged_group",
            "How a discipline that singles out flows judged those of a group, under `flagged.groups`.",
            GroupClassification::KEYS,
        ),
        object("path", "A path of a connection, under its `paths`.", PathSummary::KEYS),
        object(
            "flow_path",
            "A path of a flow over Multipath TCP, under `paths` of the run.",
            FlowPathSummary::KEYS,
        ),
        object("group", "A group of flows, under `groups`.", GroupSummary::KEYS),
        object(
            "transfers_by_size",
            "Transfers of a size, under `completion_by_size` of a group.",
            SizeSummary::KEYS,
        ),
        object("queue", "A queue under study, under `queues`.", QueueSummary::KEYS),
        object("window", "A part of the run, under `windows`.", WindowSummary::KEYS),
        object("medium", "A channel that links share, under `media`.", MediumSummary::KEYS),
        object("foreign_host", "A host with another stack, under `foreign_hosts`.", ForeignCounters::KEYS),
        object("engine", "What the run cost, under `engine`.", EngineSummary::KEYS),
        object("spread", "A figure over the flows of a group.", Spread::KEYS),
        object("distribution", "A figure over packets, samples or transfers.", Distribution::KEYS),
        object("level", "A figure over time.", TimeLevel::KEYS),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::columns::tests::assert_described;

    #[test]
    fn columns_have_unique_names_units_and_meanings() {
        for table in tables() {
            for (i, column) in table.columns.iter().enumerate() {
                assert!(table.columns[..i].iter().all(|c| c.name != column.name), "{}", column.name);
                assert_described(column.name, column.unit, column.doc);
            }
        }
    }
}
