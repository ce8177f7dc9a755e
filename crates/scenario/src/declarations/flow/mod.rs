//! `[[flow]]`: who sends to whom, over which transport, driven by what.

use crate::declarations::link::{Ignored, Loose, section_of};
use crate::declarations::names::{self, Selector};
use crate::declarations::reader::{
    Elsewhere, Reader, choice, distribution, duration, kind_of, plain, positive_count, positive_duration,
    positive_rate, positive_size,
};
use crate::declarations::sections::{FLOW, MPTCP, Section, TCP, TCP_APPS, UDP, UDP_APPS};
use crate::model::{App, DurationDist, Role, Transport};
use crate::resolving::gateways;
use crate::text::diagnostic::Sink;
use crate::text::document::{At, Data, Node, Origin};
use std::sync::Arc;
use tailrace_core::params::{Invalid, ParamInfo, ParamType as _, Parameters as _, SetError, Value};
use tailrace_core::{Bytes, Dscp, Duration, Probability, Rate};
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{MAX_SUBFLOWS, MptcpConfig, MptcpPlan, SourceRoute, SubflowControl};
use tailrace_transport::{CcConfig, Profile, TcpConfig};

/// The largest IP packet (RFC 791 §3.1, RFC 8200 §3).
const MAX_PACKET: Bytes = Bytes(65_535);

/// Segment that fills an Ethernet packet beside 40 bytes of headers and 12 of timestamps: options come out of the
/// payload (RFC 6691 §2), or else every full segment would exceed the default MTU.
const FULL_WITH_TIMESTAMPS: Bytes = Bytes(1448);

