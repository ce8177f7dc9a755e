//! The model against what was reckoned by hand.

use super::*;

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn us(us: u64) -> Instant {
    Instant::from_nanos(us * 1000)
}

/// A channel of 12 Mbit/s, 1500 bytes a subframe, with blocks that fail with this probability.
fn config(block_error: f64) -> LteConfig {
    LteConfig {
        rates: Rates(vec![Rate::from_mbit(12)]),
        block_error: Probability::new(block_error).unwrap(),
        ..LteConfig::default()
    }
}

/// When a packet is sent that comes at a time to an idle link: how it fares.
fn send(link: &mut Lte, at: Instant, bytes: u64) -> Transmission {
    let opens = link.opens(at).unwrap_err();
    assert_eq!(link.opens(opens), Ok(()));
    link.send(Bytes(bytes), opens)
}

#[test]
fn a_packet_takes_the_next_subframe_and_is_decoded_after_it() {
    let mut link = config(0.0).build(Rng::new(1));
    // Subframe 3 begins at 3 ms, ends at 4 and is decoded at 7.
    let sent = send(&mut link, us(2_100), 1500);
    assert_eq!(sent, Transmission { arrives: ms(7), left: ms(4), free: ms(4), lost: false });
    link.idle(ms(4));
    // A packet that arrives when a subframe begins has missed it.
    assert_eq!(link.opens(ms(9)), Err(ms(10)));
}

#[test]
fn packets_share_a_block_and_span_several() {
    let mut link = config(0.0).build(Rng::new(1));
    let mut fates = vec![send(&mut link, us(500), 500)];
    for bytes in [500, 500, 4000, 100] {
        let at = fates[fates.len() - 1].free;
        assert_eq!(link.opens(at), Ok(()));
        fates.push(link.send(Bytes(bytes), at));
    }
    // Three fill subframe 1; 4000 bytes take 2, 3 and 1000 bytes of 4, where there is room for the last.
    let times: Vec<_> = fates.iter().map(|s| (s.arrives, s.free)).collect();
    let [one, two, four] = [(ms(5), ms(1)), (ms(5), ms(2)), (ms(8), ms(4))];
    assert_eq!(times, [one, one, two, four, four]);
    // The rest of subframe 4 is lost when nothing waits.
    link.idle(ms(4));
    assert_eq!(send(&mut link, us(4_300), 1500).arrives, ms(9));
}

#[test]
fn bits_that_make_no_byte_are_carried_to_the_next_block() {
    // 100 kbit/s are 12.5 bytes a subframe: 125 bytes take ten, and not eleven.
    let slow = LteConfig { rates: Rates(vec![Rate::from_bps(100_000)]), ..config(0.0) };
    let sent = send(&mut slow.build(Rng::new(1)), us(500), 125);
    assert_eq!(sent.left, ms(11));
}

#[test]
fn a_block_that_fails_is_sent_again_after_a_round_trip_and_those_behind_it_wait() {
    // The first transmission fails and the second does not: subframe 1, then 9.
    let once = LteConfig { retransmission_error: Some(Probability::ZERO), ..config(1.0) };
    let mut link = once.build(Rng::new(1));
    let first = send(&mut link, us(500), 1500);
    assert_eq!((first.arrives, first.free, first.lost), (ms(13), ms(2), false));
    // Blocks that do not fail would have been through at 6 ms to 11 ms.
    link.harq.fails = [0.0; 2];
    let next: Vec<_> = (2..9).map(|at| link.send(Bytes(1500), ms(at))).collect();
    assert!(next.iter().all(|sent| sent.arrives == ms(13) && !sent.lost));
    // Subframe 9 is taken, so the next new block is that of 10, which is through at 14 ms.
    assert_eq!(next[6].free, ms(10));
    assert_eq!(link.send(Bytes(1500), ms(10)).arrives, ms(14));
}

#[test]
fn a_block_that_never_comes_through_is_lost_or_recovered() {
    let mut link = config(1.0).build(Rng::new(1));
    // Four transmissions, in subframes 1, 9, 17 and 25.
    let sent = send(&mut link, us(500), 700);
    assert_eq!((sent.arrives, sent.lost), (ms(29), true));
    // A packet of which a part is in that block is lost, too.
    link.harq.fails = [0.0; 2];
    assert!(link.send(Bytes(900), ms(1)).lost);
    assert!(!link.send(Bytes(100), ms(2)).lost);
    let acknowledged = LteConfig { rlc_retransmission: Duration::from_millis(40), ..config(1.0) };
    let sent = send(&mut acknowledged.build(Rng::new(1)), us(500), 700);
    assert_eq!((sent.arrives, sent.lost), (ms(69), false));
}

