//! Split virtqueues, seen from the device (Virtual I/O Device 1.2, section 2.7).
//!
//! A driver offers buffers: chains of descriptors whose heads it puts into the *available* ring. The device takes them in turn
//! and gives them back in the *used* ring. All of it lies in the guest's memory and may say anything: what makes no sense is an
//! error, never a panic, a loop or an access elsewhere.

use crate::memory::{GuestMemory, UnmappedAddress};
use core::fmt;

/// Largest frame of a card, header included: what TCP segmentation offload may hand over.
pub(crate) const MAX_FRAME: usize = 65_536 + 14 + 12;

/// Another descriptor follows.
const NEXT: u16 = 1;
/// The device writes to it, the driver does not.
const WRITE: u16 = 2;
/// It holds a table of descriptors; a feature that is not offered.
const INDIRECT: u16 = 4;
/// The driver wants no interrupt when buffers come back.
const NO_INTERRUPT: u16 = 1;

const DESCRIPTOR: u64 = 16;

/// Error of a virtqueue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RingError {
    /// It leads to an address that is not the guest's shared memory.
    Outside(u64),
    /// More buffers are offered than there are.
    Overrun { offered: u16, size: u16 },
    /// A descriptor beyond the table.
    NoDescriptor(u16),
    /// A chain that is longer than the table: it leads back to itself.
    Endless,
    /// A descriptor of a kind that it must not be.
    Flags(u16),
    /// A frame larger than a card takes.
    TooLarge,
    /// A buffer too small for the frame that is to be written.
    TooSmall,
    /// A number of descriptors that a ring cannot have.
    Size(u32),
}

impl From<UnmappedAddress> for RingError {
    fn from(UnmappedAddress(at): UnmappedAddress) -> Self {
        Self::Outside(at)
    }
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(at) => {
                write!(f, "a ring leads to {at:#x}, which is not memory that the guest shares")
            }
            Self::Overrun { offered, size } => write!(f, "a ring of {size} buffers offers {offered}"),
            Self::NoDescriptor(i) => write!(f, "a ring names descriptor {i}, which it does not have"),
            Self::Endless => f.write_str("a chain of descriptors leads back to itself"),
            Self::Flags(flags) => write!(f, "a descriptor with flags {flags:#x} is in the wrong place"),
            Self::TooLarge => f.write_str("a frame is larger than a card takes"),
            Self::TooSmall => f.write_str("a buffer is too small for the frame that has arrived"),
            Self::Size(n) => write!(f, "a ring cannot have {n} descriptors"),
        }
    }
}

/// A virtqueue of a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Virtqueue {
    size: u16,
    descriptors: u64,
    available: u64,
    used: u64,
    /// Next index of the available ring to be taken, and of the used ring to be given.
    taken: u16,
    given: u16,
    pub(crate) enabled: bool,
}

struct Descriptor {
    at: u64,
    len: u32,
    flags: u16,
    next: u16,
}

impl Virtqueue {
    /// Sets how many descriptors it has: a power of two.
    pub(crate) fn resize(&mut self, size: u32) -> Result<(), RingError> {
        let fits = u16::try_from(size).ok().filter(|n| n.is_power_of_two());
        self.size = fits.ok_or(RingError::Size(size))?;
        Ok(())
    }

    /// Sets where its parts are.
    pub(crate) fn place(&mut self, descriptors: u64, available: u64, used: u64) {
        (self.descriptors, self.available, self.used) = (descriptors, available, used);
    }

    /// Sets where in its rings it goes on.
    pub(crate) fn start_at(&mut self, index: u16) {
        (self.taken, self.given) = (index, index);
    }

    /// The next buffer that the driver offers: its first descriptor.
    fn take(&mut self, memory: &GuestMemory) -> Result<Option<u16>, RingError> {
        if !self.enabled || self.size == 0 {
            return Ok(None);
        }
        let offered = memory.load_u16(offset(self.available, 2)?)?.wrapping_sub(self.taken);
        if offered > self.size {
            return Err(RingError::Overrun { offered, size: self.size });
        }
        if offered == 0 {
            return Ok(None);
        }
        let slot = 4 + u64::from(self.taken % self.size) * 2;
        let head = memory.load_u16(offset(self.available, slot)?)?;
        self.taken = self.taken.wrapping_add(1);
        Ok(Some(head))
    }

