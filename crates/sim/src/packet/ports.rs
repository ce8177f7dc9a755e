//! Ports of flows: clients take one per connection, in order; servers have one per flow.

use crate::ground::build_error::BuildError;
use std::collections::{BTreeMap, BTreeSet};
use tailrace_net::Address;

/// Ports of a flow's client connections: ascending from the first to the last but one, then wrapping to the lowest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientPorts {
    /// Lowest port.
    low: u16,
    /// Next port to try, as a distance from `low`.
    next: u16,
}

impl ClientPorts {
    /// Lowest port after a wrap, unless the scenario begins lower: those below are left to servers.
    const LOW: u16 = 10_000;

    /// Ports from `first` on.
    pub(crate) fn from(first: u16) -> Self {
        let low = first.min(Self::LOW);
        Self { low, next: first - low }
    }

    /// Number of ports.
    pub(crate) fn count(self) -> u16 {
        u16::MAX - self.low
    }

    /// Port number `n` of those to come, from 0.
    pub(crate) fn ahead(self, n: u16) -> u16 {
        let count = u32::from(self.count());
        self.low + ((u32::from(self.next) + u32::from(n)) % count) as u16
    }

    /// Makes later connections take ports after this one, unless they do already.
    pub(crate) fn skip_past(&mut self, port: u16) {
        let count = u32::from(self.count());
        let after = (u32::from(port.saturating_sub(self.low)) + 1) % count;
        let ahead = (after + count - u32::from(self.next)) % count;
        if ahead < count / 2 {
            self.next = after as u16;
        }
    }
}

/// Assigns server ports: flows between the same two addresses must differ for queues, captures and listeners.
#[derive(Debug, Default)]
pub(crate) struct ServerPorts {
    taken: BTreeSet<(Address, Address, u16)>,
    /// Next port to try, by addresses and the port that the scenario asked for.
    next: BTreeMap<(Address, Address, u16), u16>,
}

impl ServerPorts {
    /// First free port from `first` on, of a server at `server` for a client at `client`.
    pub(crate) fn take(&mut self, client: Address, server: Address, first: u16) -> Result<u16, BuildError> {
        let next = self.next.entry((client, server, first)).or_insert(first);
        for _ in 0..=u16::MAX {
            let port = *next;
            *next = next.wrapping_add(1);
            if port != 0 && self.taken.insert((client, server, port)) {
                return Ok(port);
            }
        }
        let limit = usize::from(u16::MAX);
        Err(BuildError::TooLarge { what: "flows between the same two addresses", found: limit + 1, limit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_ports_ascend_and_wrap() {
        let mut ports = ClientPorts::from(65_533);
        let taken: Vec<_> = (0..4)
            .map(|_| {
                let port = ports.ahead(0);
                ports.skip_past(port);
                port
            })
            .collect();
        assert_eq!(taken, [65_533, 65_534, 10_000, 10_001]);
        assert_eq!(ClientPorts::from(80).ahead(1), 81);
        assert_eq!(ClientPorts::from(80).count(), 65_455);
    }

    #[test]
    fn server_ports_are_unique_per_address_pair() {
        let (a, b) = (Address::from_index(0), Address::from_index(1));
        let mut ports = ServerPorts::default();
        let mut take = |first| ports.take(a, b, first).ok();
        assert_eq!(
            [take(5001), take(5002), take(5001), take(80), take(65_535), take(65_535)],
            [Some(5001), Some(5002), Some(5003), Some(80), Some(65_535), Some(1),]
        );
        let other = ports.take(b, a, 5001).ok();
        assert_eq!(other, Some(5001), "between others nothing is taken");
    }

    #[test]
    fn exhausted_server_ports_are_an_error() {
        let (a, b) = (Address::from_index(0), Address::from_index(1));
        let mut ports = ServerPorts::default();
        assert!((0..65_535).all(|_| ports.take(a, b, 5001).is_ok()));
        let error = ports.take(a, b, 5001).expect_err("all are taken");
        assert!(error.to_string().contains("65535"), "{error}");
    }
}
