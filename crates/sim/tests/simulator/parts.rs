//! Windows named by the scenario: parts of a run with their own statistics, which add up to the whole.

use crate::determinism::{SPARE, eventful};
use crate::support::{Run, Text, assert_close};
use serde_json::Value;
use tailrace_core::Rng;

/// Losses, marks, faults, a classifier, transfers, and both transports at once.
fn busy() -> Text {
    let more = r#"
[[flow]]
name = "asked"
from = "src[3]"
to = "dst[3]"
transport = { kind = "tcp", data_retries = 2 }
app = { kind = "request_response", request = "2 kB", response = "30 kB" }"#;
    eventful(&format!("{SPARE}{more}"))
}

/// Consecutive windows that start at these times, in milliseconds.
fn windows(starts: &[u64]) -> String {
    let each = starts.iter().enumerate();
    each.map(|(i, ms)| format!("[[window]]\nname = \"w{i}\"\nstart = \"{ms} ms\"\n")).collect()
}

fn without_windows(run: &Run) -> Value {
    let mut json = run.json.clone();
    let object = json.as_object_mut().unwrap();
    object.remove("windows");
    object.remove("engine");
    json
}

/// Numbers of a tree by their paths.
fn leaves(tree: &Value, path: &str, out: &mut Vec<(String, f64)>) {
    match tree {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| leaves(value, &format!("{path}.{key}"), out))
        }
        _ => out.extend(tree.as_f64().map(|x| (path.to_string(), x))),
    }
}

/// A leaf of every window, in order of time.
fn of_windows(run: &Run, path: &str) -> Vec<f64> {
    let find = |window: &Value, path: &str| {
        let leaf = path.split('.').fold(window.clone(), |mut tree, key| tree[key].take());
        leaf.as_f64().unwrap_or(f64::NAN)
    };
    let windows = run.json["windows"].as_object().unwrap().values();
    let mut found: Vec<_> = windows.map(|window| (find(window, "start_s"), find(window, path))).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, leaf)| leaf).collect()
}

const COUNTERS: &[&str] = &[
    "sent_packets",
    "lost_packets",
    "marked_packets",
    "retransmitted_packets",
    "timeouts",
    "altered_bytes",
    "enqueued_packets",
    "dequeued_packets",
    "overlimit",
    "aqm",
    "link_loss",
    "link_down",
];

#[test]
fn consecutive_windows_add_up_to_the_run() {
    let mut rng = Rng::new(3);
    for round in 0..8 {
        // The first window begins with the statistics, with or without a warm-up; boundaries coincide with faults, too.
        let warmup = [0, 700][round % 2];
        let mut starts = vec![warmup, 3000, 5500];
        starts.extend((0..3).map(|_| warmup + 1 + rng.below(7000)));
        starts.sort_unstable();
        starts.dedup();
        let text = busy().top(&format!("warmup = \"{warmup} ms\""));
        let (whole, parts) = (text.run(), text.clone().add(&windows(&starts)).run());
        assert_eq!(whole.output.fingerprint, parts.output.fingerprint, "windows do not change what happens");
        assert_eq!(without_windows(&whole), without_windows(&parts), "nor what is said of the whole");
        assert_eq!(whole.column("flows", "goodput_bps"), parts.column("flows", "goodput_bps"));
        let mut figures = Vec::new();
        for tree in ["groups", "queues"] {
            leaves(&whole.json[tree], tree, &mut figures);
        }
        let (mut sums, mut maxima, mut minima) = (0, 0, 0);
        // Counters from time zero, and what was so at the end, are the run's alone.
        let of_run = |path: &str| path.contains("whole_run") || path.contains(".silent.");
        for (path, figure) in figures.iter().filter(|(path, _)| !of_run(path)) {
            let each = of_windows(&parts, path);
            assert_eq!(each.len(), starts.len());
            let last = path.rsplit('.').next().unwrap();
            if COUNTERS.contains(&last) || path.ends_with("groups.tcp.completed") {
                assert_eq!(each.iter().sum::<f64>(), *figure, "{path} {each:?}");
                sums += usize::from(*figure > 0.0);
            } else if last == "max" && !path.contains("put_bps") {
                assert_eq!(each.iter().copied().fold(f64::NAN, f64::max), *figure, "{path} {each:?}");
                maxima += 1;
            } else if last == "min" && !path.contains("put_bps") {
                assert_eq!(each.iter().copied().fold(f64::NAN, f64::min), *figure, "{path} {each:?}");
                minima += 1;
            }
        }
        assert!(sums > 20 && maxima > 20 && minima > 20, "{sums} counters, {maxima} maxima, {minima} minima");
        flows_add_up(&parts, starts.len());
        for group in ["tcp", "web", "mp", "asked", "noise"] {
            let bits = |path: &str| {
                let spans = of_windows(&parts, "end_s").into_iter().zip(of_windows(&parts, "start_s"));
                let rates = of_windows(&parts, path).into_iter();
                rates.zip(spans).map(|(rate, (end, start))| rate * (end - start)).sum::<f64>()
            };
            let path = format!("groups.{group}.throughput_bps.sum");
            let span = 8.0 - warmup as f64 / 1e3;
            assert_close(bits(&path), parts.leaf(&path) * span, 1e-9);
            let goodput = format!("groups.{group}.goodput_bps.sum");
            let throughput = of_windows(&parts, &path);
            assert!(of_windows(&parts, &goodput).iter().zip(&throughput).all(|(g, t)| g <= t), "{group}");
        }
    }
}

