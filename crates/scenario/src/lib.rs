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

pub mod diagnostic;
pub mod model;
pub mod sections;

mod advise;
mod declaration;
mod dist;
mod document;
mod emit;
mod fault;
mod flow;
mod gateways;
mod link;
mod memory;
mod names;
mod path;
mod paths;
mod reader;
mod resolve;
mod roles;
mod schema;
mod subflows;
mod sweep;
mod topology;

pub use declaration::Declaration;
pub use diagnostic::{Diagnostic, Place, Severity, render_all};
pub use memory::DEFAULT_MEMORY_LIMIT;
pub use model::Scenario;
pub use schema::schema;
pub use sweep::SweepAxis;

use diagnostic::Sink;
use document::{Data, Origin, Table};
use tailrace_core::Bytes;

/// A scenario that can run.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Counts expanded, every default filled in.
    pub scenario: Scenario,
    /// The same as it was written; see [`Parsed::to_toml`].
    pub declaration: Declaration,
    /// What probably is not meant.
    pub warnings: Vec<Diagnostic>,
}

impl Parsed {
    /// The scenario as a file with every default filled in, which reads back as the same scenario.
    pub fn to_toml(&self) -> String {
        emit::to_toml(&self.declaration)
    }
}

/// Reads a scenario. `overrides` are pairs of a path and a value (TOML, or bare text), as in
/// `--set link.bottleneck.queue=red`; they are applied before anything is checked.
///
/// # Errors
/// Every error found, in the order of the file.
pub fn parse(text: &str, file_name: &str, overrides: &[(String, String)]) -> Result<Parsed, Vec<Diagnostic>> {
    parse_within(text, file_name, overrides, DEFAULT_MEMORY_LIMIT)
}

/// As [`parse`], on a machine with so much memory: a scenario that needs more than three quarters is refused.
///
/// # Errors
/// See [`parse`].
pub fn parse_within(
    text: &str,
    file_name: &str,
    overrides: &[(String, String)],
    memory: Bytes,
) -> Result<Parsed, Vec<Diagnostic>> {
    let sink = Sink::new(file_name, text, overrides);
    match read(text, overrides, memory, &sink) {
        Some((scenario, declaration)) if sink.errors() == 0 => {
            Ok(Parsed { scenario, declaration, warnings: sink.into_sorted() })
        }
        _ => Err(sink.into_sorted()),
    }
}

fn read(
    text: &str,
    overrides: &[(String, String)],
    memory: Bytes,
    sink: &Sink<'_>,
) -> Option<(Scenario, Declaration)> {
    let mut root = document::parse(text, sink)?;
    for (i, (path, value)) in overrides.iter().enumerate() {
        let value = document::parse_override(value, i, sink);
        if let Err(lost) = path::set(&mut root, path, Origin::Override(i), value) {
            let error = sink.an_error(Origin::Override(i), lost.message);
            sink.push(match lost.help {
                Some(help) => error.help(help),
                None => error,
            });
        }
    }
    let mut draft = declaration::Draft::read(&root, sink);
    roles::apply(&mut draft, sink);
    let incomplete = draft.links.len() != tables(&root, "link") || draft.nodes.len() != all_nodes(&root);
    let scenario = resolve::resolve(&draft, incomplete, memory, sink);
    if sink.errors() > 0 {
        return None;
    }
    let declaration = draft.complete(&root, sink)?;
    Some((scenario?, declaration))
}

fn all_nodes(root: &Table) -> usize {
    tables(root, "host") + tables(root, "router")
}

fn tables(root: &Table, key: &str) -> usize {
    match root.get(key).map(|node| &node.data) {
        Some(Data::Array(items)) => items.len(),
        _ => 0,
    }
}
