//! Subflows by loose source routing: one host, one link, several gateways.

use crate::captures::Tshark;
use crate::support::{Run, Text, assert_close, run_scenario};
use std::sync::Arc;
use tailrace_core::params::Value;
use tailrace_scenario::model::{NodeIndex, Transport};
use tailrace_transport::mptcp::path_manager::PathManagerConfig;

/// Host `a` behind a mesh router; three paths of 2 Mbit/s from there to host `b`, and a fourth router that is a dead end. Routing
/// uses `gw[0]` in both directions.
fn mesh(duration: &str) -> Text {
    Text::new(duration)
        .add("[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"")
        .router("mesh")
        .add("[[router]]\nname = \"gw\"\ncount = 3")
        .router("far")
        .router("alley")
        .link("a", "mesh", "100 Mbit/s", "1 ms", "")
        .link("mesh", "gw[*]", "100 Mbit/s", "2 ms", "name = \"in\"")
        .link("mesh", "alley", "100 Mbit/s", "2 ms", "name = \"alleyway\"")
        .link(
            "gw[*]",
            "far",
            "2 Mbit/s",
            "10 ms",
            "name = \"out\"\nqueue = { kind = \"droptail\", limit = \"20 packets\" }",
        )
        .link("far", "b", "100 Mbit/s", "1 ms", "")
}

fn flow(text: Text, manager: &str, app: &str) -> Text {
    // Ample buffers, because Linux's autotuning leaves three paths partly idle.
    let transport = format!(
        "{{ kind = \"mptcp\", profile = \"linux\", send_buffer = \"4 MiB\", path_manager = {manager} }}"
    );
    text.flow("mp", ("a", "b"), &transport, app)
}

fn through(gateways: &str) -> String {
    format!("{{ kind = \"binder\", gateways = \"{gateways}\" }}")
}

fn goodput(run: &Run) -> f64 {
    run.leaf("groups.mp.goodput_bps.sum")
}

fn subflows(run: &Run, what: &str) -> u64 {
    run.json["connections"]["mp[0]"][what].as_u64().unwrap()
}

#[test]
fn binder_uses_all_gateways_with_one_link() {
    let text = || mesh("60 s").top("warmup = \"20 s\"");
    // Payload is 1448 of 1500 bytes less 20 of the mapping, and with a source route 8 less.
    let one = 2e6 * 1428.0 / 1500.0;
    let plain = flow(text(), "\"passive\"", "\"bulk\"").run();
    assert_close(goodput(&plain), one, 0.03);
    let bound = flow(text(), &through("gw[1]; gw[2]"), "\"bulk\"").run();
    assert_close(goodput(&bound), 3.0 * one, 0.05);
    assert_eq!(subflows(&bound, "subflows_established"), 3);
    let paths = bound.json["connections"]["mp[0]"]["paths"].as_object().unwrap();
    let names: Vec<_> = paths.keys().collect();
    assert_eq!(names, ["a-mesh", "a-mesh via gw[1]", "a-mesh via gw[2]"]);
    for path in paths.values() {
        assert_eq!(path["subflows"], 1);
        // A third of 60 s at 2 Mbit/s each, and some more because not all of it is acknowledged.
        assert_close(path["scheduled_bytes"].as_f64().unwrap(), one * 60.0 / 8.0, 0.1);
    }
    // Each path carries its subflow's data, and the server's replies return by it.
    for (queue, back) in [("gw[1]->far", "far->gw[1]"), ("gw[2]->far", "far->gw[2]")] {
        assert!(bound.leaf(&format!("queues.{queue}.dequeued_packets")) > 5000.0, "{queue}");
        assert!(bound.leaf(&format!("queues.{back}.dequeued_packets")) > 2000.0, "{back}");
    }
    assert_eq!(plain.leaf("queues.gw[1]->far.dequeued_packets"), 0.0);
    let totals = bound.json["paths"].as_object().unwrap();
    let expected = ["a-mesh", "a-mesh via gw[1]", "a-mesh via gw[2]"].map(|path| format!("mp[0].{path}"));
    assert!(totals.keys().eq(expected.iter()), "{:?}", totals.keys());
    for path in totals.values() {
        assert_close(path["goodput_bps"].as_f64().unwrap(), one, 0.05);
        // Delays of a millisecond, two, ten and one, and queueing.
        assert!(path["one_way_delay_s"]["p50"].as_f64().unwrap() > 0.014);
    }
}

#[test]
fn source_route_lists_visit_several_gateways() {
    // Routes into the alley and back; past gw[1] twice; backwards over the far router.
    let lists = "alley, gw[1]; gw[1], gw[1], alley, gw[2]; far, gw[2], far";
    let run = flow(mesh("30 s"), &through(lists), "{ kind = \"transfer\", size = \"4 MB\" }").run();
    assert_eq!(run.leaf("groups.mp.completed"), 1.0);
    assert_eq!((subflows(&run, "subflows_established"), subflows(&run, "subflows_lost")), (4, 0));
    let carried = |path: &str| run.json["connections"]["mp[0]"]["paths"][path]["scheduled_bytes"].as_u64();
    for list in ["alley, gw[1]", "gw[1], gw[1], alley, gw[2]", "far, gw[2], far"] {
        assert!(
            carried(&format!("a-mesh via {list}")) > Some(20_000),
            "{list}: {run:#}",
            run = run.json["connections"]
        );
    }
    run.assert_drained();
}

#[test]
fn gateway_failure_loses_subflow_but_no_byte() {
    for kind in ["down", "blackhole"] {
        let text = flow(mesh("120 s"), &through("gw[1]; gw[2]"), "{ kind = \"transfer\", size = \"6 MB\" }")
            .add(&format!("[[fault]]\nat = \"2 s\"\nlink = \"in[1]\"\nkind = \"{kind}\""))
            .add(&format!("[[fault]]\nat = \"2 s\"\nlink = \"out[1]\"\nkind = \"{kind}\""));
        let run = text.run();
        assert_eq!(run.leaf("groups.mp.completed"), 1.0, "{kind}");
        assert_eq!(subflows(&run, "subflows_established"), 3);
        // Two paths of 2 Mbit/s take over the third's data: 16 s at most, against 9 with three.
        let took = run.leaf("groups.mp.completion_s.mean");
        assert!(took > 9.0 && took < 20.0, "{kind}: {took}");
    }
}

#[test]
fn initially_dead_gateway_costs_only_its_subflow() {
    let faults = ["in[1]", "out[1]"]
        .map(|link| format!("[[fault]]\nat = \"0 s\"\nlink = \"{link}\"\nkind = \"down\""));
    let text = mesh("60 s").top("warmup = \"20 s\"\nrecord = { events = true }").add(&faults.join("\n"));
    let manager = format!("{}, behaviour.join_syn_retries = 3", through("gw[1]; gw[2]"));
    let run = flow(text, &manager, "\"bulk\"").run();
    assert_close(goodput(&run), 2.0 * 2e6 * 1428.0 / 1500.0, 0.05);
    assert_eq!((subflows(&run, "subflows_established"), subflows(&run, "subflows_lost")), (2, 1));
    // The SYN and its three retransmissions find no route at the mesh router.
    let unroutable = run.words("events", "detail").iter().filter(|d| *d == "no_route").count();
    assert_eq!(unroutable, 4);
}

#[test]
fn binder_subflows_are_opened_per_connection() {
    let app = "{ kind = \"sequence\", size = \"300 kB\", gap = \"100 ms\", count = 5 }";
    let text = || flow(mesh("60 s"), &through("gw[1]; gw[2], gw[0]"), app);
    let run = text().run();
    assert_eq!(run.leaf("groups.mp.completed"), 5.0);
    assert_eq!(subflows(&run, "subflows_established"), 3);
    assert_eq!(run.output.fingerprint, text().run().output.fingerprint);
}

#[test]
fn binder_gateways_are_configured_per_group() {
    let one = |name: &str, gateway: &str| {
        let transport = format!("{{ kind = \"mptcp\", path_manager = {} }}", through(gateway));
        mesh("20 s").flow(name, ("a", "b"), &transport, "\"bulk\"")
    };
    let transport = format!("{{ kind = \"mptcp\", path_manager = {} }}", through("gw[2]"));
    let both = one("x", "gw[1]").flow("y", ("a", "b"), &transport, "\"bulk\"").run();
    let names = |flow: &str| -> Vec<String> {
        both.json["connections"][flow]["paths"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(names("x[0]"), ["a-mesh", "a-mesh via gw[1]"]);
    assert_eq!(names("y[0]"), ["a-mesh", "a-mesh via gw[2]"]);
    for queue in ["gw[1]->far", "gw[2]->far"] {
        assert!(both.leaf(&format!("queues.{queue}.dequeued_packets")) > 1000.0, "{queue}");
    }
}

#[test]
fn tshark_reads_the_source_route_in_every_header() {
    let text =
        flow(mesh("20 s"), &through("gw[1], alley, gw[2]"), "{ kind = \"transfer\", size = \"500 kB\" }")
            .add(
                &["a", "b", "alleyway"]
                    .map(|at| format!("[[capture]]\nat = \"{at}\"\nsnaplen = \"65535 B\""))
                    .join("\n"),
            );
    let run = text.run();
    assert_eq!(run.leaf("groups.mp.completed"), 1.0);
    // Addresses in order: a, b, then the gateways as the lists name them.
    let [a, b, gw1, alley, gw2] = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"];
    let fields = [
        "_ws.malformed",
        "ip.checksum.status",
        "tcp.checksum.status",
        "ip.src",
        "ip.dst",
        "ip.opt.type",
        "ip.opt.ptr",
        "ip.cur_rt",
        "ip.rec_rt",
        "ip.src_rt",
        "ip.len",
    ];
    // Pointer, next stop, passed stops and remaining stops, forward and reverse.
    let start = ["4", gw1, "", &format!("{alley},{gw2}")];
    let arrived = ["16", "", &format!("{gw1},{alley},{gw2}"), ""];
    let back_start = ["4", gw2, "", &format!("{alley},{gw1}")];
    let back_arrived = ["16", "", &format!("{gw2},{alley},{gw1}"), ""];
    let into = [["8", alley, gw1, gw2], ["8", alley, gw2, gw1]];
    let out_of = [["12", gw2, &format!("{gw1},{alley}"), ""], ["12", gw1, &format!("{gw2},{alley}"), ""]];
    for (file, there, back) in [
        ("a.pcapng", [start, start], [back_arrived, back_arrived]),
        ("b.pcapng", [arrived, arrived], [back_start, back_start]),
        ("alleyway.pcapng", [into[0], out_of[0]], [into[1], out_of[1]]),
    ] {
        let Some(tshark) = Tshark::open(&run, file) else { return };
        let rows = tshark.fields(&fields);
        let mut routed = [0; 2];
        let mut longest = 0;
        for r in &rows {
            // Checksums are right at every hop: IP's for each header, TCP's for the two ends.
            assert_eq!((&*r[0], &*r[1], &*r[2]), ("", "1", "1"), "{file}: {r:?}");
            longest = longest.max(r[10].parse().unwrap());
            if r[5].is_empty() {
                assert_ne!(file, "alleyway.pcapng", "nothing else comes there");
                continue;
            }
            let backwards = (&*r[3], &*r[4]) == (b, a);
            assert!(backwards || (&*r[3], &*r[4]) == (a, b), "{file}: {r:?}");
            routed[usize::from(backwards)] += 1;
            let route = [&*r[6], &*r[7], &*r[8], &*r[9]];
            let expected = if backwards { back } else { there };
            assert!(r[5] == "1,131" && expected.contains(&route), "{file}: {r:?}");
        }
        assert!(routed.iter().all(|n| *n > 20), "{file}: {routed:?}");
        // The option reduces the segment size.
        assert_eq!(longest, 1500, "{file}");
    }
}

#[test]
fn hosts_do_not_forward_source_routed_packets() {
    // The parser refuses such a scenario, so it is made from a valid one: the connection's link leads directly to the other host.
    let text = Text::new("5 s")
        .top("record = { events = true }")
        .add("[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"")
        .router("gw")
        .link("a", "b", "2 Mbit/s", "10 ms", "")
        .link("gw", "b", "2 Mbit/s", "10 ms", "");
    let scenario = flow(text, "\"passive\"", "\"bulk\"").scenario();
    let mut scenario = (*scenario).clone();
    let gateway = scenario.nodes.iter().position(|n| n.name == "gw").unwrap() as u32;
    let Transport::Mptcp { plan, .. } = &mut scenario.flows[0].transport else { panic!("it is MPTCP") };
    let plan = Arc::make_mut(plan);
    plan.path_manager = PathManagerConfig::default_of("binder").unwrap();
    plan.path_manager.set("gateways", &Value::Text("gw".into())).unwrap();
    scenario.flows[0].gateways = vec![vec![NodeIndex(gateway)]];
    let run = run_scenario(&Arc::new(scenario), 1);
    assert_eq!(subflows(&run, "subflows_established"), 1);
    assert!(run.words("events", "detail").iter().any(|d| d == "no_route"));
    assert!(goodput(&run) > 1.5e6);
}
