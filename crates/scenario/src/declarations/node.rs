//! `[[host]]` and `[[router]]`.

use crate::declarations::address::read_addresses;
use crate::declarations::names;
use crate::declarations::reader::Reader;
use crate::declarations::sections::{HOST, ROLES, ROUTER};
use crate::declarations::values::{choice, positive_count};
use crate::model::NodeKind;
use crate::text::place::At;
use core::net::Ipv4Addr;

/// One `[[host]]` or `[[router]]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeDecl {
    pub(crate) name: At<String>,
    pub(crate) kind: NodeKind,
    pub(crate) count: Option<u32>,
    /// The addresses that are given, one for each link of the first of them.
    pub(crate) addresses: Option<At<Vec<Ipv4Addr>>>,
    /// What the queues behind a router are.
    pub(crate) role: Option<At<&'static str>>,
}

/// The hosts, or the routers.
pub(crate) fn read_nodes(r: &Reader<'_>, key: &str, kind: NodeKind) -> Vec<NodeDecl> {
    let section = if kind == NodeKind::Host { &HOST } else { &ROUTER };
    r.list(key, |node, sink| {
        let r = Reader::new(node, section, sink)?;
        let name = r.need("name", names::read_name);
        let count = r.read_or("count", None, |n| positive_count::<u32>(n).map(Some));
        let roles: Vec<_> = ROLES.iter().map(|word| (*word, *word)).collect();
        let role = (kind == NodeKind::Router).then(|| r.read("role", choice(&roles))).flatten();
        let addresses = if kind == NodeKind::Host { read_addresses(&r) } else { None };
        r.finish();
        // A wrong count does not make the name unknown: that would only bring more errors.
        Some(NodeDecl { name: name?, kind, count: count.unwrap_or(None), addresses, role })
    })
}
