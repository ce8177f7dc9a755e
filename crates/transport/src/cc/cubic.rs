//! CUBIC (RFC 9438): the window follows a cubic of the time since the last loss.
//!
//! After a loss at W_max the window returns there quickly, lingers, then probes ever faster; where standard TCP
//! would have more (short round trips, small windows) it follows an estimate of standard TCP instead. Departure:
//! the increase of §4.4 counts acknowledged segments instead of ACKs, so delayed ACKs do not slow it.

mod hystart;
mod linux;

use self::hystart::Signs;
use self::linux::Growth;
use super::delegation::plain;
use super::hystart::{Advice, HyStart};
use super::reno::{after_idle, penalised};
use super::{AckSample, Algorithm, CongestionControl, CongestionEvent, NO_SSTHRESH, Setup, Signal};
use tailrace_core::{Bytes, Duration, Instant, choices, math, parameters};

choices! {
    /// Variant of the growth in congestion avoidance.
    pub enum CubicForm {
        /// Growth by RFC 9438.
        Rfc9438 = "rfc9438",
        /// Linux's growth: in whole segments, by counting ACKs between increases, and with a Reno-friendly window whose
        /// growth never speeds up (RFC 9438 lets it grow like standard TCP once it has caught up). `c` is 41/1024 * 10.
        Linux = "linux",
        /// Growth as in Linux and in ns-3's `TcpCubic`, with later signs for HyStart: ACKs close to one another for a whole least round
        /// trip, and round trips of twice the least.
        Ns3 = "ns3",
    }
}

parameters! {
    /// Parameters of CUBIC.
    pub struct CubicConfig {
        /// C, in segments per second cubed: how steeply the window grows after a loss. A larger value grows faster.
        c: f64 = 0.4, "RFC 9438 §5.1", in 0.0..=1000000.0: "the window would shrink | the window would jump";
        /// The factor by which a loss or a mark reduces the window. A larger value keeps more.
        beta: f64 = 0.7, "RFC 9438 §4.6", in 0.0..=0.999: "a loss takes away no more than the window | a loss must take something away";
        /// Whether a flow whose window keeps shrinking gives up more of it at a loss, to make room for new flows.
        fast_convergence: bool = true, "RFC 9438 §4.7";
        /// Whether the window is never smaller than that of standard TCP (Reno) would be.
        reno_friendly: bool = true, "RFC 9438 §4.3";
        /// Growth in congestion avoidance: that of RFC 9438 or that of Linux, which is slower at small windows.
        form: CubicForm = CubicForm::Rfc9438, "RFC 9438; Linux net/ipv4/tcp_cubic.c";
        /// Whether slow start ends when round-trip times grow, instead of at the first loss. This is HyStart++; with
        /// `form = "linux"` it is Linux's HyStart, which also watches how closely ACKs follow one another.
        hystart: bool = false, "RFC 9406, RFC 9438 §4.10; Linux hystart_update";
    }
}

/// CUBIC's state. Windows are in segments.
#[derive(Clone, Debug)]
pub struct Cubic {
    setup: Setup,
    c: f64,
    beta: f64,
    fast_convergence: bool,
    reno_friendly: bool,
    cwnd: f64,
    ssthresh: u64,
    /// The window the cubic levels off at; zero where the coming epoch must start from its own window (K = 0).
    w_max: f64,
    /// The window before the last decrease.
    cwnd_prior: f64,
    w_est: f64,
    k: f64,
    /// When the current stage of congestion avoidance began.
    epoch: Option<Instant>,
    last_ack: Instant,
    /// The state before the last reduction that may be undone.
    prior: Option<Stage>,
    /// Whether slow start ends when round-trip times grow, instead of at the first loss. This is HyStart++; with
    /// `form = "linux"` it is Linux's HyStart, which also watches how closely ACKs follow one another.
    hystart: Option<Box<HyStart>>,
    /// With the form `linux`.
    linux: Option<Box<Growth>>,
}

/// State before a reduction, which an undo restores (RFC 9438 §4.9).
#[derive(Clone, Copy, Debug)]
struct Stage {
    cwnd: f64,
    ssthresh: u64,
    w_max: f64,
    cwnd_prior: f64,
    w_est: f64,
    k: f64,
    epoch: Option<Instant>,
}

