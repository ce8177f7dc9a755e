//! 802.11: one channel for both directions and all stations, shared by carrier sense, backoff and retries.
//!
//! IEEE 802.11-2020 §10.3 (distributed coordination function), §10.12 and §10.25 (A-MPDU, BlockAck), and Bianchi, "Performance
//! analysis of the IEEE 802.11 distributed coordination function", JSAC 18(3), 2000, against which tests hold it.
//!
//! An access is a preamble, frames at the station's rate, and an ACK, or a BlockAck where there are several frames. Each frame
//! fails by itself and is sent again with the next access; the receiver hands packets on in order. Defaults are those of
//! 802.11n at 5 GHz with one spatial stream, and of best effort without EDCA.

use crate::aggregation::AggregationLimits;
use crate::contention::{Contention, DcfTiming, TransmitOutcome};
use crate::medium::{ChannelArbiter, MediumKind};
use tailrace_core::params::{Bounds, Invalid, Kind};
use tailrace_core::{Bytes, Duration, Instant, Probability, Rng};

/// Times of a channel.
const TIMES: Bounds =
    Bounds::declared(Kind::Duration, "0 s", "1 s", "the channel would be idle for too long");
/// Contention windows.
const WINDOWS: Bounds = Bounds::declared(Kind::Count, "0", "32767", "a window has at most 15 bits");

tailrace_core::parameters! {
    /// Keys of `wifi`.
    pub struct WifiConfig {
        /// The length of a slot. Before it sends, a station waits for a random number of slots in which the channel
        /// is idle (the backoff).
        slot: Duration = Duration::from_micros(9), "IEEE 802.11-2020 Table 17-21", in "1 us"..="1 s": "a slot must take some time | the channel would be idle for too long";
        /// The pause between a transmission and its acknowledgment (SIFS).
        sifs: Duration = Duration::from_micros(16), "IEEE 802.11-2020 Table 17-21", within TIMES;
        /// For how long the channel must be idle before a station begins to count slots (DIFS).
        difs: Duration = Duration::from_micros(34), "IEEE 802.11-2020 §10.3.2.3.5: SIFS and two slots", within TIMES;
        /// The contention window at first: the number of slots to wait is drawn from 0 to this. If it is smaller,
        /// stations send sooner and collide more often.
        cw_min: u32 = 15, "IEEE 802.11-2020 Table 17-21", within WINDOWS;
        /// The largest contention window. Each collision or failure doubles the window, up to this.
        cw_max: u32 = 1023, "IEEE 802.11-2020 Table 17-21", within WINDOWS;
        /// The number of times that a frame is sent again before it is lost. If it is too small, losses on the air must
        /// be repaired by the sender.
        retries: u32 = 6, "IEEE 802.11-2020 Annex C: dot11ShortRetryLimit, 7 attempts in all", in "0"..="255": "the field for it has 8 bits";
        /// The duration of the preamble and header of the physical layer. They precede each transmission, whatever the
        /// rate.
        preamble: Duration = Duration::from_micros(36), "IEEE 802.11-2020 §19.3.2: HT-mixed, one stream", within TIMES;
        /// The bytes that each packet takes beyond its size: MAC header, checksum (FCS) and LLC header.
        header: Bytes = Bytes(38), "IEEE 802.11-2020 §9.3.2: QoS data 26 B, FCS 4 B; LLC and SNAP 8 B", in "0 B"..="64 KB": "frames are no longer";
        /// The duration of an ACK on the channel; it answers a single frame.
        ack: Duration = Duration::from_micros(28), "IEEE 802.11-2020 §17.4.3: 14 B at 24 Mbit/s", within TIMES;
        /// The duration of a BlockAck on the channel; it answers several frames at once.
        block_ack: Duration = Duration::from_micros(32), "IEEE 802.11-2020 §17.4.3: 32 B at 24 Mbit/s", within TIMES;
        /// Whether the channel stays unused for a time after a transmission that nobody could read, for as long as
        /// its acknowledgment would have taken: the sender waits for its ACK, others wait for EIFS. If false, the
        /// channel is free at once, as in Bianchi's model.
        eifs: bool = true, "IEEE 802.11-2020 §10.3.2.3.7";
        /// The probability that a frame cannot be read for other reasons than a collision. It is drawn for each frame
        /// by itself.
        frame_error: Probability = Probability::ZERO, "own choice";
        /// The largest number of frames in one transmission (A-MPDU). A larger number spends less time on overhead; 1
        /// turns aggregation off.
        aggregate: u32 = 64, "IEEE 802.11-2020 §10.25: a BlockAck's window", in "1"..="256": "a frame holds a packet at least | 802.11ax has no more";
        /// The bytes added to each frame where several are sent together, so that the receiver can tell them apart.
        delimiter: Bytes = Bytes(4), "IEEE 802.11-2020 §9.7.1", in "0 B"..="64 KB": "frames are no longer";
        /// The most bytes of one transmission of several frames.
        aggregate_bytes: Bytes = Bytes(65_535), "IEEE 802.11-2020 §9.4.2.55.3: HT";
        /// The longest duration of one transmission of several frames.
        aggregate_time: Duration = Duration::from_micros(5484), "IEEE 802.11-2020 Table 19-25: aPPDUMaxTime";
    }
}