    /// Gives back a buffer whose frame was taken: the driver may use it anew.
    pub(crate) fn give_back(&mut self, memory: &GuestMemory, head: u16) -> Result<(), RingError> {
        self.give(memory, head, 0)
    }

    /// Gives a buffer back, of which `len` bytes were written.
    fn give(&mut self, memory: &GuestMemory, head: u16, len: u32) -> Result<(), RingError> {
        let slot = 4 + u64::from(self.given % self.size) * 8;
        let mut element = [0; 8];
        element[..4].copy_from_slice(&u32::from(head).to_le_bytes());
        element[4..].copy_from_slice(&len.to_le_bytes());
        memory.write(offset(self.used, slot)?, &element)?;
        self.given = self.given.wrapping_add(1);
        memory.store_u16(offset(self.used, 2)?, self.given)?;
        Ok(())
    }

    /// Whether the driver wants to be told of buffers that were given back.
    pub(crate) fn wants_interrupt(&self, memory: &GuestMemory) -> Result<bool, RingError> {
        // The flag must not be read before the index of the used ring is written.
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        Ok(memory.load_u16(self.available)? & NO_INTERRUPT == 0)
    }

    /// Takes the next frame that the driver sends, and says which buffer is to be given back for it.
    pub(crate) fn take_frame(
        &mut self,
        memory: &GuestMemory,
        out: &mut Vec<u8>,
    ) -> Result<Option<u16>, RingError> {
        let Some(head) = self.take(memory)? else { return Ok(None) };
        out.clear();
        self.each_of_chain(memory, head, |d| {
            if d.flags & WRITE != 0 {
                return Err(RingError::Flags(d.flags));
            }
            if out.len() + d.len as usize > MAX_FRAME {
                return Err(RingError::TooLarge);
            }
            memory.read(d.at, d.len, out)?;
            Ok(true)
        })?;
        Ok(Some(head))
    }

    /// Writes a frame into the next buffer that the driver offers; false where it offers none.
    pub(crate) fn give_frame(&mut self, memory: &GuestMemory, frame: &[u8]) -> Result<bool, RingError> {
        let Some(head) = self.take(memory)? else { return Ok(false) };
        let mut rest = frame;
        self.each_of_chain(memory, head, |d| {
            if d.flags & WRITE == 0 {
                return Err(RingError::Flags(d.flags));
            }
            let (now, later) = rest.split_at(rest.len().min(d.len as usize));
            memory.write(d.at, now)?;
            rest = later;
            Ok(!rest.is_empty())
        })?;
        if !rest.is_empty() {
            return Err(RingError::TooSmall);
        }
        self.give(memory, head, frame.len() as u32)?;
        Ok(true)
    }

    /// Calls `see` with each descriptor of a chain, for as long as it wants.
    fn each_of_chain(
        &self,
        memory: &GuestMemory,
        head: u16,
        mut see: impl FnMut(&Descriptor) -> Result<bool, RingError>,
    ) -> Result<(), RingError> {
        let mut index = head;
        for _ in 0..self.size {
            let descriptor = self.descriptor(memory, index)?;
            if descriptor.flags & INDIRECT != 0 {
                return Err(RingError::Flags(descriptor.flags));
            }
            if !see(&descriptor)? || descriptor.flags & NEXT == 0 {
                return Ok(());
            }
            index = descriptor.next;
        }
        Err(RingError::Endless)
    }

    fn descriptor(&self, memory: &GuestMemory, index: u16) -> Result<Descriptor, RingError> {
        if index >= self.size {
            return Err(RingError::NoDescriptor(index));
        }
        let at = offset(self.descriptors, u64::from(index) * DESCRIPTOR)?;
        let mut raw = [0; DESCRIPTOR as usize];
        memory.copy(at, &mut raw)?;
        let [a0, a1, a2, a3, a4, a5, a6, a7, l0, l1, l2, l3, f0, f1, n0, n1] = raw;
        Ok(Descriptor {
            at: u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]),
            len: u32::from_le_bytes([l0, l1, l2, l3]),
            flags: u16::from_le_bytes([f0, f1]),
            next: u16::from_le_bytes([n0, n1]),
        })
    }
}

