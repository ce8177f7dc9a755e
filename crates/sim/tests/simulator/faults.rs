//! Links that fail and change while traffic runs.

use crate::support::{Run, Text, assert_close};
use tailrace_core::Instant;
use tailrace_sim::{Control, Simulation};

/// Two paths from r1 to r2: a short one of 10 Mbit/s, and a detour over r3 of 2 Mbit/s.
fn two_ways(app: &str, fault: &str) -> Run {
    Text::new("60 s")
        .top("record = { events = true }")
        .hosts("src", 1)
        .hosts("dst", 1)
        .router("r1")
        .router("r2")
        .router("r3")
        .link("src[*]", "r1", "100 Mbit/s", "1 ms", "")
        .link("r1", "r2", "10 Mbit/s", "10 ms", "name = \"short\"")
        .link("r1", "r3", "2 Mbit/s", "20 ms", "name = \"detour\"")
        .link("r3", "r2", "2 Mbit/s", "20 ms", "")
        .link("r2", "dst[*]", "100 Mbit/s", "1 ms", "")
        .tcp("cc = \"newreno\", mss = \"1000 B\"", app)
        .add(&format!("[[fault]]\n{fault}"))
        .run()
}

#[test]
fn link_down_reroutes_traffic_over_the_detour() {
    let run = two_ways("\"bulk\"", "at = \"20 s\"\nuntil = \"40 s\"\nlink = \"short\"\nkind = \"down\"");
    // The detour carried nearly all of 20 s at 2 Mbit/s: the timeout takes up to 2 s to find it, and its queue holds at most 1000
    // packets of 1052 B at the end, 4.2 s.
    let detour = run.leaf("queues.r1->r3.utilization") * 60.0;
    assert!(detour > 17.0 && detour <= 24.3, "{detour} s");
    let short = run.leaf("queues.r1->r2.utilization") * 60.0;
    assert!(short > 30.0 && short < 40.0, "{short} s");
    assert!(run.leaf("queues.r1->r2.dropped_packets.link_down") > 0.0);
    assert_eq!(
        run.tcp("lost_packets"),
        run.leaf("queues.r1->r2.dropped_packets.link_down")
            + run.leaf("queues.r1->r2.dropped_packets.overlimit")
            + run.leaf("queues.r1->r3.dropped_packets.overlimit")
    );
    // Both directions of one link, down and up again.
    let kinds = run.words("events", "kind");
    assert_eq!(kinds.iter().filter(|k| *k == "fault").count(), 4);
    let times: Vec<f64> = run.column("events", "time_s");
    assert!(times.is_sorted());
    let drops = kinds.iter().filter(|k| *k == "drop").count();
    // Lost ACKs have rows, too.
    assert!(drops as f64 >= run.tcp("lost_packets"));
}

#[test]
fn blackhole_is_not_rerouted() {
    let run = two_ways("\"bulk\"", "at = \"20 s\"\nuntil = \"40 s\"\nlink = \"short\"\nkind = \"blackhole\"");
    assert_eq!(run.leaf("queues.r1->r3.utilization"), 0.0);
    // Timeouts of 1, 2, 4 and 8 s from 20 s on end at 35 s, the next at 51 s: 9 s remain.
    let short = run.leaf("queues.r1->r2.utilization") * 60.0;
    assert!(short > 20.0 && short < 30.0, "{short} s");
    assert!((4.0..=6.0).contains(&run.tcp("timeouts")), "{}", run.tcp("timeouts"));
}

#[test]
fn transfer_completes_through_every_link_fault() {
    let faults = [
        "at = \"1 s\"\nuntil = \"3 s\"\nlink = \"short\"\nkind = \"down\"",
        "at = \"1 s\"\nuntil = \"3 s\"\nlink = \"short\"\nkind = \"blackhole\"",
        "at = \"1 s\"\nuntil = \"3 s\"\nlink = \"short\"\nkind = \"rate\"\nvalue = \"500 kbit/s\"",
        "at = \"1 s\"\nuntil = \"3 s\"\nlink = \"short\"\nkind = \"delay\"\nvalue = \"200 ms\"",
        "at = \"1 s\"\nuntil = \"3 s\"\nlink = \"short\"\nkind = \"loss\"\nvalue = \"20 %\"",
    ];
    for fault in faults {
        let run = two_ways("{ kind = \"transfer\", size = \"4 MB\" }", fault);
        assert_eq!(run.flows("tcp", "delivered_bytes"), [4e6], "{fault}");
        assert_eq!(run.tcp("completed"), 1.0, "{fault}");
        // A transfer of 4 MB with headers takes 3.37 s at 10 Mbit/s. The queue makes up for the change of delay; other faults
        // cost time.
        let least = if fault.contains("delay") { 3.4 } else { 3.6 };
        assert!(run.tcp("completion_s.max") > least, "{fault}: {}", run.tcp("completion_s.max"));
        run.assert_drained();
    }
}

