//! Construction of a run: draws what the seed decides and builds the network from the scenario.

use crate::foreign::hosts::ForeignHosts;
use crate::ground::build_error::BuildError;
use crate::ground::capacity::{CapacityHistory, LinkCapacity};
use crate::ground::plan::LinkNames;
use crate::ground::plan::ObservedQueue;
use crate::ground::plan::RunPlan;
use crate::ground::random_streams::SCHEDULE;
use crate::ground::random_streams::link_stream;
use crate::ground::reset_causes::CAUSES;
use crate::ground::scope::PerScope;
use crate::host::accounting::interval_counters;
use crate::host::endpoint::EndpointPlan;
use crate::host::feedback::LabelFeedback;
use crate::host::flow::{DatagramFlow, Flow, FlowTransport, RetiredCounters, RunningApp, StreamFlow};
use crate::host::hosts::World;
use crate::host::sockets::MAX_SOCKETS;
use crate::host::sockets::Sockets;
use crate::host::time_wait::TimeWaitTable;
use crate::packet::address_changes::AddressChanges;
use crate::packet::envelope::Envelope;
use crate::packet::flow_end::FlowEnd;
use crate::packet::middlebox::Middlebox;
use crate::packet::options_arena::OptionsArena;
use crate::packet::ports::{ClientPorts, ServerPorts};
use crate::packet::sim_packet::SimFabric;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use crate::packet::source_route::SourceRoutes;
use crate::packet::spoofing::{SpoofPools, SpoofedSource};
use crate::run::permutation::{drawn, start_of};
use crate::stats::capture::Captures;
use crate::stats::classifier_accuracy::ClassifierAccuracy;
use crate::stats::connection_log::ConnectionLog;
use crate::stats::delivery_gap::DeliveryGap;
use crate::stats::event_log::EventLog;
use crate::stats::flow_stats::FlowStats;
use crate::stats::ideal_fct::IdealFct;
use crate::stats::intervals::Intervals;
use crate::stats::loss_attribution::LossAttribution;
use crate::stats::recorder::Recorder;
use std::collections::BTreeSet;
use std::sync::Arc;
use tailrace_app::{GroupMember, TransferCount};
use tailrace_core::rng::run_seed;
use tailrace_core::{Duration, Ecn, Instant, Packet, Rng};
use tailrace_net::{Address, EcmpHash, Fabric, Graph, Impairment, LinkConfig, LinkId, LinkQueue, NodeId};
use tailrace_qdisc::flow_hash::FlowBy;
use tailrace_qdisc::{LinkView, QueueDiscipline as _};
use tailrace_scenario::model::{
    CapturePoint, EqualPaths, FlowGroup, Link, LinkSpec, NodeIndex, NodeKind, Scenario, Transport,
};

/// The network of one run at time zero.
pub(crate) struct BuiltRun {
    pub(crate) plan: RunPlan,
    pub(crate) fabric: SimFabric,
    pub(crate) world: World,
}

/// Builds run number `run`.
pub(crate) fn build(scenario: &Arc<Scenario>, run: u32) -> Result<BuiltRun, BuildError> {
    check_size(scenario)?;
    let seed = run_seed(scenario.seed, run);
    let scenario = &drawn(scenario, seed);
    let mut graph = graph_of(scenario);
    let source_routes = SourceRoutes::of(scenario, &mut graph);
    let address_changes = AddressChanges::of(scenario, &mut graph);
    if scenario.nodes.iter().any(|node| node.kernel.is_some()) {
        // Programs may send to routers, which therefore need addresses.
        graph.name_routers();
    }
    prepare_routing(scenario, seed, &mut graph);
    let configs = link_configs(scenario, seed);
    let delays = configs.iter().map(|c: &LinkConfig<SimPacket>| c.delay).collect();
    let flow_count: usize = scenario.flows.iter().map(|g| g.pairs.len()).sum();
    let mut fabric = Fabric::new(graph, configs, flow_count * 2);
    join_media(scenario, seed, &mut fabric);
    learn_routes(scenario, &mut fabric);
    let places = LinkNames::new(scenario);
    let plan = RunPlan {
        scenario: Arc::clone(scenario),
        run,
        seed,
        queues: observed_queues(scenario, seed, &places),
        places,
        sampled_flows: sampled_flows(scenario),
        delays,
    };
    let looks_at_addresses = !source_routes.is_empty() || !address_changes.is_empty();
    let flows = flows_of(&plan, &fabric)?;
    let intervals = Intervals::of(scenario, interval_counters(&flows, Instant::ZERO));
    let limit = if scenario.record.events { scenario.record.max_events } else { 0 };
    let mut world = World {
        sockets: Sockets::default(),
        time_wait: TimeWaitTable::default(),
        flows,
        options: OptionsArena::new(source_routes, address_changes),
        recorder: Recorder::new(scenario.flows.len(), EventLog::new(limit)),
        connection_log: ConnectionLog::new(scenario.record.max_connections),
        playback_baselines: PerScope::default(),
        captures: Captures::new(scenario),
        classifiers: ClassifierAccuracy::default(),
        rates: CapacityHistory::default(),
        feedback: LabelFeedback::of(scenario).map(Box::new),
        foreign: ForeignHosts::default(),
        middleboxes: Middlebox::of(scenario, seed),
        looks_at_addresses,
        scope_starts: PerScope::default(),
        baselines: PerScope::default(),
        loss_attribution: LossAttribution::default(),
        intervals,
    };
    for flow in 0..world.flows.len() {
        world.schedule_start(flow, &mut fabric);
    }
    Ok(BuiltRun { plan, fabric, world })
}

