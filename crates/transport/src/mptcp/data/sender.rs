//! The sending side of a connection: what the application wrote, what of it was handed to which subflow, what the
//! peer has acknowledged at the data level, and what is to be sent again elsewhere (RFC 8684 §3.3).

use crate::mptcp::chunk::DataChunk;
use crate::mptcp::linux::data_frag::Fragments;
use crate::mptcp::linux::send_buffer::SendBuffer;
use std::collections::VecDeque;
use tailrace_core::{Instant, Ring};

/// Bytes handed to a subflow as one segment; they start where the piece before ends.
#[derive(Clone, Copy, Debug)]
struct BufferPiece {
    end: u64,
    /// When it was sent for the first time; zero before that.
    first_sent: Instant,
    /// The subflows that carried it, a bit each.
    carriers: u32,
}

/// What tells that there is nothing to send comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct DataSender {
    /// First data sequence number not acknowledged.
    pub(crate) una: u64,
    /// Next data sequence number to be sent for the first time; beyond the DATA_FIN once that was sent.
    pub(crate) nxt: u64,
    /// End of what the application has written.
    pub(crate) app_end: u64,
    /// To be sent again, in order and disjoint.
    reinject: VecDeque<DataChunk>,
    /// The application has closed: a DATA_FIN follows the data.
    pub(crate) closing: bool,
    /// The application writes until it finds no room; else it waits for some.
    writes: bool,
    /// It has found no room, and waits for some.
    waits: bool,
    /// The number of the next new piece.
    next_piece: u32,
    /// The right edge of the peer's window.
    pub(crate) edge: u64,
    /// How much may be unacknowledged.
    buffer: u64,
    pieces: Ring<BufferPiece>,
    /// The buffer as memory, where it is counted so, and how far it has been filled.
    memory: Option<SendBuffer>,
    stored: u64,
    /// What of that was not handed out lies in these.
    fragments: Fragments,
    /// Where that which was handed out again last ends.
    resent_to: u64,
}

impl DataSender {
    pub(crate) fn new(buffer: u64) -> Self {
        Self {
            pieces: Ring::new(),
            next_piece: 0,
            reinject: VecDeque::new(),
            una: 0,
            nxt: 0,
            app_end: 0,
            edge: 0,
            closing: false,
            buffer: buffer.max(1),
            memory: None,
            stored: 0,
            writes: false,
            waits: false,
            fragments: Fragments::default(),
            resent_to: 0,
        }
    }

    /// The buffer is one of memory.
    pub(crate) fn with_memory(memory: SendBuffer) -> Self {
        Self { memory: Some(memory), ..Self::new(u64::MAX) }
    }

    /// The application writes at once what it may, and goes on until it finds no room: then it waits until a third of the buffer is
    /// free (`mptcp_sendmsg`, `sk_stream_is_writeable`). Returns whether it has written.
    pub(crate) fn refill(&mut self) -> bool {
        let Some(memory) = self.memory.as_ref().filter(|_| self.stored < self.app_end) else { return false };
        let held = self.stored.saturating_sub(self.una);
        let written = if self.writes || self.is_writeable(memory) {
            self.fragments.write(self.stored, held, memory.size())
        } else {
            0
        };
        self.stored += written;
        self.writes = written > 0;
        self.waits = !self.writes;
        self.writes
    }

    /// Whether the application has found no room, and waits for some.
    #[inline]
    pub(crate) const fn waits(&self) -> bool {
        self.waits
    }

    /// Whether it has waited, and finds some.
    pub(crate) fn wakes(&self) -> bool {
        self.waits && self.memory.as_ref().is_some_and(|memory| self.is_writeable(memory))
    }

    fn is_writeable(&self, memory: &SendBuffer) -> bool {
        memory.is_writeable(self.stored.saturating_sub(self.una) + self.fragments.headers())
    }

    /// The application waits for room.
    pub(crate) fn is_full(&self) -> bool {
        self.memory.is_some() && self.stored < self.app_end
    }

    /// A subflow's send buffer has this size.
    pub(crate) fn follow(&mut self, subflow: &SendBuffer) {
        if let Some(memory) = &mut self.memory {
            memory.follow(subflow);
        }
    }