/// Datagrams every millisecond over r1 - r2.
fn steady(fault: &str) -> Run {
    Text::new("30 s")
        .top("record = { interval = \"1 s\" }")
        .dumbbell(1, "10 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"50 packets\" }")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"4 Mbit/s\", size = \"500 B\" }",
            "stop = \"29 s\"",
        )
        .add(&format!("[[fault]]\nat = \"10 s\"\nuntil = \"20 s\"\nlink = \"bottleneck\"\n{fault}"))
        .run()
}

#[test]
fn fault_changes_link_from_start_to_end() {
    let none = steady("kind = \"loss\"\nvalue = \"0 %\"");
    assert_eq!(none.leaf("groups.udp.lost_packets"), 0.0);
    none.assert_drained();
    // Ten seconds at a quarter of the load: 7500 packets too many, of which 50 are queued at the end and get through.
    let slow = steady("kind = \"rate\"\nvalue = \"1 Mbit/s\"");
    assert!((slow.leaf("groups.udp.lost_packets") - (7500.0 - 50.0)).abs() <= 2.0);
    slow.assert_drained();
    // Series: samples at 11 .. 20 s cover the fault.
    let rate = slow.column("queue_series", "throughput_bps");
    let of = slow.words("queue_series", "queue");
    let forward: Vec<f64> = rate.iter().zip(of).filter(|(_, q)| q == "r1->r2").map(|(r, _)| *r).collect();
    assert_eq!(forward.len(), 30);
    for (i, bps) in forward.iter().enumerate().filter(|(i, _)| *i != 20 && *i < 29) {
        let expected = if (10..20).contains(&i) { 1e6 } else { 4e6 };
        assert_close(*bps, expected, 0.005);
    }
    // Delay of 50 ms instead of 5 ms: no loss; a third of the packets is 45 ms later.
    let late = steady("kind = \"delay\"\nvalue = \"50 ms\"");
    assert_eq!(late.leaf("groups.udp.lost_packets"), 0.0);
    let delay = |run: &Run, what: &str| run.leaf(&format!("groups.udp.one_way_delay_s.{what}"));
    assert_close(delay(&late, "max") - delay(&none, "max"), 0.045, 1e-9);
    assert_close(delay(&late, "mean") - delay(&none, "mean"), 0.045 * 10.0 / 29.0, 0.01);
    let lossy = steady("kind = \"loss\"\nvalue = \"10 %\"");
    // 10 000 packets at 10 %: a standard deviation of 30.
    assert!((lossy.leaf("groups.udp.lost_packets") - 1000.0).abs() < 120.0);
    lossy.assert_drained();
    let down = steady("kind = \"down\"");
    // Lost: 10 000 of the fault, and those on the link, which takes 5.4 ms.
    assert!((10_000.0..=10_008.0).contains(&down.leaf("groups.udp.lost_packets")));
    down.assert_drained();
}

#[test]
fn gemodel_loss_has_mean_and_burst_length() {
    let run = Text::new("400 s")
        .dumbbell(1, "10 Mbit/s", "5 ms", "loss = { kind = \"gemodel\", p = 0.01, r = 0.25 }")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"1 Mbit/s\", size = \"250 B\" }",
            "stop = \"399 s\"",
        )
        .run();
    // Share p/(p + r) of the time in the bad state. Bursts have a mean of 4: 200 000 packets hold some 1900.
    assert_close(run.leaf("groups.udp.loss_ratio"), 0.01 / 0.26, 0.09);
    run.assert_drained();
}

