//! A red-black tree as the kernel keeps what waits above a gap (`out_of_order_queue`; the algorithms are those of Cormen et al.,
//! Introduction to Algorithms, chapter 13).
//!
//! A search passes values that depend on the tree's shape, and in Linux they decide what becomes of a segment. So the shape is kept as
//! each insertion and removal leaves it. Values lie in a vector and are named by their indices.

/// No node.
const NONE: u32 = u32::MAX;
const LEFT: usize = 0;
const RIGHT: usize = 1;

#[derive(Clone, Debug)]
struct Node<T> {
    value: T,
    parent: u32,
    children: [u32; 2],
    red: bool,
}

/// Where a value goes that is not there: below which node, and on which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OfoSlot {
    parent: u32,
    side: usize,
}

/// Step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchStep<F> {
    Left,
    Right,
    OfoMatch(F),
}

#[derive(Clone, Debug)]
pub(crate) struct OfoQueue<T> {
    nodes: Vec<Node<T>>,
    /// Places that are empty.
    free: Vec<u32>,
    root: u32,
    /// The first and the last node.
    ends: [u32; 2],
}

impl<T> Default for OfoQueue<T> {
    fn default() -> Self {
        Self { nodes: Vec::new(), free: Vec::new(), root: NONE, ends: [NONE; 2] }
    }
}

