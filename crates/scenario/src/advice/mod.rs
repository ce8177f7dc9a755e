//! Advice: scenarios that run but probably do not show what is meant.

pub(crate) mod adviser;
pub(crate) mod outages;
pub(crate) mod paths;
pub(crate) mod roles;
