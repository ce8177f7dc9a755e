//! Whole files: what they become, and that the resolved file is the same scenario.

use std::sync::Arc;
use tailrace_app::kinds::cbr::CbrConfig;
use tailrace_core::{Bytes, DeliveryTrace, Duration, Limit, Rate};
use tailrace_impair::faults::rate::RateConfig;
use tailrace_scenario::model::{
    AppConfig, DurationDist, FaultConfig, LinkSchedule, LossConfig, NodeIndex, NodeKind, Role, Transport,
};
use tailrace_scenario::{Diagnostic, Files, Parsed, Scenario, Source, parse, render_all};
use tailrace_transport::cc::CubicForm;
use tailrace_transport::config::{HalveBase, Increase};
use tailrace_transport::mptcp::MptcpPlan;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::{CcConfig, Profile, TcpConfig};

const DUMBBELL: &str = include_str!("../files/dumbbell.toml");
const SCENARIO_D: &str = include_str!("../files/scenario_d.toml");
const EVERYTHING: &str = include_str!("../files/everything.toml");

fn read(text: &str, overrides: &[(&str, &str)]) -> Parsed {
    let overrides: Vec<_> = overrides.iter().map(|(p, v)| (p.to_string(), v.to_string())).collect();
    parse(text, "test.toml", &overrides).unwrap_or_else(|e| panic!("{}", render_all(&e, false)))
}

fn names(s: &Scenario) -> Vec<&str> {
    s.links.iter().map(|l| l.name.as_str()).collect()
}

#[test]
fn counts_and_wildcards_expand_in_the_order_of_declaration() {
    let s = read(DUMBBELL, &[]).scenario;
    let nodes: Vec<&str> = s.nodes.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(nodes[..3], ["src[0]", "src[1]", "src[2]"]);
    assert_eq!(nodes[6..10], ["cbr[0]", "cbr[1]", "r1", "r2"]);
    assert_eq!(nodes[16], "sink");
    assert_eq!(s.nodes.iter().filter(|n| n.kind == NodeKind::Router).count(), 2);
    let links = names(&s);
    assert_eq!(links[..2], ["access[0]", "access[1]"]);
    assert_eq!(links[6..10], ["cbr[0]-r1", "cbr[1]-r1", "bottleneck", "r2-dst[0]"]);
    assert_eq!(s.flows[0].pairs[5], (NodeIndex(5), NodeIndex(15)));
    assert_eq!(s.flows[1].pairs, [(NodeIndex(6), NodeIndex(16)), (NodeIndex(7), NodeIndex(16))]);
    assert_eq!(s.flows[1].role, Role::Attack);
    let bottleneck = &s.links[8];
    assert!(bottleneck.observed && !s.links[0].observed);
    assert_eq!(bottleneck.forward.rate, Rate::from_bps(1_500_000));
    assert_eq!(bottleneck.forward.queue.plain_fifo(), Some(Limit::Packets(50)));
    assert_eq!(s.links[0].forward.queue.plain_fifo(), Some(Scenario::DEFAULT_LIMIT));
    assert_eq!(s.faults[0].kind, FaultConfig::Rate(RateConfig { value: Rate::from_mbit(1) }));
    assert_eq!(s.captures.len(), 1);
}