impl Algorithm for Cubic {
    type Config = CubicConfig;
    const SUMMARY: &'static str =
        "Grows the window as a cubic function of the time since the last loss; the default of most systems";
    const CITATION: &'static str = "RFC 9438";
    fn build(config: &CubicConfig, setup: &Setup) -> Self {
        let signs = match config.form {
            CubicForm::Rfc9438 => None,
            CubicForm::Linux => Some(Signs::Linux),
            CubicForm::Ns3 => Some(Signs::Ns3),
        };
        let cwnd = setup.initial_window as f64 / setup.mss as f64;
        Self {
            setup: *setup,
            c: config.c.max(1e-6),
            beta: config.beta.clamp(0.0, 0.999),
            fast_convergence: config.fast_convergence,
            reno_friendly: config.reno_friendly,
            cwnd,
            ssthresh: setup.initial_ssthresh,
            w_max: 0.0,
            cwnd_prior: 0.0,
            w_est: 0.0,
            k: 0.0,
            epoch: None,
            last_ack: Instant::ZERO,
            prior: None,
            hystart: (config.hystart && signs.is_none()).then(|| Box::new(HyStart::new())),
            linux: signs
                .map(|signs| Box::new(Growth::new(config.reno_friendly, config.hystart.then_some(signs)))),
        }
    }
}

impl CongestionControl for Cubic {
    plain! { needs, on_delivery, holds_back, pacing_rate, leaves_recovery_on_partial_ack }

    fn on_established(&mut self, setup: &Setup) {
        self.setup = *setup;
        self.cwnd = setup.initial_window as f64 / setup.mss as f64;
        self.ssthresh = setup.initial_ssthresh;
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let since = ack.now.saturating_since(self.last_ack);
        self.last_ack = ack.now;
        let mss = self.setup.mss as f64;
        if self.hears_of_the_end(ack, self.cwnd) {
            self.ssthresh = (self.cwnd * mss) as u64;
        }
        if !ack.cwnd_limited {
            // §5.8: time in which the application was the limit does not count.
            self.epoch = self.epoch.map(|e| e.saturating_add(since));
            return;
        }
        let ssthresh = self.ssthresh as f64 / mss;
        let segments = ack.acked.as_f64() / mss;
        let advice = match &mut self.hystart {
            Some(h) if self.cwnd < ssthresh => h.on_ack(ack),
            _ => Advice::Grow(1.0),
        };
        if advice == Advice::Exit {
            self.ssthresh = (self.cwnd * mss) as u64;
            self.hystart = None;
        } else if self.cwnd < ssthresh {
            let limit = if ack.after_timeout { 1 } else { self.setup.abc_limit.max(1) };
            let grow = if self.setup.ack_counting { 1.0 } else { segments.min(f64::from(limit)) };
            let divisor = if let Advice::Grow(by) = advice { by } else { 1.0 };
            let room = ssthresh - self.cwnd;
            self.cwnd = (self.cwnd + grow / divisor).min(ssthresh);
            // The rest of an ACK that reaches ssthresh counts beyond it in Linux (`tcp_slow_start`).
            if self.linux.is_some() && grow > room {
                self.avoid(ack, grow - room);
            }
        } else {
            self.avoid(ack, segments);
        }
    }

    fn on_round_trip(&mut self, ack: &AckSample, window: Bytes) {
        let cwnd = window.as_f64() / self.setup.mss as f64;
        if self.hears_of_the_end(ack, cwnd) {
            (self.cwnd, self.ssthresh) = (cwnd, window.get());
        }
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.remember(event.signal);
        self.epoch = None;
        self.hystart = None;
        let timeout = matches!(event.signal, Signal::Timeout | Signal::RepeatedTimeout);
        if let Some(growth) = &mut self.linux {
            growth.end_epoch(timeout.then_some(event.now));
        }
        if event.signal != Signal::RepeatedTimeout {
            self.ssthresh = self.setup.threshold(event.base, self.beta);
            self.cwnd_prior = self.cwnd;
        }
        match event.signal {
            Signal::Loss | Signal::Ecn => {
                // §4.7: below the last maximum, another flow is growing: release bandwidth.
                let release = self.fast_convergence && self.cwnd < self.w_max;
                self.w_max = if release { self.cwnd * (1.0 + self.beta) / 2.0 } else { self.cwnd };
                let lowered = self.setup.lowered_window(event, self.beta, self.ssthresh);
                self.cwnd = lowered / self.setup.mss as f64;
            }
            // §4.8: the first stage after a timeout has K = 0 and W_max = cwnd at its start.
            Signal::Timeout | Signal::RepeatedTimeout => {
                self.w_max = 0.0;
                self.cwnd = 1.0;
            }
        }
    }

