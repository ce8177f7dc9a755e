//! Send queue packet by packet: `sk_write_queue`, `tcp_rtx_queue` and `sk_wmem_queued` of Linux.
//!
//! An application's bytes wait in packets of up to 64 KiB. The window lets a part of the first one leave, and the rest becomes
//! a packet of its own (`tso_fragment`); a short one takes what it lacks from the next (`tcp_grow_skb`). Sent packets stay as
//! they left until they are acknowledged. SACK cuts them at the edges of its blocks and merges SACKed ones
//! (`tcp_match_skb_to_sack`, `tcp_shift_skb_data`); a partial retransmission cuts them, too (`tcp_fragment`). Each packet
//! takes the memory of its bytes and a fixed overhead, so only the number of packets has to be known.
//!
//! PSH belongs to the end of a packet: a part that is cut off behind takes it along. A packet that leaves with several
//! segments has it, too, but only that once (`__tcp_transmit_skb`).
//!
//! On a subflow of Multipath TCP each written packet has one mapping. Only parts of the same mapping are ever merged
//! (`mptcp_skb_can_collapse`), and once a part has left the mapping is fixed, so the rest does not grow (`frozen`).

use tailrace_core::Ring;

/// A packet, which starts where the one before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct QueuedPacket {
    end: u64,
    /// Number of its mapping; zero without mappings.
    mapping: u32,
    /// Its last segment has PSH whenever it is sent.
    pushed: bool,
    sacked: bool,
}

impl QueuedPacket {
    const fn up_to(end: u64, mapping: u32) -> Self {
        Self { end, mapping, pushed: false, sacked: false }
    }
}

/// Positions are sequence numbers. Invariants: ends rise; the last packet that was sent ends at `left`, where the first that waits begins,
/// and the last of those ends at `written`; no packet is empty.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct SendQueue {
    mss: u64,
    /// Memory of a packet beyond its bytes.
    overhead: u64,
    una: u64,
    left: u64,
    written: u64,
    sent: Ring<QueuedPacket>,
    waiting: Ring<QueuedPacket>,
    /// The latest mapping, where each packet that is written has one.
    mapping: Option<u32>,
    /// The first waiting packet is the rest of a cut one.
    is_cut: bool,
    /// Packets being sent, for the first time and again.
    leaving: SendingPacket,
    again: SendingPacket,
}

/// A packet, or a part of one, that is being sent segment by segment.
#[derive(Clone, Copy, Debug, Default)]
struct SendingPacket {
    next: u64,
    end: u64,
    pushed: bool,
}

impl SendQueue {
    /// Queue whose packets take `overhead` bytes beside their payload.
    pub(in crate::tcp) fn new(overhead: u64) -> Self {
        let (sent, waiting) = (Ring::new(), Ring::new());
        let (leaving, again) = (SendingPacket::default(), SendingPacket::default());
        let (mapping, is_cut) = (None, false);
        Self { mss: 1, overhead, una: 0, left: 0, written: 0, sent, waiting, mapping, is_cut, leaving, again }
    }

    /// Queue of a subflow: each packet has a mapping.
    pub(in crate::tcp) fn of_subflow(overhead: u64) -> Self {
        Self { mapping: Some(0), ..Self::new(overhead) }
    }

    /// The connection is established: the first byte is at `start`, segments are of `mss` bytes.
    pub(in crate::tcp) fn start(&mut self, start: u64, mss: u64) {
        (self.una, self.left, self.written, self.mss) = (start, start, start, mss.max(1));
    }

    /// End of the written data.
    pub(in crate::tcp) const fn written(&self) -> u64 {
        self.written
    }

    /// End of the packet that was handed down last.
    pub(in crate::tcp) const fn left(&self) -> u64 {
        self.left
    }

    /// Memory in use (`sk_wmem_queued`).
    pub(in crate::tcp) fn memory(&self) -> u64 {
        let packets = (self.sent.len() + self.waiting.len()) as u64;
        self.written - self.una + packets * self.overhead
    }

    /// Whether exactly one packet waits.
    pub(in crate::tcp) fn has_one_waiting(&self) -> bool {
        self.waiting.len() == 1
    }

    pub(in crate::tcp) fn waiting(&self) -> u64 {
        self.waiting.len() as u64
    }

