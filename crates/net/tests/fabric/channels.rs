//! Directions of links that share a channel: exact times, contention against theory, retries, order, faults.

use crate::common::{FORWARD, Header, Log, address, config_of, droptail, header, link, pair};
use tailrace_access::media::wifi::WifiConfig;
use tailrace_access::{AnyMedium, MediumConfig};
use tailrace_core::params::Value;
use tailrace_core::{Bytes, DropReason, Duration, Instant, Limit, Probability, Rate, Rng};
use tailrace_net::{Address, ChannelId, Fabric, Graph, LinkConfig, LinkId};

const CHANNEL: ChannelId = ChannelId(0);
const BACKWARD: LinkId = LinkId(1);
const RATE: Rate = Rate::from_mbit(65);

/// Frames go one at a time.
fn plain() -> WifiConfig {
    WifiConfig { aggregate: 1, ..WifiConfig::default() }
}

fn medium(config: WifiConfig) -> AnyMedium {
    MediumConfig::Wifi(config).build()
}

/// A frame of 1500 bytes at 65 Mbit/s, with 38 bytes of headers: 12304 / 65 = 189.29 us; and its preamble.
const FRAME: u64 = 36_000 + 189_293;
/// Its answer.
const ANSWER: u64 = 16_000 + 28_000;
const DIFS: u64 = 34_000;
const SLOT: u64 = 9_000;
const DELAY: u64 = 1_000;

/// Two hosts, whose link shares a channel with nobody else.
fn alone(config: WifiConfig, seed: u64) -> (Fabric<Header>, Address, Address) {
    let (mut fabric, src, dst) = pair(link(RATE, Duration::from_nanos(DELAY)));
    fabric.share(medium(config), Rng::new(seed), [FORWARD, BACKWARD]);
    (fabric, src, dst)
}

fn ends(fabric: &mut Fabric<Header>, log: &mut Log) {
    fabric.run_until(Instant::from_secs(10_000), log);
    assert!(fabric.is_quiet());
}

#[test]
fn the_first_is_sent_at_once_and_others_after_difs_and_a_whole_number_of_slots() {
    let (mut fabric, src, dst) = alone(plain(), 1);
    let mut log = Log::default();
    for id in 0..20_000 {
        fabric.send(src, header(id, src, dst, 1500), &mut log);
    }
    ends(&mut fabric, &mut log);
    assert_eq!(log.ids(), (0..20_000).collect::<Vec<_>>());
    assert_eq!(log.received[0].0.as_nanos(), FRAME + DELAY);
    let gaps = log.received.windows(2).map(|w| (w[1].0 - w[0].0).as_nanos());
    let mut drawn = [0; 16];
    for gap in gaps {
        let backoff = gap - (ANSWER + DIFS + FRAME);
        assert_eq!(backoff % SLOT, 0);
        drawn[(backoff / SLOT) as usize] += 1;
    }
    // Each of 0 to 15 alike: 1250 each, with a standard deviation of 34.
    assert!(drawn.iter().all(|n| (1110..1390).contains(n)), "{drawn:?}");
    // A packet takes DIFS, 7.5 slots on average, the frame and its answer: 370.8 us, 32.4 Mbit/s.
    let each = log.received[19_999].0.as_nanos() as f64 / 20_000.0;
    let expected = (DIFS + FRAME + ANSWER) as f64 + 7.5 * SLOT as f64;
    assert!((each / expected - 1.0).abs() < 0.003, "{each} {expected}");
    let counted = fabric.channel(CHANNEL);
    assert_eq!(
        (counted.accesses, counted.frames, counted.resent, counted.collisions),
        (20_000, 20_000, 0, 0)
    );
    assert_eq!(counted.busy.as_nanos(), 20_000 * (FRAME + ANSWER));
}

#[test]
fn packets_go_together_as_far_as_frames_bytes_and_time_allow() {
    // 1538 bytes are padded to 1540, and 4 tell them from the next: 1544. In 5484 us go 44 557 bytes: 28 frames.
    for (config, frames) in [
        (WifiConfig::default(), 28),
        (WifiConfig { aggregate: 20, ..WifiConfig::default() }, 20),
        (WifiConfig { aggregate_bytes: Bytes(30_000), ..WifiConfig::default() }, 19),
    ] {
        let (mut fabric, src, dst) = alone(config, 1);
        let mut log = Log::default();
        for id in 0..=frames + 1 {
            fabric.send(src, header(id, src, dst, 1500), &mut log);
        }
        // The first is asked for when the last one has come: all happen at time zero.
        ends(&mut fabric, &mut log);
        let time = 36_000 + (u64::from(frames) * 1544 * 8_000).div_ceil(65);
        let first: Vec<_> = log.received.iter().filter(|r| r.0.as_nanos() == time + DELAY).collect();
        assert_eq!(first.len(), usize::from(frames));
        assert_eq!(log.ids(), (0..=frames + 1).collect::<Vec<_>>());
        assert_eq!(fabric.channel(CHANNEL).accesses, 2);
        // The two that are left are answered by a BlockAck, too.
        let rest = 36_000 + (2u64 * 1544 * 8_000).div_ceil(65);
        assert_eq!(fabric.channel(CHANNEL).busy.as_nanos(), time + rest + 2 * (16_000 + 32_000));
    }
}

