//! Interfaces, addresses and routes of the hosts in a guest: at the start, and when addresses change during the run.
//!
//! Routing is by source address, as in the simulator's hosts: a packet leaves by the interface that has its source address.
//! Each interface has a routing table of its own, and a rule for its address that names the table (ip-rule(8)).

use crate::netlink::{CREATE, Request, Socket};
use crate::path_manager::{self, PathManager};
use core::net::Ipv4Addr;
use rustix::fd::AsFd;
use rustix::net::netdevice::name_to_index;
use rustix::net::{AddressFamily, SocketType, socket};
use std::error::Error;
use std::os::fd::AsRawFd as _;
use std::{fs, io};
use tailrace_agent::messages::{AGENT, SIMULATOR};
use tailrace_agent::plan::{HostPlan, SocketControl};

/// Result of a change to the kernel's network configuration.
pub(crate) type SetupResult = Result<(), Box<dyn Error>>;

const AF_INET: u8 = 2;

/// Brings up the interfaces of a host, with addresses, routes and the settings that all hosts have.
pub(crate) fn set_up(host: &HostPlan) -> SetupResult {
    let socket = Socket::route()?;
    bring_up(&socket, "lo", false)?;
    for (number, interface) in (0_u8..).zip(&host.interfaces) {
        let name = format!("eth{number}");
        // No reverse-path filter: packets to the address of another interface may arrive here.
        fs::write(format!("/proc/sys/net/ipv4/conf/{name}/rp_filter"), "0")?;
        bring_up(&socket, &name, true)?;
        for to in &interface.unreached {
            add_route(&socket, Route { to: Some(*to), by: None }, table_of(number))?;
        }
        assign_address(&socket, host, number)?;
    }
    fs::write("/proc/sys/net/ipv4/conf/all/rp_filter", "0")?;
    // Linux derives these from the size of memory. A host has those of a machine with 1 GiB or more, whatever the memory of
    // its guest.
    fs::write("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456")?;
    fs::write("/proc/sys/net/ipv4/tcp_wmem", "4096 16384 4194304")?;
    // No metrics cached from closed connections (ssthresh, RTT): a connection starts without knowledge of earlier ones.
    fs::write("/proc/sys/net/ipv4/tcp_no_metrics_save", "1")?;
    if host.limits.is_some() || !host.endpoints.is_empty() {
        path_manager::configure(host)?;
    }
    Ok(())
}

/// Replaces addresses of a host's interfaces (`changed`: interface number and new address) in the order of a DHCP client
/// whose lease ends: first all old addresses, with rules, routes and endpoints, then all new ones. An old address sends
/// nothing after its removal, so the path manager's RM_ADDR leaves by the other interfaces.
pub(crate) fn replace_addresses(host: &mut HostPlan, changed: &[(u8, Ipv4Addr)]) -> SetupResult {
    let socket = Socket::route()?;
    for (number, _) in changed {
        remove_address(&socket, host, *number)?;
    }
    let old = |number: u8| host.interfaces[usize::from(number)].address;
    let moves: Vec<_> = changed.iter().map(|(number, new)| (old(*number), *new)).collect();
    let endpoint_of = |address: Ipv4Addr| host.endpoints.iter().position(|e| e.address == address);
    let endpoints: Vec<_> = moves.iter().filter_map(|(old, new)| Some((endpoint_of(*old)?, *new))).collect();
    let paths = if endpoints.is_empty() { None } else { Some(PathManager::open()?) };
    if let Some(paths) = &paths {
        endpoints.iter().try_for_each(|(index, _)| paths.remove_endpoint(host.endpoints[*index].id))?;
    }
    for (number, new) in changed {
        host.interfaces[usize::from(*number)].address = *new;
        assign_address(&socket, host, *number)?;
    }
    for (index, new) in endpoints {
        let id = path_manager::unused_id(&host.endpoints);
        let endpoint = &mut host.endpoints[index];
        (endpoint.id, endpoint.address) = (id, new);
        if let Some(paths) = &paths {
            paths.add_endpoint(endpoint)?;
        }
    }
    Ok(())
}

/// Assigns an interface its address, with the rule of the address and the routes by the interface.
fn assign_address(socket: &Socket, host: &HostPlan, number: u8) -> SetupResult {
    let address = host.interfaces[usize::from(number)].address;
    let index = index_of(&format!("eth{number}"))?;
    add_address(socket, index, (address, address))?;
    let (table, out) = (table_of(number), Route { to: None, by: Some((index, address)) });
    add_route(socket, out, table)?;
    change_rule(socket, address, table, true)?;
    if number == 0 {
        add_route(socket, out, RT_TABLE_MAIN)?;
    }
    for to in newly_reached(host, number.into()) {
        add_route(socket, Route { to: Some(to), ..out }, RT_TABLE_MAIN)?;
    }
    Ok(())
}