    /// The subflows' send buffers have these sizes.
    pub(crate) fn join(&mut self, sizes: impl Iterator<Item = u64>) {
        if let Some(memory) = &mut self.memory {
            memory.join(sizes);
        }
    }

    /// As far as the send buffer goes.
    #[inline]
    fn buffer_end(&self) -> u64 {
        if self.memory.is_some() { self.stored } else { self.una.saturating_add(self.buffer) }
    }

    /// The first byte of data will have number `dsn`; what was written so far moves there.
    pub(crate) fn start(&mut self, dsn: u64) {
        debug_assert_eq!(self.una, self.nxt, "nothing was sent yet");
        let by = dsn - self.una;
        self.una = dsn;
        self.nxt = dsn;
        self.app_end = self.app_end.saturating_add(by);
        self.edge = dsn;
        self.stored = dsn;
    }

    /// Whether the application has written anything.
    #[inline]
    pub(crate) const fn has_written(&self) -> bool {
        self.app_end > 1
    }

    /// Bytes sent and not acknowledged at the data level.
    pub(crate) const fn outstanding(&self) -> u64 {
        self.nxt - self.una
    }

    /// Bytes that the peer's window lets go beyond what was handed out.
    pub(crate) const fn window_left(&self) -> u64 {
        self.edge.saturating_sub(self.nxt)
    }

