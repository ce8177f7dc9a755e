//! Traffic of MPTCP flows by path: totals, windows, series.

use crate::support::{Run, Text, assert_close};
use serde_json::Value;
use std::collections::BTreeMap;

/// Two links between two hosts: a near lossy one, and a far one with a third of the rate.
fn unequal(duration: &str) -> Text {
    let queue = "queue = { kind = \"droptail\", limit = \"60 packets\" }";
    Text::new(duration)
        .hosts("a", 1)
        .hosts("b", 1)
        .link("a", "b", "6 Mbit/s", "10 ms", &format!("name = \"near\"\nloss = \"1 %\"\n{queue}"))
        .link("a", "b", "2 Mbit/s", "60 ms", &format!("name = \"far\"\n{queue}"))
}

/// A phone with two links, and a server behind a router.
fn phone(duration: &str) -> Text {
    Text::new(duration)
        .hosts("phone", 1)
        .hosts("server", 1)
        .router("r")
        .link("phone", "r", "8 Mbit/s", "5 ms", "name = \"wifi\"")
        .link("phone", "r", "4 Mbit/s", "30 ms", "name = \"lte\"")
        .link("r", "server", "100 Mbit/s", "5 ms", "name = \"core\"")
}

fn mptcp(text: Text, ends: (&str, &str), app: &str) -> Text {
    text.flow("mp", ends, "{ kind = \"mptcp\", path_manager = \"fullmesh\" }", app)
}

fn names(run: &Run) -> Vec<&str> {
    run.json["paths"].as_object().unwrap().keys().map(String::as_str).collect()
}

/// A value of a path such as `"near"` or `"lte.backward"`, by its keys.
fn of(run: &Run, path: &str, keys: &[&str]) -> f64 {
    number(&run.json["paths"][format!("mp[0].{path}")], keys)
}

fn number(tree: &Value, keys: &[&str]) -> f64 {
    let leaf = keys.iter().fold(tree, |tree, key| &tree[*key]);
    leaf.as_f64().unwrap_or_else(|| panic!("no {keys:?} in {tree:#}"))
}

const COUNTS: [&str; 8] = [
    "sent_packets",
    "sent_bytes",
    "retransmitted_packets",
    "lost_packets",
    "marked_packets",
    "received_packets",
    "received_bytes",
    "new_bytes",
];

#[test]
fn path_statistics_match_their_link() {
    let run = mptcp(unequal("60 s"), ("a", "b"), "\"bulk\"").run();
    assert_eq!(names(&run), ["mp[0].far", "mp[0].near"]);
    for (path, queue, rate, propagation) in [("near", "near", 6e6, 0.01), ("far", "far", 2e6, 0.06)] {
        let queue = |keys: &[&str]| {
            let queues = run.json["queues"].as_object().unwrap();
            let (_, found) = queues.iter().find(|(name, _)| name.starts_with(queue)).unwrap();
            number(found, keys)
        };
        // Packets wait in the link's queue only; nearly all have one size.
        let waits = queue(&["sojourn_s", "mean"]);
        assert_close(
            of(&run, path, &["one_way_delay_s", "mean"]),
            propagation + 1500.0 * 8.0 / rate + waits,
            0.01,
        );
        assert!(of(&run, path, &["one_way_delay_s", "p50"]) > propagation);
        let dropped = queue(&["dropped_packets", "overlimit"]) + queue(&["dropped_packets", "link_loss"]);
        // Packets other than SYN or FIN.
        let lost = of(&run, path, &["lost_packets"]);
        assert!(lost > 0.0 && (lost - dropped).abs() <= 1.0, "{path}: {lost} of {dropped}");
        // Packets lost by the link count as sent by it.
        let kept = 1.0 - queue(&["dropped_packets", "link_loss"]) / queue(&["dequeued_packets"]);
        assert_close(of(&run, path, &["throughput_bps"]), queue(&["utilization"]) * rate * kept, 0.005);
        assert!(of(&run, path, &["goodput_bps"]) < of(&run, path, &["throughput_bps"]));
        assert!(of(&run, path, &["received_packets"]) + lost <= of(&run, path, &["sent_packets"]));
        assert_close(of(&run, path, &["new_bytes"]) * 8.0 / 60.0, of(&run, path, &["goodput_bps"]), 1e-9);
    }
    let loss = of(&run, "near", &["loss_ratio"]);
    assert!(loss > 0.008 && loss < 0.03, "1 % and what the queue drops: {loss}");
    // Goodput equals the delivered bytes, besides out-of-order data at the end.
    let goodput = ["near", "far"].map(|path| of(&run, path, &["goodput_bps"])).iter().sum::<f64>();
    assert_close(goodput, run.leaf("groups.mp.goodput_bps.sum"), 0.02);
}

