//! A guest that runs: its calendar, its cards, and what it has sent.
//!
//! One thread serves it, and it runs only while it is served: whoever called waits until the guest waits. Its clock may go ahead of
//! the simulation's, up to the time before which nothing can reach it; what it sends then has that time.

use crate::calendar::Calendar;
use crate::card::{Card, Event};
use crate::error::KernelError;
use crate::patience::Patience;
use rustix::event::{PollFd, PollFlags};
use rustix::fd::OwnedFd;
use std::collections::VecDeque;

/// Most bytes of packets that wait to be taken: what a card of 40 Gbit/s sends in 50 ms.
const MOST_SENT: usize = 256 << 20;

/// A guest. Times are nanoseconds of its clock.
#[derive(Debug)]
pub struct Kernel {
    calendar: Calendar,
    cards: Vec<Card>,
    sent: Sent,
    /// Can be read when the guest's process has ended.
    process: Option<OwnedFd>,
    patience: Patience,
    /// The card whose packets are answered at once: the guest goes no further ahead when it has sent by it.
    urgent: Option<usize>,
}

/// Packets that are sent and not yet taken, in the order of their times.
#[derive(Debug, Default)]
struct Sent {
    packets: VecDeque<Packet>,
    /// Their bytes, one behind the other.
    bytes: VecDeque<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    at: u64,
    card: usize,
    len: usize,
}

/// Who has said something.
enum Speaker {
    Calendar,
    Card(usize),
}

impl Kernel {
    /// A guest that will connect.
    pub(crate) fn new(
        calendar: Calendar,
        cards: Vec<Card>,
        process: Option<OwnedFd>,
        patience: Patience,
    ) -> Self {
        Self { calendar, cards, sent: Sent::default(), process, patience, urgent: None }
    }

    /// What it sends by this card is answered at the time at which it sends it.
    pub(crate) fn set_urgent(&mut self, card: usize) {
        self.urgent = Some(card);
    }

    /// Lets it boot: it runs by itself until all that it still wants is later than `ready`. What it sends meanwhile is lost.
    pub(crate) fn boot(&mut self, ready: u64) -> Result<(), KernelError> {
        self.serve()?;
        while let Some(at) = self.calendar.request().filter(|at| *at < ready) {
            let at = at.max(self.calendar.local());
            self.calendar.run(at, ready)?;
            self.serve()?;
        }
        self.sent = Sent::default();
        Ok(())
    }

    /// When it will do something next, or has sent something that is to be taken.
    pub fn next_event(&self) -> Option<u64> {
        let sent = self.sent.packets.front().map(|p| p.at);
        sent.into_iter().chain(self.calendar.request()).min()
    }

    /// Lets it do all that it wants to do up to `until`; it may do already what it would do before `horizon`.
    pub fn run_until(&mut self, until: u64, horizon: u64) -> Result<(), KernelError> {
        self.patience.check()?;
        while let Some(at) = self.calendar.request().filter(|at| *at <= until) {
            let at = at.max(self.calendar.local());
            self.calendar.run(at, horizon)?;
            self.serve()?;
        }
        Ok(())
    }

    /// The next packet that it has sent by `now`: its bytes, and the card by which it leaves.
    pub fn take(&mut self, now: u64, out: &mut Vec<u8>) -> Option<usize> {
        let packet = *self.sent.packets.front().filter(|p| p.at <= now)?;
        self.sent.packets.pop_front();
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
            self.calendar.interrupt_at(now);
            self.cards[card].interrupt()?;
            self.await_interrupt(card)?;
        }
        Ok(())
    }

    /// The carrier of a card comes or goes at `now`.
    pub(crate) fn set_carrier(&mut self, card: usize, up: bool, now: u64) -> Result<(), KernelError> {
        if self.cards[card].set_carrier(up) {
            self.calendar.interrupt_at(now);
            self.cards[card].interrupt_for_config()?;
            self.await_interrupt(card)?;
        }
        Ok(())
    }

    /// Until the guest has taken an interrupt. Meanwhile it talks to the calendar: it asks for the time, and to run.
    fn await_interrupt(&mut self, card: usize) -> Result<(), KernelError> {
        loop {
            let [calendar, answer] = {
                let interrupts = self.cards[card].interrupts().ok_or(KernelError::Gone)?;
                let mut both = [
                    PollFd::new(&self.calendar, PollFlags::IN),
                    PollFd::from_borrowed_fd(interrupts, PollFlags::IN),
                ];
                self.patience.wait(&mut both)?;
                both.map(|fd| !fd.revents().is_empty())
            };
            if calendar {
                self.calendar.receive()?;
            } else if answer && self.cards[card].interrupt_answered()? {
                self.calendar.look();
                return Ok(());
            }
        }
    }

    /// Serves the guest until it waits.
    fn serve(&mut self) -> Result<(), KernelError> {
        while !self.calendar.waits() {
            match self.speaker()? {
                Speaker::Calendar => self.calendar.receive()?,
                Speaker::Card(number) => self.serve_card(number)?,
            }
            let clock = self.calendar.local();
            self.patience.heard(clock)?;
        }
        Ok(())
    }

    /// Waits for somebody who speaks. Who speaks waits for the answer, so there is but one at a time; a calendar that waits is
    /// the last word.
    fn speaker(&self) -> Result<Speaker, KernelError> {
        let mut all: Vec<_> = self.cards.iter().map(|card| PollFd::new(card, PollFlags::IN)).collect();
        all.push(PollFd::new(&self.calendar, PollFlags::IN));
        all.extend(self.process.iter().map(|process| PollFd::new(process, PollFlags::IN)));
        self.patience.wait(&mut all)?;
        let calendar = self.cards.len();
        match all.iter().position(|fd| !fd.revents().is_empty()) {
            Some(number) if number < calendar => Ok(Speaker::Card(number)),
            Some(number) if number == calendar => Ok(Speaker::Calendar),
            _ => Err(KernelError::Gone),
        }
    }

    fn serve_card(&mut self, number: usize) -> Result<(), KernelError> {
        self.cards[number].receive()?;
        while let Some(event) = self.cards[number].handle()? {
            if event == Event::Kick {
                let at = self.calendar.local();
                let card = &mut self.cards[number];
                while let Some(bytes) = card.take_packet()? {
                    self.sent.bytes.extend(bytes);
                    self.sent.packets.push_back(Packet { at, card: number, len: bytes.len() });
                }
                if self.sent.bytes.len() > MOST_SENT {
                    return Err(KernelError::Flood(self.sent.bytes.len() as u64));
                }
                if self.urgent == Some(number) {
                    self.calendar.go_no_further(at)?;
                }
                self.cards[number].answer_kick()?;
            }
        }
        Ok(())
    }
}
