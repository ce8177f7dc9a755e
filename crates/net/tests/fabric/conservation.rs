//! Nothing appears and nothing vanishes, whatever the topology, the disciplines, the impairments and the faults.

use crate::common::{Header, Log, config_of, disciplined, header, link};
use proptest::prelude::*;
use std::sync::Arc;
use tailrace_access::grants::LteConfig;
use tailrace_access::media::wifi::WifiConfig;
use tailrace_access::{GrantConfig, LinkSchedule, MediumConfig, RunningSchedule};
use tailrace_core::{Bytes, Duration, DurationDist, Ecn, Instant, Limit, Probability, Rate, Rates, Rng};
use tailrace_impair::losses::gemodel::GemodelConfig;
use tailrace_impair::losses::periodic::PeriodicConfig;
use tailrace_impair::{LossConfig, NetemConfig, Reordering};
use tailrace_net::{Address, Fabric, Graph, Impairment, LinkConfig, LinkId, LinkQueue, NodeId};
use tailrace_qdisc::QdiscConfig;

/// Routers in a random tree with some links more, hosts with one or two links, everything else by chance.
fn random_network(rng: &mut Rng) -> (Fabric<Header>, Vec<Address>) {
    let mut graph = Graph::default();
    let routers: Vec<_> = (0..1 + rng.below(5)).map(|_| graph.add_node(true)).collect();
    let any = |rng: &mut Rng, among: &[NodeId]| among[rng.below(among.len() as u64) as usize];
    for (i, router) in routers.iter().enumerate().skip(1) {
        graph.add_link(*router, any(rng, &routers[..i]));
        let other = any(rng, &routers[..i]);
        if rng.bernoulli(0.5) {
            graph.add_link(*router, other);
        }
    }
    let mut hosts = Vec::new();
    for _ in 0..2 + rng.below(4) {
        let host = graph.add_node(false);
        hosts.push(host);
        for _ in 0..=rng.below(2) {
            graph.add_link(host, any(rng, &routers));
        }
    }
    let addresses: Vec<_> = hosts.iter().flat_map(|h| graph.addresses(*h)).collect();
    let configs: Vec<_> = (0..graph.link_count()).map(|_| random_link(rng)).collect();
    let free = configs.iter().zip(0..).filter(|(config, _)| config.schedule.is_none());
    let free: Vec<_> = free.map(|(_, link)| LinkId(link)).collect();
    let mut fabric = Fabric::new(graph, configs, 0);
    share_some(&mut fabric, free, rng);
    (fabric, addresses)
}

/// Some directions share channels, each by itself or with its other direction.
fn share_some(fabric: &mut Fabric<Header>, free: Vec<LinkId>, rng: &mut Rng) {
    let mut sharing = [Vec::new(), Vec::new()];
    for link in free {
        if rng.bernoulli(0.25) {
            sharing[rng.below(2) as usize].push(link);
        }
    }
    for links in sharing.into_iter().filter(|links| !links.is_empty()) {
        let config = WifiConfig {
            cw_min: rng.below(16) as u32,
            retries: rng.below(8) as u32,
            aggregate: [1, 3, 64][rng.below(3) as usize],
            frame_error: Probability::new([0.0, 0.1, 0.7][rng.below(3) as usize]).unwrap(),
            eifs: rng.bernoulli(0.5),
            ..WifiConfig::default()
        };
        fabric.share(MediumConfig::Wifi(config).build(), Rng::new(rng.next_u64()), links);
    }
}

fn random_link(rng: &mut Rng) -> LinkConfig<Header> {
    let rate = Rate::from_bps(500_000 + rng.below(5_000_000));
    let queue = match rng.below(3) {
        0 => LinkQueue::Fifo(Limit::Packets(1 + rng.below(20))),
        1 => LinkQueue::Fifo(Limit::Bytes(Bytes(1500 + rng.below(20_000)))),
        _ => {
            let names = QdiscConfig::names();
            let name = names[rng.below(names.len() as u64) as usize];
            disciplined(&config_of(name), rate, rng.next_u64())
        }
    };
    LinkConfig {
        queue,
        overhead: Bytes(rng.below(40)),
        mtu: Bytes(if rng.bernoulli(0.2) { 1000 } else { 1500 }),
        impairment: rng.bernoulli(0.5).then(|| random_impairment(rng)),
        observed: rng.bernoulli(0.5),
        watched: rng.bernoulli(0.2),
        has_middlebox: rng.bernoulli(0.2),
        schedule: rng.bernoulli(0.3).then(|| random_schedule(rng)),
        ..link(rate, Duration::from_nanos(rng.below(20_000_000)))
    }
}

fn random_schedule(rng: &mut Rng) -> Box<RunningSchedule> {
    let config = LteConfig {
        rates: Rates((0..1 + rng.below(3)).map(|_| Rate::from_bps(500_000 + rng.below(5_000_000))).collect()),
        block_error: Probability::clamped(rng.uniform()),
        request: Duration::from_millis(rng.below(10)),
        ..LteConfig::default()
    };
    Box::new(LinkSchedule::Grants(Arc::new(GrantConfig::Lte(config))).start(Rng::new(rng.next_u64())))
}

