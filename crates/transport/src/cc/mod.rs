//! Congestion control: how much may be in flight. The endpoint finds losses, counts the flight and keeps the timers; an
//! algorithm only turns what it is told into a window. An algorithm is one file and one line in the table below.

pub(crate) mod cached_cc;
pub(crate) mod coupled_subflow;
mod delegation;
mod hystart;
pub mod outside;
mod registry;

pub use crate::registry::CatalogEntry;
pub use bbr::BbrMode;
pub use bbr3::Bbr3State;
pub use cubic::CubicForm;
pub use outside::{Outside, OutsideControl};
pub use vegas::RoundTrip;

use crate::config::{EcnEcho, EcnLeast, HalveBase, Increase, Profile, TcpBehaviour, TcpConfig, WindowUnit};
use tailrace_core::params::{Invalid, Parameters};
use tailrace_core::{Bytes, Duration, Instant, Rate};

registry::congestion_controls! {
    "reno" => reno::Reno(RenoConfig),
    "newreno" => newreno::NewReno(NewRenoConfig),
    "cubic" => cubic::Cubic(CubicConfig),
    "vegas" => vegas::Vegas(VegasConfig),
    "highspeed" => highspeed::Highspeed(HighspeedConfig),
    "dctcp" => dctcp::Dctcp(DctcpConfig),
    "ledbat" => ledbat::Ledbat(LedbatConfig),
    "bbr" => bbr::Bbr(BbrConfig),
    "bbr3" => bbr3::Bbr3(Bbr3Config),
    "prague" => prague::Prague(PragueConfig),
}

impl CcConfig {
    /// The algorithm of a connection that names none: CUBIC, and what `profile` makes of it.
    pub fn for_profile(profile: Profile) -> Self {
        let linux = profile.is_linux() || profile == Profile::Mptcp094;
        let form = match profile {
            Profile::Ns3 => CubicForm::Ns3,
            _ if linux => CubicForm::Linux,
            _ => CubicForm::Rfc9438,
        };
        Self::Cubic(CubicConfig { form, hystart: form != CubicForm::Rfc9438, ..CubicConfig::default() })
    }

    /// Fits the values of a profile to this control, where the stack has them in the control's class. In ns-3 `TcpCubic`,
    /// `TcpLinuxReno` (`reno`) and `TcpDctcp` count all segments that an ACK acknowledges, and take their share of the window;
    /// `TcpNewReno` counts ACKs, and halves what is in flight. From it come the slow start of the others, and their halving.
    pub fn fit_behaviour(&self, profile: Profile, behaviour: &mut TcpBehaviour) {
        if profile != Profile::Ns3 || matches!(self, Self::Cubic(_) | Self::Reno(_) | Self::Dctcp(_)) {
            return;
        }
        (behaviour.abc_limit, behaviour.halve_base) = (1, HalveBase::Flight);
        if matches!(self, Self::NewReno(_)) {
            behaviour.increase = Increase::Acks;
        }
    }
}

/// A threshold that is never reached: "unlimited".
pub const NO_SSTHRESH: u64 = 1 << 62;

/// Sample of an ACK of new data.
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// When it arrived.
    pub now: Instant,
    /// Bytes it acknowledges cumulatively for the first time; where windows count packets, a short segment weighs as much as a full one.
    pub acked: Bytes,
    /// Bytes it acknowledges cumulatively for the first time, whatever windows count.
    pub advance: Bytes,
    /// Bytes estimated in the network before it (RFC 6675 pipe).
    pub in_flight: Bytes,
    /// Bytes sent and not acknowledged before it, in the network or not.
    pub outstanding: Bytes,
    /// Round-trip sample, if it gave one.
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Smallest round-trip time seen; zero before the first sample.
    pub min_rtt: Duration,
    /// Whether the window was what limited the sender (always true without validation).
    pub cwnd_limited: bool,
    /// Whether the sender still repairs a timeout: slow start grows by one MSS an ACK then (RFC 3465 §2.3), as an ACK may
    /// cover what had arrived long before. Not where only what is delivered counts.
    pub after_timeout: bool,
}

