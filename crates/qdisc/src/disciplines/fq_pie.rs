//! FQ-PIE: flow queueing with a PIE for each flow.
//!
//! Linux `sch_fq_pie.c`; Ramakrishnan et al., "FQ-PIE Queue Discipline in the Linux Kernel: Design, Implementation and
//! Challenges", LCN 2019. It has the queues and turns of [`fq_codel`](super::fq_codel), with [`pie`](super::pie) as
//! law: arrivals of a flow are signalled according to the delay of its own queue, and PIE's test for a small backlog
//! also looks at that queue only.
//!
//! Choices: when the buffer is full, Linux drops the arriving packet; `overflow = "longest"` is ns-3's behaviour, as in
//! `fq_codel`. The probabilities of all flows are updated at once, including those of empty ones, which would otherwise
//! keep theirs (Linux updates 2048 per tick). Differences: those of `pie`. `memory_limit` is enforced, except with
//! `form = "linux"`: Linux 6.1 counts packets beyond it, but admits them.

use super::fq_codel::{TC_FLOWS, check_flows, check_overflow};
use super::pie::{DelayFrom, Form, Pie, PieConfig, sixteenths};
use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::flow_queue::{End, FlowQueue, FlowSetup, Overflow, Separation};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability};

tailrace_core::choices! {
    /// The flow that loses a packet when the buffer is full.
    pub enum Victim {
        /// The arriving packet.
        Arrival = "arrival",
        /// The oldest packets of the flow with most bytes.
        Longest = "longest",
    }
}

tailrace_core::parameters! {
    /// Parameters of `fq_pie`.
    pub struct FqPieConfig {
        /// Version of PIE, where versions differ. It sets the value of every parameter below that is `"auto"`. A `tc`
        /// line means Linux's.
        form: Form = Form::Rfc, "RFC 8033";
        /// The most that may wait in the queues of all flows together. If it is too small, packets are dropped for
        /// want of room instead of by the law.
        limit: Limit = Limit::Packets(10_240), "Linux sch_fq_pie";
        /// Memory that waiting packets may take, in addition to `limit`. A full packet counts as about 2304 bytes.
        /// With `form = "linux"` it has no effect, as Linux only counts it. If it is too small, packets are dropped
        /// for want of room.
        memory_limit: Bytes = Bytes(32 << 20), "Linux sch_fq_pie (32 MB)";
        /// Number of queues. A hash of its flow decides in which one a packet waits. With too few, several flows share
        /// a queue, its turn and its PIE.
        flows: u32 = 1024, "Linux sch_fq_pie";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow and share its queue.
        flow_by: FlowBy = FlowBy::FiveTuple, "Linux sch_fq_pie";
        /// Number of bytes that a flow may send in its turn. If it is too small, many turns pass without a packet; if
        /// it is too large, each flow sends in long bursts.
        quantum: Bytes = Bytes(1514), "Linux sch_fq_pie: one Ethernet frame";
        /// The packet that is dropped when the buffer is full.
        overflow: Victim = Victim::Arrival, "Linux sch_fq_pie (ns-3: longest)";
        /// With `overflow = "longest"`: the most packets that are dropped at once when the buffer is full. A small
        /// number costs computing time in a flood; a large one makes a flow lose many packets in a row.
        drop_batch: u32 = 64, "ns-3 FqPieQueueDisc";
        /// The waiting time that each flow's controller steers towards. If it is too small, the link has nothing to
        /// send at times; if it is too large, packets wait longer than they need to.
        target: Duration = Duration::from_millis(15), "RFC 8033 §5.1, QDELAY_REF";
        /// The time between two updates of the probabilities. If it is too small, they follow every short variation
        /// of the queues; if it is too large, they react late.
        tupdate: Duration = Duration::from_millis(15), "RFC 8033 §5.1, T_UPDATE", in "10 us"..="1000 s": "each update takes computing time | so rare an update follows nothing";
        /// Change of the probability for each second that the delay is away from `target`, per update. A larger value
        /// reacts faster; if it is too large, the delay swings up and down.
        alpha: f64 = 0.125, "RFC 8033 §4.2", in 0.0..=1000000.0: "it would drive the delay away from the target, as it has the wrong sign | it would overshoot with each update";
        /// Change of the probability for each second by which the delay has grown or shrunk since the last update. If
        /// it is too small, the delay overshoots; if it is too large, short variations are amplified.
        beta: f64 = 1.25, "RFC 8033 §4.2", in 0.0..=1000000.0: "it would drive the delay away from the target, as it has the wrong sign | it would overshoot with each update";
        /// For how long at the start of a burst of a flow no packet is dropped or marked. If it is too large, floods
        /// get in at first.
        max_burst: Duration = Duration::from_millis(150), "RFC 8033 §5.1, MAX_BURST";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "Linux sch_fq_pie";
        /// Above this probability ECN-capable packets are dropped like others, not marked. If it is too large, a
        /// flood of ECN-capable packets cannot be held back.
        mark_ecnth: Probability = Probability::clamped(0.1), "Linux sch_fq_pie, ecn_prob";
        /// While no more than two packets of this size wait in the flow, nothing is dropped or marked. It is also the
        /// size that `bytemode` compares with. `"auto"`: 1000 bytes (rfc), 1514 (linux).
        mean_pktsize: Option<Bytes> = None, "ns-3 MeanPktSize; Linux: the device's MTU";
        /// Whether large packets are dropped or marked more often than small ones, in proportion to their size over
        /// `mean_pktsize`. RFC 7141 advises against it.
        bytemode: bool = false, "RFC 7141; Linux sch_fq_pie";
        /// Whether drops and marks are spread evenly. The probabilities of packets are added up since the last one:
        /// below a sum of 0.85 none follows, and from 8.5 on the next packet is hit.
        derandomize: bool = true, "RFC 8033 §5.4; Linux";
        /// Measurement of the waiting time.
        delay_from: DelayFrom = DelayFrom::Timestamps, "Linux sch_fq_pie";
    }
}

