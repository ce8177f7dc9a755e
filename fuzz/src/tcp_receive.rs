//! A TCP endpoint survives any sequence of segments, timeouts and calls of the application, and keeps its books.
//!
//! The first bytes choose configuration and opening, the rest is a sequence of inputs. Sequence numbers are taken
//! near what the endpoint itself sent last, so that most segments are not refused at once.

use crate::input::Input;
use std::sync::Arc;
use tailrace_core::{Bytes, Duration, Ecn, Instant};
use tailrace_transport::config::{Nagle, WindowUnit};
use tailrace_transport::segment::Timestamps;
use tailrace_transport::{CcConfig, Flags, Profile, Segment, SeqNumber, State, Tcp, TcpConfig};

/// Tries one input.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut run = Run::new(&mut input);
    while !input.is_empty() {
        run.step(&mut input);
        run.check();
    }
}

struct Run {
    tcp: Tcp,
    now: Instant,
    /// Segment that the endpoint sent last; plausible numbers derive from it.
    sent: Segment,
    written: u64,
    offered: u64,
    /// Whether a short segment weighs as much in the network as a full one.
    counts_packets: bool,
}

const PROFILES: [Profile; 4] = [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux];

fn config(input: &mut Input<'_>) -> TcpConfig {
    let mut c = TcpConfig::for_profile(PROFILES[usize::from(input.byte() % 4)]);
    let bits = input.byte();
    c.sack = bits & 1 != 0;
    c.timestamps = bits & 2 != 0;
    c.ecn = bits & 4 != 0;
    c.window_scale = bits & 8 != 0;
    c.limited_transmit = bits & 16 != 0;
    c.nagle = if bits & 32 != 0 { Nagle::Minshall } else { Nagle::Off };
    c.behaviour.impatient = bits & 64 != 0;
    c.delayed_ack = bits >> 7;
    c.mss = Bytes(u64::from(input.byte()) + 1);
    c.receive_buffer = Bytes(u64::from(input.word()) + 256);
    c
}

impl Run {
    fn new(input: &mut Input<'_>) -> Self {
        let config = Arc::new(config(input));
        let names = CcConfig::names();
        let name = names[usize::from(input.byte()) % names.len()];
        let cc = CcConfig::default_of(name).expect("registered names have a default");
        let now = Instant::from_secs(1);
        let how = input.byte();
        let mut tcp = if how & 1 == 0 {
            Tcp::listen(&config, &cc, 0xffff_ff00)
        } else {
            Tcp::connect(&config, &cc, 0xffff_ff00, now)
        };
        if how & 2 != 0 {
            // The peer's part of the handshake is played by a second endpoint.
            let mut peer =
                if how & 1 == 0 { Tcp::connect(&config, &cc, 7, now) } else { Tcp::listen(&config, &cc, 7) };
            for _ in 0..4 {
                while let Some(s) = tcp.poll_transmit(now) {
                    peer.handle_segment(&s, now);
                }
                while let Some(s) = peer.poll_transmit(now) {
                    tcp.handle_segment(&s, now);
                }
            }
        }
        tcp.set_auto_read(how & 4 != 0);
        let counts_packets = config.window_unit == WindowUnit::Packets;
        Self { tcp, now, sent: Segment::default(), written: 0, offered: 0, counts_packets }
    }

    fn step(&mut self, input: &mut Input<'_>) {
        match input.byte() % 16 {
            0 => self.now = self.now.saturating_add(Duration::from_micros(u64::from(input.long()))),
            1 | 2 => {
                // The next deadline, as a host would wake it.
                if let Some(at) = self.tcp.poll_timeout() {
                    self.now = self.now.max(at);
                }
                self.tcp.handle_timeout(self.now);
            }
            3 => self.tcp.handle_timeout(self.now),
            4 => self.written += self.tcp.write(u64::from(input.word())),
            5 => drop(self.tcp.read(u64::from(input.word()), self.now)),
            6 if input.byte() > 200 => self.tcp.close(),
            7 if input.byte() > 250 => self.tcp.abort(),
            _ => {
                let segment = self.segment(input);
                self.offered += u64::from(segment.payload);
                self.tcp.handle_segment(&segment, self.now);
            }
        }
        self.drain();
    }

    /// A segment that acknowledges and continues what was sent last, give or take.
    fn segment(&self, input: &mut Input<'_>) -> Segment {
        let shape = input.byte();
        let near = |base: SeqNumber, input: &mut Input<'_>| base + i32::from(input.word() as i16) as u32;
        let mut s = Segment {
            seq: if shape & 1 == 0 { self.sent.ack } else { near(self.sent.ack, input) },
            ack: if shape & 2 == 0 {
                self.sent.seq + self.sent.seq_len()
            } else {
                near(self.sent.seq, input)
            },
            window: if shape & 4 == 0 { 0xffff } else { input.word() },
            flags: if shape & 8 == 0 { Flags::ACK } else { Flags(input.byte()) },
            ecn: Ecn::from_bits(input.byte() & 3),
            payload: if shape & 16 == 0 { 0 } else { u32::from(input.word()) },
            ..Segment::default()
        };
        if shape & 32 != 0 {
            let echo = self.sent.timestamps.map_or(0, |t| t.value);
            s.timestamps = Some(Timestamps { value: input.long(), echo });
        }
        if shape & 64 != 0 {
            for _ in 0..input.byte() % 5 {
                let (left, right) = (near(self.sent.seq, input), near(self.sent.seq, input));
                s.sack.push(left, right);
            }
        }
        if shape & 128 != 0 {
            s.mss = Some(input.word());
            s.window_scale = Some(input.byte());
            s.sack_permitted = input.byte() & 1 != 0;
        }
        s
    }

    fn drain(&mut self) {
        // A call can release at most the written data, a probe or two, and control segments.
        let mut budget = 300_000_u32;
        while let Some(s) = self.tcp.poll_transmit(self.now) {
            assert!(s.payload <= self.tcp.mss(), "a segment of {} bytes", s.payload);
            self.sent = s;
            budget = budget.checked_sub(1).expect("transmission ends without further input");
        }
        while self.tcp.poll_event().is_some() {}
    }

    fn check(&self) {
        let (stats, view) = (self.tcp.stats(), self.tcp.view());
        assert!(
            stats.bytes_acked <= self.written,
            "{} acknowledged, {} written",
            stats.bytes_acked,
            self.written
        );
        assert!(
            stats.bytes_delivered <= self.offered,
            "{} delivered, {} received",
            stats.bytes_delivered,
            self.offered
        );
        // RFC 6675 §4, SetPipe: what was sent again and is not lost counts for both copies. Where windows count packets, each
        // that left weighs up to a full segment.
        let (sent, full) = (stats.data_segments_sent, u64::from(self.tcp.mss()));
        let most = 2 * (self.written + 2); // SYN and FIN
        let most = if self.counts_packets { most.min(sent + 4) * full } else { most };
        assert!(
            view.in_flight.get() <= most,
            "{:?} in flight, {} written in {} segments",
            view.in_flight,
            self.written,
            sent
        );
        if view.state == State::Closed {
            assert_eq!(self.tcp.poll_timeout(), None, "a closed endpoint has no timer");
        } else if view.state.is_synchronized() {
            assert!(view.cwnd.get() >= 1, "a window of nothing");
        }
    }
}
