//! RECHOKe: repeatedly choose and keep, repeatedly choose and kill. Experimental: a reconstruction.
//!
//! Govindaswamy, Záruba, Balasekaran, "RECHOKe: a scheme for detection, control and punishment of malicious flows in IP
//! networks", GLOBECOM 2007. According to its abstract, it extends XCHOKe, CHOKe and RED-PD; it combines the history of
//! CHOKe's hits with that of RED's drops and marks; and a hit drops nothing, so no packet has to be taken out of the
//! queue.
//!
//! Everything else is our interpretation. An arrival above `min_th` is compared with one random waiting packet after
//! another as long as they belong to its flow, at most `draws` times; each match is a hit. Then RED decides about it as
//! about any other packet. A table holds, for each flow that was hit, its hits and RED's signals since then. The
//! smaller of the two is its score, so a flow counts as malicious only if both agree. From a score of `detect` on, the
//! flow is *detected* and *controlled*: its arrivals are dropped, before RED sees them, with probability score divided
//! by `block`. From `block` on it is *punished*: all arrivals are dropped. These drops are not added to any history, as
//! in RED-PD. Both counts are halved every `age`.
//!
//! A flow is flagged from the arrival that finds it detected to the first one that finds it is not. Rely on qualitative
//! properties, not on numbers: the thresholds are ours, and they are too low for few flows, which often match
//! themselves.

use super::choke::history::{Entry, History};
use super::choke::meeting::{Draw, Meeting};
use super::choke::red_fifo::{Outcome, RedFifo};
use super::red::red_based;
use crate::classifier::{Flags, salted};
use crate::discipline::{Aqm as _, Backlog, Cx, LinkView, QueueDiscipline};
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{DropReason, Duration, FlowKey, Instant, Packet, Rng};

red_based! {
    /// Parameters of `rechoke`.
    pub struct RechokeConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = false, "as choke";
        /// With how many waiting packets an arriving one is compared at most. If it is too small, a flow that sends
        /// much is found late; a larger number costs computing time.
        draws: u32 = 8, "this reconstruction";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow. With fewer fields,
        /// packets of different connections count as one flow.
        flow: FlowBy = FlowBy::FiveTuple, "as choke";
        /// Number of flows that the table holds. If it is too small, attackers push each other out of it; if it is too
        /// large, each hit takes a longer search.
        entries: u32 = 64, "this reconstruction";
        /// The score from which a flow counts as malicious. If it is too small, fair flows do; if it is too large,
        /// attackers are found late.
        detect: u32 = 8, "this reconstruction";
        /// The score from which all packets of a flow are dropped. If it is too small, a flow has no time to slow
        /// down; if it is too large, floods lose only part of their packets.
        block: u32 = 64, "this reconstruction";
        /// The time in which scores fall by half. If it is too short, floods come back often; if it is too long, a
        /// flow that has slowed down stays blocked.
        age: Duration = Duration::from_secs(1), "this reconstruction";
    }
}

/// Largest table, and most draws: both bound the work for one arrival.
const MOST_ENTRIES: u32 = 4096;
const MOST_DRAWS: u32 = 64;

