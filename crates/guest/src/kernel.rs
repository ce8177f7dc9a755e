//! A guest that runs: its calendar, its cards, and what it has sent.
//!
//! One thread serves it, and it runs only while it is served: whoever called waits until the guest waits. Its clock may go ahead of
//! the simulation's, up to the time before which nothing can reach it; what it sends then has that time.

use crate::error::KernelError;
use crate::mailbox::DeliveryMailbox;
use crate::time_travel::TimeTravelController;
use crate::timeouts::GuestTimeouts;
use crate::vhost_net::{DeviceEvent, VhostNetDevice};
use rustix::event::{PollFd, PollFlags};
use rustix::fd::OwnedFd;
use std::collections::{BTreeSet, VecDeque};

/// Most bytes of packets that wait to be taken: what a card of 40 Gbit/s sends in 50 ms.
const MOST_SENT: usize = 256 << 20;

/// A guest. Times are nanoseconds of its clock.
#[derive(Debug)]
pub struct GuestKernel {
    controller: TimeTravelController,
    cards: Vec<VhostNetDevice>,
    sent: SentPackets,
    held: HeldBuffers,
    flood: SendRateLimit,
    /// Can be read when the guest's process has ended.
    process: Option<OwnedFd>,
    patience: GuestTimeouts,
    /// The card whose packets are answered at once: the guest goes no further ahead when it has sent by it.
    urgent: Option<usize>,
    /// Mailbox in which its agent records deliveries; they are taken like packets that it sends.
    mailbox: Option<DeliveryMailbox>,
}

/// Packets sent in the present stretch of its clock.
#[derive(Debug, Default)]
struct SendRateLimit {
    stretch: u64,
    packets: u32,
}

impl SendRateLimit {
    /// A program that sends without end sends some millions a second: what it takes to look at the clock is all that takes time.
    const STRETCH: u64 = 100_000_000;
    const MOST: u32 = 100_000;

    fn count(&mut self, at: u64) -> Result<(), KernelError> {
        let stretch = at / Self::STRETCH;
        if stretch != self.stretch {
            *self = Self { stretch, packets: 0 };
        }
        self.packets += 1;
        if self.packets > Self::MOST { Err(KernelError::Flood) } else { Ok(()) }
    }
}

/// Packets that are sent and not yet taken, in the order of their times.
#[derive(Debug, Default)]
struct SentPackets {
    packets: VecDeque<SentPacket>,
    /// Their bytes, one behind the other.
    bytes: VecDeque<u8>,
}

#[derive(Clone, Copy, Debug)]
struct SentPacket {
    at: u64,
    card: usize,
    len: usize,
    buffer: u16,
}

/// Packets whose buffers the guest gets back when they have left: by the number of the first of them, card and buffer.
#[derive(Debug, Default)]
struct HeldBuffers {
    first: u64,
    packets: VecDeque<Option<(usize, u16)>>,
}

impl HeldBuffers {
    fn take(&mut self, number: u64) -> Option<(usize, u16)> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let taken = self.packets.get_mut(place)?.take();
        while self.packets.front().is_some_and(Option::is_none) {
            self.packets.pop_front();
            self.first += 1;
        }
        taken
    }
}

/// Sender of the next message.
enum MessageSource {
    Controller,
    Device(usize),
}

impl GuestKernel {
    /// A guest that will connect.
    pub(crate) fn new(
        controller: TimeTravelController,
        cards: Vec<VhostNetDevice>,
        process: Option<OwnedFd>,
        patience: GuestTimeouts,
    ) -> Self {
        Self {
            controller,
            cards,
            sent: SentPackets::default(),
            held: HeldBuffers::default(),
            flood: SendRateLimit::default(),
            process,
            patience,
            urgent: None,
            mailbox: None,
        }
    }

