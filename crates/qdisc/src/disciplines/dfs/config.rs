//! Parameters of `dfs` and which of them go together.

use super::process::Rules;
use crate::flow_hash::FlowBy;
use crate::registry::Invalid;
use tailrace_core::{Bytes, Duration, Limit, Probability, Rate};

tailrace_core::choices! {
    /// Effect of a congestion signal on a packet that cannot be marked.
    pub enum NonEct {
        /// Nothing: the packet is let in (Algorithm 3 to the letter).
        Pass = "pass",
        /// The packet is dropped (sections 1.2 and 4.3.1).
        Drop = "drop",
    }
}

tailrace_core::choices! {
    /// Way in which the record of a flow is found. Decisions do not depend on it.
    pub enum Store {
        /// A hash table.
        Hash = "hash",
        /// A B-tree, as in the paper.
        Btree = "btree",
    }
}

tailrace_core::choices! {
    /// Way in which the record of a departing packet is found. Decisions do not depend on it.
    pub enum Departures {
        /// Each packet remembers where its flow's record is.
        Remember = "remember",
        /// The record is searched again, as in the paper.
        LookUp = "look_up",
    }
}

tailrace_core::parameters! {
    /// Parameters of `dfs`.
    pub struct DfsConfig {
        /// `b`, the most that may wait in the queue. If it is too small, a fair share is less than a packet, and
        /// every flow with a waiting packet is signalled; if it is too large, packets wait long, since the queue
        /// settles at a third to a half of it.
        limit: Limit = Limit::Bytes(Bytes(200_000)), "Bedi et al. 2014 §5";
        /// The weight of the newest value in the average of the weighted fair share, from 0 to 1; there is one value
        /// for each arriving packet. If it is too small, the share follows late; if it is too large, the share and
        /// the queue swing up and down.
        beta: Probability = Probability::clamped(0.05), "Bedi et al. 2014, Table 2";
        /// Rise of a flow's unfairness p_m when the flow is found above its share; once the flow is trending, this is
        /// multiplied by its rate over the fair rate. If it is too small, floods are found late; if it is too large,
        /// TCP flows are caught before they can slow down.
        delta_i: f64 = 0.04, "Bedi et al. 2014, Table 2", in 0.000001..=1000000.0: "values would not move | values would jump";
        /// Fall of a flow's unfairness p_m when nothing of the flow waits; once the flow is trending, this is
        /// multiplied by the fair rate over its rate. If it is too small, flows that have slowed down stay suspect; if
        /// it is too large, floods with pauses are never marked as malicious.
        delta_d: f64 = 0.04, "Bedi et al. 2014, Table 2", in 0.000001..=1000000.0: "values would not move | values would jump";
        /// The shortest time between two changes of p_m, so that a signal can take effect. If it is far below the
        /// round-trip times, TCP flows that are about to slow down are marked as malicious; if it is too large,
        /// floods are found late.
        freeze_time: Duration = Duration::from_millis(10), "Bedi et al. 2014, Table 2";
        /// Number of steps of `delta_i` by which a flow may rise before it is trending, that is, before its rate
        /// decides. If it is too small, TCP flows are caught within one round trip; if it is too large, floods are
        /// found late.
        tolerance_factor: f64 = 3.0, "Bedi et al. 2014, Table 2", in 0.0..=1000000.0: "the tolerance cannot be negative | no flow would ever be caught";
        /// The smallest value of p_m, which is that of an innocent flow. Only its distance to `max_th` matters.
        min_th: f64 = 0.0, "Bedi et al. 2014, Table 2";
        /// The largest value of p_m, at which a flow is marked as malicious. If it is too small, a few signals in a
        /// row are enough for that; if it is too large, floods are found late and forgiven late.
        max_th: f64 = 1.0, "Bedi et al. 2014, Table 2";
        /// Interval at which records of flows are removed that have sent nothing since the last time; a record lives
        /// for one to two such intervals. If it is too small, a malicious flow is forgotten in a pause. If it is too
        /// large, flows that are long gone still count in `n`, and the shares of the others are too small; 1 s to 60 s
        /// suit loads that change.
        prune_interval: Duration = Duration::from_secs(3600), "Bedi et al. 2014, Table 2", in "1 ms"..="1000 h": "all flows are looked at each time, which takes computing time | no run lasts longer";
        /// The time over which the rate of a suspect is measured; before the first such time is over, its rate does
        /// not decide. If it is too small, one burst of TCP looks like a flood; if it is too large, floods are found
        /// late.
        bitrate_window: Duration = Duration::from_millis(250), "chosen so that the published UDP leakage (Table 6) comes out", in "1 us"..="1000 h": "a rate needs some time to be measured over | no run lasts longer";
        /// Effect of a signal on packets that cannot be marked. With `pass`, flows without ECN notice nothing until
        /// they are marked as malicious and lose everything. The paper's runs used `pass`, with ECN on all TCP flows.
        non_ect: NonEct = NonEct::Drop, "Bedi et al. 2014 §1.2, §4.3.1";
        /// Whether ECN-capable packets are marked. If false, all packets are treated as `non_ect` says.
        ecn: bool = true, "Bedi et al. 2014 §5";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow. With `src_dst`, all
        /// connections between two hosts are one flow, and so is everyone behind one address translator.
        flow: FlowBy = FlowBy::SrcDst, "Bedi et al. 2014 §3.2";
        /// `C`, the rate that the flows share; the fair rate is `C / n`. If it is below the link's rate, fair flows
        /// are marked as malicious; if it is above, floods up to that share are not. `"auto"`: the link's rate.
        rate: Option<Rate> = None, "Bedi et al. 2014 §3.2";
        /// The mean size of a packet. It converts a `limit` in packets into the bytes that shares are made of.
        avpkt: Bytes = Bytes(1000), "Bedi et al. 2014 §5";
        /// Largest number of flows that are remembered at once, at about 100 bytes each. If there are more, a new flow
        /// takes the place of one without waiting packets: out of sixteen first one that is not suspect, then one that
        /// is not marked, then the one that was silent for longest. If none can go, packets of the new flow are let in
        /// without being counted. If it is too small, records of suspects are lost.
        max_flows: u32 = 131_072, "Tailrace";
        /// Way in which the record of a flow is found. Decisions are the same; the costs are in
        /// `docs/explanation/performance.md`.
        repository: Store = Store::Hash, "Bedi et al. 2014 §1.2 leaves the choice open";
        /// With `repository = "btree"`: how many children a node of the tree has at most. With fewer there are more
        /// levels; with more, nodes take longer to search.
        order: u32 = 32, "Tailrace";
        /// Number of places of the cache: a plain list for flows at `max_th`, which is searched first. If it is too
        /// small, marked flows stay in the repository; if it is too large, each packet of an innocent flow searches
        /// all of it. `"auto"`: `order` (btree), none (hash).
        cache: Option<u32> = None, "Bedi et al. 2014 §4.1.1: as many as in a node";
        /// Way in which the record of a departing packet's flow is found. This changes only the cost.
        departures: Departures = Departures::Remember, "Tailrace";
    }
}

