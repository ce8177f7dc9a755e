//! LIA, the linked increases algorithm (RFC 6356; Raiciu, Wischik, Handley 2009; Wischik et al., NSDI 2011).
//!
//! A subflow's window grows by `min(alpha / W, 1 / w)` segments for each segment acknowledged, where `W` is the sum
//! of all windows and `alpha` is such that the whole takes what a TCP on the best path would. `cap = false` is the
//! form of 2009 without the second term.

use super::{CoupledAlgorithm, CoupledControl, Path, active};
use crate::cc::AckSample;
use tailrace_core::parameters;

parameters! {
    /// Parameters of LIA.
    pub struct LiaConfig {
        /// Whether a subflow is never more aggressive on any path than TCP would be. If false, a path with a large
        /// share of all windows may be.
        cap: bool = true, "RFC 6356 §3; false is Linked Increases (2009)";
    }
}

/// LIA's state: none beside the windows.
#[derive(Clone, Debug)]
pub struct Lia {
    cap: bool,
}

impl CoupledAlgorithm for Lia {
    type Config = LiaConfig;
    const SUMMARY: &'static str =
        "Linked increases: all subflows together get as much as one TCP on the best path";
    const CITATION: &'static str = "RFC 6356";
    fn build(config: &LiaConfig) -> Self {
        Self { cap: config.cap }
    }
}

/// `alpha` in segments: `W * max(w/R^2) / (sum w/R)^2` (RFC 6356 §3 with windows in segments).
pub(super) fn alpha(paths: &[Path]) -> f64 {
    let (mut total, mut best, mut rates) = (0.0, 0.0_f64, 0.0);
    for path in active(paths) {
        total += path.window;
        best = best.max(path.window / (path.srtt * path.srtt));
        rates += path.rate();
    }
    if rates > 0.0 { total * best / (rates * rates) } else { 1.0 }
}

impl CoupledControl for Lia {
    fn increase(&mut self, of: usize, acked: f64, _sample: &AckSample, paths: &[Path]) -> f64 {
        let total: f64 = active(paths).map(|p| p.window).sum();
        let own = 1.0 / paths[of].window;
        if total <= 0.0 {
            return acked * own;
        }
        let linked = alpha(paths) / total;
        acked * if self.cap { linked.min(own) } else { linked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::coupled::testing::{ack, path};

    #[test]
    fn equal_paths_share_one_tcp() {
        // RFC 6356 §3: n equal subflows give alpha = 1/n.
        for n in 1..5 {
            let paths = vec![path(10.0, 0.1); n];
            assert!((alpha(&paths) - 1.0 / n as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn the_cap_is_what_tells_the_forms_apart() {
        // spec 3.7, WiFi/3G: windows 5.66 and 14.14 at 10 and 100 ms. alpha/W = (5.66/0.01^2)/(566+141.4)^2 = 0.1131,
        // more than 1/14.14 = 0.0707 and less than 1/5.66 = 0.1767.
        let paths = [path(5.66, 0.01), path(14.14, 0.1)];
        let grow = |cap, of| Lia { cap }.increase(of, 1.0, &ack(), &paths);
        let linked = 5.66 / 1e-4 / (566.0_f64 + 141.4).powi(2);
        assert!((grow(false, 0) - linked).abs() < 1e-9 && (grow(false, 1) - linked).abs() < 1e-9);
        assert!((grow(true, 0) - linked).abs() < 1e-9);
        assert!((grow(true, 1) - 1.0 / 14.14).abs() < 1e-9);
    }

    #[test]
    fn paths_without_a_sample_do_not_count() {
        let vacant = Path { active: false, ..path(100.0, 0.1) };
        assert!((alpha(&[path(10.0, 0.1), vacant]) - 1.0).abs() < 1e-12);
    }
}
