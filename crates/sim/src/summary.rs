//! The result contract: the JSON form of one run (docs/results.md). SI base units, unit in the key.

use crate::connection_summary::ConnectionSummary;
use crate::foreign::ForeignTally;
use crate::tally::{FlowTally, loss_ratio};
use crate::window::Fates;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use tailrace_core::{DropReason, LogHistogram};
use tailrace_net::LinkCounters;

/// One run.
#[derive(Debug, Serialize)]
pub(crate) struct RunSummary {
    pub(crate) run: u32,
    pub(crate) seed: u64,
    pub(crate) fingerprint: String,
    pub(crate) groups: BTreeMap<String, GroupSummary>,
    pub(crate) queues: BTreeMap<String, QueueSummary>,
    /// Multipath connections, not more than some hundreds; empty without any.
    pub(crate) connections: BTreeMap<String, ConnectionSummary>,
    /// Hosts with stacks that are not the simulator's; left out where there are none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) foreign_hosts: BTreeMap<String, ForeignTally>,
    /// The scenario's windows that have begun; left out where it names none.
    #[serde(skip_serializing_if = "InOrder::is_empty")]
    pub(crate) windows: InOrder<WindowSummary>,
    pub(crate) engine: EngineSummary,
}

/// A window of the run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WindowSummary {
    pub(crate) start_s: f64,
    /// When it ended, or the present.
    pub(crate) end_s: f64,
    pub(crate) groups: BTreeMap<String, GroupSummary>,
    pub(crate) queues: BTreeMap<String, QueueSummary>,
    pub(crate) connections: BTreeMap<String, ConnectionSummary>,
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

/// A group of flows in a window.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GroupSummary {
    pub(crate) flows: usize,
    pub(crate) role: &'static str,
    pub(crate) goodput_bps: Spread,
    pub(crate) throughput_bps: Spread,
    /// Jain's index over the flows' goodput.
    pub(crate) jain: f64,
    /// Bytes that applications got and that a middlebox had changed.
    pub(crate) altered_bytes: u64,
    pub(crate) sent_packets: u64,
    pub(crate) lost_packets: u64,
    pub(crate) loss_ratio: f64,
    pub(crate) marked_packets: u64,
    pub(crate) retransmitted_packets: u64,
    pub(crate) timeouts: u64,
    pub(crate) completed: u64,
    /// What applications were asked for and what came of it; null where there are no transfers.
    pub(crate) transfers: Option<Transfers>,
    /// Null for UDP.
    pub(crate) connections: Option<Connections>,
    /// From the start of the run, warm-up included; left out of a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) whole_run: Option<WholeRun>,
    pub(crate) one_way_delay_s: Distribution,
    pub(crate) reverse_one_way_delay_s: Distribution,
    pub(crate) rtt_s: Distribution,
    pub(crate) completion_s: Distribution,
    pub(crate) jitter_s: Distribution,
}

impl GroupSummary {
    /// What befell packets sent in a window after it was over.
    pub(crate) fn befell(&mut self, late: Fates) {
        self.lost_packets += late.lost;
        self.marked_packets += late.marked;
        self.loss_ratio = loss_ratio(self.lost_packets, self.sent_packets);
    }
}

/// Transfers, or exchanges, of a group's flows over the whole run, or in a part of it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Transfers {
    /// Null where they have no end.
    pub(crate) asked: Option<u64>,
    pub(crate) started: u64,
    pub(crate) completed: u64,
    /// Their connections broke before all had arrived.
    pub(crate) failed: u64,
    pub(crate) under_way: u64,
    pub(crate) not_begun: Option<u64>,
}

impl Transfers {
    /// What came about since; how many are under way, and have not begun, is of now.
    pub(crate) fn since(self, earlier: &Self) -> Self {
        Self {
            started: self.started - earlier.started,
            completed: self.completed - earlier.completed,
            failed: self.failed - earlier.failed,
            ..self
        }
    }
}

/// Connections of a group's flows over the whole run, or in a part of it.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Connections {
    pub(crate) opened: u64,
    /// Not over at the end.
    pub(crate) open: u64,
    /// Those that did not end in good order, by cause.
    pub(crate) broken: BTreeMap<&'static str, u64>,
}

impl Connections {
    /// What came about since; how many are open is of now.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        self.opened -= earlier.opened;
        for (cause, count) in &mut self.broken {
            *count -= earlier.broken.get(cause).copied().unwrap_or_default();
        }
        self
    }
}

/// A group's counters from the start of the run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct WholeRun {
    pub(crate) sent_packets: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) received_packets: u64,
    pub(crate) received_bytes: u64,
    pub(crate) delivered_bytes: u64,
    pub(crate) lost_packets: u64,
    /// Sent, and neither received nor lost by the end.
    pub(crate) under_way_packets: u64,
    pub(crate) marked_packets: u64,
    pub(crate) retransmitted_packets: u64,
    pub(crate) timeouts: u64,
    pub(crate) completed: u64,
}

