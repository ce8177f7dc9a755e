//! Voice over IP: packets of a codec at its interval, without silence suppression, and how good the conversation is.
//!
//! Quality is that of the E-model (ITU-T G.107) as Cole & Rosenbluth reduce it to delay and loss ("Voice over IP performance
//! monitoring", CCR 31(2), 2001). A packet that comes after the time at which the listener plays it is as good as lost; that time
//! is set by the playout buffer ([`crate::playout`]).

use crate::application::{AppContext, Application, Datagram, EndpointRole};
use crate::playout::{Playout, PlayoutBuffer};
use crate::registry::{AppKind, OfferedTraffic, RequiredTransport, VoiceParameters};
use tailrace_core::{Bytes, Duration, Instant, Rate};

tailrace_core::choices! {
    /// A codec.
    pub enum Codec {
        /// 64 kbit/s of voice: 160 bytes every 20 ms.
        G711 = "g711",
        /// 8 kbit/s of voice: 20 bytes every 20 ms, which are two frames.
        G729 = "g729",
    }
}

tailrace_core::parameters! {
    /// Keys of `voip`.
    pub struct VoipConfig {
        /// The codec, which turns voice into packets. Each packet has 12 bytes of RTP header beside the voice.
        codec: Codec = Codec::G711, "ITU-T G.711, RFC 3551 §4.5.14";
        /// The size of a fixed playout buffer, as time: how much later than the fastest packet a packet may arrive and
        /// still be heard. If it is too short, packets that arrive are not heard; if it is too long, the delay itself
        /// makes talking hard. If you leave it out, the buffer follows the delays of the packets that came.
        buffer: Option<Duration> = None, "the buffer adapts: Ramjee, Kurose, Towsley & Schulzrinne, INFOCOM 1994, algorithm 4", in "0 s"..="10 s": "nobody talks over more";
    }
}

/// From one packet to the next (RFC 3551 §4.2).
const INTERVAL: Duration = Duration::from_millis(20);
/// Header of RTP (RFC 3550 §5.1).
const RTP: u64 = 12;

impl Codec {
    /// Voice in a packet.
    const fn payload(self) -> Bytes {
        match self {
            Self::G711 => Bytes(160 + RTP),
            Self::G729 => Bytes(20 + RTP),
        }
    }

    /// Delay of the codec (a packet's time, and 5 ms of look-ahead for G.729) and its impairment by loss (Cole &
    /// Rosenbluth 2001, §4; for G.729 that of G.729A).
    const fn voice(self) -> VoiceParameters {
        match self {
            Self::G711 => VoiceParameters { delay: Duration::from_millis(20), impairment: [0.0, 30.0, 15.0] },
            Self::G729 => {
                VoiceParameters { delay: Duration::from_millis(25), impairment: [11.0, 40.0, 10.0] }
            }
        }
    }
}

impl AppKind for VoipConfig {
    const SUMMARY: &'static str =
        "A voice call: a packet every 20 ms; results say how good the conversation is.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Datagrams;
    type App = Voip;

    fn build(&self) -> Voip {
        let playout = self.buffer.map_or_else(|| Playout::adaptive(INTERVAL), Playout::fixed);
        Voip { codec: self.codec, playout }
    }
    fn traffic(&self) -> Option<OfferedTraffic> {
        let payload = self.codec.payload();
        let rate = Rate::from_bps(payload.get() * 8 * 1_000_000_000 / INTERVAL.as_nanos());
        Some(OfferedTraffic::of_one_size(rate, payload, true))
    }
    fn voice(&self) -> Option<VoiceParameters> {
        Some(self.codec.voice())
    }
}

/// The running application.
#[derive(Debug)]
pub struct Voip {
    codec: Codec,
    playout: Playout,
}

impl Application for Voip {
    #[inline]
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        cx.wake_at(cx.now().saturating_add(INTERVAL));
        cx.send(
            EndpointRole::Client,
            Datagram { stamp: cx.now().as_nanos(), ..Datagram::of(self.codec.payload()) },
        );
    }

    fn on_datagram(&mut self, _at: EndpointRole, datagram: Datagram, cx: &mut AppContext<'_>) {
        let took = cx.now() - Instant::from_nanos(datagram.stamp);
        match self.playout.on_packet(took) {
            Some(delay) => cx.heard(delay),
            None => cx.late(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{AppAction, AppActions};
    use crate::testing::times;
    use tailrace_core::Rng;

    #[test]
    fn a_packet_leaves_each_20_ms() {
        let g711 = VoipConfig::default();
        assert_eq!(times(g711.build(), Instant::from_millis(50)), [0.0, 0.02, 0.04]);
        // 172 B, 50 times a second; with 28 B of UDP and IP it is the 80 kbit/s that tables have.
        assert_eq!(g711.traffic().map(|t| t.rate), Some(Rate::from_bps(68_800)));
        let g729 = VoipConfig { codec: Codec::G729, ..g711 };
        assert_eq!(g729.traffic().map(|t| (t.rate, t.payload)), Some((Rate::from_bps(12_800), Bytes(32))));
    }

    #[test]
    fn packets_after_the_playout_time_are_late_and_others_are_heard_at_it() {
        let mut rng = Rng::new(1);
        let mut play = |buffer: Option<Duration>, packets: &[(u64, u64)]| -> Vec<Option<u64>> {
            let mut app = VoipConfig { buffer, ..Default::default() }.build();
            let arrive = |(sent, at): &(u64, u64)| {
                let mut actions = AppActions::default();
                let datagram = Datagram { payload: 172, stamp: sent * 1_000_000 };
                let cx = &mut AppContext::new(Instant::from_millis(*at), &mut rng, &mut actions);
                app.on_datagram(EndpointRole::Server, datagram, cx);
                match actions.others().next() {
                    Some(AppAction::Heard(delay)) => Some(delay.as_nanos() / 1_000_000),
                    other => {
                        assert_eq!(other, Some(AppAction::Late));
                        None
                    }
                }
            };
            packets.iter().map(arrive).collect()
        };
        // The fastest so far takes 30 ms, then 20 ms: 90 ms are in time for the first, and late for the second.
        let packets = [(0, 30), (20, 110), (40, 60), (60, 150)];
        let fixed = play(Some(Duration::from_millis(60)), &packets);
        assert_eq!(fixed, [Some(90), Some(90), Some(80), None]);
        // Each takes 20 ms, then 180 ms: the fixed buffer hears nothing more, the adaptive one all but the first.
        let slower: Vec<(u64, u64)> =
            (0..50).map(|n| (20 * n, 20 * n + if n < 25 { 20 } else { 180 })).collect();
        let late = |heard: Vec<Option<u64>>| heard.iter().filter(|delay| delay.is_none()).count();
        assert_eq!(late(play(Some(Duration::from_millis(60)), &slower)), 25);
        assert_eq!(late(play(None, &slower)), 1);
    }
}
