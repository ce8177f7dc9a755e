//! Keys and columns of the results: all present, and null if nothing happened.

use crate::support::{Run, Text, run_scenario};
use std::collections::BTreeSet;
use tailrace_sim::{Control, Simulation};

fn leaves(value: &serde_json::Value, path: &str, out: &mut Vec<String>) {
    match value.as_object() {
        Some(map) if !map.is_empty() => {
            map.iter().for_each(|(k, v)| leaves(v, &format!("{path}.{k}"), out));
        }
        _ => out.push(path.trim_start_matches('.').into()),
    }
}

fn small() -> Text {
    Text::new("3 s")
        .top("record = { interval = \"100 ms\", events = true }")
        .dumbbell(2, "5 Mbit/s", "5 ms", "queue = { kind = \"red\", limit = \"30 packets\" }")
        .tcp("cc = \"cubic\", mss = \"1000 B\"", "\"bulk\"")
}

/// Published counters of flows, groups and whole runs.
const COUNTERS: [&str; 12] = [
    "received_packets",
    "received_bytes",
    "delivered_bytes",
    "sent_packets",
    "sent_bytes",
    "altered_bytes",
    "lost_packets",
    "marked_packets",
    "reordered_packets",
    "retransmitted_packets",
    "timeouts",
    "completed",
];

/// Keys of a group of endless TCP flows in a run with intervals.
fn leaves_of_a_tcp_group() -> Vec<String> {
    let distribution =
        |name: &str| ["mean", "sd", "min", "p50", "p95", "p99", "max"].map(|l| format!("{name}.{l}"));
    let spread = |name: &str| ["mean", "sd", "min", "max", "sum"].map(|l| format!("{name}.{l}"));
    let mut wanted: Vec<String> =
        ["flows", "role", "jain", "loss_ratio", "completion_goodput_bps", "longest_silence_s"]
            .map(String::from)
            .to_vec();
    wanted.extend(COUNTERS.map(String::from));
    wanted.extend(
        [
            "start_s",
            "end_s",
            "interval_s",
            "count",
            "goodput_cv",
            "goodput_min_bps",
            "goodput_max_bps",
            "loss_max_ratio",
        ]
        .map(|leaf| format!("bins.{leaf}")),
    );
    wanted.extend(["goodput_bps", "throughput_bps"].iter().flat_map(|n| spread(n)));
    wanted.extend(
        ["one_way_delay_s", "reverse_one_way_delay_s", "rtt_s", "completion_s", "slowdown", "jitter_s"]
            .iter()
            .flat_map(|n| distribution(n)),
    );
    let below =
        |name: &str, leaves: &[&str]| leaves.iter().map(|l| format!("{name}.{l}")).collect::<Vec<_>>();
    wanted.extend(below("connections", &["opened", "open"]));
    let causes = ["aborted", "interface_down", "refused", "reset", "timed_out"];
    wanted.extend(below("connections.broken", &causes));
    wanted.push("transfers".into());
    wanted.extend(below("whole_run", &COUNTERS));
    wanted.push("whole_run.under_way_packets".into());
    wanted
}

#[test]
fn summary_has_all_keys_of_the_contract() {
    let run = small().run();
    let mut found = Vec::new();
    leaves(&run.json["groups"]["tcp"], "", &mut found);
    // A new key needs no line here: the description of each is asked for below.
    let missing: Vec<_> = leaves_of_a_tcp_group().into_iter().filter(|leaf| !found.contains(leaf)).collect();
    assert_eq!(missing, [""; 0]);
    for leaf in ["kind", "utilization", "enqueued_packets", "dequeued_packets", "marked_packets"] {
        assert!(!run.json["queues"]["r1->r2"][leaf].is_null(), "{leaf}");
    }
    let queue = &run.json["queues"]["r1->r2"];
    for leaf in ["sojourn_s", "backlog_bytes", "backlog_packets"] {
        for moment in ["mean", "sd", "min", "max"] {
            assert!(queue[leaf][moment].is_number(), "{leaf}.{moment}");
        }
    }
    assert!(queue["dropped_packets"]["overlimit"].is_u64() && queue["dropped_packets"]["aqm"].is_u64());
    assert!(queue["flagged"]["true_positive"].is_u64() && queue["flagged"]["detection_s"].is_null());
    assert_eq!(run.json["run"], 1);
    assert_eq!(run.json["fingerprint"].as_str().unwrap(), format!("{:016x}", run.output.fingerprint));
    assert_eq!(run.json["engine"]["simulated_s"], 3.0);
    assert!(run.leaf("engine.events") > 0.0 && run.leaf("engine.packet_hops") > 0.0);
    // About one event per packet-hop (design 3.8), with ACKs and timers below one and a half.
    assert!(run.leaf("engine.events") < 1.5 * run.leaf("engine.packet_hops"));
}

