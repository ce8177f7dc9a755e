//! `[[flow]]` and `[[attack]]`: who sends to whom, over which transport, driven by what.

pub(crate) mod gateways;
pub(crate) mod mptcp;
pub(crate) mod spoof;
pub(crate) mod tcp;

mod app;
mod attack;
mod behaviour;
mod conduct;
mod decl;
mod elsewhere;
mod endpoint;
mod packet;
mod policy;
mod quic;
mod shared;
mod start;
mod transport;
mod udp;

pub(crate) use self::decl::FlowDecl;

use self::app::read_app;
use self::shared::{CarriedTransport, OwnKeys, SharedKeys};
use self::transport::is_tcp;
use crate::declarations::names::LooseSelectors;
use crate::declarations::reader::Reader;
use crate::declarations::sections::FLOW;
use crate::declarations::values::choice;
use crate::model::{Plugins, Role};
use crate::text::document::Node;
use crate::text::sink::Sink;

impl FlowDecl {
    /// Reads one `[[flow]]`.
    pub(crate) fn read(node: &Node, plugins: &Plugins, sink: &Sink<'_>) -> Result<Self, LooseSelectors> {
        let Some(r) = Reader::new(node, &FLOW, sink) else { return Err(Vec::new()) };
        let shared = SharedKeys::read(&r);
        let roles = [("normal", Role::Normal), ("attack", Role::Attack)];
        let role = r.read_or("role", Role::Normal, choice(&roles));
        let carried = r.required("transport").and_then(|node| CarriedTransport::read(node, plugins, sink));
        let tcp = r.node("transport").and_then(is_tcp);
        let app = r.required("app").and_then(|node| read_app(node, tcp, sink));
        let app_origin = r.origin_of("app");
        r.finish();
        let loose = shared.loose();
        let own = || {
            Some(OwnKeys { role: role?, carried: carried?, app: app?, app_origin, attack: None, spoof: None })
        };
        own().and_then(|own| shared.complete(own, sink)).ok_or(loose)
    }
}
