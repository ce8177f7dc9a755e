//! Scopes of statistics: the whole measured time of a run, and the current window.

use std::ops::{Index, IndexMut};

/// The windows that are open at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// From the end of the warm-up to the end of the run: all that statistics cover.
    Whole,
    /// The part of it that began last. A run whose scenario names no windows has no parts.
    Part,
}

impl Open {
    pub(crate) const BOTH: [Self; 2] = [Self::Whole, Self::Part];
}

/// Something for each open window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Each<T>([T; 2]);

impl<T> Each<T> {
    /// Something else for each.
    pub(crate) fn map<U>(self, of: impl FnMut(T) -> U) -> Each<U> {
        Each(self.0.map(of))
    }
}

impl<T> Index<Open> for Each<T> {
    type Output = T;
    fn index(&self, open: Open) -> &T {
        &self.0[open as usize]
    }
}

impl<T> IndexMut<Open> for Each<T> {
    fn index_mut(&mut self, open: Open) -> &mut T {
        &mut self.0[open as usize]
    }
}
