//! The document: values that know where they came from, be it the file or an override.

use crate::text::place::{At, Origin};
use tailrace_core::params::Value;

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) origin: Origin,
}

/// Data of a value.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Plain(Value),
    /// TOML knows dates; scenarios do not.
    Date,
    /// Something that was reported already.
    Broken,
    Array(Vec<Node>),
    Table(Table),
}

/// Keys and values in the order in which they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) entries: Vec<(At<String>, Node)>,
}

impl Table {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(k, _)| k.value == key).map(|(_, node)| node)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|(k, _)| k.value == key).map(|(_, node)| node)
    }

    /// The entry, inserted as an empty table where it is missing.
    pub(crate) fn get_or_table(&mut self, key: &str, origin: Origin) -> &mut Node {
        let i = self.entries.iter().position(|(k, _)| k.value == key).unwrap_or_else(|| {
            self.insert(key, Node { data: Data::Table(Self::default()), origin });
            self.entries.len() - 1
        });
        &mut self.entries[i].1
    }

    /// Adds or replaces an entry.
    pub(crate) fn insert(&mut self, key: &str, node: Node) {
        let origin = node.origin;
        match self.get_mut(key) {
            Some(old) => *old = node,
            None => self.entries.push((At { value: key.to_string(), origin }, node)),
        }
    }

    /// Puts an entry back as it was, be it that there was none.
    pub(crate) fn restore(&mut self, key: &str, old: Option<Node>) {
        match old {
            Some(node) => self.insert(key, node),
            None => self.entries.retain(|(k, _)| k.value != key),
        }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Node::as_text)
    }
}

impl Node {
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Plain(Value::Text(t)) => Some(t),
            _ => None,
        }
    }

    pub(crate) fn as_table(&self) -> Option<&Table> {
        match &self.data {
            Data::Table(t) => Some(t),
            _ => None,
        }
    }

    /// The value in a few words, for messages.
    pub(crate) fn shown(&self) -> String {
        match &self.data {
            Data::Plain(v) => v.shown(),
            Data::Date => "a date".into(),
            Data::Broken => "something else".into(),
            Data::Array(_) => "a list".into(),
            Data::Table(_) => "a table".into(),
        }
    }
}
