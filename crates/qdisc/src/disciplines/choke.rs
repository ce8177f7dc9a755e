//! CHOKe: choose and keep for responsive flows, choose and kill for unresponsive flows.
//!
//! Pan, Prabhakar, Psounis, "CHOKe: a stateless active queue management scheme for approximating fair bandwidth
//! allocation", INFOCOM 2000. Where RED's average is above `min_th`, an arrival is compared with a packet drawn from
//! the queue, and both die where they are of one flow: a flow meets itself the more often the more of the queue it
//! holds. Packets that met nobody of their own go on to RED, whose count does not see the others.
//!
//! Readings: candidates are drawn without replacement (`draw = "repeated"` puts them back); the self-adjusting form
//! takes `2 i` candidates in the `i`-th of `regions` equal parts of the band, and the most above it. Flows are
//! five-tuples, as in Linux, unless `flow` says otherwise.
//!
//! Departures: Linux tries three slots of a table with holes and then takes the oldest packet, which favours that one
//! a little; here the queue has no holes. Taking a packet out of the middle moves the shorter half of the queue up.

use super::red::{CountForm, Red, red_based, tc_burst, weight_log};
use crate::discipline::{Aqm, Backlog, Cx, LinkView, QueueDiscipline};
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use crate::signal::{Fate, fate};
use crate::tc::{TcError, TcLine, TcWords};
use std::collections::VecDeque;
use tailrace_core::math::pow;
use tailrace_core::{Bytes, DropReason, FlowKey, Instant, Limit, Packet, Probability, Rate, Rng};

tailrace_core::choices! {
    /// Where the candidates are.
    pub enum Draw {
        /// Anywhere, each waiting packet at most once.
        Random = "random",
        /// Anywhere, the same packet perhaps several times.
        Repeated = "repeated",
        /// The oldest (front CHOKe).
        Front = "front",
        /// The newest (back CHOKe).
        Back = "back",
    }
}

red_based! {
    /// Parameters of `choke`.
    pub struct ChokeConfig {
        /// Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of jumping.
        gentle: bool = false, "Pan, Prabhakar, Psounis 2000: above max_th everything dies";
        /// Packets that an arrival is compared with. Too few: several unresponsive flows get past. Too many: flows
        /// that hold a fair share of the queue suffer.
        candidates: u32 = 1, "Pan, Prabhakar, Psounis 2000";
        /// Self-adjusting: two candidates more in each region of the band, instead of `candidates`.
        adjust: bool = false, "Pan, Prabhakar, Psounis 2000, basic form";
        /// Self-adjusting: number of equal regions between the thresholds. More: more candidates at `max_th`.
        regions: u32 = 8, "Pan, Prabhakar, Psounis 2000, simulations";
        /// Which fields make a flow. Fewer: packets of different connections meet.
        flow: FlowBy = FlowBy::FiveTuple, "Linux sch_choke";
        /// Where the candidates are.
        draw: Draw = Draw::Random, "Pan, Prabhakar, Psounis 2000";
    }
}

/// Most candidates: each costs a look at a packet somewhere in memory, for every arrival.
const MOST_CANDIDATES: u32 = 64;

