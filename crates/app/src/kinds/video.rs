//! Video streaming in segments (DASH, HLS). The player requests one segment after another on one connection, each at a bitrate
//! that it chooses, while its playback buffer has room; then it waits until a segment has been played. This gives on-off
//! traffic.
//!
//! Rule `buffer` is BBA-0 (Huang, Johari, McKeown, Trunnell, Watson, "A buffer-based approach to rate adaptation", SIGCOMM 2014,
//! algorithm 1): the lowest bitrate in the reservoir (up to 3/8 of the buffer), the highest above 9/10, a linear rate map between
//! them (90 s and 216 s of their 240 s). The bitrate changes only when the map crosses the next bitrate of the ladder.
//!
//! Rule `throughput` takes the highest bitrate below the harmonic mean of the throughput of the last five segments, each from
//! request to last byte ("RB" in Yin et al., "A control-theoretic approach for dynamic adaptive video streaming over HTTP",
//! SIGCOMM 2015).

use crate::application::{AppContext, Application, ConnectionData, EndpointRole};
use crate::bitrate_ladder::BitrateLadder;
use crate::bounds::{COUNTS, SIZES};
use crate::playback_stats::PlaybackStats;
use crate::registry::{AppKind, KeyConflict, RequiredTransport, TransferCount};
use tailrace_core::{Bytes, Duration, Instant, Rate, SizeDist};

tailrace_core::choices! {
    /// Rate adaptation: the choice of the next segment's rate.
    pub enum AdaptationRule {
        /// The rate follows how full the player's buffer is.
        Buffer = "buffer",
        /// The rate follows how fast the last five segments arrived.
        Throughput = "throughput",
        /// Always the highest rate.
        Highest = "highest",
    }
}

tailrace_core::parameters! {
    /// Keys of `video`.
    pub struct VideoConfig {
        /// The rates of the video to choose from, rising, with commas between them.
        ladder: BitrateLadder = BitrateLadder(LADDER.iter().map(|kbit| Rate::from_bps(kbit * 1000)).collect()), "Netflix 2015, as recalled";
        /// The playing time of a segment. Shorter segments spend more round trips on requests.
        segment: Duration = Duration::from_secs(4), "Huang et al. 2014", in "100 ms"..="60 s": "each segment is requested by itself | players ask for shorter ones";
        /// The playing time that the player's buffer holds. A smaller buffer bridges only shorter interruptions.
        buffer: Duration = Duration::from_secs(240), "Huang et al. 2014", in "1 s"..="1 h": "a player that holds less stops all the time | nobody holds more";
        /// The rule by which the player chooses the rate of the next segment.
        rule: AdaptationRule = AdaptationRule::Buffer, "Huang et al. 2014, BBA-0";
        /// The playing time that must be in the buffer before the player starts, or starts again after the buffer ran
        /// empty.
        startup: Duration = Duration::from_secs(4), "own choice: a segment", in "0 s"..="1 h": "nobody waits longer";
        /// The size of a request; a size or a distribution.
        request: SizeDist = SizeDist::Constant(Bytes(328)), "as of `web`", within SIZES;
        /// After how many segments the flow ends. `"auto"`: it goes on until `stop`.
        count: Option<u32> = None, "own choice", within COUNTS;
    }
}

/// Default ladder, kbit/s.
const LADDER: [u64; 10] = [235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800];
/// Number of recent segments from which throughput is estimated.
const THROUGHPUT_SAMPLES: usize = 5;
/// Time after which a player opens a new connection when its connection failed; own choice.
const RETRY: Duration = Duration::from_secs(1);

impl AppKind for VideoConfig {
    const SUMMARY: &'static str =
        "Video in segments, at rates that the player chooses, while its buffer has room; the server sends.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    const TWO_WAY: bool = true;
    type App = Box<Video>;

    fn build(&self) -> Box<Video> {
        Box::new(Video {
            config: self.clone(),
            fetch: SegmentFetch::default(),
            player: VideoPlayer::default(),
        })
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        let least = Duration::from_nanos(self.startup.as_nanos().saturating_add(self.segment.as_nanos()));
        if self.buffer < least {
            let why = format!("the buffer must hold `startup` and a segment more, {least}");
            return Err(KeyConflict::OutOfRange("buffer", why));
        }
        Ok(())
    }
    fn transfers(&self) -> TransferCount {
        TransferCount::of(self.count)
    }
    fn plays(&self) -> bool {
        true
    }
    fn data_source(&self) -> EndpointRole {
        EndpointRole::Server
    }
    fn is_random(&self) -> bool {
        !self.request.is_constant()
    }
}

/// Client and server of a video stream.
#[derive(Debug)]
pub struct Video {
    config: VideoConfig,
    fetch: SegmentFetch,
    player: VideoPlayer,
}

