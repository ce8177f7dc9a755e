//! In-kernel path manager of Multipath TCP, by generic netlink (family `mptcp_pm`, Linux `include/uapi/linux/mptcp.h`).

use crate::netlink::{Request, Socket, attribute};
use std::error::Error;
use tailrace_agent::plan::{EndpointFlag, HostPlan, MptcpEndpoint, PathManagerLimits};

const AF_INET: u8 = 2;

/// Sets the limits and endpoints that a host asks for.
pub(crate) fn configure(host: &HostPlan) -> Result<(), Box<dyn Error>> {
    let paths = PathManager::open()?;
    if let Some(limits) = host.limits {
        paths.set_limits(limits)?;
    }
    host.endpoints.iter().try_for_each(|endpoint| paths.add_endpoint(endpoint))
}

/// Generic-netlink socket to the path manager, in the network namespace of the thread that opens it.
pub(crate) struct PathManager {
    socket: Socket,
    family: u16,
}

impl PathManager {
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
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

    fn set_limits(&self, limits: PathManagerLimits) -> Result<(), Box<dyn Error>> {
        const SET_LIMITS: u8 = 5;
        const RCV_ADD_ADDRS: u16 = 2;
        const SUBFLOWS: u16 = 3;
        let request = self.request(SET_LIMITS).with(RCV_ADD_ADDRS, &limits.add_addr_accepted.to_ne_bytes());
        self.socket.ask(request.with(SUBFLOWS, &limits.subflows.to_ne_bytes()))?;
        Ok(())
    }

    pub(crate) fn add_endpoint(&self, endpoint: &MptcpEndpoint) -> Result<(), Box<dyn Error>> {
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

    pub(crate) fn remove_endpoint(&self, id: u8) -> Result<(), Box<dyn Error>> {
        const DEL_ADDR: u8 = 2;
        self.socket.ask(self.request(DEL_ADDR).with_nested(ATTR_ADDR, |list| list.with(ADDR_ID, &[id])))?;
        Ok(())
    }
}

const ATTR_ADDR: u16 = 1;
const ADDR_ID: u16 = 2;

/// Address ID for an endpoint that replaces another: one above the largest in use, as the kernel assigns them, never the
/// old ID. The RM_ADDR of the old address may reach a peer after the first packet from the new one, and would otherwise
/// remove the new address there.
pub(crate) fn unused_id(known: &[MptcpEndpoint]) -> u8 {
    let last = known.iter().map(|endpoint| endpoint.id).max().unwrap_or(0);
    let mut next = (last..u8::MAX).map(|id| id + 1).chain(1..=last);
    next.find(|id| known.iter().all(|endpoint| endpoint.id != *id)).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::net::Ipv4Addr;

    #[test]
    fn address_id_of_a_replaced_endpoint_is_unused() {
        let with = |ids: &[u8]| -> Vec<MptcpEndpoint> {
            let endpoint = |id| MptcpEndpoint { id, address: Ipv4Addr::LOCALHOST, flags: vec![] };
            ids.iter().map(|id| endpoint(*id)).collect()
        };
        for (ids, next) in [(&[1, 2][..], 3), (&[7, 2], 8), (&[255, 1, 3], 2), (&[254, 255], 1)] {
            assert_eq!(unused_id(&with(ids)), next, "{ids:?}");
        }
    }
}
