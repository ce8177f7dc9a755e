//! FQ: a queue for each connection, served fairly.
//!
//! Nagle, "On Packet Switches with Infinite Storage", RFC 970, 1985, and IEEE Transactions on Communications 35(4),
//! 1987; surveys of queue disciplines under attack call this FQ. The router has one queue for each connection and
//! serves them in turn, one packet each. A connection that sends too fast only fills its own queue, and loses what does
//! not fit there. It is fair in packets, not in bytes: connections with large packets get more.
//!
//! `service = "bit_by_bit"` is Demers, Keshav, Shenker, "Analysis and Simulation of a Fair Queueing Algorithm", SIGCOMM
//! 1989: packets leave in the order in which a router that sends one bit of each connection in turn would finish them.
//! `delta` favours connections that use less than their share. When the buffer is full, the connection that uses most
//! of it loses its last packet. `service = "ns2"` is ns-2's `queue/fq.cc`, which uses real time for the round.
//!
//! Choices: connections are distinguished exactly, not by a hash. The limit of a queue, which no source gives, is
//! ns-2's default for any queue. Differences: `limit` is the total, since no buffer is infinite, and except with
//! `bit_by_bit` the arriving packet is dropped. ns-2 has no such limit and at most 32 flows, whose numbers decide ties;
//! here the fields of the packet do.
//!
//! `form = "linux"` is Linux's `net/sched/sch_fq.c`, and the meaning of a tc line: deficit round robin in which new
//! flows are served first (`service = "surplus"`). A flow that returns soon keeps what it had left, and a full flow
//! loses its arrivals. Flows are distinguished by a hash of 1024 values, as in Linux for forwarded packets. What
//! concerns sockets of the same machine is left out: distinguishing them exactly, and holding packets back until their
//! departure times or by the rate of their socket (`maxrate` and `ce_threshold` are refused; `pacing`, `horizon` and
//! similar ones have no effect). Here a TCP paces by itself (`pacing` of its parameters).

mod tc;

use super::fq_codel::check_flows;
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::fair_queue::{Clock, FairQueue, FairSetup, Payer};
use crate::flow_hash::FlowBy;
use crate::flow_queue::{Credit, Emptied, FlowQueue, FlowSetup, Overflow, Separation, Service};
use crate::managed::NoLaw;
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet};

tailrace_core::choices! {
    /// Order of service.
    pub enum FqService {
        /// Connections take turns, with one packet in each turn.
        Packet = "packet",
        /// The packet goes first that would be finished first if connections took turns bit by bit.
        BitByBit = "bit_by_bit",
        /// The packet goes first that would be finished first if all connections shared the link equally from now on,
        /// as ns-2 computes it.
        Ns2 = "ns2",
        /// Connections take turns of `quantum` bytes; what the last packet of a turn takes beyond that is subtracted
        /// from the next turn. Connections that are new to the round go first.
        Surplus = "surplus",
    }
}

tailrace_core::choices! {
    /// Version of FQ: the defaults of all parameters that are `"auto"`.
    pub enum Form {
        /// RFC 970.
        Rfc = "rfc",
        /// Linux's `fq`, as far as it queues packets; it paces no senders here.
        Linux = "linux",
    }
}

