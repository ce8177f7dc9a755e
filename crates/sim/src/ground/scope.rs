//! Scopes of statistics: the whole measured time of a run, and the current window.

use std::ops::{Index, IndexMut};

/// Scopes that are open at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// From the end of the warm-up to the end of the run: all that statistics cover.
    Run,
    /// Latest part of it. A run without windows in its scenario has no parts.
    Window,
}

impl Scope {
    pub(crate) const BOTH: [Self; 2] = [Self::Run, Self::Window];
}

/// A value for each open scope.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PerScope<T>([T; 2]);

impl<T> PerScope<T> {
    /// Applies `of` to each value.
    pub(crate) fn map<U>(self, of: impl FnMut(T) -> U) -> PerScope<U> {
        PerScope(self.0.map(of))
    }
}

impl<T> Index<Scope> for PerScope<T> {
    type Output = T;
    fn index(&self, scope: Scope) -> &T {
        &self.0[scope as usize]
    }
}

impl<T> IndexMut<Scope> for PerScope<T> {
    fn index_mut(&mut self, scope: Scope) -> &mut T {
        &mut self.0[scope as usize]
    }
}
