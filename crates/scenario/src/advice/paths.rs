//! Demand of flows on links: offered rates, windows, round trips; estimates from the file alone.

use crate::advice::offers::{Direction, Lines, Offers};
use crate::model::{AppConfig, Fault, FlowGroup, Link, NodeIndex, Scenario, Transport};
use crate::resolving::topology::Topology;
use std::collections::{BTreeMap, BTreeSet};
use tailrace_app::{EndpointRole, OfferedTraffic};
use tailrace_core::{Bytes, Duration, Rate};
use tailrace_impair::LinkCondition;

/// Load that flows offer to one direction of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// The direction's rate.
    pub(crate) rate: Rate,
    /// Bits a second that can reach it at most.
    pub(crate) offered: u128,
    /// A direction that keeps it that low.
    pub(crate) limited_by: Option<Direction>,
}

/// The TCP windows that share the slowest link of their paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows {
    pub(crate) link: usize,
    /// A group that has flows among them.
    pub(crate) group: usize,
    /// Sum of the windows.
    pub(crate) bytes: u128,
    /// Rate of the link times the longest round trip.
    pub(crate) bdp: u128,
}

/// Flows of a group over a direction.
#[derive(Default)]
struct Crossing {
    flows: u64,
    /// Their offer, where they are periodic.
    offered: Lines,
}

/// Estimates for a whole scenario.
pub(crate) struct Paths {
    /// Round trip without queues, the longest of each group.
    pub(crate) round_trips: Vec<Duration>,
    /// The link with the smallest MTU that a group crosses.
    pub(crate) narrowest: Vec<Option<usize>>,
    pub(crate) windows: Vec<Windows>,
    /// Paths that a flow of each group can use at once, the most of any of its flows; one without Multipath TCP.
    pub(crate) ways: Vec<usize>,
    /// Subset of these ways that leads to the address that the connection begins with.
    pub(crate) ways_to_first: Vec<usize>,
    /// Offers to directions of observed links.
    offers: BTreeMap<Direction, Offers>,
    /// Observed directions that packets reach by chance, so that they wait at any load.
    by_chance: BTreeSet<Direction>,
    /// Some flow is strictly periodic, or losses come in bursts: only then crossings are counted.
    counted: bool,
    /// Flows of each group over each direction.
    crossings: Vec<BTreeMap<Direction, Crossing>>,
    /// Largest rate that one flow of each group offers, headers included; `u64::MAX` if the network is the limit.
    own: Vec<u64>,
}

