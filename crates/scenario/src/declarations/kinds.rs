//! Values that have a kind: a bare word, or a table with `kind` and the keys of that kind.

use crate::text::codes::Code;
use crate::text::diagnostic::first_few;
use crate::text::document::{Data, Node, Table};
use crate::text::sink::Sink;
use std::borrow::Cow;

/// The kinds that a value can have.
pub(crate) struct Kinds<'a> {
    /// Word for such a value in messages.
    pub(crate) what: &'a str,
    pub(crate) names: &'a [&'static str],
    /// The command that tells all of them.
    pub(crate) command: &'static str,
}

/// A value that is either a bare word (its kind) or a table with a `kind`; gives the kind and the table, if any.
pub(crate) fn kind_of<'d>(
    node: &'d Node,
    kinds: &Kinds<'_>,
    sink: &Sink<'_>,
) -> Option<(&'static str, Option<&'d Table>)> {
    let what = kinds.what;
    let (word, origin, table) = match &node.data {
        Data::Broken => return None,
        Data::Table(table) => match table.get("kind") {
            Some(kind) => (kind.as_text(), kind.origin, Some(table)),
            None => {
                let help = format!("kinds: {}", first_few(kinds.names, kinds.command));
                sink.push(
                    sink.at(Code::MissingKey, node.origin, format!("{what} needs a `kind`")).help(help),
                );
                return None;
            }
        },
        _ => (node.as_text(), node.origin, None),
    };
    let Some(word) = word else {
        let help = format!("kinds: {}", first_few(kinds.names, kinds.command));
        sink.push(
            sink.at(Code::WrongType, origin, format!("expected a {what}, found {}", node.shown())).help(help),
        );
        return None;
    };
    let found = kinds.names.iter().find(|k| **k == word);
    if found.is_none() {
        let error = sink.at(Code::UnknownKind, origin, format!("unknown {what} {word:?}"));
        sink.push(error.among_known(word, kinds.names.iter().copied(), kinds.command));
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
