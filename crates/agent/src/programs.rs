//! Programs of the host, run within the guest.

use crate::namespace::Namespace;
use rustix::thread::ClockId;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use tailrace_agent::plan::{Program, exit_name};
use tailrace_agent::{OWN_FOLDER, TIME_OF_DAY};

/// Runs a program at its time, in the network of its host where that is not the guest's. What it says is in one file, written through to the host at once; how it ended in another.
pub(crate) fn run(program: &Program, network: Option<&Namespace>) {
    sleep_until(program.at);
    let path = format!("{OWN_FOLDER}/{}", program.output);
    let entered = network.map_or(Ok(()), Namespace::enter);
    let code = entered.and_then(|()| execute(program, &path)).unwrap_or_else(|error| {
        let _ = fs::write(path, format!("{}: {error}\n", program.command));
        NOT_STARTED
    });
    if let Ok(mut file) = at_once(&format!("{OWN_FOLDER}/{}", exit_name(&program.output))) {
        let _ = write!(file, "{code}");
    }
}

/// As shells say that a command could not be run.
const NOT_STARTED: i32 = 126;

fn execute(program: &Program, path: &str) -> std::io::Result<i32> {
    let output = at_once(path)?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &program.command]).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/tmp");
    let status = command.current_dir("/tmp").spawn()?.wait()?;
    // As shells count a program that a signal has ended.
    Ok(status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(NOT_STARTED))
}

/// A new file whose contents do not wait in the guest's memory.
fn at_once(path: &str) -> std::io::Result<File> {
    let through = rustix::fs::OFlags::SYNC | rustix::fs::OFlags::APPEND;
    OpenOptions::new().create(true).append(true).custom_flags(through.bits().cast_signed()).open(path)
}

/// Waits until the guest's clock shows a time.
pub(crate) fn sleep_until(at: u64) {
    let at = TIME_OF_DAY + at;
    let until = rustix::time::Timespec {
        tv_sec: (at / 1_000_000_000).cast_signed(),
        tv_nsec: (at % 1_000_000_000).cast_signed(),
    };
    while rustix::thread::clock_nanosleep_absolute(ClockId::Realtime, &until).is_err() {}
}
