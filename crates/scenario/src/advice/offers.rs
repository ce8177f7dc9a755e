//! Offers: the most that flows bring to a direction of a link, over the lines that they come through.

use crate::model::{LinkSpec, Scenario};
use crate::resolving::topology::PathHop;
use std::collections::BTreeMap;
use tailrace_core::Rate;

/// Direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Direction {
    pub(crate) link: usize,
    /// From a to b.
    pub(crate) forward: bool,
}

impl Direction {
    pub(crate) fn of((link, forward): PathHop) -> Self {
        Self { link: link.0 as usize, forward }
    }

    /// Its parameters.
    pub(crate) fn spec(self, scenario: &Scenario) -> &LinkSpec {
        let link = &scenario.links[self.link];
        if self.forward { &link.forward } else { &link.backward }
    }
}

/// Offers to a direction, bounded by the lines before it and, for closed loops, by those behind it.
#[derive(Debug)]
pub(crate) struct Offers {
    rate: Rate,
    before: Lines,
    after: Lines,
}

impl Offers {
    /// No offer yet to a direction that serves at this rate.
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, before: Lines::default(), after: Lines::default() }
    }

    /// Adds a flow that offers `own` bits a second: the lines before the direction, the nearest first, and those behind it
    /// that limit it, the nearest first.
    pub(crate) fn add<B, A>(&mut self, before: B, after: A, own: u64)
    where
        B: Iterator<Item = (Direction, Rate)> + Clone,
        A: Iterator<Item = (Direction, Rate)> + Clone,
    {
        let slowest =
            |lines: &mut dyn Iterator<Item = (Direction, Rate)>| lines.min_by_key(|(_, rate)| *rate);
        let (early, late) = (slowest(&mut before.clone()), slowest(&mut after.clone()));
        self.before.add(before, own, late);
        self.after.add(after, own, early);
    }

    /// The rate at which the direction serves.
    pub(crate) const fn rate(&self) -> Rate {
        self.rate
    }

    /// Bits a second that can reach the direction at most, and a line that keeps them that low.
    pub(crate) fn most(&self) -> (u128, Option<Direction>) {
        let (before, after) = (self.before.most(), self.after.most());
        if after.0 < before.0 { after } else { before }
    }
}

/// Lines that flows share on their way to a direction: a tree with the direction as its root, as each line carries what
/// the lines behind it bring, and no more than its rate.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Lines, each behind its parent in this order.
    lines: Vec<Line>,
    places: BTreeMap<(Option<usize>, Direction), usize>,
    /// Offers of flows that begin at the root.
    own: Offer,
}

#[derive(Debug)]
struct Line {
    direction: Direction,
    rate: Rate,
    parent: Option<usize>,
    /// Offers of the flows that begin with this line.
    own: Offer,
}

/// Bits a second, and a line that keeps them that low.
#[derive(Clone, Copy, Debug, Default)]
struct Offer {
    bits: u128,
    limited_by: Option<Direction>,
}

impl Offer {
    fn plus(self, other: Self) -> Self {
        let bits = self.bits.saturating_add(other.bits);
        Self { bits, limited_by: other.limited_by.or(self.limited_by) }
    }

    fn at_most(self, direction: Direction, rate: Rate) -> Self {
        let most = u128::from(rate.as_bps());
        if most < self.bits { Self { bits: most, limited_by: Some(direction) } } else { self }
    }
}

impl Lines {
    /// Adds a flow that offers `own` bits a second over these lines, the nearest to the root first; `beyond` is the slowest
    /// of its other lines.
    pub(crate) fn add(
        &mut self,
        lines: impl Iterator<Item = (Direction, Rate)>,
        own: u64,
        beyond: Option<(Direction, Rate)>,
    ) {
        let mut at = None;
        for (direction, rate) in lines {
            let next = self.lines.len();
            let place = *self.places.entry((at, direction)).or_insert(next);
            if place == next {
                self.lines.push(Line { direction, rate, parent: at, own: Offer::default() });
            }
            at = Some(place);
        }
        let own = Offer { bits: own.into(), limited_by: None };
        let own = beyond.map_or(own, |(direction, rate)| own.at_most(direction, rate));
        let sum = at.map_or(&mut self.own, |place| &mut self.lines[place].own);
        *sum = sum.plus(own);
    }

    /// Bits a second that reach the root at most, and a line that keeps them that low.
    pub(crate) fn most(&self) -> (u128, Option<Direction>) {
        let mut sums: Vec<Offer> = self.lines.iter().map(|line| line.own).collect();
        let mut root = self.own;
        for (i, line) in self.lines.iter().enumerate().rev() {
            let carried = sums[i].at_most(line.direction, line.rate);
            let parent = line.parent.map_or(&mut root, |parent| &mut sums[parent]);
            *parent = parent.plus(carried);
        }
        (root.bits, root.limited_by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(link: usize, mbit: u64) -> (Direction, Rate) {
        (Direction { link, forward: true }, Rate::from_mbit(mbit))
    }

    #[test]
    fn flows_offer_no_more_than_the_line_that_they_share() {
        let mut lines = Lines::default();
        // Three flows of 10 Mbit/s: two over an access line of 15 Mbit/s, and all over a line of 20 Mbit/s.
        lines.add([line(1, 20), line(2, 15)].into_iter(), 10_000_000, None);
        assert_eq!(lines.most(), (10_000_000, None));
        lines.add([line(1, 20), line(2, 15)].into_iter(), 10_000_000, None);
        assert_eq!(lines.most(), (15_000_000, Some(line(2, 15).0)));
        lines.add([line(1, 20), line(3, 100)].into_iter(), 10_000_000, None);
        assert_eq!(lines.most(), (20_000_000, Some(line(1, 20).0)));
        // A flow that comes another way.
        lines.add(std::iter::empty(), 1_000_000, None);
        assert_eq!(lines.most().0, 21_000_000);
    }

    #[test]
    fn a_closed_loop_offers_no_more_than_lines_behind_the_direction_let_through() {
        let mut offers = Offers::new(Rate::from_mbit(50));
        for access in 0..3 {
            offers.add([line(access, 100)].into_iter(), [line(9, 40)].into_iter(), u64::MAX);
        }
        assert_eq!(offers.most(), (40_000_000, Some(line(9, 40).0)));
    }
}
