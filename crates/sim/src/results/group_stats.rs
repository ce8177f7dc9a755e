//! Statistics of flow groups and queues in a scope: the whole measured time or a part of it.

use crate::ground::distribution::{Distribution, Spread, TimeLevel};
use crate::ground::ordered_map::OrderedMap;
use crate::ground::plan::ObservedQueue;
use crate::ground::rate::rate_bps;
use crate::ground::scope::Scope;
use crate::results::application_stats::size_summary;
use crate::results::application_stats::video_summary;
use crate::results::application_stats::voice_summary;
use crate::results::classifier_summary::{ClassifierSummary, evaluate};
use crate::results::connection_summary::ListedConnections;
use crate::results::counter_values::CounterValues;
use crate::results::flow_counts::FlowCounts;
use crate::results::group_summary::{
    ConnectionCounts, GroupSummary, IntervalsSummary, PagesSummary, TransferCounts, WholeRunCounters,
};
use crate::results::queue_summary::{QueueSummary, WholeRunQueueCounters, by_reason, disturbed};
use crate::results::run_summary::WindowSummary;
use crate::results::transfer_outcomes::connections;
use crate::results::transfer_outcomes::transfers;
use crate::results::view::RunView;
use crate::stats::fairness::jain;
use crate::stats::flow_stats::FlowStats;
use crate::stats::group_distributions::GroupDistributions;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use tailrace_core::{Bytes, Duration, Instant};
use tailrace_net::QueueStats;
use tailrace_scenario::model::Role;

