//! XCHOKe: CHOKe that remembers whom it met. Experimental: a reconstruction.
//!
//! Chhabra, Chuig, Goel, John, Kumar, Saran, Shorey, "XCHOKe: malicious source control for congestion avoidance at
//! Internet gateways", ICNP 2002 (poster); "Controlling malicious sources at Internet gateways", ICC 2003. The labels
//! of flows that CHOKe hits are stored in a lookup table. The more hits a flow has, the more likely its arrivals are
//! dropped before they are compared with anything. This ends sustained attacks, at a cost for adaptive flows that were
//! hit by chance.
//!
//! What is public (abstracts, citing papers) determines the following: CHOKe comes after the table, there is a table of
//! hits, the probability rises with the hits, and no floating point is needed. Everything else is our interpretation. A
//! flow with `h` hits is dropped with probability `2^(h - H)`, at most 1, by a comparison of random bits. Hits are
//! halved every `age`. A full table forgets the flow with the fewest hits. While the average is at or below `min_th`,
//! the table drops nothing. Rely on what follows from the rising probability, not on numbers.
//!
//! A flow is flagged from the arrival that finds its probability at a half or more to the first one that finds it
//! lower.

use super::choke::history::History;
use super::choke::meeting::{Draw, MOST_CANDIDATES, Meeting};
use super::choke::red_fifo::RedFifo;
use super::red::red_based;
use crate::classifier::{Flags, salted};
use crate::discipline::{Aqm as _, Backlog, Cx, LinkView, QueueDiscipline};
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{DropReason, Duration, Instant, Packet, Rng};

red_based! {
    /// Parameters of `xchoke`.
    pub struct XchokeConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = false, "as choke";
        /// With how many waiting packets an arriving one is compared. If it is too small, attackers are found late;
        /// if it is too large, fair flows are hit.
        candidates: u32 = 1, "as choke";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow. With fewer fields,
        /// packets of different connections count as one flow.
        flow: FlowBy = FlowBy::FiveTuple, "as choke";
        /// Number of flows that the table holds. If it is too small, attackers push each other out of it; if it is too
        /// large, each hit takes a longer search.
        entries: u32 = 64, "this reconstruction";
        /// After how many hits every packet of a flow is dropped; each hit less halves the share. If it is too small,
        /// fair flows suffer from a chance hit; if it is too large, floods are held back late.
        full_hits: u32 = 8, "this reconstruction";
        /// The time in which hits fall by half. If it is too short, floods come back often; if it is too long, a flow
        /// that has slowed down stays out.
        age: Duration = Duration::from_secs(1), "this reconstruction";
    }
}

/// Largest table.
const MOST_ENTRIES: u32 = 4096;
/// Most `full_hits`: a probability of 2^-31 is none.
const MOST_HITS: u32 = 32;

