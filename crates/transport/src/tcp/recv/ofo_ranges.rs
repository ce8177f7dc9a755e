//! What has come at a receiver at some moment and is not delivered yet: for whoever counts over a window of time, since it
//! is delivered within the window without having come in it.

use crate::tcp::Tcp;
use crate::tcp::linux::receive_queue::Held;

impl Tcp {
    /// How much of the stream has come in order, what was passed over included (`misbehaviour`).
    pub fn received(&self) -> u64 {
        self.received_ssn().saturating_sub(1)
    }

    /// What has come and waits for bytes before it: disjoint ranges of the stream, whose first byte is 0, in order.
    pub fn waiting(&self) -> Vec<(u64, u64)> {
        let (first, end) = (self.irs + 1, self.rcv.fin().unwrap_or(u64::MAX));
        let data = self.rcv.ranges().map(|r| (r.0 - first, r.1.min(end).saturating_sub(first)));
        data.filter(|r| r.0 < r.1).collect()
    }

    /// The packets that have come and wait for others before them: where they are not followed, full ones.
    pub(crate) fn held_above_gaps(&self) -> Held {
        let ranges = || self.rcv.ranges().map(|(start, end)| end - start);
        let in_ranges = || Held {
            bytes: ranges().sum(),
            packets: ranges().map(|range| range.div_ceil(u64::from(self.mss))).sum(),
            buffers: ranges().count() as u64,
        };
        self.arrivals().map_or_else(in_ranges, |arrivals| arrivals.held(0, 1))
    }
}
