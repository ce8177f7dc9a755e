//! Adaptive RED with its automatic settings.
//!
//! Floyd, Gummadi, Shenker, "Adaptive RED: an algorithm for increasing the robustness of RED's active queue
//! management", 2001. The thresholds are computed from a target delay. Every half second, `max_p` is increased a little
//! or reduced by a tenth, so that the average queue stays midway between the thresholds; the average covers about a
//! second.
//!
//! It is `red` with `adaptive = true`, `weight = "auto"` and `gentle = true`, from the same code (`Red`), under the
//! name that the literature uses. Choice: a timer changes `max_p` (`adapt_on = "arrival"` is the behaviour of ns-2 and
//! ns-3, which stops while the link is idle).

use super::red::{AdaptOn, Red, RedConfig, red_based};
use crate::discipline::LinkView;
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Duration, Packet, Probability};

red_based! {
    /// Parameters of `ared`.
    pub struct AredConfig {
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "Floyd, Gummadi, Shenker 2001";
        /// The time between two changes of `max_p`. If it is too small, `max_p` swings up and down; if it is too
        /// large, it takes long to settle.
        interval: Duration = Duration::from_millis(500), "Floyd, Gummadi, Shenker 2001", in "10 us"..="1000 s": "each update takes computing time | so rare an update follows nothing";
        /// The largest step by which `max_p` is raised at once; a step is never more than a quarter of `max_p`. If it
        /// is too large, the average may jump across its target.
        alpha: Probability = Probability::clamped(0.01), "Floyd, Gummadi, Shenker 2001";
        /// The factor by which `max_p` is lowered. Below 0.83 the average may jump across its target.
        beta: Probability = Probability::clamped(0.9), "Floyd, Gummadi, Shenker 2001";
        /// The largest value of `max_p`. If it is too small, many flows fill the queue.
        top: Probability = Probability::clamped(0.5), "Floyd, Gummadi, Shenker 2001";
        /// The smallest value of `max_p`. `"auto"` is 80 kbit/s divided by the link's rate, at most 0.01 (ns-2).
        bottom: Option<Probability> = Some(Probability::clamped(0.01)), "Floyd, Gummadi, Shenker 2001";
        /// Trigger of changes of `max_p`: a timer, or arrivals.
        adapt_on: AdaptOn = AdaptOn::Timer, "Floyd, Gummadi, Shenker 2001; Linux";
        /// The packet that is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "all";
    }
}

impl AredConfig {
    fn adaptive(&self) -> RedConfig {
        RedConfig {
            adaptive: true,
            interval: self.interval,
            alpha: self.alpha,
            beta: self.beta,
            top: self.top,
            bottom: self.bottom,
            adapt_on: self.adapt_on,
            drop: self.drop,
            ..self.red()
        }
    }
}

impl Discipline for AredConfig {
    const ABOUT: About = About {
        family: "red",
        summary: "RED that adapts its highest signal probability to hold the average queue midway between the thresholds.",
        citation: "Floyd, Gummadi and Shenker, 2001",
        ecn: "with `ecn` marks within the band; `harddrop` says where it drops",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = Managed<Red, P>;

    fn validate(&self) -> Result<(), Invalid> {
        self.adaptive().validate()
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Managed<Red, P> {
        let red = self.adaptive();
        Managed::new(red.limit, red.ecn, red.drop, Red::new(&red, link))
    }

    fn explicit(&self, link: &LinkView) -> Self {
        let red = self.adaptive().explicit(link);
        Self {
            min_th: red.min_th,
            max_th: red.max_th,
            weight: red.weight,
            auto_weight: red.auto_weight,
            bandwidth: red.bandwidth,
            queue_in_bytes: red.queue_in_bytes,
            bottom: red.bottom,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Aqm, Backlog};
    use tailrace_core::{Bytes, Instant, Limit, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(45), Duration::from_millis(10));

    /// `max_p` after each half second with the queue standing at `queue` packets, until it stands still.
    fn course(config: &AredConfig, queue: u64) -> Vec<f64> {
        let config = AredConfig { weight: Some(Probability::ONE), ..config.clone() };
        let mut law = Red::new(&config.adaptive(), &LINK);
        let (mut rng, mut state, mut course) = (Rng::new(1), [0.0; 4], vec![config.max_p.get()]);
        let backlog = Backlog { packets: queue, bytes: Bytes(1000 * queue) };
        let mut at = |law: &mut Red, now| law.on_enqueue(Bytes(1000), backlog, now, &mut rng);
        at(&mut law, Instant::ZERO);
        loop {
            let tick = law.poll_timeout().expect("adapts by a timer");
            assert_eq!(tick.saturating_since(Instant::ZERO).as_millis(), 500 * course.len() as u64);
            at(&mut law, tick);
            law.handle_timeout(backlog, tick);
            law.state(&mut state);
            if course.last() == Some(&state[3]) {
                return course;
            }
            course.push(state[3]);
        }
    }

    /// 45 Mbit/s and 1000 bytes: thresholds 14.06 and 42.19, target 25.3 to 30.9 packets. From 0.01 a quarter at a
    /// time, then 0.01: 53 ticks to 0.5. Down by 0.9: 38 ticks, the last of which passes 0.01.
    #[test]
    fn max_p_rises_in_53_ticks_and_falls_in_38() {
        let from = |max_p| AredConfig { max_p: Probability::clamped(max_p), ..AredConfig::default() };
        let up = course(&from(0.01), 35);
        assert_eq!(up.len() - 1, 53);
        assert!(up[52] < 0.5 && up[53] >= 0.5 && up[53] <= 0.51, "{up:?}");
        assert_eq!(up[1], 0.0125);
        let down = course(&from(0.5), 20);
        assert_eq!(down.len() - 1, 38);
        assert!((down[38] - 0.00912).abs() < 5e-6, "{}", down[38]);
        assert_eq!(course(&from(0.1), 28).len(), 1);
    }

    #[test]
    fn it_is_adaptive_red_to_the_last_bit() {
        let red = RedConfig { adaptive: true, ..RedConfig::default() };
        assert_eq!(AredConfig::default().adaptive(), red);
        let own =
            AredConfig { min_th: Some(Limit::Packets(7)), adapt_on: AdaptOn::Arrival, ..Default::default() };
        let red = RedConfig { min_th: Some(Limit::Packets(7)), adapt_on: AdaptOn::Arrival, ..red };
        assert_eq!(own.adaptive(), red);
    }
}
