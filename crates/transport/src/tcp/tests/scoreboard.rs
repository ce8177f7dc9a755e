//! The scoreboard by itself: whatever happens to it, its sums and the places where its searches go on are right.

use crate::tcp::send::scoreboard::Scoreboard;
use proptest::prelude::*;
use tailrace_core::{Duration, Instant};

/// Operation on a scoreboard; positions are in segments of 100 bytes above SND.UNA.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send(u64),
    Ack(u64),
    Sack(u64, u64),
    MarkLost(u16),
    MarkHead,
    MarkOverdue(u64),
    Timeout,
    TimeoutByAge(u64),
    Unmark,
    ClearSacks,
    ForgetFlags,
    ResendLost,
    ResendHole,
    LoseResent,
}

/// ACKs, SACKs and repairs are frequent; that something is taken back is rare.
fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1u64..20).prop_map(Step::Send),
        4 => (0u64..600).prop_map(Step::Ack),
        12 => (0u64..40, 1u64..6).prop_map(|(from, len)| Step::Sack(from, len)),
        4 => (1u16..5).prop_map(Step::MarkLost),
        1 => Just(Step::MarkHead),
        2 => (0u64..300).prop_map(Step::MarkOverdue),
        1 => Just(Step::Timeout),
        1 => (0u64..300).prop_map(Step::TimeoutByAge),
        1 => Just(Step::Unmark),
        1 => Just(Step::ClearSacks),
        1 => Just(Step::ForgetFlags),
        4 => Just(Step::ResendLost),
        8 => Just(Step::ResendHole),
        1 => Just(Step::LoseResent),
    ]
}

fn take(board: &mut Scoreboard, step: Step, resent: &mut Option<(u64, Instant)>, now: Instant) {
    match step {
        Step::Send(n) => (0..n).for_each(|_| board.push(board.nxt + 100, now)),
        Step::Ack(bytes) => {
            board.ack_to((board.una + bytes).min(board.nxt));
        }
        Step::Sack(from, len) => {
            let left = board.una + 100 * from;
            board.on_sack(&[(left, left + 100 * len)], |_| {});
        }
        Step::MarkLost(dup_thresh) => {
            board.mark_lost(dup_thresh);
        }
        Step::MarkHead => board.mark_head_lost(),
        Step::MarkOverdue(ms) => {
            let newest = (now - Duration::from_millis(ms.min(now.as_nanos() / 1_000_000)), board.nxt);
            board.mark_overdue(newest, now, Duration::from_millis(5));
        }
        Step::Timeout => board.mark_all_lost(),
        Step::TimeoutByAge(ms) => board.mark_overdue_at_timeout(now, Duration::from_millis(ms)),
        Step::Unmark => board.unmark_lost(),
        Step::ClearSacks => board.clear_sacks(),
        Step::ForgetFlags => board.forget_flags(),
        Step::ResendLost | Step::ResendHole => {
            let lost = matches!(step, Step::ResendLost);
            if let Some((start, end)) = if lost { board.next_lost() } else { board.next_hole() } {
                board.on_retransmitted(start, now);
                *resent = Some((end, now));
            }
        }
        Step::LoseResent => {
            if let Some((end, at)) = resent.take().filter(|(end, _)| *end > board.una) {
                board.mark_resent_lost(end, at);
            }
        }
    }
}

proptest! {
    #[test]
    fn sums_and_searches_agree_with_the_records(steps in prop::collection::vec(step(), 1..200)) {
        let (mut board, mut resent) = (Scoreboard::new(1), None);
        for (n, step) in steps.into_iter().enumerate() {
            take(&mut board, step, &mut resent, Instant::from_millis(10 * n as u64));
            board.check();
        }
    }
}