impl Discipline for FqPieConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Serves flows in turn, those that send little first; each flow has a queue with PIE.",
        citation: "Ramakrishnan et al., LCN 2019; Linux sch_fq_pie",
        ecn: "with `ecn` marks while the flow's probability is at most `mark_ecnth`, else drops",
        per_flow_state: "a queue, a deficit and PIE's variables, shared by flows that collide",
    };
    const TC_KINDS: &'static [&'static str] = &["fq_pie"];
    type Queue<P: Packet> = FlowQueue<Pie, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if self.form == Form::Docsis {
            return Err((
                "form",
                "docsis starts where a third of the buffer is full, and a flow has none".into(),
            ));
        }
        check_flows(self.limit, self.flows, self.quantum)?;
        check_overflow(self.memory_limit, self.drop_batch)?;
        self.pie().validate()
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> FlowQueue<Pie, P> {
        let setup = FlowSetup {
            limit: self.limit,
            memory: if self.form == Form::Linux { Bytes(u64::MAX) } else { self.memory_limit },
            separation: Separation::Hashed(self.flows),
            by: self.flow_by,
            quantum: self.quantum,
            overflow: match self.overflow {
                Victim::Arrival => Overflow::Arrival,
                Victim::Longest => Overflow::Longest(End::Oldest, self.drop_batch),
            },
            ecn: self.ecn,
            ..FlowSetup::RFC8290
        };
        FlowQueue::new(setup, Pie::new(&self.pie()))
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        // tc configures Linux\'s; see `pie`.
        let mut config = Self { form: Form::Linux, ..Self::default() };
        while let Some(word) = words.next_word() {
            match word {
                "limit" => config.limit = Limit::Packets(words.count()?),
                "flows" => config.flows = words.count32()?,
                "quantum" => config.quantum = words.size()?,
                "memory_limit" => config.memory_limit = words.size()?,
                "target" => config.target = words.time()?,
                "tupdate" => config.tupdate = words.time()?,
                // tc counts both in sixteenths, and this in hundredths.
                "alpha" => config.alpha = f64::from(words.count32()?) / 16.0,
                "beta" => config.beta = f64::from(words.count32()?) / 16.0,
                "ecn_prob" => config.mark_ecnth = percent(words)?,
                "ecn" => config.ecn = true,
                "noecn" => config.ecn = false,
                "bytemode" => config.bytemode = true,
                "nobytemode" => config.bytemode = false,
                "dq_rate_estimator" => config.delay_from = DelayFrom::Rate,
                "no_dq_rate_estimator" => config.delay_from = DelayFrom::Timestamps,
                _ => return Err(words.unknown(&TC_WORDS)),
            }
        }
        Ok(config)
    }

    fn explicit(&self, _link: &LinkView) -> Self {
        Self { mean_pktsize: Some(self.pie().mean_pktsize()), ..self.clone() }
    }

    fn to_tc(&self) -> Option<TcLine> {
        Some(
            TcLine::new("fq_pie")
                .packets("limit", self.limit)
                .count("flows", u64::from(self.flows.min(TC_FLOWS)))
                .size("quantum", self.quantum)
                .size("memory_limit", self.memory_limit)
                .time("target", self.target)
                .time("tupdate", self.tupdate)
                .count("alpha", sixteenths(self.alpha))
                .count("beta", sixteenths(self.beta))
                .count("ecn_prob", (self.mark_ecnth.get() * 100.0 + 0.5) as u64)
                .flag(if self.ecn { "ecn" } else { "noecn" }, true)
                .flag("bytemode", self.bytemode)
                .flag("dq_rate_estimator", self.delay_from == DelayFrom::Rate),
        )
    }
}

