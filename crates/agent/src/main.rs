//! Agent program, started at both ends of a guest: outside it starts the kernel and stops it (`launch`), inside it is the
//! first process (init) and executes the plan.

mod addresses;
mod confinement;
mod first_process;
mod launch;
mod namespace;
mod netlink;
mod network;
mod path_manager;
mod programs;
mod raw;
mod settings;
mod sockets;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let done = if rustix::process::getpid() == rustix::process::Pid::INIT {
        first_process::run()
    } else {
        match arguments.split_first() {
            Some((word, command)) if word == "launch" => launch::run(command),
            _ => Err("this program is started by tailrace: it launches kernels, and runs within them".into()),
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "what goes wrong here is for the console")]
            {
                eprintln!("tailrace-agent: {error}");
            }
            ExitCode::FAILURE
        }
    }
}
