//! Contract of a registered application, and the macro behind the table.
//!
//! The table itself is in [`crate::kinds`]: one line a kind, from which `applications!` derives the module,
//! [`AppConfig`](crate::AppConfig), [`AnyApp`](crate::AnyApp) (dispatch by `match`, no box and no virtual call a
//! packet) and [`catalog`](crate::catalog).

use crate::application::{Application, EndpointRole};
use crate::bounds::{LARGEST_PAYLOAD, mean_payload};
use crate::group_member::GroupMember;
use tailrace_core::params::{ParamInfo, Parameters};
use tailrace_core::{Bytes, Duration, Probability, Rate, SizeDist};

/// The kind of transport that an application needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredTransport {
    /// Connections: TCP and Multipath TCP.
    Streams,
    /// Datagrams: UDP.
    Datagrams,
}

/// Transfers or exchanges, which come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferCount {
    /// It has no such things.
    None,
    /// Transfers follow one another as long as the flow lasts.
    Endless,
    /// A fixed number.
    Count(u32),
}

impl TransferCount {
    /// `count` of them, or as long as the flow lasts.
    pub fn of(count: Option<u32>) -> Self {
        count.map_or(Self::Endless, Self::Count)
    }
}

/// Traffic that an application's client sends independently of the network; advice and estimates use it. What its server answers does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferedTraffic {
    /// The most payload a second.
    pub rate: Rate,
    /// Payload of a packet, the mean where sizes are drawn.
    pub payload: Bytes,
    /// Payload of the largest packet.
    pub largest: Bytes,
    /// Payload that one packet in a million exceeds, at most.
    pub rarely_exceeded: Bytes,
    /// Whether packets leave strictly periodically.
    pub periodic: bool,
    /// Whether `rate` is a mean that is exceeded for short times, as packets leave by chance.
    pub is_mean: bool,
}

impl OfferedTraffic {
    /// Traffic of packets whose sizes are drawn, or not.
    pub(crate) fn of(rate: Rate, sizes: &SizeDist, periodic: bool) -> Self {
        let payload = mean_payload(sizes);
        let sent = |size: f64| {
            if sizes.is_constant() { payload } else { Bytes(size.min(LARGEST_PAYLOAD.as_f64()) as u64) }
        };
        let (largest, rarely_exceeded) = (sent(sizes.largest()), sent(sizes.rarely_exceeded()));
        Self { rate, payload, largest, rarely_exceeded, periodic, is_mean: false }
    }

    /// Traffic of packets of one size.
    pub const fn of_one_size(rate: Rate, payload: Bytes, periodic: bool) -> Self {
        Self { rate, payload, largest: payload, rarely_exceeded: payload, periodic, is_mean: false }
    }
}

/// Voice that an application carries: what the quality of a conversation depends on beside the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoiceParameters {
    /// Time that the codec takes.
    pub delay: Duration,
    /// Coefficients a, b and c of the impairment a + b ln(1 + c e), where e is the share of packets that are not heard.
    pub impairment: [f64; 3],
}

/// Target share of a link's rate, from which the arrival rate of transfers follows.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetLoad {
    /// The share that the flows of a group take together, payload alone.
    pub share: Probability,
    /// The link, as scenario files name it; none for the slowest on the path of each flow.
    pub of: Option<String>,
    /// Mean size of a transfer, bytes.
    pub size: f64,
}

