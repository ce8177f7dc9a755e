//! Scenarios to start from: the gallery and the papers', as they were when this was built.

/// Names as below the repository (`scenarios/flood.toml`), and contents.
pub(crate) const EXAMPLES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));
