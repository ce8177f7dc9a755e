//! Lists of the flows that lose packets, and the filter for those who lose too many.

use super::rule::{Answer, Grip, list_interval};
use super::{Congestion, MOST_LISTS, RedPdConfig};
use crate::flow_table::FlowTable;
use tailrace_core::{Bytes, Duration, FlowKey, Instant, Rng};

/// Told of flows that become monitored (`true`) or are released (`false`).
type Report<'a> = &'a mut dyn FnMut(FlowKey, bool);

/// The detector, its lists and the monitored flows.
#[derive(Debug)]
pub(super) struct Monitor {
    rule: Rule,
    flows: FlowTable<Suspect>,
    /// Bytes since the last list that reached RED, and of these, that it dropped.
    arrived: u64,
    dropped: u64,
    /// RED's drop rate, averaged over lists.
    average_rate: Option<f64>,
    /// Place of the present list in each flow's record.
    list: usize,
    /// Lengths of the last lists, the coming one last.
    intervals: [Duration; 5],
    last: Instant,
    next: Instant,
    monitored: u32,
    unresponsive: u32,
    /// Scratch for the longest entries of a list: bytes dropped and place in the table.
    longest: Vec<(u64, u32)>,
}

/// The parameters, as the monitor needs them.
#[derive(Clone, Debug)]
struct Rule {
    rtt: Duration,
    lists: u32,
    regular: u32,
    list_length: usize,
    min_wait: Duration,
    min_drop_rate: f64,
    max_decrease: f64,
    release: f64,
    unresponsive_test: bool,
    unresponsive_penalty: f64,
    noidle: bool,
}

/// A flow that is in a list or monitored, or was until lately.
#[derive(Clone, Debug, Default)]
struct Suspect {
    /// Bytes dropped by RED in each of the last lists; zero where the flow is not in it.
    record: [u64; MOST_LISTS as usize],
    /// Bytes since the last list: all, dropped by RED, and dropped by the filter.
    arrived: u64,
    dropped: u64,
    filtered: u64,
    /// Where the flow is monitored.
    grip: Option<Grip>,
    /// When its probability changed last.
    changed: Option<Instant>,
}

impl Suspect {
    fn in_lists(&self) -> u32 {
        self.record.iter().map(|bytes| u32::from(*bytes > 0)).sum()
    }

    fn recorded(&self) -> u64 {
        self.record.iter().sum()
    }

    fn has_waited(&self, wait: Duration, now: Instant) -> bool {
        self.changed.is_none_or(|changed| now.saturating_since(changed) >= wait)
    }
}

/// The weight of a new list in the average drop rate (monitoring.tcl, insertNCalDropRate).
const RATE_WEIGHT: f64 = 0.5;
/// The authors' scripts loosen so long after they tighten. In that order a loosened flow has not waited long enough
/// by the list that ends four lists later.
const LOOSEN_AFTER: Duration = Duration::from_millis(1);
/// Lists to wait: before a flow is gripped harder, before it is loosened, and the latter for an unresponsive one.
const TIGHTEN_WAIT: usize = 4;
const LOOSEN_WAIT: usize = 3;
const UNRESPONSIVE_WAIT: usize = 5;

impl Monitor {
    pub(super) fn new(config: &RedPdConfig) -> Self {
        let rule = Rule {
            rtt: config.rtt,
            lists: config.lists,
            regular: config.regular,
            list_length: config.list_length as usize,
            min_wait: config.min_wait,
            min_drop_rate: config.min_drop_rate.get(),
            max_decrease: config.max_decrease.get(),
            release: config.release.get(),
            unresponsive_test: config.unresponsive_test,
            unresponsive_penalty: config.unresponsive_penalty,
            noidle: config.noidle,
        };
        let start = config.start.unwrap_or(list_interval(config.rtt, (config.regular, config.lists), 0.0));
        Self {
            rule,
            flows: FlowTable::new(config.flows),
            arrived: 0,
            dropped: 0,
            average_rate: None,
            list: 0,
            intervals: [Duration::ZERO, Duration::ZERO, Duration::ZERO, Duration::ZERO, start],
            last: Instant::ZERO,
            next: Instant::ZERO.saturating_add(start),
            monitored: 0,
            unresponsive: 0,
            longest: Vec::new(),
        }
    }

