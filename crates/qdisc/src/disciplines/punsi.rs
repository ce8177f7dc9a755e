//! PUNSI: penalizing unresponsive flows with stateless information. Experimental: a reconstruction.
//!
//! Yamaguchi, Takahashi, "A queue management algorithm for fair bandwidth allocation", Computer Communications 30(9),
//! 2007; IEICE technical report NS2005-148. When a queue overflows at the beginning of congestion, the flow whose
//! packet finds no room has other packets among the newest ones in the queue. CHOKe, which draws from the whole queue,
//! seldom finds them. So the newest packets are penalised, and it is sufficient to know the queue's length at each
//! arrival.
//!
//! Only the abstracts and the article's outline are public: RED's parameters, and one more, theta. Interpretation
//! `"overflow"`: RED as usual; an arrival that finds no room is dropped together with the newest packets, a share of
//! the limit. This can happen again once fewer packets wait than were left then. Interpretation `"match"`: an arrival
//! that finds more than theta packets waiting is compared with the newest packets, and dropped together with those of
//! its flow. Rely on qualitative properties, not on numbers.

use super::choke::meeting::{Draw, Meeting};
use super::choke::red_fifo::{Outcome, RedFifo};
use super::red::red_based;
use crate::discipline::{Aqm as _, Backlog, Cx, LinkView, QueueDiscipline};
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, DropReason, Instant, Limit, Packet, Probability};

tailrace_core::choices! {
    /// Reading of the algorithm.
    pub enum Penalty {
        /// When the queue overflows, the newest packets are dropped, of whatever flow.
        Overflow = "overflow",
        /// When the queue is fuller than `theta`, those of the newest packets are dropped that are of the arriving
        /// packet's flow.
        Match = "match",
    }
}

red_based! {
    /// Parameters of `punsi`.
    pub struct PunsiConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = false, "as choke";
        /// Interpretation of the algorithm: the paper's public parts allow both.
        penalty: Penalty = Penalty::Overflow, "this reconstruction";
        /// Number of the newest packets that are dropped or compared, as a share of `limit`; at least one. If it is
        /// too small, the penalty has no effect; if it is too large, every flow loses packets.
        share: Probability = Probability::clamped(0.05), "this reconstruction";
        /// With `penalty = "match"`: how full the queue must be before packets are compared, as a share of `limit`.
        /// If it is too small, fair flows lose packets; if it is too large, packets are dropped only for want of
        /// room.
        theta: Probability = Probability::clamped(0.5), "this reconstruction";
        /// With `penalty = "match"`: which header fields tell flows apart. With fewer fields, packets of different
        /// connections count as one flow.
        flow: FlowBy = FlowBy::FiveTuple, "as choke";
    }
}

/// Most packets that an arrival is compared with.
const MOST_COMPARED: f64 = 4096.0;

impl Discipline for PunsiConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED that also drops the newest packets when the queue overflows (reconstruction).",
        citation: "Yamaguchi and Takahashi, Computer Communications 30(9), 2007 (reconstructed from abstracts)",
        ecn: "with `ecn` RED's signal marks; the penalty drops",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Punsi<P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        if self.penalty == Penalty::Match && self.compared() > MOST_COMPARED {
            return Err((
                "share",
                format!("an arrival cannot be compared with more than {MOST_COMPARED} packets"),
            ));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Punsi<P> {
        Punsi {
            queue: RedFifo::new(&self.red(), link),
            penalty: self.penalty,
            penalized: match self.limit {
                Limit::Packets(n) => Limit::Packets(((n as f64 * self.share.get()).round() as u64).max(1)),
                Limit::Bytes(b) => Limit::Bytes(Bytes((b.as_f64() * self.share.get()) as u64)),
            },
            armed: true,
            theta: self.theta.get(),
            compared: self.compared() as usize,
            meeting: Meeting::new(self.flow, Draw::Back),
            penalties: 0,
        }
    }
}