    /// Makes a device urgent: packets sent by it are answered at the time of sending.
    pub(crate) fn set_urgent(&mut self, card: usize) {
        self.cards[card].keeps = false;
        self.urgent = Some(card);
    }

    /// Sets the mailbox's address in the guest's memory; records come as if by the device [`DeliveryMailbox::CARD`].
    pub(crate) fn set_mailbox(&mut self, address: u64) {
        self.mailbox = Some(DeliveryMailbox::at(address));
    }

    /// Lets it boot: it runs by itself until all that it still wants is later than `ready`. What it sends meanwhile is lost.
    pub(crate) fn boot(&mut self, ready: u64) -> Result<(), KernelError> {
        self.serve()?;
        while let Some(at) = self.controller.request().filter(|at| *at < ready) {
            let at = at.max(self.controller.local());
            self.controller.run(at, ready)?;
            self.serve()?;
        }
        self.sent = SentPackets::default();
        Ok(())
    }

    /// From now on it gets the buffers of its packets back when [`GuestKernel::departed`] says so, and not as soon as they are taken.
    pub(crate) fn keep_buffers(&mut self) {
        self.cards.iter_mut().for_each(|card| card.keeps = true);
    }

    pub(crate) fn keeps_buffers(&self) -> bool {
        self.cards.iter().any(|card| card.keeps)
    }

    /// Packets have left, by their numbers among those that were taken since it keeps buffers.
    pub(crate) fn departed(&mut self, numbers: &[u64], now: u64) -> Result<(), KernelError> {
        let mut concerned = BTreeSet::new();
        for number in numbers {
            if let Some((card, buffer)) = self.held.take(*number) {
                self.cards[card].give_back(buffer)?;
                concerned.insert(card);
            }
        }
        for card in concerned {
            if self.cards[card].wants_buffers_back()? {
                self.controller.interrupt_at(now);
                self.cards[card].interrupt_for_buffers()?;
                self.await_interrupt(card)?;
            }
        }
        Ok(())
    }

    /// When it will do something next, or has sent something that is to be taken.
    pub fn next_event(&self) -> Option<u64> {
        let sent = self.sent.packets.front().map(|p| p.at);
        sent.into_iter().chain(self.controller.request()).min()
    }

    /// Lets it do all that it wants to do up to `until`; it may do already what it would do before `horizon`.
    pub fn run_until(&mut self, until: u64, horizon: u64) -> Result<(), KernelError> {
        self.patience.check()?;
        while let Some(at) = self.controller.request().filter(|at| *at <= until) {
            let at = at.max(self.controller.local());
            self.controller.run(at, horizon)?;
            self.serve()?;
            // Data that came before it ran is what is delivered, at once.
            self.collect(at)?;
        }
        Ok(())
    }

    /// Takes what its agent has noted, at that time.
    fn collect(&mut self, at: u64) -> Result<(), KernelError> {
        let Some((mailbox, urgent)) = self.mailbox.as_ref().zip(self.urgent) else { return Ok(()) };
        let before = self.sent.bytes.len();
        mailbox.take(self.cards[urgent].memory(), &mut self.sent.bytes)?;
        let len = self.sent.bytes.len() - before;
        if len > 0 {
            self.sent.packets.push_back(SentPacket { at, card: DeliveryMailbox::CARD, len, buffer: 0 });
        }
        Ok(())
    }

    /// The next packet that it has sent by `now`: its bytes, and the card by which it leaves.
    pub fn take(&mut self, now: u64, out: &mut Vec<u8>) -> Option<usize> {
        let packet = *self.sent.packets.front().filter(|p| p.at <= now)?;
        self.sent.packets.pop_front();
        if self.cards.get(packet.card).is_some_and(|card| card.keeps) {
            self.held.packets.push_back(Some((packet.card, packet.buffer)));
        }
        out.clear();
        out.extend(self.sent.bytes.drain(..packet.len));
        Some(packet.card)
    }

