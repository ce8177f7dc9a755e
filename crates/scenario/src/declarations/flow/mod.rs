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
mod shared;
mod start;
mod transport;
mod udp;

pub(crate) use self::decl::FlowDecl;

use self::app::read_app;
use self::shared::{Carried, Own, Shared};
use self::transport::is_tcp;
use crate::declarations::names::Loose;
use crate::declarations::reader::Reader;
use crate::declarations::sections::FLOW;
use crate::declarations::values::choice;
use crate::model::{Outsiders, Role};
use crate::text::document::Node;
use crate::text::sink::Sink;

impl FlowDecl {
    /// Reads one `[[flow]]`.
    pub(crate) fn read(node: &Node, outside: &Outsiders, sink: &Sink<'_>) -> Result<Self, Loose> {
        let Some(r) = Reader::new(node, &FLOW, sink) else { return Err(Vec::new()) };
        let shared = Shared::read(&r);
        let roles = [("normal", Role::Normal), ("attack", Role::Attack)];
        let role = r.read_or("role", Role::Normal, choice(&roles));
        let carried = r.required("transport").and_then(|node| Carried::read(node, outside, sink));
        let tcp = r.node("transport").and_then(is_tcp);
        let app = r.required("app").and_then(|node| read_app(node, tcp, sink));
        let app_origin = r.origin_of("app");
        r.finish();
        let loose = shared.loose();
        let own =
            || Some(Own { role: role?, carried: carried?, app: app?, app_origin, attack: None, spoof: None });
        own().and_then(|own| shared.complete(own, sink)).ok_or(loose)
    }
}