impl<T: Copy> OfoQueue<T> {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.root == NONE
    }

    pub(crate) fn first(&self) -> Option<(u32, T)> {
        self.at(self.ends[LEFT])
    }

    pub(crate) fn last(&self) -> Option<(u32, T)> {
        self.at(self.ends[RIGHT])
    }

    /// The one that comes after the one at `place`.
    pub(crate) fn after(&self, place: u32) -> Option<(u32, T)> {
        self.at(self.beside(place, RIGHT))
    }

    /// The one at `place`.
    pub(crate) fn get(&self, place: u32) -> T {
        self.nodes[place as usize].value
    }

    /// The one at `place` becomes `value`, which has the same order; gives what it was.
    pub(crate) fn set(&mut self, place: u32, value: T) -> T {
        core::mem::replace(&mut self.node(place).value, value)
    }

    /// Behind the last one.
    pub(crate) const fn end(&self) -> OfoSlot {
        OfoSlot { parent: self.ends[RIGHT], side: RIGHT }
    }

    /// Goes down the tree as `step` says, until that has found something, or to the spot where there is nothing below.
    pub(crate) fn search<F>(&self, mut step: impl FnMut(u32, &T) -> SearchStep<F>) -> Result<F, OfoSlot> {
        let (mut spot, mut place) = (OfoSlot { parent: NONE, side: LEFT }, self.root);
        while place != NONE {
            let node = &self.nodes[place as usize];
            let side = match step(place, &node.value) {
                SearchStep::Left => LEFT,
                SearchStep::Right => RIGHT,
                SearchStep::OfoMatch(found) => return Ok(found),
            };
            spot = OfoSlot { parent: place, side };
            place = node.children[side];
        }
        Err(spot)
    }

    /// Puts `value` there; returns its place.
    pub(crate) fn insert(&mut self, spot: OfoSlot, value: T) -> u32 {
        let node = Node { value, parent: spot.parent, children: [NONE; 2], red: true };
        let place = match self.free.pop() {
            Some(place) => {
                self.nodes[place as usize] = node;
                place
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        if spot.parent == NONE {
            (self.root, self.ends) = (place, [place; 2]);
        } else {
            self.node(spot.parent).children[spot.side] = place;
            if self.ends[spot.side] == spot.parent {
                self.ends[spot.side] = place;
            }
        }
        self.balance_inserted(place);
        place
    }

    /// Takes out the one at `place`.
    pub(crate) fn remove(&mut self, place: u32) -> T {
        for side in [LEFT, RIGHT] {
            if self.ends[side] == place {
                self.ends[side] = self.beside(place, 1 - side);
            }
        }
        let [left, right] = self.nodes[place as usize].children;
        // The child that moves up, the node it moves below, and whether a black node has left that place.
        let (child, parent, black) = if left == NONE || right == NONE {
            let child = if left == NONE { right } else { left };
            let parent = self.parent(place);
            self.replace(place, child);
            (child, parent, !self.is_red(place))
        } else {
            self.remove_inner(place, left, right)
        };
        if child != NONE {
            self.node(child).red = false;
        } else if black && parent != NONE {
            self.balance_removed(parent);
        }
        self.free.push(place);
        self.nodes[place as usize].value
    }

    /// The next one takes the place of one that has two children.
    fn remove_inner(&mut self, place: u32, left: u32, right: u32) -> (u32, u32, bool) {
        let mut next = right;
        while self.child(next, LEFT) != NONE {
            next = self.child(next, LEFT);
        }
        let (child, black) = (self.child(next, RIGHT), !self.is_red(next));
        let mut parent = self.parent(next);
        if parent == place {
            parent = next;
        } else {
            self.replace(next, child);
            self.link(next, RIGHT, right);
        }
        self.replace(place, next);
        self.link(next, LEFT, left);
        self.node(next).red = self.is_red(place);
        (child, parent, black)
    }

    fn at(&self, place: u32) -> Option<(u32, T)> {
        self.nodes.get(place as usize).map(|node| (place, node.value))
    }

    fn node(&mut self, place: u32) -> &mut Node<T> {
        &mut self.nodes[place as usize]
    }

    fn parent(&self, place: u32) -> u32 {
        self.nodes[place as usize].parent
    }

    fn child(&self, place: u32, side: usize) -> u32 {
        self.nodes[place as usize].children[side]
    }

    fn is_red(&self, place: u32) -> bool {
        place != NONE && self.nodes[place as usize].red
    }

    /// On which side of `parent` a node is.
    fn side_of(&self, place: u32, parent: u32) -> usize {
        usize::from(self.child(parent, RIGHT) == place)
    }

    /// The neighbour of one in order.
    fn beside(&self, mut place: u32, side: usize) -> u32 {
        let mut next = self.child(place, side);
        if next != NONE {
            while self.child(next, 1 - side) != NONE {
                next = self.child(next, 1 - side);
            }
            return next;
        }
        next = self.parent(place);
        while next != NONE && self.child(next, side) == place {
            (place, next) = (next, self.parent(next));
        }
        next
    }

    fn link(&mut self, parent: u32, side: usize, child: u32) {
        self.node(parent).children[side] = child;
        if child != NONE {
            self.node(child).parent = parent;
        }
    }

    /// Puts `new` below the parent of `old`.
    fn replace(&mut self, old: u32, new: u32) {
        match self.parent(old) {
            NONE => {
                self.root = new;
                if new != NONE {
                    self.node(new).parent = NONE;
                }
            }
            parent => self.link(parent, self.side_of(old, parent), new),
        }
    }

    /// A node goes down to `side`, and its child on the other side takes its place.
    fn rotate(&mut self, place: u32, side: usize) {
        let up = self.child(place, 1 - side);
        let inner = self.child(up, side);
        self.replace(place, up);
        self.link(up, side, place);
        self.link(place, 1 - side, inner);
    }

    fn balance_inserted(&mut self, mut place: u32) {
        loop {
            let parent = self.parent(place);
            if parent == NONE {
                self.node(place).red = false;
                return;
            }
            if !self.is_red(parent) {
                return;
            }
            let above = self.parent(parent);
            let side = self.side_of(parent, above);
            let uncle = self.child(above, 1 - side);
            if self.is_red(uncle) {
                (self.node(parent).red, self.node(uncle).red) = (false, false);
                self.node(above).red = true;
                place = above;
                continue;
            }
            let top = if self.side_of(place, parent) == side {
                parent
            } else {
                self.rotate(parent, side);
                place
            };
            self.rotate(above, 1 - side);
            (self.node(top).red, self.node(above).red) = (false, true);
            return;
        }
    }

    /// Below `parent` a black node is missing.
    fn balance_removed(&mut self, mut parent: u32) {
        let mut place = NONE;
        loop {
            let side = usize::from(self.child(parent, RIGHT) == place);
            let mut sibling = self.child(parent, 1 - side);
            if self.is_red(sibling) {
                self.rotate(parent, side);
                (self.node(sibling).red, self.node(parent).red) = (false, true);
                sibling = self.child(parent, 1 - side);
            }
            let (outer, inner) = (self.child(sibling, 1 - side), self.child(sibling, side));
            if !self.is_red(outer) && !self.is_red(inner) {
                self.node(sibling).red = true;
                (place, parent) = (parent, self.parent(parent));
                if self.is_red(place) || parent == NONE {
                    self.node(place).red = false;
                    return;
                }
                continue;
            }
            if !self.is_red(outer) {
                self.rotate(sibling, 1 - side);
                (self.node(inner).red, self.node(sibling).red) = (false, true);
                sibling = inner;
            }
            self.rotate(parent, side);
            self.node(sibling).red = self.is_red(parent);
            let outer = self.child(sibling, 1 - side);
            (self.node(parent).red, self.node(outer).red) = (false, false);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cmp::Ordering;
    use std::collections::BTreeSet;
    use tailrace_core::Rng;

    impl OfoQueue<u64> {
        fn find(&self, value: u64) -> Result<u32, OfoSlot> {
            self.search(|place, other| match value.cmp(other) {
                Ordering::Less => SearchStep::Left,
                Ordering::Greater => SearchStep::Right,
                Ordering::Equal => SearchStep::OfoMatch(place),
            })
        }

        fn put(&mut self, value: u64) {
            if let Err(spot) = self.find(value) {
                self.insert(spot, value);
            }
        }

        fn take(&mut self, value: u64) {
            if let Ok(place) = self.find(value) {
                assert_eq!(self.remove(place), value);
            }
        }

        fn values(&self) -> Vec<u64> {
            let after = |(place, _): &(u32, u64)| self.after(*place);
            core::iter::successors(self.first(), after).map(|(_, value)| value).collect()
        }

        /// The black nodes on every way down, once it is checked that they are as many, and that no red one is below a red one.
        fn blacks(&self, place: u32, parent: u32) -> u32 {
            if place == NONE {
                return 0;
            }
            assert_eq!(self.parent(place), parent);
            assert!(!(self.is_red(place) && self.is_red(parent)));
            let [left, right] = self.nodes[place as usize].children.map(|child| self.blacks(child, place));
            assert_eq!(left, right);
            left + u32::from(!self.is_red(place))
        }

        /// Values level by level, red ones as negative.
        fn shape(&self) -> Vec<i64> {
            let (mut level, mut seen) = (vec![self.root], Vec::new());
            while !level.is_empty() {
                level.retain(|place| *place != NONE);
                seen.extend(level.iter().map(|place| {
                    let value = self.nodes[*place as usize].value as i64;
                    if self.is_red(*place) { -value } else { value }
                }));
                level = level.iter().flat_map(|place| self.nodes[*place as usize].children).collect();
            }
            seen
        }
    }

    #[test]
    fn values_come_in_order_and_no_way_down_is_longer_than_twice_another() {
        let (mut tree, mut set, mut rng) = (OfoQueue::default(), BTreeSet::new(), Rng::named(1, "tree"));
        for n in 0..4000 {
            let value = rng.next_u64() % 300;
            // It grows to some hundred values, and shrinks again.
            if rng.next_u64() % 10 < if n % 1000 < 500 { 7 } else { 3 } {
                tree.put(value);
                set.insert(value);
            } else {
                tree.take(value);
                set.remove(&value);
            }
            tree.blacks(tree.root, NONE);
            assert!(!tree.is_red(tree.root));
            assert_eq!(tree.len(), set.len());
            assert_eq!(tree.last().map(|(_, value)| value), set.last().copied());
            assert_eq!(tree.values(), set.iter().copied().collect::<Vec<_>>());
        }
        assert!(tree.nodes.len() <= 300, "places are used again");
    }

    #[test]
    fn shapes_are_those_of_the_textbook() {
        let mut tree = OfoQueue::default();
        // Cormen et al., exercise 13.3-2: 41, 38, 31, 12, 19, 8.
        for value in [41, 38, 31, 12, 19, 8] {
            tree.put(value);
        }
        assert_eq!(tree.shape(), [38, -19, 41, 12, 31, -8]);
        // Exercise 13.4-3: 8, 12, 19, 31, 38 go again.
        let shapes = [8, 12, 19, 31].map(|value| {
            tree.take(value);
            tree.shape()
        });
        assert_eq!(shapes[0], [38, -19, 41, 12, 31]);
        assert_eq!(shapes[1], [38, 19, 41, -31]);
        assert_eq!(shapes[2..], [vec![38, 31, 41], vec![38, -41]]);
    }
}
