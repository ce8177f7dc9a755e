//! The result contract: the JSON form of one run (docs/reference/results.md). SI base units, unit in the key.

use crate::foreign::counters::ForeignCounters;
use crate::ground::keys::keys;
use crate::ground::ordered_map::OrderedMap;
use crate::results::connection_summary::ConnectionSummary;
use crate::results::group_summary::GroupSummary;
use crate::results::medium_summary::MediumSummary;
use crate::results::path_summary::FlowPathSummary;
use crate::results::queue_summary::QueueSummary;
use std::collections::BTreeMap;

keys! {
    /// Results of one run.
    #[derive(Debug)]
    pub(crate) struct RunSummary {
        /// The number of the run, from 1.
        run: u32, "";
        /// The seed of the run, which follows from the scenario's `seed` and the run's number.
        seed: u64, "";
        /// A number computed from all packet arrivals and the final counters, as 16 hexadecimal digits. Equal
        /// fingerprints mean equal runs.
        fingerprint: String, "";
        /// The groups of flows, by the name of their `[[flow]]`.
        groups: BTreeMap<String, GroupSummary>, "";
        /// The queues under study, by name.
        queues: BTreeMap<String, QueueSummary>, "";
        /// MPTCP connections, by flow (`"mp[0]"`). Only those of the first 256 flows that have one, as each takes some kilobytes.
        connections: BTreeMap<String, ConnectionSummary>, "";
        /// Traffic of MPTCP flows on each path, by flow and path (`"mp[0].wifi"`; data that the server sends has `.backward` at
        /// the end). All connections of a flow are added up. Only the first 256 such flows. Left out if there are none.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        paths: BTreeMap<String, FlowPathSummary>, "";
        /// Shared media, by the name of their `[[medium]]`, from the start of the run. Left out if there are none.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        media: BTreeMap<String, MediumSummary>, "";
        /// Hosts whose network stack is not the simulator's, such as Linux kernels, by name. Left out if there are
        /// none.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        foreign_hosts: BTreeMap<String, ForeignCounters>, "";
        /// Groups, queues, connections and paths in each part of the run, by the name of its `[[window]]`, in order
        /// of time. Windows that have not begun are missing. Left out if the scenario has none.
        #[serde(skip_serializing_if = "OrderedMap::is_empty")]
        windows: OrderedMap<WindowSummary>, "";
        /// Cost of the run in time and memory.
        engine: EngineSummary, "";
    }
}

keys! {
    /// A window of the run.
    #[derive(Clone, Debug)]
    pub(crate) struct WindowSummary {
        /// Start of the window.
        start_s: f64, "s";
        /// End of the window. If a run is stopped early, its last window ends then.
        end_s: f64, "s";
        /// The same as for the run, but for this time, and without `whole_run`.
        groups: BTreeMap<String, GroupSummary>, "";
        /// The same as for the run, but for this time.
        queues: BTreeMap<String, QueueSummary>, "";
        /// The latest connection of each flow at the end of the window, from the start of the window or of the
        /// connection on.
        connections: BTreeMap<String, ConnectionSummary>, "";
        /// The same as for the run, but for this time.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        paths: BTreeMap<String, FlowPathSummary>, "";
    }
}

keys! {
    /// Cost of a run.
    #[derive(Debug)]
    pub(crate) struct EngineSummary {
        /// The simulated time that was reached.
        simulated_s: f64, "s";
        /// Wall time of the run, without building it.
        wall_s: f64, "s";
        /// Number of events handled.
        events: u64, "";
        /// Number of packets carried over a link, added up over all links.
        packet_hops: u64, "";
        /// The largest memory of the process, with all its runs; 0 if the system does not tell.
        peak_rss_bytes: u64, "bytes";
        /// Number of events that were only counted because there were more than `max_events` (with `[record] events`).
        unrecorded_events: u64, "";
        /// Number of connections without a row in the table `connections` because there were more than `max_connections`.
        unrecorded_connections: u64, "";
        /// Number of MPTCP flows whose connection is not listed under `connections`.
        unlisted_connections: u64, "";
    }
}
