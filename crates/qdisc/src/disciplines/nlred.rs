//! NLRED: RED whose probability rises by the square.
//!
//! Zhou, Yeung, Li, "Nonlinear RED: a simple yet efficient active queue management scheme", Computer Networks 50(18),
//! 2006. Between the thresholds the signal probability is `1.5 max_p x^2`, with `x` from 0 to 1. This is gentler than
//! RED while the queue is short, harsher when it is long, and the same on average. Everything else is RED (`Red`).
//!
//! Choice: with `gentle`, the line above `max_th` starts at `1.5 max_p`, where the curve ends. In ns-3 it starts at
//! `max_p`, so the probability falls by a third when the average exceeds `max_th`. Probabilities are at most 1.

use super::red::{Red, red_based};
use crate::discipline::LinkView;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::Packet;

red_based! {
    /// Parameters of `nlred`.
    pub struct NlredConfig {
        /// Whether the signal probability rises in a straight line from `1.5 max_p` at `max_th` to 1 at twice
        /// `max_th`. Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "ns-3";
        /// The packet that is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "all";
    }
}

impl Discipline for NlredConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED whose signal probability grows with the square of the average queue between the thresholds.",
        citation: "Zhou, Yeung and Li, Computer Networks 50(18), 2006",
        ecn: "with `ecn` marks within the band; `harddrop` says where it drops",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Red, P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Managed<Red, P> {
        Managed::new(self.limit, self.ecn, self.drop, Red::new(&self.red(), link).nonlinear())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Aqm, Backlog, Verdict};
    use tailrace_core::{Bytes, Duration, Instant, Limit, Probability, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    fn config(max_p: f64) -> NlredConfig {
        NlredConfig {
            min_th: Some(Limit::Packets(10)),
            max_th: Some(Limit::Packets(40)),
            max_p: Probability::clamped(max_p),
            weight: Some(Probability::ONE),
            ..NlredConfig::default()
        }
    }

    /// The verdict and the signal probability where the average stands at `queue` packets.
    fn at(mut law: Red, queue: u64) -> (Verdict, f64) {
        let backlog = Backlog { packets: queue, bytes: Bytes(1000 * queue) };
        let mut rng = Rng::new(1);
        law.on_enqueue(Bytes(1000), backlog, Instant::ZERO, &mut rng);
        let verdict = law.on_enqueue(Bytes(1000), backlog, Instant::ZERO, &mut rng);
        let mut state = [0.0; 4];
        law.state(&mut state);
        (verdict, state[2])
    }

    fn probability(config: &NlredConfig, queue: u64) -> f64 {
        at(Red::new(&config.red(), &LINK).nonlinear(), queue).1
    }

    /// x = 1/2: 1.5/4 of `max_p`, where RED has a half. x = 2/3: both have two thirds.
    #[test]
    fn the_probability_rises_by_the_square() {
        let near = |x: f64, expected: f64| assert!((x - expected).abs() < 1e-12, "{x} {expected}");
        let c = config(0.1);
        near(probability(&c, 25), 0.0375);
        near(at(Red::new(&c.red(), &LINK), 25).1, 0.05);
        near(probability(&c, 30), at(Red::new(&c.red(), &LINK), 30).1);
        near(probability(&c, 10), 0.0);
        // On from 1.5 max_p at max_th, half the way to 1 at 1.5 max_th.
        near(probability(&c, 40), 0.15);
        near(probability(&c, 60), 0.575);
        assert_eq!(at(Red::new(&c.red(), &LINK).nonlinear(), 80), (Verdict::Drop, 1.0));
    }

    #[test]
    fn a_steep_curve_ends_at_one() {
        let c = config(1.0);
        assert_eq!(probability(&c, 39), 1.0);
        assert_eq!(probability(&c, 50), 1.0);
        assert!((probability(&c, 20) - 1.5 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn below_the_band_everything_passes_and_within_it_signals_mark_or_drop() {
        let law = || Red::new(&config(1.0).red(), &LINK).nonlinear();
        assert_eq!(at(law(), 9).0, Verdict::Pass);
        assert_eq!(at(law(), 39).0, Verdict::Signal);
        let hard = NlredConfig { gentle: false, ..config(0.1) };
        assert_eq!(at(Red::new(&hard.red(), &LINK).nonlinear(), 40), (Verdict::Drop, 1.0));
    }
}