    /// When the present list ends.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// RED's drop rate, averaged over lists.
    pub(super) fn drop_rate(&self) -> f64 {
        self.average_rate.unwrap_or_default()
    }

    /// Length of the present list in time.
    pub(super) fn interval(&self) -> Duration {
        self.intervals[self.intervals.len() - 1]
    }

    /// Flows in the table.
    pub(super) fn known(&self) -> usize {
        self.flows.len()
    }

    /// Flows monitored, and of these, unresponsive.
    pub(super) fn counts(&self) -> (u32, u32) {
        (self.monitored, self.unresponsive)
    }

    /// A packet arrives; whether the filter drops it.
    #[inline]
    pub(super) fn filters(
        &mut self,
        flow: FlowKey,
        size: Bytes,
        congestion: Congestion,
        rng: &mut Rng,
    ) -> bool {
        self.flows.draw_salt(rng);
        if let Some(suspect) = self.flows.get_mut(flow) {
            suspect.arrived += size.get();
            if let Some(grip) = &mut suspect.grip {
                let hit = rng.bernoulli(grip.chance(self.rule.unresponsive_penalty));
                let may_drop = if grip.unresponsive {
                    congestion.waiting || !self.rule.noidle
                } else {
                    congestion.waiting && congestion.above_min_th
                };
                if hit && may_drop {
                    grip.count = 0;
                    suspect.filtered += size.get();
                    return true;
                }
                grip.count = grip.count.saturating_add(1);
            }
        }
        self.arrived += size.get();
        false
    }

    /// RED dropped or marked a packet.
    pub(super) fn red_dropped(&mut self, flow: FlowKey, size: Bytes) {
        self.dropped += size.get();
        let new = Suspect { arrived: size.get(), ..Suspect::default() };
        if let Some(at) = self.flows.place_or_insert(flow, new) {
            self.flows.at_mut(at).dropped += size.get();
        }
    }

    /// The list is complete: tightens the grip on flows that are in many, loosens it on those that are in none.
    pub(super) fn end_list(&mut self, now: Instant, report: Report<'_>) {
        let rate = if self.arrived > 0 { self.dropped as f64 / self.arrived as f64 } else { 0.0 };
        let average = self.average_rate.map_or(rate, |old| old + RATE_WEIGHT * (rate - old));
        self.average_rate = Some(average);
        self.append_list();
        if rate > self.rule.min_drop_rate {
            self.tighten(rate.min(average), now, report);
        }
        let interval = list_interval(self.rule.rtt, (self.rule.regular, self.rule.lists), average);
        self.intervals.rotate_left(1);
        self.intervals[self.intervals.len() - 1] = interval;
        self.loosen(now.saturating_add(LOOSEN_AFTER), report);
        self.start_list(now);
        self.last = now;
        self.next = now.saturating_add(interval);
    }

    /// Enters those who lost most into the list.
    fn append_list(&mut self) {
        self.longest.clear();
        // Grows with the table only, not whenever more flows lose than ever before.
        self.longest.reserve(self.flows.len());
        for (at, (_, suspect)) in self.flows.iter_mut().enumerate() {
            suspect.record[self.list] = suspect.dropped;
            if suspect.dropped > 0 {
                self.longest.push((suspect.dropped, at as u32));
            }
        }
        let most = self.rule.list_length;
        if self.longest.len() > most {
            self.longest.select_nth_unstable_by_key(most - 1, |(bytes, at)| (std::cmp::Reverse(*bytes), *at));
            for (_, at) in &self.longest[most..] {
                self.flows.at_mut(*at as usize).record[self.list] = 0;
            }
        }
        self.list = (self.list + 1) % self.rule.lists as usize;
    }

