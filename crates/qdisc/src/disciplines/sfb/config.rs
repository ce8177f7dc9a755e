//! Parameters of `sfb`, their spelling in tc, and which of them go together.

use super::bins::{Bank, MOST_BINS, MOST_LEVELS, PARTS, Rules};
use super::hash::BinHash;
use super::visit::Shape;
use super::{Penalty, Sfb};
use crate::classifier::Flags;
use crate::discipline::{Backlog, LinkView};
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use std::collections::VecDeque;
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Probability};

tailrace_core::choices! {
    /// Whose SFB: the order of its steps, and the defaults of all parameters that are `"auto"`.
    pub enum Form {
        /// The code in the Linux kernel.
        Linux = "linux",
        /// The port to ns-2 by Los Alamos National Laboratory.
        Lanl = "lanl",
    }
}

tailrace_core::choices! {
    /// What a packet that its bins' probability hits gets.
    pub enum Early {
        /// It is marked if it is ECN-capable, otherwise dropped.
        Signal = "signal",
        /// As `signal`; but at probabilities above 1/2 a growing part is dropped, ECN-capable or not.
        Linux = "linux",
        /// It is marked if it is ECN-capable; otherwise nothing happens.
        MarkOnly = "mark_only",
    }
}

tailrace_core::choices! {
    /// Which full bins drop a packet.
    pub enum Overflow {
        /// If any one of the packet's bins is full.
        Any = "any",
        /// Only if all of the packet's bins are full.
        All = "all",
    }
}

tailrace_core::choices! {
    /// What the bins of the next hash learn from.
    pub enum Warm {
        /// From all packets, starting at the probability `initial`.
        Always = "always",
        /// From packets of unresponsive flows, during `warmup` before the change.
        Inelastic = "inelastic",
    }
}

tailrace_core::parameters! {
    /// Parameters of `sfb`.
    pub struct SfbConfig {
        /// Which version of SFB this is: in which order it does its steps, and the value of every parameter below
        /// that is `"auto"`.
        form: Form = Form::Linux, "tc sfb";
        /// The most that may wait in the queue. If it is too small, bins never fill, and no flow is found out.
        /// `"auto"`: 1000 packets (linux), 200 (lanl).
        limit: Option<Limit> = None, "Linux txqueuelen; Bedi et al. 2014";
        /// How many levels of bins there are, each with a hash of its own. With more, fewer innocent flows are
        /// caught, but each packet costs more computing time. `"auto"`: 8 (linux), 2 (lanl).
        levels: Option<u32> = None, "Linux SFB_LEVELS; Feng et al. 2001";
        /// How many bins each level has. With too few, innocent flows share bins with floods at every level.
        /// `"auto"`: 16 (linux), 23 (lanl).
        bins: Option<u32> = None, "Linux SFB_NUMBUCKETS; Feng et al. 2001";
        /// Which header fields tell flows apart: packets that agree in them belong to one flow. With fewer fields,
        /// innocent flows share the bins of a flood.
        flow: FlowBy = FlowBy::FiveTuple, "Linux sch_sfb";
        /// How a flow is assigned to its bins. `lanl` needs two levels; with `flow = "src_dst"` it gives what ns-2
        /// does for agents whose ports are all zero.
        hash: BinHash = BinHash::Salted, "Linux sch_sfb; LANL port";
        /// From how many packets in a bin on its probability rises. If it is too small, short bursts are hit.
        /// `"auto"`: 20 (linux), `limit` over `bins` (lanl).
        target: Option<u32> = None, "Linux bin_size; LANL port";
        /// From how many packets on a bin is full. If it is too small, packets are dropped for that reason and not by
        /// the law. `"auto"`: 25 (linux), one and a half times `target` (lanl).
        max: Option<u32> = None, "Linux max; LANL port";
        /// The mean size of a packet. It converts a `limit` in bytes into the packets from which `target` follows.
        avpkt: Bytes = Bytes(1000), "Bedi et al. 2014";
        /// By how much the probability of a bin rises when the bin has too many packets. If it is too large,
        /// probabilities swing up and down. `"auto"`: 1/1000 (linux), 0.005 (lanl).
        increment: Option<Probability> = None, "Linux increment; LANL port d1";
        /// By how much the probability of a bin falls when the bin is empty. If it is too large, floods are forgotten
        /// in their pauses. `"auto"`: 1/6000 (linux), 0.001 (lanl).
        decrement: Option<Probability> = None, "Linux decrement; LANL port d2";
        /// The shortest time between two changes of a bin's probability. If it is too large, floods are found late.
        /// `"auto"`: none (linux), 100 ms (lanl).
        freeze: Option<Duration> = None, "Linux; LANL port hold_time";
        /// If the probabilities of all bins of a flow reach this, the flow counts as unresponsive. `"auto"`: 1
        /// (linux), 0.98 (lanl).
        penalise: Option<Probability> = None, "Linux SFB_MAX_PROB; LANL port";
        /// What happens to a packet that its bins' probability hits. `"auto"`: linux (linux), mark_only (lanl).
        early: Option<Early> = None, "Linux; LANL port";
        /// When full bins drop a packet. `"auto"`: all (linux); any (lanl), which also hits flows that share only one
        /// bin with a flood.
        overflow: Option<Overflow> = None, "Linux; LANL port";
        /// After which time another hash takes over; zero means never. If it is too large, flows that share bins with
        /// a flood do so for long. `"auto"`: 600 s (linux), 20 s (lanl).
        rehash: Option<Duration> = None, "Linux rehash_interval; LANL port hinterval";
        /// From which packets the bins of the next hash learn before it takes over. `"auto"`: inelastic (linux),
        /// always (lanl).
        warm: Option<Warm> = None, "Linux double buffering; LANL port";
        /// With `warm = "inelastic"`: for how long before the change the bins of the next hash learn. If it is too
        /// small, floods get through at first.
        warmup: Duration = Duration::from_secs(60), "Linux warmup_time";
        /// With `warm = "always"`: the probability at which the bins of the next hash start.
        initial: Probability = Probability::clamped(0.2), "LANL port";
        /// Penalty box of `lanl`: one packet is let out in each such time, of all its flows together. If it is too
        /// small, floods get through.
        penalty_interval: Duration = Duration::from_millis(50), "LANL port pbox_time";
        /// Penalty box of `linux`: how many packets per second are let out, of all its flows together. Zero: none.
        penalty_rate: u32 = 10, "Linux penalty_rate";
        /// Penalty box of `linux`: how many packets may be let out at once. Zero: none.
        penalty_burst: u32 = 20, "Linux penalty_burst";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = true, "Linux";
    }
}

