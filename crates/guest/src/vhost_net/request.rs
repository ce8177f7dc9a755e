//! Messages of vhost-user: number, flags, length, and what each has to say.

use crate::error::KernelError;
use crate::guest_socket::{u32_at, u64_at};

const HEADER: usize = 12;
/// Messages are of version 1; an answer is marked; a question may ask for one.
const VERSION: u32 = 1;
const REPLY: u32 = 4;
const NEED_REPLY: u32 = 8;
/// Longest that any may be.
const LONGEST: usize = 4096;

/// Features of the device: a MAC address (5), a carrier (16), a largest packet (3); protocol features (30), version 1 (32).
pub(crate) const FEATURES: u64 = 1 << 3 | 1 << 5 | 1 << 16 | 1 << 30 | 1 << 32;
/// Features of the protocol: answers on demand (3), our own requests (5), settings (9), notifications as messages (14).
pub(crate) const PROTOCOL_FEATURES: u64 = 1 << 3 | 1 << 5 | 1 << 9 | 1 << 14;

const GET_FEATURES: u32 = 1;
const SET_FEATURES: u32 = 2;
const SET_OWNER: u32 = 3;
const SET_MEM_TABLE: u32 = 5;
const SET_VRING_NUM: u32 = 8;
const SET_VRING_ADDR: u32 = 9;
const SET_VRING_BASE: u32 = 10;
const GET_PROTOCOL_FEATURES: u32 = 15;
const SET_PROTOCOL_FEATURES: u32 = 16;
const SET_VRING_ENABLE: u32 = 18;
const SET_BACKEND_REQ_FD: u32 = 21;
const GET_CONFIG: u32 = 24;
const VRING_KICK: u32 = 35;
// Our own requests.
const BACKEND_CONFIG_CHANGE_MSG: u32 = 2;
const BACKEND_VRING_CALL: u32 = 4;

/// Request of the guest's kernel to a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VhostRequest {
    GetFeatures,
    SetFeatures(u64),
    SetOwner,
    SetMemory(Vec<VhostRegion>),
    SetSize { queue: u32, value: u32 },
    SetPlace { queue: u32, descriptors: u64, available: u64, used: u64 },
    SetBase { queue: u32, value: u32 },
    GetProtocolFeatures,
    SetProtocolFeatures(u64),
    SetEnabled { queue: u32, value: u32 },
    SetInterrupts,
    GetConfig { offset: u32, len: u32, flags: u32 },
    Kick { queue: u32 },
}

/// A part of the guest's memory: where it has it, and where it is in the file that comes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VhostRegion {
    pub(crate) guest: u64,
    pub(crate) size: u64,
    pub(crate) offset: u64,
}

/// Reply to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VhostReply {
    /// It is done: said only where that was asked for.
    Done,
    Number(u64),
    Bytes(Vec<u8>),
}

/// A request as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VhostMessage {
    number: u32,
    flags: u32,
    len: usize,
    pub(crate) request: VhostRequest,
}

impl VhostMessage {
    /// The first message of some bytes, if it is whole.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Self>, KernelError> {
        let (Some(number), Some(flags), Some(size)) = (u32_at(bytes, 0), u32_at(bytes, 4), u32_at(bytes, 8))
        else {
            return Ok(None);
        };
        let len = HEADER + size as usize;
        if len > LONGEST || flags & 3 != VERSION {
            return Err(KernelError::Protocol(format!("a message of {size} bytes with flags {flags:#x}")));
        }
        let Some(body) = bytes.get(HEADER..len) else { return Ok(None) };
        match VhostRequest::parse(number, body) {
            Some(request) => Ok(Some(Self { number, flags, len, request })),
            None => Err(KernelError::Protocol(format!("request {number} of vhost-user with {size} bytes"))),
        }
    }

    /// Length of the message in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The bytes of an answer, if one is wanted.
    pub(crate) fn reply(&self, answer: VhostReply) -> Option<Vec<u8>> {
        match answer {
            VhostReply::Done if self.flags & NEED_REPLY == 0 => None,
            VhostReply::Done => Some(reply(self.number, &0_u64.to_le_bytes())),
            VhostReply::Number(number) => Some(reply(self.number, &number.to_le_bytes())),
            VhostReply::Bytes(bytes) => Some(reply(self.number, &bytes)),
        }
    }
}

