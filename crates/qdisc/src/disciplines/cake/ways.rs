//! The set-associative hash: 1024 queues in sets of eight.
//!
//! A flow's hash names a queue. If another flow has it, the flow takes a free one of the same set; only the ninth
//! flow of a set must share (Høiland-Jørgensen et al. 2018 §III-B).

/// Queues of a tin.
pub(super) const QUEUES: usize = 1024;
/// Queues of a set.
pub(super) const WAYS: usize = 8;

/// What was found for a packet's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The queue in which the flow already is.
    Its(usize),
    /// A queue that holds no flow.
    Free(usize),
    /// A queue of another flow, which it now shares.
    Shared(usize),
}

impl Found {
    pub(super) const fn queue(self) -> usize {
        match self {
            Self::Its(queue) | Self::Free(queue) | Self::Shared(queue) => queue,
        }
    }
}

/// The first way of the set of `first`, beginning with that one, for which `fits` is true of its place in the set.
#[inline]
pub(super) fn way(first: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let mask = (0..WAYS).fold(0u8, |mask, w| mask | u8::from(fits(w)) << w);
    let turn = (first % WAYS) as u32;
    let distance = mask.rotate_right(turn).trailing_zeros();
    (mask != 0).then(|| first - first % WAYS + (turn + distance) as usize % WAYS)
}

/// As many of `each` as there are queues.
pub(super) fn boxed<T: Clone + core::fmt::Debug>(each: T) -> Box<[T; QUEUES]> {
    vec![each; QUEUES].try_into().expect("as many as there are queues")
}

/// Whose each queue is.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    tags: Box<[u32; QUEUES]>,
    /// Queues that are in use, a bit for each way of a set.
    busy: [u8; QUEUES / WAYS],
    /// Packets that had to share a queue.
    pub(super) collisions: u64,
}

impl Ways {
    pub(super) fn new() -> Self {
        Self { tags: boxed(0), busy: [0; QUEUES / WAYS], collisions: 0 }
    }

    /// Says whether `queue` is in use from now on.
    #[inline]
    pub(super) fn set_busy(&mut self, queue: usize, busy: bool) {
        let set = &mut self.busy[queue / WAYS % (QUEUES / WAYS)];
        *set = *set & !(1 << (queue % WAYS)) | u8::from(busy) << (queue % WAYS);
    }

    /// The queue for `hash`.
    #[inline]
    pub(super) fn find(&mut self, hash: u32) -> Found {
        let first = hash as usize % QUEUES;
        let busy = self.busy[first / WAYS];
        let is_busy = |queue: usize| busy >> (queue % WAYS) & 1 != 0;
        if self.tags[first] == hash && is_busy(first) {
            return Found::Its(first);
        }
        let set = first - first % WAYS;
        let tags = &self.tags[set..set + WAYS];
        let found = match way(first, |w| tags[w] == hash) {
            Some(queue) if is_busy(queue) => return Found::Its(queue),
            Some(queue) => Found::Free(queue),
            None => match way(first, |w| !is_busy(w)) {
                Some(queue) => Found::Free(queue),
                None => {
                    self.collisions += 1;
                    Found::Shared(first)
                }
            },
        };
        self.tags[found.queue()] = hash;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Rng;

    #[test]
    fn the_ninth_flow_of_a_set_shares_the_queue_that_its_hash_names() {
        let mut ways = Ways::new();
        let hash = |n: u32| n * QUEUES as u32 + 13;
        for n in 0..8 {
            let found = ways.find(hash(n + 1));
            assert_eq!(found, Found::Free(8 + (5 + n as usize) % 8));
            ways.set_busy(found.queue(), true);
        }
        assert_eq!(ways.find(hash(4)), Found::Its(8));
        assert_eq!(ways.find(hash(9)), Found::Shared(13));
        assert_eq!(ways.collisions, 1);
        // The first flow's tag is gone: it shares now, too.
        assert_eq!(ways.find(hash(1)), Found::Shared(13));
        // A flow that fell asleep finds its queue again while nobody took it.
        ways.set_busy(8, false);
        assert_eq!(ways.find(hash(4)), Found::Free(8));
    }

    /// Flows, of `n`, that share a queue with another one.
    fn sharing(n: u32, rng: &mut Rng) -> usize {
        let (mut ways, mut flows) = (Ways::new(), vec![0u32; QUEUES]);
        for _ in 0..n {
            let queue = ways.find(rng.next_u64() as u32).queue();
            ways.set_busy(queue, true);
            flows[queue] += 1;
        }
        flows.iter().filter(|f| **f > 1).sum::<u32>() as usize
    }

    #[test]
    fn eight_ways_keep_flows_apart_where_a_plain_hash_does_not() {
        // Flows that share a queue when n hash into 1024. Plain, n (1 - (1 - 1/1024)^(n-1)): 9.2 of 100, 193 of 500.
        // With eight ways more than 8 of n must meet in a set of 8 queues, each there with chance 1/128: of 100
        // flows P(Binomial(100, 1/128) > 8) = 1.1e-7 a set; of 500, 3.62 find their set full, over all 128 sets.
        // Each of these shares with one more at most.
        let mut rng = Rng::new(1);
        let mean = |n, rng: &mut Rng| (0..200).map(|_| sharing(n, rng)).sum::<usize>() as f64 / 200.0;
        assert_eq!(mean(100, &mut rng), 0.0);
        let shared = mean(500, &mut rng);
        assert!((3.6..7.3).contains(&shared), "{shared}");
    }
}
