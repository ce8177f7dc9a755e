//! A guest's memory as its cards see it: regions of its physical addresses.

use crate::mapping::SharedMapping;
use rustix::fd::OwnedFd;
use std::io;
use std::sync::atomic::Ordering;

/// An address at which the guest has no memory that it shares, or not as much as was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnmappedAddress(pub(crate) u64);

/// The memory that a guest shares.
#[derive(Debug, Default)]
pub(crate) struct GuestMemory {
    regions: Vec<MemoryRegion>,
}

#[derive(Debug)]
struct MemoryRegion {
    /// Where it begins in the guest's addresses.
    start: u64,
    mapping: SharedMapping,
}

impl GuestMemory {
    /// Adds `size` bytes of a file from `offset` on, which the guest has at `start`.
    pub(crate) fn add(&mut self, start: u64, size: u64, file: &OwnedFd, offset: u64) -> io::Result<()> {
        // A guest's region need not begin at a page of the file; its mapping does.
        let skip = offset % 4096;
        let too_far = || io::Error::new(io::ErrorKind::InvalidInput, "a region beyond all addresses");
        let start = start.checked_sub(skip).ok_or_else(too_far)?;
        let len = usize::try_from(size.checked_add(skip).ok_or_else(too_far)?).map_err(|_| too_far())?;
        start.checked_add(len as u64).ok_or_else(too_far)?;
        self.regions.push(MemoryRegion { start, mapping: SharedMapping::new(file, offset - skip, len)? });
        Ok(())
    }

    /// The mapping that holds an address, and where in it.
    fn find(&self, at: u64) -> Result<(&SharedMapping, usize), UnmappedAddress> {
        let holds = |r: &&MemoryRegion| at >= r.start && at - r.start < r.mapping.len() as u64;
        let region = self.regions.iter().find(holds).ok_or(UnmappedAddress(at))?;
        Ok((&region.mapping, (at - region.start) as usize))
    }

    pub(crate) fn read(&self, at: u64, len: u32, out: &mut Vec<u8>) -> Result<(), UnmappedAddress> {
        let (mapping, place) = self.find(at)?;
        mapping.read(place, len as usize, out).ok_or(UnmappedAddress(at))
    }

    /// Fills `out`.
    pub(crate) fn copy(&self, at: u64, out: &mut [u8]) -> Result<(), UnmappedAddress> {
        let (mapping, place) = self.find(at)?;
        mapping.copy(place, out).ok_or(UnmappedAddress(at))
    }

    pub(crate) fn write(&self, at: u64, bytes: &[u8]) -> Result<(), UnmappedAddress> {
        let (mapping, place) = self.find(at)?;
        mapping.write(place, bytes).ok_or(UnmappedAddress(at))
    }

    /// Loads two bytes; what is read afterwards was written before them.
    pub(crate) fn load_u16(&self, at: u64) -> Result<u16, UnmappedAddress> {
        let (mapping, place) = self.find(at)?;
        mapping.u16(place).map(|v| u16::from_le(v.load(Ordering::Acquire))).ok_or(UnmappedAddress(at))
    }

    /// Stores two bytes; whoever reads them sees what was written before.
    pub(crate) fn store_u16(&self, at: u64, value: u16) -> Result<(), UnmappedAddress> {
        let (mapping, place) = self.find(at)?;
        mapping.u16(place).map(|v| v.store(value.to_le(), Ordering::Release)).ok_or(UnmappedAddress(at))
    }
}
