//! The set-associative hash: 1024 queues in sets of eight.
//!
//! A flow's hash names a queue. If another flow has it, the flow takes a free one of the same set; only the ninth
//! flow of a set must share (Høiland-Jørgensen et al. 2018 §III-B).

/// Queues of a tin.
pub(super) const QUEUES: usize = 1024;
/// Queues of a set.
pub(super) const WAYS: usize = 8;

/// Result of a look-up by a packet's hash.
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

/// The first way of the set of `first`, beginning with that one, among those whose bits are set.
#[inline]
pub(super) fn way(first: usize, ways: u8) -> Option<usize> {
    let turn = (first % WAYS) as u32;
    let distance = ways.rotate_right(turn).trailing_zeros();
    (ways != 0).then(|| first - first % WAYS + (turn + distance) as usize % WAYS)
}

/// The ways of the set of `first` that have this tag, a bit each.
#[inline]
pub(super) fn with_tag(tags: &[u32; QUEUES], first: usize, tag: u32) -> u8 {
    let set = first % QUEUES - first % WAYS;
    let tags = &tags[set..set + WAYS];
    // Mostly none has it, which takes a third of the instructions to see.
    if !tags.iter().fold(false, |any, of_way| any | (*of_way == tag)) {
        return 0;
    }
    (0..WAYS).fold(0, |mask, w| mask | u8::from(tags[w] == tag) << w)
}

/// A bit for each queue.
#[derive(Clone, Debug)]
pub(super) struct Bits([u8; QUEUES / WAYS]);

impl Bits {
    pub(super) const NONE: Self = Self([0; QUEUES / WAYS]);

    /// Queues of the set of `queue`.
    #[inline]
    pub(super) const fn of_set(&self, queue: usize) -> u8 {
        self.0[queue / WAYS % (QUEUES / WAYS)]
    }

    #[inline]
    pub(super) const fn get(&self, queue: usize) -> bool {
        self.of_set(queue) >> (queue % WAYS) & 1 != 0
    }

    #[inline]
    pub(super) const fn set(&mut self, queue: usize) {
        self.0[queue / WAYS % (QUEUES / WAYS)] |= 1 << (queue % WAYS);
    }

    #[inline]
    pub(super) const fn clear(&mut self, queue: usize) {
        self.0[queue / WAYS % (QUEUES / WAYS)] &= !(1 << (queue % WAYS));
    }
}

/// Array with a copy of `each` for every queue.
pub(super) fn boxed<T: Clone + core::fmt::Debug>(each: T) -> Box<[T; QUEUES]> {
    vec![each; QUEUES].try_into().expect("as many as there are queues")
}

/// Owner of each queue.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    tags: Box<[u32; QUEUES]>,
    /// Queues that are in use.
    pub(super) busy: Bits,
    /// Packets that had to share a queue.
    pub(super) collisions: u64,
}

impl Ways {
    pub(super) fn new() -> Self {
        Self { tags: boxed(0), busy: Bits::NONE, collisions: 0 }
    }

    /// The queue for `hash`.
    #[inline]
    pub(super) fn find(&mut self, hash: u32) -> Found {
        let first = hash as usize % QUEUES;
        if self.tags[first] == hash && self.busy.get(first) {
            return Found::Its(first);
        }
        let found = match way(first, with_tag(&self.tags, first, hash)) {
            Some(queue) if self.busy.get(queue) => return Found::Its(queue),
            Some(queue) => Found::Free(queue),
            None => match way(first, !self.busy.of_set(first)) {
                Some(queue) => Found::Free(queue),
                None => {
                    self.collisions += 1;
                    Found::Shared(first)
                }
            },
        };
        self.tags[found.queue() % QUEUES] = hash;
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
            ways.busy.set(found.queue());
        }
        assert_eq!(ways.find(hash(4)), Found::Its(8));
        assert_eq!(ways.find(hash(9)), Found::Shared(13));
        assert_eq!(ways.collisions, 1);
        // The first flow's tag is gone: it shares now, too.
        assert_eq!(ways.find(hash(1)), Found::Shared(13));
        // A flow that fell asleep finds its queue again while nobody took it.
        ways.busy.clear(8);
        assert_eq!(ways.find(hash(4)), Found::Free(8));
    }

    /// Flows, of `n`, that share a queue with another one.
    fn sharing(n: u32, rng: &mut Rng) -> usize {
        let (mut ways, mut flows) = (Ways::new(), vec![0u32; QUEUES]);
        for _ in 0..n {
            let queue = ways.find(rng.next_u64() as u32).queue();
            ways.busy.set(queue);
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
