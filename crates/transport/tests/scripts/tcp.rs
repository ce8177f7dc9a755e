//! Scripts of one TCP endpoint: `*.tcp`.
//!
//! ```text
//! set mss 1000 B               a parameter of the endpoint (set profile ns2 first, if at all)
//! cc cubic                     the congestion control; iss N the initial sequence number
//! open rtt 100 win 60000 sack  connect at 0, SYN-ACK after rtt; options: sack, ts, ecn, scale N, mss N
//! 0 connect | listen           without `open`
//! 200 < A ack 1001 win 60000   a segment arrives: see `words.rs`
//! 200 > . 5001:6001 ack 1      a segment goes out; win and ts are compared where they are given
//! 300 write 5000               also: read N, close, abort, manual (no automatic reads)
//! 300 = cwnd 5000 rto 1000     the endpoint shows: cwnd ssthresh flight rto srtt state timeouts ...
//! 300 ! Connected              the next event
//! ```

use crate::words::{IRS, Numbers, Outcome, ms, typed};
use std::collections::VecDeque;
use std::sync::Arc;
use tailrace_core::params::{Parameters as _, SetError};
use tailrace_core::{Duration, Instant};
use tailrace_transport::segment::Timestamps;
use tailrace_transport::{CcConfig, Flags, Profile, Segment, SeqNumber, Tcp, TcpConfig, UNLIMITED};

struct Script {
    config: TcpConfig,
    cc: CcConfig,
    iss: u32,
    tcp: Option<Tcp>,
    now: Instant,
    sent: VecDeque<(Instant, Segment)>,
}

pub(crate) fn play(text: &str) -> Result<(), (usize, String)> {
    let mut script = Script {
        config: TcpConfig::for_profile(Profile::Rfc),
        cc: CcConfig::default_of("newreno").unwrap(),
        iss: 0xffff_fff0,
        tcp: None,
        now: Instant::ZERO,
        sent: VecDeque::new(),
    };
    for (n, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if !line.is_empty() {
            script.line(line).map_err(|e| (n, e))?;
        }
    }
    script.nothing_left().map_err(|e| (text.lines().count(), e))
}

impl Script {
    fn line(&mut self, line: &str) -> Outcome {
        let (head, rest) = line.split_once(' ').ok_or("a line has at least two words")?;
        match head {
            "set" => return self.set(rest.trim()),
            "cc" => {
                self.cc = CcConfig::default_of(rest.trim()).ok_or("no such congestion control")?;
                return Ok(());
            }
            "iss" => {
                self.iss = rest.trim().parse().map_err(|_| "iss takes a number")?;
                return Ok(());
            }
            "open" => return self.open(rest),
            _ => {}
        }
        let ms: f64 = head.parse().map_err(|_| format!("{head:?} is no time"))?;
        self.advance(Instant::ZERO + Duration::from_secs_f64(ms / 1e3));
        let (verb, rest) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        if verb == ">" {
            return self.expect(rest.trim());
        }
        self.nothing_left()?;
        self.act(verb, rest.trim())?;
        self.drain();
        Ok(())
    }

    fn numbers(&self) -> Numbers {
        Numbers { iss: self.iss, irs: IRS }
    }

    fn set(&mut self, rest: &str) -> Outcome {
        let (name, value) = rest.split_once(' ').ok_or("set takes a name and a value")?;
        if name == "profile" {
            let all = [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux];
            let named = ["rfc", "ns2", "ns3", "linux"].iter().position(|n| *n == value);
            self.config = TcpConfig::for_profile(all[named.ok_or("no such profile")?]);
            return Ok(());
        }
        let value = typed(value);
        let set = match self.config.set(name, &value) {
            Err(SetError::Unknown) => self.config.behaviour.set(name, &value),
            other => other,
        };
        set.map_err(|e| format!("{e:?}"))
    }

