//! Contract of a registered kind of attack, and the macro behind the table.
//!
//! The table itself is in [`crate::attacks`]: one line a kind, from which `attacks!` derives the module,
//! [`AttackConfig`](crate::AttackConfig) and its catalog. An attack describes a group of flows in the terms of the
//! literature; it is resolved to an application, and so needs nothing of its own to run.

use crate::kinds::AppConfig;
use crate::registry::{KeyConflict, RequiredTransport};
use tailrace_core::params::{ParamInfo, Parameters, Value};

/// The keys of one kind of attack, and what they come to.
pub trait AttackKind: Parameters {
    /// Description in one sentence.
    const SUMMARY: &'static str;
    /// Where it was described; empty for what everybody knows.
    const CITATION: &'static str = "";
    /// The transport that it needs.
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;

    /// The application of each of its flows. The values have passed [`AttackKind::validate`].
    fn app(&self) -> AppConfig;
    /// Whether values that each fit go together.
    ///
    /// # Errors
    /// The key at fault and why.
    fn validate(&self) -> Result<(), KeyConflict> {
        self.app().validate()
    }
    /// Flows that it has between two hosts.
    fn flows(&self) -> u32 {
        1
    }
    /// Keys of its TCP that make it what it is, with their values: a transport that is written says them no other way.
    fn transport_keys(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }
}

/// Row of [`catalog`](crate::attacks::catalog).
#[derive(Clone, Copy, Debug)]
pub struct AttackInfo {
    /// Registered name.
    pub name: &'static str,
    /// Description in one sentence.
    pub summary: &'static str,
    /// Where it was described.
    pub citation: &'static str,
    /// The transport that it needs.
    pub over: RequiredTransport,
    /// Its keys.
    pub params: &'static [ParamInfo],
}

/// The table of attacks: `"name" => module::Variant(Config)`.
macro_rules! attacks {
    ($( $name:literal => $module:ident::$variant:ident($config:ident) ),+ $(,)?) => {
        $( pub mod $module; )+

        tailrace_core::config_enum! {
            /// An attack with the values of its keys, by registered name.
            pub enum AttackConfig { $( $name => $variant($module::$config), )+ }
        }

        impl AttackConfig {
            /// Name of its table in messages.
            pub const fn title(&self) -> &'static str {
                match self { $( Self::$variant(_) => concat!("attack \"", $name, "\""), )+ }
            }
            /// The transport that it needs.
            pub const fn over(&self) -> RequiredTransport {
                match self { $( Self::$variant(_) => <$module::$config as AttackKind>::TRANSPORT, )+ }
            }
            /// Whether values that each fit go together.
            ///
            /// # Errors
            /// The key at fault and why.
            pub fn validate(&self) -> Result<(), KeyConflict> {
                match self { $( Self::$variant(c) => c.validate(), )+ }
            }
            /// The application of each of its flows. The values have passed [`AttackConfig::validate`].
            pub fn app(&self) -> AppConfig {
                match self { $( Self::$variant(c) => c.app(), )+ }
            }
            /// Flows that it has between two hosts.
            pub fn flows(&self) -> u32 {
                match self { $( Self::$variant(c) => c.flows(), )+ }
            }
            /// Keys of its TCP that make it what it is, with their values.
            pub fn transport_keys(&self) -> Vec<(&'static str, Value)> {
                match self { $( Self::$variant(c) => c.transport_keys(), )+ }
            }
        }

        /// Every registered attack, described.
        pub fn catalog() -> Vec<AttackInfo> {
            vec![$( AttackInfo {
                name: $name,
                summary: <$module::$config as AttackKind>::SUMMARY,
                citation: <$module::$config as AttackKind>::CITATION,
                over: <$module::$config as AttackKind>::TRANSPORT,
                params: $module::$config::params(),
            } ),+]
        }
    };
}
pub(crate) use attacks;
