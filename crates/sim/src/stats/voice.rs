//! Voice quality: rating of the E-model and mean opinion score.
//!
//! ITU-T G.107, with every parameter outside of the network at its default, as Cole & Rosenbluth reduce it to delay and loss ("Voice
//! over IP performance monitoring", CCR 31(2), 2001).

use crate::stats::flow_stats::FlowStats;
use tailrace_app::VoiceParameters;
use tailrace_core::math;

/// Rating R of a flow; NaN if it sent nothing.
pub(crate) fn rating_of(voice: &VoiceParameters, stats: &FlowStats) -> f64 {
    let unheard = stats.lost_packets + stats.late_packets;
    let loss = (unheard as f64 / stats.sent_packets as f64).min(1.0);
    let playout = stats.mean_playout_delay_s();
    // Where nothing is heard there is no delay; the loss of all packets dominates.
    let playout = if playout.is_nan() { 0.0 } else { playout };
    let delay = playout + voice.delay.as_secs_f64();
    if stats.sent_packets == 0 { f64::NAN } else { rating(delay * 1e3, loss, voice.impairment) }
}

/// Rating R, at least 0, for a mouth-to-ear delay in milliseconds and a ratio of lost or late packets.
fn rating(delay_ms: f64, loss: f64, [base, scale, steepness]: [f64; 3]) -> f64 {
    let delayed = 0.024 * delay_ms + 0.11 * (delay_ms - 177.3).max(0.0);
    let impaired = base + scale * math::ln(1.0 + steepness * loss);
    (94.2 - delayed - impaired).max(0.0)
}

/// Mean opinion score of a rating (G.107 Annex B); NaN for NaN.
pub(crate) fn mean_opinion_score(rating: f64) -> f64 {
    if rating <= 0.0 {
        return 1.0;
    }
    let score = 1.0 + 0.035 * rating + 7e-6 * rating * (rating - 60.0) * (100.0 - rating);
    // `f64::max` would turn NaN into 1.
    if score < 1.0 { 1.0 } else { score }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Duration;

    const G711: [f64; 3] = [0.0, 30.0, 15.0];
    const G729: [f64; 3] = [11.0, 40.0, 10.0];

    #[test]
    fn e_model_rating_matches_hand_computed_values() {
        let about = |x: f64, expected: f64| assert!((x - expected).abs() < 1e-3, "{x}, not {expected}");
        // 94.2 - 2.4.
        about(rating(100.0, 0.0, G711), 91.8);
        // 94.2 - 4.8 - 0.11 * 22.7 - 30 ln 1.15.
        about(rating(200.0, 0.01, G711), 94.2 - 4.8 - 2.497 - 4.19286);
        // 94.2 - 3.6 - 11 - 40 ln 1.2.
        about(rating(150.0, 0.02, G729), 94.2 - 3.6 - 11.0 - 7.29286);
        assert_eq!(rating(1000.0, 1.0, G711), 0.0);
    }

    #[test]
    fn mean_opinion_score_matches_g107() {
        let about = |x: f64, expected: f64| assert!((x - expected).abs() < 1e-3, "{x}, not {expected}");
        // 1 + 0.035 * 93.2 + 7e-6 * 93.2 * 33.2 * 6.8: the default rating of G.107 is 4.41.
        about(mean_opinion_score(93.2), 4.4093);
        about(mean_opinion_score(60.0), 3.1);
        about(mean_opinion_score(50.0), 1.0 + 1.75 - 0.175);
        assert_eq!((mean_opinion_score(0.0), mean_opinion_score(100.0)), (1.0, 4.5));
        assert!(mean_opinion_score(f64::NAN).is_nan());
    }

    #[test]
    fn late_packets_count_as_lost_and_no_packets_give_nan() {
        let voice = VoiceParameters { delay: Duration::from_millis(20), impairment: G711 };
        let mut stats =
            FlowStats { sent_packets: 100, received_packets: 99, lost_packets: 1, ..FlowStats::default() };
        (0..99).for_each(|_| stats.heard(Duration::from_millis(80)));
        let lost = rating_of(&voice, &stats);
        assert_eq!(lost, rating(100.0, 0.01, G711));
        stats.late_packets = 2;
        assert_eq!(rating_of(&voice, &stats), rating(100.0, 0.03, G711));
        assert!(rating_of(&voice, &FlowStats::default()).is_nan());
    }
}