#[test]
fn path_statistics_sum_all_connections_of_a_flow() {
    let app = "{ kind = \"sequence\", size = \"200 kB\", gap = \"50 ms\", count = 6 }";
    let run = mptcp(unequal("60 s"), ("a", "b"), app).run();
    assert_eq!(run.leaf("groups.mp.completed"), 6.0);
    let sum = |key: &str| ["near", "far"].map(|path| of(&run, path, &[key])).iter().sum::<f64>();
    assert_eq!(sum("new_bytes"), 1_200_000.0);
    for key in ["sent_packets", "received_packets", "lost_packets", "retransmitted_packets"] {
        assert_eq!(sum(key), run.column("flows", key)[0], "{key}");
    }
    assert_eq!(sum("sent_packets"), sum("received_packets") + sum("lost_packets"));
}

#[test]
fn download_paths_are_named_by_client_links() {
    let app = "{ kind = \"request_response\", request = \"300 B\", response = \"500 kB\" }";
    let run = mptcp(phone("20 s"), ("phone", "server"), app)
        .add("[[fault]]\nat = \"10 s\"\nlink = \"wifi\"\nkind = \"down\"")
        .add("[[window]]\nname = \"both\"\n[[window]]\nname = \"one\"\nstart = \"11 s\"")
        .run();
    let back = ["mp[0].lte.backward", "mp[0].wifi.backward"];
    assert!(back.iter().all(|path| names(&run).contains(path)), "{:?}", names(&run));
    assert!(of(&run, "wifi.backward", &["new_bytes"]) > 3e6);
    let requests = run.json["paths"].as_object().unwrap().iter().filter(|(name, _)| !name.contains("back"));
    let requested: f64 = requests.map(|(_, path)| number(path, &["new_bytes"])).sum();
    assert_eq!(requested % 300.0, 0.0);
    let goodput = |window: &str, path: &str| {
        number(&run.json["windows"][window]["paths"][format!("mp[0].{path}.backward")], &["goodput_bps"])
    };
    assert!(goodput("both", "wifi") > goodput("both", "lte"));
    assert_eq!(goodput("one", "wifi"), 0.0);
    assert!(goodput("one", "lte") > 3e6);
    let rows = run.words("paths", "path").into_iter().zip(run.words("paths", "end"));
    let found: BTreeMap<_, _> = rows.zip(run.column("paths", "new_bytes")).collect();
    let key = ("wifi".to_string(), "server".to_string());
    assert_eq!(found[&key], of(&run, "wifi.backward", &["new_bytes"]));
    assert_eq!(found.len(), names(&run).len());
}

#[test]
fn path_names_include_server_link_if_multihomed() {
    let run = mptcp(
        phone("5 s").link("r", "server", "100 Mbit/s", "5 ms", "name = \"spare\""),
        ("phone", "server"),
        "\"bulk\"",
    )
    .run();
    let expected = ["lte to core", "lte to spare", "wifi to core", "wifi to spare"];
    assert_eq!(names(&run), expected.map(|path| format!("mp[0].{path}")));
    // Each path has its own queue, so their delays differ.
    let delay = |path: &str| of(&run, path, &["one_way_delay_s", "p50"]);
    assert!(delay("lte to core") > 0.035 && delay("wifi to spare") > 0.01);
}

