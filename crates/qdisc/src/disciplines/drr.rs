//! DRR: deficit round robin.
//!
//! Shreedhar, Varghese, "Efficient Fair Queuing Using Deficit Round Robin", SIGCOMM 1995. Each flow has a queue, and
//! the queues are served in turn. A turn adds a quantum of bytes to what the flow may send, and packets are sent while
//! they fit. The rest is kept for the flow's next turn, so flows get equal numbers of bytes whatever their packet
//! sizes. When the buffer is full, the flow with most bytes loses packets.
//!
//! `form = "ns2"` has the defaults of ns-2 `queue/drr.cc`: 25 kB in 10 queues by source address, a quantum of 250
//! bytes, drops from the head. The paper does not say whether buffer stealing drops from head or tail; here it is the
//! tail, as in the fair queueing that the paper refers to. Nor does it say which of several flows with equally many
//! bytes loses packets: here the one whose turn comes first, as in ns-2. Differences: hashes are salted. In ns-2 a flow
//! whose queue overflow emptied during its turn gets the quantum late; here it keeps what it has.
//!
//! With `classes` it is Linux's (`net/sched/sch_drr.c`): filters choose a class, classes have turns, and packets wait
//! in the discipline of their class, which has its own limit. Packets that match no filter are dropped. When its first
//! packet arrives, a class goes to the end of the list with a full quantum. If its next packet does not fit, it gets
//! another quantum and goes to the end. Once empty, it forgets what it had left. As in Linux, a discipline is asked for
//! a packet when the turn of its class comes, so a law judges the packet then; if the packet does not fit, it is kept.
//! A class that has sent its last packet is not asked again, so RED's average does not decay while its class is silent.
//! Difference: a class whose discipline holds its packets back is skipped, while Linux's queue waits with it. A
//! discipline given by name alone has its default form, whatever `queue_form` the scenario has.

mod classes;
mod classful;
mod leaf_queue;

pub(super) use classes::Leaf;
pub(super) use leaf_queue::LeafQueue;

use super::fq_codel::check_flows;
use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::flow_queue::{End, FlowQueue, FlowSetup, Overflow, Separation, Service, Ties};
use crate::host_rules::HostRules;
use crate::managed::NoLaw;
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use classes::{Classes, Filter, check_quantum};
use classful::{ClassfulDrr, DrrQueue};
use tailrace_core::{Bytes, Duration, Limit, Packet, Rate};

tailrace_core::choices! {
    /// Version of DRR: the defaults of all parameters that are `"auto"`.
    pub enum Form {
        /// The paper's text.
        Paper = "paper",
        /// ns-2's code.
        Ns2 = "ns2",
    }
}

tailrace_core::choices! {
    /// The packet of the flow with most bytes that is dropped when the buffer is full.
    pub enum Victim {
        /// Its newest packet.
        LongestTail = "longest_tail",
        /// Its oldest packet.
        LongestHead = "longest_head",
    }
}

tailrace_core::parameters! {
    /// Parameters of `drr`.
    pub struct DrrConfig {
        /// Version of DRR. It sets the value of every parameter below that is `"auto"`.
        form: Form = Form::Paper, "Shreedhar and Varghese, SIGCOMM 1995";
        /// The most that may wait in the queues of all flows together. If it is too small, there is no room to be
        /// fair. `"auto"`: 1000 packets (paper), 25 kB (ns2).
        limit: Option<Limit> = None, "Linux pfifo; ns-2 blimit_";
        /// Number of queues. A hash of its flow decides in which one a packet waits. With too few, several flows share
        /// a queue and its turn. `"auto"`: 1024 (paper), 10 (ns2).
        flows: Option<u32> = None, "Linux fq_codel; ns-2 buckets_";
        /// Number of bytes that a flow may send in its turn, or a class that states none of its own; at least 1500
        /// unless the form is ns2 or there are `classes`. If it is too small, many turns pass without a packet; if it
        /// is too large, each flow sends in long bursts. `"auto"`: 1514 (paper), 250 (ns2).
        quantum: Option<Bytes> = None, "Linux sch_drr: one Ethernet frame; ns-2 quantum_";
        /// The packet of the flow with most bytes that is dropped when the buffer is full. `"auto"`: longest_tail
        /// (paper), longest_head (ns2).
        drop: Option<Victim> = None, "Demers et al., SIGCOMM 1989; ns-2";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow. `"auto"`: five_tuple
        /// (paper), src (ns2).
        flow_by: Option<FlowBy> = None, "Linux fq_codel; ns-2 mask_ 0";
        /// Classes instead of flows, as in Linux, separated by semicolons. A class has filters, separated by commas;
        /// then, if it has its own, `quantum` and a size; then, if it has its own, a colon and a discipline. A filter
        /// is `other`, or what a packet must have: a DiffServ codepoint, `tcp` or `udp`, `sport` or `dport` with a
        /// number. The first filter that matches decides; a packet that none matches is dropped. A discipline is a
        /// name, a name with parameters, or a tc line: `EF, udp dport 53 quantum 3000 B: pie(target = 5 ms); other:
        /// codel target 5ms`. `"auto"`: no classes, but a queue for each flow.
        classes: Option<Classes> = None, "Shreedhar and Varghese, SIGCOMM 1995; Linux sch_drr";
        /// The discipline in which packets of a class wait if the class names none. `"auto"`: pfifo limit 1000.
        leaf: Option<Leaf> = None, "Linux pfifo";
    }
}

