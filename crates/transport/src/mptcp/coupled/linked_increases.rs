//! Linked Increases as first published (Raiciu, Wischik, Handley 2009): LIA without the cap of `1 / w`.
//!
//! A path whose window is more than `W / alpha` grows faster than TCP would. ns-3's Multipath TCP models have this
//! form under the name of LIA.

use super::{CoupledAlgorithm, CoupledControl, Lia, LiaConfig, Path};
use crate::cc::AckSample;
use tailrace_core::parameters;

parameters! {
    /// Linked Increases has no parameters.
    pub struct LinkedIncreasesConfig {}
}

/// Linked Increases' state: none beside the windows.
#[derive(Clone, Debug)]
pub struct LinkedIncreases(Lia);

impl CoupledAlgorithm for LinkedIncreases {
    type Config = LinkedIncreasesConfig;
    const SUMMARY: &'static str = "LIA without the rule that no path is more aggressive than TCP";
    const CITATION: &'static str =
        "Raiciu, Wischik, Handley, \"Practical Congestion Control for Multipath Transport Protocols\", 2009";
    fn build(_config: &LinkedIncreasesConfig) -> Self {
        Self(Lia::build(&LiaConfig { cap: false }))
    }
}

impl CoupledControl for LinkedIncreases {
    fn increase(&mut self, of: usize, acked: f64, sample: &AckSample, paths: &[Path]) -> f64 {
        self.0.increase(of, acked, sample, paths)
    }
}
