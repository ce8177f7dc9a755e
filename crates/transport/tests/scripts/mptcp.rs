//! Scripts of one end of a Multipath TCP connection: `*.mptcp`.
//!
//! ```text
//! set checksum true                  a parameter of the connection, or of its TCPs: set mss 1000 B
//! manager fullmesh                   the path manager (passive without it); also: scheduler, control, seed N, key HEX
//! path s1 10:5001 20:80              names a subflow: this end's address and port, the peer's; s0 is 10:5000 20:80
//! open client rtt 100 win 60000      the first subflow is established and confirmed at 100; also: open server
//! 0 connect | listen                 without `open`
//! 200 < s0 . 1:1001 ack 1 [dss ack 1 dsn 1 ssn 1 len 1000]   a segment arrives: see `words.rs` and `options.rs`
//! 200 > s0 . 1:1 ack 1001 [dss ack 1001]                     a segment goes out
//! 300 write 5000                     also: read N, close, abort, manual (no automatic reads), up A and down A (an
//!                                    address of this end), backup ID on (or off), unreachable s1, interface A down
//!                                    (or up)
//! 300 = delivered 1000 s0.cwnd 2000  the connection shows, and a subflow's TCP
//! 300 ! Connected                    the next event
//! ```

use crate::options::Secrets;
use crate::words::{IRS, Numbers, Outcome, ms, number, typed};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tailrace_core::params::{Parameters as _, SetError};
use tailrace_core::{Duration, Instant, Rng};
use tailrace_transport::mptcp::key::Key;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{
    Mptcp, MptcpConfig, MptcpPlan, Options, SubflowControl, SubflowReport, Transmit, Tuple,
};
use tailrace_transport::{Event, Flags, Profile, Segment, SeqNumber, TcpConfig, UNLIMITED};

/// Addresses and numbers of a named subflow.
#[derive(Clone, Copy, Debug)]
struct Path {
    tuple: Tuple,
    numbers: Numbers,
    /// Nonces of its join.
    nonces: (u32, u32),
}

struct Script {
    plan: MptcpPlan,
    seed: u64,
    /// This end's key is 0 until it was shown.
    own: Key,
    peer: Key,
    paths: BTreeMap<String, Path>,
    end: Option<Mptcp>,
    now: Instant,
    sent: VecDeque<(Instant, Transmit)>,
}

/// Plays a script; an error has the number of its line.
pub(crate) fn play(text: &str) -> Result<(), (usize, String)> {
    let mut script = Script::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if !line.is_empty() {
            script.line(line).map_err(|e| (n, e))?;
        }
    }
    script.nothing_left().map_err(|e| (text.lines().count(), e))
}

impl Script {
    fn new() -> Self {
        let mut script = Self {
            plan: MptcpPlan {
                mptcp: MptcpConfig::default(),
                tcp: Arc::new(TcpConfig {
                    mss: tailrace_core::Bytes(1000),
                    timestamps: false,
                    ..TcpConfig::for_profile(Profile::Rfc)
                }),
                control: SubflowControl::default_of("newreno").unwrap(),
                scheduler: SchedulerConfig::default_of("lowest_rtt").unwrap(),
                path_manager: PathManagerConfig::default_of("passive").unwrap(),
            },
            seed: 1,
            own: Key(0),
            peer: Key(0x1112_1314_1516_1718),
            paths: BTreeMap::new(),
            end: None,
            now: Instant::ZERO,
            sent: VecDeque::new(),
        };
        script.path("s0 10:5000 20:80").unwrap();
        script
    }

    fn line(&mut self, line: &str) -> Outcome {
        let (head, rest) = line.split_once(' ').ok_or("a line has at least two words")?;
        let rest = rest.trim();
        let unknown = || format!("no such {head}: {rest:?}");
        match head {
            "set" => return self.set(rest),
            "path" => return self.path(rest),
            "open" => return self.open(rest),
            "seed" => self.seed = number(Some(rest))?,
            "key" => self.peer = Key(u64::from_str_radix(rest, 16).map_err(|e| e.to_string())?),
            "manager" => self.plan.path_manager = PathManagerConfig::default_of(rest).ok_or_else(unknown)?,
            "scheduler" => self.plan.scheduler = SchedulerConfig::default_of(rest).ok_or_else(unknown)?,
            "control" => self.plan.control = SubflowControl::default_of(rest).ok_or_else(unknown)?,
            time => return self.event(time, rest),
        }
        Ok(())
    }

    /// A line that begins with a time.
    fn event(&mut self, time: &str, rest: &str) -> Outcome {
        let ms: f64 = time.parse().map_err(|_| format!("{time:?} is no time"))?;
        self.advance(Instant::ZERO + Duration::from_secs_f64(ms / 1e3));
        let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
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
        let (value, mptcp) = (typed(value), &mut self.plan.mptcp);
        let tcp = Arc::make_mut(&mut self.plan.tcp);
        let mut set = mptcp.set(name, &value);
        if set == Err(SetError::Unknown) {
            set = mptcp.behaviour.set(name, &value);
        }
        if set == Err(SetError::Unknown) {
            set = tcp.set(name, &value);
        }
        if set == Err(SetError::Unknown) {
            set = tcp.behaviour.set(name, &value);
        }
        set.map_err(|e| format!("{e:?}"))
    }

