//! WFQ: weighted fair queueing.
//!
//! Parekh, Gallager, IEEE/ACM Transactions on Networking 1(3), 1993 (packet-by-packet generalized processor sharing);
//! Demers, Keshav, Shenker, SIGCOMM 1989; Golestani, INFOCOM 1994 (`scfq`); Goyal, Vin, Cheng, SIGCOMM 1996 (`stfq`).
//! Flows are served as if each had its share of the link, by weight, at every instant. Packets leave in the order in
//! which such a fluid system would finish them, and later than there by at most the transmission time of the largest
//! packet. `scfq` and `stfq` take the virtual time from the packet in service instead of computing the fluid system.
//!
//! Choices: flows are distinguished exactly. In a tie, the packet that arrived first is sent first. When the buffer is
//! full, the last packet of the flow with most bytes is dropped (Demers et al.) and removed from the fluid system.
//! Weights are given for the eight classes of the upper three bits of the DiffServ codepoint; as long as a flow is
//! known, it has the weight of its first packet. Neither Linux nor ns-2 has WFQ.

use crate::discipline::LinkView;
use crate::discipline::{Backlog, Cx, QueueDiscipline};
use crate::fair_queue::{Clock, FairQueue, FairSetup, Payer, Weights};
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, Instant, Limit, Packet};

tailrace_core::choices! {
    /// Reading of the virtual clock.
    pub enum WfqClock {
        /// Exactly the round of the ideal system that serves all flows at once, bit by bit.
        Pgps = "pgps",
        /// The finish tag of the packet that is being sent.
        Scfq = "scfq",
        /// The start tag of the packet that is being sent; packets are sent in the order of their start tags.
        Stfq = "stfq",
    }
}

tailrace_core::choices! {
    /// The packet that is dropped when the buffer is full.
    pub enum WfqOverflow {
        /// The newest packets of the flow with most bytes, until the arriving one fits.
        Longest = "longest",
        /// The arriving packet.
        Arrival = "arrival",
    }
}

tailrace_core::choices! {
    /// Owner of a share.
    pub enum WfqShares {
        /// Each flow has a share.
        Flow = "flow",
        /// Each class has a share, whatever its number of flows.
        Class = "class",
    }
}

tailrace_core::parameters! {
    /// Parameters of `wfq`.
    pub struct WfqConfig {
        /// The most that may wait in the queues of all flows together. If it is too small, flows that come later find
        /// no room; a larger limit only costs memory.
        limit: Limit = Limit::Packets(1000), "Linux pfifo";
        /// The most that may wait in the queue of one flow. If it is too small, bursts are lost. `"auto"` turns this
        /// off.
        flow_limit: Option<Limit> = None, "Demers et al. 1989 have none";
        /// Rule of the virtual clock, which decides the order of packets. `scfq` and `stfq` take less computing time;
        /// with `scfq`, a flow that was idle may wait for one packet of every other flow.
        clock: WfqClock = WfqClock::Pgps, "Parekh, Gallager 1993";
        /// The packet that is dropped when the buffer is full. With `arrival`, a flood takes the whole buffer.
        overflow: WfqOverflow = WfqOverflow::Longest, "Demers, Keshav, Shenker 1989";
        /// Owner of a share of the link: a flow or a class. With `class`, all flows of a class wait in one queue.
        shares: WfqShares = WfqShares::Flow, "Parekh, Gallager 1993";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow and share its queue.
        flow_by: FlowBy = FlowBy::FiveTuple, "Demers et al. 1989 (src_dst)";
        /// The weight of packets with codepoints CS0 to 7, best effort among them. A flow with twice the weight of
        /// another gets twice its share.
        weight_cs0: f64 = 1.0, "equal";
        /// The weight of packets with codepoints CS1 to 15.
        weight_cs1: f64 = 1.0, "equal";
        /// The weight of packets with codepoints CS2 to 23.
        weight_cs2: f64 = 1.0, "equal";
        /// The weight of packets with codepoints CS3 to 31.
        weight_cs3: f64 = 1.0, "equal";
        /// The weight of packets with codepoints CS4 to 39.
        weight_cs4: f64 = 1.0, "equal";
        /// The weight of packets with codepoints CS5 to 47, expedited forwarding among them.
        weight_cs5: f64 = 1.0, "equal";
        /// The weight of packets with codepoints CS6 to 55.
        weight_cs6: f64 = 1.0, "equal";
        /// The weight of packets with codepoints CS7 to 63.
        weight_cs7: f64 = 1.0, "equal";
    }
}

