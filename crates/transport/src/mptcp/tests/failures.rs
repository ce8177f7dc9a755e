//! Tests of paths that die, come back or are silent, with each profile.

use super::*;
use crate::mptcp::EchoWait;
use crate::mptcp::scheduler::LinuxSchedulerConfig;
use crate::segment::Flags;
use tailrace_core::params::Parameters as _;

pub(super) fn profile(profile: Profile) -> MptcpPlan {
    let mut plan = MptcpPlan::for_profile(profile);
    if profile == Profile::Linux {
        // Its own joins the peer's first address only, which one path of these worlds leads to.
        plan.path_manager = PathManagerConfig::default_of("fullmesh").unwrap();
    }
    plan.tcp = Arc::new(TcpConfig { mss: tailrace_core::Bytes(1000), ..(*plan.tcp).clone() });
    plan
}

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// A receive buffer so small that what is held up on one path soon stops the other.
fn with_little_buffer(name: Profile) -> MptcpPlan {
    let mut plan = profile(name);
    limit(&mut plan, 100_000);
    plan
}

fn limit(plan: &mut MptcpPlan, receive_buffer: u64) {
    let receive_buffer = tailrace_core::Bytes(receive_buffer);
    plan.tcp = Arc::new(TcpConfig { receive_buffer, ..(*plan.tcp).clone() });
}

/// Two equal paths; the second takes nothing from 1 s to `until`.
fn silent_from_1s(plan: &MptcpPlan, until: Instant) -> World {
    let mut paths = [Path::new(10, 0.0), Path::new(10, 0.0)];
    paths[1].down = (ms(1000), until);
    World::new(plan, &paths, 1)
}

/// The second subflow's bytes so far, and whether it may carry more.
fn second(w: &World) -> (u64, bool) {
    let s = w.ends[0].subflows().nth(1).unwrap();
    (s.stats.scheduled_bytes, s.usable)
}

#[test]
fn every_profile_survives_being_written_and_read_back() {
    for profile in [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux, Profile::Mptcp094] {
        let config = MptcpConfig::for_profile(profile);
        let mut copy = MptcpConfig { max_subflows: 1, ..MptcpConfig::default() };
        for p in MptcpConfig::params() {
            copy.set(p.name, &config.get(p.name).unwrap()).unwrap();
        }
        for p in MptcpBehaviour::params() {
            copy.behaviour.set(p.name, &config.behaviour.get(p.name).unwrap()).unwrap();
        }
        assert_eq!(copy, config);
    }
}

#[test]
fn backoffs_of_subflows_and_of_the_data_timer_do_not_multiply() {
    // Both paths take nothing from 1 s on. The timer expires after twice a timeout of 1 s, and after twice as long each
    // time: at 3, 7, 15 and 31 s, or a little later, as subflows back off at the same pace.
    let mut paths = [Path::new(10, 0.0), Path::new(10, 0.0)];
    paths.iter_mut().for_each(|p| p.down = (ms(1000), ms(100_000)));
    let mut plan = profile(Profile::Rfc);
    plan.mptcp.behaviour.avoid_failed = false;
    let mut w = World::new(&plan, &paths, 1);
    w.ends[0].write(UNLIMITED);
    w.run(ms(40_000));
    assert!((3..=5).contains(&w.ends[0].stats().data_timeouts), "{}", w.ends[0].stats().data_timeouts);
}

#[test]
fn out_of_tree_linux_passes_a_silent_subflow_over_from_its_first_timeout_on() {
    let mut w = silent_from_1s(&with_little_buffer(Profile::Mptcp094), ms(3000));
    w.ends[0].write(UNLIMITED);
    w.run(ms(1000));
    assert_eq!(w.ends[0].stats().reinjected_bytes, 0);
    let after = time_until(&mut w, 1000, |w| !second(w).1);
    // A round trip of 20 ms, and queues: a timeout of 200 ms and a little.
    assert!((200..400).contains(&after), "{after} ms");
    assert_eq!(w.ends[0].stats().timeouts, 1);
    let (carried, _) = second(&w);
    w.run(ms(2900));
    assert_eq!(second(&w), (carried, false));
    assert!(w.ends[0].stats().reinjected_bytes > 0);
    assert_eq!(w.ends[0].stats().stale_subflows, 0);
    // It is used again at the first timeout after the path is back: 0.2, 0.6, 1.4 and 3 s after it fell silent.
    let back = time_until(&mut w, 3000, |w| second(w).1) + 2900 - 1000;
    assert!((3000..4600).contains(&back), "{back} ms after it fell silent");
}

