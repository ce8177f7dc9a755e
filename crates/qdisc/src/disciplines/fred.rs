//! FRED: fair random early drop.
//!
//! Lin, Morris, "Dynamics of random early detection", SIGCOMM 1997. FRED counts the packets in the queue for each flow
//! that has any. Every flow may have a few (`minq`), and none more than `min_th`. RED's probability applies to flows
//! above the average share. A flow that tried to exceed its limit (a strike) is from then on held to the average share.
//!
//! The paper's text is hard to get, so its pseudo-code was checked line by line against an independent port (J-Sim).
//! Choices: the variant for many flows ("two-packet buffer") replaces the rule that drops everything above `max_th` by
//! a limit of two packets for each flow; with both rules, that limit would have no effect. A strike is forgotten with
//! the last packet of its flow. Queue lengths are those before an arrival is added and after a departure is removed.
//! Idle time starts when the transmitter, not the queue, has nothing left. Flows are five-tuples. Thresholds and the
//! average are in packets.
//!
//! ECN is not part of the paper: here the random signal may mark packets, and the rules that hold a flow to its share
//! drop them.
//!
//! A flow is flagged from its second strike, when it is first held to the average share, until its last packet leaves.
//! At most as many flows are remembered as packets wait.

mod flows;

use self::flows::Flows;
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::registry::{About, Discipline, Invalid};
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::math::pow;
use tailrace_core::{Bytes, DropReason, Duration, Instant, Limit, Packet, Probability, Rng};

tailrace_core::parameters! {
    /// Parameters of `fred`.
    pub struct FredConfig {
        /// The most that may wait in the queue. If it is too small, flows have no room for a share of their own.
        limit: Limit = Limit::Packets(200), "Bedi et al. 2014: 200 kB";
        /// Below this average queue length no packet is dropped or marked at random; it is also the most packets that
        /// one flow may have in the queue. If it is too small, the link has nothing to send at times. `"auto"`: a
        /// quarter of `limit`, but no more than what the link sends in `rtt`.
        min_th: Option<Limit> = None, "Lin and Morris 1997";
        /// From this average queue length on, no packet is let in (with `many_flows`: two packets of each flow). If
        /// it is too close to `min_th`, the queue swings up and down. `"auto"`: twice `min_th`.
        max_th: Option<Limit> = None, "Lin and Morris 1997";
        /// The probability with which a packet is dropped or marked when the average is `max_th`. If it is too small,
        /// the average grows past `max_th`; if it is too large, the link has nothing to send at times.
        max_p: Probability = Probability::clamped(0.02), "Lin and Morris 1997";
        /// The weight of the newest queue length in the average, from 0 to 1; taken when packets arrive and leave. If
        /// it is too small, FRED reacts late; if it is too large, short bursts lose packets.
        weight: Probability = Probability::clamped(0.002), "Lin and Morris 1997";
        /// Number of packets that every flow may have in the queue without being hit, while the average is below
        /// `max_th`. If it is too small, flows with few packets lose some; if it is too large, nothing is dropped at
        /// random. Use 4 for large buffers.
        minq: u64 = 2, "Lin and Morris 1997, small buffers";
        /// For many more flows than packets in the queue: whether each flow may have two packets in it when the
        /// average is above `max_th`. If false, none is let in.
        many_flows: bool = false, "Lin and Morris 1997, basic form";
        /// The round-trip time that limits `min_th` when that is `"auto"`: it is then at most what the link sends in
        /// this time. If it is too small, the link has nothing to send at times.
        rtt: Duration = Duration::from_millis(100), "ns-2 queue/red.cc, least round trip";
        /// The mean size of a packet. It converts bytes into packets, and says how many packets the link could have
        /// sent while the queue was empty.
        avpkt: Bytes = Bytes(1000), "tc red";
        /// Whether ECN-capable packets that are chosen at random are marked instead of dropped.
        ecn: bool = false, "Lin and Morris 1997 only drop";
    }
}