fn random_impairment(rng: &mut Rng) -> Box<Impairment> {
    let p = |x| Probability::new(x).unwrap();
    let loss = match rng.below(4) {
        0 => LossConfig::default(),
        1 => p(0.1).into(),
        2 => LossConfig::Periodic(PeriodicConfig { every: 7 }),
        _ => LossConfig::Gemodel(GemodelConfig { p: p(0.05), r: p(0.3), good: p(0.0), bad: p(0.8) }),
    };
    let jitter = rng.bernoulli(0.6).then_some(DurationDist::Exponential(Duration::from_millis(3)));
    let impairment = Impairment::new(&loss, jitter, rng.bernoulli(0.5), Rng::new(rng.next_u64()));
    let reordering = Reordering { probability: p(0.1), hold: Duration::from_millis(7), gap: 2 };
    let disturbance = match rng.below(3) {
        0 => NetemConfig { duplication: p(0.2), corruption: p(0.1), ..NetemConfig::default() },
        1 => NetemConfig { duplication: p(0.2), reordering, ..NetemConfig::default() },
        _ => NetemConfig::default(),
    };
    Box::new(impairment.with_disturbance(disturbance, Rng::new(rng.next_u64())))
}

fn random_fault(fabric: &mut Fabric<Header>, rng: &mut Rng, log: &mut Log) {
    let link = LinkId(rng.below(fabric.link_count() as u64) as u32);
    match rng.below(7) {
        0 | 1 => {
            let (up, reroute) = (rng.bernoulli(0.6), rng.bernoulli(0.5));
            fabric.set_links_up(&[link, LinkId(link.0 ^ 1)], up, reroute, log);
        }
        2 if rng.bernoulli(0.3) => fabric.resume_schedule(link, log),
        2 => fabric.set_rate(link, Rate::from_bps(100_000 + rng.below(5_000_000)), log),
        3 => fabric.set_delay(link, Duration::from_nanos(rng.below(30_000_000)), log),
        4 => {
            let names = QdiscConfig::names();
            let name = names[rng.below(names.len() as u64) as usize];
            let LinkQueue::Disciplined(queue) =
                disciplined(&config_of(name), Rate::from_mbit(1), rng.next_u64())
            else {
                unreachable!("a discipline")
            };
            fabric.set_queue(link, queue, log);
        }
        5 => fabric.set_impairment(link, Some(random_impairment(rng)), log),
        _ => fabric.set_impairment(link, None, log),
    }
}

/// Packets sent are received, dropped, unroutable or still inside; and each link's books balance.
fn assert_conserved(fabric: &mut Fabric<Header>, sent: u64, log: &mut Log) -> Result<(), TestCaseError> {
    let links: Vec<_> = (0..fabric.link_count() as u32).map(LinkId).collect();
    for link in &links {
        fabric.settle(*link, log);
    }
    let inside: u64 = links.iter().map(|l| fabric.link(*l).occupancy()).sum();
    let gone = (log.received.len() + log.dropped.len() + log.unroutable.len()) as u64;
    prop_assert_eq!(sent + log.duplicated.len() as u64, gone + inside);
    for id in links {
        let link = fabric.link(id);
        let (c, backlog) = (link.counters(), link.backlog());
        let drops = log.dropped.iter().filter(|d| d.1 == id);
        prop_assert_eq!(c.removed_total(), drops.count() as u64);
        prop_assert_eq!(c.marked, log.marked.iter().filter(|m| m.1 == id).count() as u64);
        let of = |all: &[(LinkId, u16)]| all.iter().filter(|(link, _)| *link == id).count() as u64;
        prop_assert_eq!((c.duplicated, c.corrupted), (of(&log.duplicated), of(&log.damaged)));
        prop_assert_eq!(c.arrived + c.duplicated, c.delivered + c.removed_total() + link.occupancy());
        prop_assert_eq!(c.enqueued(), c.dequeued + c.expelled + backlog.packets);
        prop_assert!(backlog.bytes <= Bytes(backlog.packets * 1500));
    }
    let delivered: u64 =
        (0..fabric.link_count()).map(|l| fabric.link(LinkId(l as u32)).counters().delivered).sum();
    prop_assert_eq!(delivered, fabric.hops());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn every_packet_is_somewhere_at_any_time(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let (mut fabric, addresses) = random_network(&mut rng);
        let mut log = Log::default();
        let mut sent = 0;
        for _ in 0..60 {
            for _ in 0..rng.below(30) {
                let pick = |rng: &mut Rng| addresses[rng.below(addresses.len() as u64) as usize];
                let (src, dst) = (pick(&mut rng), pick(&mut rng));
                let mut pkt = header(sent as u16, src, dst, 40 + rng.below(1461));
                pkt.ecn = if rng.bernoulli(0.5) { Ecn::Ect0 } else { Ecn::NotEct };
                pkt.flow = rng.below(20) as u16;
                fabric.send(src, pkt, &mut log);
                sent += 1;
            }
            fabric.run_until(fabric.now() + Duration::from_nanos(rng.below(20_000_000)), &mut log);
            if rng.bernoulli(0.3) {
                random_fault(&mut fabric, &mut rng, &mut log);
            }
            if rng.bernoulli(0.3) {
                assert_conserved(&mut fabric, sent, &mut log)?;
            }
        }
        for link in 0..fabric.link_count() as u32 {
            fabric.set_links_up(&[LinkId(link)], true, false, &mut log);
        }
        fabric.run_until(Instant::from_secs(1000), &mut log);
        assert_conserved(&mut fabric, sent, &mut log)?;
        let inside: u64 = (0..fabric.link_count()).map(|l| fabric.link(LinkId(l as u32)).occupancy()).sum();
        prop_assert_eq!(inside, 0, "with time everything leaves");
        prop_assert!(log.received.is_sorted_by_key(|r| r.0));
    }
}