#[cfg(test)]
impl AckSample {
    /// Sample with no content but its time.
    pub(crate) fn at(now: Instant) -> Self {
        Self {
            now,
            acked: Bytes(0),
            advance: Bytes(0),
            in_flight: Bytes(0),
            outstanding: Bytes(0),
            rtt: None,
            smoothed_rtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            cwnd_limited: true,
            after_timeout: false,
        }
    }
}

/// Congestion signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A segment was lost, found by duplicate ACKs or SACK.
    Loss,
    /// The receiver echoed a congestion mark.
    Ecn,
    /// The retransmission timer expired for the first time on this data.
    Timeout,
    /// It expired again, and ssthresh is to stay.
    RepeatedTimeout,
}

/// A congestion signal; the endpoint passes on at most one a window of data.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEvent {
    /// Time of the signal.
    pub now: Instant,
    /// Kind of signal.
    pub signal: Signal,
    /// Base of a multiplicative decrease: the flight or the window in use (`halve_base`).
    pub base: Bytes,
}

/// Demands of an algorithm on the endpoint beyond the window rule; by default none, at no cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// [`CongestionControl::on_delivery`] is called for every ACK.
    pub deliveries: bool,
    /// The calls of `on_delivery` carry rate samples; the endpoint then stores more for each segment.
    pub rates: bool,
    /// Data is paced, where `pacing` leaves it open.
    pub pacing: bool,
    /// ECN is negotiated whatever `ecn` says, as the algorithm does not work without.
    pub ecn: bool,
    /// Echo of marks by the receiver, where `ecn_echo` leaves it open.
    pub echo: EcnEcho,
    /// With accurate feedback data is sent as ECT(1) (RFC 9331).
    pub l4s: bool,
}

impl Needs {
    /// Nothing.
    pub const NOTHING: Self = Self {
        deliveries: false,
        rates: false,
        pacing: false,
        ecn: false,
        echo: EcnEcho::Classic,
        l4s: false,
    };
}

/// Kind of loss recovery under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing.
    None,
    /// A loss, in fast recovery.
    Loss,
    /// A timeout.
    Timeout,
}

/// Flow of data as seen by one ACK (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowSample {
    /// Bytes delivered since the start, cumulatively or selectively acknowledged.
    pub total: u64,
    /// Bytes of that which this ACK reported.
    pub delivered: u64,
    /// Bytes that this ACK made known as lost.
    pub lost: u64,
    /// Round trip of the newest segment that it delivered, where that was sent once. A sample for the retransmission
    /// timer is the oldest's, and includes how long the ACK was delayed.
    pub rtt: Option<Duration>,
    /// The delivery rate, where a segment that this ACK delivered gives one.
    pub rate: Option<RateSample>,
}

/// The delivery rate between the sending of a segment and its acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Bytes a second.
    pub bytes_per_sec: f64,
    /// Bytes that had been delivered when the segment was sent: a round trip has passed since then.
    pub prior_delivered: u64,
    /// Whether the sender, not the path, was the limit then.
    pub app_limited: bool,
    /// Bytes in the network when the segment was sent, itself included.
    pub sent_in_flight: u64,
    /// Bytes that have become known as lost since.
    pub lost: u64,
}

/// Delivery by one ACK, in recovery or not, for algorithms that ask for it. The call follows all others for the same ACK.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// When it arrived.
    pub now: Instant,
    /// Bytes it acknowledges cumulatively for the first time.
    pub acked: Bytes,
    /// Bytes it acknowledges for the first time, cumulatively or selectively.
    pub delivered: Bytes,
    /// Bytes that were marked, as far as the receiver's echo tells: of `delivered`, all or none by the flag ECE; by
    /// accurate feedback, so many full segments as were marked.
    pub marked: Bytes,
    /// First byte not acknowledged, after it; a position in the stream.
    pub una: u64,
    /// Next byte to be sent for the first time.
    pub nxt: u64,
    /// Bytes estimated in the network, before it.
    pub prior_in_flight: Bytes,
    /// Bytes estimated in the network, after it.
    pub in_flight: Bytes,
    /// Round-trip sample, if it gave one.
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Whether the window was what limited the sender (always true without validation).
    pub cwnd_limited: bool,
    /// With [`Needs::rates`]: what it delivered and how fast. All zero without.
    pub flow: FlowSample,
    /// Delay of the data in one direction by the timestamps, in milliseconds; includes the difference of the two ends' clocks
    /// and the time that the ACK waited.
    pub one_way_ms: Option<i32>,
    /// Loss recovery after the ACK.
    pub repair: Repair,
}