impl RunView<'_> {
    /// Outcomes of the groups' applications since the start of the run.
    pub(crate) fn outcomes(&self) -> Vec<(Option<TransferCounts>, Option<ConnectionCounts>)> {
        self.members()
            .map(|flows| (transfers(self.world, flows.clone()), connections(self.world, flows)))
            .collect()
    }

    /// Groups in a scope, by name.
    pub(crate) fn groups(&self, scope: Scope) -> BTreeMap<String, GroupSummary> {
        let names = self.plan.scenario.flows.iter().map(|group| group.name.clone());
        names.zip(self.members().enumerate().map(|(g, flows)| self.group(g, flows, scope))).collect()
    }

    /// Queues under study in a scope, by name.
    pub(crate) fn queues(&self, scope: Scope) -> BTreeMap<String, QueueSummary> {
        let queues = self.plan.queues.iter().enumerate();
        queues.map(|(i, queue)| (queue.name.clone(), self.queue(i, scope))).collect()
    }

    /// Latest window, as if it ended now.
    pub(crate) fn window(&self) -> WindowSummary {
        WindowSummary {
            start_s: self.since(Scope::Window).as_secs_f64(),
            end_s: self.fabric.now().as_secs_f64(),
            groups: self.groups(Scope::Window),
            queues: self.queues(Scope::Window),
            connections: ListedConnections::of(self.plan, self.world, self.fabric)
                .since(self.windows.connections())
                .summaries(self.plan, self.world),
            paths: self.paths(Scope::Window),
        }
    }

    /// Statistics of all flows in the current window, as if it ended now.
    pub(crate) fn flow_counts(&self) -> Vec<FlowCounts> {
        let (scope, now) = (Scope::Window, self.fabric.now());
        let of = |flow| {
            let stats = self.world.window_stats(flow, scope);
            FlowCounts {
                goodput_bps: self.goodput_bps(flow, &stats, scope),
                tally: stats,
                longest_silence_s: self.world.longest_delivery_gap_s(flow, scope, now),
                smoothness: self.world.flow_smoothness(flow, scope),
                span: self.span(scope),
            }
        };
        (0..self.world.flows.len()).map(of).collect()
    }

    /// Windows of the scenario that have begun.
    pub(crate) fn windows(&self) -> OrderedMap<WindowSummary> {
        let mut over = self.windows.over().to_vec();
        for (number, window) in over.iter_mut().enumerate() {
            for (flows, group) in self.members().zip(&self.plan.scenario.flows) {
                let summary = window.groups.get_mut(&group.name).expect("windows have all groups");
                flows.for_each(|flow| summary.add_late_losses(self.world.loss_attribution.of(number, flow)));
            }
            self.add_late_path_losses(number, &mut window.paths);
        }
        over.extend(self.windows.is_under_way().then(|| self.window()));
        let names = self.plan.scenario.windows.iter().map(|window| window.name.clone());
        OrderedMap(names.zip(over).collect())
    }

    fn group(&self, g: usize, flows: Range<usize>, scope: Scope) -> GroupSummary {
        let group = &self.plan.scenario.flows[g];
        let tallies: Vec<FlowStats> = flows.clone().map(|f| self.world.window_stats(f, scope)).collect();
        let mut total = FlowStats::default();
        tallies.iter().for_each(|t| total.add(t));
        let span = self.span(scope);
        let goodput: Vec<f64> =
            flows.clone().zip(&tallies).map(|(f, t)| self.goodput_bps(f, t, scope)).collect();
        let throughput: Vec<f64> = tallies.iter().map(|t| rate_bps(t.received_bytes, span)).collect();
        let (transfers, connections) = self.outcome(g, flows.clone(), scope);
        let distributions = self.distributions(g, scope);
        GroupSummary {
            flows: tallies.len(),
            role: role_name(group.role),
            jain: jain(&goodput),
            goodput_bps: Spread::of(&goodput),
            throughput_bps: Spread::of(&throughput),
            counters: self.counters(flows.clone(), total),
            loss_ratio: total.loss_ratio(),
            transfers,
            connections,
            whole_run: (scope == Scope::Run).then(|| self.whole_run(flows.clone())),
            one_way_delay_s: Distribution::of(&distributions.one_way_delay),
            reverse_one_way_delay_s: Distribution::of(&distributions.reverse_one_way_delay),
            rtt_s: Distribution::of(&distributions.rtt),
            completion_s: Distribution::of(&distributions.completion),
            completion_goodput_bps: completion_goodput(&tallies),
            slowdown: Distribution::of(&distributions.slowdown),
            completion_by_size: if group.app.has_varied_transfers() {
                size_summary(&distributions.by_size)
            } else {
                OrderedMap(Vec::new())
            },
            voice: group.app.voice().map(|v| voice_summary(&v, &tallies)),
            pages: group.app.has_pages().then(|| PagesSummary {
                loaded: distributions.page_load.count(),
                load_s: Distribution::of(&distributions.page_load),
            }),
            video: group.app.plays().then(|| {
                let now = self.fabric.now();
                let played = flows.clone().map(|f| self.world.window_playback(f, scope, now));
                video_summary(&played.collect::<Vec<_>>())
            }),
            jitter_s: Distribution::of(&distributions.jitter),
            bins: self.bins(g, flows.clone(), scope),
            longest_silence_s: self.longest_silence_s(flows.clone(), scope),
            silent: (scope == Scope::Run).then(|| self.silent_flows(flows)),
        }
    }

    fn bins(&self, g: usize, flows: Range<usize>, scope: Scope) -> Option<IntervalsSummary> {
        let (interval, smoothness) =
            self.world.intervals.as_ref().map(|i| (i.interval, i.of_group(g, scope)))?;
        let started = flows.map(|f| self.world.flows[f].start).min().unwrap_or(Instant::ZERO);
        let start = if scope == Scope::Run { started } else { started.max(self.since(scope)) };
        Some(IntervalsSummary::of((start, self.fabric.now()), interval, &smoothness))
    }

    /// Longest delivery gap of these flows; NaN if none was open.
    fn longest_silence_s(&self, flows: Range<usize>, scope: Scope) -> f64 {
        let each = flows.map(|f| self.world.longest_delivery_gap_s(f, scope, self.fabric.now()));
        each.fold(f64::NAN, f64::max)
    }

    fn whole_run(&self, flows: Range<usize>) -> WholeRunCounters {
        let mut whole = FlowStats::default();
        flows.clone().for_each(|f| whole.add(&self.world.flow_stats(f)));
        let wrong = flows.clone().filter_map(|f| self.world.wrong_bytes(f)).reduce(|all, one| all + one);
        WholeRunCounters::of(self.counters(flows, whole), wrong)
    }

    /// Sums of the counters of several flows.
    fn counters(&self, flows: Range<usize>, stats: FlowStats) -> CounterValues {
        let timeouts_known = self.world.flows[flows].iter().all(|flow| !flow.lacks_timeouts);
        CounterValues { stats, timeouts_known }
    }

    /// Outcomes of transfers and connections: in the whole run, or in a part of it.
    fn outcome(
        &self,
        g: usize,
        flows: Range<usize>,
        scope: Scope,
    ) -> (Option<TransferCounts>, Option<ConnectionCounts>) {
        let (transfers, connections) = (transfers(self.world, flows.clone()), connections(self.world, flows));
        let Some((begun, opened)) = self.windows.outcomes(scope, g) else { return (transfers, connections) };
        let begun = begun.unwrap_or_default();
        let opened = opened.clone().unwrap_or_default();
        (transfers.map(|t| t.since(&begun)), connections.map(|c| c.since(&opened)))
    }

    /// Distributions of a group in a scope: those of the latest part, merged with earlier parts for the whole.
    fn distributions(&self, g: usize, scope: Scope) -> Cow<'_, GroupDistributions> {
        let present = &self.world.recorder.groups[g];
        let Some(past) = self.windows.past_groups(scope).get(g) else { return Cow::Borrowed(present) };
        let mut all = past.clone();
        all.merge(present);
        Cow::Owned(all)
    }

    /// Statistics of a queue in a scope, merged likewise.
    fn queue_stats(&self, i: usize, scope: Scope) -> Cow<'_, QueueStats> {
        let link = self.fabric.link(self.plan.queues[i].link);
        let present = link.stats().expect("queues under study are observed");
        let Some(past) = self.windows.past_queues(scope).get(i) else { return Cow::Borrowed(present) };
        let mut all = past.clone();
        all.merge(present);
        Cow::Owned(all)
    }

    fn queue(&self, i: usize, scope: Scope) -> QueueSummary {
        let queue = &self.plan.queues[i];
        let link = self.fabric.link(queue.link);
        let whole = link.counters();
        let counters = whole.since(&self.windows.counters(scope, i));
        let stats = self.queue_stats(i, scope);
        let span = stats.span();
        let begun = Bytes(counters.sent_bytes + counters.dequeued * queue.overhead).as_f64() * 8.0;
        // Packets under transmission at the edges count with the bits sent in between.
        let before = self.windows.unsent_bits(scope, i);
        let bits = (begun + before - link.unsent_bits(self.fabric.now())).max(0.0);
        let (from, to) = (self.since(scope), self.fabric.now());
        let rate = self.world.rates.mean_bps(queue.link, &queue.pace, from, to);
        let level = |g: &tailrace_net::Gauge| TimeLevel {
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
            utilization: utilization(bits, self.span(scope), rate),
            enqueued_packets: counters.enqueued(),
            dequeued_packets: counters.dequeued,
            marked_packets: counters.marked,
            dropped_packets: by_reason(&counters),
            ack_filtered_packets: counters.ack_filtered(),
            disturbed_packets: disturbed(&counters),
            whole_run: (scope == Scope::Run).then(|| WholeRunQueueCounters::of(&whole)),
            flagged: self.flagged(queue, scope),
        }
    }

    /// Accuracy of the queue's classifier; zeros for a discipline without one.
    fn flagged(&self, queue: &ObservedQueue, scope: Scope) -> ClassifierSummary {
        let link = &self.plan.scenario.links[queue.link.0 as usize / 2];
        let spec = if queue.link.0.is_multiple_of(2) { &link.forward } else { &link.backward };
        if !spec.queue.classifies() {
            return ClassifierSummary::default();
        }
        // A first flag in the warm-up is a detection, too; windows count their own flags only.
        let from = if scope == Scope::Run { Instant::ZERO } else { self.since(scope) };
        let groups = self.plan.scenario.flows.iter().map(|f| (f.name.as_str(), f.role == Role::Attack));
        evaluate(
            &self.world.classifiers,
            (queue.link, scope, from),
            &self.world.flows,
            &groups.collect::<Vec<_>>(),
        )
    }
}

/// Share of the bits that a link could carry in that time.
fn utilization(bits: f64, span: Duration, rate: f64) -> f64 {
    // A trace may have no opportunity in a short span; nothing is sent then.
    if rate <= 0.0 {
        return 0.0;
    }
    let share = bits / span.as_secs_f64() / rate;
    // Times are whole nanoseconds, so a departure at either edge may count too often.
    let rounding = 2.0 / span.as_nanos() as f64;
    if share <= 1.0 + rounding { share.min(1.0) } else { share }
}

/// Spread over the flows with completed transfers; `None` without any.
fn completion_goodput(tallies: &[FlowStats]) -> Option<Spread> {
    let each = tallies.iter().filter(|t| t.completed > 0).map(FlowStats::completion_goodput_bps);
    let each: Vec<f64> = each.collect();
    (!each.is_empty()).then(|| Spread::of(&each))
}

/// Name of a role.
pub(crate) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Normal => "normal",
        Role::Attack => "attack",
    }
}
