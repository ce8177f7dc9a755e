//! CPR: flows that send mostly while the queue is congested.
//!
//! Zhang, Cai, Chen, Luo, Yin, "Flow level detection and filtering of low-rate DDoS", Computer Networks 56, 2012. Time
//! is divided into short intervals; an interval is congested if RED drops a packet in it. TCP backs off when that
//! happens, while low-rate attackers send exactly then. The congestion participation rate of a flow is the share of its
//! packets that arrive in congested intervals. If it reaches `tau`, the flow is considered an attacker, and all its
//! packets are dropped before RED sees them.
//!
//! The authors' analysis script (LeoDoS, `leodos_cpr.awk`) determines how packets are counted: when they arrive,
//! including those that are dropped then; and all packets of an interval count as congested if any packet was dropped
//! in it, before or after them. The script judges a complete recording. Choices for a queue that runs continuously: the
//! rate covers the last `window`, which moves in steps of a tenth. A flow is flagged at the end of an interval, once it
//! has `min_packets`, and cleared at the end of a tenth. Packets dropped by the filter do not make an interval
//! congested, or every flow would share the blame. They are not counted either, or an attacker would be cleared because
//! its absence makes the queue calm: it stays out until what it was flagged for has left the window.
//!
//! Differences: at most `flows` flows are known; when the table is full, further flows pass without being judged until
//! others have been silent for a window. A mark does not count as a drop unless `marks_count` is set, so with ECN the
//! detector learns only from overflow.
//!
//! CPR does not stop a flood: with constant drops every interval is congested, and every flow looks like an attacker.

mod detector;

use self::detector::Detector;
use super::red::{Red, red_based};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Sink};
use crate::flow_hash::FlowBy;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{DropReason, Duration, FlowKey, Instant, Packet, Probability};

red_based! {
    /// Parameters of `cpr`.
    pub struct CprConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "ns-2 since 2001, as in the authors' scripts";
        /// The packet that is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "all";
        /// The congestion participation rate from which a flow counts as an attacker: the share of its packets that
        /// it sends while packets are being dropped. If it is too small, TCP flows are blocked; if it is too large,
        /// attacks get through.
        tau: Probability = Probability::clamped(0.3), "authors' scripts, d_cpr";
        /// The length of the intervals into which time is divided. If it is too small, attackers are not in the
        /// interval of the drops that they cause; if it is too large, everybody is.
        dt: Duration = Duration::from_millis(1), "authors' scripts, dt; the analysis script alone has 10 ms";
        /// For how long, from the start of each interval, packets are counted. If it is too small, few packets count.
        /// `"auto"` is the whole interval.
        sample: Option<Duration> = None, "authors' scripts, s_l = dt";
        /// The time over which the participation rate is taken. If it is too small, chance decides; if it is too
        /// large, a flow that has stopped its attack stays blocked.
        window: Duration = Duration::from_secs(10), "none; the authors judge whole recordings";
        /// Number of packets that a flow must have sent within the window before it is judged. If it is too small,
        /// chance decides; if it is too large, an attack that is spread over many flows gets through.
        min_packets: u64 = 20, "none; the authors judge whole recordings";
        /// Whether an ECN mark counts as a drop, too.
        marks_count: bool = false, "not in Zhang et al. 2012";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow.
        flow: FlowBy = FlowBy::FiveTuple, "authors' script: addresses, ports and flow number";
        /// Largest number of flows that are known at once. If it is too small, flows get through without being judged.
        flows: u32 = 65_536, "memory; the authors have no bound";
    }
}

const MOST_FLOWS: u32 = 1 << 20;
/// Below this the timer would do nothing but fire.
const LEAST_WINDOW: Duration = Duration::from_millis(10);

impl Discipline for CprConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED behind a filter that drops packets of flows that send mostly while the queue is congested.",
        citation: "Zhang, Cai, Chen, Luo and Yin, Computer Networks 56, 2012",
        ecn: "with `ecn` RED marks within the band; the filter drops",
        per_flow_state: "packets of the window, and those in congested intervals, for at most `flows` flows",
    };
    const CLASSIFIES: bool = true;
    type Queue<P: Packet> = Cpr<P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        if self.dt == Duration::ZERO {
            return Err(("dt", "an interval cannot be empty".into()));
        }
        if self.window < LEAST_WINDOW || self.window < self.dt {
            return Err(("window", "must be at least 10 ms, and one interval".into()));
        }
        if !(1..=MOST_FLOWS).contains(&self.flows) {
            return Err(("flows", format!("must be 1 to {MOST_FLOWS}, is {}", self.flows)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Cpr<P> {
        Cpr {
            queue: Managed::new(self.limit, self.ecn, self.drop, Red::new(&self.red(), link)),
            by: self.flow,
            detector: Detector::new(self),
            marks_count: self.marks_count,
            filtered: 0,
        }
    }
}

/// The discipline: the filter before RED.
#[derive(Debug)]
pub struct Cpr<P> {
    queue: Managed<Red, P>,
    by: FlowBy,
    detector: Detector,
    marks_count: bool,
    /// Packets that the filter dropped.
    filtered: u64,
}

impl<P: Packet> QueueDiscipline<P> for Cpr<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.detector.draw_salt(cx.rng);
        self.detector.advance(cx.now, &mut |flow, flagged| cx.sink.flagged(flow, flagged, cx.now));
        if self.detector.arrives(self.by.key(packet.flow()), cx.now) {
            self.filtered += 1;
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        let mut tap = Tap { sink: cx.sink, detector: &mut self.detector, marks_count: self.marks_count };
        self.queue.enqueue(packet, &mut Cx { now: cx.now, rng: cx.rng, sink: &mut tap });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.queue.dequeue(cx)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.detector.next())
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        if cx.now >= self.detector.next() {
            self.detector.draw_salt(cx.rng);
            self.detector.slide(cx.now, &mut |flow, flagged| cx.sink.flagged(flow, flagged, cx.now));
        }
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.queue.link_changed(link, cx);
    }

    fn state_names(&self) -> &'static [&'static str] {
        &[
            "average_packets",
            "average_bytes",
            "drop_probability",
            "max_p",
            "known_flows",
            "flagged_flows",
            "filtered",
        ]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.queue.state(red);
        let (known, flagged) = self.detector.counts();
        own.copy_from_slice(&[known as f64, flagged as f64, self.filtered as f64]);
    }
}

/// Between RED and the sink: tells the detector that a packet was lost.
struct Tap<'a, P> {
    sink: &'a mut dyn Sink<P>,
    detector: &'a mut Detector,
    marks_count: bool,
}

impl<P: Packet> Sink<P> for Tap<'_, P> {
    fn dropped(&mut self, packet: P, reason: DropReason, now: Instant) {
        self.detector.congested();
        self.sink.dropped(packet, reason, now);
    }
    fn marked(&mut self, packet: &P, now: Instant) {
        if self.marks_count {
            self.detector.congested();
        }
        self.sink.marked(packet, now);
    }
    fn flagged(&mut self, flow: FlowKey, flagged: bool, now: Instant) {
        self.sink.flagged(flow, flagged, now);
    }
}

#[cfg(test)]
mod tests;