/// Checks that each flow's counters over all windows add up to the whole, and each group's in a window to those of its flows.
fn flows_add_up(run: &Run, windows: usize) {
    let (names, groups) = (run.words("flow_windows", "window"), run.words("flow_windows", "group"));
    for counter in ["delivered_bytes", "sent_packets", "received_packets", "lost_packets", "marked_packets"] {
        let (each, whole) = (run.column("flow_windows", counter), run.column("flows", counter));
        assert_eq!(each.len(), windows * whole.len());
        for (flow, all) in whole.iter().enumerate() {
            assert_eq!(each.iter().skip(flow).step_by(whole.len()).sum::<f64>(), *all, "{counter} {flow}");
        }
        assert!(whole.iter().any(|count| *count > 0.0), "{counter}");
    }
    let (sent, lost) =
        (run.column("flow_windows", "sent_packets"), run.column("flow_windows", "lost_packets"));
    for (window, found) in run.json["windows"].as_object().unwrap() {
        for (group, found) in found["groups"].as_object().unwrap() {
            let of_group = |i: &usize| names[*i] == *window && groups[*i] == *group;
            let sum = |counts: &[f64]| (0..counts.len()).filter(of_group).map(|i| counts[i]).sum::<f64>();
            let expected = ["sent_packets", "lost_packets"].map(|counter| found[counter].as_f64().unwrap());
            assert_eq!([sum(&sent), sum(&lost)], expected, "{window} {group}");
        }
    }
}

#[test]
fn transfer_outcomes_of_windows_add_up_to_the_run() {
    let run = busy().add(&windows(&[0, 2500, 5200, 6000])).run();
    for group in ["web", "mp", "asked"] {
        for counter in ["transfers.started", "transfers.completed", "transfers.failed", "connections.opened"]
        {
            let path = format!("groups.{group}.{counter}");
            let each = of_windows(&run, &path);
            assert_eq!(each.iter().sum::<f64>(), run.leaf(&path), "{path} {each:?}");
        }
        let last = |what: &str| *of_windows(&run, &format!("groups.{group}.{what}")).last().unwrap();
        for level in ["transfers.under_way", "connections.open"] {
            assert_eq!(last(level), run.leaf(&format!("groups.{group}.{level}")), "{level} is of the end");
        }
    }
    assert!(run.leaf("windows.w1.groups.asked.transfers.completed") > 0.0);
}

/// A flow over a link that is down from 10 s to 15 s.
fn outage() -> Text {
    Text::new("30 s")
        .top("warmup = \"2 s\"")
        .dumbbell(1, "4 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"30 packets\" }")
        .tcp("mss = \"1000 B\", data_retries = 1000, max_rto = \"1 s\"", "\"bulk\"")
        .add("[[fault]]\nat = \"10 s\"\nuntil = \"15 s\"\nlink = \"bottleneck\"\nkind = \"blackhole\"")
}

