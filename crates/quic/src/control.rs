//! Congestion controls of the simulator in place of a stack's: what an acknowledgment, a loss and a mark are to the stack, they are to
//! the control, by the rules of RFC 9002 §7.

use crate::clock::{Clock, span};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::time::{Duration as StdDuration, Instant as StdInstant};
use tailrace_core::{Bytes, Duration};
use tailrace_transport::cc::{
    AckSample, CcConfig, CongestionControl as _, CongestionEvent, Delivery, FlowSample, RateSample, Repair,
    Setup, Signal,
};
use tailrace_transport::quic::QuicPlan;
use tailrace_transport::{Cc, TcpConfig};

/// Initial window of both stacks: RFC 9002 §7.2 with datagrams of 1200 bytes.
const INITIAL_WINDOW: u64 = 12_000;

/// Maker of the controls of a group's connections.
#[derive(Clone, Debug)]
pub(crate) struct ControlMaker {
    cc: CcConfig,
    mss: u64,
    initial_window: u64,
    clock: Clock,
}

impl ControlMaker {
    /// Controls count windows in datagrams of the size that a connection ends up with on a path of Ethernet packets.
    pub(crate) fn new(cc: &CcConfig, plan: &QuicPlan, clock: Clock) -> Self {
        let config = &plan.config;
        let largest = if config.mtu_discovery { config.mtu_discovery_limit } else { config.initial_mtu };
        let mss = largest.max(config.initial_mtu).get();
        let initial_window = config.initial_window.map_or(INITIAL_WINDOW, Bytes::get);
        Self { cc: cc.clone(), mss, initial_window, clock }
    }
}

/// Sent packets of one instant, for samples of the delivery rate.
#[derive(Clone, Copy, Debug)]
struct Departure {
    packets: u32,
    delivered: u64,
    in_flight: u64,
    lost: u64,
    app_limited: bool,
}

/// Time after which packets that were not acknowledged are forgotten.
const FORGOTTEN: StdDuration = StdDuration::from_secs(10);

/// Round-trip times of the stack: of the packet acknowledged last, smoothed, and smallest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundTrips {
    pub(crate) latest: StdDuration,
    pub(crate) smoothed: StdDuration,
    pub(crate) least: StdDuration,
}

/// A control of the simulator on one path of a connection.
pub(crate) struct SimulatedControl {
    maker: ControlMaker,
    /// Stacks want a control that threads can share; it is reached by `get_mut` alone and never locked.
    cc: Mutex<Cc>,
    in_flight: u64,
    /// Bytes that the acknowledgment acknowledges that is being dealt with, and how much of that was sent after the last reduction.
    acked: u64,
    acked_anew: u64,
    round_trips: RoundTrips,
    delivered: u64,
    lost: u64,
    lost_since_delivery: u64,
    departures: BTreeMap<StdInstant, Departure>,
    newest: Option<(StdInstant, Departure)>,
    recovery_since: Option<StdInstant>,
    app_limited: bool,
    sent: u64,
    window: u64,
    ssthresh: Option<u64>,
    pacing_rate: Option<u64>,
}

impl fmt::Debug for SimulatedControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedControl").field("cc", &self.maker.cc).finish_non_exhaustive()
    }
}

impl SimulatedControl {
    pub(crate) fn new(maker: ControlMaker) -> Self {
        let config = TcpConfig::default();
        let setup = Setup { initial_window: maker.initial_window, ..Setup::new(&config, maker.mss) };
        let mut cc = maker.cc.build(&config, maker.mss);
        cc.on_established(&setup);
        let mut control = Self {
            maker,
            cc: Mutex::new(cc),
            in_flight: 0,
            acked: 0,
            acked_anew: 0,
            round_trips: RoundTrips::default(),
            delivered: 0,
            lost: 0,
            lost_since_delivery: 0,
            departures: BTreeMap::new(),
            newest: None,
            recovery_since: None,
            app_limited: false,
            sent: 0,
            window: 0,
            ssthresh: None,
            pacing_rate: None,
        };
        control.publish();
        control
    }

    /// The same control at its beginning, for another path.
    pub(crate) fn anew(&self) -> Self {
        Self::new(self.maker.clone())
    }

    fn cc(&mut self) -> &mut Cc {
        self.cc.get_mut().expect("never locked")
    }

    /// Keeps what the stack asks for behind a shared reference.
    fn publish(&mut self) {
        let least = 2 * self.maker.mss;
        let cc = self.cc();
        let (window, ssthresh) = (cc.cwnd().get(), cc.ssthresh().map(Bytes::get));
        let rate = cc.pacing_rate().map(|rate| rate.bytes_per_sec() as u64);
        // The minimum window is two datagrams (RFC 9002 §7.2).
        (self.window, self.ssthresh, self.pacing_rate) = (window.max(least), ssthresh, rate);
    }

    pub(crate) fn on_sent(&mut self, now: StdInstant, bytes: u64) {
        if bytes == 0 {
            return;
        }
        self.in_flight += bytes;
        self.sent += bytes;
        if !self.cc().needs().rates {
            return;
        }
        let packets = self.departures.get(&now).map_or(0, |departure| departure.packets) + 1;
        let departure = Departure {
            packets,
            delivered: self.delivered,
            in_flight: self.in_flight,
            lost: self.lost,
            app_limited: self.app_limited,
        };
        self.departures.insert(now, departure);
        while self.departures.first_key_value().is_some_and(|(at, _)| *at + FORGOTTEN < now) {
            self.departures.pop_first();
        }
    }

