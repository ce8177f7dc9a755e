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

/// Hops of data packets that a second of computing time simulates, those of their ACKs beside them: docs/explanation/performance.md,
/// "How cost grows".
const HOPS_A_SECOND: f64 = 3e6;
/// Seconds of computing time from which on a run is long.
const LONG: f64 = 3600.0;
/// IP packets of streams, where the network decides their size.
const FULL_PACKET: f64 = 1500.0;

/// A flow on one of its paths.
struct Stream {
    path: Vec<Direction>,
    /// Bits a second that it offers.
    bits: f64,
    /// Bits of a packet.
    packet: f64,
    /// A transport that adapts to the network: what it sends reaches the far end.
    adapts: bool,
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
        "a run sends packets over links some {:.0e} times, which takes about {}",
        hops * duration,
        about(seconds(hops))
    );
    let help = format!(
        "`duration` is {}: check its unit, or lower the rates of links and flows; the time is an order of magnitude, which follows \
         from what flows offer",
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

/// Hops of packets in a second, the mean over the duration, of flows whose traffic is known.
fn hops(scenario: &Scenario) -> f64 {
    let streams = streams(scenario);
    let mut offered: BTreeMap<Direction, f64> = BTreeMap::new();
    for stream in &streams {
        for d in &stream.path {
            *offered.entry(*d).or_default() += stream.bits;
        }
    }
    // Traffic beyond what a link can carry is cut in proportion; losses of datagrams begin there.
    let carried = |d: &Direction| (rate(scenario, *d) / offered[d].max(1.0)).min(1.0);
    let hops = |stream: &Stream| -> f64 {
        let lowest = stream.path.iter().map(carried).fold(1.0, f64::min);
        let shares = stream.path.iter().scan(1.0, |share, d| {
            *share = f64::min(*share, carried(d));
            Some(if stream.adapts { lowest } else { *share })
        });
        stream.bits / stream.packet * shares.sum::<f64>()
    };
    streams.iter().map(hops).sum()
}

/// Flows whose traffic is known, on each of their paths.
fn streams(scenario: &Scenario) -> Vec<Stream> {
    let mut topology = Topology::new(scenario);
    let mut streams = Vec::new();
    for group in scenario.flows.iter().filter(|group| is_steady(group)) {
        let own = group.app.traffic().map_or(f64::INFINITY, |traffic| traffic.rate.as_bps() as f64);
        let share = share(scenario, group);
        for (a, b) in &group.pairs {
            let paths = match group.transport {
                Transport::Mptcp { .. } => topology.paths(*a, *b),
                _ => topology.path(*a, *b).into_iter().collect(),
            };
            for hops in paths {
                let mut path: Vec<_> = hops.into_iter().map(Direction::of).collect();
                if group.app.sender() == EndpointRole::Server {
                    path = path.iter().rev().map(|d| Direction { forward: !d.forward, ..*d }).collect();
                }
                let bits = path.iter().map(|d| rate(scenario, *d)).fold(own, f64::min) * share;
                let adapts = group.transport.tcp().is_some();
                streams.push(Stream { path, bits, packet: packet(group) * 8.0, adapts });
            }
        }
    }
    streams
}

/// Bits a second that a direction carries.
fn rate(scenario: &Scenario, d: Direction) -> f64 {
    d.spec(scenario).service_rate().as_bps() as f64
}

/// Part of the duration in which a flow of a group sends.
fn share(scenario: &Scenario, group: &FlowGroup) -> f64 {
    let duration = scenario.duration.as_secs_f64();
    let first = group.starts.iter().min().copied().unwrap_or_else(|| group.start.mean());
    let end = group.stop.map_or(duration, |stop| stop.as_secs_f64().min(duration));
    (end - first.as_secs_f64()).max(0.0) / duration
}

/// Whether flows send all the time: at a rate of their own, or as much as the network takes.
fn is_steady(group: &FlowGroup) -> bool {
    let streams = group.app.transfers() == TransferCount::None && !group.app.is_two_way();
    let reads_all = !group.app.plays() && group.app.reader().is_none();
    let at_rate = group.app.traffic().is_some() && !group.app.has_pulses();
    streams && reads_all || at_rate
}

/// Bytes of a packet of a group.
fn packet(group: &FlowGroup) -> f64 {
    group.app.traffic().map_or(FULL_PACKET, |traffic| traffic.payload.max(Bytes(1)).as_f64())
}

/// A time to its first digit in words.
fn about(seconds: f64) -> String {
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 24.0 * HOUR;
    let (unit, length) = match seconds {
        s if s < 36.0 * HOUR => ("hour", HOUR),
        s if s < 700.0 * DAY => ("day", DAY),
        _ => ("year", 365.0 * DAY),
    };
    let count = (seconds / length).max(1.0);
    let mut step = 1.0;
    while step * 10.0 <= count {
        step *= 10.0;
    }
    let count = (count / step).round() * step;
    format!("{count:.0} {unit}{}", if count > 1.0 { "s" } else { "" })
}