    fn tighten(&mut self, drop_rate: f64, now: Instant, report: Report<'_>) {
        let regular = self.rule.regular;
        let recorded = self.flows.iter().filter(|(_, s)| s.in_lists() >= regular).map(|(_, s)| s.recorded());
        let (count, sum) = recorded.fold((0u64, 0u64), |(n, sum), bytes| (n + 1, sum + bytes));
        let mean = sum as f64 / count as f64;
        let wait = self.wait(TIGHTEN_WAIT);
        let elapsed = now.saturating_since(self.last).as_secs_f64();
        for (flow, suspect) in self.flows.iter_mut() {
            let lost = suspect.dropped + suspect.filtered;
            if suspect.in_lists() < regular || lost == 0 || !suspect.has_waited(wait, now) {
                continue;
            }
            let drops = suspect.recorded() as f64 / mean;
            match &mut suspect.grip {
                Some(grip) => {
                    if self.rule.unresponsive_test {
                        grip.test();
                    }
                    grip.tighten(drops, drop_rate);
                }
                None => {
                    suspect.grip = Some(Grip::new(drops, drop_rate));
                    report(flow, true);
                }
            }
            suspect.changed = Some(now);
            if let Some(grip) = &mut suspect.grip
                && suspect.arrived > 0
            {
                let arrived = suspect.arrived as f64;
                grip.remember(Answer { rate: arrived / elapsed, loss: lost as f64 / arrived });
            }
        }
    }

    fn loosen(&mut self, now: Instant, report: Report<'_>) {
        let (wait, unresponsive_wait) = (self.wait(LOOSEN_WAIT), self.wait(UNRESPONSIVE_WAIT));
        for (flow, suspect) in self.flows.iter_mut() {
            let Some(grip) = &suspect.grip else { continue };
            let wait = if grip.unresponsive { unresponsive_wait } else { wait };
            if suspect.in_lists() > 0 || !suspect.has_waited(wait, now) {
                continue;
            }
            suspect.changed = Some(now);
            if let Some(grip) = &mut suspect.grip
                && !grip.loosen(self.rule.max_decrease, self.rule.release)
            {
                suspect.grip = None;
                report(flow, false);
            }
        }
    }

    /// Starts counting anew, and forgets who is no longer of interest.
    fn start_list(&mut self, now: Instant) {
        let wait = self.wait(TIGHTEN_WAIT);
        (self.arrived, self.dropped, self.monitored, self.unresponsive) = (0, 0, 0, 0);
        for (_, suspect) in self.flows.iter_mut() {
            (suspect.arrived, suspect.dropped, suspect.filtered) = (0, 0, 0);
            if let Some(grip) = &suspect.grip {
                self.monitored += 1;
                self.unresponsive += u32::from(grip.unresponsive);
            }
        }
        self.flows.retain(|_, s| s.grip.is_some() || s.in_lists() > 0 || !s.has_waited(wait, now));
    }

    /// The length of the last `lists` intervals, at least `min_wait`.
    fn wait(&self, lists: usize) -> Duration {
        let last = &self.intervals[self.intervals.len() - lists..];
        last.iter().fold(Duration::ZERO, |sum, d| sum + *d).max(self.rule.min_wait)
    }
}

#[cfg(test)]
impl Monitor {
    /// The filter's probability for `flow`, where it is monitored, and whether it is thought unresponsive.
    pub(super) fn grip_on(&self, flow: FlowKey) -> Option<(f64, bool)> {
        self.flows.get(flow).and_then(|s| s.grip.as_ref()).map(|grip| (grip.probability, grip.unresponsive))
    }

    /// Whether `flow` is in so many lists that it counts as fast.
    pub(super) fn is_regular(&self, flow: FlowKey) -> bool {
        self.flows.get(flow).is_some_and(|s| s.in_lists() >= self.rule.regular)
    }

    /// Monitors `flow` with this probability.
    pub(super) fn grab(&mut self, flow: FlowKey, probability: f64, unresponsive: bool, rng: &mut Rng) {
        self.flows.draw_salt(rng);
        let grip = Some(Grip { probability, unresponsive, ..Grip::new(0.0, 0.0) });
        self.flows.place_or_insert(flow, Suspect { grip, ..Suspect::default() });
    }
}
