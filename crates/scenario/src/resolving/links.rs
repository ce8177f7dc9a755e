//! Links with their counts expanded, and what they are called.

use crate::declarations::draft::Draft;
use crate::declarations::names::Selector;
use crate::model::{Link, LinkIndex, Node, NodeIndex};
use crate::resolving::media;
use crate::resolving::picked::{Picked, pair, pairs};
use crate::text::codes::Code;
use crate::text::place::At;
use crate::text::sink::Sink;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The links of one declaration: what they are called together, and their positions.
pub(crate) struct Group {
    shown: String,
    named: bool,
    several: bool,
    pub(crate) first: u64,
    len: u64,
}

/// Makes all of them; `ends` has the ends of each declaration.
pub(crate) fn expand_links(
    draft: &Draft,
    ends: &[(Picked, Picked)],
    nodes: &[Node],
    sink: &Sink<'_>,
) -> (Vec<Link>, Vec<Group>) {
    let (mut links, mut groups, mut taken) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (decl, (a, b)) in draft.links.iter().zip(ends) {
        let forward = Arc::new(decl.forward.clone());
        let backward = decl.backward.clone().map_or_else(|| Arc::clone(&forward), Arc::new);
        let (len, several) = (pairs(*a, *b).unwrap_or(0), a.several || b.several);
        let medium = media::of_link(decl, draft, sink);
        let first = links.len() as u64;
        groups.push(Group { shown: decl.shown(), named: decl.name.is_some(), several, first, len });
        for i in 0..len {
            let (x, y) = pair(*a, *b, i);
            let name = match &decl.name {
                Some(name) if several => format!("{}[{i}]", name.value),
                Some(name) => name.value.clone(),
                None => format!("{}-{}", nodes[x as usize].name, nodes[y as usize].name),
            };
            if taken.insert(name.clone(), ()).is_some() {
                let origin = decl.name.as_ref().map_or(decl.ends[0].origin, |n| n.origin);
                let error =
                    sink.at(Code::DuplicateName, origin, format!("there are two links named {name:?}"));
                sink.push(error.help("give one of them another `name`"));
                break;
            }
            links.push(Link {
                name,
                a: NodeIndex(x as u32),
                b: NodeIndex(y as u32),
                forward: Arc::clone(&forward),
                backward: Arc::clone(&backward),
                medium,
                observed: decl.observed,
            });
        }
    }
    (links, groups)
}

/// Finds links by name.
pub(crate) struct LinkFinder<'l> {
    exact: BTreeMap<&'l str, u64>,
    groups: &'l [Group],
}

impl<'l> LinkFinder<'l> {
    pub(crate) fn new(links: &'l [Link], groups: &'l [Group]) -> Self {
        let exact = links.iter().enumerate().map(|(i, link)| (link.name.as_str(), i as u64)).collect();
        Self { exact, groups }
    }

    /// The links a selector means; `Ok(None)` where there is none of that name.
    pub(crate) fn find(&self, selector: &Selector) -> Result<Option<Picked>, String> {
        let shown = selector.to_string();
        if let Some(first) = self.exact.get(shown.as_str()) {
            return Ok(Some(Picked { first: *first, len: 1, several: false }));
        }
        let whole = self.groups.iter().find(|g| !g.named && g.shown == shown);
        if let Some(g) = whole {
            return Ok(Some(Picked { first: g.first, len: g.len, several: true }));
        }
        match self.groups.iter().find(|g| g.named && g.shown == selector.name) {
            Some(g) => Picked::of(selector, g.first, g.several.then_some(g.len)).map(Some),
            None => Ok(None),
        }
    }

    /// Says that there is no such link.
    pub(crate) fn unknown(&self, at: &At<Selector>, also: &[&str], sink: &Sink<'_>) {
        let shown = at.value.to_string();
        let error = sink.at(Code::UnknownName, at.origin, format!("there is no link named {shown:?}"));
        let names = self.groups.iter().map(|g| g.shown.as_str()).chain(also.iter().copied());
        sink.push(error.among(&shown, names));
    }
}

/// The links at these positions.
pub(crate) fn links_of(at: &At<Selector>, picked: Picked) -> Vec<LinkIndex> {
    debug_assert!(picked.len <= u64::from(u32::MAX), "{} was counted before", at.value);
    (picked.first..picked.first + picked.len).map(|i| LinkIndex(i as u32)).collect()
}
