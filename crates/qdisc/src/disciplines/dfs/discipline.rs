//! `dfs` as a registered discipline: description, checks, queue, tc.

use super::Dfs;
use super::config::{DfsConfig, MOST_CACHE, MOST_FLOWS, MOST_ORDER};
use super::fair_share::FairShare;
use super::repository::{Layout, Repository};
use crate::discipline::{Backlog, LinkView};
use crate::registry::{About, Discipline, Invalid};
use std::collections::VecDeque;
use tailrace_core::{Bytes, Instant, Limit, Packet};

impl Discipline for DfsConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Signals flows that have more than a fair share of the buffer; a flow that does not slow down loses everything until its rate is fair.",
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
