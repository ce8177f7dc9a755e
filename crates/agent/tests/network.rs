//! Real kernels in a simulated network, where there is a kernel: `TAILRACE_KERNEL` names one, or several in turn.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tailrace_agent::plan::{GuestPlan, HostPlan, Interface, Program};
use tailrace_core::{Duration, Instant};
use tailrace_guest::{GuestConfig, GuestProcess, KernelHost};
use tailrace_sim::{Control, Progress, RunCost, Simulation};

const READY: Duration = Duration::from_secs(3);

fn kernels() -> Option<Vec<PathBuf>> {
    let listed = std::env::var_os("TAILRACE_KERNEL");
    if listed.is_none() {
        eprintln!("SKIPPED: TAILRACE_KERNEL names no kernel");
    }
    listed.map(|all| std::env::split_paths(&all).collect())
}

/// Outcome of a run.
#[derive(Debug, PartialEq)]
struct Outcome {
    trace: String,
    outputs: Vec<String>,
}

/// Runs a scenario whose hosts are kernels with these programs: host, seconds, command.
fn run(text: &str, kernels: &[PathBuf], programs: &[(&str, u64, &str)]) -> Outcome {
    let scenario = tailrace_scenario::parse(text, "test", &[]).unwrap_or_else(|all| panic!("{all:?}"));
    let scenario = Arc::new(scenario.scenario);
    let mut simulation = Simulation::build(&scenario, 1).unwrap();
    let folder = std::env::temp_dir().join(format!("tailrace-net-{}-{}", std::process::id(), fresh()));
    let mut machines = Vec::new();
    let names = ["a", "b"];
    for (number, name) in names.into_iter().enumerate() {
        let addresses = simulation.addresses(name).unwrap();
        let interfaces = (0..)
            .zip(&addresses)
            .map(|(card, a)| Interface { card, address: *a, later: Vec::new(), unreached: Vec::new() })
            .collect();
        let programs =
            programs.iter().enumerate().filter(|(_, p)| p.0 == name).map(|(i, (_, at, command))| Program {
                at: (READY + Duration::from_secs(*at)).as_nanos(),
                command: (*command).into(),
                output: format!("out{i}"),
            });
        let host =
            HostPlan { name: name.into(), interfaces, programs: programs.collect(), ..HostPlan::default() };
        let config = GuestConfig {
            kernel: kernels[number % kernels.len()].clone(),
            agent: env!("CARGO_BIN_EXE_tailrace-agent").into(),
            folder: folder.join(name),
            memory: 128,
            mtus: vec![1500; addresses.len()],
            plan: GuestPlan {
                seed: number as u64,
                ready: READY.as_nanos(),
                hosts: vec![host],
                ..GuestPlan::default()
            },
            backpressure: false,
            readable: vec![],
            unconfined: false,
            control: Default::default(),
        };
        let (machine, kernel) = GuestProcess::start(&config).unwrap_or_else(|e| panic!("{e}"));
        machines.push(machine);
        simulation.attach(name, Box::new(KernelHost::new(kernel, READY))).unwrap();
    }
    while simulation.step(Instant::MAX, &Control::default()).unwrap() != Progress::Ended {}
    let summary: serde_json::Value =
        serde_json::from_str(&simulation.finish(RunCost::default()).summary).unwrap();
    drop(machines);
    let output = |(i, p): (usize, &(&str, u64, &str))| read(&folder.join(p.0).join(format!("root/out{i}")));
    let outputs = programs.iter().enumerate().map(output).collect();
    std::fs::remove_dir_all(&folder).unwrap();
    Outcome { trace: summary["fingerprint"].to_string(), outputs }
}

/// Whether a program of that name would be found.
fn is_there(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

fn fresh() -> u32 {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

const PAIR: &str = r#"
name = "pair"
duration = "30 s"
record.interval = "off"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "50 packets" }
[[flow]]
name = "f"
from = "a"
to = "b"
transport = "udp"
app = { kind = "cbr", rate = "1 kbit/s", size = "100 B" }
start = "29.9 s"
"#;

#[test]
fn programs_of_this_machine_speak_through_the_network_and_repeat() {
    let Some(kernels) = kernels() else { return };
    if let Some(missing) = ["iperf3", "ping"].into_iter().find(|name| !is_there(name)) {
        eprintln!("SKIPPED: this machine has no {missing}");
        return;
    }
    let programs = [
        ("b", 0, "iperf3 -s -1"),
        ("a", 1, "iperf3 -c 10.0.0.2 -t 20 -i 5 --connect-timeout 3000"),
        ("a", 22, "ping -c 3 -i 0.2 10.0.0.2"),
    ];
    let one = run(PAIR, &kernels, &programs);
    assert!(one.outputs[1].contains("receiver"), "{}", one.outputs[1]);
    assert!(one.outputs[2].contains("3 received"), "{}", one.outputs[2]);
    let again = run(PAIR, &kernels, &programs);
    assert_eq!(one, again);
}