/// Sets the scenario's routing parameters.
fn prepare_routing(scenario: &Scenario, seed: u64, graph: &mut Graph) {
    if scenario.faults.iter().any(|fault| fault.kind.changed_fields().state) {
        graph.expect_changes();
    }
    let by = match scenario.routing.equal_paths {
        EqualPaths::First => return,
        EqualPaths::FiveTuple => FlowBy::FiveTuple,
        EqualPaths::SrcDst => FlowBy::SrcDst,
    };
    graph.spread(EcmpHash::new(by, Rng::named(seed, "routing").next_u64()));
}

/// Computes the routes between the hosts of flows, all at once.
fn learn_routes(scenario: &Scenario, fabric: &mut SimFabric) {
    let groups = scenario.flows.iter().chain(scenario.idle.iter().map(|idle| &idle.group));
    let hosts: BTreeSet<NodeIndex> =
        groups.flat_map(|g| &g.pairs).flat_map(|(from, to)| [*from, *to]).collect();
    let graph = fabric.graph();
    let addresses: Vec<Address> = hosts.iter().flat_map(|host| graph.addresses(NodeId(host.0))).collect();
    fabric.learn_routes(addresses);
}

/// Joins links to their shared media.
fn join_media(scenario: &Scenario, seed: u64, fabric: &mut SimFabric) {
    for (i, medium) in scenario.media.iter().enumerate() {
        let sharing = scenario.links.iter().enumerate();
        let sharing = sharing.filter(|(_, link)| link.medium.is_some_and(|m| m.0 as usize == i));
        let ways = sharing.flat_map(|(link, _)| [0, 1].map(|way| LinkId(link as u32 * 2 + way)));
        let rng = Rng::named(seed, &format!("medium/{}", medium.name));
        fabric.share(medium.kind.build(), rng, ways);
    }
}

fn check_size(scenario: &Scenario) -> Result<(), BuildError> {
    let limit = SimFabric::MAX_TARGETS as usize;
    let most_flows = MAX_SOCKETS / 2;
    let flows: usize = scenario.flows.iter().map(|g| g.pairs.len()).sum();
    let too_large = |what, found, limit| Err(BuildError::TooLarge { what, found, limit });
    if scenario.links.len() > limit / 2 {
        return too_large("links", scenario.links.len(), limit / 2);
    }
    let most_media = SimFabric::MAX_CHANNELS as usize;
    if scenario.media.len() > most_media {
        return too_large("media", scenario.media.len(), most_media);
    }
    // Two sockets a flow.
    if flows > most_flows {
        return too_large("flows", flows, most_flows);
    }
    Ok(())
}

fn graph_of(scenario: &Scenario) -> Graph {
    let mut graph = Graph::default();
    for node in &scenario.nodes {
        graph.add_node(node.kind == NodeKind::Router);
    }
    for link in &scenario.links {
        let (forward, backward) = graph.add_link(NodeId(link.a.0), NodeId(link.b.0));
        graph.set_cost(forward, link.forward.cost.into());
        graph.set_cost(backward, link.backward.cost.into());
    }
    give_addresses(scenario, &mut graph);
    graph
}

