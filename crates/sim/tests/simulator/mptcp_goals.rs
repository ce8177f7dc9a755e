//! Design goals of MPTCP: the three goals of RFC 6356 §2 between competing TCPs, and the effect of unequal paths on a small
//! receive buffer. Goals are tested on means over seeds, with their 95 % confidence interval.

use crate::support::{Run, Text};

/// Congestion control of uncoupled subflows, and of the competing TCPs.
const UNCOUPLED: &str = "reno";
const COUPLED: [&str; 3] = ["lia", "olia", "balia"];

const SEEDS: u32 = 12;
/// Student's t for two-sided 95 % and `SEEDS` samples.
const T: f64 = 2.201;

/// Bounds of the 95 % confidence interval of a mean.
fn interval(samples: &[f64]) -> (f64, f64) {
    assert_eq!(samples.len(), SEEDS as usize, "`T` belongs to that many");
    let n = f64::from(SEEDS);
    let mean = samples.iter().sum::<f64>() / n;
    let variance = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    let half = T * (variance / n).sqrt();
    (mean - half, mean + half)
}

fn over_seeds(text: &Text, measure: impl Fn(&Run) -> f64) -> Vec<f64> {
    (1..=SEEDS).map(|seed| measure(&text.run_number(seed))).collect()
}

/// Confidence interval of `a / b`, seed by seed.
fn ratio(a: &[f64], b: &[f64]) -> (f64, f64) {
    interval(&a.iter().zip(b).map(|(a, b)| a / b).collect::<Vec<_>>())
}

