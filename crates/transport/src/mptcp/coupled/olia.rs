//! OLIA, opportunistic linked increases (Khalili et al., CoNEXT 2012, ToN 2013; draft-khalili-mptcp-congestion-control-05).
//!
//! A window grows by `(w/R^2) / (sum w/R)^2 + alpha / w`, where `alpha` moves window from the paths with the largest
//! windows to the best ones: those with the most data between losses for their round trip. At rest only the best
//! paths carry windows, and all together get what a TCP on the best one would.
//!
//! The best path has the largest `l / R^2`, as in the Linux code; the draft can be read as `l^2 / R`.

use super::{CoupledAlgorithm, CoupledControl, Path, active};
use crate::cc::AckSample;
use tailrace_core::{Bytes, choices, parameters};

choices! {
    /// Rank of paths: the best has the largest value.
    pub enum OliaMetric {
        /// `l / R^2`, an estimate of TCP's rate squared.
        LossesOverSquare = "l_over_rtt_squared",
        /// `l^2 / R`.
        SquareOverRtt = "l_squared_over_rtt",
    }
}

parameters! {
    /// Parameters of OLIA.
    pub struct OliaConfig {
        /// By which measure a path counts as the best; `l` is the number of bytes between losses, `R` the round-trip
        /// time.
        metric: OliaMetric = OliaMetric::LossesOverSquare, "multipath-tcp/mptcp, net/mptcp/mptcp_olia.c";
    }
}

/// Bytes acknowledged between losses on one path.
#[derive(Clone, Copy, Debug, Default)]
struct Runs {
    /// Between the last two losses.
    last: u64,
    /// Since the last loss.
    current: u64,
}

/// OLIA's state.
#[derive(Clone, Debug)]
pub struct Olia {
    metric: OliaMetric,
    runs: Vec<Runs>,
}

impl CoupledAlgorithm for Olia {
    type Config = OliaConfig;
    const SUMMARY: &'static str = "Opportunistic linked increases: moves all traffic to the best paths";
    const CITATION: &'static str = "Khalili et al., \"MPTCP Is Not Pareto-Optimal\", CoNEXT 2012";
    fn build(config: &OliaConfig) -> Self {
        Self { metric: config.metric, runs: Vec::new() }
    }
}

impl Olia {
    fn quality(&self, of: usize, path: &Path) -> f64 {
        let runs = self.runs.get(of).copied().unwrap_or_default();
        let l = runs.last.max(runs.current) as f64;
        match self.metric {
            OliaMetric::LossesOverSquare => l / (path.srtt * path.srtt),
            OliaMetric::SquareOverRtt => l * l / path.srtt,
        }
    }

    /// The share of window that moves to path `of`, or from it where negative; the sum over all paths is zero.
    fn alpha(&self, of: usize, paths: &[Path]) -> f64 {
        let whole = |p: &Path| p.window.floor();
        let (mut best, mut largest) = (f64::MIN, f64::MIN);
        for (id, path) in paths.iter().enumerate().filter(|(_, p)| p.active) {
            best = best.max(self.quality(id, path));
            largest = largest.max(whole(path));
        }
        let (mut n, mut collectors, mut givers) = (0.0, 0.0, 0.0);
        let (mut collects, mut gives) = (false, false);
        for (id, path) in paths.iter().enumerate().filter(|(_, p)| p.active) {
            let (is_best, is_largest) = (self.quality(id, path) >= best, whole(path) >= largest);
            n += 1.0;
            collectors += f64::from(u8::from(is_best && !is_largest));
            givers += f64::from(u8::from(is_largest));
            if id == of {
                (collects, gives) = (is_best && !is_largest, is_largest);
            }
        }
        match (collectors > 0.0, collects, gives) {
            (true, true, _) => 1.0 / (n * collectors),
            (true, _, true) => -1.0 / (n * givers),
            _ => 0.0,
        }
    }
}

impl CoupledControl for Olia {
    fn increase(&mut self, of: usize, acked: f64, _sample: &AckSample, paths: &[Path]) -> f64 {
        let own = &paths[of];
        let rates: f64 = active(paths).map(Path::rate).sum();
        if rates <= 0.0 {
            return acked / own.window;
        }
        let linked = own.window / (own.srtt * own.srtt) / (rates * rates);
        acked * (linked + self.alpha(of, paths) / own.window)
    }

    fn on_acked(&mut self, of: usize, acked: Bytes, _sample: &AckSample) {
        self.runs[of].current += acked.get();
    }

    fn on_loss(&mut self, of: usize) {
        let runs = &mut self.runs[of];
        if runs.current > 0 {
            *runs = Runs { last: runs.current, current: 0 };
        }
    }

    fn add(&mut self, of: usize) {
        if self.runs.len() <= of {
            self.runs.resize(of + 1, Runs::default());
        }
        self.runs[of] = Runs::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::coupled::testing::{ack, path};

    fn olia(runs: &[u64]) -> Olia {
        let mut olia = Olia::build(&OliaConfig::default());
        for (of, l) in runs.iter().enumerate() {
            olia.add(of);
            olia.on_acked(of, Bytes(*l), &ack());
        }
        olia
    }

    #[test]
    fn window_moves_from_the_largest_to_the_best() {
        // spec 3.4: w = 20 and 10 at equal round trips, the second is best: 10/900 + 0.5/10 and 20/900 - 0.5/20.
        let mut olia = olia(&[1_000, 2_000]);
        let paths = [path(20.0, 0.1), path(10.0, 0.1)];
        assert!((olia.increase(1, 1.0, &ack(), &paths) - 0.061_111).abs() < 1e-6);
        assert!((olia.increase(0, 1.0, &ack(), &paths) + 0.002_777).abs() < 1e-6);
    }

    #[test]
    fn nothing_moves_where_the_best_is_the_largest_and_shares_sum_to_zero() {
        let paths = [path(20.0, 0.1), path(10.0, 0.2), path(10.0, 0.1), path(5.0, 0.01)];
        for runs in [[9, 1, 1, 0], [1, 9, 9, 0], [1, 9, 1, 1], [5, 5, 5, 5]] {
            let olia = olia(&runs);
            let shares: Vec<f64> = (0..4).map(|of| olia.alpha(of, &paths)).collect();
            assert!(shares.iter().sum::<f64>().abs() < 1e-12, "{shares:?}");
        }
        assert!(olia(&[9, 1]).alpha(0, &paths[..2]).abs() < 1e-12);
    }

    #[test]
    fn a_loss_starts_a_new_run_but_not_an_empty_one() {
        let mut olia = olia(&[500]);
        olia.on_loss(0);
        olia.on_loss(0);
        assert_eq!((olia.runs[0].last, olia.runs[0].current), (500, 0));
    }
}
