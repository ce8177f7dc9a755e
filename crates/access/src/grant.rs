//! Grants, which decide when a link may send: the process, the contract of a registered kind, and the macro behind the
//! table.
//!
//! The table itself is in [`crate::grants`]: one line a kind, from which `grants!` derives the module,
//! [`GrantConfig`](crate::GrantConfig), [`AnyGrants`](crate::AnyGrants) (dispatch by `match`) and
//! [`catalog`](crate::grants::catalog).

use tailrace_core::params::{Invalid, ParamInfo, Parameters};
use tailrace_core::{Bytes, Instant, Rate, Rng};

/// Decides when a direction of a link may send, and how long that takes.
///
/// Whoever serves the link asks at the right simulated times, which never go back: so a process needs no event of its own.
pub trait GrantProcess {
    /// Whether a packet may be asked of the queue at `at`; if not, when. What comes at the very time of an opening has missed it.
    ///
    /// # Errors
    /// The time of the next opening, after `at`.
    fn opens(&mut self, at: Instant) -> Result<(), Instant>;
    /// Sends so many bytes from `at` on, when it is open.
    fn send(&mut self, bytes: Bytes, at: Instant) -> Transmission;
    /// Nothing waits at `at`, when it is open: what is left of the opening is lost.
    fn idle(&mut self, at: Instant);
    /// From `at` on it begins anew: what was under way is lost, or was sent by other means.
    fn reset(&mut self, at: Instant);
}

/// Times and fate of a packet that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// When it is through, never before one that was sent earlier; of one that is lost, when that is settled.
    pub arrives: Instant,
    /// When its last byte has left the queue's side: from then on the link may do something else.
    pub left: Instant,
    /// When the next packet may be asked for.
    pub free: Instant,
    /// Whether it is lost.
    pub lost: bool,
}

/// The keys of one kind of grants, and how to build it.
pub trait GrantKind: Parameters {
    /// Description in one sentence.
    const SUMMARY: &'static str;
    /// The process that grants.
    type Process: GrantProcess;

    /// Checks values that fit by themselves for contradictions.
    ///
    /// # Errors
    /// The key at fault and why.
    fn validate(&self) -> Result<(), Invalid>;
    /// Whether it draws anything.
    fn is_random(&self) -> bool;
    /// The mean over a long time of what it can carry.
    fn mean(&self) -> Rate;
    /// Builds the process at the beginning of a run; `rng` is its own.
    fn build(&self, rng: Rng) -> Self::Process;
    /// Bits that the one built with `rng` could carry after `from`, up to and including `to`.
    fn bits(&self, rng: Rng, from: Instant, to: Instant) -> f64;
}

/// Row of [`catalog`](crate::grants::catalog).
#[derive(Clone, Copy, Debug)]
pub struct GrantInfo {
    /// Registered name.
    pub name: &'static str,
    /// Description in one sentence.
    pub summary: &'static str,
    /// Its keys.
    pub params: &'static [ParamInfo],
}

/// The table of kinds of grants: `"name" => module::Variant(Config)`.
macro_rules! grants {
    ($( $name:literal => $module:ident::$variant:ident($config:ident) ),+ $(,)?) => {
        $( pub mod $module; )+

        tailrace_core::config_enum! {
            /// A kind of grants with the values of its keys, by registered name.
            pub enum GrantConfig { $( $name => $variant($module::$config), )+ }
        }

        impl GrantConfig {
            /// Name of its table in messages.
            pub const fn title(&self) -> &'static str {
                match self { $( Self::$variant(_) => concat!("rate \"", $name, "\""), )+ }
            }
            /// Checks bounds, and values that fit by themselves for contradictions.
            ///
            /// # Errors
            /// The key at fault and why.
            pub fn validate(&self) -> Result<(), Invalid> {
                check_bounds(self.params(), |name| self.get(name))?;
                match self { $( Self::$variant(c) => c.validate(), )+ }
            }
            /// Whether it draws anything.
            pub fn is_random(&self) -> bool {
                match self { $( Self::$variant(c) => c.is_random(), )+ }
            }
            /// The mean over a long time of what it can carry.
            pub fn mean(&self) -> Rate {
                match self { $( Self::$variant(c) => c.mean(), )+ }
            }
            /// Builds the process at the beginning of a run; `rng` is its own.
            pub fn build(&self, rng: Rng) -> AnyGrants {
                match self { $( Self::$variant(c) => AnyGrants::$variant(c.build(rng)), )+ }
            }
            /// Bits that the one built with `rng` could carry after `from`, up to and including `to`.
            pub fn bits(&self, rng: Rng, from: Instant, to: Instant) -> f64 {
                match self { $( Self::$variant(c) => c.bits(rng, from, to), )+ }
            }
        }

        /// Any registered kind of grants, under way.
        #[derive(Debug)]
        pub enum AnyGrants {
            $( #[doc = concat!("`", $name, "`")] $variant(<$module::$config as GrantKind>::Process), )+
        }

        impl GrantProcess for AnyGrants {
            #[inline]
            fn opens(&mut self, at: Instant) -> Result<(), Instant> {
                match self { $( Self::$variant(g) => g.opens(at), )+ }
            }
            #[inline]
            fn send(&mut self, bytes: Bytes, at: Instant) -> Transmission {
                match self { $( Self::$variant(g) => g.send(bytes, at), )+ }
            }
            #[inline]
            fn idle(&mut self, at: Instant) {
                match self { $( Self::$variant(g) => g.idle(at), )+ }
            }
            fn reset(&mut self, at: Instant) {
                match self { $( Self::$variant(g) => g.reset(at), )+ }
            }
        }

        /// Every registered kind of grants, described.
        pub fn catalog() -> Vec<GrantInfo> {
            vec![$( GrantInfo {
                name: $name,
                summary: <$module::$config as GrantKind>::SUMMARY,
                params: <$module::$config as Parameters>::params(),
            } ),+]
        }
    };
}
pub(crate) use grants;
