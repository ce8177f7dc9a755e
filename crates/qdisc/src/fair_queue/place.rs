//! The place of a flow in a line.

use super::key::Key;
use crate::packet_lists::NONE;

/// Number of lines.
pub(super) const LINES: usize = 2;
/// A flow's key in a line, wherever it is, and its neighbours in the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) key: Key,
    /// [`OUT`] if it is not in the run.
    pub(super) before: u32,
    pub(super) after: u32,
}

/// No flow either, and no end.
pub(super) const OUT: u32 = NONE - 1;

impl Place {
    /// Place of a flow that is in no line.
    pub(super) const NOWHERE: Self = Self { key: Key::LEAST, before: OUT, after: OUT };
}