/// One `[[flow]]` as written, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlowDecl {
    pub(crate) origin: Ignored<Origin>,
    pub(crate) name: At<String>,
    pub(crate) from: At<Selector>,
    pub(crate) to: At<Selector>,
    pub(crate) role: Role,
    pub(crate) dscp: Dscp,
    pub(crate) transport: Transport,
    /// Routers that subflows go through.
    pub(crate) gateways: gateways::Lists,
    /// Where the parameters of its path manager stand.
    pub(crate) path_manager: Ignored<Origins>,
    /// Whose defaults a TCP endpoint started from.
    pub(crate) profile: Option<Profile>,
    pub(crate) app: App,
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
    pub(crate) fn read(node: &Node, sink: &Sink<'_>) -> Result<Self, Loose> {
        let Some(r) = Reader::new(node, &FLOW, sink) else { return Err(Vec::new()) };
        let name = r.need("name", names::read_name);
        let from = r.need("from", names::read_selector);
        let to = r.need("to", names::read_selector);
        let roles = [("normal", Role::Normal), ("attack", Role::Attack)];
        let role = r.read_or("role", Role::Normal, choice(&roles));
        let dscp = r.read_or("dscp", Dscp::default(), plain);
        let transport = r.required("transport").and_then(|node| read_transport(node, sink));
        let gateways = transport.as_ref().and_then(|(t, _)| gateways::read(r.node("transport"), t, sink));
        let tcp = r.node("transport").and_then(is_tcp);
        let path_manager = r.node("transport").map(Origins::of_path_manager);
        let app = r.required("app").and_then(|node| read_app(node, tcp, sink));
        let (start, starts) = read_starts(&r);
        let stop = r.read("stop", positive_duration);
        let withholds = r.read_or("feedback", false, choice(&[("return", false), ("withhold", true)]));
        let last = starts.as_ref().and_then(|s| s.value.iter().copied().max());
        let only = match start {
            Some(DurationDist::Constant(start)) => Some(start),
            _ => None,
        };
        if let (Some(start), Some(stop)) = (last.or(only), &stop)
            && stop.value <= start
        {
            sink.error(stop.origin, format!("the flow stops at {} but starts at {start}", stop.value));
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
                role: role?,
                dscp: dscp?,
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

/// The start of all flows, or that of each: nothing, or an empty list, stands for the other.
fn read_starts(r: &Reader<'_>) -> (Option<DurationDist>, Option<At<Vec<Duration>>>) {
    let at_once = DurationDist::Constant(Duration::ZERO);
    let none = At { value: Vec::new(), origin: r.origin_of("start") };
    let Some(Node { data: Data::Array(items), origin }) = r.node("start") else {
        return (r.read_or("start", at_once, distribution), Some(none));
    };
    let each: Result<Vec<Duration>, (Origin, String)> =
        items.iter().map(|item| duration(item).map_err(|why| (item.origin, why))).collect();
    let starts = match each {
        Ok(value) if !value.is_empty() => Some(At { value, origin: *origin }),
        Ok(_) => {
            r.sink().error(*origin, "`start` lists no times");
            None
        }
        Err((origin, why)) => {
            r.sink().push(r.sink().an_error(origin, "bad value of `start`").label(why));
            None
        }
    };
    (Some(at_once), starts)
}

const TRANSPORTS: &[&str] = &["tcp", "mptcp", "udp"];

/// Whether a transport is TCP, where it is known at all; so that an application can be judged beside a broken one.
fn is_tcp(node: &Node) -> Option<bool> {
    let word = node.as_text().or_else(|| node.as_table()?.text("kind"))?;
    TRANSPORTS.contains(&word).then(|| word != "udp")
}

fn read_transport(node: &Node, sink: &Sink<'_>) -> Option<(Transport, Option<Profile>)> {
    let (kind, _) = kind_of(node, "transport", TRANSPORTS, sink)?;
    // A bare word is a table without further keys.
    let empty = Node { data: Data::Table(crate::text::document::Table::default()), origin: node.origin };
    let node = if node.as_table().is_some() { node } else { &empty };
    if kind == "udp" {
        let others = keys_elsewhere("udp");
        let r = Reader::new(node, &UDP, sink)?.kinded().elsewhere(&others);
        let header = r.read_or("header", Bytes(28), plain);
        let ecn = r.read_or("ecn", false, plain);
        r.finish();
        return Some((Transport::Udp { header: header?, ecn: ecn? }, None));
    }
    if kind == "mptcp" {
        return read_mptcp(node, sink);
    }
    let others = keys_elsewhere("tcp");
    let r = Reader::new(node, &TCP, sink)?.kinded().with_params(TcpConfig::params()).elsewhere(&others);
    let profile = read_tcp_profile(&r);
    let config = TcpConfig::for_profile(profile.unwrap_or(Profile::Rfc));
    let endpoint = read_endpoint(&r, config, profile);
    let usual = CcConfig::for_profile(profile.unwrap_or(Profile::Rfc));
    let cc = match r.node("cc") {
        Some(node) => read_cc(node, usual, sink),
        None => Some(usual),
    };
    r.finish();
    let (config, header) = endpoint?;
    Some((Transport::Tcp { config: Arc::new(config), cc: cc?, header }, Some(profile?)))
}

/// Whose defaults a TCP endpoint has.
fn read_tcp_profile(r: &Reader<'_>) -> Option<Profile> {
    let multipath = profile_name(Profile::Mptcp094);
    if let Some(node) = r.node("profile").filter(|node| node.as_text() == Some(&multipath)) {
        let message = format!("profile {multipath:?} is one of Multipath TCP");
        let error = r.sink().an_error(node.origin, message).label("of transport kind = \"mptcp\"");
        r.sink().push(error.help("set kind = \"mptcp\", or profile = \"linux\": its TCP is Linux's"));
        return None;
    }
    let profiles = [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux].map(|p| (profile_name(p), p));
    let words: Vec<(&str, Profile)> = profiles.iter().map(|(name, p)| (name.as_str(), *p)).collect();
    r.read_or("profile", Profile::Rfc, choice(&words))
}

/// What TCP and the subflows of Multipath TCP have in common: parameters and headers.
fn read_endpoint(
    r: &Reader<'_>,
    mut config: TcpConfig,
    profile: Option<Profile>,
) -> Option<(TcpConfig, Option<Bytes>)> {
    // A size that is set is one, and not where tuning begins.
    if r.has("receive_buffer") {
        config.tcp_rmem = None;
    }
    if r.has("send_buffer") {
        config.tcp_wmem = None;
    }
    let fine = r.set_params(|name, value| config.set(name, value));
    // ns-2 begins with ssthresh_ = window_ (TcpAgent::reset).
    if profile == Some(Profile::Ns2) && !r.has("initial_ssthresh") {
        config.initial_ssthresh = config.window;
    }
    let fine = check_tcp(&config, r) && fine;
    // ns-2 counts 40 bytes whatever the options (tcpip_base_hdr_size_).
    let usual = (profile == Some(Profile::Ns2)).then_some(Bytes(40));
    let header = r.read_or("header", usual, plain::<Option<Bytes>>);
    if header == Some(None) && config.timestamps && !r.has("mss") {
        config.mss = config.mss.min(FULL_WITH_TIMESTAMPS);
    }
    let complete = (config, header?);
    fine.then_some(complete)
}

/// Keys of the other transports and of the policies of Multipath TCP, which are easily put on a wrong one.
fn keys_elsewhere(kind: &str) -> Vec<Elsewhere> {
    let names = |section: &Section, params: &[ParamInfo]| -> Vec<&'static str> {
        section.keys.iter().map(|k| k.name).chain(params.iter().map(|p| p.name)).collect()
    };
    let of_tcp = names(&TCP, TcpConfig::params());
    let of_mptcp = names(&MPTCP, MptcpConfig::params());
    let of_kinds = |name: &'static str, kinds: &str| Elsewhere {
        name,
        help: format!("it belongs to transport {kinds}; write that kind, or leave it out"),
    };
    let mut keys = Vec::new();
    if kind == "udp" {
        keys.extend(of_tcp.iter().map(|n| of_kinds(n, "kind = \"tcp\" or \"mptcp\"")));
    }
    let only_mptcp = of_mptcp.into_iter().filter(|n| !of_tcp.contains(n));
    if kind != "mptcp" {
        keys.extend(only_mptcp.map(|n| of_kinds(n, "kind = \"mptcp\"")));
        return keys;
    }
    let mut of_policy = |key: &str, policy: &str, params: &'static [ParamInfo]| {
        keys.extend(params.iter().map(|p| Elsewhere {
            name: p.name,
            help: format!(
                "it belongs to the {}: {key} = {{ kind = \"{policy}\", {} = ... }}",
                key.replace('_', " "),
                p.name
            ),
        }));
    };
    for name in PathManagerConfig::names() {
        of_policy("path_manager", name, PathManagerConfig::default_of(name).map_or(&[], |c| c.params()));
    }
    for name in SchedulerConfig::names() {
        of_policy("scheduler", name, SchedulerConfig::default_of(name).map_or(&[], |c| c.params()));
    }
    keys
}

