//! Resolution of a scenario gives the same scenario, whatever was written: no key is lost, none is refused, and no
//! advice comes of its being resolved.

use tailrace_core::params::Parameters as _;
use tailrace_core::params::{Bounds, Kind, ParamInfo, Value};
use tailrace_qdisc::QdiscConfig;
use tailrace_scenario::{Parsed, parse, render_all};
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{MptcpBehaviour, MptcpConfig};
use tailrace_transport::{CcConfig, TcpBehaviour, TcpConfig};

const BASE: &str = r#"
    name = "resolved"
    duration = "10 s"
    [[host]]
    name = "a"
    [[host]]
    name = "b"
    [[router]]
    name = "r"
    [[link]]
    name = "in"
    between = ["a", "r"]
    rate = "100 Mbit/s"
    delay = "1 ms"
    [[link]]
    name = "out"
    between = ["r", "b"]
    rate = "10 Mbit/s"
    delay = "5 ms"
    [[flow]]
    name = "f"
    from = "a"
    to = "b"
    transport = { kind = "tcp" }
    app = "bulk"
"#;

fn warned(parsed: &Parsed) -> Vec<String> {
    parsed.warnings.iter().map(|w| format!("{} {:?}", w.message, w.help)).collect()
}

/// Whether the changes make a scenario; if so, its resolved form is checked.
fn check(changes: &[(&str, String)]) -> bool {
    let overrides: Vec<_> =
        changes.iter().map(|(path, value)| ((*path).to_string(), value.clone())).collect();
    let Ok(parsed) = parse(BASE, "given.toml", &overrides) else { return false };
    let text = parsed.to_toml();
    let again = parse(&text, "resolved.toml", &[])
        .unwrap_or_else(|e| panic!("{changes:?} resolves to what is refused:\n{}", render_all(&e, false)));
    assert_eq!(again.scenario, parsed.scenario, "{changes:?}");
    assert_eq!(warned(&again), warned(&parsed), "{changes:?}");
    assert_eq!(again.to_toml(), text, "{changes:?}");
    true
}

/// A value in the words of a scenario.
fn toml(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Float(x) => format!("{x:?}"),
        other => other.shown(),
    }
}

/// Values at the bounds of a parameter, and all its words.
fn values(info: &ParamInfo) -> Vec<String> {
    let mut values: Vec<String> = match info.kind {
        Kind::Bool => ["true", "false"].map(str::to_string).to_vec(),
        Kind::Choice(words) => words.iter().map(|w| format!("{w:?}")).collect(),
        _ => Vec::new(),
    };
    if let Some(bounds) = info.bounds {
        let ends = [bounds.least, bounds.most];
        values.extend(match info.kind {
            Kind::Count | Kind::Number | Kind::Probability => ends.map(str::to_string).to_vec(),
            Kind::Limit => ["1 packet", "7 packets", "9 kB"].map(|w| format!("{w:?}")).to_vec(),
            _ => ends.map(|w| format!("{w:?}")).to_vec(),
        });
    }
    if info.auto {
        values.push("\"auto\"".into());
    }
    values
}

#[test]
fn queues_resolve_to_themselves_with_every_parameter_at_its_bounds() {
    let mut accepted = 0;
    for name in QdiscConfig::names() {
        let config = QdiscConfig::default_of(name).unwrap();
        for info in config.params() {
            for value in values(info) {
                let queue = format!("{{ kind = {name:?}, {} = {value} }}", info.name);
                for place in ["link.out.queue", "link.out.reverse.queue"] {
                    accepted += usize::from(check(&[(place, queue.clone())]));
                }
            }
        }
        for role in ["edge", "core", "both", "access", "bottleneck"] {
            check(&[("link.out.queue", format!("{name:?}")), ("router.r.role", format!("{role:?}"))]);
        }
    }
    assert!(accepted > 2000, "{accepted}");
}

#[test]
fn tc_lines_resolve_to_themselves() {
    let lines = [
        "pfifo limit 7",
        "bfifo limit 9kb",
        "red limit 200kb min 15kb max 45kb avpkt 1000 burst 20 ecn",
        "codel limit 100 target 5ms interval 50ms",
        "fq_codel limit 600 flows 64 noecn",
        "pie limit 100 target 20ms",
        "sfq perturb 10 quantum 1514 depth 60 divisor 512",
        "choke limit 1000 bandwidth 10Mbit",
        "cake bandwidth 10Mbit besteffort",
    ];
    let accepted = lines.iter().filter(|line| check(&[("link.out.queue", format!("{line:?}"))])).count();
    assert!(accepted > 7, "{accepted}");
}

