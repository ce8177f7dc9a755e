//! Queue disciplines and congestion controls that are classes of Python: how an object with hooks looks to the engine.
//!
//! Nothing is decided here: hooks are called with what the engine says, in its units, and what they answer is checked and
//! handed on. A hook that raises, or answers what cannot be, ends its run there and then (`failure`).

mod class;
mod control;
pub(crate) mod failure;
mod instance;
mod law;
pub(crate) mod packet;
mod parameter;
mod queue;
pub(crate) mod registration;
pub(crate) mod transport_views;
pub(crate) mod views;