impl Discipline for ChokeConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED that kills an arrival together with a random waiting packet of the same flow.",
        citation: "Pan, Prabhakar and Psounis, INFOCOM 2000; Linux sch_choke",
        ecn: "with `ecn` RED's signal marks; a match always drops both",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["choke"];
    type Queue<P: Packet> = Choke<P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        if !(1..=MOST_CANDIDATES).contains(&self.candidates) {
            return Err(("candidates", format!("must be 1 to {MOST_CANDIDATES}, is {}", self.candidates)));
        }
        let most = MOST_CANDIDATES / 2;
        if !(1..=most).contains(&self.regions) {
            return Err(("regions", format!("must be 1 to {most}, is {}", self.regions)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Choke<P> {
        Choke {
            fifo: VecDeque::new(),
            backlog: Backlog::default(),
            limit: self.limit,
            ecn: self.ecn,
            red: Red::new(&self.red(), link),
            by: self.flow,
            draw: self.draw,
            candidates: self.candidates,
            regions: self.adjust.then_some(self.regions),
            picks: Vec::with_capacity(MOST_CANDIDATES as usize),
            matches: 0,
        }
    }

    /// tc's defaults for what is left out are those of `red`, in packets (iproute2 `q_choke.c`).
    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut config = Self {
            bandwidth: Some(Rate::from_mbit(10)),
            queue_in_bytes: Some(false),
            count: CountForm::Linux,
            guard: 0,
            harddrop: false,
            ..Self::default()
        };
        let (mut limit, mut min, mut max, mut burst) = (None, None, None, None);
        while let Some(word) = words.next_word() {
            match word {
                "limit" => limit = Some(words.count32()?),
                "min" => min = Some(words.count32()?),
                "max" => max = Some(words.count32()?),
                "burst" => burst = Some(words.count()?),
                "avpkt" => config.avpkt = words.size()?,
                "probability" => config.max_p = words.probability()?,
                "bandwidth" => config.bandwidth = Some(words.rate()?),
                "ecn" => config.ecn = true,
                _ => {
                    return Err(words.unknown(&[
                        "limit",
                        "min",
                        "max",
                        "burst",
                        "avpkt",
                        "probability",
                        "bandwidth",
                        "ecn",
                    ]));
                }
            }
        }
        let limit =
            limit.ok_or_else(|| words.error("choke needs a limit in packets, such as \"limit 1000\""))?;
        let max = u64::from(max.unwrap_or(limit / 4));
        let min = min.map_or(max / 3, u64::from);
        let burst = burst.unwrap_or((2 * min + max) / 3);
        if config.avpkt == Bytes::ZERO {
            return Err(words.error("avpkt cannot be zero"));
        }
        let log = weight_log(Bytes(min), burst, Bytes(1))
            .ok_or_else(|| words.error(format!("burst {burst} is too small for min {min}")))?;
        config.limit = Limit::Packets(limit.into());
        config.min_th = Some(Limit::Packets(min));
        config.max_th = Some(Limit::Packets(max));
        config.weight = Some(Probability::clamped(pow(0.5, f64::from(log))));
        Ok(config)
    }

    fn explicit(&self, link: &LinkView) -> Self {
        let red = self.red().explicit(link);
        Self {
            min_th: red.min_th,
            max_th: red.max_th,
            weight: red.weight,
            auto_weight: red.auto_weight,
            bandwidth: red.bandwidth,
            queue_in_bytes: red.queue_in_bytes,
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let packets = |th: Option<Limit>| {
            th.map_or(0, |th| match th {
                Limit::Packets(n) => n,
                Limit::Bytes(b) => (b.as_f64() / self.avpkt.as_f64() + 0.5) as u64,
            })
        };
        let (min, max) = (packets(self.min_th), packets(self.max_th));
        Some(
            TcLine::new("choke")
                .packets("limit", self.limit)
                .count("min", min)
                .count("max", max)
                .count("burst", tc_burst(self.weight, Bytes(min), Bytes(1)))
                .size("avpkt", self.avpkt)
                .probability("probability", self.max_p)
                .rate("bandwidth", self.bandwidth)
                .flag("ecn", self.ecn),
        )
    }
}

/// The discipline.
#[derive(Debug)]
pub struct Choke<P> {
    fifo: VecDeque<(P, Instant)>,
    backlog: Backlog,
    limit: Limit,
    ecn: bool,
    red: Red,
    by: FlowBy,
    draw: Draw,
    candidates: u32,
    /// Regions of the band, where the number of candidates adjusts itself.
    regions: Option<u32>,
    /// Places of the candidates of the present arrival.
    picks: Vec<usize>,
    /// Arrivals that met a packet of their flow.
    matches: u64,
}

impl<P: Packet> Choke<P> {
    /// How many packets an arrival meets at the present average.
    #[inline]
    fn candidates(&self) -> usize {
        let Some(regions) = self.regions else { return self.candidates as usize };
        let (min, max) = self.red.thresholds();
        let place = (self.red.average() - min) / (max - min) * f64::from(regions);
        2 * ((place as usize).min(regions as usize - 1) + 1)
    }

    /// Chooses up to `m` places of the queue.
    #[inline]
    fn pick(&mut self, m: usize, rng: &mut Rng) {
        let waiting = self.fifo.len();
        let distinct = m.min(waiting);
        let picks = &mut self.picks;
        picks.clear();
        match self.draw {
            // Floyd's sampling: every set of `distinct` places is equally likely, with as many draws.
            Draw::Random => {
                for last in waiting - distinct..waiting {
                    let place = rng.below(last as u64 + 1) as usize;
                    picks.push(if picks.contains(&place) { last } else { place });
                }
            }
            Draw::Repeated => {
                for _ in 0..m {
                    let place = rng.below(waiting as u64) as usize;
                    if !picks.contains(&place) {
                        picks.push(place);
                    }
                }
            }
            Draw::Front => picks.extend(0..distinct),
            Draw::Back => picks.extend(waiting - distinct..waiting),
        }
    }

    /// Drops the candidates that are of `flow`; returns whether there was one.
    #[inline]
    fn kill_matches(&mut self, flow: FlowKey, cx: &mut Cx<'_, P>) -> bool {
        let (fifo, by) = (&self.fifo, self.by);
        let flow = by.key(flow);
        self.picks.retain(|place| fifo.get(*place).is_some_and(|(p, _)| by.key(p.flow()) == flow));
        // From the back, so that places in front stay true.
        self.picks.sort_unstable();
        for place in self.picks.iter().rev() {
            let Some((packet, _)) = self.fifo.remove(*place) else { continue };
            self.backlog.packets -= 1;
            self.backlog.bytes -= packet.size();
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
        }
        !self.picks.is_empty()
    }
}

impl<P: Packet> QueueDiscipline<P> for Choke<P> {
    #[inline]
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        self.red.observe(self.backlog, cx.now);
        if self.red.average() > self.red.thresholds().0 && !self.fifo.is_empty() {
            self.pick(self.candidates(), cx.rng);
            if self.kill_matches(packet.flow(), cx) {
                self.matches += 1;
                cx.sink.dropped(packet, DropReason::Aqm, cx.now);
                return;
            }
        }
        let verdict = self.red.judge(size, self.backlog, cx.rng);
        let fate = fate(verdict, self.ecn, packet.ecn());
        if fate == Fate::Drop {
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        if !self.backlog.has_room(self.limit, size) {
            self.red.on_overlimit(cx.now);
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        self.fifo.push_back((packet, cx.now));
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let Some((packet, arrival)) = self.fifo.pop_front() else {
            self.red.on_idle(cx.now);
            return None;
        };
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        Some((packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["average_packets", "average_bytes", "drop_probability", "max_p", "matches"]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.red.state(red);
        own[0] = self.matches as f64;
    }
}

#[cfg(test)]
mod tests;
