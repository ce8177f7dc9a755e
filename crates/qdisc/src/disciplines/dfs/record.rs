//! Record of a flow.

use tailrace_core::{Bytes, Duration, FlowKey, Instant};

/// A flow's key in one number, so that a comparison is one.
pub(super) type Key = u128;

/// `flow` as a number.
#[inline]
pub(super) fn pack(flow: FlowKey) -> Key {
    let addresses = u128::from(u64::from(flow.src) << 32 | u64::from(flow.dst));
    let ports = u128::from(flow.src_port) << 16 | u128::from(flow.dst_port);
    addresses << 40 | ports << 8 | u128::from(flow.protocol)
}

/// The flow that `key` stands for.
pub(super) fn unpack(key: Key) -> FlowKey {
    FlowKey {
        src: (key >> 72) as u32,
        dst: (key >> 40) as u32,
        src_port: (key >> 24) as u16,
        dst_port: (key >> 8) as u16,
        protocol: key as u8,
    }
}

/// The record of a flow (Table 2 of the paper, and when it was seen last).
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// `fid`
    pub(super) key: Key,
    /// `sz`: bytes waiting.
    pub(super) waiting: u64,
    /// `p_m`: how unfair it is.
    pub(super) unfairness: f64,
    /// `p_time`: when `p_m` changed last.
    pub(super) changed: Instant,
    /// When its last packet arrived.
    pub(super) seen: Instant,
    /// `br` and `store_br`: its rate, once it is stored.
    pub(super) rate: Option<Bitrate>,
    /// `mark`: malicious.
    pub(super) marked: bool,
    /// Whether the Cache, not the repository, leads to it.
    pub(super) cached: bool,
    /// Whether it is in use.
    pub(super) live: bool,
}

impl Record {
    /// The record of a flow whose first packet arrives.
    pub(super) fn new(key: Key, unfairness: f64, now: Instant) -> Self {
        Self {
            key,
            waiting: 0,
            unfairness,
            changed: now,
            seen: now,
            rate: None,
            marked: false,
            cached: false,
            live: true,
        }
    }
}

/// The rate at which a flow's packets arrive, admitted or not, over windows one after the other.
///
/// A window ends with an arrival, so an even stream is measured exactly. Its own: the paper says only that it costs an
/// addition a packet and a division now and then.
#[derive(Clone, Debug)]
pub(super) struct Bitrate {
    since: Instant,
    bytes: u64,
    bps: Option<f64>,
}

impl Bitrate {
    /// Starts the first window.
    pub(super) fn new(now: Instant) -> Self {
        Self { since: now, bytes: 0, bps: None }
    }

    /// Counts an arrival.
    #[inline]
    pub(super) fn arrive(&mut self, size: Bytes, window: Duration, now: Instant) {
        self.bytes = self.bytes.saturating_add(size.get());
        let elapsed = now.saturating_since(self.since);
        if elapsed >= window {
            self.bps = Some(8.0 * self.bytes as f64 / elapsed.as_secs_f64());
            (self.bytes, self.since) = (0, now);
        }
    }

    /// The rate over the last window, bit/s; none before the first is over.
    #[inline]
    pub(super) fn bps(&self) -> Option<f64> {
        self.bps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_packed_without_loss() {
        let flow = FlowKey { src: u32::MAX, dst: 0x0102_0304, src_port: 0xfffe, dst_port: 80, protocol: 17 };
        assert_eq!(unpack(pack(flow)), flow);
        assert_eq!(unpack(pack(FlowKey::default())), FlowKey::default());
    }

    #[test]
    fn an_even_stream_is_measured_exactly_whatever_its_spacing() {
        // 1000 B each 100 ms: 80 kbit/s. A window of 250 ms ends with the third packet after its start.
        let mut rate = Bitrate::new(Instant::ZERO);
        let mut readings = Vec::new();
        for i in 1..=6 {
            rate.arrive(Bytes(1000), Duration::from_millis(250), Instant::from_millis(100 * i));
            readings.push(rate.bps());
        }
        let even = Some(80_000.0);
        assert_eq!(readings, [None, None, even, even, even, even]);
    }

    #[test]
    fn a_rate_stays_until_the_next_window_ends() {
        let mut rate = Bitrate::new(Instant::ZERO);
        for i in 1..=10 {
            rate.arrive(Bytes(1000), Duration::from_millis(10), Instant::from_millis(i));
        }
        assert_eq!(rate.bps(), Some(8e6));
        rate.arrive(Bytes(1000), Duration::from_millis(10), Instant::from_millis(19));
        assert_eq!(rate.bps(), Some(8e6));
        // Two packets in the 100 ms after the last window.
        rate.arrive(Bytes(1000), Duration::from_millis(10), Instant::from_millis(110));
        assert_eq!(rate.bps(), Some(160_000.0));
    }
}