/// Packets that a flow may hold above `max_th` with `many_flows`.
const MANY_FLOWS_SHARE: f64 = 2.0;

impl FredConfig {
    fn packets(&self, limit: Limit) -> f64 {
        match limit {
            Limit::Packets(n) => n as f64,
            Limit::Bytes(b) => b.as_f64() / self.avpkt.as_f64(),
        }
    }

    fn thresholds(&self, link: &LinkView) -> (f64, f64) {
        let (min, max) = (self.min_th.map(|t| self.packets(t)), self.max_th.map(|t| self.packets(t)));
        let auto = || {
            let round_trip =
                link.rate.bytes_per_sec() * self.rtt.as_secs_f64() / link.wire_size(self.avpkt).as_f64();
            (self.packets(self.limit) / 4.0).min(round_trip).max(1.0)
        };
        let min = min.unwrap_or_else(|| max.map_or_else(auto, |max| max / 2.0));
        (min, max.unwrap_or(2.0 * min))
    }
}

impl Discipline for FredConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED for flows that have more than the average in the queue, and a strict limit for flows that do not slow down.",
        citation: "Lin and Morris, SIGCOMM 1997",
        ecn: "with `ecn` the random signal marks; what holds a flow to its share drops",
        per_flow_state: "packets and strikes of each flow that has packets waiting",
    };
    /// tc does not know it.
    const CLASSIFIES: bool = true;
    type Queue<P: Packet> = Fred<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if self.avpkt == Bytes::ZERO {
            return Err(("avpkt", "the mean packet size cannot be zero".into()));
        }
        for (name, th) in [("min_th", self.min_th), ("max_th", self.max_th)] {
            if th.is_some_and(|th| self.packets(th) < 1.0) {
                return Err((name, "must be at least one packet".into()));
            }
        }
        if let (Some(min), Some(max)) = (self.min_th, self.max_th)
            && self.packets(min) >= self.packets(max)
        {
            return Err(("min_th", format!("{min} is not below max_th, {max}")));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Fred<P> {
        let (min_th, max_th) = self.thresholds(link);
        Fred {
            fifo: VecDeque::new(),
            backlog: Backlog::default(),
            flows: Flows::new(),
            limit: self.limit,
            ecn: self.ecn,
            min_th,
            max_th,
            max_p: self.max_p.get(),
            weight: self.weight.get(),
            minq: self.minq as f64,
            many_flows: self.many_flows,
            idle_rate: link.packets_per_sec(self.avpkt),
            config: self.clone(),
            average: 0.0,
            share: 0.0,
            count: -1,
            probability: 0.0,
            idle_since: Some(Instant::ZERO),
        }
    }
}

#[derive(Debug)]
struct Waiting<P> {
    packet: P,
    arrival: Instant,
    /// Where its flow is counted.
    flow: u32,
}

/// The discipline.
#[derive(Debug)]
pub struct Fred<P> {
    fifo: VecDeque<Waiting<P>>,
    backlog: Backlog,
    flows: Flows,
    limit: Limit,
    ecn: bool,
    min_th: f64,
    max_th: f64,
    max_p: f64,
    weight: f64,
    minq: f64,
    many_flows: bool,
    /// Packets a second, for idle time.
    idle_rate: f64,
    average: f64,
    /// Average share of a flow (`avgcq`), packets.
    share: f64,
    /// Packets since the last signal; -1 below the band.
    count: i64,
    /// Probability of the last packet in the band, before signals are spread.
    probability: f64,
    idle_since: Option<Instant>,
    /// Configuration from which a change of the link is computed.
    config: FredConfig,
}

impl<P: Packet> Fred<P> {
    /// A sample at an arrival, which finds the queue as it is.
    #[inline]
    fn sample_arrival(&mut self, now: Instant) {
        if self.backlog.packets == 0 {
            // An empty queue before a busy transmitter is no idle time.
            if let Some(since) = self.idle_since.replace(now) {
                let packets = (now.saturating_since(since).as_secs_f64() * self.idle_rate).floor();
                self.average *= pow(1.0 - self.weight, packets);
            }
            self.update_share();
        } else {
            self.sample();
        }
    }