/// With less than a full frame a turn is more than constant work (Shreedhar and Varghese 1995 §3).
const LEAST_PAPER_QUANTUM: Bytes = Bytes(1500);

/// Most classes of a discipline of Linux.
const TC_CLASSES: u32 = 0xffff;

impl DrrConfig {
    fn auto<T>(&self, set: Option<T>, paper: T, ns2: T) -> T {
        set.unwrap_or(if self.form == Form::Ns2 { ns2 } else { paper })
    }

    fn limit(&self) -> Limit {
        self.auto(self.limit, Limit::Packets(1000), Limit::Bytes(Bytes(25_000)))
    }

    fn flows(&self) -> u32 {
        self.auto(self.flows, 1024, 10)
    }

    fn quantum(&self) -> Bytes {
        self.auto(self.quantum, Bytes(1514), Bytes(250))
    }

    fn leaf(&self) -> Leaf {
        self.leaf.clone().unwrap_or_else(|| Leaf::parse("pfifo limit 1000").expect("a tc line"))
    }

    /// Whether the other parameters go with classes.
    fn validate_classes(&self) -> Result<(), Invalid> {
        if self.form != Form::Paper {
            return Err(("form", "with `classes` it is Linux's; leave out one of the two".into()));
        }
        let of_flows = [
            ("limit", self.limit.is_some()),
            ("flows", self.flows.is_some()),
            ("drop", self.drop.is_some()),
            ("flow_by", self.flow_by.is_some()),
        ];
        if let Some((name, _)) = of_flows.into_iter().find(|(_, set)| *set) {
            let why = "with `classes` there are no queues of flows; what waits is up to each class's discipline \
                       (`leaf`, or after a colon)";
            return Err((name, why.into()));
        }
        check_quantum(self.quantum()).map_err(|why| ("quantum", why))
    }

    /// The commands that make the classes, where tc has their disciplines. The configuration is explicit.
    fn class_commands(&self, classes: &Classes) -> Option<Vec<String>> {
        // Nothing in an explicit configuration depends on the link.
        let link = LinkView::new(Rate::from_mbit(1), Duration::ZERO);
        let mut commands = vec!["tc qdisc replace dev DEV PARENT handle 10: drr".to_string()];
        let (mut filters, usual) = (Vec::new(), self.leaf());
        for (class, n) in classes.iter().zip(1..) {
            let leaf = class.leaf.as_ref().unwrap_or(&usual).config().to_tc(&link).ok();
            let leaf = leaf.filter(|leaf| leaf.commands.is_empty())?.line;
            let quantum = class.quantum.unwrap_or(self.quantum()).get();
            commands
                .push(format!("tc class replace dev DEV parent 10: classid 10:{n:x} drr quantum {quantum}"));
            commands.push(format!("tc qdisc replace dev DEV parent 10:{n:x} {leaf}"));
            for (protocol, matches) in class.filters.iter().flat_map(Filter::tc) {
                let place = filters.len() + 1;
                filters.push(format!(
                    "tc filter replace dev DEV parent 10: protocol {protocol} prio {place} handle 1 {matches} \
                     classid 10:{n:x}"
                ));
            }
        }
        commands.append(&mut filters);
        Some(commands)
    }
}

