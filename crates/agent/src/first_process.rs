//! First process (init) of a guest.
//!
//! Its root is the file system of the machine outside, read-only, of which the launcher lets it read what [`tailrace_agent::visible`]
//! says; the guest's own folder is writable at [`OWN_FOLDER`].
//! Programs run without AVX (`GLIBC_TUNABLES` on the kernel's command line), whose registers a context switch of User-Mode Linux
//! loses, see [`crate::launch`].

use crate::addresses::Addresses;
use crate::namespace::Namespace;
use crate::settings::{self, SharedSettings};
use crate::{network, programs, raw, sockets};
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, unmount};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tailrace_agent::plan::{GuestPlan, HostPlan};
use tailrace_agent::{OWN_FOLDER, REFUSED};

/// Executes the plan, then sleeps for ever.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    mount("proc", "/proc", "proc", MountFlags::empty(), None)?;
    mount("sys", "/sys", "sysfs", MountFlags::empty(), None)?;
    mount("dev", "/dev", "devtmpfs", MountFlags::empty(), None)?;
    let plan: GuestPlan = serde_json::from_slice(&fs::read(format!("{OWN_FOLDER}/plan.json"))?)?;
    raw::seed(plan.seed)?;
    mount_names(&plan)?;
    uncover(&plan.uncovered)?;
    network::set_tcp_mem()?;
    let networks = set_up_all(&plan.hosts)?;
    if let Some(control) = &plan.control {
        network::set_up_control(control)?;
        let addresses = Addresses::new(plan.hosts.iter().zip(&networks));
        let sockets = sockets::Sockets::open(control, addresses)?;
        thread::Builder::new().spawn(move || sockets.serve())?;
    }
    for (host, network) in plan.hosts.into_iter().zip(networks) {
        let context = programs::ProgramContext { hostname: hostname(&host), network };
        for program in host.programs {
            let context = context.clone();
            thread::Builder::new().spawn(move || programs::run(&program, &context))?;
        }
    }
    loop {
        // Init must not exit: the kernel would panic.
        thread::sleep(Duration::from_secs(1 << 30));
    }
}

/// Mounts an `/etc/hosts` with the names of the scenario, and an empty `/etc/resolv.conf`.
fn mount_names(plan: &GuestPlan) -> Result<(), Box<dyn Error>> {
    let names = plan.names.iter().map(|(name, address)| {
        let plain = Some(without_brackets(name)).filter(|plain| !plan.names.contains_key(plain));
        // A name ends at a space there: programs say New-York.
        let one_word = |name: &str| name.replace(' ', "-");
        format!("{address} {} {}\n", one_word(name), one_word(&plain.unwrap_or_default()))
    });
    replace_in_etc("hosts", &format!("127.0.0.1 localhost\n{}", names.collect::<String>()))?;
    // The machine's name servers are unreachable from the scenario, and a query (`getent hosts` for IPv6) would time out after
    // 10 s. Without any, resolvers query the local host, which refuses at once.
    if Path::new("/etc/resolv.conf").exists() {
        replace_in_etc("resolv.conf", "")?;
    }
    Ok(())
}

/// Mounts files and folders of the machine where the guest's own folder covers them, under the names that they have outside.
fn uncover(paths: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    if paths.is_empty() {
        return Ok(());
    }
    // A bind mount of the root alone has what other mounts cover.
    let machine = Path::new(OWN_FOLDER).with_file_name("machine");
    fs::create_dir(&machine)?;
    mount_bind("/", &machine)?;
    for path in paths.iter().filter(|path| !path.exists()) {
        let outside = machine.join(path.strip_prefix("/").unwrap_or(path));
        if outside.is_dir() {
            fs::create_dir_all(path)?;
        } else {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
            fs::write(path, "")?;
        }
        mount_bind(outside, path)?;
    }
    unmount(&machine, UnmountFlags::empty())?;
    Ok(fs::remove_dir(machine)?)
}

/// Replaces a read-only file of `/etc` by a bind mount.
fn replace_in_etc(name: &str, contents: &str) -> Result<(), Box<dyn Error>> {
    let other = format!("/tmp/{name}");
    fs::write(&other, contents)?;
    Ok(mount_bind(other, format!("/etc/{name}"))?)
}

/// Name of a numbered host without brackets, which are special in URLs: `web1` for `web[1]`.
fn without_brackets(name: &str) -> String {
    name.replace(['[', ']'], "")
}

/// Host name: `kernel.hostname` of the host's settings, or its name in the scenario.
fn hostname(host: &HostPlan) -> String {
    let set = host.sysctl.iter().rfind(|(name, _)| name == "kernel.hostname");
    set.map_or_else(|| without_brackets(&host.name), |(_, name)| name.clone())
}

/// Network namespace of each host; `None` for a single host, which has the guest's.
type Networks = Vec<Option<Arc<Namespace>>>;

fn set_up_all(hosts: &[HostPlan]) -> Result<Networks, Box<dyn Error>> {
    let mut shared = SharedSettings::default();
    if let [host] = hosts {
        set_up(host)?;
        apply_settings(&mut shared, host, None)?;
        return Ok(vec![None]);
    }
    let guests = Namespace::current()?;
    let mut one = |host| -> Result<_, Box<dyn Error>> {
        let own = Namespace::create_and_enter()?;
        guests.enter()?;
        network::move_interfaces(host, &own)?;
        own.enter()?;
        set_up(host)?;
        apply_settings(&mut shared, host, Some(settings::HostAndGuest { own: &own, guests: &guests }))?;
        guests.enter()?;
        Ok(Some(Arc::new(own)))
    };
    hosts.iter().map(&mut one).collect()
}

fn set_up(host: &HostPlan) -> Result<(), Box<dyn Error>> {
    network::set_up(host).map_err(|error| format!("host {:?}: {error}", host.name).into())
}

/// Makes a host's settings. If the kernel refuses one, writes a [`KernelRefusal`](tailrace_agent::KernelRefusal) as JSON to the
/// console and ends the guest.
fn apply_settings<'a>(
    shared: &mut SharedSettings<'a>,
    host: &'a HostPlan,
    networks: Option<settings::HostAndGuest<'_>>,
) -> Result<(), Box<dyn Error>> {
    let settled = shared.set(host, networks).and_then(|()| settings::check_congestion_controls(host));
    let Err(refusal) = settled else { return Ok(()) };
    #[expect(clippy::print_stderr, reason = "the console is read")]
    {
        eprintln!("\n{REFUSED}{}", serde_json::to_string(&refusal)?);
    }
    Err(refusal.why.into())
}
