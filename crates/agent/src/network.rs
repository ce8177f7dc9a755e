//! Cards, addresses and routes of a guest's host, as they are at the beginning and as addresses change.
//!
//! A host with several cards sends by the card whose address a packet has as its source, as the simulator's hosts do: a routing
//! table for each card, and a rule for each address.

use crate::netlink::{CREATE, Request, Socket, attribute};
use core::net::Ipv4Addr;
use rustix::fd::AsFd;
use rustix::net::netdevice::name_to_index;
use rustix::net::{AddressFamily, SocketType, socket};
use std::error::Error;
use std::os::fd::AsRawFd as _;
use std::{fs, io};
use tailrace_agent::messages::{AGENT, SIMULATOR};
use tailrace_agent::plan::{Control, Endpoint, EndpointFlag, Host, Limits};

/// Whether something was done.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

const AF_INET: u8 = 2;

/// Brings a host's network up.
pub(crate) fn set_up(host: &Host) -> Outcome {
    let socket = Socket::route()?;
    bring_up(&socket, "lo", false)?;
    for (number, interface) in (0_u8..).zip(&host.interfaces) {
        let name = format!("eth{number}");
        // A packet of another card's address may arrive here.
        fs::write(format!("/proc/sys/net/ipv4/conf/{name}/rp_filter"), "0")?;
        bring_up(&socket, &name, true)?;
        for to in &interface.unreached {
            add_route(&socket, Route { to: Some(*to), by: None }, table_of(number))?;
        }
        take_address(&socket, host, number)?;
    }
    fs::write("/proc/sys/net/ipv4/conf/all/rp_filter", "0")?;
    // Linux gives a machine with little memory small buffers; a host's are those of a machine with 1 GiB or more, whatever its
    // kernel has to live in.
    fs::write("/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456")?;
    fs::write("/proc/sys/net/ipv4/tcp_wmem", "4096 16384 4194304")?;
    // No metrics are kept from one connection to the next: every run begins anew.
    fs::write("/proc/sys/net/ipv4/tcp_no_metrics_save", "1")?;
    if host.limits.is_some() || !host.endpoints.is_empty() {
        manage_paths(host)?;
    }
    Ok(())
}

/// Gives a card of a host other addresses, or several at once: what had to do with the old ones goes before anything comes of the
/// new, as if a program had been told of them by a lease's end. Nothing leaves from an address that is gone, so those of the path
/// manager can only be withdrawn by other cards. `changed` are numbers of the host's interfaces.
pub(crate) fn readdress(host: &mut Host, changed: &[(u8, Ipv4Addr)]) -> Outcome {
    let socket = Socket::route()?;
    for (number, _) in changed {
        drop_address(&socket, host, *number)?;
    }
    let old = |number: u8| host.interfaces[usize::from(number)].address;
    let moves: Vec<_> = changed.iter().map(|(number, new)| (old(*number), *new)).collect();
    let place = |address: Ipv4Addr| host.endpoints.iter().position(|e| e.address == address);
    let endpoints: Vec<_> = moves.iter().filter_map(|(old, new)| Some((place(*old)?, *new))).collect();
    let paths = if endpoints.is_empty() { None } else { Some(PathManager::of_kernel()?) };
    if let Some(paths) = &paths {
        endpoints.iter().try_for_each(|(place, _)| paths.remove_endpoint(host.endpoints[*place].id))?;
    }
    for (number, new) in changed {
        host.interfaces[usize::from(*number)].address = *new;
        take_address(&socket, host, *number)?;
    }
    for (place, new) in endpoints {
        let id = fresh(&host.endpoints);
        let endpoint = &mut host.endpoints[place];
        (endpoint.id, endpoint.address) = (id, new);
        if let Some(paths) = &paths {
            paths.add_endpoint(endpoint)?;
        }
    }
    Ok(())
}