/// Assigns the scenario's addresses to hosts.
fn give_addresses(scenario: &Scenario, graph: &mut Graph) {
    let mut pairs = Vec::new();
    for (i, node) in scenario.nodes.iter().enumerate().filter(|(_, node)| !node.addresses.is_empty()) {
        let counted = graph.addresses(NodeId(i as u32));
        pairs.extend(counted.zip(node.addresses.iter().map(|a| Address(u32::from(*a)))));
    }
    graph.give_addresses(&pairs);
}

/// Configurations of all link directions, in the order of their ids: forward and backward of each link.
fn link_configs<P: Packet>(scenario: &Scenario, seed: u64) -> Vec<LinkConfig<P>> {
    let mut configs = Vec::with_capacity(scenario.links.len() * 2);
    let mut named = 0;
    for (i, link) in scenario.links.iter().enumerate() {
        let observed = is_observed(scenario, link);
        let watched =
            scenario.captures.iter().any(|c| matches!(c.at, CapturePoint::Link(l) if l.0 as usize == i));
        let draw_delay = |spec: &LinkSpec, way: &str| {
            spec.delay.draw(&mut Rng::named(seed, &format!("link/{}/delay{way}", link.name)))
        };
        let forward = draw_delay(&link.forward, "");
        // Both directions of a link share one drawn delay, unless the scenario gives them different ones.
        let backward = if link.backward.delay == link.forward.delay {
            forward
        } else {
            draw_delay(&link.backward, "/reverse")
        };
        for (spec, delay, way) in [(&link.forward, forward, 0), (&link.backward, backward, 1)] {
            let way = LinkId(i as u32 * 2 + way);
            let stream = |what: &str| link_stream(scenario, seed, way, what);
            configs.push(link_config(spec, delay, (observed, watched), &stream, &mut named));
        }
    }
    configs
}

fn link_config<P: Packet>(
    spec: &LinkSpec,
    delay: Duration,
    (observed, watched): (bool, bool),
    stream: &dyn Fn(&str) -> Rng,
    named: &mut u32,
) -> LinkConfig<P> {
    let queue = match spec.queue.plain_fifo() {
        Some(limit) => LinkQueue::Fifo(limit),
        None => {
            let view = LinkView { rate: spec.rate, delay, overhead: spec.overhead };
            let mut queue = spec.queue.build(&view);
            if spec.queue.host_rules().is_some() {
                // Labels have room for 16 bits of a name: only queues that write it get one.
                *named += 1;
                queue.attach(*named);
            }
            LinkQueue::Disciplined(Box::new((queue, stream("queue"))))
        }
    };
    let impairment = (!spec.loss.is_none() || spec.jitter.is_some())
        .then(|| Box::new(Impairment::new(&spec.loss, spec.jitter, spec.reorder, stream("impairment"))));
    LinkConfig {
        rate: spec.rate,
        schedule: spec.schedule.as_ref().map(|schedule| Box::new(schedule.start(stream(SCHEDULE)))),
        delay,
        overhead: spec.overhead,
        mtu: spec.mtu,
        queue,
        impairment,
        observed,
        watched,
        has_middlebox: Middlebox::is_there(spec),
    }
}

fn is_observed(scenario: &Scenario, link: &Link) -> bool {
    let router = |n: NodeIndex| scenario.nodes[n.0 as usize].kind == NodeKind::Router;
    link.observed || (router(link.a) && router(link.b))
}

fn observed_queues(scenario: &Scenario, seed: u64, places: &LinkNames) -> Vec<ObservedQueue> {
    let mut queues = Vec::new();
    for (i, link) in scenario.links.iter().enumerate().filter(|(_, l)| is_observed(scenario, l)) {
        for (spec, way) in [(&link.forward, 0), (&link.backward, 1)] {
            let link = LinkId(i as u32 * 2 + way);
            queues.push(ObservedQueue {
                name: places.name(scenario, link),
                link,
                kind: spec.queue.name(),
                form: spec.queue.form(),
                limit: spec
                    .queue
                    .bound(&LinkView::new(spec.rate, Duration::ZERO).with_overhead(spec.overhead)),
                pace: LinkCapacity::of(spec, || link_stream(scenario, seed, link, SCHEDULE)),
                overhead: spec.overhead.get(),
            });
        }
    }
    queues
}

