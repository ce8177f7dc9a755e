//! Settings of hosts under `/proc/sys`, and their other requests to the kernel.
//!
//! Most of `net` is there once a namespace; the rest a kernel has only once, for all of its hosts. Such a setting of `net` cannot be
//! written from a namespace of its own: it is done from the guest's.

use crate::namespace::Namespace;
use rustix::io::Errno;
use rustix::net::sockopt::set_tcp_congestion;
use rustix::net::{AddressFamily, SocketType, socket};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use tailrace_agent::plan::HostPlan;
use tailrace_agent::{KernelRefusal, RequestKind};

/// The networks of a host that is one of several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostAndGuest<'a> {
    pub(crate) own: &'a Namespace,
    pub(crate) guests: &'a Namespace,
}

/// Settings that the hosts of a kernel share: who has set each, and to what.
#[derive(Debug, Default)]
pub(crate) struct SharedSettings<'a>(BTreeMap<&'a str, (&'a str, &'a str)>);

impl<'a> SharedSettings<'a> {
    /// Sets what a host asks for. This thread is in its network.
    pub(crate) fn set(
        &mut self,
        host: &'a HostPlan,
        networks: Option<HostAndGuest<'_>>,
    ) -> Result<(), KernelRefusal> {
        for (name, value) in &host.sysctl {
            let refused = |why: String| KernelRefusal {
                host: host.name.clone(),
                of: RequestKind::Setting,
                why,
                word: String::new(),
                others: vec![],
            };
            let is_own = write(name, value, networks).map_err(|error| match error {
                SettingError::Unknown => KernelRefusal {
                    word: name.clone(),
                    others: neighbours(name),
                    ..refused(format!("the kernel has no setting {name}"))
                },
                SettingError::Closed => refused(format!("the kernel does not let {name} be set")),
                SettingError::Unfit => KernelRefusal {
                    word: value.clone(),
                    others: choices(name),
                    ..refused(format!("the kernel does not take {value:?} for {name}"))
                },
                SettingError::Failed(error) => refused(format!("{name} cannot be set: {error}")),
            })?;
            let known = self.0.entry(name).or_insert((&host.name, value));
            if !is_own && known.1 != value {
                let (other, set) = *known;
                let why = format!(
                    "{name} is {value:?}, and {set:?} for {other}: they share one kernel, which has it once"
                );
                return Err(refused(why));
            }
        }
        Ok(())
    }
}

/// Reason why a setting could not be set.
enum SettingError {
    /// There is none of that name.
    Unknown,
    /// It can only be read.
    Closed,
    /// The value is not taken.
    Unfit,
    /// Something else.
    Failed(io::Error),
}

/// Sets it, and says whether the host's network has it for itself.
fn write(name: &str, value: &str, networks: Option<HostAndGuest<'_>>) -> Result<bool, SettingError> {
    match write_here(name, value) {
        Ok(()) => Ok(name.starts_with("net.")),
        Err(unset @ (SettingError::Unknown | SettingError::Closed)) => {
            let Some(HostAndGuest { own, guests }) = networks else { return Err(unset) };
            guests.enter().map_err(SettingError::Failed)?;
            let set = write_here(name, value);
            own.enter().map_err(SettingError::Failed)?;
            set.map(|()| false)
        }
        Err(unset) => Err(unset),
    }
}

fn write_here(name: &str, value: &str) -> Result<(), SettingError> {
    let file = OpenOptions::new().write(true).open(path(name)).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => SettingError::Unknown,
        _ => SettingError::Closed,
    });
    file?.write_all(value.as_bytes()).map_err(|error| {
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::PERM | Errno::ACCESS) => SettingError::Closed,
            // The latter where a name is asked for, as of a congestion control.
            Some(Errno::INVAL | Errno::RANGE | Errno::NOENT) => SettingError::Unfit,
            _ => SettingError::Failed(error),
        }
    })
}

fn path(name: &str) -> PathBuf {
    Path::new("/proc/sys").join(name.replace('.', "/"))
}

/// The names of settings beside one that there is not.
fn neighbours(name: &str) -> Vec<String> {
    let (group, _) = name.rsplit_once('.').unwrap_or_default();
    let entries = path(group).read_dir().into_iter().flatten().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| format!("{group}.{}", entry.file_name().to_string_lossy())).collect()
}

/// Looks whether the kernel has the congestion controls that the host's sockets ask for, before any of them does. This thread is in its
/// network.
pub(crate) fn check_congestion_controls(host: &HostPlan) -> Result<(), KernelRefusal> {
    let refused = |name: &String, why: String| KernelRefusal {
        host: host.name.clone(),
        of: RequestKind::CongestionControl,
        why,
        word: name.clone(),
        others: choices("net.ipv4.tcp_congestion_control"),
    };
    for name in &host.congestion_controls {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None);
        socket.and_then(|socket| set_tcp_congestion(socket, name)).map_err(|error| {
            let why = match error {
                Errno::NOENT => format!("the kernel has no congestion control {name}"),
                error => format!("the kernel does not let sockets have congestion control {name}: {error}"),
            };
            refused(name, why)
        })?;
    }
    Ok(())
}

/// The words that a setting takes, where another one has them: that is so of congestion controls.
fn choices(name: &str) -> Vec<String> {
    let (group, last) = name.rsplit_once('.').unwrap_or_default();
    let known = fs::read_to_string(path(&format!("{group}.{}", last.replacen('_', "_available_", 1))));
    known.unwrap_or_default().split_whitespace().map(str::to_string).collect()
}
