//! A B-tree from keys to records (Bayer and McCreight; order as in Knuth, volume 3, §6.2.4).
//!
//! Every node but the root has between half of `order` and `order` children, all leaves are equally deep. Nodes lie in
//! arrays that grow to the fullest moment and never shrink; there is no parent pointer, a path is kept on the way down.

use super::Handle;
use crate::disciplines::dfs::record::Key;

/// No node.
const NONE: u32 = u32::MAX;
/// Levels of a tree of order 3 with 2^24 keys are at most 24.
const MOST_LEVELS: usize = 32;

/// The way from the root to a leaf: nodes, and the child or key taken in each.
struct Path {
    steps: [(u32, usize); MOST_LEVELS],
    len: usize,
}

impl Path {
    fn new() -> Self {
        Self { steps: [(NONE, 0); MOST_LEVELS], len: 0 }
    }

    fn push(&mut self, node: u32, at: usize) {
        self.steps[self.len] = (node, at);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<(u32, usize)> {
        self.len = self.len.checked_sub(1)?;
        Some(self.steps[self.len])
    }
}

/// The tree.
#[derive(Debug)]
pub(super) struct BTree {
    order: usize,
    /// `order` places a node: one more than it may keep, so that it can overflow before it splits.
    keys: Vec<Key>,
    values: Vec<Handle>,
    /// `order + 1` places a node.
    children: Vec<u32>,
    /// Keys in each node.
    lens: Vec<u32>,
    /// First of the nodes without use, chained through their first child.
    free: u32,
    root: u32,
    /// Levels above the leaves.
    height: usize,
}

impl BTree {
    /// An empty tree whose nodes have at most `order` children, three or more.
    pub(super) fn new(order: usize) -> Self {
        let mut tree = Self {
            order,
            keys: Vec::new(),
            values: Vec::new(),
            children: Vec::new(),
            lens: Vec::new(),
            free: NONE,
            root: 0,
            height: 0,
        };
        tree.root = tree.take_node();
        tree
    }

    /// Least keys of a node other than the root.
    fn least(&self) -> usize {
        self.order.div_ceil(2) - 1
    }

    #[inline]
    fn len(&self, node: u32) -> usize {
        self.lens[node as usize] as usize
    }

    #[inline]
    fn keys(&self, node: u32) -> &[Key] {
        let start = node as usize * self.order;
        &self.keys[start..start + self.len(node)]
    }

    #[inline]
    fn slot(&self, node: u32, i: usize) -> usize {
        node as usize * self.order + i
    }

    #[inline]
    fn child(&self, node: u32, i: usize) -> u32 {
        self.children[node as usize * (self.order + 1) + i]
    }

    fn set_child(&mut self, node: u32, i: usize, child: u32) {
        self.children[node as usize * (self.order + 1) + i] = child;
    }

    #[inline]
    pub(super) fn find(&self, key: Key) -> Option<Handle> {
        let mut node = self.root;
        for level in (0..=self.height).rev() {
            match self.keys(node).binary_search(&key) {
                Ok(i) => return Some(self.values[self.slot(node, i)]),
                Err(i) if level > 0 => node = self.child(node, i),
                Err(_) => {}
            }
        }
        None
    }

    /// Takes in a key that is not there.
    pub(super) fn insert(&mut self, key: Key, value: Handle) {
        let mut path = Path::new();
        let mut node = self.root;
        for level in (0..=self.height).rev() {
            let i = self.keys(node).partition_point(|k| *k < key);
            if level == 0 {
                self.open(node, i, (key, value));
            } else {
                path.push(node, i);
                node = self.child(node, i);
            }
        }
        // Nodes with as many keys as places split, from the leaf up.
        while self.len(node) == self.order {
            let (middle, right) = self.split(node);
            if let Some((parent, i)) = path.pop() {
                self.open(parent, i, middle);
                self.open_child(parent, i + 1, right);
                node = parent;
            } else {
                let root = self.take_node();
                self.open(root, 0, middle);
                self.set_child(root, 0, node);
                self.set_child(root, 1, right);
                self.root = root;
                self.height += 1;
                assert!(self.height < MOST_LEVELS, "max_flows bounds the height");
                return;
            }
        }
    }

    /// Forgets a key.
    pub(super) fn remove(&mut self, key: Key) {
        let mut path = Path::new();
        let mut node = self.root;
        let mut found = None;
        for level in (0..=self.height).rev() {
            let i = match self.keys(node).binary_search(&key) {
                Ok(i) => {
                    found = Some((node, i));
                    i
                }
                // Below the key, its predecessor is the last one.
                Err(i) => i,
            };
            if level > 0 {
                path.push(node, i);
                node = self.child(node, i);
            } else {
                path.push(node, i);
            }
        }
        let Some((holder, i)) = found else { return };
        let (leaf, j) = path.pop().expect("a path ends at a leaf");
        if holder == leaf {
            self.close(leaf, j);
        } else {
            let (last, gap) = (self.slot(leaf, self.len(leaf) - 1), self.slot(holder, i));
            (self.keys[gap], self.values[gap]) = (self.keys[last], self.values[last]);
            self.lens[leaf as usize] -= 1;
        }
        self.fill(leaf, &mut path);
    }

