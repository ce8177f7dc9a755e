//! Bytes that a middlebox corrupted, and how many of them the application got.

/// Counter of corrupted bytes that arrive; remembers those that wait for bytes before them.
#[derive(Clone, Debug, Default)]
pub(crate) struct CorruptedBytes {
    arrived: u64,
    /// Ends of the pieces that wait, and how many new bytes they brought.
    waiting: Vec<(u64, u64)>,
}

impl CorruptedBytes {
    /// A piece that ends at `end` brought `bytes`; everything before `nxt` has come.
    pub(crate) fn add(&mut self, bytes: u64, end: u64, nxt: u64) {
        self.waiting.retain(|w| w.0 > nxt);
        if bytes > 0 {
            self.arrived += bytes;
            self.waiting.push((end, bytes));
        }
    }

    /// Bytes that have arrived.
    pub(crate) const fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Bytes in pieces of which all has been delivered where everything before `nxt` was.
    pub(crate) fn delivered(&self, nxt: u64) -> u64 {
        self.arrived - self.waiting.iter().filter(|w| w.0 > nxt).map(|w| w.1).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrupted_bytes_above_a_gap_are_not_delivered() {
        let mut a = CorruptedBytes::default();
        a.add(10, 11, 11);
        a.add(10, 31, 11);
        a.add(0, 41, 11);
        assert_eq!((a.arrived(), a.delivered(11), a.delivered(30), a.delivered(31)), (20, 10, 10, 20));
        a.add(5, 36, 36);
        assert_eq!((a.delivered(36), a.waiting.len()), (25, 1));
    }
}
