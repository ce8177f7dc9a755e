//! Programs of hosts, run in the guest.

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

/// Context of a host's programs.
#[derive(Clone, Debug)]
pub(crate) struct ProgramContext {
    /// Host name (UTS namespace).
    pub(crate) hostname: String,
    /// Network namespace of the host, unless it is the guest's.
    pub(crate) network: Option<Arc<Namespace>>,
}

impl ProgramContext {
    /// Moves the calling thread, with the processes that it starts, into the context.
    fn enter(&self) -> io::Result<()> {
        unshare(CloneFlags::CLONE_NEWUTS)?;
        fs::write("/proc/sys/kernel/hostname", &self.hostname)?;
        let Some(network) = &self.network else { return Ok(()) };
        network.enter()?;
        // A sysfs mount shows the interfaces of the network namespace in which it was mounted.
        unshare(CloneFlags::CLONE_NEWNS)?;
        Ok(mount("sys", "/sys", "sysfs", MountFlags::empty(), None)?)
    }
}

/// Runs a program at its start time in its context. One file has its output, written through to the machine outside; another
/// its exit code.
pub(crate) fn run(program: &Program, context: &ProgramContext) {
    sleep_until(program.at);
    let path = format!("{OWN_FOLDER}/{}", program.output);
    let code = context.enter().and_then(|()| execute(program, &path)).unwrap_or_else(|error| {
        let _ = fs::write(path, format!("{}: {error}\n", program.command));
        NOT_STARTED
    });
    let end = ProgramExit { code, at: now() };
    if let Ok(mut file) = create_synchronous(&format!("{OWN_FOLDER}/{}", exit_name(&program.output))) {
        let _ = write!(file, "{end}");
    }
}

/// Exit code of shells for a command that cannot be executed.
const NOT_STARTED: i32 = 126;

fn execute(program: &Program, path: &str) -> io::Result<i32> {
    let output = create_synchronous(path)?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &program.command]).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/tmp");
    let status = command.current_dir("/tmp").spawn()?.wait()?;
    // Shells add 128 to the number of a signal that ended a program.
    Ok(status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(NOT_STARTED))
}

/// Creates a file that is written through (`O_SYNC`): nothing stays in the guest's page cache.
fn create_synchronous(path: &str) -> io::Result<File> {
    let through = rustix::fs::OFlags::SYNC | rustix::fs::OFlags::APPEND;
    OpenOptions::new().create(true).append(true).custom_flags(through.bits().cast_signed()).open(path)
}

/// Guest's clock, nanoseconds on the time scale of plans.
fn now() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Realtime);
    let nanos = now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned();
    nanos.saturating_sub(TIME_OF_DAY)
}

/// Sleeps until a time of the guest's clock.
pub(crate) fn sleep_until(at: u64) {
    let at = TIME_OF_DAY + at;
    let until = rustix::time::Timespec {
        tv_sec: (at / 1_000_000_000).cast_signed(),
        tv_nsec: (at % 1_000_000_000).cast_signed(),
    };
    while rustix::thread::clock_nanosleep_absolute(ClockId::Realtime, &until).is_err() {}
}
