//! SFQ: stochastic fairness queueing.
//!
//! McKenney, "Stochastic Fairness Queueing", INFOCOM 1990. Flows are hashed into buckets; each bucket is a FIFO, and
//! buckets are served in turn. When the buffer is full, the longest bucket loses packets.
//!
//! There are three forms, and `form` chooses one; each of their choices is a parameter, too:
//!
//! | | `paper` | `ns2` (`queue/sfq.cc`) | `linux` (`net/sched/sch_sfq.c`) |
//! |---|---|---|---|
//! | service in turn | packets | packets | bytes (deficit round robin) |
//! | when full, drop | tail of the longest | the arrival, by a rule on shares | tail (or head) of the longest |
//! | hash | five-tuple, perturbed | sum of the addresses | five-tuple, perturbed if asked |
//!
//! Differences: in some versions, Linux counts its allotments in units of eight bytes; here they are in bytes. Linux's
//! RED within a flow is left out. In ns-2, the hash of a zero sum is a negative index; here it wraps around.

mod slots;

use self::slots::Slots;
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::flow_hash::{check_perturb, mix64, scale};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, DropReason, Duration, FlowKey, Instant, Limit, Packet, Rng};

tailrace_core::choices! {
    /// Version of SFQ: the defaults of all parameters that are `"auto"`.
    pub enum Form {
        /// ns-2's code.
        Ns2 = "ns2",
        /// Linux's code.
        Linux = "linux",
        /// The paper's text.
        Paper = "paper",
    }
}

tailrace_core::choices! {
    /// Amount that a bucket may send in its turn.
    pub enum Service {
        /// A packet.
        Packet = "packet",
        /// `quantum` bytes; what a packet takes beyond that is subtracted from the next turn.
        Byte = "byte",
    }
}

tailrace_core::choices! {
    /// The flow that loses a packet when the buffer is full.
    pub enum Victim {
        /// The arriving packet, if its bucket holds half of what is left, or more than its share when the buffer is
        /// nearly full.
        ArrivalNs2 = "arrival_ns2",
        /// The newest packet of the bucket with most packets.
        LongestTail = "longest_tail",
        /// The oldest packet of the bucket with most packets.
        LongestHead = "longest_head",
    }
}

tailrace_core::choices! {
    /// Fields that tell flows apart.
    pub enum FlowHash {
        /// The sum of source and destination address, by ns-2's function.
        Ns2 = "ns2",
        /// Source and destination address, with a random part.
        SrcDst = "src_dst",
        /// Addresses, ports and protocol, with a random part.
        FiveTuple = "five_tuple",
    }
}

tailrace_core::parameters! {
    /// Parameters of `sfq`.
    pub struct SfqConfig {
        /// Version of SFQ. It sets the value of every parameter below that is `"auto"`.
        form: Form = Form::Linux, "tc sfq";
        /// The most packets that may wait in all buckets together. If it is too small, there is no room to be fair.
        /// `"auto"`: 40 (ns2), 127 (linux, paper).
        limit: Option<Limit> = None, "ns-2 maxqueue_; Linux SFQ_MAX_DEPTH";
        /// The most packets that may wait in one bucket. `"auto"`: 127 (linux), otherwise `limit`.
        depth: Option<u32> = None, "Linux SFQ_MAX_DEPTH";
        /// Number of values of a flow's hash. With too few, several flows share a bucket and its turn. `"auto"`: 16
        /// (ns2), 1024 (linux, paper).
        buckets: Option<u32> = None, "ns-2 buckets_; Linux SFQ_DEFAULT_HASH_DIVISOR";
        /// Number of buckets that may hold packets at the same time; packets for further ones are dropped. `"auto"`:
        /// 128 (linux), otherwise `buckets`.
        flows: Option<u32> = None, "Linux SFQ_DEFAULT_FLOWS";
        /// Amount that a bucket may send in its turn. `"auto"`: byte (linux), otherwise packet.
        service: Option<Service> = None, "ns-2; Linux; McKenney 1990";
        /// With `service = "byte"`: how many bytes a bucket may send in its turn. If it is too small, many turns pass
        /// without a packet; if it is too large, each bucket sends in long bursts.
        quantum: Bytes = Bytes(1514), "Linux: one Ethernet frame";
        /// The packet that is dropped when the buffer is full. `"auto"`: arrival_ns2 (ns2), otherwise longest_tail.
        drop: Option<Victim> = None, "ns-2; Linux; McKenney 1990";
        /// Header fields that tell flows apart. `"auto"`: ns2 (ns2), otherwise five_tuple.
        hash: Option<FlowHash> = None, "ns-2; Linux; McKenney 1990";
        /// After which time the hash changes, so that flows that share a bucket do not do so for ever; zero means
        /// never. Waiting packets move to their new buckets. `"auto"`: 10 s (paper), otherwise never.
        perturb: Option<Duration> = None, "Linux: off; McKenney 1990: on";
    }
}

