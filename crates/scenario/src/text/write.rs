//! Values as TOML text.

use crate::text::document::{Data, Node};
use core::fmt::{Display, Write as _};
use tailrace_core::params::Value;

/// A value as TOML text on one line.
pub(crate) fn node(node: &Node) -> String {
    match &node.data {
        Data::Plain(v) => plain(v),
        Data::Date | Data::Broken => "0".into(),
        Data::Array(items) => format!("[{}]", items.iter().map(self::node).collect::<Vec<_>>().join(", ")),
        Data::Table(table) => {
            let pairs = table.entries.iter().map(|(k, v)| (key(&k.value), self::node(v)));
            inline(pairs.collect())
        }
    }
}

/// A table on one line.
pub(crate) fn inline(pairs: Vec<(String, String)>) -> String {
    if pairs.is_empty() {
        return "{}".into();
    }
    let pairs: Vec<String> = pairs.into_iter().map(|(k, v)| format!("{k} = {v}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// A quantity in quotes.
pub(crate) fn shown(quantity: impl Display) -> String {
    text(&quantity.to_string())
}

/// A plain value.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Float(x) => float(*x),
        Value::Text(t) => text(t),
        Value::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        Value::Table(pairs) => inline(pairs.iter().map(|(k, v)| (key(k), plain(v))).collect()),
    }
}

/// A number that TOML reads as a float, to the last bit.
pub(crate) fn float(x: f64) -> String {
    format!("{x:?}")
}

/// A key, in quotes where it needs them.
pub(crate) fn key(word: &str) -> String {
    let bare = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if bare { word.to_string() } else { text(word) }
}

/// A TOML basic string.
pub(crate) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() + 2);
    out.push('"');
    for c in raw.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
