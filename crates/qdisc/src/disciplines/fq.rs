//! FQ: a queue for each connection, served in turn.
//!
//! Nagle, "On Packet Switches with Infinite Storage", RFC 970, 1985, and IEEE Transactions on Communications 35(4),
//! 1987; what the surveys of queue disciplines under attack call FQ. The router serves the queues of its connections
//! cyclically, a packet each; a connection that sends too fast fills its own queue only, and what does not fit there
//! is dropped. It is fair in packets, not in bytes: who sends large ones gets more.
//!
//! Readings: connections are told apart exactly, not by a hash; a queue's limit, which no source gives, is ns-2's
//! default for any queue. Departure: `limit` bounds the whole, with the drop of the arrival, as no buffer is
//! infinite. Linux's `fq` is another discipline (pacing); a tc line with that name is refused.

use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::flow_queue::{FlowQueue, FlowSetup, Overflow, Separation, Service};
use crate::managed::NoLaw;
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcWords};
use tailrace_core::{Bytes, Limit, Packet};

tailrace_core::parameters! {
    /// Parameters of `fq`.
    pub struct FqConfig {
        /// Most that may wait in all queues together; also bounds how many connections are known. Too small: who
        /// comes late finds no room. Too large: only memory.
        limit: Limit = Limit::Packets(1000), "Linux pfifo";
        /// Most that may wait in one connection's queue. Too small: bursts are lost. Too large: long waits behind
        /// oneself.
        flow_limit: Limit = Limit::Packets(50), "ns-2 Queue limit_";
        /// Which fields of a packet make its connection.
        flow_by: FlowBy = FlowBy::FiveTuple, "RFC 970 (Nagle: src)";
    }
}

impl Discipline for FqConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Serves a queue for each connection in turn, a packet each.",
        citation: "Nagle, RFC 970, 1985; IEEE Transactions on Communications 35(4), 1987",
        ecn: "ignored",
        per_flow_state: "a queue, while it holds packets",
    };
    const TC_KINDS: &'static [&'static str] = &["fq"];
    type Queue<P: Packet> = FlowQueue<NoLaw, P>;

    fn validate(&self) -> Result<(), Invalid> {
        for (name, limit) in [("limit", self.limit), ("flow_limit", self.flow_limit)] {
            if matches!(limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
                return Err((name, "no packet could ever wait; the limit must be larger".into()));
            }
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> FlowQueue<NoLaw, P> {
        // No more connections than packets: with as many chains, each is short.
        let packets = match self.limit {
            Limit::Packets(n) => n,
            Limit::Bytes(b) => b.get() / 1000,
        };
        let setup = FlowSetup {
            limit: self.limit,
            memory: Bytes(u64::MAX),
            flow_limit: Some(self.flow_limit),
            separation: Separation::Exact(packets.clamp(16, 1 << 16) as u32),
            by: self.flow_by,
            service: Service::Packet,
            overflow: Overflow::Arrival,
            ecn: false,
            ..FlowSetup::RFC8290
        };
        FlowQueue::new(setup, NoLaw)
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        Err(words.error("the fq of tc paces senders and is another discipline; it is not supported"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{DropReason, Duration, Instant, Rate, Rng};

    const LINK: LinkView = LinkView { rate: Rate::from_mbit(10), delay: Duration::ZERO };

    #[test]
    fn a_connection_that_is_too_fast_fills_its_own_queue_only() {
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = FqConfig::default().build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..500 {
            queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
            if id % 10 == 0 {
                queue.enqueue(TestPacket::new(1000 + id, 1, 1000), &mut cx);
            }
        }
        // 50 of 500 of the one, all 50 of the other.
        assert_eq!(queue.backlog().packets, 100);
        let flows: Vec<u32> =
            std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(p, _)| p.flow.src).collect();
        assert!(flows.chunks(2).all(|turns| turns == [0, 1]), "{flows:?}");
        assert_eq!(sink.dropped.len(), 450);
        assert!(sink.dropped.iter().all(|(p, why, _)| p.flow.src == 0 && *why == DropReason::Overlimit));
    }

    #[test]
    fn bytes_go_in_proportion_to_packet_sizes() {
        // Nagle 1987: a packet a turn, so 1500 against 500 bytes is three to one.
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = FqConfig::default().build(&LINK);
        let mut bytes = [0u64; 2];
        for id in 0..4000 {
            let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
            queue.enqueue(TestPacket::new(id, 0, 1500), &mut cx);
            queue.enqueue(TestPacket::new(id, 1, 500), &mut cx);
            let (p, _) = queue.dequeue(&mut cx).expect("backlogged");
            bytes[p.flow.src as usize] += p.size.get();
        }
        assert_eq!(bytes, [3_000_000, 1_000_000]);
    }

    #[test]
    fn a_newcomer_waits_for_a_round_at_most() {
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = FqConfig::default().build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for flow in 0..10 {
            for id in 0..20 {
                queue.enqueue(TestPacket::new(id, flow, 1000), &mut cx);
            }
        }
        queue.dequeue(&mut cx);
        queue.enqueue(TestPacket::new(0, 99, 1000), &mut cx);
        let order: Vec<u32> =
            std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(p, _)| p.flow.src).take(11).collect();
        assert_eq!(order, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 99]);
    }

    #[test]
    fn the_fq_of_tc_is_refused_by_name() {
        let mut words = TcWords::new("fq limit 100");
        words.next_word();
        let e = FqConfig::from_tc("fq", &mut words).unwrap_err();
        assert_eq!((e.offset, e.len), (0, 2));
        assert!(e.message.contains("paces"), "{}", e.message);
    }
}
