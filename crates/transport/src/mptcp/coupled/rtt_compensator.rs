//! The RTT compensator (Raiciu, Wischik, Handley 2009): Linked Increases capped at TCP's own growth. RFC 6356 made
//! it LIA; the name is kept for scenarios after papers that use it.

use super::{CoupledAlgorithm, CoupledControl, Lia, LiaConfig, Path};
use crate::cc::AckSample;
use tailrace_core::parameters;

parameters! {
    /// The RTT compensator has no parameters.
    pub struct RttCompensatorConfig {}
}

/// The RTT compensator's state: none beside the windows.
#[derive(Clone, Debug)]
pub struct RttCompensator(Lia);

impl CoupledAlgorithm for RttCompensator {
    type Config = RttCompensatorConfig;
    const SUMMARY: &'static str = "The same as LIA, under the name it had before RFC 6356";
    const CITATION: &'static str =
        "Raiciu, Wischik, Handley, \"Practical Congestion Control for Multipath Transport Protocols\", 2009";
    fn build(_config: &RttCompensatorConfig) -> Self {
        Self(Lia::build(&LiaConfig::default()))
    }
}

impl CoupledControl for RttCompensator {
    fn increase(&mut self, of: usize, acked: f64, sample: &AckSample, paths: &[Path]) -> f64 {
        self.0.increase(of, acked, sample, paths)
    }
}