/// States last a time: a call of 50 packets a second and a flood of 1000 lose the same share, and a sender in backoff goes on when the
/// bad state is over.
#[test]
fn gilbert_elliott_loss_goes_by_time() {
    let lossy = "loss = { kind = \"gilbert_elliott\", mean_good = \"950 ms\", mean_bad = \"50 ms\" }";
    let cbr = |gap: &str| format!("{{ kind = \"cbr\", rate = \"{gap}\", size = \"250 B\" }}");
    let shares = ["100 kbit/s", "2 Mbit/s"].map(|rate| {
        let text = Text::new("1000 s").dumbbell(1, "10 Mbit/s", "5 ms", lossy);
        text.flow("udp", ("src[0]", "dst[0]"), "\"udp\"", &cbr(rate)).run().leaf("groups.udp.loss_ratio")
    });
    // 5 %, with a standard deviation of sqrt(2 * 0.95 * 0.05 * 0.0475 / 1000) = 0.0021.
    shares.iter().for_each(|share| assert_close(*share, 0.05, 0.17));
    assert_close(shares[0], shares[1], 0.05);
    let stalled = |loss: &str| {
        let text = Text::new("60 s").dumbbell(1, "20 Mbit/s", "10 ms", loss);
        let linux = "{ kind = \"tcp\", profile = \"linux\" }";
        text.flow("tcp", ("src[0]", "dst[0]"), linux, "\"bulk\"").run().leaf("groups.tcp.longest_silence_s")
    };
    // A bad state of 6 ms on average is over at the first timeout, after 200 ms; ten packets are met one at each timeout, each
    // twice as long as the one before.
    let time = stalled("loss = { kind = \"gilbert_elliott\", mean_good = \"600 ms\", mean_bad = \"6 ms\" }");
    assert!(time < 1.0, "{time} s");
    let packets = stalled("loss = { kind = \"gemodel\", p = 0.001, r = 0.1 }");
    assert!(packets > 5.0, "{packets} s");
}

#[test]
fn overlapping_faults_latest_active_one_wins() {
    let rates = |more: &str| {
        let run = steady(&format!(
            "kind = \"rate\"\nvalue = \"1 Mbit/s\"\n[[fault]]\nlink = \"bottleneck\"\n{more}"
        ));
        let rate = run.column("queue_series", "throughput_bps");
        let of = run.words("queue_series", "queue");
        rate.into_iter().zip(of).filter(|(_, q)| q == "r1->r2").map(|(r, _)| r).collect::<Vec<f64>>()
    };
    // The first fault lasts from 10 to 20 s, with another within it: 1, then 2, then again 1 Mbit/s.
    let within = rates("at = \"12 s\"\nuntil = \"15 s\"\nkind = \"rate\"\nvalue = \"2 Mbit/s\"");
    for (second, expected) in [(5, 4e6), (11, 1e6), (13, 2e6), (17, 1e6), (25, 4e6)] {
        assert_close(within[second], expected, 0.005);
    }
    // A second fault that outlasts the first.
    let beyond =
        rates("overlap = true\nat = \"15 s\"\nuntil = \"25 s\"\nkind = \"rate\"\nvalue = \"2 Mbit/s\"");
    for (second, expected) in [(12, 1e6), (17, 2e6), (23, 2e6), (27, 4e6)] {
        assert_close(beyond[second], expected, 0.005);
    }
    // Down from 10 to 20 s, and a blackhole that begins within that time and outlasts it: nothing until 25 s.
    for (first, second) in [("down", "blackhole"), ("blackhole", "down")] {
        let run = steady(&format!(
            "kind = \"{first}\"\n[[fault]]\nlink = \"bottleneck\"\nat = \"15 s\"\nuntil = \"25 s\"\nkind = \"{second}\""
        ));
        let lost = run.leaf("groups.udp.lost_packets");
        assert!((15_000.0..=15_008.0).contains(&lost), "{first}, {second}: {lost}");
        run.assert_drained();
    }
}

#[test]
fn fault_at_time_zero_precedes_first_packet() {
    let first = |fault: &str| {
        let run = Text::new("100 ms")
            .hosts("src", 1)
            .hosts("dst", 1)
            .link("src[*]", "dst[*]", "1 Mbit/s", "1 ms", "name = \"cable\"")
            .flow_with(
                "udp",
                ("src[0]", "dst[0]"),
                "{ kind = \"udp\", header = \"0 B\" }",
                "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"1000 B\" }",
                "stop = \"50 ms\"",
            )
            .add(&format!("[[fault]]\nat = \"0 s\"\nlink = \"cable\"\n{fault}"))
            .run();
        run.leaf("groups.udp.one_way_delay_s.max")
    };
    assert_eq!(first("kind = \"rate\"\nvalue = \"8 Mbit/s\""), 0.002);
    assert_eq!(first("kind = \"delay\"\nvalue = \"3 ms\""), 0.011);
}

