//! Warnings that a user allows, and so does not want to read.

use crate::text::codes::Code;
use crate::text::place::Origin;
use crate::text::severity::Severity;
use crate::text::sink::Sink;

/// The warning of that name; an error where there is none, or where it is an error's.
pub(crate) fn allowable(word: &str, origin: Origin, sink: &Sink<'_>) -> Option<Code> {
    match Code::of(word) {
        Some(code) if code.severity() == Severity::Warning => Some(code),
        Some(_) => {
            let error = sink.at(Code::AllowedError, origin, format!("`{word}` is an error"));
            sink.push(error.label("only warnings can be allowed"));
            None
        }
        None => {
            let error = sink.at(Code::UnknownCode, origin, format!("there is no warning `{word}`"));
            sink.push(error.among_known(word, Code::warnings().map(Code::name), "tailrace list diagnostics"));
            None
        }
    }
}