impl VhostRequest {
    fn parse(number: u32, body: &[u8]) -> Option<Self> {
        let queue_and_value = || Some((u32_at(body, 0)?, u32_at(body, 4)?));
        Some(match number {
            GET_FEATURES => Self::GetFeatures,
            SET_FEATURES => Self::SetFeatures(u64_at(body, 0)?),
            SET_OWNER => Self::SetOwner,
            SET_MEM_TABLE => Self::SetMemory(regions(body)?),
            SET_VRING_NUM => queue_and_value().map(|(queue, value)| Self::SetSize { queue, value })?,
            SET_VRING_ADDR => Self::SetPlace {
                queue: u32_at(body, 0)?,
                descriptors: u64_at(body, 8)?,
                used: u64_at(body, 16)?,
                available: u64_at(body, 24)?,
            },
            SET_VRING_BASE => queue_and_value().map(|(queue, value)| Self::SetBase { queue, value })?,
            GET_PROTOCOL_FEATURES => Self::GetProtocolFeatures,
            SET_PROTOCOL_FEATURES => Self::SetProtocolFeatures(u64_at(body, 0)?),
            SET_VRING_ENABLE => queue_and_value().map(|(queue, value)| Self::SetEnabled { queue, value })?,
            SET_BACKEND_REQ_FD => Self::SetInterrupts,
            GET_CONFIG => {
                Self::GetConfig { offset: u32_at(body, 0)?, len: u32_at(body, 4)?, flags: u32_at(body, 8)? }
            }
            VRING_KICK => Self::Kick { queue: u32_at(body, 0)? },
            _ => return None,
        })
    }
}

fn regions(body: &[u8]) -> Option<Vec<VhostRegion>> {
    let count = u32_at(body, 0).filter(|n| *n <= 8)? as usize;
    let region = |i: usize| {
        let at = 8 + i * 32;
        Some(VhostRegion {
            guest: u64_at(body, at)?,
            size: u64_at(body, at + 8)?,
            offset: u64_at(body, at + 24)?,
        })
    };
    (0..count).map(region).collect()
}

fn message(number: u32, flags: u32, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + body.len());
    [number, flags, body.len() as u32].iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    out.extend_from_slice(body);
    out
}

fn reply(number: u32, body: &[u8]) -> Vec<u8> {
    message(number, VERSION | REPLY, body)
}

/// The answer to a kick.
pub(crate) fn done_with_kick() -> Vec<u8> {
    reply(VRING_KICK, &0_u64.to_le_bytes())
}

/// An interrupt: buffers of a queue have been used.
pub(crate) fn call(queue: u32) -> Vec<u8> {
    message(BACKEND_VRING_CALL, VERSION | NEED_REPLY, &u64::from(queue).to_le_bytes())
}

/// An interrupt: the card has changed.
pub(crate) fn config_changed() -> Vec<u8> {
    message(BACKEND_CONFIG_CHANGE_MSG, VERSION | NEED_REPLY, &[])
}

/// Length of the answer to an interrupt.
pub(crate) const RESULT: usize = HEADER + 8;

/// The guest's answer to an interrupt, once it is whole; zero is success.
pub(crate) fn result_of(bytes: &[u8]) -> Option<u64> {
    u64_at(bytes, HEADER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_are_taken_apart() {
        let mut bytes = message(SET_VRING_ADDR, VERSION | NEED_REPLY, &[0; 40]);
        bytes[12] = 1;
        for (place, value) in [(20, 3), (28, 5), (36, 7)] {
            bytes[place] = value;
        }
        assert_eq!(VhostMessage::parse(&bytes[..51]).unwrap(), None);
        bytes.push(99);
        let parsed = VhostMessage::parse(&bytes).unwrap().unwrap();
        let expected = VhostRequest::SetPlace { queue: 1, descriptors: 3, used: 5, available: 7 };
        assert_eq!((parsed.len(), &parsed.request), (52, &expected));
        let done = [9, 0, 0, 0, 5, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(parsed.reply(VhostReply::Done).unwrap(), done);
        let quiet = VhostMessage::parse(&message(SET_OWNER, VERSION, &[])).unwrap().unwrap();
        assert_eq!(quiet.reply(VhostReply::Done), None);
    }

    #[test]
    fn regions_come_with_their_place_in_the_file() {
        let mut body = vec![1, 0, 0, 0, 0, 0, 0, 0];
        for value in [0x1000_u64, 0x2000, 0x1000, 0x3000] {
            body.extend_from_slice(&value.to_le_bytes());
        }
        let memory = VhostMessage::parse(&message(SET_MEM_TABLE, VERSION, &body)).unwrap().unwrap();
        let region = VhostRegion { guest: 0x1000, size: 0x2000, offset: 0x3000 };
        assert_eq!(memory.request, VhostRequest::SetMemory(vec![region]));
        body[0] = 2;
        assert!(
            VhostMessage::parse(&message(SET_MEM_TABLE, VERSION, &body)).is_err(),
            "the second is missing"
        );
    }

    #[test]
    fn unknown_overlong_or_other_version_messages_are_errors() {
        assert!(VhostMessage::parse(&message(99, VERSION, &[])).is_err());
        assert!(VhostMessage::parse(&message(SET_OWNER, 2, &[])).is_err());
        assert!(VhostMessage::parse(&message(SET_OWNER, VERSION, &[0; LONGEST])).is_err());
        assert!(VhostMessage::parse(&message(SET_VRING_NUM, VERSION, &[0; 7])).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), number in 0_u32..40) {
            let _ = VhostMessage::parse(&bytes);
            let _ = VhostMessage::parse(&message(number, VERSION, &bytes));
        }
    }
}
