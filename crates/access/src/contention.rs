//! Contention for a channel by carrier sense and random backoff: the distributed coordination function.
//!
//! IEEE 802.11-2020 §10.3.4. A station that finds the channel idle for DIFS sends at once. Else it draws a number of slots
//! from 0 to its contention window and counts them down while the channel has been idle for DIFS; the count stands still while
//! somebody sends. Where counts of several end in one slot, all of them send, and nobody can read any of it: their windows
//! double. After each access, whatever its success, a station draws anew, also when it has nothing more to send.
//!
//! Stations that come to an idle channel begin at any time, not at the boundary of a slot, and meet only those that begin at
//! the same nanosecond: the time in which they could not yet hear each other is left out.

use tailrace_core::{Duration, Instant, Rng};

/// The times and windows of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcfTiming {
    /// Time that a count goes by.
    pub slot: Duration,
    /// For how long the channel must have been idle.
    pub difs: Duration,
    /// The window at first, and after a success: counts are drawn from 0 to it.
    pub cw_min: u32,
    /// The largest window.
    pub cw_max: u32,
}

/// Outcome of a station's access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmitOutcome {
    /// It was answered, at least in part; or it is given up.
    Finished,
    /// Nobody answered, and it will be sent again.
    Unacknowledged,
}

/// Backoff state of all stations of a channel.
#[derive(Clone, Debug)]
pub struct Contention {
    timing: DcfTiming,
    stations: Vec<ContendingStation>,
    /// From when on slots are counted; later than all times while somebody sends.
    counts_from: Instant,
    /// When somebody began to send last.
    began: Instant,
    busy: Duration,
}

#[derive(Clone, Copy, Debug)]
struct ContendingStation {
    /// Slots left to count, as of `counts_from`.
    slots: u32,
    window: u32,
    /// Since when it has something to send.
    wants: Option<Instant>,
}

impl Contention {
    /// A channel without stations, idle since ever.
    pub const fn new(timing: DcfTiming) -> Self {
        let (counts_from, began) = (Instant::ZERO, Instant::ZERO);
        Self { timing, stations: Vec::new(), counts_from, began, busy: Duration::ZERO }
    }

    /// Adds a station; gives its number.
    pub fn add_station(&mut self) -> usize {
        self.stations.push(ContendingStation { slots: 0, window: self.timing.cw_min, wants: None });
        self.stations.len() - 1
    }

    /// A station has something to send from now on. Where the channel is not idle it draws, if it has nothing left to count.
    pub fn request_access(&mut self, station: usize, now: Instant, rng: &mut Rng) {
        let idle = now >= self.counts_from;
        let station = &mut self.stations[station];
        station.wants.get_or_insert(now);
        if !idle && station.slots == 0 {
            station.draw(rng);
        }
    }

    /// A station has nothing to send any more.
    pub fn cancel_request(&mut self, station: usize) {
        self.stations[station].wants = None;
    }

    /// When the first of them sends.
    pub fn next_access(&self) -> Option<Instant> {
        if self.counts_from == Instant::MAX {
            return None;
        }
        self.stations.iter().filter_map(|s| self.ready(s)).min()
    }

    /// The first of the stations from `from` on that is ready at `now`.
    pub fn next_sender(&self, now: Instant, from: usize) -> Option<usize> {
        let mut others = self.stations.iter().enumerate().skip(from);
        others.find(|(_, s)| self.ready(s).is_some_and(|ready| ready <= now)).map(|(number, _)| number)
    }

    /// When a station sends that wants to.
    fn ready(&self, station: &ContendingStation) -> Option<Instant> {
        let counted = self.counts_from.saturating_add(self.timing.slot.saturating_mul(station.slots.into()));
        station.wants.map(|since| since.max(counted))
    }

    /// Somebody begins to send: the others keep what they have left to count, without a slot that has only begun.
    pub fn begin(&mut self, now: Instant) {
        let idle = now.saturating_since(self.counts_from).as_nanos();
        let counted = u32::try_from(idle / self.timing.slot.as_nanos().max(1)).unwrap_or(u32::MAX);
        for station in &mut self.stations {
            station.slots = station.slots.saturating_sub(counted);
        }
        (self.counts_from, self.began) = (Instant::MAX, now);
    }