/// An address within a ring; rings that reach around the end of all addresses are nowhere.
fn offset(base: u64, by: u64) -> Result<u64, RingError> {
    base.checked_add(by).ok_or(RingError::Outside(base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::tests::file;
    use proptest::prelude::*;

    const BASE: u64 = 0x10_0000;
    const SIZE: u16 = 8;
    const AVAILABLE: u64 = BASE + 0x1000;
    const USED: u64 = BASE + 0x2000;
    const BUFFERS: u64 = BASE + 0x4000;

    /// A driver's side of one ring, over memory that both share.
    struct Driver {
        memory: GuestMemory,
        offered: u16,
    }

    impl Driver {
        fn new() -> (Self, Virtqueue) {
            let mut memory = GuestMemory::default();
            memory.add(BASE, 0x10000, &file(0x10000), 0).unwrap();
            let mut ring = Virtqueue { enabled: true, ..Virtqueue::default() };
            ring.resize(u32::from(SIZE)).unwrap();
            ring.place(BASE, AVAILABLE, USED);
            (Self { memory, offered: 0 }, ring)
        }

        fn describe(&self, index: u16, at: u64, len: u32, flags: u16, next: u16) {
            let mut raw = at.to_le_bytes().to_vec();
            raw.extend_from_slice(&len.to_le_bytes());
            raw.extend_from_slice(&flags.to_le_bytes());
            raw.extend_from_slice(&next.to_le_bytes());
            self.memory.write(BASE + u64::from(index) * DESCRIPTOR, &raw).unwrap();
        }

        fn offer(&mut self, head: u16) {
            let slot = u64::from(self.offered % SIZE) * 2;
            self.memory.store_u16(AVAILABLE + 4 + slot, head).unwrap();
            self.offered = self.offered.wrapping_add(1);
            self.memory.store_u16(AVAILABLE + 2, self.offered).unwrap();
        }

        fn used(&self, index: u16) -> (u16, u32) {
            let mut raw = [0; 8];
            self.memory.copy(USED + 4 + u64::from(index % SIZE) * 8, &mut raw).unwrap();
            let word = |i: usize| u32::from_le_bytes([raw[i], raw[i + 1], raw[i + 2], raw[i + 3]]);
            (word(0) as u16, word(4))
        }
    }

    #[test]
    fn frames_go_both_ways_in_chains_and_around_the_ring() {
        let (mut driver, mut ring) = Driver::new();
        let mut out = Vec::new();
        for round in 0..3 * SIZE {
            assert_eq!(ring.take_frame(&driver.memory, &mut out), Ok(None));
            // A header and its payload, as drivers send; then one buffer that is filled in two descriptors.
            driver.memory.write(BUFFERS, b"header").unwrap();
            driver.memory.write(BUFFERS + 100, &[round as u8; 50]).unwrap();
            driver.describe(0, BUFFERS, 6, NEXT, 5);
            driver.describe(5, BUFFERS + 100, 50, 0, 0);
            driver.offer(0);
            assert_eq!(ring.take_frame(&driver.memory, &mut out), Ok(Some(0)));
            ring.give_back(&driver.memory, 0).unwrap();
            assert_eq!((&out[..6], &out[6..]), (&b"header"[..], &[round as u8; 50][..]));
            assert_eq!(driver.used(2 * round), (0, 0));

            driver.describe(2, BUFFERS, 4, NEXT | WRITE, 3);
            driver.describe(3, BUFFERS + 200, 100, WRITE, 0);
            driver.offer(2);
            assert_eq!(ring.give_frame(&driver.memory, b"abcdefgh"), Ok(true));
            assert_eq!(driver.used(2 * round + 1), (2, 8));
            out.clear();
            driver.memory.read(BUFFERS, 4, &mut out).unwrap();
            driver.memory.read(BUFFERS + 200, 4, &mut out).unwrap();
            assert_eq!(out, b"abcdefgh");
        }
        assert_eq!(ring.give_frame(&driver.memory, b"x"), Ok(false), "no buffer is offered");
    }

    #[test]
    fn buffers_of_taken_frames_come_back_one_by_one_in_any_order() {
        let (mut driver, mut ring) = Driver::new();
        for head in [4, 6] {
            driver.describe(head, BUFFERS, 10, 0, 0);
            driver.offer(head);
            assert_eq!(ring.take_frame(&driver.memory, &mut Vec::new()), Ok(Some(head)));
        }
        assert_eq!(driver.memory.load_u16(USED + 2), Ok(0), "none is back yet");
        ring.give_back(&driver.memory, 6).unwrap();
        assert_eq!((driver.memory.load_u16(USED + 2), driver.used(0)), (Ok(1), (6, 0)));
        ring.give_back(&driver.memory, 4).unwrap();
        assert_eq!((driver.memory.load_u16(USED + 2), driver.used(1)), (Ok(2), (4, 0)));
    }

    #[test]
    fn malformed_rings_are_errors() {
        type Case = (&'static str, fn(&mut Driver), RingError);
        let cases: [Case; 7] = [
            ("an address outside", |d| d.describe(0, 0x99, 6, 0, 0), RingError::Outside(0x99)),
            (
                "a buffer across the end",
                |d| d.describe(0, BASE + 0xfff0, 17, 0, 0),
                RingError::Outside(BASE + 0xfff0),
            ),
            ("a circle", |d| d.describe(0, BUFFERS, 6, NEXT, 0), RingError::Endless),
            ("beyond the table", |d| d.describe(0, BUFFERS, 6, NEXT, SIZE), RingError::NoDescriptor(SIZE)),
            ("to be written", |d| d.describe(0, BUFFERS, 6, WRITE, 0), RingError::Flags(WRITE)),
            ("indirect", |d| d.describe(0, BUFFERS, 16, INDIRECT, 0), RingError::Flags(INDIRECT)),
            ("huge", |d| d.describe(0, BUFFERS, u32::MAX, 0, 0), RingError::TooLarge),
        ];
        for (what, prepare, error) in cases {
            let (mut driver, mut ring) = Driver::new();
            prepare(&mut driver);
            driver.offer(0);
            assert_eq!(ring.take_frame(&driver.memory, &mut Vec::new()), Err(error), "{what}");
        }
        let (mut driver, mut ring) = Driver::new();
        driver.describe(0, BUFFERS, 7, WRITE, 0);
        driver.offer(0);
        assert_eq!(ring.give_frame(&driver.memory, b"8 bytes."), Err(RingError::TooSmall));
        driver.memory.store_u16(AVAILABLE + 2, SIZE + 2).unwrap();
        let overrun = RingError::Overrun { offered: SIZE + 1, size: SIZE };
        assert_eq!(ring.take_frame(&driver.memory, &mut Vec::new()), Err(overrun));
        assert_eq!([0, 3, 65_536].map(|n| ring.resize(n).is_err()), [true; 3]);
    }

    #[test]
    fn the_driver_says_whether_it_wants_interrupts() {
        let (driver, ring) = Driver::new();
        assert_eq!(ring.wants_interrupt(&driver.memory), Ok(true));
        driver.memory.store_u16(AVAILABLE, NO_INTERRUPT).unwrap();
        assert_eq!(ring.wants_interrupt(&driver.memory), Ok(false));
    }

    proptest! {
        /// Whatever lies in the guest's memory: it ends, and nothing but the rings' used part and buffers is touched.
        #[test]
        fn arbitrary_memory_does_no_harm(
            bytes in prop::collection::vec(any::<u8>(), 0x600),
            places in prop::array::uniform3(prop_oneof![BASE..BASE + 0x700, any::<u64>()]),
            log in 0_u32..16,
        ) {
            let mut memory = GuestMemory::default();
            memory.add(BASE, 0x600, &file(0x1000), 0).unwrap();
            memory.write(BASE, &bytes).unwrap();
            let mut ring = Virtqueue { enabled: true, ..Virtqueue::default() };
            ring.resize(1 << log).unwrap();
            ring.place(places[0], places[1], places[2]);
            let mut out = Vec::new();
            for _ in 0..100 {
                if let Ok(Some(head)) = ring.take_frame(&memory, &mut out) {
                    let _ = ring.give_back(&memory, head);
                }
                let _ = ring.give_frame(&memory, &[1; 60]);
                let _ = ring.wants_interrupt(&memory);
                prop_assert!(out.len() <= MAX_FRAME);
            }
        }
    }
}
