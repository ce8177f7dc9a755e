use super::*;
use crate::testing::{Collector, TestPacket};
use tailrace_core::Rng;
use tailrace_core::params::Parameters as _;

const LINK: LinkView = LinkView::new(Rate::from_mbit(1000), Duration::ZERO);

/// A queue whose transmitter takes no time, so that only the buckets decide.
struct Bench {
    queue: Tbf<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    sent: u64,
}

impl Bench {
    fn new(line: &str) -> Self {
        let QdiscConfig::Tbf(config) = QdiscConfig::parse_tc(line).unwrap() else { panic!("{line}") };
        Self::of(&config)
    }

    fn of(config: &TbfConfig) -> Self {
        assert_eq!(config.validate(), Ok(()));
        Self { queue: config.build(&LINK), rng: Rng::new(1), sink: Collector::default(), sent: 0 }
    }

    fn offer(&mut self, at: u64, sizes: &[u64]) {
        for size in sizes {
            let mut cx = Cx { now: Instant::from_nanos(at), rng: &mut self.rng, sink: &mut self.sink };
            self.queue.enqueue(TestPacket::new(self.sent, 0, *size), &mut cx);
            self.sent += 1;
        }
    }

    /// Departures (id, time in nanoseconds) from `now` until `until`.
    fn depart(&mut self, mut now: u64, until: u64) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        while now <= until {
            let mut cx = Cx { now: Instant::from_nanos(now), rng: &mut self.rng, sink: &mut self.sink };
            if let Some((packet, _)) = self.queue.dequeue(&mut cx) {
                out.push((packet.id, now));
                continue;
            }
            let Some(wake) = self.queue.poll_timeout().filter(|t| t.as_nanos() <= until) else { break };
            now = wake.as_nanos();
            cx.now = wake;
            self.queue.handle_timeout(&mut cx);
        }
        out
    }
}

#[test]
fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
    // 10 Mbit/s: 1000 B take 800 us. A bucket of 2500 B passes two, and half of the third: it waits for 400 us.
    let mut bench = Bench::new("tbf rate 10mbit burst 2500 limit 100kb");
    bench.offer(0, &[1000; 5]);
    assert_eq!(bench.depart(0, u64::MAX / 2), [(0, 0), (1, 0), (2, 400_000), (3, 1_200_000), (4, 2_000_000)]);
    // A pause of 1 ms fills 1250 of the 2500 bytes: one passes, the next waits for 750 B, 600 us.
    bench.offer(3_000_000, &[1000; 2]);
    assert_eq!(bench.depart(3_000_000, u64::MAX / 2), [(5, 3_000_000), (6, 3_600_000)]);
}

#[test]
fn the_rate_is_exact_to_the_token_over_a_million_packets() {
    // 10 Mbit/s: 1250 B take 1 ms. The first leaves at 0 from the full bucket, so the last leaves after 999 999 ms.
    let mut bench = Bench::new("tbf rate 10mbit burst 1250 limit 100kb");
    bench.offer(0, &[1250; 2]);
    let (mut now, mut count) = (0, 0_u64);
    while count < 1_000_000 {
        for (_, at) in bench.depart(now, now) {
            (count, now) = (count + 1, at);
            bench.offer(now, &[1250]);
        }
        now = bench.queue.poll_timeout().map_or(now, Instant::as_nanos);
        if count == 1_000_000 {
            break;
        }
    }
    // The bucket now owes the packet that would be the next.
    assert_eq!(now, 1_000_000 * 1_000_000);
    assert!(bench.sink.dropped.is_empty());
}

#[test]
fn latency_bounds_what_waits() {
    // 50 ms at 10 Mbit/s are 62 500 B, and the burst of 10 240: 72 packets of 1000 B wait, whatever comes.
    let mut bench = Bench::new("tbf rate 10mbit burst 10kb latency 50ms");
    bench.offer(0, &[1000; 100]);
    assert_eq!((bench.queue.backlog().packets, bench.sink.dropped.len()), (72, 28));
    // 10 leave at once; the last of the other 62 once 72 000 - 10 240 bytes have their tokens: after 49.408 ms.
    assert_eq!(bench.depart(0, u64::MAX / 2).last(), Some(&(71, 49_408_000)));
}

