//! Messages between a guest and its calendar: three little-endian fields (`struct um_timetravel_msg`).

use crate::guest_socket::{u32_at, u64_at};

/// Operation of a message (`enum um_timetravel_ops`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeTravelOp {
    /// The answer to any other.
    Ack = 0,
    /// The guest is there.
    Start = 1,
    /// The guest wants to run at a time.
    Request = 2,
    /// The guest waits for it.
    Wait = 3,
    /// The guest asks for the time.
    Get = 4,
    /// The guest says what time it has come to, before it acts on others.
    Update = 5,
    /// The guest may run now.
    Run = 6,
    /// The guest need not ask before that time.
    FreeUntil = 7,
    /// The guest asks for the time of day.
    GetTimeOfDay = 8,
}

impl TimeTravelOp {
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        const ALL: [TimeTravelOp; 9] = [
            TimeTravelOp::Ack,
            TimeTravelOp::Start,
            TimeTravelOp::Request,
            TimeTravelOp::Wait,
            TimeTravelOp::Get,
            TimeTravelOp::Update,
            TimeTravelOp::Run,
            TimeTravelOp::FreeUntil,
            TimeTravelOp::GetTimeOfDay,
        ];
        ALL.get(number as usize).copied()
    }
}

/// A message (`struct um_timetravel_msg`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeTravelMessage {
    /// An [`TimeTravelOp`], if it is known.
    pub(crate) op: u32,
    /// Given back with the answer.
    pub(crate) sequence: u32,
    /// Nanoseconds.
    pub(crate) time: u64,
}

impl TimeTravelMessage {
    pub(crate) const LEN: usize = 16;

    /// The first message of some bytes, if it is whole.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        Some(Self { op: u32_at(bytes, 0)?, sequence: u32_at(bytes, 4)?, time: u64_at(bytes, 8)? })
    }

    pub(crate) fn bytes(self) -> [u8; Self::LEN] {
        let mut out = [0; Self::LEN];
        out[..4].copy_from_slice(&self.op.to_le_bytes());
        out[4..8].copy_from_slice(&self.sequence.to_le_bytes());
        out[8..].copy_from_slice(&self.time.to_le_bytes());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sixteen_bytes() {
        let message = TimeTravelMessage { op: TimeTravelOp::Run as u32, sequence: 0x0102_0304, time: 0x1122 };
        let bytes = [6, 0, 0, 0, 4, 3, 2, 1, 0x22, 0x11, 0, 0, 0, 0, 0, 0];
        assert_eq!(message.bytes(), bytes);
        assert_eq!(
            (TimeTravelMessage::parse(&bytes), TimeTravelMessage::parse(&bytes[..15])),
            (Some(message), None)
        );
    }

    #[test]
    fn numbers_are_those_of_their_words() {
        for number in 0..9 {
            assert_eq!(TimeTravelOp::from_number(number).unwrap() as u32, number);
        }
        assert_eq!(TimeTravelOp::from_number(9), None, "broadcasts concern nobody here");
    }
}
