//! Names that only one may have.

use crate::text::codes::Code;
use crate::text::place::At;
use crate::text::sink::Sink;
use std::collections::BTreeSet;

/// Reports each of these `things` whose name another had before it.
pub(crate) fn check_unique<'d>(things: &str, names: impl Iterator<Item = &'d At<String>>, sink: &Sink<'_>) {
    let mut seen = BTreeSet::new();
    for name in names.filter(|name| !seen.insert(&name.value)) {
        let message = format!("there are two {things} named {:?}", name.value);
        sink.push(
            sink.at(Code::DuplicateName, name.origin, message).label("this name is taken: choose another"),
        );
    }
}
