//! Transports: which there are.

use super::{mptcp, quic, tcp, udp};
use crate::declarations::kinds::{Kinds, kind_of, opened};
use crate::model::{Plugins, Transport};
use crate::text::document::Node;
use crate::text::sink::Sink;
use tailrace_transport::Profile;

const TRANSPORTS: &[&str] = &["tcp", "mptcp", "quic", "udp"];
const KINDS: Kinds<'_> = Kinds { what: "transport", names: TRANSPORTS, command: "tailrace schema" };

/// Whether a transport carries streams, as TCP does, where it is known at all; so that an application can be judged beside a broken one.
pub(super) fn is_tcp(node: &Node) -> Option<bool> {
    let word = node.as_text().or_else(|| node.as_table()?.text("kind"))?;
    TRANSPORTS.contains(&word).then(|| word != "udp")
}

/// Reads one, with the profile whose defaults it starts from.
pub(super) fn read_transport(
    node: &Node,
    plugins: &Plugins,
    sink: &Sink<'_>,
) -> Option<(Transport, Option<Profile>)> {
    let (kind, _) = kind_of(node, &KINDS, sink)?;
    let table = opened(node);
    match kind {
        "udp" => udp::read(&table, sink).map(|transport| (transport, None)),
        "quic" => quic::read(&table, plugins, sink).map(|transport| (transport, None)),
        "mptcp" => mptcp::read(&table, plugins, sink).map(|(transport, profile)| (transport, Some(profile))),
        _ => tcp::read(&table, plugins, sink).map(|(transport, profile)| (transport, Some(profile))),
    }
}
