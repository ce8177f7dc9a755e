//! The processes of a guest, from its start to its end.
//!
//! A guest has a folder: sockets, console, and `root`, what its agent sees of it. Its command line holds nothing but names within
//! that folder, since the kernel mixes it into its random numbers: the same guest does the same wherever it is run.

use crate::console::GuestConsole;
use crate::error::KernelError;
use crate::kernel::GuestKernel;
use crate::time_travel::TimeTravelController;
use crate::timeouts::GuestTimeouts;
use crate::vhost_net::VhostNetDevice;
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tailrace_agent::plan::GuestPlan;
use tailrace_sim::Control;

/// Configuration of a guest.
#[derive(Clone, Debug)]
pub struct GuestConfig {
    /// The kernel: a User-Mode Linux with `UML_TIME_TRAVEL_SUPPORT`, `VIRTIO_UML` and `VIRTIO_NET`.
    pub kernel: PathBuf,
    /// The agent: the program of `tailrace-agent`.
    pub agent: PathBuf,
    /// Where its sockets and files are; made if it is not there.
    pub folder: PathBuf,
    /// Mebibytes of memory.
    pub memory: u32,
    /// Largest packet of each card's link.
    pub mtus: Vec<u16>,
    /// Plan of its agent.
    pub plan: GuestPlan,
    /// Whether the cards give buffers back when packets have left, and not as soon as they are taken.
    pub backpressure: bool,
    /// Files and folders of the machine that programs may read beside those of the system.
    pub readable: Vec<PathBuf>,
    /// Whether nothing keeps the kernel and its programs from what the user may do, for want of Landlock.
    pub unconfined: bool,
    /// Cancellation.
    pub control: Arc<Control>,
}

/// A guest's processes. They end when this value is dropped, and when this process ends in any way.
#[derive(Debug)]
pub struct GuestProcess {
    launcher: Child,
    /// The group of the kernel's processes, once it has booted.
    group: Option<Pid>,
    folder: PathBuf,
    console: GuestConsole,
}

const KERNEL_OPTIONS: [&str; 9] = [
    "rootfstype=hostfs",
    // The roots of all of the host's file systems are names within the guest's folder. 6.12 takes no relative path.
    "hostfs=/proc/self/cwd",
    "rootflags=host",
    "ro",
    "init=/bin/sh",
    "con=null",
    "con0=fd:0,fd:1",
    "quiet",
    // At once: the second of simulated time after which it would end might not come.
    "panic=-1",
];

/// Commands of the guest's first process before it becomes the agent: they mount its folder within a tmpfs. The
/// folder's name is the whole option for kernels before 6.12, and for mount(8) before 2.39; newer ones of both need a
/// name.
const FIRST_WORDS: &str = "mount -t tmpfs tmp /tmp && mkdir /tmp/own && \
                           { mount -t hostfs own /tmp/own -o root || mount -t hostfs own /tmp/own -o hostfs=root; } && \
                           exec /tmp/own/agent";

impl GuestProcess {
    /// Starts a guest and lets it boot.
    ///
    /// # Errors
    /// Where it does not come up: the message ends with the last lines of its console.
    pub fn start(config: &GuestConfig) -> Result<(Self, GuestKernel), KernelError> {
        let sockets =
            GuestListeners::listen(config).map_err(KernelError::io("preparing a guest's folder"))?;
        let console = GuestConsole::of(&config.folder);
        let launcher = launch(config, &console).map_err(KernelError::io("starting a kernel"))?;
        let mut machine = Self { launcher, group: None, folder: config.folder.clone(), console };
        let ready = config.plan.ready;
        let process = machine.process().map_err(KernelError::io("watching a kernel"))?;
        let mut kernel = sockets.into_kernel(config, process)?;
        match kernel.boot(ready) {
            Ok(()) => {
                machine.group = machine.kernel();
                if config.backpressure {
                    kernel.keep_buffers();
                }
                Ok((machine, kernel))
            }
            Err(KernelError::Stopped) => Err(KernelError::Stopped),
            Err(error) => Err(machine.console.refusal().map_or_else(
                || KernelError::Boot { why: error.to_string(), console: machine.last_words() },
                KernelError::Refused,
            )),
        }
    }

    /// Where in its memory the agent notes deliveries, if it does.
    pub(crate) fn mailbox(&self) -> Option<u64> {
        let said = fs::read_to_string(self.folder.join("root").join(tailrace_agent::mailbox::FILE)).ok()?;
        said.trim().parse().ok()
    }

    /// The last lines of its console.
    pub fn console_end(&self) -> String {
        self.console.end()
    }

    /// The same in a sentence of an error, and where all of it is from now on: a file for temporary ones that outlives the run.
    pub fn last_words(&self) -> String {
        self.console.last_words()
    }

