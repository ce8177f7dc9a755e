//! A TOML document that is written from its beginning.

use core::fmt::{Display, Write as _};
use tailrace_core::params::{ParamInfo, Value};

use crate::text::write::plain;

/// Its lines so far.
#[derive(Default)]
pub(crate) struct Lines(pub(crate) String);

impl Lines {
    /// A table begins.
    pub(crate) fn header(&mut self, header: &str) {
        let _ = writeln!(self.0, "\n{header}");
    }

    /// A key with a value that is TOML.
    pub(crate) fn put(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    /// Parameters, each on a line.
    pub(crate) fn params(&mut self, table: &[ParamInfo], get: impl Fn(&str) -> Option<Value>) {
        for p in table {
            if let Some(value) = get(p.name) {
                self.put(p.name, plain(&value));
            }
        }
    }
}
