//! The weighted fair share: how many bytes a flow may have waiting (equations 1 and 4 of the paper).

/// The share and its moving average.
#[derive(Clone, Debug)]
pub(super) struct FairShare {
    /// `b`, bytes.
    buffer: f64,
    /// Weight of a new sample.
    beta: f64,
    /// EWMA(wfs), bytes; none before the first arrival.
    average: Option<f64>,
    /// `k`: what the even share `b / n` was multiplied with in the last sample.
    factor: f64,
}

impl FairShare {
    pub(super) fn new(buffer: f64, beta: f64) -> Self {
        Self { buffer, beta, average: None, factor: 1.0 }
    }

    /// An arrival finds `queued` bytes and `flows` records: a sample, and the new average.
    ///
    /// A share is never more than the whole buffer, which is also what an empty queue gives, and never negative.
    #[inline]
    pub(super) fn sample(&mut self, queued: u64, flows: u32) -> f64 {
        let n = f64::from(flows.max(1));
        self.factor = if queued == 0 { n } else { (self.buffer / queued as f64 - 1.0).clamp(0.0, n) };
        let wfs = self.buffer / n * self.factor;
        let average = match self.average {
            None => wfs,
            Some(old) => (1.0 - self.beta) * old + self.beta * wfs,
        };
        self.average = Some(average);
        average
    }

    /// EWMA(wfs), bytes; the whole buffer before the first arrival.
    pub(super) fn average(&self) -> f64 {
        self.average.unwrap_or(self.buffer)
    }

    /// The last scaling factor.
    pub(super) fn factor(&self) -> f64 {
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scaling_factor_is_four_at_a_fifth_one_at_a_half_and_zero_at_the_brim() {
        // §4.3 and the facts sheet, 6.6; ten flows, so a factor of 4 is below the cap of 10.
        let mut share = FairShare::new(200_000.0, 1.0);
        for (queued, factor) in [(40_000, 4.0), (100_000, 1.0), (160_000, 0.25), (200_000, 0.0)] {
            let wfs = share.sample(queued, 10);
            assert!((share.factor() - factor).abs() < 1e-12, "{queued}: {}", share.factor());
            assert!((wfs - 20_000.0 * factor).abs() < 1e-6);
        }
    }

    #[test]
    fn a_share_is_at_most_the_buffer_and_never_negative() {
        let mut share = FairShare::new(200_000.0, 1.0);
        assert_eq!(share.sample(0, 400), 200_000.0);
        assert_eq!(share.sample(1, 400), 200_000.0);
        assert_eq!(share.sample(200_900, 400), 0.0);
        assert_eq!(share.sample(0, 0), 200_000.0);
    }

    #[test]
    fn with_401_flows_one_packet_is_over_the_share_from_66_kilobytes_and_two_from_40() {
        // 6.6: b/n = 498.75 B; (b/n)(b/q - 1) = 1000 at q = b/(1 + 1000/498.75) = 66.56 kB, 2000 at 39.92 kB.
        let mut share = FairShare::new(200_000.0, 1.0);
        assert!(share.sample(66_500, 401) > 1000.0 && share.sample(66_600, 401) < 1000.0);
        assert!(share.sample(39_900, 401) > 2000.0 && share.sample(39_950, 401) < 2000.0);
    }

    #[test]
    fn the_average_starts_with_the_first_sample_and_takes_a_twentieth_of_the_next() {
        let mut share = FairShare::new(200_000.0, 0.05);
        assert_eq!(share.average(), 200_000.0);
        assert_eq!(share.sample(100_000, 10), 20_000.0);
        // 0.95 * 20 000 + 0.05 * 80 000
        assert!((share.sample(40_000, 10) - 23_000.0).abs() < 1e-9);
    }
}
