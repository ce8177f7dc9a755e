//! The text of a scenario: its document, where what stands in it, and what there is to say about it.
//!
//! Owns values with their places, paths and overrides into them, and diagnostics. Knows TOML, and no key of a scenario.
//! May import: nothing of this crate.

pub(crate) mod allow;
pub(crate) mod codes;
pub(crate) mod diagnostic;
pub(crate) mod document;
pub(crate) mod files;
pub(crate) mod path;
pub(crate) mod place;
pub(crate) mod read;
pub(crate) mod severity;
pub(crate) mod sink;
pub(crate) mod write;
