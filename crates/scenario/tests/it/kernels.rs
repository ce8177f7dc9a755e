//! Hosts with kernels of their own.

use tailrace_core::{Bytes, Duration};
use tailrace_scenario::model::{Limits, Program};
use tailrace_scenario::parse;

const PAIR: &str = r##"
name = "pair"
duration = "10 s"

[[host]]
name = "a"
kernel = "6.12"
namespace = "lab"
memory = "64 MiB"
sysctl = { "net.ipv4.tcp_congestion_control" = "reno", net.mptcp.enabled = true, net.ipv4.tcp_sack = 0 }
limits = { subflows = 4 }
endpoints = "1 signal, 2 subflow backup"
run = [{ command = "iperf3 -s -1" }, { at = "1500 ms", command = 'sh -c "true"' }]
files = ["tools", "/opt/it's \"here\""]

[[host]]
name = "b"

[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "50 packets" }

[[link]]
name = "second"
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
"##;

#[test]
fn what_a_kernel_is_to_be_is_read_and_written() {
    let parsed = parse(PAIR, "pair.toml", &[]).unwrap();
    let host = parsed.scenario.nodes[0].kernel.as_deref().unwrap();
    assert_eq!((host.kernel.as_str(), host.memory), ("6.12", Bytes(64 << 20)));
    assert_eq!(host.namespace.as_deref(), Some("lab"));
    let text = |pair: (&str, &str)| (pair.0.to_string(), pair.1.to_string());
    let set =
        [("net.ipv4.tcp_congestion_control", "reno"), ("net.mptcp.enabled", "1"), ("net.ipv4.tcp_sack", "0")];
    assert_eq!(host.sysctl, set.map(text));
    assert_eq!(host.limits, Some(Limits { subflows: 4, add_addr_accepted: 0 }));
    let endpoints: Vec<_> =
        host.endpoints.iter().map(|e| (e.interface, e.signal, e.subflow, e.backup)).collect();
    assert_eq!(endpoints, [(1, true, false, false), (2, false, true, true)]);
    let program = |at, command: &str| Program { at: Duration::from_millis(at), command: command.into() };
    assert_eq!(host.programs, [program(0, "iperf3 -s -1"), program(1500, "sh -c \"true\"")]);
    assert_eq!(host.files, ["tools", "/opt/it's \"here\""]);
    assert_eq!(parsed.scenario.nodes[1].kernel, None);
    assert_eq!(parsed.warnings.len(), 0, "what programs send is not known");
    let resolved = parsed.to_toml();
    assert_eq!(parse(&resolved, "resolved.toml", &[]).unwrap().scenario, parsed.scenario, "{resolved}");
}

#[test]
fn a_setting_from_beside_the_file_replaces_the_files_however_either_is_written() {
    let given = |path: &str, value: &str| (path.to_string(), value.to_string());
    let overrides = [
        given("host.a.sysctl.net.ipv4.tcp_congestion_control", "cubic"),
        given("host.a.sysctl.net.ipv4.tcp_sack", "1"),
        given("host.a.sysctl.net.ipv4.tcp_congestion_control", "bbr"),
    ];
    let parsed = parse(PAIR, "pair.toml", &overrides).unwrap();
    let host = parsed.scenario.nodes[0].kernel.as_deref().unwrap();
    let text = |pair: (&str, &str)| (pair.0.to_string(), pair.1.to_string());
    let set =
        [("net.ipv4.tcp_congestion_control", "bbr"), ("net.mptcp.enabled", "1"), ("net.ipv4.tcp_sack", "1")];
    assert_eq!(host.sysctl, set.map(text));
    let resolved = parsed.to_toml();
    assert_eq!(parse(&resolved, "resolved.toml", &[]).unwrap().scenario, parsed.scenario, "{resolved}");
}

#[test]
fn a_kernel_has_a_usual_memory_and_may_be_set_from_outside() {
    let overrides = [("host.a.memory".to_string(), "\"256 MiB\"".to_string())];
    let set = parse(PAIR, "pair.toml", &overrides).unwrap();
    assert_eq!(set.scenario.nodes[0].kernel.as_ref().unwrap().memory, Bytes(256 << 20));
    // A shell takes the quotes off `--set host.a.kernel="6.10"`.
    for (given, name) in [("6.10", "6.10"), ("7", "7"), ("\"6.1\"", "6.1"), ("./linux", "./linux")] {
        let set = parse(PAIR, "pair.toml", &[("host.a.kernel".to_string(), given.to_string())]).unwrap();
        assert_eq!(set.scenario.nodes[0].kernel.as_ref().unwrap().kernel, name);
    }
    let usual = parse(&PAIR.replace("memory = \"64 MiB\"", ""), "pair.toml", &[]).unwrap();
    assert_eq!(usual.scenario.nodes[0].kernel.as_ref().unwrap().memory, Bytes(128 << 20));
}

#[test]
fn without_flows_and_programs_nothing_would_happen() {
    let idle: String = PAIR.lines().filter(|line| !line.starts_with("run")).flat_map(|l| [l, "\n"]).collect();
    let errors = parse(&idle, "pair.toml", &[]).unwrap_err();
    assert!(errors[0].message.contains("nothing would happen"), "{errors:?}");
}
