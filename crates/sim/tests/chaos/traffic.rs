//! Flows and attacks: hosts, transport and application.

use crate::draw::{Draw, seconds};
use crate::network::{Hosts, Network};
use crate::parameters;
use crate::sections::{by_shape, distribution, keys, table};
use tailrace_app::{AppInfo, RequiredTransport, attacks, catalog};
use tailrace_core::params::{Kind, ParamInfo};
use tailrace_scenario::sections::{ATTACK, FLOW, Key, MPTCP, Shape, TCP, UDP};
use tailrace_transport::mptcp::path_manager::PathManagerConfig;

/// Draws a `[[flow]]`.
pub(crate) fn flow(d: &mut Draw, network: &Network, name: &str, duration_s: f64) -> String {
    let (from, to) = ends(d, network);
    let kind = *d.any(&["tcp", "tcp", "mptcp", "mptcp", "udp"]);
    let transport = match kind {
        "tcp" => tcp(d),
        "mptcp" => mptcp(d, network, (from.1, to.1)),
        _ => table("udp", &keys(d, &UDP, &[], &mut of_udp)),
    };
    let app = app(
        d,
        if kind == "udp" { RequiredTransport::Datagrams } else { RequiredTransport::Streams },
        duration_s,
    );
    let mut special = |d: &mut Draw, key: &Key| match key.name {
        "start" => Some(distribution(d, 1e-3, duration_s / 2.0)),
        "pattern" => Some(pattern(d, &from.0, &to.0)),
        // A scenario without enabled flows is refused.
        "enabled" => Some(d.chance(0.95).to_string()),
        "stop" => Some(format!("{:?}", seconds(duration_s * (0.1 + d.uniform())))),
        _ => None,
    };
    let skip = ["name", "from", "to", "transport", "app"];
    let more = keys(d, &FLOW, &skip, &mut special).join("\n");
    let (from, to) = (from.0, to.0);
    format!(
        "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\napp = {app}\n{more}\n"
    )
}

/// Draws an `[[attack]]`.
pub(crate) fn attack(d: &mut Draw, network: &Network, name: &str, duration_s: f64) -> String {
    let (from, to) = ends(d, network);
    let info = *d.any(&attacks::catalog());
    let mut lines = keys_of(d, info.name, info.params, info.over, duration_s);
    let over_tcp = info.over == RequiredTransport::Streams;
    if over_tcp && d.chance(0.5) {
        let transport = if d.chance(0.5) { tcp(d) } else { mptcp(d, network, (from.1, to.1)) };
        lines.push(format!("transport = {transport}"));
    }
    let mut special = |d: &mut Draw, key: &Key| match key.name {
        "start" => Some(distribution(d, 1e-3, duration_s / 2.0)),
        "pattern" => Some(pattern(d, &from.0, &to.0)),
        "stop" => Some(format!("{:?}", seconds(duration_s * (0.1 + d.uniform())))),
        "spoof" if !over_tcp => Some(spoof(d, info.name)),
        _ => None,
    };
    lines.extend(keys(d, &ATTACK, &["name", "from", "to", "transport"], &mut special));
    let (kind, more, from, to) = (info.name, lines.join("\n"), from.0, to.0);
    format!("[[attack]]\nname = \"{name}\"\nkind = \"{kind}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n")
}

/// Draws spoofed addresses, per pulse if the kind has pulses.
fn spoof(d: &mut Draw, kind: &str) -> String {
    let has_pulses = matches!(kind, "pulse" | "shrew" | "roq");
    let per = if has_pulses { *d.any(&["packet", "pulse"]) } else { "packet" };
    format!("{{ per = \"{per}\", pool = {} }}", d.scale(1.0, 65_536.0) as u64)
}

/// Chooses among keys of which exactly one must be set; returns the chosen and the rejected ones.
fn choices(d: &mut Draw, params: &[ParamInfo]) -> (Vec<&'static str>, Vec<&'static str>) {
    const PAIRS: [[&str; 2]; 3] = [["burst", "duty"], ["rate", "mean"], ["magnitude", "duration"]];
    let has = |key: &str| params.iter().any(|p| p.name == key);
    let pairs = PAIRS.iter().filter(|pair| pair.iter().all(|key| has(key)));
    pairs.map(|[a, b]| if d.chance(0.5) { (*a, *b) } else { (*b, *a) }).unzip()
}

