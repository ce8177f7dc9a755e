//! How good a conversation is: the E-model's transmission rating and what people would say of it.
//!
//! ITU-T G.107, with all that is not of the network at its defaults, as Cole & Rosenbluth reduce it to delay and loss ("Voice
//! over IP performance monitoring", CCR 31(2), 2001).

use crate::ground::distribution::Spread;
use crate::results::group_summary::VoiceSummary;
use crate::stats::flow_stats::FlowTally;
use tailrace_app::VoiceParameters;
use tailrace_core::math;

/// Of flows that carry voice.
pub(crate) fn summary(voice: &VoiceParameters, tallies: &[FlowTally]) -> VoiceSummary {
    let ratings: Vec<f64> = tallies.iter().map(|tally| rating_of(voice, tally)).collect();
    let opinions: Vec<f64> = ratings.iter().map(|rating| opinion(*rating)).collect();
    VoiceSummary {
        r_factor: Spread::of(&ratings),
        mos: Spread::of(&opinions),
        late_packets: tallies.iter().map(|tally| tally.late_packets).sum(),
    }
}

/// Of a flow; NaN where it sent nothing.
fn rating_of(voice: &VoiceParameters, tally: &FlowTally) -> f64 {
    let unheard = tally.lost_packets + tally.late_packets;
    let loss = (unheard as f64 / tally.sent_packets as f64).min(1.0);
    let network = tally.mean_delay_s();
    // Where nothing came, loss alone is bad enough.
    let network = if network.is_nan() { 0.0 } else { network };
    let delay = network + voice.buffer.as_secs_f64() + voice.delay.as_secs_f64();
    if tally.sent_packets == 0 { f64::NAN } else { rating(delay * 1e3, loss, voice.impairment) }
}

/// The rating R of a mouth-to-ear delay in milliseconds and a share of packets that are not heard, 0 at least.
fn rating(delay_ms: f64, loss: f64, [base, scale, steepness]: [f64; 3]) -> f64 {
    let delayed = 0.024 * delay_ms + 0.11 * (delay_ms - 177.3).max(0.0);
    let impaired = base + scale * math::ln(1.0 + steepness * loss);
    (94.2 - delayed - impaired).max(0.0)
}

/// The mean opinion score of a rating (G.107 Annex B); NaN of none.
fn opinion(rating: f64) -> f64 {
    if rating <= 0.0 {
        return 1.0;
    }
    let opinion = 1.0 + 0.035 * rating + 7e-6 * rating * (rating - 60.0) * (100.0 - rating);
    // `max` would make 1 of what is not a number.
    if opinion < 1.0 { 1.0 } else { opinion }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Duration;

    const G711: [f64; 3] = [0.0, 30.0, 15.0];
    const G729: [f64; 3] = [11.0, 40.0, 10.0];

    #[test]
    fn ratings_are_those_computed_by_hand() {
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
    fn opinions_are_those_of_the_standard() {
        let about = |x: f64, expected: f64| assert!((x - expected).abs() < 1e-3, "{x}, not {expected}");
        // 1 + 0.035 * 93.2 + 7e-6 * 93.2 * 33.2 * 6.8: the default rating of G.107 is 4.41.
        about(opinion(93.2), 4.4093);
        about(opinion(60.0), 3.1);
        about(opinion(50.0), 1.0 + 1.75 - 0.175);
        assert_eq!((opinion(0.0), opinion(100.0)), (1.0, 4.5));
        assert!(opinion(f64::NAN).is_nan());
    }

    #[test]
    fn what_is_late_is_lost_and_what_was_not_sent_is_nothing() {
        let voice = VoiceParameters {
            delay: Duration::from_millis(20),
            buffer: Duration::from_millis(60),
            impairment: G711,
        };
        let mut tally =
            FlowTally { sent_packets: 100, received_packets: 99, lost_packets: 1, ..FlowTally::default() };
        tally.delay_sum = Duration::from_millis(20) * 99;
        let lost = rating_of(&voice, &tally);
        assert_eq!(lost, rating(100.0, 0.01, G711));
        tally.late_packets = 2;
        assert_eq!(rating_of(&voice, &tally), rating(100.0, 0.03, G711));
        assert!(rating_of(&voice, &FlowTally::default()).is_nan());
    }
}
