//! Configuration space of a network device: `struct virtio_net_config` (Virtual I/O Device 1.2, section 5.1.4).

use crate::error::KernelError;

const LEN: usize = 12;
const STATUS: usize = 6;
const PAIRS: usize = 8;
const MTU: usize = 10;
const LINK_UP: u8 = 1;

/// Address, carrier, number of queue pairs, largest packet.
#[derive(Debug)]
pub(crate) struct VirtioNetConfig([u8; LEN]);

impl VirtioNetConfig {
    pub(crate) fn new(number: u16, mtu: u16) -> Self {
        let mut bytes = [0; LEN];
        let [high, low] = number.to_be_bytes();
        // Locally administered: nobody's property.
        bytes[..6].copy_from_slice(&[2, 0, 0, 0, high, low]);
        (bytes[STATUS], bytes[PAIRS]) = (LINK_UP, 1);
        bytes[MTU..].copy_from_slice(&mtu.to_le_bytes());
        Self(bytes)
    }

    pub(crate) fn mac(&self) -> [u8; 6] {
        [self.0[0], self.0[1], self.0[2], self.0[3], self.0[4], self.0[5]]
    }

    /// Whether that is a change.
    pub(crate) fn set_carrier(&mut self, up: bool) -> bool {
        let before = std::mem::replace(&mut self.0[STATUS], if up { LINK_UP } else { 0 });
        before != self.0[STATUS]
    }

    /// A part as the guest asks for it: offset, length and flags precede it. Beyond the end are zeros.
    pub(crate) fn part(&self, offset: u32, len: u32, flags: u32) -> Result<Vec<u8>, KernelError> {
        if len > 256 || offset > 256 {
            return Err(KernelError::Protocol(format!(
                "that a card's settings have {len} bytes at {offset}"
            )));
        }
        let mut out = Vec::with_capacity(12 + len as usize);
        [offset, len, flags].iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        let byte = |i: usize| self.0.get(i).copied().unwrap_or(0);
        out.extend((offset as usize..(offset + len) as usize).map(byte));
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_drivers_look() {
        let mut config = VirtioNetConfig::new(0x0102, 1500);
        let whole = [2, 0, 0, 0, 1, 2, 1, 0, 1, 0, 0xdc, 5, 0, 0];
        assert_eq!(config.part(0, 14, 9).unwrap()[12..], whole);
        assert_eq!(config.part(6, 2, 9).unwrap(), [6, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 1, 0]);
        assert!(config.part(0, 257, 0).is_err());
        assert_eq!([false, false, true].map(|up| config.set_carrier(up)), [true, false, true]);
    }
}