/// A number for an endpoint that takes the place of another, as the kernel counts on where it is given none: the word that the old
/// one is gone may come to a peer after the first packet from the new one, and would be taken for the new one's.
fn fresh(known: &[Endpoint]) -> u8 {
    let last = known.iter().map(|endpoint| endpoint.id).max().unwrap_or(0);
    let mut next = (last..u8::MAX).map(|id| id + 1).chain(1..=last);
    next.find(|id| known.iter().all(|endpoint| endpoint.id != *id)).unwrap_or(last)
}

/// Gives an interface its address, and what leads out by it.
fn take_address(socket: &Socket, host: &Host, number: u8) -> Outcome {
    let address = host.interfaces[usize::from(number)].address;
    let index = index_of(&format!("eth{number}"))?;
    add_address(socket, index, (address, address))?;
    let (table, out) = (table_of(number), Route { to: None, by: Some((index, address)) });
    add_route(socket, out, table)?;
    change_rule(socket, address, table, true)?;
    if number == 0 {
        add_route(socket, out, MAIN)?;
    }
    for to in first_reached(host, number.into()) {
        add_route(socket, Route { to: Some(to), ..out }, MAIN)?;
    }
    Ok(())
}

/// Takes an interface's address away, and with it all routes that say to leave from it: the kernel does that.
fn drop_address(socket: &Socket, host: &Host, number: u8) -> Outcome {
    let address = host.interfaces[usize::from(number)].address;
    change_rule(socket, address, table_of(number), false)?;
    delete_address(socket, index_of(&format!("eth{number}"))?, address)
}

/// The routing table of an interface.
fn table_of(number: u8) -> u8 {
    100 + number
}

/// Lets the sockets of all hosts together have the memory that they have on a machine with 1 GiB, as far as a guest has it: past the
/// first of three bounds send buffers no longer grow, past the second receive buffers shrink (`tcp_init_mem`). By itself a guest
/// with 128 MiB has too little for one connection over eight paths.
pub(crate) fn give_memory() -> Outcome {
    let known = fs::read_to_string("/proc/meminfo")?;
    let total = known.split_whitespace().nth(1).ok_or("/proc/meminfo tells no size")?.parse()?;
    let [low, pressure, high] = socket_memory(total);
    Ok(fs::write("/proc/sys/net/ipv4/tcp_mem", format!("{low} {pressure} {high}"))?)
}

/// In pages, where a guest has so many KiB: Linux takes a sixteenth of the memory for the second bound, here it may be a third.
fn socket_memory(total: u64) -> [u64; 3] {
    const PAGE: u64 = 4;
    const OF_ONE_GIB: u64 = (1 << 20) / PAGE / 16;
    let pressure = (total / PAGE / 3).min(OF_ONE_GIB);
    [pressure / 4 * 3, pressure, pressure / 4 * 6]
}

/// Brings up the card by which the simulator speaks to the agent.
pub(crate) fn set_up_control(control: &Control) -> Outcome {
    let socket = Socket::route()?;
    let index = bring_up(&socket, &format!("eth{}", control.card), true)?;
    add_address(&socket, index, (AGENT, SIMULATOR))
}

/// Gives a host's cards to its namespace, where they have the names that a host's cards have.
pub(crate) fn hand_over(host: &Host, namespace: impl AsFd) -> Outcome {
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

const MAIN: u8 = 254;
const RTM_NEWLINK: u16 = 16;

/// Index of an interface, in the namespace of the calling thread.
fn index_of(name: &str) -> io::Result<u32> {
    let any = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    Ok(name_to_index(any, name)?)
}

/// `struct ifinfomsg`: family, type, index, flags, which of them change.
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
    // The queue that drops is the scenario's, not the card's.
    let request = Request::new(RTM_NEWLINK, 0, &body).with(IFLA_TXQLEN, &10_000_u32.to_ne_bytes());
    socket.ask(request)?;
    Ok(index)
}

/// An address, and that of the neighbour at the other end, which may be the same for none.
fn add_address(socket: &Socket, index: u32, (own, neighbour): (Ipv4Addr, Ipv4Addr)) -> Outcome {
    const RTM_NEWADDR: u16 = 20;
    const IFA_ADDRESS: u16 = 1;
    let request = Request::new(RTM_NEWADDR, CREATE, &address_body(index)).with(IFA_LOCAL, &own.octets());
    socket.ask(request.with(IFA_ADDRESS, &neighbour.octets()))?;
    Ok(())
}

