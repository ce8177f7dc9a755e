//! Statistics of applications in the summary: voice, video and transfers by size.

use crate::ground::distribution::{Distribution, Spread};
use crate::ground::ordered_map::OrderedMap;
use crate::results::group_summary::{SizeSummary, VideoSummary, VoiceSummary};
use crate::stats::flow_stats::FlowStats;
use crate::stats::transfer_sizes::SizeDistributions;
use crate::stats::voice::{mean_opinion_score, rating_of};
use tailrace_app::{PlaybackStats, VoiceParameters};

/// Voice quality of flows.
pub(crate) fn voice_summary(voice: &VoiceParameters, flows: &[FlowStats]) -> VoiceSummary {
    let ratings: Vec<f64> = flows.iter().map(|stats| rating_of(voice, stats)).collect();
    let scores: Vec<f64> = ratings.iter().map(|rating| mean_opinion_score(*rating)).collect();
    let delays = flows.iter().map(FlowStats::mean_playout_delay_s).filter(|delay| delay.is_finite());
    let delays: Vec<f64> = delays.collect();
    VoiceSummary {
        r_factor: Spread::of(&ratings),
        mos: Spread::of(&scores),
        late_packets: flows.iter().map(|stats| stats.late_packets).sum(),
        heard_packets: flows.iter().map(|stats| stats.heard_packets).sum(),
        playout_delay_s: Spread::of(&delays),
    }
}

/// Playback statistics of flows.
pub(crate) fn video_summary(playbacks: &[PlaybackStats]) -> VideoSummary {
    let spread = |figure: fn(&PlaybackStats) -> f64| {
        let values: Vec<f64> = playbacks.iter().map(figure).filter(|x| x.is_finite()).collect();
        Spread::of(&values)
    };
    VideoSummary {
        rate_bps: spread(|p| p.rates_bps as f64 / p.segments as f64),
        switches: spread(|p| p.switches as f64),
        stalls: spread(|p| p.stalls as f64),
        stalled_s: spread(|p| p.stalled.as_secs_f64()),
        startup_s: spread(|p| if p.started == 0 { f64::NAN } else { p.startup.as_secs_f64() }),
        segments: playbacks.iter().map(|p| p.segments).sum(),
    }
}

/// Completion of transfers by size, in ascending order of sizes.
pub(crate) fn size_summary(sizes: &SizeDistributions) -> OrderedMap<SizeSummary> {
    let bins = sizes.bins().map(|(name, completion, slowdown)| {
        let summary = SizeSummary {
            completed: completion.count(),
            completion_s: Distribution::of(completion),
            slowdown: Distribution::of(slowdown),
        };
        (name.to_string(), summary)
    });
    OrderedMap(bins.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Duration;

    #[test]
    fn flows_without_playback_have_no_rate_and_no_startup_time() {
        let played = PlaybackStats {
            segments: 4,
            rates_bps: 10_000_000,
            switches: 2,
            stalls: 1,
            stalled: Duration::from_millis(1500),
            started: 1,
            startup: Duration::from_secs(2),
            buffer: Duration::ZERO,
        };
        let of = video_summary(&[played, PlaybackStats::default()]);
        assert_eq!((of.rate_bps.mean, of.startup_s.mean, of.segments), (2.5e6, 2.0, 4));
        assert_eq!((of.stalls.sum, of.stalled_s.mean, of.switches.max), (1.0, 0.75, 2.0));
    }
}
