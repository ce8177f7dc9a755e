//! Loss in bursts (Gilbert, "Capacity of a burst-noise channel", BSTJ 39, 1960; Elliott, "Estimates of error rates for codes on
//! burst-noise channels", BSTJ 42, 1963), in continuous time.
//!
//! A link is in one of two states, stays in each for an exponential time, and loses a packet with the probability of the state at
//! its arrival. Gilbert and Elliott count bits of a line that always sends, so that their steps are steps of time; this is the
//! continuous-time Markov chain that such steps tend to. Stays are drawn from a stream of their own, one after the other from the
//! start of the run, so that the state at a time does not depend on who sends, nor on how often.

use crate::loss::{LossBurst, LossKind, LossProcess};
use tailrace_core::{Duration, Instant, Probability, Rng};

tailrace_core::parameters! {
    /// Keys of `gilbert_elliott`.
    pub struct GilbertElliottConfig {
        /// For how long the link stays in its good state: the mean of an exponential distribution.
        mean_good: Duration, required, in "10 us"..="87600 h": "a state that is shorter than a packet makes no bursts: use kind = \"bernoulli\"";
        /// For how long the link stays in its bad state: the mean of an exponential distribution.
        mean_bad: Duration, required, in "10 us"..="87600 h": "a state that is shorter than a packet makes no bursts: use kind = \"bernoulli\"";
        /// The probability that a packet is lost in the good state.
        good: Probability = Probability::ZERO, "Gilbert 1960";
        /// The probability that a packet is lost in the bad state.
        bad: Probability = Probability::ONE, "own choice";
    }
}

impl GilbertElliottConfig {
    /// Share of the time in the bad state.
    fn bad_share(&self) -> f64 {
        let (good, bad) = (self.mean_good.as_secs_f64(), self.mean_bad.as_secs_f64());
        bad / (good + bad)
    }
}

impl LossKind for GilbertElliottConfig {
    const SUMMARY: &'static str = "Losses in bursts that are counted in time: a good and a bad state, each of which lasts an exponential time, whether packets come or not (Gilbert 1960, Elliott 1963, in continuous time). The bad state takes the share mean_bad / (mean_good + mean_bad) of the time. Where the state shall move with packets, as in tc-netem(8), use `gemodel`.";
    type Process = GilbertElliott;

    fn build(&self, mut own: Rng) -> GilbertElliott {
        let bad = own.bernoulli(self.bad_share());
        let mut process = GilbertElliott {
            means: [self.mean_good, self.mean_bad],
            loses: [self.good.get(), self.bad.get()],
            bad,
            until: Instant::ZERO,
            own,
        };
        process.stay();
        process
    }
    fn burst(&self) -> Option<LossBurst> {
        Some(LossBurst::Time { mean: self.mean_bad, loses: self.bad })
    }
}

/// The process; its state at first is drawn with the shares of the time.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    /// Mean stay in the good state, and in the bad one.
    means: [Duration; 2],
    /// Probability of loss in the good state, and in the bad one.
    loses: [f64; 2],
    bad: bool,
    /// When the state changes.
    until: Instant,
    own: Rng,
}

impl GilbertElliott {
    /// Draws how long the state lasts.
    fn stay(&mut self) {
        let stay = self.own.exponential_duration(self.means[usize::from(self.bad)]);
        self.until = self.until.saturating_add(stay);
    }
}

impl LossProcess for GilbertElliott {
    #[inline]
    fn loses(&mut self, _nth: u64, at: Instant, rng: &mut Rng) -> bool {
        while self.until <= at && self.until < Instant::MAX {
            self.bad = !self.bad;
            self.stay();
        }
        rng.bernoulli(self.loses[usize::from(self.bad)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Whether each of `n` packets is lost, one each `gap`.
    fn lost(config: &GilbertElliottConfig, seed: u64, gap: Duration, n: u64) -> Vec<bool> {
        let (mut loss, mut rng) = (config.build(Rng::new(seed)), Rng::new(99));
        let at = |i: u64| Instant::from_nanos(gap.as_nanos() * i);
        (0..n).map(|i| loss.loses(i + 1, at(i), &mut rng)).collect()
    }

    fn config(good_ms: u64, bad_ms: u64) -> GilbertElliottConfig {
        GilbertElliottConfig {
            mean_good: Duration::from_millis(good_ms),
            mean_bad: Duration::from_millis(bad_ms),
            ..Default::default()
        }
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64
    }

    #[test]
    fn long_run_loss_is_the_share_of_bad_time_at_any_packet_rate() {
        // 10 of 100 ms are bad, and lose half: 5 %. Over T s the variance of the share of bad time is 2 g b tau / T with shares
        // g = 0.9 and b = 0.1, and tau = 1/(1/90 ms + 1/10 ms) = 9 ms: 0.0013 for 1000 s; half of that for losses, and a
        // little for the draws of fewer packets.
        let half = GilbertElliottConfig { bad: Probability::new(0.5).unwrap(), ..config(90, 10) };
        for (gap_us, n) in [(1000, 1_000_000), (10_000, 100_000), (70_000, 100_000)] {
            let lost = share(&lost(&half, 1, Duration::from_micros(gap_us), n));
            assert!((lost - 0.05).abs() < 0.004, "{lost} with a packet each {gap_us} us");
        }
    }

    #[test]
    fn runs_of_losses_last_the_mean_stay_whatever_the_packet_rate() {
        // All packets of a stay are lost: with a packet each gap, a run of n packets is a time of n gaps, on average the mean of
        // stays of which a packet sees anything, 10 ms / (1 - e^-x) with x = gap / 10 ms, as stays are memoryless: a run's number
        // of packets is geometric. Some 10 000 stays: within 4 %.
        for (gap_us, seed) in [(100, 1), (1000, 2), (5000, 3)] {
            let gap = gap_us as f64 / 1e4;
            let lost =
                lost(&config(90, 10), seed, Duration::from_micros(gap_us), 1_000 * SECOND / (gap_us * 1000));
            let runs = 1 + lost.windows(2).filter(|w| !w[0] && w[1]).count();
            let mean = share(&lost) * lost.len() as f64 / runs as f64;
            // A packet later the state is bad with P(bad | bad) = b + g e^(-gap/tau): 0.1 + 0.9 e^(-gap/9 ms).
            let stays = 0.1 + 0.9 * tailrace_core::math::exp(-gap * 10.0 / 9.0);
            assert!((mean * (1.0 - stays) - 1.0).abs() < 0.04, "{mean} packets of {gap_us} us");
        }
    }

    #[test]
    fn state_at_a_time_does_not_depend_on_packets() {
        // All that is lost by a packet each 10 ms is lost by one each 1 ms at the same times.
        let dense = lost(&config(90, 30), 5, Duration::from_millis(1), 100_000);
        let sparse = lost(&config(90, 30), 5, Duration::from_millis(10), 10_000);
        assert!(dense.iter().step_by(10).eq(&sparse));
        assert!(share(&sparse) > 0.2);
    }

    #[test]
    fn state_at_first_is_drawn_with_the_shares_of_time() {
        // 2000 links: standard deviation sqrt(0.25 * 0.75 / 2000) = 0.0097.
        let bad = (0..2000).filter(|seed| lost(&config(90, 30), *seed, Duration::ZERO, 1)[0]).count();
        assert!((bad as f64 / 2000.0 - 0.25).abs() < 0.04, "{bad}");
    }
}
