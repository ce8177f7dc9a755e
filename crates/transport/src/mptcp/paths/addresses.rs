//! Addresses of both ends and their ids (RFC 8684 §3.4): no two of an end have the same id.

use crate::mptcp::path_manager::AddressId;
use crate::mptcp::subflow::Tuple;

/// Ids of addresses that come back go around below this one, as fullmesh tells no more apart.
const MAX_ADDRESS_ID: AddressId = 31;

/// An address of this end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAddress {
    pub(crate) id: AddressId,
    pub(crate) address: u32,
    pub(crate) up: bool,
    /// The peer was told that it is gone.
    pub(crate) withdrawn: bool,
    /// The number of its interface, where that is known.
    pub(crate) interface: Option<u8>,
}

/// An address of the peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoteAddress {
    pub(crate) id: AddressId,
    pub(crate) address: u32,
    pub(crate) port: u16,
}

/// The addresses of a connection. Those that it began between have id 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Addresses {
    locals: Vec<LocalAddress>,
    /// The id that was given out last.
    last_id: AddressId,
    remotes: Vec<RemoteAddress>,
    /// Addresses of the peer that it may not have announced.
    known: Vec<RemoteAddress>,
    /// The port that a subflow has taken last.
    last_port: u16,
}

impl Addresses {
    /// The connection begins between those of `tuple`.
    pub(crate) fn new(tuple: &Tuple) -> Self {
        Self {
            locals: vec![LocalAddress {
                id: 0,
                address: tuple.local,
                up: true,
                withdrawn: false,
                interface: None,
            }],
            remotes: vec![RemoteAddress { id: 0, address: tuple.remote, port: tuple.remote_port }],
            last_port: tuple.local_port,
            ..Self::default()
        }
    }

    /// The highest port that subflows have taken so far.
    pub(crate) const fn last_port(&self) -> u16 {
        self.last_port
    }

    /// Addresses and ports of a subflow between two addresses, of which this end's is up.
    pub(crate) fn next_tuple(&mut self, from: &LocalAddress, to: &RemoteAddress) -> Tuple {
        self.last_port = self.last_port.wrapping_add(1).max(1024);
        let (local, remote) = (from.address, to.address);
        Tuple { local, remote, local_port: self.last_port, remote_port: to.port }
    }

    /// The id of this end's address `address`, which gets one if it has none; there are 256.
    pub(crate) fn id_of(&mut self, address: u32) -> Option<AddressId> {
        if let Some(local) = self.locals.iter().find(|l| l.address == address) {
            return Some(local.id);
        }
        let id = (1..=u8::MAX).find(|id| self.is_free(*id))?;
        self.locals.push(LocalAddress { id, address, up: false, withdrawn: false, interface: None });
        self.last_id = id;
        Some(id)
    }

    fn is_free(&self, id: AddressId) -> bool {
        self.locals.iter().all(|l| l.id != id)
    }

    /// This end's address with this id, if it is up.
    pub(crate) fn local(&self, id: AddressId) -> Option<LocalAddress> {
        self.locals.iter().find(|l| l.id == id && l.up).copied()
    }

    /// The id of this end's address `address`, if it is up.
    pub(crate) fn id_of_up(&self, address: u32) -> Option<AddressId> {
        self.locals.iter().find(|l| l.address == address && l.up).map(|l| l.id)
    }

    /// The address with this id is that of interface `number`.
    pub(crate) fn set_interface(&mut self, id: AddressId, number: u8) {
        self.locals.iter_mut().filter(|l| l.id == id).for_each(|l| l.interface = Some(number));
    }

    /// This end's address `address` comes up: as it was, and its id now. One that was withdrawn gets the next free id after
    /// that given out last, if it `renumbers`. None where it was up.
    pub(crate) fn bring_up(&mut self, address: u32, renumbers: bool) -> Option<(LocalAddress, AddressId)> {
        let id = self.id_of(address)?;
        let i = self.locals.iter().position(|l| l.id == id && !l.up)?;
        let old = self.locals[i];
        (self.locals[i].up, self.locals[i].withdrawn) = (true, false);
        if old.withdrawn && renumbers {
            let mut ids = (self.last_id % MAX_ADDRESS_ID + 1..=MAX_ADDRESS_ID).chain(1..=MAX_ADDRESS_ID);
            if let Some(id) = ids.find(|id| self.is_free(*id)) {
                (self.locals[i].id, self.last_id) = (id, id);
            }
        }
        Some((old, self.locals[i].id))
    }

