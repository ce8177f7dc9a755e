//! RED-PD: RED with preferential dropping.
//!
//! Mahajan, Floyd, Wetherall, "Controlling high-bandwidth flows at the congested router", ICNP 2001; ICSI TR-01-001.
//! The packets that RED drops are a sample of the arrivals. So a flow that loses packets in most of the last few
//! intervals sends faster than a TCP with round trip `rtt` would at the current drop rate. Such flows are monitored,
//! and lose packets at random before RED sees them. The probability rises while RED still drops many of their packets,
//! and falls while it does not.
//!
//! The authors' ns-2 code (`queue/red-pd.cc`, `tcl/ex/red-pd`) determines what the papers leave open. Drops by the
//! filter count neither in the drop rate nor in the lists. If a probability would exceed one, the share let through is
//! halved instead. Responsive flows lose packets only while the average is above `min_th` and packets wait. Flows that
//! do not react to a higher drop rate are treated more severely.
//!
//! Differences: the first list ends after `start`, not after the 10.1 s of the authors' scripts. An interval without
//! any drop is included in the lengths of the last ones. A flow's arrivals are counted from its first drop on, and at
//! most `flows` flows are known at once, while ns-2 knows all; when the table is full, drops of further flows count in
//! the drop rate but in no list. For the lists and the drop rate, a mark by RED counts as a drop; the filter always
//! drops.
//!
//! A flow is flagged while it is monitored. This includes a TCP whose round trip is much shorter than `rtt`.

mod monitor;
mod rule;

use self::monitor::Monitor;
use super::red::{Red, red_based};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Sink};
use crate::flow_hash::FlowBy;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{DropReason, Duration, FlowKey, Instant, Packet, Probability};

red_based! {
    /// Parameters of `red_pd`.
    pub struct RedPdConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "authors' scripts, netAllUDP and netMix";
        /// The packet that is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "all";
        /// `R`, the round-trip time of the TCP flow that others are compared with. If it is too small, only the
        /// fastest flows are found; if it is too large, TCP flows are found, too.
        rtt: Duration = Duration::from_millis(40), "Mahajan et al. 2001; helper.tcl";
        /// `M`, how many of the last lists count. With more, fewer flows are hit by chance, but fast ones are found
        /// later.
        lists: u32 = 5, "Mahajan et al. 2001; helper.tcl";
        /// `K`, in how many of these lists a flow must be to count as fast. If it is too small, slow flows are hit by
        /// chance.
        regular: u32 = 3, "Mahajan et al. 2001; helper.tcl";
        /// Number of flows of a list that are kept: those that lost most bytes. If it is too small, fast flows are
        /// missed where many send.
        list_length: u32 = 50, "helper.tcl MaxDropList_";
        /// When the first list ends. If it is too early, the start of the flows counts. `"auto"` is the longest
        /// interval, ten `rtt`.
        start: Option<Duration> = None, "none; helper.tcl has 10.1 s";
        /// The shortest time between two changes of a flow's drop probability. If it is too small, a flow is judged
        /// before it could slow down.
        min_wait: Duration = Duration::from_millis(400), "helper.tcl minTimetoConsider_";
        /// The drop rate of the queue up to which no flow's probability rises. If it is too large, nobody is held
        /// responsible for mild congestion.
        min_drop_rate: Probability = Probability::clamped(0.001), "monitoring.tcl";
        /// By how much a flow's probability falls at most at once. If it is too small, a flow that has slowed down
        /// stays punished; if it is too large, probabilities swing up and down.
        max_decrease: Probability = Probability::clamped(0.05), "Mahajan et al. 2001; helper.tcl";
        /// The probability below which a quiet flow is no longer watched; half of it for an unresponsive flow. If it
        /// is too large, flows are released and caught again and again.
        release: Probability = Probability::clamped(0.005), "Mahajan et al. 2001; monitoring.tcl";
        /// Whether watched flows are tested for whether they slow down when they lose more packets.
        unresponsive_test: bool = true, "red-pd.tcl";
        /// A factor for the drop probability of flows that do not slow down. If it is too large, they get almost
        /// nothing.
        unresponsive_penalty: f64 = 1.0, "ns-2 unresponsive_penalty_";
        /// Whether unresponsive flows are spared, too, when the link would otherwise have nothing to send.
        noidle: bool = false, "ns-2 noidle_";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow.
        flow: FlowBy = FlowBy::FiveTuple, "Mahajan et al. 2001";
        /// Largest number of flows that are known at once, in the lists and under watch. If it is too small, fast
        /// flows are missed in a flood with forged sources.
        flows: u32 = 4096, "memory; ns-2 has no bound";
    }
}

