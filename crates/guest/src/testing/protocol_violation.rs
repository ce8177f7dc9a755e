//! Protocol violations: well-formed messages out of turn, and rings that lead anywhere.

use super::{BASE, FakeGuest, MEMORY, QUEUE, SPACING};
use proptest::prelude::*;
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::net::{Shutdown, shutdown};

/// Something that a fake guest says or does at any time.
#[derive(Clone, Debug)]
pub(crate) enum ProtocolViolation {
    /// A message to the calendar.
    TimeTravel { op: u32, time: u64 },
    /// A message to the card, perhaps with the guest's memory.
    VhostUser { number: u32, flags: u32, body: Vec<u8>, with_file: bool },
    /// Eight bytes of a queue's rings.
    Scribble { queue: u64, at: u64, value: u64 },
    /// A buffer, or what says that it is one.
    Offer { queue: u64, head: u16 },
    /// Something has been offered.
    Kick,
}

/// Any of them; numbers are mostly such as mean something.
pub(crate) fn any_violation() -> impl Strategy<Value = ProtocolViolation> {
    let number =
        || prop_oneof![0..4_u64, Just(u64::from(QUEUE)), BASE..BASE + MEMORY, 0..MEMORY, any::<u64>()];
    let body = prop::collection::vec(number(), 0..7)
        .prop_map(|all| all.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<_>>());
    let card =
        (0..40_u32, prop_oneof![8 => Just(9_u32), 1 => Just(1), 1 => any::<u32>()], body, any::<bool>());
    prop_oneof![
        (0..12_u32, number()).prop_map(|(op, time)| ProtocolViolation::TimeTravel { op, time }),
        card.prop_map(|(number, flags, body, with_file)| ProtocolViolation::VhostUser {
            number,
            flags,
            body,
            with_file
        }),
        (0..2_u64, 0..0x500_u64, number()).prop_map(|(queue, at, value)| {
            // Descriptors, available or used ring.
            let part = at % 3 * 0x1000;
            ProtocolViolation::Scribble { queue, at: part + at / 3 * 4, value }
        }),
        (0..2_u64, any::<u16>())
            .prop_map(|(queue, head)| ProtocolViolation::Offer { queue, head: head % (QUEUE + 2) }),
        Just(ProtocolViolation::Kick),
    ]
}

impl FakeGuest {
    /// Says all that, reads no answer, and then nothing more for ever.
    pub(super) fn say(&mut self, words: &[ProtocolViolation], memory: &OwnedFd) {
        for word in words {
            // Whoever hears it may have had enough.
            let _ = self.say_one(word, memory);
        }
        for end in [self.controller.as_fd(), self.card.as_fd(), self.interrupts.as_fd()] {
            let _ = shutdown(end, Shutdown::Write);
        }
        while self.controller.receive().is_ok_and(|there| there) {}
    }

    fn say_one(&mut self, word: &ProtocolViolation, memory: &OwnedFd) -> std::io::Result<()> {
        match word {
            ProtocolViolation::TimeTravel { op, time } => {
                self.controller.send(&[&op.to_le_bytes()[..], &[1, 0, 0, 0], &time.to_le_bytes()].concat())
            }
            ProtocolViolation::VhostUser { number, flags, body, with_file } => {
                let head = [*number, *flags, body.len() as u32].map(u32::to_le_bytes).concat();
                let files: &[_] = if *with_file { &[memory.as_fd()] } else { &[] };
                self.card.send_with(&[&head[..], body].concat(), files)
            }
            ProtocolViolation::Scribble { queue, at, value } => {
                let _ = self.memory.write(BASE + queue * SPACING + at, &value.to_le_bytes());
                Ok(())
            }
            ProtocolViolation::Offer { queue, head } => {
                self.offer(*queue, *head);
                Ok(())
            }
            ProtocolViolation::Kick => self.card.send(&[35_u32, 9, 8, 1, 0].map(u32::to_le_bytes).concat()),
        }
    }
}