    /// The kernel, which leads the group of its processes: the launcher's only child.
    fn kernel(&self) -> Option<Pid> {
        let launcher = self.launcher.id();
        let children = fs::read_to_string(format!("/proc/{launcher}/task/{launcher}/children")).ok()?;
        Pid::from_raw(children.split_whitespace().next()?.parse().ok()?)
    }

    /// Can be read when the processes have ended.
    fn process(&self) -> io::Result<OwnedFd> {
        let pid = Pid::from_child(&self.launcher);
        Ok(rustix::process::pidfd_open(pid, PidfdFlags::empty())?)
    }
}

impl Drop for GuestProcess {
    fn drop(&mut self) {
        // The launcher ends the rest when it is told something, or when nobody holds the other end of its input: then it
        // removes the folder, too, since nobody else does.
        if let Some(mut input) = self.launcher.stdin.take() {
            let _ = input.write_all(b".");
        }
        let was_killed = self.launcher.wait().is_ok_and(|status| status.signal().is_some());
        if let Some(kernel) = self.group.filter(|_| was_killed) {
            let _ = rustix::process::kill_process_group(kernel, Signal::KILL);
        }
    }
}

/// Where a guest connects.
struct GuestListeners {
    controller: UnixListener,
    cards: Vec<UnixListener>,
}

impl GuestListeners {
    fn listen(config: &GuestConfig) -> io::Result<Self> {
        let root = config.folder.join("root");
        fs::create_dir_all(&root)?;
        let (host, agent) = (config.folder.join("host"), root.join("agent"));
        for stale in [&host, &agent] {
            let _ = fs::remove_file(stale);
        }
        symlink("/", &host)?;
        // A guest has memory of its own at /tmp, where this program may have been installed: a name would lead nowhere.
        fs::copy(&config.agent, &agent)?;
        let plan = serde_json::to_vec_pretty(&config.plan)?;
        fs::write(root.join("plan.json"), plan)?;
        let listen = |name: &str| {
            let path = config.folder.join(name);
            let _ = fs::remove_file(&path);
            listen_at(&path)
        };
        let cards = (0..config.mtus.len()).map(|i| listen(&format!("card{i}"))).collect::<io::Result<_>>()?;
        Ok(Self { controller: listen("calendar")?, cards })
    }

    /// Turns the listeners into the server of the guest that will connect.
    fn into_kernel(self, config: &GuestConfig, process: OwnedFd) -> Result<GuestKernel, KernelError> {
        let controller = TimeTravelController::new(self.controller, config.plan.ready)?;
        let numbered = (0..).zip(self.cards).zip(&config.mtus);
        let cards =
            numbered.map(|((number, listener), mtu)| VhostNetDevice::new(listener, number, *mtu)).collect();
        let patience = GuestTimeouts::of_environment(Arc::clone(&config.control));
        Ok(GuestKernel::new(controller, cards, Some(process), patience))
    }
}

/// A socket's path may have no more than some 100 bytes: a longer one is reached by way of the folder.
fn listen_at(path: &Path) -> io::Result<UnixListener> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = File::open(folder)?;
    UnixListener::bind(Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}

fn launch(config: &GuestConfig, console: &GuestConsole) -> io::Result<Child> {
    let console = console.create()?;
    let mut command = Command::new(fs::canonicalize(&config.agent)?);
    command.current_dir(&config.folder).env_clear();
    // Signals of the terminal, such as Ctrl-C, go to this process only.
    command.process_group(0);
    command.args(["launch", "--forget"]);
    command.args(config.unconfined.then_some("--unconfined"));
    for path in &config.readable {
        command.arg("--read").arg(path);
    }
    command.arg(fs::canonicalize(&config.kernel)?);
    command.arg(format!("mem={}M", config.memory)).args(KERNEL_OPTIONS);
    command.arg("time-travel=ext:0:calendar");
    for card in 0..config.mtus.len() {
        command.arg(format!("virtio_uml.device=card{card}:1"));
    }
    // Buffers of frames that are given back when they are taken come back without an interrupt.
    command.arg(format!("virtio_net.napi_tx={}", u8::from(config.backpressure)));
    // Registers of AVX are not kept, see the agent. A variable that the kernel does not know is the first process's.
    let without = ["AVX", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "AVX_Fast_Unaligned_Load"];
    let tunables: Vec<String> = without.iter().map(|feature| format!("-{feature}")).collect();
    command.arg(format!("GLIBC_TUNABLES=glibc.cpu.hwcaps={}", tunables.join(",")));
    command.args(["--", "-c", &format!("\"{FIRST_WORDS}\"")]);
    command.stdin(Stdio::piped()).stdout(console.try_clone()?).stderr(console);
    command.spawn()
}
