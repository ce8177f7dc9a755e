//! `[[window]]`.

use crate::declarations::codecs::{DURATION, NAME};
use crate::declarations::key_row::{optional, required, section};
use crate::declarations::reader::Reader;
use crate::text::document::Node;
use crate::text::place::At;
use crate::text::sink::Sink;
use tailrace_core::Duration;

section! {
    /// `[[window]]`.
    pub WINDOW = "[[window]]", "A part of the run with statistics of its own, in addition to those of the whole run.";
    pub(crate) struct WindowDecl {
        name: At<String> = required(NAME), "The name of the window in the results.";
        start: Option<At<Duration>> = optional(DURATION, "the end of the window before, or of the warm-up"), "When it begins.";
        end: Option<At<Duration>> = optional(DURATION, "the start of the next window, or the end of the run"), "When it ends.";
    }
}

impl WindowDecl {
    /// Reads one `[[window]]`.
    pub(crate) fn read(node: &Node, sink: &Sink<'_>) -> Option<Self> {
        let r = Reader::new(node, &WINDOW, sink)?;
        let decl = Self::read_keys(&r);
        r.finish();
        decl
    }
}
