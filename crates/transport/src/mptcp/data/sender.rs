//! Sending side of the data level: the stream that the application writes, its pieces on the subflows, DATA_ACKs and reinjections
//! (RFC 8684 §3.3).

use crate::mptcp::chunk::DataChunk;
use crate::mptcp::linux::send_buffer::SendBuffer;
use crate::mptcp::linux::write_queue::WriteQueue;
use std::collections::VecDeque;
use tailrace_core::{Instant, Ring};

/// Largest amount that an application offers which never runs dry.
const ENDLESS: u64 = 1 << 62;

/// Bytes given to a subflow as one segment; they start where the piece before ends.
#[derive(Clone, Copy, Debug)]
struct SentPiece {
    end: u64,
    /// Time of the first transmission; zero before that.
    first_sent: Instant,
    /// Subflows that carried it, one bit each.
    carriers: u32,
}

/// DATA_FIN of this end (RFC 8684 §3.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataFin {
    /// The application still writes.
    Open,
    /// The application has closed: the DATA_FIN is to be sent, or sent again. In a fallback, the subflow is to be closed.
    Due,
    /// It was sent, or the subflow was closed.
    Sent,
}

/// Limit of unacknowledged data.
#[derive(Clone, Debug)]
enum SendLimit {
    /// Bytes of data.
    Bytes(u64),
    /// Memory, as Linux counts it.
    Linux(WriteQueue),
}

/// Sending side of the data level. Fields that tell whether there is anything to send come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct DataSender {
    /// First data sequence number that is not acknowledged (SND.UNA).
    una: u64,
    /// Next data sequence number to be sent for the first time (SND.NXT); beyond the DATA_FIN once that was sent.
    nxt: u64,
    /// Data sequence number after the last byte that the application has written.
    app_end: u64,
    /// Reinjections, in order and disjoint.
    reinjections: VecDeque<DataChunk>,
    fin: DataFin,
    /// Whether the peer's window is known to be shut with room on a subflow: until it opens, that is one stall.
    stalled: bool,
    /// Number of the next new piece.
    next_piece: u32,
    /// Right edge of the peer's window.
    edge: u64,
    limit: SendLimit,
    pieces: Ring<SentPiece>,
    /// End of the chunk that was reinjected last.
    reinjected_to: u64,
}

impl DataSender {
    /// With a buffer of so many bytes of data.
    pub(crate) fn new(buffer: u64) -> Self {
        Self::with_limit(SendLimit::Bytes(buffer.max(1)))
    }

    /// With a buffer of memory, as Linux has it.
    pub(crate) fn with_memory(buffer: SendBuffer) -> Self {
        Self::with_limit(SendLimit::Linux(WriteQueue::new(buffer)))
    }

    fn with_limit(limit: SendLimit) -> Self {
        Self {
            pieces: Ring::new(),
            next_piece: 0,
            reinjections: VecDeque::new(),
            una: 0,
            nxt: 0,
            app_end: 0,
            edge: 0,
            fin: DataFin::Open,
            stalled: false,
            limit,
            reinjected_to: 0,
        }
    }

    /// The first byte has number `dsn`; data that was written before moves there.
    pub(crate) fn start(&mut self, dsn: u64) {
        debug_assert_eq!(self.una, self.nxt, "nothing was sent yet");
        let by = dsn - self.una;
        self.una = dsn;
        self.nxt = dsn;
        self.app_end = self.app_end.saturating_add(by);
        self.edge = dsn;
        if let SendLimit::Linux(queue) = &mut self.limit {
            queue.start(dsn);
        }
    }

    /// First data sequence number that is not acknowledged.
    #[inline]
    pub(crate) const fn una(&self) -> u64 {
        self.una
    }

    /// Next data sequence number to be sent for the first time.
    #[inline]
    pub(crate) const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// End of the data that was sent; the DATA_FIN does not count.
    #[inline]
    pub(crate) fn data_nxt(&self) -> u64 {
        self.nxt.min(self.app_end)
    }

    /// Data sequence number after the last byte that the application has written.
    #[inline]
    pub(crate) const fn app_end(&self) -> u64 {
        self.app_end
    }

