//! TCP.

use super::behaviour;
use super::elsewhere::keys_elsewhere;
use super::endpoint::read_endpoint;
use super::policy::{CC, read_named};
use crate::declarations::reader::Reader;
use crate::declarations::sections::{TCP, TCP_BEHAVIOUR};
use crate::declarations::values::choice;
use crate::model::{Plugins, Transport};
use crate::text::codes::Code;
use crate::text::diagnostic::first_few;
use crate::text::document::Node;
use crate::text::sink::Sink;
use std::sync::Arc;
use tailrace_core::params::{ParamType as _, Parameters as _};
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::{CcConfig, Profile, TcpBehaviour, TcpConfig};

/// Reads the table, and whose defaults it starts from.
pub(super) fn read(node: &Node, plugins: &Plugins, sink: &Sink<'_>) -> Option<(Transport, Profile)> {
    let others = keys_elsewhere("tcp");
    let r = Reader::new(node, &TCP, sink)?.kinded().with_params(TcpConfig::params()).elsewhere(&others);
    let profile = read_profile(&r);
    let based_on = profile.unwrap_or(Profile::Rfc);
    let usual = CcConfig::for_profile(based_on);
    let cc = match r.node("cc") {
        Some(node) => read_cc(node, usual, plugins, sink),
        None => Some(usual),
    };
    let mut config = TcpConfig::for_profile(based_on);
    if let Some(cc) = &cc {
        cc.fit_behaviour(based_on, &mut config.behaviour);
    }
    let above = behaviour::keys_above(&TCP, TcpConfig::params());
    let fine = behaviour::read(&r, &TCP_BEHAVIOUR, TcpBehaviour::params(), &above, |name, value| {
        config.behaviour.set(name, value)
    });
    let endpoint = read_endpoint(&r, config, profile);
    r.finish();
    let (config, header) = endpoint?;
    let complete = (Transport::Tcp { config: Arc::new(config), cc: cc?, header }, profile?);
    fine.then_some(complete)
}

/// Profile whose defaults a TCP endpoint has.
fn read_profile(r: &Reader<'_>) -> Option<Profile> {
    let multipath = [Profile::Mptcp094, Profile::Linux61, Profile::Linux612].map(profile_name);
    let found = r
        .node("profile")
        .and_then(|node| Some((node, multipath.iter().find(|m| node.as_text() == Some(m))?)));
    if let Some((node, multipath)) = found {
        let message = format!("profile {multipath:?} is one of Multipath TCP");
        let error =
            r.sink().at(Code::WrongTransport, node.origin, message).label("of transport kind = \"mptcp\"");
        r.sink().push(error.help("set kind = \"mptcp\", or profile = \"linux\": its TCP is Linux's"));
        return None;
    }
    let profiles = [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux].map(|p| (profile_name(p), p));
    let words: Vec<(&str, Profile)> = profiles.iter().map(|(name, p)| (name.as_str(), *p)).collect();
    r.read_or("profile", Profile::Rfc, choice(&words))
}

fn read_cc(node: &Node, usual: CcConfig, plugins: &Plugins, sink: &Sink<'_>) -> Option<CcConfig> {
    let names: Vec<_> = CcConfig::names().iter().copied().chain(plugins.control_names()).collect();
    let named = node.as_table().map_or(Some(node), |table| table.get("kind"));
    if let Some(word) = named.and_then(Node::as_text).filter(|word| CoupledConfig::names().contains(word)) {
        let origin = named.map_or(node.origin, |n| n.origin);
        let message = format!("congestion control {word:?} couples subflows, of which TCP has none");
        let mut error =
            sink.at(Code::WrongTransport, origin, message).label("belongs to transport kind = \"mptcp\"");
        error.expected = names.iter().map(|n| (*n).to_string()).collect();
        sink.push(error.help(format!(
            "set kind = \"mptcp\", or a control of TCP's: {}",
            first_few(&names, "tailrace list cc")
        )));
        return None;
    }
    read_named(node, &CC, &names, Some(usual), plugins, sink)
}

/// The name of a profile.
pub(crate) fn profile_name(profile: Profile) -> String {
    match profile.to_value() {
        tailrace_core::params::Value::Text(t) => t,
        other => other.shown(),
    }
}
