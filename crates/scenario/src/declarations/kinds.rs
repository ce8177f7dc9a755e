//! Values that have a kind: a bare word, or a table with `kind` and the keys of that kind.

use crate::text::document::{Data, Node, Table};
use crate::text::sink::Sink;
use std::borrow::Cow;

/// A value that is either a bare word (its kind) or a table with a `kind`; gives the kind and the table, if any.
pub(crate) fn kind_of<'d>(
    node: &'d Node,
    what: &str,
    kinds: &[&'static str],
    sink: &Sink<'_>,
) -> Option<(&'static str, Option<&'d Table>)> {
    let (word, origin, table) = match &node.data {
        Data::Broken => return None,
        Data::Table(table) => match table.get("kind") {
            Some(kind) => (kind.as_text(), kind.origin, Some(table)),
            None => {
                let help = format!("kinds: {}", kinds.join(", "));
                sink.push(sink.an_error(node.origin, format!("{what} needs a `kind`")).help(help));
                return None;
            }
        },
        _ => (node.as_text(), node.origin, None),
    };
    let Some(word) = word else {
        let help = format!("kinds: {}", kinds.join(", "));
        sink.push(sink.an_error(origin, format!("expected a {what}, found {}", node.shown())).help(help));
        return None;
    };
    let found = kinds.iter().find(|k| **k == word);
    if found.is_none() {
        let error = sink.an_error(origin, format!("unknown {what} {word:?}"));
        sink.push(error.among(word, kinds.iter().copied()));
    }
    found.map(|kind| (*kind, table))
}

/// The table of such a value: a bare word is one without further keys.
pub(crate) fn opened(node: &Node) -> Cow<'_, Node> {
    match node.as_table() {
        Some(_) => Cow::Borrowed(node),
        None => Cow::Owned(Node { data: Data::Table(Table::default()), origin: node.origin }),
    }
}
