//! Errors with the line of a file.

/// Error in a line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The line, counted from one.
    pub line: usize,
    /// Mistake, and what to write instead.
    pub why: String,
}
