//! Migration of scenario files: keys that belong to the table `behaviour` of a transport, and stand beside it, move there.
//!
//! A key `tso` becomes the dotted key `behaviour.tso` where it stands, so that order, comments and layout stay.

use crate::declarations::sections::SCENARIO;
use crate::text::diagnostic::Diagnostic;
use crate::text::document::{Data, Node, Table};
use crate::text::files::NoFiles;
use crate::text::place::Origin;
use crate::text::read;
use crate::text::sink::Sink;
use tailrace_core::params::Parameters as _;
use tailrace_transport::TcpBehaviour;
use tailrace_transport::mptcp::MptcpBehaviour;

/// A scenario file whose keys stand where they belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The text of the file.
    pub text: String,
    /// The keys that were moved, in the order of the file, without the table that they are in now.
    pub moved: Vec<String>,
}

/// Moves keys of `text` to the tables that they belong to. It is not checked otherwise.
///
/// # Errors
/// Why the file is no TOML, or would be none with its keys moved: with a table `behaviour` in the braces of another line, say.
pub fn migrate(text: &str, file_name: &str) -> Result<Migrated, Vec<Diagnostic>> {
    let root = parse(text, file_name)?;
    let mut places = Vec::new();
    for list in ["flow", "attack"] {
        for transport in tables(&root, list).filter_map(|table| table.get("transport")?.as_table()) {
            in_transport(transport, &mut places);
        }
    }
    if let Some(sweep) = root.get("sweep").and_then(Node::as_table) {
        in_sweep(sweep, text, &mut places);
    }
    places.sort_unstable();
    let mut migrated = Migrated { text: String::new(), moved: Vec::new() };
    let mut copied = 0;
    for (start, key) in places {
        migrated.text += &text[copied..start];
        migrated.text += "behaviour.";
        migrated.moved.push(key);
        copied = start;
    }
    migrated.text += &text[copied..];
    parse(&migrated.text, file_name)?;
    Ok(migrated)
}

fn parse(text: &str, file_name: &str) -> Result<Table, Vec<Diagnostic>> {
    let sink = Sink::new(file_name, text, &[], &[], &NoFiles);
    let lists: Vec<_> = SCENARIO.keys.iter().map(|key| key.name).collect();
    read::parse(text, &lists, &sink).ok_or_else(|| sink.into_sorted())
}

fn tables<'d>(root: &'d Table, list: &str) -> impl Iterator<Item = &'d Table> {
    let items = match root.get(list).map(|node| &node.data) {
        Some(Data::Array(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(Node::as_table)
}

/// Where `behaviour.` belongs into the text, and the key before which it does.
type Insertion = (usize, String);

fn in_transport(transport: &Table, places: &mut Vec<Insertion>) {
    for (key, _) in &transport.entries {
        if let (true, Origin::Span(start, _)) = (is_behaviour(&key.value), key.origin) {
            places.push((start, key.value.clone()));
        }
    }
}

/// Keys of a sweep that are paths to such keys, or to transports whose values have them.
fn in_sweep(sweep: &Table, text: &str, places: &mut Vec<Insertion>) {
    for (key, node) in &sweep.entries {
        if let Some((before, last)) = key.value.rsplit_once('.')
            && before.ends_with(".transport")
            && is_behaviour(last)
            && let Origin::Span(start, end) = key.origin
            && let Some(at) = text[start..end].rfind(last)
        {
            places.push((start + at, last.to_string()));
        }
        let tables: Vec<_> = match &node.data {
            Data::Table(table) => vec![table],
            Data::Array(items) => items.iter().filter_map(Node::as_table).collect(),
            _ => Vec::new(),
        };
        for table in tables {
            match key.value.ends_with(".transport") {
                true => in_transport(table, places),
                false => in_sweep(table, text, places),
            }
        }
    }
}

fn is_behaviour(key: &str) -> bool {
    [MptcpBehaviour::params(), TcpBehaviour::params()].iter().any(|table| table.iter().any(|p| p.name == key))
}
