//! Memory that a scenario would take, estimated before anything is made: counts that cannot fit are refused.

use crate::declarations::draft::Draft;
use crate::declarations::head::Head;
use crate::declarations::node::NodeDecl;
use crate::model::{EqualPaths, NodeKind};
use crate::resolving::pattern::Flows;
use crate::resolving::picked::{Picked, pairs};
use crate::text::codes::Code;
use crate::text::place::Origin;
use crate::text::sink::Sink;
use tailrace_app::TransferCount;
use tailrace_core::params::Value;
use tailrace_core::text::Quantity as _;
use tailrace_core::{Bytes, Duration, Limit};

/// Where a caller does not say how much memory there is.
pub const DEFAULT_MEMORY_LIMIT: Bytes = Bytes(16 << 30);

/// Memory limit, and rows that leave the run while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRoom {
    /// Bytes of memory.
    pub memory: Bytes,
    /// Whether rows of series leave runs that are under way.
    pub leaving: Option<StreamedRows>,
}

/// Rows of series and events that go to the disk, or elsewhere, while a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamedRows {
    /// Bytes of rows after which they leave.
    pub at_once: Bytes,
    /// Interval, in simulated time, at which their size is looked at.
    pub every: Duration,
}

impl From<Bytes> for MemoryRoom {
    /// Everything stays in memory.
    fn from(memory: Bytes) -> Self {
        Self { memory, leaving: None }
    }
}

/// Names, addresses, routes to it.
const NODE: u128 = 512;
/// Two directions: queue, counters, name.
const LINK: u128 = 2048;
/// Both endpoints of a connection beyond its packets in flight.
const FLOW: u128 = 4096;
/// Both endpoints of a QUIC connection that sends, with all that their stack keeps, as measured with noq.
const QUIC_CONNECTION: u128 = 180_000;
/// A row of the series of a flow, of a group of them, and of a queue, with one of its law: as wide as the columns are.
pub const FLOW_ROW: u64 = 152;
/// See [`FLOW_ROW`].
pub const GROUP_ROW: u64 = 128;
/// See [`FLOW_ROW`].
pub const QUEUE_ROW: u64 = 108;
/// A row of the events.
pub const EVENT_ROW: u64 = 32;
/// A connection's record, and its row of the table.
const CONNECTION: u128 = 256;
/// A routing table's entry: the next link, and the distance where it matters.
const ROUTE: u128 = 4;
/// A packet that waits.
const PACKET: u128 = 160;
/// Queues of so many packets are within what links and flows are reckoned with.
const USUAL_QUEUE: u128 = 100_000;

/// Memory estimate of a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Memory of a run while it is under way.
    pub run: Bytes,
    /// Memory of a run's results, which are kept until all runs are done.
    pub kept: Bytes,
}

/// Something that takes memory: what it is, how many, bytes in all, and where the most of it is declared.
struct MemoryPart {
    what: &'static str,
    count: u128,
    bytes: u128,
    origin: Origin,
}

/// Rows of tables, and the bytes that they take.
#[derive(Clone, Copy)]
struct Rows {
    count: u128,
    bytes: u128,
}

impl Rows {
    fn of(count: u128, each: u128) -> Self {
        Self { count, bytes: count.saturating_mul(each) }
    }

    fn and(self, other: Self) -> Self {
        let count = self.count.saturating_add(other.count);
        Self { count, bytes: self.bytes.saturating_add(other.bytes) }
    }

    fn times(self, n: u128) -> Self {
        Self { count: self.count.saturating_mul(n), bytes: self.bytes.saturating_mul(n) }
    }

    /// The largest number of these rows that takes no more than `bytes`.
    fn within(self, bytes: u128) -> Self {
        if self.bytes <= bytes {
            return self;
        }
        let each = self.bytes.div_ceil(self.count.max(1)).max(1);
        Self { count: bytes / each, bytes }
    }
}

/// Counts of a scenario that the estimate is made of.
pub(crate) struct Counts<'d> {
    draft: &'d Draft,
    head: &'d Head,
    links: &'d [(Picked, Picked)],
    flows: &'d [Flows],
    leaving: Option<StreamedRows>,
}

