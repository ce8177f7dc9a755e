//! Keys that `[[flow]]` and `[[attack]]` share.

use super::decl::{FlowDecl, Origins};
use super::gateways;
use super::packet::check_packet;
use super::start::read_starts;
use super::transport::read_transport;
use crate::declarations::names::{self, LooseSelectors, Selector};
use crate::declarations::reader::Reader;
use crate::declarations::values::{choice, plain, positive_duration};
use crate::model::{AppConfig, DurationDist, Pattern, Plugins, Ports, Role, Spoof, Transport};
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::{At, Ignored, Origin};
use crate::text::sink::Sink;
use tailrace_app::AttackConfig;
use tailrace_core::{Dscp, Duration};
use tailrace_transport::Profile;

/// Values of the keys that flows and attacks share, as far as they could be read.
pub(super) struct SharedKeys {
    origin: Origin,
    name: Option<At<String>>,
    from: Option<At<Selector>>,
    to: Option<At<Selector>>,
    pattern: Option<Pattern>,
    enabled: Option<bool>,
    dscp: Option<Dscp>,
    client: Option<u16>,
    server: Option<u16>,
    start: Option<DurationDist>,
    starts: Option<At<Vec<Duration>>>,
    stop: Option<At<Duration>>,
    withholds: Option<bool>,
}

impl SharedKeys {
    pub(super) fn read(r: &Reader<'_>) -> Self {
        let (start, starts) = read_starts(r);
        let stop = r.read("stop", positive_duration);
        if let (Some(start), Some(starts), Some(stop)) = (&start, &starts, &stop) {
            check_stop(*start, starts, stop, r.sink());
        }
        Self {
            origin: r.origin(),
            name: r.need("name", names::read_name),
            from: r.need("from", names::read_selector),
            to: r.need("to", names::read_selector),
            pattern: r.read_or("pattern", Pattern::Pairs, plain),
            enabled: r.read_or("enabled", true, plain),
            dscp: r.read_or("dscp", Dscp::default(), plain),
            client: r.read_or("client_port", Ports::default().client, plain),
            server: r.read_or("server_port", Ports::default().server, plain),
            start,
            starts,
            stop,
            withholds: r.read_or("feedback", false, choice(&[("return", false), ("withhold", true)])),
        }
    }

    /// Names of hosts, which can be looked up whatever else is wrong.
    pub(super) fn loose(&self) -> LooseSelectors {
        [&self.from, &self.to].into_iter().flatten().cloned().collect()
    }

    /// The declaration, where all is fine.
    pub(super) fn complete(self, own: OwnKeys, sink: &Sink<'_>) -> Option<FlowDecl> {
        let OwnKeys { role, carried, app, app_origin, attack, spoof } = own;
        let CarriedTransport { transport, profile, gateways, path_manager } = carried;
        check_packet(&transport, &app, app_origin, sink);
        Some(FlowDecl {
            origin: Ignored(self.origin),
            name: self.name?,
            from: self.from?,
            to: self.to?,
            pattern: self.pattern?,
            enabled: self.enabled?,
            role,
            dscp: self.dscp?,
            ports: Ports { client: self.client?, server: self.server? },
            transport,
            gateways,
            path_manager: Ignored(path_manager),
            profile,
            app,
            app_origin: Ignored(app_origin),
            attack,
            spoof,
            start: self.start?,
            starts: self.starts?,
            stop: self.stop.map(|s| s.value),
            withholds_feedback: self.withholds?,
        })
    }
}

/// Values that flows and attacks have each by their own keys.
pub(super) struct OwnKeys {
    pub(super) role: Role,
    pub(super) carried: CarriedTransport,
    pub(super) app: AppConfig,
    /// Where the application stands, or what came to it.
    pub(super) app_origin: Origin,
    pub(super) attack: Option<AttackConfig>,
    pub(super) spoof: Option<Spoof>,
}

/// A transport and what belongs to it.
pub(super) struct CarriedTransport {
    pub(super) transport: Transport,
    profile: Option<Profile>,
    gateways: gateways::Lists,
    path_manager: Origins,
}

impl CarriedTransport {
    pub(super) fn read(node: &Node, plugins: &Plugins, sink: &Sink<'_>) -> Option<Self> {
        let (transport, profile) = read_transport(node, plugins, sink)?;
        let gateways = gateways::read(Some(node), &transport, sink)?;
        Some(Self { transport, profile, gateways, path_manager: Origins::of_path_manager(node) })
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
