//! Tests of the penalties for subflows that block the receive window.

use super::*;

/// The two paths' places in the connection.
fn places(w: &World) -> [usize; 2] {
    [0, 1].map(|n| w.ends[0].subflows().find(|s| (s.local, s.remote) == (n, n)).expect("it is up").id)
}

/// Round trips in ms, and whether a loss or a timeout is being repaired; windows are the same.
fn look_like(w: &mut World, paths: [(u64, bool, bool); 2]) {
    for (id, (ms, recovery, loss)) in places(w).into_iter().zip(paths) {
        let view = &mut w.ends[0].subflows.views_mut()[id];
        (view.srtt, view.in_recovery, view.in_loss) = (Duration::from_millis(ms), recovery, loss);
        view.cwnd = tailrace_core::Bytes(20_000);
    }
}

/// A connection over 10 and 100 ms that sends, with penalties of this kind.
fn penalising(kind: Penalisation) -> World {
    let mut plan = usual();
    plan.mptcp.penalisation = kind;
    let mut w = World::new(&plan, &[Path::new(10, 0.0), Path::new(100, 0.0)], 3);
    w.ends[0].write(UNLIMITED);
    w.run_for(1);
    let subflows = &mut w.ends[0].subflows;
    (0..subflows.len()).for_each(|id| subflows[id].penalty_over = Instant::ZERO);
    look_like(&mut w, [(20, false, false), (200, false, false)]);
    w
}

#[test]
fn penalties_come_at_most_once_a_round_trip_and_spare_who_repairs() {
    let calm = [(20, false, false), (200, false, false)];
    let penalise = |w: &mut World, of: usize, after: u64, paths| {
        look_like(w, paths);
        let (places, before) = (places(w), w.ends[0].stats().penalties);
        let at = w.now.saturating_add(Duration::from_millis(after));
        w.ends[0].penalise(places[of], places[1 - of], at);
        w.ends[0].stats().penalties - before
    };
    let mut w = penalising(Penalisation::None);
    assert_eq!(penalise(&mut w, 1, 0, calm), 0);

    let mut w = penalising(Penalisation::Linux);
    for (recovery, loss) in [(true, false), (false, true)] {
        let repairs = [calm[0], (200, recovery, loss)];
        assert_eq!(penalise(&mut w, 1, 0, repairs), 0, "its window has been lowered by the loss");
    }
    // Once a round trip of the subflow that waits.
    assert_eq!([0, 19, 20, 39, 40].map(|ms| penalise(&mut w, 1, ms, calm)), [1, 0, 1, 0, 1]);

    // Once a round trip of its own, and only where it is the slower.
    let mut w = penalising(Penalisation::Nsdi2012);
    assert_eq!(penalise(&mut w, 0, 0, calm), 0);
    assert_eq!([0, 199, 200].map(|ms| penalise(&mut w, 1, ms, calm)), [1, 0, 1]);
    let (cwnd, ssthresh) = w.ends[0].subflows[places(&w)[1]].tcp.windows();
    assert_eq!(Some(cwnd), ssthresh, "slow start is over");
}
