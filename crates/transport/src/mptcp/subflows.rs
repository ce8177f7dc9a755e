//! The subflows of a connection, each at a place that it keeps, with what every event goes through close together.

use super::Tuple;
use super::arrivals::Arrivals;
use super::memory::{Grown, HALF};
use super::scheduler::SubflowView;
use super::subflow::Subflow;
use crate::tcp::State;
use core::ops::{Index, IndexMut};
use tailrace_core::{Duration, Instant};

/// When a subflow does what it does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    /// When anything is due on it; `MAX` for never.
    pub(super) due: Instant,
    /// When it sends data again for want of an answer, as it is noted; zero where it does not, or is silent at the data level.
    pub(super) again: Instant,
}

impl Timing {
    /// Of a subflow that does nothing.
    pub(super) const NEVER: Self = Self { due: Instant::MAX, again: Instant::ZERO };
}

/// Each place has one subflow, its addresses, its view and its timing. What all of them are asked for lies together, as each
/// subflow is large, and memory that is far away. A subflow that is over keeps its place until another
/// takes it, so a place once named stays; addresses are those that the subflow came with, and bits are of places.
///
/// What an end that only receives looks at comes first.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Subflows {
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
    informed: u32,
    /// Those that have changed since they were last looked at, a bit each.
    unseen: u32,
    /// When each does what it does by itself, but for those that may have something to send, which may have changed since.
    timings: Vec<Timing>,
    /// How they look from the receiving end.
    arrivals: Vec<Arrivals>,

    /// They as schedulers see them, but for those that have changed unseen.
    views: Vec<SubflowView>,
    /// Those whose view says that they may be given data now, a bit each.
    open: u32,
    /// The smallest segment size of those that are not over, so that a piece fits any of them; 1 without any.
    mss: u32,
    /// Those of which no more was seen since than whether they may be given data, a bit each.
    glanced: u32,
    /// Those whose windows have not been looked at since, a bit each.
    unmeasured: u32,
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
            open: 0,
            timings: Vec::new(),
            first_due: Instant::MAX,
            arrivals: Vec::new(),
            mss: 1,
            unseen: 0,
            glanced: 0,
            unmeasured: 0,
            dirty: 0,
            first: 0,
            informed: 0,
        }
    }
}

