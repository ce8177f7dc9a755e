//! Contract of a registered loss process, and the macro behind the table.
//!
//! The table itself is in [`crate::losses`]: one line a process, from which `losses!` derives the module,
//! [`LossConfig`](crate::LossConfig), [`AnyLoss`](crate::AnyLoss) (dispatch by `match`) and
//! [`catalog`](crate::losses::catalog).

use tailrace_core::params::{ParamInfo, Parameters};
use tailrace_core::{Duration, Instant, Probability, Rng};

/// The keys of one loss process, and how to build it.
pub trait LossKind: Parameters {
    /// Description in one sentence.
    const SUMMARY: &'static str;
    /// The process that decides whether a packet is lost.
    type Process: LossProcess;

    /// Builds the process in its initial state. `own` is a stream of random numbers that nothing else draws from.
    fn build(&self, own: Rng) -> Self::Process;
    /// Whether it loses nothing at all.
    fn is_none(&self) -> bool {
        false
    }
    /// Whether it draws anything.
    fn is_random(&self) -> bool {
        true
    }
    /// The state in which it loses most, if it has states.
    fn burst(&self) -> Option<LossBurst> {
        None
    }
}

/// State of a loss process in which losses come together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossBurst {
    /// It lasts a time.
    Time {
        /// Mean of its length.
        mean: Duration,
        /// Probability that a packet is lost in it.
        loses: Probability,
    },
    /// It lasts a number of packets.
    Packets {
        /// Probability that it ends with a packet.
        leaves: Probability,
        /// Probability that a packet is lost in it.
        loses: Probability,
    },
}

/// Decides which packets are lost.
pub trait LossProcess {
    /// Whether a packet that arrives `at` is lost: the `nth` that the link's direction carries, from 1 on, whatever processes came
    /// before.
    fn loses(&mut self, nth: u64, at: Instant, rng: &mut Rng) -> bool;
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
            /// Builds the process in its initial state. `own` is a stream of random numbers that nothing else draws from.
            pub fn build(&self, own: Rng) -> AnyLoss {
                match self { $( Self::$variant(c) => AnyLoss::$variant(c.build(own)), )+ }
            }
            /// The state in which it loses most, if it has states.
            pub fn burst(&self) -> Option<LossBurst> {
                match self { $( Self::$variant(c) => c.burst(), )+ }
            }
        }

        /// Any registered loss process, under way.
        #[derive(Clone, Debug)]
        pub enum AnyLoss {
            $( #[doc = concat!("`", $name, "`")] $variant(<$module::$config as LossKind>::Process), )+
        }

        impl LossProcess for AnyLoss {
            #[inline]
            fn loses(&mut self, nth: u64, at: Instant, rng: &mut Rng) -> bool {
                match self { $( Self::$variant(l) => l.loses(nth, at, rng), )+ }
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