    /// Makes good for a key taken from `node`, the end of `path`: a neighbour lends one, or the two become one.
    fn fill(&mut self, mut node: u32, path: &mut Path) {
        let mut is_leaf = true;
        while self.len(node) < self.least() {
            let Some((parent, i)) = path.pop() else { break };
            if i > 0 && self.len(self.child(parent, i - 1)) > self.least() {
                self.borrow_left(parent, i, is_leaf);
                return;
            }
            if i < self.len(parent) && self.len(self.child(parent, i + 1)) > self.least() {
                self.borrow_right(parent, i, is_leaf);
                return;
            }
            self.merge(parent, if i > 0 { i - 1 } else { i }, is_leaf);
            node = parent;
            is_leaf = false;
        }
        if self.height > 0 && self.len(self.root) == 0 {
            let old = self.root;
            self.root = self.child(old, 0);
            self.height -= 1;
            self.release(old);
        }
    }

    /// The last of the left neighbour moves up, what was between them down.
    fn borrow_left(&mut self, parent: u32, i: usize, is_leaf: bool) {
        let (left, node) = (self.child(parent, i - 1), self.child(parent, i));
        let (between, last) = (self.slot(parent, i - 1), self.slot(left, self.len(left) - 1));
        let down = (self.keys[between], self.values[between]);
        (self.keys[between], self.values[between]) = (self.keys[last], self.values[last]);
        let moved = (!is_leaf).then(|| self.child(left, self.len(left)));
        self.lens[left as usize] -= 1;
        self.open(node, 0, down);
        if let Some(child) = moved {
            self.open_child(node, 0, child);
        }
    }

    /// The first of the right neighbour moves up, what was between them down.
    fn borrow_right(&mut self, parent: u32, i: usize, is_leaf: bool) {
        let (node, right) = (self.child(parent, i), self.child(parent, i + 1));
        let (between, first) = (self.slot(parent, i), self.slot(right, 0));
        let down = (self.keys[between], self.values[between]);
        (self.keys[between], self.values[between]) = (self.keys[first], self.values[first]);
        if !is_leaf {
            let child = self.child(right, 0);
            self.close_child(right, 0);
            let end = self.len(node) + 1;
            self.set_child(node, end, child);
        }
        self.close(right, 0);
        self.open(node, self.len(node), down);
    }

    /// Children `i` and `i + 1` of `parent` and the key between them become one node.
    fn merge(&mut self, parent: u32, i: usize, is_leaf: bool) {
        let (left, right) = (self.child(parent, i), self.child(parent, i + 1));
        let (between, had, more) = (self.slot(parent, i), self.len(left), self.len(right));
        let (to, from) = (self.slot(left, had), self.slot(right, 0));
        (self.keys[to], self.values[to]) = (self.keys[between], self.values[between]);
        self.keys.copy_within(from..from + more, to + 1);
        self.values.copy_within(from..from + more, to + 1);
        if !is_leaf {
            for j in 0..=more {
                self.set_child(left, had + 1 + j, self.child(right, j));
            }
        }
        self.lens[left as usize] = (had + 1 + more) as u32;
        self.close_child(parent, i + 1);
        self.close(parent, i);
        self.release(right);
    }

    /// Halves a node; what was in the middle, and the new right half.
    fn split(&mut self, node: u32) -> ((Key, Handle), u32) {
        let right = self.take_node();
        let (len, middle) = (self.len(node), self.len(node) / 2);
        let (from, to) = (self.slot(node, middle + 1), self.slot(right, 0));
        let moved = len - middle - 1;
        self.keys.copy_within(from..from + moved, to);
        self.values.copy_within(from..from + moved, to);
        for j in 0..=moved {
            self.set_child(right, j, self.child(node, middle + 1 + j));
        }
        self.lens[node as usize] = middle as u32;
        self.lens[right as usize] = moved as u32;
        let up = self.slot(node, middle);
        ((self.keys[up], self.values[up]), right)
    }

    /// Puts an entry at place `i`.
    fn open(&mut self, node: u32, i: usize, (key, value): (Key, Handle)) {
        let (at, end) = (self.slot(node, i), self.slot(node, self.len(node)));
        self.keys.copy_within(at..end, at + 1);
        self.values.copy_within(at..end, at + 1);
        (self.keys[at], self.values[at]) = (key, value);
        self.lens[node as usize] += 1;
    }