#[test]
fn what_was_looked_at_keeps_its_place() {
    let mut bench = Bench::new("tbf rate 8kbit burst 1000 limit 3000");
    bench.offer(0, &[1000; 3]);
    assert_eq!(bench.depart(0, 0), [(0, 0)]);
    bench.offer(1, &[1000; 2]);
    assert_eq!((bench.queue.backlog().packets, bench.sink.dropped.len()), (3, 1));
}

#[test]
fn a_packet_larger_than_the_burst_is_dropped() {
    let mut bench = Bench::new("tbf rate 10mbit burst 1000 limit 100kb");
    bench.offer(0, &[1500, 1000, 1001]);
    assert_eq!(bench.depart(0, u64::MAX / 2), [(1, 0)]);
    assert_eq!(bench.sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [0, 2]);
    // With what an Ethernet frame adds, 987 bytes are too many.
    let mut bench = Bench::new("tbf rate 10mbit burst 1000 limit 100kb overhead 14");
    bench.offer(0, &[986, 987]);
    assert_eq!(bench.sink.dropped.len(), 1);
}

#[test]
fn the_peak_rate_spreads_a_burst() {
    // 20 Mbit/s within the burst: 400 us apart; the bucket of 3000 B gains 500 B in each. 3000 - 1000 + 500 ... lasts for
    // five packets: after the fifth it holds 3000 - 5 * 1000 + 4 * 500 = 0; from then on 800 us apart.
    let mut bench = Bench::new("tbf rate 10mbit burst 3000 limit 100kb peakrate 20mbit mtu 1000");
    bench.offer(0, &[1000; 8]);
    let times: Vec<u64> = bench.depart(0, u64::MAX / 2).iter().map(|(_, at)| at / 1000).collect();
    assert_eq!(times, [0, 400, 800, 1200, 1600, 2400, 3200, 4000]);
}

#[test]
fn an_inner_discipline_sees_the_queue_of_the_shaper() {
    let mut config = TbfConfig { rate: Rate::from_mbit(1), ..TbfConfig::default() };
    config.set("queue", &tailrace_core::params::Value::Text("codel target 5ms".into())).unwrap();
    let mut bench = Bench::of(&config);
    // 500 packets of 1000 B take 4 s at 1 Mbit/s: CoDel drops some of them.
    bench.offer(0, &[1000; 500]);
    let sent = bench.depart(0, u64::MAX / 2).len();
    assert!(bench.sink.dropped.len() > 10 && sent + bench.sink.dropped.len() == 500, "{sent}");
    let commands = QdiscConfig::Tbf(config.clone()).to_tc(&LINK).unwrap().commands;
    assert_eq!(
        commands[1],
        "tc qdisc replace dev DEV parent 10:1 codel limit 1000 target 5ms interval 100ms noecn"
    );
    config.limit = Some(Bytes(1000));
    assert_eq!(config.validate().unwrap_err().0, "limit");
    // A shaper within a shaper: the slower one tells.
    config.limit = None;
    config
        .set("queue", &tailrace_core::params::Value::Text("tbf rate 500kbit burst 5kb latency 9ms".into()))
        .unwrap();
    assert_eq!(config.shaping(), Shaping::At(Rate::from_bps(500_000)));
}

#[test]
fn lines_say_what_tc_needs() {
    let refused = |line: &str| QdiscConfig::parse_tc(line).unwrap_err().message;
    assert!(refused("tbf burst 5kb latency 50ms").contains("needs rate"));
    assert!(refused("tbf rate 1mbit latency 50ms").contains("needs burst"));
    assert!(refused("tbf rate 1mbit burst 5kb").contains("limit or latency"));
    assert!(refused("tbf rate 1mbit burst 5kb latency 50ms peakrate 2mbit").contains("needs mtu"));
    assert!(
        refused("tbf rate 2mbit burst 5kb latency 50ms peakrate 1mbit mtu 1514").contains("more than `rate`")
    );
    assert!(refused("tbf rate 2mbit burst 5kb latency 50ms limit 5kb").contains("leave out one"));
    assert!(refused("tbf rate 0bit burst 5kb latency 50ms").contains("rate"));
    // Line as `tc qdisc show` prints it.
    let shown = QdiscConfig::parse_tc("tbf rate 1Mbit burst 5Kb lat 50.0ms").unwrap();
    let line = shown.to_tc(&LINK).unwrap().line;
    assert_eq!(line, "tbf rate 1mbit burst 5kb limit 11370");
}
