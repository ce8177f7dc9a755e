//! Two ends of Multipath TCP, joined by paths that deliver, lose, repeat, delay, strip and change at will, and a stranger's
//! segments in between: no panic, no endless burst, and nothing is delivered or acknowledged that was not written.

use crate::input::Input;
use std::collections::VecDeque;
use std::sync::Arc;
use tailrace_core::{Bytes, Duration, Instant, Rng};
use tailrace_transport::Event;
use tailrace_transport::mptcp::option::{AddressIds, Dss, Mapping, Options, ResetReason, Signal, Sums};
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{Mptcp, MptcpConfig, MptcpPlan, SubflowControl, Transmit, Tuple};
use tailrace_transport::{Flags, Profile, TcpConfig};

/// Tries one input.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut run = Run::new(&mut input);
    while !input.is_empty() {
        run.step(&mut input);
    }
    run.check();
}

struct Run {
    ends: [Mptcp; 2],
    /// On their way, each to the end of this number.
    flying: VecDeque<(usize, Transmit)>,
    now: Instant,
    written: [u64; 2],
    delivered: [u64; 2],
    /// Whether somebody else wrote into the connection, or changed its data: then only panics are faults.
    forged: bool,
}

const PROFILES: [Profile; 5] = [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux, Profile::Mptcp094];

fn plan(input: &mut Input<'_>) -> MptcpPlan {
    let profile = *input.one(&PROFILES);
    let (bits, names) = (input.byte(), SubflowControl::names());
    let mut mptcp = MptcpConfig::for_profile(profile);
    mptcp.checksum = bits & 1 != 0;
    mptcp.behaviour.wide_dsn = bits & 2 != 0;
    mptcp.behaviour.wide_data_ack = bits & 4 != 0;
    mptcp.opportunistic_retransmission = bits & 8 != 0;
    mptcp.behaviour.reinject_all = bits & 16 != 0;
    mptcp.max_subflows = u64::from(bits >> 5) + 1;
    let mut tcp = TcpConfig::for_profile(profile);
    tcp.mss = Bytes(u64::from(input.byte()) + 40);
    tcp.receive_buffer = Bytes(u64::from(input.word()) + 1000);
    let known = "registered names have a default";
    MptcpPlan {
        mptcp,
        tcp: Arc::new(tcp),
        control: SubflowControl::default_of(*input.one::<&str>(&names)).expect(known),
        scheduler: SchedulerConfig::default_of(*input.one::<&str>(SchedulerConfig::names())).expect(known),
        path_manager: PathManagerConfig::default_of(*input.one::<&str>(PathManagerConfig::names()))
            .expect(known),
    }
}

fn reversed(t: &Tuple) -> Tuple {
    Tuple { local: t.remote, remote: t.local, local_port: t.remote_port, remote_port: t.local_port }
}

impl Run {
    fn new(input: &mut Input<'_>) -> Self {
        let plan = Arc::new(plan(input));
        let now = Instant::from_secs(1);
        let tuple = Tuple { local: 10, remote: 20, local_port: 5000, remote_port: 80 };
        let mut client = Mptcp::connect(&plan, tuple, Rng::named(1, "client"), now);
        let mut server = Mptcp::listen(&plan, reversed(&tuple), Rng::named(1, "server"), now);
        let paths = u32::from(input.byte() % 4) + 1;
        client.set_peer_interfaces((0..paths).map(|n| 20 + n), now);
        server.set_peer_interfaces((0..paths).map(|n| 10 + n), now);
        for n in 1..paths {
            client.local_up(10 + n, now);
            server.local_up(20 + n, now);
        }
        let mut run = Self {
            ends: [client, server],
            flying: VecDeque::new(),
            now,
            written: [0; 2],
            delivered: [0; 2],
            forged: false,
        };
        run.drain();
        run
    }

    fn step(&mut self, input: &mut Input<'_>) {
        let op = input.byte();
        let end = usize::from(op >> 7);
        match op % 16 {
            0 => self.written[end] += self.ends[end].write(u64::from(input.word())),
            1 => self.now = self.now.saturating_add(Duration::from_micros(u64::from(input.word()))),
            2 | 3 => self.wait(),
            4 => self.ends[end].handle_timeout(self.now),
            5 => drop(self.flying.pop_front()),
            6 => self.flying.rotate_left(usize::from(input.byte()) % self.flying.len().max(1)),
            7 => {
                if let Some((to, t)) = self.flying.front().cloned() {
                    self.arrive(to, &t);
                }
            }
            8 => self.tamper(input),
            9 => self.address(end, input),
            10 if input.byte() > 200 => self.ends[end].close(),
            11 if input.byte() > 250 => self.ends[end].abort(),
            _ => {
                if let Some((to, t)) = self.flying.pop_front() {
                    self.arrive(to, &t);
                }
            }
        }
        self.drain();
    }