impl Subflows {
    /// Puts a subflow into a place, which is touched; returns which, and what was there before.
    pub(super) fn place(&mut self, subflow: Subflow, arrivals: Arrivals) -> (usize, Option<Subflow>) {
        let tuple = subflow.tuple;
        let (id, old) = match self.all.iter().position(|s| s.gone) {
            Some(id) => {
                self.tuples[id] = tuple;
                self.note_timing(id, Timing::NEVER);
                self.arrivals[id] = arrivals;
                (id, Some(core::mem::replace(&mut self.all[id], subflow)))
            }
            None => {
                self.tuples.push(tuple);
                self.all.push(subflow);
                self.views.push(SubflowView::VACANT);
                self.timings.push(Timing::NEVER);
                self.arrivals.push(arrivals);
                (self.all.len() - 1, None)
            }
        };
        self.mss = self.least_mss();
        self.touch(id);
        self.forget_window(id);
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

    /// Those that are part of the connection.
    #[inline]
    pub(super) fn attached(&self) -> impl Iterator<Item = &Subflow> {
        self.all.iter().filter(|s| s.is_attached())
    }

    /// The live one of these addresses and ports.
    #[inline]
    pub(super) fn find(&self, tuple: &Tuple) -> Option<usize> {
        let live = |(id, t): (usize, &Tuple)| (t.is(tuple) && !self.all[id].gone).then_some(id);
        self.tuples.iter().enumerate().find_map(live)
    }

    /// The smallest segment size of those that are not over.
    #[inline]
    pub(super) fn mss(&self) -> u32 {
        self.mss
    }

    fn least_mss(&self) -> u32 {
        self.attached().map(|s| s.tcp.mss()).min().unwrap_or(1)
    }

    /// All as schedulers see them. Current after [`Subflows::look`], and their windows after [`Subflows::measure`].
    #[inline]
    pub(super) fn views(&self) -> &[SubflowView] {
        &self.views
    }

    /// How `id` looks from the receiving end.
    #[inline]
    pub(super) fn arrivals(&mut self, id: usize) -> &mut Arrivals {
        &mut self.arrivals[id]
    }

    /// The same, only to look.
    #[inline]
    pub(super) fn arrivals_of(&self, id: usize) -> &Arrivals {
        &self.arrivals[id]
    }

    /// The longest round trip of those that are not over, as the receiving end knows them, and the least share of memory that is window
    /// on one.
    pub(super) fn look_at_arrivals(&self) -> (Duration, u64) {
        let open = || {
            self.arrivals.iter().zip(&self.all).filter(|(_, s)| s.ready && s.is_attached()).map(|(a, _)| a)
        };
        let longest = open().map(Arrivals::round_trip).max().unwrap_or_default();
        (longest, open().map(Arrivals::share).min().unwrap_or(HALF))
    }

    /// The connection's receive buffer has grown, and with it that of each subflow; one that the peer opens is not there before its third
    /// segment has come.
    pub(super) fn grow_buffers(&mut self, grown: Grown) {
        let there =
            self.arrivals.iter_mut().zip(&self.all).filter(|(_, s)| s.tcp.state() != State::SynReceived);
        there.for_each(|(arrivals, _)| arrivals.set_buffer(grown));
    }

    #[cfg(test)]
    pub(super) fn views_mut(&mut self) -> &mut [SubflowView] {
        &mut self.views
    }

    /// Whether `id` knows what window the connection has.
    #[inline]
    pub(super) fn knows_window(&self, id: usize) -> bool {
        self.informed >> id & 1 == 1
    }

    /// What window `id` may show may be another.
    #[inline]
    pub(super) fn forget_window(&mut self, id: usize) {
        self.informed &= !(1 << id);
    }

    /// What window any may show may be another.
    #[inline]
    pub(super) fn forget_windows(&mut self) {
        self.informed = 0;
    }

    /// The connection has this window for `id`.
    #[inline]
    pub(super) fn share_window(&mut self, id: usize, window: u64) {
        self.all[id].tcp.share_window(window);
        self.informed |= 1 << id;
    }

    /// Looks at `id`: its view is current. `data`: the connection can carry data.
    #[inline]
    pub(super) fn refresh(&mut self, id: usize, data: bool) {
        self.glance(id, data);
        self.fill(id);
    }

    /// Looks at all.
    pub(super) fn refresh_all(&mut self, data: bool) {
        (0..self.len()).for_each(|id| self.refresh(id, data));
    }

    /// Looks whether `id` may be given data, in pieces of which size: that is all that counts as long as none may.
    #[inline]
    pub(super) fn glance(&mut self, id: usize, data: bool) {
        self.unseen &= !(1 << id);
        self.glanced |= 1 << id;
        let (view, s) = (&mut self.views[id], &self.all[id]);
        view.usable = s.is_usable(data);
        let mss = if s.is_attached() { s.tcp.mss() } else { SubflowView::VACANT.mss };
        if core::mem::replace(&mut view.mss, mss) != mss {
            self.mss = self.least_mss();
        }
        self.look_at_queue(id);
    }

    /// The rest of the view of `id`, which was glanced at.
    #[inline(never)]
    fn fill(&mut self, id: usize) {
        self.glanced &= !(1 << id);
        self.unmeasured |= 1 << id;
        self.all[id].fill(&mut self.views[id]);
    }

    /// Looks at the windows of those that were looked at.
    #[inline]
    pub(super) fn measure(&mut self) {
        if self.unmeasured != 0 {
            self.measure_some();
        }
    }

    #[inline(never)]
    fn measure_some(&mut self) {
        while self.unmeasured != 0 {
            let id = self.unmeasured.trailing_zeros() as usize;
            self.unmeasured &= self.unmeasured - 1;
            self.all[id].fill_windows(&mut self.views[id]);
        }
    }

    /// `id` was given more than its window has room for, and has not changed else: its view is current, if it was before.
    #[inline]
    pub(super) fn look_at_queue(&mut self, id: usize) {
        match self.all[id].queue() {
            Some((queued, room)) => {
                self.views[id].queued = queued;
                self.note_room(id, room);
            }
            None => self.look_at_window(id),
        }
    }

    #[inline(never)]
    fn look_at_window(&mut self, id: usize) {
        self.note_room(id, self.all[id].has_window());
    }

    #[inline]
    fn note_room(&mut self, id: usize, room: bool) {
        let view = &mut self.views[id];
        view.room = room;
        self.open = self.open & !(1 << id) | u32::from(view.usable && room) << id;
    }

    /// `id` has changed, but nobody needs its view at present.
    #[inline]
    pub(super) fn leave_unseen(&mut self, id: usize) {
        self.unseen |= 1 << id;
    }

    /// Whether any may be given data now of those that have not changed unseen.
    #[inline]
    pub(super) fn knows_of_room(&self) -> bool {
        self.open & !self.unseen != 0
    }

    /// Those that may be given data now, a bit each. Current after [`Subflows::look`].
    #[inline]
    pub(super) fn open(&self) -> u32 {
        self.open
    }

    /// Looks whether any may be given data now.
    #[inline]
    pub(super) fn look_for_room(&mut self, data: bool) -> bool {
        while self.unseen != 0 {
            self.glance(self.unseen.trailing_zeros() as usize, data);
        }
        self.open != 0
    }

    /// Looks at those that have changed unseen.
    #[inline]
    pub(super) fn look(&mut self, data: bool) {
        self.look_for_room(data);
        while self.glanced != 0 {
            self.fill(self.glanced.trailing_zeros() as usize);
        }
    }

    /// The timing of `id` is current.
    #[inline]
    pub(super) fn renew_timing(&mut self, id: usize) {
        self.note_timing(id, self.all[id].timing());
    }

    #[inline]
    fn note_timing(&mut self, id: usize, timing: Timing) {
        let before = core::mem::replace(&mut self.timings[id], timing).due;
        if timing.due <= self.first_due {
            self.first_due = timing.due;
        } else if before == self.first_due {
            self.first_due = self.timings.iter().map(|t| t.due).min().unwrap_or(Instant::MAX);
        }
    }

    /// When `id` is due.
    #[inline]
    pub(super) fn deadline(&self, id: usize) -> Instant {
        if self.is_touched(id) { self.all[id].timing().due } else { self.timings[id].due }
    }

    /// When the first is due.
    #[inline]
    pub(super) fn first_deadline(&self) -> Instant {
        if self.dirty == 0 {
            return self.first_due;
        }
        (0..self.len()).map(|id| self.deadline(id)).min().unwrap_or(Instant::MAX)
    }

    /// The timings of all at present, those that may have something to send included.
    #[inline]
    pub(super) fn timings(&self) -> impl Iterator<Item = Timing> + '_ {
        self.timings.iter().enumerate().map(|(id, noted)| {
            let timing = if self.is_touched(id) { self.all[id].timing() } else { *noted };
            debug_assert_eq!(timing, self.all[id].timing(), "subflow {id} has changed unnoticed");
            timing
        })
    }

