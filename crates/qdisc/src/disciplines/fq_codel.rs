//! FQ-CoDel: flow queueing with controlled delay.
//!
//! RFC 8290. Flows are hashed into queues that are served by deficit round robin; each queue has a CoDel of its own
//! ([`codel`](super::codel)). Flows that have just become active are served first, once, so flows with few packets
//! hardly wait. When the buffer is full, the queue with most bytes loses packets from its head: half of its bytes, or
//! `drop_batch` packets.
//!
//! `form = "linux"` is Linux's behaviour, and each difference is an option: `codel_backlog = "total"` (the test for a
//! small backlog considers all waiting packets; in the RFC and ns-3, those of the flow), `count_overlimit` (a drop at
//! the limit increases CoDel's `count`), `emptied = "stays_if_old"` (a new flow that is found empty leaves the round if
//! no old flows wait), `arithmetic`. A tc line means Linux's form. Among queues with equally many bytes, the one with
//! the lowest hash loses packets, as in Linux.

use super::codel::{Arithmetic, Codel, CodelConfig, Form};
use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::flow_queue::{
    Emptied, End, FlowQueue, FlowSetup, LEAST_QUANTUM, MOST_FLOWS, Overflow, Seen, Selector, Separation,
};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Packet};

tailrace_core::parameters! {
    /// Parameters of `fq_codel`.
    pub struct FqCodelConfig {
        /// Version of FQ-CoDel. It sets the value of every parameter below that is `"auto"`. A `tc` line means
        /// Linux's.
        form: Form = Form::Rfc, "RFC 8290";
        /// The most that may wait in the queues of all flows together. If it is too small, packets are dropped for
        /// want of room instead of by the law.
        limit: Limit = Limit::Packets(10_240), "RFC 8290 §5.2.1";
        /// Memory that waiting packets may take, in addition to `limit`. A full packet counts as about 2304 bytes, as
        /// in Linux. If it is too small, packets are dropped for want of room; a larger limit only costs memory.
        memory_limit: Bytes = Bytes(32 << 20), "RFC 8290 §5.2.7 (Linux: 32 MB)";
        /// Number of queues. A hash of its flow decides in which one a packet waits. With too few, several flows share
        /// a queue, its turn and its CoDel.
        flows: u32 = 1024, "RFC 8290 §5.2.4";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow and share its queue.
        flow_by: FlowBy = FlowBy::FiveTuple, "RFC 8290 §4.1.1";
        /// Number of bytes that a flow may send in its turn. If it is too small, many turns pass without a packet; if
        /// it is too large, each flow sends in long bursts, and flows of that size go before others as if they sent
        /// little.
        quantum: Bytes = Bytes(1514), "RFC 8290 §5.2.5";
        /// The waiting time in the queue that is acceptable: while packets wait no longer, none is dropped or marked
        /// (CoDel's target). If it is too small, the link has nothing to send at times; if it is too large, packets
        /// always wait.
        target: Duration = Duration::from_millis(5), "RFC 8290 §5.2.3";
        /// Time for which packets must have waited longer than `target` before the first one is dropped or marked
        /// (CoDel's interval). It should be about the longest usual round-trip time. If it is too small, short bursts
        /// lose packets; if it is too large, CoDel reacts late.
        interval: Duration = Duration::from_millis(100), "RFC 8290 §5.2.2", in "2 us"..="1000 s": "the times between drops or marks are fractions of it, and each takes computing time | a law so slow would never act";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = true, "RFC 8290 §5.2.6";
        /// Every ECN-capable packet that has waited longer than this is marked, whatever CoDel decides. If it is too
        /// small, senders become too slow. `"auto"` turns this off.
        ce_threshold: Option<Duration> = None, "RFC 8290 §5.2.8 (off)";
        /// Restricts `ce_threshold` to some packets: it marks a packet only if the bits of its traffic class that
        /// `ce_threshold_mask` names are equal to this. The upper six bits are the DiffServ codepoint, the lower two
        /// ECN; 1 with a mask of 3 means ECT(1).
        ce_threshold_selector: u8 = 0, "Linux sch_fq_codel";
        /// Bits of a packet's traffic class that are compared with `ce_threshold_selector`. With 0, `ce_threshold`
        /// marks every ECN-capable packet.
        ce_threshold_mask: u8 = 0, "Linux sch_fq_codel";
        /// The most packets that are dropped at once when the buffer is full. A small number costs computing time in
        /// a flood; a large one makes a flow lose many packets in a row.
        drop_batch: u32 = 64, "RFC 8290 §4.1.3";
        /// While no more bytes than this wait, CoDel drops or marks nothing. If it is too large, a queue of that size
        /// stays for ever. `"auto"` is the flow's largest packet so far, at least 512 bytes (rfc), or 1514 bytes
        /// (linux).
        maxpacket: Option<Bytes> = None, "RFC 8289 §5.5; Linux: the device's MTU";
        /// Whether `maxpacket` is compared with what waits of the flow or of all flows. `"auto"`: flow (rfc), total
        /// (linux).
        codel_backlog: Option<Seen> = None, "RFC 8290 §4; Linux";
        /// Whether a packet that is dropped at the limit counts as one of CoDel's drops, so that its next ones follow
        /// faster. `"auto"`: false (rfc), true (linux).
        count_overlimit: Option<bool> = None, "RFC 8290 §4.1.3; Linux";
        /// Treatment of a new flow whose queue is found empty when its turn comes. If it may leave, it counts as new
        /// again with its next packet. `"auto"`: stays (rfc), stays_if_old (linux).
        emptied: Option<Emptied> = None, "RFC 8290 §4.2; Linux";
        /// Computation of times and square roots. `"auto"`: exact (rfc), linux16 (linux).
        arithmetic: Option<Arithmetic> = None, "RFC 8289 §5.5; Linux";
    }
}