/// Draws a pattern that is valid between two hosts, or two lists of them.
fn pattern(d: &mut Draw, from: &str, to: &str) -> String {
    let (several, one) = (from.ends_with("[*]"), !to.ends_with("[*]"));
    let fits: &[&str] = match (several, one) {
        (true, true) => &["pairs", "all_pairs", "incast"],
        (true, false) => &["pairs", "all_pairs", "permutation"],
        _ => &["pairs", "all_pairs", "incast", "permutation"],
    };
    format!("{:?}", d.any(fits))
}

/// Sender and receiver as selectors, each with the number of its host's links.
fn ends(d: &mut Draw, network: &Network) -> ((String, u64), (String, u64)) {
    let a = d.below(network.hosts.len());
    let b = (a + 1 + d.below(network.hosts.len() - 1)) % network.hosts.len();
    let (a, b) = (&network.hosts[a], &network.hosts[b]);
    let all = |hosts: &Hosts| format!("{}[*]", hosts.name);
    let (from, to) = if a.count > 0 && a.count == b.count && d.chance(0.6) {
        (all(a), all(b))
    } else if a.count > 0 && d.chance(0.2) {
        (all(a), b.one(d))
    } else {
        (a.one(d), b.one(d))
    };
    ((from, a.interfaces), (to, b.interfaces))
}

fn of_udp(d: &mut Draw, key: &Key) -> Option<String> {
    (key.name == "header").then(|| format!("\"{} B\"", d.any(&[0, 28, 48])))
}

/// Draws header bytes, mostly the real ones.
pub(crate) fn of_tcp(d: &mut Draw, key: &Key) -> Option<String> {
    (key.name == "header").then(|| format!("\"{} B\"", d.any(&[0, 40, 60])))
}

fn tcp(d: &mut Draw) -> String {
    let whole = table("tcp", &keys(d, &TCP, &[], &mut of_tcp));
    with(&whole, &parameters::tcp(d, inside(&whole)))
}

fn mptcp(d: &mut Draw, network: &Network, interfaces: (u64, u64)) -> String {
    let mut special = |d: &mut Draw, key: &Key| match key.name {
        "path_manager" => Some(path_manager(d, network, interfaces)),
        _ => of_tcp(d, key),
    };
    let whole = table("mptcp", &keys(d, &MPTCP, &[], &mut special));
    // The minimal scenario in which parameters are tried has neither the interfaces nor the routers of this one.
    let managed = whole.contains("path_manager");
    let tried = if managed { "kind = \"mptcp\"" } else { inside(&whole) };
    let more = parameters::mptcp(d, tried) + &parameters::tcp(d, tried);
    with(&whole, &more)
}

/// Content of a table between its braces.
fn inside(table: &str) -> &str {
    table.strip_prefix("{ ").and_then(|rest| rest.strip_suffix(" }")).expect("an inline table")
}

/// Adds keys to a table.
fn with(table: &str, more: &str) -> String {
    format!("{{ {}{more} }}", inside(table))
}

fn path_manager(d: &mut Draw, network: &Network, interfaces: (u64, u64)) -> String {
    let name = *d.any(PathManagerConfig::names());
    path_manager_named(d, name, network, interfaces)
}

/// Draws the parameters of a path manager.
pub(crate) fn path_manager_named(
    d: &mut Draw,
    name: &str,
    network: &Network,
    (near, far): (u64, u64),
) -> String {
    let texts = |d: &mut Draw, kind: &str, parameter: &str| match (kind, parameter) {
        ("linux", "client") => Some(endpoints(d, near)),
        ("linux", "server") => Some(endpoints(d, far)),
        ("manual", "client") => Some(script(d, near, far)),
        ("manual", "server") => Some(script(d, far, near)),
        ("binder", "gateways") if !network.routers.is_empty() => Some(gateways(d, &network.routers)),
        _ => None,
    };
    parameters::path_manager(d, name, &texts)
}

