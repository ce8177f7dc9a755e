//! The playout buffer of a listener: the delay from sending at which each packet of voice is played.
//!
//! A fixed buffer plays a packet `buffer` after the time that the fastest one so far would have arrived. An adaptive one is
//! algorithm 4 of Ramjee, Kurose, Towsley & Schulzrinne, "Adaptive playout mechanisms for packetized audio applications in
//! wide-area networks", INFOCOM 1994: moving averages of the delay and of its variation, each with a gain of 1/8, and a second
//! mode that follows a spike of the delay packet by packet. A packet is played at the mean and four times the variation. Its
//! thresholds are counted there in samples of 8 kHz: 800 are 100 ms, and 63 are 7.875 ms.
//!
//! Ramjee et al. adjust the delay between talkspurts. Voice here has no silence, so it is adjusted at each packet, as receivers do
//! that stretch and compress speech (Liang, Färber & Girod, "Adaptive playout scheduling using time-scale modification in packet
//! voice communications", ICASSP 2001). The delay of a packet follows from those that came before it alone.

use tailrace_core::Duration;

/// Sets the playout delay of packets, in the order in which they arrive.
pub(crate) trait PlayoutBuffer {
    /// A packet arrived, and took this long: the delay from sending at which it is played, or none if that is over.
    fn on_packet(&mut self, took: Duration) -> Option<Duration>;
}

/// Either playout buffer.
#[derive(Clone, Debug)]
pub(crate) enum Playout {
    /// The fastest packet waits for a constant time.
    Fixed(FixedPlayout),
    /// The buffer follows the delays of packets.
    Adaptive(AdaptivePlayout),
}

impl Playout {
    /// A buffer of this size.
    pub(crate) const fn fixed(buffer: Duration) -> Self {
        Self::Fixed(FixedPlayout { buffer, least: Duration::from_nanos(u64::MAX) })
    }

    /// A buffer that adapts, and holds at least one packet of so much voice.
    pub(crate) fn adaptive(packet: Duration) -> Self {
        Self::Adaptive(AdaptivePlayout { least: nanos(packet), estimate: None })
    }
}

impl PlayoutBuffer for Playout {
    fn on_packet(&mut self, took: Duration) -> Option<Duration> {
        match self {
            Self::Fixed(buffer) => buffer.on_packet(took),
            Self::Adaptive(buffer) => buffer.on_packet(took),
        }
    }
}

/// A buffer of fixed size over the fastest packet.
#[derive(Clone, Debug)]
pub(crate) struct FixedPlayout {
    buffer: Duration,
    /// The shortest time that a packet has taken.
    least: Duration,
}

impl PlayoutBuffer for FixedPlayout {
    fn on_packet(&mut self, took: Duration) -> Option<Duration> {
        self.least = self.least.min(took);
        let delay = self.least + self.buffer;
        (took <= delay).then_some(delay)
    }
}

/// A buffer by algorithm 4 of Ramjee et al. 1994.
#[derive(Clone, Debug)]
pub(crate) struct AdaptivePlayout {
    /// The least size of the buffer, nanoseconds: own choice, as the packet that is being played is held. Without it, packets of
    /// constant delay would leave no room for the first one that takes longer.
    least: i64,
    /// None before the first packet.
    estimate: Option<Estimate>,
}

/// Averages of the delay, nanoseconds.
#[derive(Clone, Debug)]
struct Estimate {
    /// Moving average of the delay; in a spike, the delay itself beside what it differed by at the spike's begin.
    mean: i64,
    /// Moving average of the distance of delays from `mean`.
    variation: i64,
    /// Delays of the last packet and of the one before.
    last: [i64; 2],
    /// In a spike: how steeply the delay changes.
    spike: Option<i64>,
}

/// The variation at first, of which four are the buffer: 60 ms, own choice.
const FIRST_VARIATION: i64 = 15_000_000;
/// Change of the delay from one packet to the next that begins a spike, beside twice the variation: 800 samples of 8 kHz.
const SPIKE_BEGINS: i64 = 100_000_000;
/// Slope at which a spike has ended: 63 samples of 8 kHz.
const SPIKE_ENDS: i64 = 7_875_000;

impl PlayoutBuffer for AdaptivePlayout {
    fn on_packet(&mut self, took: Duration) -> Option<Duration> {
        let took = nanos(took);
        let estimate = self.estimate.get_or_insert(Estimate {
            mean: took,
            variation: FIRST_VARIATION,
            last: [took; 2],
            spike: None,
        });
        let delay = estimate.mean.saturating_add(estimate.variation.saturating_mul(4).max(self.least));
        estimate.on_packet(took);
        (took <= delay).then_some(Duration::from_nanos(delay.unsigned_abs()))
    }
}

