//! A fake guest: the other side of calendar and card, as a thread, without a kernel.
//!
//! It sends frames at given times, and answers each that it receives by sending it back. It speaks like Linux 6.1, by messages, or
//! like 6.12, by the shared schedule.

mod protocol_violation;

pub(crate) use protocol_violation::{ProtocolViolation, any_violation};

use crate::guest_socket::{GuestSocket, u32_at, u64_at};
use crate::kernel::GuestKernel;
use crate::mapping::SharedMapping;
use crate::memory::GuestMemory;
use crate::time_travel::TimeTravelController;
use crate::timeouts::GuestTimeouts;
use crate::vhost_net::VhostNetDevice;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::MemfdFlags;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tailrace_sim::Control;

/// Where its memory begins, and how much there is.
const BASE: u64 = 0x60_0000;
const MEMORY: u64 = 0x10_0000;
const QUEUE: u16 = 16;
/// Bytes between queues; each has descriptors, available and used ring, and buffers of 2 KiB.
const SPACING: u64 = 0x4_0000;

/// Behaviour of a fake guest.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuestScript {
    /// Whether it knows of the shared schedule.
    pub(crate) shares: bool,
    /// Packets that it sends, at times of its clock.
    pub(crate) sends: Vec<(u64, Vec<u8>)>,
    /// Last action.
    pub(crate) then: ScriptEnd,
    /// Messages of the last action `Says`.
    pub(crate) says: Vec<ProtocolViolation>,
}

/// Last action of a fake guest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ScriptEnd {
    /// It waits for ever.
    #[default]
    Waits,
    /// It closes its connections.
    Leaves,
    /// It neither waits nor speaks.
    Hangs,
    /// It waits, and does not answer when it is interrupted.
    IsDeaf,
    /// It offers a frame that lies nowhere.
    Lies,
    /// It says to the calendar what no guest says.
    Babbles,
    /// It sends one frame after another, and no time passes.
    Floods,
    /// It says what it is to say.
    Says,
}

/// A kernel's front end and the fake behind it.
pub(crate) fn start(script: GuestScript, patience: Duration) -> (GuestKernel, JoinHandle<()>) {
    start_with(script, patience, Arc::default())
}

/// The same, for somebody who may ask to stop.
pub(crate) fn start_with(
    script: GuestScript,
    patience: Duration,
    control: Arc<Control>,
) -> (GuestKernel, JoinHandle<()>) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("tailrace-fake-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let controller = UnixListener::bind(folder.join("calendar")).unwrap();
    let card = UnixListener::bind(folder.join("card")).unwrap();
    let cards = vec![VhostNetDevice::new(card, 0, 1500)];
    let patience = GuestTimeouts::new(patience, control).with_most_words(1000);
    let kernel = GuestKernel::new(TimeTravelController::new(controller, 0).unwrap(), cards, None, patience);
    (kernel, thread::spawn(move || FakeGuest::new(folder, script).run()))
}

enum IncomingWord {
    Controller,
    Interrupt,
}

struct FakeGuest {
    script: GuestScript,
    file: OwnedFd,
    controller: GuestSocket,
    schedule: Option<SharedMapping>,
    card: GuestSocket,
    interrupts: GuestSocket,
    memory: GuestMemory,
    /// Available entries of each queue so far, and used ones seen.
    offered: [u16; 2],
    seen: [u16; 2],
    now: u64,
    free_until: u64,
    sequence: u32,
    received: Vec<Vec<u8>>,
}

