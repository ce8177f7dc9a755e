//! The discipline: drops now and then where the queue is long.
//!
//! It is what a file in `crates/qdisc/src/disciplines` is: parameters, a description, a law. Moved there, with a line in
//! the table, it would be a registered one.

use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Probability, Rng, parameters};
use tailrace_qdisc::managed::DropEnd;
use tailrace_qdisc::registry::{About, Invalid};
use tailrace_qdisc::{Aqm, Backlog, Discipline, LinkView, Managed, Verdict};

parameters! {
    /// Parameters of `gentle`.
    pub struct GentleConfig {
        /// The most that may wait in the queue.
        limit: Limit = Limit::Packets(1000), "own design";
        /// The waiting time from which packets are dropped. If it is too small, the link has nothing to send at times; if it is
        /// too large, packets always wait.
        long: Duration = Duration::from_millis(20), "own design";
        /// The share of them that is dropped. If it is too small, no sender notices; if it is too large, bursts are lost.
        share: Probability = Probability::clamped(0.02), "own design";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = false, "own design";
    }
}

impl Discipline for GentleConfig {
    const ABOUT: About = About {
        family: "delay",
        summary: "Drops a share of the packets that waited for long.",
        citation: "own design",
        ecn: "marks instead of dropping with `ecn`",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Gentle, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if self.share == Probability::ZERO {
            return Err(("share", "nothing would ever be dropped; it must be larger".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Managed<Gentle, P> {
        let law = Gentle { long: self.long, share: self.share };
        Managed::new(self.limit, self.ecn, DropEnd::Tail, law)
    }
}

/// The law.
#[derive(Clone, Debug)]
pub struct Gentle {
    long: Duration,
    share: Probability,
}

impl Aqm for Gentle {
    fn on_dequeue(
        &mut self,
        _size: Bytes,
        sojourn: Duration,
        _backlog: Backlog,
        _now: Instant,
        rng: &mut Rng,
    ) -> Verdict {
        if sojourn > self.long && rng.bernoulli(self.share.get()) { Verdict::Signal } else { Verdict::Pass }
    }
}