    fn on_undo(&mut self) {
        let Some(s) = self.prior.take() else { return };
        self.cwnd = self.cwnd.max(s.cwnd);
        self.ssthresh = self.ssthresh.max(s.ssthresh).max((s.cwnd * self.setup.mss as f64) as u64);
        (self.w_max, self.cwnd_prior, self.w_est) = (s.w_max, s.cwnd_prior, s.w_est);
        (self.k, self.epoch) = (s.k, s.epoch);
    }

    fn on_idle(&mut self, idle: Duration, _rto: Duration, floor: Bytes, decay: Option<u32>) {
        let mss = self.setup.mss as f64;
        let (cwnd, ssthresh) = after_idle((self.cwnd * mss, self.ssthresh), floor, decay, &self.setup);
        self.cwnd = cwnd / mss;
        self.ssthresh = ssthresh;
        // §5.8: the idle period is no part of the epoch.
        self.epoch = self.epoch.map(|e| e.saturating_add(idle));
    }

    fn on_resumed(&mut self, last: Instant, now: Instant) {
        if let Some(growth) = &mut self.linux {
            growth.leave_out(last, now);
        }
    }

    fn on_flight_after_timeout(&mut self, window: Bytes) {
        self.cwnd = window.as_f64() / self.setup.mss as f64;
    }
    fn on_recovered(&mut self, cap: Bytes) {
        self.cwnd = self.cwnd.min(cap.as_f64() / self.setup.mss as f64).max(1.0);
    }
    fn penalise(&mut self, ends_slow_start: bool) {
        let mss = self.setup.mss;
        let (cwnd, ssthresh) = penalised((self.cwnd * mss as f64, self.ssthresh), mss, ends_slow_start);
        self.cwnd = cwnd / mss as f64;
        self.ssthresh = ssthresh;
    }

    #[inline]
    fn cwnd(&self) -> Bytes {
        Bytes((self.cwnd * self.setup.mss as f64) as u64)
    }
    fn ssthresh(&self) -> Option<Bytes> {
        (self.ssthresh < NO_SSTHRESH).then_some(Bytes(self.ssthresh))
    }
}

impl Cubic {
    /// Whether Linux's HyStart, where it is on, ends slow start at this ACK, if `cwnd` is in slow start.
    fn hears_of_the_end(&mut self, ack: &AckSample, cwnd: f64) -> bool {
        let Some(growth) = &mut self.linux else { return false };
        let bytes = cwnd * self.setup.mss as f64;
        growth.note_round_trip(ack)
            && bytes < self.ssthresh as f64
            && growth.ends_slow_start(ack, cwnd, bytes)
    }

    /// Keeps the state as it is before `signal`, where that may turn out to be wrong.
    fn remember(&mut self, signal: Signal) {
        let now = Stage {
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            w_max: self.w_max,
            cwnd_prior: self.cwnd_prior,
            w_est: self.w_est,
            k: self.k,
            epoch: self.epoch,
        };
        match signal {
            Signal::Loss | Signal::Timeout => self.prior = Some(now),
            Signal::Ecn => self.prior = None,
            Signal::RepeatedTimeout => {}
        }
    }