/// Weights beyond these lose their digits in the clock.
const WEIGHTS: core::ops::RangeInclusive<f64> = 1e-3..=1e3;

impl WfqConfig {
    fn weights(&self) -> Weights {
        [
            self.weight_cs0,
            self.weight_cs1,
            self.weight_cs2,
            self.weight_cs3,
            self.weight_cs4,
            self.weight_cs5,
            self.weight_cs6,
            self.weight_cs7,
        ]
    }
}

impl Discipline for WfqConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Gives each flow a share of the link by its weight, as if all were served at the same time.",
        citation: "Parekh, Gallager, IEEE/ACM ToN 1(3), 1993; Demers, Keshav, Shenker, SIGCOMM 1989",
        ecn: "ignored",
        per_flow_state: "a queue, a weight and a tag, while it holds packets or its tag is ahead of the clock",
    };
    type Queue<P: Packet> = Wfq<P>;

    fn validate(&self) -> Result<(), Invalid> {
        for (name, limit) in [("limit", Some(self.limit)), ("flow_limit", self.flow_limit)] {
            if matches!(limit, Some(Limit::Packets(0) | Limit::Bytes(Bytes(0)))) {
                return Err((name, "no packet could ever wait; the limit must be larger".into()));
            }
        }
        const NAMES: [&str; 8] = [
            "weight_cs0",
            "weight_cs1",
            "weight_cs2",
            "weight_cs3",
            "weight_cs4",
            "weight_cs5",
            "weight_cs6",
            "weight_cs7",
        ];
        for (name, weight) in NAMES.into_iter().zip(self.weights()) {
            if !WEIGHTS.contains(&weight) {
                return Err((name, format!("must be 0.001 to 1000, is {weight}")));
            }
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Wfq<P> {
        Wfq(FairQueue::new(FairSetup {
            limit: self.limit,
            flow_limit: self.flow_limit,
            by: (self.shares == WfqShares::Flow).then_some(self.flow_by),
            clock: match self.clock {
                WfqClock::Pgps => Clock::Fluid,
                WfqClock::Scfq => Clock::Finish,
                WfqClock::Stfq => Clock::Start,
            },
            delta: 0.0,
            weights: self.weights(),
            payer: match self.overflow {
                WfqOverflow::Longest => Payer::Longest,
                WfqOverflow::Arrival => Payer::Arrival,
            },
            link: *link,
        }))
    }
}

/// The discipline.
#[derive(Debug)]
pub struct Wfq<P>(FairQueue<P>);

impl<P: Packet> QueueDiscipline<P> for Wfq<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.0.enqueue(packet, cx);
    }
    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.0.dequeue(cx)
    }
    fn backlog(&self) -> Backlog {
        self.0.backlog()
    }
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.0.link_changed(link, cx);
    }
    fn state_names(&self) -> &'static [&'static str] {
        self.0.state_names()
    }
    fn state(&self, out: &mut [f64]) {
        self.0.state(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_weights_and_limits_are_named() {
        let base = WfqConfig::default;
        assert_eq!(WfqConfig { weight_cs5: 0.0, ..base() }.validate().unwrap_err().0, "weight_cs5");
        assert_eq!(WfqConfig { weight_cs0: 1e9, ..base() }.validate().unwrap_err().0, "weight_cs0");
        let limit = Some(Limit::Packets(0));
        assert_eq!(WfqConfig { flow_limit: limit, ..base() }.validate().unwrap_err().0, "flow_limit");
    }
}
