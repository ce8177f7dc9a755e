//! Published counters as columns of tables and keys of the summary.

use crate::ground::columns::ColumnInfo;
use crate::ground::keys::SummaryKey;
use crate::ground::table::TableCell;
use crate::stats::flow_stats::FlowStats;
use serde::{Serialize, Serializer};

/// Counters of a flow or group, and whether its stacks count timeouts: a Linux kernel before 6.7 does not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CounterValues {
    pub(crate) stats: FlowStats,
    pub(crate) timeouts_known: bool,
}

impl CounterValues {
    pub(crate) const KEYS: &'static [SummaryKey] = FlowStats::KEYS;

    /// Columns of the published counters.
    pub(crate) fn columns() -> impl Iterator<Item = ColumnInfo> {
        Self::KEYS.iter().map(|key| ColumnInfo { name: key.name, unit: key.unit, doc: key.doc.trim_start() })
    }

    /// Cells of these columns.
    pub(crate) fn cells<'a>(&self) -> Vec<TableCell<'a>> {
        self.values().map(|(_, value)| TableCell::Count(value)).collect()
    }

    fn values(&self) -> impl Iterator<Item = (&'static str, Option<u64>)> {
        let known = self.timeouts_known;
        let each = Self::KEYS.iter().zip(self.stats.published());
        each.map(move |(key, value)| (key.name, (known || key.name != "timeouts").then_some(value)))
    }
}

impl Serialize for CounterValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.values())
    }
}