impl Discipline for XchokeConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "CHOKe that remembers flows that met their own packets, and drops further packets of them at random (reconstruction).",
        citation: "Chhabra et al., ICNP 2002 and ICC 2003 (reconstructed from abstracts)",
        ecn: "with `ecn` RED's signal marks; a match and the table drop",
        per_flow_state: "hits of at most `entries` flows, and at most 4096 flags",
    };
    const CLASSIFIES: bool = true;
    type Queue<P: Packet> = Xchoke<P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        let ranges = [
            ("candidates", self.candidates, MOST_CANDIDATES),
            ("entries", self.entries, MOST_ENTRIES),
            ("full_hits", self.full_hits, MOST_HITS),
        ];
        for (name, n, most) in ranges {
            if !(1..=most).contains(&n) {
                return Err((name, format!("must be 1 to {most}, is {n}")));
            }
        }
        if self.age.is_zero() {
            return Err(("age", "hits cannot halve in no time".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Xchoke<P> {
        Xchoke {
            queue: RedFifo::new(&self.red(), link),
            meeting: Meeting::new(self.flow, Draw::Random),
            candidates: self.candidates as usize,
            by: self.flow,
            history: History::new(self.entries, self.age),
            full_hits: self.full_hits,
            salt: None,
            flags: Flags::new(),
            matches: 0,
            filtered: 0,
        }
    }
}

/// The discipline.
#[derive(Debug)]
pub struct Xchoke<P> {
    queue: RedFifo<P>,
    meeting: Meeting,
    candidates: usize,
    by: FlowBy,
    history: History,
    full_hits: u32,
    /// Salt of the flags, drawn with the first packet.
    salt: Option<u64>,
    flags: Flags,
    /// Arrivals that met a packet of their flow.
    matches: u64,
    /// Arrivals that the table dropped.
    filtered: u64,
}

/// True with probability `2^-n`.
fn one_in_power_of_two(n: u32, rng: &mut Rng) -> bool {
    n == 0 || rng.next_u64() >> (64 - n) == 0
}

impl<P: Packet> QueueDiscipline<P> for Xchoke<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let key = packet.flow();
        let salt = *self.salt.get_or_insert_with(|| cx.rng.next_u64());
        let flow = self.by.key(key);
        self.queue.observe(cx.now);
        self.history.advance(cx.now);
        let hits = self.history.get(flow).map_or(0, |entry| entry.hits);
        self.flags.set(key, || salted(key, salt), hits > 0 && hits + 1 >= self.full_hits, cx);
        if self.queue.is_congested() {
            if hits > 0 && one_in_power_of_two(self.full_hits.saturating_sub(hits), cx.rng) {
                self.filtered += 1;
                cx.sink.dropped(packet, DropReason::Aqm, cx.now);
                return;
            }
            let matches = self.meeting.matches(&self.queue, key, self.candidates, cx.rng);
            if !matches.is_empty() {
                self.matches += 1;
                self.queue.kill(matches, cx);
                self.history.hit(flow, 1);
                cx.sink.dropped(packet, DropReason::Aqm, cx.now);
                return;
            }
        }
        self.queue.admit(packet, cx);
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
        &[
            "average_packets",
            "average_bytes",
            "drop_probability",
            "max_p",
            "matches",
            "filtered",
            "known_flows",
        ]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.queue.red().state(red);
        own.copy_from_slice(&[self.matches as f64, self.filtered as f64, self.history.len() as f64]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::choke::trial::{LINK, flood_among_many, matching_only, spoofed};
    use super::super::choke::{Choke, ChokeConfig};
    use super::*;
    use crate::testing::{Collector, Counter, TestPacket};
    use tailrace_core::FlowKey;

    #[test]
    fn acceptance_halves_with_each_hit_down_to_none() {
        for hits in 0..=10 {
            let mut queue = matching_only!(XchokeConfig, 10).build(&LINK);
            let (mut rng, mut sink) = (Rng::new(1), Collector::default());
            let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
            for flow in [1, 2] {
                queue.enqueue(TestPacket::new(0, flow, 1000), &mut cx);
            }
            if hits > 0 {
                queue.history.hit(TestPacket::new(0, 0, 0).flow, hits);
            }
            let arrivals = 4000;
            for id in 1..=arrivals {
                queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
                // Whoever was admitted goes at once, so that nobody meets himself.
                if queue.backlog().packets > 2 {
                    queue.queue.kill_newest(&mut cx);
                }
            }
            assert_eq!(queue.matches, 0);
            let p = if hits == 0 { 0.0 } else { 0.5_f64.powi(8 - hits as i32).min(1.0) };
            let dropped = queue.filtered as f64 / arrivals as f64;
            let spread = (p * (1.0 - p) / arrivals as f64).sqrt();
            assert!((dropped - p).abs() <= 4.0 * spread, "{hits}: {dropped}, not {p}");
            assert_eq!(sink.flagged.len(), usize::from(hits >= 7), "{hits}");
        }
    }

    #[test]
    fn at_or_below_min_th_nobody_is_dropped_for_his_past() {
        let mut queue = matching_only!(XchokeConfig, 10).build(&LINK);
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        queue.history.hit(TestPacket::new(0, 0, 0).flow, 100);
        for id in 0..2 {
            queue.enqueue(TestPacket::new(id, 0, 1000), &mut cx);
        }
        assert_eq!((queue.backlog().packets, queue.filtered), (2, 0));
        queue.enqueue(TestPacket::new(2, 0, 1000), &mut cx);
        assert_eq!((queue.backlog().packets, queue.filtered), (2, 1));
    }

    #[test]
    fn a_flood_gets_less_than_from_choke_and_is_the_only_one_flagged() {
        for a in [0.5, 1.0, 3.0] {
            let mut plain: Choke<TestPacket> = matching_only!(ChokeConfig, 600).build(&LINK);
            let from_choke = flood_among_many(&mut plain, a, 300, &mut Counter::default());
            let mut queue = matching_only!(XchokeConfig, 600).build(&LINK);
            let mut sink = Collector::default();
            let share = flood_among_many(&mut queue, a, 300, &mut sink);
            assert!(share < from_choke / 2.0, "a = {a}: {share}, choke {from_choke}");
            let flood = TestPacket::new(0, 0, 0).flow;
            assert!(!sink.flagged.is_empty() && sink.flagged.iter().all(|(flow, ..)| *flow == flood));
        }
    }

    #[test]
    fn a_flow_that_mended_is_cleared_with_its_first_packet_after_the_hits_have_halved() {
        let mut queue = matching_only!(XchokeConfig, 10).build(&LINK);
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let flow: FlowKey = TestPacket::new(0, 0, 0).flow;
        queue.history.hit(flow, 12);
        for ms in [500, 999, 1000, 1500] {
            let mut cx = Cx { now: Instant::from_millis(ms), rng: &mut rng, sink: &mut sink };
            queue.enqueue(TestPacket::new(ms, 0, 1000), &mut cx);
            queue.dequeue(&mut cx);
        }
        assert_eq!(
            sink.flagged,
            [(flow, true, Instant::from_millis(500)), (flow, false, Instant::from_secs(1))]
        );
    }

    #[test]
    fn a_million_flows_take_no_more_than_the_table() {
        let mut queue =
            XchokeConfig { entries: 50, candidates: 10, ..matching_only!(XchokeConfig, 20) }.build(&LINK);
        spoofed(&mut queue, &mut Counter::default());
        assert!(queue.matches > 100_000, "{}", queue.matches);
        assert_eq!(queue.history.len(), 50);
    }
}