impl SfbConfig {
    fn auto<T>(&self, given: Option<T>, linux: T, lanl: T) -> T {
        given.unwrap_or(if self.form == Form::Linux { linux } else { lanl })
    }

    fn limit(&self) -> Limit {
        self.auto(self.limit, Limit::Packets(1000), Limit::Packets(200))
    }

    fn bins(&self) -> u32 {
        self.auto(self.bins, 16, 23)
    }

    fn levels(&self) -> u32 {
        self.auto(self.levels, 8, 2)
    }

    fn target(&self) -> u32 {
        let packets = match self.limit() {
            Limit::Packets(n) => n,
            Limit::Bytes(b) => b.get() / self.avpkt.get().max(1),
        };
        let share = u32::try_from(packets / u64::from(self.bins().max(1))).unwrap_or(u32::MAX).max(1);
        self.auto(self.target, 20, share)
    }

    fn max(&self) -> u32 {
        let target = self.target();
        self.auto(self.max, 25, target.saturating_add(target / 2))
    }

    fn rules(&self) -> Rules {
        let p = |given: Option<Probability>, linux, lanl| {
            parts(self.auto(given, Probability::clamped(linux), Probability::clamped(lanl)))
        };
        let freeze = self.auto(self.freeze, Duration::ZERO, Duration::from_millis(100));
        let lower_at_departure = self.form == Form::Lanl;
        // A bin that is lowered from zero stays as it is, but for its freeze.
        let calm = if freeze.is_zero() || lower_at_departure { self.target().min(self.max()) } else { 0 };
        Rules {
            hash: self.hash,
            levels: self.levels(),
            bins: self.bins(),
            shape: Shape::new(self.hash, self.levels(), self.bins()),
            target: self.target(),
            max: self.max(),
            increment: p(self.increment, 1.0 / 1000.0, 0.005),
            decrement: p(self.decrement, 1.0 / 6000.0, 0.001),
            freeze,
            initial: parts(self.initial),
            calm,
            lower_at_departure,
        }
    }

    fn penalty(&self) -> Penalty {
        match self.form {
            Form::Lanl => Penalty::Spaced { interval: self.penalty_interval, next: Instant::ZERO },
            Form::Linux => Penalty::Bucket {
                rate: self.penalty_rate,
                burst: self.penalty_burst,
                tokens: if self.penalty_rate == 0 { 0 } else { self.penalty_burst },
                since: Instant::ZERO,
            },
        }
    }
}

/// `p` in parts of [`PARTS`].
fn parts(p: Probability) -> u32 {
    (p.get() * f64::from(PARTS) + 0.5) as u32
}

