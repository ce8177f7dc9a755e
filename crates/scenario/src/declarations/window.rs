//! `[[window]]`.

use crate::declarations::names;
use crate::declarations::reader::Reader;
use crate::declarations::sections::WINDOW;
use crate::declarations::values::duration;
use crate::text::document::Node;
use crate::text::place::At;
use crate::text::sink::Sink;
use tailrace_core::Duration;

/// One `[[window]]` as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WindowDecl {
    pub(crate) name: At<String>,
    pub(crate) start: Option<At<Duration>>,
    pub(crate) end: Option<At<Duration>>,
}

impl WindowDecl {
    /// Reads one `[[window]]`.
    pub(crate) fn read(node: &Node, sink: &Sink<'_>) -> Option<Self> {
        let r = Reader::new(node, &WINDOW, sink)?;
        let name = r.need("name", names::read_name);
        let start = r.read("start", duration);
        let end = r.read("end", duration);
        r.finish();
        Some(Self { name: name?, start, end })
    }
}