fn delete_address(socket: &Socket, index: u32, own: Ipv4Addr) -> Outcome {
    const RTM_DELADDR: u16 = 21;
    socket.ask(Request::new(RTM_DELADDR, 0, &address_body(index)).with(IFA_LOCAL, &own.octets()))?;
    Ok(())
}

const IFA_LOCAL: u16 = 2;

/// `struct ifaddrmsg`: family, length of the prefix, flags, scope, interface.
fn address_body(index: u32) -> Vec<u8> {
    let mut body = vec![AF_INET, 32, 0, 0];
    body.extend_from_slice(&index.to_ne_bytes());
    body
}

/// The addresses that the host's first interface does not reach, nor any other before this one.
fn first_reached(host: &Host, number: usize) -> impl Iterator<Item = Ipv4Addr> {
    let (before, rest) = host.interfaces.split_at(number);
    let candidates = before.first().map_or(&[][..], |first| &first.unreached[..]).iter();
    let not_here = rest.first().map_or(&[][..], |own| &own.unreached[..]);
    let new = |to: &&Ipv4Addr| before.iter().all(|i| i.unreached.contains(to)) && !not_here.contains(to);
    candidates.filter(new).copied()
}

/// A route to a host, or to all; by a card and with a source address, or to nowhere.
#[derive(Clone, Copy)]
struct Route {
    to: Option<Ipv4Addr>,
    by: Option<(u32, Ipv4Addr)>,
}