/// Upstream Linux whose subflows are given what leaves at once.
fn without_queues() -> MptcpPlan {
    let mut plan = profile(Profile::Linux);
    let scheduler = LinuxSchedulerConfig { fill_queues: false, ..LinuxSchedulerConfig::default() };
    plan.scheduler = SchedulerConfig::LinuxScheduler(scheduler);
    plan.mptcp.behaviour.counts_memory = false;
    plan
}

#[test]
fn upstream_linux_gives_a_silent_subflow_more_than_its_window_and_takes_it_back_once_it_is_stale() {
    let mut w = silent_from_1s(&with_60_packets(), ms(20_000));
    w.ends[0].write(UNLIMITED);
    w.run(ms(1000));
    assert!(unsent(&w) > 10_000, "{}", unsent(&w));
    // Five data-level timeouts, each after the loss probe or timeout that is due last on a subflow that is not silent.
    let after = time_until(&mut w, 3000, |w| w.ends[0].stats().stale_subflows == 1);
    assert!((300..2500).contains(&after), "{after} ms");
    let (before, held) = (w.delivered[1], unsent(&w));
    w.run_for(1);
    // A packet takes 0.5 ms: a second has 2000 of 1000 bytes, some of which are sent again.
    assert!(w.delivered[1] > before + 1_500_000, "{}", w.delivered[1] - before);
    assert!(w.ends[0].stats().reinjected_bytes > held, "what it held is sent again");
}

/// Upstream Linux with no more than 60 packets of a subflow on their way: paths here have queues without end.
fn with_60_packets() -> MptcpPlan {
    let mut plan = profile(Profile::Linux);
    plan.tcp = Arc::new(TcpConfig { window: Some(60), ..(*plan.tcp).clone() });
    plan
}

/// Data that the second subflow was given and has not sent.
fn unsent(w: &World) -> u64 {
    let joined = w.ends[0].subflows.iter().filter(|s| s.state().has_joined() && !s.is_first());
    joined.map(|s| s.tcp.unsent()).sum()
}

#[test]
fn upstream_linux_repairs_what_a_silent_subflow_held_before_it_thinks_it_stale() {
    // Less than 32 KiB on its way is one data-level timeout's work; then nothing is held up any more.
    let mut plan = without_queues();
    limit(&mut plan, 60_000);
    let mut w = silent_from_1s(&plan, ms(5000));
    w.ends[0].write(UNLIMITED);
    w.run(ms(1500));
    let at = w.delivered[1];
    w.run(ms(4500));
    let stats = w.ends[0].stats();
    // Once more for what F-RTO sent.
    assert!(stats.data_timeouts <= 2 && stats.stale_subflows == 0, "{stats:?}");
    assert!(stats.reinjected_bytes <= 2 * 33_000 && w.delivered[1] > at + 5_900_000, "{stats:?}");
}

#[test]
fn upstream_linux_finds_a_subflow_stale_at_its_fifth_silent_timeout() {
    let mut plan = profile(Profile::Linux);
    limit(&mut plan, 1_200_000);
    let mut w = silent_from_1s(&plan, ms(9000));
    w.paths.iter_mut().for_each(|p| p.delay = Duration::from_millis(100));
    w.paths[1].down.0 = ms(4000);
    w.ends[0].write(UNLIMITED);
    w.run(ms(4000));
    let on_its_way = w.ends[0].subflows().nth(1).unwrap().view.in_flight.get();
    assert!(on_its_way > 5 * 33_000, "{on_its_way}");
    // Before the first round trip of 200 ms was over, no timer of a subflow was known.
    let before = w.ends[0].stats().data_timeouts;
    time_until(&mut w, 1500, |w| w.ends[0].stats().data_timeouts > before);
    let carried = second(&w).0;
    time_until(&mut w, 3000, |w| w.ends[0].stats().data_timeouts == before + 4);
    assert!(w.ends[0].stats().reinjected_bytes <= 4 * 33_000, "a fragment at a time");
    time_until(&mut w, 3000, |w| w.ends[0].stats().stale_subflows == 1);
    assert_eq!(w.ends[0].stats().data_timeouts - before, 5, "stale_loss_cnt is 4");
    w.run(ms(8900));
    assert_eq!(second(&w), (carried, false), "nothing new, and nothing again but what TCP repeats");
    assert!(w.ends[0].stats().reinjected_bytes >= on_its_way, "all that is not acknowledged");
    // TCP tries it again 0.4, 1.2, 2.8, 6 and 12.4 s after it fell silent, more or less.
    time_until(&mut w, 9000, |w| second(w).1);
    assert_eq!(w.ends[0].stats().stale_subflows, 1);
    time_until(&mut w, 2000, |w| second(w).0 > carried);
}

