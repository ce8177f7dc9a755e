//! Parameters of `dfs` and which of them go together.

use super::Dfs;
use super::fair_share::FairShare;
use super::process::Rules;
use super::repository::{Layout, Repository};
use crate::discipline::{Backlog, LinkView};
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use std::collections::VecDeque;
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Probability, Rate};

tailrace_core::choices! {
    /// What a congestion signal does to a packet that cannot be marked.
    pub enum NonEct {
        /// Nothing: the packet is let in (Algorithm 3 to the letter).
        Pass = "pass",
        /// It drops the packet (sections 1.2 and 4.3.1).
        Drop = "drop",
    }
}

tailrace_core::choices! {
    /// How the record of a flow is found. Decisions do not depend on it.
    pub enum Store {
        /// A hash table.
        Hash = "hash",
        /// A B-tree, as in the paper.
        Btree = "btree",
    }
}

tailrace_core::choices! {
    /// How the record of a departing packet is found. Decisions do not depend on it.
    pub enum Departures {
        /// A packet remembers where its record is.
        Remember = "remember",
        /// It is searched again, as in the paper.
        LookUp = "look_up",
    }
}

tailrace_core::parameters! {
    /// Parameters of `dfs`.
    pub struct DfsConfig {
        /// Most that may wait, `b`. Too small: a share is less than a packet, and every flow with one waiting is signalled.
        /// Too large: the queue, which settles at a third to a half of it, delays.
        limit: Limit = Limit::Bytes(Bytes(200_000)), "Bedi et al. 2014 §5";
        /// Weight of a new sample in the average of the weighted fair share, one sample an arrival. Too small: reacts
        /// late. Too large: the share jumps with the queue, which then swings.
        beta: Probability = Probability::clamped(0.05), "Bedi et al. 2014, Table 2";
        /// What a flow's unfairness p_m gains when it is found above its share; times rate over fair rate once it is
        /// trending. Too small: floods are found late. Too large: TCP flows are caught before they can answer.
        delta_i: f64 = 0.04, "Bedi et al. 2014, Table 2", in 0.000001..=1000000.0: "shares would stand still or jump";
        /// What p_m loses when a flow is found with nothing waiting; times fair rate over rate once it is trending. Too
        /// small: flows that yield stay under suspicion. Too large: floods with pauses never get marked.
        delta_d: f64 = 0.04, "Bedi et al. 2014, Table 2", in 0.000001..=1000000.0: "shares would stand still or jump";
        /// Least time between steps of p_m, so that a signal can take effect. Far below the round trips: TCP flows
        /// that are about to yield get marked. Too large: floods are found late.
        freeze_time: Duration = Duration::from_millis(10), "Bedi et al. 2014, Table 2";
        /// Steps of `delta_i` that a flow may climb before it is trending and its rate decides. Too small: TCP flows are
        /// caught in one round trip. Too large: floods are found late.
        tolerance_factor: f64 = 3.0, "Bedi et al. 2014, Table 2", in 0.0..=1000000.0: "the tolerance cannot be negative";
        /// p_m of an innocent flow, and the least there is. Only its distance to `max_th` matters.
        min_th: f64 = 0.0, "Bedi et al. 2014, Table 2";
        /// p_m from which a flow is marked as malicious, and the most there is. Too small: a few signals in a row
        /// condemn. Too large: late detection, and late forgiveness.
        max_th: f64 = 1.0, "Bedi et al. 2014, Table 2";
        /// Time between removals of records whose flows have sent nothing in the meantime; they live one to two of it.
        /// Too small: a marked flow is forgotten in a pause. Too large: flows long gone count in `n`, and shares and the
        /// fair rate are too small for those that are left; 1 s to 60 s suit loads that change.
        prune_interval: Duration = Duration::from_secs(3600), "Bedi et al. 2014, Table 2", in "1 ms"..="1000 h": "all flows are looked at each time";
        /// Time over which the rate of a suspect is measured; no rate decides before the first is over. Too small: one
        /// burst of TCP looks like a flood. Too large: detection takes at least as long.
        bitrate_window: Duration = Duration::from_millis(250), "chosen so that the published UDP leakage (Table 6) comes out", in "1 us"..="1000 h": "rates are measured over it";
        /// What a signal does to packets that cannot be marked. With `pass` flows without ECN hear nothing until they are
        /// marked and lose everything; the paper's runs used it, with ECN on all TCP flows.
        non_ect: NonEct = NonEct::Drop, "Bedi et al. 2014 §1.2, §4.3.1";
        /// Mark ECN-capable packets. Without, all packets are treated as `non_ect` says.
        ecn: bool = true, "Bedi et al. 2014 §5";
        /// Which fields make a flow. `src_dst` pools parallel connections of a pair of hosts, and everyone behind one
        /// address translator.
        flow: FlowBy = FlowBy::SrcDst, "Bedi et al. 2014 §3.2";
        /// Capacity `C` that flows share: the fair rate is `C / n`. Below the link's: fair flows get marked. Above:
        /// floods up to that share are not. `"auto"`: the link's rate.
        rate: Option<Rate> = None, "Bedi et al. 2014 §3.2";
        /// Mean packet size: turns a `limit` in packets into the bytes that shares are made of.
        avpkt: Bytes = Bytes(1000), "Bedi et al. 2014 §5";
        /// Most flows remembered. Once there are as many, a new one takes the place of a flow without packets waiting:
        /// among sixteen the one unsuspected, then unmarked, then unheard for longest; where none can go, the new flow's
        /// packets are let in uncounted. Too small: records of suspects are lost. Too large: memory, about 100 B a flow.
        max_flows: u32 = 131_072, "Tailrace";
        /// How records are found. Decisions are the same; costs are in `docs/performance.md`.
        repository: Store = Store::Hash, "Bedi et al. 2014 §1.2 leaves the choice open";
        /// Order `t` of the B-tree: most children of a node. Too small: more levels. Too large: longer nodes to search
        /// and shift.
        order: u32 = 32, "Tailrace";
        /// Places in the Cache, a plain array for flows at `max_th`, searched before anything else. Too small: marked
        /// flows stay in the repository. Too large: every arrival of an innocent flow walks through it. `"auto"`:
        /// `order` (btree), none (hash).
        cache: Option<u32> = None, "Bedi et al. 2014 §4.1.1: as many as in a node";
        /// How the record of a departing packet is found. Only costs differ.
        departures: Departures = Departures::Remember, "Tailrace";
    }
}