impl Estimate {
    /// Follows the delay of one packet more (Ramjee et al. 1994, figure of algorithm 4).
    fn on_packet(&mut self, took: i64) {
        let [last, earlier] = self.last;
        self.last = [took, last];
        match &mut self.spike {
            None if (took - last).abs() > self.variation.saturating_mul(2).saturating_add(SPIKE_BEGINS) => {
                self.spike = Some(0);
            }
            None => {}
            Some(slope) => {
                *slope = *slope / 2 + ((took - last) / 8 + (took - earlier) / 8).abs();
                if *slope <= SPIKE_ENDS {
                    self.spike = None;
                    return;
                }
            }
        }
        self.mean += if self.spike.is_some() { took - last } else { (took - self.mean) / 8 };
        // A delay below that of the spike's begin takes what was added there with it.
        self.mean = self.mean.max(0);
        self.variation += ((took - self.mean).abs() - self.variation) / 8;
    }
}

/// A duration in nanoseconds, up to 292 years.
fn nanos(of: Duration) -> i64 {
    i64::try_from(of.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: Duration = Duration::from_millis(20);

    /// Playout delays of packets that take so many milliseconds; none for late ones.
    fn play(playout: &mut Playout, took: &[u64]) -> Vec<Option<f64>> {
        let mut delay =
            |ms: &u64| playout.on_packet(Duration::from_millis(*ms)).map(|d| d.as_secs_f64() * 1e3);
        took.iter().map(&mut delay).collect()
    }

    fn assert_close(played: &[Option<f64>], expected: &[Option<f64>]) {
        let close = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            // Divisions cut off nanoseconds.
            (Some(a), Some(b)) => (a - b).abs() < 1e-4,
            _ => a == b,
        };
        assert_eq!(played.len(), expected.len());
        assert!(played.iter().zip(expected).all(close), "{played:?}, not {expected:?}");
    }

    #[test]
    fn delay_and_variation_are_averages_with_a_gain_of_an_eighth() {
        // Mean and variation before each: 40 and 15; 40 and 15 - 15/8; 41 and 7/8 (48 from 41) + 13.125 * 7/8.
        let heard = play(&mut Playout::adaptive(PACKET), &[40, 40, 48, 41]);
        let variation = 13.125 * 7.0 / 8.0;
        let third = 40.0 + 4.0 * variation;
        let fourth = 41.0 + 4.0 * (7.0 / 8.0 + variation * 7.0 / 8.0);
        assert_close(&heard, &[Some(100.0), Some(40.0 + 4.0 * 13.125), Some(third), Some(fourth)]);
    }

    #[test]
    fn spike_is_followed_packet_by_packet_until_it_is_flat() {
        let mut playout = Playout::adaptive(PACKET);
        // Variation 15 * 7/8, then 7/8 + 13.125 * 7/8 = 12.359375, then 10.814453125; mean 40, then 41 twice.
        let began = play(&mut playout, &[40, 48, 41]);
        assert_close(&began, &[Some(100.0), Some(40.0 + 52.5), Some(41.0 + 4.0 * 12.359375)]);
        // 200 is late, and 159 more than the last one, which is over 2 * 10.8 + 100: a spike, mean 200.
        assert_close(&play(&mut playout, &[200]), &[None]);
        let mut variation = 10.814453125 * 7.0 / 8.0;
        // Slope |2 * 180 - 200 - 41| / 8 = 14.875, then 7.4375 + 60/8 = 14.9375, then 7.46875 + 20/8 = 9.96875: over 7.875.
        for (took, mean) in [(180, 200.0), (160, 180.0), (160, 160.0)] {
            assert_close(&play(&mut playout, &[took]), &[Some(mean + 4.0 * variation)]);
            variation *= 7.0 / 8.0;
        }
        // Slope 4.984375: the spike is over, and this packet changes no average; the next one does so by an eighth.
        assert_close(&play(&mut playout, &[160, 152]), &[Some(160.0 + 4.0 * variation); 2]);
        variation = 7.0 / 8.0 + variation * 7.0 / 8.0;
        assert_close(&play(&mut playout, &[159]), &[Some(159.0 + 4.0 * variation)]);
    }

    #[test]
    fn buffer_holds_at_least_one_packet() {
        let mut playout = Playout::adaptive(PACKET);
        play(&mut playout, &[30; 100]);
        assert_close(&play(&mut playout, &[50, 30]), &[Some(50.0), Some(52.5)]);
        // Without variation 60 would come 7.5 ms after the time: the least buffer is all that there is.
        play(&mut playout, &[30; 100]);
        assert_close(&play(&mut playout, &[51]), &[None]);
    }

    #[test]
    fn fixed_buffer_counts_from_the_fastest_packet() {
        let mut playout = Playout::fixed(Duration::from_millis(60));
        assert_close(
            &play(&mut playout, &[30, 90, 20, 80, 81]),
            &[Some(90.0), Some(90.0), Some(80.0), Some(80.0), None],
        );
    }
}
