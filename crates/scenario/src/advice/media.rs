//! Advice on media that nothing is sent over.

use crate::advice::adviser::Adviser;
use crate::text::codes::Code;

/// A medium that no link names: links are as without it.
pub(super) fn check(a: &Adviser<'_>) {
    for name in a.draft.media.iter().map(|medium| &medium.keys.name) {
        let shares = a.draft.links.iter().filter_map(|link| link.medium.as_ref());
        if !shares.into_iter().any(|of| of.value == name.value) {
            let message = format!("no link shares medium {}", name.value);
            let help = format!(
                "write medium = {:?} in each [[link]] that uses it, or remove the [[medium]]",
                name.value
            );
            a.warn(Code::UnusedMedium, name.origin, message, &help);
        }
    }
}