tailrace_core::parameters! {
    /// Parameters of `fq`.
    pub struct FqConfig {
        /// Version of FQ. It sets the value of every parameter below that is `"auto"`. A `tc` line means Linux's.
        form: Form = Form::Rfc, "RFC 970";
        /// The most that may wait in the queues of all connections together; it also bounds how many connections are
        /// known. If it is too small, connections that come later find no room; a larger limit only costs memory.
        /// `"auto"`: 1000 packets (rfc), 10 000 (linux).
        limit: Option<Limit> = None, "Linux pfifo; Linux sch_fq";
        /// The most that may wait in the queue of one connection. If it is too small, bursts are lost; if it is too
        /// large, packets wait long behind others of their own connection. `"auto"`: 50 packets (rfc), 100 (linux);
        /// with `bit_by_bit` no limit but `limit`.
        flow_limit: Option<Limit> = None, "ns-2 Queue limit_; Demers et al. 1989; Linux sch_fq";
        /// Number of queues. A hash of its connection decides in which one a packet waits; connections with the same
        /// hash share a queue. `"auto"`: each connection has its own queue (rfc), 1024 (linux).
        flows: Option<u32> = None, "RFC 970; Linux sch_fq, orphan_mask";
        /// Header fields that tell connections apart: packets that agree in them belong to one connection.
        flow_by: FlowBy = FlowBy::FiveTuple, "RFC 970 (Nagle: src)";
        /// In which order connections are served. With `packet`, those with large packets get more bytes;
        /// `bit_by_bit` and `ns2` take more computing time. `"auto"`: packet (rfc), surplus (linux).
        service: Option<FqService> = None, "RFC 970; Linux sch_fq";
        /// With `surplus`: how many bytes a connection may send in its turn. If it is too small, many turns pass
        /// without a packet; if it is too large, each connection sends in long bursts.
        quantum: Bytes = Bytes(3028), "Linux sch_fq: two Ethernet frames";
        /// With `surplus`: how many bytes a connection may send in its first turn. If it is too small, a new
        /// connection waits in its first round trip; if it is too large, new connections send long bursts.
        initial_quantum: Bytes = Bytes(15_140), "Linux sch_fq: ten Ethernet frames";
        /// With `surplus`: a connection that had no packet for this long may send a quantum at once again. If it is
        /// too small, connections with pauses get more than their share.
        refill_delay: Duration = Duration::from_millis(40), "Linux sch_fq";
        /// With `bit_by_bit`: by how many bytes a connection that was idle may be ahead of the others. If it is too
        /// large, those that send in bursts go before those that send evenly.
        delta: Bytes = Bytes::ZERO, "Demers, Keshav, Shenker 1989";
    }
}