/// Draws Linux endpoints; the last interface has none, so that not all are backups.
fn endpoints(d: &mut Draw, interfaces: u64) -> String {
    let flags = ["subflow", "subflow backup", "signal", "signal subflow", "fullmesh", "subflow fullmesh"];
    let all: Vec<String> = (1..interfaces).map(|i| format!("{i} {}", d.any(&flags))).collect();
    if all.is_empty() { "none".into() } else { all.join(", ") }
}

/// Draws commands for a path manager that opens nothing by itself.
fn script(d: &mut Draw, own: u64, other: u64) -> String {
    let commands: Vec<String> = (0..d.between(1, 6))
        .map(|_| {
            let (at, a, b) = (d.between(0, 3000), d.between(1, own), d.between(1, other));
            match d.below(7) {
                0 => format!("{at} ms connect {a} to {b} backup"),
                1 => format!("{at} ms close {a} to {b}"),
                2 => format!("{at} ms announce {a}"),
                3 => format!("{at} ms remove {a}"),
                4 => format!("{at} ms backup {a}"),
                5 => format!("{at} ms regular {a}"),
                _ => format!("{at} ms connect {a} to {b}"),
            }
        })
        .collect();
    commands.join("; ")
}

fn gateways(d: &mut Draw, routers: &[String]) -> String {
    let lists: Vec<String> = (0..d.between(1, 3))
        .map(|_| {
            let list: Vec<&str> = (0..d.between(1, 3)).map(|_| d.any(routers).as_str()).collect();
            list.join(", ")
        })
        .collect();
    lists.join("; ")
}

/// Draws a registered application.
fn app(d: &mut Draw, over: RequiredTransport, duration_s: f64) -> String {
    let kinds: Vec<AppInfo> = catalog().into_iter().filter(|info| info.over == over).collect();
    let info = d.any(&kinds);
    let lines = keys_of(d, info.name, info.params, over, duration_s);
    table(info.name, &lines)
}

/// Draws lines of the keys of this application over connections.
pub(crate) fn app_of(d: &mut Draw, info: &AppInfo, duration_s: f64) -> Vec<String> {
    keys_of(d, info.name, info.params, info.over, duration_s)
}

/// Draws lines of the keys of an application or attack.
fn keys_of(
    d: &mut Draw,
    name: &str,
    params: &[ParamInfo],
    over: RequiredTransport,
    duration_s: f64,
) -> Vec<String> {
    // The packet rate is bounded whatever the packet size, because a run's cost is its packets.
    let (payload, packets) = (d.between(1, 1400), d.scale(2.0, 1000.0));
    let burst = d.scale(1e-3, duration_s / 4.0);
    let mut lines = Vec::new();
    let (said, unsaid) = choices(d, params);
    for p in params {
        // Arrivals get a gap, not a load, because the gap drawn below bounds the run.
        let wanted = p.required || said.contains(&p.name) || (name == "arrivals" && p.name == "gap");
        let left_out = matches!(p.name, "load" | "of") || unsaid.contains(&p.name);
        if left_out || (!wanted && !d.chance(0.12 + 0.2 * d.wildness)) {
            continue;
        }
        let value = match (p.name, p.kind) {
            // The buffer has room for the startup level and a segment.
            ("segment" | "startup", _) => format!("{:?}", seconds(d.scale(0.1, 10.0))),
            ("buffer", _) if name == "video" => format!("{:?}", seconds(d.scale(20.0, 300.0))),
            // Each read is an event.
            ("chunk", _) => format!("\"{} B\"", d.between(1000, 50_000)),
            // Several pulses within the minimum RTO, and time between them.
            ("min_rto", _) => format!("{:?}", seconds(d.scale(0.2, 2.0))),
            ("n", _) if name == "shrew" => d.between(1, 8).to_string(),
            ("burst", _) if name == "shrew" => format!("{:?}", seconds(d.scale(1e-4, 0.02))),
            ("magnitude", _) => ((burst * packets) as u64).max(1).to_string(),
            ("burst" | "duration", _) => format!("{:?}", seconds(burst)),
            ("period", _) => format!("{:?}", seconds(burst * (1.0 + 3.0 * d.uniform()))),
            // Connections stay open to the end under overload, so some hundreds per flow at most.
            ("gap", _) if name == "arrivals" => {
                format!("\"exponential({})\"", seconds(d.scale(duration_s / 300.0, duration_s / 4.0)))
            }
            ("gap", _) if name == "flash_crowd" => {
                format!("{:?}", seconds(d.scale(duration_s / 30.0, duration_s / 4.0)))
            }
            ("shock", _) => format!("{:?}", d.scale(1.0, 20.0)),
            (_, Kind::Bytes) if over == RequiredTransport::Datagrams => format!("\"{payload} B\""),
            (_, Kind::Bytes) => format!("\"{} B\"", d.scale(1.0, 500_000.0) as u64),
            (_, Kind::Sizes) if over == RequiredTransport::Datagrams => packet_sizes(d, payload),
            (_, Kind::Sizes) => sizes(d),
            (_, Kind::Counts) => counts(d),
            (_, Kind::Rate) => rate(payload, packets),
            (_, Kind::Probability) => format!("{:?}", d.uniform()),
            (_, Kind::Steps) => steps(d, payload, duration_s),
            // Own bounds of a parameter mean that hardly any value is too short.
            (_, Kind::Distribution) if p.bounds.is_some_and(|b| !b.usual) => {
                format!("{:?}", seconds(d.scale(1e-3, duration_s / 4.0)))
            }
            (_, Kind::Distribution) => distribution(d, 1e-3, duration_s / 4.0),
            (_, kind) => match by_shape(d, Shape::Plain(kind)) {
                Some(value) => value,
                None => continue,
            },
        };
        lines.push(format!("{} = {value}", p.name));
    }
    lines
}