    /// The client's side of a handshake whose details are not the matter.
    fn open(&mut self, rest: &str) -> Outcome {
        let mut words = rest.split_whitespace();
        let flags = Flags::SYN.with(Flags::ACK);
        let mut answer =
            Segment { seq: SeqNumber(IRS), ack: SeqNumber(self.iss) + 1, flags, ..Segment::default() };
        let mut rtt = 0;
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|w| w.parse::<u32>().ok()).ok_or("a number is missing");
            match word {
                "rtt" => rtt = number()?,
                "win" => answer.window = number()? as u16,
                "mss" => answer.mss = Some(number()? as u16),
                "scale" => answer.window_scale = Some(number()? as u8),
                "sack" => answer.sack_permitted = true,
                "ts" => answer.timestamps = Some(Timestamps::default()),
                "ecn" => answer.flags = answer.flags.with(Flags::ECE),
                other => return Err(format!("open does not know {other:?}")),
            }
        }
        let mut tcp = Tcp::connect(&Arc::new(self.config.clone()), &self.cc, self.iss, self.now);
        tcp.poll_transmit(self.now).filter(|s| s.flags.has(Flags::SYN)).ok_or("no SYN")?;
        self.now = Instant::from_millis(u64::from(rtt));
        tcp.handle_segment(&answer, self.now);
        tcp.poll_event().ok_or("not connected")?;
        self.tcp = Some(tcp);
        self.drain();
        if self.sent.len() > 1 {
            return Err("more than an ACK was sent".into());
        }
        self.sent.clear();
        Ok(())
    }

    /// Lets time pass, with the deadlines in it.
    fn advance(&mut self, to: Instant) {
        while let Some(tcp) = &mut self.tcp {
            let Some(at) = tcp.poll_timeout().filter(|at| *at <= to) else { break };
            self.now = at.max(self.now);
            tcp.handle_timeout(self.now);
            self.drain();
        }
        self.now = to.max(self.now);
    }

    fn drain(&mut self) {
        while let Some(segment) = self.tcp.as_mut().and_then(|t| t.poll_transmit(self.now)) {
            self.sent.push_back((self.now, segment));
        }
    }

    fn nothing_left(&self) -> Outcome {
        match self.sent.front() {
            None => Ok(()),
            Some((at, s)) => {
                Err(format!("unexpected before this: {} > {}", ms(*at), self.numbers().shown(s, true, true)))
            }
        }
    }

    fn expect(&mut self, wanted: &str) -> Outcome {
        let Some((at, segment)) = self.sent.pop_front() else { return Err("nothing was sent".into()) };
        let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
        let (win, ts) = (wanted.contains("win "), wanted.contains("ts "));
        let found = self.numbers().shown(&segment, win, ts);
        if found == wanted && at == self.now {
            return Ok(());
        }
        Err(format!("found {} > {found}", ms(at)))
    }

    fn act(&mut self, verb: &str, rest: &str) -> Outcome {
        if verb == "connect" || verb == "listen" {
            let config = Arc::new(self.config.clone());
            self.tcp = Some(match verb {
                "connect" => Tcp::connect(&config, &self.cc, self.iss, self.now),
                _ => Tcp::listen(&config, &self.cc, self.iss),
            });
            return Ok(());
        }
        let now = self.now;
        let segment = if verb == "<" { Some(self.numbers().parse(rest)?) } else { None };
        let tcp = self.tcp.as_mut().ok_or("there is no endpoint yet")?;
        let bytes = || rest.parse::<u64>().map_err(|_| format!("{rest:?} is no number of bytes"));
        match verb {
            "<" => tcp.handle_segment(&segment.unwrap_or_default(), now),
            "write" if rest == "endless" => drop(tcp.write(UNLIMITED)),
            "write" => drop(tcp.write(bytes()?)),
            "read" => drop(tcp.read(bytes()?, self.now)),
            "manual" => tcp.set_auto_read(false),
            "close" => tcp.close(),
            "abort" => tcp.abort(),
            "=" => return show(tcp, rest),
            "!" => {
                let found = tcp.poll_event().map_or("nothing".into(), |e| format!("{e:?}"));
                return if found == rest { Ok(()) } else { Err(format!("found {found}")) };
            }
            other => return Err(format!("no such action: {other:?}")),
        }
        Ok(())
    }
}

/// Compares what the endpoint shows with pairs of names and values.
fn show(tcp: &Tcp, rest: &str) -> Outcome {
    let (v, s) = (tcp.view(), tcp.stats());
    let words: Vec<_> = rest.split_whitespace().collect();
    for pair in words.chunks(2) {
        let found = match pair[0] {
            "cwnd" => v.cwnd.get().to_string(),
            "ssthresh" => v.ssthresh.map_or("none".into(), |b| b.get().to_string()),
            "flight" => v.in_flight.get().to_string(),
            "rto" => ms(Instant::ZERO + v.rto),
            "srtt" => ms(Instant::ZERO + v.smoothed_rtt),
            "samples" => v.rtt_samples.to_string(),
            "snd_wnd" => v.snd_wnd.get().to_string(),
            "rcv_wnd" => v.rcv_wnd.get().to_string(),
            "state" => v.state.to_string(),
            "recovery" => v.in_recovery.to_string(),
            "timeouts" => s.timeouts.to_string(),
            "retransmitted" => s.retransmitted_segments.to_string(),
            "fast_retransmits" => s.fast_retransmits.to_string(),
            "ecn_reductions" => s.ecn_reductions.to_string(),
            "idle_restarts" => s.idle_restarts.to_string(),
            "dsacks" => s.dsacks.to_string(),
            "delivered" => s.bytes_delivered.to_string(),
            "altered" => tcp.altered_bytes().to_string(),
            "probes" => s.window_probes.to_string(),
            "loss_probes" => s.loss_probes.to_string(),
            "spurious" => s.spurious_recoveries.to_string(),
            other => return Err(format!("no such quantity: {other:?}")),
        };
        let wanted = pair.get(1).ok_or("a value is missing")?;
        if found != *wanted {
            return Err(format!("{} is {found}", pair[0]));
        }
    }
    Ok(())
}