    /// Bytes of window from `dsn` on.
    #[inline]
    pub(crate) const fn window_from(&self, dsn: u64) -> u64 {
        self.edge.saturating_sub(dsn)
    }

    /// The application offers `bytes` more; returns how many are taken.
    pub(crate) fn write(&mut self, bytes: u64) -> u64 {
        let end = self.app_end.saturating_add(bytes).min(self.una.saturating_add(ENDLESS));
        let taken = end.saturating_sub(self.app_end);
        self.app_end += taken;
        taken
    }

    /// The application has closed. Endless data ends with what was sent.
    pub(crate) fn close(&mut self) {
        if self.app_end >= self.una.saturating_add(ENDLESS / 2) {
            self.app_end = self.nxt;
        }
        self.fin = DataFin::Due;
    }

    /// Whether the application has closed.
    #[inline]
    pub(crate) fn is_closing(&self) -> bool {
        self.fin != DataFin::Open
    }

    /// Whether the DATA_FIN is to be sent, or sent again.
    #[inline]
    pub(crate) fn is_fin_due(&self) -> bool {
        self.fin == DataFin::Due
    }

    /// Data sequence number of the DATA_FIN, once the application has closed.
    pub(crate) fn fin(&self) -> Option<u64> {
        self.is_closing().then_some(self.app_end)
    }

    /// Data sequence number of a DATA_FIN that is due and has no data to ride on.
    pub(crate) fn lone_fin(&self) -> Option<u64> {
        self.fin().filter(|fin| self.is_fin_due() && *fin == self.data_nxt())
    }

    /// The DATA_FIN leaves with the next segment.
    pub(crate) fn on_fin_sent(&mut self) {
        self.fin = DataFin::Sent;
        self.nxt = self.nxt.max(self.app_end + 1);
    }

    /// The FIN of the one subflow takes the place of the DATA_FIN, in a fallback.
    pub(crate) fn on_plain_fin(&mut self) {
        self.fin = DataFin::Sent;
    }

    /// Sends the DATA_FIN again if it was sent and is not acknowledged.
    pub(crate) fn repeat_fin(&mut self) {
        if self.is_closing() && self.nxt > self.app_end && !self.fin_acked() {
            self.fin = DataFin::Due;
        }
    }

    /// Whether the peer has acknowledged the DATA_FIN.
    #[inline]
    pub(crate) fn fin_acked(&self) -> bool {
        self.is_closing() && self.una > self.app_end
    }

    /// Whether the DATA_FIN was sent and only that is not acknowledged.
    #[inline]
    pub(crate) fn awaits_fin_only(&self) -> bool {
        self.is_closing() && self.una == self.app_end && self.nxt > self.app_end
    }

    /// Lets the application write into memory, where that counts; see [`WriteQueue::write`].
    pub(crate) fn fill_memory(&mut self) -> bool {
        match &mut self.limit {
            SendLimit::Linux(queue) => queue.write(self.una, self.app_end),
            SendLimit::Bytes(_) => false,
        }
    }

    /// Whether the application sleeps for want of memory.
    #[inline]
    pub(crate) fn is_writer_blocked(&self) -> bool {
        self.queue().is_some_and(WriteQueue::is_blocked)
    }

    /// Whether it sleeps and there is memory to wake it.
    #[inline]
    pub(crate) fn wakes_writer(&self) -> bool {
        self.queue().is_some_and(|queue| queue.wakes_writer(self.una))
    }