/// Draws sizes of packets, at most so many bytes.
fn packet_sizes(d: &mut Draw, payload: u64) -> String {
    if d.chance(0.8) {
        format!("\"{payload} B\"")
    } else {
        format!("\"uniform({} B, {payload} B)\"", payload.div_ceil(2))
    }
}

/// Draws transfer sizes, a few megabytes at most.
fn sizes(d: &mut Draw) -> String {
    let (mean, shape) = (d.scale(1.0, 500_000.0) as u64, 0.3 + 2.0 * d.uniform());
    let text = match d.below(8) {
        0 => format!("uniform({} B, {} B)", mean / 2 + 1, mean + 1),
        1 => format!("exponential({mean} B)"),
        2 => format!("bounded_pareto({} B, {} B, {shape:.3})", mean / 10 + 1, mean * 10 + 1),
        3 => format!("lognormal({mean} B, {:.3})", shape / 2.0),
        4 => format!("cdf({mean} B 0.5; {} B 0.9; {} B 1)", 2 * mean, 8 * mean),
        _ => format!("{mean} B"),
    };
    format!("{text:?}")
}

/// Draws counts, some dozens at most.
fn counts(d: &mut Draw) -> String {
    let n = d.below(20) + 1;
    match d.below(4) {
        0 => format!("\"uniform({n}, {})\"", 2 * n),
        1 => format!("\"exponential({n})\""),
        2 => format!("\"bounded_pareto({n}, {}, 1.1)\"", 3 * n),
        _ => (n - 1).to_string(),
    }
}

fn rate(payload: u64, packets: f64) -> String {
    format!("\"{} bit/s\"", (payload as f64 * 8.0 * packets).max(1.0) as u64)
}

fn steps(d: &mut Draw, payload: u64, duration_s: f64) -> String {
    let mut at = 0.0;
    let steps: Vec<String> = (0..d.between(1, 5))
        .map(|_| {
            let rate = if d.chance(0.2) { "\"0 bit/s\"".into() } else { rate(payload, d.scale(2.0, 1000.0)) };
            let step = format!("[{:?}, {rate}]", seconds(at));
            at += 0.001 + duration_s * 0.4 * d.uniform();
            step
        })
        .collect();
    format!("[{}]", steps.join(", "))
}
