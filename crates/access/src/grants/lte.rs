//! LTE: a direction of a radio bearer between a terminal and its base station.
//!
//! Time is cut into subframes of 1 ms. Each gives one transport block, as large as the channel's present rate makes it; packets
//! share blocks and span several (RLC concatenates and segments, TS 36.322 §4.2.1), and what of a block nobody needs is lost. A
//! block is decoded some time after its subframe; one that could not be is sent again by the same HARQ process after a round trip
//! and takes the place of a new one there (TS 36.321 §5.4.2: synchronous, in the uplink). Delivery is in order (TS 36.322
//! §5.1.2.2), so that what comes behind a block waits for it. With `request`, a terminal that had nothing to send asks for a
//! grant first (TS 36.321 §5.4.4).
//!
//! The channel's quality is a chain over `rates` ([`channel`]): of a run's seed and of time alone, so that whatever is sent over
//! it meets the same. The rate of a block is that of its first subframe.
//!
//! Left out: other users and the scheduler between them, so `rates` are this one's share; handover, discontinuous reception,
//! RRC states, carrier aggregation, TDD's frames; adaptation that is late or wrong, beyond a share of errors; header compression
//! and the bytes of PDCP, RLC and MAC (a link's `overhead` can stand for them); RLC's status reports and reordering timers (how
//! long the receiver waits for a block that is lost is as long as its last transmission takes); that a recovery by RLC takes of
//! the rate. In the downlink HARQ is asynchronous; here its retransmissions come as early as they can, which is as in the uplink.

mod channel;
mod harq;

use crate::grant::{GrantKind, GrantProcess, Transmission};
use channel::RateChain;
use harq::Harq;
use tailrace_core::params::Invalid;
use tailrace_core::{Bytes, Duration, Instant, Probability, Rate, Rates, Rng};

tailrace_core::parameters! {
    /// Keys of `lte`.
    pub struct LteConfig {
        /// The rates that this user can get, one for each state of the channel, in order. The channel moves from a
        /// state to the one before or after it. With a single rate it never changes.
        rates: Rates, required, in "16 kbit/s"..="100 Gbit/s": "the least block has 16 bits (TS 36.213 Table 7.1.7.2.1-1) | no carrier has so much";
        /// For how long the channel stays in a state on average. A shorter time makes the rate change more often.
        /// After each subframe (1 ms) the state may end, so times are random.
        dwell: Duration = Duration::from_millis(100), "own choice: fading at the pace of a walk",
            in "1 ms"..="87600 h": "a state lasts a subframe at least | no run lasts longer";
        /// The probability that the first transmission of a block fails. A larger one delays more packets, and
        /// retransmissions take more of the rate.
        block_error: Probability = Probability::clamped(0.1), "TS 36.213 §7.2.3: a terminal reports what 0.1 can be had with";
        /// The probability that a retransmission of a block fails. `"auto"`: the same as for the first transmission.
        /// Real receivers combine the attempts and fail less often; state a smaller value to have that.
        retransmission_error: Option<Probability> = None, "own choice: no gain is assumed that was not measured";
        /// The largest number of transmissions of a block, the first one included. After that HARQ gives it up.
        transmissions: u32 = 4, "common in networks; TS 36.331 §9.2.2 (maxHARQ-Tx) has 5 where nothing is said",
            in "1"..="28": "a block is sent at least once | maxHARQ-Tx has no more (TS 36.331 §6.3.2)";
        /// The time from one transmission of a block to the next one (the HARQ round trip). A larger one makes each
        /// failure cost more delay.
        round_trip: Duration = Duration::from_millis(8), "TS 36.213 §8.0: eight HARQ processes, FDD",
            in "1 ms"..="64 ms": "a process takes a subframe at least | each subframe within it is a process";
        /// The time from the end of a block's subframe until the receiver has decoded it. It is added to the delay of
        /// every packet.
        processing: Duration = Duration::from_millis(3), "TR 36.881 §5.2: decoding takes 3 ms",
            in "0 s"..="1 s": "no decoder takes longer";
        /// The additional delay of a block that HARQ gave up and RLC recovers (acknowledged mode). With 0 s such a
        /// block is lost (unacknowledged mode).
        rlc_retransmission: Duration = Duration::ZERO, "own choice: loss that can be seen",
            in "0 s"..="10 s": "RLC would have given up";
        /// The time from a request for a grant to the first subframe in which data may be sent. 0 s: no request is
        /// needed, as in the downlink. For the uplink 8 ms is usual: one subframe for the request, 3 ms to decode it,
        /// one for the grant, 3 ms to act on it (TR 36.881 §5.2).
        request: Duration = Duration::ZERO, "as in the downlink",
            in "0 s"..="1 s": "no grant takes longer";
        /// The period at whose multiples a request can be sent. A longer period delays the first packet after a silence
        /// more.
        request_period: Duration = Duration::from_millis(10), "TS 36.213 Table 10.1.5-1 has 1, 2, 5, 10, 20, 40 and 80 ms; TR 36.881 §5.2 reckons with 10",
            in "1 ms"..="80 ms": "there are no shorter ones | there are no longer ones";
        /// For how long after the queue has become empty a packet still needs no request, because the network keeps
        /// granting. A longer time spares short pauses the delay of a request.
        silence: Duration = Duration::ZERO, "TS 36.321 §5.4.5: data for an empty buffer asks anew",
            in "0 s"..="87600 h": "no run lasts longer";
    }
}

