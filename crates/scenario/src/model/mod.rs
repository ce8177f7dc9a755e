//! The scenario as the simulator receives it: validated, every default filled in, counts expanded.
//!
//! Nothing random is drawn here: distributions stay distributions, since each run draws from its own seed.
//!
//! Owns the plain types of a scenario that can run. May import: nothing of this crate.

mod fault;
mod flow;
mod kernel;
mod network;
mod plugins;
mod routing;
mod scenario;
mod window;

pub use fault::{Capture, CapturePoint, Fault, LinkDirection};
pub use flow::{FlowGroup, Pattern, Ports, Role, Spoof, SpoofPer, Transport};
pub use kernel::{KernelHost, Limits, Program};
pub use network::{Link, LinkIndex, LinkSpec, Medium, MediumIndex, Node, NodeIndex, NodeKind, Strip};
pub use plugins::Plugins;
pub use routing::{EqualPaths, Routing};
pub use scenario::{DisabledGroup, Record, Scenario};
pub use tailrace_access::{GrantConfig, LinkSchedule, MediumConfig};
pub use tailrace_app::AppConfig;
pub use tailrace_core::DurationDist;
pub use tailrace_impair::{FaultConfig, LossConfig};
pub use window::Window;