#[cfg(test)]
impl Delivery {
    /// A delivery that says nothing but the time.
    pub(crate) fn at(now: Instant) -> Self {
        Self {
            now,
            acked: Bytes(0),
            delivered: Bytes(0),
            marked: Bytes(0),
            una: 0,
            nxt: 0,
            prior_in_flight: Bytes(0),
            in_flight: Bytes(0),
            rtt: None,
            smoothed_rtt: Duration::ZERO,
            cwnd_limited: true,
            flow: FlowSample::default(),
            one_way_ms: None,
            repair: Repair::None,
        }
    }
}

/// Window and threshold before the last reduction that may be undone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PriorWindow {
    cwnd: f64,
    ssthresh: u64,
}

impl PriorWindow {
    /// State to remember at `signal`, of which `self` was remembered before. Reductions for marks are never undone.
    pub(crate) fn before(self, signal: Signal, cwnd: f64, ssthresh: u64) -> Self {
        match signal {
            // Slow start up to where the window was, if it must be shorter at first (RFC 4015 §3.2).
            Signal::Loss | Signal::Timeout => Self { cwnd, ssthresh: ssthresh.max(cwnd as u64) },
            Signal::Ecn => Self::default(),
            Signal::RepeatedTimeout => self,
        }
    }
    /// Window and threshold with the reduction undone.
    pub(crate) fn restore(self, cwnd: f64, ssthresh: u64) -> (f64, u64) {
        (cwnd.max(self.cwnd), ssthresh.max(self.ssthresh))
    }
}

/// Set-up of an algorithm: when it is built, and again when the handshake has settled the segment size.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Segment size, bytes.
    pub mss: u64,
    /// Initial window, bytes.
    pub initial_window: u64,
    /// Initial threshold, bytes.
    pub initial_ssthresh: u64,
    /// Slow start's limit an ACK, in segments.
    pub abc_limit: u8,
    /// Grow by ACKs counted rather than by bytes.
    pub ack_counting: bool,
    /// Truncate thresholds to whole segments.
    pub whole_packets: bool,
    /// A lowered window keeps its fraction, though the threshold does not (ns-2).
    pub cwnd_keeps_fraction: bool,
    /// Marks lower the window to one segment, not to the threshold's two.
    pub marks_leave_one: bool,
}

impl Setup {
    /// The set-up for segments of `mss` bytes.
    pub fn new(config: &TcpConfig, mss: u64) -> Self {
        Self {
            mss,
            initial_window: config.initial_window(mss),
            initial_ssthresh: config.initial_ssthresh.map_or(NO_SSTHRESH, |n| n.saturating_mul(mss)),
            abc_limit: config.abc_limit,
            ack_counting: config.increase == Increase::Acks,
            whole_packets: config.window_unit != WindowUnit::Bytes,
            cwnd_keeps_fraction: config.window_unit == WindowUnit::Ns2,
            marks_leave_one: config.ecn_least == EcnLeast::OneThenWait,
        }
    }

    /// Rounds `bytes` down to whole segments, where windows are counted in those.
    pub fn whole(&self, bytes: f64) -> f64 {
        let mss = self.mss as f64;
        if self.whole_packets && !self.cwnd_keeps_fraction { (bytes / mss).floor() * mss } else { bytes }
    }

    /// A lowered threshold: `base * beta`, in the window's unit, at least two segments (RFC 5681 equation 4).
    pub fn threshold(&self, base: Bytes, beta: f64) -> u64 {
        // 30 segments times 0.7 must not become 20 because the product falls short of 21 in its last digit.
        let lowered = (base.as_f64() * beta * (1.0 + 1e-12)) as u64;
        let lowered = if self.whole_packets { lowered / self.mss * self.mss } else { lowered };
        lowered.max(2 * self.mss)
    }