fn percent(words: &mut TcWords<'_>) -> Result<Probability, TcError> {
    let n = words.count32()?;
    Probability::new(f64::from(n) / 100.0)
        .ok_or_else(|| words.error(format!("{n} is more than 100 per cent")))
}

const TC_WORDS: [&str; 15] = [
    "limit",
    "flows",
    "quantum",
    "memory_limit",
    "target",
    "tupdate",
    "alpha",
    "beta",
    "ecn_prob",
    "ecn",
    "noecn",
    "bytemode",
    "nobytemode",
    "dq_rate_estimator",
    "no_dq_rate_estimator",
];

impl FqPieConfig {
    fn pie(&self) -> PieConfig {
        PieConfig {
            // A flow's own limit is that of all flows together.
            limit: Limit::Packets(u64::MAX),
            target: self.target,
            tupdate: self.tupdate,
            alpha: self.alpha,
            beta: self.beta,
            max_burst: self.max_burst,
            mark_ecnth: self.mark_ecnth,
            mean_pktsize: self.mean_pktsize,
            bytemode: self.bytemode,
            derandomize: self.derandomize,
            delay_from: self.delay_from,
            form: self.form,
            ..PieConfig::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Aqm, Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{DropReason, Instant, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    struct Bench {
        queue: FlowQueue<Pie, TestPacket>,
        rng: Rng,
        sink: Collector<TestPacket>,
        delivered: [u32; 2],
    }

    impl Bench {
        fn new(config: &FqPieConfig) -> Self {
            let queue = config.build(&LINK);
            Self { queue, rng: Rng::new(1), sink: Collector::default(), delivered: [0; 2] }
        }
        /// A millisecond with `flood` arrivals of flow 0, perhaps one of flow 1, and one departure.
        fn tick(&mut self, ms: u64, flood: u64, other: bool) {
            let now = Instant::from_millis(ms);
            let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
            if self.queue.poll_timeout().is_some_and(|t| t <= now) {
                self.queue.handle_timeout(&mut cx);
            }
            for k in 0..flood {
                self.queue.enqueue(TestPacket::new(ms * 100 + k, 0, 1000), &mut cx);
            }
            if other {
                self.queue.enqueue(TestPacket::new(ms * 100 + 50, 1, 1000), &mut cx);
            }
            if let Some((p, _)) = self.queue.dequeue(&mut cx) {
                self.delivered[p.flow.src as usize] += 1;
            }
        }
        fn probability(&self) -> f64 {
            let place = Pie::state_names().iter().position(|n| n.contains("probability")).expect("a series");
            let mut state = vec![f64::NAN; Pie::state_names().len()];
            self.queue.state(&mut state);
            state[place]
        }
    }

    #[test]
    fn each_flow_answers_for_its_own_queue() {
        let mut b = Bench::new(&FqPieConfig::default());
        for ms in 0..10_000 {
            b.tick(ms, 3, ms % 4 == 0);
        }
        // Three times the link's rate against a quarter: the flood loses, by its PIE, before the buffer is full.
        assert_eq!(b.delivered[1], 2_500);
        assert!(b.sink.dropped.iter().all(|(p, why, _)| p.flow.src == 0 && *why == DropReason::Aqm));
        assert!(b.sink.dropped.len() > 15_000, "{}", b.sink.dropped.len());
    }

    #[test]
    fn a_queue_that_emptied_unlearns() {
        let mut b = Bench::new(&FqPieConfig { flows: 1, ..Default::default() });
        let mut highest: f64 = 0.0;
        for ms in 0..2_000 {
            b.tick(ms, 3, false);
            highest = highest.max(b.probability());
        }
        // To let one of three pass.
        assert!(highest > 0.66, "{highest}");
        for ms in 2_000..60_000 {
            b.tick(ms, 0, false);
        }
        assert_eq!(b.probability(), 0.0);
    }

    #[test]
    fn a_full_buffer_refuses_or_sheds_the_longest() {
        for (overflow, dropped) in [(Victim::Arrival, vec![4]), (Victim::Longest, vec![0, 1])] {
            // ns-3's fat flow: limit 4 packets of 100 B; three of A, one of B; a second B.
            let config = FqPieConfig { overflow, limit: Limit::Packets(4), ..Default::default() };
            let mut b = Bench::new(&config);
            let mut cx = Cx { now: Instant::ZERO, rng: &mut b.rng, sink: &mut b.sink };
            for (id, flow) in [0, 0, 0, 1, 1].into_iter().enumerate() {
                b.queue.enqueue(TestPacket::new(id as u64, flow, 100), &mut cx);
            }
            assert_eq!(b.sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), dropped);
        }
    }

    #[test]
    fn a_flow_that_comes_late_keeps_the_common_time() {
        let mut b = Bench::new(&FqPieConfig::default());
        for ms in 0..100 {
            b.tick(ms, 1, ms > 50);
            // Updates each 15 ms, whoever came in between.
            assert_eq!(b.queue.poll_timeout(), Some(Instant::from_millis((ms / 15 + 1) * 15)));
        }
    }

    #[test]
    fn a_tc_line_reads_as_tc_reads_it() {
        let line = "limit 2000 flows 64 target 20ms tupdate 30ms alpha 4 beta 40 ecn_prob 25 ecn quantum 300";
        let c = FqPieConfig::from_tc("fq_pie", &mut TcWords::new(line)).unwrap();
        assert_eq!((c.alpha, c.beta, c.mark_ecnth.get(), c.quantum), (0.25, 2.5, 0.25, Bytes(300)));
        assert!(c.ecn && c.form == Form::Linux && c.flows == 64);
        assert!(FqPieConfig::from_tc("fq_pie", &mut TcWords::new("ecn_prob 101")).is_err());
    }
}