#[test]
fn fault_affects_only_its_window() {
    let names = "[[window]]\nname = \"before\"\n[[window]]\nname = \"outage\"\nstart = \"10 s\"\n\
                 [[window]]\nname = \"after\"\nstart = \"15 s\"";
    // Boundary and fault in one instant, in either order of declaration.
    for text in [outage().add(names), outage().with("[[fault]]", &format!("{names}\n[[fault]]"))] {
        let run = text.run();
        let place = |name: &str| run.output.summary.find(&format!("\"{name}\":{{\"start_s\"")).unwrap();
        assert!(place("before") < place("outage") && place("outage") < place("after"), "in order of time");
        assert_eq!(of_windows(&run, "start_s"), [2.0, 10.0, 15.0]);
        assert_eq!(of_windows(&run, "end_s"), [10.0, 15.0, 30.0]);
        let drops = of_windows(&run, "queues.r1->r2.dropped_packets.link_down");
        assert!(drops[0] == 0.0 && drops[1] > 20.0 && drops[2] == 0.0, "{drops:?}");
        let goodput = of_windows(&run, "groups.tcp.goodput_bps.sum");
        assert!(goodput[0] > 3.7e6 && goodput[1] < 2e4 && goodput[2] > 3e6, "{goodput:?}");
        let timeouts = of_windows(&run, "groups.tcp.timeouts");
        assert!(timeouts[0] == 0.0 && timeouts[1] >= 4.0, "{timeouts:?}");
        let used = of_windows(&run, "queues.r1->r2.utilization");
        assert!(used[0] > 0.99 && used[1] < 0.01 && used[2] > 0.8, "{used:?}");
        // A backlog of 30 packets of 1052 bytes lasts at most 63 ms, and exists only before the fault.
        let backlog = of_windows(&run, "queues.r1->r2.backlog_packets.mean");
        assert!(backlog[0] > 10.0 && backlog[1] < 1.0, "{backlog:?}");
    }
}

#[test]
fn losses_count_in_the_window_of_sending() {
    // At 10 s 200 packets wait; the link goes down 5 ms later, and one or two more have been sent.
    let run = Text::new("12 s")
        .dumbbell(1, "1 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"200 packets\" }")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"4 Mbit/s\", size = \"1000 B\" }",
            "stop = \"10004 ms\"",
        )
        .add("[[fault]]\nat = \"10005 ms\"\nlink = \"bottleneck\"\nkind = \"down\"")
        .add(&windows(&[0, 10_000]))
        .run();
    let [sent, lost, ratio] =
        ["sent_packets", "lost_packets", "loss_ratio"].map(|w| of_windows(&run, &format!("groups.udp.{w}")));
    // In 10 s 1250 of 5000 packets leave the queue, and all others are lost, including those that wait at the boundary.
    assert!((lost[0] - 3800.0).abs() < 60.0 && lost[1] <= sent[1] && sent[1] <= 3.0, "{sent:?} {lost:?}");
    assert_close(ratio[0], lost[0] / sent[0], 1e-12);
    // The queue counts drops when they happen.
    let drops = of_windows(&run, "queues.r1->r2.dropped_packets.link_down");
    assert!(drops[0] == 0.0 && drops[1] > 190.0, "{drops:?}");
}

#[test]
fn time_between_windows_counts_only_for_the_run() {
    let names = "[[window]]\nname = \"before\"\nstart = \"3 s\"\nend = \"9 s\"\n\
                 [[window]]\nname = \"after\"\nstart = \"20 s\"\nend = \"25 s\"";
    let (run, whole) = (outage().add(names).run(), outage().run());
    assert_eq!(without_windows(&run), without_windows(&whole));
    assert_eq!(of_windows(&run, "end_s"), [9.0, 25.0]);
    let sent = of_windows(&run, "groups.tcp.sent_packets");
    assert!(sent.iter().sum::<f64>() < 0.6 * run.tcp("sent_packets"), "{sent:?}");
    assert_eq!(of_windows(&run, "groups.tcp.timeouts"), [0.0, 0.0]);
    let delay = of_windows(&run, "groups.tcp.one_way_delay_s.max");
    assert!(delay.iter().all(|d| *d < 0.08), "{delay:?}");
}

