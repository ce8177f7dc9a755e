//! Fully coupled windows (Kelly and Voice 2005; Raiciu, Wischik, Handley 2009): all subflows together are one TCP.
//!
//! Each segment acknowledged lets a window grow by `1 / W`, each loss takes half of the sum of all windows from the
//! one that lost. Traffic leaves worse paths altogether, and between equal ones it flaps.

use super::{CoupledAlgorithm, CoupledControl, Path, active};
use crate::cc::AckSample;
use tailrace_core::parameters;

parameters! {
    /// The fully coupled control has no parameters.
    pub struct FullyCoupledConfig {}
}

/// The fully coupled control's state: none beside the windows.
#[derive(Clone, Debug)]
pub struct FullyCoupled;

impl CoupledAlgorithm for FullyCoupled {
    type Config = FullyCoupledConfig;
    const SUMMARY: &'static str = "All windows together grow and shrink like the window of one TCP";
    const CITATION: &'static str =
        "Kelly, Voice, \"Stability of end-to-end algorithms for joint routing and rate control\", 2005";
    fn build(_config: &FullyCoupledConfig) -> Self {
        Self
    }
}

impl CoupledControl for FullyCoupled {
    fn increase(&mut self, of: usize, acked: f64, _sample: &AckSample, paths: &[Path]) -> f64 {
        let total: f64 = active(paths).map(|p| p.window).sum();
        acked / total.max(paths[of].window)
    }
    fn decrease(&mut self, of: usize, base: f64, paths: &[Path]) -> f64 {
        let total: f64 = active(paths).map(|p| p.window).sum();
        (base - total.max(paths[of].window) / 2.0).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::coupled::testing::{ack, path};

    #[test]
    fn a_loss_takes_half_of_all_windows_from_one() {
        let paths = [path(20.0, 0.1), path(10.0, 0.1)];
        assert!((FullyCoupled.decrease(0, 20.0, &paths) - 5.0).abs() < 1e-12);
        assert!((FullyCoupled.decrease(1, 10.0, &paths) - 1.0).abs() < 1e-12);
        assert!((FullyCoupled.increase(1, 3.0, &ack(), &paths) - 0.1).abs() < 1e-12);
    }
}
