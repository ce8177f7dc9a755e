//! Keys that are easily put on a wrong transport.

use super::behaviour::keys_below;
use crate::declarations::key::Section;
use crate::declarations::reader::MisplacedKey;
use crate::declarations::sections::{MPTCP, TCP};
use tailrace_core::params::{ParamInfo, Parameters as _};
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{MptcpBehaviour, MptcpConfig};
use tailrace_transport::{TcpBehaviour, TcpConfig};

/// Keys of the other transports and of the policies of Multipath TCP, which are easily put on a wrong one.
pub(super) fn keys_elsewhere(kind: &str) -> Vec<MisplacedKey> {
    let names = |section: &Section, params: &[ParamInfo]| -> Vec<&'static str> {
        section.keys.iter().map(|k| k.name).chain(params.iter().map(|p| p.name)).collect()
    };
    let of_tcp = names(&TCP, &[TcpConfig::params(), TcpBehaviour::params()].concat());
    let of_mptcp = names(&MPTCP, &[MptcpConfig::params(), MptcpBehaviour::params()].concat());
    let of_kinds = |name: &'static str, kinds: &str| MisplacedKey {
        name,
        help: format!("it belongs to transport {kinds}; write that kind, or leave it out"),
    };
    let mut keys = Vec::new();
    if kind == "udp" {
        keys.extend(of_tcp.iter().map(|n| of_kinds(n, "kind = \"tcp\" or \"mptcp\"")));
    } else {
        keys.extend(keys_below(TcpBehaviour::params()));
    }
    let only_mptcp = of_mptcp.into_iter().filter(|n| !of_tcp.contains(n));
    if kind != "mptcp" {
        keys.extend(only_mptcp.map(|n| of_kinds(n, "kind = \"mptcp\"")));
        return keys;
    }
    keys.extend(keys_below(MptcpBehaviour::params()));
    let mut of_policy = |key: &str, policy: &str, params: &'static [ParamInfo]| {
        keys.extend(params.iter().map(|p| MisplacedKey {
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
