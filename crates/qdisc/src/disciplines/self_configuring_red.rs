//! Self-configuring RED.
//!
//! Feng, Kandlur, Saha, Shin, "A self-configuring RED gateway", INFOCOM 1999. When the average falls below `min_th`,
//! RED was too harsh, and `max_p` is divided by `alpha`. When it rises above `max_th`, RED was too lenient, and `max_p`
//! is multiplied by `beta`. Each crossing counts once. Everything else is RED (`Red`).
//!
//! Choices: the state before the first arrival is "between" (in ns-2 it is undefined; ns-3 starts "above", which omits
//! the first crossing upwards). The paper has no bounds for `max_p`; here it stays between `bottom` and `top`, since
//! otherwise a night without traffic would reduce it to nothing.

use super::red::{Crossings, Red, Status, red_based};
use crate::discipline::LinkView;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Packet, Probability};

tailrace_core::choices! {
    /// Where the average is taken to have been before the first arrival.
    pub enum Start {
        /// Between the thresholds: when the average is first below `min_th`, `max_p` is divided.
        Between = "between",
        /// Above `max_th`, as in ns-3.
        Above = "above",
        /// Below `min_th`: an empty queue at the start changes nothing.
        Below = "below",
    }
}

red_based! {
    /// Parameters of `self_configuring_red`.
    pub struct SelfConfiguringRedConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "ns-2 since 2001; ns-3";
        /// By how much `max_p` is divided when the average falls below `min_th`. If it is too large, `max_p` swings
        /// up and down.
        alpha: f64 = 3.0, "Feng et al. 1999";
        /// By how much `max_p` is multiplied when the average rises above `max_th`. If it is too large, `max_p`
        /// swings up and down.
        beta: f64 = 2.0, "Feng et al. 1999";
        /// The largest value of `max_p`. If it is too small, many flows fill the queue.
        top: Probability = Probability::ONE, "no bound in Feng et al. 1999";
        /// The smallest value of `max_p`. If it is too small, it takes many changes until `max_p` is large again.
        bottom: Probability = Probability::clamped(1e-4), "no bound in Feng et al. 1999";
        /// Where the average is taken to have been before the first packet.
        start: Start = Start::Between, "Feng et al. 1999 do not say";
        /// The packet that is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "all";
    }
}

impl SelfConfiguringRedConfig {
    fn law(&self, link: &LinkView) -> Red {
        let status = match self.start {
            Start::Between => Status::Between,
            Start::Above => Status::Above,
            Start::Below => Status::Below,
        };
        let (top, bottom) = (self.top.get(), self.bottom.get());
        let crossings = Crossings { alpha: self.alpha, beta: self.beta, top, bottom, status };
        Red::new(&self.red(), link).self_configuring(crossings)
    }
}

impl Discipline for SelfConfiguringRedConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED that changes its highest signal probability each time the average queue leaves the range between the thresholds.",
        citation: "Feng, Kandlur, Saha and Shin, INFOCOM 1999",
        ecn: "with `ecn` marks within the band; `harddrop` says where it drops",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Red, P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.red().validate()?;
        for (name, factor) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(1.0..=1e6).contains(&factor) {
                return Err((name, format!("must be 1 to 1000000, is {factor}")));
            }
        }
        if self.bottom > self.top {
            return Err(("bottom", "lies above top".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Managed<Red, P> {
        Managed::new(self.limit, self.ecn, self.drop, self.law(link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Aqm, Backlog, Verdict};
    use tailrace_core::{Bytes, Duration, Instant, Limit, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
    const BELOW: u64 = 2;
    const BETWEEN: u64 = 10;
    const ABOVE: u64 = 20;

    fn config() -> SelfConfiguringRedConfig {
        SelfConfiguringRedConfig {
            min_th: Some(Limit::Packets(5)),
            max_th: Some(Limit::Packets(15)),
            max_p: Probability::clamped(0.1),
            weight: Some(Probability::ONE),
            ..SelfConfiguringRedConfig::default()
        }
    }

    /// `max_p` after arrivals that find these queues, with the average at the queue.
    fn course(config: &SelfConfiguringRedConfig, queues: &[u64]) -> Vec<f64> {
        let mut law = config.law(&LINK);
        let mut rng = Rng::new(1);
        let mut max_p = |queue: &u64| {
            let backlog = Backlog { packets: *queue, bytes: Bytes(1000 * queue) };
            law.on_enqueue(Bytes(1000), backlog, Instant::ZERO, &mut rng);
            let mut state = [0.0; 4];
            law.state(&mut state);
            state[3]
        };
        queues.iter().map(&mut max_p).collect()
    }

    fn assert_near(course: &[f64], expected: &[f64]) {
        assert_eq!(course.len(), expected.len());
        for (x, y) in course.iter().zip(expected) {
            assert!((x - y).abs() < 1e-12, "{course:?} {expected:?}");
        }
    }

    /// From 0.1 below (a third), up (double), back into the band and up again (double), and below (a third).
    #[test]
    fn each_crossing_scales_max_p_once() {
        let third = 0.1 / 3.0;
        let queues = [BELOW, BETWEEN, ABOVE, BETWEEN, ABOVE, BELOW];
        let expected = [third, third, 2.0 * third, 2.0 * third, 4.0 * third, 4.0 * third / 3.0];
        assert_near(&course(&config(), &queues), &expected);
        // 0.1 / 3 * 2 * 2 / 3.
        assert!((expected[5] - 0.044_444_444_444_444_44).abs() < 1e-12);
        // Staying outside is no crossing; jumping over the band is one.
        assert_near(
            &course(&config(), &[BELOW, BELOW, BELOW, ABOVE, ABOVE]),
            &[third, third, third, 2.0 * third, 2.0 * third],
        );
    }

    #[test]
    fn the_start_decides_whether_the_first_average_is_a_crossing() {
        let start = |start| SelfConfiguringRedConfig { start, ..config() };
        assert_near(&course(&start(Start::Below), &[BELOW, ABOVE]), &[0.1, 0.2]);
        assert_near(&course(&start(Start::Above), &[ABOVE, BELOW]), &[0.1, 0.1 / 3.0]);
    }

    #[test]
    fn max_p_stays_within_its_bounds() {
        let up: Vec<u64> = [BETWEEN, ABOVE].repeat(20);
        assert_eq!(course(&config(), &up).last(), Some(&1.0));
        let down: Vec<u64> = [BETWEEN, BELOW].repeat(20);
        assert_eq!(course(&config(), &down).last(), Some(&1e-4));
    }

    #[test]
    fn it_signals_as_red_does() {
        let certain = SelfConfiguringRedConfig { max_p: Probability::ONE, start: Start::Below, ..config() };
        let mut law = certain.law(&LINK);
        let mut rng = Rng::new(1);
        let mut at = |packets| {
            law.on_enqueue(
                Bytes(1000),
                Backlog { packets, bytes: Bytes(1000 * packets) },
                Instant::ZERO,
                &mut rng,
            )
        };
        assert_eq!(at(BELOW), Verdict::Pass);
        at(16);
        assert_eq!(at(16), Verdict::Signal);
        // Twice max_th: beyond the band.
        assert_eq!(at(30), Verdict::Drop);
    }
}