    /// Whether everything that was written has been sent and acknowledged.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.una == self.nxt && self.nxt >= self.app_end && self.reinject.is_empty()
    }

    /// Bytes that wait in the send buffer for a subflow; what does not fit into it waits in the application.
    pub(crate) fn unassigned(&self) -> u64 {
        self.app_end.min(self.buffer_end()).saturating_sub(self.nxt)
    }

    /// The DATA_FIN's number, once the application has closed.
    pub(crate) fn fin(&self) -> Option<u64> {
        self.closing.then_some(self.app_end)
    }

    pub(crate) fn fin_sent(&self) -> bool {
        self.closing && self.nxt > self.app_end
    }

    pub(crate) fn fin_acked(&self) -> bool {
        self.closing && self.una > self.app_end
    }

    /// The next bytes that no subflow has carried, at most `mss`. A window that leaves room for a small piece only
    /// is waited out, as long as anything is on its way (RFC 9293 §3.8.6.2.1).
    #[inline]
    pub(crate) fn fresh(&self, mss: u32) -> Option<DataChunk> {
        let to = self.app_end.min(self.edge).min(self.buffer_end());
        let len = to.saturating_sub(self.nxt).min(u64::from(mss));
        if self.memory.is_some() {
            let len = len.min(self.fragments.rest(self.nxt));
            return (len > 0).then_some(DataChunk { dsn: self.nxt, len: len as u32, carriers: 0 });
        }
        let silly = len < u64::from(mss) && self.nxt + len < self.app_end && self.outstanding() > 0;
        (len > 0 && !silly).then_some(DataChunk { dsn: self.nxt, len: len as u32, carriers: 0 })
    }

    /// Whether there are bytes that no subflow has carried, within the window and the buffer.
    #[inline]
    pub(crate) fn has_fresh(&self) -> bool {
        self.nxt < self.app_end.min(self.edge).min(self.buffer_end())
    }

    /// Whether the next new byte goes on with a fragment of which a part was handed out.
    pub(crate) fn is_within(&self) -> bool {
        self.memory.is_some() && self.fragments.is_within(self.nxt)
    }

    /// Whether what is to be sent again first goes on with a fragment of which a part was just handed out again.
    pub(crate) fn resends_within(&self) -> bool {
        let first = self.reinject.front();
        first.is_some_and(|c| c.dsn == self.resent_to && !self.fragments.begins_at(c.dsn))
    }

    /// Where what goes again from `dsn` on ends, if fragments are known: with its fragment, as far as that was handed out (`__mptcp_retrans`).
    pub(crate) fn end_of_fragment(&self, dsn: u64) -> Option<u64> {
        let end = self.memory.as_ref().and_then(|_| self.fragments.end_after(dsn))?;
        Some(end.min(self.nxt))
    }

    /// How far everything from `dsn` on has been handed out since it was to be sent again.
    pub(crate) fn resent_from(&self, dsn: u64) -> u64 {
        self.reinject.iter().find(|c| c.end() > dsn).map_or(u64::MAX, |c| c.dsn.max(dsn))
    }

    /// Whether there is data that only the peer's window holds back.
    pub(crate) fn is_window_limited(&self, mss: u32) -> bool {
        self.nxt < self.app_end && self.edge < self.app_end.min(self.nxt + u64::from(mss))
    }

    /// Whether data waits for a window that is shut, while nothing is on its way whose acknowledgment could open it.
    pub(crate) fn is_shut_out(&self) -> bool {
        self.outstanding() == 0 && self.edge <= self.nxt && self.nxt < self.app_end
    }

    /// Whether there is data that only the send buffer holds back.
    pub(crate) fn is_buffer_limited(&self, mss: u32) -> bool {
        self.nxt < self.app_end && self.buffer_end() < self.nxt + u64::from(mss)
    }

    /// What is to be sent again first: of one fragment, where those are known, though the segment that carried it went on.
    #[inline]
    pub(crate) fn first_reinjection(&mut self) -> Option<DataChunk> {
        let mut chunk = self.front_of_reinjections()?;
        if let Some(end) = self.end_of_fragment(chunk.dsn) {
            chunk.len = chunk.len.min(u32::try_from(end - chunk.dsn).unwrap_or(u32::MAX));
        }
        Some(chunk)
    }

    fn front_of_reinjections(&mut self) -> Option<DataChunk> {
        while let Some(chunk) = self.reinject.front_mut() {
            if chunk.end() <= self.una {
                self.reinject.pop_front();
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

    /// The oldest bytes on their way.
    pub(crate) fn oldest(&self) -> Option<DataChunk> {
        let piece = self.pieces.front()?;
        let len = (piece.end - self.una) as u32;
        Some(DataChunk { dsn: self.una, len, carriers: piece.carriers })
    }

    /// The piece that begins at `dsn` or contains it, from there on.
    pub(crate) fn piece_at(&self, dsn: u64) -> Option<DataChunk> {
        let i = self.pieces.partition_point(|p| p.end <= dsn);
        let piece = self.pieces.get(i)?;
        Some(DataChunk { dsn, len: (piece.end - dsn) as u32, carriers: piece.carriers })
    }

    /// `chunk` goes to subflow `carrier`, as a piece of its own or as part of the latest, which waits there; new ones are
    /// numbered. Returns the number of the latest, as far as 32 bits tell it.
    pub(crate) fn hand_out(&mut self, chunk: &DataChunk, (carrier, joins): (usize, bool)) -> u32 {
        if chunk.dsn == self.nxt {
            if let Some(latest) = self.pieces.back_mut().filter(|_| joins) {
                latest.end = chunk.end();
                self.nxt = chunk.end();
                self.fragments.hand_out(self.nxt);
                return self.next_piece.wrapping_sub(1);
            }
            self.next_piece = self.next_piece.wrapping_add(1);
            self.nxt = chunk.end();
            self.fragments.hand_out(self.nxt);
            let first_sent = Instant::ZERO;
            self.pieces.push_back(BufferPiece { end: chunk.end(), first_sent, carriers: 1 << carrier });
            return self.next_piece.wrapping_sub(1);
        }
        let first = self.pieces.partition_point(|p| p.end <= chunk.dsn);
        for i in first..self.pieces.len() {
            let piece = &mut self.pieces[i];
            piece.carriers |= 1 << carrier;
            if piece.end >= chunk.end() {
                break;
            }
        }
        self.take_reinjection(chunk);
        self.resent_to = chunk.end();
        self.next_piece.wrapping_sub(1)
    }

    /// `chunk` is, or begins, what is to be sent again first.
    fn take_reinjection(&mut self, chunk: &DataChunk) {
        let Some(first) = self.reinject.front_mut().filter(|c| c.dsn == chunk.dsn) else { return };
        if first.len > chunk.len {
            (first.dsn, first.len) = (chunk.end(), first.len - chunk.len);
        } else {
            self.reinject.pop_front();
        }
    }

    /// The piece handed out last was a new one, at `now`.
    #[inline]
    pub(crate) fn date_newest(&mut self, now: Instant) {
        if let Some(piece) = self.pieces.back_mut() {
            piece.first_sent = now;
        }
    }

    /// The piece with byte `dsn` leaves at `now`, for the first time unless it is dated.
    pub(crate) fn date(&mut self, dsn: u64, now: Instant) {
        self.date_at(self.pieces.partition_point(|p| p.end <= dsn), now);
    }

    /// The same for the piece with this number.
    #[inline]
    pub(crate) fn date_piece(&mut self, number: u32, now: Instant) {
        let first = self.next_piece.wrapping_sub(self.pieces.len() as u32);
        self.date_at(number.wrapping_sub(first) as usize, now);
    }

    #[inline]
    fn date_at(&mut self, i: usize, now: Instant) {
        if let Some(piece) = self.pieces.get_mut(i)
            && piece.first_sent == Instant::ZERO
        {
            piece.first_sent = now;
        }
    }

    /// When the piece with byte `dsn` was sent for the first time; none once it is acknowledged.
    pub(crate) fn first_sending_of(&self, dsn: u64) -> Option<Instant> {
        let i = self.pieces.partition_point(|p| p.end <= dsn);
        self.pieces.get(i).filter(|_| dsn >= self.una).map(|p| p.first_sent)
    }

    /// `dsn..end` is to be sent again on other subflows than carried it.
    pub(crate) fn reinject(&mut self, dsn: u64, end: u64) {
        let mut dsn = dsn.max(self.una);
        while dsn < end.min(self.app_end) {
            let Some(mut chunk) = self.piece_at(dsn) else { return };
            chunk.len = chunk.len.min((end - dsn) as u32);
            dsn = chunk.end();
            let i = self.reinject.partition_point(|c| c.dsn < chunk.dsn);
            let known = i.checked_sub(1).is_some_and(|b| self.reinject[b].end() > chunk.dsn)
                || self.reinject.get(i).is_some_and(|c| c.dsn < chunk.end());
            if !known {
                self.reinject.insert(i, chunk);
            }
        }
    }

    /// Everything that is not acknowledged is to be sent again, by whomever.
    pub(crate) fn reinject_all(&mut self) {
        self.reinject.clear();
        self.reinject(self.una, self.nxt);
        self.reinject.iter_mut().for_each(|c| c.carriers = 0);
    }

    /// Forgets who carried what is first to be sent again: everybody did.
    pub(crate) fn forget_carriers(&mut self) {
        if let Some(chunk) = self.reinject.front_mut() {
            chunk.carriers = 0;
        }
    }

    /// Subflow `id` is gone; its place may be taken by another.
    pub(crate) fn forget_carrier(&mut self, id: usize) {
        let mask = !(1_u32 << id);
        self.pieces.iter_mut().for_each(|p| p.carriers &= mask);
        self.reinject.iter_mut().for_each(|c| c.carriers &= mask);
    }

    /// A data-level acknowledgment with the window beside it; returns the bytes it acknowledges for the first time.
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
        self.fragments.forget(ack);
        news
    }

    /// From now on one TCP carries all in order: nothing is sent twice, and its FIN takes the place of a DATA_FIN.
    pub(crate) fn continue_as_one(&mut self) {
        self.reinject.clear();
        if self.una <= self.app_end {
            self.nxt = self.nxt.min(self.app_end);
        }
    }

    pub(crate) fn has_reinjections(&self) -> bool {
        !self.reinject.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::linux::buffer_size::BufferSize;

    fn sender(written: u64, window: u64) -> DataSender {
        let mut s = DataSender::new(u64::MAX);
        s.app_end = written;
        s.start(1000);
        s.on_ack(1000, window);
        s
    }

    fn send(s: &mut DataSender, carrier: usize, n: usize) {
        for _ in 0..n {
            let chunk = s.fresh(100).unwrap();
            s.hand_out(&chunk, (carrier, false));
        }
    }

    #[test]
    fn new_data_ends_at_the_window_the_buffer_and_what_was_written() {
        let mut s = sender(1050, 1000);
        send(&mut s, 0, 10);
        assert_eq!((s.fresh(100), s.has_fresh(), s.is_window_limited(100)), (None, false, true));
        s.on_ack(1100, 1000);
        assert!(s.has_fresh());
        let rest = s.fresh(100).unwrap();
        assert_eq!((rest.dsn, rest.len), (2000, 50));
        s.hand_out(&rest, (0, false));
        assert_eq!((s.fresh(100), s.has_fresh()), (None, false));
        assert_eq!((s.is_window_limited(100), s.outstanding()), (false, 950));
    }

    #[test]
    fn what_waits_for_a_subflow_ends_at_the_send_buffer() {
        let mut s = DataSender::new(500);
        s.app_end = 2000;
        s.start(1000);
        s.on_ack(1000, 300);
        assert_eq!(s.unassigned(), 500);
        send(&mut s, 0, 3);
        assert_eq!(s.unassigned(), 200, "the peer's window does not count");
        s.on_ack(1300, 300);
        assert_eq!(s.unassigned(), 500);
        s.app_end = 1350;
        assert_eq!(s.unassigned(), 50);
    }

    #[test]
    fn a_small_piece_of_window_is_waited_out() {
        let mut s = sender(1000, 250);
        send(&mut s, 0, 2);
        assert_eq!(s.fresh(100), None);
        s.on_ack(1200, 50);
        assert_eq!(
            s.fresh(100).map(|c| c.len),
            Some(50),
            "nothing is on its way: better little than nothing"
        );
    }

    #[test]
    fn reinjections_are_in_order_disjoint_and_gone_once_acknowledged() {
        let mut s = sender(1000, 1000);
        send(&mut s, 0, 4);
        s.reinject(1200, 1400);
        s.reinject(1000, 1300);
        s.reinject(1000, 1400);
        let mut seen = Vec::new();
        s.on_ack(1050, 1000);
        while let Some(chunk) = s.first_reinjection() {
            seen.push((chunk.dsn, chunk.end(), chunk.carriers));
            s.hand_out(&chunk, (1, false));
        }
        assert_eq!(seen, [(1050, 1100, 1), (1100, 1200, 1), (1200, 1300, 1), (1300, 1400, 1)]);
        assert_eq!(s.oldest().unwrap().carriers, 0b11);
        s.forget_carrier(0);
        assert_eq!(s.oldest().unwrap().carriers, 0b10);
        s.reinject(1000, 1400);
        s.on_ack(1400, 1000);
        assert_eq!((s.first_reinjection(), s.outstanding()), (None, 0));
    }

    #[test]
    fn what_is_sent_again_in_part_leaves_its_rest() {
        let mut s = sender(1000, 1000);
        send(&mut s, 0, 2);
        s.reinject(1000, 1200);
        let chunk = s.first_reinjection().unwrap();
        s.hand_out(&DataChunk { len: 40, ..chunk }, (1, false));
        let rest = s.first_reinjection().unwrap();
        assert_eq!((rest.dsn, rest.end()), (1040, 1100));
        s.hand_out(&rest, (1, false));
        assert_eq!(s.first_reinjection().map(|c| c.dsn), Some(1100));
    }

    #[test]
    fn what_joins_the_latest_piece_is_part_of_it() {
        let mut s = sender(1000, 1000);
        s.hand_out(&DataChunk { dsn: 1000, len: 40, carriers: 0 }, (1, false));
        let number = s.hand_out(&DataChunk { dsn: 1040, len: 60, carriers: 0 }, (1, true));
        s.date_piece(number, Instant::from_millis(7));
        let piece = s.oldest().unwrap();
        assert_eq!((piece.dsn, piece.end(), piece.carriers), (1000, 1100, 0b10));
        assert_eq!(s.first_sending_of(1099), Some(Instant::from_millis(7)));
    }

    #[test]
    fn a_piece_keeps_the_time_of_its_first_sending() {
        let mut s = sender(1000, 1000);
        for ms in 1..=3 {
            send(&mut s, 0, 1);
            s.date_newest(Instant::from_millis(ms));
        }
        s.reinject(1000, 1100);
        let chunk = s.first_reinjection().unwrap();
        s.hand_out(&chunk, (1, false));
        let first = |s: &DataSender, dsn| s.first_sending_of(dsn).map(|at| at.as_nanos() / 1_000_000);
        assert_eq!([1000, 1099, 1100, 1299].map(|dsn| first(&s, dsn)), [1, 1, 2, 3].map(Some));
        assert_eq!(first(&s, 1300), None, "not sent yet");
        s.on_ack(1100, 1000);
        assert_eq!((first(&s, 1099), first(&s, 1100)), (None, Some(2)));
    }

    #[test]
    fn an_application_writes_until_there_is_no_room_and_then_waits_for_a_third_of_the_buffer() {
        let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(667_648)));
        s.app_end = 10_000_000;
        s.start(1);
        while s.refill() {}
        // As measured in Linux 6.12: a buffer of 667648 bytes was filled up to 688128, 21 blocks of 32768 with 40 bytes before each.
        assert_eq!(s.unassigned(), 21 * 32_728);
        let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(393_216)));
        s.app_end = 10_000_000;
        s.start(1);
        while s.refill() {}
        assert_eq!(s.unassigned(), 12 * 32_728);
        let waits_and_goes_on =
            [(131_000, false), (131_200, true), (131_200, true), (131_200, false), (200_000, false)];
        for (acked, writes) in waits_and_goes_on {
            s.nxt = 1 + acked;
            s.on_ack(1 + acked, 1 << 30);
            assert_eq!(s.refill(), writes, "{acked}");
        }
    }

    #[test]
    fn an_acknowledgment_never_takes_back_window_or_data() {
        let mut s = sender(1000, 500);
        send(&mut s, 0, 3);
        assert_eq!(s.on_ack(1200, 500), 200);
        assert_eq!(s.on_ack(1100, 900), 0, "an old one says nothing");
        assert_eq!(s.on_ack(9999, 1), 0, "of what was never sent");
        assert_eq!((s.una, s.edge), (1200, 1700));
        s.on_ack(1200, 100);
        assert_eq!(s.edge, 1700);
    }

    #[test]
    fn an_application_wakes_once_it_has_waited_and_a_third_is_free() {
        let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(98_304)));
        s.app_end = 1 << 20;
        s.start(1);
        s.on_ack(1, 1 << 20);
        assert!(!s.wakes(), "it has not found the buffer full");
        while s.refill() {}
        let stored = s.stored;
        while let Some(chunk) = s.fresh(1000) {
            s.hand_out(&chunk, (0, false));
        }
        s.on_ack(1 + stored / 4, 1 << 20);
        assert!(!s.wakes(), "a quarter is free");
        s.on_ack(1 + stored / 2, 1 << 20);
        assert!(s.wakes());
        assert!(s.refill() && !s.wakes(), "it writes");
    }

    #[test]
    fn what_goes_again_goes_on_until_its_fragment_ends() {
        let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(393_216)));
        s.app_end = 1 << 20;
        s.start(1);
        assert!(s.refill());
        s.on_ack(1, 1 << 20);
        // Of 32,728 bytes; 1424 go into it 22 times, and 1400 are left.
        for _ in 0..30 {
            let chunk = s.fresh(1424).unwrap();
            s.hand_out(&chunk, (0, false));
        }
        assert!(!s.resends_within(), "nothing goes again");
        s.reinject_all();
        let mut within = Vec::new();
        for _ in 0..24 {
            within.push(s.resends_within());
            let chunk = s.first_reinjection().unwrap();
            s.hand_out(&chunk, (1, false));
        }
        let begins: Vec<_> = (0..24).filter(|i| !within[*i]).collect();
        assert_eq!(begins, [0, 23], "two fragments");
    }

    #[test]
    fn what_goes_again_is_cut_where_its_fragment_ends() {
        let mut s = DataSender::with_memory(SendBuffer::new(BufferSize::fixed(393_216)));
        s.app_end = 1 << 20;
        s.start(1);
        assert!(s.refill());
        s.on_ack(1, 1 << 20);
        // 32728 bytes are 22 times 1424 and 1400; the segment of these takes 24 of the next fragment, too.
        for _ in 0..23 {
            let chunk = s.fresh(1424).unwrap();
            s.hand_out(&chunk, (0, false));
        }
        s.hand_out(&DataChunk { dsn: 32_729, len: 24, carriers: 0 }, (0, true));
        assert_eq!([1, 31_329, 32_729].map(|dsn| s.end_of_fragment(dsn)), [32_729, 32_729, 32_753].map(Some));
        s.reinject_all();
        let mut lengths = Vec::new();
        while let Some(chunk) = s.first_reinjection() {
            lengths.push(chunk.len);
            s.hand_out(&chunk, (1, false));
        }
        assert_eq!((lengths.len(), &lengths[21..]), (24, &[1424, 1400, 24][..]));
    }
}
