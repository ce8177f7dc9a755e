//! Multipath TCP.

use super::behaviour;
use super::elsewhere::keys_elsewhere;
use super::endpoint::{FULL_WITH_TIMESTAMPS, read_endpoint};
use super::policy::{MULTIPATH_CC, PATH_MANAGER, SCHEDULER, read_named};
use crate::declarations::reader::Reader;
use crate::declarations::sections::{MPTCP, MPTCP_BEHAVIOUR};
use crate::declarations::values::plain;
use crate::model::{Plugins, Transport};
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::sink::Sink;
use std::sync::Arc;
use tailrace_core::Bytes;
use tailrace_core::params::{ParamInfo, Parameters as _, SetError, Value};
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{
    MAX_SUBFLOWS, MptcpBehaviour, MptcpConfig, MptcpPlan, SourceRoute, SubflowControl,
};
use tailrace_transport::{Profile, TcpBehaviour, TcpConfig};

/// Reads the table, and whose defaults it starts from.
pub(super) fn read(node: &Node, plugins: &Plugins, sink: &Sink<'_>) -> Option<(Transport, Profile)> {
    let params = [MptcpConfig::params(), TcpConfig::params()].concat();
    let others = keys_elsewhere("mptcp");
    let r = Reader::new(node, &MPTCP, sink)?.kinded().with_params(&params).elsewhere(&others);
    let profile = r.read_or("profile", Profile::Rfc, plain::<Profile>);
    let usual = MptcpPlan::for_profile(profile.unwrap_or(Profile::Rfc));
    let (mut tcp, mut mptcp) = ((*usual.tcp).clone(), usual.mptcp);
    let behaves = read_behaviour(&r, &params, &mut mptcp.behaviour, &mut tcp.behaviour);
    let (mut tcp, header) = read_endpoint(&r, tcp, profile)?;
    let fine = r.set_params(|name, value| match mptcp.set(name, value) {
        Err(SetError::Unknown) if TcpConfig::params().iter().any(|p| p.name == name) => Ok(()),
        other => other,
    });
    let control = match r.node("cc") {
        Some(node) => {
            let names: Vec<_> = SubflowControl::names().into_iter().chain(plugins.control_names()).collect();
            read_named(node, &MULTIPATH_CC, &names, Some(usual.control), plugins, sink)
        }
        None => Some(usual.control),
    };
    let scheduler = match r.node("scheduler") {
        Some(node) => {
            read_named(node, &SCHEDULER, SchedulerConfig::names(), Some(usual.scheduler), plugins, sink)
        }
        None => Some(usual.scheduler),
    };
    let path_manager = match r.node("path_manager") {
        Some(node) => read_named(
            node,
            &PATH_MANAGER,
            PathManagerConfig::names(),
            Some(usual.path_manager),
            plugins,
            sink,
        ),
        None => Some(usual.path_manager),
    };
    let path_manager = path_manager.map(|manager| fit_limit(manager, &mptcp, &r));
    let fine = check_mptcp(&mptcp, path_manager.as_ref(), &r) && fine && behaves;
    if header.is_none() && !r.has("mss") {
        let options = u64::from(mptcp.mapping_len()) + path_manager.as_ref().map_or(0, route_len);
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
    let complete = (Transport::Mptcp { plan: Arc::new(plan), header }, profile?);
    fine.then_some(complete)
}

/// Reads `behaviour`, which has the parameters of the connection and those of its subflows' TCP. Whether all is fine.
fn read_behaviour(
    r: &Reader<'_>,
    options: &[ParamInfo],
    mptcp: &mut MptcpBehaviour,
    tcp: &mut TcpBehaviour,
) -> bool {
    let params = [MptcpBehaviour::params(), TcpBehaviour::params()].concat();
    let above = behaviour::keys_above(&MPTCP, options);
    behaviour::read(r, &MPTCP_BEHAVIOUR, &params, &above, |name, value| match mptcp.set(name, value) {
        Err(SetError::Unknown) => tcp.set(name, value),
        other => other,
    })
}

/// Bytes that the longest source route takes in a header.
pub(crate) fn route_len(manager: &PathManagerConfig) -> u64 {
    let gateways = manager.source_routes().iter().map(Vec::len).max().unwrap_or(0);
    u64::from(SourceRoute::option_len(gateways))
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
        let error = sink.at(Code::TooManySubflows, origin, message);
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
        let error = sink.at(Code::TooManySubflows, node.origin, message);
        let error = error.label(format!("a connection has at most {} (max_subflows)", c.max_subflows));
        sink.push(error.help(format!("set {key} = {}, or max_subflows = {most}", c.max_subflows - 1)));
    }
    sink.errors() == before
}
