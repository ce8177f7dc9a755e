//! The first process of a guest.
//!
//! It sees the files of the host, which it cannot write, and its own folder at [`OWN_FOLDER`].
//!
//! Programs run without AVX (`GLIBC_TUNABLES` on the kernel's command line): the registers of that are not kept when the kernel
//! switches between processes, see [`crate::launch`].

use crate::addresses::Addresses;
use crate::namespace::Namespace;
use crate::settings::{self, SharedSettings};
use crate::{network, programs, raw, sockets};
use rustix::mount::{MountFlags, mount, mount_bind};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tailrace_agent::plan::{GuestPlan, HostPlan};
use tailrace_agent::{OWN_FOLDER, REFUSED};

/// Does all that the plan says, and waits for the end.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    mount("proc", "/proc", "proc", MountFlags::empty(), None)?;
    mount("sys", "/sys", "sysfs", MountFlags::empty(), None)?;
    mount("dev", "/dev", "devtmpfs", MountFlags::empty(), None)?;
    let plan: GuestPlan = serde_json::from_slice(&fs::read(format!("{OWN_FOLDER}/plan.json"))?)?;
    raw::seed(plan.seed)?;
    name(&plan)?;
    network::set_tcp_mem()?;
    let networks = set_up_all(&plan.hosts)?;
    if let Some(control) = &plan.control {
        network::set_up_control(control)?;
        let addresses = Addresses::new(plan.hosts.iter().zip(&networks));
        let sockets = sockets::Sockets::open(control, addresses)?;
        thread::Builder::new().spawn(move || sockets.serve())?;
    }
    for (host, network) in plan.hosts.into_iter().zip(networks) {
        let place = programs::ProgramContext { hostname: hostname(&host), network };
        for program in host.programs {
            let place = place.clone();
            thread::Builder::new().spawn(move || programs::run(&program, &place))?;
        }
    }
    loop {
        // The first process must not end; nothing is left for it to do.
        thread::sleep(Duration::from_secs(1 << 30));
    }
}

/// Hosts of the scenario have names: a table of them covers that of this machine.
fn name(plan: &GuestPlan) -> Result<(), Box<dyn Error>> {
    let names = plan.names.iter().map(|(name, address)| {
        let plain = Some(plain(name)).filter(|plain| !plan.names.contains_key(plain));
        format!("{address} {name} {}\n", plain.unwrap_or_default())
    });
    replace("hosts", &format!("127.0.0.1 localhost\n{}", names.collect::<String>()))?;
    // This machine's name servers are not in the network, and who asks them waits for 10 s: `getent hosts` does, for IPv6. Without
    // any, hosts ask themselves, and hear at once that nobody is there.
    if Path::new("/etc/resolv.conf").exists() {
        replace("resolv.conf", "")?;
    }
    Ok(())
}

/// Lets a file of `/etc`, which cannot be written, be another.
fn replace(name: &str, contents: &str) -> Result<(), Box<dyn Error>> {
    let other = format!("/tmp/{name}");
    fs::write(&other, contents)?;
    Ok(mount_bind(other, format!("/etc/{name}"))?)
}

/// The name of one of several hosts without its brackets, which have a meaning of their own in addresses: `web1` for `web[1]`.
fn plain(name: &str) -> String {
    name.replace(['[', ']'], "")
}

/// Host name of a host, unless its settings say otherwise.
fn hostname(host: &HostPlan) -> String {
    let set = host.sysctl.iter().rfind(|(name, _)| name == "kernel.hostname");
    set.map_or_else(|| plain(&host.name), |(_, name)| name.clone())
}

/// The network of each host: one alone has the guest's, several have each their own.
type Networks = Vec<Option<Arc<Namespace>>>;

fn set_up_all(hosts: &[HostPlan]) -> Result<Networks, Box<dyn Error>> {
    let mut shared = SharedSettings::default();
    if let [host] = hosts {
        set_up(host)?;
        settle(&mut shared, host, None)?;
        return Ok(vec![None]);
    }
    let guests = Namespace::current()?;
    let mut one = |host| -> Result<_, Box<dyn Error>> {
        let own = Namespace::create_and_enter()?;
        guests.enter()?;
        network::move_interfaces(host, &own)?;
        own.enter()?;
        set_up(host)?;
        settle(&mut shared, host, Some(settings::HostAndGuest { own: &own, guests: &guests }))?;
        guests.enter()?;
        Ok(Some(Arc::new(own)))
    };
    hosts.iter().map(&mut one).collect()
}

fn set_up(host: &HostPlan) -> Result<(), Box<dyn Error>> {
    network::set_up(host).map_err(|error| format!("host {:?}: {error}", host.name).into())
}

/// Sets what a host asks for. A kernel that does not take it ends here, and the console says so in words for programs.
fn settle<'a>(
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