#[test]
fn flows_go_as_their_pattern_says() {
    let pairs = |from: &str, to: &str, pattern: &str| {
        let flow = "from = \"src[*]\"\nto = \"dst\"";
        let text = include_str!("../files/small.toml").replacen(
            flow,
            &format!("from = \"{from}\"\nto = \"{to}\"\npattern = \"{pattern}\""),
            1,
        );
        let flows = &read(&text, &[]).scenario.flows[0];
        flows.pairs.iter().map(|(a, b)| (a.0, b.0)).collect::<Vec<_>>()
    };
    assert_eq!(pairs("src[*]", "src[1]", "incast"), [(0, 1), (2, 1), (3, 1)]);
    assert_eq!(pairs("src[0..2]", "src[1..3]", "all_pairs"), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(pairs("src[*]", "dst", "pairs"), [(0, 4), (1, 4), (2, 4), (3, 4)]);
}

#[test]
fn profiles_give_defaults_that_the_file_overrides() {
    let s = read(DUMBBELL, &[]).scenario;
    let Transport::Tcp { config, cc, header } = &s.flows[0].transport else { panic!() };
    assert_eq!((config.mss, config.window, config.iw), (Bytes(1460), Some(25), Some(2)));
    assert_eq!((cc.name(), *header), ("reno", Some(Bytes(40))));
}

/// TCP as its transport is written so.
fn endpoint(transport: &str) -> (TcpConfig, CcConfig) {
    let written = "kind = \"tcp\", cc = \"reno\", sack = true";
    let text = include_str!("../files/small.toml");
    let parsed = read(&text.replacen(written, &format!("kind = \"tcp\", {transport}"), 1), &[]);
    assert_eq!(read(&parsed.to_toml(), &[]).scenario, parsed.scenario);
    let found = parsed.scenario.flows.iter().find_map(|f| match &f.transport {
        Transport::Tcp { config, cc, .. } => Some(((**config).clone(), cc.clone())),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn cubic_of_the_profile_linux_is_linuxs_unless_it_is_written_otherwise() {
    let cubic = |transport: &str| match endpoint(transport).1 {
        CcConfig::Cubic(c) => (c.form, c.hystart),
        other => panic!("{other:?}"),
    };
    assert_eq!(cubic("profile = \"linux\""), (CubicForm::Linux, true));
    assert_eq!(cubic("profile = \"linux\", cc = \"cubic\""), (CubicForm::Linux, true));
    assert_eq!(cubic("cc = \"cubic\""), (CubicForm::Rfc9438, false));
    let own = "cc = { kind = \"cubic\", form = \"rfc9438\", hystart = false }";
    assert_eq!(cubic(&format!("profile = \"linux\", {own}")), (CubicForm::Rfc9438, false));
}

/// ns-3's classes differ by more than their growth: `TcpNewReno` counts ACKs, `TcpCubic`, `TcpLinuxReno` and `TcpDctcp` segments.
#[test]
fn profile_ns3_has_the_values_of_the_class_that_the_control_stands_for() {
    let of = |more: &str| {
        let (config, cc) = endpoint(&format!("profile = \"ns3\"{more}"));
        let b = config.behaviour;
        (cc.name(), b.abc_limit, b.increase, b.halve_base)
    };
    let (segments, acks) = (Increase::Bytes, Increase::Acks);
    assert_eq!(of(""), ("cubic", 255, segments, HalveBase::Window));
    assert_eq!(of(", cc = \"reno\""), ("reno", 255, segments, HalveBase::Window));
    assert_eq!(of(", cc = \"dctcp\""), ("dctcp", 255, segments, HalveBase::Window));
    assert_eq!(of(", cc = \"newreno\""), ("newreno", 1, acks, HalveBase::Flight));
    assert_eq!(of(", cc = \"vegas\""), ("vegas", 1, segments, HalveBase::Flight));
    let own = ", cc = \"newreno\", behaviour = { abc_limit = 2, increase = \"bytes\" }";
    assert_eq!(of(own), ("newreno", 2, segments, HalveBase::Flight));
    let CcConfig::Cubic(cubic) = endpoint("profile = \"ns3\"").1 else { panic!() };
    assert_eq!((cubic.form, cubic.hystart), (CubicForm::Ns3, true));
}

#[test]
fn a_buffer_that_is_written_is_not_tuned() {
    let tuned = |more: &str| {
        let c = endpoint(&format!("profile = \"linux\", cc = \"reno\", {more} sack = true")).0;
        (c.tcp_rmem.map(|b| b.initial), c.tcp_wmem.map(|b| b.initial))
    };
    assert_eq!(tuned(""), (Some(131_072), Some(16_384)));
    assert_eq!(tuned("receive_buffer = \"64 kB\","), (None, Some(16_384)));
    assert_eq!(tuned("send_buffer = \"64 kB\","), (Some(131_072), None));
    let both = "receive_buffer = \"64 kB\", tcp_rmem = \"4096 65536 65536\",";
    assert_eq!(tuned(both), (None, Some(16_384)), "a size that is set wins");
    let grows = "tcp_rmem = \"4096 65536 65536\",";
    assert_eq!(tuned(grows), (Some(65_536), Some(16_384)));
}

#[test]
fn slow_start_of_the_profile_ns2_ends_at_the_window() {
    let first = |more: &str| endpoint(&format!("profile = \"ns2\", {more} sack = true")).0.initial_ssthresh;
    assert_eq!([first(""), first("window = 64,")], [Some(20), Some(64)]);
    assert_eq!(first("window = 64, initial_ssthresh = 8,"), Some(8));
    assert_eq!(first("window = \"auto\","), None);
}

/// The plan of a connection whose transport is written so, and the resolved file.
fn multipath(transport: &str) -> (MptcpPlan, String) {
    let written = "kind = \"tcp\", cc = \"reno\", sack = true";
    let text = include_str!("../files/small.toml");
    assert!(text.contains(written));
    let parsed = read(&text.replacen(written, &format!("kind = \"mptcp\", {transport}"), 1), &[]);
    let again = read(&parsed.to_toml(), &[]);
    assert_eq!((&again.scenario, again.to_toml()), (&parsed.scenario, parsed.to_toml()));
    let plan = parsed.scenario.flows.iter().find_map(|f| match &f.transport {
        Transport::Mptcp { plan, .. } => Some((**plan).clone()),
        _ => None,
    });
    (plan.unwrap(), parsed.to_toml())
}

#[test]
fn a_profile_is_the_whole_behaviour_of_a_multipath_connection_unless_overridden() {
    let profiles = [
        Profile::Rfc,
        Profile::Ns2,
        Profile::Ns3,
        Profile::Linux,
        Profile::Linux61,
        Profile::Linux612,
        Profile::Mptcp094,
    ]
    .map(MptcpPlan::for_profile);
    let names = ["rfc", "ns2", "ns3", "linux", "linux_6_1", "linux_6_12", "mptcp_0_94"];
    for (name, usual) in names.into_iter().zip(profiles) {
        let (plan, resolved) = multipath(&format!("profile = \"{name}\", mss = \"{}\"", usual.tcp.mss));
        assert_eq!(plan, usual, "{name}");
        assert!(resolved.contains(&format!("profile = \"{name}\"")));
    }
    let (plan, _) = multipath(
        "profile = \"mptcp_0_94\", max_subflows = 5, behaviour.stale_loss_cnt = 2, cc = \"olia\", scheduler = \"linux\", \
         path_manager = { kind = \"fullmesh\", retry_after = \"auto\" }",
    );
    assert_eq!((plan.mptcp.max_subflows, plan.mptcp.stale_loss_cnt), (5, 2));
    assert!(plan.mptcp.opportunistic_retransmission, "the rest is the profile's");
    assert_eq!((plan.control.name(), plan.scheduler.name()), ("olia", "linux"));
    let PathManagerConfig::Fullmesh(mesh) = plan.path_manager else { panic!() };
    assert_eq!((mesh.event_delay, mesh.retry_after), (Duration::from_millis(500), None));
    // A policy that is not the profile's has its own defaults.
    let (plan, _) = multipath("profile = \"mptcp_0_94\", path_manager = \"ndiffports\"");
    assert_eq!(Some(plan.path_manager), PathManagerConfig::default_of("ndiffports"));
}

#[test]
fn quic_keeps_its_options_when_it_is_resolved() {
    let text = DUMBBELL.replacen(
        "kind = \"tcp\", cc = \"reno\", profile = \"ns2\", mss = \"1460 B\", window = 25",
        "kind = \"quic\", stack = \"quinn\", cc_from = \"simulator\", initial_window = \"20 kB\", max_idle_timeout = \"auto\"",
        1,
    );
    let parsed = read(&text, &[]);
    let plan =
        parsed.scenario.flows.iter().find_map(|group| group.transport.quic()).expect("a flow over QUIC");
    assert_eq!(plan.config.initial_window, Some(Bytes(20_000)));
    assert_eq!(plan.config.max_idle_timeout, None);
    let again = read(&parsed.to_toml(), &[]);
    assert_eq!(again.scenario, parsed.scenario);
}

#[test]
fn a_resolved_file_is_the_same_scenario_and_resolves_to_itself() {
    for text in [DUMBBELL, SCENARIO_D, EVERYTHING] {
        let parsed = read(text, &[]);
        let resolved = parsed.to_toml();
        let again = read(&resolved, &[]);
        assert_eq!(again.scenario, parsed.scenario);
        assert_eq!(again.declaration, parsed.declaration);
        assert_eq!(again.to_toml(), resolved);
    }
}

/// Found by fuzzing: the table's zero was kept as a loss process, the number's was not.
#[test]
fn a_loss_that_never_happens_is_none_however_it_is_written() {
    for zero in ["0", "\"0 %\"", "{ kind = \"bernoulli\", p = 0e-9 }"] {
        let parsed = read(SCENARIO_D, &[("link.bottleneck.loss", zero)]);
        let link = parsed.scenario.links.iter().find(|l| l.name == "bottleneck").expect("it is there");
        assert_eq!(link.forward.loss, LossConfig::default(), "{zero}");
        assert_eq!(read(&parsed.to_toml(), &[]).scenario, parsed.scenario, "{zero}");
    }
}

#[test]
fn overrides_reach_every_kind_of_place() {
    let s = read(
        DUMBBELL,
        &[
            ("duration", "20 s"),
            ("link.bottleneck.queue", "pfifo limit 7"),
            ("link.bottleneck.queue.ns2", "true"),
            ("flow.tcp.transport.cc", "cubic"),
            ("flow.udp.app.rate", "1 Mbit/s"),
            ("record.interval", "1 s"),
            ("link.cbr[*]-r1.delay", "\"2 ms\""),
            ("fault.0.at", "15 s"),
            ("host.src.count", "3"),
            ("host.dst.count", "3"),
        ],
    )
    .scenario;
    assert_eq!(s.duration, Duration::from_secs(20));
    assert_eq!(s.links.iter().filter(|l| l.name.starts_with("access")).count(), 3);
    let bottleneck = s.links.iter().find(|l| l.name == "bottleneck").unwrap();
    assert_eq!(bottleneck.forward.queue.plain_fifo(), Some(Limit::Packets(6)));
    let Transport::Tcp { cc, .. } = &s.flows[0].transport else { panic!() };
    assert_eq!(cc.name(), "cubic");
    let AppConfig::Cbr(CbrConfig { rate, .. }) = &s.flows[1].app else { panic!() };
    assert_eq!(*rate, Rate::from_mbit(1));
    assert_eq!(s.record.interval, Some(Duration::from_secs(1)));
    let side = s.links.iter().find(|l| l.name == "cbr[0]-r1").unwrap();
    assert_eq!(side.forward.delay, DurationDist::Constant(Duration::from_millis(2)));
    assert_eq!(s.faults[0].at, Duration::from_secs(15));
}

#[test]
fn windows_follow_one_another_from_the_warm_up_to_the_end() {
    let windows = |overrides: &[(&str, &str)]| {
        let windows = read(EVERYTHING, overrides).scenario.windows.into_iter();
        windows.map(|w| (w.start.as_secs_f64(), w.end.as_secs_f64())).collect::<Vec<_>>()
    };
    assert_eq!(windows(&[]), [(1.5, 10.0), (10.0, 90.0), (90.0, 120.0)]);
    assert_eq!(windows(&[("warmup", "0 s")])[0], (0.0, 10.0));
    let moved =
        [("window.during/1.start", "20 s"), ("window.before.end", "12 s"), ("window.2.start", "100 s")];
    assert_eq!(windows(&moved), [(1.5, 12.0), (20.0, 90.0), (100.0, 120.0)]);
}

#[test]
fn the_values_of_a_sweep_are_overrides() {
    let parsed = read(DUMBBELL, &[]);
    for axis in &parsed.declaration.sweep().grid {
        for value in &axis.values {
            let cell = read(DUMBBELL, &[(&axis.path, value)]);
            assert!(cell.scenario.links[8].observed, "{value}");
        }
    }
    let queues = &parsed.declaration.sweep().grid[0];
    let cell = read(DUMBBELL, &[(&queues.path, &queues.values[2])]).scenario;
    assert_eq!(cell.links[8].forward.queue.plain_fifo(), Some(Limit::Bytes(Bytes(30_000))));
}

#[test]
fn a_codepoint_is_a_number_or_a_name_and_best_effort_unless_written() {
    let s = read(EVERYTHING, &[("flow.cbr.dscp", "\"af41\"")]).scenario;
    let of = |name: &str| s.flows.iter().find(|f| f.name == name).expect("it is there").dscp;
    let found = ["poisson", "on_off", "pulse", "bulk", "cbr"].map(|name| of(name).0);
    assert_eq!(found, [46, 3, 1, 0, 34]);
}

#[test]
fn the_reverse_direction_differs_where_it_is_written() {
    let text = DUMBBELL.replace(
        "delay = \"20 ms\"",
        "delay = \"20 ms\"\nreverse = { rate = \"64 kbit/s\", loss = \"1 %\" }",
    );
    let s = read(&text, &[]).scenario;
    let link = &s.links[8];
    assert_eq!(link.backward.rate, Rate::from_bps(64_000));
    assert_eq!(link.backward.delay, link.forward.delay);
    assert_eq!(link.backward.queue, link.forward.queue);
    assert_ne!(link.backward.loss, link.forward.loss);
    assert!(std::sync::Arc::ptr_eq(&s.links[0].forward, &s.links[0].backward));
}

/// The queue of the dumbbell's bottleneck.
fn bottleneck(overrides: &[(&str, &str)]) -> tailrace_qdisc::QdiscConfig {
    read(DUMBBELL, overrides).scenario.links[8].forward.queue.clone()
}

#[test]
fn one_word_chooses_the_form_of_all_queues_that_have_it() {
    let form = |queue: &str| {
        bottleneck(&[("queue_form", "linux"), ("link.bottleneck.queue", queue)]).form().unwrap_or("none")
    };
    assert_eq!(["codel", "fq_codel", "pie", "fq_pie", "sfb"].map(form), ["linux"; 5]);
    // A discipline without that form keeps its own, as does one whose form is written.
    assert_eq!(["drr", "red", "{ kind = \"codel\", form = \"rfc\" }"].map(form), ["paper", "none", "rfc"]);
    let bare = bottleneck(&[("queue_form", "linux"), ("link.bottleneck.queue", "fq_codel")]);
    let line = bottleneck(&[("link.bottleneck.queue", "fq_codel limit 10240")]);
    assert_eq!(bare, line, "the form is all that a tc line says beside its words");
}

#[test]
fn classes_of_drr_with_their_disciplines_come_back_from_the_resolved_form() {
    let queue = "{ kind = \"drr\", leaf = \"codel target 5ms\", \
                 classes = \"EF, udp dport 5001 quantum 3 kB: pie(target = 5 ms); other\" }";
    let parsed = read(DUMBBELL, &[("link.bottleneck.queue", queue)]);
    let resolved = parsed.to_toml();
    assert!(resolved.contains("classes = \"EF, udp dport 5001 quantum 3 kB: pie(target = 5 ms); other\""));
    assert_eq!(read(&resolved, &[]).scenario, parsed.scenario);
}

#[test]
fn one_limit_holds_for_whatever_queue_a_link_has() {
    let limit = |queue: &str| {
        let set = [("link.bottleneck.queue_limit", "70 packets"), ("link.bottleneck.queue", queue)];
        bottleneck(&set).get("limit")
    };
    let text = |limit: &str| Some(tailrace_core::params::Value::Text(limit.into()));
    for queue in ["codel", "red", "sfq", "fq_pie", "pfifo", "{ kind = \"drr\", quantum = \"3 kB\" }"] {
        assert_eq!(limit(queue), text("70 packets"), "{queue}");
    }
    for queue in ["{ kind = \"red\", limit = \"30 packets\" }", "pfifo limit 30"] {
        assert_eq!(limit(queue), text("30 packets"), "{queue}");
    }
    let cake = [("link.bottleneck.queue_limit", "70 packets"), ("link.bottleneck.queue", "cake")];
    let warned = read(DUMBBELL, &cake).warnings;
    assert!(warned.iter().any(|w| w.message.contains("has no effect on cake")), "{warned:?}");
}

#[test]
fn faults_and_captures_are_called_by_name_in_paths() {
    let text = include_str!("../files/small.toml")
        .replace("[[fault]]\n", "[[fault]]\nname = \"first\"\n")
        .replace("[[capture]]\n", "[[capture]]\nname = \"sender\"\n");
    let set = [("fault.first.at", "5s"), ("capture.sender.snaplen", "200 B")];
    let set = set.map(|(path, value)| (path.to_string(), value.to_string()));
    let parsed = parse(&text, "named.toml", &set).unwrap();
    assert_eq!(parsed.scenario.faults[0].at, Duration::from_secs(5));
    assert_eq!(parsed.scenario.captures[0].snaplen, 200);
    // The resolved file goes by the same names.
    let again =
        parse(&parsed.to_toml(), "resolved.toml", &[("fault.first.at".into(), "6 s".into())]).unwrap();
    assert_eq!(again.scenario.faults[0].at, Duration::from_secs(6));
    let errors = parse(&text, "named.toml", &[("fault.second.at".into(), "5 s".into())]).unwrap_err();
    let help = errors[0].help.as_deref().unwrap_or_default();
    assert_eq!((errors[0].message.as_str(), help), ("there is no `fault.second`", "there are: first"));
}

/// Files as a test has them.
#[derive(Debug)]
struct Given;

impl Files for Given {
    fn read(&self, name: &str) -> Result<String, String> {
        match name {
            "up.trace" => Ok("1\n4\n10\n".into()),
            "traces/down.trace" => Ok("5\n3\n".into()),
            "web.cdf" => Ok("# bytes share\n0 0\n10000 0.5\n1000000 1\n".into()),
            "CDF_search.tcl" => Ok("1 1 0\n6 1 0.15\n19 1 1\n".into()),
            "bad.cdf" => Ok("0 0\n10000 0.5\n5000 1\n".into()),
            _ => Err("there is none".into()),
        }
    }
}

fn traced(rate: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let set = [("link.bottleneck.rate".to_string(), rate.to_string())];
    Source::new(include_str!("../files/small.toml"), "small.toml")
        .reading(Arc::new(Given))
        .scenario(&set, Bytes(1 << 30))
}

#[test]
fn a_trace_comes_from_a_file_and_the_resolved_form_needs_none() {
    let parsed = traced("trace(up.trace)").unwrap();
    let bottleneck = parsed.scenario.links.iter().find(|link| link.name == "bottleneck").unwrap();
    // Three times 1504 bytes in 10 ms.
    assert_eq!(bottleneck.forward.rate, Rate::from_bps(3 * 1504 * 8 * 100));
    let trace = Arc::new(DeliveryTrace::parse("1 4 10").unwrap());
    assert_eq!(bottleneck.forward.schedule, Some(LinkSchedule::Trace(trace)));
    assert_eq!(bottleneck.forward.overhead, Bytes(4));
    let resolved = parsed.to_toml();
    assert!(resolved.contains("rate = \"trace(1 4 10)\""), "{resolved}");
    assert_eq!(parse(&resolved, "resolved.toml", &[]).unwrap().scenario, parsed.scenario);
}

#[test]
fn a_link_may_be_granted_when_it_sends_each_direction_in_its_own_way() {
    let (down, up) = ("rates = [\"2 Mbit/s\", \"8 Mbit/s\"]", "rates = [\"3 Mbit/s\"], request = \"8 ms\"");
    let grants =
        format!("rate = {{ kind = \"lte\", {down} }}\nreverse = {{ rate = {{ kind = \"lte\", {up} }} }}\n");
    let text = include_str!("../files/small.toml").replace("rate = \"1 Mbit/s\"\n", &grants);
    let parsed = parse(&text, "small.toml", &[]).unwrap();
    let bottleneck = parsed.scenario.links.iter().find(|link| link.name == "bottleneck").unwrap();
    let rates = [&bottleneck.forward, &bottleneck.backward].map(|spec| spec.rate);
    assert_eq!(rates, [5, 3].map(Rate::from_mbit));
    assert_eq!(bottleneck.forward.overhead, Bytes(0));
    let resolved = parsed.to_toml();
    assert!(resolved.contains("rates = [\"2 Mbit/s\", \"8 Mbit/s\"], dwell = \"100 ms\""), "{resolved}");
    assert_eq!(parse(&resolved, "resolved.toml", &[]).unwrap().scenario, parsed.scenario);
    // A key of it can be set as others can.
    let set = [("link.bottleneck.rate.rates".to_string(), "[\"6 Mbit/s\"]".to_string())];
    let other = parse(&text, "small.toml", &set).unwrap();
    assert!(other.scenario.links.iter().any(|link| link.forward.rate == Rate::from_mbit(6)));
}

#[test]
fn each_direction_may_have_its_trace() {
    let text = include_str!("../files/small.toml")
        .replace("rate = \"1 Mbit/s\"\n", "rate = \"1 Mbit/s\"\nreverse = { rate = \"trace(3 3 8)\" }\n");
    let parsed = parse(&text, "small.toml", &[]).unwrap();
    let bottleneck = parsed.scenario.links.iter().find(|link| link.name == "bottleneck").unwrap();
    let traced = [&bottleneck.forward, &bottleneck.backward].map(|spec| spec.schedule.is_some());
    assert_eq!(traced, [false, true]);
    assert_eq!(parse(&parsed.to_toml(), "resolved.toml", &[]).unwrap().scenario, parsed.scenario);
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_name_and_line() {
    let label = |rate: &str| traced(rate).unwrap_err()[0].label.clone().unwrap();
    let back = "line 2 of \"traces/down.trace\": 3 comes after 5; times never go back: sort them";
    assert_eq!(label("trace(traces/down.trace)"), back);
    assert_eq!(label("trace(else.trace)"), "\"else.trace\": there is none");
}

/// The good file with transfers of these sizes.
fn sized(size: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let app = format!("app = {{ kind = \"arrivals\", size = \"{size}\", gap = \"exponential(1 s)\" }}");
    let text = include_str!("../files/small.toml").replacen("app = \"bulk\"", &app, 1);
    Source::new(&text, "small.toml").reading(Arc::new(Given)).scenario(&[], Bytes(1 << 30))
}

#[test]
fn sizes_come_from_a_file_and_the_resolved_form_needs_none() {
    for (size, points) in [
        ("cdf(web.cdf)", "cdf(0 B 0; 10 kB 0.5; 1 MB 1)"),
        (" cdf( web.cdf, 1 B )", "cdf(0 B 0; 10 kB 0.5; 1 MB 1)"),
        ("cdf(CDF_search.tcl, 1460 B)", "cdf(1460 B 0; 8760 B 0.15; 27740 B 1)"),
    ] {
        let parsed = sized(size).unwrap();
        let resolved = parsed.to_toml();
        assert!(resolved.contains(&format!("size = \"{points}\"")), "{size}: {resolved}");
        assert_eq!(parse(&resolved, "resolved.toml", &[]).unwrap().scenario, parsed.scenario);
    }
}

#[test]
fn nothing_is_no_size_and_that_is_the_reason_given() {
    for (size, of) in [("0 B", "0 B"), ("exponential(0 B)", "the mean of exponential(0 B)")] {
        let label = sized(size).unwrap_err()[0].label.clone().unwrap();
        assert_eq!(label, format!("{of} is outside 1 B to 1000000 GB: with less there is nothing to send"));
    }
}

#[test]
fn what_is_wrong_with_a_file_of_sizes_is_said_with_its_name_and_line() {
    let label = |size: &str| sized(size).unwrap_err()[0].label.clone().unwrap();
    assert_eq!(
        label("cdf(bad.cdf)"),
        "line 3 of \"bad.cdf\": a size of 5000 B comes after 10000 B; sort the lines"
    );
    assert_eq!(label("cdf(else.cdf)"), "\"else.cdf\": there is none");
    // A word that is no number is a part of the name.
    assert_eq!(label("cdf(web.cdf, packets)"), "\"web.cdf, packets\": there is none");
    assert_eq!(label("cdf(web.cdf, 1460)"), "\"1460\" has no unit; write \"1460 B\"");
    assert_eq!(label("cdf(web.cdf, 0 B)"), "0 B is no size of a packet; write \"cdf(web.cdf, 1460 B)\"");
    assert!(label("cdf(up.trace)").contains("line 1 of \"up.trace\": \"1\" has 1 words"));
}
