//! Plan of a guest, which its agent reads and executes after the boot.

use crate::messages::SocketKind;
use core::fmt;
use core::net::{Ipv4Addr, SocketAddrV4};
use core::str::FromStr;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Plan of one guest with all its hosts. Times are nanoseconds of the guest's clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestPlan {
    /// Seed of the guest's random numbers.
    pub seed: u64,
    /// Time of the guest's clock at which simulated time is zero.
    pub ready: u64,
    /// Entries of `/etc/hosts`.
    #[serde(default)]
    pub names: BTreeMap<String, Ipv4Addr>,
    /// Files and folders of the machine below the folder that the guest has of its own ([`HIDDEN_FOLDER`](crate::visible::HIDDEN_FOLDER)).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<PathBuf>,
    /// Hosts, each in its own network namespace; a single host is in the guest's.
    pub hosts: Vec<HostPlan>,
    /// Sockets that the simulator controls; `None` if no flow ends at these hosts.
    pub control: Option<SocketControl>,
}

/// A host of the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostPlan {
    /// Name in the scenario.
    pub name: String,
    /// Interfaces in the order of the host's links: `eth0`, `eth1` and so on.
    pub interfaces: Vec<Interface>,
    /// Settings under `/proc/sys` by sysctl(8) names, in the order in which they are set.
    pub sysctl: Vec<(String, String)>,
    /// Congestion controls that the host's flows need, by their names in Linux.
    #[serde(default)]
    pub congestion_controls: Vec<String>,
    /// Limits of Multipath TCP's path manager.
    pub limits: Option<PathManagerLimits>,
    /// Addresses that the path manager uses.
    pub endpoints: Vec<MptcpEndpoint>,
    /// Programs.
    pub programs: Vec<Program>,
}

/// Sockets of flows, controlled by the simulator, and the schedule of their samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketControl {
    /// Number of the network device that carries the [messages](crate::messages).
    pub card: u16,
    /// Listening sockets.
    pub listeners: Vec<Listener>,
    /// UDP sockets.
    #[serde(default)]
    pub datagrams: Vec<DatagramSocket>,
    /// Times at which `tcp_info` of all connections is reported.
    pub samples: SampleSchedule,
}

/// UDP socket, open from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatagramSocket {
    /// Address and port.
    pub at: SocketAddrV4,
    /// `IP_TOS`.
    pub traffic_class: u8,
    /// Whether each received datagram is reported.
    pub is_heard: bool,
}

/// Times at which `tcp_info` of all connections is reported: a periodic series and single times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSchedule {
    /// First periodic sample.
    pub first: u64,
    /// Sampling interval, nanoseconds; zero: no periodic samples.
    pub interval: u64,
    /// Last sample, at the end of the run.
    pub last: u64,
    /// Single samples, ascending: ends of warm-up and of measurement windows.
    pub others: Vec<u64>,
}

/// Listening socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listener {
    /// Address and port.
    pub at: SocketAddrV4,
    /// Options of accepted sockets.
    pub kind: SocketKind,
}

/// A network device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// Number of the guest's network device.
    pub card: u16,
    /// Address at the start. A packet leaves by the interface of its source address, or without one by the first interface that
    /// reaches the destination.
    pub address: Ipv4Addr,
    /// Addresses that [`ControlMessage::Addresses`](crate::messages::ControlMessage::Addresses) assigns during the run.
    #[serde(default)]
    pub later: Vec<Ipv4Addr>,
    /// Addresses of other hosts to which there is no route from here.
    #[serde(default)]
    pub unreached: Vec<Ipv4Addr>,
}

/// `ip mptcp limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathManagerLimits {
    /// Largest number of subflows beyond the first.
    pub subflows: u32,
    /// Largest number of the peer's ADD_ADDR accepted.
    pub add_addr_accepted: u32,
}

/// `ip mptcp endpoint add`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MptcpEndpoint {
    /// Address ID (RFC 8684 §3.4.1).
    pub id: u8,
    /// Address.
    pub address: Ipv4Addr,
    /// Flags of its use.
    pub flags: Vec<EndpointFlag>,
}

/// Flag of an endpoint (ip-mptcp(8)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointFlag {
    /// Announced to peers by ADD_ADDR.
    Signal,
    /// Source of additional subflows.
    Subflow,
    /// Subflows of it have the backup flag.
    Backup,
    /// Subflows from it to every address of the peer.
    Fullmesh,
}

/// Program: a command that the shell runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Start.
    pub at: u64,
    /// Command line for the shell.
    pub command: String,
    /// The file for its output, in the guest's folder.
    pub output: String,
}

/// Exit code of a program and time of its end, as the text `CODE TIME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramExit {
    /// Exit code.
    pub code: i32,
    /// Time of the end.
    pub at: u64,
}

impl fmt::Display for ProgramExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.at)
    }
}

impl FromStr for ProgramExit {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (code, at) = text.trim().split_once(' ').ok_or(())?;
        Ok(Self { code: code.parse().map_err(drop)?, at: at.parse().map_err(drop)? })
    }
}

/// Name of the file with the [`ProgramExit`] of the program whose output file is `output`.
#[must_use]
pub fn exit_name(output: &str) -> String {
    format!("{output}.exit")
}
