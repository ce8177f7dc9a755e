//! Faults and captures.

use super::key::{DURATION, SIZE, Section, Shape, may, must};
use tailrace_core::params::Kind;

/// What a fault can do.
pub const FAULT_KINDS: &[&str] = &["down", "blackhole", "rate", "delay", "loss", "queue"];

/// `[[fault]]`.
pub const FAULT: Section = Section {
    title: "[[fault]]",
    doc: "Something that happens to links.",
    keys: &[
        must("at", DURATION, "When it starts."),
        may("until", DURATION, "the end", "When it ends."),
        must("link", Shape::Selector, "The links concerned, both directions."),
        must(
            "kind",
            Shape::Plain(Kind::Choice(FAULT_KINDS)),
            "\"down\" (routes are computed anew), \"blackhole\" (routing does not notice), \"rate\", \"delay\", \"loss\" or \"queue\".",
        ),
        may("value", Shape::Any, "", "The rate, delay, loss or queue discipline while it lasts."),
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
