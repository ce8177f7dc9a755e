//! What groups of flows and queues did in an open window: the same figures of the whole time and of a part of it.

use crate::ground::distribution::{Distribution, Level, Spread};
use crate::ground::in_order::InOrder;
use crate::ground::plan::ObservedQueue;
use crate::ground::rate::{rate_bps, span};
use crate::ground::scope::Open;
use crate::results::connection_summary::Listed;
use crate::results::group_summary::{
    BinsSummary, Connections, GroupSummary, PagesSummary, Transfers, WholeRun,
};
use crate::results::queue_summary::{Flagged, QueueSummary, WholeRunOfQueue, by_reason, disturbed};
use crate::results::run_summary::WindowSummary;
use crate::results::view::RunView;
use crate::stats::fairness::jain;
use crate::stats::flow_stats::FlowTally;
use crate::stats::group_distributions::GroupTally;
use crate::stats::{video, voice};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use tailrace_core::{Bytes, Duration, Instant};
use tailrace_net::QueueStats;
use tailrace_scenario::model::Role;

impl RunView<'_> {
    /// Time that a window covers so far.
    pub(crate) fn span(&self, open: Open) -> Duration {
        span(self.since(open), self.fabric.now())
    }

    fn since(&self, open: Open) -> Instant {
        self.world.begun[open].unwrap_or(Instant::ZERO)
    }

    pub(crate) fn goodput_bps(&self, flow: usize, tally: &FlowTally, open: Open) -> f64 {
        rate_bps(self.world.goodput_bytes(flow, tally, open), self.span(open))
    }

    /// The flows of each group.
    fn members(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.plan.scenario.flows.iter().scan(0, |first, group| {
            let flows = *first..*first + group.pairs.len();
            *first = flows.end;
            Some(flows)
        })
    }

    /// What the groups' applications have done since the start of the run.
    pub(crate) fn outcomes(&self) -> Vec<(Option<Transfers>, Option<Connections>)> {
        self.members()
            .map(|flows| (self.world.transfers(flows.clone()), self.world.connections(flows)))
            .collect()
    }

    /// All groups in a window, by name.
    pub(crate) fn groups(&self, open: Open) -> BTreeMap<String, GroupSummary> {
        let names = self.plan.scenario.flows.iter().map(|group| group.name.clone());
        names.zip(self.members().enumerate().map(|(g, flows)| self.group(g, flows, open))).collect()
    }

    /// All queues under study in a window, by name.
    pub(crate) fn queues(&self, open: Open) -> BTreeMap<String, QueueSummary> {
        let queues = self.plan.queues.iter().enumerate();
        queues.map(|(i, queue)| (queue.name.clone(), self.queue(i, open))).collect()
    }

    /// The window that began last, as if it ended now.
    pub(crate) fn part(&self) -> WindowSummary {
        WindowSummary {
            start_s: self.since(Open::Part).as_secs_f64(),
            end_s: self.fabric.now().as_secs_f64(),
            groups: self.groups(Open::Part),
            queues: self.queues(Open::Part),
            connections: Listed::of(self.plan, self.world, self.fabric)
                .since(self.windows.connections())
                .summaries(self.plan, self.world),
            paths: self.paths(Open::Part),
        }
    }

    /// The scenario's windows that have begun.
    pub(crate) fn windows(&self) -> InOrder<WindowSummary> {
        let mut over = self.windows.over().to_vec();
        for (number, window) in over.iter_mut().enumerate() {
            for (flows, group) in self.members().zip(&self.plan.scenario.flows) {
                let summary = window.groups.get_mut(&group.name).expect("windows have all groups");
                flows.for_each(|flow| summary.befell(self.world.late.of(number, flow)));
            }
            self.paths_befell(number, &mut window.paths);
        }
        over.extend(self.windows.is_under_way().then(|| self.part()));
        let names = self.plan.scenario.windows.iter().map(|window| window.name.clone());
        InOrder(names.zip(over).collect())
    }

    fn group(&self, g: usize, flows: Range<usize>, open: Open) -> GroupSummary {
        let group = &self.plan.scenario.flows[g];
        let tallies: Vec<FlowTally> = flows.clone().map(|f| self.world.window_tally(f, open)).collect();
        let mut total = FlowTally::default();
        tallies.iter().for_each(|t| total.add(t));
        let span = self.span(open);
        let goodput: Vec<f64> =
            flows.clone().zip(&tallies).map(|(f, t)| self.goodput_bps(f, t, open)).collect();
        let throughput: Vec<f64> = tallies.iter().map(|t| rate_bps(t.received_bytes, span)).collect();
        let (transfers, connections) = self.outcome(g, flows.clone(), open);
        let distributions = self.distributions(g, open);
        GroupSummary {
            flows: tallies.len(),
            role: role_name(group.role),
            jain: jain(&goodput),
            goodput_bps: Spread::of(&goodput),
            throughput_bps: Spread::of(&throughput),
            altered_bytes: total.altered_bytes,
            sent_packets: total.sent_packets,
            lost_packets: total.lost_packets,
            loss_ratio: total.loss_ratio(),
            marked_packets: total.marked_packets,
            retransmitted_packets: total.retransmitted_packets,
            timeouts: self.timeouts(flows.clone(), &total),
            completed: total.completed,
            transfers,
            connections,
            whole_run: (open == Open::Whole).then(|| self.whole_run(flows.clone())),
            one_way_delay_s: Distribution::of(&distributions.one_way_delay),
            reverse_one_way_delay_s: Distribution::of(&distributions.reverse_one_way_delay),
            rtt_s: Distribution::of(&distributions.rtt),
            completion_s: Distribution::of(&distributions.completion),
            completion_goodput_bps: completion_goodput(&tallies),
            slowdown: Distribution::of(&distributions.slowdown),
            completion_by_size: if group.app.has_varied_transfers() {
                distributions.by_size.summary()
            } else {
                InOrder(Vec::new())
            },
            voice: group.app.voice().map(|v| voice::summary(&v, &tallies)),
            pages: group.app.has_pages().then(|| PagesSummary {
                loaded: distributions.page_load.count(),
                load_s: Distribution::of(&distributions.page_load),
            }),
            video: group.app.plays().then(|| {
                let now = self.fabric.now();
                let played = flows.clone().map(|f| self.world.window_playback(f, open, now));
                video::summary(&played.collect::<Vec<_>>())
            }),
            jitter_s: Distribution::of(&distributions.jitter),
            bins: self.bins(g, flows.clone(), open),
            longest_silence_s: self.longest_silence_s(flows, open),
        }
    }

    fn bins(&self, g: usize, flows: Range<usize>, open: Open) -> Option<BinsSummary> {
        let (interval, evenness) = self.world.evenness_of_group(g, open)?;
        let started = flows.map(|f| self.world.flows[f].start).min().unwrap_or(Instant::ZERO);
        let start = if open == Open::Whole { started } else { started.max(self.since(open)) };
        Some(BinsSummary::of((start, self.fabric.now()), interval, &evenness))
    }

    /// The longest of any of these flows; NaN where none was open.
    fn longest_silence_s(&self, flows: Range<usize>, open: Open) -> f64 {
        let each = flows.map(|f| self.world.longest_silence_s(f, open, self.fabric.now()));
        each.fold(f64::NAN, f64::max)
    }

    fn whole_run(&self, flows: Range<usize>) -> WholeRun {
        let mut whole = FlowTally::default();
        flows.clone().for_each(|f| whole.add(&self.world.tally(f)));
        let wrong = flows.clone().filter_map(|f| self.world.wrong_bytes(f)).reduce(|all, one| all + one);
        WholeRun::of(&whole, self.timeouts(flows, &whole), wrong)
    }

    /// Those of several flows together, if they are known.
    fn timeouts(&self, flows: Range<usize>, total: &FlowTally) -> Option<u64> {
        let is_known = self.world.flows[flows].iter().all(|flow| !flow.lacks_timeouts);
        is_known.then_some(total.timeouts)
    }

    /// What became of what applications were asked for: in all, or in a part of the run.
    fn outcome(&self, g: usize, flows: Range<usize>, open: Open) -> (Option<Transfers>, Option<Connections>) {
        let (transfers, connections) = (self.world.transfers(flows.clone()), self.world.connections(flows));
        let Some((begun, opened)) = self.windows.outcomes(open, g) else { return (transfers, connections) };
        let begun = begun.unwrap_or_default();
        let opened = opened.clone().unwrap_or_default();
        (transfers.map(|t| t.since(&begun)), connections.map(|c| c.since(&opened)))
    }

    /// Of a group in a window: what is recorded begins anew with each part, and the whole is put together.
    fn distributions(&self, g: usize, open: Open) -> Cow<'_, GroupTally> {
        let present = &self.world.recorder.groups[g];
        let Some(past) = self.windows.past_groups(open).get(g) else { return Cow::Borrowed(present) };
        let mut all = past.clone();
        all.merge(present);
        Cow::Owned(all)
    }

    /// Of a queue, likewise.
    fn queue_stats(&self, i: usize, open: Open) -> Cow<'_, QueueStats> {
        let link = self.fabric.link(self.plan.queues[i].link);
        let present = link.stats().expect("queues under study are observed");
        let Some(past) = self.windows.past_queues(open).get(i) else { return Cow::Borrowed(present) };
        let mut all = past.clone();
        all.merge(present);
        Cow::Owned(all)
    }

    fn queue(&self, i: usize, open: Open) -> QueueSummary {
        let queue = &self.plan.queues[i];
        let link = self.fabric.link(queue.link);
        let whole = link.counters();
        let counters = whole.since(&self.windows.counters(open, i));
        let stats = self.queue_stats(i, open);
        let span = stats.span();
        let begun = Bytes(counters.sent_bytes + counters.dequeued * queue.overhead).as_f64() * 8.0;
        // What was under way at the edges counts as far as it left in between.
        let before = self.windows.unsent_bits(open, i);
        let bits = (begun + before - link.unsent_bits(self.fabric.now())).max(0.0);
        let (from, to) = (self.since(open), self.fabric.now());
        let rate = self.world.rates.mean_bps(queue.link, &queue.pace, from, to);
        let level = |g: &tailrace_net::Gauge| Level {
            mean: g.mean(span),
            sd: g.sd(span),
            min: g.min(),
            max: g.max(),
        };
        QueueSummary {
            kind: queue.kind,
            form: queue.form,
            limit: queue.limit.clone(),
            sojourn_s: Distribution::of(stats.sojourn_times()),
            backlog_bytes: level(stats.bytes()),
            backlog_packets: level(stats.packets()),
            utilization: utilization(bits, self.span(open), rate),
            enqueued_packets: counters.enqueued(),
            dequeued_packets: counters.dequeued,
            marked_packets: counters.marked,
            dropped_packets: by_reason(&counters),
            disturbed_packets: disturbed(&counters),
            whole_run: (open == Open::Whole).then(|| WholeRunOfQueue::of(&whole)),
            flagged: self.flagged(queue, open),
        }
    }

    /// How the queue's classifier judged the flows; zeros for a discipline that is none.
    fn flagged(&self, queue: &ObservedQueue, open: Open) -> Flagged {
        let link = &self.plan.scenario.links[queue.link.0 as usize / 2];
        let spec = if queue.link.0.is_multiple_of(2) { &link.forward } else { &link.backward };
        if !spec.queue.classifies() {
            return Flagged::default();
        }
        // A first flag in the warm-up is a detection, too; those of a window are its own.
        let from = if open == Open::Whole { Instant::ZERO } else { self.since(open) };
        let groups = self.plan.scenario.flows.iter().map(|f| (f.name.as_str(), f.role == Role::Attack));
        self.world.verdicts.judge((queue.link, open, from), &self.world.flows, &groups.collect::<Vec<_>>())
    }
}

/// The share of what a link carries in that time.
fn utilization(bits: f64, span: Duration, rate: f64) -> f64 {
    // A trace may have no opportunity in a short span; nothing is sent then.
    if rate <= 0.0 {
        return 0.0;
    }
    let share = bits / span.as_secs_f64() / rate;
    // Times are whole nanoseconds, so what leaves in one at either edge may count too often.
    let rounding = 2.0 / span.as_nanos() as f64;
    if share <= 1.0 + rounding { share.min(1.0) } else { share }
}

/// Spread over the flows of which something completed; none where nothing did.
fn completion_goodput(tallies: &[FlowTally]) -> Option<Spread> {
    let each = tallies.iter().filter(|t| t.completed > 0).map(FlowTally::completion_goodput_bps);
    let each: Vec<f64> = each.collect();
    (!each.is_empty()).then(|| Spread::of(&each))
}

/// What a role is called.
pub(crate) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Normal => "normal",
        Role::Attack => "attack",
    }
}