impl PunsiConfig {
    /// Number of the newest packets that an arrival is compared with.
    fn compared(&self) -> f64 {
        let most = match self.limit {
            Limit::Packets(n) => n as f64,
            Limit::Bytes(b) => b.as_f64() / self.avpkt.as_f64(),
        };
        (most * self.share.get()).round().max(1.0)
    }
}

/// The discipline.
#[derive(Debug)]
pub struct Punsi<P> {
    queue: RedFifo<P>,
    penalty: Penalty,
    /// Amount that is dropped beside the arrival at an overflow.
    penalized: Limit,
    /// Whether the next overflow is penalized.
    armed: bool,
    theta: f64,
    compared: usize,
    meeting: Meeting,
    /// Arrivals that died with others.
    penalties: u64,
}

impl<P: Packet> Punsi<P> {
    /// Fill level of the queue, 0 to 1.
    fn filling(&self) -> f64 {
        let backlog = self.queue.backlog();
        match self.queue.limit() {
            Limit::Packets(n) => backlog.packets as f64 / n as f64,
            Limit::Bytes(b) => backlog.bytes.as_f64() / b.as_f64(),
        }
    }

    /// Drops the newest packets and disarms.
    fn penalise(&mut self, cx: &mut Cx<'_, P>) {
        self.penalties += 1;
        self.armed = false;
        let before = self.queue.backlog();
        loop {
            let left = self.queue.backlog();
            let enough = match self.penalized {
                Limit::Packets(n) => before.packets - left.packets >= n,
                Limit::Bytes(b) => left != before && before.bytes - left.bytes >= b,
            };
            if enough || !self.queue.kill_newest(cx) {
                return;
            }
        }
    }

    /// Whether fewer wait than a penalty leaves.
    fn is_over(&self) -> bool {
        let backlog = self.queue.backlog();
        match (self.queue.limit(), self.penalized) {
            (Limit::Packets(n), Limit::Packets(k)) => backlog.packets < n.saturating_sub(k).max(1),
            (Limit::Bytes(b), Limit::Bytes(k)) => backlog.bytes < (b - k).max(Bytes(1)),
            _ => unreachable!("both have the unit of the limit"),
        }
    }

    /// Kills those of the newest packets that are of the arrival's flow; whether there was one.
    fn matched(&mut self, packet: &P, cx: &mut Cx<'_, P>) -> bool {
        let matches = self.meeting.matches(&self.queue, packet.flow(), self.compared, cx.rng);
        self.queue.kill(matches, cx);
        !matches.is_empty()
    }
}