#[test]
fn path_statistics_of_windows_add_up_to_the_run() {
    let windows = [1000, 4000, 9900, 10_000, 10_100, 20_000];
    let window = |start| format!("[[window]]\nname = \"w{start}\"\nstart = \"{start} ms\"\n");
    let parts = windows.map(window).concat();
    let text = mptcp(unequal("30 s").top("warmup = \"1 s\""), ("a", "b"), "\"bulk\"");
    // Packets that wait at the end of a window are lost in the next, or much later.
    let text = text.add("[[fault]]\nat = \"10 s\"\nuntil = \"12 s\"\nlink = \"far\"\nkind = \"down\"");
    let (whole, run) = (text.run(), text.clone().add(&parts).run());
    assert_eq!(whole.json["paths"], run.json["paths"]);
    for (name, path) in run.json["paths"].as_object().unwrap() {
        let each: Vec<&Value> =
            run.json["windows"].as_object().unwrap().values().map(|w| &w["paths"][name]).collect();
        for key in COUNTS {
            let sum: f64 = each.iter().map(|window| number(window, &[key])).sum();
            assert_eq!(sum, number(path, &[key]), "{name} {key}");
        }
        let worst = each.iter().filter_map(|window| window["one_way_delay_s"]["max"].as_f64());
        assert_eq!(worst.fold(0.0, f64::max), number(path, &["one_way_delay_s", "max"]));
        for window in each {
            assert!(number(window, &["lost_packets"]) <= number(window, &["sent_packets"]));
        }
    }
    let groups: Vec<f64> = run.json["windows"]
        .as_object()
        .unwrap()
        .values()
        .map(|w| {
            let paths: f64 =
                w["paths"].as_object().unwrap().values().map(|p| number(p, &["lost_packets"])).sum();
            paths - number(&w["groups"]["mp"], &["lost_packets"])
        })
        .collect();
    assert_eq!(groups, [0.0; 6], "losses are of the same windows as those of the group");
}

#[test]
fn path_series_add_up_to_totals() {
    let text = mptcp(unequal("20 s"), ("a", "b"), "\"bulk\"").add("[record]\ninterval = \"50 ms\"");
    let run = text.run();
    let (paths, times) = (run.words("path_series", "path"), run.column("path_series", "time_s"));
    for path in ["near", "far"] {
        let rows: Vec<usize> = (0..paths.len()).filter(|i| paths[*i] == path).collect();
        assert!(rows.windows(2).all(|pair| times[pair[0]] < times[pair[1]]));
        let column = |name: &str| {
            let values = run.column("path_series", name);
            rows.iter().map(|i| values[*i]).collect::<Vec<_>>()
        };
        assert_close(
            column("goodput_bps").iter().sum::<f64>() * 0.05 / 8.0,
            of(&run, path, &["new_bytes"]),
            1e-9,
        );
        let bytes = column("throughput_bps").iter().sum::<f64>() * 0.05 / 8.0;
        assert_close(bytes, of(&run, path, &["received_bytes"]), 1e-9);
        for key in ["sent_packets", "received_packets", "lost_packets", "retransmitted_packets"] {
            let counted = column(key);
            assert_eq!(*counted.last().unwrap(), of(&run, path, &[key]), "{key}");
            assert!(counted.is_sorted(), "{key}");
        }
        let (sequence, goodput) = (column("data_sequence_bytes"), column("goodput_bps"));
        assert!(sequence.iter().zip(&goodput).all(|(at, rate)| at.is_nan() == (*rate == 0.0)), "{path}");
        let places: Vec<f64> = sequence.into_iter().filter(|at| !at.is_nan()).collect();
        let whole = run.leaf("groups.mp.goodput_bps.sum") * 20.0 / 8.0;
        // Out-of-order data has arrived but is not delivered.
        assert!(places[0] < 0.05 * whole && places.iter().all(|at| *at < 1.1 * whole), "{path}");
        assert!(places.last().unwrap() > &(0.9 * whole), "{path}: {:?} of {whole}", places.last());
        let delays: Vec<f64> = column("one_way_delay_s").into_iter().filter(|d| !d.is_nan()).collect();
        let least = if path == "near" { 0.010 } else { 0.060 };
        assert!(delays.iter().all(|delay| *delay > least), "{path}");
        assert!(delays.iter().any(|delay| *delay > 2.0 * least) && delays.len() > 300, "queues fill: {path}");
    }
}

#[test]
fn path_statistics_are_absent_without_mptcp() {
    let run = Text::new("2 s").dumbbell(1, "1 Mbit/s", "5 ms", "").tcp("", "\"bulk\"").run();
    assert!(run.json.get("paths").is_none());
    assert!(run.output.tables.iter().all(|table| !["paths", "path_series"].contains(&table.name.as_str())));
}
