//! The subflows of a connection, each at a place that it keeps, with what every event goes through close together.

use crate::mptcp::linux::buffer_size::{GrownBuffer, HALF};
use crate::mptcp::linux::rcv_space::RcvSpace;
use crate::mptcp::scheduler::SubflowView;
use crate::mptcp::subflow::Subflow;
use crate::mptcp::subflow::tuple::Tuple;
use crate::tcp::State;
use core::ops::{Index, IndexMut};
use tailrace_core::{Duration, Instant};

/// When a subflow does what it does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mptcp) struct SubflowTimers {
    /// When anything is due on it; `MAX` for never.
    pub(in crate::mptcp) due: Instant,
    /// When it sends data again for want of an answer, as it is noted; zero where it does not, or is silent at the data level.
    pub(in crate::mptcp) again: Instant,
}

impl SubflowTimers {
    /// Of a subflow that does nothing.
    pub(in crate::mptcp) const NEVER: Self = Self { due: Instant::MAX, again: Instant::ZERO };
}

/// Each place has one subflow, its addresses, its view and its timing. What all of them are asked for lies together, as each
/// subflow is large, and memory that is far away. A subflow that is over keeps its place until another
/// takes it, so a place once named stays; addresses are those that the subflow came with, and bits are of places.
///
/// What an end that only receives looks at comes first.
#[derive(Debug)]
#[repr(C)]
pub(in crate::mptcp) struct SubflowTable {
    all: Vec<Subflow>,
    /// Their addresses and ports: every segment is looked up here.
    tuples: Vec<Tuple>,
    /// When the first of `timings` is due.
    first_due: Instant,
    /// Those that may have something to send, a bit each.
    dirty: u32,
    /// The one on which a segment came last: what that has to send goes first.
    first: u32,

    /// Those that know what window the connection has, a bit each.
    window_current: u32,
    /// Those that have changed since they were last looked at, a bit each.
    outdated: u32,
    /// When each does what it does by itself, but for those that may have something to send, which may have changed since.
    timers: Vec<SubflowTimers>,
    /// How they look from the receiving end.
    arrivals: Vec<RcvSpace>,

    /// They as schedulers see them, but for those that have changed unseen.
    views: Vec<SubflowView>,
    /// Those whose view says that they may be given data now, a bit each.
    open: u32,
    /// The smallest segment size of those that are not over, so that a piece fits any of them; 1 without any.
    mss: u32,
    /// Those of which no more was seen since than whether they may be given data, a bit each.
    partial: u32,
    /// Those whose windows have not been looked at since, a bit each.
    without_windows: u32,
}

impl Index<usize> for SubflowTable {
    type Output = Subflow;

    #[inline]
    fn index(&self, id: usize) -> &Subflow {
        &self.all[id]
    }
}

impl IndexMut<usize> for SubflowTable {
    #[inline]
    fn index_mut(&mut self, id: usize) -> &mut Subflow {
        &mut self.all[id]
    }
}

impl Default for SubflowTable {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            tuples: Vec::new(),
            views: Vec::new(),
            open: 0,
            timers: Vec::new(),
            first_due: Instant::MAX,
            arrivals: Vec::new(),
            mss: 1,
            outdated: 0,
            partial: 0,
            without_windows: 0,
            dirty: 0,
            first: 0,
            window_current: 0,
        }
    }
}

impl SubflowTable {
    /// Puts a subflow into a place, which is touched; returns which, and what was there before.
    pub(in crate::mptcp) fn place(
        &mut self,
        subflow: Subflow,
        arrivals: RcvSpace,
    ) -> (usize, Option<Subflow>) {
        let tuple = subflow.tuple;
        let (id, old) = match self.all.iter().position(|s| s.gone) {
            Some(id) => {
                self.tuples[id] = tuple;
                self.set_timers(id, SubflowTimers::NEVER);
                self.arrivals[id] = arrivals;
                (id, Some(core::mem::replace(&mut self.all[id], subflow)))
            }
            None => {
                self.tuples.push(tuple);
                self.all.push(subflow);
                self.views.push(SubflowView::VACANT);
                self.timers.push(SubflowTimers::NEVER);
                self.arrivals.push(arrivals);
                (self.all.len() - 1, None)
            }
        };
        self.mss = self.least_mss();
        self.mark_dirty(id);
        self.invalidate_window(id);
        (id, old)
    }

