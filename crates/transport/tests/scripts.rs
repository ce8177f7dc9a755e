//! Scripted segment exchanges: `tests/scripts/*.tcp`.
//!
//! A script is one endpoint's life; time is in milliseconds. Sequence numbers are relative: this end's to its
//! initial number, the peer's to its own, so that the first data byte is 1 on both sides.
//!
//! ```text
//! # comment
//! set mss 1000 B               a parameter of the endpoint (set profile ns2 first, if at all)
//! cc cubic                     the congestion control; iss N the initial sequence number
//! open rtt 100 win 60000 sack  connect at 0, SYN-ACK after rtt; options: sack, ts, ecn, scale N, mss N
//! 0 connect | listen           without `open`
//! 200 < A ack 1001 win 60000   a segment arrives: flags, start:end, ack, win, sack a-b,c-d, ts value,echo, ecn ce
//! 200 > . 5001:6001 ack 1      a segment goes out; win and ts are compared where they are given
//! 300 write 5000               also: read N, close, abort, manual (no automatic reads)
//! 300 = cwnd 5000 rto 1000     the endpoint shows: cwnd ssthresh flight rto srtt state timeouts ...
//! 300 ! Connected              the next event
//! ```
//! Flags: S syn, F fin, R reset, P push, E ece, C cwr, N ae, A or `.` ack (`.` for a segment with nothing but an ACK and data).

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;
use tailrace_core::params::{Parameters as _, Value};
use tailrace_core::{Duration, Ecn, Instant};
use tailrace_transport::segment::Timestamps;
use tailrace_transport::{CcConfig, Flags, Profile, Segment, SeqNumber, Tcp, TcpConfig, UNLIMITED};

const FLAGS: [(char, Flags); 8] = [
    ('S', Flags::SYN),
    ('F', Flags::FIN),
    ('R', Flags::RST),
    ('P', Flags::PSH),
    ('E', Flags::ECE),
    ('C', Flags::CWR),
    ('N', Flags::AE),
    ('A', Flags::ACK),
];
/// The peer's initial sequence number.
const IRS: u32 = 0xffff_f000;

struct Script {
    config: TcpConfig,
    cc: CcConfig,
    iss: u32,
    tcp: Option<Tcp>,
    now: Instant,
    sent: VecDeque<(Instant, Segment)>,
}

type Outcome = Result<(), String>;