/// Largest `buckets`: their table takes megabytes a queue.
const MAX_BUCKETS: u32 = 1 << 20;
/// Largest `limit`: packets are numbered in 32 bits.
const MAX_PACKETS: u64 = 1 << 31;
/// Smallest `quantum`: with less, a large packet waits for hundreds of turns without a packet.
const MIN_QUANTUM: Bytes = Bytes(64);

/// Limits of `sch_sfq`: largest hash divisor (a power of two), flows (`SFQ_MAX_FLOWS`), packets a flow (`SFQ_MAX_DEPTH`).
const TC_DIVISOR: u32 = 1 << 16;
const TC_FLOWS: u32 = (1 << 16) - 128;
const TC_DEPTH: u64 = 127;

impl SfqConfig {
    fn limit(&self) -> Limit {
        self.limit.unwrap_or(Limit::Packets(if self.form == Form::Ns2 { 40 } else { 127 }))
    }

    fn limit_packets(&self) -> u64 {
        match self.limit() {
            Limit::Packets(n) => n,
            Limit::Bytes(_) => 0,
        }
    }

    fn depth(&self) -> u64 {
        let auto = if self.form == Form::Linux { 127 } else { self.limit_packets() };
        self.depth.map_or(auto, u64::from)
    }

    fn buckets(&self) -> u32 {
        self.buckets.unwrap_or(if self.form == Form::Ns2 { 16 } else { 1024 })
    }

    fn flows(&self) -> u32 {
        self.flows.unwrap_or(if self.form == Form::Linux { 128 } else { self.buckets() })
    }

    fn service(&self) -> Service {
        self.service.unwrap_or(if self.form == Form::Linux { Service::Byte } else { Service::Packet })
    }

    fn victim(&self) -> Victim {
        self.drop.unwrap_or(if self.form == Form::Ns2 { Victim::ArrivalNs2 } else { Victim::LongestTail })
    }

    fn hash(&self) -> FlowHash {
        self.hash.unwrap_or(if self.form == Form::Ns2 { FlowHash::Ns2 } else { FlowHash::FiveTuple })
    }

    fn perturb(&self) -> Duration {
        let auto = if self.form == Form::Paper { Duration::from_secs(10) } else { Duration::ZERO };
        self.perturb.unwrap_or(auto)
    }
}