/// A scenario that produces every table.
fn whole() -> Text {
    let mptcp = "{ kind = \"mptcp\", path_manager = { kind = \"ndiffports\", num_subflows = 2 } }";
    small()
        .flow("mp", ("src[0]", "dst[0]"), mptcp, "\"bulk\"")
        .add("[[window]]\nname = \"first\"\nstart = \"1 s\"\nend = \"2 s\"")
}

#[test]
fn table_columns_match_their_descriptions() {
    let run = whole().run();
    let described = tailrace_sim::tables();
    assert_eq!(described.len(), run.output.tables.len());
    for table in described {
        let columns = &run.table(table.name).columns;
        let described: Vec<&str> = table.columns.iter().map(|c| c.name).collect();
        let found: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(found, described, "{}", table.name);
    }
}

/// Paths of the keys of a value; `described` keys stand for those below them.
fn keys(value: &serde_json::Value, above: &str, described: &BTreeSet<String>, out: &mut BTreeSet<String>) {
    for (key, below) in value.as_object().into_iter().flatten() {
        let path = format!("{above}{key}");
        let deeper = format!("{path}.");
        if described.iter().any(|d| d.starts_with(&deeper)) {
            keys(below, &deeper, described, out);
        }
        out.insert(path);
    }
}

#[test]
fn summary_keys_match_their_descriptions() {
    let app = "{ kind = \"sequence\", size = \"uniform(1 kB, 10 kB)\", gap = \"10 ms\", count = 2 }";
    let run = whole()
        .flow("call", ("src[0]", "dst[0]"), "\"udp\"", "\"voip\"")
        .flow("short", ("src[1]", "dst[1]"), "\"tcp\"", app)
        .flow("web", ("src[1]", "dst[1]"), "\"tcp\"", "\"web\"")
        .flow("video", ("src[1]", "dst[1]"), "\"tcp\"", "\"video\"")
        .with("kind = \"red\"", "kind = \"sfq\"")
        .add("[[medium]]\nname = \"air\"\nkind = \"wifi\"")
        .run();
    let json = &run.json;
    let all = |name: &str| json[name].as_object().unwrap().values().collect::<Vec<_>>();
    let connection = &json["connections"]["mp[0]"];
    let paths = connection["paths"].as_object().unwrap().values().collect();
    let twice = "[[fault]]\nat = \"1 s\"\nlink = \"bottleneck\"\nkind = \"duplication\"\nprobability = 0.1";
    let classified = small().with("kind = \"red\"", "kind = \"sfb\"").add(twice).run();
    let judged = &classified.json["queues"]["r1->r2"];
    let seen = [
        ("flagged_group", vec![&judged["flagged"]["groups"]["tcp"]]),
        ("run", vec![json]),
        ("connection", vec![connection]),
        ("path", paths),
        ("flow_path", all("paths")),
        ("group", all("groups")),
        ("transfers_by_size", vec![&json["groups"]["short"]["completion_by_size"]["below_10kB"]]),
        ("queue", [all("queues"), vec![judged]].concat()),
        ("medium", all("media")),
        ("window", all("windows")),
        ("engine", vec![&json["engine"]]),
        ("spread", vec![&json["groups"]["tcp"]["goodput_bps"]]),
        ("distribution", vec![&json["groups"]["tcp"]["rtt_s"]]),
        ("level", vec![&json["queues"]["r1->r2"]["backlog_bytes"]]),
    ];
    let objects = tailrace_sim::objects();
    assert_eq!(objects.len(), seen.len() + 1, "foreign hosts have a test of their own");
    for (name, values) in seen {
        let object = objects.iter().find(|object| object.name == name).unwrap();
        let mut described: BTreeSet<String> = object.keys.iter().map(|key| key.path.clone()).collect();
        assert_eq!(described.len(), object.keys.len(), "{name}");
        if name == "run" {
            described.remove("foreign_hosts");
        }
        if name == "group" {
            // The scenario has no foreign hosts.
            described.remove("whole_run.wrong_bytes");
        }
        let mut found = BTreeSet::new();
        values.iter().for_each(|value| keys(value, "", &described, &mut found));
        assert_eq!(found, described, "{name}");
    }
}