fn members((a, b): &(Picked, Picked)) -> u128 {
    u128::from(pairs(*a, *b).unwrap_or(0))
}

fn flows_of(flows: &Flows) -> u128 {
    flows.count().map_or(0, u128::from)
}

/// The place of the largest.
fn largest(of: impl Iterator<Item = (u128, Origin)>) -> Origin {
    of.max_by_key(|(n, _)| *n).map_or(Origin::Scenario, |(_, origin)| origin)
}

impl<'d> Counts<'d> {
    pub(crate) const fn new(
        draft: &'d Draft,
        head: &'d Head,
        links: &'d [(Picked, Picked)],
        flows: &'d [Flows],
        leaving: Option<StreamedRows>,
    ) -> Self {
        Self { draft, head, links, flows, leaving }
    }

    fn parts(&self) -> [MemoryPart; 7] {
        let of = |n: &NodeDecl| u128::from(n.len());
        let nodes: u128 = self.draft.nodes.iter().map(of).sum();
        let routers: u128 = self.draft.nodes.iter().filter(|n| n.kind == NodeKind::Router).map(of).sum();
        let at_node = largest(self.draft.nodes.iter().map(|n| (of(n), n.name.origin)));
        let links: u128 = self.links.iter().map(members).sum();
        let flows: u128 = self.flows.iter().map(flows_of).sum();
        let of_links = self.draft.links.iter().zip(self.links);
        let of_flows = self.draft.flows.iter().zip(self.flows);
        let at_link = largest(of_links.map(|(decl, ends)| (members(ends), decl.ends[0].origin)));
        let over_quic = of_flows.clone().filter(|(decl, _)| decl.transport.quic().is_some());
        let over_quic: u128 = over_quic.map(|(_, ends)| flows_of(ends)).sum();
        let at_flow = largest(of_flows.map(|(decl, ends)| (flows_of(ends), decl.name.origin)));
        let part = |what, count: u128, each: u128, origin| MemoryPart {
            what,
            count,
            bytes: count.saturating_mul(each),
            origin,
        };
        let (queued, at_queue) = self.queued();
        let rows = self.rows();
        [
            part("hosts and routers", nodes, NODE, at_node),
            part("links", links, LINK, at_link),
            part("flows", flows, FLOW, at_flow),
            MemoryPart {
                what: "rows of series, events and connections",
                count: rows.count,
                bytes: rows.bytes,
                origin: self.head.record_origin.0,
            },
            part("routes", routers.saturating_mul(routers.min(nodes - routers)), self.route(), at_node),
            part("packets in queues", queued, PACKET, at_queue),
            part("connections over QUIC", over_quic, QUIC_CONNECTION, at_flow),
        ]
    }

    /// Memory of a router's route to a router that hosts are behind. Most networks have hosts behind few of their routers.
    fn route(&self) -> u128 {
        let spreads = self.head.routing.plain().equal_paths != EqualPaths::First;
        if spreads || !self.draft.faults.is_empty() { 2 * ROUTE } else { ROUTE }
    }

    /// Rows of series, of the events table and of that of connections, as far as they are in memory.
    fn rows(&self) -> Rows {
        let record = self.head.record.plain();
        let duration = self.head.keys.duration.value;
        let samples = |span: Duration| {
            let interval = |each: Duration| u128::from(span.as_nanos()) / u128::from(each.as_nanos().max(1));
            record.interval.map_or(0, interval)
        };
        let cap = u128::from(record.max_series_flows);
        let observed = self.draft.links.iter().zip(self.links).filter(|(decl, _)| decl.observed);
        let sample = Rows::of(self.flows.iter().map(|f| flows_of(f).min(cap)).sum(), FLOW_ROW.into())
            .and(Rows::of(self.flows.len() as u128, GROUP_ROW.into()))
            .and(Rows::of(observed.map(|(_, ends)| 2 * members(ends)).sum(), QUEUE_ROW.into()));
        let events = if record.events { u128::from(record.max_events) } else { 0 };
        let all = sample.times(samples(duration)).and(Rows::of(events, EVENT_ROW.into()));
        let kept = self.leaving.map_or(all, |StreamedRows { at_once, every }| {
            all.within(u128::from(at_once.get()).saturating_add(sample.times(samples(every)).bytes))
        });
        kept.and(Rows::of(self.connections().min(u128::from(record.max_connections)), CONNECTION))
    }

