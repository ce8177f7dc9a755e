//! Directions of links that a fault concerns: side by side, and step after step.

use crate::declarations::fault::FaultKeys;
use crate::declarations::names::Selector;
use crate::declarations::places::{Direction, Numbers};
use crate::model::{Link, LinkDirection, LinkIndex, NodeIndex, NodeKind};
use crate::resolving::directory::{Directory, look_up};
use crate::resolving::links::{LinkFinder, links_of};
use crate::text::codes::Code;
use crate::text::place::At;
use crate::text::sink::Sink;

/// Links, or all those of a router together, in the order in which one names them.
pub(crate) struct FaultSide {
    /// Selector as written in the file.
    shown: At<String>,
    /// The directions concerned of each.
    links: Vec<Vec<LinkDirection>>,
    /// Whether it may be of several, although it is of one.
    several: bool,
}

impl FaultSide {
    /// Number of links.
    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }
}

/// Where faults can happen.
pub(crate) struct Places<'p> {
    pub(crate) finder: &'p LinkFinder<'p>,
    pub(crate) directory: &'p Directory<'p>,
    pub(crate) links: &'p [Link],
}

impl Places<'_> {
    /// The sides of a fault: one for each selector of links or routers, or for each host.
    pub(crate) fn sides(&self, keys: &FaultKeys, sink: &Sink<'_>) -> Option<Vec<FaultSide>> {
        let direction = keys.direction.value;
        if let Some(link) = &keys.link {
            let sides: Vec<_> = link.value.iter().map(|at| self.of_links(at, direction, sink)).collect();
            return sides.into_iter().collect();
        }
        let (nodes, kind) = match (&keys.host, &keys.router) {
            (Some(hosts), _) => (hosts, NodeKind::Host),
            (None, routers) => (routers.as_ref()?, NodeKind::Router),
        };
        let sides: Vec<_> = nodes.value.iter().map(|at| self.of_nodes(at, kind, keys, sink)).collect();
        Some(sides.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn of_links(&self, at: &At<Selector>, direction: Direction, sink: &Sink<'_>) -> Option<FaultSide> {
        match self.finder.find(&at.value) {
            Ok(Some(picked)) => {
                let ways = |link| {
                    let both = LinkDirection::both(link).into_iter();
                    both.filter(|way| {
                        direction == Direction::Both || way.backward == (direction == Direction::Reverse)
                    })
                };
                Some(FaultSide {
                    shown: At { value: at.value.to_string(), origin: at.origin },
                    links: links_of(at, picked).into_iter().map(|link| ways(link).collect()).collect(),
                    several: picked.several,
                })
            }
            Ok(None) => {
                self.finder.unknown(at, &[], sink);
                None
            }
            Err(why) => {
                sink.error(Code::WrongMember, at.origin, why);
                None
            }
        }
    }

    /// A side for each host that is meant; or one in which each router stands with all its links.
    fn of_nodes(
        &self,
        at: &At<Selector>,
        wanted: NodeKind,
        keys: &FaultKeys,
        sink: &Sink<'_>,
    ) -> Option<Vec<FaultSide>> {
        let (picked, kind) = look_up(at, self.directory, sink)?;
        if kind != wanted {
            let (is, key) = if kind == NodeKind::Router { ("router", "router") } else { ("host", "host") };
            let error = sink.at(Code::WrongNode, at.origin, format!("{} is a {is}", at.value));
            sink.push(error.help(format!("name it with `{key}`, or its links with `link`")));
            return None;
        }
        let nodes = (picked.first..picked.first + picked.len).map(|n| NodeIndex(n as u32));
        if kind == NodeKind::Router {
            let links = nodes.map(|router| self.own(router, keys.direction.value).concat()).collect();
            let shown = At { value: at.value.to_string(), origin: at.origin };
            return Some(vec![FaultSide { shown, links, several: picked.several }]);
        }
        let sides: Vec<_> = nodes.map(|host| self.of_host(host, at, keys, sink)).collect();
        sides.into_iter().collect()
    }

    /// The links of a node in the order of the file, each with its directions concerned.
    fn own(&self, node: NodeIndex, direction: Direction) -> Vec<Vec<LinkDirection>> {
        let of = |(i, link): (usize, &Link)| {
            let first = link.a == node;
            let wanted = move |way: &LinkDirection| match direction {
                Direction::Up => way.backward != first,
                Direction::Down => way.backward == first,
                _ => true,
            };
            (first || link.b == node)
                .then(|| LinkDirection::both(LinkIndex(i as u32)).into_iter().filter(wanted).collect())
        };
        self.links.iter().enumerate().filter_map(of).collect()
    }

    fn of_host(
        &self,
        host: NodeIndex,
        at: &At<Selector>,
        keys: &FaultKeys,
        sink: &Sink<'_>,
    ) -> Option<FaultSide> {
        let own = self.own(host, keys.direction.value);
        let numbers = match &keys.interface {
            Some(numbers) => numbers.value.as_slice(),
            None => &[At { value: Numbers(1, own.len() as u64 + 1), origin: at.origin }],
        };
        let mut links = Vec::new();
        for At { value: Numbers(from, to), origin } in numbers {
            if *to > own.len() as u64 + 1 {
                let beyond = to - 1;
                let count = own.len();
                let links = if count == 1 { "one link".to_string() } else { format!("{count} links") };
                let message = format!("{} has {links}, but no interface {beyond}", at.value);
                let error = sink.at(Code::NoSuchInterface, *origin, message);
                sink.push(
                    error.help("interfaces are a host's links in the order of the file, counted from 1"),
                );
                return None;
            }
            links.extend(own[*from as usize - 1..*to as usize - 1].iter().cloned());
        }
        Some(FaultSide { shown: At { value: at.value.to_string(), origin: at.origin }, links, several: true })
    }
}

/// Directions that fail together, step after step: links that are named one by one fail one after the other; if selectors
/// stand for several links, or for hosts, these fail side by side, first with first.
pub(crate) fn steps(sides: Vec<FaultSide>, sink: &Sink<'_>) -> Option<Vec<Vec<LinkDirection>>> {
    if sides.iter().all(|side| !side.several) {
        return Some(sides.into_iter().flat_map(|side| side.links).collect());
    }
    let first = &sides[0];
    if let Some(other) =
        sides.iter().find(|side| side.several != first.several || side.links.len() != first.links.len())
    {
        let message = format!(
            "links go step by step, side by side, but {} has {} and {} has {}",
            first.shown.value,
            first.links.len(),
            other.shown.value,
            other.links.len()
        );
        let help = "let each selector stand for as many links, of which the first go together, then the second; \
                    or name links one by one, which go one after the other";
        sink.push(sink.at(Code::UnequalCounts, other.shown.origin, message).help(help));
        return None;
    }
    let step = |k: usize| {
        let mut ways: Vec<LinkDirection> =
            sides.iter().flat_map(|side| side.links[k].iter().copied()).collect();
        once_each(&mut ways);
        ways
    };
    Some((0..first.links.len()).map(step).collect())
}

/// All of it at once.
pub(crate) fn together(sides: Vec<FaultSide>) -> Vec<LinkDirection> {
    let mut ways: Vec<LinkDirection> = sides.into_iter().flat_map(|side| side.links).flatten().collect();
    once_each(&mut ways);
    ways
}

/// Leaves out what is there again.
fn once_each(ways: &mut Vec<LinkDirection>) {
    let mut seen = std::collections::BTreeSet::new();
    ways.retain(|way| seen.insert(*way));
}
