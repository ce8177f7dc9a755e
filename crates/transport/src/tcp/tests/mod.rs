//! Two endpoints over a channel that loses, delays, reorders and duplicates.

mod bottleneck;
mod properties;
mod repair;
mod scoreboard;
mod stacks;
mod windows;

use super::*;
use crate::config::{Nagle, Profile, TcpBehaviour};
use crate::segment::Segment;
use std::collections::BTreeMap;

/// Fate of a segment in the channel: delays of its copies; none means that it is lost.
pub(super) type Fate = [Option<Duration>; 2];

/// A client and a server, and the segments between them in order of arrival.
pub(super) struct Channel {
    pub(super) ends: [Tcp; 2],
    pub(super) flying: BTreeMap<(Instant, u64), (usize, Segment)>,
    pub(super) now: Instant,
    count: u64,
    /// Payload bytes delivered at each end.
    pub(super) delivered: [u64; 2],
    pub(super) events: [Vec<Event>; 2],
    /// Data segments sent by the client, in order: (sequence number relative to the first byte, length).
    pub(super) sent: Vec<(u32, u32)>,
    una: [u64; 2],
}

pub(super) fn config(profile: Profile) -> TcpConfig {
    TcpConfig {
        behaviour: TcpBehaviour {
            time_wait: Duration::from_millis(10),
            ..TcpConfig::for_profile(profile).behaviour
        },
        ..TcpConfig::for_profile(profile)
    }
}

impl Channel {
    pub(super) fn new(configs: [TcpConfig; 2], cc: &str, iss: [u32; 2]) -> Self {
        Self::with_cc(configs, &CcConfig::default_of(cc).expect("a registered name"), iss)
    }

    pub(super) fn with_cc(configs: [TcpConfig; 2], cc: &CcConfig, iss: [u32; 2]) -> Self {
        let [client, server] = configs.map(Arc::new);
        Self {
            ends: [Tcp::connect(&client, cc, iss[0], Instant::ZERO), Tcp::listen(&server, cc, iss[1])],
            flying: BTreeMap::new(),
            now: Instant::ZERO,
            count: 0,
            delivered: [0; 2],
            events: [Vec::new(), Vec::new()],
            sent: Vec::new(),
            una: [0; 2],
        }
    }

    /// Takes what the ends have to send and to say. `fate` decides about each segment (sender, segment, number).
    pub(super) fn drain(&mut self, fate: &mut impl FnMut(usize, &Segment, u64) -> Fate) {
        for i in 0..2 {
            while let Some(segment) = self.ends[i].poll_transmit(self.now) {
                if i == 0 && segment.payload > 0 {
                    let first = SeqNumber(self.ends[0].iss) + 1;
                    self.sent.push((segment.seq.distance(first) as u32, segment.payload));
                }
                for delay in fate(i, &segment, self.count).into_iter().flatten() {
                    self.count += 1;
                    self.flying.insert((self.now + delay, self.count), (1 - i, segment));
                }
                self.count += 1;
                self.check(i, Some(&segment));
            }
            while let Some(event) = self.ends[i].poll_event() {
                if let Event::Delivered { bytes } = event {
                    self.delivered[i] += bytes;
                } else {
                    self.events[i].push(event);
                }
            }
            self.check(i, None);
        }
    }

    /// Invariants that hold after every step.
    fn check(&mut self, i: usize, sent: Option<&Segment>) {
        let t = &self.ends[i];
        t.board.check();
        assert!(
            t.state == State::Closed || t.cc.cwnd().get() >= u64::from(t.mss),
            "cwnd is at least one segment"
        );
        assert!(t.board.una >= self.una[i], "SND.UNA never falls");
        self.una[i] = t.board.una;
        if let Some(s) = sent
            && s.payload > 0
            && t.state.is_synchronized()
        {
            let end = sequence::unwrap(t.board.una, s.seq) + u64::from(s.payload);
            let most = t.board.una + t.snd_wnd.largest();
            assert!(end <= most, "nothing is sent beyond the largest window");
        }
        if t.board.outstanding() > 0 && t.state.is_synchronized() {
            assert!(t.timer.leads_to_retransmission(), "data in flight has a timer");
        }
    }

    /// Steps to the next event; false where there is none.
    pub(super) fn step(&mut self, fate: &mut impl FnMut(usize, &Segment, u64) -> Fate) -> bool {
        let arrival = self.flying.first_key_value().map(|f| f.0.0);
        let timeout = self.ends.iter().filter_map(Tcp::poll_timeout).min();
        let Some(at) = [arrival, timeout].into_iter().flatten().min() else { return false };
        assert!(at >= self.now, "deadlines lie ahead");
        self.now = at;
        match self.flying.first_entry().filter(|f| f.key().0 == at) {
            Some(first) => {
                let (to, segment) = first.remove();
                self.ends[to].handle_segment(&segment, at);
            }
            None => self.ends.iter_mut().for_each(|e| e.handle_timeout(at)),
        }
        self.drain(fate);
        true
    }

    /// Steps until `done` or until nothing is left to happen.
    pub(super) fn run(
        &mut self,
        mut fate: impl FnMut(usize, &Segment, u64) -> Fate,
        mut done: impl FnMut(&Self) -> bool,
    ) {
        self.drain(&mut fate);
        for _ in 0..2_000_000 {
            if done(self) || !self.step(&mut fate) {
                return;
            }
        }
        panic!("no end after two million steps at {:?}: {:?}", self.now, self.ends.each_ref().map(Tcp::view));
    }
}

#[test]
fn endpoints_stay_small() {
    // Both ends, their access links and two pending events share 4 KiB a flow.
    assert!(size_of::<Tcp>() <= 1024, "{}", size_of::<Tcp>());
}

#[test]
fn a_clean_transfer_takes_the_round_trips_slow_start_needs() {
    // Handshake 1 RTT; then with IW 10 and no delayed ACKs 10, 20, 40, 30 segments: 100 in ceil(log2(100/10 + 1)) = 4
    // round trips, of which the last byte needs half of the last.
    for profile in [Profile::Rfc, Profile::Ns3, Profile::Linux] {
        let c = TcpConfig {
            mss: Bytes(1000),
            iw: Some(10),
            delayed_ack: 1,
            nagle: Nagle::Off,
            ..config(profile)
        };
        let mut ch = Channel::new([c.clone(), TcpConfig { send_buffer: None, ..c }], "newreno", [7, 9]);
        let half = Duration::from_millis(50);
        ch.ends[0].write(100_000);
        ch.run(|_, _, _| [Some(half), None], |ch| ch.delivered[1] == 100_000);
        assert_eq!(ch.now, Instant::from_millis(450), "{profile:?}");
        assert_eq!(ch.ends[0].stats().retransmitted_segments, 0);
    }
}

#[test]
fn teardown_closes_both_ends() {
    let mut ch = Channel::new([config(Profile::Rfc), config(Profile::Rfc)], "reno", [u32::MAX - 3, 1]);
    let half = Duration::from_millis(10);
    ch.ends[0].write(5_000);
    ch.ends[0].close();
    ch.run(|_, _, _| [Some(half), None], |ch| ch.events[1].contains(&Event::PeerClosed));
    assert_eq!(ch.delivered[1], 5_000);
    ch.ends[1].write(700);
    ch.ends[1].close();
    ch.run(|_, _, _| [Some(half), None], |_| false);
    assert_eq!(ch.delivered, [700, 5_000]);
    assert_eq!(ch.events[0], [Event::Connected, Event::PeerClosed, Event::Closed]);
    assert_eq!(ch.events[1], [Event::Connected, Event::PeerClosed, Event::Closed]);
}
