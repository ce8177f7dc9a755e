//! `[[flow]]`: who sends to whom, over which transport, driven by what.

pub(crate) mod gateways;
pub(crate) mod mptcp;
pub(crate) mod tcp;

mod app;
mod elsewhere;
mod endpoint;
mod packet;
mod policy;
mod start;
mod transport;
mod udp;

use self::app::read_app;
use self::packet::check_packet;
use self::start::read_starts;
use self::transport::{is_tcp, read_transport};
use crate::declarations::names::{self, Loose, Selector};
use crate::declarations::reader::Reader;
use crate::declarations::sections::FLOW;
use crate::declarations::values::{choice, plain, positive_duration};
use crate::model::{AppConfig, DurationDist, Outsiders, Pattern, Ports, Role, Transport};
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::{At, Ignored, Origin};
use crate::text::sink::Sink;
use tailrace_core::{Dscp, Duration};
use tailrace_transport::Profile;

/// One `[[flow]]` as written, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlowDecl {
    pub(crate) origin: Ignored<Origin>,
    pub(crate) name: At<String>,
    pub(crate) from: At<Selector>,
    pub(crate) to: At<Selector>,
    pub(crate) pattern: Pattern,
    pub(crate) role: Role,
    pub(crate) dscp: Dscp,
    pub(crate) ports: Ports,
    pub(crate) transport: Transport,
    /// Routers that subflows go through.
    pub(crate) gateways: gateways::Lists,
    /// Where the parameters of its path manager stand.
    pub(crate) path_manager: Ignored<Origins>,
    /// Whose defaults a TCP endpoint started from.
    pub(crate) profile: Option<Profile>,
    pub(crate) app: AppConfig,
    pub(crate) app_origin: Ignored<Origin>,
    pub(crate) start: DurationDist,
    /// The start of each flow by itself; may be empty.
    pub(crate) starts: At<Vec<Duration>>,
    pub(crate) stop: Option<Duration>,
    pub(crate) withholds_feedback: bool,
}

/// Where the keys of a table were written.
#[derive(Clone, Debug)]
pub(crate) struct Origins {
    keys: Vec<(String, Origin)>,
    otherwise: Origin,
}

impl Origins {
    /// Those of the path manager in a transport.
    fn of_path_manager(transport: &Node) -> Self {
        let node = transport.as_table().and_then(|t| t.get("path_manager"));
        let table = node.and_then(Node::as_table).map_or(&[][..], |t| &t.entries);
        Self {
            keys: table.iter().map(|(key, value)| (key.value.clone(), value.origin)).collect(),
            otherwise: node.map_or(transport.origin, |n| n.origin),
        }
    }

    /// Where the value of `key` stands; that of the whole if it does not stand anywhere.
    pub(crate) fn origin_of(&self, key: &str) -> Origin {
        self.keys.iter().find(|(k, _)| k == key).map_or(self.otherwise, |(_, origin)| *origin)
    }
}

impl FlowDecl {
    /// Reads one `[[flow]]`.
    pub(crate) fn read(node: &Node, outside: &Outsiders, sink: &Sink<'_>) -> Result<Self, Loose> {
        let Some(r) = Reader::new(node, &FLOW, sink) else { return Err(Vec::new()) };
        let name = r.need("name", names::read_name);
        let from = r.need("from", names::read_selector);
        let to = r.need("to", names::read_selector);
        let pattern = r.read_or("pattern", Pattern::Pairs, plain);
        let roles = [("normal", Role::Normal), ("attack", Role::Attack)];
        let role = r.read_or("role", Role::Normal, choice(&roles));
        let dscp = r.read_or("dscp", Dscp::default(), plain);
        let client = r.read_or("client_port", Ports::default().client, plain);
        let server = r.read_or("server_port", Ports::default().server, plain);
        let transport = r.required("transport").and_then(|node| read_transport(node, outside, sink));
        let gateways = transport.as_ref().and_then(|(t, _)| gateways::read(r.node("transport"), t, sink));
        let tcp = r.node("transport").and_then(is_tcp);
        let path_manager = r.node("transport").map(Origins::of_path_manager);
        let app = r.required("app").and_then(|node| read_app(node, tcp, sink));
        let (start, starts) = read_starts(&r);
        let stop = r.read("stop", positive_duration);
        let withholds = r.read_or("feedback", false, choice(&[("return", false), ("withhold", true)]));
        if let (Some(start), Some(starts), Some(stop)) = (&start, &starts, &stop) {
            check_stop(*start, starts, stop, sink);
        }
        let (origin, app_origin) = (Ignored(r.origin()), Ignored(r.origin_of("app")));
        r.finish();
        let loose: Loose = [&from, &to].into_iter().flatten().cloned().collect();
        let complete = || {
            let (transport, profile) = transport?;
            let app = app?;
            check_packet(&transport, &app, app_origin.0, sink);
            Some(Self {
                origin,
                name: name?,
                from: from?,
                to: to?,
                pattern: pattern?,
                role: role?,
                dscp: dscp?,
                ports: Ports { client: client?, server: server? },
                transport,
                gateways: gateways?,
                path_manager: Ignored(path_manager?),
                profile,
                app,
                app_origin,
                start: start?,
                starts: starts?,
                stop: stop.map(|s| s.value),
                withholds_feedback: withholds?,
            })
        };
        complete().ok_or(loose)
    }
}

/// A flow starts before it stops, as far as it is known when.
fn check_stop(start: DurationDist, starts: &At<Vec<Duration>>, stop: &At<Duration>, sink: &Sink<'_>) {
    let only = match start {
        DurationDist::Constant(start) => Some(start),
        _ => None,
    };
    if let Some(start) = starts.value.iter().copied().max().or(only)
        && stop.value <= start
    {
        let message = format!("the flow stops at {} but starts at {start}", stop.value);
        sink.error(Code::ContradictingTimes, stop.origin, message);
    }
}
