//! Parts shared by classifiers with hashed bins: a flow's bin at each level, and the flags of flows.

use crate::discipline::Cx;
pub(crate) use crate::flow_hash::salted;
use crate::flow_hash::{mix64, scale};
use tailrace_core::FlowKey;

/// The bin of a flow with `hash` at `level`, among `bins`; levels are independent of one another.
#[inline]
pub(crate) const fn bin_at(hash: u64, level: u32, bins: u32) -> u32 {
    scale(mix64(hash.wrapping_add((level as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))), bins)
}

/// Flows flagged at present: a table with a fixed number of places, one for each hash value.
///
/// A flow whose place is taken by another is reported cleared, so a flood of new keys costs no memory.
#[derive(Debug)]
pub(crate) struct Flags {
    places: Vec<Option<FlowKey>>,
    /// Number of them.
    flagged: u32,
}

impl Flags {
    /// Most flows flagged at once.
    pub(crate) const MOST: u32 = 4096;

    pub(crate) fn new() -> Self {
        Self { places: vec![None; Self::MOST as usize], flagged: 0 }
    }

    /// Sets or clears the flag of `flow`, whose salted hash is `hash`, and reports what changed. While nobody is flagged an
    /// innocent costs no hash.
    #[inline]
    pub(crate) fn set<P>(
        &mut self,
        flow: FlowKey,
        hash: impl FnOnce() -> u64,
        flagged: bool,
        cx: &mut Cx<'_, P>,
    ) {
        if flagged || self.flagged > 0 {
            self.change(flow, hash(), flagged, cx);
        }
    }

    #[inline(never)]
    fn change<P>(&mut self, flow: FlowKey, hash: u64, flagged: bool, cx: &mut Cx<'_, P>) {
        let place = &mut self.places[scale(hash, Self::MOST) as usize];
        if (*place == Some(flow)) == flagged {
            return;
        }
        if let Some(old) = place.take() {
            if old == flow || flagged {
                self.flagged -= 1;
                cx.sink.flagged(old, false, cx.now);
            } else {
                *place = Some(old);
            }
        }
        if flagged {
            self.flagged += 1;
            *place = Some(flow);
            cx.sink.flagged(flow, true, cx.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{Instant, Rng};

    fn key(src: u32) -> FlowKey {
        FlowKey { src, dst: 7, src_port: 1, dst_port: 80, protocol: 6 }
    }

    #[test]
    fn a_flow_is_reported_once_each_way() {
        let (mut rng, mut sink) = (Rng::new(1), Collector::<TestPacket>::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        let mut flags = Flags::new();
        for flagged in [false, true, true, false, false, true] {
            flags.set(key(1), || 5, flagged, &mut cx);
        }
        // Another flow with the same hash: innocent, then guilty.
        flags.set(key(2), || 5, false, &mut cx);
        flags.set(key(2), || 5, true, &mut cx);
        let reports: Vec<_> = sink.flagged.iter().map(|(k, flagged, _)| (k.src, *flagged)).collect();
        assert_eq!(reports, [(1, true), (1, false), (1, true), (1, false), (2, true)]);
    }

    #[test]
    fn a_million_flows_leave_no_more_flagged_than_there_are_places() {
        let (mut rng, mut sink) = (Rng::new(1), Collector::<TestPacket>::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        let mut flags = Flags::new();
        for src in 0..1_000_000 {
            flags.set(key(src), || salted(key(src), 9), true, &mut cx);
        }
        assert_eq!(flags.places.len(), Flags::MOST as usize);
        let open = sink.flagged.iter().map(|(_, flagged, _)| if *flagged { 1 } else { -1 }).sum::<i64>();
        assert_eq!(open, i64::from(Flags::MOST));
    }

    #[test]
    fn levels_are_independent() {
        // Flows that share a bin at level 0 are spread over all bins at level 1.
        let mut load = [0u32; 23];
        let together = (0..230_000).map(|s| salted(key(s), 3)).filter(|h| bin_at(*h, 0, 23) == 5);
        together.for_each(|h| load[bin_at(h, 1, 23) as usize] += 1);
        // About 435 each, standard deviation 21.
        assert!(load.iter().all(|n| (340..530).contains(n)), "{load:?}");
    }
}
