//! FQ-CoDel-LIFO: flow queueing with a stack for each flow.
//!
//! Felix da Silva, Santos, Nogueira, "A New Queue Discipline for Reducing Bufferbloat Effects in HetNet Concurrent
//! Multipath Transfer". It has the queues and turns of [`fq_codel`](super::fq_codel); each queue is a stack under
//! [`codel_lifo`](super::codel_lifo) with statistics of its own.
//!
//! Choices: when the buffer is full, the stack with most bytes loses packets from its bottom, the oldest ones. A flow
//! is a five-tuple, so each subflow has its own stack. The paper finds results close to those of a single stack,
//! because both subflows used the same queue; `flow_by = "dst"` puts them there. Packets of a flow leave out of order.

use super::codel_lifo::{CodelLifo, CodelLifoConfig, Form};
use super::fq_codel::check_flows;
use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::flow_queue::{End, FlowQueue, FlowSetup, Overflow, Separation};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, Duration, Limit, Packet};

tailrace_core::parameters! {
    /// Parameters of `fq_codel_lifo`.
    pub struct FqCodelLifoConfig {
        /// Version of CoDel-LIFO: what the paper's text says, or what its authors' code does.
        form: Form = Form::Paper, "Felix da Silva et al.";
        /// The most that may wait in the queues of all flows together. If it is too small, packets are dropped for
        /// want of room instead of by the law.
        limit: Limit = Limit::Packets(10_240), "RFC 8290 §5.2.1";
        /// Number of stacks. A hash of its flow decides in which one a packet waits. With too few, several flows share
        /// a stack, its turn and its law.
        flows: u32 = 1024, "RFC 8290 §5.2.4";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow and share its queue.
        flow_by: FlowBy = FlowBy::FiveTuple, "RFC 8290 §4.1.1";
        /// Number of bytes that a flow may send in its turn. If it is too small, many turns pass without a packet; if
        /// it is too large, each flow sends in long bursts.
        quantum: Bytes = Bytes(1514), "RFC 8290 §5.2.5";
        /// The most packets that are dropped at once when the buffer is full. A small number costs computing time in
        /// a flood; a large one makes a flow lose many packets in a row.
        drop_batch: u32 = 64, "RFC 8290 §4.1.3";
        /// The waiting time in the queue that is acceptable: while packets wait no longer, none is dropped. If it is
        /// too small, every packet counts as late; if it is too large, the law never acts.
        target: Duration = Duration::from_millis(5), "Felix da Silva et al. (tau)";
        /// Time for which packets must have waited longer than `target` before the first one is dropped. If it is too
        /// small, short bursts lose packets; if it is too large, the law reacts late.
        interval: Duration = Duration::from_millis(100), "Felix da Silva et al. (lambda)", in "2 us"..="1000 s": "the times between drops or marks are fractions of it, and each takes computing time | a law so slow would never act";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "Felix da Silva et al. (no ECN)";
        /// While no more bytes of the flow than this wait, nothing is dropped or marked. If it is too large, a queue
        /// of that size stays for ever. `"auto"` is the flow's largest packet so far, at least 512 bytes.
        maxpacket: Option<Bytes> = None, "RFC 8289 §5.5";
        /// Whether the count of drops starts again from zero as soon as a packet has waited less than `target` (with
        /// `form = "paper"` only).
        literal_reset: bool = false, "RFC 8289 §5.4 (the text: true)";
    }
}

impl Discipline for FqCodelLifoConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Serves flows in turn; each flow has a stack with CoDel-LIFO.",
        citation: "Felix da Silva, Santos, Nogueira: A New Queue Discipline for Reducing Bufferbloat Effects",
        ecn: "marks instead of dropping with `ecn`",
        per_flow_state: "a stack, a deficit, CoDel's variables and sojourn statistics, shared by flows that collide",
    };
    type Queue<P: Packet> = FlowQueue<CodelLifo, P>;

    fn validate(&self) -> Result<(), Invalid> {
        check_flows(self.limit, self.flows, self.quantum)?;
        if self.drop_batch == 0 {
            return Err(("drop_batch", "at least one packet must be dropped".into()));
        }
        self.codel_lifo().validate()
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> FlowQueue<CodelLifo, P> {
        let setup = FlowSetup {
            limit: self.limit,
            memory: Bytes(u64::MAX),
            separation: Separation::Hashed(self.flows),
            by: self.flow_by,
            quantum: self.quantum,
            serve: End::Newest,
            overflow: Overflow::Longest(End::Oldest, self.drop_batch),
            ecn: self.ecn,
            ..FlowSetup::RFC8290
        };
        FlowQueue::new(setup, CodelLifo::new(&self.codel_lifo()))
    }
}

impl FqCodelLifoConfig {
    fn codel_lifo(&self) -> CodelLifoConfig {
        CodelLifoConfig {
            form: self.form,
            target: self.target,
            interval: self.interval,
            maxpacket: self.maxpacket,
            literal_reset: self.literal_reset,
            ..CodelLifoConfig::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{FlowKey, Instant, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    /// Offers packets of these flows at once, then takes all; the ids that left, and those dropped.
    fn run(config: &FqCodelLifoConfig, flows: &[u32]) -> (Vec<u64>, Vec<u64>) {
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = config.build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for (id, flow) in flows.iter().enumerate() {
            queue.enqueue(TestPacket::new(id as u64, *flow, 1514), &mut cx);
        }
        let out = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(p, _)| p.id).collect();
        (out, sink.dropped.iter().map(|(p, ..)| p.id).collect())
    }

    #[test]
    fn flows_take_turns_and_each_gives_its_newest() {
        let (out, _) = run(&FqCodelLifoConfig::default(), &[1, 1, 1, 2, 2]);
        assert_eq!(out, [2, 4, 1, 3, 0]);
    }

    #[test]
    fn a_full_buffer_takes_the_bottom_of_the_fattest_stack() {
        let config = FqCodelLifoConfig { limit: Limit::Packets(4), ..Default::default() };
        let (out, dropped) = run(&config, &[1, 1, 1, 2, 2]);
        assert_eq!((out, dropped), (vec![2, 4, 3], vec![0, 1]));
    }

    #[test]
    fn subflows_to_one_host_share_a_stack_if_asked() {
        let to_one_host =
            |port| FlowKey { src: u32::from(port), dst: 9, src_port: port, dst_port: 80, protocol: 6 };
        for (flow_by, expected) in [(FlowBy::FiveTuple, [1, 3, 0, 2]), (FlowBy::Dst, [3, 2, 1, 0])] {
            let config = FqCodelLifoConfig { flow_by, ..Default::default() };
            let (mut rng, mut sink) = (Rng::new(1), Collector::<TestPacket>::default());
            let mut queue = config.build(&LINK);
            let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
            for (id, port) in [(0, 1), (1, 1), (2, 2), (3, 2)] {
                let packet = TestPacket { flow: to_one_host(port), ..TestPacket::new(id, 0, 1514) };
                queue.enqueue(packet, &mut cx);
            }
            let out: Vec<u64> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(p, _)| p.id).collect();
            assert_eq!(out, expected, "{flow_by:?}");
        }
    }
}
