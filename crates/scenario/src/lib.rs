//! Scenario files: types, units, validation, errors with line and column.
//!
//! [`parse`] turns the text of a file into a [`Scenario`], or into every error that it finds.
//!
//! ```
//! let text = r#"
//!     name = "hello"
//!     duration = "10 s"
//!     [[host]]
//!     name = "a"
//!     [[host]]
//!     name = "b"
//!     [[link]]
//!     between = ["a", "b"]
//!     rate = "10 Mbit/s"
//!     delay = "5 ms"
//!     [[flow]]
//!     name = "tcp"
//!     from = "a"
//!     to = "b"
//!     transport = "tcp"
//!     app = "bulk"
//! "#;
//! let parsed = tailrace_scenario::parse(text, "hello.toml", &[]).unwrap();
//! assert_eq!(parsed.scenario.links[0].name, "a-b");
//! let again = tailrace_scenario::parse(&parsed.to_toml(), "resolved.toml", &[]).unwrap();
//! assert_eq!(again.scenario, parsed.scenario);
//!
//! let errors = tailrace_scenario::parse(&text.replace("10 Mbit/s", "10 mbps"), "hello.toml", &[]).unwrap_err();
//! assert!(errors[0].render(false).contains("10 Mbit/s"));
//! ```

pub mod model;

mod advice;
mod declarations;
mod migration;
mod resolving;
mod source;
mod text;

pub use declarations::declaration::Declaration;
pub use declarations::schema::{schema, schema_with};
pub use declarations::sections;
pub use declarations::sweep::{Preset, Range, Sweep, SweepAxis};
pub use migration::{Migrated, migrate};
pub use model::{Plugins, Scenario};
pub use resolving::memory::{
    DEFAULT_MEMORY_LIMIT, EVENT_ROW, Estimate, FLOW_ROW, GROUP_ROW, MemoryRoom, QUEUE_ROW, StreamedRows,
};
pub use source::{Objection, Parsed, Source};
pub use text::codes::Code;
pub use text::diagnostic::{Diagnostic, render_all};
pub use text::files::Files;
pub use text::place::Place;
pub use text::severity::Severity;

use tailrace_core::Bytes;

/// Reads a scenario. `overrides` are pairs of a path and a value (TOML, or bare text), as in
/// `--set link.bottleneck.queue=red`; they are applied before anything is checked.
///
/// # Errors
/// Every error found, in the order of the file.
pub fn parse(text: &str, file_name: &str, overrides: &[(String, String)]) -> Result<Parsed, Vec<Diagnostic>> {
    parse_within(text, file_name, overrides, DEFAULT_MEMORY_LIMIT)
}

/// Reads a scenario like [`parse`] for a machine with this memory: a scenario that needs more than three quarters is refused.
///
/// # Errors
/// See [`parse`].
pub fn parse_within(
    text: &str,
    file_name: &str,
    overrides: &[(String, String)],
    memory: Bytes,
) -> Result<Parsed, Vec<Diagnostic>> {
    Source::new(text, file_name).scenario(overrides, memory)
}
