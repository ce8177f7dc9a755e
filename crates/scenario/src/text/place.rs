//! Places: where a key or a value was written, and what a diagnostic shows of that.

/// Where a key or value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Bytes of the file.
    Span(usize, usize),
    /// Position in the list of overrides.
    Override(usize),
    /// Position in the list of allowed warnings that came beside the file.
    Allow(usize),
    /// Nowhere in particular.
    Scenario,
}

/// Something and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T: PartialEq> PartialEq for At<T> {
    /// Two declarations are the same wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Something that two equal declarations may differ in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ignored<T>(pub(crate) T);

impl<T> PartialEq for Ignored<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Where a diagnostic points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A stretch of the file.
    File {
        /// Bytes `start..end` of the text.
        span: (usize, usize),
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The line's text.
        text: String,
        /// Number of underlined characters, at least 1.
        width: usize,
    },
    /// An override from the command line or the API.
    Override {
        /// Its path.
        path: String,
        /// Its value, as given.
        value: String,
    },
    /// A warning that the command line or the API allows.
    Allow {
        /// Code as given.
        code: String,
    },
    /// The scenario as a whole.
    Scenario,
}
