//! From TOML to the document.

use crate::text::codes::Code;
use crate::text::diagnostic::Diagnostic;
use crate::text::document::{Data, Node, Table};
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use tailrace_core::params::Value;
use toml::de::{DeTable, DeValue};

/// Reads TOML. A syntax error ends the reading, since all that follows would be guesswork.
/// `lists` are the keys of the root that take lists of tables.
pub(crate) fn parse(text: &str, lists: &[&str], sink: &Sink<'_>) -> Option<Table> {
    match DeTable::parse(text) {
        Ok(table) => Some(convert_table(table.get_ref(), None, sink)),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            let origin = Origin::Span(span.start, span.end);
            sink.push(match text.get(span).filter(|_| message == "duplicate key") {
                Some(key) => duplicate(key, lists, origin, sink),
                None => sink.at(Code::InvalidToml, origin, message).label("not valid TOML"),
            });
            None
        }
    }
}

/// A key, or the header of a table, that is there twice.
fn duplicate(key: &str, lists: &[&str], origin: Origin, sink: &Sink<'_>) -> Diagnostic {
    let name = key.trim_matches(['[', ']', ' ', '"', '\'']);
    let error =
        sink.at(Code::DuplicateKey, origin, format!("`{name}` is given twice")).label("not valid TOML");
    error.help(if lists.contains(&name) {
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
            sink.error(
                Code::BadNumber,
                origin,
                format!(
                    "the number {digits} is too large; whole numbers go from {} to {}",
                    i64::MIN,
                    i64::MAX
                ),
            );
            Data::Broken
        },
        |n| Data::Plain(Value::Integer(n)),
    )
}

fn float(digits: &str, origin: Origin, sink: &Sink<'_>) -> Data {
    let value: f64 = digits.parse().unwrap_or(f64::NAN);
    if !value.is_finite() {
        sink.error(Code::BadNumber, origin, format!("{digits} is not a finite number"));
        return Data::Broken;
    }
    Data::Plain(Value::Float(value))
}
