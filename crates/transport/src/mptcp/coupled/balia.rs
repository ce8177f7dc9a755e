//! BALIA, the balanced linked adaptation (Peng, Walid, Hwang, Low, ToN 2016; draft-walid-mptcp-congestion-control).
//!
//! With `x = w / R` and `a` the largest rate over the path's own, a window grows by
//! `x / (R (sum x)^2) * (1 + a) / 2 * (4 + a) / 5` for each segment acknowledged, and a loss takes
//! `w / 2 * min(a, 1.5)`. Linux computes `a` for the loss by whole division, so that a path loses a half or three
//! quarters: that is an option.

use super::{CoupledAlgorithm, CoupledControl, Path, active};
use crate::cc::AckSample;
use tailrace_core::parameters;

parameters! {
    /// Parameters of BALIA.
    pub struct BaliaConfig {
        /// Whether the ratio of rates is rounded down when a loss reduces a window.
        integer: bool = false, "Peng et al. 2016; multipath-tcp/mptcp, net/mptcp/mptcp_balia.c, divides integers";
    }
}

/// BALIA's state: none beside the windows.
#[derive(Clone, Debug)]
pub struct Balia {
    integer: bool,
}

impl CoupledAlgorithm for Balia {
    type Config = BaliaConfig;
    const SUMMARY: &'static str = "Balanced linked adaptation: a compromise between LIA, which adapts faster, and OLIA, which is fairer";
    const CITATION: &'static str =
        "Peng et al., \"Multipath TCP: Analysis, Design, and Implementation\", ToN 2016";
    fn build(config: &BaliaConfig) -> Self {
        Self { integer: config.integer }
    }
}

/// The largest rate of all paths over that of `of`.
fn ratio(of: usize, paths: &[Path]) -> f64 {
    let best = active(paths).map(Path::rate).fold(0.0, f64::max);
    let own = paths[of].rate();
    if own > 0.0 { (best / own).max(1.0) } else { 1.0 }
}

impl CoupledControl for Balia {
    fn increase(&mut self, of: usize, acked: f64, _sample: &AckSample, paths: &[Path]) -> f64 {
        let own = &paths[of];
        let rates: f64 = active(paths).map(Path::rate).sum();
        if rates <= 0.0 {
            return acked / own.window;
        }
        let a = ratio(of, paths);
        acked * own.rate() / (own.srtt * rates * rates) * (1.0 + a) / 2.0 * (4.0 + a) / 5.0
    }

    fn decrease(&mut self, of: usize, base: f64, paths: &[Path]) -> f64 {
        let a = ratio(of, paths);
        let a = if self.integer { a.floor() } else { a };
        base - base / 2.0 * a.min(1.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::coupled::testing::{ack, path};

    #[test]
    fn single_path_is_reno() {
        let paths = [path(10.0, 0.1)];
        let mut balia = Balia { integer: false };
        assert!((balia.increase(0, 1.0, &ack(), &paths) - 0.1).abs() < 1e-12);
        assert!((balia.decrease(0, 10.0, &paths) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn slower_paths_lose_up_to_three_quarters() {
        // Rates 200 and 160 a second: a = 1.25.
        let paths = [path(20.0, 0.1), path(16.0, 0.1)];
        let lose = |integer| Balia { integer }.decrease(1, 16.0, &paths);
        assert!((lose(false) - 6.0).abs() < 1e-12);
        assert!((lose(true) - 8.0).abs() < 1e-12);
        let far = [path(20.0, 0.1), path(5.0, 0.1)];
        assert!((Balia { integer: true }.decrease(1, 5.0, &far) - 1.25).abs() < 1e-12);
    }
}