#[test]
fn after_silence_a_grant_is_asked_for() {
    let uplink = LteConfig {
        request: Duration::from_millis(8),
        request_period: Duration::from_millis(10),
        silence: Duration::from_millis(5),
        ..config(0.0)
    };
    let mut link = uplink.build(Rng::new(1));
    // At first all is silent: the request goes out at 10 ms, and data at 18 ms.
    assert_eq!(
        send(&mut link, us(500), 1500),
        Transmission { arrives: ms(22), left: ms(19), free: ms(19), lost: false }
    );
    link.idle(ms(19));
    // Within 5 ms the network still grants.
    assert_eq!(link.opens(us(23_900)), Err(ms(24)));
    link.send(Bytes(1), ms(24));
    link.idle(ms(24));
    assert_eq!(link.opens(ms(29)), Err(ms(38)));
    link.idle(ms(38));
    // A packet that arrives at the time of an occasion has missed it.
    assert_eq!(link.opens(ms(50)), Err(ms(68)));
}

#[test]
fn reset_drops_blocks_under_way() {
    let mut link = config(1.0).build(Rng::new(1));
    assert_eq!(send(&mut link, us(500), 1500).arrives, ms(29));
    link.reset(us(3_500));
    link.harq.fails = [0.0; 2];
    // Neither is subframe 9 taken, nor does the next wait for what was lost.
    assert_eq!(send(&mut link, us(8_500), 1500).arrives, ms(13));
}

#[test]
fn times_are_whole_subframes() {
    let odd = LteConfig { round_trip: Duration::from_nanos(2_500_000), ..config(0.0) };
    assert_eq!(odd.validate().unwrap_err().0, "round_trip");
    assert_eq!(LteConfig::default().validate().unwrap_err().0, "rates");
    assert_eq!(config(0.1).validate(), Ok(()));
}

/// Three states with means of 100 ms each.
fn chain() -> LteConfig {
    LteConfig { rates: Rates([2, 8, 30].map(Rate::from_mbit).to_vec()), ..config(0.1) }
}

#[test]
fn the_chain_has_its_mean_and_goes_to_neighbours() {
    // Weights 1, 2, 1: (2 + 16 + 30) / 4.
    assert_eq!(chain().mean(), Rate::from_mbit(12));
    let hour = 3_600_000;
    let mut channel = RateChain::new(&chain().rates.0, chain().dwell, Rng::new(5));
    let rates: Vec<u64> = (0..hour).map(|subframe| channel.rate(subframe) / 1_000_000).collect();
    let mean = rates.iter().sum::<u64>() as f64 / hour as f64;
    assert!((mean - 12.0).abs() < 0.3, "{mean}");
    assert!(rates.windows(2).all(|w| w[0] == w[1] || w[0] == 8 || w[1] == 8));
    let turns = rates.windows(2).filter(|w| w[0] != w[1]).count() as f64;
    assert!((turns / 36_000.0 - 1.0).abs() < 0.03, "{turns}");
    // Mbit/s times milliseconds are kbit. What it could carry is the same sum, however it is cut.
    let bits = RateChain::new(&chain().rates.0, chain().dwell, Rng::new(5)).bits(Instant::ZERO, ms(hour));
    assert!((bits / 1e3 - rates.iter().sum::<u64>() as f64).abs() < 1.0);
    let part = |from, to| chain().bits(Rng::new(9), us(from), us(to));
    assert!((part(0, 700_300) + part(700_300, 5_000_000) - part(0, 5_000_000)).abs() < 1.0);
}

#[test]
fn the_share_that_fails_takes_the_place_of_new_blocks() {
    // Endless backlog, 1500 bytes a packet and block. Of ever so many transmissions one, two, three or four: 1 + p + p² + p³.
    let p = 0.3;
    let mut link = config(p).build(Rng::new(3));
    let n = 200_000;
    let (mut at, mut lost) = (ms(0), 0.0);
    at = link.opens(at).unwrap_err();
    for _ in 0..n {
        let sent = link.send(Bytes(1500), at);
        assert!(sent.free > at && sent.arrives >= sent.left);
        lost += f64::from(u8::from(sent.lost));
        at = sent.free;
    }
    let a_subframe = f64::from(n) / at.as_secs_f64() / 1000.0;
    assert!((a_subframe * (1.0 + p + p * p + p * p * p) - 1.0).abs() < 0.01, "{a_subframe}");
    assert!((lost / f64::from(n) - p * p * p * p).abs() < 0.0008, "{lost}");
}

#[test]
fn the_channel_does_not_depend_on_what_is_sent() {
    let config = LteConfig { dwell: Duration::from_millis(3), ..chain() };
    let after = |pause: u64| {
        let mut link = config.build(Rng::new(7));
        let mut at = ms(0);
        while at < ms(20_000) {
            at = send(&mut link, at, 20_000).left.saturating_add(Duration::from_millis(pause));
            link.idle(at);
        }
        (30_000..30_100).map(|subframe| link.channel.rate(subframe)).collect::<Vec<_>>()
    };
    assert_eq!(after(1), after(900));
}