fn sampled_flows(scenario: &Scenario) -> Vec<usize> {
    let mut first = 0;
    let mut sampled = Vec::new();
    for group in &scenario.flows {
        let n = group.pairs.len().min(scenario.record.max_series_flows as usize);
        sampled.extend(first..first + n);
        first += group.pairs.len();
    }
    sampled
}

fn flows_of(run: &RunPlan, fabric: &SimFabric) -> Result<Vec<Flow>, BuildError> {
    let (scenario, seed) = (&*run.scenario, run.seed);
    let mut flows = Vec::new();
    let (mut servers, mut pools) = (ServerPorts::default(), SpoofPools::default());
    for (g, group) in scenario.flows.iter().enumerate() {
        reserve_disabled_flow(run, g, (&mut servers, &mut pools), fabric)?;
        let plan = tcp_plan(group).map(Arc::new);
        let header = fixed_header(group);
        for (member, &(from, to)) in group.pairs.iter().enumerate() {
            let id = FlowEnd::client(flows.len());
            let (client, server) = nearest_addresses(fabric.graph(), NodeId(from.0), NodeId(to.0))
                .ok_or_else(|| {
                    let node = |n: NodeIndex| scenario.nodes[n.0 as usize].name.clone();
                    BuildError::NoRoute { flow: group.name.clone(), from: node(from), to: node(to) }
                })?;
            // Flows between the same two addresses must differ to queues and captures: each has its own server.
            let server_port = servers.take(client, server, group.ports.server)?;
            let ends = ends_of(group, id, (client, server), server_port);
            let single = matches!(group.transport, Transport::Tcp { .. })
                && group.app.transfers() != TransferCount::None;
            let uncongested =
                if single { IdealFct::of(run, fabric.graph(), &ends[0], group.app.sender()) } else { None };
            let start = Instant::ZERO + start_of(group, member, seed);
            flows.push(Flow {
                group: g as u32,
                member: member as u32,
                ends,
                header,
                app: app_of(group, member, seed),
                carrier: match &plan {
                    Some(plan) => streams(
                        group,
                        plan,
                        uncongested,
                        stream_of(group, member, seed, "endpoints").next_u64(),
                    ),
                    None => datagrams(group, spoofed(group, member, seed, &mut pools)?),
                },
                listens: group.app.listens(),
                lacks_timeouts: false,
                start,
                stop: group.stop.map_or(Instant::MAX, |d| Instant::ZERO + d),
                sockets: Vec::new(),
                latest: SocketId::NONE,
                stats: FlowStats::default(),
                paths: matches!(group.transport, Transport::Mptcp { .. }).then(Box::default),
                delivery_gap: delivery_gap(group, start),
                arrived_from: Instant::ZERO,
                arrived_again: false,
                recent_arrivals: Default::default(),
                retired: RetiredCounters::default(),
            });
        }
    }
    Ok(flows)
}

/// Envelopes of both ends of a flow, the client's first.
fn ends_of(
    group: &FlowGroup,
    id: FlowEnd,
    (client, server): (Address, Address),
    server_port: u16,
) -> [Envelope; 2] {
    // A server learns its client's port from the SYN.
    let learnt = if matches!(group.transport, Transport::Udp { .. }) { group.ports.client } else { 0 };
    let out = Envelope {
        source: client,
        destination: server,
        source_port: group.ports.client,
        destination_port: server_port,
        dscp: group.dscp,
        to: id.peer(),
        peer: SocketId::NONE,
    };
    let back = Envelope {
        source: server,
        destination: client,
        source_port: server_port,
        destination_port: learnt,
        to: id,
        ..out
    };
    [out, back]
}

/// Reserves ports and address pools of disabled flows, so that those of later flows, which queues may hash, do not depend on
/// them.
fn reserve_disabled_flow(
    run: &RunPlan,
    after: usize,
    (servers, pools): (&mut ServerPorts, &mut SpoofPools),
    fabric: &SimFabric,
) -> Result<(), BuildError> {
    for group in run.scenario.idle.iter().filter(|idle| idle.after == after).map(|idle| &idle.group) {
        let ends = group.pairs.iter().map(|(from, to)| (NodeId(from.0), NodeId(to.0)));
        for (client, server) in ends.filter_map(|(from, to)| nearest_addresses(fabric.graph(), from, to)) {
            servers.take(client, server, group.ports.server)?;
            group.spoof.map(|spoof| pools.take(spoof.pool)).transpose()?;
        }
    }
    Ok(())
}

