//! Frames that are sent with one access to the channel, and the time that they take.

use tailrace_core::{Bytes, Duration, Rate};

/// Framing of packets, and limits of aggregation (A-MPDU).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AggregationLimits {
    /// Preamble and physical header before the frames of an access, whatever their rate.
    pub preamble: Duration,
    /// Bytes that each packet takes beyond its size.
    pub header: Bytes,
    /// Bytes more that each takes where several go together, which then are a multiple of four (IEEE 802.11-2020 §9.7.1).
    pub delimiter: Bytes,
    /// Most frames of an access.
    pub most_frames: usize,
    /// Most bytes of an access of several frames.
    pub most_bytes: Bytes,
    /// Most time of an access of several frames, without the preamble.
    pub most_time: Duration,
}

impl AggregationLimits {
    /// Block ACK window: the most frames between the first one missing and the last one received (64 in 802.11n, IEEE
    /// 802.11-2020 §10.25; 256 in 802.11ax).
    pub const fn window(&self) -> usize {
        match self.most_frames {
            0 | 1 => 1,
            2..=64 => 64,
            _ => 256,
        }
    }
}

/// Frames sent with one access to the channel.
#[derive(Clone, Copy, Debug)]
pub struct FrameBurst<'f> {
    framing: &'f AggregationLimits,
    rate: Rate,
    frames: usize,
    /// With headers, and what goes between frames; of the first alone without that.
    alone: Bytes,
    bytes: Bytes,
}

impl<'f> FrameBurst<'f> {
    /// An access without frames.
    pub const fn new(framing: &'f AggregationLimits, rate: Rate) -> Self {
        Self { framing, rate, frames: 0, alone: Bytes::ZERO, bytes: Bytes::ZERO }
    }

    /// Adds a packet if it fits; the first one does.
    pub fn adds(&mut self, size: Bytes) -> bool {
        let frame = size + self.framing.header;
        let padded = Bytes(frame.get().next_multiple_of(4)) + self.framing.delimiter;
        let bytes = self.bytes + padded;
        if self.frames == 0 {
            self.alone = frame;
        } else if self.is_full()
            || bytes > self.framing.most_bytes
            || time_to_send(bytes, self.rate) > self.framing.most_time
        {
            return false;
        }
        self.frames += 1;
        self.bytes = bytes;
        true
    }

    /// Whether nothing more fits, of whatever size.
    pub const fn is_full(&self) -> bool {
        self.frames >= self.framing.most_frames
    }

    /// Frames so far.
    pub const fn frames(&self) -> usize {
        self.frames
    }

    /// From the start of the preamble to the end of the last frame.
    pub fn air_time(&self) -> Duration {
        let bytes = if self.frames == 1 { self.alone } else { self.bytes };
        self.framing.preamble + time_to_send(bytes, self.rate)
    }
}

/// A nanosecond that is begun is taken.
fn time_to_send(size: Bytes, rate: Rate) -> Duration {
    let ns = (u128::from(size.get()) * 8_000_000_000).div_ceil(u128::from(rate.as_bps().max(1)));
    Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMING: AggregationLimits = AggregationLimits {
        preamble: Duration::from_micros(36),
        header: Bytes(38),
        delimiter: Bytes(4),
        most_frames: 4,
        most_bytes: Bytes(65_535),
        most_time: Duration::from_micros(600),
    };

    #[test]
    fn a_frame_alone_is_neither_padded_nor_delimited() {
        let mut burst = FrameBurst::new(&FRAMING, Rate::from_mbit(65));
        assert!(burst.adds(Bytes(1499)));
        // 1537 bytes at 65 Mbit/s: 12 296 / 65 = 189.169... us.
        assert_eq!(burst.air_time(), Duration::from_nanos(36_000 + 189_170));
    }

    #[test]
    fn frames_together_are_until_one_of_the_limits_is_reached() {
        let mut burst = FrameBurst::new(&FRAMING, Rate::from_mbit(65));
        assert!(burst.adds(Bytes(1499)) && burst.adds(Bytes(1500)));
        // 1537 bytes are padded to 1540, and 1538 likewise; each with a delimiter: 3088 bytes, 380.061... us.
        assert_eq!(burst.air_time(), Duration::from_nanos(36_000 + 380_062));
        // 4632 bytes are 570.1 us, and 6176 bytes 760.1 us: too long. One that is smaller still fits.
        assert!(burst.adds(Bytes(1500)) && !burst.adds(Bytes(1500)));
        assert_eq!((burst.frames(), burst.is_full()), (3, false));
        assert!(burst.adds(Bytes(40)) && burst.is_full() && !burst.adds(Bytes(1)));
        assert_eq!(burst.air_time(), Duration::from_nanos(36_000 + 580_431));
    }

    #[test]
    fn the_first_fits_whatever_the_limits() {
        let tight =
            AggregationLimits { most_bytes: Bytes(100), most_time: Duration::from_micros(1), ..FRAMING };
        let mut burst = FrameBurst::new(&tight, Rate::from_mbit(1));
        assert!(burst.adds(Bytes(1500)) && !burst.adds(Bytes(1)));
    }
}