#[test]
fn link_between_two_hosts_can_fail() {
    let run = Text::new("10 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "10 Mbit/s", "1 ms", "name = \"cable\"")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"500 B\" }",
            "stop = \"9 s\"",
        )
        .add("[[fault]]\nat = \"2005 ms\"\nuntil = \"4005 ms\"\nlink = \"cable\"\nkind = \"down\"")
        .run();
    // Datagrams every 10 ms: those of 2010 to 4000 ms are lost.
    assert_eq!(run.leaf("groups.udp.lost_packets"), 200.0);
    run.assert_drained();
}

#[test]
fn multihomed_host_routes_by_fewest_hops() {
    // Its first link leads the long way over r1, its second directly to the other's router.
    let run = Text::new("1 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "10 Mbit/s", "1 ms", "")
        .link("r1", "r2", "10 Mbit/s", "1 ms", "")
        .link("src[*]", "r2", "10 Mbit/s", "10 ms", "name = \"second\"")
        .link("r2", "dst[*]", "10 Mbit/s", "1 ms", "")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"500 B\" }",
        )
        .run();
    assert_eq!(run.leaf("queues.r1->r2.enqueued_packets"), 0.0);
    // Two transmissions of 0.4 ms, and 11 ms.
    assert_close(run.leaf("groups.udp.one_way_delay_s.max"), 0.0118, 1e-9);
}

#[test]
fn queued_packets_are_dropped_as_link_down_not_aqm() {
    // At twice the capacity this law drops or marks every other packet.
    let faults: String = (1..=20)
        .map(|i| {
            format!("[[fault]]\nat = \"{i} s\"\nuntil = \"{i}001 ms\"\nlink = \"bottleneck\"\nkind = \"blackhole\"\n")
        })
        .collect();
    for ecn in [false, true] {
        let law = format!("{{ kind = \"codel\", ecn = {ecn}, interval = \"20 ms\" }}");
        let run = Text::new("21 s")
            .top("record = { events = true }")
            .dumbbell(1, "1 Mbit/s", "5 ms", &format!("queue = {law}"))
            .flow(
                "udp",
                ("src[0]", "dst[0]"),
                "{ kind = \"udp\", ecn = true }",
                "{ kind = \"cbr\", rate = \"2 Mbit/s\", size = \"500 B\" }",
            )
            .add(&faults)
            .run();
        assert!(run.queue("dropped_packets.aqm") + run.queue("marked_packets") > 1000.0);
        let (kinds, details) = (run.words("events", "kind"), run.words("events", "detail"));
        let at = run.column("events", "time_s");
        let lost = |i: &usize| kinds[*i] == "drop" && details[*i] == "link_down";
        let (then, others): (Vec<usize>, Vec<usize>) =
            (0..at.len()).filter(|i| at[*i].fract() == 0.0 && kinds[*i] != "fault").partition(lost);
        assert!(then.len() > 20, "{}", then.len());
        assert_eq!(others, [0; 0], "ecn {ecn}: {} {}", kinds[others[0]], details[others[0]]);
    }
}

#[test]
fn series_do_not_change_jitter_draws_at_a_loss_fault() {
    let run = |interval: &str| {
        Text::new("2 s")
            .top(&format!("record = {{ interval = \"{interval}\" }}"))
            .hosts("src", 1)
            .hosts("dst", 1)
            .router("r1")
            .router("r2")
            .link("src[*]", "r1", "10 Mbit/s", "1 ms", "")
            .link("r1", "r2", "1 Mbit/s", "50 ms", "name = \"l\"\njitter = \"exponential(2 ms)\"")
            .link("r2", "dst[*]", "10 Mbit/s", "1 ms", "")
            .flow(
                "udp",
                ("src[0]", "dst[0]"),
                "\"udp\"",
                "{ kind = \"cbr\", rate = \"900 kbit/s\", size = \"500 B\" }",
            )
            .add("[[fault]]\nat = \"1 s\"\nlink = \"l\"\nkind = \"loss\"\nvalue = 0.1")
            .run()
            .output
            .fingerprint
    };
    assert_eq!(run("off"), run("1 ms"));
}

