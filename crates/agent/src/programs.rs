//! Programs of the host, run within the guest.

use crate::namespace::Namespace;
use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountFlags, mount};
use rustix::thread::ClockId;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tailrace_agent::plan::{Program, ProgramExit, exit_name};
use tailrace_agent::{OWN_FOLDER, TIME_OF_DAY};

/// Where a program runs.
#[derive(Clone, Debug)]
pub(crate) struct ProgramContext {
    /// Output of `hostname` there.
    pub(crate) hostname: String,
    /// The network of the host, where that is not the guest's.
    pub(crate) network: Option<Arc<Namespace>>,
}

impl ProgramContext {
    /// This thread, and what it starts, are there from now on.
    fn enter(&self) -> io::Result<()> {
        unshare(CloneFlags::CLONE_NEWUTS)?;
        fs::write("/proc/sys/kernel/hostname", &self.hostname)?;
        let Some(network) = &self.network else { return Ok(()) };
        network.enter()?;
        // A sysfs shows the interfaces of the network in which it was mounted.
        unshare(CloneFlags::CLONE_NEWNS)?;
        Ok(mount("sys", "/sys", "sysfs", MountFlags::empty(), None)?)
    }
}

/// Runs a program at its time and in its place. What it says is in one file, written through to the host at once; how it ended in another.
pub(crate) fn run(program: &Program, place: &ProgramContext) {
    sleep_until(program.at);
    let path = format!("{OWN_FOLDER}/{}", program.output);
    let code = place.enter().and_then(|()| execute(program, &path)).unwrap_or_else(|error| {
        let _ = fs::write(path, format!("{}: {error}\n", program.command));
        NOT_STARTED
    });
    let end = ProgramExit { code, at: now() };
    if let Ok(mut file) = at_once(&format!("{OWN_FOLDER}/{}", exit_name(&program.output))) {
        let _ = write!(file, "{end}");
    }
}

/// Exit code of shells for a command that could not be run.
const NOT_STARTED: i32 = 126;

fn execute(program: &Program, path: &str) -> io::Result<i32> {
    let output = at_once(path)?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &program.command]).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/tmp");
    let status = command.current_dir("/tmp").spawn()?.wait()?;
    // Shells add 128 to the number of a signal that ended a program.
    Ok(status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(NOT_STARTED))
}

/// A new file whose contents do not wait in the guest's memory.
fn at_once(path: &str) -> io::Result<File> {
    let through = rustix::fs::OFlags::SYNC | rustix::fs::OFlags::APPEND;
    OpenOptions::new().create(true).append(true).custom_flags(through.bits().cast_signed()).open(path)
}

/// The guest's clock, on the time scale of plans.
fn now() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Realtime);
    let nanos = now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned();
    nanos.saturating_sub(TIME_OF_DAY)
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
