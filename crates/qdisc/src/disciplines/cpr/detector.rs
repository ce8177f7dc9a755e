//! The congestion participation rate of each flow.

use super::CprConfig;
use crate::flow_table::FlowTable;
use tailrace_core::{Duration, FlowKey, Instant, Rng};

/// Told of flows that are flagged (`true`) or cleared (`false`).
type Report<'a> = &'a mut dyn FnMut(FlowKey, bool);

/// Number of parts of the window, which slides by one at a time.
const PARTS: usize = 10;

/// Packets: all, and those in congested intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    all: u64,
    congested: u64,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    parts: [Tally; PARTS],
    /// Sum of the parts.
    window: Tally,
    /// Packets of the present interval, of which it is not yet known whether it is congested.
    pending: u64,
    flagged: bool,
}

/// Counts, judges and remembers flows.
#[derive(Debug)]
pub(super) struct Detector {
    tau: f64,
    min_packets: u64,
    dt: Duration,
    sample: Duration,
    part: Duration,
    flows: FlowTable<Flow>,
    /// Places of the flows that sent in the present interval.
    present: Vec<u32>,
    interval_start: Instant,
    /// Whether a packet was dropped in the present interval.
    is_congested: bool,
    /// Index of the part of the window that is filled at present.
    filling: usize,
    next_part: Instant,
    flagged: usize,
}

impl Detector {
    pub(super) fn new(config: &CprConfig) -> Self {
        let part = Duration::from_nanos(config.window.as_nanos() / PARTS as u64);
        Self {
            tau: config.tau.get(),
            min_packets: config.min_packets,
            dt: config.dt,
            sample: config.sample.unwrap_or(config.dt),
            part,
            flows: FlowTable::new(config.flows),
            present: Vec::new(),
            interval_start: Instant::ZERO,
            is_congested: false,
            filling: 0,
            next_part: Instant::ZERO.saturating_add(part),
            flagged: 0,
        }
    }

    /// Must precede everything else.
    pub(super) fn draw_salt(&mut self, rng: &mut Rng) {
        self.flows.draw_salt(rng);
    }

    /// When the window slides.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.next_part
    }

    /// Flows known, and flows flagged.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.flows.len(), self.flagged)
    }

    /// Time has come to `now`: ends the interval before it, if that is over.
    #[inline]
    pub(super) fn advance(&mut self, now: Instant, report: Report<'_>) {
        if now.saturating_since(self.interval_start) >= self.dt {
            self.end_interval(report);
            let dt = self.dt.as_nanos();
            self.interval_start = Instant::from_nanos(now.as_nanos() / dt * dt);
        }
    }

    /// A packet arrives in the present interval; whether its flow is flagged, in which case it does not count.
    #[inline]
    pub(super) fn arrives(&mut self, flow: FlowKey, now: Instant) -> bool {
        let Some(at) = self.flows.place_or_insert(flow, Flow::default()) else { return false };
        let flow = self.flows.at_mut(at);
        if flow.flagged {
            return true;
        }
        if now.saturating_since(self.interval_start) <= self.sample {
            if flow.pending == 0 {
                self.present.push(at as u32);
            }
            flow.pending += 1;
        }
        false
    }

    /// RED dropped a packet in the present interval.
    #[inline]
    pub(super) fn congested(&mut self) {
        self.is_congested = true;
    }

    fn end_interval(&mut self, report: Report<'_>) {
        let is_congested = std::mem::take(&mut self.is_congested);
        for at in self.present.drain(..) {
            let (key, flow) = self.flows.entry_mut(at as usize);
            let all = std::mem::take(&mut flow.pending);
            let congested = if is_congested { all } else { 0 };
            for tally in [&mut flow.parts[self.filling], &mut flow.window] {
                tally.all += all;
                tally.congested += congested;
            }
            if !flow.flagged && flow.window.is_attack(self.tau, self.min_packets) {
                flow.flagged = true;
                self.flagged += 1;
                report(key, true);
            }
        }
    }

    /// A part of the window is over: the oldest one is forgotten, and everybody judged anew.
    pub(super) fn slide(&mut self, now: Instant, report: Report<'_>) {
        self.advance(now, report);
        self.filling = (self.filling + 1) % PARTS;
        self.flagged = 0;
        for (key, flow) in self.flows.iter_mut() {
            let oldest = std::mem::take(&mut flow.parts[self.filling]);
            flow.window.all -= oldest.all;
            flow.window.congested -= oldest.congested;
            let is_attack = flow.window.is_attack(self.tau, self.min_packets);
            if is_attack != flow.flagged {
                flow.flagged = is_attack;
                report(key, is_attack);
            }
            self.flagged += usize::from(is_attack);
        }
        self.flows.retain(|_, flow| flow.window.all > 0 || flow.pending > 0);
        // Places have changed.
        self.present.clear();
        let sending = self.flows.iter().enumerate().filter(|(_, (_, flow))| flow.pending > 0);
        self.present.extend(sending.map(|(at, _)| at as u32));
        self.next_part = now.saturating_add(self.part);
    }
}

impl Tally {
    /// Whether the congestion participation rate reaches `tau`.
    fn is_attack(self, tau: f64, min_packets: u64) -> bool {
        self.all >= min_packets.max(1) && self.congested as f64 / self.all as f64 >= tau
    }
}

#[cfg(test)]
impl Detector {
    /// Packets of `flow` within the window: all, and those in congested intervals.
    pub(super) fn tally(&self, flow: FlowKey) -> Option<(u64, u64)> {
        self.flows.get(flow).map(|flow| (flow.window.all, flow.window.congested))
    }
}
