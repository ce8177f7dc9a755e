//! Congestion controls in closed loop over one bottleneck: what queue they keep, what rate they reach.

use super::*;
use crate::cc::Cc;
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

/// Observations since the last `reset`.
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
    /// Every so many data segments one is lost on the way; zero is none.
    lose_one_in: u64,
    seen: Seen,
}

impl Dumbbell {
    /// Creates a flow for each congestion control.
    fn new(link: Link, config: &TcpConfig, ccs: &[CcConfig]) -> Self {
        let config = Arc::new(config.clone());
        let pair = |cc: &CcConfig| {
            let mut client = Tcp::connect(&config, cc, 1, Instant::ZERO);
            client.write(UNLIMITED);
            [client, Tcp::listen(&config, cc, 77)]
        };
        let flows = ccs.len();
        let mut d = Self {
            link,
            flows: ccs.iter().map(pair).collect(),
            flying: BTreeMap::new(),
            delivered: vec![0; flows],
            now: Instant::ZERO,
            count: 0,
            lose_one_in: 0,
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
        if queue >= link.limit || (self.lose_one_in > 0 && self.count % self.lose_one_in == 3) {
            self.seen.lost += 1;
            self.count += 1;
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
        let mut d = Dumbbell::new(
            link(1000, None),
            &TcpConfig { delayed_ack: 1, ..bulk() },
            &vec![named("vegas"); flows],
        );
        d.run_until(Instant::from_secs(20));
        let used = d.measure(Duration::from_secs(10));
        // Brakmo 1995: 2 to 4 each; later flows take the standing queue for part of the path and keep some more.
        let each = d.mean_queue() / flows as f64;
        assert!((1.5..=6.5).contains(&each), "{flows}: {each}");
        assert!(used > 0.98 && d.seen.lost == 0, "{flows}: {used}");
    }
}

#[test]
fn deferred_packet_is_not_sent_by_an_early_wakeup() {
    // `tcp_tso_should_defer` is asked when an ACK comes or the application writes, and never by the time that passes.
    let mut d = Dumbbell::new(link(60, None), &config(Profile::Linux), &vec![named("reno"); 4]);
    for ms in 1..10_000 {
        d.run_until(Instant::from_millis(ms));
        for tcp in d.flows.iter_mut().flatten() {
            tcp.handle_timeout(d.now);
            assert_eq!(tcp.poll_transmit(d.now), None, "at {ms} ms");
        }
    }
}

#[test]
fn dctcp_keeps_the_queue_near_the_marking_threshold() {
    // Alizadeh et al. 2010 §3.3: with K = 20 >= 96/7 one flow's queue swings by sqrt(2 (C R + K)) / 2 = 7.6 below K + 1,
    // and alpha is about sqrt(2 / (C R + K)) = 0.13. With delayed ACKs, too: that is what RFC 8257 §3.2 is for.
    for delayed_ack in [1, 2] {
        let mut d =
            Dumbbell::new(link(1000, Some(20)), &TcpConfig { delayed_ack, ..bulk() }, &[named("dctcp")]);
        d.run_until(Instant::from_secs(20));
        let used = d.measure(Duration::from_secs(10));
        assert!((12.0..=21.0).contains(&d.mean_queue()), "{}", d.mean_queue());
        assert!(d.seen.queue_max <= 24 && used > 0.99, "{} {used}", d.seen.queue_max);
        let Cc::Dctcp(cc) = &*d.flows[0][0].cc else { unreachable!("asked for it") };
        assert!((0.08..0.2).contains(&cc.alpha()), "{}", cc.alpha());
    }
}

#[test]
fn dctcp_echoes_each_segments_mark_however_acks_are_delayed() {
    // The sender counts exactly the marked bytes: an ACK never covers marked and unmarked segments.
    let mut d = Dumbbell::new(link(1000, Some(20)), &bulk(), &[named("dctcp")]);
    d.run_until(Instant::from_secs(20));
    d.measure(Duration::from_secs(10));
    let share = d.seen.marked as f64 / d.seen.arrivals as f64;
    let Cc::Dctcp(cc) = &*d.flows[0][0].cc else { unreachable!("asked for it") };
    assert!((cc.alpha() - share).abs() < 0.06, "{} {share}", cc.alpha());
}

#[test]
fn ledbat_holds_the_queueing_delay_at_its_target() {
    // 25 ms at 20 Mbit/s are 60 packets; the clock ticks in milliseconds of 2.4 packets.
    let target = Duration::from_millis(25);
    let ledbat = CcConfig::Ledbat(crate::cc::LedbatConfig { target, ..Default::default() });
    let mut d = Dumbbell::new(link(1000, None), &bulk(), std::slice::from_ref(&ledbat));
    d.run_until(Instant::from_secs(30));
    let used = d.measure(Duration::from_secs(10));
    assert!((d.mean_queue() - 60.0).abs() < 6.0 && used > 0.99, "{} {used}", d.mean_queue());

    // Beside a flow that fills the queue (200 packets are 83 ms) it all but stops.
    let mut d = Dumbbell::new(link(200, None), &bulk(), &[ledbat, named("newreno")]);
    d.run_until(Instant::from_secs(20));
    d.measure(Duration::from_secs(40));
    let share = d.delivered[0] as f64 / (d.delivered[0] + d.delivered[1]) as f64;
    assert!(share < 0.1, "{share}");
}

#[test]
fn bbr_fills_the_pipe_with_a_queue_below_a_product() {
    // A single flow drains the queue of its probes; ProbeRTT takes 200 ms of 10 s. Several flows: the window of two products
    // bounds the queue to one (96 packets) and the quanta.
    for (flows, most) in [(1, 15.0), (3, 96.0 + 3.0 * 6.0)] {
        let mut d = Dumbbell::new(link(1000, None), &bulk(), &vec![named("bbr"); flows]);
        d.run_until(Instant::from_secs(15));
        let used = d.measure(Duration::from_secs(20));
        assert!(d.mean_queue() <= most && used > 0.95, "{flows}: {} {used}", d.mean_queue());
        assert_eq!(d.flows.iter().map(|f| f[0].stats().timeouts).sum::<u32>(), 0);
    }
}

#[test]
fn bbr_keeps_its_rate_where_two_percent_are_lost() {
    // Cardwell 2016, figure 8: losses below the gain of probing cost their share and little more. Mathis 1997: Reno has
    // a window of sqrt(1.5 / 0.02) = 8.7 of the path's 96, less for its timeouts.
    let used = |cc| {
        let c = TcpConfig { min_rto: Duration::from_millis(200), ..bulk() };
        let mut d = Dumbbell::new(link(1000, None), &c, &[named(cc)]);
        d.lose_one_in = 50;
        d.run_until(Instant::from_secs(15));
        d.measure(Duration::from_secs(20))
    };
    let (bbr, reno) = (used("bbr"), used("newreno"));
    assert!(bbr > 0.85 && reno < 0.12, "{bbr} {reno}");
}

#[test]
fn bbr_passes_through_its_states_in_order() {
    use crate::cc::BbrMode::{Drain, ProbeBw, ProbeRtt, Startup};
    let mut d = Dumbbell::new(link(1000, None), &bulk(), &[named("bbr")]);
    let (mut seen, mut flight) = (vec![Startup], u64::MAX);
    for ms in 0..15_000 {
        d.run_until(Instant::from_millis(ms));
        let Cc::Bbr(bbr) = &*d.flows[0][0].cc else { unreachable!("asked for it") };
        if bbr.mode() != seen[seen.len() - 1] {
            seen.push(bbr.mode());
        }
        if bbr.mode() == ProbeRtt {
            flight = flight.min(d.flows[0][0].pipe());
        }
    }
    assert_eq!(seen, [Startup, Drain, ProbeBw, ProbeRtt, ProbeBw]);
    assert!(flight <= 4_000, "{flight}");
}

#[test]
fn pacing_spreads_a_window_and_keeps_the_rate() {
    use crate::config::Pacing;
    // A window of at most 40 leaves the link idle more than half of the time; unpaced, slow start's bursts queue.
    let queue = |pacing| {
        let c = TcpConfig { pacing, window: Some(40), delayed_ack: 1, ..bulk() };
        let mut d = Dumbbell::new(link(1000, None), &c, &[named("newreno")]);
        d.run_until(Instant::from_millis(400));
        (d.seen.queue_max, d.measure(Duration::from_secs(5)))
    };
    let ((burst, plain), (smooth, paced)) = (queue(Pacing::Off), queue(Pacing::On));
    assert!(burst >= 15 && smooth <= 3, "{burst} {smooth}");
    assert!((plain / paced - 1.0).abs() < 0.02, "{plain} {paced}");
}

#[test]
fn bbr3_fills_the_pipe_and_loses_less_in_a_shallow_queue_than_bbr() {
    for (flows, most) in [(1, 15.0), (3, 96.0 + 3.0 * 6.0)] {
        let mut d = Dumbbell::new(link(1000, None), &bulk(), &vec![named("bbr3"); flows]);
        d.run_until(Instant::from_secs(15));
        let used = d.measure(Duration::from_secs(20));
        assert!(d.mean_queue() <= most && used > 0.95, "{flows}: {} {used}", d.mean_queue());
    }
    // A tenth of a product of queue, three flows: version 1's windows of two products overrun it.
    let lossy = |cc| {
        let c = TcpConfig { min_rto: Duration::from_millis(200), ..bulk() };
        let mut d = Dumbbell::new(link(10, None), &c, &vec![named(cc); 3]);
        d.run_until(Instant::from_secs(15));
        let used = d.measure(Duration::from_secs(20));
        (d.seen.lost as f64 / d.seen.arrivals as f64, used)
    };
    let (new, old) = (lossy("bbr3"), lossy("bbr"));
    assert!(new.0 < 0.03 && new.0 < old.0 / 2.0, "{new:?} {old:?}");
    assert!(new.1 > 0.8, "{new:?}");
}

#[test]
fn prague_keeps_a_millisecond_of_queue_and_the_link_busy() {
    // A step at 5 packets, 2 ms: one flow of a 40 ms round trip, paced, with accurate feedback and ECT(1).
    for delayed_ack in [1, 2] {
        let mut d =
            Dumbbell::new(link(1000, Some(5)), &TcpConfig { delayed_ack, ..bulk() }, &[named("prague")]);
        d.run_until(Instant::from_secs(20));
        let used = d.measure(Duration::from_secs(10));
        assert!(d.mean_queue() < 6.0 && d.seen.queue_max < 15, "{} {}", d.mean_queue(), d.seen.queue_max);
        assert!(used > 0.93, "{used}");
    }
}

#[test]
fn accurate_feedback_counts_every_mark() {
    // DCTCP's alpha agrees with what the link marked, with its own echo and with accurate feedback.
    let echo = crate::config::EcnEcho::Accurate;
    let mut d = Dumbbell::new(
        link(1000, Some(20)),
        &TcpConfig { behaviour: TcpBehaviour { ecn_echo: echo, ..bulk().behaviour }, ..bulk() },
        &[named("dctcp")],
    );
    d.run_until(Instant::from_secs(20));
    let before = d.flows[0][1].stats().ce_received;
    d.measure(Duration::from_secs(10));
    let told = d.flows[0][1].stats().ce_received - before;
    assert!(u64::from(told).abs_diff(d.seen.marked) <= 30 && told > 0, "{told} {}", d.seen.marked);
    let share = d.seen.marked as f64 / d.seen.arrivals as f64;
    let Cc::Dctcp(cc) = &*d.flows[0][0].cc else { unreachable!("asked for it") };
    assert!((cc.alpha() - share).abs() < 0.06, "{} {share}", cc.alpha());
}
