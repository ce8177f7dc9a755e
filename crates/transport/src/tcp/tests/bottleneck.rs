//! Congestion controls in closed loop over one bottleneck: what queue they keep, what rate they reach.

use super::*;
use std::collections::VecDeque;
use tailrace_core::{Ecn, Rate};

/// The shared link: a FIFO whose departures are known at arrival.
struct Link {
    rate: Rate,
    /// From either end to the other, without the queue.
    delay: Duration,
    /// Most packets that may be in it, the one being sent included.
    limit: usize,
    /// From so many packets on, what is ECN-capable is marked on arrival.
    mark_at: Option<usize>,
    departures: VecDeque<Instant>,
}

/// What was seen since the last `reset`.
#[derive(Default)]
struct Seen {
    arrivals: u64,
    queue_sum: u64,
    queue_max: usize,
    marked: u64,
    lost: u64,
}

/// Bulk flows over the link.
struct Dumbbell {
    link: Link,
    flows: Vec<[Tcp; 2]>,
    flying: BTreeMap<(Instant, u64), (usize, usize, Segment)>,
    delivered: Vec<u64>,
    now: Instant,
    count: u64,
    seen: Seen,
}

impl Dumbbell {
    fn new(link: Link, config: &TcpConfig, cc: &CcConfig, flows: usize) -> Self {
        let config = Arc::new(config.clone());
        let pair = |i: u32| {
            let mut client = Tcp::connect(&config, cc, i, Instant::ZERO);
            client.write(UNLIMITED);
            [client, Tcp::listen(&config, cc, 77 + i)]
        };
        let mut d = Self {
            link,
            flows: (0..flows as u32).map(pair).collect(),
            flying: BTreeMap::new(),
            delivered: vec![0; flows],
            now: Instant::ZERO,
            count: 0,
            seen: Seen::default(),
        };
        (0..flows).for_each(|f| d.drain(f));
        d
    }

    fn drain(&mut self, flow: usize) {
        for end in 0..2 {
            while let Some(mut segment) = self.flows[flow][end].poll_transmit(self.now) {
                let passed = if segment.payload > 0 { self.cross(&mut segment) } else { Some(self.now) };
                if let Some(at) = passed {
                    self.count += 1;
                    self.flying.insert((at + self.link.delay, self.count), (flow, 1 - end, segment));
                }
            }
            while let Some(event) = self.flows[flow][end].poll_event() {
                if let Event::Delivered { bytes } = event {
                    self.delivered[flow] += bytes;
                }
            }
            self.flows[flow][end].board.check();
        }
    }

    /// When a data segment leaves the queue; `None` where it is dropped.
    fn cross(&mut self, segment: &mut Segment) -> Option<Instant> {
        let link = &mut self.link;
        while link.departures.front().is_some_and(|d| *d <= self.now) {
            link.departures.pop_front();
        }
        let queue = link.departures.len();
        self.seen.arrivals += 1;
        self.seen.queue_sum += queue as u64;
        self.seen.queue_max = self.seen.queue_max.max(queue);
        if queue >= link.limit {
            self.seen.lost += 1;
            return None;
        }
        if link.mark_at.is_some_and(|k| queue >= k) && segment.ecn.is_capable() {
            segment.ecn = Ecn::Ce;
            self.seen.marked += 1;
        }
        let free = link.departures.back().copied().unwrap_or(self.now).max(self.now);
        let leaves = free + link.rate.time_to_send(Bytes(u64::from(segment.payload) + 40));
        link.departures.push_back(leaves);
        Some(leaves)
    }

    fn run_until(&mut self, end: Instant) {
        loop {
            let arrival = self.flying.first_key_value().map_or(Instant::MAX, |f| f.0.0);
            let timer =
                self.flows.iter().flatten().filter_map(Tcp::poll_timeout).min().unwrap_or(Instant::MAX);
            let at = arrival.min(timer);
            if at > end {
                self.now = end;
                return;
            }
            self.now = at;
            if arrival == at {
                let (flow, to, segment) = self.flying.pop_first().unwrap().1;
                self.flows[flow][to].handle_segment(&segment, at);
                self.drain(flow);
            } else {
                for flow in 0..self.flows.len() {
                    self.flows[flow].iter_mut().for_each(|t| t.handle_timeout(at));
                    self.drain(flow);
                }
            }
        }
    }

    /// Forgets what was seen, runs on for `time`, and returns the share of the link's rate that arrived as payload.
    fn measure(&mut self, time: Duration) -> f64 {
        self.seen = Seen::default();
        self.delivered.fill(0);
        self.run_until(self.now + time);
        let most = self.link.rate.bytes_per_sec() * time.as_secs_f64() * 1000.0 / 1040.0;
        self.delivered.iter().sum::<u64>() as f64 / most
    }

    fn mean_queue(&self) -> f64 {
        self.seen.queue_sum as f64 / self.seen.arrivals as f64
    }
}

/// 20 Mbit/s and a round trip of 40 ms: 96 packets of 1040 bytes.
fn link(limit: usize, mark_at: Option<usize>) -> Link {
    let delay = Duration::from_millis(20);
    Link { rate: Rate::from_mbit(20), delay, limit, mark_at, departures: VecDeque::new() }
}

fn bulk() -> TcpConfig {
    TcpConfig { mss: Bytes(1000), receive_buffer: Bytes(1 << 26), ..config(Profile::Rfc) }
}

fn named(cc: &str) -> CcConfig {
    CcConfig::default_of(cc).unwrap()
}

#[test]
fn vegas_keeps_alpha_to_beta_segments_queued_a_flow() {
    for flows in [1, 3] {
        let mut d =
            Dumbbell::new(link(1000, None), &TcpConfig { delayed_ack: 1, ..bulk() }, &named("vegas"), flows);
        d.run_until(Instant::from_secs(20));
        let used = d.measure(Duration::from_secs(10));
        // Brakmo 1995: 2 to 4 each; later flows take the standing queue for part of the path and keep some more.
        let each = d.mean_queue() / flows as f64;
        assert!((1.5..=6.5).contains(&each), "{flows}: {each}");
        assert!(used > 0.98 && d.seen.lost == 0, "{flows}: {used}");
    }
}