    pub(in crate::tcp) fn is_all_sent(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Length of the first packet that waits.
    pub(in crate::tcp) fn head(&self) -> Option<u64> {
        self.waiting.front().map(|packet| packet.end - self.left)
    }

    /// Whether the last packet that waits may become longer.
    pub(in crate::tcp) fn may_grow(&self) -> bool {
        let frozen = self.mapping.is_some() && self.is_cut && self.has_one_waiting();
        !self.waiting.is_empty() && !frozen
    }

    /// Room in the last waiting packet, up to `goal`.
    pub(in crate::tcp) fn room_in_tail(&self, goal: u64) -> u64 {
        let Some(tail) = self.waiting.back() else { return 0 };
        let before = self.waiting.len().checked_sub(2).map_or(self.left, |i| self.waiting[i].end);
        goal.saturating_sub(tail.end - before)
    }

    /// The application writes `bytes` more into the last waiting packet, or into a new one.
    pub(in crate::tcp) fn append(&mut self, bytes: u64, new: bool) {
        self.written += bytes;
        match self.waiting.back_mut().filter(|_| !new) {
            Some(tail) => tail.end = self.written,
            None => {
                self.mapping = self.mapping.map(|latest| latest.wrapping_add(1));
                self.waiting.push_back(QueuedPacket::up_to(self.written, self.mapping.unwrap_or(0)));
            }
        }
    }

    /// Sets or clears PSH of the last waiting packet, if any (`tcp_mark_push`).
    pub(in crate::tcp) fn push_tail(&mut self, pushed: bool) {
        if let Some(tail) = self.waiting.back_mut() {
            tail.pushed = pushed;
        }
    }

    /// The first waiting packet takes what it lacks to `bytes` from the next. Returns its length then.
    pub(in crate::tcp) fn grow_head(&mut self, bytes: u64) -> Option<u64> {
        let len = self.head()?;
        let next = self.waiting.get(1).filter(|next| next.mapping == self.waiting[0].mapping);
        if let (true, Some(&next)) = (len < bytes, next) {
            let end = next.end.min(self.left + bytes);
            if end == next.end {
                // PSH of either part belongs to the whole.
                let head = self.waiting.pop_front().is_some_and(|head| head.pushed);
                self.waiting[0].pushed |= head;
            } else {
                self.waiting[0].end = end;
            }
        }
        self.head()
    }

    /// Sends `bytes` of the first waiting packet as one: with several segments it is pushed.
    pub(in crate::tcp) fn hand_down(&mut self, bytes: u64) {
        let Some(&head) = self.waiting.front() else { return };
        let end = head.end.min(self.left + bytes);
        self.is_cut = end < head.end;
        let packet = if self.is_cut { QueuedPacket::up_to(end, head.mapping) } else { head };
        if !self.is_cut {
            self.waiting.pop_front();
        }
        self.sent.push_back(packet);
        self.leaving = SendingPacket { next: self.left, end, pushed: packet.pushed || bytes > self.mss };
        self.left = end;
    }

    /// Extends the packet being sent to `end` at least.
    pub(in crate::tcp) fn extend_to(&mut self, end: u64) {
        let (Some(&head), Some(latest)) = (self.waiting.front(), self.sent.back_mut()) else { return };
        if end <= self.left {
            return;
        }
        self.left = end.min(head.end);
        (latest.end, self.leaving.end) = (self.left, self.left);
        if self.left == head.end {
            (latest.pushed, self.leaving.pushed) = (head.pushed, head.pushed || self.leaving.pushed);
            self.is_cut = false;
            self.waiting.pop_front();
        }
    }

    /// Whether the bytes before and behind `at`, the end of a sent segment, have one mapping.
    pub(in crate::tcp) fn mapping_continues_at(&self, at: u64) -> bool {
        if self.mapping.is_none() || at <= self.una || at >= self.written {
            return false;
        }
        debug_assert!(at <= self.left, "a segment that leaves has been handed down");
        if at == self.left {
            let latest = self.sent.back().map(|packet| packet.mapping);
            return latest.is_some() && latest == self.waiting.front().map(|next| next.mapping);
        }
        // Usually within the packet sent last.
        let last = self.sent.len().saturating_sub(1);
        let is_last = last == 0 || self.sent.get(last - 1).is_some_and(|packet| packet.end < at);
        let place = if is_last { last } else { self.index_of(at - 1) };
        let Some(packet) = self.sent.get(place) else { return false };
        let next = self.sent.get(place + 1).or_else(|| self.waiting.front());
        packet.end > at || next.is_some_and(|next| next.mapping == packet.mapping)
    }

    /// Whether new data that ends at `end` has PSH.
    pub(in crate::tcp) const fn is_pushed(&self, end: u64) -> bool {
        self.leaving.end == end && self.leaving.pushed
    }

    /// Whether a retransmission up to `end` has PSH.
    pub(in crate::tcp) const fn is_pushed_again(&self, end: u64) -> bool {
        self.again.end == end && self.again.pushed
    }

    /// The application writes no more: drops unsent packets.
    pub(in crate::tcp) fn drop_waiting(&mut self) {
        self.waiting.clear();
        (self.written, self.is_cut) = (self.left, false);
    }

    /// All up to `una` is acknowledged.
    pub(in crate::tcp) fn on_ack(&mut self, una: u64) {
        // A FIN is no byte of the queue.
        self.una = una.min(self.left);
        while self.sent.front().is_some_and(|packet| packet.end <= una) {
            self.sent.pop_front();
        }
    }

    /// A segment is SACKed.
    pub(in crate::tcp) fn on_sacked(&mut self, start: u64, end: u64) {
        let i = self.index_of(start);
        if self.sent.get(i).is_none_or(|packet| packet.sacked) {
            return;
        }
        let i = self.split(i, start);
        let packet = self.sent[i];
        let before = i.checked_sub(1).filter(|&i| self.joins(i, i + 1));
        match before {
            Some(before) if end < packet.end => self.sent[before].end = end,
            Some(before) => {
                self.join(before);
                if self.joins(before, before + 1) && self.sent[before + 1].sacked {
                    self.join(before);
                }
            }
            None => {
                self.split(i, end);
                self.sent[i].sacked = true;
            }
        }
    }

    /// Forgets SACKs: the receiver reneged.
    pub(in crate::tcp) fn forget_sacks(&mut self) {
        self.sent.iter_mut().for_each(|packet| packet.sacked = false);
    }

    /// Retransmits the segment from `start` on, alone or with those behind it in its packet, up to `most` bytes together.
    pub(in crate::tcp) fn resend(&mut self, start: u64, most: u64) {
        if self.again.next != start || self.again.end <= start {
            let i = self.split(self.index_of(start), start);
            let end = self.sent.get(i).map_or(start, |packet| packet.end.min(start + most));
            self.split(i, end);
            let pushed = end > start + self.mss || self.sent.get(i).is_some_and(|packet| packet.pushed);
            self.again = SendingPacket { next: start, end, pushed };
        }
        self.again.next = start + self.mss;
    }

    /// Cuts the packet at place `i`, or one soon behind it, at `at`. Returns the place of the packet with that byte.
    fn split(&mut self, mut i: usize, at: u64) -> usize {
        while self.sent.get(i).is_some_and(|packet| packet.end <= at) {
            i += 1;
        }
        if at > self.start_of(i)
            && let Some(&packet) = self.sent.get(i)
        {
            self.sent.insert(i, QueuedPacket { end: at, pushed: false, ..packet });
            i += 1;
        }
        i
    }

    /// Whether SACK may merge packet `i`, which is SACKed, with packet `j`: same mapping, segments as long.
    fn joins(&self, i: usize, j: usize) -> bool {
        let like = |i: usize| (self.sent[i].mapping, (self.sent[i].end - self.start_of(i)).min(self.mss));
        j < self.sent.len() && self.sent[i].sacked && like(i) == like(j)
    }

    /// Merges packet `i` and the next.
    fn join(&mut self, i: usize) {
        if let Some(next) = self.sent.remove(i + 1) {
            let packet = &mut self.sent[i];
            (packet.end, packet.pushed) = (next.end, packet.pushed || next.pushed);
        }
    }

    /// Place of the packet with byte `at`, or the number of packets.
    fn index_of(&self, at: u64) -> usize {
        self.sent.partition_point(|packet| packet.end <= at)
    }

    fn start_of(&self, i: usize) -> u64 {
        i.checked_sub(1).map_or(self.una, |before| self.sent[before].end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    /// A queue with packets that wait, of so many segments, as a kernel 6.12 has them.
    fn queue(packets: &[u64]) -> SendQueue {
        let mut queue = SendQueue::new(832);
        queue.start(0, MSS);
        packets.iter().for_each(|n| queue.append(n * MSS, true));
        queue
    }

    /// Packets of so many segments that have left.
    fn sent(packets: &[u64]) -> SendQueue {
        let mut queue = queue(packets);
        packets.iter().for_each(|n| queue.hand_down(n * MSS));
        queue
    }

    /// Ends of the packets that have left, in segments.
    fn ends(queue: &SendQueue) -> Vec<u64> {
        queue.sent.iter().map(|packet| packet.end / MSS).collect()
    }

    #[test]
    fn a_mapping_goes_on_until_what_was_written_with_it_ends() {
        let mut queue = SendQueue::of_subflow(832);
        queue.start(0, MSS);
        [3, 2].iter().for_each(|n| queue.append(n * MSS, true));
        queue.hand_down(2 * MSS);
        let goes_on = |queue: &SendQueue| {
            let ends = (1..6).map(|n| n * MSS).take_while(|end| *end <= queue.left());
            ends.map(|end| queue.mapping_continues_at(end)).collect::<Vec<_>>()
        };
        assert_eq!(goes_on(&queue), [true, true], "the third waits");
        (0..2).for_each(|_| queue.hand_down(MSS));
        assert_eq!(goes_on(&queue), [true, true, false, true]);
        queue.on_ack(2 * MSS);
        assert_eq!(goes_on(&queue), [false, false, false, true]);
        queue.hand_down(MSS);
        assert!(!queue.mapping_continues_at(5 * MSS), "nothing is behind that");
    }

    #[test]
    fn sent_part_of_a_packet_is_a_packet_of_its_own() {
        // 22 segments: 31856 and 832 bytes, and 832 more as two of them leave.
        let mut queue = queue(&[22]);
        assert_eq!(queue.memory(), 32_688);
        queue.push_tail(true);
        queue.hand_down(2 * MSS);
        assert_eq!((queue.memory(), queue.head(), queue.left()), (33_520, Some(20 * MSS), 2 * MSS));
        // The space of the sent part is filled up again.
        assert_eq!((queue.room_in_tail(22 * MSS), queue.has_one_waiting()), (2 * MSS, true));
        queue.append(2 * MSS, false);
        assert_eq!(queue.memory(), 36_416);
        queue.on_ack(MSS);
        assert_eq!(queue.memory(), 36_416 - MSS, "a part of a packet: its overhead stays");
        queue.on_ack(2 * MSS);
        assert_eq!(queue.memory(), 32_688);
        // A FIN behind the data is none of it.
        queue.hand_down(22 * MSS);
        queue.on_ack(24 * MSS + 1);
        assert_eq!((queue.memory(), queue.is_all_sent()), (0, true));
    }

    #[test]
    fn psh_goes_with_the_end_of_a_packet_and_with_several_segments_once() {
        let mut queue = queue(&[3]);
        queue.push_tail(true);
        queue.hand_down(MSS);
        assert!(!queue.is_pushed(MSS), "the rest has it");
        queue.hand_down(MSS);
        queue.hand_down(MSS);
        assert!(queue.is_pushed(3 * MSS) && !queue.is_pushed(2 * MSS));
        let mut pair = sent(&[2]);
        assert!(pair.is_pushed(2 * MSS) && !pair.is_pushed(MSS));
        pair.resend(0, MSS);
        pair.resend(MSS, MSS);
        assert!(!pair.is_pushed_again(MSS) && !pair.is_pushed_again(2 * MSS), "each leaves alone");
        let mut pair = sent(&[2]);
        pair.resend(0, 2 * MSS);
        pair.resend(MSS, MSS);
        assert!(pair.is_pushed_again(2 * MSS) && ends(&pair) == [2], "both leave together");
    }

    #[test]
    fn retransmission_stays_within_a_packet() {
        let mut queue = sent(&[1, 1, 1]);
        queue.on_sacked(MSS, 2 * MSS);
        queue.on_sacked(2 * MSS, 3 * MSS);
        assert_eq!(ends(&queue), [1, 3]);
        queue.resend(0, 2 * MSS);
        assert_eq!(ends(&queue), [1, 3], "the one behind it is left as it is");
        assert!(!queue.is_pushed_again(2 * MSS));
    }

    #[test]
    fn a_short_packet_takes_what_it_lacks_from_the_next() {
        let mut queue = queue(&[1, 3]);
        queue.push_tail(true);
        assert_eq!(queue.grow_head(MSS), Some(MSS), "it lacks nothing");
        assert_eq!((queue.grow_head(2 * MSS), queue.memory()), (Some(2 * MSS), 4 * MSS + 2 * 832));
        queue.hand_down(2 * MSS);
        assert!(!queue.has_one_waiting() || queue.head() == Some(2 * MSS));
        let mut queue = SendQueue::new(832);
        queue.start(0, MSS);
        [1, 1].iter().for_each(|n| queue.append(n * MSS, true));
        queue.push_tail(true);
        assert_eq!((queue.grow_head(4 * MSS), queue.memory()), (Some(2 * MSS), 2 * MSS + 832), "all of it");
        queue.hand_down(2 * MSS);
        queue.resend(MSS, MSS);
        assert!(queue.is_pushed_again(2 * MSS), "its PSH, too");
    }

    #[test]
    fn sack_cuts_packets_and_puts_together_what_is_sacked() {
        let mut queue = sent(&[2, 2, 2]);
        queue.on_sacked(3 * MSS, 4 * MSS);
        assert_eq!(ends(&queue), [2, 3, 4, 6], "the second segment of a packet");
        queue.on_sacked(4 * MSS, 5 * MSS);
        assert_eq!(ends(&queue), [2, 3, 5, 6], "the next joins it");
        queue.on_sacked(5 * MSS, 6 * MSS);
        assert_eq!(ends(&queue), [2, 3, 6]);
        queue.on_sacked(0, MSS);
        assert_eq!(ends(&queue), [1, 2, 3, 6]);
        queue.on_sacked(2 * MSS, 3 * MSS);
        assert_eq!(ends(&queue), [1, 2, 3, 6], "before what is SACKed: apart");
        queue.on_sacked(MSS, 2 * MSS);
        assert_eq!(ends(&queue), [3, 6], "between two: with both it touches");
        assert_eq!(queue.memory(), 6 * MSS + 2 * 832);
        queue.on_sacked(MSS, 2 * MSS);
        assert_eq!(ends(&queue), [3, 6], "once");
    }

    #[test]
    fn reneged_sacks_merge_no_packets() {
        let mut queue = sent(&[1, 1]);
        queue.on_sacked(0, MSS);
        queue.forget_sacks();
        queue.on_sacked(MSS, 2 * MSS);
        assert_eq!(ends(&queue), [1, 2]);
    }

    #[test]
    fn partial_retransmission_cuts_a_packet() {
        let mut queue = sent(&[4]);
        queue.resend(0, 2 * MSS);
        queue.resend(MSS, MSS);
        assert_eq!(ends(&queue), [2, 4], "two together");
        queue.resend(3 * MSS, MSS);
        assert_eq!(ends(&queue), [2, 3, 4], "the last alone, as a probe");
    }

    #[test]
    fn mapping_of_a_cut_packet_does_not_grow_and_only_its_parts_merge() {
        let mut queue = SendQueue::of_subflow(832);
        queue.start(0, MSS);
        assert!(!queue.may_grow(), "there is none");
        queue.append(3 * MSS, true);
        assert!(queue.may_grow());
        queue.hand_down(2 * MSS);
        assert!(!queue.may_grow(), "a part has left");
        queue.append(MSS, true);
        assert!(queue.may_grow(), "another mapping");
        assert_eq!(queue.grow_head(2 * MSS), Some(MSS), "it takes nothing of the next");
        queue.hand_down(MSS);
        queue.hand_down(MSS);
        assert_eq!(ends(&queue), [2, 3, 4]);
        [1, 2, 3].iter().for_each(|i| queue.on_sacked(i * MSS, (i + 1) * MSS));
        assert_eq!(ends(&queue), [1, 3, 4], "the first three segments had one mapping, the fourth another");
    }

    #[test]
    fn packet_being_sent_can_be_extended() {
        let mut queue = queue(&[3]);
        queue.push_tail(true);
        queue.hand_down(2 * MSS);
        queue.extend_to(2 * MSS - 10);
        assert_eq!((queue.left(), queue.head()), (2 * MSS, Some(MSS)), "it reaches as far already");
        queue.extend_to(2 * MSS + 100);
        assert_eq!(
            (queue.left(), queue.head(), queue.memory()),
            (2 * MSS + 100, Some(MSS - 100), 3 * MSS + 2 * 832)
        );
        queue.extend_to(4 * MSS);
        assert_eq!((queue.left(), queue.head(), queue.memory()), (3 * MSS, None, 3 * MSS + 832), "all of it");
        assert!(queue.is_pushed(3 * MSS));
    }

    #[test]
    fn unsent_packets_can_be_dropped() {
        let mut queue = queue(&[2, 2]);
        queue.hand_down(2 * MSS);
        queue.drop_waiting();
        assert_eq!((queue.memory(), queue.written(), queue.head()), (2 * MSS + 832, 2 * MSS, None));
    }
}