    /// Ends a station's access: resets its contention window, or doubles it, and draws a new backoff.
    pub fn end(&mut self, station: usize, fate: TransmitOutcome, rng: &mut Rng) {
        let DcfTiming { cw_min, cw_max, .. } = self.timing;
        let station = &mut self.stations[station];
        station.window = match fate {
            TransmitOutcome::Finished => cw_min,
            TransmitOutcome::Unacknowledged => {
                (station.window.saturating_mul(2).saturating_add(1)).min(cw_max)
            }
        };
        station.draw(rng);
    }

    /// The channel is idle from `at` on.
    pub fn free(&mut self, at: Instant) {
        self.busy += at.saturating_since(self.began);
        self.counts_from = at.saturating_add(self.timing.difs);
    }

    /// For how long somebody has sent or was answered, all in all.
    pub const fn busy(&self) -> Duration {
        self.busy
    }
}

impl ContendingStation {
    fn draw(&mut self, rng: &mut Rng) {
        self.slots = rng.below(u64::from(self.window) + 1) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: DcfTiming = DcfTiming {
        slot: Duration::from_micros(9),
        difs: Duration::from_micros(34),
        cw_min: 15,
        cw_max: 1023,
    };

    fn us(us: u64) -> Instant {
        Instant::from_nanos(us * 1000)
    }

    /// A channel with stations that have so many slots left, from 34 us on, and want to send.
    fn waiting(slots: &[u32]) -> Contention {
        let mut channel = Contention::new(TIMING);
        channel.free(us(0));
        for slots in slots {
            channel.stations.push(ContendingStation { slots: *slots, window: 15, wants: Some(us(0)) });
        }
        channel
    }

    #[test]
    fn the_first_at_an_idle_channel_sends_at_once() {
        let (mut channel, mut rng) = (Contention::new(TIMING), Rng::new(1));
        let station = channel.add_station();
        assert_eq!(channel.next_access(), None, "nobody wants to");
        channel.request_access(station, us(5), &mut rng);
        assert_eq!((channel.next_access(), channel.next_sender(us(5), 0)), (Some(us(5)), Some(station)));
        assert_eq!(rng, Rng::new(1), "nothing is drawn");
    }

    #[test]
    fn losers_keep_what_they_have_left_to_count() {
        let mut channel = waiting(&[3, 5]);
        assert_eq!(channel.next_access(), Some(us(34 + 27)));
        assert_eq!((channel.next_sender(us(61), 0), channel.next_sender(us(61), 1)), (Some(0), None));
        channel.begin(us(61));
        assert_eq!(channel.next_access(), None, "somebody sends");
        channel.end(0, TransmitOutcome::Finished, &mut Rng::new(1));
        channel.cancel_request(0);
        channel.free(us(300));
        // Three of five slots have been counted.
        assert_eq!(channel.next_access(), Some(us(300 + 34 + 18)));
        assert_eq!(channel.busy(), Duration::from_micros(239));
    }

    #[test]
    fn a_slot_that_has_only_begun_counts_for_nothing() {
        let mut channel = waiting(&[4]);
        let late = channel.add_station();
        channel.request_access(late, us(34 + 20), &mut Rng::new(1));
        assert_eq!(channel.next_sender(us(54), 0), Some(late));
        channel.begin(us(54));
        channel.cancel_request(late);
        channel.free(us(100));
        assert_eq!(channel.next_access(), Some(us(100 + 34 + 18)));
    }

    #[test]
    fn equal_backoff_collides_and_doubles_the_windows() {
        let (mut channel, mut rng) = (waiting(&[2, 7, 2]), Rng::new(1));
        let now = us(34 + 18);
        assert_eq!((channel.next_sender(now, 0), channel.next_sender(now, 1)), (Some(0), Some(2)));
        channel.begin(now);
        for window in [31, 63, 127, 255, 511, 1023, 1023] {
            channel.end(0, TransmitOutcome::Unacknowledged, &mut rng);
            assert_eq!(channel.stations[0].window, window);
        }
        channel.end(0, TransmitOutcome::Finished, &mut rng);
        assert_eq!(channel.stations[0].window, 15);
    }

    #[test]
    fn a_station_that_arrives_at_a_busy_channel_draws_a_backoff() {
        let mut drawn = std::collections::BTreeSet::new();
        for seed in 0..500 {
            let mut channel = waiting(&[0]);
            channel.begin(us(34));
            let late = channel.add_station();
            channel.request_access(late, us(50), &mut Rng::new(seed));
            channel.cancel_request(0);
            channel.free(us(100));
            drawn.insert((channel.next_access().unwrap() - us(134)).as_nanos());
        }
        assert_eq!(drawn, (0..=15).map(|slots| slots * 9000).collect());
    }
}