/// Removes the address of an interface and its rule. The kernel removes the routes whose preferred source it is.
fn remove_address(socket: &Socket, host: &HostPlan, number: u8) -> SetupResult {
    let address = host.interfaces[usize::from(number)].address;
    change_rule(socket, address, table_of(number), false)?;
    delete_address(socket, index_of(&format!("eth{number}"))?, address)
}

/// Number of an interface's routing table.
fn table_of(number: u8) -> u8 {
    100 + number
}

/// Sets `net.ipv4.tcp_mem` of the guest to the values of a machine with 1 GiB, or less if memory does not suffice. Above
/// the first value send buffers do not grow, above the second receive buffers shrink. The kernel's own values for
/// 128 MiB (`tcp_init_mem`) are too small for one connection over eight paths.
pub(crate) fn set_tcp_mem() -> SetupResult {
    let meminfo = fs::read_to_string("/proc/meminfo")?;
    let total = meminfo.split_whitespace().nth(1).ok_or("/proc/meminfo tells no size")?.parse()?;
    let [low, pressure, high] = tcp_mem_pages(total);
    Ok(fs::write("/proc/sys/net/ipv4/tcp_mem", format!("{low} {pressure} {high}"))?)
}

/// Values of `tcp_mem` (low, pressure, high; pages of 4 KiB) for a guest with `total` KiB. Linux sets pressure to 1/16 of
/// the memory; here it is that of 1 GiB, up to 1/3 of the memory.
fn tcp_mem_pages(total: u64) -> [u64; 3] {
    const PAGE: u64 = 4;
    const PRESSURE_OF_ONE_GIB: u64 = (1 << 20) / PAGE / 16;
    let pressure = (total / PAGE / 3).min(PRESSURE_OF_ONE_GIB);
    [pressure / 4 * 3, pressure, pressure / 4 * 6]
}

/// Brings up the control interface, for the messages between simulator and agent.
pub(crate) fn set_up_control(control: &SocketControl) -> SetupResult {
    let socket = Socket::route()?;
    let index = bring_up(&socket, &format!("eth{}", control.card), true)?;
    add_address(&socket, index, (AGENT, SIMULATOR))
}

/// Moves a host's interfaces from the guest's network namespace into that of the host, named `eth0`, `eth1` and so on.
pub(crate) fn move_interfaces(host: &HostPlan, namespace: impl AsFd) -> SetupResult {
    const IFLA_IFNAME: u16 = 3;
    const IFLA_NET_NS_FD: u16 = 28;
    let socket = Socket::route()?;
    let namespace = namespace.as_fd().as_raw_fd().cast_unsigned();
    for (number, interface) in host.interfaces.iter().enumerate() {
        let index = index_of(&format!("eth{}", interface.card))?;
        let request = Request::new(RTM_NEWLINK, 0, &link_body(index, 0, 0));
        let name = format!("eth{number}\0");
        let request = request.with(IFLA_NET_NS_FD, &namespace.to_ne_bytes());
        socket.ask(request.with(IFLA_IFNAME, name.as_bytes()))?;
    }
    Ok(())
}

const RT_TABLE_MAIN: u8 = 254;
const RTM_NEWLINK: u16 = 16;

/// Index of an interface, in the namespace of the calling thread.
fn index_of(name: &str) -> io::Result<u32> {
    let any = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    Ok(name_to_index(any, name)?)
}

/// Body of `struct ifinfomsg`: family, type, index, flags, mask of the flags to change.
fn link_body(index: u32, flags: u32, change: u32) -> Vec<u8> {
    let mut body = vec![0; 4];
    for word in [index, flags, change] {
        body.extend_from_slice(&word.to_ne_bytes());
    }
    body
}

fn bring_up(socket: &Socket, name: &str, without_arp: bool) -> Result<u32, Box<dyn Error>> {
    const IFLA_TXQLEN: u16 = 13;
    const IFF_UP: u32 = 1;
    const IFF_NOARP: u32 = 0x80;
    let index = index_of(name)?;
    let flags = if without_arp { IFF_UP | IFF_NOARP } else { IFF_UP };
    let body = link_body(index, flags, IFF_UP | IFF_NOARP);
    // Device queue long enough never to drop: packets are dropped in the scenario's queues.
    let request = Request::new(RTM_NEWLINK, 0, &body).with(IFLA_TXQLEN, &10_000_u32.to_ne_bytes());
    socket.ask(request)?;
    Ok(index)
}

/// Adds an address to an interface, and the peer's address of a point-to-point link; without a peer both are the same.
fn add_address(socket: &Socket, index: u32, (own, peer): (Ipv4Addr, Ipv4Addr)) -> SetupResult {
    const RTM_NEWADDR: u16 = 20;
    const IFA_ADDRESS: u16 = 1;
    let request = Request::new(RTM_NEWADDR, CREATE, &address_body(index)).with(IFA_LOCAL, &own.octets());
    socket.ask(request.with(IFA_ADDRESS, &peer.octets()))?;
    Ok(())
}