#[test]
fn upstream_linux_sends_what_is_oldest_again_on_an_idle_subflow() {
    for (backup, timeouts) in [(false, 1), (true, 2)] {
        let mut paths = [Path::new(10, 0.0), Path::new(10, 0.0)];
        paths[0].down = (ms(1000), Instant::MAX);
        let mut w = World::new(&profile(Profile::Linux), &paths, 1);
        w.ends[0].write(10_000);
        w.run(ms(500));
        // The first path alone carries what follows.
        w.ends[0].set_backup(1, true);
        w.run(ms(1000));
        w.ends[0].write(5_000);
        w.run(ms(1001));
        w.ends[0].set_backup(1, backup);
        time_until(&mut w, 2000, |w| w.ends[0].stats().reinjected_bytes > 0);
        assert_eq!(w.ends[0].stats().data_timeouts, timeouts, "backup {backup}");
        w.run_for(1);
        assert_eq!((w.delivered[1], w.ends[0].stats().reinjected_bytes), (15_000, 5_000));
    }
}

#[test]
fn addresses_are_announced_until_echoed_or_as_often_as_the_profile_says() {
    // Profile, number of lost ADD_ADDRs of the server, and whether it repeats often enough.
    let cases = [
        (Profile::Rfc, 6, true),
        (Profile::Linux, 3, true),
        (Profile::Linux, 4, false),
        (Profile::Mptcp094, 0, true),
        (Profile::Mptcp094, 1, false),
    ];
    for (name, mutes, arrives) in cases {
        let mut plan = profile(name);
        plan.path_manager = PathManagerConfig::default_of("fullmesh").unwrap();
        let mut w = World::new(&plan, &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
        w.ends[0].local_down(11, Instant::ZERO);
        w.mutes = mutes;
        w.ends[0].write(10_000);
        w.run_for(400);
        assert_eq!(w.announced[1], mutes + u32::from(arrives), "{name:?} {mutes}");
        w.ends[0].local_up(11, w.now);
        w.run_for(2);
        let subflows = w.ends[0].subflows().filter(|s| s.usable).count();
        assert_eq!(subflows, if arrives { 2 } else { 1 }, "{name:?} {mutes}");
        let echoes = u32::from(arrives && name != Profile::Mptcp094);
        assert_eq!(w.echoed[0], echoes, "{name:?} {mutes}");
        assert_eq!(w.announced[1], mutes + u32::from(arrives), "never again");
    }
}

#[test]
fn signals_of_paths_that_fail_together_use_the_first_or_the_fastest_subflow() {
    // The two that fail are faster than the one that stays.
    for (speaker, left) in [(Speaker::First, 1), (Speaker::Fastest, 2)] {
        let mut plan = profile(Profile::Linux);
        plan.mptcp.behaviour.speaker = speaker;
        let dead = Path { down: (ms(1000), Instant::MAX), ..Path::new(10, 0.0) };
        let mut w = World::new(&plan, &[Path::new(30, 0.0), dead, dead], 1);
        w.ends[0].write(100_000);
        w.run(ms(1000));
        assert_eq!(w.ends[0].subflows().count(), 3);
        // The loss of 21 is signalled while 22 still seems to be up.
        w.ends[1].local_down(21, w.now);
        w.drain();
        w.ends[1].local_down(22, w.now);
        w.run(ms(1500));
        let usable = w.ends[0].subflows().filter(|s| s.usable).count();
        assert_eq!(usable, left, "{speaker:?}");
    }
}

#[test]
fn unacknowledged_data_is_reinjected_when_a_subflow_without_any_is_closed() {
    for (reinject_all, again) in [(true, 1000), (false, 0)] {
        let mut plan = profile(Profile::Linux);
        plan.mptcp.behaviour.reinject_all = reinject_all;
        let dead = Path { down: (ms(500), Instant::MAX), ..Path::new(10, 0.0) };
        let mut w = World::new(&plan, &[dead, Path::new(30, 0.0), Path::new(30, 0.0)], 1);
        w.ends[0].write(1000);
        w.run(ms(500));
        // Nobody knows that this is lost, on the first subflow. The second had nothing so far.
        w.ends[0].write(1000);
        w.run(ms(520));
        let carried: Vec<u64> = w.ends[0].subflows().map(|s| s.stats.scheduled_bytes).collect();
        assert_eq!(carried, [2000, 0, 0]);
        w.ends[0].local_down(11, w.now);
        w.run(ms(600));
        assert_eq!((w.ends[0].stats().reinjected_bytes, w.ends[0].stats().data_timeouts), (again, 0));
    }
}

#[test]
fn announcements_wait_for_twice_as_long_each_time() {
    let mut plan = profile(Profile::Linux);
    plan.mptcp.behaviour.add_addr_wait = EchoWait::Rto;
    let mut w = World::new(&plan, &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.mutes = 100;
    w.ends[0].write(1);
    let mut at = Vec::new();
    for n in 1..=4 {
        time_until(&mut w, 5000, |w| w.announced[1] == n);
        at.push(w.now);
    }
    let gaps: Vec<u64> = at.windows(2).map(|w| w[1].saturating_since(w[0]).as_millis()).collect();
    // The timeout of the one subflow: 20 ms and a floor of 200 ms.
    assert!((200..300).contains(&gaps[0]), "{gaps:?}");
    assert!(gaps[1].abs_diff(2 * gaps[0]) < 20 && gaps[2].abs_diff(4 * gaps[0]) < 40, "{gaps:?}");
}

#[test]
fn upstream_linux_announces_again_after_two_minutes() {
    let mut w = World::new(&profile(Profile::Linux), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.mutes = 100;
    w.ends[0].write(1);
    time_until(&mut w, 5000, |w| w.announced[1] == 1);
    assert!((119_990..120_010).contains(&time_until(&mut w, 130_000, |w| w.announced[1] == 2)));
}

#[test]
fn a_mesh_of_64_pairs_has_31_subflows_and_refused_pairs_stay_refused() {
    let plan = profile(Profile::Mptcp094);
    let mut w = World::new(&plan, &[Path::new(10, 0.0); 8], 1);
    w.mesh = true;
    w.ends[0].write(UNLIMITED);
    w.run_for(5);
    let count = |w: &World| w.ends[0].subflows().count();
    let pairs = |w: &World| w.ends[0].paths().len();
    assert_eq!((count(&w), pairs(&w)), (31, 31));
    let of_11 = w.ends[0].subflows().filter(|s| s.tuple.local == 11).count();
    w.ends[0].local_down(11, w.now);
    w.run_for(5);
    assert_eq!((count(&w), pairs(&w)), (31 - of_11, 31), "places are free, but nobody asks again");
    w.ends[0].local_up(11, w.now);
    w.run_for(5);
    assert_eq!(count(&w), 31);
    let of_11: Vec<_> = w.ends[0].subflows().filter(|s| s.tuple.local == 11).map(|s| s.local).collect();
    assert_eq!(of_11, vec![8; of_11.len()], "the address has come back with a new id");
    // With one place more there is one pair more.
    let mut rfc = profile(Profile::Rfc);
    rfc.tcp = plan.tcp;
    let mut w = World::new(&rfc, &[Path::new(10, 0.0); 8], 1);
    w.mesh = true;
    w.ends[0].write(UNLIMITED);
    w.run_for(5);
    assert_eq!(count(&w), 32);
}

#[test]
fn a_path_that_returns_carries_data_at_once_or_half_a_second_later() {
    for (name, least, most) in [(Profile::Rfc, 40, 120), (Profile::Mptcp094, 540, 620)] {
        let mut w = World::new(&profile(name), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
        w.ends[0].write(UNLIMITED);
        w.run(ms(1000));
        w.ends[0].local_down(11, w.now);
        w.run(ms(1400));
        let gone = w.ends[0].subflows().all(|s| s.tuple.local != 11);
        assert_eq!(gone, name == Profile::Rfc);
        w.run(ms(3000));
        assert!(w.ends[0].subflows().all(|s| s.tuple.local != 11));
        w.ends[0].local_up(11, w.now);
        let carries = |s: SubflowReport| s.tuple.local == 11 && s.stats.scheduled_bytes > 0;
        let after = time_until(&mut w, 2000, |w| w.ends[0].subflows().any(carries));
        assert!((least..most).contains(&after), "{name:?}: {after} ms");
    }
}

#[test]
fn an_address_that_flaps_within_the_delay_keeps_its_subflows_and_its_id() {
    let mut w = World::new(&profile(Profile::Mptcp094), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    w.run(ms(1000));
    w.ends[0].local_down(11, w.now);
    w.run(ms(1300));
    w.ends[0].local_up(11, w.now);
    w.run(ms(5000));
    let ids: Vec<_> = w.ends[0].subflows().map(|s| s.local).collect();
    assert_eq!((ids, w.ends[0].stats().subflows_established), (vec![0, 1], 2));
}

#[test]
fn upstream_linux_moves_to_a_backup_when_the_only_regular_path_is_stale() {
    // The data in flight arrives over the backup before the first path is found stale; nothing is outstanding then, but
    // more waits. Linux 6.1 with 5 Mbit/s and 20 ms takes a little more than a second.
    let mut paths = [Path::new(10, 0.0), Path::new(10, 0.0)];
    paths[0].down = (ms(1000), ms(20_000));
    let mut w = World::new(&with_60_packets(), &paths, 1);
    w.run(ms(100));
    w.ends[0].set_backup(1, true);
    w.ends[0].write(UNLIMITED);
    w.run(ms(1000));
    assert_eq!(second(&w).0, 0, "a backup carries nothing beside a regular path");
    let after = time_until(&mut w, 3000, |w| w.ends[0].stats().stale_subflows == 1);
    assert!((300..2000).contains(&after), "{after} ms");
    w.run_for(1);
    // A packet takes 0.5 ms: a second has 2000 of 1000 bytes.
    let (before, _) = second(&w);
    w.run_for(1);
    let carried = second(&w).0 - before;
    assert!(carried > 1_900_000, "{carried}");
}

#[test]
fn a_join_that_has_begun_is_tried_again_while_there_is_no_route_and_counts() {
    for name in [Profile::Rfc, Profile::Mptcp094, Profile::Linux, Profile::Ns2, Profile::Ns3] {
        let mut w = World::new(&profile(name), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
        // The first SYN of the join is lost; the second one, a second or more later, has no route.
        w.eats = |_, t, eaten| {
            let joins = matches!(t.options.signal, Some(option::Signal::JoinSyn { .. }));
            joins && (t.tuple.local, t.tuple.remote) == (11, 21) && eaten == 0
        };
        w.ends[0].write(UNLIMITED);
        w.run(ms(800));
        assert_eq!((w.eaten, w.ends[0].tcp_stats().timeouts), (1, 0), "{name:?}");
        w.cut = Some(1);
        w.run(ms(3500));
        w.cut = None;
        w.run(ms(20_000));
        let (stats, tcp) = (w.ends[0].stats(), w.ends[0].tcp_stats());
        assert_eq!((stats.subflows_established, stats.subflows_lost), (2, 0), "{name:?}");
        assert!(stats.timeouts >= 1 && stats.timeouts == tcp.timeouts, "{name:?}: {stats:?} {tcp:?}");
        // It is told of with its path.
        let told: u32 = w.ends[0].paths().iter().map(|path| path.tcp.timeouts).sum();
        assert_eq!(told, stats.timeouts, "{name:?}");
    }
}

#[test]
fn upstream_linux_looks_at_its_subflows_again_each_time_that_it_repairs_a_fragment() {
    // The peer's window is used up, and the send buffer so large that the application waits: nothing but the data timer hands out.
    let mut plan = profile(Profile::Linux);
    let send_buffer = Some(tailrace_core::Bytes(2_000_000));
    let receive_buffer = tailrace_core::Bytes(400_000);
    plan.tcp = Arc::new(TcpConfig { tcp_rmem: None, receive_buffer, send_buffer, ..(*plan.tcp).clone() });
    let mut w = silent_from_1s(&plan, ms(20_000));
    w.paths.iter_mut().for_each(|p| p.delay = Duration::from_millis(300));
    w.paths[1].down.0 = ms(6000);
    w.ends[0].write(UNLIMITED);
    w.run(ms(6000));
    // From now on round trips of the other path are short.
    w.paths[0].delay = Duration::from_millis(5);
    let gaps = [(); 4].map(|()| {
        let before = w.ends[0].stats().data_timeouts;
        time_until(&mut w, 2000, |w| w.ends[0].stats().data_timeouts > before)
    });
    // Twice until timers of long round trips are over, then some 200 ms after fragments have been acknowledged; else both would take 800 ms.
    assert!(gaps[1] > 800 && gaps[2] + gaps[3] < 1000, "{gaps:?}");
}

#[test]
fn a_peer_whose_window_is_shut_is_asked_for_it_if_the_ack_that_opened_it_was_lost() {
    let mut plan = profile(Profile::Linux);
    let receive_buffer = tailrace_core::Bytes(8_000);
    plan.tcp = Arc::new(TcpConfig { tcp_rmem: None, receive_buffer, ..(*plan.tcp).clone() });
    let mut w = World::new(&plan, &[Path::new(10, 0.0)], 1);
    w.ends[1].set_auto_read(false);
    w.ends[0].write(100_000);
    w.run(ms(3000));
    // The application has not read, so the window is shut. It reads while nothing gets through.
    let before = w.ends[1].stats().bytes_delivered;
    assert!(before < 100_000 && w.ends[0].snd.is_shut_out());
    w.paths[0].down = (ms(3000), ms(3500));
    assert_eq!(w.ends[1].read(u64::MAX, w.now), before);
    w.run(ms(3500));
    assert_eq!(w.ends[0].tcp_stats().timeouts, 0, "nothing was on its way");
    w.ends[1].set_auto_read(true);
    w.run(ms(20_000));
    assert_eq!(w.ends[1].stats().bytes_delivered, 100_000);
}

#[test]
fn a_receive_buffer_grows_after_the_fallback_and_without_timestamps() {
    // 2 MB/s and 200 ms: 64 KiB are a sixth of what the path holds.
    let none = |_: usize, _: &Segment| false;
    let all = |_: usize, _: &Segment| true;
    let syns = |_: usize, s: &Segment| s.flags.has(Flags::SYN);
    let data = |_: usize, s: &Segment| !s.flags.has(Flags::SYN);
    let strips: [fn(usize, &Segment) -> bool; 4] = [none, all, syns, data];
    for name in [Profile::Linux, Profile::Linux61] {
        for (case, strips) in strips.into_iter().enumerate() {
            for timestamps in [true, false] {
                let mut plan = profile(name);
                plan.tcp = Arc::new(TcpConfig { timestamps, ..(*plan.tcp).clone() });
                let mut w = World::new(&plan, &[Path { strips, ..Path::new(100, 0.0) }], 1);
                w.ends[0].write(UNLIMITED);
                w.run_for(5);
                let before = w.delivered[1];
                w.run_for(2);
                assert_eq!(w.ends.each_ref().map(Mptcp::is_fallback), [case > 0; 2]);
                let rate = (w.delivered[1] - before) / 2;
                assert!(rate > 1_900_000, "{name:?} {case}, timestamps {timestamps}: {rate} B/s");
            }
        }
    }
}

#[test]
fn the_send_buffer_of_the_first_subflow_counts_to_the_end() {
    // Send buffer after one of two equal paths is gone, whose address this end withdraws.
    let held = |gone: u32| {
        let mut w = World::new(&with_60_packets(), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
        w.ends[0].write(UNLIMITED);
        w.run(ms(1000));
        w.ends[0].local_down(gone, w.now);
        w.run(ms(2000));
        assert_eq!(w.ends[0].subflows().filter(|s| s.usable).count(), 1);
        w.ends[0].snd.outstanding() + w.ends[0].snd.unassigned()
    };
    let (first, second) = (held(10), held(11));
    assert!(first > second * 3 / 2, "{first} and {second}");
}

#[test]
fn subflows_that_linger_make_place_for_others() {
    // Several addresses that return at once ask for as many places.
    for returning in [1, 4] {
        let mut w =
            World::new(&profile(Profile::Linux), &vec![Path::new(10, 0.0); 1 + returning as usize], 1);
        // Joins succeed over all paths but the first, but neither data nor a FIN comes through: each subflow tries on and on.
        w.eats = |from, t, _| {
            let last = t.segment.flags.has(Flags::FIN);
            from == 0 && t.tuple.local > 10 && (t.segment.payload > 0 || last)
        };
        w.ends[0].write(UNLIMITED);
        w.run(ms(1000));
        for _ in 0..MAX_SUBFLOWS + 8 {
            (11..=10 + returning).for_each(|address| w.ends[0].local_down(address, w.now));
            w.drain();
            (11..=10 + returning).for_each(|address| w.ends[0].local_up(address, w.now));
            w.run(w.now.saturating_add(Duration::from_millis(200)));
        }
        assert_eq!(w.ends[0].subflows.len(), MAX_SUBFLOWS, "{returning}");
        assert!(returning > 1 || w.ends[0].progress().0 > 1_000_000);
    }
}
