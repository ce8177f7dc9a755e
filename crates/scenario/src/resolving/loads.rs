//! Loads: how often transfers arrive that are to take a share of a link, from the link's rate and their mean size.

use crate::declarations::draft::Draft;
use crate::declarations::flow::FlowDecl;
use crate::declarations::names::link_selector;
use crate::model::{FlowGroup, NodeIndex, Pattern, Scenario, Transport};
use crate::resolving::links::LinkFinder;
use crate::resolving::topology::{PathHop, Topology};
use crate::text::codes::Code;
use crate::text::place::At;
use crate::text::sink::Sink;
use std::collections::BTreeMap;
use std::ops::Range;
use tailrace_app::{EndpointRole, TargetLoad};
use tailrace_core::{Duration, Rate};

/// Mean gaps of the groups that have a load, by their place among the groups.
pub(crate) fn gaps(
    scenario: &Scenario,
    draft: &Draft,
    finder: &LinkFinder<'_>,
    sink: &Sink<'_>,
) -> Vec<(usize, Duration)> {
    let loads = scenario.flows.iter().enumerate().filter_map(|(i, group)| Some((i, group.app.load()?)));
    let loads: Vec<(usize, TargetLoad)> = loads.collect();
    if loads.is_empty() {
        return Vec::new();
    }
    let mut topology = Topology::new(scenario);
    let gap = |(i, load): &(usize, TargetLoad)| {
        let decl = &draft.flows[*i];
        let links = of(load, decl, finder, sink)?;
        let shares = crossed(scenario, &scenario.flows[*i], links.as_ref(), &mut topology);
        match shares.and_then(|shares| gap(load, &shares)) {
            Ok(gap) => Some((*i, gap)),
            Err(why) => {
                sink.push(
                    sink.at(Code::UnfitLoad, decl.app_origin.0, why)
                        .help("write the link that these flows cross: of = \"NAME\""),
                );
                None
            }
        }
    };
    loads.iter().filter_map(gap).collect()
}

/// The links that a load names: `Some(None)` where it names none, and `None` where there is none of that name.
fn of(
    load: &TargetLoad,
    decl: &FlowDecl,
    finder: &LinkFinder<'_>,
    sink: &Sink<'_>,
) -> Option<Option<Range<u64>>> {
    let Some(name) = &load.of else { return Some(None) };
    let origin = decl.app_origin.0;
    let selector = match link_selector(name) {
        Ok(selector) => selector,
        Err(unfit) => {
            sink.push(sink.at(unfit.code, origin, "bad value of `of`").label(unfit.why));
            return None;
        }
    };
    match finder.find(&selector) {
        Ok(Some(picked)) => Some(Some(picked.first..picked.first + picked.len)),
        Ok(None) => {
            finder.unknown(&At { value: selector, origin }, &[], sink);
            None
        }
        Err(why) => {
            sink.error(Code::WrongMember, origin, why);
            None
        }
    }
}

/// Rate of each link that a group is to load, with the number of its flows that cross it in that direction.
fn crossed(
    scenario: &Scenario,
    group: &FlowGroup,
    links: Option<&Range<u64>>,
    topology: &mut Topology<'_>,
) -> Result<Vec<(Rate, u64)>, String> {
    let rate = |(link, forward): PathHop| {
        let link = &scenario.links[link.0 as usize];
        if forward { link.forward.service_rate() } else { link.backward.service_rate() }
    };
    let multipath = matches!(group.transport, Transport::Mptcp { .. });
    let up = group.app.sender() == EndpointRole::Client;
    let mut flows: BTreeMap<(u32, bool), (Rate, u64)> = BTreeMap::new();
    for (a, b) in &group.pairs {
        let paths =
            if multipath { topology.paths(*a, *b) } else { topology.path(*a, *b).into_iter().collect() };
        // Data of the server takes the path of the client's SYN in reverse.
        let hops = paths.into_iter().flatten().map(|(link, forward)| (link, forward == up));
        let meant = hops.filter(|(link, _)| links.is_none_or(|range| range.contains(&u64::from(link.0))));
        let slowest = meant.min_by_key(|hop| rate(*hop));
        let Some(hop) = slowest else {
            let name = |n: &NodeIndex| &scenario.nodes[n.0 as usize].name;
            return Err(format!(
                "the flow from {} to {} does not cross the link that it is to load",
                name(a),
                name(b)
            ));
        };
        if group.pattern == Pattern::Permutation && !at_host(scenario, hop, (*a, *b)) {
            return Err(
                "the flows of a permutation cross this link in other numbers each run: let them load those of their hosts".into(),
            );
        }
        flows.entry((hop.0.0, hop.1)).or_insert((rate(hop), 0)).1 += 1;
    }
    Ok(flows.into_values().collect())
}

/// Whether a link is one of the two hosts'.
fn at_host(scenario: &Scenario, (link, _): PathHop, hosts: (NodeIndex, NodeIndex)) -> bool {
    let link = &scenario.links[link.0 as usize];
    [link.a, link.b].iter().any(|end| [hosts.0, hosts.1].contains(end))
}

/// The mean gap of each flow at which the flows of a group that share a link take the share of it that they are to take.
fn gap(load: &TargetLoad, links: &[(Rate, u64)]) -> Result<Duration, String> {
    let Some(&(rate, flows)) = links.first() else { return Err("there are no flows".into()) };
    let alike = |other: &(Rate, u64)| {
        u128::from(other.0.as_bps()) * u128::from(flows) == u128::from(rate.as_bps()) * u128::from(other.1)
    };
    if !links.iter().all(alike) {
        return Err(
            "the group's flows have unequal shares of several links: a load would be another for each".into(),
        );
    }
    let bits = load.size * 8.0 * flows as f64;
    Ok(Duration::from_secs_f64(bits / (load.share.get() * rate.as_bps() as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Probability;

    #[test]
    fn the_gap_is_the_mean_size_over_the_share_of_the_rate() {
        let load = TargetLoad { share: Probability::new(0.5).unwrap(), of: None, size: 125_000.0 };
        let gap = |links: &[(u64, u64)]| {
            let links: Vec<_> = links.iter().map(|(mbit, flows)| (Rate::from_mbit(*mbit), *flows)).collect();
            super::gap(&load, &links)
        };
        // 1 Mbit at 5 Mbit/s, and each of four flows a fourth as often.
        assert_eq!(gap(&[(10, 1)]), Ok(Duration::from_millis(200)));
        assert_eq!(gap(&[(10, 4)]), Ok(Duration::from_millis(800)));
        assert_eq!(gap(&[(10, 1), (20, 2)]), Ok(Duration::from_millis(200)));
        assert!(gap(&[(10, 1), (20, 1)]).unwrap_err().contains("unequal"));
    }
}