/// Download of segments: connection, pending request, recent throughput.
#[derive(Debug, Default)]
struct SegmentFetch {
    /// Whether a connection is open.
    is_open: bool,
    /// Time of the pending request, and the ladder index of its bitrate.
    pending_request: Option<(Instant, usize)>,
    /// Ladder index of the last segment received.
    last_index: Option<usize>,
    /// Throughput of the last segments, bit/s, latest first; zero for none.
    throughputs: [f64; THROUGHPUT_SAMPLES],
}

/// Playback: a buffer that fills with segments and drains in real time.
#[derive(Clone, Copy, Debug, Default)]
struct VideoPlayer {
    counts: PlaybackStats,
    state: PlayerState,
    /// Time of the first request.
    first_request: Instant,
    /// Time of the last update.
    updated: Instant,
    /// Whether the last segment has been received.
    is_complete: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PlayerState {
    #[default]
    Idle,
    Starting,
    Playing,
    Stalled,
}

impl VideoPlayer {
    /// Updates buffer, state and counters to `now`.
    fn advance(&mut self, now: Instant) {
        let passed = now - std::mem::replace(&mut self.updated, now);
        match self.state {
            PlayerState::Idle => (self.state, self.first_request) = (PlayerState::Starting, now),
            PlayerState::Starting => {}
            PlayerState::Stalled => self.counts.stalled += passed,
            PlayerState::Playing => self.play(passed),
        }
    }

    /// Plays for the time `passed`; stalls when the buffer runs empty before the end of the video.
    fn play(&mut self, passed: Duration) {
        let buffer = self.counts.buffer;
        self.counts.buffer = buffer - buffer.min(passed);
        if passed > buffer && !self.is_complete {
            self.state = PlayerState::Stalled;
            self.counts.stalls += 1;
            self.counts.stalled += passed - buffer;
        }
    }

    /// Adds a received segment to the buffer; starts or resumes playback from `startup` on.
    fn add_segment(&mut self, now: Instant, segment: Duration, startup: Duration) {
        self.advance(now);
        self.counts.buffer += segment;
        if self.counts.buffer < startup && !self.is_complete {
            return;
        }
        if self.counts.started == 0 {
            (self.counts.started, self.counts.startup) = (1, now - self.first_request);
        }
        self.state = PlayerState::Playing;
    }
}

impl Video {
    /// Bitrate at a ladder index, bit/s.
    fn rate(&self, index: usize) -> f64 {
        self.config.ladder.0[index].as_bps() as f64
    }

    /// Ladder index of the next segment.
    fn next_index(&self) -> usize {
        let highest = self.config.ladder.0.len() - 1;
        match self.config.rule {
            AdaptationRule::Highest => highest,
            AdaptationRule::Throughput => {
                let known = self.fetch.throughputs.iter().filter(|rate| **rate > 0.0);
                let (n, sum) = known.fold((0.0, 0.0), |(n, sum), rate| (n + 1.0, sum + 1.0 / rate));
                self.highest_below(n / sum)
            }
            AdaptationRule::Buffer => self.bba0_index(self.fetch.last_index.unwrap_or(0), highest),
        }
    }

    /// Ladder index of the highest bitrate below `bps`, or 0; also 0 for NaN (no throughput known).
    fn highest_below(&self, bps: f64) -> usize {
        (0..self.config.ladder.0.len()).rev().find(|index| self.rate(*index) < bps).unwrap_or(0)
    }

    /// Ladder index by BBA-0; `last` is the index of the segment before.
    fn bba0_index(&self, last: usize, highest: usize) -> usize {
        let (full, filled) = (self.config.buffer.as_secs_f64(), self.player.counts.buffer.as_secs_f64());
        let (reservoir, upper) = (0.375 * full, 0.9 * full);
        if filled <= reservoir {
            return 0;
        }
        if filled >= upper {
            return highest;
        }
        let (least, most) = (self.rate(0), self.rate(highest));
        let wanted = least + (most - least) * (filled - reservoir) / (upper - reservoir);
        if wanted >= self.rate((last + 1).min(highest)) {
            self.highest_below(wanted)
        } else if wanted <= self.rate(last.saturating_sub(1)) {
            (0..=highest).find(|index| self.rate(*index) > wanted).unwrap_or(highest)
        } else {
            last
        }
    }

    /// Counts a received segment and hands it to the player.
    fn receive_segment(&mut self, (requested, index): (Instant, usize), now: Instant) {
        let took = (now - requested).max(Duration::from_nanos(1));
        self.fetch.throughputs.rotate_right(1);
        self.fetch.throughputs[0] = self.size(index) as f64 * 8.0 / took.as_secs_f64();
        let switched = self.fetch.last_index.replace(index).is_some_and(|last| last != index);
        let counts = &mut self.player.counts;
        counts.segments += 1;
        counts.rates_bps += self.config.ladder.0[index].as_bps();
        counts.switches += u64::from(switched);
        self.player.is_complete = self.config.count.is_some_and(|n| counts.segments >= u64::from(n));
        self.player.add_segment(now, self.config.segment, self.config.startup);
    }

