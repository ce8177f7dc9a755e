//! FQ-COBALT: flow queueing with a COBALT for each flow.
//!
//! ns-3 `fq-cobalt-queue-disc.cc`; the core of CAKE (Høiland-Jørgensen, Täht, Morton, LANMAN 2018). It has the queues
//! and turns of [`fq_codel`](super::fq_codel), with [`cobalt`](super::cobalt) as law. So a flow that does not respond
//! gets a drop probability of its own.
//!
//! Choice: a drop at the limit is reported to the law of its flow, as in Linux `sch_cake.c`; ns-3 does not do this.
//! Differences: those of `cobalt`. CAKE's protection of a flow's last packet is left out, as in ns-3.

use super::cobalt::{Cobalt, CobaltConfig};
use super::fq_codel::check_flows;
use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::flow_queue::{End, FlowQueue, FlowSetup, Overflow, Separation};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability};

tailrace_core::parameters! {
    /// Parameters of `fq_cobalt`.
    pub struct FqCobaltConfig {
        /// The most that may wait in the queues of all flows together. If it is too small, packets are dropped for
        /// want of room instead of by the law.
        limit: Limit = Limit::Packets(10_240), "ns-3 FqCobaltQueueDisc";
        /// Number of queues. A hash of its flow decides in which one a packet waits. With too few, several flows share
        /// a queue, its turn and its law.
        flows: u32 = 1024, "ns-3 FqCobaltQueueDisc; CAKE";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow and share its queue.
        flow_by: FlowBy = FlowBy::FiveTuple, "ns-3 FqCobaltQueueDisc";
        /// Number of bytes that a flow may send in its turn. If it is too small, many turns pass without a packet; if
        /// it is too large, each flow sends in long bursts.
        quantum: Bytes = Bytes(1514), "CAKE: one Ethernet frame";
        /// The most packets that are dropped at once when the buffer is full. A small number costs computing time in
        /// a flood; a large one makes a flow lose many packets in a row.
        drop_batch: u32 = 64, "ns-3 FqCobaltQueueDisc";
        /// The waiting time in the queue that is acceptable: while packets wait no longer, none is dropped or marked.
        /// If it is too small, the link has nothing to send at times; if it is too large, packets always wait.
        target: Duration = Duration::from_millis(5), "ns-3 FqCobaltQueueDisc; CAKE";
        /// The time between the first drops or marks. It should be about the longest usual round-trip time. If it is
        /// too small, short bursts lose packets; if it is too large, the law reacts late.
        interval: Duration = Duration::from_millis(100), "ns-3 FqCobaltQueueDisc; CAKE", in "2 us"..="1000 s": "the times between drops or marks are fractions of it, and each takes computing time | a law so slow would never act";
        /// Whether ECN-capable packets are marked instead of dropped when CoDel's part of the law signals congestion.
        /// BLUE's part always drops.
        ecn: bool = true, "ns-3 FqCobaltQueueDisc; CAKE";
        /// By how much the drop probability of a flow rises when the buffer overflows and the flow has to lose
        /// packets. If it is too small, a flood fills the buffer; if it is too large, more is dropped than needed.
        increment: Probability = Probability::clamped(1.0 / 256.0), "ns-3 FqCobaltQueueDisc; CAKE";
        /// By how much a flow's drop probability falls when its queue is empty. If it is too small, drops go on after
        /// a flood; if it is too large, the flood comes back.
        decrement: Probability = Probability::clamped(1.0 / 4096.0), "ns-3 FqCobaltQueueDisc; CAKE";
        /// If packets of a flow wait longer than this, its drop probability rises even without an overflow. If it is
        /// too small, BLUE acts before CoDel can. `"auto"` turns this off.
        blue_threshold: Option<Duration> = Some(Duration::from_millis(400)), "ns-3 FqCobaltQueueDisc";
    }
}

impl Discipline for FqCobaltConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Serves flows in turn, those that send little first; each flow has a queue with COBALT.",
        citation: "Høiland-Jørgensen et al., LANMAN 2018; ns-3 FqCobaltQueueDisc",
        ecn: "CoDel's schedule marks instead of dropping with `ecn`; BLUE drops all alike",
        per_flow_state: "a queue, a deficit and COBALT's variables, shared by flows that collide",
    };
    type Queue<P: Packet> = FlowQueue<Cobalt, P>;

    fn validate(&self) -> Result<(), Invalid> {
        check_flows(self.limit, self.flows, self.quantum)?;
        if self.drop_batch == 0 {
            return Err(("drop_batch", "at least one packet must be dropped".into()));
        }
        self.cobalt().validate()
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> FlowQueue<Cobalt, P> {
        let setup = FlowSetup {
            limit: self.limit,
            memory: Bytes(u64::MAX),
            separation: Separation::Hashed(self.flows),
            by: self.flow_by,
            quantum: self.quantum,
            overflow: Overflow::Longest(End::Oldest, self.drop_batch),
            ecn: self.ecn,
            ..FlowSetup::RFC8290
        };
        FlowQueue::new(setup, Cobalt::new(&self.cobalt()))
    }
}

impl FqCobaltConfig {
    fn cobalt(&self) -> CobaltConfig {
        CobaltConfig {
            target: self.target,
            interval: self.interval,
            increment: self.increment,
            decrement: self.decrement,
            blue_threshold: self.blue_threshold,
            ..CobaltConfig::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{DropReason, Ecn, Instant, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    #[test]
    fn a_flood_meets_its_own_probability_and_leaves_others_alone() {
        // Service is a packet a millisecond; the flood offers ten and does not respond, flow 1 a fifth of one.
        let config = FqCobaltConfig { limit: Limit::Packets(500), ..Default::default() };
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = config.build(&LINK);
        let mut delivered = [0u32; 2];
        for ms in 0..20_000u64 {
            let now = Instant::from_millis(ms);
            let mut cx = Cx { now, rng: &mut rng, sink: &mut sink };
            for k in 0..10 {
                let packet = TestPacket::new(ms * 100 + k, 0, 1000).with_ecn(Ecn::Ect0);
                queue.enqueue(packet, &mut cx);
            }
            if ms % 5 == 0 {
                queue.enqueue(TestPacket::new(ms * 100 + 50, 1, 1000), &mut cx);
            }
            if let Some((p, _)) = queue.dequeue(&mut cx) {
                delivered[p.flow.src as usize] += 1;
            }
        }
        assert_eq!(delivered[1], 4_000);
        assert!(sink.dropped.iter().all(|(p, ..)| p.flow.src == 0));
        // ECN-capable as it is, the flood is dropped by BLUE, which ends most overflows.
        let by_blue = sink.dropped.iter().filter(|(_, why, _)| *why == DropReason::Aqm).count();
        assert!(by_blue > sink.dropped.len() / 2, "{by_blue} of {}", sink.dropped.len());
    }

    #[test]
    fn flows_are_shed_as_fq_codel_sheds_them() {
        // ns-3 fq-cobalt-queue-disc-test-suite: limit 4 packets of 100 B; three of A, one of B; a second B.
        let config = FqCobaltConfig { limit: Limit::Packets(4), ..Default::default() };
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = config.build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for (id, flow) in [0, 0, 0, 1, 1].into_iter().enumerate() {
            queue.enqueue(TestPacket::new(id as u64, flow, 100), &mut cx);
        }
        assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(queue.backlog().packets, 3);
    }
}
