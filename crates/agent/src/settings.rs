//! Settings of hosts under `/proc/sys`, and the check of the congestion controls that they need.
//!
//! Most settings under `net` are per network namespace; all others are global, shared by the hosts of a kernel. Global settings
//! under `net` can be written from the guest's initial namespace only.

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

/// Namespaces of a host that shares its kernel: its own, and the guest's initial one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostAndGuest<'a> {
    pub(crate) own: &'a Namespace,
    pub(crate) guests: &'a Namespace,
}

/// Settings made so far: first host that set each, and its value. Hosts of a kernel may not disagree on global settings.
#[derive(Debug, Default)]
pub(crate) struct SharedSettings<'a>(BTreeMap<&'a str, (&'a str, &'a str)>);

impl<'a> SharedSettings<'a> {
    /// Makes the settings of a host. The calling thread must be in its namespace.
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
                    others: settings_beside(name),
                    ..refused(format!("the kernel has no setting {name}"))
                },
                SettingError::ReadOnly => refused(format!("the kernel does not let {name} be set")),
                SettingError::InvalidValue => KernelRefusal {
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
    /// No setting of this name.
    Unknown,
    /// Read-only.
    ReadOnly,
    /// Value refused.
    InvalidValue,
    /// Other errors.
    Failed(io::Error),
}

/// Writes a setting; returns whether it is per namespace.
fn write(name: &str, value: &str, networks: Option<HostAndGuest<'_>>) -> Result<bool, SettingError> {
    match write_here(name, value) {
        Ok(()) => Ok(name.starts_with("net.")),
        Err(unset @ (SettingError::Unknown | SettingError::ReadOnly)) => {
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
        _ => SettingError::ReadOnly,
    });
    file?.write_all(value.as_bytes()).map_err(|error| {
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::PERM | Errno::ACCESS) => SettingError::ReadOnly,
            // ENOENT for unknown names, as of a congestion control.
            Some(Errno::INVAL | Errno::RANGE | Errno::NOENT) => SettingError::InvalidValue,
            _ => SettingError::Failed(error),
        }
    })
}

fn path(name: &str) -> PathBuf {
    Path::new("/proc/sys").join(name.replace('.', "/"))
}

/// Names of the existing settings in the group of an unknown one.
fn settings_beside(name: &str) -> Vec<String> {
    let (group, _) = name.rsplit_once('.').unwrap_or_default();
    let entries = path(group).read_dir().into_iter().flatten().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| format!("{group}.{}", entry.file_name().to_string_lossy())).collect()
}

/// Checks before the run that the kernel has the congestion controls of the host's flows. The calling thread must be in the
/// host's namespace.
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

/// Values that a setting accepts, from its `_available_` counterpart (`tcp_available_congestion_control`); empty without one.
fn choices(name: &str) -> Vec<String> {
    let (group, last) = name.rsplit_once('.').unwrap_or_default();
    let known = fs::read_to_string(path(&format!("{group}.{}", last.replacen('_', "_available_", 1))));
    known.unwrap_or_default().split_whitespace().map(str::to_string).collect()
}