    /// Size of a segment at a ladder index, bytes.
    fn size(&self, index: usize) -> u64 {
        let bits =
            u128::from(self.config.ladder.0[index].as_bps()) * u128::from(self.config.segment.as_nanos());
        u64::try_from(bits / 8_000_000_000).unwrap_or(u64::MAX).max(1)
    }

    /// Time until the buffer has room for another segment.
    fn until_room(&self) -> Duration {
        let filled = self.player.counts.buffer.as_nanos().saturating_add(self.config.segment.as_nanos());
        Duration::from_nanos(filled.saturating_sub(self.config.buffer.as_nanos()))
    }
}

impl Application for Video {
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        if self.fetch.pending_request.is_some() {
            return;
        }
        self.player.advance(cx.now());
        self.fetch.pending_request = Some((cx.now(), self.next_index()));
        let request = self.config.request.draw(cx.rng()).get();
        if std::mem::replace(&mut self.fetch.is_open, true) {
            cx.request(request);
        } else {
            cx.open(ConnectionData::Message(request));
        }
    }

    fn on_message(&mut self, at: EndpointRole, cx: &mut AppContext<'_>) {
        let Some(request) = self.fetch.pending_request else { return };
        if at == EndpointRole::Server {
            return cx.respond(self.size(request.1));
        }
        cx.complete();
        self.fetch.pending_request = None;
        self.receive_segment(request, cx.now());
        if self.player.is_complete {
            return cx.close();
        }
        cx.wake_at(cx.now().saturating_add(self.until_room()));
    }

    /// Discards the pending request of a failed connection, and requests again on a new one after [`RETRY`].
    fn on_closed(&mut self, failed: bool, cx: &mut AppContext<'_>) {
        self.fetch.is_open = false;
        if failed && self.fetch.pending_request.take().is_some() {
            cx.wake_at(cx.now().saturating_add(RETRY));
        }
    }

