//! Routers that a path manager sends subflows through: their names as written.

use crate::declarations::names::Selector;
use crate::model::Transport;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;

/// Lists of gateways, a subflow each.
pub(crate) type Lists = Vec<Vec<At<Selector>>>;

/// Where path managers that send subflows through gateways take their names from.
const PARAMETER: &str = "gateways";

/// The gateways of a transport, which was read from `node`.
pub(super) fn read(node: Option<&Node>, transport: &Transport, sink: &Sink<'_>) -> Option<Lists> {
    let Transport::Mptcp { plan, .. } = transport else { return Some(Vec::new()) };
    let written = node.and_then(|n| n.as_table()?.get("path_manager")?.as_table()?.get(PARAMETER));
    let origin = written.map_or(Origin::Scenario, |n| n.origin);
    let selector = |name: &String| match Selector::parse(name) {
        Ok(value) => Some(At { value, origin }),
        Err(why) => {
            sink.push(sink.at(Code::BadSelector, origin, format!("bad value of `{PARAMETER}`")).label(why));
            None
        }
    };
    let lists = plan.path_manager.source_routes().iter();
    lists.map(|list| list.iter().map(selector).collect()).collect()
}