impl GrantKind for LteConfig {
    const SUMMARY: &'static str = "LTE: a block each millisecond, at a rate that changes at random; failed blocks are repeated (HARQ), packets stay in order, and in the uplink a sender must first ask for a grant after a silence.";
    type Process = Lte;

    fn validate(&self) -> Result<(), Invalid> {
        if self.rates.0.is_empty() {
            return Err(("rates", "there must be one".into()));
        }
        let whole = [
            ("round_trip", self.round_trip),
            ("request", self.request),
            ("request_period", self.request_period),
        ];
        match whole.iter().find(|(_, time)| !time.as_nanos().is_multiple_of(SUBFRAME)) {
            Some((key, time)) => Err((key, format!("{time} is not a whole number of subframes of 1 ms"))),
            None => Ok(()),
        }
    }

    fn is_random(&self) -> bool {
        self.rates.0.len() > 1 || self.block_error > Probability::ZERO
    }

    fn mean(&self) -> Rate {
        channel::mean(&self.rates.0)
    }

    fn build(&self, rng: Rng) -> Lte {
        let [channel, errors] = streams(rng);
        Lte {
            channel: RateChain::new(&self.rates.0, self.dwell, channel),
            harq: Harq::new(self, errors),
            block: TransportBlock::default(),
            share: 0,
            delivered: Instant::ZERO,
            asks: (!self.request.is_zero()).then_some(SchedulingRequests {
                silence: self.silence,
                request: subframes(self.request),
                period: subframes(self.request_period).max(1),
                from: Instant::ZERO,
            }),
        }
    }

    fn bits(&self, rng: Rng, from: Instant, to: Instant) -> f64 {
        let [rng, _] = streams(rng);
        RateChain::new(&self.rates.0, self.dwell, rng).bits(from, to)
    }
}

/// Nanoseconds of a subframe (TS 36.211 §4).
const SUBFRAME: u64 = 1_000_000;

/// Channel and errors draw apart: so the channel is the same, whatever is sent.
fn streams(mut rng: Rng) -> [Rng; 2] {
    [(); 2].map(|()| Rng::new(rng.next_u64()))
}

/// Whole subframes of a time.
const fn subframes(time: Duration) -> u64 {
    time.as_nanos() / SUBFRAME
}

