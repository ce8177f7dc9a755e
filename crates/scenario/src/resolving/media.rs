//! Links that share a medium.

use crate::declarations::draft::Draft;
use crate::declarations::link::LinkDecl;
use crate::declarations::medium::MediumDecl;
use crate::model::{LinkSpec, Medium, MediumIndex};
use crate::text::codes::Code;
use crate::text::sink::Sink;

/// The media of a scenario, in the order of declaration.
pub(crate) fn media(draft: &Draft) -> Vec<Medium> {
    let of = |decl: &MediumDecl| Medium { name: decl.keys.name.value.clone(), kind: decl.kind.clone() };
    draft.media.iter().map(of).collect()
}

/// The medium that the links of a declaration share; what does not fit is reported.
pub(crate) fn of_link(decl: &LinkDecl, draft: &Draft, sink: &Sink<'_>) -> Option<MediumIndex> {
    let at = decl.medium.as_ref()?;
    let found = draft.media.iter().position(|medium| medium.keys.name.value == at.value);
    if found.is_none() {
        let error = sink.at(Code::UnknownName, at.origin, format!("there is no medium named {:?}", at.value));
        let names: Vec<&str> = draft.media.iter().map(|medium| medium.keys.name.value.as_str()).collect();
        sink.push(if names.is_empty() {
            error.help(format!("declare it: [[medium]] with name = {:?} and kind = \"wifi\"", at.value))
        } else {
            error.among(&at.value, names)
        });
    }
    let scheduled = |spec: &LinkSpec| spec.schedule.is_some();
    if scheduled(&decl.forward) || decl.backward.as_ref().is_some_and(scheduled) {
        let message = format!(
            "link {} shares a medium, which says when it sends, and so does its `rate`",
            decl.shown()
        );
        let help =
            "let its `rate` be that of its frames, such as rate = \"65 Mbit/s\", or leave out `medium`";
        sink.push(sink.at(Code::MisplacedKey, at.origin, message).help(help));
    }
    found.map(|i| MediumIndex(i as u32))
}
