//! Advice on runs that take long: an order of magnitude from the packets that flows offer.

use crate::advice::adviser::Adviser;
use crate::advice::offers::Direction;
use crate::model::{FlowGroup, Scenario, Transport};
use crate::resolving::topology::Topology;
use crate::text::codes::Code;
use crate::text::place::Origin;
use std::collections::BTreeMap;
use tailrace_app::{EndpointRole, TransferCount};
use tailrace_core::Bytes;

/// Hops of packets that a second of computing time simulates: docs/explanation/performance.md, "How cost grows".
const HOPS_A_SECOND: f64 = 3e6;
/// Seconds of computing time from which on a run is long.
const LONG: f64 = 3600.0;
/// IP packets of streams, where the network decides their size.
const FULL_PACKET: f64 = 1500.0;

/// Traffic of one direction of a link, as offered.
#[derive(Clone, Copy, Default)]
struct Offered {
    bits: f64,
    packets: f64,
}

/// A duration that is a slip, as it would keep the machine busy for hours or years.
pub(super) fn check(a: &Adviser<'_>) {
    let duration = a.scenario.duration.as_secs_f64();
    let seconds = |hops: f64| hops * duration / HOPS_A_SECOND;
    // Paths need not be followed where links could not carry as much.
    if seconds(most_hops(a.scenario)) < LONG {
        return;
    }
    let hops = hops(a.scenario);
    if seconds(hops) < LONG {
        return;
    }
    let message = format!(
        "the flows of a run send up to {} packets over links, which takes {}",
        rounded(hops * duration),
        scale(seconds(hops))
    );
    let help = format!(
        "`duration` is {}: check its unit, or lower the rates of links and flows; this is an order of magnitude, from what the flows \
         offer",
        a.scenario.duration
    );
    a.warn(Code::LongRun, Origin::Scenario, message, &help);
}

/// Full packets that all links together could carry in a second.
fn most_hops(scenario: &Scenario) -> f64 {
    let smallest = scenario.flows.iter().map(packet).fold(FULL_PACKET, f64::min);
    let specs = scenario.links.iter().flat_map(|link| [&link.forward, &link.backward]);
    specs.map(|spec| spec.service_rate().as_bps() as f64 / 8.0 / smallest).sum()
}

/// Hops of packets in a second, of flows whose traffic is known.
fn hops(scenario: &Scenario) -> f64 {
    let mut topology = Topology::new(scenario);
    let mut offered: BTreeMap<Direction, Offered> = BTreeMap::new();
    for group in scenario.flows.iter().filter(|group| is_steady(group)) {
        let own = group.app.traffic().map(|traffic| traffic.rate.as_bps() as f64);
        for (a, b) in &group.pairs {
            let forward = group.app.sender() == EndpointRole::Client;
            let path: Vec<_> = topology.path(*a, *b).into_iter().flatten().map(Direction::of).collect();
            let turned = |d: Direction| Direction { forward: d.forward == forward, ..d };
            let path: Vec<_> = path.into_iter().map(turned).collect();
            let rates = path.iter().map(|d| d.spec(scenario).service_rate().as_bps() as f64);
            let bits = rates.fold(own.unwrap_or(f64::INFINITY), f64::min);
            for d in path {
                let sum = offered.entry(d).or_default();
                sum.bits += bits;
                sum.packets += bits / 8.0 / packet(group);
            }
        }
    }
    let carried = |(d, sum): (&Direction, &Offered)| {
        let rate = d.spec(scenario).service_rate().as_bps() as f64;
        sum.packets * (rate / sum.bits.max(1.0)).min(1.0)
    };
    offered.iter().map(carried).sum()
}

/// Whether a flow sends all the time: at a rate of its own, or as much as the network takes.
fn is_steady(group: &FlowGroup) -> bool {
    let whole = group.starts.is_empty() && group.stop.is_none();
    let streams = group.app.transfers() == TransferCount::None && !group.app.is_two_way();
    let reads_all = !group.app.plays() && group.app.reader().is_none();
    let at_rate = group.app.traffic().is_some() && !group.app.has_pulses();
    whole && !matches!(group.transport, Transport::Mptcp { .. }) && (streams && reads_all || at_rate)
}

/// Bytes of a packet of a group.
fn packet(group: &FlowGroup) -> f64 {
    group.app.traffic().map_or(FULL_PACKET, |traffic| traffic.payload.max(Bytes(1)).as_f64())
}

/// A count to its first digit.
fn rounded(count: f64) -> String {
    format!("{count:.0e}")
}

/// An order of magnitude of time in words.
fn scale(seconds: f64) -> &'static str {
    const DAY: f64 = 86_400.0;
    match seconds {
        s if s < 12.0 * 3600.0 => "hours",
        s if s < 14.0 * DAY => "days",
        s if s < 60.0 * DAY => "weeks",
        s if s < 700.0 * DAY => "months",
        _ => "years",
    }
}