    #[inline]
    fn sample(&mut self) {
        self.average += self.weight * (self.backlog.packets as f64 - self.average);
        self.update_share();
    }

    #[inline]
    fn update_share(&mut self) {
        self.share = match self.flows.active() {
            0 => self.average,
            n => (self.average / f64::from(n)).max(1.0),
        };
    }

    /// Whether a flow with `held` packets and `strikes` asks for more than it may have.
    #[inline]
    fn is_greedy(&self, held: f64, strikes: u32) -> bool {
        let beyond = self.average >= self.max_th;
        let most = if beyond && self.many_flows { MANY_FLOWS_SHARE } else { self.min_th };
        held >= most || (beyond && held > 2.0 * self.share) || (held >= self.share && strikes > 1)
    }

    /// RED, for flows above the average share; the paper's count includes the present packet.
    fn judge(&mut self, held: f64, rng: &mut Rng) -> Verdict {
        if self.average < self.min_th {
            self.count = -1;
            self.probability = 0.0;
            return Verdict::Pass;
        }
        if self.average >= self.max_th {
            // The many-flows variant leaves this to the limit of two packets a flow.
            self.count = 0;
            self.probability = 1.0;
            return if self.many_flows { Verdict::Pass } else { Verdict::Drop };
        }
        self.count += 1;
        self.probability = self.max_p * (self.average - self.min_th) / (self.max_th - self.min_th);
        if held < self.minq.max(self.share) {
            return Verdict::Pass;
        }
        let passed = self.count as f64 * self.probability;
        let p = if passed < 1.0 { self.probability / (1.0 - passed) } else { 1.0 };
        if !rng.bernoulli(p) {
            return Verdict::Pass;
        }
        self.count = 0;
        Verdict::Signal
    }
}

impl<P: Packet> QueueDiscipline<P> for Fred<P> {
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        if self.backlog.packets == 0 {
            self.sample_arrival(cx.now);
        }
        let entry = self.flows.find(packet.flow(), cx.rng);
        let (held, strikes) = entry.map_or((0, 0), |e| self.flows.counts(e));
        if self.is_greedy(f64::from(held), strikes) {
            if let Some(entry) = entry
                && self.flows.strike(entry) == 2
            {
                cx.sink.flagged(packet.flow(), true, cx.now);
            }
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        let verdict = self.judge(f64::from(held), cx.rng);
        let fate = fate(verdict, self.ecn, packet.ecn());
        if fate == Fate::Drop {
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        if !self.backlog.has_room(self.limit, size) {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        let flow = entry.unwrap_or_else(|| self.flows.insert(packet.flow(), cx.rng));
        self.sample_arrival(cx.now);
        self.idle_since = None;
        self.flows.add(flow);
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        self.fifo.push_back(Waiting { packet, arrival: cx.now, flow });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let Some(Waiting { packet, arrival, flow }) = self.fifo.pop_front() else {
            // Only the first of several polls of an empty queue starts the silence.
            self.idle_since.get_or_insert(cx.now);
            return None;
        };
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        let (_, strikes) = self.flows.counts(flow);
        let left = self.flows.remove_one(flow);
        if left == 0 && strikes >= 2 {
            cx.sink.flagged(packet.flow(), false, cx.now);
        }
        self.sample();
        Some((packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn link_changed(&mut self, link: &LinkView, _cx: &mut Cx<'_, P>) {
        (self.min_th, self.max_th) = self.config.thresholds(link);
        self.idle_rate = link.packets_per_sec(self.config.avpkt);
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["average_packets", "share_packets", "active_flows", "drop_probability"]
    }

    fn state(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.average, self.share, f64::from(self.flows.active()), self.probability]);
    }
}

#[cfg(test)]
mod tests;
