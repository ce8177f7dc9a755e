//! Applications: what drives a flow, as state machines that know neither network nor clock.
//!
//! Each kind is one file in `kinds` with its keys, its facts and its behaviour, and one line in [`kinds`]: scenario files,
//! their errors and schema, `tailrace list`, the documentation and the simulator follow from these. Kinds of attacks, each of
//! which comes to an application, are the same way in `attacks` and [`attacks`].
//!
//! ```
//! use tailrace_app::{App, AppConfig, Application, Actions, Cx};
//! use tailrace_core::{Instant, Rng, params::Value};
//!
//! let mut config = AppConfig::default_of("cbr").unwrap();
//! config.set("rate", &Value::Text("1 Mbit/s".into())).unwrap();
//! config.set("size", &Value::Text("125 B".into())).unwrap();
//! let (mut app, mut rng): (App, _) = (config.build(), Rng::new(1));
//! // The first datagram leaves at once, and the next one a millisecond later.
//! let mut actions = Actions::default();
//! app.on_start(&mut Cx::new(Instant::ZERO, &mut rng, &mut actions));
//! assert_eq!((actions.wake(), actions.datagram()), (Some(Instant::ZERO), None));
//! let mut actions = Actions::default();
//! app.on_wake(&mut Cx::new(Instant::ZERO, &mut rng, &mut actions));
//! assert_eq!(actions.wake(), Some(Instant::from_millis(1)));
//! assert_eq!(actions.datagram().map(|(_, datagram)| datagram.payload), Some(125));
//! ```

pub mod attacks;
pub mod kinds;

mod application;
mod attack;
mod bounds;
mod direction;
mod envelope;
mod ladder;
mod link;
mod member;
mod phase;
mod playback;
mod registry;
mod spacing;
mod steps;
#[cfg(test)]
mod testing;
mod transfers;

pub use application::{Action, Actions, Application, Cx, Data, Datagram, End};
pub use attack::{AttackInfo, AttackKind};
pub use attacks::AttackConfig;
pub use direction::Direction;
pub use kinds::{App, AppConfig, catalog};
pub use ladder::Ladder;
pub use member::Member;
pub use phase::Phase;
pub use playback::Playback;
pub use registry::{AppInfo, AppKind, Load, Misfit, Over, Traffic, Transfers, Voice};
pub use steps::Steps;