fn read_mptcp(node: &Node, sink: &Sink<'_>) -> Option<(Transport, Option<Profile>)> {
    let params = [MptcpConfig::params(), TcpConfig::params()].concat();
    let others = keys_elsewhere("mptcp");
    let r = Reader::new(node, &MPTCP, sink)?.kinded().with_params(&params).elsewhere(&others);
    let profile = r.read_or("profile", Profile::Rfc, plain::<Profile>);
    let usual = MptcpPlan::for_profile(profile.unwrap_or(Profile::Rfc));
    let (mut tcp, header) = read_endpoint(&r, (*usual.tcp).clone(), profile)?;
    let mut mptcp = usual.mptcp;
    let fine = r.set_params(|name, value| match mptcp.set(name, value) {
        Err(SetError::Unknown) if TcpConfig::params().iter().any(|p| p.name == name) => Ok(()),
        other => other,
    });
    let control = match r.node("cc") {
        Some(node) => read_named(node, &CC, &SubflowControl::names(), Some(usual.control), sink),
        None => Some(usual.control),
    };
    let scheduler = match r.node("scheduler") {
        Some(node) => read_named(node, &SCHEDULER, SchedulerConfig::names(), Some(usual.scheduler), sink),
        None => Some(usual.scheduler),
    };
    let path_manager = match r.node("path_manager") {
        Some(node) => {
            read_named(node, &PATH_MANAGER, PathManagerConfig::names(), Some(usual.path_manager), sink)
        }
        None => Some(usual.path_manager),
    };
    let path_manager = path_manager.map(|manager| fit_limit(manager, &mptcp, &r));
    let fine = check_mptcp(&mptcp, path_manager.as_ref(), &r) && fine;
    if header.is_none() && !r.has("mss") {
        let options = mapping_len(&mptcp) + path_manager.as_ref().map_or(0, route_len);
        tcp.mss = tcp.mss.min(FULL_WITH_TIMESTAMPS) - Bytes(options);
    }
    r.finish();
    let plan = MptcpPlan {
        mptcp,
        tcp: Arc::new(tcp),
        control: control?,
        scheduler: scheduler?,
        path_manager: path_manager?,
    };
    fine.then_some((Transport::Mptcp { plan: Arc::new(plan), header }, Some(profile?)))
}

