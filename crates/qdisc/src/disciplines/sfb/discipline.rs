//! `sfb` as a registered discipline: description, checks, queue, tc.

use super::Sfb;
use super::bins::{Bank, MOST_BINS};
use super::config::{Early, Overflow, SfbConfig, Warm, parts};
use super::hash::{BinHash, MOST_LEVELS};
use crate::classifier::Flags;
use crate::discipline::{Backlog, LinkView};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use std::collections::VecDeque;
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Probability};

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
        // tc derives one of the two sizes of a bin from the other.
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