    /// Takes out the entry at place `i`.
    fn close(&mut self, node: u32, i: usize) {
        let (at, end) = (self.slot(node, i), self.slot(node, self.len(node)));
        self.keys.copy_within(at + 1..end, at);
        self.values.copy_within(at + 1..end, at);
        self.lens[node as usize] -= 1;
    }

    /// Puts a child at place `i` of a node whose keys have already made room.
    fn open_child(&mut self, node: u32, i: usize, child: u32) {
        let start = node as usize * (self.order + 1);
        let len = self.len(node);
        self.children.copy_within(start + i..start + len, start + i + 1);
        self.children[start + i] = child;
    }

    /// Takes out the child at place `i` of a node whose keys have not yet closed up.
    fn close_child(&mut self, node: u32, i: usize) {
        let start = node as usize * (self.order + 1);
        let len = self.len(node);
        self.children.copy_within(start + i + 1..=start + len, start + i);
    }

    fn take_node(&mut self) -> u32 {
        if self.free != NONE {
            let node = self.free;
            self.free = self.child(node, 0);
            self.lens[node as usize] = 0;
            return node;
        }
        self.keys.resize(self.keys.len() + self.order, 0);
        self.values.resize(self.values.len() + self.order, 0);
        self.children.resize(self.children.len() + self.order + 1, NONE);
        self.lens.push(0);
        (self.lens.len() - 1) as u32
    }

    fn release(&mut self, node: u32) {
        self.set_child(node, 0, self.free);
        self.free = node;
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.keys.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    impl BTree {
        /// Order, occupancy and depth of the whole tree; the number of keys.
        fn check(&self) -> usize {
            self.check_node(self.root, self.height, None, None)
        }

        fn check_node(&self, node: u32, level: usize, above: Option<Key>, below: Option<Key>) -> usize {
            let keys = self.keys(node);
            assert!(keys.windows(2).all(|w| w[0] < w[1]));
            assert!(above.is_none_or(|a| keys.iter().all(|k| *k > a)));
            assert!(below.is_none_or(|b| keys.iter().all(|k| *k < b)));
            assert!(keys.len() < self.order, "{} keys at order {}", keys.len(), self.order);
            assert!(node == self.root || keys.len() >= self.least());
            let mut count = keys.len();
            if level > 0 {
                assert!(!keys.is_empty());
                for i in 0..=keys.len() {
                    let from = if i == 0 { above } else { Some(keys[i - 1]) };
                    let to = keys.get(i).copied().or(below);
                    count += self.check_node(self.child(node, i), level - 1, from, to);
                }
            }
            count
        }
    }

    #[test]
    fn in_order_and_in_reverse_it_fills_and_empties() {
        for order in [3, 4, 5, 32] {
            let mut tree = BTree::new(order);
            (0..1000).for_each(|k| tree.insert(k, k as u32));
            assert_eq!(tree.check(), 1000);
            let nodes = tree.lens.len();
            (0..1000).rev().for_each(|k| tree.remove(k));
            assert_eq!((tree.check(), tree.height), (0, 0));
            (0..1000).for_each(|k| tree.insert(k, k as u32));
            assert_eq!(tree.lens.len(), nodes, "nodes are used again");
            (0..1000).for_each(|k| assert_eq!(tree.find(k), Some(k as u32)));
            assert_eq!(tree.find(1000), None);
        }
    }

    #[test]
    fn a_hundred_thousand_flows_are_four_levels_of_order_32_at_most() {
        // Knuth: at most 1 + log_16((10^5 + 1) / 2) = 4.9 levels.
        let mut tree = BTree::new(32);
        (0..100_000u128).for_each(|k| tree.insert(k.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (1 << 64), 0));
        assert_eq!(tree.check(), 100_000);
        assert!(tree.height < 4, "{}", tree.height);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_finds_what_a_map_finds(
            order in prop::sample::select(vec![3usize, 4, 5, 6, 7, 32]),
            steps in prop::collection::vec((0u8..5, 0u128..300), 0..1500),
            inserts in 1u8..5,
        ) {
            let (mut tree, mut map) = (BTree::new(order), BTreeMap::new());
            for (i, (kind, key)) in steps.into_iter().enumerate() {
                if kind < inserts && !map.contains_key(&key) {
                    tree.insert(key, i as u32);
                    map.insert(key, i as u32);
                } else if kind >= inserts {
                    tree.remove(key);
                    map.remove(&key);
                }
                prop_assert_eq!(tree.check(), map.len());
            }
            for key in 0..300 {
                prop_assert_eq!(tree.find(key), map.get(&key).copied());
            }
        }
    }
}
