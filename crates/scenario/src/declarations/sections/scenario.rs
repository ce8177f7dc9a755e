//! The file itself.

use super::flow::{ATTACK, FLOW};
use super::link::LINK;
use crate::declarations::capture::CAPTURE;
use crate::declarations::fault::FAULT;
use crate::declarations::figure::FIGURE;
use crate::declarations::head::{HEAD, RECORD};
use crate::declarations::key::{Key, Section, Shape, may};
use crate::declarations::medium::MEDIUM;
use crate::declarations::node::{HOST, ROUTER};
use crate::declarations::routing::ROUTING;
use crate::declarations::window::WINDOW;

/// The file itself.
pub const SCENARIO: Section =
    Section { title: HEAD.title, doc: HEAD.doc, keys: &joined::<{ HEAD.keys.len() + OTHERS.len() }>() };

/// The plain keys, then the others.
const fn joined<const N: usize>() -> [Key; N] {
    let mut all = [OTHERS[0]; N];
    let mut i = 0;
    while i < N {
        let plain = HEAD.keys.len();
        all[i] = if i < plain { HEAD.keys[i] } else { OTHERS[i - plain] };
        i += 1;
    }
    all
}

const OTHERS: &[Key] = &[
    may(
        "allow",
        Shape::Codes,
        "",
        "Codes of warnings that are not to be shown, such as \"queue-stays-empty\".",
    ),
    may(
        "queue_form",
        Shape::Text,
        "each discipline's own",
        "The `form` of all queues that do not state one themselves, such as \"linux\". Disciplines without forms are not affected.",
    ),
    may("record", Shape::Section(&RECORD), "", RECORD.doc),
    may("routing", Shape::Section(&ROUTING), "", ROUTING.doc),
    may("window", Shape::Sections(&WINDOW), "", WINDOW.doc),
    may("host", Shape::Sections(&HOST), "", HOST.doc),
    may("router", Shape::Sections(&ROUTER), "", ROUTER.doc),
    may("medium", Shape::Media, "", MEDIUM.doc),
    may("link", Shape::Sections(&LINK), "", LINK.doc),
    may("flow", Shape::Sections(&FLOW), "", FLOW.doc),
    may("attack", Shape::Attacks, "", ATTACK.doc),
    may("fault", Shape::Faults, "", FAULT.doc),
    may("capture", Shape::Sections(&CAPTURE), "", CAPTURE.doc),
    may("figure", Shape::Sections(&FIGURE), "", FIGURE.doc),
    may(
        "sweep",
        Shape::Sweep,
        "",
        "Values to be varied by `tailrace sweep`: each key is the path of a value, each value a list. Every combination is run.",
    ),
];
