//! Advice on whose form of a queue discipline runs.

use crate::advice::adviser::Adviser;
use crate::text::codes::Code;
use tailrace_transport::Profile;

/// Queues whose form nobody chose, beside flows that are Linux's.
pub(super) fn check(a: &Adviser<'_>) {
    if !a.draft.flows.iter().any(|f| f.profile.is_some_and(Profile::is_linux)) {
        return;
    }
    for decl in a.draft.links.iter().filter(|decl| decl.queue_written && !decl.form_written.0) {
        let queue = &decl.forward.queue;
        let Some(form) = queue.form().filter(|form| *form != "linux") else { continue };
        if queue.forms().iter().any(|choice| choice.word == "linux") {
            let kind = queue.name();
            let message = format!(
                "the {kind} of link {} has the form {form:?}, but its flows behave as Linux",
                decl.shown()
            );
            let help = format!(
                "for Linux's {kind}, write form = \"linux\" in the queue, or queue_form = \"linux\" for all queues; \
                 for this one, write form = {form:?}"
            );
            a.warn(Code::OtherForm, decl.queue_origin(), message, &help);
        }
    }
}
