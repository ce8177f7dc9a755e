//! Controller of `um_timetravel`: which guest may run, and until when (Linux, `include/uapi/linux/um_timetravel.h`).
//!
//! A guest with `time-travel=ext` asks for the time at which it wants to run next and waits; the calendar says when it may, and
//! how far it may go on by itself. Since Linux 6.11 most of that is a [`SharedSchedule`] in shared memory; before, every word of it is
//! a message that is acknowledged.
//!
//! While it runs, its clock moves by what its work takes: 256 ns for each look at the clock, nothing else.

mod message;
mod shared_schedule;

use crate::error::KernelError;
use crate::guest_socket::GuestSocket;
use message::{TimeTravelMessage, TimeTravelOp};
use rustix::fd::{AsFd, BorrowedFd};
use shared_schedule::SharedSchedule;
use std::os::unix::net::UnixListener;
use tailrace_agent::TIME_OF_DAY;

/// Requests beyond it are never: a guest without a timer asks for the end of a signed number.
const NEVER: u64 = i64::MAX as u64;

/// The controller's state of one guest's clock. Times are nanoseconds of the guest.
#[derive(Debug)]
pub(crate) struct TimeTravelController {
    channel: GuestSocket,
    shared_schedule: SharedSchedule,
    /// Whether the guest uses the schedule.
    shares: bool,
    /// When it wants to run next; [`NEVER`] or more for never.
    request: u64,
    waits: bool,
    /// Its clock, as far as it has told.
    local: u64,
    sequence: u32,
    unacknowledged: u32,
}

impl TimeTravelController {
    /// The controller of a guest that boots, up to the time `ready`.
    pub(crate) fn new(listener: UnixListener, ready: u64) -> Result<Self, KernelError> {
        let shared_schedule = SharedSchedule::new(ready).map_err(KernelError::io("making a schedule"))?;
        Ok(Self {
            channel: GuestSocket::awaited(listener),
            shared_schedule,
            shares: false,
            request: NEVER,
            waits: false,
            local: 0,
            sequence: 0,
            unacknowledged: 0,
        })
    }

    /// Whether the guest waits for its turn.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// When it wants to run next.
    pub(crate) fn request(&self) -> Option<u64> {
        (self.request < NEVER).then_some(self.request)
    }

    /// Its clock.
    pub(crate) fn local(&mut self) -> u64 {
        if self.shares {
            self.local = self.local.max(self.shared_schedule.time());
        }
        self.local
    }

    /// Lets it run at `at`, and go on by itself for as long as its clock is before `free_until`. Never before the time that it
    /// has asked for, unless it was interrupted: that is a bug to it.
    pub(crate) fn run(&mut self, at: u64, free_until: u64) -> Result<(), KernelError> {
        (self.waits, self.request, self.local) = (false, NEVER, at);
        if self.shares {
            self.shared_schedule.run(at, free_until);
            return self.tell(&[(TimeTravelOp::Run, at)]); // Nobody acknowledges it.
        }
        let run = (TimeTravelOp::Run, at);
        let all = [(TimeTravelOp::FreeUntil, free_until), run];
        let told = if free_until > at { &all[..] } else { &all[1..] };
        self.unacknowledged += told.len() as u32;
        self.tell(told)
    }

    /// The guest runs, and its clock shows `at`: from the next time on it is to ask again. It knows before this returns.
    pub(crate) fn go_no_further(&mut self, at: u64) -> Result<(), KernelError> {
        if self.shares {
            self.shared_schedule.free_until(at);
            return Ok(());
        }
        self.unacknowledged += 1;
        let before = self.unacknowledged;
        self.tell(&[(TimeTravelOp::FreeUntil, at)])?;
        while self.unacknowledged >= before {
            self.receive()?;
        }
        Ok(())
    }

    /// Says what time it is before the guest, which waits, is interrupted.
    pub(crate) fn interrupt_at(&mut self, now: u64) {
        // Looks at its clock may have brought it a little further than it was asked to go.
        self.local = now.max(self.local());
        if self.shares {
            self.shared_schedule.set_time(self.local);
        }
    }

    /// The guest has been interrupted and has said so: looks at what it asks for now.
    pub(crate) fn look(&mut self) {
        if self.shares {
            self.request = self.shared_schedule.request().unwrap_or(NEVER);
        }
    }

    fn tell(&mut self, all: &[(TimeTravelOp, u64)]) -> Result<(), KernelError> {
        let mut bytes = [0; 2 * TimeTravelMessage::LEN];
        for (to, (op, time)) in bytes.chunks_exact_mut(TimeTravelMessage::LEN).zip(all) {
            self.sequence = self.sequence.wrapping_add(1);
            to.copy_from_slice(
                &TimeTravelMessage { op: *op as u32, sequence: self.sequence, time: *time }.bytes(),
            );
        }
        self.send(&bytes[..all.len() * TimeTravelMessage::LEN])
    }

    fn send(&self, bytes: &[u8]) -> Result<(), KernelError> {
        self.channel.send(bytes).map_err(KernelError::unheard)
    }

    /// Waits for messages of the guest, and answers them.
    pub(crate) fn receive(&mut self) -> Result<(), KernelError> {
        if !self.channel.receive().map_err(KernelError::io("hearing from a guest"))? {
            return Err(KernelError::Gone);
        }
        while let Some(message) = TimeTravelMessage::parse(self.channel.bytes()) {
            self.channel.consume(TimeTravelMessage::LEN);
            self.handle(message)?;
        }
        Ok(())
    }

    fn handle(&mut self, message: TimeTravelMessage) -> Result<(), KernelError> {
        let TimeTravelMessage { op, sequence, time } = message;
        let answer = match TimeTravelOp::from_number(op) {
            Some(TimeTravelOp::Ack) => {
                self.unacknowledged = self.unacknowledged.saturating_sub(1);
                return Ok(());
            }
            Some(TimeTravelOp::Start) => return self.start(sequence),
            Some(TimeTravelOp::Request) => {
                self.request = time;
                0
            }
            Some(TimeTravelOp::Wait) => {
                self.waits = true;
                self.shares = self.shared_schedule.is_shared();
                if self.shares {
                    self.local = self.local.max(self.shared_schedule.time());
                    self.request = self.shared_schedule.request().unwrap_or(NEVER);
                    self.shared_schedule.stop();
                    return Ok(());
                }
                0
            }
            Some(TimeTravelOp::Get) => self.local,
            Some(TimeTravelOp::Update) => {
                self.local = self.local.max(time);
                0
            }
            Some(TimeTravelOp::GetTimeOfDay) => TIME_OF_DAY,
            _ => return Err(KernelError::Protocol(format!("a word to the calendar that none knows: {op}"))),
        };
        self.send(&TimeTravelMessage { op: TimeTravelOp::Ack as u32, sequence, time: answer }.bytes())
    }

    /// Answers the first message, with the schedule. A guest that knows nothing of schedules takes no files; one that does must
    /// be given two.
    fn start(&mut self, sequence: u32) -> Result<(), KernelError> {
        let answer =
            TimeTravelMessage { op: TimeTravelOp::Ack as u32, sequence, time: shared_schedule::GUEST };
        let sent = self.channel.send_with(&answer.bytes(), &self.shared_schedule.files());
        sent.map_err(KernelError::unheard)
    }
}

impl AsFd for TimeTravelController {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}