fn delete_address(socket: &Socket, index: u32, own: Ipv4Addr) -> SetupResult {
    const RTM_DELADDR: u16 = 21;
    socket.ask(Request::new(RTM_DELADDR, 0, &address_body(index)).with(IFA_LOCAL, &own.octets()))?;
    Ok(())
}

const IFA_LOCAL: u16 = 2;

/// Body of `struct ifaddrmsg`: family, prefix length, flags, scope, interface index.
fn address_body(index: u32) -> Vec<u8> {
    let mut body = vec![AF_INET, 32, 0, 0];
    body.extend_from_slice(&index.to_ne_bytes());
    body
}

/// Destinations that this interface reaches and no interface before it does: the main table routes them by this one.
fn newly_reached(host: &HostPlan, number: usize) -> impl Iterator<Item = Ipv4Addr> {
    let (before, rest) = host.interfaces.split_at(number);
    let candidates = before.first().map_or(&[][..], |first| &first.unreached[..]).iter();
    let unreached_here = rest.first().map_or(&[][..], |own| &own.unreached[..]);
    let new =
        |to: &&Ipv4Addr| before.iter().all(|i| i.unreached.contains(to)) && !unreached_here.contains(to);
    candidates.filter(new).copied()
}

/// Route to a host (`to`), or the default route. `by` is the interface index and preferred source; `None` makes the
/// destination unreachable.
#[derive(Clone, Copy)]
struct Route {
    to: Option<Ipv4Addr>,
    by: Option<(u32, Ipv4Addr)>,
}

fn add_route(socket: &Socket, route: Route, table: u8) -> SetupResult {
    const RTM_NEWROUTE: u16 = 24;
    const RTA_DST: u16 = 1;
    const RTA_OIF: u16 = 4;
    const RTA_PREFSRC: u16 = 7;
    const RTPROT_BOOT: u8 = 3;
    const RT_SCOPE_LINK: u8 = 253;
    const RT_SCOPE_UNIVERSE: u8 = 0;
    const RTN_UNICAST: u8 = 1;
    const RTN_UNREACHABLE: u8 = 7;
    // struct rtmsg: family, prefix lengths of destination and source, tos, table, protocol, scope, type, flags.
    let bits = if route.to.is_some() { 32 } else { 0 };
    let (scope, kind) = match route.by {
        Some(_) => (RT_SCOPE_LINK, RTN_UNICAST),
        None => (RT_SCOPE_UNIVERSE, RTN_UNREACHABLE),
    };
    let body = [AF_INET, bits, 0, 0, table, RTPROT_BOOT, scope, kind, 0, 0, 0, 0];
    let mut request = Request::new(RTM_NEWROUTE, CREATE, &body);
    if let Some(to) = route.to {
        request = request.with(RTA_DST, &to.octets());
    }
    if let Some((index, source)) = route.by {
        request = request.with(RTA_OIF, &index.to_ne_bytes()).with(RTA_PREFSRC, &source.octets());
    }
    socket.ask(request)?;
    Ok(())
}

/// Adds (`add`) or deletes the rule that looks up packets with this source address in `table`.
fn change_rule(socket: &Socket, source: Ipv4Addr, table: u8, add: bool) -> SetupResult {
    const RTM_NEWRULE: u16 = 32;
    const RTM_DELRULE: u16 = 33;
    const FRA_SRC: u16 = 2;
    const FRA_PRIORITY: u16 = 6;
    const FR_ACT_TO_TBL: u8 = 1;
    // struct fib_rule_hdr: family, prefix lengths of destination and source, tos, table, two reserved, action, flags.
    let body = [AF_INET, 0, 32, 0, table, 0, 0, FR_ACT_TO_TBL, 0, 0, 0, 0];
    let (kind, flags) = if add { (RTM_NEWRULE, CREATE) } else { (RTM_DELRULE, 0) };
    let request = Request::new(kind, flags, &body).with(FRA_SRC, &source.octets());
    socket.ask(request.with(FRA_PRIORITY, &u32::from(table).to_ne_bytes()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tcp_mem_pressure_is_that_of_one_gib_or_a_third_of_memory() {
        // Values that Linux 6.12 sets with 1 GiB, without the memory that its own code takes.
        assert_eq!(tcp_mem_pages(1 << 20), [12_288, 16_384, 24_576]);
        assert_eq!(tcp_mem_pages(1 << 22), [12_288, 16_384, 24_576]);
        // With 128 MiB, 85088 KiB are left beside the kernel; its own pressure value would be 1329 pages.
        assert_eq!(tcp_mem_pages(85_088), [5316, 7090, 10_632]);
    }
}