    /// The window that goes with the lowered threshold `ssthresh`, bytes: the same, but for ns-2, where it is
    /// `base * beta` as it stands (`TcpAgent::slowdown` with `precision_reduce_`), at least one segment; and for marks,
    /// which leave one segment where losses leave two (RFC 3168 §6.1.2).
    pub fn lowered_window(&self, event: &CongestionEvent, beta: f64, ssthresh: u64) -> f64 {
        let mark = event.signal == Signal::Ecn;
        let to_one = ssthresh == 2 * self.mss && self.marks_leave_one && mark;
        if self.cwnd_keeps_fraction || to_one {
            let least = if mark && !self.marks_leave_one { 2 * self.mss } else { self.mss };
            (event.base.as_f64() * beta).max(least as f64)
        } else {
            ssthresh as f64
        }
    }
}

/// A congestion control algorithm for one connection.
///
/// No method has a default, so an algorithm built on another cannot forget one: it does not compile then. `delegate!` and
/// `plain!` in `delegation.rs` write the methods that it forwards to the other, and those that it ignores.
pub trait CongestionControl {
    /// The connection is established: start from this set-up.
    fn on_established(&mut self, setup: &Setup);
    /// New data was acknowledged outside fast recovery.
    fn on_ack(&mut self, ack: &AckSample);
    /// An ACK gave an RTT sample or advanced, but does not grow the window: in fast recovery, or carrying only SACK blocks.
    /// `window` is cwnd before it. Most algorithms ignore it.
    fn on_round_trip(&mut self, ack: &AckSample, window: Bytes);
    /// Congestion was signalled.
    fn on_congestion(&mut self, event: &CongestionEvent);
    /// The last reduction for a loss or a timeout was needless: windows and thresholds as if it had not been, but no
    /// lower than they are by now.
    fn on_undo(&mut self);
    /// A timeout was signalled, and what was sent just before is on its way still: the window is that and a segment
    /// more. Algorithms that see to their flight themselves need not heed it.
    fn on_flight_after_timeout(&mut self, window: Bytes);
    /// Nothing was sent for `idle`, longer than the timeout `rto`; the window may be stale. It becomes the restart window `floor`, or is halved
    /// as often as `decay` says, but not below that.
    fn on_idle(&mut self, idle: Duration, rto: Duration, floor: Bytes, decay: Option<u32>);
    /// Data is sent at `now` with none in flight; the last was sent at `last`. Most algorithms ignore it.
    fn on_resumed(&mut self, last: Instant, now: Instant);
    /// Fast recovery without SACK ended; a window larger than `cap` would send a burst.
    fn on_recovered(&mut self, cap: Bytes);
    /// The congestion window.
    fn cwnd(&self) -> Bytes;
    /// The slow-start threshold, if there is one yet.
    fn ssthresh(&self) -> Option<Bytes>;
    /// The window is cut in half for the sake of a connection whose other subflows wait for this one
    /// (Raiciu et al., NSDI 2012 §4.2): no sign of congestion. Algorithms with a slow-start threshold lower it, too,
    /// else slow start would give back at once what was taken; where they are in slow start still, only if that is
    /// to end.
    fn penalise(&mut self, ends_slow_start: bool);
    /// Demands on the endpoint; the answer never changes.
    fn needs(&self) -> Needs;
    /// An ACK was dealt with; called only where [`Needs::deliveries`] asks for it.
    fn on_delivery(&mut self, delivery: &Delivery);
    /// Whether the algorithm itself keeps the flight down for now, so that delivery rates say nothing of the path.
    fn holds_back(&self) -> bool;
    /// Rate at which to pace, if the algorithm paces.
    fn pacing_rate(&self) -> Option<Rate>;
    /// Whether a partial ACK ends fast recovery without SACK (plain Reno), rather than repairing the next hole.
    fn leaves_recovery_on_partial_ack(&self) -> bool;
}

/// An algorithm that can stand in the registry.
pub trait Algorithm: CongestionControl + Sized {
    /// Its parameters.
    type Config: Parameters;
    /// Summary line for `tailrace list`.
    const SUMMARY: &'static str;
    /// Where it is defined.
    const CITATION: &'static str;
    /// Whether the parameters fit together.
    ///
    /// # Errors
    /// The name of one that does not, and why.
    fn validate(_config: &Self::Config) -> Result<(), Invalid> {
        Ok(())
    }
    /// A fresh instance.
    fn build(config: &Self::Config, setup: &Setup) -> Self;
}
