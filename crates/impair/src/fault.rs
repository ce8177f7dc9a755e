//! Contract of a registered kind of fault, and the macro behind the table.
//!
//! The table itself is in [`crate::faults`]: one line a kind, from which `faults!` derives the module,
//! [`FaultConfig`](crate::FaultConfig) and its [`catalog`](crate::faults::catalog).

use crate::condition::LinkCondition;
use crate::profile::FaultProfile;
use tailrace_core::Duration;
use tailrace_core::params::{Invalid, ParamInfo, Parameters};
use tailrace_qdisc::QdiscConfig;

/// The keys of one kind of fault, and what it makes of a link.
pub trait FaultKind: Parameters {
    /// Description in one or a few sentences: effect on the link and on packets.
    const SUMMARY: &'static str;

    /// Whether values that each fit make sense.
    ///
    /// # Errors
    /// The key at fault and why.
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    /// Gives a key that takes a queue discipline one that need not be registered; whether it is such a key.
    fn set_queue(&mut self, _key: &str, _queue: QdiscConfig) -> bool {
        false
    }
    /// Changes a direction of a link, as the file and the faults that began before have it, into what it is while this one
    /// lasts. Asked anew whenever a fault of the link begins or ends, for either direction.
    fn apply(&self, link: &mut LinkCondition);
    /// Its stages, where it changes while it lasts: then these say what it makes of a link, and `apply` what it could.
    fn profile(&self) -> Option<Box<dyn FaultProfile>> {
        None
    }
    /// Whether it draws anything itself.
    fn is_random(&self) -> bool {
        false
    }
    /// For how long it has an effect when it has ended.
    fn after_effect(&self) -> Duration {
        Duration::ZERO
    }
    /// Changes a direction of a link during [`FaultKind::after_effect`], the time after the fault's end.
    fn apply_after(&self, _link: &mut LinkCondition) {}
}

/// Row of [`catalog`](crate::faults::catalog).
#[derive(Clone, Copy, Debug)]
pub struct FaultInfo {
    /// Registered name.
    pub name: &'static str,
    /// Description.
    pub summary: &'static str,
    /// Its keys.
    pub params: &'static [ParamInfo],
}

/// The table of kinds of faults: `"name" => module::Variant(Config)`.
macro_rules! faults {
    ($( $name:literal => $module:ident::$variant:ident($config:ident) ),+ $(,)?) => {
        $( pub mod $module; )+

        tailrace_core::config_enum! {
            /// A fault with the values of its keys, by registered name.
            pub enum FaultConfig { $( $name => $variant($module::$config), )+ }
        }

        impl FaultConfig {
            /// Name of its table in messages.
            pub const fn title(&self) -> &'static str {
                match self { $( Self::$variant(_) => concat!("a fault of kind \"", $name, "\""), )+ }
            }
            /// Whether values lie within their bounds and make sense.
            ///
            /// # Errors
            /// The key at fault and why.
            pub fn validate(&self) -> Result<(), Invalid> {
                check_bounds(self.params(), |name| self.get(name))?;
                match self { $( Self::$variant(c) => c.validate(), )+ }
            }
            /// Gives a key that takes a queue discipline one that need not be registered; whether it is such a key.
            pub fn set_queue(&mut self, key: &str, queue: QdiscConfig) -> bool {
                match self { $( Self::$variant(c) => c.set_queue(key, queue), )+ }
            }
            /// Changes a direction of a link into what it is while the fault lasts.
            pub fn apply(&self, link: &mut LinkCondition) {
                match self { $( Self::$variant(c) => c.apply(link), )+ }
            }
            /// Its stages, where it changes while it lasts.
            pub fn profile(&self) -> Option<Box<dyn FaultProfile>> {
                match self { $( Self::$variant(c) => c.profile(), )+ }
            }
            /// Whether it draws anything itself.
            pub fn is_random(&self) -> bool {
                match self { $( Self::$variant(c) => c.is_random(), )+ }
            }
            /// For how long it has an effect when it has ended.
            pub fn after_effect(&self) -> Duration {
                match self { $( Self::$variant(c) => c.after_effect(), )+ }
            }
            /// Changes a direction of a link in the time after the fault's end.
            pub fn apply_after(&self, link: &mut LinkCondition) {
                match self { $( Self::$variant(c) => c.apply_after(link), )+ }
            }
        }

        /// Every registered kind of fault, described.
        pub fn catalog() -> Vec<FaultInfo> {
            vec![$( FaultInfo {
                name: $name,
                summary: <$module::$config as FaultKind>::SUMMARY,
                params: <$module::$config as Parameters>::params(),
            } ),+]
        }
    };
}
pub(crate) use faults;