    /// Connections that there will be at most.
    fn connections(&self) -> u128 {
        let each = self.draft.flows.iter().zip(self.flows).map(|(decl, ends)| {
            let each = match decl.app.transfers() {
                TransferCount::None => 1,
                TransferCount::Count(n) => u128::from(n),
                TransferCount::Endless => u128::from(u32::MAX),
            };
            flows_of(ends).saturating_mul(each)
        });
        each.fold(0, u128::saturating_add)
    }

    /// Packets that long queues may hold: no more than fit, and no more than comes over UDP, as TCP has its windows.
    fn queued(&self) -> (u128, Origin) {
        let long = self.draft.links.iter().zip(self.links).filter_map(|(decl, ends)| {
            let specs = std::iter::once(&decl.forward).chain(&decl.backward);
            let room = specs.map(|spec| room_of(spec.queue.get("limit"), spec.mtu)).max().unwrap_or(0);
            (room > USUAL_QUEUE).then(|| (room.saturating_mul(members(ends)), decl.queue_origin()))
        });
        let long: Vec<_> = long.collect();
        let room = long.iter().fold(0_u128, |sum, (n, _)| sum.saturating_add(*n));
        let nanos = u128::from(self.head.keys.duration.value.as_nanos());
        let offered = self.draft.flows.iter().zip(self.flows).map(|(decl, ends)| {
            let Some(traffic) = decl.app.traffic() else { return 0 };
            let bits = u128::from(traffic.rate.as_bps()).saturating_mul(nanos) / 1_000_000_000;
            let size = u128::from(traffic.payload.get().max(1));
            (bits / 8 / size).saturating_mul(flows_of(ends))
        });
        let offered = offered.fold(0_u128, u128::saturating_add);
        (room.min(offered), largest(long.into_iter()))
    }
}

/// Packets that a limit leaves room for.
fn room_of(limit: Option<Value>, mtu: Bytes) -> u128 {
    let Some(Value::Text(text)) = limit else { return 0 };
    match Limit::parse(&text) {
        Ok(Limit::Packets(n)) => u128::from(n),
        Ok(Limit::Bytes(b)) => u128::from(b.get() / mtu.get().max(1)),
        Err(_) => 0,
    }
}

/// Estimates the scenario's memory if it fits into three quarters of `limit`; if not, reports how much it needs, and for what.
pub(crate) fn fits(counts: &Counts<'_>, limit: Bytes, sink: &Sink<'_>) -> Option<Estimate> {
    let runs = u128::from(counts.head.keys.runs.value);
    let parts = counts.parts();
    let kept = parts[3].bytes;
    let run = parts.iter().fold(0_u128, |sum, part| sum.saturating_add(part.bytes));
    let need = run.saturating_add(kept.saturating_mul(runs - 1));
    let room = u128::from(limit.get()) / 4 * 3;
    let too_many = parts.iter().any(|part| part.what == "links" && part.count > u128::from(u32::MAX));
    if need <= room && !too_many {
        let bytes = |n: u128| Bytes(u64::try_from(n).unwrap_or(u64::MAX));
        return Some(Estimate { run: bytes(run), kept: bytes(kept) });
    }
    let message =
        format!("the scenario needs about {} of memory; {} may be used", gigabytes(need), gigabytes(room));
    let largest = parts.iter().max_by_key(|part| part.bytes).expect("there are parts");
    let of_runs = if runs > 1 && kept >= 50_000_000 {
        format!(", and {} for the rows of each run", gigabytes(kept))
    } else {
        String::new()
    };
    let help = format!(
        "most of it is for {} {}: {}{of_runs}; have fewer of them, or record less",
        largest.count,
        largest.what,
        gigabytes(largest.bytes)
    );
    sink.push(sink.at(Code::TooLarge, largest.origin, message).help(help));
    None
}

fn gigabytes(bytes: u128) -> String {
    let tenths = bytes.saturating_add(50_000_000) / 100_000_000;
    format!("{}.{} GB", tenths / 10, tenths % 10)
}