    /// The next deadline of either, as a host would wake them.
    fn wait(&mut self) {
        let Some(at) = self.ends.iter().filter_map(Mptcp::poll_timeout).min() else { return };
        self.now = self.now.max(at);
        for end in &mut self.ends {
            if end.poll_timeout().is_some_and(|at| at <= self.now) {
                end.handle_timeout(self.now);
            }
        }
    }

    fn arrive(&mut self, to: usize, t: &Transmit) {
        self.ends[to].handle_segment(&reversed(&t.tuple), &t.segment, &t.options, self.now);
    }

    /// Changes the options, or more, of what is next.
    fn tamper(&mut self, input: &mut Input<'_>) {
        let what = input.byte();
        let options = if what & 1 == 0 { Options::NONE } else { options(input) };
        let Some((_, t)) = self.flying.front_mut() else { return };
        // Taking options away is what middleboxes do; the rest is forgery.
        self.forged |= what != 0;
        t.options = options;
        if what & 2 != 0 {
            t.segment.flags = Flags(input.byte());
        }
        if what & 4 != 0 {
            t.segment.altered = true;
        }
        if what & 8 != 0 {
            t.segment.seq = t.segment.seq + i32::from(input.word() as i16) as u32;
        }
        if what & 16 != 0 {
            t.tuple.local = u32::from(input.byte() % 32);
        }
        if what & 32 != 0 {
            t.segment.ack = t.segment.ack + i32::from(input.word() as i16) as u32;
        }
        if what & 64 != 0 {
            t.segment.payload = u32::from(input.word());
        }
    }

    fn address(&mut self, end: usize, input: &mut Input<'_>) {
        let address = if end == 0 { 10 } else { 20 } + u32::from(input.byte() % 4);
        if input.byte() & 1 == 0 {
            self.ends[end].local_up(address, self.now);
        } else {
            self.ends[end].local_down(address, self.now);
        }
    }

    fn drain(&mut self) {
        for end in 0..2 {
            let mut budget = 100_000_u32;
            loop {
                while let Some(t) = self.ends[end].poll_transmit(self.now) {
                    budget = budget.checked_sub(1).expect("transmission ends without further input");
                    // A network that is full loses.
                    if self.flying.len() < 2000 {
                        self.flying.push_back((1 - end, t));
                    }
                }
                let Some(event) = self.ends[end].poll_event() else { break };
                if let Event::Delivered { bytes } = event {
                    self.delivered[end] += bytes;
                }
            }
        }
    }

    fn check(&self) {
        if self.forged {
            return;
        }
        for end in 0..2 {
            let (near, far) = (&self.ends[end], 1 - end);
            let acked = near.stats().bytes_acked;
            assert!(
                self.delivered[far] <= self.written[end],
                "{} delivered of {}",
                self.delivered[far],
                self.written[end]
            );
            assert!(acked <= self.written[end], "{acked} acknowledged of {}", self.written[end]);
        }
    }
}

/// Any options.
fn options(input: &mut Input<'_>) -> Options {
    let dss = (input.byte() & 1 != 0).then(|| {
        let bits = input.byte();
        Dss {
            data_ack: (bits & 1 != 0).then(|| input.wide()),
            mapping: (bits & 2 != 0).then(|| Mapping {
                dsn: input.wide(),
                ssn: input.long(),
                len: input.word(),
            }),
            data_fin: bits & 4 != 0,
            wide_ack: bits & 8 != 0,
            wide_dsn: bits & 16 != 0,
            checksum: bits & 32 != 0,
            goes_on: bits & 64 != 0,
        }
    });
    let signal = signal(input);
    let sums = (input.byte() & 1 != 0).then(|| Sums { stated: input.word(), payload: input.word() });
    Options { dss, signal, sums }
}

fn signal(input: &mut Input<'_>) -> Option<Signal> {
    let kind = input.byte();
    let (flag, id) = (kind & 128 != 0, input.byte());
    Some(match kind % 16 {
        0 => Signal::CapableSyn { checksum: flag },
        1 => Signal::CapableSynAck { checksum: flag, key: input.wide() },
        2 => Signal::CapableAck {
            checksum: flag,
            client: input.wide(),
            server: input.wide(),
            len: flag.then(|| input.word()),
            dsn: input.wide(),
        },
        3 => Signal::JoinSyn { backup: flag, id, token: input.long(), nonce: input.long() },
        4 => Signal::JoinSynAck { backup: flag, id, hmac: input.wide(), nonce: input.long() },
        5 => Signal::JoinAck { hmac: [id; 20] },
        6 => Signal::AddAddr {
            id,
            address: u32::from(input.byte()),
            port: flag.then(|| input.word()),
            hmac: flag.then(|| input.wide()),
        },
        7 => Signal::RemoveAddr(AddressIds::one(id)),
        8 => Signal::Priority { backup: flag },
        9 => Signal::Fail { dsn: input.wide(), closes: flag },
        10 => Signal::FastClose { key: input.wide() },
        11 => Signal::Reset { transient: flag, reason: ResetReason::Prohibited },
        _ => return None,
    })
}