#[test]
fn utilization_uses_the_changed_link_rate() {
    // A flood at twice the rate for a tenth of the time on average; the link is always busy.
    let run = Text::new("10 s")
        .dumbbell(1, "10 Mbit/s", "1 ms", "")
        .flow(
            "flood",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"20 Mbit/s\", size = \"1000 B\" }",
        )
        .add("[[fault]]\nlink = \"bottleneck\"\nkind = \"rate\"\nvalue = \"2 Mbit/s\"\nat = \"5 s\"")
        .run();
    let utilization = run.queue("utilization");
    assert!((utilization - 1.0).abs() < 0.002, "{utilization}");
}

/// A long flow under changing disciplines: mean sojourn and drops by window.
#[test]
fn queue_fault_replaces_and_restores_discipline() {
    let run = Text::new("60 s")
        .top("window = [{ name = \"before\", start = \"5 s\", end = \"20 s\" }, { name = \"codel\", start = \"25 s\", end = \"40 s\" }, { name = \"after\", start = \"45 s\", end = \"60 s\" }]")
        .dumbbell(1, "10 Mbit/s", "10 ms", "queue = { kind = \"droptail\", limit = \"200 packets\" }")
        .tcp("cc = \"newreno\"", "\"bulk\"")
        .add("[[fault]]\nlink = \"bottleneck\"\nkind = \"queue\"\nvalue = { kind = \"codel\", form = \"rfc\" }\nat = \"20 s\"\nuntil = \"40 s\"")
        .run();
    let [before, codel, after] = ["before", "codel", "after"]
        .map(|window| run.leaf(&format!("windows.{window}.queues.r1->r2.sojourn_s.mean")));
    // The window and the wire hold between half of 200 packets and all of them; CoDel's target is 5 ms.
    assert!(before > 0.08 && codel < 0.02 && after > 0.08, "{before} {codel} {after}");
    let dropped = |window: &str, reason: &str| {
        run.leaf(&format!("windows.{window}.queues.r1->r2.dropped_packets.{reason}"))
    };
    assert!(dropped("codel", "aqm") > 0.0 && dropped("before", "aqm") + dropped("after", "aqm") == 0.0);
}

#[test]
fn queued_packets_move_to_the_new_queue_up_to_its_limit() {
    // A burst of a hundred datagrams; ten have left after ten times 8 ms when the limit becomes thirty.
    let run = Text::new("10 s")
        .dumbbell(1, "1 Mbit/s", "1 ms", "queue = { kind = \"droptail\", limit = \"200 packets\" }")
        .flow(
            "burst",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"pulse\", rate = \"800 Mbit/s\", size = \"1000 B\", burst = \"1 ms\", period = \"20 s\" }",
        )
        .add("[[fault]]\nlink = \"bottleneck\"\nkind = \"queue\"\nvalue = { kind = \"droptail\", limit = \"30 packets\" }\nat = \"82 ms\"")
        .run();
    let sent = run.leaf("groups.burst.sent_packets");
    assert!((99.0..=101.0).contains(&sent), "{sent}");
    // Thirty packets wait while another is under transmission.
    let lost = run.leaf("groups.burst.lost_packets");
    assert_eq!((run.queue("dropped_packets.overlimit"), run.queue("dequeued_packets")), (lost, sent - lost));
    assert!((40.0..=42.0).contains(&(sent - lost)), "{sent} {lost}");
}

#[test]
fn queue_fault_losses_count_in_their_interval() {
    // The queue of a host's link is not studied; `codel` drops when the link is settled.
    let codel = "value = { kind = \"codel\", target = \"1 ms\", interval = \"2 ms\" }";
    let scenario = Text::new("600 ms")
        .top("warmup = \"200 ms\"\nrecord = { interval = \"10 ms\" }")
        .add("[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"")
        .link("a", "b", "260 kbit/s", "4 ms", "name = \"l\"")
        .flow("f", ("a", "b"), "\"tcp\"", "\"bulk\"")
        .add(&format!("[[fault]]\nat = \"300 ms\"\nlink = \"l\"\nkind = \"queue\"\n{codel}"))
        .scenario();
    let plain = Simulation::build(&scenario, 1).unwrap();
    let mut watched = Simulation::build(&scenario, 1).unwrap();
    for ms in 1..600 {
        watched.step(Instant::from_millis(ms), &Control::default()).unwrap();
        watched.balance().unwrap();
    }
    let [plain, watched] =
        [plain, watched].map(|simulation| Run::new(simulation.run(&Control::default()).unwrap()));
    let bins = |run: &Run| run.json["groups"]["f"]["bins"].clone();
    assert!(plain.leaf("groups.f.bins.loss_max_ratio") > 0.0);
    assert_eq!(bins(&plain), bins(&watched));
}