impl Discipline for FqCodelConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Serves flows in turn, those that send little first; each flow has a queue with CoDel.",
        citation: "RFC 8290",
        ecn: "marks instead of dropping with `ecn`; `ce_threshold` marks by sojourn alone",
        per_flow_state: "a queue, a deficit and CoDel's variables, shared by flows that collide",
    };
    const TC_KINDS: &'static [&'static str] = &["fq_codel"];
    type Queue<P: Packet> = FlowQueue<Codel, P>;

    fn validate(&self) -> Result<(), Invalid> {
        check_flows(self.limit, self.flows, self.quantum)?;
        check_overflow(self.memory_limit, self.drop_batch)?;
        self.codel().validate()
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> FlowQueue<Codel, P> {
        let setup = FlowSetup {
            limit: self.limit,
            memory: self.memory_limit,
            separation: Separation::Hashed(self.flows),
            by: self.flow_by,
            quantum: self.quantum,
            overflow: Overflow::Longest(End::Oldest, self.drop_batch),
            emptied: self.emptied(),
            seen: self.seen(),
            ecn: self.ecn,
            marks: Selector { value: self.ce_threshold_selector, mask: self.ce_threshold_mask },
            ..FlowSetup::RFC8290
        };
        FlowQueue::new(setup, Codel::new(&self.codel()).counting_overlimit(self.counts_overlimit()))
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        // tc configures Linux\'s.
        let mut config = Self { form: Form::Linux, ..Self::default() };
        while let Some(word) = words.next_word() {
            match word {
                "limit" => config.limit = Limit::Packets(words.count()?),
                "memory_limit" => config.memory_limit = words.size()?,
                "flows" => config.flows = words.count32()?,
                "quantum" => config.quantum = words.size()?,
                "target" => config.target = words.time()?,
                "interval" => config.interval = words.time()?,
                "drop_batch" => config.drop_batch = words.count32()?,
                "ce_threshold" => config.ce_threshold = Some(words.time()?),
                "ecn" => config.ecn = true,
                "noecn" => config.ecn = false,
                "ce_threshold_selector" => {
                    (config.ce_threshold_selector, config.ce_threshold_mask) = selector(words)?;
                }
                _ => return Err(words.unknown(TC_WORDS)),
            }
        }
        Ok(config)
    }

    fn explicit(&self, link: &LinkView) -> Self {
        let codel = self.codel().explicit(link);
        Self {
            maxpacket: codel.maxpacket,
            arithmetic: codel.arithmetic,
            codel_backlog: Some(self.seen()),
            count_overlimit: Some(self.counts_overlimit()),
            emptied: Some(self.emptied()),
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        Some(
            TcLine::new("fq_codel")
                .packets("limit", self.limit)
                .size("memory_limit", self.memory_limit)
                .count("flows", u64::from(self.flows.min(TC_FLOWS)))
                .size("quantum", self.quantum.max(TC_QUANTUM))
                .time("target", self.target)
                .time("interval", self.interval)
                .flag(if self.ecn { "ecn" } else { "noecn" }, true)
                .time("ce_threshold", self.ce_threshold)
                .flag(
                    &format!(
                        "ce_threshold_selector {:#x}/{:#x}",
                        self.ce_threshold_selector, self.ce_threshold_mask
                    ),
                    self.ce_threshold_mask != 0,
                )
                .count("drop_batch", u64::from(self.drop_batch)),
        )
    }
}

/// Most flows of the fair queues of Linux.
pub(super) const TC_FLOWS: u32 = 1 << 16;
/// Linux takes a smaller quantum for this.
const TC_QUANTUM: Bytes = Bytes(256);

/// A value and a mask such as `0x1/0x3`.
fn selector(words: &mut TcWords<'_>) -> Result<(u8, u8), TcError> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let word = words.next_word().unwrap_or_default();
    let read = word.split_once('/').and_then(|(value, mask)| number(value).zip(number(mask)));
    read.ok_or_else(|| words.error(format!("{word:?} is not a value and a mask such as 0x1/0x3")))
}

const TC_WORDS: &[&str] = &[
    "limit",
    "memory_limit",
    "flows",
    "quantum",
    "target",
    "interval",
    "drop_batch",
    "ce_threshold",
    "ce_threshold_selector",
    "ecn",
    "noecn",
];

impl FqCodelConfig {
    fn seen(&self) -> Seen {
        self.form.pick(self.codel_backlog, Seen::Flow, Seen::Total)
    }

    fn counts_overlimit(&self) -> bool {
        self.form.pick(self.count_overlimit, false, true)
    }

    fn emptied(&self) -> Emptied {
        self.form.pick(self.emptied, Emptied::Stays, Emptied::StaysIfOld)
    }

    fn codel(&self) -> CodelConfig {
        CodelConfig {
            form: self.form,
            target: self.target,
            interval: self.interval,
            ce_threshold: self.ce_threshold,
            maxpacket: self.maxpacket,
            arithmetic: self.arithmetic,
            ..CodelConfig::default()
        }
    }
}

/// The checks of what happens at the limit that every law behind `FlowQueue` shares.
pub(super) fn check_overflow(memory: Bytes, drop_batch: u32) -> Result<(), Invalid> {
    if memory == Bytes::ZERO {
        return Err(("memory_limit", "no packet could ever wait; the limit must be larger".into()));
    }
    if drop_batch == 0 {
        return Err(("drop_batch", "at least one packet must be dropped".into()));
    }
    Ok(())
}

/// Checks of every queue of hashed flows.
pub(super) fn check_flows(limit: Limit, flows: u32, quantum: Bytes) -> Result<(), Invalid> {
    if matches!(limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
        return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
    }
    if !(1..=MOST_FLOWS).contains(&flows) {
        return Err(("flows", format!("must be 1 to {MOST_FLOWS}, is {flows}")));
    }
    if quantum < LEAST_QUANTUM {
        return Err(("quantum", format!("{quantum} is too small; at least {LEAST_QUANTUM} is needed")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{DropReason, Dscp, Ecn, Instant, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    struct Bench {
        queue: FlowQueue<Codel, TestPacket>,
        rng: Rng,
        sink: Collector<TestPacket>,
        next: u64,
    }

    impl Bench {
        fn new(config: &FqCodelConfig) -> Self {
            Self { queue: config.build(&LINK), rng: Rng::new(1), sink: Collector::default(), next: 0 }
        }
        fn enqueue(&mut self, flow: u32, size: u64, ecn: Ecn, now: Instant) {
            let packet = TestPacket::new(self.next, flow, size).with_ecn(ecn);
            self.next += 1;
            self.queue.enqueue(packet, &mut Cx { now, rng: &mut self.rng, sink: &mut self.sink });
        }
        fn dequeue(&mut self, now: Instant) -> Option<u32> {
            let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
            self.queue.dequeue(&mut cx).map(|(p, _)| p.flow.src)
        }
    }

    #[test]
    fn a_fat_flow_loses_half_of_its_bytes_from_the_head() {
        // ns-3 fq-codel-queue-disc-test-suite: limit 4 packets of 100 B; three of A, one of B; a second B.
        let config = FqCodelConfig { limit: Limit::Packets(4), ..Default::default() };
        let mut b = Bench::new(&config);
        for flow in [0, 0, 0, 1, 1] {
            b.enqueue(flow, 100, Ecn::NotEct, Instant::ZERO);
        }
        let dropped: Vec<_> = b.sink.dropped.iter().map(|(p, why, _)| (p.id, *why)).collect();
        assert_eq!(dropped, [(0, DropReason::Overlimit), (1, DropReason::Overlimit)]);
        assert_eq!(b.queue.backlog().packets, 3);
        let left: Vec<_> = std::iter::from_fn(|| b.dequeue(Instant::ZERO)).collect();
        assert_eq!(left, [0, 1, 1]);
    }

    #[test]
    fn the_batch_bounds_what_is_dropped_at_once() {
        let config = FqCodelConfig { limit: Limit::Packets(200), ..Default::default() };
        let mut b = Bench::new(&config);
        for _ in 0..201 {
            b.enqueue(0, 1000, Ecn::Ect0, Instant::ZERO);
        }
        assert_eq!(b.sink.dropped.len(), 64);
        let config = FqCodelConfig { memory_limit: Bytes(10 * 2304), ..Default::default() };
        let mut b = Bench::new(&config);
        for _ in 0..11 {
            b.enqueue(0, 1000, Ecn::Ect0, Instant::ZERO);
        }
        // 11 000 bytes in 11 buffers: drops go on until 5500 are reached.
        assert_eq!(b.sink.dropped.len(), 6);
    }

    #[test]
    fn capable_flows_are_marked_as_often_as_ns3_expects_and_others_dropped() {
        // ns-3: 20 x 120 B a flow at zero, one dequeue a flow every 110 ms, MinBytes 1500: 6 marks or 4 drops, and
        // none once 12 packets (1440 B) remain. Linux's arithmetic, as ns-3's.
        for (ecn, marks, drops) in [(Ecn::Ect0, 6, 0), (Ecn::NotEct, 0, 4)] {
            let config = FqCodelConfig {
                maxpacket: Some(Bytes(1499)),
                arithmetic: Some(Arithmetic::Linux16),
                quantum: Bytes(1514),
                ..Default::default()
            };
            let mut b = Bench::new(&config);
            for _ in 0..20 {
                b.enqueue(0, 120, ecn, Instant::ZERO);
            }
            for k in 1..=20 {
                b.dequeue(Instant::from_millis(110 * k));
            }
            assert_eq!((b.sink.marked.len(), b.sink.dropped.len()), (marks, drops), "{ecn:?}");
        }
    }

    #[test]
    fn linux_counts_drops_at_the_limit_as_signals() {
        for (counts, signals) in [(false, 0), (true, 64)] {
            let config = FqCodelConfig {
                limit: Limit::Packets(200),
                flows: 1,
                count_overlimit: Some(counts),
                ..Default::default()
            };
            let mut b = Bench::new(&config);
            for _ in 0..201 {
                b.enqueue(0, 1000, Ecn::Ect0, Instant::ZERO);
            }
            let mut state = [f64::NAN; 3];
            b.queue.state(&mut state);
            assert_eq!((b.queue.state_names()[0], state[0]), ("count", f64::from(signals)));
        }
    }

    #[test]
    fn codel_looks_at_the_backlog_it_is_told_to() {
        // Two flows of one packet each, long waiting: small queues by RFC 8290, not small in sum by Linux.
        for (seen, drops) in [(Seen::Flow, 0), (Seen::Total, 1)] {
            let config = FqCodelConfig {
                codel_backlog: Some(seen),
                maxpacket: Some(Bytes(1514)),
                ..Default::default()
            };
            let mut b = Bench::new(&config);
            for flow in [0, 1, 1, 1, 1] {
                b.enqueue(flow, 1500, Ecn::NotEct, Instant::ZERO);
            }
            b.dequeue(Instant::from_millis(10));
            b.enqueue(0, 1500, Ecn::NotEct, Instant::from_millis(10));
            // Flow 0 has been above target for an interval now, if what waits in flow 1 counts.
            while b.dequeue(Instant::from_millis(200)).is_some_and(|flow| flow != 0) {}
            let dropped = b.sink.dropped.iter().filter(|(p, ..)| p.flow.src == 0).count();
            assert_eq!(dropped, drops, "{seen:?}");
        }
    }

    #[test]
    fn an_emptied_flow_is_new_again_sooner_with_linux() {
        // Flows 0 and 1 are new; 0 is found empty while none is old. Its next packets come while 1 is in
        // its turn: 100 bytes are left to it if it stayed, else a full quantum.
        for (emptied, order) in [(Emptied::Stays, [1, 0, 1]), (Emptied::StaysIfOld, [1, 0, 0])] {
            let mut b = Bench::new(&FqCodelConfig {
                emptied: Some(emptied),
                quantum: Bytes(500),
                ..Default::default()
            });
            for (flow, size) in [(0, 400), (1, 500), (1, 500), (1, 400)] {
                b.enqueue(flow, size, Ecn::NotEct, Instant::ZERO);
            }
            assert_eq!(b.dequeue(Instant::ZERO), Some(0));
            let mut found = vec![b.dequeue(Instant::ZERO)];
            b.enqueue(0, 400, Ecn::NotEct, Instant::ZERO);
            b.enqueue(0, 400, Ecn::NotEct, Instant::ZERO);
            found.extend([b.dequeue(Instant::ZERO), b.dequeue(Instant::ZERO)]);
            assert_eq!(found, order.map(Some), "{emptied:?}");
        }
    }

    #[test]
    fn a_sparse_flow_goes_ahead_of_a_bulk_flow() {
        let mut b = Bench::new(&FqCodelConfig::default());
        for _ in 0..10 {
            b.enqueue(0, 1514, Ecn::NotEct, Instant::ZERO);
        }
        assert_eq!(b.dequeue(Instant::ZERO), Some(0));
        b.enqueue(1, 60, Ecn::NotEct, Instant::ZERO);
        assert_eq!(b.dequeue(Instant::ZERO), Some(1));
        assert_eq!(b.dequeue(Instant::ZERO), Some(0));
    }

    #[test]
    fn tc_lines_mean_linux() {
        let mut words = TcWords::new("limit 1000 flows 256 quantum 300 target 5ms memory_limit 1mb noecn");
        let c = FqCodelConfig::from_tc("fq_codel", &mut words).unwrap();
        assert!(!c.ecn && c.counts_overlimit() && c.seen() == Seen::Total && c.flows == 256);
        assert_eq!((c.memory_limit, c.quantum), (Bytes(1 << 20), Bytes(300)));
        let mut words = TcWords::new("quantm 300");
        let e = FqCodelConfig::from_tc("fq_codel", &mut words).unwrap_err();
        assert!(e.message.contains("\"quantum\""), "{}", e.message);
    }

    #[test]
    fn the_threshold_marks_whom_the_selector_names() {
        // tc-fq_codel's examples: 0x1/0x3 is ECT(1), 0x50/0xfc is AF22, codepoint 20.
        let marked = |line: &str, ecn, dscp| {
            let config = FqCodelConfig::from_tc("fq_codel", &mut TcWords::new(line)).unwrap();
            let mut b = Bench::new(&config);
            let packet = TestPacket { dscp: Dscp(dscp), ..TestPacket::new(0, 0, 100) }.with_ecn(ecn);
            let (rng, sink) = (&mut b.rng, &mut b.sink);
            b.queue.enqueue(packet, &mut Cx { now: Instant::ZERO, rng, sink });
            b.dequeue(Instant::from_millis(2));
            b.sink.marked.len()
        };
        let l4s = "ce_threshold 1ms ce_threshold_selector 0x1/0x3";
        assert_eq!([Ecn::Ect1, Ecn::Ect0, Ecn::NotEct].map(|ecn| marked(l4s, ecn, 20)), [1, 0, 0]);
        let af22 = "ce_threshold 1ms ce_threshold_selector 0x50/0xfc";
        assert_eq!([20, 21].map(|dscp| marked(af22, Ecn::Ect0, dscp)), [1, 0]);
        assert_eq!(marked("ce_threshold 1ms", Ecn::Ect0, 21), 1);
        for wrong in ["ce_threshold_selector", "ce_threshold_selector 0x1", "ce_threshold_selector 0x100/3"] {
            assert!(FqCodelConfig::from_tc("fq_codel", &mut TcWords::new(wrong)).is_err(), "{wrong}");
        }
    }
}