    /// This end's address `address` goes down; its id, if it was up.
    pub(crate) fn take_down(&mut self, address: u32) -> Option<AddressId> {
        let local = self.locals.iter_mut().find(|l| l.address == address && l.up)?;
        local.up = false;
        Some(local.id)
    }

    /// The peer is told that this end's address is gone.
    pub(crate) fn withdraw(&mut self, id: AddressId) {
        self.locals.iter_mut().filter(|l| l.id == id).for_each(|l| l.withdrawn = true);
    }

    /// The peer is not told after all that this end's address is gone.
    pub(crate) fn restore(&mut self, id: AddressId) {
        self.locals.iter_mut().filter(|l| l.id == id).for_each(|l| l.withdrawn = false);
    }

    /// The peer's address that the connection began with.
    pub(crate) fn first_remote(&self) -> RemoteAddress {
        self.remotes[0]
    }

    /// The peer's address with this id.
    pub(crate) fn remote(&self, id: AddressId) -> Option<RemoteAddress> {
        self.remotes.iter().chain(&self.known).find(|r| r.id == id).copied()
    }

    /// The peer has announced an address, perhaps for an id that had another.
    pub(crate) fn learn(&mut self, remote: RemoteAddress) {
        match self.remotes.iter_mut().find(|r| r.id == remote.id) {
            Some(known) => *known = remote,
            None => self.remotes.push(remote),
        }
    }

    /// A subflow has come from an address of the peer: it counts, unless the id has one.
    pub(crate) fn learn_from_join(&mut self, remote: RemoteAddress) {
        if !self.remotes.iter().any(|r| r.id == remote.id) {
            self.remotes.push(remote);
        }
    }

    /// The peer has withdrawn an address. The first is never forgotten.
    pub(crate) fn forget(&mut self, id: AddressId) {
        self.remotes.retain(|r| r.id != id || id == 0);
    }

    /// Addresses of the peer that it may not have announced, in place of those known so far.
    pub(crate) fn set_known(&mut self, remotes: Vec<RemoteAddress>) {
        self.known = remotes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses() -> Addresses {
        Addresses::new(&Tuple { local: 10, remote: 20, local_port: 5000, remote_port: 80 })
    }

    #[test]
    fn an_address_keeps_its_id_while_the_peer_knows_it() {
        let mut a = addresses();
        assert_eq!(
            (a.id_of(10), a.id_of(11), a.id_of(12), a.id_of(11)),
            (Some(0), Some(1), Some(2), Some(1))
        );
        assert!(a.local(1).is_none(), "it is not up yet");
        assert_eq!(a.bring_up(11, true).map(|b| b.1), Some(1));
        assert!(a.bring_up(11, true).is_none(), "it is up");
        assert_eq!((a.take_down(11), a.take_down(11)), (Some(1), None));
        assert_eq!(a.bring_up(11, true).map(|b| b.1), Some(1));
    }

    #[test]
    fn withdrawn_address_comes_back_with_the_next_free_id() {
        let mut a = addresses();
        a.bring_up(11, true);
        a.bring_up(12, true);
        for (renumbers, id) in [(false, 1), (true, 3), (true, 4)] {
            let was = a.take_down(11).unwrap();
            a.withdraw(was);
            assert_eq!(a.bring_up(11, renumbers).map(|b| b.1), Some(id));
        }
        (0..40).for_each(|_| {
            let was = a.take_down(11).unwrap();
            a.withdraw(was);
            let (_, id) = a.bring_up(11, true).unwrap();
            assert!(id != 0 && id != 2 && id <= MAX_ADDRESS_ID, "{id} is free and low");
        });
    }

    #[test]
    fn an_announcement_replaces_an_address_and_a_join_does_not() {
        let mut a = addresses();
        a.learn(RemoteAddress { id: 4, address: 21, port: 80 });
        a.learn_from_join(RemoteAddress { id: 4, address: 22, port: 80 });
        assert_eq!(a.remote(4).map(|r| r.address), Some(21));
        a.learn(RemoteAddress { id: 4, address: 23, port: 80 });
        assert_eq!(a.remote(4).map(|r| r.address), Some(23));
        a.forget(4);
        a.forget(0);
        assert_eq!((a.remote(4).is_none(), a.first_remote().address), (true, 20));
    }

    #[test]
    fn every_subflow_has_a_port_of_its_own() {
        let mut a = addresses();
        let (from, to) = (a.local(0).unwrap(), a.first_remote());
        assert_eq!(a.next_tuple(&from, &to).local_port, 5001);
        a.last_port = u16::MAX;
        assert_eq!(a.next_tuple(&from, &to).local_port, 1024, "the first that is nobody's");
    }
}