/// When a subframe begins.
const fn begins(subframe: u64) -> Instant {
    Instant::from_nanos(subframe.saturating_mul(SUBFRAME))
}

/// The subframe at a time.
const fn at_subframe(at: Instant) -> u64 {
    at.as_nanos() / SUBFRAME
}

/// The model, of one direction.
#[derive(Debug)]
pub struct Lte {
    channel: RateChain,
    harq: Harq,
    block: TransportBlock,
    /// Bits times nanoseconds a second that did not make a byte of the last block.
    share: u64,
    /// When the last block was through, or given up: no later one is before.
    delivered: Instant,
    asks: Option<SchedulingRequests>,
}

/// The block that is filled next.
#[derive(Debug, Default)]
struct TransportBlock {
    subframe: u64,
    /// Bytes that it has left; none: there is no block.
    left: u64,
    /// Whether something of it is used, so that its fate is drawn.
    begun: bool,
    /// Whether it will not come through, if so.
    lost: bool,
}

/// Requests for grants.
#[derive(Debug)]
struct SchedulingRequests {
    silence: Duration,
    /// The time from a request for a grant to the first subframe in which data may be sent. 0 s: no request is
    /// needed, as in the downlink. For the uplink 8 ms is usual: one subframe for the request, 3 ms to decode it, one
    /// for the grant, 3 ms to act on it (TR 36.881 §5.2).
    request: u64,
    period: u64,
    /// From when on a packet needs a request.
    from: Instant,
}

impl SchedulingRequests {
    /// The first subframe that is granted to what comes at `at`.
    fn granted(&mut self, at: Instant) -> u64 {
        if at < std::mem::replace(&mut self.from, Instant::MAX) {
            return at_subframe(at) + 1;
        }
        let occasion = (at_subframe(at) / self.period + 1) * self.period;
        occasion + self.request
    }
}

impl Lte {
    /// Makes the block of the first subframe from this one on in which no block is sent again.
    fn open(&mut self, from: u64) {
        let subframe = self.harq.free(from);
        let bits = self.channel.rate(subframe) * SUBFRAME + self.share;
        const BYTE: u64 = 8 * 1_000_000_000;
        self.share = bits % BYTE;
        self.block = TransportBlock { subframe, left: bits / BYTE, begun: false, lost: false };
    }

    /// Sends the present block.
    fn begin(&mut self) {
        let fate = self.harq.send(self.block.subframe);
        self.delivered = self.delivered.max(fate.settled);
        self.block.lost = fate.lost;
        self.block.begun = true;
    }
}

impl GrantProcess for Lte {
    fn opens(&mut self, at: Instant) -> Result<(), Instant> {
        if self.block.left > 0 && begins(self.block.subframe) == at {
            return Ok(());
        }
        let first = self.asks.as_mut().map_or(at_subframe(at) + 1, |asks| asks.granted(at));
        self.open(first);
        Err(begins(self.block.subframe))
    }

    fn send(&mut self, bytes: Bytes, _at: Instant) -> Transmission {
        let mut rest = bytes.get().max(1);
        let mut lost = false;
        loop {
            if !self.block.begun {
                self.begin();
            }
            lost |= self.block.lost;
            let now = rest.min(self.block.left);
            self.block.left -= now;
            rest -= now;
            if rest == 0 {
                break;
            }
            self.open(self.block.subframe + 1);
        }
        let left = begins(self.block.subframe + 1);
        if self.block.left == 0 {
            self.open(self.block.subframe + 1);
        }
        Transmission { arrives: self.delivered, left, free: begins(self.block.subframe), lost }
    }

    fn idle(&mut self, at: Instant) {
        self.block.left = 0;
        if let Some(asks) = &mut self.asks {
            asks.from = at.saturating_add(asks.silence);
        }
    }

    fn reset(&mut self, at: Instant) {
        self.idle(at);
        self.harq.reset();
        self.delivered = at;
    }
}

#[cfg(test)]
mod tests;