pub(super) const MOST_FLOWS: u32 = 1 << 24;
pub(super) const MOST_ORDER: u32 = 1024;
pub(super) const MOST_CACHE: u32 = 4096;

impl DfsConfig {
    /// `b` in bytes.
    pub(super) fn buffer(&self) -> f64 {
        match self.limit {
            Limit::Packets(n) => n as f64 * self.avpkt.as_f64(),
            Limit::Bytes(b) => b.as_f64(),
        }
    }

    pub(super) fn cache(&self) -> u32 {
        self.cache.unwrap_or(match self.repository {
            Store::Hash => 0,
            Store::Btree => self.order,
        })
    }

    pub(super) fn rules(&self) -> Rules {
        Rules {
            min_th: self.min_th,
            max_th: self.max_th,
            delta_i: self.delta_i,
            delta_d: self.delta_d,
            tolerance: self.tolerance_factor * self.delta_i,
            freeze_time: self.freeze_time,
            bitrate_window: self.bitrate_window,
        }
    }

    pub(super) fn validate_law(&self) -> Result<(), Invalid> {
        if self.min_th + self.tolerance_factor * self.delta_i >= self.max_th {
            return Err(("max_th", "must be above min_th + tolerance_factor * delta_i".into()));
        }
        Ok(())
    }
}
