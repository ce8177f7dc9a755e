//! Policies by registered name: congestion controls, schedulers, path managers.

use crate::declarations::key::Section;
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::reader::Reader;
use crate::model::Plugins;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::sink::Sink;
use tailrace_core::params::{Invalid, ParamInfo, SetError, Value};
use tailrace_transport::CcConfig;
use tailrace_transport::mptcp::SubflowControl;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;

/// A sort of policies. They describe their own keys.
pub(super) struct PolicyKind {
    section: &'static Section,
    what: &'static str,
    command: &'static str,
}

pub(super) const CC: PolicyKind = PolicyKind {
    section: &Section { title: "the congestion control", doc: "", keys: &[] },
    what: "congestion control",
    command: "tailrace list cc",
};
pub(super) const MULTIPATH_CC: PolicyKind =
    PolicyKind { command: "tailrace list coupled` and `tailrace list cc", ..CC };
pub(super) const SCHEDULER: PolicyKind = PolicyKind {
    section: &Section { title: "the scheduler", doc: "", keys: &[] },
    what: "scheduler",
    command: "tailrace list schedulers",
};
pub(super) const PATH_MANAGER: PolicyKind = PolicyKind {
    section: &Section { title: "the path manager", doc: "", keys: &[] },
    what: "path manager",
    command: "tailrace list path_managers",
};

/// A policy by registered name, with its own parameters.
pub(super) trait Named: Sized {
    /// The default of the one called `name`, of those that are registered and those that are not.
    fn default_of(name: &str, plugins: &Plugins) -> Option<Self>;
    fn name(&self) -> &'static str;
    fn params(&self) -> &'static [ParamInfo];
    fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError>;
    fn validate(&self) -> Result<(), Invalid>;
}

macro_rules! named {
    ($($config:ty: $plugins:expr),+ $(,)?) => { $(
        impl Named for $config {
            fn default_of(name: &str, plugins: &Plugins) -> Option<Self> {
                let own: fn(CcConfig) -> Option<Self> = $plugins;
                <$config>::default_of(name).or_else(|| plugins.control(name).and_then(own))
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
named! {
    CcConfig: Some,
    SubflowControl: |control| Some(Self::Uncoupled(control)),
    SchedulerConfig: |_| None,
    PathManagerConfig: |_| None,
}

/// Reads one; where it is that of the profile, `usual`, its parameters have the profile's defaults.
pub(super) fn read_named<C: Named>(
    node: &Node,
    sort: &PolicyKind,
    names: &[&'static str],
    usual: Option<C>,
    plugins: &Plugins,
    sink: &Sink<'_>,
) -> Option<C> {
    let (kind, table) = kind_of(node, &Kinds { what: sort.what, names, command: sort.command }, sink)?;
    let usual = usual.filter(|usual| usual.name() == kind);
    let mut config = usual.or_else(|| C::default_of(kind, plugins))?;
    let Some(table) = table else { return Some(config) };
    let r = Reader::of(table, node.origin, sort.section, sink).kinded().with_params(config.params());
    let mut fine = r.set_params(|name, value| config.set(name, value));
    if let (true, Err((name, why))) = (fine, config.validate()) {
        sink.push(sink.at(Code::BadValue, r.origin_of(name), format!("bad value of `{name}`")).label(why));
        fine = false;
    }
    r.finish();
    fine.then_some(config)
}