const MOST_FLOWS: u32 = 1 << 24;
const MOST_ORDER: u32 = 1024;
const MOST_CACHE: u32 = 4096;

impl DfsConfig {
    /// `b` in bytes.
    fn buffer(&self) -> f64 {
        match self.limit {
            Limit::Packets(n) => n as f64 * self.avpkt.as_f64(),
            Limit::Bytes(b) => b.as_f64(),
        }
    }

    fn cache(&self) -> u32 {
        self.cache.unwrap_or(match self.repository {
            Store::Hash => 0,
            Store::Btree => self.order,
        })
    }

    fn rules(&self) -> Rules {
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

    fn validate_law(&self) -> Result<(), Invalid> {
        if self.min_th + self.tolerance_factor * self.delta_i >= self.max_th {
            return Err(("max_th", "must be above min_th + tolerance_factor * delta_i".into()));
        }
        Ok(())
    }
}

impl Discipline for DfsConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Signals flows above a fair share of the buffer that shrinks as it fills; who does not yield loses \
                  everything until its rate is fair.",
        citation: "Bedi, Roy and Shiva, Computer Communications 56, 2015 (online 2014)",
        ecn: "with `ecn` marks flows above their share; packets of marked flows are dropped",
        per_flow_state: "a record of 100 B for each flow seen in the last one or two `prune_interval`, at most `max_flows`",
    };
    const CLASSIFIES: bool = true;
    type Queue<P: Packet> = Dfs<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if self.avpkt == Bytes::ZERO {
            return Err(("avpkt", "the mean packet size cannot be zero".into()));
        }
        if self.rate.is_some_and(|r| r.as_bps() == 0) {
            return Err(("rate", "there is nothing to share; it must be above zero".into()));
        }
        let counts = [
            ("max_flows", self.max_flows, 1, MOST_FLOWS),
            ("order", self.order, 3, MOST_ORDER),
            ("cache", self.cache(), 0, MOST_CACHE),
        ];
        for (name, n, least, most) in counts {
            if !(least..=most).contains(&n) {
                return Err((name, format!("must be {least} to {most}, is {n}")));
            }
        }
        self.validate_law()
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Dfs<P> {
        let layout =
            Layout { store: self.repository, order: self.order, cache: self.cache(), most: self.max_flows };
        Dfs {
            fifo: VecDeque::new(),
            backlog: Backlog::default(),
            limit: self.limit,
            repository: Repository::new(&layout),
            share: FairShare::new(self.buffer(), self.beta.get()),
            rules: self.rules(),
            by: self.flow,
            rate: self.rate,
            link: *link,
            non_ect: self.non_ect,
            ecn: self.ecn,
            departures: self.departures,
            prune_interval: self.prune_interval,
            last_prune: Instant::ZERO,
            marked: 0,
        }
    }
}
