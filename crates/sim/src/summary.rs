//! The result contract: the JSON form of one run (docs/results.md). SI base units, unit in the key.

mod group;
mod medium;
mod queue;
mod spread;

pub(crate) use group::{
    BinsSummary, BySize, Connections, GroupSummary, PagesSummary, Transfers, VideoSummary, VoiceSummary,
    WholeRun,
};
pub(crate) use medium::MediumSummary;
pub(crate) use queue::{Flagged, FlaggedGroup, QueueSummary, WholeRunOfQueue, by_reason, disturbed};
pub(crate) use spread::{Distribution, Level, Spread};

use crate::connection_summary::{ConnectionSummary, PathSummary};
use crate::foreign::ForeignTally;
use crate::keys::{ObjectInfo, keys};
use crate::path_summary::FlowPathSummary;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

keys! {
    /// One run.
    #[derive(Debug)]
    pub(crate) struct RunSummary {
        /// Number of the run, from 1.
        run: u32, "";
        /// Its seed, derived from the scenario's `seed` and its number.
        seed: u64, "";
        /// Hash over the run's packet arrivals and final counters, 16 hex digits.
        fingerprint: String, "";
        /// By name of `[[flow]]`: flows together.
        groups: BTreeMap<String, GroupSummary>, "";
        /// By name: queues under study.
        queues: BTreeMap<String, QueueSummary>, "";
        /// Multipath TCP connections by flow, `"mp[0]"`: those of the first 256 flows that have one, as each takes some
        /// kilobytes.
        connections: BTreeMap<String, ConnectionSummary>, "";
        /// By flow over Multipath TCP and path (`"mp[0].wifi"`; what the server sends has `.backward` behind it): what was sent by each,
        /// on all connections of the flow together, of the first 256 such flows. Left out where there are none.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        paths: BTreeMap<String, FlowPathSummary>, "";
        /// By name of `[[medium]]`: channels that links share, from the start of the run. Left out where there are none.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        media: BTreeMap<String, MediumSummary>, "";
        /// By name: hosts with stacks that are not the simulator's. Left out where there are none.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        foreign_hosts: BTreeMap<String, ForeignTally>, "";
        /// By name of `[[window]]`, in order of time: groups, queues, connections and paths in that part of the run, if it has begun.
        /// Left out where the scenario has none.
        #[serde(skip_serializing_if = "InOrder::is_empty")]
        windows: InOrder<WindowSummary>, "";
        /// What the run cost.
        engine: EngineSummary, "";
    }
}

keys! {
    /// A window of the run.
    #[derive(Clone, Debug)]
    pub(crate) struct WindowSummary {
        /// When it began.
        start_s: f64, "s";
        /// When it ended; a run that was stopped ends its last window.
        end_s: f64, "s";
        /// As of the run, but of that time, and without `whole_run`.
        groups: BTreeMap<String, GroupSummary>, "";
        /// Likewise.
        queues: BTreeMap<String, QueueSummary>, "";
        /// Each flow's latest connection at the end of the window, since the window began or it did.
        connections: BTreeMap<String, ConnectionSummary>, "";
        /// As of the run, but of that time.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        paths: BTreeMap<String, FlowPathSummary>, "";
    }
}

/// Things by name that stay in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct InOrder<T>(pub(crate) Vec<(String, T)>);

impl<T> InOrder<T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for InOrder<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

keys! {
    /// What the run cost.
    #[derive(Debug)]
    pub(crate) struct EngineSummary {
        /// Simulated time reached.
        simulated_s: f64, "s";
        /// Wall time of the run, set-up excluded.
        wall_s: f64, "s";
        /// Events handled.
        events: u64, "";
        /// Packets carried over a link, summed over links.
        packet_hops: u64, "";
        /// Peak resident memory of the process, all its runs together; 0 where the system does not tell.
        peak_rss_bytes: u64, "bytes";
        /// With `[record] events`: how many events beyond `max_events` were counted but not kept.
        unrecorded_events: u64, "";
        /// Connections beyond `max_connections`, which have no row in the table.
        unrecorded_connections: u64, "";
        /// Flows over Multipath TCP that have a connection, but none under `connections`.
        unlisted_connections: u64, "";
    }
}

/// The objects of which a run's summary is made.
pub fn objects() -> Vec<ObjectInfo> {
    let object = ObjectInfo::new;
    vec![
        object("run", "An entry of `runs`.", RunSummary::KEYS),
        object("connection", "A connection of Multipath TCP, under `connections`.", ConnectionSummary::KEYS),
        object(
            "flagged_group",
            "How a discipline that singles out flows judged those of a group, under `flagged.groups`.",
            FlaggedGroup::KEYS,
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
            BySize::KEYS,
        ),
        object("queue", "A queue under study, under `queues`.", QueueSummary::KEYS),
        object("window", "A part of the run, under `windows`.", WindowSummary::KEYS),
        object("medium", "A channel that links share, under `media`.", MediumSummary::KEYS),
        object("foreign_host", "A host with another stack, under `foreign_hosts`.", ForeignTally::KEYS),
        object("engine", "What the run cost, under `engine`.", EngineSummary::KEYS),
        object("spread", "A figure over the flows of a group.", Spread::KEYS),
        object("distribution", "A figure over packets, samples or transfers.", Distribution::KEYS),
        object("level", "A figure over time.", Level::KEYS),
    ]
}
