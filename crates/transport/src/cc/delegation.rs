//! Congestion controls built on others.
//!
//! No method of [`CongestionControl`](super::CongestionControl) has a default. An algorithm lists the methods that it forwards
//! to the one inside (`delegate!`) and those that it ignores (`plain!`), and writes the rest. A method that is forgotten does
//! not compile, and a new method has to be decided on by every algorithm.

/// `field: method, ...`: forwards these methods to the congestion control in `field`.
macro_rules! delegate {
    ($base:tt: $( $method:ident ),+ $(,)?) => { $( $crate::cc::delegation::delegate!(@$method $base); )+ };
    (@on_established $base:tt) => {
        fn on_established(&mut self, setup: &$crate::cc::Setup) {
            self.$base.on_established(setup);
        }
    };
    (@on_ack $base:tt) => {
        fn on_ack(&mut self, ack: &$crate::cc::AckSample) {
            self.$base.on_ack(ack);
        }
    };
    (@on_round_trip $base:tt) => {
        fn on_round_trip(&mut self, ack: &$crate::cc::AckSample, window: tailrace_core::Bytes) {
            self.$base.on_round_trip(ack, window);
        }
    };
    (@on_resumed $base:tt) => {
        fn on_resumed(&mut self, last: tailrace_core::Instant, now: tailrace_core::Instant) {
            self.$base.on_resumed(last, now);
        }
    };
    (@on_congestion $base:tt) => {
        fn on_congestion(&mut self, event: &$crate::cc::CongestionEvent) {
            self.$base.on_congestion(event);
        }
    };
    (@on_undo $base:tt) => {
        fn on_undo(&mut self) {
            self.$base.on_undo();
        }
    };
    (@on_flight_after_timeout $base:tt) => {
        fn on_flight_after_timeout(&mut self, window: tailrace_core::Bytes) {
            self.$base.on_flight_after_timeout(window);
        }
    };
    (@on_idle $base:tt) => {
        fn on_idle(
            &mut self,
            idle: tailrace_core::Duration,
            rto: tailrace_core::Duration,
            floor: tailrace_core::Bytes,
            decay: Option<u32>,
        ) {
            self.$base.on_idle(idle, rto, floor, decay);
        }
    };
    (@on_recovered $base:tt) => {
        fn on_recovered(&mut self, cap: tailrace_core::Bytes) {
            self.$base.on_recovered(cap);
        }
    };
    (@penalise $base:tt) => {
        fn penalise(&mut self, ends_slow_start: bool) {
            self.$base.penalise(ends_slow_start);
        }
    };
    (@cwnd $base:tt) => {
        fn cwnd(&self) -> tailrace_core::Bytes {
            self.$base.cwnd()
        }
    };
    (@ssthresh $base:tt) => {
        fn ssthresh(&self) -> Option<tailrace_core::Bytes> {
            self.$base.ssthresh()
        }
    };
}
pub(super) use delegate;

/// `method, ...`: these methods do nothing and ask for nothing; `penalise` lowers the window alone.
macro_rules! plain {
    ($( $method:ident ),+ $(,)?) => { $( $crate::cc::delegation::plain!(@$method); )+ };
    (@on_round_trip) => {
        fn on_round_trip(&mut self, _ack: &$crate::cc::AckSample, _window: tailrace_core::Bytes) {}
    };
    (@on_resumed) => {
        fn on_resumed(&mut self, _last: tailrace_core::Instant, _now: tailrace_core::Instant) {}
    };
    (@on_undo) => {
        fn on_undo(&mut self) {}
    };
    (@on_flight_after_timeout) => {
        fn on_flight_after_timeout(&mut self, _window: tailrace_core::Bytes) {}
    };
    (@penalise) => {
        fn penalise(&mut self, _ends_slow_start: bool) {
            self.on_recovered(tailrace_core::Bytes(self.cwnd().get() / 2));
        }
    };
    (@needs) => {
        fn needs(&self) -> $crate::cc::Needs {
            $crate::cc::Needs::NOTHING
        }
    };
    (@on_delivery) => {
        fn on_delivery(&mut self, _delivery: &$crate::cc::Delivery) {}
    };
    (@holds_back) => {
        fn holds_back(&self) -> bool {
            false
        }
    };
    (@pacing_rate) => {
        fn pacing_rate(&self) -> Option<tailrace_core::Rate> {
            None
        }
    };
    (@leaves_recovery_on_partial_ack) => {
        fn leaves_recovery_on_partial_ack(&self) -> bool {
            false
        }
    };
}
pub(super) use plain;

