//! A bounded table of flows with what they did lately: the memory of XCHOKe and RECHOKe.

use tailrace_core::{Duration, FlowKey, Instant};

/// Entry of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    flow: FlowKey,
    /// Times it met itself.
    pub(crate) hits: u32,
    /// Times RED dropped or marked it.
    pub(crate) signals: u32,
}

/// The table. All counts halve every `age`; a flow without hits is forgotten.
#[derive(Debug)]
pub(crate) struct History {
    /// Ascending in `flow`.
    entries: Vec<Entry>,
    most: usize,
    age: Duration,
    next_halving: Instant,
}

impl History {
    pub(crate) fn new(most: u32, age: Duration) -> Self {
        let next_halving = Instant::ZERO.saturating_add(age);
        Self { entries: Vec::with_capacity(most as usize), most: most as usize, age, next_halving }
    }

    /// Flows in the table.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(crate) fn get(&self, flow: FlowKey) -> Option<&Entry> {
        self.place(flow).ok().map(|place| &self.entries[place])
    }

    /// Lets time pass.
    #[inline]
    pub(crate) fn advance(&mut self, now: Instant) {
        if now < self.next_halving {
            return;
        }
        let age = self.age.as_nanos().max(1);
        let late = now.saturating_since(self.next_halving).as_nanos() / age;
        self.next_halving =
            self.next_halving.saturating_add(Duration::from_nanos((late + 1).saturating_mul(age)));
        let halvings = (late + 1).min(31) as u32;
        self.entries.retain_mut(|entry| {
            entry.hits >>= halvings;
            entry.signals >>= halvings;
            entry.hits > 0
        });
    }

    /// `flow` met itself `times` times. Where the table is full, the flow with the fewest hits makes room.
    pub(crate) fn hit(&mut self, flow: FlowKey, times: u32) {
        match self.place(flow) {
            Ok(place) => self.entries[place].hits = self.entries[place].hits.saturating_add(times),
            Err(mut place) => {
                if self.entries.len() == self.most {
                    let fewest = self.entries.iter().enumerate().min_by_key(|(_, e)| e.hits);
                    let victim = fewest.map_or(0, |(at, _)| at);
                    self.entries.remove(victim);
                    place -= usize::from(victim < place);
                }
                self.entries.insert(place, Entry { flow, hits: times, signals: 0 });
            }
        }
    }

    /// RED dropped or marked a packet of `flow`; noted where the flow is known.
    pub(crate) fn signal(&mut self, flow: FlowKey) {
        if let Ok(place) = self.place(flow) {
            self.entries[place].signals = self.entries[place].signals.saturating_add(1);
        }
    }

    #[inline]
    fn place(&self, flow: FlowKey) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.flow.cmp(&flow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(src: u32) -> FlowKey {
        FlowKey { src, ..FlowKey::default() }
    }

    #[test]
    fn counts_halve_with_time_however_late_it_is_noticed() {
        let mut history = History::new(4, Duration::from_secs(1));
        history.hit(key(1), 12);
        (0..5).for_each(|_| history.signal(key(1)));
        history.signal(key(2));
        let at = |history: &mut History, ms| {
            history.advance(Instant::from_millis(ms));
            history.get(key(1)).map(|e| (e.hits, e.signals))
        };
        assert_eq!(at(&mut history, 999), Some((12, 5)));
        assert_eq!(at(&mut history, 1000), Some((6, 2)));
        assert_eq!(at(&mut history, 1999), Some((6, 2)));
        // Two halvings at once.
        assert_eq!(at(&mut history, 3500), Some((1, 0)));
        assert_eq!(at(&mut history, 4000), None);
        history.hit(key(3), u32::MAX);
        history.advance(Instant::MAX);
        assert!(history.get(key(3)).is_none_or(|e| e.hits <= 1));
    }

    #[test]
    fn the_flow_with_the_fewest_hits_makes_room() {
        let mut history = History::new(3, Duration::from_secs(1));
        for (flow, hits) in [(5, 2), (9, 1), (7, 3), (6, 1)] {
            history.hit(key(flow), hits);
        }
        let left: Vec<u32> = history.entries.iter().map(|e| e.flow.src).collect();
        assert_eq!(left, [5, 6, 7]);
        history.hit(key(1), 1);
        let left: Vec<u32> = history.entries.iter().map(|e| e.flow.src).collect();
        assert_eq!(left, [1, 5, 7]);
    }
}
