//! Scenarios about progress over Multipath TCP: two hosts with one to eight paths, every profile, path manager and application, data in
//! both directions.
//!
//! They are drawn from a stream of their own and take the place of a part of the seeds; all other seeds give what they gave without
//! them.

use crate::draw::{Draw, seconds};
use crate::network::Network;
use crate::parameters;
use crate::scenario::{BITS, fault};
use crate::sections::{by_shape, keys, table};
use crate::traffic::{app_of, of_tcp, path_manager_named};
use std::fmt::Write as _;
use tailrace_app::{AppInfo, RequiredTransport, catalog};
use tailrace_scenario::sections::{Key, MPTCP};
use tailrace_transport::mptcp::path_manager::PathManagerConfig;

/// Share of the seeds.
const SHARE: f64 = 0.3;

/// Scenario of a seed, if it is one of these.
pub(crate) fn text(seed: u64) -> Option<String> {
    let mut d = Draw::of_stream(seed, "chaos/multipath");
    if !d.chance(SHARE) {
        return None;
    }
    let paths = d.between(1, 8);
    let network = Network::parallel(&mut d, paths);
    let duration_s = d.scale(1.0, 120.0).min(BITS / network.narrow_bps);
    let mut text = format!("name = \"chaos-{seed}\"\nduration = {:?}\nseed = {seed}\n", seconds(duration_s));
    text += &network.text;
    for i in 0..d.between(1, 2) {
        let transport = transport(&mut d, &network, paths);
        let app = app(&mut d, duration_s);
        let _ = write!(
            text,
            "[[flow]]\nname = \"m{i}\"\nfrom = \"a\"\nto = \"b\"\ntransport = {transport}\napp = {app}\n"
        );
    }
    for _ in 0..d.between(0, 4).saturating_sub(2) {
        text += &fault(&mut d, &network, duration_s);
    }
    Some(text)
}

/// Draws Multipath TCP of a profile with a path manager, each as often as any other.
fn transport(d: &mut Draw, network: &Network, paths: u64) -> String {
    let skip = ["profile", "path_manager"];
    let mut special = |d: &mut Draw, key: &Key| of_tcp(d, key);
    let mut lines = keys(d, &MPTCP, &skip, &mut special);
    let profile = MPTCP.keys.iter().find(|key| key.name == "profile").expect("a key of the table");
    lines.extend(by_shape(d, profile.shape).map(|value| format!("profile = {value}")));
    let tried = lines.join(", ");
    let manager = *d.any(PathManagerConfig::names());
    lines.push(format!("path_manager = {}", path_manager_named(d, manager, network, (paths, paths))));
    let whole = table("mptcp", &lines);
    let inside = whole.strip_suffix(" }").expect("an inline table");
    let tried = format!("kind = \"mptcp\", {tried}");
    let more = parameters::mptcp(d, &tried) + &parameters::tcp(d, &tried);
    format!("{inside}{more} }}")
}

/// Draws an application over connections, with data in either direction where it has one.
fn app(d: &mut Draw, duration_s: f64) -> String {
    let kinds: Vec<AppInfo> =
        catalog().into_iter().filter(|info| info.over == RequiredTransport::Streams).collect();
    let info = d.any(&kinds);
    let mut lines = app_of(d, info, duration_s);
    if info.params.iter().any(|p| p.name == "direction") {
        lines.retain(|line| !line.starts_with("direction"));
        lines.push(format!("direction = {:?}", d.any(&["up", "down"])));
    }
    table(info.name, &lines)
}
