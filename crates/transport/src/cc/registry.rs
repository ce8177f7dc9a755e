//! The macro behind the table of congestion controls: from a line it derives the module of an algorithm, its name, configuration,
//! dispatch, documentation and conformance tests.

macro_rules! congestion_controls {
    ($( $word:literal => $file:ident::$variant:ident($config:ident), )+) => {
        $( mod $file; pub use $file::{$variant, $config}; )+

        crate::registry::algorithms! {
            /// A congestion control with its parameters, by registered name.
            CcConfig, Algorithm, $( $word => $variant, )+
            outside Outside(OutsideControl),
        }

        impl CcConfig {
            /// An instance for a connection with segments of `mss` bytes.
            pub fn build(&self, config: &TcpConfig, mss: u64) -> Cc {
                let setup = Setup::new(config, mss);
                match self {
                    $( Self::$variant(c) => Cc::$variant($variant::build(c, &setup)), )+
                    Self::Outside(c) => Cc::Outside(Outside::new(c.build(&setup))),
                }
            }
        }

        /// A running congestion control: dispatch is a `match`, so that calls inline.
        #[derive(Debug)]
        pub enum Cc {
            $( #[doc = concat!("`", $word, "`")] $variant($variant), )+
            /// A plug-in.
            Outside(Outside),
            /// The window of a subflow that a coupled controller decides on.
            CoupledSubflow($crate::cc::coupled_subflow::CoupledSubflow),
        }

        impl CongestionControl for Cc {
            fn on_established(&mut self, setup: &Setup) {
                match self { $( Self::$variant(c) => c.on_established(setup), )+ Self::Outside(c) => c.control_mut().on_established(setup), Self::CoupledSubflow(c) => c.on_established(setup) }
            }
            #[inline]
            fn on_ack(&mut self, ack: &AckSample) {
                match self { $( Self::$variant(c) => c.on_ack(ack), )+ Self::Outside(c) => c.control_mut().on_ack(ack), Self::CoupledSubflow(c) => c.on_ack(ack) }
            }
            fn on_round_trip(&mut self, ack: &AckSample, window: Bytes) {
                match self { $( Self::$variant(c) => c.on_round_trip(ack, window), )+ Self::Outside(c) => c.control_mut().on_round_trip(ack, window), Self::CoupledSubflow(c) => c.on_round_trip(ack, window) }
            }
            fn on_congestion(&mut self, event: &CongestionEvent) {
                match self { $( Self::$variant(c) => c.on_congestion(event), )+ Self::Outside(c) => c.control_mut().on_congestion(event), Self::CoupledSubflow(c) => c.on_congestion(event) }
            }
            fn on_undo(&mut self) {
                match self { $( Self::$variant(c) => c.on_undo(), )+ Self::Outside(c) => c.control_mut().on_undo(), Self::CoupledSubflow(c) => c.on_undo() }
            }
            fn on_flight_after_timeout(&mut self, window: Bytes) {
                match self {
                    $( Self::$variant(c) => c.on_flight_after_timeout(window), )+
                    Self::Outside(c) => c.control_mut().on_flight_after_timeout(window),
                    Self::CoupledSubflow(c) => c.on_flight_after_timeout(window),
                }
            }
            fn on_resumed(&mut self, last: Instant, now: Instant) {
                match self { $( Self::$variant(c) => c.on_resumed(last, now), )+ Self::Outside(c) => c.control_mut().on_resumed(last, now), Self::CoupledSubflow(c) => c.on_resumed(last, now) }
            }
            fn on_idle(&mut self, idle: Duration, rto: Duration, floor: Bytes, decay: Option<u32>) {
                match self { $( Self::$variant(c) => c.on_idle(idle, rto, floor, decay), )+ Self::Outside(c) => c.control_mut().on_idle(idle, rto, floor, decay), Self::CoupledSubflow(c) => c.on_idle(idle, rto, floor, decay) }
            }
            fn on_recovered(&mut self, cap: Bytes) {
                match self { $( Self::$variant(c) => c.on_recovered(cap), )+ Self::Outside(c) => c.control_mut().on_recovered(cap), Self::CoupledSubflow(c) => c.on_recovered(cap) }
            }
            #[inline]
            fn cwnd(&self) -> Bytes {
                match self { $( Self::$variant(c) => c.cwnd(), )+ Self::Outside(c) => c.control().cwnd(), Self::CoupledSubflow(c) => c.cwnd() }
            }
            #[inline]
            fn ssthresh(&self) -> Option<Bytes> {
                match self { $( Self::$variant(c) => c.ssthresh(), )+ Self::Outside(c) => c.control().ssthresh(), Self::CoupledSubflow(c) => c.ssthresh() }
            }
            fn needs(&self) -> Needs {
                match self { $( Self::$variant(c) => c.needs(), )+ Self::Outside(c) => c.control().needs(), Self::CoupledSubflow(c) => c.needs() }
            }
            fn on_delivery(&mut self, delivery: &Delivery) {
                match self { $( Self::$variant(c) => c.on_delivery(delivery), )+ Self::Outside(c) => c.control_mut().on_delivery(delivery), Self::CoupledSubflow(c) => c.on_delivery(delivery) }
            }
            fn holds_back(&self) -> bool {
                match self { $( Self::$variant(c) => c.holds_back(), )+ Self::Outside(c) => c.control().holds_back(), Self::CoupledSubflow(c) => c.holds_back() }
            }
            fn pacing_rate(&self) -> Option<Rate> {
                match self { $( Self::$variant(c) => c.pacing_rate(), )+ Self::Outside(c) => c.control().pacing_rate(), Self::CoupledSubflow(c) => c.pacing_rate() }
            }
            fn penalise(&mut self, ends_slow_start: bool) {
                match self {
                    $( Self::$variant(c) => c.penalise(ends_slow_start), )+
                    Self::Outside(c) => c.control_mut().penalise(ends_slow_start),
                    Self::CoupledSubflow(c) => c.penalise(ends_slow_start),
                }
            }
            fn leaves_recovery_on_partial_ack(&self) -> bool {
                match self { $( Self::$variant(c) => c.leaves_recovery_on_partial_ack(), )+ Self::Outside(c) => c.control().leaves_recovery_on_partial_ack(), Self::CoupledSubflow(c) => c.leaves_recovery_on_partial_ack() }
            }
        }
    };
}
pub(super) use congestion_controls;