#[test]
fn a_packet_that_does_not_fit_is_the_first_of_the_next_access_and_has_waited_until_then() {
    let (mut fabric, src, dst) =
        alone(WifiConfig { aggregate_bytes: Bytes(2000), ..WifiConfig::default() }, 1);
    let mut log = Log::default();
    for (id, size) in [(0, 1000), (1, 1500), (2, 40)] {
        fabric.send(src, header(id, src, dst, size), &mut log);
    }
    ends(&mut fabric, &mut log);
    assert_eq!(log.ids(), [0, 1, 2]);
    // 1 + 2 fit together: 1544 + 84 bytes.
    assert_eq!((fabric.channel(CHANNEL).accesses, fabric.channel(CHANNEL).frames), (2, 3));
    let longest = fabric.link(FORWARD).stats().unwrap().sojourn_times().max();
    assert!(longest >= (36_000 + 1038 * 8_000 / 65 + ANSWER + DIFS) as f64, "{longest:?}");
}

/// Hosts that each send to their own peer behind the same router, over one channel; the links of the hosts, up and down.
fn cell(config: WifiConfig, rates: &[Rate], seed: u64) -> (Fabric<Header>, Vec<(Address, Address)>) {
    let mut graph = Graph::default();
    let (point, server) = (graph.add_node(true), graph.add_node(false));
    let hosts: Vec<_> = rates.iter().map(|_| graph.add_node(false)).collect();
    for host in &hosts {
        graph.add_link(*host, point);
    }
    graph.add_link(point, server);
    let queue =
        |rate| LinkConfig { queue: droptail(Limit::Packets(1_000_000), rate), ..link(rate, Duration::ZERO) };
    let mut configs: Vec<_> = rates.iter().flat_map(|rate| [queue(*rate), queue(*rate)]).collect();
    configs.extend([(); 2].map(|()| link(Rate::from_mbit(10_000), Duration::ZERO)));
    let to = address(&graph, server);
    let pairs = hosts.iter().map(|host| (address(&graph, *host), to)).collect();
    let mut fabric = Fabric::new(graph, configs, 0);
    let ways = 0..2 * rates.len() as u32;
    fabric.share(medium(config), Rng::new(seed), ways.map(LinkId));
    (fabric, pairs)
}

/// Packets of 1500 bytes that each of these has sent within a time, where all have as many as they like to send.
fn saturated(config: WifiConfig, rates: &[Rate], time: Duration, seed: u64) -> (Vec<u64>, Fabric<Header>) {
    let (mut fabric, pairs) = cell(config, rates, seed);
    let mut log = Log::default();
    let most = time.as_nanos() / 200_000;
    for (src, dst) in &pairs {
        (0..most).for_each(|_| fabric.send(*src, header(0, *src, *dst, 1500), &mut log));
    }
    fabric.run_until(Instant::ZERO + time, &mut log);
    let sent = (0..rates.len() as u32).map(|i| fabric.link(LinkId(2 * i)).counters().delivered);
    (sent.collect(), fabric)
}

/// Bianchi's fixed point: the probability that a station sends in a slot, and that this collides, of `n` with windows from
/// `w` = CWmin + 1 that double `m` times (JSAC 2000, equations 7 and 9).
fn bianchi(n: i32, w: f64, m: i32) -> (f64, f64) {
    let tau =
        |p: f64| 2.0 * (1.0 - 2.0 * p) / ((1.0 - 2.0 * p) * (w + 1.0) + p * w * (1.0 - (2.0 * p).powi(m)));
    // 1 - (1 - tau)^(n-1) falls as p grows: one crossing, found by halving.
    let (mut low, mut high) = (0.0, 0.999_999);
    for _ in 0..100 {
        let p = (low + high) / 2.0 + 1e-12;
        if 1.0 - (1.0 - tau(p)).powi(n - 1) > p { low = p } else { high = p }
    }
    (tau(low), low)
}