/// Conflict between the values of an application's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyConflict {
    /// The value of this key is too small or too large beside the others.
    OutOfRange(&'static str, String),
    /// It needs this key, or another one.
    Missing(&'static str, String),
    /// This key says nothing beside the others.
    Unused(&'static str, String),
    /// The value of this key contradicts another one's.
    Contradiction(&'static str, String),
}

/// The keys of one kind of application, what there is to know about it, and how to build it.
pub trait AppKind: Parameters {
    /// Description in one sentence.
    const SUMMARY: &'static str;
    /// The transport that it needs.
    const TRANSPORT: RequiredTransport;
    /// Whether the far end sends data, too.
    const TWO_WAY: bool = false;
    /// The running application.
    type App: Application;

    /// Builds the running application. The values have passed [`AppKind::validate`].
    fn build(&self) -> Self::App;
    /// Builds it as a member of a group whose members act together.
    fn build_member(&self, member: GroupMember) -> Self::App {
        let _ = member;
        self.build()
    }
    /// Whether values that each fit go together.
    ///
    /// # Errors
    /// The key at fault and why.
    fn validate(&self) -> Result<(), KeyConflict> {
        Ok(())
    }
    /// Its transfers.
    fn transfers(&self) -> TransferCount {
        TransferCount::None
    }
    /// The voice that it carries, if any.
    fn voice(&self) -> Option<VoiceParameters> {
        None
    }
    /// The end that sends the data of its connections; of exchanges, the one that asks.
    fn sender(&self) -> EndpointRole {
        EndpointRole::Client
    }
    /// The end from which all of its data comes, or most; of exchanges, the one that answers.
    fn data_source(&self) -> EndpointRole {
        self.sender()
    }
    /// The end whose application reads from its socket at its own pace, if one does.
    fn reader(&self) -> Option<EndpointRole> {
        None
    }
    /// Whether it fetches pages.
    fn has_pages(&self) -> bool {
        false
    }
    /// Whether what it sends comes in pulses, which it counts ([`Application::pulse`]).
    fn has_pulses(&self) -> bool {
        false
    }
    /// When it sends, from and until in the time since its start, in order; up to `within`, when it is stopped. Where chance or the network
    /// decides, that is all the time.
    fn bursts(&self, within: Duration) -> Vec<(Duration, Duration)> {
        vec![(Duration::ZERO, within)]
    }
    /// Whether it plays what it fetches.
    fn plays(&self) -> bool {
        false
    }
    /// Whether it has transfers, each on a connection of its own, whose sizes differ.
    fn has_varied_transfers(&self) -> bool {
        false
    }
    /// Target load of a link, for kinds whose arrival rate follows from it.
    fn load(&self) -> Option<TargetLoad> {
        None
    }
    /// Its transfers arrive by chance (Poisson), with this mean gap: what the load has come to.
    fn set_mean_gap(&mut self, gap: Duration) {
        let _ = gap;
    }
    /// Traffic that its client sends independently of the network; `None` for streams, where the network decides.
    fn traffic(&self) -> Option<OfferedTraffic> {
        None
    }
    /// Whether it draws anything that shows.
    fn is_random(&self) -> bool {
        false
    }
}

/// Row of [`catalog`](crate::catalog).
#[derive(Clone, Copy, Debug)]
pub struct AppInfo {
    /// Registered name.
    pub name: &'static str,
    /// Description in one sentence.
    pub summary: &'static str,
    /// The transport that it needs.
    pub over: RequiredTransport,
    /// Its keys.
    pub params: &'static [ParamInfo],
}

/// The table of applications: `"name" => module::Variant(Config)`.
macro_rules! applications {
    ($( $name:literal => $module:ident::$variant:ident($config:ident) ),+ $(,)?) => {
        $( pub mod $module; )+

        tailrace_core::config_enum! {
            /// An application with the values of its keys, by registered name.
            pub enum AppConfig { $( $name => $variant($module::$config), )+ }
        }

        impl AppConfig {
            /// Name of its table in messages.
            pub const fn title(&self) -> &'static str {
                match self { $( Self::$variant(_) => concat!("app \"", $name, "\""), )+ }
            }
            /// Whether values that each fit go together.
            ///
            /// # Errors
            /// The key at fault and why.
            pub fn validate(&self) -> Result<(), KeyConflict> {
                match self { $( Self::$variant(c) => c.validate(), )+ }
            }
            /// The transport that it needs.
            pub const fn over(&self) -> RequiredTransport {
                match self { $( Self::$variant(_) => <$module::$config as AppKind>::TRANSPORT, )+ }
            }
            /// Whether the far end sends data, too.
            pub const fn is_two_way(&self) -> bool {
                match self { $( Self::$variant(_) => <$module::$config as AppKind>::TWO_WAY, )+ }
            }
            /// Its transfers or exchanges.
            pub fn transfers(&self) -> TransferCount {
                match self { $( Self::$variant(c) => c.transfers(), )+ }
            }
            /// The voice that it carries, if any.
            pub fn voice(&self) -> Option<VoiceParameters> {
                match self { $( Self::$variant(c) => c.voice(), )+ }
            }
            /// The end that sends the data of its connections; of exchanges, the one that asks.
            pub fn sender(&self) -> EndpointRole {
                match self { $( Self::$variant(c) => c.sender(), )+ }
            }
            /// The end from which all of its data comes, or most; of exchanges, the one that answers.
            pub fn data_source(&self) -> EndpointRole {
                match self { $( Self::$variant(c) => c.data_source(), )+ }
            }
            /// The end whose application reads from its socket at its own pace, if one does.
            pub fn reader(&self) -> Option<EndpointRole> {
                match self { $( Self::$variant(c) => c.reader(), )+ }
            }
            /// Whether it fetches pages.
            pub fn has_pages(&self) -> bool {
                match self { $( Self::$variant(c) => c.has_pages(), )+ }
            }
            /// Whether what it sends comes in pulses, which it counts.
            pub fn has_pulses(&self) -> bool {
                match self { $( Self::$variant(c) => c.has_pulses(), )+ }
            }
            /// When it sends, from and until in the time since its start, in order; up to `within`, when it is stopped.
            pub fn bursts(&self, within: Duration) -> Vec<(Duration, Duration)> {
                match self { $( Self::$variant(c) => c.bursts(within), )+ }
            }
            /// Whether it plays what it fetches.
            pub fn plays(&self) -> bool {
                match self { $( Self::$variant(c) => c.plays(), )+ }
            }
            /// Whether it has transfers, each on a connection of its own, whose sizes differ.
            pub fn has_varied_transfers(&self) -> bool {
                match self { $( Self::$variant(c) => c.has_varied_transfers(), )+ }
            }
            /// Target load of a link, for kinds whose arrival rate follows from it.
            pub fn load(&self) -> Option<TargetLoad> {
                match self { $( Self::$variant(c) => c.load(), )+ }
            }
            /// Sets the mean gap of Poisson arrivals, which follows from the load.
            ///
            /// # Errors
            /// The key whose value would be out of bounds, and why.
            pub fn set_mean_gap(&mut self, gap: Duration) -> Result<(), Invalid> {
                match self { $( Self::$variant(c) => c.set_mean_gap(gap), )+ }
                check_bounds(self.params(), |name| self.get(name))
            }
            /// Whether it has to hear of what arrives.
            pub fn listens(&self) -> bool {
                self.is_two_way() || self.transfers() != TransferCount::None || self.voice().is_some()
            }
            /// Traffic that it sends independently of the network; `None` for streams, where the network decides.
            pub fn traffic(&self) -> Option<OfferedTraffic> {
                match self { $( Self::$variant(c) => c.traffic(), )+ }
            }
            /// Whether it draws anything that shows.
            pub fn is_random(&self) -> bool {
                match self { $( Self::$variant(c) => c.is_random(), )+ }
            }
            /// Builds the running application.
            pub fn build(&self) -> AnyApp {
                self.build_member(GroupMember::ALONE)
            }
            /// Builds it as a member of a group.
            pub fn build_member(&self, member: GroupMember) -> AnyApp {
                match self { $( Self::$variant(c) => AnyApp::$variant(c.build_member(member)), )+ }
            }
        }

        /// Any registered application, running.
        #[derive(Debug)]
        pub enum AnyApp {
            $( #[doc = concat!("`", $name, "`")] $variant(<$module::$config as AppKind>::App), )+
        }

        impl Application for AnyApp {
            fn on_start(&mut self, cx: &mut AppContext<'_>) {
                match self { $( Self::$variant(a) => a.on_start(cx), )+ }
            }
            #[inline]
            fn on_wake(&mut self, cx: &mut AppContext<'_>) {
                match self { $( Self::$variant(a) => a.on_wake(cx), )+ }
            }
            fn on_message(&mut self, at: EndpointRole, cx: &mut AppContext<'_>) {
                match self { $( Self::$variant(a) => a.on_message(at, cx), )+ }
            }
            fn on_closed(&mut self, failed: bool, cx: &mut AppContext<'_>) {
                match self { $( Self::$variant(a) => a.on_closed(failed, cx), )+ }
            }
            fn playback(&self, now: Instant) -> Option<PlaybackStats> {
                match self { $( Self::$variant(a) => a.playback(now), )+ }
            }
            fn pulse(&self, now: Instant) -> u64 {
                match self { $( Self::$variant(a) => a.pulse(now), )+ }
            }
            fn is_over(&self) -> bool {
                match self { $( Self::$variant(a) => a.is_over(), )+ }
            }
            fn on_datagram(&mut self, at: EndpointRole, datagram: Datagram, cx: &mut AppContext<'_>) {
                match self { $( Self::$variant(a) => a.on_datagram(at, datagram, cx), )+ }
            }
        }

        /// Every registered application, described.
        pub fn catalog() -> Vec<AppInfo> {
            vec![$( AppInfo {
                name: $name,
                summary: <$module::$config as AppKind>::SUMMARY,
                over: <$module::$config as AppKind>::TRANSPORT,
                params: $module::$config::params(),
            } ),+]
        }
    };
}
pub(crate) use applications;
