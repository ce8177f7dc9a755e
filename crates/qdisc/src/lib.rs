//! Queue disciplines, generic over the packet.
pub mod discipline;
pub use discipline::{Aqm, Backlog, Cx, LinkView, QueueDiscipline, Sink, Verdict};
