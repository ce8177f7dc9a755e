//! Applications: what drives a flow, as state machines that know neither network nor clock.
//!
//! Each kind is one file in `kinds` with its keys, its facts and its behaviour, and one line in [`kinds`]: scenario files,
//! their errors and schema, `tailrace list`, the documentation and the simulator follow from these. Kinds of attacks, each of
//! which comes to an application, are the same way in `attacks` and [`attacks`].
//!
//! ```
//! use tailrace_app::{AnyApp, AppActions, AppConfig, AppContext, Application};
//! use tailrace_core::{Instant, Rng, params::Value};
//!
//! let mut config = AppConfig::default_of("cbr").unwrap();
//! config.set("rate", &Value::Text("1 Mbit/s".into())).unwrap();
//! config.set("size", &Value::Text("125 B".into())).unwrap();
//! let (mut app, mut rng): (AnyApp, _) = (config.build(), Rng::new(1));
//! // The first datagram leaves at once, and the next one a millisecond later.
//! let mut actions = AppActions::default();
//! app.on_start(&mut AppContext::new(Instant::ZERO, &mut rng, &mut actions));
//! assert_eq!((actions.wake(), actions.datagram()), (Some(Instant::ZERO), None));
//! let mut actions = AppActions::default();
//! app.on_wake(&mut AppContext::new(Instant::ZERO, &mut rng, &mut actions));
//! assert_eq!(actions.wake(), Some(Instant::from_millis(1)));
//! assert_eq!(actions.datagram().map(|(_, datagram)| datagram.payload), Some(125));
//! ```

pub mod attacks;
pub mod kinds;

mod application;
mod attack;
mod bitrate_ladder;
mod bounds;
mod direction;
mod group_member;
mod link_name;
mod packet_spacing;
mod playback_stats;
mod playout;
mod pulse_envelope;
mod pulse_phase;
mod rate_steps;
mod registry;
mod sequential_transfers;
#[cfg(test)]
mod testing;

pub use application::{
    AppAction, AppActions, AppContext, Application, ConnectionData, Datagram, EndpointRole,
};
pub use attack::{AttackInfo, AttackKind};
pub use attacks::AttackConfig;
pub use bitrate_ladder::BitrateLadder;
pub use direction::Direction;
pub use group_member::GroupMember;
pub use kinds::{AnyApp, AppConfig, catalog};
pub use playback_stats::PlaybackStats;
pub use pulse_phase::PulsePhase;
pub use rate_steps::RateSteps;
pub use registry::{
    AppInfo, AppKind, KeyConflict, OfferedTraffic, RequiredTransport, TargetLoad, TransferCount,
    VoiceParameters,
};