impl FakeGuest {
    fn new(folder: PathBuf, script: GuestScript) -> Self {
        let connect = |name: &str| GuestSocket::new(UnixStream::connect(folder.join(name)).unwrap().into());
        let file = rustix::fs::memfd_create("guest", MemfdFlags::CLOEXEC).unwrap();
        rustix::fs::ftruncate(&file, MEMORY).unwrap();
        let mut memory = GuestMemory::default();
        memory.add(BASE, MEMORY, &file, 0).unwrap();
        let (mine, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
        let mut fake = Self {
            script,
            file: file.try_clone().unwrap(),
            controller: connect("calendar"),
            schedule: None,
            card: connect("card"),
            interrupts: GuestSocket::new(mine),
            memory,
            offered: [0; 2],
            seen: [0; 2],
            now: 0,
            free_until: 0,
            sequence: 0,
            received: Vec::new(),
        };
        std::fs::remove_dir_all(folder).unwrap();
        fake.greet();
        fake.introduce(&file, &theirs);
        fake
    }

    fn greet(&mut self) {
        self.ask(1, 0);
        if self.script.shares {
            let file = self.controller.take_file().expect("the schedule comes along");
            let map = SharedMapping::new(&file, 0, 4096 + 256).unwrap();
            assert_eq!(map.u32(0).unwrap().load(Ordering::SeqCst), 2, "its version");
            map.u32(4096 + 128).unwrap().store(1, Ordering::SeqCst);
            self.schedule = Some(map);
        }
    }

    /// Introduces itself as drivers do, in their order.
    fn introduce(&mut self, memory: &OwnedFd, interrupts: &OwnedFd) {
        let word = |v: u64| v.to_le_bytes();
        self.tell_card(3, &[], &[]);
        assert_eq!(u64_at(&self.tell_card(1, &[], &[]), 0).unwrap() >> 32 & 1, 1, "version 1");
        assert_eq!(
            u64_at(&self.tell_card(15, &[], &[]), 0).unwrap() >> 14 & 1,
            1,
            "notifications as messages"
        );
        self.tell_card(16, &word(1 << 3 | 1 << 5 | 1 << 9 | 1 << 14), &[]);
        self.tell_card(21, &[], &[interrupts.try_clone().unwrap()]);
        let mut region = vec![1, 0, 0, 0, 0, 0, 0, 0];
        [BASE, MEMORY, BASE, 0].iter().for_each(|v| region.extend_from_slice(&word(*v)));
        self.tell_card(5, &region, &[memory.try_clone().unwrap()]);
        for queue in 0..2_u64 {
            let at = BASE + queue * SPACING;
            let both = |value: u32| [(queue as u32).to_le_bytes(), value.to_le_bytes()].concat();
            self.tell_card(8, &both(u32::from(QUEUE)), &[]);
            let place = [word(queue), word(at), word(at + 0x2000), word(at + 0x1000), word(0)].concat();
            self.tell_card(9, &place, &[]);
            self.tell_card(10, &both(0), &[]);
            self.tell_card(18, &both(1), &[]);
        }
        for buffer in 0..QUEUE {
            self.describe(0, buffer, 2048, 2);
            self.offer(0, buffer);
        }
    }

    fn buffer(queue: u64, index: u16) -> u64 {
        BASE + queue * SPACING + 0x4000 + u64::from(index) * 2048
    }

    fn describe(&self, queue: u64, index: u16, len: u32, flags: u16) {
        let mut raw = Self::buffer(queue, index).to_le_bytes().to_vec();
        raw.extend_from_slice(&len.to_le_bytes());
        raw.extend_from_slice(&flags.to_le_bytes());
        raw.extend_from_slice(&[0, 0]);
        self.memory.write(BASE + queue * SPACING + u64::from(index) * 16, &raw).unwrap();
    }

    fn offer(&mut self, queue: u64, index: u16) {
        let ring = BASE + queue * SPACING + 0x1000;
        let offered = &mut self.offered[queue as usize];
        self.memory.store_u16(ring + 4 + u64::from(*offered % QUEUE) * 2, index).unwrap();
        *offered = offered.wrapping_add(1);
        self.memory.store_u16(ring + 2, *offered).unwrap();
    }

    /// A message to the calendar and its answer's time.
    fn ask(&mut self, op: u32, time: u64) -> u64 {
        self.sequence += 1;
        let sequence = self.sequence;
        let bytes = [&op.to_le_bytes()[..], &sequence.to_le_bytes(), &time.to_le_bytes()].concat();
        self.controller.send(&bytes).unwrap();
        loop {
            let (op, answered, time) = self.hear();
            if op == 0 {
                assert_eq!(answered, sequence, "answers come in turn");
                return time;
            }
        }
    }

    /// The next message of the calendar; those that want an answer get it.
    fn hear(&mut self) -> (u32, u32, u64) {
        while self.controller.bytes().len() < 16 {
            if !self.controller.receive().unwrap() {
                return (u32::MAX, 0, 0);
            }
        }
        let bytes = self.controller.bytes();
        let (op, sequence, time) =
            (u32_at(bytes, 0).unwrap(), u32_at(bytes, 4).unwrap(), u64_at(bytes, 8).unwrap());
        self.controller.consume(16);
        match op {
            6 => {
                assert!(time >= self.now, "a slot must take some time");
                self.now = time;
            }
            7 => self.free_until = time,
            _ => return (op, sequence, time),
        }
        if self.schedule.is_none() {
            let answer = [&0_u32.to_le_bytes()[..], &sequence.to_le_bytes(), &[0; 8]].concat();
            self.controller.send(&answer).unwrap();
        }
        (op, sequence, time)
    }

    /// A message to the card and its answer.
    fn tell_card(&mut self, number: u32, body: &[u8], files: &[OwnedFd]) -> Vec<u8> {
        let head = [number, 1 | 8, body.len() as u32].map(u32::to_le_bytes).concat();
        let files: Vec<_> = files.iter().map(|file| file.as_fd()).collect();
        self.card.send_with(&[&head, body].concat(), &files).unwrap();
        loop {
            let bytes = self.card.bytes();
            if let Some(size) = u32_at(bytes, 8).filter(|size| bytes.len() >= 12 + *size as usize) {
                assert_eq!((u32_at(bytes, 0), u32_at(bytes, 4)), (Some(number), Some(5)));
                let answer = bytes[12..12 + size as usize].to_vec();
                self.card.consume(12 + size as usize);
                return answer;
            }
            assert!(self.card.receive().unwrap(), "the card is gone");
        }
    }

    fn request(&mut self, at: u64) {
        match &self.schedule {
            Some(map) => {
                map.u64(4096 + 128 + 8).unwrap().store(at, Ordering::SeqCst);
                map.u32(4096 + 128 + 4).unwrap().store(1, Ordering::SeqCst);
            }
            None => drop(self.ask(2, at)),
        }
    }

    fn free_until(&self) -> u64 {
        self.schedule.as_ref().map_or(self.free_until, |map| map.u64(8).unwrap().load(Ordering::SeqCst))
    }

    /// Sleeps until `at`, or until it is interrupted; false at the end of the connection.
    fn wait_until(&mut self, at: u64) -> bool {
        if at < self.free_until() {
            self.now = self.now.max(at);
            return true;
        }
        self.say_that_it_waits(at);
        loop {
            match self.next_word() {
                IncomingWord::Interrupt => self.take_interrupt(),
                IncomingWord::Controller => match self.hear().0 {
                    6 => break,
                    u32::MAX => return false,
                    _ => {}
                },
            }
        }
        if let Some(map) = &self.schedule {
            map.u32(4096 + 128 + 4).unwrap().store(0, Ordering::SeqCst);
        }
        true
    }

    fn say_that_it_waits(&mut self, at: u64) {
        self.request(at);
        self.free_until = 0;
        if self.schedule.is_some() {
            self.sequence += 1;
            let wait = [&3_u32.to_le_bytes()[..], &self.sequence.to_le_bytes(), &[0xff; 8]].concat();
            self.controller.send(&wait).unwrap();
        } else {
            self.ask(3, u64::MAX);
        }
    }

    /// Sender of the next message. The controller's message may have arrived already, with an answer.
    fn next_word(&mut self) -> IncomingWord {
        loop {
            if self.controller.bytes().len() >= 16 {
                return IncomingWord::Controller;
            }
            let mut both =
                [PollFd::new(&self.controller, PollFlags::IN), PollFd::new(&self.interrupts, PollFlags::IN)];
            poll(&mut both, None).unwrap();
            let [controller, interrupt] = both.map(|fd| !fd.revents().is_empty());
            if interrupt && self.interrupts.receive().is_ok_and(|there| there) {
                return IncomingWord::Interrupt;
            }
            if controller {
                return IncomingWord::Controller;
            }
        }
    }

    /// Asks to run at once, then answers.
    fn take_interrupt(&mut self) {
        let size = u32_at(self.interrupts.bytes(), 8).unwrap() as usize;
        let number = u32_at(self.interrupts.bytes(), 0).unwrap();
        self.interrupts.consume(12 + size);
        let now = match &self.schedule {
            Some(map) => map.u64(16).unwrap().load(Ordering::SeqCst),
            None => self.ask(4, u64::MAX),
        };
        self.request(now);
        let answer = [number, 5, 8, 0, 0].map(u32::to_le_bytes).concat();
        self.interrupts.send(&answer).unwrap();
    }

    fn send(&mut self, packet: &[u8]) {
        let index = self.offered[1] % QUEUE;
        let mut frame = vec![0; 12 + 12];
        frame.extend_from_slice(&[8, 0]);
        frame.extend_from_slice(packet);
        self.memory.write(Self::buffer(1, index), &frame).unwrap();
        self.describe(1, index, frame.len() as u32, 0);
        self.kick(index);
    }

    fn kick(&mut self, index: u16) {
        self.offer(1, index);
        match &self.schedule {
            Some(map) => map.u64(16).unwrap().store(self.now, Ordering::SeqCst),
            None => drop(self.ask(5, self.now)),
        }
        self.tell_card(35, &[1, 0, 0, 0, 0, 0, 0, 0], &[]);
    }

    /// Frames that have come are sent back at once.
    fn serve(&mut self) {
        let used = BASE + 0x2000;
        while self.seen[0] != self.memory.load_u16(used + 2).unwrap() {
            let mut element = [0; 8];
            self.memory.copy(used + 4 + u64::from(self.seen[0] % QUEUE) * 8, &mut element).unwrap();
            self.seen[0] = self.seen[0].wrapping_add(1);
            let (index, len) = (u32_at(&element, 0).unwrap() as u16, u32_at(&element, 4).unwrap());
            let mut frame = Vec::new();
            self.memory.read(Self::buffer(0, index), len, &mut frame).unwrap();
            assert_eq!(frame[24..26], [8, 0], "an IPv4 packet");
            self.offer(0, index);
            self.received.push(frame.split_off(26));
        }
        for packet in std::mem::take(&mut self.received) {
            self.send(&packet);
        }
    }

    fn run(mut self) {
        let mut sends = std::mem::take(&mut self.script.sends).into_iter().peekable();
        loop {
            let next = sends.peek().map(|(at, _)| *at);
            if next.is_none() && self.script.then != ScriptEnd::Waits {
                return self.end();
            }
            if !self.wait_until(next.unwrap_or(i64::MAX as u64)) {
                return;
            }
            self.serve();
            while let Some((_, packet)) = sends.next_if(|(at, _)| *at <= self.now) {
                self.send(&packet);
            }
        }
    }

    fn end(mut self) {
        match self.script.then {
            ScriptEnd::Waits | ScriptEnd::Leaves => {}
            ScriptEnd::Hangs => drop(self.controller.receive()),
            ScriptEnd::IsDeaf => {
                self.say_that_it_waits(i64::MAX as u64);
                drop(self.controller.receive());
            }
            ScriptEnd::Lies => {
                let lie = [&7_u64.to_le_bytes()[..], &60_u32.to_le_bytes(), &[0; 4]].concat();
                self.memory.write(BASE + SPACING, &lie).unwrap();
                self.offer(1, 0);
                let kick = [35, 9, 8, 1, 0].map(u32::to_le_bytes).concat();
                self.card.send(&kick).unwrap();
                drop(self.controller.receive());
            }
            ScriptEnd::Floods => {
                let kick = [35, 9, 8, 1, 0].map(u32::to_le_bytes).concat();
                self.describe(1, 0, 60, 0);
                // Until nobody listens.
                while self.card.send(&kick).is_ok() && self.card.receive().is_ok_and(|there| there) {
                    self.card.consume(self.card.bytes().len());
                    self.offer(1, 0);
                }
            }
            ScriptEnd::Says => {
                let (words, file) = (std::mem::take(&mut self.script.says), self.file.try_clone().unwrap());
                self.say(&words, &file);
            }
            ScriptEnd::Babbles => {
                self.controller.send(&[99, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
                drop(self.controller.receive());
            }
        }
    }
}
