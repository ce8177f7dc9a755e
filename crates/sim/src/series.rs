//! Time series: a picture of flows and queues at a set interval.

use crate::build::Plan;
use crate::connections::{ConnectionSeries, end_name};
use crate::group_series::GroupSeries;
use crate::output::Table;
use crate::packet::FlowEnd;
use crate::sockets::Socket;
use crate::table::{Cell, TableBuilder};
use crate::tally::{FlowTally, rate_bps};
use crate::world::{SimFabric, World};
use tailrace_core::{Duration, Instant};
use tailrace_net::LinkCounters;

/// The series tables being filled.
#[derive(Debug)]
pub(crate) struct Series {
    interval: Duration,
    flows: Vec<Sampled>,
    /// Counters of the observed queues at the last sample.
    queues: Vec<LinkCounters>,
    groups: GroupSeries,
    flow_series: TableBuilder,
    queue_series: TableBuilder,
    law_series: TableBuilder,
    connections: Option<ConnectionSeries>,
    scratch: Vec<f64>,
}

/// A flow that has series.
#[derive(Debug)]
struct Sampled {
    flow: usize,
    /// Its tally at the last sample.
    last: FlowTally,
    /// Its end that sends, as of the latest connection so far.
    sender: FlowEnd,
}

impl Sampled {
    fn new(flow: usize) -> Self {
        Self { flow, last: FlowTally::default(), sender: FlowEnd::client(flow) }
    }
}

impl Series {
    pub(crate) fn new(plan: &Plan, interval: Duration) -> Self {
        Self {
            interval,
            flows: plan.sampled_flows.iter().copied().map(Sampled::new).collect(),
            queues: vec![LinkCounters::default(); plan.queues.len()],
            groups: GroupSeries::new(plan.scenario.flows.len(), interval),
            flow_series: TableBuilder::new(
                "flow_series",
                &[
                    ("run", Cell::U32(0)),
                    ("time_s", Cell::F64(0.0)),
                    ("group", Cell::Text("")),
                    ("flow", Cell::U32(0)),
                    ("end", Cell::Text("")),
                    ("cwnd_bytes", Cell::F64(0.0)),
                    ("cwnd_segments", Cell::F64(0.0)),
                    ("ssthresh_bytes", Cell::F64(0.0)),
                    ("rtt_s", Cell::F64(0.0)),
                    ("in_flight_bytes", Cell::F64(0.0)),
                    ("throughput_bps", Cell::F64(0.0)),
                    ("goodput_bps", Cell::F64(0.0)),
                    ("one_way_delay_s", Cell::F64(0.0)),
                    ("reverse_one_way_delay_s", Cell::F64(0.0)),
                    ("sent_packets", Cell::U64(0)),
                    ("lost_packets", Cell::U64(0)),
                    ("retransmitted_packets", Cell::U64(0)),
                    ("loss_ratio", Cell::F64(0.0)),
                    ("jitter_s", Cell::F64(0.0)),
                ],
            ),
            queue_series: TableBuilder::new(
                "queue_series",
                &[
                    ("run", Cell::U32(0)),
                    ("time_s", Cell::F64(0.0)),
                    ("queue", Cell::Text("")),
                    ("backlog_packets", Cell::U64(0)),
                    ("backlog_bytes", Cell::U64(0)),
                    ("sojourn_s", Cell::F64(0.0)),
                    ("throughput_bps", Cell::F64(0.0)),
                    ("dropped_packets", Cell::U64(0)),
                    ("marked_packets", Cell::U64(0)),
                ],
            ),
            law_series: TableBuilder::new(
                "law_series",
                &[
                    ("run", Cell::U32(0)),
                    ("time_s", Cell::F64(0.0)),
                    ("queue", Cell::Text("")),
                    ("variable", Cell::Text("")),
                    ("value", Cell::F64(0.0)),
                ],
            ),
            connections: ConnectionSeries::of(&plan.scenario),
            scratch: Vec::new(),
        }
    }

    /// Time from one sample to the next.
    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// Takes a sample of everything.
    pub(crate) fn sample(&mut self, plan: &Plan, world: &mut World, fabric: &mut SimFabric) {
        let now = fabric.now();
        for i in 0..self.flows.len() {
            let new = self.sample_flow(i, plan, world, now);
            if let Some(connections) = &mut self.connections {
                connections.sample((self.flows[i].flow, &new), plan, world, fabric);
            }
        }
        self.groups.sample(plan, world, now);
        for i in 0..self.queues.len() {
            self.sample_queue(i, plan, world, fabric);
        }
    }

