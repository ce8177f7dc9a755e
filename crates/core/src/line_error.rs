//! What is wrong with a file.

/// Why a text is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong with it, and what would do.
    pub why: String,
}