impl Discipline for RechokeConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED behind a filter that drops packets of flows that often meet their own packets and are often signalled (reconstruction).",
        citation: "Govindaswamy, Záruba and Balasekaran, GLOBECOM 2007 (reconstructed from its abstract)",
        ecn: "with `ecn` RED's signal marks; the filter drops",
        per_flow_state: "hits and signals of at most `entries` flows, and at most 4096 flags",
    };
    const CLASSIFIES: bool = true;
    type Queue<P: Packet> = Rechoke<P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        for (name, n, most) in [("draws", self.draws, MOST_DRAWS), ("entries", self.entries, MOST_ENTRIES)] {
            if !(1..=most).contains(&n) {
                return Err((name, format!("must be 1 to {most}, is {n}")));
            }
        }
        if self.detect == 0 {
            return Err(("detect", "must be at least 1".into()));
        }
        if self.block < self.detect {
            return Err(("block", format!("{} is below detect, {}", self.block, self.detect)));
        }
        if self.age.is_zero() {
            return Err(("age", "histories cannot halve in no time".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Rechoke<P> {
        Rechoke {
            queue: RedFifo::new(&self.red(), link),
            meeting: Meeting::new(self.flow, Draw::Random),
            draws: self.draws,
            by: self.flow,
            history: History::new(self.entries, self.age),
            detect: self.detect,
            block: self.block,
            salt: None,
            flags: Flags::new(),
            hits: 0,
            filtered: 0,
        }
    }
}

/// The discipline.
#[derive(Debug)]
pub struct Rechoke<P> {
    queue: RedFifo<P>,
    meeting: Meeting,
    draws: u32,
    by: FlowBy,
    history: History,
    detect: u32,
    block: u32,
    /// Salt of the flags, drawn with the first packet.
    salt: Option<u64>,
    flags: Flags,
    /// Matches.
    hits: u64,
    /// Arrivals that the filter dropped.
    filtered: u64,
}

/// Score on which both histories agree.
fn score(entry: &Entry) -> u32 {
    entry.hits.min(entry.signals)
}

impl<P: Packet> Rechoke<P> {
    /// Compares an arrival with waiting packets until one is of another flow; how many were of its own.
    fn draw(&mut self, flow: FlowKey, rng: &mut Rng) -> u32 {
        let mut hits = 0;
        while hits < self.draws && !self.meeting.matches(&self.queue, flow, 1, rng).is_empty() {
            hits += 1;
        }
        hits
    }
}

impl<P: Packet> QueueDiscipline<P> for Rechoke<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let key = packet.flow();
        let salt = *self.salt.get_or_insert_with(|| cx.rng.next_u64());
        let flow = self.by.key(key);
        self.queue.observe(cx.now);
        self.history.advance(cx.now);
        let score = self.history.get(flow).map_or(0, score);
        let detected = score >= self.detect;
        self.flags.set(key, || salted(key, salt), detected, cx);
        if self.queue.is_congested() {
            if detected && cx.rng.below(u64::from(self.block)) < u64::from(score) {
                self.filtered += 1;
                cx.sink.dropped(packet, DropReason::Aqm, cx.now);
                return;
            }
            let hits = self.draw(key, cx.rng);
            if hits > 0 {
                self.hits += u64::from(hits);
                self.history.hit(flow, hits);
            }
        }
        if self.queue.admit(packet, cx) != Outcome::Admitted {
            self.history.signal(flow);
        }
    }

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
        &["average_packets", "average_bytes", "drop_probability", "max_p", "hits", "filtered", "known_flows"]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.queue.red().state(red);
        own.copy_from_slice(&[self.hits as f64, self.filtered as f64, self.history.len() as f64]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::choke::trial::{LINK, flood_among_many, matching_only, spoofed};
    use super::super::choke::{Choke, ChokeConfig};
    use super::*;
    use crate::testing::{Collector, Counter, TestPacket};
    use tailrace_core::{Ecn, Probability};

    fn flow(n: u32) -> FlowKey {
        TestPacket::new(0, n, 0).flow
    }

    #[test]
    fn a_hit_drops_nothing_and_draws_go_on_while_they_match() {
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = matching_only!(RechokeConfig, 100).build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for id in 0..12 {
            queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
        }
        // The averages found are 0, 1, 2, ...: ten arrivals find one above min_th, 1, and match eight times each.
        assert_eq!((queue.backlog().packets, queue.hits), (12, 80));
        assert!(sink.dropped.is_empty() && sink.flagged.is_empty(), "hits alone are no evidence");
    }

    #[test]
    fn a_flow_is_detected_where_hits_and_signals_agree() {
        // Everything within the band is marked: each arrival is a signal and, alone in the queue, eight hits.
        let config = RechokeConfig {
            ecn: true,
            harddrop: false,
            max_th: Some(tailrace_core::Limit::Packets(3)),
            max_p: Probability::ONE,
            block: 1_000_000,
            ..matching_only!(RechokeConfig, 100)
        };
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = config.build(&LINK);
        for id in 0..40 {
            let mut cx = Cx { now: Instant::from_millis(id), rng: &mut rng, sink: &mut sink };
            queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(Ecn::Ect0), &mut cx);
            let entry = queue.history.get(flow(0)).copied();
            let flagged = is_flagged(&sink);
            assert!(entry.is_none_or(|e| u64::from(e.signals) <= id && e.hits % 8 == 0));
            // The flag follows the score with the next arrival.
            assert_eq!(flagged, entry.is_some_and(|e| e.signals > 8), "{id}: {entry:?}");
        }
        assert_eq!(sink.flagged.len(), 1);
    }

    fn is_flagged(sink: &Collector<TestPacket>) -> bool {
        sink.flagged.last().is_some_and(|(_, flagged, _)| *flagged)
    }

    #[test]
    fn control_is_proportional_and_punishment_complete() {
        for score in [0, 7, 8, 16, 32, 64, 200] {
            let mut queue = matching_only!(RechokeConfig, 10).build(&LINK);
            let (mut rng, mut sink) = (Rng::new(1), Counter::default());
            let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
            for n in [1, 2] {
                queue.enqueue(TestPacket::new(0, n, 1000), &mut cx);
            }
            queue.history.hit(flow(0), score.max(1) + 1);
            (0..score).for_each(|_| queue.history.signal(flow(0)));
            let arrivals = 4000;
            for id in 1..=arrivals {
                queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
                if queue.backlog().packets > 2 {
                    queue.queue.kill_newest(&mut cx);
                }
            }
            let p = if score < 8 { 0.0 } else { (f64::from(score) / 64.0).min(1.0) };
            let dropped = queue.filtered as f64 / arrivals as f64;
            assert!(
                (dropped - p).abs() <= 4.0 * (p * (1.0 - p) / arrivals as f64).sqrt(),
                "{score}: {dropped}"
            );
        }
    }

    #[test]
    fn a_flood_gets_less_than_from_choke_and_is_the_only_one_flagged() {
        for a in [1.0, 3.0] {
            let mut plain: Choke<TestPacket> = ChokeConfig {
                max_p: Probability::clamped(0.2),
                max_th: Some(tailrace_core::Limit::Packets(600)),
                ..matching_only!(ChokeConfig, 600)
            }
            .build(&LINK);
            let from_choke = flood_among_many(&mut plain, a, 300, &mut Counter::default());
            let config = RechokeConfig {
                max_p: Probability::clamped(0.2),
                max_th: Some(tailrace_core::Limit::Packets(600)),
                ..matching_only!(RechokeConfig, 600)
            };
            let (mut queue, mut sink) = (config.build(&LINK), Collector::default());
            let share = flood_among_many(&mut queue, a, 300, &mut sink);
            assert!(share < from_choke, "a = {a}: {share}, choke {from_choke}");
            assert!(!sink.flagged.is_empty() && sink.flagged.iter().all(|(f, ..)| *f == flow(0)));
        }
    }

    #[test]
    fn a_million_flows_take_no_more_than_the_table() {
        let mut queue = RechokeConfig { entries: 50, ..matching_only!(RechokeConfig, 20) }.build(&LINK);
        spoofed(&mut queue, &mut Counter::default());
        assert!(queue.hits > 5_000, "{}", queue.hits);
        assert_eq!(queue.history.len(), 50);
    }
}
