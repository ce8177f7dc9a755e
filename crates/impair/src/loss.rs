//! Contract of a registered loss process, and the macro behind the table.
//!
//! The table itself is in [`crate::losses`]: one line a process, from which `losses!` derives the module,
//! [`LossConfig`](crate::LossConfig), [`AnyLoss`](crate::AnyLoss) (dispatch by `match`) and
//! [`catalog`](crate::losses::catalog).

use tailrace_core::Rng;
use tailrace_core::params::{ParamInfo, Parameters};

/// The keys of one loss process, and how to build it.
pub trait LossKind: Parameters {
    /// Description in one sentence.
    const SUMMARY: &'static str;
    /// The process that decides whether a packet is lost.
    type Process: LossProcess;

    /// Builds the process in its initial state.
    fn build(&self) -> Self::Process;
    /// Whether it loses nothing at all.
    fn is_none(&self) -> bool {
        false
    }
    /// Whether it draws anything.
    fn is_random(&self) -> bool {
        true
    }
}

/// Decides which packets are lost.
pub trait LossProcess {
    /// Whether a packet is lost: the `nth` that the link's direction carries, from 1 on, whatever processes came before.
    fn loses(&mut self, nth: u64, rng: &mut Rng) -> bool;
}

/// Row of [`catalog`](crate::losses::catalog).
#[derive(Clone, Copy, Debug)]
pub struct LossInfo {
    /// Registered name.
    pub name: &'static str,
    /// Description in one sentence.
    pub summary: &'static str,
    /// Its keys.
    pub params: &'static [ParamInfo],
}

/// The table of loss processes: `"name" => module::Variant(Config)`.
macro_rules! losses {
    ($( $name:literal => $module:ident::$variant:ident($config:ident) ),+ $(,)?) => {
        $( pub mod $module; )+

        tailrace_core::config_enum! {
            /// A loss process with the values of its keys, by registered name.
            pub enum LossConfig { $( $name => $variant($module::$config), )+ }
        }

        impl LossConfig {
            /// Name of its table in messages.
            pub const fn title(&self) -> &'static str {
                match self { $( Self::$variant(_) => concat!("loss \"", $name, "\""), )+ }
            }
            /// Whether it loses nothing at all.
            pub fn is_none(&self) -> bool {
                match self { $( Self::$variant(c) => c.is_none(), )+ }
            }
            /// Whether it draws anything.
            pub fn is_random(&self) -> bool {
                match self { $( Self::$variant(c) => c.is_random(), )+ }
            }
            /// Builds the process in its initial state.
            pub fn build(&self) -> AnyLoss {
                match self { $( Self::$variant(c) => AnyLoss::$variant(c.build()), )+ }
            }
        }

        /// Any registered loss process, under way.
        #[derive(Clone, Debug)]
        pub enum AnyLoss {
            $( #[doc = concat!("`", $name, "`")] $variant(<$module::$config as LossKind>::Process), )+
        }

        impl LossProcess for AnyLoss {
            #[inline]
            fn loses(&mut self, nth: u64, rng: &mut Rng) -> bool {
                match self { $( Self::$variant(l) => l.loses(nth, rng), )+ }
            }
        }

        /// Every registered loss process, described.
        pub fn catalog() -> Vec<LossInfo> {
            vec![$( LossInfo {
                name: $name,
                summary: <$module::$config as LossKind>::SUMMARY,
                params: <$module::$config as Parameters>::params(),
            } ),+]
        }
    };
}
pub(crate) use losses;