    /// `id` may have something to send.
    #[inline]
    pub(super) fn touch(&mut self, id: usize) {
        self.dirty |= 1 << id;
    }

    /// A segment has come on `id`, which may have something to send before all others.
    #[inline]
    pub(super) fn touch_first(&mut self, id: usize) {
        self.first = 1 << id;
        self.touch(id);
    }

    /// None comes before the others.
    pub(super) const fn forget_first(&mut self) {
        self.first = 0;
    }

    /// All that are not over may have something to send.
    pub(super) fn touch_all(&mut self) {
        self.dirty |= self.all.iter().enumerate().filter(|(_, s)| !s.gone).fold(0, |d, (i, _)| d | 1 << i);
    }

    /// Those that may have something to send are looked at before they do.
    pub(super) fn look_at_touched(&mut self) {
        self.unseen |= self.dirty;
    }

    /// Whether `id` may have something to send.
    #[inline]
    pub(super) fn is_touched(&self, id: usize) -> bool {
        self.dirty >> id & 1 == 1
    }

    /// The first that may have something to send.
    #[inline]
    pub(super) fn touched(&self) -> Option<usize> {
        (self.dirty != 0).then(|| self.next_touched().trailing_zeros() as usize)
    }

    /// The first that was [`Subflows::touched`] has nothing more to send.
    #[inline]
    pub(super) fn untouch(&mut self) {
        let next = self.next_touched();
        self.dirty &= !(next & next.wrapping_neg());
        if self.dirty == 0 {
            self.first = 0;
        }
    }

    /// Those from which the next is taken: its lowest bit.
    #[inline]
    const fn next_touched(&self) -> u32 {
        if self.dirty & self.first != 0 { self.first } else { self.dirty }
    }
}
