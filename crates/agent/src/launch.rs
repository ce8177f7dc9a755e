//! Starts a kernel, and ends it when whoever asked for it is gone.
//!
//! The kernel and its processes are a process group; its end is the end of our standard input, which the simulator holds open:
//! however that one ends, nothing is left behind. One that ends in order says so by a byte, since it still wants the folder; one
//! that was killed says nothing, and then the folder goes, too, where [`FORGET`] allows it.

use crate::confinement::{self, Refused, refuse, rule};
use nix::sys::personality::{self, Persona};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};
use seccompiler::SeccompCmpOp;
use std::error::Error;
use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

// System calls and requests of x86-64.
const PTRACE: i64 = 101;
const GETRANDOM: i64 = 318;
const PTRACE_GETREGSET: u64 = 0x4204;
const PTRACE_SETREGSET: u64 = 0x4205;

/// The folder that we are in was made for the guest alone.
const FORGET: &str = "--forget";
/// The kernel sees all files of the user's, and may write them.
const UNCONFINED: &str = "--unconfined";
/// The next argument is a file or folder that the guest may read.
const READ: &str = "--read";

/// Options before the kernel's name.
#[derive(Debug, Default)]
struct Options {
    forgets: bool,
    unconfined: bool,
    readable: Vec<PathBuf>,
}

impl Options {
    /// Takes the options off the front of a command line.
    fn take(mut command: &[OsString]) -> Result<(Self, &[OsString]), Box<dyn Error>> {
        let mut options = Self::default();
        while let Some((word, rest)) = command.split_first() {
            command = match word.to_str() {
                Some(FORGET) => {
                    options.forgets = true;
                    rest
                }
                Some(UNCONFINED) => {
                    options.unconfined = true;
                    rest
                }
                Some(READ) => {
                    let (path, rest) = rest.split_first().ok_or("--read needs a path")?;
                    options.readable.push(path.into());
                    rest
                }
                _ => break,
            };
        }
        Ok((options, command))
    }
}

/// Runs a command until it ends, or our standard input does.
pub(crate) fn run(command: &[OsString]) -> Result<(), Box<dyn Error>> {
    let (options, command) = Options::take(command)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    restrict()?;
    // Some of a kernel's order goes by addresses of its own: these are the same in each run.
    personality::set(personality::get()? | Persona::ADDR_NO_RANDOMIZE)?;
    let folder = std::env::current_dir()?;
    confinement::make_folders()?;
    let ended = start(command, &options, &folder).and_then(|mut kernel| {
        let ended = wait(&kernel);
        end(&mut kernel);
        ended
    });
    confinement::remove_memory();
    if options.forgets && matches!(ended, Ok(Ended::Forsaken)) {
        forget(&folder);
    } else {
        forget_sockets();
    }
    ended.map(|_| ())
}

/// Starts the kernel from a thread of its own, which is confined with all that comes of it; what is left behind is removed by
/// one that is not.
fn start(command: &[OsString], options: &Options, folder: &Path) -> Result<Child, Box<dyn Error>> {
    let (program, arguments) = command.split_first().ok_or("which kernel?")?;
    let start = || -> Result<Child, String> {
        if !options.unconfined {
            let confined = confinement::confine(Path::new(program), &options.readable, &folder.join("root"));
            confined.map_err(|error| error.to_string())?;
        }
        let mut command = Command::new(program);
        // Linux keeps the guest's memory in a file there, which must be memory itself; and its own folder at home.
        command.env_clear().env("TMPDIR", confinement::memory()).env("HOME", folder);
        command.args(arguments).stdin(Stdio::null()).process_group(0);
        command.spawn().map_err(|error| format!("{}: {error}", Path::new(program).display()))
    };
    let kernel = thread::scope(|scope| scope.spawn(start).join());
    Ok(kernel.map_err(|_| "the thread that starts the kernel has panicked")??)
}

const MOMENT: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Reason why the launcher's wait ended.
enum Ended {
    Kernel,
    /// The wish for it.
    Wish,
    /// Whoever wished for it.
    Forsaken,
}

/// Until the kernel or our standard input ends.
fn wait(kernel: &Child) -> Result<Ended, Box<dyn Error>> {
    let process = rustix::process::pidfd_open(Pid::from_child(kernel), PidfdFlags::empty())?;
    let mut stdin = std::io::stdin();
    loop {
        let mut both = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&process, PollFlags::IN)];
        match poll(&mut both, None) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => break,
        }
    }
    // A kernel ends by itself when its simulator is killed, and may be the first to be noticed: what there is to hear is near.
    let mut input = [PollFd::new(&stdin, PollFlags::IN)];
    if poll(&mut input, Some(&MOMENT)).is_ok_and(|ready| ready == 0) {
        return Ok(Ended::Kernel);
    }
    let told = stdin.read(&mut [0])?;
    Ok(if told > 0 { Ended::Wish } else { Ended::Forsaken })
}

/// Ends all of the kernel's processes, and waits for them.
fn end(kernel: &mut Child) {
    let _ = rustix::process::kill_process_group(Pid::from_child(kernel), Signal::KILL);
    let _ = kernel.wait();
    // Reaps the processes that the kernel left behind, which are our children now.
    while rustix::process::wait(rustix::process::WaitOptions::empty()).is_ok_and(|some| some.is_some()) {}
}

/// Removes the guest's folder, and the one that it shares with the run's other guests with the last of them.
fn forget(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    if let Some(above) = folder.parent() {
        let _ = std::fs::remove_dir(above);
    }
}

/// Removes the sockets of the guest's folder, in which we are: if the simulation was killed, nobody else does.
fn forget_sockets() {
    let entries = std::fs::read_dir(".").into_iter().flatten().filter_map(Result::ok);
    for socket in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket())) {
        let _ = std::fs::remove_file(socket.path());
    }
}

/// Takes from this process and all that come of it:
///
/// - `getrandom`, so that the guest knows nothing of this machine's chance;
/// - the extended state of a traced process's processor, for which Linux up to 6.12 has too little room on processors with AMX: it
///   then asks for the state that it knows. Programs in the guest must not use AVX, see [`crate::guest`].
fn restrict() -> Result<(), Box<dyn Error>> {
    let regset = |request| rule(0, SeccompCmpOp::Eq, request);
    let calls: Refused = [(GETRANDOM, vec![])].into();
    refuse(calls, Errno::NOSYS)?;
    let both = vec![regset(PTRACE_GETREGSET)?, regset(PTRACE_SETREGSET)?];
    refuse([(PTRACE, both)].into(), Errno::IO)
}