impl Discipline for SfqConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Spreads flows over buckets and serves the buckets in turn.",
        citation: "McKenney, INFOCOM 1990; ns-2 queue/sfq.cc; Linux sch_sfq",
        ecn: "ignored",
        per_flow_state: "a bucket, shared by flows that collide",
    };
    const TC_KINDS: &'static [&'static str] = &["sfq"];
    type Queue<P: Packet> = Sfq<P>;

    fn validate(&self) -> Result<(), Invalid> {
        let least = if self.victim() == Victim::ArrivalNs2 { 2 } else { 1 };
        match self.limit() {
            Limit::Bytes(_) => {
                return Err(("limit", "sfq counts packets; write for example \"127 packets\"".into()));
            }
            Limit::Packets(n) if !(least..=MAX_PACKETS).contains(&n) => {
                return Err(("limit", format!("must be {least} to {MAX_PACKETS} packets, is {n}")));
            }
            Limit::Packets(_) => {}
        }
        for (name, n) in [("buckets", self.buckets()), ("flows", self.flows())] {
            if !(1..=MAX_BUCKETS).contains(&n) {
                return Err((name, format!("must be 1 to {MAX_BUCKETS}, is {n}")));
            }
        }
        if self.depth() == 0 {
            return Err(("depth", "no packet could ever wait; the depth must be larger".into()));
        }
        if self.quantum < MIN_QUANTUM {
            return Err((
                "quantum",
                format!("{} is too small; at least {MIN_QUANTUM} is needed", self.quantum),
            ));
        }
        check_perturb(self.perturb())?;
        if self.hash() == FlowHash::Ns2 && self.perturb() > Duration::ZERO {
            return Err(("perturb", "the hash \"ns2\" has no salt to change".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Sfq<P> {
        Sfq::new(self)
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut config = Self::default();
        while let Some(word) = words.next_word() {
            match word {
                "limit" => config.limit = Some(Limit::Packets(words.count()?)),
                "perturb" => config.perturb = Some(words.seconds()?),
                "quantum" => config.quantum = words.size()?,
                "divisor" => config.buckets = Some(words.count32()?),
                "flows" => config.flows = Some(words.count32()?),
                "depth" => config.depth = Some(words.count32()?),
                "headdrop" => config.drop = Some(Victim::LongestHead),
                "redflowlimit" | "min" | "max" | "avpkt" | "burst" | "probability" | "ecn" | "harddrop" => {
                    return Err(words.error("RED within the flows of sfq is not supported"));
                }
                _ => {
                    return Err(words
                        .unknown(&["limit", "perturb", "quantum", "divisor", "flows", "depth", "headdrop"]));
                }
            }
        }
        Ok(config)
    }

    fn explicit(&self, _link: &LinkView) -> Self {
        Self {
            form: Form::Linux,
            limit: Some(self.limit()),
            depth: Some(u32::try_from(self.depth()).unwrap_or(u32::MAX)),
            buckets: Some(self.buckets()),
            flows: Some(self.flows()),
            service: Some(self.service()),
            quantum: self.quantum,
            drop: Some(self.victim()),
            hash: Some(self.hash()),
            perturb: Some(self.perturb()),
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let seconds = (self.perturb().as_secs_f64() + 0.5) as u64;
        Some(
            TcLine::new("sfq")
                .packets("limit", self.limit())
                .count("perturb", seconds)
                .size("quantum", self.quantum)
                .count("divisor", u64::from(self.buckets().next_power_of_two().min(TC_DIVISOR)))
                .count("flows", u64::from(self.flows().min(TC_FLOWS)))
                .count("depth", self.depth().min(TC_DEPTH))
                .flag("headdrop", self.victim() == Victim::LongestHead),
        )
    }
}

/// SFQ queue of a link.
#[derive(Debug)]
pub struct Sfq<P> {
    slots: Slots<P>,
    backlog: Backlog,
    limit: u64,
    depth: u64,
    buckets: u32,
    quantum: i64,
    service: Service,
    victim: Victim,
    hash: FlowHash,
    /// Salt of the hash, drawn when the first packet arrives.
    salt: Option<u64>,
    perturb: Duration,
    next_perturb: Option<Instant>,
}

impl<P: Packet> Sfq<P> {
    fn new(config: &SfqConfig) -> Self {
        let perturb = config.perturb();
        Self {
            slots: Slots::new(config.buckets(), config.flows()),
            backlog: Backlog::default(),
            limit: config.limit_packets(),
            depth: config.depth(),
            buckets: config.buckets(),
            // Half the range: an allotment is at most a quantum, and deficits are subtracted from it.
            quantum: i64::try_from(config.quantum.get()).map_or(i64::MAX / 2, |q| q.min(i64::MAX / 2)),
            service: config.service(),
            victim: config.victim(),
            hash: config.hash(),
            salt: None,
            perturb,
            next_perturb: (perturb > Duration::ZERO).then(|| Instant::ZERO.saturating_add(perturb)),
        }
    }

    /// Bucket of `flow` under the present salt.
    #[inline]
    fn bucket(&mut self, flow: FlowKey, rng: &mut Rng) -> u32 {
        if self.hash == FlowHash::Ns2 {
            return ns2_bucket(flow, self.buckets);
        }
        let salt = *self.salt.get_or_insert_with(|| rng.next_u64());
        salted_bucket(flow, self.hash, salt, self.buckets)
    }

    /// Whether ns-2 drops the arrival, with `used` packets in its bucket: the bucket holds half of the free places, or
    /// fewer places than buckets are free and it holds more than an equal share of the limit.
    fn ns2_refuses(&self, used: u64) -> bool {
        let free = self.limit.saturating_sub(self.backlog.packets);
        let buckets = u64::from(self.buckets);
        free == 0 || used >= free / 2 || (free < buckets && used > self.limit / buckets)
    }

    #[inline]
    fn drop_queued(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.subtract_backlog(&packet);
        cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
    }

    #[inline]
    fn subtract_backlog(&mut self, packet: &P) {
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
    }

    /// Draws a new salt and moves all packets to their new buckets, in order within a flow; drops those without a place.
    fn rehash(&mut self, cx: &mut Cx<'_, P>) {
        let salt = cx.rng.next_u64();
        self.salt = Some(salt);
        let (hash, buckets, depth, quantum) = (self.hash, self.buckets, self.depth, self.quantum);
        let new_bucket = |packet: &P| salted_bucket(packet.flow(), hash, salt, buckets);
        self.slots.rehash(new_bucket, depth, quantum);
        while let Some(packet) = self.slots.pop_unplaced() {
            self.drop_queued(packet, cx);
        }
    }
}

impl<P: Packet> QueueDiscipline<P> for Sfq<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let bucket = self.bucket(packet.flow(), cx.rng);
        let used = self.slots.packets_in(bucket);
        let bucket_full = used >= self.depth;
        let refused = match self.victim {
            Victim::ArrivalNs2 => bucket_full || self.ns2_refuses(used),
            Victim::LongestTail => bucket_full,
            Victim::LongestHead => false,
        };
        if refused || !self.slots.has_room_for(bucket) {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        self.backlog.packets += 1;
        self.backlog.bytes += packet.size();
        self.slots.push(bucket, packet, cx.now, self.quantum);
        if bucket_full {
            // Head drop: the oldest packet of the full bucket makes room for the arrival.
            if let Some(packet) = self.slots.pop_oldest_of(bucket) {
                self.drop_queued(packet, cx);
            }
        }
        if self.backlog.packets > self.limit
            && let Some(packet) = self.slots.pop_longest(self.victim == Victim::LongestHead)
        {
            self.drop_queued(packet, cx);
        }
    }

    #[inline]
    fn dequeue(&mut self, _cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let (packet, arrival) = match self.service {
            Service::Packet => self.slots.pop_packet_turn(),
            Service::Byte => self.slots.pop_byte_turn(self.quantum),
        }?;
        self.subtract_backlog(&packet);
        Some((packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.next_perturb
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        if self.next_perturb.is_some_and(|due| due <= cx.now) {
            self.next_perturb = Some(cx.now.saturating_add(self.perturb));
            self.rehash(cx);
        }
    }

    fn link_changed(&mut self, _link: &LinkView, _cx: &mut Cx<'_, P>) {}

    fn state_names(&self) -> &'static [&'static str] {
        &["active_flows"]
    }

    fn state(&self, out: &mut [f64]) {
        out[0] = f64::from(self.slots.active());
    }
}

/// Hash of ns-2 (`SFQ::hash`): the sum of the addresses without salt, so neighbouring sums share or adjoin buckets.
fn ns2_bucket(flow: FlowKey, buckets: u32) -> u32 {
    let k = i64::from(flow.src) + i64::from(flow.dst);
    let h = (k + (k >> 8) + !(k >> 4)).rem_euclid((1 << 20) - 1);
    (h % i64::from(buckets)) as u32
}

#[inline]
fn salted_bucket(flow: FlowKey, hash: FlowHash, salt: u64, buckets: u32) -> u32 {
    let addresses = u64::from(flow.src) << 32 | u64::from(flow.dst);
    let mut h = mix64(addresses ^ salt);
    if hash == FlowHash::FiveTuple {
        let rest = u64::from(flow.src_port) << 32 | u64::from(flow.dst_port) << 16 | u64::from(flow.protocol);
        h = mix64(h ^ rest);
    }
    scale(h, buckets)
}

#[cfg(test)]
mod tests;