    /// Whether the application has more to write than memory holds.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.queue().is_some_and(|queue| queue.stored() < self.app_end)
    }

    /// Send buffer in memory.
    pub(crate) fn memory_mut(&mut self) -> Option<&mut SendBuffer> {
        match &mut self.limit {
            SendLimit::Linux(queue) => Some(queue.buffer_mut()),
            SendLimit::Bytes(_) => None,
        }
    }

    #[inline]
    const fn queue(&self) -> Option<&WriteQueue> {
        match &self.limit {
            SendLimit::Linux(queue) => Some(queue),
            SendLimit::Bytes(_) => None,
        }
    }

    /// Data sequence number up to which the send buffer reaches.
    #[inline]
    fn buffer_end(&self) -> u64 {
        match &self.limit {
            SendLimit::Linux(queue) => queue.stored(),
            SendLimit::Bytes(bytes) => self.una.saturating_add(*bytes),
        }
    }

    /// Whether the application has written anything.
    #[inline]
    pub(crate) const fn has_written(&self) -> bool {
        self.app_end > 1
    }

    /// Whether all data that was written has been sent for the first time.
    #[inline]
    pub(crate) const fn is_all_sent(&self) -> bool {
        self.nxt >= self.app_end
    }

    /// Bytes sent and not acknowledged at the data level.
    #[inline]
    pub(crate) const fn outstanding(&self) -> u64 {
        self.nxt - self.una
    }

    /// Bytes of the peer's window beyond the data that was sent.
    #[inline]
    pub(crate) const fn window_left(&self) -> u64 {
        self.window_from(self.nxt)
    }

    /// Whether everything that was written has been sent and acknowledged.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.una == self.nxt && self.is_all_sent() && self.reinjections.is_empty()
    }

    /// Bytes that wait in the send buffer for a subflow; the rest of what was written waits in the application.
    #[inline]
    pub(crate) fn unassigned(&self) -> u64 {
        self.app_end.min(self.buffer_end()).saturating_sub(self.nxt)
    }

    /// Next new chunk, of at most `mss` bytes. Sender-side silly window avoidance: a small rest of the window waits as long as any data
    /// is in flight (RFC 9293 §3.8.6.2.1).
    #[inline]
    pub(crate) fn fresh(&self, mss: u32) -> Option<DataChunk> {
        let to = self.app_end.min(self.edge).min(self.buffer_end());
        let len = to.saturating_sub(self.nxt).min(u64::from(mss));
        if let SendLimit::Linux(queue) = &self.limit {
            let len = len.min(queue.fragments().rest(self.nxt));
            return (len > 0).then_some(DataChunk { dsn: self.nxt, len: len as u32, carriers: 0 });
        }
        let silly = len < u64::from(mss) && self.nxt + len < self.app_end && self.outstanding() > 0;
        (len > 0 && !silly).then_some(DataChunk { dsn: self.nxt, len: len as u32, carriers: 0 })
    }

    /// Whether there is new data within the window and the buffer.
    #[inline]
    pub(crate) fn has_fresh(&self) -> bool {
        self.nxt < self.app_end.min(self.edge).min(self.buffer_end())
    }

    /// Whether the next chunk, new or reinjected, continues a fragment of which a part was just assigned.
    #[inline]
    pub(crate) fn is_within_fragment(&self) -> bool {
        let fragments = self.queue().map(WriteQueue::fragments);
        match self.reinjections.front() {
            Some(first) => {
                first.dsn == self.reinjected_to && !fragments.is_some_and(|f| f.begins_at(first.dsn))
            }
            None => fragments.is_some_and(|f| f.is_within(self.nxt)),
        }
    }

    /// End of the fragment that contains `dsn`, as far as it was sent; none without fragments (`__mptcp_retrans`).
    pub(crate) fn end_of_fragment(&self, dsn: u64) -> Option<u64> {
        let end = self.queue()?.fragments().end_after(dsn)?;
        Some(end.min(self.nxt))
    }

    /// Data sequence number up to which everything from `dsn` on was reinjected already.
    pub(crate) fn reinjected_from(&self, dsn: u64) -> u64 {
        self.reinjections.iter().find(|c| c.end() > dsn).map_or(u64::MAX, |c| c.dsn.max(dsn))
    }

    /// Whether the peer's window alone holds data back.
    pub(crate) fn is_window_limited(&self, mss: u32) -> bool {
        self.nxt < self.app_end && self.edge < self.app_end.min(self.nxt + u64::from(mss))
    }

    /// Whether data waits for a window that is shut while nothing is in flight whose acknowledgment could open it.
    pub(crate) fn is_shut_out(&self) -> bool {
        self.outstanding() == 0 && self.edge <= self.nxt && self.nxt < self.app_end
    }

    /// Whether the send buffer alone holds data back.
    pub(crate) fn is_buffer_limited(&self, mss: u32) -> bool {
        self.nxt < self.app_end && self.buffer_end() < self.nxt + u64::from(mss)
    }

    /// Notes that the window is shut with room on a subflow; whether that is a new stall.
    pub(crate) fn on_stall(&mut self) -> bool {
        !core::mem::replace(&mut self.stalled, true)
    }

    /// The window has opened.
    pub(crate) fn end_stall(&mut self) {
        self.stalled = false;
    }

    /// First chunk to be reinjected; it ends with its fragment, where fragments count.
    #[inline]
    pub(crate) fn first_reinjection(&mut self) -> Option<DataChunk> {
        let mut chunk = self.front_of_reinjections()?;
        if let Some(end) = self.end_of_fragment(chunk.dsn) {
            chunk.len = chunk.len.min(u32::try_from(end - chunk.dsn).unwrap_or(u32::MAX));
        }
        Some(chunk)
    }

    #[inline]
    fn front_of_reinjections(&mut self) -> Option<DataChunk> {
        while let Some(chunk) = self.reinjections.front_mut() {
            if chunk.end() <= self.una {
                self.reinjections.pop_front();
                continue;
            }
            if chunk.dsn < self.una {
                chunk.len -= (self.una - chunk.dsn) as u32;
                chunk.dsn = self.una;
            }
            return Some(*chunk);
        }
        None
    }

    /// Oldest piece in flight, from the first unacknowledged byte on.
    pub(crate) fn oldest(&self) -> Option<DataChunk> {
        let piece = self.pieces.front()?;
        let len = (piece.end - self.una) as u32;
        Some(DataChunk { dsn: self.una, len, carriers: piece.carriers })
    }

    /// Piece that contains `dsn`, from there on.
    pub(crate) fn piece_at(&self, dsn: u64) -> Option<DataChunk> {
        let piece = self.pieces.get(self.index_of(dsn))?;
        Some(DataChunk { dsn, len: (piece.end - dsn) as u32, carriers: piece.carriers })
    }

    fn index_of(&self, dsn: u64) -> usize {
        self.pieces.partition_point(|p| p.end <= dsn)
    }

    /// Assigns `chunk` to subflow `carrier`: as a piece of its own, or (`joins`) as part of the latest piece, which waits there. Returns
    /// the number of the latest piece, modulo 2^32.
    pub(crate) fn assign(&mut self, chunk: &DataChunk, (carrier, joins): (usize, bool)) -> u32 {
        if chunk.dsn == self.nxt {
            self.assign_new(chunk, carrier, joins);
        } else {
            self.assign_again(chunk, carrier);
        }
        self.next_piece.wrapping_sub(1)
    }

    fn assign_new(&mut self, chunk: &DataChunk, carrier: usize, joins: bool) {
        self.nxt = chunk.end();
        if let SendLimit::Linux(queue) = &mut self.limit {
            queue.fragments_mut().on_sent(self.nxt);
        }
        if let Some(latest) = self.pieces.back_mut().filter(|_| joins) {
            latest.end = chunk.end();
            return;
        }
        self.next_piece = self.next_piece.wrapping_add(1);
        let first_sent = Instant::ZERO;
        self.pieces.push_back(SentPiece { end: chunk.end(), first_sent, carriers: 1 << carrier });
    }

    fn assign_again(&mut self, chunk: &DataChunk, carrier: usize) {
        for i in self.index_of(chunk.dsn)..self.pieces.len() {
            let piece = &mut self.pieces[i];
            piece.carriers |= 1 << carrier;
            if piece.end >= chunk.end() {
                break;
            }
        }
        self.take_reinjection(chunk);
        self.reinjected_to = chunk.end();
    }

    /// Removes `chunk` from the front of the reinjections, if it is there.
    fn take_reinjection(&mut self, chunk: &DataChunk) {
        let Some(first) = self.reinjections.front_mut().filter(|c| c.dsn == chunk.dsn) else { return };
        if first.len > chunk.len {
            (first.dsn, first.len) = (chunk.end(), first.len - chunk.len);
        } else {
            self.reinjections.pop_front();
        }
    }

    /// Stamps the newest piece with the time of its first transmission.
    #[inline]
    pub(crate) fn stamp_newest(&mut self, now: Instant) {
        if let Some(piece) = self.pieces.back_mut() {
            piece.first_sent = now;
        }
    }

    /// Stamps the piece with byte `dsn`, unless it was sent before.
    pub(crate) fn stamp(&mut self, dsn: u64, now: Instant) {
        self.stamp_at(self.index_of(dsn), now);
    }

    /// Stamps the piece with this number, unless it was sent before.
    #[inline]
    pub(crate) fn stamp_piece(&mut self, number: u32, now: Instant) {
        let first = self.next_piece.wrapping_sub(self.pieces.len() as u32);
        self.stamp_at(number.wrapping_sub(first) as usize, now);
    }

    #[inline]
    fn stamp_at(&mut self, i: usize, now: Instant) {
        if let Some(piece) = self.pieces.get_mut(i)
            && piece.first_sent == Instant::ZERO
        {
            piece.first_sent = now;
        }
    }

    /// Time at which the piece with byte `dsn` was sent for the first time; `None` once that byte is acknowledged.
    pub(crate) fn first_sending_of(&self, dsn: u64) -> Option<Instant> {
        self.pieces.get(self.index_of(dsn)).filter(|_| dsn >= self.una).map(|p| p.first_sent)
    }

    /// Reinjects `dsn..end` on other subflows than carried it.
    pub(crate) fn reinject(&mut self, dsn: u64, end: u64) {
        let mut dsn = dsn.max(self.una);
        while dsn < end.min(self.app_end) {
            let Some(mut chunk) = self.piece_at(dsn) else { return };
            chunk.len = chunk.len.min((end - dsn) as u32);
            dsn = chunk.end();
            let i = self.reinjections.partition_point(|c| c.dsn < chunk.dsn);
            let known = i.checked_sub(1).is_some_and(|b| self.reinjections[b].end() > chunk.dsn)
                || self.reinjections.get(i).is_some_and(|c| c.dsn < chunk.end());
            if !known {
                self.reinjections.insert(i, chunk);
            }
        }
    }

    /// Reinjects everything that is not acknowledged, on any subflow.
    pub(crate) fn reinject_all(&mut self) {
        self.reinjections.clear();
        self.reinject(self.una, self.nxt);
        self.reinjections.iter_mut().for_each(|c| c.carriers = 0);
    }

    /// Allows every subflow to carry the first reinjection.
    pub(crate) fn forget_carriers(&mut self) {
        if let Some(chunk) = self.reinjections.front_mut() {
            chunk.carriers = 0;
        }
    }

    /// Subflow `id` is over; its place may be taken by another.
    pub(crate) fn forget_carrier(&mut self, id: usize) {
        let mask = !(1_u32 << id);
        self.pieces.iter_mut().for_each(|p| p.carriers &= mask);
        self.reinjections.iter_mut().for_each(|c| c.carriers &= mask);
    }

    /// Processes a DATA_ACK with the window beside it; returns the newly acknowledged bytes, the DATA_FIN included.
    #[inline]
    pub(crate) fn on_ack(&mut self, ack: u64, window: u64) -> u64 {
        if ack > self.nxt || ack < self.una {
            return 0;
        }
        self.edge = self.edge.max(ack + window);
        let news = ack - self.una;
        self.una = ack;
        while self.pieces.front().is_some_and(|p| p.end <= ack) {
            self.pieces.pop_front();
        }
        if let SendLimit::Linux(queue) = &mut self.limit {
            queue.fragments_mut().forget(ack);
        }
        news
    }

    /// From now on one TCP carries everything in order: no reinjections, and its FIN takes the place of the DATA_FIN.
    pub(crate) fn on_fallback(&mut self) {
        self.reinjections.clear();
        if self.una <= self.app_end {
            self.nxt = self.nxt.min(self.app_end);
        }
        if self.is_closing() {
            self.fin = DataFin::Due;
        }
    }

    #[inline]
    pub(crate) fn has_reinjections(&self) -> bool {
        !self.reinjections.is_empty()
    }
}

#[cfg(test)]
mod tests;