#[test]
fn transports_resolve_to_themselves_in_every_profile() {
    for profile in ["rfc", "ns2", "ns3", "linux"] {
        assert!(
            check(&[("flow.f.transport", format!("{{ kind = \"tcp\", profile = {profile:?} }}"))]),
            "{profile}"
        );
        let options = TcpConfig::params().iter().map(|info| ("", info));
        let behaviour = TcpBehaviour::params().iter().map(|info| ("behaviour.", info));
        for (table, info) in options.chain(behaviour) {
            for value in values(info) {
                let key = format!("{table}{} = {value}", info.name);
                check(&[("flow.f.transport", format!("{{ kind = \"tcp\", profile = {profile:?}, {key} }}"))]);
            }
        }
    }
    for profile in ["rfc", "ns2", "ns3", "linux", "mptcp_0_94"] {
        let transport = |more: &str| format!("{{ kind = \"mptcp\", profile = {profile:?}{more} }}");
        assert!(check(&[("flow.f.transport", transport(""))]), "{profile}");
        for n in [1, 2, 3, 8, 32] {
            assert!(
                check(&[("flow.f.transport", transport(&format!(", max_subflows = {n}")))]),
                "{profile} {n}"
            );
            for manager in PathManagerConfig::names() {
                let more = format!(", max_subflows = {n}, path_manager = {manager:?}");
                check(&[("flow.f.transport", transport(&more))]);
            }
        }
        let options = MptcpConfig::params().iter().map(|info| ("", info));
        let behaviour = MptcpBehaviour::params().iter().map(|info| ("behaviour.", info));
        for (table, info) in options.chain(behaviour) {
            for value in values(info) {
                check(&[("flow.f.transport", transport(&format!(", {table}{} = {value}", info.name)))]);
            }
        }
    }
}

