//! Transmit completions of foreign hosts.

use crate::support::Run;
use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use tailrace_core::{Duration, Instant};
use tailrace_sim::{Control, ForeignHost, HostError, Progress, RunCost, Simulation};
use tailrace_wire::{Ipv4Repr, PacketHeaders, UdpRepr};

type CompletionLog = Arc<Mutex<Vec<(Instant, Vec<u64>)>>>;

/// Sends packets of 1250 bytes at these times of its clock, ahead of the simulation if it may, and records its completions.
struct Sender {
    sends: VecDeque<Instant>,
    goes_ahead: bool,
    now: Instant,
    out: VecDeque<Instant>,
    told: CompletionLog,
}

impl ForeignHost for Sender {
    fn next_event(&self) -> Option<Instant> {
        self.out.front().or(self.sends.front()).copied()
    }
    fn run_until(&mut self, until: Instant, horizon: Instant) -> Result<(), HostError> {
        assert!(horizon >= until && until >= self.now);
        self.now = until;
        while let Some(at) =
            self.sends.front().filter(|at| **at <= until || (self.goes_ahead && **at < horizon))
        {
            self.out.push_back(*at);
            self.sends.pop_front();
        }
        Ok(())
    }
    fn deliver(&mut self, _: usize, _: &[u8]) -> Result<(), HostError> {
        Ok(())
    }
    fn take(&mut self, packet: &mut Vec<u8>) -> Option<usize> {
        self.out.front().filter(|at| **at <= self.now)?;
        self.out.pop_front();
        let ip = Ipv4Repr::new(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2), 17, 0);
        *packet = PacketHeaders::udp(ip, &UdpRepr { src_port: 7, dst_port: 7 }, 1222).unwrap().to_packet();
        Some(0)
    }
    fn waits_for_departures(&self) -> bool {
        true
    }
    fn sent(&mut self, now: Instant, packets: &[u64]) -> Result<(), HostError> {
        assert!(
            self.out.back().is_none_or(|at| *at <= now),
            "it is told of what happened before its clock's time"
        );
        self.told.lock().unwrap().push((now, packets.to_vec()));
        Ok(())
    }
}

/// Completions of a sender, and the run.
fn told(sends: &[u64], goes_ahead: bool, queue: &str) -> (Vec<(u64, Vec<u64>)>, Run) {
    let text = format!(
        r#"
        name = "pair"
        duration = "1 s"
        [[host]]
        name = "a"
        [[host]]
        name = "b"
        [[link]]
        between = ["a", "b"]
        rate = "10 Mbit/s"
        delay = "5 ms"
        queue = {queue}
        [[flow]]
        name = "f"
        from = "b"
        to = "a"
        transport = "udp"
        app = {{ kind = "cbr", rate = "100 kbit/s", size = "100 B" }}
        "#
    );
    let scenario = tailrace_scenario::parse(&text, "test", &[]).unwrap_or_else(|all| panic!("{all:?}"));
    let mut simulation = Simulation::build(&Arc::new(scenario.scenario), 1).unwrap();
    let told = CompletionLog::default();
    let sender = Sender {
        sends: sends.iter().map(|us| Instant::ZERO + Duration::from_micros(*us)).collect(),
        goes_ahead,
        now: Instant::ZERO,
        out: VecDeque::new(),
        told: Arc::clone(&told),
    };
    simulation.attach("a", Box::new(sender)).unwrap();
    while simulation.step(Instant::MAX, &Control::default()).unwrap() != Progress::Ended {}
    let run = Run::new(simulation.finish(RunCost::default()));
    let told = told.lock().unwrap().iter().map(|(at, all)| (at.as_nanos() / 1000, all.clone())).collect();
    (told, run)
}

#[test]
fn tx_completion_at_last_bit_or_drop() {
    // A packet takes 1 ms; two fit the queue, the last two are dropped. Each is reported 10 us later.
    let expected = [(1010, vec![3, 4]), (2010, vec![0]), (3010, vec![1]), (4010, vec![2])];
    for queue in
        ["{ kind = \"droptail\", limit = \"2 packets\" }", "{ kind = \"sfq\", limit = \"2 packets\" }"]
    {
        let (told, _) = told(&[1000; 5], false, queue);
        let drops = told.iter().find(|(at, _)| *at == 1010).map(|(_, all)| all.len());
        assert_eq!(drops, Some(2), "{queue}: {told:?}");
        assert_eq!(told.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1010, 2010, 3010, 4010], "{queue}");
        if queue.contains("droptail") {
            assert_eq!(told, expected);
        }
    }
}

#[test]
fn tx_completions_are_reported_once_with_and_without_run_ahead() {
    // Bursts of five, some of them around the departure of one of its packets.
    let sends: Vec<u64> = (0..400_u64).map(|i| i / 5 * 4001 + i % 5 * 4).collect();
    let queue = "{ kind = \"codel\", limit = \"20 packets\" }";
    let (stepped, one) = told(&sends, false, queue);
    let (ahead, other) = told(&sends, true, queue);
    assert_eq!(stepped, ahead);
    assert_eq!(one.output.fingerprint, other.output.fingerprint);
    let mut all: Vec<u64> = stepped.into_iter().flat_map(|(_, all)| all).collect();
    all.sort_unstable();
    assert_eq!(all, (0..400).collect::<Vec<_>>());
}
