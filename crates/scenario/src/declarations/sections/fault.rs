//! Faults and captures.

use super::key::{DURATION, SIZE, Section, Shape, may, must};

/// Keys of `[[fault]]` beside those of its kind, which `crates/impair` describes.
pub const FAULT: Section = Section {
    title: "[[fault]]",
    doc: "Something that happens to links.",
    keys: &[
        must("at", DURATION, "When it starts."),
        may("until", DURATION, "the end", "When it ends."),
        must("link", Shape::Selector, "The links concerned, both directions."),
    ],
};

/// `[[capture]]`.
pub const CAPTURE: Section = Section {
    title: "[[capture]]",
    doc: "A packet capture.",
    keys: &[
        must("at", Shape::Selector, "A link, or a host."),
        may("snaplen", SIZE, "128 B", "Bytes kept of each packet."),
    ],
};
