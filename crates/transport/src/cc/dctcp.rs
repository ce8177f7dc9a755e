//! DCTCP (RFC 8257): the window falls in proportion to how many segments were marked.
//!
//! Once a window the share of marked bytes is averaged into alpha; a window with marks is cut by alpha / 2, so that a
//! queue that marks every arrival above a threshold K stays short without idling. It needs ECN (negotiated whatever
//! `ecn` says), a receiver that echoes each segment's mark (`ecn_echo`), and K of at least a seventh of the
//! bandwidth-delay product (Alizadeh et al., SIGCOMM 2010; 0.17 in RFC 8257 §4.1). Losses are answered as Reno does.

use super::delegation::{delegate, plain};
use super::{
    Algorithm, CongestionControl, CongestionEvent, Delivery, Needs, Reno, RenoConfig, Setup, Signal,
};
use crate::config::EcnEcho;
use tailrace_core::parameters;

parameters! {
    /// Parameters of DCTCP.
    pub struct DctcpConfig {
        /// The weight of the newest share of marked packets in the average, taken once per window. A larger value
        /// follows faster and varies more.
        g: f64 = 0.0625, "RFC 8257 §4.2", in 0.0..=1.0: "it is a weight in an average";
        /// The average share of marked packets (alpha) at the start. With 0 the first marks reduce nothing; with 1
        /// they halve the window, as a loss does.
        initial_alpha: f64 = 1.0, "RFC 8257 §4.2; 0 in ns-2", in 0.0..=1.0: "it is a share of a whole";
    }
}

/// DCTCP's state: Reno's window, cut by alpha.
#[derive(Clone, Debug)]
pub struct Dctcp {
    reno: Reno,
    g: f64,
    alpha: f64,
    /// Where the window that is being observed ends.
    window_end: u64,
    acked: u64,
    marked: u64,
}

impl Algorithm for Dctcp {
    type Config = DctcpConfig;
    const SUMMARY: &'static str =
        "Reduces the window in proportion to the share of marked segments; for data centers";
    const CITATION: &'static str = "RFC 8257";
    fn build(config: &DctcpConfig, setup: &Setup) -> Self {
        Self {
            reno: Reno::build(&RenoConfig::default(), setup),
            g: config.g.clamp(0.0, 1.0),
            alpha: config.initial_alpha.clamp(0.0, 1.0),
            window_end: 0,
            acked: 0,
            marked: 0,
        }
    }
}

impl CongestionControl for Dctcp {
    delegate! {
        reno: on_round_trip, on_resumed, on_established, on_ack, on_undo, on_flight_after_timeout, on_idle, on_recovered, penalise, cwnd,
        ssthresh,
    }
    plain! { holds_back, pacing_rate, leaves_recovery_on_partial_ack }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        let window = self.reno.cwnd();
        self.reno.on_congestion(event);
        if event.signal == Signal::Ecn {
            // §3.3: cwnd = cwnd * (1 - alpha / 2), of the window and not of the flight.
            self.reno.ssthresh = self.reno.setup.threshold(window, 1.0 - self.alpha / 2.0);
            self.reno.cwnd = self.reno.ssthresh as f64;
        }
    }

    /// §3.3: counts what was acknowledged and what of that was marked, and moves alpha once a window.
    fn on_delivery(&mut self, delivery: &Delivery) {
        self.acked += delivery.delivered.get();
        self.marked += delivery.marked.get().min(delivery.delivered.get());
        if delivery.una <= self.window_end || self.acked == 0 {
            return;
        }
        let share = self.marked as f64 / self.acked as f64;
        self.alpha = self.alpha * (1.0 - self.g) + self.g * share;
        (self.window_end, self.acked, self.marked) = (delivery.nxt, 0, 0);
    }

    fn needs(&self) -> Needs {
        Needs { deliveries: true, ecn: true, echo: EcnEcho::Dctcp, ..Needs::NOTHING }
    }
}

impl Dctcp {
    /// The running share of marked bytes.
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TcpConfig;
    use tailrace_core::{Bytes, Instant};

    fn flow(window: u64) -> Dctcp {
        let tcp = TcpConfig { iw: Some(window), initial_ssthresh: Some(2), ..TcpConfig::default() };
        Dctcp::build(&DctcpConfig::default(), &Setup::new(&tcp, 1000))
    }
    /// ACKs of one segment each after `from` segments; ten are in flight.
    fn segments(d: &mut Dctcp, from: u64, marked: &[bool]) {
        for (i, &marked) in (from + 1..).zip(marked) {
            let (una, nxt) = (1000 * i, 1000 * (i + 10));
            let marked = Bytes(if marked { 1000 } else { 0 });
            let delivered = Bytes(1000);
            d.on_delivery(&Delivery { delivered, marked, una, nxt, ..Delivery::at(Instant::ZERO) });
        }
    }

    #[test]
    fn alpha_averages_the_share_of_marked_bytes() {
        // RFC 8257 §3.3 steps 4 to 6: alpha = 15/16 alpha + F/16, once a window. The first ACK, unmarked, is a window of
        // its own (WindowEnd starts at SND.UNA): 0.9375. Then windows end with the first ACK beyond what was sent at
        // the end of the last, at 11000: of the eleven segments up to 12000 three are marked.
        let mut d = flow(10);
        segments(&mut d, 0, &[false]);
        assert!((d.alpha - 0.9375).abs() < 1e-12);
        segments(&mut d, 1, &[true, true, true, false, false, false, false, false, false, false]);
        assert!((d.alpha - 0.9375).abs() < 1e-12, "11000 is not beyond the window");
        segments(&mut d, 11, &[false]);
        let expected = 0.9375 * 0.9375 + 3.0 / 11.0 / 16.0;
        assert!((d.alpha - expected).abs() < 1e-12, "{} {expected}", d.alpha);
    }

    #[test]
    fn a_mark_takes_half_of_alpha_and_a_loss_half() {
        let mut d = flow(100);
        d.alpha = 0.25;
        let mut event = CongestionEvent { now: Instant::ZERO, signal: Signal::Ecn, base: Bytes(60_000) };
        d.on_congestion(&event);
        assert_eq!((d.cwnd(), d.ssthresh()), (Bytes(87_500), Some(Bytes(87_500))));
        event.signal = Signal::Loss;
        d.on_congestion(&event);
        assert_eq!(d.cwnd(), Bytes(30_000));
    }
}
