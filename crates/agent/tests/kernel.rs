//! A real kernel, where there is one: `TAILRACE_KERNEL` names it.

use std::path::PathBuf;
use tailrace_agent::plan::{GuestPlan, HostPlan, Interface, Program};
use tailrace_guest::{GuestConfig, GuestProcess};

fn kernel() -> Option<PathBuf> {
    let path = std::env::var_os("TAILRACE_KERNEL").map(PathBuf::from);
    if path.is_none() {
        eprintln!("SKIPPED: TAILRACE_KERNEL names no kernel");
    }
    path
}

#[test]
fn a_kernel_boots() {
    let Some(kernel) = kernel() else { return };
    let folder = std::env::temp_dir().join(format!("tailrace-guest-{}", std::process::id()));
    let ready = 3_000_000_000;
    let interface =
        Interface { card: 0, address: "10.0.0.1".parse().unwrap(), later: vec![], unreached: vec![] };
    let program = Program { at: ready, command: "uname -r; ip addr".into(), output: "out".into() };
    let host = HostPlan {
        name: "a".into(),
        interfaces: vec![interface],
        programs: vec![program],
        ..HostPlan::default()
    };
    let config = GuestConfig {
        kernel,
        agent: env!("CARGO_BIN_EXE_tailrace-agent").into(),
        folder: folder.clone(),
        memory: 64,
        mtus: vec![1500],
        plan: GuestPlan { seed: 1, ready, hosts: vec![host], ..GuestPlan::default() },
        backpressure: false,
        readable: vec![],
        unconfined: false,
        control: Default::default(),
    };
    let (machine, mut kernel) = GuestProcess::start(&config).unwrap_or_else(|e| panic!("{e}"));
    while let Some(at) = kernel.next_event().filter(|at| *at < ready + 5_000_000_000) {
        kernel.run_until(at, at).unwrap_or_else(|e| panic!("{e}\n{}", machine.console_end()));
        let mut bytes = Vec::new();
        while kernel.take(at, &mut bytes).is_some() {}
    }
    let said = std::fs::read_to_string(folder.join("root/out")).unwrap();
    drop(machine);
    std::fs::remove_dir_all(&folder).unwrap();
    let mut lines = said.lines();
    assert!(lines.next().is_some_and(|version| version.starts_with("6.")), "{said}");
    assert!(lines.any(|line| line.contains("inet 10.0.0.1/")), "{said}");
}