    /// How many places there are.
    #[inline]
    pub(in crate::mptcp) fn len(&self) -> usize {
        self.all.len()
    }

    /// All, those that are over included.
    #[inline]
    pub(in crate::mptcp) fn iter(&self) -> core::slice::Iter<'_, Subflow> {
        self.all.iter()
    }

    /// Those that are not over.
    #[inline]
    pub(in crate::mptcp) fn live(&self) -> impl Iterator<Item = &Subflow> {
        self.all.iter().filter(|s| !s.gone)
    }

    /// Those that are part of the connection.
    #[inline]
    pub(in crate::mptcp) fn attached(&self) -> impl Iterator<Item = &Subflow> {
        self.all.iter().filter(|s| s.is_attached())
    }

    /// The live one of these addresses and ports.
    #[inline]
    pub(in crate::mptcp) fn find(&self, tuple: &Tuple) -> Option<usize> {
        let live = |(id, t): (usize, &Tuple)| (t.is(tuple) && !self.all[id].gone).then_some(id);
        self.tuples.iter().enumerate().find_map(live)
    }

    /// The smallest segment size of those that are not over.
    #[inline]
    pub(in crate::mptcp) fn mss(&self) -> u32 {
        self.mss
    }

    fn least_mss(&self) -> u32 {
        self.attached().map(|s| s.tcp.mss()).min().unwrap_or(1)
    }

    /// All as schedulers see them. Current after [`SubflowTable::look`], and their windows after [`SubflowTable::measure`].
    #[inline]
    pub(in crate::mptcp) fn views(&self) -> &[SubflowView] {
        &self.views
    }

    /// How `id` looks from the receiving end.
    #[inline]
    pub(in crate::mptcp) fn arrivals(&mut self, id: usize) -> &mut RcvSpace {
        &mut self.arrivals[id]
    }

    /// The same, only to look.
    #[inline]
    pub(in crate::mptcp) fn rcv_space_of(&self, id: usize) -> &RcvSpace {
        &self.arrivals[id]
    }

    /// The longest round trip of those that are not over, as the receiving end knows them, and the least share of memory that is window
    /// on one.
    pub(in crate::mptcp) fn receiver_estimates(&self) -> (Duration, u64) {
        let open = || {
            self.arrivals.iter().zip(&self.all).filter(|(_, s)| s.ready && s.is_attached()).map(|(a, _)| a)
        };
        let longest = open().map(RcvSpace::round_trip).max().unwrap_or_default();
        (longest, open().map(RcvSpace::share).min().unwrap_or(HALF))
    }

    /// The connection's receive buffer has grown, and with it that of each subflow; one that the peer opens is not there before its third
    /// segment has come.
    pub(in crate::mptcp) fn grow_buffers(&mut self, grown: GrownBuffer) {
        let there =
            self.arrivals.iter_mut().zip(&self.all).filter(|(_, s)| s.tcp.state() != State::SynReceived);
        there.for_each(|(arrivals, _)| arrivals.set_buffer(grown));
    }

    #[cfg(test)]
    pub(in crate::mptcp) fn views_mut(&mut self) -> &mut [SubflowView] {
        &mut self.views
    }

    /// Whether `id` knows what window the connection has.
    #[inline]
    pub(in crate::mptcp) fn has_current_window(&self, id: usize) -> bool {
        self.window_current >> id & 1 == 1
    }

    /// What window `id` may show may be another.
    #[inline]
    pub(in crate::mptcp) fn invalidate_window(&mut self, id: usize) {
        self.window_current &= !(1 << id);
    }

    /// What window any may show may be another.
    #[inline]
    pub(in crate::mptcp) fn invalidate_windows(&mut self) {
        self.window_current = 0;
    }

    /// The connection has this window for `id`.
    #[inline]
    pub(in crate::mptcp) fn share_window(&mut self, id: usize, window: u64) {
        self.all[id].tcp.share_window(window);
        self.window_current |= 1 << id;
    }

    /// Looks at `id`: its view is current. `data`: the connection can carry data.
    #[inline]
    pub(in crate::mptcp) fn refresh(&mut self, id: usize, data: bool) {
        self.refresh_usability(id, data);
        self.fill(id);
    }

    /// Looks at all.
    pub(in crate::mptcp) fn refresh_all(&mut self, data: bool) {
        (0..self.len()).for_each(|id| self.refresh(id, data));
    }

    /// Looks whether `id` may be given data, in pieces of which size: that is all that counts as long as none may.
    #[inline]
    pub(in crate::mptcp) fn refresh_usability(&mut self, id: usize, data: bool) {
        self.outdated &= !(1 << id);
        self.partial |= 1 << id;
        let (view, s) = (&mut self.views[id], &self.all[id]);
        view.usable = s.is_usable(data);
        let mss = if s.is_attached() { s.tcp.mss() } else { SubflowView::VACANT.mss };
        if core::mem::replace(&mut view.mss, mss) != mss {
            self.mss = self.least_mss();
        }
        self.refresh_queue(id);
    }

    /// The rest of the view of `id`, which was glanced at.
    #[inline(never)]
    fn fill(&mut self, id: usize) {
        self.partial &= !(1 << id);
        self.without_windows |= 1 << id;
        self.all[id].fill(&mut self.views[id]);
    }

    /// Looks at the windows of those that were looked at.
    #[inline]
    pub(in crate::mptcp) fn measure(&mut self) {
        if self.without_windows != 0 {
            self.fill_all_windows();
        }
    }

    #[inline(never)]
    fn fill_all_windows(&mut self) {
        while self.without_windows != 0 {
            let id = self.without_windows.trailing_zeros() as usize;
            self.without_windows &= self.without_windows - 1;
            self.all[id].fill_windows(&mut self.views[id]);
        }
    }

    /// `id` was given more than its window has room for, and has not changed else: its view is current, if it was before.
    #[inline]
    pub(in crate::mptcp) fn refresh_queue(&mut self, id: usize) {
        match self.all[id].queue() {
            Some((queued, room)) => {
                self.views[id].queued = queued;
                self.set_open(id, room);
            }
            None => self.refresh_window(id),
        }
    }

    #[inline(never)]
    fn refresh_window(&mut self, id: usize) {
        self.set_open(id, self.all[id].has_window());
    }

    #[inline]
    fn set_open(&mut self, id: usize, room: bool) {
        let view = &mut self.views[id];
        view.room = room;
        self.open = self.open & !(1 << id) | u32::from(view.usable && room) << id;
    }

    /// `id` has changed, but nobody needs its view at present.
    #[inline]
    pub(in crate::mptcp) fn invalidate_view(&mut self, id: usize) {
        self.outdated |= 1 << id;
    }

    /// Whether any may be given data now of those that have not changed unseen.
    #[inline]
    pub(in crate::mptcp) fn has_known_open(&self) -> bool {
        self.open & !self.outdated != 0
    }

    /// Those that may be given data now, a bit each. Current after [`SubflowTable::look`].
    #[inline]
    pub(in crate::mptcp) fn open(&self) -> u32 {
        self.open
    }

    /// Looks whether any may be given data now.
    #[inline]
    pub(in crate::mptcp) fn finds_open(&mut self, data: bool) -> bool {
        while self.outdated != 0 {
            self.refresh_usability(self.outdated.trailing_zeros() as usize, data);
        }
        self.open != 0
    }

    /// Looks at those that have changed unseen.
    #[inline]
    pub(in crate::mptcp) fn look(&mut self, data: bool) {
        self.finds_open(data);
        while self.partial != 0 {
            self.fill(self.partial.trailing_zeros() as usize);
        }
    }

    /// The timing of `id` is current.
    #[inline]
    pub(in crate::mptcp) fn refresh_timers(&mut self, id: usize) {
        self.set_timers(id, self.all[id].timing());
    }

    #[inline]
    fn set_timers(&mut self, id: usize, timing: SubflowTimers) {
        let before = core::mem::replace(&mut self.timers[id], timing).due;
        if timing.due <= self.first_due {
            self.first_due = timing.due;
        } else if before == self.first_due {
            self.first_due = self.timers.iter().map(|t| t.due).min().unwrap_or(Instant::MAX);
        }
    }

    /// When `id` is due.
    #[inline]
    pub(in crate::mptcp) fn deadline(&self, id: usize) -> Instant {
        if self.is_dirty(id) { self.all[id].timing().due } else { self.timers[id].due }
    }

    /// When the first is due.
    #[inline]
    pub(in crate::mptcp) fn first_deadline(&self) -> Instant {
        if self.dirty == 0 {
            return self.first_due;
        }
        (0..self.len()).map(|id| self.deadline(id)).min().unwrap_or(Instant::MAX)
    }

    /// The timings of all at present, those that may have something to send included.
    #[inline]
    pub(in crate::mptcp) fn timers(&self) -> impl Iterator<Item = SubflowTimers> + '_ {
        self.timers.iter().enumerate().map(|(id, noted)| {
            let timing = if self.is_dirty(id) { self.all[id].timing() } else { *noted };
            debug_assert_eq!(timing, self.all[id].timing(), "subflow {id} has changed unnoticed");
            timing
        })
    }

    /// `id` may have something to send.
    #[inline]
    pub(in crate::mptcp) fn mark_dirty(&mut self, id: usize) {
        self.dirty |= 1 << id;
    }

    /// A segment has come on `id`, which may have something to send before all others.
    #[inline]
    pub(in crate::mptcp) fn mark_dirty_first(&mut self, id: usize) {
        self.first = 1 << id;
        self.mark_dirty(id);
    }

    /// None comes before the others.
    pub(in crate::mptcp) const fn clear_priority(&mut self) {
        self.first = 0;
    }

    /// All that are not over may have something to send.
    pub(in crate::mptcp) fn mark_all_dirty(&mut self) {
        self.dirty |= self.all.iter().enumerate().filter(|(_, s)| !s.gone).fold(0, |d, (i, _)| d | 1 << i);
    }

    /// Those that may have something to send are looked at before they do.
    pub(in crate::mptcp) fn invalidate_dirty_views(&mut self) {
        self.outdated |= self.dirty;
    }

    /// Whether `id` may have something to send.
    #[inline]
    pub(in crate::mptcp) fn is_dirty(&self, id: usize) -> bool {
        self.dirty >> id & 1 == 1
    }

    /// The first that may have something to send.
    #[inline]
    pub(in crate::mptcp) fn first_dirty(&self) -> Option<usize> {
        (self.dirty != 0).then(|| self.next_dirty().trailing_zeros() as usize)
    }

    /// The first that was [`SubflowTable::touched`] has nothing more to send.
    #[inline]
    pub(in crate::mptcp) fn clear_first_dirty(&mut self) {
        let next = self.next_dirty();
        self.dirty &= !(next & next.wrapping_neg());
        if self.dirty == 0 {
            self.first = 0;
        }
    }

    /// Those from which the next is taken: its lowest bit.
    #[inline]
    const fn next_dirty(&self) -> u32 {
        if self.dirty & self.first != 0 { self.first } else { self.dirty }
    }
}
