//! Table of the subflows of a connection, with what every event asks of all of them side by side.

use crate::mptcp::data::receiver::DataReceiver;
use crate::mptcp::linux::buffer_size::{GrownBuffer, HALF};
use crate::mptcp::linux::rcv_space::RcvSpace;
use crate::mptcp::scheduler::SubflowView;
use crate::mptcp::subflow::Subflow;
use crate::mptcp::subflow::state::SubflowState;
use crate::mptcp::subflow::tuple::Tuple;
use crate::tcp::State;
use core::ops::{Index, IndexMut};
use tailrace_core::{Duration, Instant};

/// Deadlines of a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubflowTimers {
    /// Time of its next timer of any kind; `MAX` for none.
    pub(crate) due: Instant,
    /// Time of its retransmission timer; zero if that is off, or the subflow cannot carry data or is silent at the data level.
    pub(crate) retransmission: Instant,
}

impl SubflowTimers {
    /// Timers of a subflow that is over.
    pub(crate) const NEVER: Self = Self { due: Instant::MAX, retransmission: Instant::ZERO };
}

/// Subflows by place. A subflow that is over keeps its place until another takes it, so an id stays valid; sets are words with one bit a
/// place. Subflows are large, so what all of them are asked for (addresses, timers, views) lies in arrays of its own. The fields that an
/// end needs that only receives come first.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SubflowTable {
    all: Vec<Subflow>,
    /// Addresses and ports: every segment is looked up here.
    tuples: Vec<Tuple>,
    /// Minimum of `timers`.
    first_due: Instant,
    /// Subflows that may have something to send.
    dirty: u32,
    /// The subflow on which the latest segment arrived: it sends first.
    priority: u32,

    /// Subflows that know the present window of the connection.
    window_current: u32,
    /// Subflows whose views are outdated.
    outdated: u32,
    /// Deadlines, outdated for dirty subflows.
    timers: Vec<SubflowTimers>,
    /// Receive windows, autotuned one by one.
    rcv_spaces: Vec<RcvSpace>,

    /// Subflows as schedulers see them.
    views: Vec<SubflowView>,
    /// Subflows that are usable and have room, by their views.
    open: u32,
    /// Smallest segment size of the attached subflows, so that a chunk fits any of them; 1 without any.
    mss: u32,
    /// Subflows in whose views only usability and room are current.
    partial: u32,
    /// Subflows in whose views the windows are outdated.
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
            rcv_spaces: Vec::new(),
            mss: 1,
            outdated: 0,
            partial: 0,
            without_windows: 0,
            dirty: 0,
            priority: 0,
            window_current: 0,
        }
    }
}

impl SubflowTable {
    /// Puts a subflow into a free or a new place and marks it dirty. Returns its id, and the subflow that it replaces.
    pub(crate) fn insert(&mut self, subflow: Subflow, rcv_space: RcvSpace) -> (usize, Option<Subflow>) {
        let tuple = subflow.tuple;
        let (id, old) = match self.all.iter().position(Subflow::is_over) {
            Some(id) => {
                self.tuples[id] = tuple;
                self.set_timers(id, SubflowTimers::NEVER);
                self.rcv_spaces[id] = rcv_space;
                (id, Some(core::mem::replace(&mut self.all[id], subflow)))
            }
            None => {
                self.tuples.push(tuple);
                self.all.push(subflow);
                self.views.push(SubflowView::VACANT);
                self.timers.push(SubflowTimers::NEVER);
                self.rcv_spaces.push(rcv_space);
                (self.all.len() - 1, None)
            }
        };
        self.mss = self.least_mss();
        self.mark_dirty(id);
        self.invalidate_window(id);
        (id, old)
    }

