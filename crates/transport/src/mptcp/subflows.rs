//! The subflows of a connection, each at a place that it keeps, with what every event goes through close together.

use super::Tuple;
use super::scheduler::SubflowView;
use super::subflow::Subflow;
use core::ops::{Index, IndexMut};
use tailrace_core::Instant;

/// Each place has one subflow, its addresses, its view and its deadline. A subflow that is over keeps its place until another
/// takes it, so a place once named stays; addresses are those that the subflow came with, and bits are of places.
#[derive(Debug)]
pub(super) struct Subflows {
    all: Vec<Subflow>,
    /// Their addresses and ports: every segment is looked up here.
    tuples: Vec<Tuple>,
    /// They as schedulers see them, but for those that have changed unseen.
    views: Vec<SubflowView>,
    deadlines: Vec<Instant>,
    /// The smallest segment size of those that are not over, so that a piece fits any of them; 1 without any.
    mss: u32,
    /// Those that have changed since they were last looked at, a bit each.
    unseen: u32,
    /// Those that may have something to send, a bit each.
    dirty: u32,
}

impl Index<usize> for Subflows {
    type Output = Subflow;

    #[inline]
    fn index(&self, id: usize) -> &Subflow {
        &self.all[id]
    }
}

impl IndexMut<usize> for Subflows {
    #[inline]
    fn index_mut(&mut self, id: usize) -> &mut Subflow {
        &mut self.all[id]
    }
}

impl Default for Subflows {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            tuples: Vec::new(),
            views: Vec::new(),
            deadlines: Vec::new(),
            mss: 1,
            unseen: 0,
            dirty: 0,
        }
    }
}

impl Subflows {
    /// Puts a subflow into a place, which is touched; returns which, and what was there before.
    pub(super) fn place(&mut self, subflow: Subflow) -> (usize, Option<Subflow>) {
        let tuple = subflow.tuple;
        let (id, old) = match self.all.iter().position(|s| s.gone) {
            Some(id) => {
                self.tuples[id] = tuple;
                self.deadlines[id] = Instant::MAX;
                (id, Some(core::mem::replace(&mut self.all[id], subflow)))
            }
            None => {
                self.tuples.push(tuple);
                self.all.push(subflow);
                self.views.push(SubflowView::VACANT);
                self.deadlines.push(Instant::MAX);
                (self.all.len() - 1, None)
            }
        };
        self.mss = self.least_mss();
        self.touch(id);
        (id, old)
    }

    /// How many places there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// All, those that are over included.
    #[inline]
    pub(super) fn iter(&self) -> core::slice::Iter<'_, Subflow> {
        self.all.iter()
    }

    /// Those that are not over.
    #[inline]
    pub(super) fn live(&self) -> impl Iterator<Item = &Subflow> {
        self.all.iter().filter(|s| !s.gone)
    }

    /// The live one of these addresses and ports.
    #[inline]
    pub(super) fn find(&self, tuple: &Tuple) -> Option<usize> {
        let live = |(id, t): (usize, &Tuple)| (t == tuple && !self.all[id].gone).then_some(id);
        self.tuples.iter().enumerate().find_map(live)
    }

    /// The smallest segment size of those that are not over.
    #[inline]
    pub(super) fn mss(&self) -> u32 {
        self.mss
    }

    fn least_mss(&self) -> u32 {
        self.live().map(|s| s.tcp.mss()).min().unwrap_or(1)
    }

    /// All as schedulers see them. Current after [`Subflows::look`].
    #[inline]
    pub(super) fn views(&self) -> &[SubflowView] {
        &self.views
    }

    #[cfg(test)]
    pub(super) fn views_mut(&mut self) -> &mut [SubflowView] {
        &mut self.views
    }

    /// Looks at `id`: its view and its deadline are current. `data`: the connection can carry data.
    #[inline]
    pub(super) fn refresh(&mut self, id: usize, data: bool) {
        self.unseen &= !(1 << id);
        let view = self.all[id].view(data);
        let resized = view.mss != self.views[id].mss;
        self.views[id] = view;
        if resized {
            self.mss = self.least_mss();
        }
        self.renew_deadline(id);
    }

    /// Looks at all.
    pub(super) fn refresh_all(&mut self, data: bool) {
        (0..self.len()).for_each(|id| self.refresh(id, data));
    }

    /// `id` has changed, but nobody needs its view at present: its deadline is current.
    #[inline]
    pub(super) fn leave_unseen(&mut self, id: usize) {
        self.unseen |= 1 << id;
        self.renew_deadline(id);
    }

    /// Looks at those that have changed unseen.
    #[inline]
    pub(super) fn look(&mut self, data: bool) {
        while self.unseen != 0 {
            self.refresh(self.unseen.trailing_zeros() as usize, data);
        }
    }

    /// The deadline of `id` is current.
    #[inline]
    pub(super) fn renew_deadline(&mut self, id: usize) {
        self.deadlines[id] = self.all[id].deadline();
    }

    /// When `id` is due.
    #[inline]
    pub(super) fn deadline(&self, id: usize) -> Instant {
        self.deadlines[id]
    }

    /// When the first is due.
    #[inline]
    pub(super) fn first_deadline(&self) -> Instant {
        self.deadlines.iter().copied().min().unwrap_or(Instant::MAX)
    }

    /// `id` may have something to send.
    #[inline]
    pub(super) fn touch(&mut self, id: usize) {
        self.dirty |= 1 << id;
    }

    /// All that are not over may have something to send.
    pub(super) fn touch_all(&mut self) {
        self.dirty |= self.all.iter().enumerate().filter(|(_, s)| !s.gone).fold(0, |d, (i, _)| d | 1 << i);
    }

    /// The first that may have something to send.
    #[inline]
    pub(super) fn touched(&self) -> Option<usize> {
        (self.dirty != 0).then(|| self.dirty.trailing_zeros() as usize)
    }

    /// The first that was [`Subflows::touched`] has nothing more to send.
    #[inline]
    pub(super) fn untouch(&mut self) {
        self.dirty &= self.dirty - 1;
    }
}