    /// Returns what the flow did since the last sample.
    fn sample_flow(&mut self, i: usize, plan: &Plan, world: &World, now: Instant) -> FlowTally {
        let Sampled { flow, last, sender } = &mut self.flows[i];
        let flow = *flow;
        let tally = world.tally(flow);
        let new = tally.since(&std::mem::replace(last, tally));
        let f = &world.flows[flow];
        let client = world.latest(FlowEnd::client(flow));
        let sending = client.map(|client| world.sender(client));
        *sender = sending.map_or(*sender, Socket::end);
        let end = *sender;
        let open = client.is_some_and(|client| !client.endpoint.is_over());
        let tcp = sending
            .filter(|_| open)
            .and_then(|socket| socket.endpoint.as_tcp())
            .map(|t| (t.view(), f64::from(t.mss())));
        let of = |get: &dyn Fn(&tailrace_transport::tcp::TcpView, f64) -> f64| {
            tcp.as_ref().map_or(f64::NAN, |(view, mss)| get(view, *mss))
        };
        self.flow_series.row(&[
            Cell::U32(plan.run),
            Cell::F64(now.as_secs_f64()),
            Cell::Text(&plan.scenario.flows[f.group as usize].name),
            Cell::U32(f.member),
            Cell::Text(end_name(end)),
            Cell::F64(of(&|v, _| v.cwnd.as_f64())),
            Cell::F64(of(&|v, mss| v.cwnd.as_f64() / mss)),
            Cell::F64(of(&|v, _| v.ssthresh.map_or(f64::NAN, |s| s.as_f64()))),
            Cell::F64(of(&|v, _| if v.rtt_samples == 0 { f64::NAN } else { v.smoothed_rtt.as_secs_f64() })),
            Cell::F64(of(&|v, _| v.in_flight.as_f64())),
            Cell::F64(rate_bps(new.received_bytes, self.interval)),
            Cell::F64(rate_bps(new.delivered_bytes, self.interval)),
            Cell::F64(new.mean_delay_s()),
            Cell::F64(new.mean_reverse_delay_s()),
            Cell::U64(tally.sent_packets),
            Cell::U64(tally.lost_packets),
            Cell::U64(tally.retransmitted_packets),
            Cell::F64(tally.loss_ratio()),
            Cell::F64(new.mean_jitter_s()),
        ]);
        new
    }

    fn sample_queue(&mut self, i: usize, plan: &Plan, world: &mut World, fabric: &mut SimFabric) {
        let queue = &plan.queues[i];
        fabric.settle(queue.link, world);
        let now = Cell::F64(fabric.now().as_secs_f64());
        let sojourn = fabric.take_recent_sojourn(queue.link).map_or(f64::NAN, |d| d.as_secs_f64());
        let link = fabric.link(queue.link);
        let counters = link.counters();
        let new = counters.since(&self.queues[i]);
        self.queues[i] = counters;
        let backlog = link.backlog();
        self.queue_series.row(&[
            Cell::U32(plan.run),
            now,
            Cell::Text(&queue.name),
            Cell::U64(backlog.packets),
            Cell::U64(backlog.bytes.get()),
            Cell::F64(sojourn),
            Cell::F64(rate_bps(new.sent_bytes, self.interval)),
            Cell::U64(counters.dropped_total()),
            Cell::U64(counters.marked),
        ]);
        let mut values = std::mem::take(&mut self.scratch);
        for (name, value) in link.law_state(&mut values).iter().zip(&values) {
            let cells =
                [Cell::U32(plan.run), now, Cell::Text(&queue.name), Cell::Text(name), Cell::F64(*value)];
            self.law_series.row(&cells);
        }
        self.scratch = values;
    }

    /// The rows since the last time.
    pub(crate) fn take(&mut self) -> Vec<Table> {
        let mut tables = vec![
            self.groups.take(),
            self.flow_series.take(),
            self.queue_series.take(),
            self.law_series.take(),
        ];
        tables.extend(self.connections.iter_mut().flat_map(ConnectionSeries::take));
        tables
    }
}
