//! Attacks of TCP endpoints that do not behave: what their kind sets of the transport.

use super::shared::CarriedTransport;
use crate::declarations::reader::Reader;
use crate::text::codes::Code;
use crate::text::document::Node;
use tailrace_app::AttackConfig;
use tailrace_core::params::Parameters as _;

/// Sets the keys of TCP that make the attack what it is; an error where the transport that is written has them otherwise.
pub(super) fn set(carried: &mut CarriedTransport, attack: &AttackConfig, r: &Reader<'_>) -> Option<()> {
    let written = r.node("transport").and_then(Node::as_table);
    for (name, value) in attack.transport_keys() {
        let stack = carried.transport.stack();
        let Some(config) = carried.transport.tcp_mut() else {
            let message =
                format!("{} needs a TCP that breaks the rules, and {stack} keeps to them", attack.title());
            let error = r.sink().at(Code::WrongTransport, r.origin_of("transport"), message);
            r.sink().push(error.help("leave `transport` out: it is tcp by itself"));
            return None;
        };
        let node = written.and_then(|table| table.get(name));
        if let Some(node) = node.filter(|_| config.get(name).as_ref() != Some(&value)) {
            let message = format!("{} sets `{name}` of its transport by itself", attack.title());
            let error = r.sink().at(Code::WrongTransport, node.origin, message);
            r.sink().push(error.help(format!("leave `{name}` out here, and set keys of the attack")));
            return None;
        }
        // A key of the attack that is missing or out of its bounds has been refused where it stands.
        config.set(name, &value).ok()?;
    }
    Some(())
}