#[test]
fn summary_tables_and_series_agree() {
    let run = small().run();
    let ordered = |name: &str| {
        let leaf = |l: &str| run.leaf(&format!("{name}.{l}"));
        let rising = ["min", "p50", "p95", "p99", "max"].map(leaf);
        assert!(rising.is_sorted() && (rising[0]..=rising[4]).contains(&leaf("mean")), "{name}");
    };
    ordered("groups.tcp.one_way_delay_s");
    ordered("groups.tcp.rtt_s");
    ordered("queues.r1->r2.sojourn_s");
    let tcp = |l: &str| run.tcp(l);
    assert!(
        tcp("goodput_bps.min") <= tcp("goodput_bps.mean")
            && tcp("goodput_bps.mean") <= tcp("goodput_bps.max")
    );
    assert!((tcp("goodput_bps.sum") - 2.0 * tcp("goodput_bps.mean")).abs() < 1e-3);
    assert!(tcp("goodput_bps.sum") < tcp("throughput_bps.sum"));
    // The one-way delay is at least 7 ms of propagation, the round trip at least twice that.
    assert!(tcp("one_way_delay_s.p50") > 0.007 && tcp("rtt_s.p50") > 0.014);
    let dropped =
        ["aqm", "overlimit"].map(|r| run.queue(&format!("dropped_packets.{r}"))).iter().sum::<f64>();
    assert_eq!(dropped, tcp("lost_packets"));
    // Series: 30 samples of 2 flows; the last counters are the totals, and the rates average to the throughput.
    assert_eq!(run.column("flow_series", "time_s").len(), 60);
    let sent = run.column("flow_series", "sent_packets");
    assert_eq!(sent[58] + sent[59], tcp("sent_packets"));
    let rates = run.column("flow_series", "throughput_bps");
    let mean = rates.iter().sum::<f64>() / 30.0;
    assert!((mean / tcp("throughput_bps.sum") - 1.0).abs() < 1e-9);
    assert_eq!(run.column("queue_series", "time_s").len(), 60);
    let backlog = run.column("queue_series", "backlog_packets");
    assert!(backlog.iter().all(|b| *b <= run.queue("backlog_packets.max")));
    let lost = run.words("events", "kind").iter().filter(|k| *k == "drop").count();
    assert_eq!(lost as f64, dropped);
    let timeouts = run.words("events", "kind").iter().filter(|k| *k == "timeout").count();
    assert_eq!(timeouts as f64, tcp("timeouts"));
    // All columns of a table are equally long.
    for table in &run.output.tables {
        let len = |c: &tailrace_sim::Column| match &c.values {
            tailrace_sim::Values::U64(v) => v.len(),
            tailrace_sim::Values::U32(v) | tailrace_sim::Values::Text(v) => v.len(),
            tailrace_sim::Values::F64(v) => v.len(),
        };
        assert!(table.columns.iter().all(|c| len(c) == len(&table.columns[0])), "{}", table.name);
    }
}

#[test]
fn recording_series_and_events_does_not_change_the_run() {
    let plain = Text::new("3 s")
        .top("record = { interval = \"off\" }")
        .dumbbell(2, "5 Mbit/s", "5 ms", "queue = { kind = \"red\", limit = \"30 packets\" }")
        .tcp("cc = \"cubic\", mss = \"1000 B\"", "\"bulk\"")
        .run();
    assert_eq!(plain.output.fingerprint, small().run().output.fingerprint);
    let names: Vec<_> = plain.output.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["flows", "queues", "connections"]);
}

#[test]
fn series_of_a_run_before_first_sample_are_empty() {
    let run = Text::new("50 ms")
        .top("record = { interval = \"100 ms\" }")
        .dumbbell(1, "5 Mbit/s", "5 ms", "")
        .tcp("mss = \"1000 B\"", "\"bulk\"")
        .run();
    assert_eq!(run.column("flow_series", "time_s").len(), 0);
    assert_eq!(run.column("queue_series", "backlog_bytes").len(), 0);
    assert_eq!(run.leaf("engine.simulated_s"), 0.05);
}