#[test]
fn stations_that_always_send_share_the_channel_as_bianchi_has_it() {
    // Assumptions of the model: the channel is free after a collision, and frames are sent again practically for ever.
    let config = WifiConfig { eifs: false, retries: 255, ..plain() };
    let frame = FRAME as f64 + DIFS as f64;
    for n in [2, 5, 10, 20] {
        let (tau, p) = bianchi(n, 16.0, 6);
        let some = 1.0 - (1.0 - tau).powi(n);
        let one = f64::from(n) * tau * (1.0 - tau).powi(n - 1);
        let slot = (1.0 - some) * SLOT as f64 + one * (frame + ANSWER as f64) + (some - one) * frame;
        let expected = one / slot * 1e9;
        let time = Duration::from_secs(20);
        let (sent, fabric) = saturated(config.clone(), &vec![RATE; n as usize], time, 1);
        let found = sent.iter().sum::<u64>() as f64 / time.as_secs_f64();
        let counted = fabric.channel(CHANNEL);
        let sendings = counted.frames as f64;
        let collided = counted.resent as f64 / sendings;
        // Less than the model for few: its counts go down with every access of others, too, ours only with idle slots.
        assert!(
            (-0.02..0.005).contains(&(found / expected - 1.0)),
            "{n}: {found} packets a second, not {expected}"
        );
        assert!((collided / p - 1.0).abs() < 0.06, "{n}: {collided} of the frames collide, not {p}");
    }
}

#[test]
fn what_is_lost_in_the_end_has_failed_as_often_as_it_may_be_sent_and_the_rest_is_in_order() {
    let p = 0.4;
    for (aggregate, retries) in [(1, 0), (1, 3), (64, 0), (64, 3), (256, 1)] {
        let frame_error = Probability::new(p).unwrap();
        let config = WifiConfig { aggregate, retries, frame_error, ..WifiConfig::default() };
        let (mut fabric, src, dst) = alone(config, 7);
        let mut log = Log::default();
        let n = 60_000;
        (0..n).for_each(|id| fabric.send(src, header(id, src, dst, 500), &mut log));
        ends(&mut fabric, &mut log);
        let (lost, expected) = (log.dropped.len() as f64, f64::from(n) * p.powi(retries as i32 + 1));
        assert!((lost - expected).abs() < 4.0 * expected.sqrt(), "{aggregate} {retries}: {lost} {expected}");
        assert!(log.dropped.iter().all(|d| d.3 == DropReason::LinkLoss));
        assert_eq!(log.received.len() + log.dropped.len(), usize::from(n));
        assert!(log.ids().is_sorted());
        let c = fabric.link(FORWARD).counters();
        assert_eq!((c.dequeued, c.expelled, c.delivered), (u64::from(n), 0, log.received.len() as u64));
        // 1 + p + p^2 + ... frames a packet.
        let sent = f64::from(n) * (0..=retries).map(|k| p.powi(k as i32)).sum::<f64>();
        assert!((fabric.channel(CHANNEL).frames as f64 / sent - 1.0).abs() < 0.01);
    }
}

#[test]
fn one_frame_that_fails_delays_those_behind_it_and_no_other() {
    let frame_error = Probability::new(0.5).unwrap();
    let mut at_once = Vec::new();
    for seed in 0..400 {
        let config = WifiConfig { frame_error, retries: 255, ..WifiConfig::default() };
        let (mut fabric, src, dst) = alone(config, seed);
        let mut log = Log::default();
        (0..4).for_each(|id| fabric.send(src, header(id, src, dst, 1500), &mut log));
        let end = 36_000 + (4u64 * 1544 * 8_000).div_ceil(65) + DELAY;
        fabric.run_until(Instant::from_nanos(end), &mut log);
        at_once.push(log.received.len());
        assert_eq!(
            fabric.link(FORWARD).occupancy(),
            4 - log.received.len() as u64,
            "the rest is still carried"
        );
        ends(&mut fabric, &mut log);
        assert_eq!(log.ids(), [0, 1, 2, 3]);
    }
    // Numbers before the first failure: a half, a quarter, an eighth; and all four in one of sixteen.
    let counted = [0, 1, 2, 3, 4].map(|n| at_once.iter().filter(|found| **found == n).count());
    for (found, expected) in counted.into_iter().zip([200.0, 100.0, 50.0, 25.0, 25.0]) {
        assert!((found as f64 - expected).abs() < 4.0 * f64::sqrt(expected), "{counted:?}");
    }
}