    /// Number of places.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// All subflows, those that are over included.
    #[inline]
    pub(crate) fn iter(&self) -> core::slice::Iter<'_, Subflow> {
        self.all.iter()
    }

    /// Subflows whose TCP lives.
    #[inline]
    pub(crate) fn live(&self) -> impl Iterator<Item = &Subflow> {
        self.all.iter().filter(|s| !s.is_over())
    }

    /// Subflows that are part of the connection.
    #[inline]
    pub(crate) fn attached(&self) -> impl Iterator<Item = &Subflow> {
        self.all.iter().filter(|s| s.is_attached())
    }

    /// Whether subflows other than `id` live whose TCP is synchronized.
    pub(crate) fn has_other_than(&self, id: usize) -> bool {
        let other = |(i, s): (usize, &Subflow)| i != id && !s.is_over() && s.tcp.state().is_synchronized();
        self.all.iter().enumerate().any(other)
    }

    /// Whether there has never been a second subflow.
    pub(crate) fn is_single(&self) -> bool {
        self.all.iter().filter(|s| s.state() != SubflowState::Unrouted).count() == 1
    }

    /// Live subflow with these addresses and ports.
    #[inline]
    pub(crate) fn find(&self, tuple: &Tuple) -> Option<usize> {
        let live = |(id, t): (usize, &Tuple)| (t.is(tuple) && !self.all[id].is_over()).then_some(id);
        self.tuples.iter().enumerate().find_map(live)
    }

    /// Smallest segment size of the attached subflows.
    #[inline]
    pub(crate) fn mss(&self) -> u32 {
        self.mss
    }

    fn least_mss(&self) -> u32 {
        self.attached().map(|s| s.tcp.mss()).min().unwrap_or(1)
    }

    /// Views for schedulers, current after [`SubflowTable::refresh_outdated`], and their windows after
    /// [`SubflowTable::refresh_all_windows`].
    #[inline]
    pub(crate) fn views(&self) -> &[SubflowView] {
        &self.views
    }

    /// Autotuned receive window of subflow `id`.
    #[inline]
    pub(crate) fn rcv_space_mut(&mut self, id: usize) -> &mut RcvSpace {
        &mut self.rcv_spaces[id]
    }

    /// Autotuned receive window of subflow `id`.
    #[inline]
    pub(crate) fn rcv_space(&self, id: usize) -> &RcvSpace {
        &self.rcv_spaces[id]
    }

    /// Longest round trip that a receiver sees on any active subflow, and the least share of memory that is window on one
    /// (`mptcp_rcv_space_adjust`).
    pub(crate) fn receiver_estimates(&self) -> (Duration, u64) {
        let active = || {
            let both = self.rcv_spaces.iter().zip(&self.all);
            both.filter(|(_, s)| s.state() == SubflowState::Active).map(|(space, _)| space)
        };
        let longest = active().map(RcvSpace::round_trip).max().unwrap_or_default();
        (longest, active().map(RcvSpace::share).min().unwrap_or(HALF))
    }

    /// Grows the receive buffer of each subflow with that of the connection. A subflow that the peer opens does not exist for Linux
    /// before its third segment.
    pub(crate) fn grow_buffers(&mut self, grown: GrownBuffer) {
        let exists = |s: &Subflow| s.tcp.state() != State::SynReceived;
        let existing = self.rcv_spaces.iter_mut().zip(&self.all).filter(|(_, s)| exists(s));
        existing.for_each(|(space, _)| space.set_buffer(grown));
    }

    #[cfg(test)]
    pub(crate) fn views_mut(&mut self) -> &mut [SubflowView] {
        &mut self.views
    }

    /// The window that subflow `id` may show may have changed.
    #[inline]
    pub(crate) fn invalidate_window(&mut self, id: usize) {
        self.window_current &= !(1 << id);
    }

    /// The window that any subflow may show may have changed.
    #[inline]
    pub(crate) fn invalidate_windows(&mut self) {
        self.window_current = 0;
    }

    /// Tells the TCP of subflow `id` the window of the connection, unless it knows. `rejected` bytes have arrived on it in order and are
    /// not taken to the data level.
    #[inline]
    pub(crate) fn share_window(
        &mut self,
        id: usize,
        rcv: &mut DataReceiver,
        rejected: impl FnOnce(&Self) -> u64,
    ) {
        if rcv.take_changed() {
            self.invalidate_windows();
        }
        if self.window_current >> id & 1 == 0 {
            let rejected = rejected(self);
            self.share_new_window(id, rcv, rejected);
        }
    }

    #[inline(never)]
    fn share_new_window(&mut self, id: usize, rcv: &mut DataReceiver, rejected: u64) {
        let tcp = &mut self.all[id].tcp;
        let space = &self.rcv_spaces[id];
        let limits = || (space.window(), tcp.window_unit());
        let window = rcv.window(id, tcp.mss(), limits).saturating_sub(rejected);
        if tcp.has_quick_acks() && rcv.is_half_full(id, space.clamp()) {
            tcp.end_quick_acks();
        }
        tcp.share_window(window);
        if rcv.take_changed() {
            self.invalidate_windows();
        }
        self.window_current |= 1 << id;
    }

    /// Makes the view of `id` current but for its windows. `data`: the connection can carry data.
    #[inline]
    pub(crate) fn refresh(&mut self, id: usize, data: bool) {
        self.refresh_usability(id, data);
        self.fill(id);
    }

    /// [`SubflowTable::refresh`] for all.
    pub(crate) fn refresh_all(&mut self, data: bool) {
        (0..self.len()).for_each(|id| self.refresh(id, data));
    }

    /// Makes usability, segment size and room current in the view of `id`: nothing else counts while no subflow is open.
    #[inline]
    pub(crate) fn refresh_usability(&mut self, id: usize, data: bool) {
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

    /// Fills in the rest of a partial view.
    #[inline(never)]
    fn fill(&mut self, id: usize) {
        self.partial &= !(1 << id);
        self.without_windows |= 1 << id;
        self.all[id].fill(&mut self.views[id]);
    }

    /// Makes the windows current in the views.
    #[inline]
    pub(crate) fn refresh_all_windows(&mut self) {
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

    /// Makes queue and room current in the view of `id`, which was given data.
    #[inline]
    pub(crate) fn refresh_queue(&mut self, id: usize) {
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

    /// The view of `id` is outdated.
    #[inline]
    pub(crate) fn invalidate_view(&mut self, id: usize) {
        self.outdated |= 1 << id;
    }

    /// Whether any subflow is open whose view is not outdated.
    #[inline]
    pub(crate) fn has_known_open(&self) -> bool {
        self.open & !self.outdated != 0
    }

    /// Set of the subflows that may be given data, current after [`SubflowTable::refresh_outdated`].
    #[inline]
    pub(crate) fn open(&self) -> u32 {
        self.open
    }

    /// Whether any subflow may be given data now.
    #[inline]
    pub(crate) fn finds_open(&mut self, data: bool) -> bool {
        while self.outdated != 0 {
            self.refresh_usability(self.outdated.trailing_zeros() as usize, data);
        }
        self.open != 0
    }

    /// Makes all outdated views current.
    #[inline]
    pub(crate) fn refresh_outdated(&mut self, data: bool) {
        self.finds_open(data);
        while self.partial != 0 {
            self.fill(self.partial.trailing_zeros() as usize);
        }
    }

    /// Makes the timers of `id` current.
    #[inline]
    pub(crate) fn refresh_timers(&mut self, id: usize) {
        self.set_timers(id, self.all[id].timers());
    }

    #[inline]
    fn set_timers(&mut self, id: usize, timers: SubflowTimers) {
        let before = core::mem::replace(&mut self.timers[id], timers).due;
        if timers.due <= self.first_due {
            self.first_due = timers.due;
        } else if before == self.first_due {
            self.first_due = self.timers.iter().map(|t| t.due).min().unwrap_or(Instant::MAX);
        }
    }

    /// Next deadline of `id`.
    #[inline]
    pub(crate) fn deadline(&self, id: usize) -> Instant {
        if self.is_dirty(id) { self.all[id].timers().due } else { self.timers[id].due }
    }

    /// Next deadline of all subflows.
    #[inline]
    pub(crate) fn first_deadline(&self) -> Instant {
        if self.dirty == 0 {
            return self.first_due;
        }
        (0..self.len()).map(|id| self.deadline(id)).min().unwrap_or(Instant::MAX)
    }

    /// Present timers of all subflows.
    #[inline]
    pub(crate) fn timers(&self) -> impl Iterator<Item = SubflowTimers> + '_ {
        self.timers.iter().enumerate().map(|(id, known)| {
            let timers = if self.is_dirty(id) { self.all[id].timers() } else { *known };
            debug_assert_eq!(timers, self.all[id].timers(), "subflow {id} is not dirty, but has changed");
            timers
        })
    }

    /// Subflow `id` may have something to send.
    #[inline]
    pub(crate) fn mark_dirty(&mut self, id: usize) {
        self.dirty |= 1 << id;
    }

    /// A segment has arrived on subflow `id`, which may have something to send before all others.
    #[inline]
    pub(crate) fn mark_dirty_first(&mut self, id: usize) {
        self.priority = 1 << id;
        self.mark_dirty(id);
    }

    /// Subflows send in the order of their ids again.
    pub(crate) const fn clear_priority(&mut self) {
        self.priority = 0;
    }

    /// All live subflows may have something to send.
    pub(crate) fn mark_all_dirty(&mut self) {
        let live = self.all.iter().enumerate().filter(|(_, s)| !s.is_over());
        self.dirty |= live.fold(0, |set, (id, _)| set | 1 << id);
    }

    /// The views of dirty subflows are outdated.
    pub(crate) fn invalidate_dirty_views(&mut self) {
        self.outdated |= self.dirty;
    }

    /// Whether subflow `id` may have something to send.
    #[inline]
    pub(crate) fn is_dirty(&self, id: usize) -> bool {
        self.dirty >> id & 1 == 1
    }

    /// First subflow that may have something to send.
    #[inline]
    pub(crate) fn first_dirty(&self) -> Option<usize> {
        (self.dirty != 0).then(|| self.next_dirty().trailing_zeros() as usize)
    }

    /// The subflow that [`SubflowTable::first_dirty`] named has nothing more to send.
    #[inline]
    pub(crate) fn clear_first_dirty(&mut self) {
        let next = self.next_dirty();
        self.dirty &= !(next & next.wrapping_neg());
        if self.dirty == 0 {
            self.priority = 0;
        }
    }

    /// Set whose lowest bit is the next to send.
    #[inline]
    const fn next_dirty(&self) -> u32 {
        if self.dirty & self.priority != 0 { self.priority } else { self.dirty }
    }
}
