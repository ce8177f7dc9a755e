//! What players of flows have seen: rates, stalls, and how long it took to begin.

use crate::ground::distribution::Spread;
use crate::ground::scope::Open;
use crate::host::hosts::World;
use crate::results::group_summary::VideoSummary;
use tailrace_app::{Application as _, PlaybackStats};
use tailrace_core::Instant;

/// Of flows that play.
pub(crate) fn summary(playbacks: &[PlaybackStats]) -> VideoSummary {
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

impl World {
    /// What a flow has played so far, if it plays.
    pub(crate) fn playback(&self, flow: usize, now: Instant) -> Option<PlaybackStats> {
        self.flows[flow].app.app.playback(now)
    }

    /// A window begins: what has been played so far is remembered, if anything is.
    pub(crate) fn cut_playback(&mut self, open: Open, now: Instant) {
        let all: Vec<_> = (0..self.flows.len()).map(|flow| self.playback(flow, now)).collect();
        let plays = all.iter().any(Option::is_some);
        self.playback_cuts[open] =
            if plays { all.into_iter().map(Option::unwrap_or_default).collect() } else { Vec::new() };
    }

    /// What a flow has played in a window.
    pub(crate) fn window_playback(&self, flow: usize, open: Open, now: Instant) -> PlaybackStats {
        let playback = self.playback(flow, now).unwrap_or_default();
        self.playback_cuts[open].get(flow).map_or(playback, |cut| playback.since(cut))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::Duration;

    #[test]
    fn flows_that_have_not_begun_have_no_rate_and_no_startup() {
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
        let of = summary(&[played, PlaybackStats::default()]);
        assert_eq!((of.rate_bps.mean, of.startup_s.mean, of.segments), (2.5e6, 2.0, 4));
        assert_eq!((of.stalls.sum, of.stalled_s.mean, of.switches.max), (1.0, 0.75, 2.0));
    }
}