impl Discipline for SfbConfig {
    const ABOUT: About = About {
        family: "blue",
        summary: "BLUE with a drop probability for groups of flows; flows that do not slow down share a small part of the link.",
        citation: "Feng, Kandlur, Saha and Shin, INFOCOM 2001; Linux sch_sfb",
        ecn: "with `ecn` marks what the probability hits; full bins and the penalty box drop",
        per_flow_state: "none; bins shared by flows that collide, and at most 4096 flags",
    };
    const CLASSIFIES: bool = true;
    const TC_KINDS: &'static [&'static str] = &["sfb"];
    type Queue<P: Packet> = Sfb<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit(), Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        for (name, n, most) in [("levels", self.levels(), MOST_LEVELS), ("bins", self.bins(), MOST_BINS)] {
            if !(1..=most).contains(&n) {
                return Err((name, format!("must be 1 to {most}, is {n}")));
            }
        }
        if self.hash == BinHash::Lanl && self.levels() > BinHash::LANL_LEVELS {
            return Err((
                "levels",
                format!("hash \"lanl\" has {}, not {}", BinHash::LANL_LEVELS, self.levels()),
            ));
        }
        for (name, n) in [("target", self.target()), ("max", self.max())] {
            if n == 0 {
                return Err((name, "no bin could ever hold a packet; it must be larger".into()));
            }
        }
        if self.avpkt == Bytes::ZERO {
            return Err(("avpkt", "the mean packet size cannot be zero".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Sfb<P> {
        let rules = self.rules();
        let warm = self.auto(self.warm, Warm::Inelastic, Warm::Always);
        let next_p = if warm == Warm::Always { rules.initial } else { 0 };
        Sfb {
            fifo: VecDeque::new(),
            backlog: Backlog::default(),
            banks: [Bank::new(&rules, 0), Bank::new(&rules, next_p)],
            active: 0,
            salt: None,
            by: self.flow,
            flags: Flags::new(),
            limit: self.limit(),
            ecn: self.ecn,
            form: self.form,
            early: self.auto(self.early, Early::Linux, Early::MarkOnly),
            overflow: self.auto(self.overflow, Overflow::All, Overflow::Any),
            warm,
            penalise: parts(self.auto(self.penalise, Probability::ONE, Probability::clamped(0.98))),
            rehash: self.auto(self.rehash, Duration::from_secs(600), Duration::from_secs(20)),
            warmup: self.warmup,
            rehashed: Instant::ZERO,
            penalty: self.penalty(),
            penalised: 0,
            seeded: 0,
            rules,
        }
    }

    /// tc gives times in milliseconds without a unit (`tc-sfb(8)`).
    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        const WORDS: [&str; 9] = [
            "rehash",
            "db",
            "limit",
            "max",
            "target",
            "increment",
            "decrement",
            "penalty_rate",
            "penalty_burst",
        ];
        // tc sends its own steps where none are written, about half and a quarter of the kernel's: 33 and 3 of 65 535.
        let step = |of: f64| Some(Probability::clamped(of / 65_535.0));
        let mut config = Self { increment: step(33.0), decrement: step(3.0), ..Self::default() };
        while let Some(word) = words.next_word() {
            match word {
                "rehash" => config.rehash = Some(Duration::from_millis(u64::from(words.count32()?))),
                "db" => config.warmup = Duration::from_millis(u64::from(words.count32()?)),
                // Zero is the device's own length, as if left out.
                "limit" => config.limit = Some(words.count()?).filter(|n| *n > 0).map(Limit::Packets),
                "max" => config.max = Some(words.count32()?),
                "target" => config.target = Some(words.count32()?),
                "increment" => config.increment = Some(words.probability()?),
                "decrement" => config.decrement = Some(words.probability()?),
                "penalty_rate" => config.penalty_rate = words.count32()?,
                "penalty_burst" => config.penalty_burst = words.count32()?,
                _ => return Err(words.unknown(&WORDS)),
            }
        }
        // Of the two sizes of a bin tc derives the one from the other.
        match (config.target, config.max) {
            (Some(target), None) => config.max = Some((target * 5 + 1) / 4),
            (None, Some(max)) => config.target = Some((max * 4 + 3) / 5),
            _ => {}
        }
        Ok(config)
    }

    fn explicit(&self, _link: &LinkView) -> Self {
        let probability = |given: Option<Probability>, linux, lanl| {
            Some(self.auto(given, Probability::clamped(linux), Probability::clamped(lanl)))
        };
        Self {
            limit: Some(self.limit()),
            levels: Some(self.levels()),
            bins: Some(self.bins()),
            target: Some(self.target()),
            max: Some(self.max()),
            increment: probability(self.increment, 1.0 / 1000.0, 0.005),
            decrement: probability(self.decrement, 1.0 / 6000.0, 0.001),
            freeze: Some(self.auto(self.freeze, Duration::ZERO, Duration::from_millis(100))),
            penalise: probability(self.penalise, 1.0, 0.98),
            early: Some(self.auto(self.early, Early::Linux, Early::MarkOnly)),
            overflow: Some(self.auto(self.overflow, Overflow::All, Overflow::Any)),
            rehash: Some(self.auto(self.rehash, Duration::from_secs(600), Duration::from_secs(20))),
            warm: Some(self.auto(self.warm, Warm::Inelastic, Warm::Always)),
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let millis = |d: Duration| (d.as_nanos().saturating_add(500_000)) / 1_000_000;
        Some(
            TcLine::new("sfb")
                .count("rehash", self.rehash.map(millis))
                .count("db", millis(self.warmup))
                .packets("limit", self.limit)
                .count("max", u64::from(self.max()))
                .count("target", u64::from(self.target()))
                .probability("increment", self.increment)
                .probability("decrement", self.decrement)
                .count("penalty_rate", u64::from(self.penalty_rate))
                .count("penalty_burst", u64::from(self.penalty_burst)),
        )
    }
}