    fn avoid(&mut self, ack: &AckSample, segments: f64) {
        if let Some(growth) = &mut self.linux {
            self.cwnd = growth.grow(self.cwnd, self.w_max, segments, ack);
            return;
        }
        let epoch = *self.epoch.get_or_insert_with(|| {
            if self.w_max > self.cwnd {
                self.k = math::cbrt((self.w_max - self.cwnd) / self.c); // §4.2 figure 2
            } else {
                self.k = 0.0;
                self.w_max = self.cwnd;
            }
            self.w_est = self.cwnd;
            ack.now
        });
        let t = ack.now.saturating_since(epoch).as_secs_f64();
        let target = self.w_cubic(t + ack.smoothed_rtt.as_secs_f64()).clamp(self.cwnd, 1.5 * self.cwnd);
        // §4.3: the slope makes the average equal to standard TCP's, and becomes its own once it has caught up.
        let alpha =
            if self.w_est >= self.cwnd_prior { 1.0 } else { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) };
        self.w_est += alpha * segments / self.cwnd;
        if self.reno_friendly && self.w_cubic(t) < self.w_est {
            self.cwnd = self.cwnd.max(self.w_est);
        } else {
            self.cwnd += (target - self.cwnd) / self.cwnd * segments;
        }
    }

    /// §4.2 figure 1: W(t) = C (t - K)^3 + W_max.
    fn w_cubic(&self, t: f64) -> f64 {
        let x = t - self.k;
        self.c * x * x * x + self.w_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{TcpBehaviour, TcpConfig};

    const MSS: u64 = 1000;

    /// A CUBIC in congestion avoidance whose ACKs come evenly, one window a round trip.
    struct Flow {
        cubic: Cubic,
        now: f64,
        rtt: f64,
        limited: bool,
    }

    impl Flow {
        fn new(window: u64, rtt: f64) -> Self {
            let config =
                TcpConfig { iw: Some(window), initial_ssthresh: Some(window), ..TcpConfig::default() };
            let cubic = Cubic::build(&CubicConfig::default(), &Setup::new(&config, MSS));
            Self { cubic, now: 1.0, rtt, limited: true }
        }
        fn at(&self) -> Instant {
            Instant::ZERO + Duration::from_secs_f64(self.now)
        }
        fn signal(&mut self, signal: Signal) {
            let base = self.cubic.cwnd();
            self.cubic.on_congestion(&CongestionEvent { now: self.at(), signal, base });
        }
        fn ack(&mut self) {
            self.cubic.on_ack(&AckSample {
                now: self.at(),
                acked: Bytes(MSS),
                advance: Bytes(MSS),
                in_flight: self.cubic.cwnd(),
                outstanding: Bytes(0),
                rtt: Some(Duration::from_secs_f64(self.rtt)),
                smoothed_rtt: Duration::from_secs_f64(self.rtt),
                min_rtt: Duration::ZERO,
                cwnd_limited: self.limited,
                after_timeout: false,
            });
            self.now += self.rtt / self.cubic.cwnd;
        }
    }

    #[test]
    fn rest_of_an_ack_beyond_slow_start_counts_in_linux() {
        let config = TcpConfig {
            iw: Some(10),
            initial_ssthresh: Some(12),
            behaviour: TcpBehaviour { abc_limit: 255, ..TcpBehaviour::RFC },
            ..TcpConfig::default()
        };
        let linux = CubicConfig { form: CubicForm::Linux, ..CubicConfig::default() };
        let mut cubic = Cubic::build(&linux, &Setup::new(&config, MSS));
        let ack = |segments: u64| AckSample {
            acked: Bytes(segments * MSS),
            advance: Bytes(segments * MSS),
            ..AckSample::at(Instant::from_secs(1))
        };
        // Two of 14 end slow start at 12; of the 12 that are left the cubic, which is level here, wants 20 for one more.
        cubic.on_ack(&ack(14));
        assert_eq!(cubic.cwnd(), Bytes(12 * MSS));
        cubic.on_ack(&ack(7));
        assert_eq!(cubic.cwnd(), Bytes(12 * MSS));
        cubic.on_ack(&ack(1));
        assert_eq!(cubic.cwnd(), Bytes(13 * MSS), "the twentieth");
    }

    #[test]
    fn window_follows_the_cubic_of_rfc_9438() {
        // Loss at 100: 70 segments left, K = cbrt((100 - 70) / 0.4) = 4.217163 s (§4.2), W(K) = 100, W(2K) = 130.
        let mut f = Flow::new(100, 0.1);
        f.cubic.reno_friendly = false;
        f.signal(Signal::Loss);
        assert_eq!(f.cubic.cwnd(), Bytes(70_000));
        let start = f.now;
        for (after, window) in
            [(1.0, 86.682), (2.0, 95.639), (4.217_163, 100.0), (6.0, 102.267), (8.434_326, 130.0)]
        {
            while f.now - start < after {
                f.ack();
            }
            // Round trips of 0.1 s: the window is between W(t) and W(t + RTT).
            let slope = 3.0 * 0.4 * (after - 4.217_163_f64).powi(2) * 0.1;
            assert!((f.cubic.cwnd - window).abs() < slope + 0.5, "{after}: {}", f.cubic.cwnd);
        }
    }

    #[test]
    fn short_round_trips_follow_standard_tcp() {
        // §4.3: from 14 by 3 (1 - 0.7) / (1 + 0.7) = 0.529 a round trip, and by 1 from the prior window of 20 on.
        let mut f = Flow::new(20, 0.005);
        f.signal(Signal::Loss);
        let start = f.now;
        let trips = |n: f64, f: &mut Flow| {
            while f.now - start < n * 0.005 {
                f.ack();
            }
            f.cubic.cwnd
        };
        let w = trips(8.0, &mut f);
        assert!((w - (14.0 + 8.0 * 0.529)).abs() < 0.2, "{w}");
        let w = trips(21.0, &mut f);
        assert!((w - (20.0 + (21.0 - 6.0 / 0.529))).abs() < 0.7, "{w}");
    }

    #[test]
    fn fast_convergence_remembers_less() {
        // §4.7: second loss at 90 below W_max 100: W_max = 90 * 1.7 / 2 = 76.5; 63 left; K = cbrt(13.5 / 0.4) = 3.2317.
        let mut f = Flow::new(100, 0.1);
        f.signal(Signal::Loss);
        while f.cubic.cwnd < 90.0 {
            f.ack();
        }
        f.cubic.cwnd = 90.0;
        f.signal(Signal::Loss);
        assert!((f.cubic.w_max - 76.5).abs() < 1e-9);
        f.ack();
        assert!((f.cubic.k - 3.2317).abs() < 1e-3, "{}", f.cubic.k);
    }

    #[test]
    fn after_a_timeout_the_cubic_starts_flat() {
        // §4.8: K = 0 and W_max = cwnd at the start of congestion avoidance, here ssthresh = 70.
        let mut f = Flow::new(100, 0.1);
        f.signal(Signal::Timeout);
        assert_eq!((f.cubic.cwnd(), f.cubic.ssthresh()), (Bytes(1_000), Some(Bytes(70_000))));
        while f.cubic.epoch.is_none() {
            f.ack();
        }
        assert_eq!((f.cubic.k, f.cubic.w_max), (0.0, 70.0));
    }

    #[test]
    fn hystart_leaves_slow_start_without_a_loss() {
        let config = TcpConfig { iw: Some(10), ..TcpConfig::default() };
        let cubic = CubicConfig { hystart: true, ..CubicConfig::default() };
        let mut f = Flow {
            cubic: Cubic::build(&cubic, &Setup::new(&config, MSS)),
            now: 1.0,
            rtt: 0.1,
            limited: true,
        };
        for _ in 0..100_000 {
            // 100 segments a second: beyond ten each adds 10 ms. Five rounds of a quarter from about 20 are 61, of
            // doubling 640.
            f.rtt = 0.1_f64.max(f.cubic.cwnd * 0.01);
            f.ack();
            if f.cubic.ssthresh().is_some() {
                break;
            }
        }
        assert!(f.cubic.ssthresh().is_some_and(|s| s < Bytes(100_000)), "{:?}", f.cubic.ssthresh());
    }

    #[test]
    fn in_linux_round_trips_of_a_recovery_may_end_slow_start_below_the_threshold() {
        let config = TcpConfig { iw: Some(100), initial_ssthresh: Some(100), ..TcpConfig::default() };
        let linux = CubicConfig { form: CubicForm::Linux, hystart: true, ..CubicConfig::default() };
        let mut cubic = Cubic::build(&linux, &Setup::new(&config, MSS));
        let mut hear = |ms: u64, window: u64| {
            let ack = AckSample {
                advance: Bytes(MSS),
                outstanding: Bytes(100 * MSS),
                rtt: Some(Duration::from_millis(ms)),
                ..AckSample::at(Instant::from_millis(1000 + 3 * ms))
            };
            cubic.on_round_trip(&ack, Bytes(window * MSS));
            (cubic.cwnd().get() / MSS, cubic.ssthresh().unwrap().get() / MSS)
        };
        // The window is at the threshold, or below 16 segments: what is heard gives the least round trip alone.
        assert_eq!([hear(33, 100), hear(40, 15)], [(100, 100); 2]);
        // Nine of a window of 24 segments, each more than 33 + 4.1 ms.
        let heard = [60, 62, 64, 66, 68, 70, 72, 74].map(|ms| hear(ms, 24));
        assert_eq!(heard, [(100, 100); 8]);
        assert_eq!(hear(76, 24), (24, 24));
    }

    #[test]
    fn time_limited_by_the_application_does_not_count() {
        let mut f = Flow::new(100, 0.1);
        f.signal(Signal::Loss);
        (0..700).for_each(|_| f.ack());
        let (before, k) = (f.cubic.cwnd, f.cubic.k);
        // Far longer than K, an ACK about every millisecond, none of them with a full window.
        for _ in 0..20_000 {
            f.limited = false;
            f.ack();
        }
        assert!(k < 10.0 && f.cubic.cwnd == before);
        f.limited = true;
        f.ack();
        assert!(f.cubic.cwnd - before < 0.1, "{before} {}", f.cubic.cwnd);
    }

    #[test]
    fn time_without_data_is_no_part_of_the_epoch() {
        let mut f = Flow::new(100, 0.1);
        f.signal(Signal::Loss);
        (0..700).for_each(|_| f.ack());
        let before = f.cubic.cwnd;
        f.now += 100.0;
        f.cubic.on_idle(Duration::from_secs(100), Duration::from_secs(200), Bytes(100_000), Some(0));
        f.ack();
        assert!(f.cubic.cwnd - before < 0.1, "{before} {}", f.cubic.cwnd);
    }
}
