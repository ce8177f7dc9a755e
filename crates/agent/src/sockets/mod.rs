//! Sockets of the scenario's flows: the simulator orders what its applications do, the agent reports what happens.

mod connection;
mod datagrams;
mod listener;
mod mailbox;
mod sample_timer;
mod tcp_info;

use crate::addresses::Addresses;
use connection::{Connection, Progress, Readiness};
use datagrams::Datagrams;
use listener::listen;
use mailbox::Mailbox;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, bind, connect, recv, send, socket};
use sample_timer::SampleTimer;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use tailrace_agent::mailbox::Delivery;
use tailrace_agent::messages::{
    AGENT, ControlMessage, MOST_BYTES, PORT, SIMULATOR, SocketCommand, SocketEvent, SocketKind,
    SocketOperation, SocketPair, SocketReport,
};
use tailrace_agent::plan::SocketControl;

/// Epoll tokens of the control socket and of the sample timer; sockets have their numbers.
const CONTROL: u64 = 0;
const SAMPLE: u64 = 1;

/// Socket behind an epoll token.
#[derive(Debug)]
enum TokenOwner {
    Listener(OwnedFd, SocketKind),
    Connection(Box<Connection>),
    Datagrams(Box<Datagrams>),
}

/// Sockets of all flows that end in this guest.
#[derive(Debug)]
pub(crate) struct Sockets {
    addresses: Addresses,
    control: OwnedFd,
    epoll: OwnedFd,
    samples: SampleTimer,
    holders: BTreeMap<u64, TokenOwner>,
    numbers: BTreeMap<SocketPair, u64>,
    datagrams: BTreeMap<SocketAddrV4, u64>,
    last: u64,
    events: VecDeque<SocketEvent>,
    /// Mailbox of deliveries; `None` if its physical address is unknown.
    mailbox: Option<Mailbox>,
}