#[test]
fn warm_up_is_excluded_from_statistics() {
    let text = |warmup: &str| {
        Text::new("10 s")
            .top(&format!("warmup = \"{warmup}\""))
            .dumbbell(1, "1 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"20 packets\" }")
            .flow_with(
                "udp",
                ("src[0]", "dst[0]"),
                "{ kind = \"udp\", header = \"0 B\" }",
                "{ kind = \"schedule\", size = \"125 B\", steps = [[\"0 s\", \"2 Mbit/s\"], [\"4 s\", \"500 kbit/s\"]] }",
                "",
            )
            .run()
    };
    let all = text("0 s");
    assert!(all.leaf("groups.udp.lost_packets") > 3900.0);
    let late = text("5 s");
    // At 500 packets/s for 5 s without loss; overflow during the warm-up does not count, nor do its delays.
    assert!((late.leaf("groups.udp.sent_packets") - 2500.0).abs() <= 1.0);
    assert_eq!(late.leaf("groups.udp.lost_packets"), 0.0);
    assert_eq!(late.queue("dropped_packets.overlimit"), 0.0);
    assert_eq!(late.queue("backlog_packets.max"), 0.0);
    assert!(late.leaf("groups.udp.one_way_delay_s.max") < 0.0095);
    assert!((late.leaf("groups.udp.goodput_bps.sum") - 5e5).abs() < 400.0);
    assert_eq!(all.output.fingerprint, late.output.fingerprint);
}

#[test]
fn cancelled_run_returns_partial_output() {
    let scenario = small().scenario();
    let control = Control::default();
    control.cancel();
    let none = Simulation::build(&scenario, 1).unwrap().run(&control).unwrap();
    assert!(none.interrupted);
    let run = Run::new(none);
    assert_eq!(run.leaf("engine.simulated_s"), 0.0);
    assert_eq!(run.tcp("sent_packets"), 0.0);
    // Cancelled from another thread during a long run.
    let long =
        Text::new("1000000 s").dumbbell(1, "100 Mbit/s", "1 ms", "").tcp("mss = \"1000 B\"", "\"bulk\"");
    let (scenario, control) = (long.scenario(), Control::default());
    let output = std::thread::scope(|s| {
        let running = s.spawn(|| Simulation::build(&scenario, 1).unwrap().run(&control));
        while control.simulated().as_secs_f64() < 1.0 {
            std::thread::yield_now();
        }
        control.cancel();
        running.join().unwrap().unwrap()
    });
    assert!(output.interrupted);
    let run = Run::new(output);
    let simulated = run.leaf("engine.simulated_s");
    assert!((1.0..1e6).contains(&simulated), "{simulated}");
    // Rates are over the time that passed.
    assert!(run.queue("utilization") > 0.5 && run.queue("utilization") < 1.001);
}

#[test]
fn minimal_scenario_runs_with_defaults() {
    let text = Text::new("20 s").top("record = { interval = \"10 ms\" }").add(
        "[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n[[flow]]\nname = \"tcp\"\nfrom = \"a\"\nto = \"b\"\ntransport = \"tcp\"\napp = \"bulk\"",
    );
    let run = run_scenario(&text.scenario(), 1);
    // The default segments fit the default MTU, and slow start's overshoot of a queue of 1000 packets is repaired
    // without a timeout: 96.5 % of 10 Mbit/s are payload.
    assert!(run.tcp("goodput_bps.sum") > 9.6e6, "{:#}", run.json);
    assert_eq!(run.tcp("timeouts"), 0.0);
    // A loss never raises the window: after several recoveries in a row, no ssthresh exceeds 0.7 of the largest window (with some
    // margin because windows are sampled).
    let largest = |column: &str| run.column("flow_series", column).into_iter().fold(0.0, f64::max);
    assert!(largest("ssthresh_bytes") <= 0.71 * largest("cwnd_bytes"));
}

#[test]
fn summary_without_traffic_is_null_or_zero() {
    // The peer is unreachable: SYNs leave and nothing returns.
    let run = Text::new("20 s")
        .top("record = { interval = \"1 s\" }")
        .dumbbell(
            1,
            "5 Mbit/s",
            "5 ms",
            "loss = \"100 %\"\nqueue = { kind = \"droptail\", limit = \"5 packets\" }",
        )
        .tcp("mss = \"1000 B\"", "{ kind = \"transfer\", size = \"1 kB\" }")
        .run();
    for distribution in ["one_way_delay_s", "reverse_one_way_delay_s", "rtt_s", "completion_s", "jitter_s"] {
        for (name, value) in run.json["groups"]["tcp"][distribution].as_object().unwrap() {
            assert!(value.is_null(), "{distribution}.{name}");
        }
    }
    assert!(run.tcp("loss_ratio").is_nan() && run.tcp("jain").is_nan());
    // SYNs are not data, but their timeouts count: after 1, 3, 7 and 15 s.
    assert_eq!(run.tcp("sent_packets"), 0.0);
    assert_eq!(run.tcp("timeouts"), 4.0);
    assert_eq!(run.queue("dropped_packets.link_loss"), 5.0);
    for column in ["one_way_delay_mean_s", "rtt_mean_s", "rtt_min_s", "loss_ratio", "jitter_mean_s"] {
        assert!(run.flows("tcp", column)[0].is_nan(), "{column}");
    }
    assert!(run.column("flow_series", "rtt_s").iter().all(|x| x.is_nan()));
    assert!(run.column("flow_series", "one_way_delay_s").iter().all(|x| x.is_nan()));
    assert!(run.column("flow_series", "jitter_s").iter().all(|x| x.is_nan()));
}

