//! CHOKe: choose and keep for responsive flows, choose and kill for unresponsive flows.
//!
//! Pan, Prabhakar, Psounis, "CHOKe: a stateless active queue management scheme for approximating fair bandwidth
//! allocation", INFOCOM 2000. If RED's average is above `min_th`, an arrival is compared with a packet drawn at random
//! from the queue. If both belong to the same flow, both are dropped. The more of the queue a flow holds, the more
//! often this happens to it. Other arrivals continue to RED, whose count does not include the dropped ones.
//!
//! Choices: candidates are drawn without replacement (`draw = "repeated"` puts them back). The self-adjusting form
//! compares with `2 i` candidates in the `i`-th of `regions` equal parts between the thresholds, and with the most
//! above them. Flows are five-tuples, as in Linux, unless `flow` says otherwise.
//!
//! Differences: Linux tries three slots of a table with holes and then takes the oldest packet, which makes that one
//! slightly more likely; here the queue has no holes. A tc line has Linux's average in whole packets (`count =
//! "linux"`). Taking a packet out of the middle moves the shorter half of the queue up.

pub(crate) mod history;
pub(crate) mod meeting;
pub(crate) mod red_fifo;
#[cfg(test)]
pub(crate) mod trial;

use self::meeting::{Draw, MOST_CANDIDATES, Meeting};
use self::red_fifo::RedFifo;
use super::red::{CountForm, red_based, tc_burst, weight_log};
use crate::discipline::{Aqm as _, Backlog, Cx, LinkView, QueueDiscipline};
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::math::pow;
use tailrace_core::{Bytes, DropReason, Instant, Limit, Packet, Probability, Rate};

red_based! {
    /// Parameters of `choke`.
    pub struct ChokeConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = false, "Pan, Prabhakar, Psounis 2000: above max_th everything dies";
        /// With how many waiting packets an arriving one is compared; if one is of the same flow, both are dropped.
        /// With too few, several unresponsive flows get through; with too many, flows that hold only a fair share of
        /// the queue lose packets.
        candidates: u32 = 1, "Pan, Prabhakar, Psounis 2000";
        /// Whether the number of comparisons adjusts itself: two more in each region between the thresholds, instead
        /// of `candidates`.
        adjust: bool = false, "Pan, Prabhakar, Psounis 2000, basic form";
        /// With `adjust`: into how many equal regions the range between the thresholds is divided. With more there
        /// are more comparisons near `max_th`.
        regions: u32 = 8, "Pan, Prabhakar, Psounis 2000, simulations";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow. With fewer fields,
        /// packets of different connections count as one flow.
        flow: FlowBy = FlowBy::FiveTuple, "Linux sch_choke";
        /// Waiting packets with which an arriving one is compared.
        draw: Draw = Draw::Random, "Pan, Prabhakar, Psounis 2000";
    }
}

impl Discipline for ChokeConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED that compares each arriving packet with a random waiting one, and drops both if they are of the same flow.",
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
            queue: RedFifo::new(&self.red(), link),
            meeting: Meeting::new(self.flow, self.draw),
            candidates: self.candidates,
            regions: self.adjust.then_some(self.regions),
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
    queue: RedFifo<P>,
    meeting: Meeting,
    candidates: u32,
    /// With `adjust`: into how many equal regions the range between the thresholds is divided. With more there are
    /// more comparisons near `max_th`.
    regions: Option<u32>,
    /// Arrivals that met a packet of their flow.
    matches: u64,
}

impl<P: Packet> Choke<P> {
    /// Number of packets that an arrival meets at the present average.
    #[inline]
    fn candidates(&self) -> usize {
        let Some(regions) = self.regions else { return self.candidates as usize };
        let red = self.queue.red();
        let (min, max) = red.thresholds();
        let place = (red.average() - min) / (max - min) * f64::from(regions);
        2 * ((place as usize).min(regions as usize - 1) + 1)
    }
}

impl<P: Packet> QueueDiscipline<P> for Choke<P> {
    #[inline]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.queue.observe(cx.now);
        if self.queue.is_congested() {
            let matches = self.meeting.matches(&self.queue, packet.flow(), self.candidates(), cx.rng);
            if !matches.is_empty() {
                self.matches += 1;
                self.queue.kill(matches, cx);
                cx.sink.dropped(packet, DropReason::Aqm, cx.now);
                return;
            }
        }
        self.queue.admit(packet, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.queue.dequeue(cx)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.queue.red_mut().link_changed(link, cx.now);
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["average_packets", "average_bytes", "drop_probability", "max_p", "matches"]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.queue.red().state(red);
        own[0] = self.matches as f64;
    }
}

#[cfg(test)]
mod tests;