impl<P: Packet> QueueDiscipline<P> for Punsi<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.queue.observe(cx.now);
        match self.penalty {
            Penalty::Match => {
                if self.filling() > self.theta && self.matched(&packet, cx) {
                    self.penalties += 1;
                    cx.sink.dropped(packet, DropReason::Aqm, cx.now);
                } else {
                    self.queue.admit(packet, cx);
                }
            }
            Penalty::Overflow => {
                self.armed |= self.is_over();
                if self.queue.admit(packet, cx) == Outcome::Full && self.armed {
                    self.penalise(cx);
                }
            }
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
        &["average_packets", "average_bytes", "drop_probability", "max_p", "penalties"]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.queue.red().state(red);
        own[0] = self.penalties as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::super::choke::trial::{LINK, matching_only};
    use super::*;
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::Rng;

    fn ids(sink: &Collector<TestPacket>) -> Vec<u64> {
        sink.dropped.iter().map(|(p, ..)| p.id).collect()
    }

    #[test]
    fn an_overflow_costs_the_arrival_and_the_newest_and_is_then_over_until_the_queue_shrinks() {
        for limit in [Limit::Packets(40), Limit::Bytes(Bytes(40_000))] {
            // k = 0.05 of 40 packets.
            let config =
                PunsiConfig { limit, queue_in_bytes: Some(false), ..matching_only!(PunsiConfig, 40) };
            let (mut rng, mut sink) = (Rng::new(1), Collector::default());
            let mut queue = config.build(&LINK);
            let mut arrive = |ids: std::ops::Range<u64>, departures, sink: &mut Collector<TestPacket>| {
                let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink };
                for _ in 0..departures {
                    queue.dequeue(&mut cx);
                }
                ids.for_each(|id| queue.enqueue(TestPacket::new(id, id as u32, 1000), &mut cx));
                queue.backlog().packets
            };
            assert_eq!(arrive(0..41, 0, &mut sink), 38);
            assert_eq!(ids(&sink), [40, 39, 38]);
            // Full again without having shrunk: only the arrivals die.
            assert_eq!(arrive(41..45, 0, &mut sink), 40);
            assert_eq!(ids(&sink)[3..], [43, 44]);
            // 37 is below 38: armed again.
            assert_eq!(arrive(45..49, 3, &mut sink), 38);
            assert_eq!(ids(&sink)[5..], [48, 47, 46]);
        }
    }

    #[test]
    fn above_theta_an_arrival_dies_with_its_kin_among_the_newest() {
        let config = PunsiConfig {
            penalty: Penalty::Match,
            share: Probability::clamped(0.2),
            ..matching_only!(PunsiConfig, 20)
        };
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = config.build(&LINK);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        // Ten of flow 1 are half of the limit: not above theta.
        (0..10).for_each(|id| queue.enqueue(TestPacket::new(id, 1, 1000), &mut cx));
        assert_eq!(queue.backlog().packets, 10);
        for (id, flow) in [(10, 2), (11, 3), (12, 2), (13, 1)] {
            // The four newest: 6 to 9 of flow 1; then 10 replaces one of them, and so on.
            queue.enqueue(TestPacket::new(id, flow, 1000), &mut cx);
        }
        // 11 waits; 12 kills 10; 13 kills what it finds of flow 1 among the newest: 7, 8 and 9.
        assert_eq!(ids(&sink), [10, 12, 9, 8, 7, 13]);
    }

    #[test]
    fn a_burst_onto_a_full_queue_loses_more_of_the_bursty_flow_than_of_the_others() {
        // A queue kept nearly full by flows of one packet each, onto which flow 0 sends ten packets every 20 ms.
        let loss = |config: &PunsiConfig| {
            let (mut rng, mut sink) = (Rng::new(1), Collector::default());
            let mut queue = config.build::<TestPacket>(&LINK);
            let mut steady = 0;
            for ms in 0..20_000 {
                let mut cx = Cx { now: Instant::from_millis(ms), rng: &mut rng, sink: &mut sink };
                queue.dequeue(&mut cx);
                if ms % 20 == 0 {
                    (0..10).for_each(|_| queue.enqueue(TestPacket::new(1, 0, 1000), &mut cx));
                }
                while queue.backlog().packets < 45 {
                    steady += 1;
                    queue.enqueue(TestPacket::new(0, steady, 1000), &mut cx);
                }
            }
            let bursty = sink.dropped.iter().filter(|(p, ..)| p.id == 1).count() as f64 / 10_000.0;
            (bursty, (sink.dropped.len() as f64 - bursty * 10_000.0) / f64::from(steady))
        };
        let none = PunsiConfig { share: Probability::ZERO, ..matching_only!(PunsiConfig, 50) };
        let (plain, _) = loss(&PunsiConfig { penalty: Penalty::Match, theta: Probability::ONE, ..none });
        for penalty in [Penalty::Overflow, Penalty::Match] {
            let share = Probability::clamped(0.1);
            let (bursty, others) = loss(&PunsiConfig { penalty, share, ..matching_only!(PunsiConfig, 50) });
            assert!(bursty > plain + 0.1 && bursty > 5.0 * others, "{bursty} {others}, plain {plain}");
        }
    }
}
