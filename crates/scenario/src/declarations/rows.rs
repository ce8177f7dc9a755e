//! Rows of a link's rate, delay and loss over time: the text itself, or the name of the file that has it.

use crate::declarations::reader::ParamReading;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::sink::Sink;
use tailrace_core::params::{ParamType as _, Value};
use tailrace_impair::TraceRows;

/// Reads the value of `key` where it names a file: rows have several columns, and stand on several lines or between semicolons.
pub(crate) fn read_rows(key: &str, node: &Node, sink: &Sink<'_>) -> ParamReading {
    let Some(name) = node.as_text().filter(|text| !text.contains([';', '\n'])) else {
        return ParamReading::Plain;
    };
    let wrong = |code, why: String| {
        sink.push(sink.at(code, node.origin, format!("bad value of `{key}`")).label(why));
        ParamReading::Wrong
    };
    let text = match sink.files().read(name) {
        Ok(text) => text,
        Err(why) => return wrong(Code::UnreadableFile, format!("{name:?}: {why}")),
    };
    match TraceRows::from_value(&Value::Text(text)) {
        Ok(rows) => ParamReading::Value(rows.to_value()),
        Err(why) => wrong(Code::BadValue, format!("{name:?}: {why}")),
    }
}