impl WholeRun {
    /// Of the counters of a group since the start.
    pub(crate) fn of(t: &FlowTally) -> Self {
        Self {
            sent_packets: t.sent_packets,
            sent_bytes: t.sent_bytes,
            received_packets: t.received_packets,
            received_bytes: t.received_bytes,
            delivered_bytes: t.delivered_bytes,
            lost_packets: t.lost_packets,
            under_way_packets: t.sent_packets - t.received_packets - t.lost_packets,
            marked_packets: t.marked_packets,
            retransmitted_packets: t.retransmitted_packets,
            timeouts: t.timeouts,
            completed: t.completed,
        }
    }
}

/// A queue's counters from the start of the run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WholeRunOfQueue {
    pub(crate) enqueued_packets: u64,
    pub(crate) dequeued_packets: u64,
    pub(crate) sent_bytes: u64,
    pub(crate) marked_packets: u64,
    pub(crate) dropped_packets: BTreeMap<&'static str, u64>,
}

impl WholeRunOfQueue {
    /// Of the counters of a link direction since the start.
    pub(crate) fn of(c: &LinkCounters) -> Self {
        Self {
            enqueued_packets: c.enqueued(),
            dequeued_packets: c.dequeued,
            sent_bytes: c.sent_bytes,
            marked_packets: c.marked,
            dropped_packets: by_reason(c),
        }
    }
}

/// Drops of a link direction; where there is no route is a matter of routers.
pub(crate) fn by_reason(c: &LinkCounters) -> BTreeMap<&'static str, u64> {
    let reasons = DropReason::ALL.iter().filter(|r| **r != DropReason::NoRoute);
    reasons.map(|r| (r.name(), c.dropped[*r as usize])).collect()
}

/// A link direction with a queue under study.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct QueueSummary {
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) form: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<String>,
    pub(crate) sojourn_s: Distribution,
    pub(crate) backlog_bytes: Level,
    pub(crate) backlog_packets: Level,
    pub(crate) utilization: f64,
    pub(crate) enqueued_packets: u64,
    pub(crate) dequeued_packets: u64,
    pub(crate) marked_packets: u64,
    pub(crate) dropped_packets: BTreeMap<&'static str, u64>,
    /// From the start of the run, warm-up included; left out of a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) whole_run: Option<WholeRunOfQueue>,
    pub(crate) flagged: Flagged,
}

/// How a classifier judged flows, against the scenario's roles.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Flagged {
    pub(crate) true_positive: u64,
    pub(crate) false_positive: u64,
    pub(crate) false_negative: u64,
    pub(crate) true_negative: u64,
    /// Mean time from an attack flow's start to its first flag; null without any.
    pub(crate) detection_s: Option<f64>,
    /// Mean time from a flag to its clearing; null without any.
    pub(crate) rehabilitation_s: Option<f64>,
}

/// What the run cost.
#[derive(Debug, Serialize)]
pub(crate) struct EngineSummary {
    pub(crate) simulated_s: f64,
    pub(crate) wall_s: f64,
    pub(crate) events: u64,
    pub(crate) packet_hops: u64,
    /// Peak resident memory of the process, all runs in it together.
    pub(crate) peak_rss_bytes: u64,
    /// Drops, marks and the like beyond the `max_events` that the table of events keeps.
    pub(crate) unrecorded_events: u64,
    /// Connections beyond the `max_connections` that have a row.
    pub(crate) unrecorded_connections: u64,
    /// Flows over Multipath TCP whose connections are not among those of the summary.
    pub(crate) unlisted_connections: u64,
}

/// Spread of a figure over the flows of a group.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    pub(crate) sd: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) sum: f64,
}

impl Spread {
    /// Over `values`, one a flow; `sd` is the sample standard deviation (0 for a single flow).
    pub(crate) fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let sum: f64 = values.iter().sum();
        let mean = sum / n;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let sd = if values.len() > 1 { tailrace_core::math::sqrt(squares / (n - 1.0)) } else { 0.0 };
        let min = values.iter().copied().fold(f64::INFINITY, f64::min);
        let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { mean, sd, min, max, sum }
    }
}

/// Distribution over packets, samples or transfers; nulls without any.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Distribution {
    pub(crate) mean: f64,
    pub(crate) sd: f64,
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Distribution {
    pub(crate) fn of<const STEPS: u32>(h: &LogHistogram<STEPS>) -> Self {
        Self {
            mean: h.mean_s(),
            sd: h.sd_s(),
            p50: h.quantile_s(0.5),
            p95: h.quantile_s(0.95),
            p99: h.quantile_s(0.99),
            max: h.max_s(),
        }
    }

    /// Of numbers that are no durations.
    pub(crate) fn of_numbers<const STEPS: u32>(h: &LogHistogram<STEPS>) -> Self {
        let at = |q| h.quantile(q);
        Self { mean: h.mean(), sd: h.sd(), p50: at(0.5), p95: at(0.95), p99: at(0.99), max: h.max() }
    }
}

/// A time-weighted level.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Level {
    pub(crate) mean: f64,
    pub(crate) sd: f64,
    pub(crate) max: u64,
}
