//! `allow`: codes of warnings that are not wanted.

use crate::declarations::reader::Reader;
use crate::text::allow::allowable;
use crate::text::codes::Code;
use crate::text::document::{Data, Node};

/// Reads them; those that are wrong are reported.
pub(crate) fn read_allow(r: &Reader<'_>) -> Vec<Code> {
    match r.node("allow") {
        None | Some(Node { data: Data::Broken, .. }) => Vec::new(),
        Some(Node { data: Data::Array(items), .. }) => {
            items.iter().filter_map(|item| read_code(item, r)).collect()
        }
        Some(node) => {
            let message = format!("`allow` is a list of codes, found {}", node.shown());
            let error = r.sink().at(Code::WrongType, node.origin, message);
            let example = node.as_text().unwrap_or(Code::QueueStaysEmpty.name());
            r.sink().push(error.help(format!("write it as allow = [\"{example}\"]")));
            Vec::new()
        }
    }
}

fn read_code(node: &Node, r: &Reader<'_>) -> Option<Code> {
    match (&node.data, node.as_text()) {
        (Data::Broken, _) => None,
        (_, Some(word)) => allowable(word, node.origin, r.sink()),
        _ => {
            let message = format!("a code is text, found {}", node.shown());
            r.sink().error(Code::WrongType, node.origin, message);
            None
        }
    }
}