/// The longest memory that fits into a flow's entry.
const MOST_LISTS: u32 = 16;
const MOST_FLOWS: u32 = 1 << 20;
/// Below this the timer would do nothing but fire.
const LEAST_RTT: Duration = Duration::from_micros(100);
const MOST_RTT: Duration = Duration::from_secs(3600);

impl Discipline for RedPdConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED behind a filter that drops more packets of the flows that lose most to RED.",
        citation: "Mahajan, Floyd and Wetherall, ICNP 2001",
        ecn: "with `ecn` RED marks within the band, and marks count as drops in the lists; the filter drops",
        per_flow_state: "drops in the last lists, for flows in them; rates and a probability for monitored flows; \
                         at most `flows` entries",
    };
    const CLASSIFIES: bool = true;
    type Queue<P: Packet> = RedPd<P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        if !(LEAST_RTT..=MOST_RTT).contains(&self.rtt) {
            return Err(("rtt", "must be 100 us to 1 h: a list is made every few of them".into()));
        }
        let counts = [
            ("lists", self.lists, MOST_LISTS),
            ("regular", self.regular, self.lists),
            ("list_length", self.list_length, MOST_FLOWS),
            ("flows", self.flows, MOST_FLOWS),
        ];
        for (name, n, most) in counts {
            if !(1..=most).contains(&n) {
                return Err((name, format!("must be 1 to {most}, is {n}")));
            }
        }
        if !(0.0..=1e6).contains(&self.unresponsive_penalty) {
            return Err(("unresponsive_penalty", "must be a factor from 0 to 1000000".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> RedPd<P> {
        RedPd {
            queue: Managed::new(self.limit, self.ecn, self.drop, Red::new(&self.red(), link)),
            by: self.flow,
            monitor: Monitor::new(self),
            filtered: 0,
        }
    }
}

/// The discipline: the filter before RED.
#[derive(Debug)]
pub struct RedPd<P> {
    queue: Managed<Red, P>,
    by: FlowBy,
    monitor: Monitor,
    /// Packets that the filter dropped.
    filtered: u64,
}

impl<P: Packet> QueueDiscipline<P> for RedPd<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let red = self.queue.law();
        let congestion = Congestion {
            above_min_th: red.average() >= red.thresholds().0,
            waiting: self.queue.backlog().packets > 1,
        };
        if self.monitor.filters(self.by.key(packet.flow()), packet.size(), congestion, cx.rng) {
            self.filtered += 1;
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        let mut tap = Tap { sink: cx.sink, monitor: &mut self.monitor, by: self.by };
        self.queue.enqueue(packet, &mut Cx { now: cx.now, rng: cx.rng, sink: &mut tap });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.queue.dequeue(cx)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.monitor.next())
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        if cx.now >= self.monitor.next() {
            self.monitor.end_list(cx.now, &mut |flow, flagged| cx.sink.flagged(flow, flagged, cx.now));
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
            "drop_ratio",
            "list_interval_s",
            "known_flows",
            "monitored_flows",
            "unresponsive_flows",
            "filtered",
        ]
    }

    fn state(&self, out: &mut [f64]) {
        let (red, own) = out.split_at_mut(4);
        self.queue.state(red);
        let (monitored, unresponsive) = self.monitor.counts();
        own.copy_from_slice(&[
            self.monitor.drop_rate(),
            self.monitor.interval().as_secs_f64(),
            self.monitor.known() as f64,
            f64::from(monitored),
            f64::from(unresponsive),
            self.filtered as f64,
        ]);
    }
}

/// State of the queue that the filter reads.
#[derive(Clone, Copy, Debug)]
struct Congestion {
    /// Whether RED's average, as of the last packet that it saw, has reached `min_th`.
    above_min_th: bool,
    /// Whether more than one packet waits.
    waiting: bool,
}

/// Between RED and the sink: tells the monitor who lost a packet.
struct Tap<'a, P> {
    sink: &'a mut dyn Sink<P>,
    monitor: &'a mut Monitor,
    by: FlowBy,
}

impl<P: Packet> Sink<P> for Tap<'_, P> {
    fn dropped(&mut self, packet: P, reason: DropReason, now: Instant) {
        self.monitor.red_dropped(self.by.key(packet.flow()), packet.size());
        self.sink.dropped(packet, reason, now);
    }
    fn marked(&mut self, packet: &P, now: Instant) {
        self.monitor.red_dropped(self.by.key(packet.flow()), packet.size());
        self.sink.marked(packet, now);
    }
    fn flagged(&mut self, flow: FlowKey, flagged: bool, now: Instant) {
        self.sink.flagged(flow, flagged, now);
    }
}

#[cfg(test)]
mod tests;