    fn playback(&self, now: Instant) -> Option<PlaybackStats> {
        let mut player = self.player;
        if player.state != PlayerState::Idle {
            player.advance(now);
        }
        Some(player.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{AppAction, AppActions};
    use tailrace_core::Rng;

    /// Rates of 1, 2 and 4 Mbit/s, segments of 4 s (500 kB, 1 MB, 2 MB), a buffer of 40 s.
    fn config(rule: AdaptationRule) -> VideoConfig {
        VideoConfig {
            ladder: BitrateLadder([1, 2, 4].map(Rate::from_mbit).to_vec()),
            buffer: Duration::from_secs(40),
            rule,
            ..VideoConfig::default()
        }
    }

    struct TestPlayer {
        video: Box<Video>,
        rng: Rng,
    }

    impl TestPlayer {
        fn new(config: &VideoConfig) -> Self {
            Self { video: config.build(), rng: Rng::new(1) }
        }
        /// Calls the application at a time; returns its next wake-up, ms, and its other actions.
        fn at(
            &mut self,
            ms: u64,
            call: impl Fn(&mut Video, &mut AppContext<'_>),
        ) -> (Option<u64>, Vec<AppAction>) {
            let mut actions = AppActions::default();
            call(
                &mut self.video,
                &mut AppContext::new(Instant::from_millis(ms), &mut self.rng, &mut actions),
            );
            (actions.wake().map(|at| at.as_nanos() / 1_000_000), actions.others().collect())
        }
        /// Wakes the player, which requests a segment; returns its size in bytes.
        fn request_segment(&mut self, ms: u64) -> u64 {
            self.at(ms, |video, cx| video.on_wake(cx));
            let (_, answer) = self.at(ms, |video, cx| video.on_message(EndpointRole::Server, cx));
            let [AppAction::Respond(size)] = answer[..] else { panic!("{answer:?}") };
            size
        }
        /// Delivers the segment; returns the time of the next request, ms.
        fn receive_segment(&mut self, ms: u64) -> Option<u64> {
            let (wake, others) = self.at(ms, |video, cx| video.on_message(EndpointRole::Client, cx));
            assert_eq!(others[0], AppAction::Complete);
            wake
        }
        fn playback(&self, ms: u64) -> PlaybackStats {
            self.video.playback(Instant::from_millis(ms)).unwrap()
        }
    }

    #[test]
    fn playback_buffer_fills_drains_and_stalls() {
        let mut player = TestPlayer::new(&config(AdaptationRule::Highest));
        assert_eq!(player.request_segment(0), 2_000_000);
        assert_eq!(player.receive_segment(3_000), Some(3_000));
        player.request_segment(3_000);
        // Playing began at 3 s with 4 s in the buffer: it stalls at 7 s.
        assert_eq!(player.playback(5_000).buffer, Duration::from_secs(2));
        assert_eq!(player.playback(9_000).stalled, Duration::from_secs(2));
        assert_eq!(player.playback(9_000).stalls, 1);
        player.receive_segment(10_000);
        let counts = player.playback(11_000);
        assert_eq!((counts.segments, counts.rates_bps, counts.switches), (2, 8_000_000, 0));
        assert_eq!((counts.startup, counts.started), (Duration::from_secs(3), 1));
        assert_eq!((counts.stalled, counts.buffer), (Duration::from_secs(3), Duration::from_secs(3)));
    }

    #[test]
    fn full_buffer_delays_the_next_request() {
        let mut player = TestPlayer::new(&config(AdaptationRule::Highest));
        // Ten segments at once fill the buffer; the eleventh has room once a segment has been played.
        for _ in 0..9 {
            player.request_segment(0);
            assert_eq!(player.receive_segment(0), Some(0));
        }
        player.request_segment(0);
        assert_eq!(player.receive_segment(0), Some(4_000));
        player.request_segment(4_000);
        assert_eq!(player.receive_segment(5_000), Some(8_000));
    }

    #[test]
    fn bba0_rate_map_changes_bitrate_where_it_crosses_the_ladder() {
        // Rate map: 1 Mbit/s up to 15 s, 2 Mbit/s at 22 s, 4 Mbit/s from 36 s. The bitrate chosen is strictly below the map.
        let chosen = |filled, last| {
            let mut video = config(AdaptationRule::Buffer).build();
            video.player.counts.buffer = Duration::from_secs(filled);
            video.fetch.last_index = Some(last);
            video.next_index()
        };
        assert_eq!([15, 16, 22, 23, 35, 36].map(|filled| chosen(filled, 0)), [0, 0, 0, 1, 1, 2]);
        // From 2 Mbit/s: up only where the map reaches 4 Mbit/s, down only in the reservoir.
        assert_eq!([15, 16, 30, 35, 36].map(|filled| chosen(filled, 1)), [0, 1, 1, 1, 2]);
        // From 4 Mbit/s: down where the map is below 2 Mbit/s, to the next bitrate above the map.
        assert_eq!([16, 22, 23, 35].map(|filled| chosen(filled, 2)), [1, 2, 2, 2]);
    }

    #[test]
    fn throughput_rule_takes_bitrate_below_the_harmonic_mean() {
        let mut player = TestPlayer::new(&config(AdaptationRule::Throughput));
        assert_eq!(player.request_segment(0), 500_000, "no throughput known");
        // 500 kB in 1 s: 4 Mbit/s, and 2 Mbit/s is the highest below that.
        player.receive_segment(1_000);
        assert_eq!(player.request_segment(1_000), 1_000_000);
        // 1 MB in 8 s: 1 Mbit/s. Of 4 and 1 the harmonic mean is 1.6.
        player.receive_segment(9_000);
        assert_eq!(player.request_segment(9_000), 500_000);
        player.receive_segment(10_000);
        assert_eq!(player.playback(10_000).switches, 2);
    }

    #[test]
    fn last_segment_closes_and_empty_buffer_is_no_stall() {
        let mut player = TestPlayer::new(&VideoConfig { count: Some(1), ..config(AdaptationRule::Highest) });
        player.request_segment(0);
        let (wake, others) = player.at(1_000, |video, cx| video.on_message(EndpointRole::Client, cx));
        assert_eq!((wake, others), (None, vec![AppAction::Complete, AppAction::Close]));
        assert_eq!((player.playback(60_000).stalls, player.playback(60_000).buffer), (0, Duration::ZERO));
    }

    #[test]
    fn failed_connection_is_replaced_after_retry_time() {
        let mut player = TestPlayer::new(&config(AdaptationRule::Highest));
        player.request_segment(0);
        assert_eq!(player.at(500, |video, cx| video.on_closed(true, cx)), (Some(1_500), vec![]));
        let open = AppAction::Open(ConnectionData::Message(328), EndpointRole::Client);
        assert_eq!(player.at(1_500, |video, cx| video.on_wake(cx)), (None, vec![open]));
    }

    #[test]
    fn buffer_smaller_than_startup_and_a_segment_is_refused() {
        let small = VideoConfig { buffer: Duration::from_secs(7), ..VideoConfig::default() };
        assert!(matches!(small.validate(), Err(KeyConflict::OutOfRange("buffer", _))));
    }
}