#[test]
fn policies_resolve_to_themselves_with_every_parameter_at_its_bounds() {
    let mut accepted = 0;
    let mut all = |transport: &str, key: &str, name: &str, params: &[ParamInfo]| {
        for info in params {
            for value in values(info) {
                let policy = format!("{{ kind = {name:?}, {} = {value} }}", info.name);
                let transport = format!("{{ kind = {transport:?}, {key} = {policy} }}");
                accepted += usize::from(check(&[("flow.f.transport", transport)]));
            }
        }
    };
    for c in CcConfig::catalog() {
        all("tcp", "cc", c.name, c.params);
        all("mptcp", "cc", c.name, c.params);
    }
    for c in CoupledConfig::catalog() {
        all("mptcp", "cc", c.name, c.params);
    }
    for c in SchedulerConfig::catalog() {
        all("mptcp", "scheduler", c.name, c.params);
    }
    for c in PathManagerConfig::catalog() {
        all("mptcp", "path_manager", c.name, c.params);
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn every_default_lies_within_its_bounds() {
    let shown = |info: &ParamInfo, value: Option<Value>| {
        let value = value.expect("listed");
        info.check(&value).unwrap_or_else(|why| panic!("{} = {}: {why}", info.name, toml(&value)));
        if let Some(bounds) = info.bounds {
            let (least, most) = bounds.range();
            assert!(least < most && !bounds.reason().is_empty(), "{}", info.name);
        }
    };
    for name in QdiscConfig::names() {
        let config = QdiscConfig::default_of(name).unwrap();
        config.params().iter().for_each(|info| shown(info, config.get(info.name)));
    }
    for name in CcConfig::names() {
        let config = CcConfig::default_of(name).unwrap();
        config.params().iter().for_each(|info| shown(info, config.get(info.name)));
    }
}

#[test]
fn bounds_are_bounds_wherever_a_value_comes_from() {
    let refused = [
        ("link.out.queue", "{ kind = \"pi\", frequency = 1e9 }"),
        ("link.out.queue", "{ kind = \"rem\", interval = \"1 ns\" }"),
        ("link.out.queue", "{ kind = \"pie\", tupdate = \"10 ns\" }"),
        ("link.out.queue", "{ kind = \"fq_pie\", tupdate = \"10 ns\" }"),
        ("link.out.queue", "{ kind = \"dualpi2\", tupdate = \"10 ns\" }"),
        ("link.out.queue", "pie tupdate 0.01us"),
        ("link.out.rate", "100000 Gbit/s"),
        ("flow.f.transport", "{ kind = \"mptcp\", profile = \"linux\", behaviour.min_data_rto = \"0 s\" }"),
        ("flow.f.transport", "{ kind = \"mptcp\", behaviour.add_addr_timeout = \"1 ns\" }"),
        ("flow.f.transport", "{ kind = \"tcp\", initial_rto = \"1 ns\" }"),
        ("flow.f.transport", "{ kind = \"tcp\", behaviour.rtt_tick = \"87600 h\" }"),
        ("flow.f.transport", "{ kind = \"tcp\", iw = 9223372036854775807 }"),
        ("runs", "4294967295"),
    ];
    for (path, value) in refused {
        let errors = parse(BASE, "given.toml", &[(path.into(), value.into())]).expect_err(value);
        let text = render_all(&errors, false);
        assert!(text.contains(" is outside ") || text.contains("bad tc line"), "{text}");
    }
}

#[test]
fn a_list_of_starts_has_one_for_each_flow_and_resolves_to_itself() {
    let one = |value: &str| parse(BASE, "given.toml", &[("flow.f.start".into(), value.into())]);
    assert!(check(&[("flow.f.start", "[\"1.5 s\"]".into())]));
    let parsed = one("[\"1.5 s\"]").unwrap();
    assert_eq!(parsed.scenario.flows[0].starts, [tailrace_core::Duration::from_millis(1500)]);
    for (wrong, why) in [
        ("[\"0 s\", \"1 s\"]", "lists 2 times for 1 flows"),
        ("[]", "lists no times"),
        ("[\"5\"]", "no unit"),
    ] {
        let text = render_all(&one(wrong).unwrap_err(), false);
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn wide_overrides_do_not_drop_narrow_ones_in_either_order() {
    let set = |path: &str, value: &str| (path.to_string(), value.to_string());
    let slip = [set("link.out.queue.gian", "0.2"), set("link.out.queue", "red")];
    let limit = [set("link.out.queue.limit", "9 packets"), set("link.out.queue", "red")];
    for turned in [false, true] {
        let order = |mut pair: [(String, String); 2]| {
            if turned {
                pair.reverse();
            }
            parse(BASE, "given.toml", &pair)
        };
        assert!(render_all(&order(slip.clone()).unwrap_err(), false).contains("`gian`"));
        let queue = &order(limit.clone()).unwrap().scenario.links[1].forward.queue;
        assert_eq!((queue.name(), queue.get("limit")), ("red", Some(Value::Text("9 packets".into()))));
    }
}

#[test]
fn what_no_machine_could_hold_is_refused_at_once_with_its_line() {
    let refused = |changes: &[(&str, &str)]| {
        let set: Vec<_> = changes.iter().map(|(p, v)| ((*p).to_string(), (*v).to_string())).collect();
        render_all(&parse(BASE, "given.toml", &set).unwrap_err(), false)
    };
    let many: Vec<String> = (1..=1000).map(|n| n.to_string()).collect();
    let axis = format!("[{}]", many.join(", "));
    let sweep = format!("{{ seed = {axis}, runs = {axis}, \"record.max_events\" = {axis} }}");
    assert!(refused(&[("sweep", &sweep)]).contains("1000000000 cells"));
    assert!(
        refused(&[
            ("host.a.count", "100000000"),
            ("link.in.between", "[\"a[*]\", \"r\"]"),
            ("flow.f.from", "a[*]")
        ])
        .contains("of memory")
    );
    let flood = "{ kind = \"cbr\", rate = \"10 Gbit/s\", size = \"100 B\" }";
    let long = [
        ("flow.f.transport", "udp"),
        ("flow.f.app", flood),
        ("duration", "1 h"),
        ("link.out.queue.kind", "droptail"),
        ("link.out.queue.limit", "1000000000000 packets"),
    ];
    assert!(refused(&long).contains("packets in queues"));
}

#[test]
fn what_is_no_number_is_reported_once() {
    for path in ["link.out.loss", "link.out.rewrite", "flow.f.dscp"] {
        let errors = parse(BASE, "given.toml", &[(path.into(), "nan".into())]).unwrap_err();
        assert_eq!(errors.len(), 1, "{path}: {}", render_all(&errors, false));
    }
}

#[test]
fn ten_thousand_values_of_a_sweep_are_checked() {
    let values: Vec<String> = (1..=10_000).map(|n| format!("\"{n} packets\"")).collect();
    let text = format!("{BASE}\n[sweep]\n\"link.out.queue.limit\" = [{}]\n", values.join(", "));
    let text = text.replace("delay = \"5 ms\"", "delay = \"5 ms\"\nqueue = \"codel\"");
    assert!(parse(&text, "sweep.toml", &[]).is_ok());
}

#[test]
fn a_load_comes_to_a_gap_of_each_flow() {
    let app = r#"{ kind = "arrivals", size = "cdf(0 B 0; 50 kB 1)", load = "50 %" }"#;
    let gap = |changes: &[(&str, String)]| {
        assert!(check(changes));
        let overrides: Vec<_> =
            changes.iter().map(|(path, value)| ((*path).to_string(), value.clone())).collect();
        let text = parse(BASE, "given.toml", &overrides).unwrap().to_toml();
        assert!(text.contains("load = \"auto\", of = \"auto\""), "{text}");
        let found = text.split("gap = \"").nth(1).and_then(|rest| rest.split('"').next());
        found.unwrap().to_string()
    };
    let with = |app: &str| ("flow.f.app", app.to_string());
    // 25 kB at 5 Mbit/s, half of the slowest link; or at 50 Mbit/s.
    assert_eq!(gap(&[with(app)]), "exponential(40 ms)");
    assert_eq!(gap(&[with(&app.replace(" }", ", of = \"in\" }"))]), "exponential(4 ms)");
    // Packets in the other direction have that direction's rate.
    let slow = ("link.out.reverse", "{ rate = \"1 Mbit/s\" }".to_string());
    let turned = [("flow.f.from", "\"b\"".to_string()), ("flow.f.to", "\"a\"".to_string())];
    assert_eq!(gap(&[with(app), slow.clone()]), "exponential(40 ms)");
    assert_eq!(gap(&[with(app), slow, turned[0].clone(), turned[1].clone()]), "exponential(400 ms)");
}

#[test]
fn routing_is_said_where_it_is_other_than_usual() {
    let plain = parse(BASE, "base.toml", &[]).unwrap();
    let text = |routing: &str| format!("routing = {routing}\n{BASE}");
    let usual = parse(&text("{ equal_paths = \"first\", convergence = \"0 s\" }"), "base.toml", &[]).unwrap();
    assert_eq!(usual.declaration.to_toml(), plain.declaration.to_toml(), "results are known by this text");
    let other = parse(&text("{ convergence = \"200 ms\" }"), "base.toml", &[]).unwrap();
    let resolved = other.declaration.to_toml();
    assert!(
        resolved.contains("[routing]\nequal_paths = \"first\"\nconvergence = \"200 ms\"\n"),
        "{resolved}"
    );
    assert_eq!(parse(&resolved, "resolved.toml", &[]).unwrap().scenario, other.scenario);
}

/// Bounds of every registered parameter, by the kind that has it.
fn all_bounds() -> Vec<(String, Kind, Bounds)> {
    let mut all = Vec::new();
    let mut add = |owner: &str, params: &[ParamInfo]| {
        let of = params.iter().filter_map(|p| Some((format!("{owner}.{}", p.name), p.kind, p.bounds?)));
        all.extend(of);
    };
    tailrace_qdisc::catalog().iter().for_each(|c| add(c.name, c.params));
    tailrace_app::catalog().iter().for_each(|c| add(c.name, c.params));
    tailrace_app::attacks::catalog().iter().for_each(|c| add(c.name, c.params));
    tailrace_impair::faults::catalog().iter().for_each(|c| add(c.name, c.params));
    CcConfig::catalog().iter().for_each(|c| add(c.name, c.params));
    CoupledConfig::catalog().iter().for_each(|c| add(c.name, c.params));
    SchedulerConfig::catalog().iter().for_each(|c| add(c.name, c.params));
    PathManagerConfig::catalog().iter().for_each(|c| add(c.name, c.params));
    add("tcp", TcpConfig::params());
    add("tcp.behaviour", TcpBehaviour::params());
    add("mptcp", MptcpConfig::params());
    add("mptcp.behaviour", MptcpBehaviour::params());
    all
}

#[test]
fn each_bound_is_refused_with_its_own_reason() {
    // Reasons that hold below and above alike.
    let alike = ["it is a share of a whole", "it is a weight in an average"];
    for (name, kind, bounds) in all_bounds() {
        let (less, more) = bounds.reasons();
        let (least, _) = bounds.range();
        // Below zero only plain numbers can be written.
        let has_less = least > 0.0 || kind == Kind::Number;
        assert!(!has_less || less != more || alike.contains(&less), "{name}: {less:?} for both bounds");
        let (Kind::Number, (least, most)) = (kind, bounds.range()) else { continue };
        let refusal = |x: f64| bounds.check(kind, &Value::Float(x)).unwrap_err();
        assert!(refusal(least - 1.0).ends_with(less), "{name}");
        assert!(refusal(most * 2.0 + 1.0).ends_with(more), "{name}");
    }
}
