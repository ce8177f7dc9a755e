//! n-reordering with n = 3 (RFC 4737 §5): a packet is reordered if the three packets that arrived just before it were all sent
//! later. Three duplicate ACKs follow, so TCP takes the packet for lost.

use tailrace_core::Instant;
use tailrace_transport::segment::SeqNumber;

/// Send order of the latest three data packets that arrived at an end of a flow, the latest first. Packets sent at the same time are
/// ordered by sequence number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecentArrivals([(Instant, SeqNumber); 3]);

impl Default for RecentArrivals {
    fn default() -> Self {
        Self([(Instant::ZERO, SeqNumber(0)); 3])
    }
}

impl RecentArrivals {
    /// Records an arrival; returns whether the packet is 3-reordered.
    #[inline]
    pub(crate) fn record(&mut self, sent_at: Instant, seq: SeqNumber) -> bool {
        // Most packets were sent after the latest arrival.
        let reordered = sent_at <= self.0[0].0 && self.were_sent_after(sent_at, seq);
        self.0 = [(sent_at, seq), self.0[0], self.0[1]];
        reordered
    }

    fn were_sent_after(&self, sent_at: Instant, seq: SeqNumber) -> bool {
        let later = |(at, number): &(Instant, SeqNumber)| {
            *at > sent_at || (*at == sent_at && *at > Instant::ZERO && seq.before(*number))
        };
        self.0.iter().all(later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the reordered packets, if packets sent each millisecond from 1 on arrive in this order.
    fn reordered(arrivals: &[u64]) -> Vec<u64> {
        let mut recent = RecentArrivals::default();
        let is_reordered = |n: &u64| recent.record(Instant::from_millis(*n), SeqNumber(0));
        arrivals.iter().copied().filter(is_reordered).collect()
    }

    #[test]
    fn n_reordering_needs_three_later_packets_in_a_row() {
        assert_eq!(reordered(&[1, 2, 3, 4, 5]), [0_u64; 0]);
        // Overtaken by two.
        assert_eq!(reordered(&[1, 3, 4, 2, 5]), [0_u64; 0]);
        // Overtaken by three, and by four.
        assert_eq!(reordered(&[1, 3, 4, 5, 2]), [2]);
        assert_eq!(reordered(&[1, 3, 4, 5, 6, 2]), [2]);
        // The second of two late packets follows the first, which was sent before it.
        assert_eq!(reordered(&[1, 4, 5, 6, 2, 3]), [2]);
        // 7 was overtaken by 8, 9 and 10; 4 by these and, just before it, by 7.
        assert_eq!(reordered(&[1, 8, 9, 10, 7, 4, 11]), [7, 4]);
        // The first three arrivals have no three before them.
        assert_eq!(reordered(&[3, 2, 1]), [0_u64; 0]);
    }

    #[test]
    fn n_reordering_orders_a_burst_by_sequence_number() {
        let mut recent = RecentArrivals::default();
        let at = Instant::from_millis(5);
        let found = [1000, 3000, 4000, 5000, 2000].map(|seq| recent.record(at, SeqNumber(seq)));
        assert_eq!(found, [false, false, false, false, true]);
    }
}