#[test]
fn event_table_is_bounded_and_counts_unrecorded() {
    let text = |limit: u32| {
        Text::new("5 s")
            .top(&format!("record = {{ events = true, max_events = {limit} }}"))
            .dumbbell(1, "1 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"5 packets\" }")
            .flow(
                "udp",
                ("src[0]", "dst[0]"),
                "\"udp\"",
                "{ kind = \"cbr\", rate = \"3 Mbit/s\", size = \"500 B\" }",
            )
            .run()
    };
    let (all, few) = (text(1_000_000), text(10));
    let dropped = all.leaf("groups.udp.lost_packets");
    assert_eq!(all.column("events", "time_s").len() as f64, dropped);
    assert_eq!(all.leaf("engine.unrecorded_events"), 0.0);
    assert_eq!(few.column("events", "time_s").len(), 10);
    assert_eq!(few.leaf("engine.unrecorded_events"), dropped - 10.0);
}

#[test]
fn series_continue_across_the_end_of_warm_up() {
    let sojourn = |warmup: &str| {
        let run = small().top(&format!("warmup = \"{warmup}\"")).run();
        let queues = run.words("queue_series", "queue");
        let all = run.column("queue_series", "sojourn_s").into_iter().zip(queues);
        all.filter(|(_, q)| q == "r1->r2").map(|(s, _)| s).collect::<Vec<f64>>()
    };
    let whole = sojourn("0 s");
    assert!(whole.iter().skip(1).all(|s| s.is_finite()), "{whole:?}");
    // Warm-up that ends at a sample, and between two.
    assert_eq!(sojourn("1 s")[1..], whole[1..]);
    assert_eq!(sojourn("1250 ms")[1..], whole[1..]);
}

#[test]
fn loss_ratio_is_null_without_sent_packets() {
    // All datagrams were sent by 150 ms; the last is lost at 155 ms, after statistics began at 152 ms.
    let run = Text::new("1 s")
        .top("warmup = \"152 ms\"")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "100 Mbit/s", "5 ms", "loss = \"100 %\"")
        .flow_with(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"500 B\" }",
            "stop = \"160 ms\"",
        )
        .run();
    assert_eq!((run.leaf("groups.udp.sent_packets"), run.leaf("groups.udp.lost_packets")), (0.0, 0.0));
    assert_eq!(run.leaf("groups.udp.whole_run.lost_packets"), 4.0);
    assert!(run.flows("udp", "loss_ratio")[0].is_nan());
}

#[test]
fn event_table_distinguishes_parallel_links() {
    let run = Text::new("1 s")
        .top("record = { events = true }")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "1 Mbit/s", "5 ms", "name = \"one\"\nloss = \"100 %\"")
        .link("src[*]", "dst[*]", "1 Mbit/s", "5 ms", "name = \"two\"")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"500 B\" }",
        )
        .run();
    let places = run.words("events", "place");
    assert!(!places.is_empty());
    assert!(places.iter().all(|p| p == "one[0]:src[0]->dst[0]"), "{places:?}");
}

#[test]
fn queue_names_distinguish_parallel_links() {
    let run = Text::new("1 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .router("r1")
        .router("r2")
        .link("src[*]", "r1", "10 Mbit/s", "1 ms", "")
        .link("r1", "r2", "10 Mbit/s", "1 ms", "name = \"one\"")
        .link("r2", "r1", "10 Mbit/s", "1 ms", "name = \"two\"")
        .link("r2", "dst[*]", "10 Mbit/s", "1 ms", "")
        .tcp("mss = \"1000 B\"", "\"bulk\"")
        .run();
    let names: Vec<&String> = run.json["queues"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["one:r1->r2", "one:r2->r1", "two:r1->r2", "two:r2->r1"]);
    // Among equal routes the link declared first is used.
    assert!(run.leaf("queues.one:r1->r2.dequeued_packets") > 500.0);
    assert!(run.leaf("queues.one:r2->r1.dequeued_packets") > 250.0);
    assert_eq!(run.leaf("queues.two:r1->r2.dequeued_packets"), 0.0);
}