impl Paths {
    /// Follows every flow.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let groups = scenario.flows.len();
        let mut paths = Self {
            round_trips: vec![Duration::ZERO; groups],
            narrowest: vec![None; groups],
            windows: Vec::new(),
            ways: vec![0; groups],
            ways_to_first: vec![0; groups],
            offers: BTreeMap::new(),
            by_chance: BTreeSet::new(),
            counted: scenario.flows.iter().any(|f| is_periodic(&f.app)) || has_loss_bursts(scenario),
            crossings: std::iter::repeat_with(BTreeMap::new).take(groups).collect(),
            own: scenario.flows.iter().map(offered_by).collect(),
        };
        let mut topology = Topology::new(scenario);
        let mut windows = BTreeMap::new();
        for (i, group) in scenario.flows.iter().enumerate() {
            for (a, b) in &group.pairs {
                // Sockets of kernels have windows of their own, whatever the file says.
                let is_simulated = |node: &NodeIndex| scenario.nodes[node.0 as usize].kernel.is_none();
                let window = window_of(group).filter(|_| is_simulated(a) || is_simulated(b));
                let multipath = matches!(group.transport, Transport::Mptcp { .. });
                let all = if multipath {
                    topology.paths(*a, *b)
                } else {
                    topology.path(*a, *b).into_iter().collect()
                };
                paths.ways[i] = paths.ways[i].max(all.len());
                let first = all
                    .iter()
                    .min_by_key(|hops| topology.cost_of(hops))
                    .and_then(|hops| hops.last().copied());
                let to_first = all.iter().filter(|hops| hops.last().copied() == first).count();
                paths.ways_to_first[i] = paths.ways_to_first[i].max(to_first);
                for hops in all {
                    let there: Vec<Direction> = hops.into_iter().map(Direction::of).collect();
                    let there =
                        if group.app.sender() == EndpointRole::Client { there } else { reversed(&there) };
                    paths.add(scenario, (i, window), &there, &mut windows);
                }
            }
        }
        paths.windows = windows.into_values().collect();
        paths
    }

    fn add(
        &mut self,
        scenario: &Scenario,
        (group, window): (usize, Option<u64>),
        there: &[Direction],
        windows: &mut BTreeMap<Direction, Windows>,
    ) {
        let delay = |d: Direction| d.spec(scenario).delay.mean().as_nanos();
        let round_trip = there.iter().fold(0_u64, |sum, d| {
            sum.saturating_add(delay(*d)).saturating_add(delay(Direction { forward: !d.forward, ..*d }))
        });
        let round_trip = Duration::from_nanos(round_trip);
        self.round_trips[group] = self.round_trips[group].max(round_trip);
        let mtu = |l: usize| scenario.links[l].forward.mtu;
        let narrow = there.iter().map(|d| d.link).min_by_key(|l| mtu(*l));
        if narrow.is_some_and(|l| self.narrowest[group].is_none_or(|old| mtu(l) < mtu(old))) {
            self.narrowest[group] = narrow;
        }
        let tcp = scenario.flows[group].transport.tcp().is_some();
        self.add_load(scenario, group, there, tcp);
        if scenario.flows[group].app.is_two_way() {
            self.add_load(scenario, group, &reversed(there), tcp);
        }
        let slowest = there.iter().copied().min_by_key(|d| d.spec(scenario).service_rate());
        if let (Some(slowest), Some(window)) = (slowest, window) {
            let rate = slowest.spec(scenario).service_rate();
            let bdp = u128::from(rate.as_bps()) * u128::from(round_trip.as_nanos()) / 8_000_000_000;
            let w = windows.entry(slowest).or_insert(Windows { link: slowest.link, group, bytes: 0, bdp: 0 });
            w.bytes += u128::from(window);
            w.bdp = w.bdp.max(bdp);
        }
    }

    fn add_load(&mut self, scenario: &Scenario, group: usize, there: &[Direction], tcp: bool) {
        let own = self.own[group];
        let rate = |d: &Direction| d.spec(scenario).service_rate();
        for (i, d) in there.iter().enumerate() {
            let before = there[..i].iter().rev().map(|line| (*line, rate(line)));
            if self.counted {
                let crossing = self.crossings[group].entry(*d).or_default();
                crossing.flows += 1;
                if is_periodic(&scenario.flows[group].app) {
                    crossing.offered.add(before.clone(), own, None);
                }
            }
            if !scenario.links[d.link].observed {
                continue;
            }
            let is_mean = scenario.flows[group].app.traffic().is_some_and(|traffic| traffic.is_mean);
            if is_mean && before.clone().all(|(_, earlier)| earlier > rate(d)) {
                self.by_chance.insert(*d);
            }
            // A closed loop is limited by every other link of the path, an open one by those before.
            let after = there[i + 1..].iter().filter(|_| tcp).map(|line| (*line, rate(line)));
            self.offers.entry(*d).or_insert_with(|| Offers::new(rate(d))).add(before, after, own);
        }
    }

    /// Loads of those directions of an observed link that flows send over.
    pub(crate) fn loads(&self, link: usize) -> impl Iterator<Item = Load> + '_ {
        [true, false].into_iter().filter_map(move |forward| {
            let offers = self.offers.get(&Direction { link, forward })?;
            let (offered, limited_by) = offers.most();
            Some(Load { rate: offers.rate(), offered, limited_by })
        })
    }

    /// Whether packets reach an observed link by chance in some direction.
    pub(crate) fn reached_by_chance(&self, link: usize) -> bool {
        [true, false].into_iter().any(|forward| self.by_chance.contains(&Direction { link, forward }))
    }

    /// The directions that a group crosses.
    pub(crate) fn directions(&self, group: usize) -> impl Iterator<Item = Direction> + '_ {
        self.crossings[group].keys().copied()
    }

    /// Rate that a whole group of periodic flows offers to a direction, over the lines that it comes through.
    pub(crate) fn offered(&self, group: usize, d: Direction) -> u128 {
        self.crossings[group].get(&d).map_or(0, |crossing| crossing.offered.most().0)
    }

    /// Flows of a group that cross the direction.
    pub(crate) fn flows(&self, group: usize, d: Direction) -> u64 {
        self.crossings[group].get(&d).map_or(0, |crossing| crossing.flows)
    }

    /// Whether other groups cross the direction, too.
    pub(crate) fn shared(&self, group: usize, d: Direction) -> bool {
        self.crossings.iter().enumerate().any(|(i, c)| i != group && c.contains_key(&d))
    }
}

/// Whether a link's losses, or those of a fault, have a state in which they come together.
fn has_loss_bursts(scenario: &Scenario) -> bool {
    let on_link = |link: &Link| [&link.forward, &link.backward].iter().any(|way| way.loss.burst().is_some());
    let by_fault = |fault: &Fault| fault.kind.applied_to(LinkCondition::default()).loss().burst().is_some();
    scenario.links.iter().any(on_link) || scenario.faults.iter().any(by_fault)
}

/// The way back.
fn reversed(there: &[Direction]) -> Vec<Direction> {
    there.iter().rev().map(|d| Direction { forward: !d.forward, ..*d }).collect()
}

/// Whether packets leave strictly periodically.
pub(crate) fn is_periodic(app: &AppConfig) -> bool {
    app.traffic().is_some_and(|t| t.periodic)
}

/// The most that one flow offers by itself.
fn offered_by(group: &FlowGroup) -> u64 {
    let Some(OfferedTraffic { rate, payload, .. }) = group.app.traffic() else { return u64::MAX };
    let size = payload.get();
    let header = match &group.transport {
        Transport::Udp { header, .. } => header.get(),
        Transport::Tcp { .. } | Transport::Mptcp { .. } | Transport::Quic(_) => 0,
    };
    let total = u128::from(rate.as_bps()) * u128::from(size.saturating_add(header)) / u128::from(size.max(1));
    u64::try_from(total).unwrap_or(u64::MAX)
}

/// The window of a TCP flow that sends as much as it can; `None` for others, and where nothing limits it.
fn window_of(group: &FlowGroup) -> Option<u64> {
    let config = group.transport.tcp()?;
    // A connection's window is shared by paths of which it need not fill each.
    let shared = matches!(group.transport, Transport::Mptcp { .. });
    if shared || group.app.is_two_way() {
        return None;
    }
    let packets = config.window.map_or(u64::MAX, |n| n.saturating_mul(config.mss.get()));
    let buffer = config.send_buffer.map_or(u64::MAX, Bytes::get);
    // Without window scaling (RFC 7323 §2) the window field ends at 65535.
    let scaled = if config.window_scale { u64::MAX } else { 65_535 };
    Some(config.largest_window().min(packets).min(buffer).min(scaled))
}