/// Confidence interval of `a - b`, seed by seed.
fn difference(a: &[f64], b: &[f64]) -> (f64, f64) {
    interval(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

fn goodput(run: &Run) -> f64 {
    run.leaf("groups.mp.goodput_bps.sum")
}

/// A bottleneck under RED, which gives all flows about the same loss, and its competing TCPs.
struct Bottleneck {
    rate: &'static str,
    delay: &'static str,
    tcps: usize,
}

const RED: &str = "queue = { kind = \"red\", limit = \"100 packets\", min_th = \"10 packets\", max_th = \"40 packets\", max_p = 0.1, weight = 0.002 }";
const START: &str = "start = \"uniform(0 s, 1 s)\"";

/// Group `mp` is a flow from a to b, which are connected to the bottlenecks in `joined`; groups `tcp<i>` are the TCPs at
/// bottleneck i.
fn contest(bottlenecks: &[Bottleneck], joined: &[usize], transport: &str) -> Text {
    let mut text = Text::new("60 s").top("warmup = \"15 s\"").hosts("a", 1).hosts("b", 1);
    for (i, Bottleneck { rate, delay, tcps }) in bottlenecks.iter().enumerate() {
        let [p, q, c, d] = ["p", "q", "c", "d"].map(|name| format!("{name}{i}"));
        text = text.router(&p).router(&q).hosts(&c, *tcps).hosts(&d, *tcps).link(&p, &q, rate, delay, RED);
        if joined.contains(&i) {
            text = text.link("a", &p, "1 Gbit/s", "2 ms", &format!("name = \"via{i}\""));
            text = text.link(&q, "b", "1 Gbit/s", "1 ms", "");
        }
        let (from, to) = (format!("{c}[*]"), format!("{d}[*]"));
        text = text.link(&from, &p, "1 Gbit/s", "uniform(1 ms, 3 ms)", "");
        text = text.link(&q, &to, "1 Gbit/s", "1 ms", "");
        text = text.flow_with(&format!("tcp{i}"), (&from, &to), &tcp(), "\"bulk\"", START);
    }
    text.flow_with("mp", ("a", "b"), transport, "\"bulk\"", START)
}

fn tcp() -> String {
    format!("{{ kind = \"tcp\", profile = \"linux\", cc = \"{UNCOUPLED}\", mss = \"1400 B\" }}")
}

/// Transport without measures against window blocking, unless `more` enables them.
fn mptcp(cc: &str, more: &str) -> String {
    let off = [("opportunistic_retransmission", "false"), ("penalisation", "\"none\"")];
    let off = off.iter().filter(|(key, _)| !more.contains(*key)).map(|(key, off)| format!("{key} = {off}, "));
    let profile = "profile = \"mptcp_0_94\"";
    let off = off.collect::<String>();
    format!("{{ kind = \"mptcp\", {profile}, cc = \"{cc}\", mss = \"1400 B\", {off}{more} }}")
}

/// Paths that differ in load only.
const UNEVEN: [Bottleneck; 2] = [
    Bottleneck { rate: "10 Mbit/s", delay: "20 ms", tcps: 2 },
    Bottleneck { rate: "10 Mbit/s", delay: "20 ms", tcps: 6 },
];
/// A short path with much loss and a long one with little, like WiFi and a mobile network.
const MIXED: [Bottleneck; 2] = [
    Bottleneck { rate: "10 Mbit/s", delay: "5 ms", tcps: 6 },
    Bottleneck { rate: "5 Mbit/s", delay: "50 ms", tcps: 2 },
];

#[test]
fn rfc6356_goal_1_throughput_of_tcp_on_the_best_path() {
    for (name, paths, best) in [("uneven", &UNEVEN, 0), ("mixed", &MIXED, 1)] {
        let single = [0, 1].map(|i| over_seeds(&contest(paths, &[i], &tcp()), goodput));
        let (low, high) = ratio(&single[best], &single[1 - best]);
        assert!(low + high > 2.0, "{name}: path {best} is the best one in the mean: {low}..{high}");
        for cc in COUPLED {
            let multi = over_seeds(&contest(paths, &[0, 1], &mptcp(cc, "")), goodput);
            let (low, high) = ratio(&multi, &single[best]);
            // The goal holds for the fluid model without whole packets; windows on the worse path are a few packets. The interval
            // begins within 20 % of it.
            assert!(low > 0.8, "{name} {cc}: {low}..{high} of TCP on the best path");
            if name == "mixed" && cc == "lia" {
                assert!(low > 1.0, "more than TCP on either path: {low}..{high}");
            }
        }
    }
}

#[test]
fn rfc6356_goal_2_no_more_than_one_tcp_at_a_shared_bottleneck() {
    let run = |paths: &[Bottleneck], cc: &str| {
        let subflows = "path_manager = { kind = \"ndiffports\", num_subflows = 3 }";
        let against = paths[0].tcps as f64;
        // A single TCP varies more than the mean of four.
        let duration = if paths[0].tcps == 1 { "duration = \"180 s\"" } else { "duration = \"60 s\"" };
        let text = contest(paths, &[0], &mptcp(cc, subflows)).with("duration = \"60 s\"", duration);
        over_seeds(&text, |run| {
            assert_eq!(run.leaf("connections.mp[0].subflows_established"), 3.0);
            goodput(run) / (run.leaf("groups.tcp0.goodput_bps.sum") / against)
        })
    };
    // Four TCPs on 20 Mbit/s: the interval ends within 15 % of one TCP. One on 8 Mbit/s: within 25 %, for LIA, which takes most
    // of the three. The lower bound is half of a TCP.
    let four = [Bottleneck { rate: "20 Mbit/s", delay: "20 ms", tcps: 4 }];
    let one = [Bottleneck { rate: "8 Mbit/s", delay: "20 ms", tcps: 1 }];
    for (paths, controls, most) in [(&four, &COUPLED[..], 1.15), (&one, &["lia"], 1.25)] {
        for cc in controls {
            let (low, high) = interval(&run(paths, cc));
            assert!(high < most && low > 0.5, "{cc} against {}: {low}..{high} TCPs", paths[0].tcps);
        }
    }
    // Uncoupled subflows each take the share of a TCP, which the goal is to prevent.
    let (low, high) = interval(&run(&four, UNCOUPLED));
    assert!(low > 2.5 && high < 3.5, "uncoupled: {low}..{high} TCPs");
}

#[test]
fn rfc6356_goal_3_moves_traffic_off_congested_path() {
    let measured = |cc: &str| {
        let text = contest(&UNEVEN, &[0, 1], &mptcp(cc, ""));
        let runs: Vec<Run> = (1..=SEEDS).map(|seed| text.run_number(seed)).collect();
        let path = |run: &Run, i: usize| run.leaf(&format!("connections.mp[0].paths.via{i}.scheduled_bytes"));
        let share = runs.iter().map(|r| path(r, 1) / (path(r, 0) + path(r, 1))).collect::<Vec<_>>();
        let others = runs.iter().map(|r| r.leaf("groups.tcp1.goodput_bps.sum")).collect::<Vec<_>>();
        (share, others)
    };
    let (uncoupled, beside_uncoupled) = measured(UNCOUPLED);
    for cc in COUPLED {
        let (share, others) = measured(cc);
        let (low, high) = difference(&uncoupled, &share);
        assert!(low > 0.02, "{cc}: the congested path's share falls by {low}..{high}");
        let (low, high) = difference(&others, &beside_uncoupled);
        assert!(low > 0.0, "{cc}: those on the congested path gain {low}..{high} bit/s");
    }
}

/// Mean goodput over three seeds, and the last run, with paths of 10 Mbit/s and 10 ms, with a queue so short that its window
/// stays below 64 KiB, and of 2 Mbit/s and 300 ms.
fn unequal(joined: &[usize], transport: &str) -> (f64, Run) {
    let mut text = Text::new("60 s").top("warmup = \"15 s\"").hosts("a", 1).hosts("b", 1);
    let fast =
        "loss = \"0.1 %\"\nreverse = { loss = 0 }\nqueue = { kind = \"droptail\", limit = \"20 packets\" }";
    let slow = "queue = { kind = \"droptail\", limit = \"100 packets\" }";
    for (i, (rate, delay, more)) in
        [("10 Mbit/s", "5 ms", fast), ("2 Mbit/s", "150 ms", slow)].into_iter().enumerate()
    {
        if joined.contains(&i) {
            text = text.link("a", "b", rate, delay, &format!("name = \"via{i}\"\n{more}"));
        }
    }
    let text = text.flow_with("mp", ("a", "b"), transport, "\"bulk\"", START);
    let mut runs: Vec<Run> = (1..=3).map(|seed| text.run_number(seed)).collect();
    let mean = runs.iter().map(goodput).sum::<f64>() / 3.0;
    (mean, runs.pop().unwrap())
}

const SMALL: &str = "receive_buffer = \"64 KiB\"";

#[test]
fn small_receive_buffer_blocks_behind_slow_path() {
    let alone = unequal(&[0], &tcp()).0;
    let (blocked, run) = unequal(&[0, 1], &mptcp("lia", SMALL));
    let ample = unequal(&[0, 1], &mptcp("lia", "receive_buffer = \"4 MB\"")).0;
    // With ample buffers the paths add up; TCP on the fast path alone would not notice 64 KiB.
    assert!(ample > 1.1 * alone, "{ample} {alone}");
    let small = tcp().replace("mss", &format!("{SMALL}, mss"));
    assert!(unequal(&[0], &small).0 > 0.95 * alone);
    // Worst case of a window per RTT of the slow path, 64 KiB in 0.3 s: 1.75 Mbit/s.
    assert!(blocked < 0.3 * alone && blocked > 1.7e6, "{blocked} {alone}");
    let waited = run.leaf("connections.mp[0].max_waiting_bytes");
    assert!(waited > 0.7 * 65_536.0 && waited <= 65_536.0, "{waited}");
    assert!(run.leaf("connections.mp[0].window_stalls") > 100.0);
}

#[test]
fn opportunistic_retransmission_and_penalisation_together_reduce_blocking() {
    // Raiciu et al., NSDI 2012 §4.2: opportunistic retransmission frees the window, penalisation keeps it from being blocked
    // again. Alone, the first sends most of the slow path's data twice, and the second leaves the block. In the paper both
    // together are no worse than TCP on the better path. With paths as unequal as these it is less, and as in later
    // multipath-tcp/mptcp less still: the slow subflow is in slow start, where its penalty leaves ssthresh, and doubles within an
    // RTT after it was halved.
    let [retransmission, penalties] = ["opportunistic_retransmission = true", "penalisation = \"linux\""];
    let with = |more: &str| unequal(&[0, 1], &mptcp("lia", &format!("{SMALL}, {more}")));
    let (blocked, _) = with("");
    let (first, run) = with(retransmission);
    assert!(run.leaf("connections.mp[0].opportunistic_bytes") > 0.0);
    assert!(first > 1.15 * blocked, "{first} {blocked}");
    let (second, run) = with(penalties);
    assert!(run.leaf("connections.mp[0].penalties") > 0.0);
    let (both, _) = with(&format!("{retransmission}, {penalties}"));
    assert!(both > 2.5 * blocked && both > 1.5 * first && both > 1.5 * second, "{both} {first} {second}");
    let (ended, _) = with(&format!("{retransmission}, penalisation = \"nsdi2012\""));
    assert!(ended > 1.2 * both, "{ended} {both}");
}

#[test]
fn blest_and_ecf_avoid_receive_window_blocking() {
    // Ferlin et al. 2016 and Lim et al. 2017: better than the lowest RTT with retransmission and penalties, and close to the fast
    // path alone. ECF considers the send buffer, BLEST the window.
    let alone = unequal(&[0], &tcp()).0;
    let with = |scheduler: &str, more: &str| {
        let more = format!("send_buffer = \"128 KiB\", scheduler = \"{scheduler}\", {more}");
        unequal(&[0, 1], &mptcp("lia", &more)).0
    };
    let relief = "opportunistic_retransmission = true, penalisation = \"linux\"";
    let blocked = with("lowest_rtt", SMALL);
    assert!(blocked < 0.3 * alone, "a bounded send buffer is no relief: {blocked}");
    let loosened = with("lowest_rtt", &format!("{SMALL}, {relief}"));
    for scheduler in ["blest", "ecf"] {
        let x = with(scheduler, SMALL);
        assert!(x > 1.2 * loosened && x > 0.9 * alone, "{scheduler}: {x} {loosened} {alone}");
    }
    // A large window is not blocked, so BLEST uses both paths.
    let ample = "receive_buffer = \"4 MB\", send_buffer = \"4 MB\"";
    let run = |s: &str| unequal(&[0, 1], &mptcp("lia", &format!("{ample}, scheduler = \"{s}\""))).0;
    assert!(run("blest") > 0.98 * run("lowest_rtt") && run("blest") > 1.1 * alone);
}

#[test]
fn ecf_equals_lowest_rtt_with_unlimited_send_buffer() {
    // Without a limit on the send buffer all of a bulk transfer can be sent: both paths finish earlier than one, however small
    // the receive buffer. ECF then equals the lowest RTT.
    let with = |s: &str| unequal(&[0, 1], &mptcp("lia", &format!("{SMALL}, scheduler = \"{s}\""))).1;
    assert_eq!(goodput(&with("ecf")), goodput(&with("lowest_rtt")));
}

/// Goodput over WiFi and 3G as Raiciu et al., NSDI 2012 §4.2 and figure 4, emulate them: 8 Mbit/s with an RTT of 20 ms and 80 ms
/// of queue, 2 Mbit/s with 150 ms and 2 s of queue. A single run suffices because nothing is random.
fn phone(joined: &[usize], transport: &str) -> f64 {
    let mut text = Text::new("40 s").top("warmup = \"10 s\"").hosts("a", 1).hosts("b", 1);
    let wifi = "queue = { kind = \"droptail\", limit = \"80 kB\" }";
    let cellular = "queue = { kind = \"droptail\", limit = \"500 kB\" }";
    for (i, (rate, delay, more)) in
        [("8 Mbit/s", "10 ms", wifi), ("2 Mbit/s", "75 ms", cellular)].into_iter().enumerate()
    {
        if joined.contains(&i) {
            text = text.link("a", "b", rate, delay, &format!("name = \"via{i}\"\n{more}"));
        }
    }
    goodput(&text.flow_with("mp", ("a", "b"), transport, "\"bulk\"", START).run_number(1))
}

#[test]
fn wifi_and_3g_with_both_mechanisms_never_worse_than_wifi() {
    // Figure 4 of the paper: regular MPTCP is worse than TCP over WiFi unless the buffer is near a megabyte; with both mechanisms
    // it is as good with any buffer, and better from 200 kB on. The paper's kernel ended slow start at a penalty (`nsdi2012`);
    // later kernels do not (`linux`), and gain less.
    let buffers = |kb: u64| format!("receive_buffer = \"{kb} kB\", send_buffer = \"{kb} kB\"");
    let wifi = |kb| phone(&[0], &tcp().replace("mss", &format!("{}, mss", buffers(kb))));
    let both = |kb, more: &str| phone(&[0, 1], &mptcp("lia", &format!("{}{more}", buffers(kb))));
    let relieved =
        |kb, how: &str| both(kb, &format!(", opportunistic_retransmission = true, penalisation = \"{how}\""));
    for kb in [200, 400, 600] {
        assert!(both(kb, "") < 0.65 * wifi(kb), "{kb} kB: {} {}", both(kb, ""), wifi(kb));
        let (then, later) = (relieved(kb, "nsdi2012"), relieved(kb, "linux"));
        assert!(then > 1.2 * wifi(kb) && later > 1.08 * wifi(kb), "{kb} kB: {then} {later} {}", wifi(kb));
    }
    for kb in [50, 100] {
        assert!(relieved(kb, "nsdi2012") > 0.98 * wifi(kb), "{kb} kB: {}", relieved(kb, "nsdi2012"));
    }
    let sum = wifi(2000) + phone(&[1], &tcp());
    assert!(both(2000, "") > 0.97 * sum, "{} {sum}", both(2000, ""));
}