#[test]
fn scripts_play_as_written() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 15, "the scripts are there");
    let mut failures = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if let Err((line, why)) = play(&text) {
            let shown = text.lines().nth(line).unwrap_or("(end)");
            writeln!(failures, "{name}:{}: {shown}\n    {why}", line + 1).unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

fn play(text: &str) -> Result<(), (usize, String)> {
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

    fn set(&mut self, rest: &str) -> Outcome {
        let (name, value) = rest.split_once(' ').ok_or("set takes a name and a value")?;
        if name == "profile" {
            let all = [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux];
            let named = ["rfc", "ns2", "ns3", "linux"].iter().position(|n| *n == value);
            self.config = TcpConfig::for_profile(all[named.ok_or("no such profile")?]);
            return Ok(());
        }
        let typed = match (value.parse::<bool>(), value.parse::<i64>()) {
            (Ok(b), _) => Value::Bool(b),
            (_, Ok(n)) => Value::Integer(n),
            _ => Value::Text(value.into()),
        };
        self.config.set(name, &typed).map_err(|e| format!("{e:?}"))
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
                Err(format!("unexpected before this: {} > {}", ms(*at), self.shown(s, true, true)))
            }
        }
    }

    fn expect(&mut self, wanted: &str) -> Outcome {
        let Some((at, segment)) = self.sent.pop_front() else { return Err("nothing was sent".into()) };
        let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
        let (win, ts) = (wanted.contains("win "), wanted.contains("ts "));
        let found = self.shown(&segment, win, ts);
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
        let segment = if verb == "<" { Some(self.parse(rest)?) } else { None };
        let tcp = self.tcp.as_mut().ok_or("there is no endpoint yet")?;
        let bytes = || rest.parse::<u64>().map_err(|_| format!("{rest:?} is no number of bytes"));
        match verb {
            "<" => tcp.handle_segment(&segment.unwrap_or_default(), now),
            "write" if rest == "endless" => drop(tcp.write(UNLIMITED)),
            "write" => drop(tcp.write(bytes()?)),
            "read" => drop(tcp.read(bytes()?)),
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

    fn parse(&self, text: &str) -> Result<Segment, String> {
        let mut words = text.split_whitespace();
        let mut s = Segment { seq: SeqNumber(IRS) + 1, ..Segment::default() };
        for c in words.next().ok_or("flags are missing")?.chars() {
            let c = if c == '.' { 'A' } else { c };
            let flag = FLAGS.iter().find(|f| f.0 == c).ok_or(format!("no such flag: {c}"))?;
            s.flags = s.flags.with(flag.1);
        }
        let number = |w: Option<&str>| w.and_then(|w| w.parse::<u32>().ok()).ok_or("a number is missing");
        let pair = |w: &str, by: char| {
            let (a, b) = w.split_once(by).ok_or(format!("{w:?} is no pair"))?;
            Ok::<_, String>((number(Some(a))?, number(Some(b))?))
        };
        while let Some(word) = words.next() {
            match word {
                "ack" => s.ack = SeqNumber(self.iss) + number(words.next())?,
                "win" => s.window = number(words.next())? as u16,
                "mss" => s.mss = Some(number(words.next())? as u16),
                "scale" => s.window_scale = Some(number(words.next())? as u8),
                "sackok" => s.sack_permitted = true,
                "ecn" => s.ecn = if words.next() == Some("ce") { Ecn::Ce } else { Ecn::Ect0 },
                "ts" => {
                    let (value, echo) = pair(words.next().unwrap_or(""), ',')?;
                    s.timestamps = Some(Timestamps { value, echo });
                }
                "sack" => {
                    for block in words.next().unwrap_or("").split(',') {
                        let (left, right) = pair(block, '-')?;
                        s.sack.push(SeqNumber(self.iss) + left, SeqNumber(self.iss) + right);
                    }
                }
                range => {
                    let (start, end) = pair(range, ':')?;
                    s.seq = SeqNumber(IRS) + start;
                    s.payload = end - start;
                }
            }
        }
        Ok(s)
    }

    /// A segment that goes out, as a script writes it.
    fn shown(&self, s: &Segment, win: bool, ts: bool) -> String {
        let mut text: String = FLAGS[..7].iter().filter(|f| s.flags.has(f.1)).map(|f| f.0).collect();
        if s.flags.has(Flags::ACK) {
            text.push('.');
        }
        let start = s.seq.distance(SeqNumber(self.iss));
        write!(text, " {start}:{}", i64::from(start) + i64::from(s.payload)).unwrap();
        if s.flags.has(Flags::ACK) {
            write!(text, " ack {}", s.ack.distance(SeqNumber(IRS))).unwrap();
        }
        if win {
            write!(text, " win {}", s.window).unwrap();
        }
        let block = |b: &(SeqNumber, SeqNumber)| {
            format!("{}-{}", b.0.distance(SeqNumber(IRS)), b.1.distance(SeqNumber(IRS)))
        };
        if !s.sack.is_empty() {
            let blocks: Vec<_> = s.sack.as_slice().iter().map(block).collect();
            write!(text, " sack {}", blocks.join(",")).unwrap();
        }
        if let (Some(t), true) = (s.timestamps, ts) {
            write!(text, " ts {},{}", t.value, t.echo).unwrap();
        }
        if let Some(mss) = s.mss {
            write!(text, " mss {mss}").unwrap();
        }
        if let Some(scale) = s.window_scale {
            write!(text, " scale {scale}").unwrap();
        }
        if s.sack_permitted {
            text += " sackok";
        }
        if s.ecn != Ecn::NotEct {
            text += " ecn ect0";
        }
        text
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

/// Milliseconds, as scripts write them.
fn ms(at: Instant) -> String {
    (at.as_nanos() as f64 / 1e6).to_string()
}
