//! Plan of a guest's agent, which reads it when the guest has booted.

use crate::messages::Kind;
use core::fmt;
use core::net::{Ipv4Addr, SocketAddrV4};
use core::str::FromStr;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All hosts of one guest. Times are nanoseconds of the guest's clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Seed of the guest's random numbers.
    pub seed: u64,
    /// The simulation's time zero.
    pub ready: u64,
    /// Names that the hosts know, beside their own system's.
    #[serde(default)]
    pub names: BTreeMap<String, Ipv4Addr>,
    /// Each in a network namespace of its own; one alone is the guest itself.
    pub hosts: Vec<Host>,
    /// Control of the hosts' sockets by the simulator; none where no flow ends there.
    pub control: Option<Control>,
}

/// A host of the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Name in the scenario.
    pub name: String,
    /// Its cards, in the order of its links; they are called `eth0`, `eth1` and so on.
    pub interfaces: Vec<Interface>,
    /// Values under `/proc/sys`, by names as sysctl(8) has them, in the order in which they are set.
    pub sysctl: Vec<(String, String)>,
    /// Congestion controls that its sockets ask for, by their names in Linux.
    #[serde(default)]
    pub congestion_controls: Vec<String>,
    /// Limits of Multipath TCP's path manager.
    pub limits: Option<Limits>,
    /// Addresses that the path manager uses.
    pub endpoints: Vec<Endpoint>,
    /// Programs.
    pub programs: Vec<Program>,
}

/// Sockets that the simulator speaks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// The number of the guest's card by which [messages](crate::messages) come and go.
    pub card: u16,
    /// Where connections are taken.
    pub listeners: Vec<Listener>,
    /// Where datagrams come to and leave from.
    #[serde(default)]
    pub datagrams: Vec<DatagramSocket>,
    /// When connections are looked at.
    pub samples: Samples,
}

/// A socket of datagrams, which is there from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatagramSocket {
    /// Address and port.
    pub at: SocketAddrV4,
    /// `IP_TOS`.
    pub traffic_class: u8,
    /// Whether the simulator wants to hear of each datagram that comes.
    pub is_heard: bool,
}

/// When what the kernel says of connections is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// The first of those at equal intervals.
    pub first: u64,
    /// Nanoseconds; zero for no such.
    pub interval: u64,
    /// The last.
    pub last: u64,
    /// Others, in ascending order: where something begins or ends of which there are results.
    pub others: Vec<u64>,
}

/// Where connections are taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listener {
    /// Address and port.
    pub at: SocketAddrV4,
    /// Kind of the sockets that are accepted.
    pub kind: Kind,
}

/// A network device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// The number of the guest's card.
    pub card: u16,
    /// Its address; routes lead out by the card of the packet's source address, else by the first that reaches the destination.
    pub address: Ipv4Addr,
    /// Others that it is [told to have](crate::messages::Word::Addresses) in the course of the run.
    #[serde(default)]
    pub later: Vec<Ipv4Addr>,
    /// Addresses of other hosts to which there is no route from here.
    #[serde(default)]
    pub unreached: Vec<Ipv4Addr>,
}

/// `ip mptcp limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Most subflows beside the first.
    pub subflows: u32,
    /// Most addresses of the peer that are taken up.
    pub add_addr_accepted: u32,
}

/// `ip mptcp endpoint add`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The number by which kernel and peers know it.
    pub id: u8,
    /// The address.
    pub address: Ipv4Addr,
    /// Flags of its use.
    pub flags: Vec<EndpointFlag>,
}

/// Flag of an endpoint's use (ip-mptcp(8)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointFlag {
    /// It is announced to peers.
    Signal,
    /// Subflows start from it.
    Subflow,
    /// Its subflows are backups.
    Backup,
    /// From it to every address of the peer.
    Fullmesh,
}

/// A command that the shell runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// When.
    pub at: u64,
    /// Command line for the shell.
    pub command: String,
    /// The file for its output, in the guest's folder.
    pub output: String,
}

/// Exit code of a program, and the time of its end: two words of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code.
    pub code: i32,
    /// When.
    pub at: u64,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.at)
    }
}

impl FromStr for Ended {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (code, at) = text.trim().split_once(' ').ok_or(())?;
        Ok(Self { code: code.parse().map_err(drop)?, at: at.parse().map_err(drop)? })
    }
}

/// The file that says how the program with that output has ended.
#[must_use]
pub fn exit_name(output: &str) -> String {
    format!("{output}.exit")
}
