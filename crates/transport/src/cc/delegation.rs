//! How one congestion control is made of another.
//!
//! No method of [`CongestionControl`](super::CongestionControl) has a default. An algorithm that leans on another names
//! what it leaves to that one (`delegate!`), and what it has no use for (`plain!`); the rest it writes. So one that forgets
//! a method does not compile, and a new method asks all of them.

/// `field: method, ...`: the methods named here are those of the congestion control in `field`.
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

/// `method, ...`: nothing is done or asked for there; a penalty lowers the window alone.
macro_rules! plain {
    ($( $method:ident ),+ $(,)?) => { $( $crate::cc::delegation::plain!(@$method); )+ };
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