/// Bytes that a mapping and a data-level acknowledgment take in a header.
fn mapping_len(c: &MptcpConfig) -> u64 {
    let wide = |on: bool| if on { 8_u64 } else { 4 };
    let len = 4 + wide(c.wide_data_ack) + wide(c.wide_dsn) + 6 + if c.checksum { 2 } else { 0 };
    len.next_multiple_of(4)
}

/// Bytes that the longest source route takes in a header.
pub(crate) fn route_len(manager: &PathManagerConfig) -> u64 {
    let gateways = manager.source_routes().iter().map(Vec::len).max().unwrap_or(0);
    u64::from(SourceRoute::option_len(gateways))
}

/// A policy by registered name, with its own parameters.
trait Named: Sized {
    fn default_of(name: &str) -> Option<Self>;
    fn name(&self) -> &'static str;
    fn params(&self) -> &'static [ParamInfo];
    fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError>;
    fn validate(&self) -> Result<(), Invalid>;
}

macro_rules! named {
    ($($config:ty),+) => { $(
        impl Named for $config {
            fn default_of(name: &str) -> Option<Self> {
                <$config>::default_of(name)
            }
            fn name(&self) -> &'static str {
                self.name()
            }
            fn params(&self) -> &'static [ParamInfo] {
                self.params()
            }
            fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError> {
                self.set(name, value)
            }
            fn validate(&self) -> Result<(), Invalid> {
                self.validate()
            }
        }
    )+ };
}
named!(CcConfig, SubflowControl, SchedulerConfig, PathManagerConfig);

