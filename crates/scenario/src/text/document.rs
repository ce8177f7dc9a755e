//! The document: TOML values that know where they came from, be it the file or an override.

use crate::declarations::sections::{SCENARIO, Shape};
use crate::text::diagnostic::{Diagnostic, Sink};
use tailrace_core::params::Value;
use toml::de::{DeTable, DeValue};

/// Where a key or value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Bytes of the file.
    Span(usize, usize),
    /// Position in the list of overrides.
    Override(usize),
    /// Nowhere in particular.
    Scenario,
}

/// Something and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T: PartialEq> PartialEq for At<T> {
    /// Two declarations are the same wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) origin: Origin,
}

/// What a value can be.
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

/// Reads TOML. A syntax error ends the reading, since all that follows would be guesswork.
pub(crate) fn parse(text: &str, sink: &Sink<'_>) -> Option<Table> {
    match DeTable::parse(text) {
        Ok(table) => Some(convert_table(table.get_ref(), None, sink)),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            let origin = Origin::Span(span.start, span.end);
            sink.push(match text.get(span).filter(|_| message == "duplicate key") {
                Some(key) => duplicate(key, origin, sink),
                None => sink.an_error(origin, message).label("not valid TOML"),
            });
            None
        }
    }
}

/// A key, or the header of a table, that is there twice.
fn duplicate(key: &str, origin: Origin, sink: &Sink<'_>) -> Diagnostic {
    let name = key.trim_matches(['[', ']', ' ', '"', '\'']);
    let error = sink.an_error(origin, format!("`{name}` is given twice")).label("not valid TOML");
    let listed = SCENARIO.keys.iter().any(|k| k.name == name && matches!(k.shape, Shape::Sections(_)));
    error.help(if listed {
        format!("write each as [[{name}]], or all of them in one {name} = [...], not both")
    } else {
        "leave out one of them".to_string()
    })
}

/// The value of an override: TOML where it is TOML, else the bare text.
pub(crate) fn parse_override(text: &str, index: usize, sink: &Sink<'_>) -> Node {
    let origin = Origin::Override(index);
    match DeValue::parse(text) {
        Ok(value) if !matches!(value.get_ref(), DeValue::Datetime(_)) => {
            convert(value.get_ref(), origin, Some(origin), sink)
        }
        _ => Node { data: Data::Plain(Value::Text(text.to_string())), origin },
    }
}

fn convert_table(table: &DeTable<'_>, fixed: Option<Origin>, sink: &Sink<'_>) -> Table {
    let mut entries: Vec<_> = table
        .iter()
        .map(|(key, value)| {
            let at = |span: std::ops::Range<usize>| fixed.unwrap_or(Origin::Span(span.start, span.end));
            let key_at = At { value: key.get_ref().to_string(), origin: at(key.span()) };
            (key_at, convert(value.get_ref(), at(value.span()), fixed, sink))
        })
        .collect();
    entries.sort_by_key(|(key, _)| match key.origin {
        Origin::Span(start, _) => start,
        _ => 0,
    });
    Table { entries }
}

fn convert(value: &DeValue<'_>, origin: Origin, fixed: Option<Origin>, sink: &Sink<'_>) -> Node {
    let data = match value {
        DeValue::String(s) => Data::Plain(Value::Text(s.to_string())),
        DeValue::Boolean(b) => Data::Plain(Value::Bool(*b)),
        DeValue::Integer(n) => integer(n.as_str(), n.radix(), origin, sink),
        DeValue::Float(x) => float(x.as_str(), origin, sink),
        DeValue::Datetime(_) => Data::Date,
        DeValue::Array(items) => Data::Array(
            items
                .iter()
                .map(|item| {
                    let span = item.span();
                    let at = fixed.unwrap_or(Origin::Span(span.start, span.end));
                    convert(item.get_ref(), at, fixed, sink)
                })
                .collect(),
        ),
        DeValue::Table(t) => Data::Table(convert_table(t, fixed, sink)),
    };
    Node { data, origin }
}

fn integer(digits: &str, radix: u32, origin: Origin, sink: &Sink<'_>) -> Data {
    i64::from_str_radix(digits, radix).map_or_else(
        |_| {
            sink.error(origin, format!("the number {digits} is too large"));
            Data::Broken
        },
        |n| Data::Plain(Value::Integer(n)),
    )
}

fn float(digits: &str, origin: Origin, sink: &Sink<'_>) -> Data {
    let value: f64 = digits.parse().unwrap_or(f64::NAN);
    if !value.is_finite() {
        sink.error(origin, format!("{digits} is not a finite number"));
        return Data::Broken;
    }
    Data::Plain(Value::Float(value))
}