    /// Takes an acknowledged packet.
    pub(crate) fn on_ack(
        &mut self,
        sent: StdInstant,
        bytes: u64,
        app_limited: bool,
        round_trips: RoundTrips,
    ) {
        // A recovery period ends when a packet that was sent during it is acknowledged (RFC 9002 §7.3.2).
        if self.recovery_since.is_some_and(|since| sent > since) {
            self.recovery_since = None;
        }
        self.app_limited = app_limited;
        self.delivered += bytes;
        self.acked += bytes;
        self.acked_anew += if self.recovery_since.is_none() { bytes } else { 0 };
        self.round_trips = round_trips;
        if let Some(departure) = self.departures.get_mut(&sent) {
            self.newest = Some((sent, *departure));
            departure.packets -= 1;
            if departure.packets == 0 {
                self.departures.remove(&sent);
            }
        }
    }

    /// Ends an acknowledgment, of which all packets were taken; `in_flight`: bytes that are left in flight.
    pub(crate) fn on_end_acks(&mut self, now: StdInstant, in_flight: u64, app_limited: bool) {
        let (acked, anew) = (std::mem::take(&mut self.acked), std::mem::take(&mut self.acked_anew));
        if acked == 0 {
            return;
        }
        self.in_flight = in_flight;
        let at = self.maker.clock.to_simulation(now);
        let [rtt, smoothed_rtt, min_rtt] =
            [self.round_trips.latest, self.round_trips.smoothed, self.round_trips.least].map(span);
        let before = Bytes(in_flight + acked);
        let sample = AckSample {
            now: at,
            acked: Bytes(anew),
            advance: Bytes(anew),
            in_flight: before,
            outstanding: before,
            rtt: Some(rtt),
            smoothed_rtt,
            min_rtt,
            cwnd_limited: !app_limited,
            after_timeout: false,
        };
        if anew > 0 {
            self.cc().on_ack(&sample);
        } else {
            let window = self.cc().cwnd();
            self.cc().on_round_trip(&sample, window);
        }
        if self.cc().needs().deliveries {
            let flow = self.flow_sample(now, acked, rtt);
            let delivery = Delivery {
                now: at,
                acked: Bytes(acked),
                delivered: Bytes(acked),
                marked: Bytes(0),
                una: self.delivered + self.lost,
                nxt: self.sent,
                prior_in_flight: before,
                in_flight: Bytes(self.in_flight),
                rtt: Some(rtt),
                smoothed_rtt,
                cwnd_limited: !app_limited,
                flow,
                one_way_ms: None,
                repair: if self.recovery_since.is_some() { Repair::Loss } else { Repair::None },
            };
            self.cc().on_delivery(&delivery);
        }
        self.publish();
    }

    /// Sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation).
    fn flow_sample(&mut self, now: StdInstant, acked: u64, rtt: Duration) -> FlowSample {
        let rate = self.newest.take().map(|(sent, departure)| RateSample {
            bytes_per_sec: (self.delivered - departure.delivered) as f64
                / now.duration_since(sent).as_secs_f64().max(1e-9),
            prior_delivered: departure.delivered,
            app_limited: departure.app_limited,
            sent_in_flight: departure.in_flight,
            lost: self.lost - departure.lost,
        });
        let lost = std::mem::take(&mut self.lost_since_delivery);
        FlowSample { total: self.delivered, delivered: acked, lost, rtt: Some(rtt), rate }
    }

    pub(crate) fn on_lost(&mut self, bytes: u64) {
        self.in_flight = self.in_flight.saturating_sub(bytes);
        self.lost += bytes;
        self.lost_since_delivery += bytes;
    }

    /// Takes a congestion event: a reduction unless the packet was sent before the last one (RFC 9002 §7.3.1).
    pub(crate) fn on_congestion(
        &mut self,
        now: StdInstant,
        sent: StdInstant,
        (persistent, ecn): (bool, bool),
    ) {
        if self.recovery_since.is_some_and(|since| sent <= since) && !persistent {
            return;
        }
        self.recovery_since = Some(now);
        let signal = match (persistent, ecn) {
            (true, _) => Signal::Timeout,
            (_, true) => Signal::Ecn,
            _ => Signal::Loss,
        };
        let (now, base) = (self.maker.clock.to_simulation(now), self.cc().cwnd());
        self.cc().on_congestion(&CongestionEvent { now, signal, base });
        self.publish();
    }

    /// Takes back the last reduction, as what was found lost has arrived.
    pub(crate) fn on_spurious_congestion(&mut self) {
        self.recovery_since = None;
        self.cc().on_undo();
        self.publish();
    }

    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    pub(crate) const fn ssthresh(&self) -> Option<u64> {
        self.ssthresh
    }

    /// Pacing rate in bytes a second, where the control sets one.
    pub(crate) const fn pacing_rate(&self) -> Option<u64> {
        self.pacing_rate
    }

    pub(crate) const fn initial_window(&self) -> u64 {
        self.maker.initial_window
    }
}
