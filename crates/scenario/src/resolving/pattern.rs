//! Flows of a group: which of its hosts send to which.

use crate::model::{NodeIndex, Pattern};
use crate::resolving::picked::{Picked, meet, pair, pairs};

/// Reason why a pattern does not fit the hosts of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnfitValue {
    /// There are too many of them on one side.
    Counts,
    /// A host would send to itself.
    Itself,
}

/// The hosts of a group, and who of them sends to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flows {
    pub(crate) from: Picked,
    pub(crate) to: Picked,
    pub(crate) pattern: Pattern,
    /// Flows of each pair of hosts.
    pub(crate) each: u32,
}

impl Flows {
    /// Number of flows, if the pattern fits the hosts.
    pub(crate) fn count(&self) -> Result<u64, UnfitValue> {
        Ok(self.count_pairs()?.saturating_mul(u64::from(self.each)))
    }

    /// Pairs of hosts that send to one another.
    fn count_pairs(&self) -> Result<u64, UnfitValue> {
        let Self { from, to, .. } = *self;
        let same = self.same();
        let count = match self.pattern {
            Pattern::Pairs => match pairs(from, to) {
                Some(_) if meet(from, to) => return Err(UnfitValue::Itself),
                count => count,
            },
            Pattern::AllPairs => Some(from.len.saturating_mul(to.len) - same),
            Pattern::Incast => (to.len == 1).then(|| from.len - same),
            Pattern::Permutation if from.len == 1 && from == to => Some(0),
            Pattern::Permutation => (from.len == to.len).then_some(from.len),
        };
        match count {
            None => Err(UnfitValue::Counts),
            Some(0) => Err(UnfitValue::Itself),
            Some(count) => Ok(count),
        }
    }

    /// Hosts on both sides.
    fn same(&self) -> u64 {
        let end = |side: Picked| side.first + side.len;
        end(self.from).min(end(self.to)).saturating_sub(self.from.first.max(self.to.first))
    }

    /// Pairs of sender and receiver, one for each flow. A permutation is represented by a valid one: each sends to the next on the
    /// other side.
    pub(crate) fn pairs(&self) -> Vec<(NodeIndex, NodeIndex)> {
        let pairs = self.different_pairs();
        if self.each == 1 {
            return pairs;
        }
        pairs.into_iter().flat_map(|pair| std::iter::repeat_n(pair, self.each as usize)).collect()
    }

    fn different_pairs(&self) -> Vec<(NodeIndex, NodeIndex)> {
        let Self { from, to, .. } = *self;
        let node = |at: u64| NodeIndex(at as u32);
        let hosts = |side: Picked| (side.first..side.first + side.len).map(node);
        match self.pattern {
            Pattern::Pairs => {
                let all = (0..pairs(from, to).unwrap_or(0)).map(|i| pair(from, to, i));
                all.map(|(a, b)| (node(a), node(b))).collect()
            }
            Pattern::AllPairs | Pattern::Incast => {
                let all = hosts(from).flat_map(|a| hosts(to).map(move |b| (a, b)));
                all.filter(|(a, b)| a != b).collect()
            }
            Pattern::Permutation => {
                // Where the same host would stand on both sides, all are shifted by one, or by none.
                let shift = u64::from(from.first == to.first);
                let next = |i: u64| to.first + (i + shift) % to.len;
                (0..from.len).map(|i| (node(from.first + i), node(next(i)))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flows(pattern: Pattern, from: (u64, u64), to: (u64, u64)) -> Result<Vec<(u32, u32)>, UnfitValue> {
        let side = |(first, len)| Picked { first, len, several: true };
        let flows = Flows { from: side(from), to: side(to), pattern, each: 1 };
        let pairs: Vec<_> = flows.pairs().into_iter().map(|(a, b)| (a.0, b.0)).collect();
        flows.count().inspect(|count| assert_eq!(*count, pairs.len() as u64)).map(|_| pairs)
    }

    #[test]
    fn each_sends_to_each_but_itself() {
        let flows = |from, to| flows(Pattern::AllPairs, from, to);
        assert_eq!(flows((0, 3), (0, 3)), Ok(vec![(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]));
        assert_eq!(flows((0, 2), (5, 2)), Ok(vec![(0, 5), (0, 6), (1, 5), (1, 6)]));
        assert_eq!(flows((0, 3), (2, 2)).map(|all| all.len()), Ok(5));
        assert_eq!(flows((4, 1), (4, 1)), Err(UnfitValue::Itself));
    }

    #[test]
    fn all_but_itself_send_to_one() {
        let flows = |from, to| flows(Pattern::Incast, from, to);
        assert_eq!(flows((0, 3), (1, 1)), Ok(vec![(0, 1), (2, 1)]));
        assert_eq!(flows((0, 3), (7, 1)), Ok(vec![(0, 7), (1, 7), (2, 7)]));
        assert_eq!(flows((0, 3), (7, 2)), Err(UnfitValue::Counts));
        assert_eq!(flows((7, 1), (7, 1)), Err(UnfitValue::Itself));
    }

    #[test]
    fn a_permutation_is_one_flow_a_host() {
        let flows = |from, to| flows(Pattern::Permutation, from, to);
        assert_eq!(flows((2, 3), (2, 3)), Ok(vec![(2, 3), (3, 4), (4, 2)]));
        assert_eq!(flows((0, 2), (5, 2)), Ok(vec![(0, 5), (1, 6)]));
        assert_eq!(flows((1, 3), (2, 3)), Ok(vec![(1, 2), (2, 3), (3, 4)]));
        // Shifted by one, 2 would send to 2.
        assert_eq!(flows((2, 3), (1, 3)), Ok(vec![(2, 1), (3, 2), (4, 3)]));
        assert_eq!(flows((1, 1), (1, 1)), Err(UnfitValue::Itself));
        assert_eq!(flows((0, 2), (5, 3)), Err(UnfitValue::Counts));
    }

    #[test]
    fn hosts_with_several_connections_have_their_flows_side_by_side() {
        let side = |first, len| Picked { first, len, several: true };
        let flows = Flows { from: side(0, 2), to: side(5, 1), pattern: Pattern::Pairs, each: 2 };
        let pairs: Vec<_> = flows.pairs().into_iter().map(|(a, b)| (a.0, b.0)).collect();
        assert_eq!((flows.count(), pairs), (Ok(4), vec![(0, 5), (0, 5), (1, 5), (1, 5)]));
    }

    #[test]
    fn pairs_go_in_order_and_never_from_a_host_to_itself() {
        let flows = |from, to| flows(Pattern::Pairs, from, to);
        assert_eq!(flows((0, 2), (5, 2)), Ok(vec![(0, 5), (1, 6)]));
        assert_eq!(flows((0, 2), (5, 1)), Ok(vec![(0, 5), (1, 5)]));
        assert_eq!(flows((0, 2), (1, 1)), Err(UnfitValue::Itself));
        assert_eq!(flows((0, 2), (5, 3)), Err(UnfitValue::Counts));
    }
}