#[test]
fn who_gets_nothing_from_its_queue_leaves_the_channel_to_the_others() {
    let mut shaped = config_of("cake");
    shaped.set("bandwidth", &Value::Text("1 Mbit/s".into())).unwrap();
    let (mut fabric, pairs) = cell(plain(), &[RATE, RATE], 3);
    let mut log = Log::default();
    let (qdisc, rng) = (shaped.build(&tailrace_qdisc::LinkView::new(RATE, Duration::ZERO)), Rng::new(1));
    fabric.set_queue(LinkId(0), Box::new((qdisc, rng)), &mut log);
    for (src, dst) in &pairs {
        (0..10_000).for_each(|_| fabric.send(*src, header(0, *src, *dst, 1500), &mut log));
    }
    fabric.run_until(Instant::from_secs(2), &mut log);
    let sent = [0, 2].map(|link| fabric.link(LinkId(link)).counters().delivered as f64);
    // 1 Mbit/s is 83 packets a second, which take 225 us and an answer each; the rest is the other's.
    assert!((160.0..172.0).contains(&sent[0]), "{sent:?}");
    let others = (2e9 - sent[0] * (FRAME + ANSWER + DIFS) as f64) / (FRAME + ANSWER + DIFS + 7 * SLOT) as f64;
    assert!((sent[1] / others - 1.0).abs() < 0.02, "{sent:?} {others}");
}

#[test]
fn a_link_that_goes_down_loses_what_it_has_and_leaves_the_channel() {
    let (mut fabric, pairs) = cell(plain(), &[RATE, RATE], 3);
    let mut log = Log::default();
    let [(a, to), (b, _)] = pairs[..] else { unreachable!() };
    (0..10).for_each(|id| fabric.send(a, header(id, a, to, 1500), &mut log));
    // In the midst of the first frame: a second station comes, the first goes down and up again.
    fabric.run_until(Instant::from_nanos(FRAME / 2), &mut log);
    fabric.send(b, header(100, b, to, 1500), &mut log);
    fabric.set_links_up(&[LinkId(0)], false, false, &mut log);
    assert_eq!(log.dropped.len(), 10);
    assert!(log.dropped.iter().all(|d| d.3 == DropReason::LinkDown));
    fabric.set_links_up(&[LinkId(0)], true, false, &mut log);
    fabric.send(a, header(50, a, to, 1500), &mut log);
    ends(&mut fabric, &mut log);
    let mut ids = log.ids();
    ids.sort_unstable();
    assert_eq!(ids, [50, 100]);
    // The channel stays taken until the end of the frame, and EIFS.
    let first = log.received[0].0.as_nanos();
    assert!(first >= FRAME + ANSWER + DIFS + FRAME, "{first}");
    let c = fabric.link(LinkId(0)).counters();
    assert_eq!((c.arrived, c.dequeued, c.expelled, c.delivered), (11, 2, 9, 1));
    assert_eq!(fabric.channel(CHANNEL).accesses, 3 - fabric.channel(CHANNEL).collisions);
}

#[test]
fn a_slow_station_takes_the_channel_as_often_and_for_longer() {
    let (sent, _) =
        saturated(plain(), &[Rate::from_mbit(54), Rate::from_mbit(6)], Duration::from_secs(20), 5);
    let ratio = sent[0] as f64 / sent[1] as f64;
    assert!((ratio - 1.0).abs() < 0.03, "{sent:?}");
}

#[test]
fn a_new_rate_is_that_of_the_next_access_and_a_new_queue_takes_over_what_waits() {
    let (mut fabric, src, dst) = alone(plain(), 1);
    let mut log = Log::default();
    (0..3).for_each(|id| fabric.send(src, header(id, src, dst, 1500), &mut log));
    fabric.run_until(Instant::from_nanos(1000), &mut log);
    fabric.set_rate(FORWARD, Rate::from_mbit(6), &mut log);
    let queue = config_of("codel").build(&tailrace_qdisc::LinkView::new(RATE, Duration::ZERO));
    fabric.set_queue(FORWARD, Box::new((queue, Rng::new(1))), &mut log);
    ends(&mut fabric, &mut log);
    assert_eq!(log.ids(), [0, 1, 2]);
    assert_eq!(log.received[0].0.as_nanos(), FRAME + DELAY);
    let slow = 36_000 + (1538u64 * 8_000).div_ceil(6);
    let backoff = log.received[1].0.as_nanos() - (FRAME + DELAY + ANSWER + DIFS + slow);
    assert!(backoff.is_multiple_of(SLOT) && backoff / SLOT <= 15, "{backoff}");
}