#[cfg(test)]
mod tests {
    use crate::cc::{
        AckSample, Algorithm, Cc, CcConfig, CongestionControl, Cubic, CubicConfig, CubicForm, OutsideControl,
        Setup,
    };
    use crate::config::TcpConfig;
    use tailrace_core::{Bytes, Duration, Instant};

    const MSS: u64 = 1000;

    /// CUBIC in a wrapper that adds nothing.
    struct Wrapped {
        cubic: Cubic,
    }

    impl Algorithm for Wrapped {
        type Config = CubicConfig;
        const SUMMARY: &'static str = "CUBIC in a wrapper";
        const CITATION: &'static str = "a test";
        fn build(_config: &CubicConfig, setup: &Setup) -> Self {
            Self { cubic: Cubic::build(&linux(), setup) }
        }
    }

    impl CongestionControl for Wrapped {
        delegate! {
            cubic: on_established, on_ack, on_round_trip, on_congestion, on_undo, on_flight_after_timeout, on_idle,
            on_resumed, on_recovered, penalise, cwnd, ssthresh,
        }
        plain! { needs, on_delivery, holds_back, pacing_rate, leaves_recovery_on_partial_ack }
    }

    fn linux() -> CubicConfig {
        CubicConfig { form: CubicForm::Linux, hystart: true, ..CubicConfig::default() }
    }

    /// CUBIC as registered, and the same in a wrapper, as a plug-in is.
    fn plain_and_wrapped(config: &TcpConfig) -> [Cc; 2] {
        let wrapped = CcConfig::Outside(OutsideControl::named::<Wrapped>("wrapped"));
        [CcConfig::Cubic(linux()), wrapped].map(|control| control.build(config, MSS))
    }

    fn ack_at(ms: u64) -> AckSample {
        let (acked, outstanding) = (Bytes(MSS), Bytes(100 * MSS));
        AckSample { acked, advance: acked, outstanding, ..AckSample::at(Instant::from_millis(ms)) }
    }

    #[test]
    fn a_control_built_on_cubic_ends_slow_start_on_the_round_trips_of_a_recovery() {
        let config = TcpConfig { iw: Some(100), initial_ssthresh: Some(100), ..TcpConfig::default() };
        let windows = plain_and_wrapped(&config).map(|mut cc| {
            for ms in [33, 60, 62, 64, 66, 68, 70, 72, 74, 76] {
                let ack = AckSample { rtt: Some(Duration::from_millis(ms)), ..ack_at(1000 + 3 * ms) };
                cc.on_round_trip(&ack, Bytes(if ms == 33 { 100 } else { 24 } * MSS));
            }
            (cc.cwnd(), cc.ssthresh())
        });
        assert_eq!(windows, [(Bytes(24 * MSS), Some(Bytes(24 * MSS))); 2]);
    }

    #[test]
    fn a_control_built_on_cubic_leaves_idle_time_out_of_the_epoch() {
        let config = TcpConfig { iw: Some(100), initial_ssthresh: Some(100), ..TcpConfig::default() };
        let windows = plain_and_wrapped(&config).map(|mut cc| {
            (1000..2000).for_each(|ms| cc.on_ack(&ack_at(ms)));
            let before = cc.cwnd();
            cc.on_resumed(Instant::from_millis(2000), Instant::from_millis(60_000));
            (60_000..60_010).for_each(|ms| cc.on_ack(&ack_at(ms)));
            (before, cc.cwnd())
        });
        let [(before, after), wrapped] = windows;
        assert_eq!((before, after), wrapped);
        assert!(
            after.get() - before.get() <= 2 * MSS,
            "58 s without data do not count: {before:?} {after:?}"
        );
    }
}
