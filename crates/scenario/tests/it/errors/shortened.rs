//! Error texts that a new discipline or application does not change.

use tailrace_app::{AppConfig, RequiredTransport};
use tailrace_qdisc::QdiscConfig;
use tailrace_scenario::{Code, Severity};
use tailrace_transport::CcConfig;
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;

/// The text with each list of registered names cut after the first name.
pub(super) fn shortened(text: &str) -> String {
    let apps = |over| tailrace_app::catalog().iter().filter(|a| a.over == over).map(|a| a.name).collect();
    let warnings = Code::ALL.iter().filter(|code| code.severity() == Severity::Warning);
    let registries: [Vec<&str>; 8] = [
        AppConfig::names().to_vec(),
        apps(RequiredTransport::Datagrams),
        QdiscConfig::names().to_vec(),
        CcConfig::names().to_vec(),
        CoupledConfig::names().to_vec(),
        SchedulerConfig::names().to_vec(),
        PathManagerConfig::names().to_vec(),
        warnings.map(|code| code.name()).collect(),
    ];
    let mut short = text.to_string();
    for names in registries {
        // However many of them a message lists, and whether it says that there are others.
        for listed in (3..=names.len()).rev().map(|n| names[..n].join(", ")) {
            while let Some(at) = short.find(&listed) {
                let rest = &short[at + listed.len()..];
                let line = rest.find('\n').unwrap_or(rest.len());
                let others = if rest.starts_with(", and others (") { line } else { 0 };
                short = format!("{}{}, ...{}", &short[..at], names[0], &rest[others..]);
            }
        }
    }
    short
}
