//! Windows.

use super::key::{DURATION, Section, Shape, may, must};

/// `[[window]]`.
pub const WINDOW: Section = Section {
    title: "[[window]]",
    doc: "A part of the run with statistics of its own, beside those of the whole.",
    keys: &[
        must("name", Shape::Name, "What it is called in the results."),
        may("start", DURATION, "the end of the window before, or of the warm-up", "When it begins."),
        may("end", DURATION, "the start of the next window, or the end of the run", "When it ends."),
    ],
};