impl Discipline for FqConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Each connection has a queue; they are served in turn, by packets or by bits.",
        citation: "Nagle, RFC 970, 1985; Demers, Keshav, Shenker, SIGCOMM 1989",
        ecn: "ignored",
        per_flow_state: "a queue, while it holds packets",
    };
    const TC_KINDS: &'static [&'static str] = &["fq"];
    type Queue<P: Packet> = Fq<P>;

    fn validate(&self) -> Result<(), Invalid> {
        for (name, limit) in [("limit", self.limit), ("flow_limit", self.flow_limit)] {
            if matches!(limit, Some(Limit::Packets(0) | Limit::Bytes(Bytes(0)))) {
                return Err((name, "no packet could ever wait; the limit must be larger".into()));
            }
        }
        let tagged = matches!(self.service(), FqService::BitByBit | FqService::Ns2);
        if tagged && self.flows().is_some() {
            return Err(("flows", "connections are told apart exactly where they are served by tags".into()));
        }
        check_flows(self.limit(), self.flows().unwrap_or(1), self.quantum)
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Fq<P> {
        match self.service() {
            FqService::Packet | FqService::Surplus => Fq::Round(self.round()),
            FqService::BitByBit => Fq::Tags(self.tags(Clock::Fluid, Payer::Longest, link)),
            FqService::Ns2 => Fq::Tags(self.tags(Clock::Real, Payer::Arrival, link)),
        }
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        tc::read(words)
    }

    fn explicit(&self, _link: &LinkView) -> Self {
        Self {
            limit: Some(self.limit()),
            flow_limit: self.flow_limit(),
            flows: self.flows(),
            service: Some(self.service()),
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        (self.form == Form::Linux).then(|| tc::write(self))
    }
}

impl FqConfig {
    fn auto<T>(&self, set: Option<T>, rfc: T, linux: T) -> T {
        set.unwrap_or(if self.form == Form::Linux { linux } else { rfc })
    }

    fn limit(&self) -> Limit {
        self.auto(self.limit, Limit::Packets(1000), Limit::Packets(10_000))
    }

    fn service(&self) -> FqService {
        self.auto(self.service, FqService::Packet, FqService::Surplus)
    }

    /// `None` where connections are told apart exactly.
    fn flows(&self) -> Option<u32> {
        self.flows.or((self.form == Form::Linux && self.service() == FqService::Surplus).then_some(1024))
    }

    fn flow_limit(&self) -> Option<Limit> {
        let usual = self.auto(None, Limit::Packets(50), Limit::Packets(100));
        self.flow_limit.or((self.service() != FqService::BitByBit).then_some(usual))
    }

    fn round<P: Packet>(&self) -> FlowQueue<NoLaw, P> {
        // No more connections than packets: with as many chains, each is short.
        let packets = match self.limit() {
            Limit::Packets(n) => n,
            Limit::Bytes(b) => b.get() / 1000,
        };
        let setup = FlowSetup {
            limit: self.limit(),
            memory: Bytes(u64::MAX),
            flow_limit: self.flow_limit(),
            separation: match self.flows() {
                Some(flows) => Separation::Hashed(flows),
                None => Separation::Exact(packets.clamp(16, 1 << 16) as u32),
            },
            by: self.flow_by,
            service: if self.service() == FqService::Packet { Service::Packet } else { Service::Surplus },
            quantum: self.quantum,
            credit: Credit::Kept(self.refill_delay, self.initial_quantum),
            emptied: Emptied::StaysIfOld,
            overflow: Overflow::Arrival,
            ecn: false,
            ..FlowSetup::RFC8290
        };
        FlowQueue::new(setup, NoLaw)
    }

    fn tags<P: Packet>(&self, clock: Clock, payer: Payer, link: &LinkView) -> FairQueue<P> {
        FairQueue::new(FairSetup {
            limit: self.limit(),
            flow_limit: self.flow_limit(),
            by: Some(self.flow_by),
            clock,
            delta: self.delta.as_f64(),
            weights: [1.0; 8],
            payer,
            link: *link,
        })
    }
}

/// The discipline, in one of its forms.
#[derive(Debug)]
pub enum Fq<P> {
    /// A packet each in turn.
    Round(FlowQueue<NoLaw, P>),
    /// By tags.
    #[expect(private_interfaces, reason = "an option of the discipline, not a part to build with")]
    Tags(FairQueue<P>),
}

impl<P: Packet> QueueDiscipline<P> for Fq<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        match self {
            Self::Round(queue) => queue.enqueue(packet, cx),
            Self::Tags(queue) => queue.enqueue(packet, cx),
        }
    }
    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        match self {
            Self::Round(queue) => queue.dequeue(cx),
            Self::Tags(queue) => queue.dequeue(cx),
        }
    }
    fn backlog(&self) -> Backlog {
        match self {
            Self::Round(queue) => queue.backlog(),
            Self::Tags(queue) => queue.backlog(),
        }
    }
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        match self {
            Self::Round(queue) => queue.link_changed(link, cx),
            Self::Tags(queue) => queue.link_changed(link, cx),
        }
    }
    fn state_names(&self) -> &'static [&'static str] {
        match self {
            Self::Round(queue) => queue.state_names(),
            Self::Tags(queue) => queue.state_names(),
        }
    }
    fn state(&self, out: &mut [f64]) {
        match self {
            Self::Round(queue) => queue.state(out),
            Self::Tags(queue) => queue.state(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{DropReason, Duration, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

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
    fn in_linux_a_flow_that_comes_back_soon_has_what_it_had_left() {
        let config = FqConfig { form: Form::Linux, ..Default::default() };
        assert_eq!(config.validate(), Ok(()));
        // Number of packets of flow 1, which was away for a while, that go before the first of flow 0, whose turn is
        // under way.
        let ahead = |pause: u64| {
            let (mut rng, mut sink) = (Rng::new(1), Collector::default());
            let mut queue = config.build(&LINK);
            for flow in [1, 0] {
                let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
                for id in 0..if flow == 1 { 11 } else { 15 } {
                    queue.enqueue(TestPacket::new(id, flow, 1514), &mut cx);
                }
                // Ten frames are a first turn, two a quantum: each has one frame left of its second turn.
                for _ in 0..11 {
                    queue.dequeue(&mut cx);
                }
            }
            let mut cx = Cx { now: Instant::from_millis(pause), rng: &mut rng, sink: &mut sink };
            for id in 0..5 {
                queue.enqueue(TestPacket::new(id, 1, 1514), &mut cx);
            }
            std::iter::from_fn(|| queue.dequeue(&mut cx)).position(|(p, _)| p.flow.src == 0)
        };
        assert_eq!((ahead(10), ahead(100)), (Some(1), Some(2)));
    }
}
