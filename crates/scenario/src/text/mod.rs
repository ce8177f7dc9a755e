//! The text of a scenario: its document, where what stands in it, and what there is to say about it.

pub(crate) mod diagnostic;
pub(crate) mod document;
pub(crate) mod path;
