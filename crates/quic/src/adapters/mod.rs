//! Adapters of the implementations. The two have a common ancestor and most of their interface in common: what is equal in both is
//! written once, as macros over the name of the package, and each adapter has what differs.

#[macro_use]
mod crypto;
#[macro_use]
mod common;
mod noq;
mod quinn;

pub(crate) use noq::Noq;
pub(crate) use quinn::Quinn;
