//! EWTCP (Honda et al., PFLDNeT 2009): each subflow is a TCP of a smaller weight, whatever the others do.
//!
//! A window grows by `a / w` for each segment acknowledged and is halved by a loss, so `w = sqrt(2a/p)`: as much as
//! one TCP in all over a shared bottleneck with `n` equal subflows needs `a = 1 / n^2`. Wischik et al. (NSDI 2011)
//! print `1 / sqrt(n)`; that is an option.

use super::{CoupledAlgorithm, CoupledControl, Path, active};
use crate::cc::AckSample;
use tailrace_core::{choices, parameters};

choices! {
    /// Weight of a subflow, by the number of subflows.
    pub enum EwtcpWeight {
        /// `1 / n^2`: n subflows over one bottleneck together get as much as one TCP flow.
        InverseSquare = "inverse_square",
        /// `1 / sqrt(n)`, as printed by Wischik et al.
        InverseRoot = "inverse_root",
    }
}

parameters! {
    /// Parameters of EWTCP.
    pub struct EwtcpConfig {
        /// Weight of a subflow, by the number n of subflows.
        weight: EwtcpWeight = EwtcpWeight::InverseSquare, "so that n subflows over one bottleneck are one TCP";
        /// A fixed weight instead. A larger one makes windows grow faster. `"auto"` follows `weight`.
        a: Option<f64> = None, "from `weight`", in 0.000001..=1000000.0: "windows would not move | windows would jump";
    }
}

/// EWTCP's state: none beside the windows.
#[derive(Clone, Debug)]
pub struct Ewtcp(EwtcpConfig);

impl CoupledAlgorithm for Ewtcp {
    type Config = EwtcpConfig;
    const SUMMARY: &'static str =
        "Each subflow is a TCP with a smaller weight, so that all together get as much as one TCP";
    const CITATION: &'static str =
        "Honda et al., \"Multipath Congestion Control for Shared Bottleneck\", PFLDNeT 2009";
    fn build(config: &EwtcpConfig) -> Self {
        Self(config.clone())
    }
}

impl CoupledControl for Ewtcp {
    fn increase(&mut self, of: usize, acked: f64, _sample: &AckSample, paths: &[Path]) -> f64 {
        let n = active(paths).count().max(1) as f64;
        let a = self.0.a.unwrap_or_else(|| match self.0.weight {
            EwtcpWeight::InverseSquare => 1.0 / (n * n),
            EwtcpWeight::InverseRoot => 1.0 / n.sqrt(),
        });
        acked * a / paths[of].window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::coupled::testing::{ack, path};

    #[test]
    fn weights_follow_from_the_number_of_subflows() {
        let paths = [path(10.0, 0.1), path(20.0, 0.1), path(5.0, 0.1), path(5.0, 0.1)];
        let grow = |config: EwtcpConfig| Ewtcp::build(&config).increase(1, 1.0, &ack(), &paths);
        assert!((grow(EwtcpConfig::default()) - 1.0 / 16.0 / 20.0).abs() < 1e-12);
        let root = EwtcpConfig { weight: EwtcpWeight::InverseRoot, ..EwtcpConfig::default() };
        assert!((grow(root) - 0.5 / 20.0).abs() < 1e-12);
        assert!((grow(EwtcpConfig { a: Some(1.0), ..EwtcpConfig::default() }) - 0.05).abs() < 1e-12);
    }
}