/// Spoofed source addresses of a flow.
fn spoofed(
    group: &FlowGroup,
    member: usize,
    seed: u64,
    pools: &mut SpoofPools,
) -> Result<Option<Box<SpoofedSource>>, BuildError> {
    let Some(spoof) = group.spoof else { return Ok(None) };
    let rng = stream_of(group, member, seed, "spoof");
    Ok(Some(Box::new(SpoofedSource::new(pools.take(spoof.pool)?, spoof, rng))))
}

/// Random stream of one part of a flow.
fn stream_of(group: &FlowGroup, member: usize, seed: u64, what: &str) -> Rng {
    Rng::named(seed, &format!("flow/{}/{member}/{what}", group.name))
}

/// Application of a flow, with a random stream of its own.
fn app_of(group: &FlowGroup, member: usize, seed: u64) -> Box<RunningApp> {
    let place = GroupMember { number: member as u32, of: group.pairs.len() as u32 };
    Box::new(RunningApp::of(&group.app, place, stream_of(group, member, seed, "app")))
}

/// Delivery gap of a flow: a UDP flow is open from its start to its stop, a TCP flow while it has connections.
fn delivery_gap(group: &FlowGroup, start: Instant) -> DeliveryGap {
    match &group.transport {
        Transport::Udp { .. } => {
            DeliveryGap::between(start, group.stop.map_or(Instant::MAX, |d| Instant::ZERO + d))
        }
        Transport::Tcp { .. } | Transport::Mptcp { .. } | Transport::Quic(_) => DeliveryGap::closed(),
    }
}

fn tcp_plan(group: &FlowGroup) -> Option<EndpointPlan> {
    match &group.transport {
        Transport::Tcp { config, cc, .. } => {
            Some(EndpointPlan::Tcp { config: Arc::clone(config), cc: cc.clone() })
        }
        Transport::Mptcp { plan, .. } => Some(EndpointPlan::Mptcp(Arc::clone(plan))),
        Transport::Quic(plan) => Some(EndpointPlan::Quic(Arc::clone(plan))),
        Transport::Udp { .. } => None,
    }
}

/// Header bytes that the scenario fixes for a TCP group.
fn fixed_header(group: &FlowGroup) -> Option<u32> {
    match &group.transport {
        Transport::Tcp { header, .. } | Transport::Mptcp { header, .. } => header.map(|h| h.get() as u32),
        Transport::Udp { .. } | Transport::Quic(_) => None,
    }
}

/// State of a flow over TCP; all flows of a group share a plan.
fn streams(
    group: &FlowGroup,
    plan: &Arc<EndpointPlan>,
    uncongested: Option<IdealFct>,
    seed: u64,
) -> FlowTransport {
    FlowTransport::Streams(Box::new(StreamFlow {
        plan: Arc::clone(plan),
        seed,
        asked: group.app.transfers(),
        sender: group.app.sender(),
        reader: group.app.reader(),
        varied: group.app.has_varied_transfers(),
        uncongested,
        connections: 0,
        ports: ClientPorts::from(group.ports.client),
        begun: 0,
        failed: 0,
        end: None,
        broken: [0; CAUSES.len()],
    }))
}

/// State of a flow over UDP.
fn datagrams(group: &FlowGroup, spoofed: Option<Box<SpoofedSource>>) -> FlowTransport {
    let Transport::Udp { header, ecn } = &group.transport else { unreachable!("all others have a plan") };
    FlowTransport::Datagrams(DatagramFlow {
        header: header.get() as u32,
        ecn: if *ecn { Ecn::Ect0 } else { Ecn::NotEct },
        sent: [0; 2],
        last_sent: Instant::ZERO,
        transit: [Duration::MAX; 2],
        spoofed,
    })
}

/// Pair of interface addresses with the least cost between two hosts (the fewest links where none is stated); the first of equals.
fn nearest_addresses(graph: &Graph, from: NodeId, to: NodeId) -> Option<(Address, Address)> {
    let mut best = None;
    for source in graph.addresses(from) {
        for destination in graph.addresses(to) {
            // The reverse route must exist, too: links can be taken down in one direction.
            let Some(cost) = graph.path(source, destination).map(|path| graph.cost_of(&path)) else {
                continue;
            };
            if graph.path(destination, source).is_some() && best.is_none_or(|(least, _, _)| cost < least) {
                best = Some((cost, source, destination));
            }
        }
    }
    best.map(|(_, source, destination)| (source, destination))
}