/// Reads one; where it is that of the profile, `usual`, its parameters have the profile's defaults.
fn read_named<C: Named>(
    node: &Node,
    section: &'static Section,
    names: &[&'static str],
    usual: Option<C>,
    sink: &Sink<'_>,
) -> Option<C> {
    let what = section.title.trim_start_matches("the ");
    let (kind, table) = kind_of(node, what, names, sink)?;
    let usual = usual.filter(|usual| usual.name() == kind);
    let mut config = usual.or_else(|| C::default_of(kind))?;
    let Some(table) = table else { return Some(config) };
    let r = Reader::of(table, node.origin, section, sink).kinded().with_params(config.params());
    let mut fine = r.set_params(|name, value| config.set(name, value));
    if let (true, Err((name, why))) = (fine, config.validate()) {
        sink.push(sink.an_error(r.origin_of(name), format!("bad value of `{name}`")).label(why));
        fine = false;
    }
    r.finish();
    fine.then_some(config)
}

/// The path manager with a limit of subflows, if nobody wrote it, that leaves room for the connection's own.
fn fit_limit(mut manager: PathManagerConfig, c: &MptcpConfig, r: &Reader<'_>) -> PathManagerConfig {
    let written = |key| r.node("path_manager").and_then(Node::as_table).is_some_and(|t| t.get(key).is_some());
    if let Some((key, most)) = manager.limit()
        && c.max_subflows < most
        && !written(key)
    {
        let others = i64::try_from(c.max_subflows).unwrap_or(i64::MAX).saturating_sub(1);
        manager.set(key, &Value::Integer(others)).expect("less than its default");
    }
    manager
}

/// Parameters that each fit but do not make a Multipath TCP connection.
fn check_mptcp(c: &MptcpConfig, manager: Option<&PathManagerConfig>, r: &Reader<'_>) -> bool {
    let sink = r.sink();
    let before = sink.errors();
    let most = MAX_SUBFLOWS as u64;
    if let Some(manager) = manager
        && manager.subflows() > c.max_subflows
    {
        let (asked, (by, remedy)) = (manager.subflows(), manager.subflows_by());
        let written = r.node("path_manager").and_then(Node::as_table).and_then(|t| t.get(by));
        let origin = written.map_or(r.origin_of("path_manager"), |node| node.origin);
        let message = format!("path manager {} opens {asked} subflows between two addresses", manager.name());
        let error = sink.an_error(origin, message);
        let error = error.label(format!("a connection has at most {} (max_subflows)", c.max_subflows));
        sink.push(if asked <= most {
            error.help(format!("{remedy}, or set max_subflows = {asked}"))
        } else {
            error.help(format!("{remedy}: at most {} subflows in all", c.max_subflows))
        });
    }
    if let Some((key, most)) = manager.and_then(PathManagerConfig::limit)
        && let Some(node) = r.node("path_manager").and_then(Node::as_table).and_then(|t| t.get(key))
        && (1..most).contains(&c.max_subflows)
    {
        let message = format!("`{key}` and the connection's own make {most} subflows");
        let error = sink.an_error(node.origin, message);
        let error = error.label(format!("a connection has at most {} (max_subflows)", c.max_subflows));
        sink.push(error.help(format!("set {key} = {}, or max_subflows = {most}", c.max_subflows - 1)));
    }
    sink.errors() == before
}

/// Parameters that each fit but do not make an endpoint.
fn check_tcp(c: &TcpConfig, r: &Reader<'_>) -> bool {
    let rules = [
        ("max_rto", c.max_rto < c.min_rto, "is below min_rto"),
        ("receive_buffer", c.receive_buffer < c.mss, "is below one segment (mss)"),
        ("send_buffer", c.send_buffer.is_some_and(|b| b < c.mss), "is below one segment (mss)"),
    ];
    let mut fine = true;
    for (name, _, why) in rules.into_iter().filter(|(_, broken, _)| *broken) {
        let sink = r.sink();
        sink.push(sink.an_error(r.origin_of(name), format!("bad value of `{name}`")).label(why));
        fine = false;
    }
    fine
}

fn read_cc(node: &Node, usual: CcConfig, sink: &Sink<'_>) -> Option<CcConfig> {
    let named = node.as_table().map_or(Some(node), |table| table.get("kind"));
    if let Some(word) = named.and_then(Node::as_text).filter(|word| CoupledConfig::names().contains(word)) {
        let origin = named.map_or(node.origin, |n| n.origin);
        let message = format!("congestion control {word:?} couples subflows, of which TCP has none");
        let names = CcConfig::names();
        let mut error = sink.an_error(origin, message).label("belongs to transport kind = \"mptcp\"");
        error.expected = names.iter().map(|n| (*n).to_string()).collect();
        sink.push(error.help(format!("set kind = \"mptcp\", or a control of TCP's: {}", names.join(", "))));
        return None;
    }
    read_named(node, &CC, CcConfig::names(), Some(usual), sink)
}

// Congestion controls, schedulers and path managers describe their own keys.
const CC: Section = Section { title: "the congestion control", doc: "", keys: &[] };
const SCHEDULER: Section = Section { title: "the scheduler", doc: "", keys: &[] };
const PATH_MANAGER: Section = Section { title: "the path manager", doc: "", keys: &[] };

fn read_app(node: &Node, tcp: Option<bool>, sink: &Sink<'_>) -> Option<App> {
    let kinds: Vec<&'static str> = TCP_APPS.iter().chain(UDP_APPS).map(|(k, _)| *k).collect();
    let (kind, _) = kind_of(node, "application", &kinds, sink)?;
    let over_tcp = TCP_APPS.iter().any(|(k, _)| *k == kind);
    let section = section_of(if over_tcp { TCP_APPS } else { UDP_APPS }, kind);
    let empty = Node { data: Data::Table(crate::text::document::Table::default()), origin: node.origin };
    let node = if node.as_table().is_some() { node } else { &empty };
    let r = Reader::new(node, section, sink)?.kinded();
    let app = if over_tcp { read_tcp_app(kind, &r) } else { read_udp_app(kind, &r) };
    r.finish();
    if tcp.is_some_and(|tcp| tcp != over_tcp) {
        let (needs, has) = if over_tcp { ("TCP", "UDP") } else { ("UDP", "TCP") };
        let fitting = if over_tcp { UDP_APPS } else { TCP_APPS };
        let names: Vec<_> = fitting.iter().map(|(k, _)| *k).collect();
        let error =
            sink.an_error(node.origin, format!("app {kind:?} needs {needs}, but the transport is {has}"));
        sink.push(error.help(format!("over {has} there are: {}", names.join(", "))));
        return None;
    }
    app
}

fn read_tcp_app(kind: &str, r: &Reader<'_>) -> Option<App> {
    let pause = DurationDist::Constant(Duration::ZERO);
    match kind {
        "bulk" => Some(App::Bulk),
        "transfer" => r.need("size", positive_size).map(|size| App::Transfer { size: size.value }),
        "request_response" => {
            let request = r.need("request", positive_size);
            let response = r.need("response", positive_size);
            let think = r.read_or("think", pause, distribution);
            let count = r.read_or("count", None, |n| positive_count::<u32>(n).map(Some));
            Some(App::RequestResponse {
                request: request?.value,
                response: response?.value,
                think: think?,
                count: count?,
            })
        }
        _ => {
            let size = r.need("size", positive_size);
            let gap = r.read_or("gap", pause, distribution);
            let count = r.read_or("count", None, |n| positive_count::<u32>(n).map(Some));
            Some(App::Sequence { size: size?.value, gap: gap?, count: count? })
        }
    }
}

fn read_udp_app(kind: &str, r: &Reader<'_>) -> Option<App> {
    let size = r.need("size", positive_size).map(|s| s.value);
    if kind == "schedule" {
        let steps = r.required("steps").and_then(|node| read_steps(node, size, r.sink()));
        return Some(App::Schedule { steps: steps?, size: size? });
    }
    let rate = r.need("rate", |node| {
        let rate = positive_rate(node)?;
        check_gap(rate, size.unwrap_or(MAX_PACKET)).map(|()| rate)
    });
    let rate = rate.map(|r| r.value);
    match kind {
        "cbr" => {
            let jitter = r.read_or("jitter", Probability::ZERO, plain);
            let random_phase = r.read_or("random_phase", false, plain);
            Some(App::Cbr { rate: rate?, size: size?, jitter: jitter?, random_phase: random_phase? })
        }
        "poisson" => Some(App::Poisson { rate: rate?, size: size? }),
        "on_off" => {
            let on = r.need("on", distribution);
            let off = r.need("off", distribution);
            let (on, off) = (on?.value, off?.value);
            Some(App::OnOff { rate: rate?, size: size?, on, off })
        }
        _ => {
            let period = r.need("period", positive_duration);
            let burst = r.need("burst", positive_duration);
            let (period, burst) = (period?.value, burst?.value);
            if burst > period {
                let message = format!("the burst of {burst} is longer than the period of {period}");
                r.sink().error(r.origin_of("burst"), message);
                return None;
            }
            Some(App::Pulse { period, burst, rate: rate?, size: size? })
        }
    }
}

/// Packets closer than this would keep the clock from advancing.
const LEAST_GAP: Duration = Duration::from_nanos(10);

/// Whether packets of a size can leave at a rate.
fn check_gap(rate: Rate, size: Bytes) -> Result<(), String> {
    if rate.as_bps() == 0 || rate.time_to_send(size) >= LEAST_GAP {
        return Ok(());
    }
    let gap = rate.time_to_send(size);
    Err(format!(
        "packets of {size} would leave {gap} apart, less than {LEAST_GAP}: larger ones, or a lower rate"
    ))
}

/// Whether a step, or a part of it, was reported already.
fn is_broken(step: &Node) -> bool {
    match &step.data {
        Data::Broken => true,
        Data::Array(pair) => pair.iter().any(|node| matches!(node.data, Data::Broken)),
        _ => false,
    }
}

fn read_steps(node: &Node, size: Option<Bytes>, sink: &Sink<'_>) -> Option<Vec<(Duration, Rate)>> {
    let items = match &node.data {
        Data::Array(items) if !items.is_empty() => items,
        Data::Broken => return None,
        _ => {
            let error = sink.an_error(node.origin, "`steps` is a list of [time, rate]");
            sink.push(error.help("such as steps = [[\"0 s\", \"1 Mbit/s\"], [\"5 s\", \"0 bit/s\"]]"));
            return None;
        }
    };
    let mut steps: Vec<(Duration, Rate)> = Vec::with_capacity(items.len());
    let before = sink.errors();
    for item in items {
        if is_broken(item) {
            continue;
        }
        let step = match &item.data {
            Data::Array(pair) if pair.len() == 2 => duration(&pair[0]).and_then(|t| {
                let rate = plain(&pair[1])?;
                check_gap(rate, size.unwrap_or(MAX_PACKET)).map(|()| (t, rate))
            }),
            _ => Err("expected [time, rate]".to_string()),
        };
        match step {
            Ok((time, _)) if steps.last().is_some_and(|(last, _)| *last >= time) => {
                sink.error(
                    item.origin,
                    format!("steps ascend in time, but {time} is not after the step before"),
                );
            }
            Ok(step) => steps.push(step),
            Err(why) => sink.push(sink.an_error(item.origin, "bad step").label(why)),
        }
    }
    (sink.errors() == before).then_some(steps)
}

/// No packet is larger than IP allows.
fn check_packet(transport: &Transport, app: &App, origin: Origin, sink: &Sink<'_>) {
    if let (Transport::Udp { header, .. }, Some(size)) = (transport, payload(app))
        && size.get().saturating_add(header.get()) > MAX_PACKET.get()
    {
        let message = format!("a payload of {size} and headers of {header} make more than {MAX_PACKET}");
        sink.push(sink.an_error(origin, message).label("IP packets are not larger"));
    }
    if let Transport::Tcp { header: Some(header), .. } | Transport::Mptcp { header: Some(header), .. } =
        transport
        && let Some(config) = transport.tcp()
        && config.mss.get().saturating_add(header.get()) > MAX_PACKET.get()
    {
        sink.error(
            origin,
            format!("segments of {} and headers of {header} make more than {MAX_PACKET}", config.mss),
        );
    }
}

/// Payload of the packets of a UDP application.
pub(crate) fn payload(app: &App) -> Option<Bytes> {
    match app {
        App::Cbr { size, .. }
        | App::Poisson { size, .. }
        | App::OnOff { size, .. }
        | App::Schedule { size, .. }
        | App::Pulse { size, .. } => Some(*size),
        App::Bulk | App::Transfer { .. } | App::RequestResponse { .. } | App::Sequence { .. } => None,
    }
}

/// The name of a profile.
pub(crate) fn profile_name(profile: Profile) -> String {
    match profile.to_value() {
        tailrace_core::params::Value::Text(t) => t,
        other => other.shown(),
    }
}
