//! The first process of a guest.
//!
//! It sees the files of the host, which it cannot write, and its own folder at [`OWN_FOLDER`].
//!
//! Programs run without AVX (`GLIBC_TUNABLES` on the kernel's command line): the registers of that are not kept when the kernel
//! switches between processes, see [`crate::launch`].

use crate::namespace::Namespace;
use crate::{network, programs, raw, sockets};
use rustix::mount::{MountFlags, mount, mount_bind};
use std::error::Error;
use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tailrace_agent::OWN_FOLDER;
use tailrace_agent::plan::{Host, Plan};

/// Does all that the plan says, and waits for the end.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    mount("proc", "/proc", "proc", MountFlags::empty(), None)?;
    mount("sys", "/sys", "sysfs", MountFlags::empty(), None)?;
    mount("dev", "/dev", "devtmpfs", MountFlags::empty(), None)?;
    let plan: Plan = serde_json::from_slice(&fs::read(format!("{OWN_FOLDER}/plan.json"))?)?;
    raw::seed(plan.seed)?;
    name(&plan)?;
    network::give_memory()?;
    let networks = set_up_all(&plan.hosts)?;
    if let Some(control) = &plan.control {
        network::set_up_control(control)?;
        let sockets = sockets::Sockets::open(control, places(&plan.hosts, &networks))?;
        thread::Builder::new().spawn(move || sockets.serve())?;
    }
    for (host, network) in plan.hosts.into_iter().zip(networks) {
        for program in host.programs {
            let network = network.clone();
            thread::Builder::new().spawn(move || programs::run(&program, network.as_deref()))?;
        }
    }
    loop {
        // The first process must not end; nothing is left for it to do.
        thread::sleep(Duration::from_secs(1 << 30));
    }
}

/// Hosts of the scenario have names: a table of them covers that of this machine.
fn name(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let names = plan.names.iter().map(|(name, address)| format!("{address} {name}\n"));
    fs::write("/tmp/hosts", format!("127.0.0.1 localhost\n{}", names.collect::<String>()))?;
    Ok(mount_bind("/tmp/hosts", "/etc/hosts")?)
}

/// The network of each host: one alone has the guest's, several have each their own.
type Networks = Vec<Option<Arc<Namespace>>>;

fn set_up_all(hosts: &[Host]) -> Result<Networks, Box<dyn Error>> {
    if let [host] = hosts {
        set_up(host)?;
        return Ok(vec![None]);
    }
    let guests = Namespace::current()?;
    let one = |host| -> Result<_, Box<dyn Error>> {
        let own = Namespace::enter_new()?;
        guests.enter()?;
        network::hand_over(host, &own)?;
        own.enter()?;
        set_up(host)?;
        guests.enter()?;
        Ok(Some(Arc::new(own)))
    };
    hosts.iter().map(one).collect()
}

/// Where sockets with these addresses are to be made, beside the guest's own network.
fn places(hosts: &[Host], networks: &Networks) -> sockets::Places {
    let of = |(host, network): (&Host, &Option<Arc<Namespace>>)| {
        let network = network.clone();
        let addresses = host.interfaces.iter().map(|interface| interface.address);
        addresses.filter_map(move |address| Some((address, network.clone()?))).collect::<Vec<_>>()
    };
    hosts.iter().zip(networks).flat_map(of).collect()
}

fn set_up(host: &Host) -> Result<(), Box<dyn Error>> {
    let at = |what: &str| format!("host {:?}: {what}", host.name);
    network::set_up(host).map_err(|error| at(&error.to_string()))?;
    for (name, value) in &host.sysctl {
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        fs::write(&path, value).map_err(|error| at(&format!("sysctl {name} = {value}: {error}")))?;
    }
    Ok(())
}
