//! What has come at a receiver at some moment and is not delivered yet: for whoever counts over a window of time, since it
//! is delivered within the window without having come in it.

use super::Tcp;

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

    /// Bytes of each run that has come and waits for others before it.
    pub(crate) fn runs_that_wait(&self) -> impl Iterator<Item = u64> {
        self.rcv.ranges().map(|(start, end)| end - start)
    }
}