#[test]
fn cancelled_run_has_the_windows_begun() {
    use tailrace_core::Instant;
    use tailrace_sim::{Control, RunCost, Simulation};
    let scenario = outage().add(&windows(&[4000, 8000, 20_000])).scenario();
    let mut simulation = Simulation::build(&scenario, 1).unwrap();
    let at = |simulation: &mut Simulation, s: u64| {
        let _ = simulation.step(Instant::from_secs(s), &Control::default()).unwrap();
        let json: Value = serde_json::from_str(&simulation.so_far(RunCost::default())).unwrap();
        json.get("windows").map_or(Vec::new(), |w| w.as_object().unwrap().values().cloned().collect())
    };
    assert!(at(&mut simulation, 3).is_empty());
    let early = at(&mut simulation, 9);
    assert_eq!(early.len(), 2);
    let late = at(&mut simulation, 12);
    assert_eq!((&late[0], &late[1]["end_s"]), (&early[0], &Value::from(12.0)), "what is over stays");
    assert!(late[1]["groups"]["tcp"]["timeouts"].as_u64() > early[1]["groups"]["tcp"]["timeouts"].as_u64());
}

#[test]
fn classifier_accuracy_of_windows_uses_flags_in_them() {
    // A flood from 4 s to 30 s, which SFB takes some time to find, and forgets.
    let starts = [0, 4, 30, 60];
    let run = Text::new("90 s")
        .top("record = { events = true }")
        .dumbbell(2, "4 Mbit/s", "5 ms", "queue = \"sfb\"")
        .flow("good", ("src[0]", "dst[0]"), "\"tcp\"", "\"bulk\"")
        .flow_with(
            "flood",
            ("src[1]", "dst[1]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"30 Mbit/s\", size = \"1000 B\" }",
            "role = \"attack\"\nstart = \"4 s\"\nstop = \"30 s\"",
        )
        .add(&windows(&starts.map(|s| s * 1000)))
        .run();
    let times = |kind: &str| {
        let (kinds, groups) = (run.words("events", "kind"), run.words("events", "group"));
        let rows = kinds.into_iter().zip(groups).zip(run.column("events", "time_s"));
        rows.filter(|((k, g), _)| k == kind && g == "flood").map(|(_, t)| t).collect::<Vec<f64>>()
    };
    let (flags, clearings) = (times("flag"), times("clear"));
    let stood = |from: f64, to: f64| {
        let ends = clearings.iter().copied().chain([f64::INFINITY]);
        f64::from(flags.iter().zip(ends).any(|(flag, clear)| *flag <= to && clear > from))
    };
    let flagged = |leaf: &str| of_windows(&run, &format!("queues.r1->r2.flagged.{leaf}"));
    let expected = [stood(0.0, 4.0), stood(4.0, 30.0), stood(30.0, 60.0), stood(60.0, 90.0)];
    assert_eq!(flagged("true_positive"), expected, "{flags:?} {clearings:?}");
    assert_eq!((expected[0], expected[1], expected[3]), (0.0, 1.0, 0.0), "{flags:?} {clearings:?}");
    let detection = flagged("detection_s");
    assert_eq!(detection[1], run.queue("flagged.detection_s"));
    assert!(detection[0].is_nan() && detection[2].is_nan() && detection[3].is_nan(), "{detection:?}");
}

#[test]
fn classifier_groups_report_first_flag_clearing_and_reflagging() {
    // A flood that rests from 10 s to 40 s, so that SFB forgets it and has to find it again.
    let starts = [0, 30, 60];
    let run = Text::new("90 s")
        .top("record = { events = true }")
        .dumbbell(2, "4 Mbit/s", "5 ms", "queue = \"sfb\"")
        .flow("good", ("src[0]", "dst[0]"), "\"tcp\"", "\"bulk\"")
        .flow_with(
            "flood",
            ("src[1]", "dst[1]"),
            "\"udp\"",
            "{ kind = \"schedule\", size = \"1000 B\", steps = [[\"0 s\", \"30 Mbit/s\"], [\"10 s\", \"0 bit/s\"], [\"40 s\", \"30 Mbit/s\"]] }",
            "role = \"attack\"\nstart = \"4 s\"",
        )
        .add(&windows(&starts.map(|s| s * 1000)))
        .run();
    for group in ["flood", "good"] {
        let (kinds, groups) = (run.words("events", "kind"), run.words("events", "group"));
        let rows = kinds.into_iter().zip(groups).zip(run.column("events", "time_s"));
        let rows = rows.filter(|((kind, of), _)| of == group && ["flag", "clear"].contains(&kind.as_str()));
        let told: Vec<(String, f64)> = rows.map(|((kind, _), at)| (kind, at)).collect();
        // Expected values from the events: one flow, alternately flagged and cleared.
        let expected = |from: f64, to: f64| {
            let (mut stands, mut first, mut figures) = (None, None, (0.0, 0.0, 0.0, 0.0, f64::NAN));
            for (kind, at) in &told {
                let counts = *at > from && *at <= to;
                if kind == "flag" && stands.is_none() {
                    figures.3 += f64::from(first.is_some() && counts);
                    if first.is_none() && counts {
                        figures.4 = at - if group == "flood" { 4.0 } else { 0.0 };
                    }
                    first.get_or_insert(*at);
                    stands = Some(*at);
                } else if kind == "clear"
                    && let Some(since) = stands.take()
                {
                    figures.0 = f64::from(figures.0 > 0.0 || *at > from && since <= to);
                    figures.1 += f64::from(counts);
                    figures.2 += if counts { at - since } else { 0.0 };
                }
            }
            figures.0 = f64::from(figures.0 > 0.0 || stands.is_some_and(|since| since <= to));
            figures
        };
        for (i, (from, to)) in [(0.0, 30.0), (30.0, 60.0), (60.0, 90.0)].into_iter().enumerate() {
            let found =
                |leaf: &str| of_windows(&run, &format!("queues.r1->r2.flagged.groups.{group}.{leaf}"))[i];
            let (flagged, cleared, lasted, again, first) = expected(from, to);
            assert_eq!(found("flagged"), flagged, "{group} {i} {told:?}");
            assert_eq!(found("cleared"), cleared, "{group} {i} {told:?}");
            assert_eq!(found("flagged_again"), again, "{group} {i} {told:?}");
            let close = |a: f64, b: f64| a.is_nan() && b.is_nan() || (a - b).abs() < 1e-9;
            assert!(close(found("rehabilitation_s"), lasted / cleared), "{group} {i} {told:?}");
            assert!(close(found("first_flag_s"), first), "{group} {i} {told:?}");
        }
    }
    let of_run = |leaf: &str| run.queue(&format!("flagged.groups.flood.{leaf}"));
    assert!(of_run("flagged") == 1.0 && of_run("cleared") >= 1.0 && of_run("flagged_again") >= 1.0);
    assert_eq!(of_run("first_flag_s"), run.queue("flagged.detection_s"));
}

#[test]
fn mptcp_connections_report_paths_per_window() {
    // Two paths, the second dead from 10 s to 20 s.
    let run = Text::new("30 s")
        .hosts("a", 1)
        .hosts("b", 1)
        .link("a", "b", "4 Mbit/s", "10 ms", "name = \"one\"\nqueue = \"droptail\"")
        .link("a", "b", "4 Mbit/s", "30 ms", "name = \"two\"\nqueue = \"droptail\"")
        .flow("mp", ("a", "b"), "{ kind = \"mptcp\" }", "\"bulk\"")
        .add("[[fault]]\nat = \"10 s\"\nuntil = \"20 s\"\nlink = \"two\"\nkind = \"blackhole\"")
        .add(&windows(&[0, 10_000, 12_000, 20_000]))
        .run();
    let each = |leaf: &str| of_windows(&run, &format!("connections.mp[0].{leaf}"));
    let carried = ["paths.one.scheduled_bytes", "paths.two.scheduled_bytes"].map(each);
    assert!(carried.iter().all(|path| path[0] > 2e6), "{carried:?}");
    assert!(carried[0][2] > 2e6 && carried[1][2] == 0.0, "{carried:?}");
    let timeouts = each("paths.two.timeouts");
    assert!(timeouts[0] == 0.0 && timeouts[1] + timeouts[2] >= 3.0, "{timeouts:?}");
    let mut figures = Vec::new();
    leaves(&run.json["connections"]["mp[0]"], "", &mut figures);
    let (mut sums, mut maxima) = (0, 0);
    for (path, figure) in figures {
        let (found, last) = (each(&path[1..]), path.rsplit('.').next().unwrap());
        if last == "max_waiting_bytes" || last == "max" {
            let most = found.iter().copied().fold(f64::NAN, f64::max);
            assert!(most == figure || most.is_nan() && figure.is_nan(), "{path} {found:?}");
            maxima += usize::from(figure > 0.0);
        } else if !path.contains("displacement") && !path.contains("delay") && last != "reordered_ratio" {
            assert_eq!(found.iter().sum::<f64>(), figure, "{path} {found:?}");
            sums += usize::from(figure > 0.0);
        }
    }
    assert!(sums > 10 && maxima >= 3, "{sums} {maxima}");
}