impl Sockets {
    /// Opens the control socket, the listeners and the datagram sockets of the plan.
    pub(crate) fn open(plan: &SocketControl, addresses: Addresses) -> io::Result<Self> {
        let control = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
        bind(&control, &SocketAddrV4::new(AGENT, PORT))?;
        connect(&control, &SocketAddrV4::new(SIMULATOR, PORT))?;
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &control, EventData::new_u64(CONTROL), EventFlags::IN)?;
        let samples = SampleTimer::new(&plan.samples)?;
        epoll::add(&epoll, &samples, EventData::new_u64(SAMPLE), EventFlags::IN)?;
        let mut all = Self {
            addresses,
            control,
            epoll,
            samples,
            holders: BTreeMap::new(),
            numbers: BTreeMap::new(),
            datagrams: BTreeMap::new(),
            last: SAMPLE,
            events: VecDeque::new(),
            mailbox: Mailbox::open().ok(),
        };
        for listener in &plan.listeners {
            all.addresses.enter_namespace_of(*listener.at.ip())?;
            let socket = listen(listener)?;
            all.watch(&socket, EventFlags::IN)?;
            all.holders.insert(all.last, TokenOwner::Listener(socket, listener.kind.clone()));
        }
        for plan in &plan.datagrams {
            all.addresses.enter_namespace_of(*plan.at.ip())?;
            let socket = Datagrams::open(plan)?;
            all.watch(&socket, EventFlags::IN | EventFlags::OUT | EventFlags::ET)?;
            all.datagrams.insert(plan.at, all.last);
            all.holders.insert(all.last, TokenOwner::Datagrams(Box::new(socket)));
        }
        Ok(all)
    }

    /// Event loop: carries out orders and reports events until the guest ends.
    pub(crate) fn serve(mut self) {
        let mut ready = Vec::with_capacity(64);
        loop {
            ready.clear();
            match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut ready), None) {
                Ok(_) | Err(Errno::INTR) => {}
                // The control socket is gone, and with it the simulator.
                Err(_) => return,
            }
            for event in &ready {
                match event.data.u64() {
                    CONTROL => self.receive_commands(),
                    SAMPLE => self.sample(),
                    number => self.progress(number, Connection::readiness(event.flags)),
                }
            }
            self.flush_events();
        }
    }

    /// Registers a socket with epoll under a new token, `self.last`.
    fn watch(&mut self, socket: impl AsFd, what: EventFlags) -> io::Result<()> {
        self.last += 1;
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(self.last), what)?)
    }

    fn receive_commands(&mut self) {
        let mut buffer = vec![0; 1 << 16];
        while let Ok((_, len)) = recv(&self.control, &mut buffer[..], RecvFlags::DONTWAIT) {
            // The socket is connected, so every datagram is from the simulator.
            let words: Vec<ControlMessage> = serde_json::from_slice(&buffer[..len]).unwrap_or_default();
            for word in words {
                match word {
                    ControlMessage::Socket(SocketCommand { socket, order }) => {
                        self.execute_order(socket, order)
                    }
                    ControlMessage::Addresses(changed) => self.readdress(&changed),
                }
            }
        }
    }

    fn readdress(&mut self, changed: &[(u16, Ipv4Addr)]) {
        if let Err(error) = self.addresses.change(changed) {
            // The unspecified address: the error concerns no socket, and ends the run.
            let none = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0);
            self.report(SocketPair { local: none, remote: none }, SocketReport::Failed(error.to_string()));
        }
    }

    fn execute_order(&mut self, pair: SocketPair, order: SocketOperation) {
        if let SocketOperation::Connect(kind) = order {
            let socket = self
                .addresses
                .enter_namespace_of(*pair.local.ip())
                .and_then(|()| Connection::connect(pair, &kind));
            return match socket {
                Ok(connection) => self.add(connection),
                Err(error) => self.report(pair, SocketReport::Failed(error.to_string())),
            };
        }
        if let SocketOperation::Send { payload, stamp } = order {
            let socket = self.datagrams.get(&pair.local).and_then(|number| self.holders.get_mut(number));
            if let Some(TokenOwner::Datagrams(socket)) = socket {
                socket.send(pair.remote, (payload, stamp));
            }
            return;
        }
        // Orders to a socket that has ended may still be in flight.
        let Some(number) = self.numbers.get(&pair).copied() else { return };
        if let Some(TokenOwner::Connection(connection)) = self.holders.get_mut(&number) {
            connection.apply_order(&order);
        }
        self.progress(number, Readiness::Any);
    }

    fn add(&mut self, connection: Connection) {
        // Edge-triggered: each turn reads and writes until EAGAIN.
        let mut both = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        if connection.fionread_triggers_epollin() {
            both.remove(EventFlags::IN);
        }
        let pair = connection.pair();
        if let Err(error) = self.watch(&connection, both) {
            return self.report(pair, SocketReport::Failed(error.to_string()));
        }
        self.numbers.insert(pair, self.last);
        self.holders.insert(self.last, TokenOwner::Connection(Box::new(connection)));
        self.progress(self.last, Readiness::Any);
    }

    /// Lets a socket do all that is possible without blocking.
    fn progress(&mut self, number: u64, readiness: Readiness) {
        match self.holders.get_mut(&number) {
            None => {}
            Some(TokenOwner::Listener(..)) => self.accept(number),
            Some(TokenOwner::Datagrams(socket)) => socket.progress(&mut self.events),
            Some(TokenOwner::Connection(connection)) => {
                let pair = connection.pair();
                let mut reports = Vec::new();
                let progress = connection.progress(readiness, &mut reports);
                reports.into_iter().for_each(|report| self.report(pair, report));
                if progress == Progress::Over {
                    self.holders.remove(&number);
                    self.numbers.remove(&pair);
                }
            }
        }
    }

    fn sample(&mut self) {
        self.samples.advance();
        for holder in self.holders.values() {
            if let TokenOwner::Connection(connection) = holder {
                let socket = connection.pair();
                self.events
                    .extend(connection.figures().into_iter().map(|report| SocketEvent { socket, report }));
            }
        }
    }

    fn accept(&mut self, number: u64) {
        while let Some(TokenOwner::Listener(socket, kind)) = self.holders.get(&number) {
            let Some(connection) = Connection::accept(socket, kind) else { return };
            self.report(connection.pair(), SocketReport::Accepted);
            self.add(connection);
        }
    }

    fn report(&mut self, socket: SocketPair, report: SocketReport) {
        self.events.push_back(SocketEvent { socket, report });
    }

    /// Sends the pending events: by the mailbox if all of them are deliveries without `listens`, else as messages.
    fn flush_events(&mut self) {
        if self.write_mailbox() {
            return;
        }
        let mut list = Vec::new();
        while let Some(event) = self.events.pop_front() {
            let Ok(word) = serde_json::to_vec(&event) else { continue };
            if list.len() + word.len() >= MOST_BYTES {
                self.send(std::mem::take(&mut list));
            }
            list.push(if list.is_empty() { b'[' } else { b',' });
            list.extend(word);
        }
        if !list.is_empty() {
            self.send(list);
        }
    }

    /// Writes all pending events to the mailbox; false if one is no delivery, or there is no room.
    fn write_mailbox(&mut self) -> bool {
        let delivery = |event: &SocketEvent| match event.report {
            SocketReport::Noted(bytes) => Some(Delivery { socket: event.socket, bytes }),
            _ => None,
        };
        let Some(mailbox) = &self.mailbox else { return false };
        let Some(all) = self.events.iter().map(delivery).collect::<Option<Vec<_>>>() else { return false };
        let noted = mailbox.append(all.into_iter());
        if noted {
            self.events.clear();
        }
        noted
    }

    fn send(&self, mut list: Vec<u8>) {
        list.push(b']');
        // The card takes all at once; without it there is no simulator to hear of it.
        let _ = send(&self.control, &list, SendFlags::empty());
    }
}
