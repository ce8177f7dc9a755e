//! Time series of groups: all flows of each, however few of them have series of their own.
//!
//! What a group did is added up from its flows' counters when a sample is taken, so nothing is paid for it a packet.

use crate::build::Plan;
use crate::flow::Carrier;
use crate::output::Table;
use crate::table::{Cell, TableBuilder};
use crate::tally::{FlowTally, rate_bps};
use crate::world::World;
use std::ops::Range;
use tailrace_core::{Duration, Instant};

const COLUMNS: &[(&str, Cell<'static>)] = &[
    ("run", Cell::U32(0)),
    ("time_s", Cell::F64(0.0)),
    ("group", Cell::Text("")),
    ("open_flows", Cell::U32(0)),
    ("throughput_bps", Cell::F64(0.0)),
    ("goodput_bps", Cell::F64(0.0)),
    ("one_way_delay_s", Cell::F64(0.0)),
    ("reverse_one_way_delay_s", Cell::F64(0.0)),
    ("jitter_s", Cell::F64(0.0)),
    ("sent_packets", Cell::U64(0)),
    ("lost_packets", Cell::U64(0)),
    ("retransmitted_packets", Cell::U64(0)),
    ("loss_ratio", Cell::F64(0.0)),
    ("completed", Cell::U64(0)),
    ("cwnd_flows", Cell::U32(0)),
    ("cwnd_mean_bytes", Cell::F64(0.0)),
    ("cwnd_mean_segments", Cell::F64(0.0)),
];

/// The table being filled.
#[derive(Debug)]
pub(crate) struct GroupSeries {
    interval: Duration,
    /// Each group's tally at the last sample.
    last: Vec<FlowTally>,
    table: TableBuilder,
}

impl GroupSeries {
    pub(crate) fn new(groups: usize, interval: Duration) -> Self {
        let table = TableBuilder::new("group_series", COLUMNS);
        Self { interval, last: vec![FlowTally::default(); groups], table }
    }

    /// Takes a sample of every group.
    pub(crate) fn sample(&mut self, plan: &Plan, world: &World, now: Instant) {
        let mut first = 0;
        for (g, group) in plan.scenario.flows.iter().enumerate() {
            let flows = first..first + group.pairs.len();
            first = flows.end;
            let (tally, open) = Open::of(flows, world, now);
            let new = tally.since(&self.last[g]);
            self.last[g] = tally;
            self.table.row(&[
                Cell::U32(plan.run),
                Cell::F64(now.as_secs_f64()),
                Cell::Text(&group.name),
                Cell::U32(open.flows),
                Cell::F64(rate_bps(new.received_bytes, self.interval)),
                Cell::F64(rate_bps(new.delivered_bytes, self.interval)),
                Cell::F64(new.mean_delay_s()),
                Cell::F64(new.mean_reverse_delay_s()),
                Cell::F64(new.mean_jitter_s()),
                Cell::U64(tally.sent_packets),
                Cell::U64(tally.lost_packets),
                Cell::U64(tally.retransmitted_packets),
                Cell::F64(tally.loss_ratio()),
                Cell::U64(tally.completed),
                Cell::U32(open.windows),
                Cell::F64(open.bytes / f64::from(open.windows)),
                Cell::F64(open.segments / f64::from(open.windows)),
            ]);
        }
    }

    /// The rows since the last time.
    pub(crate) fn take(&mut self) -> Table {
        self.table.take()
    }
}

/// The flows of a group that are under way, and the windows of the ends that send of those over TCP.
#[derive(Debug, Default)]
pub(crate) struct Open {
    pub(crate) flows: u32,
    pub(crate) windows: u32,
    pub(crate) bytes: f64,
    segments: f64,
}

impl Open {
    /// Of these flows, with what they all have done.
    pub(crate) fn of(flows: Range<usize>, world: &World, now: Instant) -> (FlowTally, Self) {
        let (mut tally, mut open) = (FlowTally::default(), Self::default());
        for flow in flows {
            tally.add(&world.tally(flow));
            open.add(flow, world, now);
        }
        (tally, open)
    }

    fn add(&mut self, flow: usize, world: &World, now: Instant) {
        let f = &world.flows[flow];
        let clients = world.sockets_of(flow).filter(|s| !s.end().is_server() && !s.endpoint.is_over());
        let (mut live, now_open) = (0, f.start <= now && now < f.stop);
        for client in clients {
            live += 1;
            if let Some(tcp) = world.sender(client).endpoint.as_tcp() {
                let cwnd = tcp.view().cwnd.as_f64();
                self.windows += 1;
                self.bytes += cwnd;
                self.segments += cwnd / f64::from(tcp.mss());
            }
        }
        self.flows += u32::from(match f.carrier {
            Carrier::Udp(_) => now_open,
            Carrier::Tcp(_) => live > 0,
        });
    }
}