impl Discipline for DrrConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Serves flows in turn, with so many bytes for each; what a flow does not use counts for its next turn.",
        citation: "Shreedhar and Varghese, SIGCOMM 1995; ns-2 queue/drr.cc; Linux sch_drr",
        ecn: "ignored",
        per_flow_state: "a queue and a deficit, shared by flows that collide",
    };
    const TC_KINDS: &'static [&'static str] = &["drr"];
    type Queue<P: Packet> = DrrQueue<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if self.classes.is_some() {
            return self.validate_classes();
        }
        if self.leaf.is_some() {
            return Err((
                "leaf",
                "only the packets of `classes` wait in one; leave it out, or write `classes`".into(),
            ));
        }
        check_flows(self.limit(), self.flows(), self.quantum())?;
        if self.form != Form::Ns2 && self.quantum() < LEAST_PAPER_QUANTUM {
            return Err((
                "quantum",
                format!(
                    "{} is less than a full packet; at least {LEAST_PAPER_QUANTUM} is needed",
                    self.quantum()
                ),
            ));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> DrrQueue<P> {
        if let Some(classes) = &self.classes {
            return DrrQueue::Other(ClassfulDrr::new(classes, self.quantum(), &self.leaf(), link));
        }
        let end = match self.auto(self.drop, Victim::LongestTail, Victim::LongestHead) {
            Victim::LongestTail => End::Newest,
            Victim::LongestHead => End::Oldest,
        };
        let setup = FlowSetup {
            limit: self.limit(),
            memory: Bytes(u64::MAX),
            separation: Separation::Hashed(self.flows()),
            by: self.auto(self.flow_by, FlowBy::FiveTuple, FlowBy::Src),
            service: Service::Deficit,
            quantum: self.quantum(),
            overflow: Overflow::Longest(end, 1),
            ties: Ties::Turn,
            ecn: false,
            ..FlowSetup::RFC8290
        };
        DrrQueue::Plain(FlowQueue::new(setup, NoLaw))
    }

    fn host_rules(&self) -> Option<HostRules> {
        let leaf = self.leaf();
        self.classes.as_ref()?.iter().find_map(|c| c.leaf.as_ref().unwrap_or(&leaf).config().host_rules())
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        // Linux's drr is classful: the quantum is a class's, and what makes a flow is left to filters.
        let mut config = Self::default();
        while let Some(word) = words.next_word() {
            match word {
                "quantum" => config.quantum = Some(words.size()?),
                _ => return Err(words.unknown(&["quantum"])),
            }
        }
        Ok(config)
    }

    fn explicit(&self, link: &LinkView) -> Self {
        if let Some(classes) = &self.classes {
            return Self {
                quantum: Some(self.quantum()),
                classes: Some(classes.explicit(link)),
                leaf: Some(self.leaf().explicit(link)),
                ..self.clone()
            };
        }
        Self {
            limit: Some(self.limit()),
            flows: Some(self.flows()),
            quantum: Some(self.quantum()),
            drop: Some(self.auto(self.drop, Victim::LongestTail, Victim::LongestHead)),
            flow_by: Some(self.auto(self.flow_by, FlowBy::FiveTuple, FlowBy::Src)),
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        if let Some(classes) = &self.classes {
            let commands = self.class_commands(classes)?;
            return Some(TcLine::new("drr").size("quantum", self.quantum()).commands(commands));
        }
        let keys = match self.auto(self.flow_by, FlowBy::FiveTuple, FlowBy::Src) {
            FlowBy::FiveTuple => "src,dst,proto,proto-src,proto-dst",
            FlowBy::SrcDst => "src,dst",
            FlowBy::Src => "src",
            FlowBy::Dst => "dst",
        };
        // Class numbers have 16 bits, and the filter counts from the first class on.
        let (flows, quantum) = (self.flows().min(TC_CLASSES), self.quantum().get());
        let class =
            format!("tc class replace dev DEV parent 10: classid 10:$(printf %x $i) drr quantum {quantum}");
        Some(TcLine::new("drr").size("quantum", self.quantum()).commands(vec![
            "# each class is a pfifo of its own: no limit holds for all together".into(),
            "tc qdisc replace dev DEV PARENT handle 10: drr".into(),
            format!("for i in $(seq 1 {flows}); do {class}; done"),
            format!(
                "tc filter replace dev DEV parent 10: protocol all prio 1 handle 1 flow hash keys {keys} divisor {flows} \
                 baseclass 10:1"
            ),
        ]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{Duration, Instant, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    /// Offers `packets` (flow, size), then takes all; the ids that left, and those dropped.
    fn run(config: &DrrConfig, packets: &[(u32, u64)]) -> (Vec<u64>, Vec<u64>) {
        assert_eq!(config.validate(), Ok(()));
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = config.build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for (id, (flow, size)) in packets.iter().enumerate() {
            queue.enqueue(TestPacket::new(id as u64, *flow, *size), &mut cx);
        }
        let out = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(p, _)| p.id).collect();
        (out, sink.dropped.iter().map(|(p, ..)| p.id).collect())
    }

    #[test]
    fn the_flow_with_most_bytes_pays_from_the_end_it_is_told_to() {
        for (drop, victim) in [(Victim::LongestTail, 2), (Victim::LongestHead, 1)] {
            let config = DrrConfig { drop: Some(drop), limit: Some(Limit::Packets(3)), ..Default::default() };
            // Flow 1 has more packets, flow 2 more bytes; the arrival of flow 1 breaks the limit.
            let (out, dropped) = run(&config, &[(1, 100), (2, 800), (2, 800), (1, 100)]);
            assert_eq!((out.len(), dropped), (3, vec![victim]));
        }
    }

    #[test]
    fn the_ns2_form_holds_25_kb_and_drops_from_the_head() {
        let config = DrrConfig { form: Form::Ns2, ..Default::default() };
        let (out, dropped) = run(&config, &[(1, 1000); 30]);
        assert_eq!(dropped, [0, 1, 2, 3, 4]);
        assert_eq!(out, (5..30).collect::<Vec<_>>());
        // With a quantum of 250 a packet of 1000 bytes goes every fourth turn, one of 250 in each.
        let packets: Vec<_> =
            (0..4).flat_map(|_| [(1, 1000), (2, 250), (2, 250), (2, 250), (2, 250)]).collect();
        let (out, _) = run(&DrrConfig { flows: Some(1024), ..config }, &packets);
        let positions: Vec<_> =
            out.iter().enumerate().filter(|(_, id)| *id % 5 == 0).map(|(i, _)| i).collect();
        assert_eq!(positions, [3, 8, 13, 18]);
    }

    #[test]
    fn a_flow_below_its_share_loses_nothing_to_a_flood() {
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = DrrConfig::default().build(&LINK);
        let mut sent = [0u32; 2];
        for id in 0..20_000u64 {
            let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
            queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
            queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
            if id % 3 == 0 {
                queue.enqueue(TestPacket::new(id, 1, 1000), &mut cx);
            }
            if let Some((p, _)) = queue.dequeue(&mut cx) {
                sent[p.flow.src as usize] += 1;
            }
        }
        assert!(sink.dropped.iter().all(|(p, ..)| p.flow.src == 0) && sink.dropped.len() > 10_000);
        assert!((6660..=6667).contains(&sent[1]), "{sent:?}");
    }

    #[test]
    fn a_quantum_below_a_packet_is_for_ns2_only() {
        let small = DrrConfig { quantum: Some(Bytes(500)), ..Default::default() };
        assert_eq!(small.validate().unwrap_err().0, "quantum");
        assert_eq!(DrrConfig { form: Form::Ns2, ..small }.validate(), Ok(()));
        let mut words = TcWords::new("quantum 3000");
        assert_eq!(DrrConfig::from_tc("drr", &mut words).unwrap().quantum(), Bytes(3000));
    }

    #[test]
    fn parameters_of_flows_say_nothing_beside_classes() {
        let classes = || Leaf::parse("codel").ok().zip(Classes::parse("udp; other").ok()).unwrap();
        let classful = DrrConfig { classes: Some(classes().1), ..Default::default() };
        assert_eq!(classful.validate(), Ok(()));
        for wrong in [
            DrrConfig { limit: Some(Limit::Packets(5)), ..classful.clone() },
            DrrConfig { flows: Some(5), ..classful.clone() },
            DrrConfig { form: Form::Ns2, ..classful.clone() },
            DrrConfig { quantum: Some(Bytes(255)), ..classful.clone() },
            DrrConfig { leaf: Some(classes().0), ..Default::default() },
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
        assert_eq!(DrrConfig { quantum: Some(Bytes(256)), ..classful }.validate(), Ok(()));
    }
}