impl MediumKind for WifiConfig {
    const SUMMARY: &'static str = "Wi-Fi (802.11): one channel for both directions of all its links; the `rate` of a link is that of its frames. Stations listen before they send, wait for random times that double after a collision, retry, and send several frames at once.";
    const LEAVES_OUT: &'static str = "RTS and CTS, hidden stations, capture, rate adaptation, the classes of EDCA and its bursts, \
                                      beacons, association, power saving, fragments, A-MSDU, neighbours on the same channel, \
                                      propagation between stations as far as it matters to contention, padding to symbols.";
    type Arbiter = Wifi;

    fn validate(&self) -> Result<(), Invalid> {
        if self.cw_min > self.cw_max {
            let why = format!("must be no more than `cw_max`, which is {}", self.cw_max);
            return Err(("cw_min", why));
        }
        Ok(())
    }

    fn build(&self) -> Wifi {
        let Self { slot, difs, cw_min, cw_max, .. } = *self;
        let framing = AggregationLimits {
            preamble: self.preamble,
            header: self.header,
            delimiter: self.delimiter,
            most_frames: self.aggregate as usize,
            most_bytes: self.aggregate_bytes,
            most_time: self.aggregate_time,
        };
        Wifi {
            config: self.clone(),
            framing,
            contention: Contention::new(DcfTiming { slot, difs, cw_min, cw_max }),
        }
    }
}

/// A channel.
#[derive(Clone, Debug)]
pub struct Wifi {
    config: WifiConfig,
    framing: AggregationLimits,
    contention: Contention,
}

impl ChannelArbiter for Wifi {
    fn add_station(&mut self) -> usize {
        self.contention.add_station()
    }
    fn request_access(&mut self, station: usize, now: Instant, rng: &mut Rng) {
        self.contention.request_access(station, now, rng);
    }
    fn cancel_request(&mut self, station: usize) {
        self.contention.cancel_request(station);
    }
    fn next_access(&self) -> Option<Instant> {
        self.contention.next_access()
    }
    fn next_sender(&self, now: Instant, from: usize) -> Option<usize> {
        self.contention.next_sender(now, from)
    }
    fn begin(&mut self, now: Instant) {
        self.contention.begin(now);
    }
    fn end(&mut self, station: usize, fate: TransmitOutcome, rng: &mut Rng) {
        self.contention.end(station, fate, rng);
    }
    fn free(&mut self, frames: Option<usize>, now: Instant) {
        let WifiConfig { sifs, ack, block_ack, eifs, .. } = self.config;
        let answer = match frames {
            Some(0 | 1) => sifs + ack,
            Some(_) => sifs + block_ack,
            None if eifs => sifs + ack,
            None => Duration::ZERO,
        };
        self.contention.free(now.saturating_add(answer));
    }
    fn framing(&self) -> &AggregationLimits {
        &self.framing
    }
    fn frame_error(&self) -> Probability {
        self.config.frame_error
    }
    fn attempts(&self) -> u32 {
        self.config.retries + 1
    }
    fn busy(&self) -> Duration {
        self.contention.busy()
    }
}
