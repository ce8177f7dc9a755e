//! Single settings of the profiles: each was found by comparing the model with its stack (docs/lab/validation.md).

use super::*;
use crate::config::{Pipe, RtoAfterMark};
use crate::segment::Flags;
use tailrace_core::Ecn;

/// Sends ten segments at once from an ns-2 SACK sender; `lost` says which transmissions of which segment never arrive.
fn ten_segments(change: impl Fn(&mut TcpConfig), lost: impl Fn(u32, u32) -> bool) -> Channel {
    let mut c = config(Profile::Ns2);
    (c.iw, c.window, c.initial_ssthresh) = (Some(10), Some(100), Some(100));
    change(&mut c);
    let mut ch = Channel::new([c.clone(), c], "newreno", [1, 1]);
    ch.ends[0].write(10_000);
    let half = Duration::from_millis(20);
    let mut seen = [0; 10];
    ch.run(
        |from, segment, _| {
            if from == 1 || segment.payload == 0 {
                return [Some(half), None];
            }
            let number = segment.seq.distance(SeqNumber(2)) as u32 / 1000;
            seen[number as usize] += 1;
            if lost(number, seen[number as usize]) { [None, None] } else { [Some(half), None] }
        },
        |ch| ch.delivered[1] == 10_000,
    );
    ch
}

#[test]
fn ns2_repairs_a_hole_with_fewer_than_three_sacks_above_it() {
    // tcp-sack1.cc send_much(): in fast recovery GetNextRetran() names any hole below the highest SACK. Segments 0 and
    // 7 are lost: only 8 and 9 lie above the second hole.
    let lost = |number, transmission| transmission == 1 && (number == 0 || number == 7);
    let ns2 = ten_segments(|_| {}, lost);
    assert_eq!((ns2.ends[0].stats().timeouts, ns2.ends[0].stats().retransmitted_segments), (0, 2));
    let is_lost_only =
        ten_segments(|c| (c.behaviour.repair_holes, c.behaviour.pipe) = (false, Pipe::Rfc6675), lost);
    assert_eq!(is_lost_only.ends[0].stats().timeouts, 1);
}

#[test]
fn ns2_sends_everything_again_after_a_timeout() {
    // tcp-sack1.cc timeout() clears the scoreboard and goes back to the oldest segment. Segment 0 is lost twice: with
    // SACKs kept its third transmission is all that is missing.
    let lost = |number, transmission| number == 0 && transmission <= 2;
    let kept = ten_segments(|c| c.behaviour.sack_after_rto = true, lost);
    assert_eq!((kept.ends[0].stats().timeouts, kept.ends[0].stats().retransmitted_segments), (1, 2));
    // The first ACK after it covers all ten, so that nothing more is sent; with segment 9 lost as well, 1 to 9 are.
    let lost = |number, transmission| transmission <= 2 && (number == 0 || number == 5);
    let kept =
        ten_segments(|c| c.behaviour.sack_after_rto = true, lost).ends[0].stats().retransmitted_segments;
    let cleared = ten_segments(|_| {}, lost).ends[0].stats().retransmitted_segments;
    assert!(cleared > kept, "{cleared} {kept}");
}

#[test]
fn a_syn_sent_again_asks_for_ecn_no_more() {
    // RFC 3168 §6.1.1.1; Linux tcp_retransmit_skb() with tcp_ecn_fallback.
    for (fallback, lost, agreed) in [(true, 1, false), (false, 1, true), (true, 0, true)] {
        let c = TcpConfig {
            ecn: true,
            behaviour: TcpBehaviour { ecn_fallback: fallback, ..config(Profile::Linux).behaviour },
            ..config(Profile::Linux)
        };
        let mut ch = Channel::new([c.clone(), c], "reno", [1, 1]);
        let mut syns = 0;
        ch.ends[0].write(1_000);
        ch.run(
            |from, segment, _| {
                syns += u32::from(from == 0 && segment.flags.has(Flags::SYN));
                if from == 0 && syns <= lost { [None, None] } else { [Some(Duration::from_millis(5)), None] }
            },
            |ch| ch.delivered[1] == 1_000,
        );
        assert_eq!(ch.ends.each_ref().map(|e| e.options.ecn), [agreed; 2], "{fallback} {lost}");
    }
}

#[test]
fn after_a_mark_ns2_keeps_ssthresh_through_a_timeout() {
    // TcpAgent::timeout: after a reduction for a mark only cwnd falls.
    for (rule, lowered) in [(RtoAfterMark::Keep, false), (RtoAfterMark::Lower, true)] {
        let mut c = TcpConfig {
            ecn: true,
            behaviour: TcpBehaviour { rto_after_mark: rule, ..config(Profile::Ns2).behaviour },
            ..config(Profile::Ns2)
        };
        (c.iw, c.window, c.initial_ssthresh) = (Some(20), Some(100), Some(20));
        let mut ch = Channel::new([c.clone(), c], "newreno", [1, 1]);
        ch.ends[0].write(10_000_000);
        let mut open = |_: usize, _: &Segment, _: u64| [Some(Duration::from_millis(20)), None];
        ch.drain(&mut open);
        while ch.ends[0].stats().ecn_reductions == 0 {
            ch.flying.values_mut().filter(|f| f.0 == 1).for_each(|f| f.1.ecn = Ecn::Ce);
            assert!(ch.step(&mut open));
        }
        let by_mark = ch.ends[0].cc.ssthresh().unwrap();
        assert_eq!(by_mark, Bytes(10_000), "half of 20");
        ch.flying.clear();
        while ch.ends[0].stats().timeouts == 0 {
            ch.step(&mut |_, _, _| [None, None]);
        }
        assert_eq!(ch.ends[0].cc.ssthresh().unwrap() < by_mark, lowered);
    }
}

#[test]
fn ends_tell_the_windows_that_a_kernel_tells() {
    // Captured at both ends of a flow of Linux 6.12: 44 segments of 1460 bytes in 65535, and what of that is promised still with a scale of
    // 7; 45 of 1448, and then half of the buffer less one segment, 64088, that grows by two segments with each that comes.
    let c = TcpConfig { mss: Bytes(1448), ..config(Profile::Linux) };
    let mut ch = Channel::new([c.clone(), c], "reno", [1, 1]);
    ch.ends[0].write(5 * 1448);
    let mut told = [Vec::new(), Vec::new()];
    ch.run(
        |from, segment, _| {
            told[from].push(segment.window);
            [Some(Duration::from_millis(20)), None]
        },
        |ch| ch.delivered[1] == 5 * 1448,
    );
    assert_eq!(told[0][..4], [64_240, 502, 502, 502]);
    assert_eq!(told[1][..6], [65_160, 524, 546, 569, 592, 614]);
}