    fn path(&mut self, rest: &str) -> Outcome {
        let words: Vec<_> = rest.split_whitespace().collect();
        let [name, here, there] = words[..] else { return Err("path takes a name and two ends".into()) };
        let end = |text: &str| {
            let (address, port) = text.split_once(':').ok_or("an end is address:port")?;
            Ok::<_, &str>((number(Some(address))?, number(Some(port))?))
        };
        let ((local, local_port), (remote, remote_port)) = (end(here)?, end(there)?);
        let tuple = Tuple { local, remote, local_port, remote_port };
        let nonces = (0, 0xb0b0_0000 + self.paths.len() as u32);
        self.paths.insert(name.into(), Path { tuple, numbers: Numbers { iss: 0, irs: IRS }, nonces });
        Ok(())
    }

    fn secrets(&self, path: Option<&Path>) -> Secrets {
        let token = self.end.as_ref().map_or(0, Mptcp::token);
        Secrets { own: self.own, peer: self.peer, token, nonces: path.map_or((0, 0), |p| p.nonces) }
    }

    /// A handshake whose details are not the matter: the connection is established on `s0`, and confirmed.
    fn open(&mut self, rest: &str) -> Outcome {
        let (role, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let words: Vec<_> = rest.split_whitespace().collect();
        let (mut rtt, mut win, mut more) = (100, 60_000, String::new());
        for pair in words.chunks(2) {
            match pair[0] {
                "rtt" => rtt = number(pair.get(1).copied())?,
                "win" => win = number(pair.get(1).copied())?,
                "sack" => more += " sackok",
                other => return Err(format!("open does not know {other:?}")),
            }
        }
        let steps = match role {
            "client" => vec![
                "0 connect".into(),
                format!("{rtt} < s0 SA 0:0 ack 1 win {win}{more} [capable key]"),
                format!("{rtt} < s0 . ack 1 win {win} [dss ack 1]"),
            ],
            "server" => vec![
                "0 listen".into(),
                format!("0 < s0 S 0:0 win {win}{more} [capable]"),
                format!("{rtt} < s0 . ack 1 win {win} [capable keys ok]"),
            ],
            _ => return Err("open takes client or server".into()),
        };
        for step in &steps {
            self.sent.clear();
            self.line(step).map_err(|e| format!("{step}: {e}"))?;
        }
        let event = self.end.as_mut().and_then(Mptcp::poll_event);
        if event == Some(Event::Connected) { Ok(()) } else { Err(format!("not connected: {event:?}")) }
    }

    /// Lets time pass, with the deadlines in it.
    fn advance(&mut self, to: Instant) {
        while let Some(end) = &mut self.end {
            let Some(at) = end.poll_timeout().filter(|at| *at <= to) else { break };
            self.now = at.max(self.now);
            end.handle_timeout(self.now);
            self.drain();
        }
        self.now = to.max(self.now);
    }

    /// Takes what the connection sends, and learns from it what a script cannot know before.
    fn drain(&mut self) {
        while let Some(t) = self.end.as_mut().and_then(|e| e.poll_transmit(self.now)) {
            let mut secrets = self.secrets(None);
            if let Some(signal) = &t.options.signal {
                secrets.learn(signal);
            }
            self.own = secrets.own;
            if let Some(path) = self.paths.values_mut().find(|p| p.tuple == t.tuple)
                && t.segment.flags.has(Flags::SYN)
            {
                path.numbers.iss = t.segment.seq.0;
                path.nonces.0 = secrets.nonces.0;
            }
            self.sent.push_back((self.now, t));
        }
    }

    fn nothing_left(&self) -> Outcome {
        let Some((at, t)) = self.sent.front() else { return Ok(()) };
        Err(format!("unexpected before this: {} > {}", ms(*at), self.shown(t, true, true)))
    }

    fn expect(&mut self, wanted: &str) -> Outcome {
        let Some((at, t)) = self.sent.pop_front() else { return Err("nothing was sent".into()) };
        let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = self.shown(&t, wanted.contains("win "), wanted.contains("ts "));
        if found == wanted && at == self.now {
            return Ok(());
        }
        Err(format!("found {} > {found}", ms(at)))
    }

    fn shown(&self, t: &Transmit, win: bool, ts: bool) -> String {
        let named = self.paths.iter().find(|(_, p)| p.tuple == t.tuple);
        let (local, remote) = (t.tuple.local, t.tuple.remote);
        let name = named.map_or_else(
            || format!("{local}:{}-{remote}:{}", t.tuple.local_port, t.tuple.remote_port),
            |(name, _)| name.clone(),
        );
        let mut numbers = named.map_or(Numbers { iss: 0, irs: IRS }, |(_, p)| p.numbers);
        if t.segment.flags.has(Flags::RST) && t.segment.seq == SeqNumber(0) {
            numbers.iss = 0; // The answer to a SYN of no subflow.
        }
        let options = self.secrets(named.map(|n| n.1)).shown(&t.options);
        format!("{name} {}{options}", numbers.shown(&t.segment, win, ts))
    }

    /// A segment that arrives, and on which subflow.
    fn parse(&self, text: &str) -> Result<(Tuple, Segment, Options), String> {
        let (name, rest) = text.split_once(' ').ok_or("a segment has at least flags")?;
        let path = self.paths.get(name).ok_or_else(|| format!("no such subflow: {name:?}"))?;
        let (head, options) = rest.find('[').map_or((rest, ""), |at| rest.split_at(at));
        let segment = path.numbers.parse(head)?;
        let options = self.secrets(Some(path)).parse(options, segment.flags)?;
        Ok((path.tuple, segment, options))
    }

    fn act(&mut self, verb: &str, rest: &str) -> Outcome {
        let now = self.now;
        if verb == "connect" || verb == "listen" {
            let (plan, rng) = (Arc::new(self.plan.clone()), Rng::named(self.seed, "script"));
            let begin = if verb == "connect" { Mptcp::connect } else { Mptcp::listen };
            self.end = Some(begin(&plan, self.paths["s0"].tuple, rng, now));
            return Ok(());
        }
        let segment = if verb == "<" { Some(self.parse(rest)?) } else { None };
        let end = self.end.as_mut().ok_or("there is no connection yet")?;
        match verb {
            "<" => {
                let (tuple, segment, options) = segment.unwrap_or_default();
                end.handle_segment(&tuple, &segment, &options, now);
            }
            "write" if rest == "endless" => drop(end.write(UNLIMITED)),
            "write" => drop(end.write(number(Some(rest))?)),
            "read" => drop(end.read(number(Some(rest))?, self.now)),
            "manual" => end.set_auto_read(false),
            "close" => end.close(),
            "abort" => end.abort(),
            "up" => end.local_up(number(Some(rest))?, now),
            "down" => end.local_down(number(Some(rest))?, now),
            "interface" => {
                let (address, state) =
                    rest.split_once(' ').ok_or("interface takes an address, and up or down")?;
                end.set_carrier(number(Some(address))?, state == "up");
            }
            "unreachable" => drop(end.unreachable(&self.paths[rest].tuple, now)),
            "backup" => {
                let (id, on) = rest.split_once(' ').ok_or("backup takes an id, and on or off")?;
                end.set_backup(number(Some(id))?, on == "on");
            }
            "=" => return show(end, &self.paths, rest),
            "!" => {
                let found = end.poll_event().map_or("nothing".into(), |e| format!("{e:?}"));
                return if found == rest { Ok(()) } else { Err(format!("found {found}")) };
            }
            other => return Err(format!("no such action: {other:?}")),
        }
        Ok(())
    }
}

/// Compares what the connection shows with pairs of names and values.
fn show(end: &Mptcp, paths: &BTreeMap<String, Path>, rest: &str) -> Outcome {
    let words: Vec<_> = rest.split_whitespace().collect();
    for pair in words.chunks(2) {
        let found = match pair[0].split_once('.') {
            Some((name, what)) => {
                let tuple = paths.get(name).ok_or("no such subflow")?.tuple;
                let subflow = end.subflows().find(|s| s.tuple == tuple);
                subflow.map_or(Ok("gone".into()), |s| of_subflow(&s, what))?
            }
            None => of_connection(end, pair[0])?,
        };
        let wanted = pair.get(1).ok_or("a value is missing")?;
        if found != *wanted {
            return Err(format!("{} is {found}", pair[0]));
        }
    }
    Ok(())
}

fn of_subflow(s: &SubflowReport, what: &str) -> Result<String, String> {
    Ok(match what {
        "cwnd" => s.view.cwnd.get().to_string(),
        "flight" => s.view.in_flight.get().to_string(),
        "state" => s.view.state.to_string(),
        "usable" => s.usable.to_string(),
        "backup" => s.backup.to_string(),
        "timeouts" => s.tcp.timeouts.to_string(),
        "scheduled" => s.stats.scheduled_bytes.to_string(),
        "reinjected" => s.stats.reinjected_bytes.to_string(),
        other => return Err(format!("no such quantity: {other:?}")),
    })
}

fn of_connection(end: &Mptcp, what: &str) -> Result<String, String> {
    let s = end.stats();
    Ok(match what {
        "delivered" => s.bytes_delivered.to_string(),
        "acked" => s.bytes_acked.to_string(),
        "sent" => end.progress().1.to_string(),
        "duplicate" => s.duplicate_bytes.to_string(),
        "reinjected" => s.reinjected_bytes.to_string(),
        "timeouts" => s.timeouts.to_string(),
        "data_timeouts" => s.data_timeouts.to_string(),
        "altered" => end.altered_bytes().to_string(),
        "checksum_failures" => s.checksum_failures.to_string(),
        "waiting" => end.waiting_bytes().to_string(),
        "subflows" => end.subflows().count().to_string(),
        "lost" => s.subflows_lost.to_string(),
        "fallback" => end.is_fallback().to_string(),
        "over" => end.is_over().to_string(),
        other => return Err(format!("no such quantity: {other:?}")),
    })
}
