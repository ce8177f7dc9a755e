//! Contract of a registered kind of medium, and the macro behind the table.
//!
//! The table itself is in [`crate::media`]: one line a kind, from which `media!` derives the module,
//! [`MediumConfig`](crate::MediumConfig), [`AnyMedium`](crate::AnyMedium) (dispatch by `match`) and
//! [`catalog`](crate::media::catalog).

use crate::aggregation::AggregationLimits;
use crate::contention::TransmitOutcome;
use tailrace_core::params::{Invalid, ParamInfo, Parameters};
use tailrace_core::{Duration, Instant, Probability, Rng};

/// The keys of one kind of medium, and how to build it.
pub trait MediumKind: Parameters {
    /// Description in one or a few sentences.
    const SUMMARY: &'static str;
    /// Limits of the model.
    const LEAVES_OUT: &'static str;
    /// The arbiter of access to the channel.
    type Arbiter: ChannelArbiter;

    /// Whether values that each fit make sense.
    ///
    /// # Errors
    /// The key at fault and why.
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    /// Builds an idle channel without stations.
    fn build(&self) -> Self::Arbiter;
}

/// Decides which stations of a channel send when. Whoever carries packets tells it who wants to send, and lets those do so whose
/// time has come; it knows no packets.
///
/// An access goes: [`next_access`](Self::next_access) has come, [`next_sender`](Self::next_sender) have it, those of them that
/// have something to send begin together ([`begin`](Self::begin)), fare as they do ([`end`](Self::end)), and the channel is free
/// from then on ([`free`](Self::free)).
pub trait ChannelArbiter {
    /// Adds a station, which wants nothing as yet; gives its number.
    fn add_station(&mut self) -> usize;
    /// A station has something to send from now on.
    fn request_access(&mut self, station: usize, now: Instant, rng: &mut Rng);
    /// A station has nothing to send any more.
    fn cancel_request(&mut self, station: usize);
    /// When somebody sends next, as far as is known; `None` while somebody does, or nobody wants to.
    fn next_access(&self) -> Option<Instant>;
    /// The first station, numbered `from` or more, whose access begins at `now`.
    fn next_sender(&self, now: Instant, from: usize) -> Option<usize>;
    /// Somebody begins to send now.
    fn begin(&mut self, now: Instant);
    /// Ends a station's access with this outcome.
    fn end(&mut self, station: usize, fate: TransmitOutcome, rng: &mut Rng);
    /// The channel is free again, but for what it takes to answer so many frames (or none that anybody could read), which have
    /// ended now.
    fn free(&mut self, frames: Option<usize>, now: Instant);
    /// Framing and limits of aggregation.
    fn framing(&self) -> &AggregationLimits;
    /// Probability that a frame cannot be read at the other end, where it is the only one to be sent.
    fn frame_error(&self) -> Probability;
    /// Largest number of transmissions of a frame.
    fn attempts(&self) -> u32;
    /// For how long the channel has been in use, all in all, up to the end of the last access.
    fn busy(&self) -> Duration;
}

/// Row of [`catalog`](crate::media::catalog).
#[derive(Clone, Copy, Debug)]
pub struct MediumInfo {
    /// Registered name.
    pub name: &'static str,
    /// Description.
    pub summary: &'static str,
    /// Limits of the model.
    pub leaves_out: &'static str,
    /// Its keys.
    pub params: &'static [ParamInfo],
}

/// The table of kinds of media: `"name" => module::Variant(Config)`.
macro_rules! media {
    ($( $name:literal => $module:ident::$variant:ident($config:ident) ),+ $(,)?) => {
        $( pub mod $module; )+

        tailrace_core::config_enum! {
            /// A medium with the values of its keys, by registered name.
            pub enum MediumConfig { $( $name => $variant($module::$config), )+ }
        }

        impl MediumConfig {
            /// Name of its table in messages.
            pub const fn title(&self) -> &'static str {
                match self { $( Self::$variant(_) => concat!("a medium of kind \"", $name, "\""), )+ }
            }
            /// Whether values lie within their bounds and make sense.
            ///
            /// # Errors
            /// The key at fault and why.
            pub fn validate(&self) -> Result<(), Invalid> {
                check_bounds(self.params(), |name| self.get(name))?;
                match self { $( Self::$variant(c) => c.validate(), )+ }
            }
            /// Builds an idle channel without stations.
            pub fn build(&self) -> AnyMedium {
                match self { $( Self::$variant(c) => AnyMedium::$variant(c.build()), )+ }
            }
        }

        /// Any registered medium, under way.
        #[derive(Clone, Debug)]
        pub enum AnyMedium {
            $( #[doc = concat!("`", $name, "`")] $variant(<$module::$config as MediumKind>::Arbiter), )+
        }

        impl ChannelArbiter for AnyMedium {
            fn add_station(&mut self) -> usize {
                match self { $( Self::$variant(m) => m.add_station(), )+ }
            }
            fn request_access(&mut self, station: usize, now: Instant, rng: &mut Rng) {
                match self { $( Self::$variant(m) => m.request_access(station, now, rng), )+ }
            }
            fn cancel_request(&mut self, station: usize) {
                match self { $( Self::$variant(m) => m.cancel_request(station), )+ }
            }
            fn next_access(&self) -> Option<Instant> {
                match self { $( Self::$variant(m) => m.next_access(), )+ }
            }
            fn next_sender(&self, now: Instant, from: usize) -> Option<usize> {
                match self { $( Self::$variant(m) => m.next_sender(now, from), )+ }
            }
            fn begin(&mut self, now: Instant) {
                match self { $( Self::$variant(m) => m.begin(now), )+ }
            }
            fn end(&mut self, station: usize, fate: TransmitOutcome, rng: &mut Rng) {
                match self { $( Self::$variant(m) => m.end(station, fate, rng), )+ }
            }
            fn free(&mut self, frames: Option<usize>, now: Instant) {
                match self { $( Self::$variant(m) => m.free(frames, now), )+ }
            }
            fn framing(&self) -> &AggregationLimits {
                match self { $( Self::$variant(m) => m.framing(), )+ }
            }
            fn frame_error(&self) -> Probability {
                match self { $( Self::$variant(m) => m.frame_error(), )+ }
            }
            fn attempts(&self) -> u32 {
                match self { $( Self::$variant(m) => m.attempts(), )+ }
            }
            fn busy(&self) -> Duration {
                match self { $( Self::$variant(m) => m.busy(), )+ }
            }
        }

        /// Every registered kind of medium, described.
        pub fn catalog() -> Vec<MediumInfo> {
            vec![$( MediumInfo {
                name: $name,
                summary: <$module::$config as MediumKind>::SUMMARY,
                leaves_out: <$module::$config as MediumKind>::LEAVES_OUT,
                params: <$module::$config as Parameters>::params(),
            } ),+]
        }
    };
}
pub(crate) use media;