fn add_route(socket: &Socket, route: Route, table: u8) -> Outcome {
    const RTM_NEWROUTE: u16 = 24;
    const RTA_DST: u16 = 1;
    const RTA_OIF: u16 = 4;
    const RTA_PREFSRC: u16 = 7;
    const RTPROT_BOOT: u8 = 3;
    const RT_SCOPE_LINK: u8 = 253;
    const RT_SCOPE_UNIVERSE: u8 = 0;
    const RTN_UNICAST: u8 = 1;
    const RTN_UNREACHABLE: u8 = 7;
    // struct rtmsg: family, lengths of prefixes, tos, table, protocol, scope, type, flags.
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

/// Adds or removes the rule that routes packets with this source address by that table.
fn change_rule(socket: &Socket, source: Ipv4Addr, table: u8, there: bool) -> Outcome {
    const RTM_NEWRULE: u16 = 32;
    const RTM_DELRULE: u16 = 33;
    const FRA_SRC: u16 = 2;
    const FRA_PRIORITY: u16 = 6;
    const FR_ACT_TO_TBL: u8 = 1;
    // struct fib_rule_hdr: family, lengths of prefixes, tos, table, two of no meaning, action, flags.
    let body = [AF_INET, 0, 32, 0, table, 0, 0, FR_ACT_TO_TBL, 0, 0, 0, 0];
    let (kind, flags) = if there { (RTM_NEWRULE, CREATE) } else { (RTM_DELRULE, 0) };
    let request = Request::new(kind, flags, &body).with(FRA_SRC, &source.octets());
    socket.ask(request.with(FRA_PRIORITY, &u32::from(table).to_ne_bytes()))?;
    Ok(())
}

/// Settings of Multipath TCP's path manager.
fn manage_paths(host: &Host) -> Outcome {
    let paths = PathManager::of_kernel()?;
    if let Some(limits) = host.limits {
        paths.set_limits(limits)?;
    }
    host.endpoints.iter().try_for_each(|endpoint| paths.add_endpoint(endpoint))
}

/// The kernel's path manager of Multipath TCP (Linux, `include/uapi/linux/mptcp.h`), in the namespace of the thread that asks.
struct PathManager {
    socket: Socket,
    family: u16,
}

impl PathManager {
    fn of_kernel() -> Result<Self, Box<dyn Error>> {
        const GENL_ID_CTRL: u16 = 16;
        const CTRL_CMD_GETFAMILY: u8 = 3;
        const CTRL_ATTR_FAMILY_ID: u16 = 1;
        const CTRL_ATTR_FAMILY_NAME: u16 = 2;
        let socket = Socket::generic()?;
        let request = Request::new(GENL_ID_CTRL, 0, &[CTRL_CMD_GETFAMILY, 1, 0, 0]);
        let answer = socket.ask(request.with(CTRL_ATTR_FAMILY_NAME, b"mptcp_pm\0"))?;
        let id = answer.get(4..).and_then(|list| attribute(list, CTRL_ATTR_FAMILY_ID));
        let id = id.and_then(|id| id.first_chunk()).ok_or("the kernel has no Multipath TCP")?;
        Ok(Self { socket, family: u16::from_ne_bytes(*id) })
    }

    fn request(&self, command: u8) -> Request {
        Request::new(self.family, 0, &[command, 1, 0, 0])
    }

    fn set_limits(&self, limits: Limits) -> Outcome {
        const SET_LIMITS: u8 = 5;
        const RCV_ADD_ADDRS: u16 = 2;
        const SUBFLOWS: u16 = 3;
        let request = self.request(SET_LIMITS).with(RCV_ADD_ADDRS, &limits.add_addr_accepted.to_ne_bytes());
        self.socket.ask(request.with(SUBFLOWS, &limits.subflows.to_ne_bytes()))?;
        Ok(())
    }

    fn add_endpoint(&self, endpoint: &Endpoint) -> Outcome {
        const ADD_ADDR: u8 = 1;
        const ADDR_FAMILY: u16 = 1;
        const ADDR_ADDR4: u16 = 3;
        const ADDR_FLAGS: u16 = 6;
        let flag = |flag: &EndpointFlag| match flag {
            EndpointFlag::Signal => 1,
            EndpointFlag::Subflow => 2,
            EndpointFlag::Backup => 4,
            EndpointFlag::Fullmesh => 8_u32,
        };
        let flags = endpoint.flags.iter().map(flag).fold(0, |all, one| all | one);
        self.socket.ask(self.request(ADD_ADDR).with_nested(ATTR_ADDR, |list| {
            list.with(ADDR_FAMILY, &u16::from(AF_INET).to_ne_bytes())
                .with(ADDR_ID, &[endpoint.id])
                .with(ADDR_ADDR4, &endpoint.address.octets())
                .with(ADDR_FLAGS, &flags.to_ne_bytes())
        }))?;
        Ok(())
    }

    fn remove_endpoint(&self, id: u8) -> Outcome {
        const DEL_ADDR: u8 = 2;
        self.socket.ask(self.request(DEL_ADDR).with_nested(ATTR_ADDR, |list| list.with(ADDR_ID, &[id])))?;
        Ok(())
    }
}

const ATTR_ADDR: u16 = 1;
const ADDR_ID: u16 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_have_the_memory_of_a_machine_with_one_gib_or_a_third_of_the_guests() {
        // Values of Linux 6.12 itself, apart from the memory that its own code takes.
        assert_eq!(socket_memory(1 << 20), [12_288, 16_384, 24_576]);
        assert_eq!(socket_memory(1 << 22), [12_288, 16_384, 24_576]);
        // With 128 MiB the kernel has 85088 KiB left, of which it would let sockets have 1329 pages.
        assert_eq!(socket_memory(85_088), [5316, 7090, 10_632]);
    }

    #[test]
    fn an_endpoint_in_place_of_another_has_a_number_that_none_of_them_had_lately() {
        let with = |ids: &[u8]| -> Vec<Endpoint> {
            let endpoint = |id| Endpoint { id, address: Ipv4Addr::LOCALHOST, flags: vec![] };
            ids.iter().map(|id| endpoint(*id)).collect()
        };
        for (ids, next) in [(&[1, 2][..], 3), (&[7, 2], 8), (&[255, 1, 3], 2), (&[254, 255], 1)] {
            assert_eq!(fresh(&with(ids)), next, "{ids:?}");
        }
    }
}