    /// Packets that it lost for want of buffers.
    pub fn overruns(&self) -> u64 {
        self.cards.iter().map(|card| card.counts.overruns).sum()
    }

    /// A packet reaches one of its cards at `now`; the guest waits.
    pub(crate) fn deliver(&mut self, card: usize, packet: &[u8], now: u64) -> Result<(), KernelError> {
        let there = &mut self.cards[card];
        if there.give_packet(packet)? {
            self.controller.interrupt_at(now);
            self.cards[card].interrupt()?;
            self.await_interrupt(card)?;
        }
        Ok(())
    }

    /// The carrier of a card comes or goes at `now`.
    pub(crate) fn set_carrier(&mut self, card: usize, up: bool, now: u64) -> Result<(), KernelError> {
        if self.cards[card].set_carrier(up) {
            self.controller.interrupt_at(now);
            self.cards[card].interrupt_for_config()?;
            self.await_interrupt(card)?;
        }
        Ok(())
    }

    /// Until the guest has taken an interrupt. Meanwhile it talks to the calendar: it asks for the time, and to run.
    fn await_interrupt(&mut self, card: usize) -> Result<(), KernelError> {
        loop {
            let [controller, answer] = {
                let interrupts = self.cards[card].interrupts().ok_or(KernelError::Gone)?;
                let mut both = [
                    PollFd::new(&self.controller, PollFlags::IN),
                    PollFd::from_borrowed_fd(interrupts, PollFlags::IN),
                ];
                self.patience.wait(&mut both)?;
                both.map(|fd| !fd.revents().is_empty())
            };
            if controller {
                self.controller.receive()?;
            } else if answer && self.cards[card].interrupt_answered()? {
                self.controller.look();
                return Ok(());
            }
        }
    }

    /// Serves the guest until it waits.
    fn serve(&mut self) -> Result<(), KernelError> {
        while !self.controller.waits() {
            match self.speaker()? {
                MessageSource::Controller => self.controller.receive()?,
                MessageSource::Device(number) => self.serve_card(number)?,
            }
            let clock = self.controller.local();
            self.patience.heard(clock)?;
        }
        Ok(())
    }

    /// Waits for somebody who speaks. Who speaks waits for the answer, so there is but one at a time; a calendar that waits is
    /// the last word.
    fn speaker(&self) -> Result<MessageSource, KernelError> {
        let mut all: Vec<_> = self.cards.iter().map(|card| PollFd::new(card, PollFlags::IN)).collect();
        all.push(PollFd::new(&self.controller, PollFlags::IN));
        all.extend(self.process.iter().map(|process| PollFd::new(process, PollFlags::IN)));
        self.patience.wait(&mut all)?;
        let controller = self.cards.len();
        match all.iter().position(|fd| !fd.revents().is_empty()) {
            Some(number) if number < controller => Ok(MessageSource::Device(number)),
            Some(number) if number == controller => Ok(MessageSource::Controller),
            _ => Err(KernelError::Gone),
        }
    }

    fn serve_card(&mut self, number: usize) -> Result<(), KernelError> {
        self.cards[number].receive()?;
        while let Some(event) = self.cards[number].handle()? {
            if event == DeviceEvent::Kick {
                let at = self.controller.local();
                if self.urgent == Some(number) {
                    self.collect(at)?; // It was noted before this was sent.
                }
                let card = &mut self.cards[number];
                while let Some((bytes, buffer)) = card.take_packet()? {
                    self.flood.count(at)?;
                    self.sent.bytes.extend(bytes);
                    self.sent.packets.push_back(SentPacket { at, card: number, len: bytes.len(), buffer });
                }
                if self.sent.bytes.len() > MOST_SENT {
                    return Err(KernelError::Flood);
                }
                if self.urgent == Some(number) {
                    self.controller.go_no_further(at)?;
                }
                self.cards[number].answer_kick()?;
            }
        }
        Ok(())
    }
}
